"""``rankbars site``: from one file to a folder of pages."""

import gzip
import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import rankbars as rb
from rankbars import publication
from rankbars.data.madefiles import Draft, MadeFiles, digest_of, make_files
from rankbars.render.notation import show_ranks
from rankbars.render.siteboards import slug_of

TASKS = {"law": ("civil", "penal"), "math": ("algebra", "sums"), "code": ("python",)}
EVERY = tuple(task for group in TASKS.values() for task in group)
MODELS = ("amber", "birch", "cedar", "Dark/<b>Oak</b>")
CONFIG = """\
title: Woods <i>&</i> trees
description: Four trees on five tasks.
results: results.csv
categories: {civil: law, penal: law, algebra: math, sums: math, python: code}
boards:
  - per: category
    except: [code]
  - name: Two
    models: [amber, birch]
models:
  amber: {organisation: Acme, link: "https://example.org/a"}
"""


def rows(models=MODELS, tasks=EVERY, items=30):
    lines = ["model,task,item,score"]
    for t, task in enumerate(tasks):
        for m, model in enumerate(models):
            rng = np.random.default_rng([t, MODELS.index(model) if model in MODELS else 9])
            values = rng.random(items) < 0.3 + 0.15 * m
            lines += [f"{model},{task},{k},{int(v)}" for k, v in enumerate(values)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results.csv").write_text(rows(), "utf-8")
    (tmp_path / "site.yaml").write_text(CONFIG, "utf-8")
    return tmp_path


def files(folder):
    """Every file of a folder with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }


class Links(HTMLParser):
    """Addresses and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src"):
                self.links.append(value)
            if name == "id":
                self.anchors.add(value)


def broken_links(folder):
    """Links of a site that lead nowhere in it; addresses of the web are left alone."""
    pages = {path.resolve(): Links(path.read_text("utf-8")) for path in folder.rglob("*.html")}
    assert pages
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages[target].anchors if target in pages else set()
            if not target.is_file() or (parts.fragment and parts.fragment not in known):
                broken.append((path.name, link))
    return broken


def test_a_site_has_a_page_for_every_board_and_model_and_no_broken_link(rankbars, place):
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    made = set(files("public"))
    for slug in ("all", "law", "math", slug_of("Two")):
        assert {f"boards/{slug}.{end}" for end in ("html", "csv")} <= made
        assert f"api/boards/{slug}.json" in made
    assert {f"models/{slug_of(name)}.html" for name in MODELS} <= made
    assert "boards/code.html" not in made
    assert broken_links(place / "public") == []


def short_form(slug):
    """What programs are given of a board."""
    return json.loads(Path(f"public/api/boards/{slug}.json").read_text("utf-8"))


def test_boards_of_a_site_are_those_of_leaderboard(rankbars, place):
    rankbars("site", "site.yaml", "-o", "public")
    scores = rb.read("results.csv")
    for slug, tasks in {"all": None, "law": TASKS["law"]}.items():
        expected = rb.leaderboard(scores.select(tasks=tasks))
        found = short_form(slug)
        assert [row[0] for row in found["models"]] == list(expected)
        for row in found["models"]:
            line = dict(zip(found["columns"], row, strict=True))
            standing = expected[line["model"]]
            assert (line["best"], line["worst"]) == (standing.best, standing.worst)
            assert line["score"] == pytest.approx(standing.score, rel=1e-5)
    whole = rb.load("public/boards/all.json.gz")
    assert {name: whole[name][:7] for name in whole} == {
        name: rb.leaderboard(scores)[name][:7] for name in whole
    }


def test_boards_together_share_the_error_rate(rankbars, place):
    (place / "site.yaml").write_text(CONFIG + "together: true\nlevel: 0.9\n", "utf-8")
    rankbars("site", "site.yaml", "-o", "public")
    assert rb.load("public/boards/all.json.gz").spec.alpha == pytest.approx(0.1 / 4)
    law = short_form("law")
    assert law["level"] == "97.5 %"
    assert "4 ranked boards" in law["levels"]
    assert "90 %" in law["levels"]
    expected = rb.leaderboard(rb.read("results.csv").select(tasks=TASKS["law"]), alpha=0.025)
    assert {row[0]: row[1:3] for row in law["models"]} == {
        name: [expected[name].best, expected[name].worst] for name in expected
    }
    assert "one-of-boards" in Path("public/boards/law.html").read_text("utf-8")


def test_the_same_site_twice_and_anew_is_the_same_bytes(rankbars, place):
    rankbars("site", "site.yaml", "-o", "public")
    first = files("public")
    _, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert "0 files written" in said
    assert "0 boards ranked" in said
    rankbars("site", "site.yaml", "-o", "other")
    rankbars("site", "site.yaml", "-o", "public", "--whole")
    assert files("public") == first == files("other")


CHANGES = {
    "a new model": lambda place: (place / "results.csv").write_text(
        rows((*MODELS, "elm")), "utf-8"
    ),
    "a task without a model": lambda place: (place / "results.csv").write_text(
        rows(tasks=("civil", "penal", "algebra", "sums")), "utf-8"
    ),
    "a title": lambda place: change(place, "title: Woods", "title: Forests"),
    "an attribute": lambda place: change(place, "Acme", "Zenith"),
    "a retired model": lambda place: change(
        place, "boards:\n", "retired: {models: {cedar: It was cut.}}\nboards:\n"
    ),
    "colours, fewer boards": lambda place: change(
        place,
        "boards:\n  - per: category\n    except: [code]",
        'theme: {colors: ["#225522"]}\nboards:\n  - per: category\n    except: [code, law]',
    ),
}


def change(place, old, new):
    text = (place / "site.yaml").read_text("utf-8")
    assert old in text
    (place / "site.yaml").write_text(text.replace(old, new), "utf-8")


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_made_after_a_change_is_what_is_made_anew(what, rankbars, place):
    rankbars("site", "site.yaml", "-o", "public")
    if what == "a task without a model":
        change(place, ", python: code", "")
        change(place, "    except: [code]\n", "")
    CHANGES[what](place)
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    rankbars("site", "site.yaml", "-o", "anew")
    assert files("public") == files("anew")
    assert broken_links(place / "public") == []


def test_a_change_of_one_category_ranks_only_the_boards_that_hold_it(rankbars, place):
    rankbars("site", "site.yaml", "-o", "public")
    text = (place / "results.csv").read_text("utf-8")
    (place / "results.csv").write_text(text.replace("amber,civil,0,0", "amber,civil,0,1"), "utf-8")
    assert (place / "results.csv").read_text("utf-8") != text
    before = files("public")
    _, _, said = rankbars("site", "site.yaml", "-o", "public")
    after = files("public")
    assert "3 boards ranked" in said  # all, law, and the one of two models
    assert before["boards/math.html"] == after["boards/math.html"]
    assert before["boards/law.html"] != after["boards/law.html"]


def test_a_damaged_file_is_made_again(rankbars, place):
    rankbars("site", "site.yaml", "-o", "public")
    whole = files("public")
    for path in ("boards/law.html", "boards/all.json.gz", "models/birch.html"):
        (place / "public" / path).write_text("damaged", "utf-8")
    (place / "public" / "api" / "models.json").unlink()
    assert rankbars("site", "site.yaml", "-o", "public").code == 0
    assert files("public") == whole


def test_files_of_others_are_never_replaced_nor_removed(rankbars, place):
    (place / "public").mkdir()
    (place / "public" / "CNAME").write_text("example.org", "utf-8")
    (place / "public" / "index.html").write_text("mine", "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 1
    assert "index.html is there and was not made by rankbars site" in said
    assert set(files("public")) == {"CNAME", "index.html"}
    (place / "public" / "index.html").unlink()
    assert rankbars("site", "site.yaml", "-o", "public").code == 0
    (place / "public" / "models" / "notes.html").write_text("mine", "utf-8")
    (place / "public" / "models" / "birch.html").write_text("edited", "utf-8")
    change(place, "boards:\n", "retired: {models: {birch: x, amber: y}}\nboards:\n")
    change(place, "[amber, birch]", "[cedar]")
    change(place, "  amber: {", "  cedar: {")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    left = files("public")
    assert left["CNAME"] == b"example.org"
    assert left["models/notes.html"] == b"mine"
    assert left["models/birch.html"] == b"edited"
    assert "left because it was changed" in said
    assert "models/amber.html" not in left


def test_a_site_that_cannot_be_written_leaves_the_old_one(rankbars, place, monkeypatch):
    rankbars("site", "site.yaml", "-o", "public")
    before = files("public")
    change(place, "title: Woods", "title: Forests")
    replace, count = Path.replace, iter(range(10_000))

    def fail(self, target):
        if next(count) == 5:
            raise OSError(28, "No space left on device", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fail)
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 1
    assert "No space left" in said
    monkeypatch.undo()
    monkeypatch.chdir(place)
    assert files("public") == before


KILLED = """
import os, sys
from pathlib import Path
from rankbars.data.madefiles import Draft, MadeFiles, make_files
left, replace = int(sys.argv[1]), Path.replace
def kill(self, target):
    global left
    left -= 1
    return os._exit(9) if left < 0 else replace(self, target)
Path.replace = kill
make_files(MadeFiles.of(Path("public")), {name: Draft("k", lambda: "x") for name in sys.argv[2:]})
"""


@pytest.mark.parametrize("moved", [0, 1, 2])
def test_a_site_that_was_killed_in_the_middle_is_finished_by_the_next_run(moved, place):
    # Without the manifest, files of the first run would be taken for those of somebody else.
    found = subprocess.run([sys.executable, "-c", KILLED, str(moved), "a", "b", "c"], check=False)
    assert found.returncode == 9
    drafts = {name: Draft("k", lambda: "x") for name in "ab"}
    make_files(MadeFiles.of(place / "public"), drafts)
    there = {path for path in files("public") if not path.endswith(".part")}
    assert there == {"a", "b", ".rankbars-site.json"}
    assert files("public")["a"] == files("public")["b"] == b"x"


def test_a_site_that_cannot_be_made_leaves_no_folder(rankbars, place):
    change(place, "results: results.csv", "results: none.csv")
    assert rankbars("site", "site.yaml", "-o", "deep/public").code == 1
    assert not (place / "deep").exists()


FAULTS = {
    "titel: x\nresults: a.csv": ("titel", "Did you mean title?"),
    "title: x\nsources: a.csv": ("sources", "Did you mean results?"),
    "title: x": ("no results", "results: results.csv"),
    "- title": ("keys with values",),
    "title: x\ntitle: y\nresults: a": ("'title' stands there twice (line 2)",),
    "title: x\nresults: a\nlevel: 95": ("level is 95", "0.95"),
    "title: x\nresults: a\ngaps: none": ("gaps is 'none'", "insert"),
    "title: x\nresults: a\ngaps: {items: some}": ("gaps.items is 'some'", "pairwise"),
    "title: x\nresults: a\nboards: [{tasks: b}]": ("boards[1] has no name",),
    "title: x\nresults: a\nboards: [{name: b}]": ("boards[1] chooses nothing",),
    "title: x\nresults: a\nboards: [{nam: b}]": ("boards[1].nam", "Did you mean name?"),
    "title: x\nresults: a\nranking: {alfa: 1}": ("ranking.alfa", "Did you mean alpha?"),
    "title: x\nresults: a\nranking: {alpha: 2}": ("ranking: alpha", "2"),
    "title: x\nresults: a\nlevel: 0.9\nranking: {alpha: 0.1}": ("level and ranking.alpha",),
    "title: x\nresults: a\nreading: {row: folds}": ("reading.row", "Did you mean rows?"),
    "title: x\nresults: a\nreading: {folds: x}": ("reading.folds is 'x'", "a number"),
    "title: x\nresults: a\nreading: {redact: 2}": ("reading.redact is 2", "true or false"),
    "title: x\nresults: a\nreading: {rows: true}": ("reading.rows is True", "a name"),
    "title: x\nresults: a\nmetrics: [{name: m, role: sort}]": ("metrics[1].role is 'sort'", "cost"),
    "title: x\nresults: a\nmetrics: [{name: m, role: cost}]": ("role: rank",),
    "title: x\nresults: a\ntheme: {colors: ['#ffee00']}": ("#ffee00", "contrast"),
    "title: x\nresults: a\ntheme: {colors: [blue]}": ("theme.colors is 'blue'", "#1f5f9e"),
    "title: x\nresults: a\ntheme: {logo: no.svg}": ("theme.logo", "a file that exists"),
    "title: x\nresults: a\nweights: {b: -1}": ("weights of 'b'", "0 or more"),
    "title: x\nresults: a\nhistory: none": ("history is 'none'", "replay"),
    "title: x\nresults: a\naddress: board": ("address is 'board'", "https://"),
    "title: x\nresults: a\ntogether: 3": ("together is 3", "true or false"),
    "title: x\nresults: a\ndate: soon": ("date", "2026-05-31"),
    "title: [x\nresults: a": ("valid YAML",),
    "title: x\nresults: a\nmodels: facts.csv": ("facts.csv",),
    "title: x\nresults: a\nmodels: {amber: Acme}": ("models.amber is 'Acme'", "attributes"),
    "title: x\nresults: a\naddress: 'https://[x'": ("address is 'https://[x'", "https://"),
    "title: x\nresults: a\naddress: 'https://x/ a'": ("address is", "without spaces"),
    "title: x\nresults: a\naddress: 'https://x/?a'": ("address is", "without ?"),
    "title: x\nresults: a\n? [a]\n: b": ("valid YAML", "unhashable key"),
    "title: x\nresults: a\naliases: {amber: ''}": ("aliases.amber is ''", "a name"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_of_the_configuration_names_the_key_and_what_is_allowed(text, rankbars, place):
    (place / "site.yaml").write_text(text, "utf-8")
    code, out, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 1
    assert out == ""
    assert said.startswith("Error: ")
    for words in FAULTS[text]:
        assert words in said
    assert not (place / "public").exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("per: category", "per: colour", "Known: category, family, link, organisation"),
        ("except: [code]", "except: [cod]", "Did you mean 'code'?"),
        ("models: [amber, birch]", "models: [ambr]", "Did you mean 'amber'?"),
        (
            "models: [amber, birch]",
            "tasks: [civil]\n    where: {category: math}",
            "chooses no tasks",
        ),
        ("civil: law", "civi: law", "Did you mean 'civil'?"),
        ("boards:\n", "weights: {law: 1, math: 2}\nboards:\n", "weights has no 'code'"),
        ("boards:\n", "weights: {civil: 1}\nboards:\n", "weights has no 'algebra'"),
        ("boards:\n", "aliases: {amber: birch}\nboards:\n", "and both are in the results"),
        ("name: Two", "name: law", "two boards are called"),
        ("models:\n  amber", "models:\n  ambe", "Did you mean 'amber'?"),
    ],
)
def test_names_that_the_results_do_not_have_are_refused(old, new, words, rankbars, place):
    change(place, old, new)
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code in (1, 2)
    assert words in said
    assert not (place / "public").exists()


def test_weights_of_categories_count_in_the_average(rankbars, place):
    change(place, "boards:\n", "weights: {law: 1, math: 0, code: 0}\nboards:\n")
    change(place, "except: [code]", "except: [code, math]")
    assert rankbars("site", "site.yaml", "-o", "public").code == 0
    scores = rb.read("results.csv").select(tasks=TASKS["law"])
    expected = rb.leaderboard(scores).aggregate.score
    assert rb.load("public/boards/all.json.gz").aggregate.score == pytest.approx(expected)


def test_old_names_are_new_ones_and_what_is_retired_is_not_ranked(rankbars, place):
    change(
        place, "boards:\n",
        "aliases: {cedar: maple}\nretired: {models: {amber: Old.}, tasks: {python: It leaked.}}\n"
        "boards:\n",
    )  # fmt: skip
    change(place, "[amber, birch]", "[maple, birch]")
    change(place, "    except: [code]\n", "")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    board = rb.load("public/boards/all.json.gz")
    assert "maple" in board.models
    assert not {"cedar", "amber"} & set(board.models)
    assert "python" not in board.tasks
    about = Path("public/about.html").read_text("utf-8")
    assert "It leaked." in about
    assert "cedar" in about
    assert "Old." in about


def test_names_that_are_retired_or_renamed_and_are_not_there_are_told(rankbars, place):
    change(
        place,
        "boards:\n",
        "aliases: {elm: Elm}\nretired:\n  models: {cedra: old}\n  tasks: {civi: leaked}\nboards:\n",
    )
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0
    assert "aliases names what is not in the results: 'elm'." in said
    assert "retired.models names what is not in the results: 'cedra'." in said
    assert "retired.tasks names what is not in the results: 'civi'." in said


def test_a_table_of_models_may_have_lines_within_its_cells(rankbars, place):
    text = 'model,seat\namber,"Rome\nItaly"\nbirch,Par\u2028is\n'
    (place / "models.csv").write_text(text, "utf-8")
    change(place, '  amber: {organisation: Acme, link: "https://example.org/a"}\n', "")
    change(place, "models:\n", "models: models.csv\n")
    assert rankbars("site", "site.yaml", "-o", "public").code == 0
    models = json.loads((place / "public/api/models.json").read_text("utf-8"))["models"]
    found = {one["model"]: one.get("facts") for one in models}
    assert (found["amber"], found["birch"]) == ({"seat": "Rome\nItaly"}, {"seat": "Par\u2028is"})
    (place / "models.csv").write_text(text + "cedar\n", "utf-8")
    _, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert "models.csv, row 5: 1 cells where the header has 2" in said


METRICS = """\
title: Three metrics
results: metrics.csv
metrics:
  - {name: dollars, role: cost, title: Price}
  - {name: accuracy, title: Accuracy}
  - {name: speed, role: show, direction: higher}
boards: [{name: sums, tasks: [sums]}]
theme: {logo: logo.svg, colors: ["#0b6e4f"]}
"""


def test_metrics_have_their_role_and_direction(rankbars, place):
    lines = ["model,task,item,metric,score"]
    for m, model in enumerate(("cheap", "good")):
        for task in ("sums", "trees"):
            for k in range(20):
                lines.append(f"{model},{task},{k},accuracy,{int(k % 4 < 1 + 2 * m)}")
                lines.append(f"{model},{task},{k},dollars,{1 + 2 * m + k % 3 / 10}")
                lines.append(f"{model},{task},{k},speed,{k % 5 + m}")
    (place / "metrics.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (place / "site.yaml").write_text(METRICS, "utf-8")
    (place / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    listed = json.loads(Path("public/api/index.json").read_text("utf-8"))["boards"]
    assert [(one["name"], one["role"]) for one in listed] == [
        ("All results, by Accuracy", "rank"), ("sums", "rank"),
        ("By speed", "show"), ("By Price", "cost"),
    ]  # fmt: skip
    firsts = {one["role"]: short_form(one["slug"])["models"][0] for one in listed}
    assert (firsts["rank"][0], firsts["show"][0], firsts["cost"][0]) == ("good", "good", "cheap")
    assert firsts["cost"][4] == pytest.approx(1.095)  # in dollars, as they were given
    assert "2 ranked boards" in short_form("sums")["levels"]
    assert "1.10 ±0.04" in Path("public/models.html").read_text("utf-8")
    assert broken_links(place / "public") == []
    assert Path("public/assets/logo.svg").read_bytes() == (place / "logo.svg").read_bytes()
    assert "--rb-bar:#0b6e4f" in Path("public/assets/site.css").read_text("utf-8")
    assert "--rb-bar:#0b6e4f" in Path("public/boards/all.html").read_text("utf-8")


def test_a_mean_rank_is_called_so_wherever_it_stands(rankbars, place):
    lines = ["model,task,item,metric,score"]
    for m, model in enumerate(MODELS[:3]):
        for task, scale in (("sums", 1), ("trees", 1000)):
            for k in range(20):
                lines.append(f"{model},{task},{k},gain,{scale * (1 + m + k % 3) / 10}")
                lines.append(f"{model},{task},{k},length,{scale * (5 - m + k % 2) / 10}")
    (place / "scales.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (place / "site.yaml").write_text(
        "title: Scales\nresults: scales.csv\nmetrics:\n  - {name: gain, direction: higher}\n"
        "  - {name: length, role: cost}\nmodels:\n  amber: {size: '7', note: old}\n"
        "  birch: {size: '70'}\n",
        "utf-8",
    )
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    listed = Path("public/models.html").read_text("utf-8")
    head = listed[listed.index("<thead>") : listed.index("</thead>")]
    assert " ".join(re.sub("<[^>]*>", " ", head).split()) == (
        "Rank Model Mean rank lower is better length Mean rank, lower is better size note"
    )
    assert '<td class="count"><bdi>70</bdi></td>' in listed
    page = Path(f"public/models/{slug_of('amber')}.html").read_text("utf-8")
    assert page.count("<small>Mean rank</small>") == 2


def test_names_and_texts_from_anywhere_are_shown_and_never_markup(rankbars, place):
    rankbars("site", "site.yaml", "-o", "public")
    for path in Path("public").rglob("*.html"):
        text = path.read_text("utf-8")
        assert "<b>Oak" not in text
        assert "Woods <i>" not in text
    assert "&lt;b&gt;Oak" in Path("public/models.html").read_text("utf-8")


def test_slugs_tell_all_names_apart_without_case():
    names = ["a", "A", "a-b", "a b", "a/b", "", "..", "CON", "con", "模型", "index", "a" * 200,
             "a" * 201, slug_of("a b")]  # fmt: skip
    slugs = [slug_of(name) for name in names]
    assert len({slug.lower() for slug in slugs}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", slug) for slug in slugs)
    assert slug_of("gpt-4o") == "gpt-4o"


def test_digests_tell_values_apart_by_what_they_hold():
    values = [[], (), {}, "", None, 0, 0.0, [1, 2], [[1], 2], ["a", "b"], ["a,b"], {"a": 1},
              np.array([1, 2]), np.array([1.0, 2.0]), np.array([[1, 2]])]  # fmt: skip
    digests = [digest_of(value) for value in values]
    assert len(set(digests)) == len(values) - 1  # a list and a tuple of nothing are alike
    assert digest_of(rb.read) == digest_of(rb.read)


def dated_boards(place):
    """Boards of two earlier days: fewer models, and one under an old name."""
    (place / "history").mkdir()
    scores = rb.read("results.csv")
    early = rb.leaderboard(scores.select(models=MODELS[:2])).titled(date="2026-01-10")
    early.save("history/early.json")
    late = rb.leaderboard(scores.rename(models={"cedar": "larch"}))
    late.save("history/2026-03-01.json")
    change(place, "boards:\n", "date: 2026-05-31\nhistory: history\nboards:\n")
    return early, late


def test_history_holds_the_intervals_of_dated_boards_by_the_names_of_today(rankbars, place):
    early, late = dated_boards(place)
    change(place, "boards:\n", "aliases: {larch: cedar}\nboards:\n")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    found = json.loads(Path("public/api/history.json").read_text("utf-8"))
    now = rb.load("public/boards/all.json.gz")
    assert found["dates"] == ["2026-01-10", "2026-03-01", "2026-05-31"]
    for model, boards in {"amber": (early, late, now), "cedar": (late, now)}.items():
        spans = [
            list(b[{"cedar": "larch"}.get(model, model) if b is late else model][5:7])
            for b in boards
        ]
        assert [line[1:3] for line in found["models"][model]] == spans
    assert "larch" not in found["models"]
    assert broken_links(place / "public") == []
    for page in ("history.html", "models/cedar.html"):
        assert '<path class="band"' in Path("public", page).read_text("utf-8")


def test_changes_and_the_feed_say_what_came_since_each_day(rankbars, place):
    _early, _late = dated_boards(place)
    change(place, "boards:\n", "address: https://example.org/b\nboards:\n")
    rankbars("site", "site.yaml", "-o", "public")
    found = json.loads(Path("public/api/changes.json").read_text("utf-8"))
    assert (found["added_models"], found["removed_models"]) == (["cedar"], ["larch"])
    feed = ET.fromstring(Path("public/feed.xml").read_text("utf-8"))
    atom = "{http://www.w3.org/2005/Atom}"
    entries = feed.findall(f"{atom}entry")
    dates = [entry.findtext(f"{atom}updated") for entry in entries]
    assert dates == [f"2026-{day}T00:00:00Z" for day in ("05-31", "03-01", "01-10")]
    assert feed.findtext(f"{atom}updated") == dates[0]
    ids = {entry.findtext(f"{atom}id") for entry in entries} | {feed.findtext(f"{atom}id")}
    assert len(ids) == 4
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one) for one in ids)
    assert "Dark/<b>Oak</b>" in entries[1].findtext(f"{atom}content")
    for link in feed.iter(f"{atom}link"):
        assert link.get("href").startswith("https://example.org/b/")


def test_a_replay_ranks_the_models_that_were_there(rankbars, place):
    change(place, "  amber: {", "  amber: {date: 2026-01-01, ")
    more = "".join(f"  {name}: {{date: 2026-0{k}-05}}\n" for k, name in enumerate(MODELS[1:], 2))
    text = (place / "site.yaml").read_text("utf-8") + more.replace(MODELS[3], f'"{MODELS[3]}"')
    (place / "site.yaml").write_text(text + "history: replay\n", "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    found = json.loads(Path("public/api/history.json").read_text("utf-8"))
    assert found["dates"] == ["2026-02-05", "2026-03-05", "2026-04-05"]
    expected = rb.leaderboard(rb.read("results.csv").select(models=MODELS[:3]))
    for model in MODELS[:3]:
        line = next(one for one in found["models"][model] if one[0] == "2026-03-05")
        assert line[1:] == [expected[model].best, expected[model].worst, 3]
    assert "not what was shown then" in Path("public/history.html").read_text("utf-8")
    before = files("public")
    assert "0 boards ranked" in rankbars("site", "site.yaml", "-o", "public").err
    rankbars("site", "site.yaml", "-o", "anew")
    assert files("public") == before == files("anew")
    change(
        place, "history: replay", f'history: replay\nretired: {{models: {{"{MODELS[3]}": Old.}}}}'
    )
    rankbars("site", "site.yaml", "-o", "public")
    rankbars("site", "site.yaml", "-o", "later")
    assert files("public") == files("later") != before


@pytest.mark.parametrize(
    ("name", "date", "words"),
    [
        ("old.json", None, "has no date"),
        ("old.json", "2026-06-01", "history has a board of 2026-06-01"),
    ],
)
def test_boards_without_a_day_or_of_a_later_one_are_refused(name, date, words, rankbars, place):
    rb.leaderboard("results.csv").titled(date=date).save(name)
    change(place, "boards:\n", f"date: 2026-05-31\nhistory: {name}\nboards:\n")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 1
    assert words in said


def test_a_site_of_a_store_leaves_out_what_the_store_retired(rankbars, place):
    rankbars("add", "results.csv", "--store", "board.duckdb")
    rankbars("retire", "--task", "python", "--reason", "It leaked.", "--store", "board.duckdb")
    rankbars("rename", "--model", "cedar", "maple", "--store", "board.duckdb")
    change(place, "results: results.csv", "results: board.duckdb")
    change(place, "    except: [code]\n", "")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    board = rb.load("public/boards/all.json.gz")
    assert "maple" in board.models
    assert "python" not in board.tasks
    assert "It leaked." in Path("public/about.html").read_text("utf-8")


def test_large_sites_have_small_pages_for_boards_of_parts(rankbars, place, browser, monkeypatch):
    monkeypatch.setattr(publication, "_MOST_ROWS", 10)
    rankbars("site", "site.yaml", "-o", "public")
    sizes = {slug: Path(f"public/boards/{slug}.html").stat().st_size for slug in ("all", "law")}
    assert sizes["law"] < sizes["all"] / 4
    assert broken_links(place / "public") == []
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    faults = []
    page.on("console", lambda message: faults.append(message.text))
    page.goto((place / "public" / "boards" / "law.html").as_uri())
    assert page.locator("#board-table tbody tr:visible").count() == len(MODELS)
    shown = page.locator("#board-table tbody td.lead [aria-hidden]").all_inner_texts()
    names = page.locator("#board-table tbody th bdi").all_inner_texts()
    assert list(zip(names, shown, strict=True)) == [
        (name, show_ranks(best, worst)) for name, best, worst, *_ in short_form("law")["models"]
    ]
    page.get_by_role("link", name="birch").click()
    assert page.locator("h1").inner_text() == "birch"
    assert faults == []


def test_boards_are_loaded_as_they_are_or_compressed_and_damage_is_said(place):
    board = rb.leaderboard("results.csv")
    board.save("board.json")
    whole = gzip.compress(Path("board.json").read_bytes())
    for name, content, words in (
        ("whole.json.gz", whole, ""),
        ("cut.json.gz", whole[:-20], "its end is missing"),
        ("bad.json.gz", whole[:40] + b"x" * 40 + whole[80:], "damaged gzip file"),
    ):
        Path(name).write_bytes(content)
        if words:
            with pytest.raises(rb.ReadError, match=words):
                rb.load(name)
        else:
            assert rb.load(name).to_text() == board.to_text()


def test_models_of_dated_votes_have_their_strength_in_each_period(rankbars, place):
    rng = np.random.default_rng(1)
    lines = ["model_a,model_b,winner,time"]
    for k in range(600):
        week = k // 200
        # The last model comes in the second week.
        a, b = rng.permutation(MODELS[: 3 + (week > 0)])[:2]
        won = rng.random() < 0.5 + 0.1 * (MODELS.index(a) - MODELS.index(b))
        lines.append(f"{a},{b},{'model_a' if won else 'model_b'},2026-03-{2 + 7 * week:02d}")
    (place / "votes.csv").write_text("\n".join(lines) + "\n", "utf-8")
    config = "title: Woods\nresults: votes.csv\nreading: {over_time: week}\n"
    (place / "site.yaml").write_text(config, "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    found = rb.leaderboard(rb.read("votes.csv", over_time="week")).over_time
    for model, periods in zip(MODELS, (3, 3, 3, 2), strict=True):
        k = found.models.index(model)
        text = Path(f"public/models/{slug_of(model)}.html").read_text("utf-8")
        rows = re.findall(r"<tr><td>(2026-[\d-]+)</td><td>([^<]*)</td><td>([^<]*)</td></tr>", text)
        assert rows[::-1] == [
            (one.name, f"{one.strength[k]:+.2f}", f"{one.low[k]:+.2f} to {one.high[k]:+.2f}")
            for one in found.periods[3 - periods :]
        ]
        assert text.count('<circle class="band"') == periods
        # Points lie above the line of the mean as their strengths do.
        dots = [float(y) for y in re.findall(r'<circle class="band" [^>]* cy="([\d.]+)"', text)]
        zero = float(re.search(r'class="axis" d="M\d+ ([\d.]+)H', text)[1])
        strengths = [one.strength[k] for one in found.periods[3 - periods :]]
        assert [y < zero for y in dots] == [value > 0 for value in strengths]
        assert np.argsort(dots).tolist() == np.argsort(strengths)[::-1].tolist()


def test_another_version_of_the_benchmark_is_told(rankbars, place):
    (place / "history").mkdir()
    (place / "site.yaml").write_text(
        CONFIG + "source: Acme\nversion: 1\ndate: 2026-01-10\n", "utf-8"
    )
    rankbars("site", "site.yaml", "-o", "public")
    Path("public/boards/all.json.gz").rename("history/first.json.gz")
    later = "source: Acme\nversion: {}\ndate: 2026-05-31\nhistory: history\n"
    for version, told in ((1, False), (2, True)):
        (place / "site.yaml").write_text(CONFIG + later.format(version), "utf-8")
        code, _, said = rankbars("site", "site.yaml", "-o", "public")
        assert code == 0, said
        changes = Path("public/changes.html").read_text("utf-8")
        sentence = "The source is Acme, version 2; it was Acme, version 1."
        assert (sentence in changes) is told
        history = Path("public/history.html").read_text("utf-8")
        assert ("<bdi>Acme, version 1</bdi>" in history) is told


def test_the_front_page_has_rows_of_models_that_lack_tasks(place, rankbars):
    kept = [line for line in rows().splitlines() if not line.startswith("birch,python")]
    (place / "results.csv").write_text("\n".join(kept) + "\n", "utf-8")
    (place / "site.yaml").write_text("title: Woods\nresults: results.csv\n", "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    placed = json.loads(Path("public/api/boards/all.json").read_text("utf-8"))["partly_scored"]
    [[_, best, worst, score, _, _]] = placed["models"]
    index = Path("public/index.html").read_text("utf-8")
    words = html.unescape(re.sub(r"<[^>]+>", " ", index.split('class="placed"')[1]))
    words = " ".join(words.split())
    assert words.startswith("> Partly scored: each placed among the 3 models scored on every task")
    assert f"birch among 4, by 4 of 5 tasks {score} {show_ranks(best, worst)} Approx" in words
    # Its name leads to its page, there and on the board.
    for page, root in ((index, ""), (Path("public/boards/all.html").read_text("utf-8"), "../")):
        assert f'<a href="{root}models/birch.html"><bdi>birch</bdi></a>' in page


def test_the_front_page_says_that_an_average_is_weighted_and_by_which_metric(place, rankbars):
    (place / "results.csv").write_text(rows().replace("item,score", "item,accuracy"), "utf-8")
    weights = "weights: {civil: 1, penal: 1, algebra: 1, sums: 1, python: 3}\n"
    for more in ("", weights):
        (place / "site.yaml").write_text(f"title: Woods\nresults: results.csv\n{more}", "utf-8")
        code, _, said = rankbars("site", "site.yaml", "-o", "public")
        assert code == 0, said
        index = Path("public/index.html").read_text("utf-8")
        assert "150 items, <bdi>accuracy</bdi>." in index
        assert ("The average is weighted." in index) is bool(more)
    board = html.unescape(Path("public/boards/all.html").read_text("utf-8"))
    assert "150\u00a0items · <bdi>accuracy</bdi>" in board


def test_what_was_remarked_in_reading_stands_in_the_output_and_on_the_method_page(place, rankbars):
    (place / "results.csv").write_text(
        "model,Arc,Harness,Mean\namber,70,60,99\nbirch,71,62,66.5\ncedar,60,50,55\n", "utf-8"
    )
    (place / "site.yaml").write_text("title: Woods\nresults: results.csv\n", "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 0, said
    page = (place / "public" / "method.html").read_text("utf-8").replace("&#39;", "'")
    for words in ("Direction: higher is better", "The column 'Mean' does not agree"):
        assert words in said
        assert words in page
    _, _, again = rankbars("site", "site.yaml", "-o", "public")
    assert "0 files written" in again
    assert "The column 'Mean' does not agree" in again


def test_refusals_name_keys_of_the_configuration(rankbars, place):
    (place / "results.csv").write_text(
        "model,task,item,score\na,x,1,1\na,x,2,0\nb,x,1,1\nb,x,2,\n", "utf-8"
    )
    (place / "site.yaml").write_text("title: Woods\nresults: results.csv\n", "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public", "--quiet")
    assert code == 1
    assert "ranking.missing: pairwise " in said
    assert "--" not in said
    assert "In Python" not in said


def test_a_refusal_can_be_followed_as_it_is_written_until_there_is_a_site(rankbars, place):
    lines = [
        f"{model},{task},{item},{metric},{(item * 7 + len(metric) * k) % 11}"
        for k, model in enumerate(("amber", "birch", "cedar"))
        for task in ("law", "math")
        for item in range(12)
        for metric in ("quality", "speed")
    ]
    (place / "results.csv").write_text(
        "\n".join(["model,task,item,metric,score", *lines]) + "\n", "utf-8"
    )
    config = "title: Woods\nresults: results.csv\n"
    (place / "site.yaml").write_text(config, "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public", "--quiet")
    assert code == 1
    assert "choose it: metrics: [{name: quality}] (" in said
    config += "metrics: [{name: quality}]\n"
    (place / "site.yaml").write_text(config, "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public", "--quiet")
    assert code == 1
    assert "reading.direction: {quality: higher}" in said
    config += "reading:\n  direction: {quality: higher}\n"
    (place / "site.yaml").write_text(config, "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public", "--quiet")
    assert code == 0, said


SPARSE = "model,Arc,Boolq,Copa,Drop,maker\n" + "".join(
    f"{name},{','.join(cells)},{maker}\n"
    for name, maker, cells in (
        ("amber", "Acme", ("70", "", "61", "")),
        ("birch", "Acme", ("", "62", "", "55")),
        ("cedar", "Birk", ("60", "51", "55", "41")),
        ("elm", "Birk", ("64", "58", "54", "45")),
        ("fir", "Birk", ("71", "60", "58", "49")),
    )
)


def test_a_board_that_cannot_be_ranked_has_a_page_that_says_why(rankbars, place):
    (place / "results.csv").write_text(SPARSE, "utf-8")
    (place / "site.yaml").write_text(
        "title: Woods\nresults: results.csv\nboards:\n  - per: maker\n", "utf-8"
    )
    code, _, said = rankbars("site", "site.yaml", "-o", "public", "--quiet")
    assert code == 0
    assert said.startswith("The board 'Acme' was not ranked. Models 'amber' and 'birch' have no ta")
    slug = slug_of("Acme")
    assert f"boards/{slug_of('Birk')}.csv" in files("public")
    assert f"boards/{slug}.csv" not in files("public")
    short = short_form(slug)
    assert (short["models"], short["unranked"]["models"]) == ([], ["amber", "birch"])
    for path in (f"boards/{slug}.html", "index.html", "models/amber.html", "about.html"):
        page = Path("public", path).read_text("utf-8")
        assert "could not be ranked" in page or "not ranked" in page
    assert broken_links(place / "public") == []
    before = files("public")
    again = json.loads(rankbars("site", "site.yaml", "-o", "public", "--json")[1])
    assert again["written"] == again["ranked"] == []
    assert said.strip() in again["said"]
    assert files("public") == before
    (place / "results.csv").write_text(SPARSE.replace("amber,70,,", "amber,70,66,"), "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public", "--quiet")
    assert (code, said) == (0, "")
    assert short_form(slug)["unranked"] is None


def test_a_site_whose_main_board_cannot_be_ranked_is_not_made(rankbars, place):
    (place / "results.csv").write_text("model,Arc,Drop\namber,70,\nbirch,,55\n", "utf-8")
    (place / "site.yaml").write_text("title: Woods\nresults: results.csv\n", "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public")
    assert code == 1
    assert "The board 'All results': Models 'amber' and 'birch' have no task in common" in said
    assert not Path("public").exists()


def test_files_that_could_not_be_read_are_told_with_quiet_and_notes_stand_on_the_first_page(
    rankbars, place
):
    Path("runs").mkdir()
    (place / "results.csv").rename("runs/a.csv")
    Path("runs/b.json").write_text('{"model": "amber", "score": [1,', "utf-8")
    (place / "site.yaml").write_text("title: Woods\nresults: runs\n", "utf-8")
    code, _, said = rankbars("site", "site.yaml", "-o", "public", "--quiet")
    assert code == 0
    assert said.startswith("1 file left out, because it cannot be read: runs/b.json: ")
    index = Path("public/index.html").read_text("utf-8")
    assert "notes on this board" in index
    assert "runs/b.json" in index

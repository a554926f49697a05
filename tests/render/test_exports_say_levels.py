"""Every way out of a board, and of what goes with it, says its level or that it has none."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commandline import answer, inside

import rankbars as rb

NAMES = list("abcdefgh")


def clear(tasks: int = 1) -> rb.Scores:
    rng = np.random.default_rng(3)
    rows = {f"t{k}"[: k + 1]: rng.normal(size=(60, 8)) + np.linspace(0, 1, 8) for k in range(tasks)}
    return rb.Scores.from_arrays(rows, NAMES)


def seconds() -> rb.Scores:
    """Twenty times, of which fewer are better: their tail is not known."""
    rows = -np.random.default_rng(4).exponential(size=(20, 8)) * np.linspace(1, 9, 8)
    return rb.Scores({"t": rb.Items(tuple(NAMES), rows)}, info={"t": rb.TaskInfo("lower")})


# What stands in place of a level, or the level; a board of each kind.
BOARDS: dict[str, tuple[Callable[[], rb.Leaderboard], str]] = {
    "clear": (lambda: rb.leaderboard(clear()), r"95 %"),
    "approximate": (lambda: rb.leaderboard(seconds(), resamples=200), r"approximate"),
    "no level": (lambda: rb.leaderboard(clear(), correction="none"), r"no guarantee"),
}
# Ways to show a board: `show` with these words, and what `report` writes.
# Statements of other methods, at levels of their own.
OTHERS: dict[str, tuple[str, ...]] = {
    "top": ("--top", "3"), "dominance": ("--dominance",), "differences": ("--differences",),
}  # fmt: skip
SHOWN: dict[str, tuple[str, ...]] = {
    "text": (), "first": ("--first", "3"), "task": ("--task", "t"), "md": ("--format", "md"),
    "csv": ("--format", "csv"), "latex": ("--format", "latex"),
}  # fmt: skip
# Words that say something about who ranks where.
CLAIM = re.compile(
    r"may be first|first place is open|leads: |shown (?:to be )?(?:better|worse)|\branks? \d"
    r"|among the first|is (?:better|worse) than",
    re.IGNORECASE,
)
LEVEL = re.compile(
    r"\d(?:\.\d)? ?%|approximate|no guarantee|nothing is claimed|at the level", re.IGNORECASE
)


@pytest.fixture(scope="module", params=BOARDS)
def saved(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, str, Path]:
    make, level = BOARDS[request.param]
    path = tmp_path_factory.mktemp("board") / "board.json"
    make().save(path)
    return request.param, level, path


def plain(text: str) -> str:
    """Words of an export without its marks and escapes."""
    text = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", text)
    text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    text = text.replace("~", " ").replace("\\%", "%").replace("\\,", "").replace("\xa0", " ")
    return " ".join(text.split())


def said_of_levels(text: str, level: str, kind: str) -> None:
    """The level stands there; a level that is not held stands nowhere."""
    words = plain(text)
    assert re.search(level, words, re.IGNORECASE), words[:600]
    if kind != "clear":
        assert not re.search(r"95 % confidence|\(at 95 %\)", words)
    for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", words):
        if CLAIM.search(sentence) and len(sentence) < 400:
            near = words[max(0, words.find(sentence) - 400) : words.find(sentence) + 800]
            assert LEVEL.search(near), sentence


@pytest.mark.parametrize("way", SHOWN)
def test_each_way_to_show_a_board_says_its_level(saved: tuple[str, str, Path], way: str) -> None:
    kind, level, path = saved
    done = answer(["show", str(path), *SHOWN[way]])
    assert done.code == 0, done.err
    said_of_levels(done.out, level, kind)


@pytest.mark.parametrize("tasks", [1, 2])
@pytest.mark.parametrize("way", OTHERS)
def test_other_statements_from_a_board_say_their_level(
    way: str, tasks: int, tmp_path: Path
) -> None:
    rb.leaderboard(clear(tasks)).save(tmp_path / "board.json")
    done = answer(["show", str(tmp_path / "board.json"), *OTHERS[way]])
    if way == "differences" and tasks == 1:
        assert (done.code, done.out) == (1, "")  # there is no average
    else:
        assert done.code == 0, done.err
        said_of_levels(done.out, "95 %", "clear")


def test_other_statements_from_an_approximate_board_say_that_they_are(tmp_path: Path) -> None:
    rb.leaderboard(seconds(), resamples=200).save(tmp_path / "board.json")
    for way in ("top", "dominance"):
        done = answer(["show", str(tmp_path / "board.json"), *OTHERS[way]])
        assert done.code == 0, done.err
        said_of_levels(done.out, "approximate", "approximate")


@pytest.mark.parametrize("whole", [True, False])
def test_page_and_notebook_say_it(saved: tuple[str, str, Path], whole: bool) -> None:
    kind, level, path = saved
    board = rb.load(path)
    said_of_levels(board.to_html() if whole else board.to_html(fragment=True), level, kind)
    said_of_levels(board._repr_html_(), level, kind)


def test_the_board_file_has_it_as_data(saved: tuple[str, str, Path]) -> None:
    kind, _, path = saved
    (task,) = json.loads(path.read_text(encoding="utf-8"))["tasks"]
    assert task["approximate"] == (kind == "approximate")
    assert (task["guarantee"] is None) == (kind != "clear")
    assert task["measured_level"] == (0.92 if kind == "approximate" else None)
    # What is shown about pairs where a correction promises nothing comes from Holm.
    assert (task["alpha"], len(rb.load(path).shown_better)) == (0.05, 8)


@pytest.mark.parametrize(
    "drawn", ["ranks", "task_ranks", "lanes", "score_rank", "shown_better", "order"]
)
def test_pictures_of_ranks_say_it(saved: tuple[str, str, Path], drawn: str) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt
    from matplotlib.text import Text

    kind, level, path = saved
    axes = rb.load(path).plot(drawn, task="t" if drawn == "task_ranks" else None)
    words = " ".join(one.get_text() for one in axes.figure.findobj(Text))
    plt.close(axes.figure)
    if kind == "no level" and drawn in ("shown_better", "order"):
        level = "95 %"  # pairs are told apart by Holm then
    said_of_levels(words, level, kind)


@pytest.fixture(scope="module", params=["clear", "approximate"])
def rows(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, str, Path]:
    """The rows of a board as a table in a folder of its own."""
    scores = clear() if request.param == "clear" else seconds()
    folder, evidence = tmp_path_factory.mktemp("rows"), scores.tasks["t"]
    assert isinstance(evidence, rb.Items)
    values = evidence.values if request.param == "clear" else -evidence.values
    lines = [",".join(["item", *NAMES]), *(
        ",".join([str(k), *(repr(float(one)) for one in line)]) for k, line in enumerate(values)
    )]  # fmt: skip
    folder.joinpath("t.csv").write_text("\n".join(lines), encoding="utf-8")
    return request.param, BOARDS[request.param][1], folder


DIRECTION = {"clear": "higher", "approximate": "lower"}
DONE: dict[str, tuple[str, ...]] = {
    "rank": ("rank", "t.csv"),
    "explain": ("rank", "t.csv", "--explain"),
    "compare": ("compare", "t.csv", "--models", "a", "--models", "h"),
    "check": ("check", "t.csv", "--claim", "h > a"),
    "check, markdown": ("check", "t.csv", "--claim", "h > a", "--md", "-"),
}


@pytest.mark.parametrize("way", DONE)
def test_what_commands_say_of_rows_has_a_level(rows: tuple[str, str, Path], way: str) -> None:
    kind, level, folder = rows
    with inside(folder):
        done = answer([*DONE[way], "--direction", DIRECTION[kind], "--rows", "items"])
    assert done.code == 0 or way.startswith("check"), done.err
    said_of_levels(done.out, level, kind)


def test_a_comparison_says_it_as_data(rows: tuple[str, str, Path]) -> None:
    kind, _, folder = rows
    with inside(folder):
        done = answer(
            [*DONE["compare"], "--json", "--direction", DIRECTION[kind], "--rows", "items"]
        )
    (task,) = json.loads(done.out)["tasks"]
    assert task["approximate"] == (kind == "approximate")


@pytest.fixture(scope="module")
def site(rows: tuple[str, str, Path]) -> tuple[Path, list[str]]:
    """A site of the rows, with a board of an earlier day, and what is written on its cards."""
    from rankbars.render.plotting import sharecard

    kind, _, folder = rows
    cards: list[str] = []
    draw = sharecard._Card.png

    def png(card: sharecard._Card) -> bytes:
        from matplotlib.text import Text

        cards.append(" ".join(one.get_text() for one in card.figure.findobj(Text)))
        return draw(card)

    read = rb.read(folder / "t.csv", direction=DIRECTION[kind], rows="items")
    folder.joinpath("earlier").mkdir()
    earlier = rb.leaderboard(read.select(models=NAMES[1:]), resamples=200)
    earlier.save(folder / "earlier" / "2026-01-01.json")
    folder.joinpath("site.yaml").write_text(
        f"title: T\naddress: https://example.org/b\ndate: 2026-02-01\nresults: t.csv\n"
        f"history: earlier\nreading: {{direction: {DIRECTION[kind]}, rows: items}}\n",
        encoding="utf-8",
    )
    with inside(folder), pytest.MonkeyPatch.context() as patched:
        patched.setattr(sharecard._Card, "png", png)
        done = answer(["site", "site.yaml", "-o", "public"])
    assert done.code == 0, done.err
    return folder / "public", cards


def test_every_page_card_and_table_of_a_site_says_it(
    rows: tuple[str, str, Path], site: tuple[Path, list[str]]
) -> None:
    kind, level, _ = rows
    public, cards = site
    files = [path for path in public.rglob("*") if path.suffix in (".html", ".xml", ".md", ".csv")]
    assert {"index.html", "history.html", "changes.html", "feed.xml"} <= {one.name for one in files}
    for path in files:
        text = path.read_text("utf-8")
        if CLAIM.search(plain(text)) or path.name in ("index.html", "feed.xml", "changes.html"):
            said_of_levels(text, level, kind)
    said_of_levels((public / "llms.txt").read_text("utf-8"), level, kind)
    (card,) = cards
    said_of_levels(card, level, kind)


def test_all_that_a_site_states_for_programs_has_its_level(
    rows: tuple[str, str, Path], site: tuple[Path, list[str]]
) -> None:
    kind, level, _ = rows
    api = site[0] / "api"
    found = {
        str(path.relative_to(api)): json.loads(path.read_text("utf-8"))
        for path in api.rglob("*.json")
    }
    board = found.pop("boards/all.json")
    assert re.fullmatch(level, board["level"])
    assert re.match(level, board["claim"][1])
    said_of_levels(" ".join([*board["opening"], *board["headline"]]), level, kind)
    (listed,) = found.pop("index.json")["boards"]
    said_of_levels(listed["headline"], level, kind)
    history = found.pop("history.json")
    assert len(history["claims"]) == len(history["dates"]) == 2
    assert all(re.match(level, words) for _, words in history["claims"])
    changes = found.pop("changes.json")
    assert [one["approximate"] for one in changes["levels"]] == [kind == "approximate"] * 2
    assert {one["guarantee"] for one in changes["levels"]} == {0.95 if kind == "clear" else None}
    # What is left names models and pages.
    assert list(found) == ["models.json"]
    assert set(found["models.json"]["models"][0]) == {"model", "page"}


@pytest.mark.parametrize("form", ["text", "md", "json"])
def test_what_changed_between_boards_has_the_level_of_both(
    saved: tuple[str, str, Path], tmp_path: Path, form: str
) -> None:
    kind, level, path = saved
    scores = clear() if kind != "approximate" else seconds()
    options = {"correction": "none"} if kind == "no level" else {"resamples": 200}
    rb.leaderboard(scores.select(models=NAMES[1:]), **options).save(tmp_path / "old.json")
    done = answer(["diff", str(tmp_path / "old.json"), str(path), "--format", form])
    assert done.code == 0, done.err
    if form != "json":
        said_of_levels(done.out, level, kind)
        return
    for one in json.loads(done.out)["levels"]:
        assert one["approximate"] == (kind == "approximate")
        assert one["guarantee"] == (0.95 if kind == "clear" else None)
        assert one["measured_level"] == (0.92 if kind == "approximate" else None)


def test_two_boards_of_different_levels_are_told_with_both(tmp_path: Path) -> None:
    for name in ("clear", "no level"):
        BOARDS[name][0]().save(tmp_path / f"{name}.json")
    done = answer(["diff", str(tmp_path / "clear.json"), str(tmp_path / "no level.json")])
    assert "Rank intervals: 95 %, all models at once → no guarantee." in done.out


def test_a_new_task_in_what_changed_has_its_own_level(tmp_path: Path) -> None:
    for name, tasks in (("old", 6), ("new", 7)):
        rb.leaderboard(clear(tasks)).save(tmp_path / f"{name}.json")
    done = answer(["diff", str(tmp_path / "old.json"), str(tmp_path / "new.json")])
    assert "On a new task: 79.4 %, each model, chosen in advance." in done.out


@pytest.mark.parametrize("form", ["text", "md", "json"])
def test_what_a_submission_would_change_has_a_level(
    rows: tuple[str, str, Path], tmp_path: Path, form: str
) -> None:
    kind, level, folder = rows
    head, *lines = folder.joinpath("t.csv").read_text("utf-8").splitlines()
    assert head == ",".join(["item", *NAMES])
    for name, models in (("old", NAMES[:-1]), ("new", NAMES[-1:])):
        tidy = ["model,task,item,score", *(
            f"{model},t,{line.split(',')[0]},{line.split(',')[1 + NAMES.index(model)]}"
            for model in models for line in lines
        )]  # fmt: skip
        tmp_path.joinpath(f"{name}.csv").write_text("\n".join(tidy) + "\n", encoding="utf-8")
    with inside(tmp_path):
        words = ["--store", "s.duckdb", "--direction", DIRECTION[kind], "--quiet"]
        assert answer(["add", "old.csv", *words]).code == 0
        ways = {"text": [], "md": ["--md", "said.md"], "json": ["--json"]}
        done = answer(["submit", "new.csv", "--store", "s.duckdb", "--dry-run", *ways[form]])
        assert done.code == 0, done.err
    if form == "json":
        found = json.loads(done.out)
        assert found["ranks"]
        assert found["approximate"] == (kind == "approximate")
        assert found["guarantee"] == (0.95 if kind == "clear" else None)
    else:
        text = done.out if form == "text" else (tmp_path / "said.md").read_text("utf-8")
        said_of_levels(text, level, kind)


def test_the_plain_table_has_a_level_in_each_header_of_intervals(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    records = [
        {"model_id": model, "task_id": f"t{k}", "metric_name": "acc", "score": float(rng.random())}
        for model in NAMES[:3] for k in range(9)
    ]  # fmt: skip
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    done = answer(["table", str(path), "--pairs", "--alpha", "0.1"])
    heads = [line for line in done.out.splitlines() if "CI" in line]
    assert len(heads) == 2
    assert all("90% CI" in line for line in heads)
    found = json.loads(answer(["table", str(path), "--json", "--alpha", "0.1"]).out)
    assert (found["alpha"], found["approximate"]) == (0.1, False)


def test_the_plain_table_of_skewed_scores_has_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    records = [
        {"model_id": model, "task_id": f"t{k}", "metric_name": "acc",
         "score": 0.1 if k == 0 else 0.9 + 0.05 * float(rng.random())}
        for model in NAMES[:3] for k in range(9)
    ]  # fmt: skip
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    done = answer(["table", str(path), "--pairs"])
    assert done.out.count("CI, approximate") == 2
    assert "%" not in done.out
    assert json.loads(answer(["table", str(path), "--json"]).out)["approximate"] is True


def test_votes_to_ask_say_at_which_level_something_is_undecided(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    lines = ["model_a,model_b,winner"]
    for a, b in rng.choice(4, size=(300, 2)):
        if a != b:
            won = "model_a" if rng.random() < 0.5 + 0.15 * (b - a) else "model_b"
            lines.append(f"{NAMES[a]},{NAMES[b]},{won}")
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ["next", str(path), "--votes", "20", "--quiet", "--alpha"]
    assert re.search(r"ndecided \(90 %\)", answer([*words, "0.1"]).out)
    found = json.loads(answer([*words, "0.1", "--json"]).out)
    assert (found["alpha"], found["approximate"]) == (0.1, False)


def test_parts_of_noise_have_the_level_of_their_intervals(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    lines = ["model,item,trial,score"]
    for model in "abc":
        for item, ease in enumerate(rng.random(30)):
            lines += [f"{model},{item},{k},{int(rng.random() < ease)}" for k in range(3)]
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for more in ([], ["--pair", "a", "b"]):
        done = answer(["noise", str(path), "--quiet", "--alpha", "0.1", *more])
        assert "In brackets: 90 % intervals, each by itself." in done.out, done.err
    found = json.loads(answer(["noise", str(path), "--alpha", "0.1", "--json"]).out)
    assert found["alpha"] == 0.1
    assert "90 % intervals" in found["sentences"][0]


@pytest.mark.parametrize("question", [(), ("--top", "1"), ("--tiers",), ("--width", "0.2")])
def test_a_plan_says_the_error_rate_that_it_plans_for(
    rows: tuple[str, str, Path], question: tuple[str, ...]
) -> None:
    kind, _, folder = rows
    words = ["plan", "t.csv", "--direction", DIRECTION[kind], "--rows", "items", *question]
    with inside(folder):
        done = answer([*words, "--quiet", "--alpha", "0.1"])
        found = json.loads(answer([*words, "--alpha", "0.1", "--json"]).out)
    assert re.search(r"error rate 0\.1\b|\(90 %, in half of all samples\)", done.out), done.err
    assert ("are approximate" in plain(done.out)) == (kind == "approximate")
    assert found["alpha"] == 0.1


def test_a_race_says_with_which_probability_it_is_wrong(tmp_path: Path) -> None:
    with inside(tmp_path):
        Path("models.txt").write_text("a\nb\n", encoding="utf-8")
        Path("items.txt").write_text("\n".join(f"q{k}" for k in range(200)), encoding="utf-8")
        begin = ["--models-file", "models.txt", "--items-file", "items.txt", "--batch", "200"]
        calls = answer(["race", "r.duckdb", "next", *begin, "--alpha", "0.1", "--json"])
        told = [json.loads(line) for line in calls.out.splitlines()]
        Path("back.jsonl").write_text(
            "".join(json.dumps(one | {"score": int(one["model"] == "a")}) + "\n" for one in told),
            encoding="utf-8",
        )
        assert answer(["race", "r.duckdb", "tell", "back.jsonl"]).code == 0
        shown = answer(["race", "r.duckdb", "show"])
        found = json.loads(answer(["race", "r.duckdb", "show", "--json"]).out)
    words = " ".join(shown.out.split())
    assert "a is first" in words
    assert "a model that is best is called out with probability at most 0.1" in words
    assert (found["alpha"], found["winners"]) == (0.1, ["a"])

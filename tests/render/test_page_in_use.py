"""The page with its script: sorting, opening, comparing, recomputing; its state is its address."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from render.browsing import AXE, demo_board, violations, watched, write_page
from render.hostile import NASTY

import rankbars as rb
from rankbars.demos import DEMOS, demo_path
from rankbars.render.claims import task_claim
from rankbars.render.notation import show_ranks

VOTE_VIEWS = ["#at=votes", "#fig=neighbours&at=picture", "#fig=health&at=picture"]
VIEWS = {
    "board": "",
    "how sure": "#sure",
    "tasks": "#tasks",
    "average": "#average",
    "why": "#model=bee&why=1",
    "ticked": "#pin=ant,cat&only=1",
    "side by side": "#pin=ant,bee,cat&compare=1",
    "new task": "#new=1&also=tier.first",
    "category": "#on=category:x+things",
    "task": "#on=task:task+1&model=bee&why=1",
    "task as a column": "#show=task:task+2&sort=-tier&q=a",
    "model and comparison": "#model=ant&vs=cat",
    "task opened": "#task=task+1",
    "explore": "#out=1&w=2:3&a=0.1&at=explore",
    "order": "#fig=order&at=picture",
    "scores": "#fig=scores&at=picture",
    "probabilities": "#fig=probabilities&at=picture",
    "groups": "#fig=lanes&at=picture",
    "pairs": "#fig=pairs&at=picture",
    "heat map": "#fig=heat&at=picture",
    "one model": "#one=1",
    "widths": "#fig=widths&at=picture",
    "weights": "#fig=weights&at=picture",
    "levels": "#fig=levels&at=picture",
}


def small_board(names: tuple[str, ...] = ("ant", "bee", "cat", "dog"), **options) -> rb.Leaderboard:
    """Right and wrong answers on seven tasks of three categories."""
    rng = np.random.default_rng(3)
    skill = np.linspace(0.85, 0.35, len(names))
    models = sorted(names)
    tasks = {f"task {k}": (rng.random((60, len(names))) < skill) * 1.0 for k in range(7)}
    info = {name: rb.TaskInfo(category="xyz"[k % 3] + " things") for k, name in enumerate(tasks)}
    scores = rb.Scores.from_arrays(tasks, models, info=info)
    return rb.leaderboard(scores, pairs=True, resamples=200, **options)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages by name, each made once."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}

    def page(name: str):
        if name not in made:
            board = MADE[name]() if name in MADE else demo_board(name)
            made[name] = board, write_page(board, folder / f"{name}.html")
        return made[name]

    return page


def voted_board() -> rb.Leaderboard:
    """Votes between five models whose order is clear at the ends only, with their health."""
    wins = np.array(
        [
            [0, 60, 70, 80, 90],
            [55, 0, 55, 60, 80],
            [40, 55, 0, 61, 75],
            [30, 50, 60, 0, 80],
            [5, 10, 12, 14, 0],
        ],
        dtype=float,
    )
    scores = rb.Scores({"arena": rb.Votes(("ant", "bee", "cat", "dog", "eel"), wins)})
    health = rb.examine_votes(scores, simulations=19)
    return replace(rb.leaderboard(scores, pairs=True), health=health)


def shared_scores() -> rb.Scores:
    """The same sixty questions in six languages of three categories."""
    rng = np.random.default_rng(5)
    asked = tuple(f"question {k * k}" for k in range(60))
    level = rng.normal(size=(60, 4)) + np.linspace(1, -0.6, 4)
    tasks = {
        f"language {k}": rb.Items(
            ("ant", "bee", "cat", "dog"), level + rng.normal(size=(60, 4)) > 0, ids=asked
        )
        for k in range(6)
    }
    info = {name: rb.TaskInfo(category="xyz"[k % 3] + " things") for k, name in enumerate(tasks)}
    return rb.Scores(tasks, info)


def shared_board() -> rb.Leaderboard:
    return rb.leaderboard(shared_scores(), pairs=True, correction="holm", resamples=200)


MADE = {"small": small_board, "votes": voted_board, "shared": shared_board}


def first_column(page, key: str) -> list[str]:
    return page.locator(f'#board-table tbody td[data-key="{key}"]:visible').all_inner_texts()


def sorted_by(page) -> tuple[str, str]:
    """The one column that says that rows are sorted by it, and which way."""
    (head,) = page.locator("#board-table th[aria-sort]").all()
    return head.locator("button").inner_text(), head.get_attribute("aria-sort")


def models_shown(page) -> list[str]:
    return page.locator("#board-table tbody tr:visible th .name").all_inner_texts()


def test_sorting_searching_and_choosing_columns_change_no_number(browser, pages):
    board, file = pages("mmlu_pro")
    with watched(browser, file) as one:
        page = one.open()
        page.locator("#controls .menu summary").click()
        page.get_by_role("checkbox", name="Tier").check()
        page.keyboard.press("Escape")
        tiers = dict(zip(models_shown(page), first_column(page, "tier"), strict=True))
        page.get_by_role("button", name="Model", exact=True).click()
        rising = models_shown(page)
        assert sorted(rising) == list(board.models)
        places = [rising.index(f"Llama-2-{size}b-hf") for size in (7, 13, 70)]
        assert places == list(range(places[0], places[0] + 3))  # 7 before 13
        assert sorted_by(page) == ("Model", "ascending")
        page.get_by_role("button", name="Model", exact=True).click()
        assert models_shown(page) == rising[::-1]
        page.get_by_label("Find models").fill("LLAMA 70b,")
        found = [name for name in rising[::-1] if "lama" in name and "70" in name]
        assert models_shown(page) == found
        counted = f"{len(found)} of 29 shown, ranks among 29"
        assert page.get_by_role("status").first.inner_text() == counted
        assert not page.locator("#board-table").evaluate("e => e.classList.contains('in-order')")
        assert all(
            tiers[name] == tier
            for name, tier in zip(models_shown(page), first_column(page, "tier"), strict=True)
        )
        page.locator("#controls .menu summary").click()
        page.get_by_role("checkbox", name="Tier").uncheck()
        assert first_column(page, "tier") == []
        address = page.url
        page.reload()
        assert page.url == address
        assert first_column(page, "tier") == []
        assert models_shown(page) == found


def test_rows_of_one_model_named_in_advance_are_one_click_away(browser, pages):
    board, file = pages("mmlu_pro")
    own = board.for_one_model()
    assert (own.ranks.worst != board.ranks.worst).any()
    with watched(browser, file) as one:
        page = one.open()
        before = page.inner_text("h1")
        page.get_by_label("Each by itself").check()
        assert page.url.endswith("#one=1")
        assert "each model, chosen in advance" in page.inner_text("#level")
        for i, (best, worst) in enumerate(zip(*own.ranks, strict=True)):
            shown = f"{best}" if best == worst else f"{best}–{worst}"
            cell = page.locator(f'#board-table tr[data-model="{i}"] td[data-key="lead"]')
            assert cell.locator("[aria-hidden]").inner_text() == shown
            bar = page.locator(f'#board-table tr[data-model="{i}"] rect.lead').bounding_box()
            room = page.locator("#board-table thead .draw").bounding_box()
            assert bar["x"] == pytest.approx(room["x"] + room["width"] * (best - 1) / 29, abs=1.5)
            assert bar["width"] == pytest.approx(room["width"] * (worst - best + 1) / 29, abs=1.5)
        page.get_by_label("These tasks").check()
        assert page.inner_text("h1") == before


def test_tasks_become_columns_by_category_and_by_name(browser, pages):
    board, file = pages("vtab")
    with watched(browser, file) as one:
        page = one.open()
        page.locator("#controls summary", has_text="Columns").click()
        page.get_by_label("Add ranks on").select_option(label="Category: natural")
        heads = page.locator("#board-table th[data-task] button").all_inner_texts()
        natural = [name for name, task in board.tasks.items() if task.category == "natural"]
        assert heads == natural
        page.get_by_label("Add ranks on").select_option(label=natural[0])
        task = board.tasks[natural[0]]
        row = page.locator("#board-table tbody tr").first
        first = board.order[0]
        best, worst = int(task.best[first]), int(task.worst[first])
        shown = f"{best}" if best == worst else f"{best}–{worst}"
        assert row.locator("td.ranks[data-task] [aria-hidden]").inner_text() == shown
        assert (
            row.locator("td.score[data-task]")
            .inner_text()
            .startswith(f"{task.mean[first]:.3f}"[:4])
        )


def rows_of(page) -> list[tuple[str, str, str]]:
    """Name, ranks and score of every row that is shown."""
    return page.evaluate("""() => [...document.querySelectorAll("#board-table tbody tr")].map(row =>
        [row.querySelector("a.name").textContent,
         row.querySelector('[data-key="lead"] [aria-hidden]').textContent,
         row.querySelector('[data-key="score"]').textContent])""")


def test_the_first_chart_goes_to_a_category_with_the_ranks_of_a_board_of_its_own(browser, pages):
    board, file = pages("vtab")
    demo = DEMOS["vtab"]
    scores = rb.read(demo_path(demo), direction=demo.direction, rows=demo.rows, folds=demo.folds)
    natural = [name for name, task in board.tasks.items() if task.category == "natural"]
    own = rb.leaderboard(scores.select(tasks=natural), spec=board.spec)
    with watched(browser, file) as one:
        page = one.open()
        before = rows_of(page)
        page.get_by_label("Ranks on", exact=True).select_option(label="Category: natural")
        shown = rows_of(page)
        assert [name for name, _, _ in shown] == [own.models[i] for i in own.order]
        assert {name: ranks for name, ranks, _ in shown} == {
            name: show_ranks(int(best), int(worst))
            for name, best, worst in zip(own.models, *own.ranks, strict=True)
        }
        assert f"{own.aggregate.score[own.order[0]]:.3f}" in shown[0][2]
        assert "on natural" in page.inner_text("h1")
        assert "if this category was chosen before" in page.inner_text("#level")
        assert page.locator("#board-table.in-order").count() == 0
        page.locator("#board-table tbody tr").nth(1).hover()
        assert page.locator("#board-table .near").count() == 0
        page.locator("#about-new").check()
        assert "on natural" not in page.inner_text("h1")
        page.get_by_label("These tasks").check()
        page.get_by_label("Ranks on", exact=True).select_option(label="All tasks")
        assert rows_of(page) == before


def test_the_first_chart_goes_to_a_task_and_exports_follow(browser, pages):
    board, file = pages("vtab")
    (name, task) = next((key, one) for key, one in board.tasks.items() if key == "Camelyon")
    with watched(browser, file) as one:
        page = one.open(f"#on=task:{name}")
        shown = {model: ranks for model, ranks, _ in rows_of(page)}
        assert shown == {
            model: show_ranks(int(best), int(worst))
            for model, best, worst in zip(board.models, task.best, task.worst, strict=True)
        }
        page.locator("summary", has_text="Share").click()
        with page.expect_download() as kept:
            page.get_by_role("button", name="Rows shown, JSON").click()
        told = json.loads(Path(kept.value.path()).read_text(encoding="utf-8"))
        assert f"on {name}" in told["statement"]
        first = told["models"][0]
        assert first["Model"] == board.models[int(np.argmax(task.mean))]
        assert first[f"Rank on {name} ({task_claim(task).words}): best"] == 1


def test_an_arena_goes_to_the_ranks_of_a_category(browser, tmp_path):
    rng = np.random.default_rng(7)
    strength, lines = {"up": [0, 1.5, -1.5, 0.4], "down": [1.5, 0, -1.5, 0.4]}, ["a,b,winner,kind"]
    for _ in range(1600):
        kind = ("up", "down")[int(rng.integers(2))]
        a, b = rng.choice(4 if kind == "up" else 3, 2, replace=False)
        ahead = rng.random() < 1 / (1 + np.exp(strength[kind][b] - strength[kind][a]))
        lines.append(f"{'pqrs'[a]},{'pqrs'[b]},{'a' if ahead else 'b'},{kind}")
    (tmp_path / "votes.csv").write_text("\n".join(lines), encoding="utf-8")
    board = rb.leaderboard(rb.read(tmp_path / "votes.csv", within="kind"))
    with watched(browser, write_page(board, tmp_path / "votes.html")) as one:
        page = one.open()
        for part in board.categories:
            page.get_by_label("Ranks on", exact=True).select_option(label=part.title)
            assert {name: ranks for name, ranks, _ in rows_of(page)} == {
                name: show_ranks(int(best), int(worst))
                for name, best, worst in zip(
                    part.models, part.task.best, part.task.worst, strict=True
                )
            }
            assert f"{part.votes:,} votes" in page.inner_text("#level")
            models = part.models
            said = page.locator("#controls .said").inner_text()
            assert said == f"{len(models)} models"


def test_a_model_opens_with_its_address_and_goes_back(browser, pages):
    board, file = pages("small")
    with watched(browser, file) as one:
        page = one.open()
        page.locator("#board-table").get_by_role("link", name="bee").click()
        panel = page.get_by_role("dialog", name="Model bee")
        assert panel.is_visible()
        assert page.url.endswith("#model=bee")
        assert page.evaluate("document.activeElement.textContent") == "bee"
        assert panel.locator("figure .rb-row").count() == 7
        panel.get_by_role("button", name="Next").click()
        assert page.get_by_role("dialog", name="Model cat").is_visible()
        page.go_back()
        assert panel.is_visible()
        page.go_back()
        assert page.get_by_role("dialog").count() == 0
        page.go_forward()
        assert panel.is_visible()
        page.keyboard.press("Escape")
        assert page.get_by_role("dialog").count() == 0
        beats = [b for a, b in zip(*np.nonzero(board.shown_better), strict=True) if a == 0]
        one.open("#model=ant")
        part = page.locator(".three > div").last
        assert part.get_by_role("link").all_inner_texts() == [
            board.models[i] for i in board.order if i in beats
        ]


def test_two_models_are_compared_as_the_command_does(browser, pages):
    board, file = pages("mmlu_pro")
    a, b = "Meta-Llama-3-70B", "Mixtral-8x7B-v0.1"
    from rankbars.demos import DEMOS, demo_path

    demo = DEMOS["mmlu_pro"]
    duel = rb.head_to_head(rb.read(demo_path(demo)), a, b)
    with watched(browser, file) as one:
        page = one.open("#model=" + a)
        page.get_by_label("Compare with").select_option(label=b)
        page.wait_for_url(re.compile(rf"vs={re.escape(b)}"))
        rows = page.locator("#compare tbody tr")
        rows.last.wait_for()
        assert rows.count() == len(board.tasks)
        for i, (name, contrast) in enumerate(duel.tasks.items()):
            cells = rows.nth(i).locator("th, td").all_inner_texts()
            assert cells[0] == name
            shown, low, high = (
                float(text.replace("−", "-")) for text in re.findall(r"[+−]?[\d.]+", cells[3])
            )
            assert shown == pytest.approx(contrast.difference, abs=6e-3)
            assert low == pytest.approx(contrast.low, abs=6e-3)
            assert high == pytest.approx(contrast.high, abs=6e-3)
            assert cells[4] == f"{contrast.ahead} : {contrast.behind}"
            assert float(cells[5]) == pytest.approx(contrast.detectable, abs=6e-3)
            if contrast.verdict != "cannot tell":
                assert cells[6] == f"already apart: A is {contrast.verdict}"


def test_without_pairs_the_page_names_the_command_to_run(browser, tmp_path):
    file = write_page(replace(small_board(("a b", "c'd", "e")), pairs=None), tmp_path / "r.html")
    with watched(browser, file) as one:
        page = one.open("#model=a+b&vs=c'd")
        line = page.locator("code.line:visible").inner_text()
        assert line == "rankbars compare INPUT --models 'a b' --models 'c'\\''d'"
        page = one.open("#at=explore")
        assert "--pairs" in page.locator("#explore").inner_text()


def test_a_task_opens_with_scores_and_ranks(browser, pages):
    board, file = pages("tabarena")
    name = next(iter(board.tasks))
    with watched(browser, file) as one:
        page = one.open()
        page.get_by_role("heading", name="Rank on each task").click()
        page.locator('table[data-matrix="ranks"]').get_by_role("link", name=name).first.click()
        panel = page.get_by_role("dialog", name=f"Task {name}")
        assert panel.is_visible()
        assert panel.locator("figure").count() == 2
        table = panel.locator("table.answers tbody tr")
        assert table.count() == len(board.models)
        best = board.models[int(np.argmax(board.tasks[name].mean))]
        assert table.first.locator("th").inner_text() == best


def test_other_tasks_weights_and_levels_are_computed_here_and_say_so(browser, pages):
    board, file = pages("vtab")
    with watched(browser, file) as one:
        page = one.open("#at=explore")
        published = page.locator("#board-table").inner_text()
        explore = page.locator("#explore")
        assert "As published" in explore.inner_text()
        ranks = explore.locator(".answers tbody td.ranks [aria-hidden]")
        average = board.aggregate
        assert ranks.all_inner_texts() == [
            f"{best}" if best == worst else f"{best}–{worst}"
            for best, worst in ((int(average.best[i]), int(average.worst[i])) for i in board.order)
        ]
        before = ranks.all_inner_texts()
        slider = page.get_by_label("Weight of structured", exact=True)
        slider.focus()
        page.keyboard.press("Home")
        assert "Weights of 8 tasks changed" in explore.inner_text()
        assert "voids the guarantee" in explore.inner_text()
        assert ranks.all_inner_texts() != before
        page.get_by_label("Average", exact=True).select_option(label="99\u00a0%")
        page.locator(".choices").get_by_role("checkbox", name="natural").uncheck()
        assert "7 of 19 tasks left out" in explore.inner_text()
        shown, address = explore.locator(".answers").inner_text(), page.url
        one.open(address[address.index("#") :])
        page.locator("#explore").scroll_into_view_if_needed()
        assert explore.locator(".answers").inner_text() == shown
        assert page.locator("#board-table").inner_text() == published
        page.get_by_role("button", name="Back to the published choice").click()
        assert "As published" in explore.inner_text()
        assert ranks.all_inner_texts() == before


def test_tasks_that_share_items_are_averaged_again_item_by_item(browser, pages):
    board, file = pages("shared")
    with watched(browser, file) as one:
        page = one.open("#at=explore")
        ranks = page.locator("#explore .answers tbody td.ranks [aria-hidden]")
        scores = page.locator("#explore .answers tbody td.score")
        assert ranks.all_inner_texts() == [
            show_ranks(int(board.aggregate.best[i]), int(board.aggregate.worst[i]))
            for i in board.order
        ]
        page = one.open("#out=1&w=2:3&at=explore")
        kept = {name: 3.0 if k == 2 else 1.0 for k, name in enumerate(board.tasks) if k != 1}
        made = rb.aggregate(shared_scores(), weights=kept, correction="holm", scope="all")
        order = np.argsort(-made.score)
        assert ranks.all_inner_texts() == [
            show_ranks(int(made.best[i]), int(made.worst[i])) for i in order
        ]
        half = (made.high - made.low) / 2
        assert [text.split(" ±")[1] for text in scores.all_inner_texts()] == [
            f"{half[i]:.2f}" for i in order
        ]


def test_weights_of_categories_with_common_rows_are_drawn_as_the_library_has_them(browser, pages):
    board, file = pages("shared")
    means = board.aggregate.by_category
    assert len(means.linked) == 3
    with watched(browser, file) as one:
        page = one.open("#at=picture&fig=weights")
        said = page.locator("#picture figure svg desc").text_content()
        drawn = means.weight_map(z=1.96)
        open_share = 100 * drawn.areas[drawn.indeterminate].sum()
        found = re.search(r"On (\d+)\s% \(hatched\)", said)
        assert found, said
        assert abs(int(found[1]) - open_share) < 2
        apart = replace(means, linked=()).weight_map(z=1.96)
        assert abs(100 * apart.areas[apart.indeterminate].sum() - open_share) > 5


def test_one_category_is_weighed_against_another(browser, pages):
    _, file = pages("small")
    with watched(browser, file) as one:
        page = one.open("#at=explore")
        slider = page.get_by_label("Weight of x things against y things")
        slider.focus()
        page.keyboard.press("End")
        shares = page.locator("#explore output").all_inner_texts()
        assert shares == ["71\u00a0%", "0\u00a0%", "29\u00a0%"]
        assert slider.get_attribute("aria-valuetext") == "100\u00a0% x things, 0\u00a0% y things"


@pytest.mark.parametrize("name", ["vtab", "arena"])
def test_every_picture_draws_and_can_be_kept(browser, pages, name):
    board, file = pages(name)
    with watched(browser, file, accept_downloads=True) as one:
        page = one.open("#at=picture")
        buttons = page.locator(".tabs button")
        names = buttons.all_inner_texts()
        assert "Votes per pair" in names if name == "arena" else "Weights of categories" in names
        for i in range(len(names)):
            buttons.nth(i).click()
            drawing = page.locator("#picture figure svg").first
            assert drawing.locator("title").first.text_content()
            assert drawing.locator("desc").first.text_content()
        buttons.nth(0).click()
        kept = {}
        for kind in ("SVG", "PNG", "CSV"):
            with page.expect_download() as download:
                page.locator("#picture").get_by_role("button", name=f"as {kind}").click()
            kept[kind] = download.value.path().read_bytes()
            assert download.value.suggested_filename.endswith(f".{kind.lower()}")
        assert kept["PNG"].startswith(b"\x89PNG")
        assert b"<svg" in kept["SVG"]
        rows = list(csv.reader(io.StringIO(kept["CSV"].decode("utf-8-sig"))))
        assert [row[0] for row in rows[1:]] == [board.models[i] for i in board.order]


def test_words_are_explained_on_focus_and_go_with_escape(browser, pages):
    _, file = pages("small")
    with watched(browser, file) as one:
        page = one.open()
        page.locator('#board-table a.term[href="#term-ranks"]').focus()
        tip = page.get_by_role("tooltip")
        assert "could not be told apart" in tip.inner_text()
        page.keyboard.press("Escape")
        assert tip.count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_view(browser, pages, scheme):
    if not AXE.exists():
        pytest.skip("needs the packages of web/ (make web)")
    _, file = pages("small")
    with watched(browser, file, color_scheme=scheme, reduced_motion="reduce") as one:
        for name, address in VIEWS.items():
            # Pictures differ in their own section only; the rest was looked at before.
            part = "#picture" if "fig=" in address else "html"
            found = violations(one.open(address), part, colours_only=scheme == "dark")
            assert found == [], name


def test_every_view_fits_a_phone_a_page_zoomed_twice_and_a_laptop(browser, pages):
    _, file = pages("small")
    with watched(browser, file, viewport={"width": 360, "height": 720}) as one:
        for name, address in VIEWS.items():
            page = one.open(address)
            panel = page.locator("dialog[open] .panel-body")
            for width in (360, 640, 1280):
                page.set_viewport_size({"width": width, "height": 720})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
                if panel.count():
                    assert panel.evaluate("e => e.scrollWidth") <= width, (name, width)
            page.set_viewport_size({"width": 360, "height": 720})


def test_hostile_names_stay_text_in_every_view(browser, tmp_path):
    names = tuple(sorted({*NASTY[:13], "z" * 300, "=1+1"}))
    rng = np.random.default_rng(0)
    tasks = {name: rng.random((20, len(names))) for name in names[:5]}
    info = {name: rb.TaskInfo(category=names[k], family=names[-k]) for k, name in enumerate(tasks)}
    scores = rb.Scores.from_arrays(tasks, list(names), info=info)
    file = write_page(rb.leaderboard(scores, pairs=True, resamples=50), tmp_path / "report.html")
    with watched(browser, file, viewport={"width": 640, "height": 900}) as one:
        one.page.on("dialog", lambda dialog: one.said.append(dialog.message))
        addresses = ["", "#model=~0&vs=~1", "#model=~12&vs=~3", "#task=~2", "#at=explore"]
        addresses += [view for name, view in VIEWS.items() if "fig=" in view]
        addresses += ["#show=category:" + "%3Cscript%3Ealert(1)%3C/script%3E"]
        for address in addresses:
            page = one.open(address)
            assert page.locator("script").count() == 3
            assert page.locator("img").count() == 0
            assert page.evaluate("document.documentElement.scrollWidth") <= 640, address
        assert "\u202e" not in page.content()


def test_printed_pages_show_no_controls(browser, pages):
    _, file = pages("small")
    with watched(browser, file) as one:
        page = one.open()
        page.emulate_media(media="print")
        assert page.locator(".bar-of-tools:visible").count() == 0
        assert not page.locator("#controls").is_visible()
        assert page.locator("#board-table").is_visible()


def test_health_of_votes_is_drawn_with_the_numbers_of_the_package(browser, pages):
    board, file = pages("votes")
    found = board.health["arena"]
    with watched(browser, file) as one:
        page = one.open("#fig=neighbours&at=picture")
        rows = page.locator("#picture figure .rb-row title").all_text_contents()
        assert len(rows) == len(found.neighbours) == 4
        for text, pair in zip(rows, found.neighbours, strict=True):
            assert text.startswith(f"{pair.ahead} / {pair.behind}: ahead by ")
            number = float(re.search(r"ahead by ([−\d.]+)", text)[1].replace("−", "-"))
            assert number == pytest.approx(pair.difference, abs=0.006)
            assert ("the votes are enough" in text) == (pair.votes == 0)
        page.get_by_role("button", name="Health of votes").click()
        assert page.locator("#picture .rb-finding").count() == len(found.findings)
        page.locator("#picture .rb-data summary").click()
        page.locator("#picture .rb-data tbody tr").first.wait_for()  # made when it is opened
        cells = page.locator("#picture .rb-data tbody td:last-child").all_inner_texts()
        assert cells == [finding.sentence for finding in found.findings]


def test_sentences_on_votes_are_read_without_scripts(browser, pages):
    board, file = pages("votes")
    found = board.health["arena"]
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    section = page.locator("#votes")
    section.locator("summary").click()
    lines = section.get_by_role("listitem").all_inner_texts()
    assert len(lines) == len(found.findings) + 1
    for line, finding in zip(lines, found.findings, strict=False):
        mark = "Be careful: " if finding.concern else ""
        assert line.replace("\u00a0", " ") == mark + finding.sentence
    assert lines[-1].startswith("Of 4 pairs of neighbours in the order, ")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_views_of_votes(browser, pages, scheme):
    if not AXE.exists():
        pytest.skip("needs the packages of web/ (make web)")
    _, file = pages("votes")
    options = {"color_scheme": scheme, "reduced_motion": "reduce"}
    with watched(browser, file, **options, viewport={"width": 360, "height": 720}) as one:
        for address in VOTE_VIEWS:
            page = one.open(address)
            assert violations(page, colours_only=scheme == "dark") == [], address
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, address


def test_votes_of_several_tasks_are_examined_where_each_task_opens(browser, tmp_path):
    rng = np.random.default_rng(1)
    models = ("ant", "bee", "cat")
    tables = {name: rng.integers(5, 40, (3, 3)) * (1.0 - np.eye(3)) for name in ("x", "y")}
    scores = rb.Scores({name: rb.Votes(models, wins) for name, wins in tables.items()})
    health = rb.examine_votes(scores, simulations=9)
    board = replace(rb.leaderboard(scores, pairs=True), health=health)
    file = write_page(board, tmp_path / "report.html")
    with watched(browser, file) as one:
        page = one.open("#task=y")
        titles = page.get_by_role("dialog").locator("figcaption b").all_inner_texts()
        assert titles[-2:] == ["Votes that would tell neighbours apart", "Health of the votes"]
        heads = page.locator("#votes h3").all_text_contents()
        assert heads == ["x", "y"]


def test_a_task_shows_how_scores_are_spread_in_its_own_units(browser, tmp_path):
    errors = np.array([[0.11, 0.42], [0.13, 0.48], [0.31, 0.62], [0.98, 0.62]])
    info = {"loss": rb.TaskInfo(direction="lower")}
    scores = rb.Scores.from_arrays({"loss": -errors}, ["ant", "bee"], info=info)
    board = rb.leaderboard(scores, pairs=True)
    file = write_page(board, tmp_path / "report.html")
    with watched(browser, file) as one:
        page = one.open("#task=loss")
        figure = page.get_by_role("dialog").locator("figure").first
        assert "how the scores of items are spread" in figure.locator("figcaption").inner_text()
        figure.locator("summary").click()
        figure.locator("tbody tr").first.wait_for()  # made when it is opened
        heads = figure.locator("thead th").all_inner_texts()[4:]
        edges = [tuple(map(float, re.findall(r"-?[\d.]+", head))) for head in heads]
        rows = dict(zip(["ant", "bee"], errors.T, strict=True))
        for i in range(2):
            name, _, _, _, *shares = (
                figure.locator("tbody tr").nth(i).locator("th, td").all_inner_texts()
            )
            seen = [float(share) for share in shares]
            assert sum(seen) == pytest.approx(1)
            for (low, high), share in zip(edges, seen, strict=True):
                inside = [low - 1e-9 <= value <= high + 1e-9 for value in rows[name]]
                assert share <= np.mean(inside)


def test_rows_without_a_score_are_counted_where_a_task_opens_and_on_the_board(browser, tmp_path):
    tasks = {"x": [[1, 0.5], [0, np.nan], [1, np.nan]], "y": [[0.2, 0.4], [0.3, 0.1], [0.5, 0.6]]}
    scores = rb.Scores.from_arrays(tasks, ["ant", "bee"])
    board = rb.leaderboard(scores, missing="pairwise", pairs=True, over="none")
    file = write_page(board, tmp_path / "report.html")
    with watched(browser, file) as one:
        page = one.open()
        assert page.locator("#board-table .gap").all_inner_texts() == ["◔ 66.7\u00a0% scored"]
        assert "1 model lacks some scores" in page.inner_text("#level")
        page = one.open("#also=coverage&at=sure")
        cells = page.locator('#board-table tbody [data-key="coverage"]').all_inner_texts()
        assert sorted(" ".join(cell.split()) for cell in cells) == ["100 %", "66.7 % 2 missing"]
        assert "Of 12 expected scores 2 are missing" in page.locator("#board-words").inner_text()
        page = one.open("#task=x")
        table = page.get_by_role("dialog").locator("table.answers")
        heads = [head.split("\n")[0] for head in table.locator("thead th").all_inner_texts()]
        assert heads[3:] == ["Scored", "Score 0", "Missing"]
        cells = {
            row.locator("th").inner_text(): row.locator("td.count").all_inner_texts()
            for row in table.locator("tbody tr").all()
        }
        assert cells == {"ant": ["3", "1", "0"], "bee": ["1", "0", "2"]}
        page = one.open("#task=y")
        table = page.get_by_role("dialog").locator("table.answers")
        assert table.locator("thead th").count() == 3


def test_ticked_models_are_compared_and_shown_alone_with_the_ranks_they_had(browser, pages):
    _, file = pages("small")
    with watched(browser, file) as one:
        page = one.open()
        ranks = dict(zip(models_shown(page), first_column(page, "lead"), strict=True))
        for name in ("dog", "bee"):
            page.get_by_role("checkbox", name=f"Tick {name} for comparison").press("Space")
        tray = page.get_by_role("region", name="Ticked models")
        tray.get_by_role("button", name="Show only these").press("Enter")
        assert models_shown(page) == ["bee", "dog"]
        assert first_column(page, "lead") == [ranks["bee"], ranks["dog"]]
        assert page.get_by_role("status").first.inner_text() == "2 of 4 shown, ranks among 4"
        tray.get_by_role("button", name="Compare 2").press("Enter")
        assert page.locator("#panel h2").inner_text() == "2 models side by side"
        row = page.locator("#panel table").first.get_by_role("row", name="Rank on average")
        shown = [cell.inner_text().split("\n")[-1] for cell in row.get_by_role("cell").all()]
        assert shown == [ranks[name].split("\n")[-1] for name in ("bee", "dog")]
        on_task = page.locator("#panel tbody tr", has_text="task 3").first.locator("td .draw")
        assert on_task.count() == 2
        assert violations(page, "#panel") == []
        address = page.url
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.textContent") == "Compare 2"
        assert models_shown(page) == ["bee", "dog"]
        page.get_by_role("button", name="Untick all").click()
        assert not tray.is_visible()
        assert len(models_shown(page)) == 4
        one.open(address[address.index("#") :])
        assert page.locator("#panel h2").inner_text() == "2 models side by side"


def test_what_is_shown_is_kept_as_a_card_of_one_size_and_as_numbers(browser, pages, tmp_path):
    board, file = pages("small")
    with watched(browser, file) as one:
        page = one.open("#pin=bee,dog&only=1")
        page.locator("#title .menu summary").press("Enter")
        kept = {}
        for name in ("Picture, PNG", "Picture, SVG", "Rows shown, CSV", "Rows shown, JSON"):
            with page.expect_download() as download:
                page.get_by_role("button", name=name).click()
            path = tmp_path / download.value.suggested_filename
            download.value.save_as(path)
            kept[path.suffix] = path.read_bytes()
        head = page.locator("h1 .lead").inner_text().replace("\u2060", "")
        assert violations(page, "#title") == []
    assert kept[".png"][:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(kept[".png"][16:20]), int.from_bytes(kept[".png"][20:24])) == (1200, 630)
    drawn = re.sub(r"<[^>]+>", " ", kept[".svg"].decode("utf-8"))
    assert head.split()[0] in drawn
    assert "2 of 4 shown, ranks among 4" in drawn
    assert "var(" not in kept[".svg"].decode("utf-8")
    rows = list(csv.DictReader(io.StringIO(kept[".csv"].decode("utf-8-sig"))))
    said = json.loads(kept[".json"])
    assert (said["statement"], said["shown"], said["ranks_among"]) == (head, 2, 4)
    best, worst = board.ranks
    for row, model, name in zip(rows, said["models"], ("bee", "dog"), strict=True):
        at = board.models.index(name)
        ends = [key for key in row if key.startswith("Rank on average")]
        assert [int(row[key]) for key in ends] == [best[at], worst[at]]
        assert [model[key] for key in ends] == [best[at], worst[at]]
        assert float(row["low"]) == model["low"] == board.aggregate.low[at]


def test_pictures_show_the_models_that_are_shown_with_the_ranks_they_have(browser, pages):
    _, file = pages("small")
    with watched(browser, file) as one:
        page = one.open("#at=picture")
        rows = page.locator("#figure-intervals .rb-row")
        assert rows.count() == 4
        ranks = rows.last.locator(".rb-number").text_content()
        page.get_by_role("checkbox", name="Tick dog for comparison").check()
        page.get_by_role("button", name="Show only these").click()
        assert rows.count() == 1
        assert rows.locator(".rb-number").text_content() == ranks
        caption = page.locator("#figure-intervals figcaption").inner_text()
        assert "1 of 4 shown, ranks among 4." in caption


def test_an_interval_opens_what_it_is_made_of_and_what_would_settle_it(browser, pages):
    board, file = pages("small")
    with watched(browser, file) as one:
        page = one.open()
        row = page.locator("#board-table tbody tr", has_text="bee")
        row.locator("td[data-key=lead] .why").press("Enter")
        at = board.models.index("bee")
        best, worst = (int(ends[at]) for ends in board.ranks)
        shown = str(best) if best == worst else f"{best}–{worst}"
        title = page.locator("#why > h3")
        assert title.inner_text() == f"Why {shown}?"
        assert title.evaluate("e => e === document.activeElement")
        above = int(board.shown_better[:, at].sum())
        below = int(board.shown_better[at].sum())
        counts = f"{4 - 1 - above - below} not told apart, {below} shown worse"
        assert counts in page.locator("#why > p").first.inner_text()
        assert violations(page, "#panel") == []
        page.keyboard.press("Escape")
        assert row.locator("td[data-key=lead] .why").evaluate("e => e === document.activeElement")
        row.locator(".draw").click()
        assert page.locator("#why > h3").is_visible()


def test_items_that_would_settle_a_pair_are_those_of_the_textbook(browser, tmp_path):
    rng = np.random.default_rng(8)
    tasks = {f"t{k}": (rng.random((80, 2)) < [0.7, 0.62]) * 1.0 for k in range(4)}
    board = rb.leaderboard(rb.Scores.from_arrays(tasks, ["ant", "bee"]), pairs=True)
    means, errors = zip(
        *((d.mean(), d.var(ddof=1) / d.size) for d in (x[:, 0] - x[:, 1] for x in tasks.values())),
        strict=True,
    )
    parts = np.array(errors) / 16
    df = parts.sum() ** 2 / (parts**2 / 79).sum()
    reach = scipy.stats.t.ppf(0.975, df) + scipy.stats.t.ppf(0.8, df)
    items = 320 * (reach * np.sqrt(parts.sum()) / np.mean(means)) ** 2
    with watched(browser, write_page(board, tmp_path / "page.html")) as one:
        page = one.open("#model=ant&why=1")
        difference, needs = page.locator("#why tbody td").all_inner_texts()
    assert float(difference.split()[0].replace("−", "-")) == pytest.approx(np.mean(means), abs=5e-3)
    assert needs == f"about {float(f'{items:.2g}'):,.0f} items"


def test_a_budget_names_who_may_be_the_best_for_it(browser, tmp_path):
    rng = np.random.default_rng(5)
    models = ["nano", "mini", "old", "plus", "pro", "max"]
    rows = (rng.random((150, 6)) < [0.2, 0.55, 0.4, 0.6, 0.7, 0.72]) * 1.0
    prices = dict(zip(models, [0.01, 0.05, 0.3, 0.2, 0.6, 2.0], strict=True))
    scores = rb.Scores.from_arrays({"work": rows}, models)
    board = rb.add_costs(rb.leaderboard(scores), scores, prices, metric="price")
    assert board.front is not None
    steps = board.front.within(board.shown_better)
    with watched(browser, write_page(board, tmp_path / "costs.html")) as one:
        page = one.open("#at=cost")
        for at, price in enumerate(sorted(prices.values())):
            page.locator("#budget").fill(str(at))
            found = [found for budget, found in steps if budget <= price][-1]
            named = page.locator("#cost .budget li").all_inner_texts()
            assert sorted(named) == sorted(board.models[i] for i in found)
            assert f"pays for {at + 1} of 6 models" in page.locator("#cost output").inner_text()
            assert page.locator("#cost circle.within").count() == len(found) + 1  # one in the key
        assert page.locator("#cost tbody tr").count() == 6
        drawn = page.evaluate(NAMES_AND_POINTS)
        assert {name for name, *_ in drawn["names"]} == set(board.models)
        boxes = [box for _, *box in drawn["names"]] + drawn["points"]
        assert not any(overlap(a, b) for a, b in itertools.combinations(boxes, 2))
        if AXE.exists():
            assert violations(page, "#cost") == []


NAMES_AND_POINTS = """() => {
    const box = (one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect()
        return [left, top, right, bottom]
    }
    const names = [...document.querySelectorAll('#cost svg text[paint-order="stroke"]')]
    return {
        names: names.map((one) => [one.textContent, ...box(one)]),
        points: [...document.querySelectorAll("#cost svg g > circle:last-child")]
            .filter((one) => one.parentNode.querySelector("title")).map(box),
    }
}"""


def overlap(one, other):
    """Whether two boxes (left, top, right, bottom) have more than a pixel in common."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    return across > 1 and min(one[3], other[3]) - max(one[1], other[1]) > 1


def test_a_filter_by_attribute_hides_rows_and_ranks_nothing_anew(browser, tmp_path):
    board = small_board()
    licences = dict(zip(board.models, ("MIT", "MIT & more", "own", "MIT"), strict=True))
    said = {model: {"licence": text} for model, text in licences.items()}
    file = write_page(replace(board, attributes=said), tmp_path / "attributes.html")
    with watched(browser, file) as one:
        page = one.open()
        ranks = dict(zip(models_shown(page), first_column(page, "lead"), strict=True))
        page.locator("#controls summary", has_text="Filter").click()
        page.get_by_label("licence").select_option("MIT & more")
        assert models_shown(page) == [name for name in ranks if licences[name] == "MIT & more"]
        assert "1 of 4 shown, ranks among 4" in page.locator(".said").inner_text()
        for width in (1280, 768, 360):
            page.set_viewport_size({"width": width, "height": 800})
            for name in ("Filter", "Columns"):
                page = one.open()
                page.locator("#controls summary", has_text=name).click()
                box = page.locator("#controls .menu[open] > div").bounding_box()
                assert box["x"] >= 0, (name, width)
                assert box["x"] + box["width"] <= width, (name, width)
        page = one.open("#has=licence%3DMIT")
        left = [name for name in ranks if licences[name] == "MIT"]
        assert models_shown(page) == left
        assert first_column(page, "lead") == [ranks[name] for name in left]
        for name in left:
            page.get_by_label(f"Tick {name} for comparison").check()
        page.get_by_role("button", name="Rank among these only").click()
        line = page.locator("#tray code").inner_text()
        assert line.startswith("rankbars rank INPUT ")
        assert all(f"--models {name}" in line for name in left)
        assert "Ranked among 2 of 4 models" in line
        if AXE.exists():
            assert violations(page) == []


def test_a_page_of_its_own_is_offered_on_a_site_alone_and_no_band_loses_its_words(browser, pages):
    board, file = pages("mmlu_pro")
    with watched(browser, file, viewport={"width": 1280, "height": 1400}) as one:
        page = one.open(f"#model={board.models[board.order[0]]}")
        assert page.locator("#board-table tbody tr").first.locator("a.mark").count() > 0
        assert page.get_by_role("dialog").get_by_role("link", name="Its own page").count() == 0
        page.keyboard.press("Escape")
        # A row that may be skipped paints nothing outside of its box, where these words stand.
        late = page.locator("#board-table tbody tr.from:nth-child(n + 26)")
        assert late.count() == 1
        assert late.evaluate("one => getComputedStyle(one).contentVisibility") == "visible"


def test_a_screen_reader_hears_models_ranks_and_what_a_switch_or_a_filter_did(browser, pages):
    board, file = pages("mmlu_pro")
    first = board.models[board.order[0]]
    with watched(browser, file) as one:
        page = one.open()
        row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=first))
        assert (
            row.get_by_role("rowheader").aria_snapshot().startswith(f'- rowheader "{first}, 99.9')
        )
        assert row.get_by_role("button", name="rank 1", exact=True).count() == 1
        page.get_by_role("searchbox").fill("llama")
        assert page.locator("#controls [role=status]").inner_text().endswith("ranks among 29")
        page.get_by_label("Ranks on", exact=True).select_option(label="law")
        heard = page.locator("h1[aria-live=polite]")
        assert "law" in heard.inner_text()

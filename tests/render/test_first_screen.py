"""The first screen of the page: the chart is the table, and it says enough by itself."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest
from render.browsing import AXE, demo_board, violations, watched, write_page

import rankbars as rb
from rankbars.render.firstscreen import bands, opening
from rankbars.render.page import render_html
from rankbars.render.sidetables import placed_table

GEOMETRY = """() => {
    const rows = [...document.querySelectorAll("#board-table tr[data-model]")]
    const boxes = rows.map(row => row.getBoundingClientRect())
    const table = document.querySelector(".scroll.board").getBoundingClientRect()
    const bars = rows.map(row => row.querySelector(".draw").getBoundingClientRect())
    return {
        first: boxes[0].top,
        seen: boxes.filter(box => box.bottom <= innerHeight).length,
        heights: boxes.map(box => box.height),
        bar: Math.min(...bars.map(box => box.width)) / table.width,
        drawn: Math.min(...rows.map(row => row.querySelector("rect.lead").getBBox().width)),
        ticks: [...document.querySelectorAll("#board-table .axis text")]
            .map(text => text.getBoundingClientRect())
            .map((box, k, all) => (k ? box.left - all[k - 1].right : 99))
            .reduce((one, other) => Math.min(one, other)),
        wide: document.documentElement.scrollWidth,
        words: document.body.innerText.split(/\\s+/).length,
    }
}"""


COLOURS = ("color-contrast", "link-in-text-block")


def tied() -> rb.Leaderboard:
    """Six models that sixty questions do not tell apart."""
    rows = np.random.default_rng(5).random((60, 6)) < 0.6
    return rb.leaderboard(rb.Scores.from_arrays({"math": rows * 1.0}, list("abcdef")), pairs=True)


def gappy() -> rb.Leaderboard:
    """Some models lack tasks, and the names are long."""
    rng = np.random.default_rng(8)
    names = [f"organisation-{k}/a-model-with-a-long-name-{k:02d}-instruct" for k in range(12)]
    tasks = {}
    for k in range(8):
        rows = (rng.random((150, 12)) < np.linspace(0.9, 0.4, 12)) * 1.0
        rows[:, [1, 4, 7]] = rows[:, [1, 4, 7]] if k > 2 else np.nan
        tasks[f"task {k}"] = rows
    return rb.leaderboard(rb.Scores.from_arrays(tasks, names), pairs=True)


def approximate() -> rb.Leaderboard:
    """A few rows weigh heavily; there is much to say above the table."""
    rows = np.random.default_rng(5).lognormal(0, 2.2, size=(40, 8)) * np.linspace(1.5, 1, 8)
    scores = rb.Scores.from_arrays({"latency": rows}, list("abcdefgh"))
    return rb.leaderboard(scores, test="t", pairs=True).titled(
        title="How fast are hosted models in the spring of 2026?",
        description="Requests to eight services, with milliseconds to the first token.",
        source="somebody/measured at 1a2b3c4",
        link="https://example.org/measured",
        date="2026-02-01",
    )


def marked() -> rb.Leaderboard:
    """Short names with marks beside them, under a title, and one model that lacks tasks."""
    rng = np.random.default_rng(4)
    tasks = {}
    for k in range(6):
        rows = (rng.random((80, 4)) < [0.8, 0.5, 0.45, 0.2]) * 1.0
        rows[:2, :3] = np.nan
        if k < 2:
            rows[:, 3] = np.nan
        tasks[f"task {k}"] = rows
    scores = rb.Scores.from_arrays(tasks, ["automl", "autotwo", "tpot", "weka"])
    return rb.leaderboard(scores, missing_items="pairwise").titled(
        title="AutoML in 2019, one hour",
        source="somebody/automlbenchmark at dfe8d21; folds on which all frameworks ended",
        link="https://example.org/automlbenchmark",
    )


def long() -> rb.Leaderboard:
    """More models than are shown at once."""
    rng = np.random.default_rng(2)
    skill = np.linspace(0.95, 0.1, 120)
    tasks = {f"task {k}": (rng.random((200, 120)) < skill) * 1.0 for k in range(2)}
    return rb.leaderboard(rb.Scores.from_arrays(tasks, [f"model-{k:03d}" for k in range(120)]))


MADE = {
    "demo": lambda: demo_board("mmlu_pro"),
    "tied": tied,
    "gappy": gappy,
    "approximate": approximate,
    "long": long,
    "marked": marked,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Boards and their pages by name, each made once."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}

    def page(name: str):
        if name not in made:
            board = MADE[name]()
            made[name] = board, write_page(board, folder / f"{name}.html")
        return made[name]

    return page


@pytest.mark.parametrize(
    ("name", "scripts"), [*((name, True) for name in MADE), ("demo", False), ("long", False)]
)
def test_the_chart_is_on_the_first_screen(browser, pages, name, scripts):
    board, file = pages(name)
    with watched(browser, file, java_script_enabled=scripts) as one:
        page = one.page
        for width in (1280, 360, 768, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            if scripts:
                one.open()
            else:
                page.goto(file.as_uri())
            found = page.evaluate(GEOMETRY)
            assert found["wide"] <= width
            assert found["first"] <= (300 if width >= 1280 else 420), width
            assert found["bar"] >= 0.4, width
            assert found["drawn"] >= 1, width
            assert found["ticks"] >= 2, width
            if width >= 1280 and name != "gappy":
                assert set(found["heights"]) == {24}
                assert found["seen"] >= min(12, len(board.models))
            assert len(found["heights"]) == (
                25 if scripts and name == "long" else len(board.models)
            )
            if scripts or name != "long":
                assert found["words"] < 900


@pytest.mark.parametrize("name", list(MADE))
def test_the_sentence_has_twenty_words_and_level_scope_and_gaps_stand_beside_it(pages, name):
    board, _ = pages(name)
    above = opening(board, lambda name: "")
    assert len(re.findall(r"[\w%–]+", above.title)) <= 20
    said = " ".join((above.level, *above.cautions))
    assert "all models at once" in said
    assert ("95 % confidence" in said) == (name != "approximate")
    assert ("Approximate: a few items weigh heavily." in said) == (name == "approximate")
    assert ("Gaps: " in said) == (name in ("demo", "gappy", "marked"))


def test_partly_scored_models_are_counted_and_numbers_stay_with_their_words():
    page = render_html(gappy())
    assert "9\u00a0models and 3\u00a0partly scored · 8\u00a0tasks" in html.unescape(page)
    assert "Among 9\u00a0models scored on all 8\u00a0tasks, <bdi>" in html.unescape(page)


@pytest.mark.parametrize("width", [1280, 360])
def test_partly_scored_models_stand_below_the_rows_of_the_board_with_their_places_in_words(
    browser, pages, width
):
    board, file = pages("gappy")
    with watched(browser, file) as one:
        one.page.set_viewport_size({"width": width, "height": 800})
        rows = one.open().locator("#board-table tbody.placed tr")
        title, *found = rows.all()
        assert title.inner_text() == (
            "Partly scored: each placed among the 9 models above, by the tasks it has"
        )
        assert len(found) == 3
        for row, (ranks, model, score, tasks) in zip(found, placed_table(board).rows, strict=True):
            said = row.inner_text()
            assert row.is_visible()
            assert all(one in said for one in (model, f"among 10, by {tasks} tasks", score))
            assert row.locator(".lead").inner_text().endswith(ranks.removesuffix(" of 10"))
            assert not row.locator("rect").count()  # they have a scale of their own
        assert "Approximate: a place holds if" in one.page.locator("#placed").inner_text()
        one.page.get_by_label("Ranks on").select_option(label="task 4")
        assert not found[0].is_visible()
        assert not one.page.locator("#placed").is_visible()


def test_the_one_model_that_may_not_be_first_is_named_where_its_name_is_short():
    rows = np.random.default_rng(5).random((200, 3)) < [0.6, 0.6, 0.2]
    for name, said in (("rbf 0.01", "rbf 0.01 is shown"), ("x" * 50, "The other one is shown")):
        board = rb.leaderboard(rb.Scores.from_arrays({"math": rows * 1.0}, ["a", "b", name]))
        assert opening(board).title == (
            f"First place is open between b and a. {said} worse than at least one model."
        )


def mostly_gappy() -> rb.Leaderboard:
    rng = np.random.default_rng(3)
    tasks = {f"t{k}": (rng.random((60, 35)) < np.linspace(0.6, 0.3, 35)) * 1.0 for k in range(6)}
    for model in range(10, 35):
        tasks[f"t{model % 6}"][:, model] = np.nan
    return rb.leaderboard(rb.Scores.from_arrays(tasks, [f"m{k}" for k in range(35)]))


def test_of_many_partly_scored_models_the_last_ones_are_folded_and_none_is_left_out():
    board = mostly_gappy()
    page = html.unescape(render_html(board))
    shown, folded, *_ = re.findall(r'class="placed"(.*?)</(?:tbody|details)>', page, re.DOTALL)
    assert "5 more partly scored models" in folded
    assert all(f"<bdi>{name}</bdi>" in shown for name in board.partly.first)
    assert {*re.findall(r"<bdi>(m\d+)</bdi>", shown + folded)} == {*board.partly.models}


def test_partly_scored_models_are_found_by_their_names_in_the_fold_too(browser, tmp_path):
    board = mostly_gappy()
    file = tmp_path / "page.html"
    board.to_html(file)
    with watched(browser, file) as one:
        page = one.open()
        page.get_by_role("searchbox", name="Find models").fill("m2")
        page.locator("details.placed summary").click()
        names = [f"{place} tbody tr:visible bdi" for place in ("#board-table", "details.placed")]
        rows = page.locator(", ".join(names))
        assert {*rows.all_inner_texts()} == {name for name in board.partly.models if "m2" in name}
        page.get_by_role("searchbox", name="Find models").fill("")
        assert {*rows.all_inner_texts()} == {*board.partly.models}


@pytest.mark.parametrize("name", ["demo", "tied", "long"])
def test_a_band_is_drawn_only_where_nothing_inside_and_everything_outside_is_told_apart(
    browser, pages, name
):
    board, file = pages(name)
    apart = board.shown_better | board.shown_better.T
    size, order = len(board.models), list(board.order)
    expected = [
        (first, last)
        for first in range(size)
        for last in range(first + 1, size)
        if all(
            bool(apart[order[i], order[j]]) == (not first <= j <= last)
            for i in range(first, last + 1)
            for j in range(size)
            if i != j
        )
    ]
    assert [(band.first - 1, band.last - 1) for band in bands(board)] == expected
    assert expected or name == "long"
    with watched(browser, file) as one:
        page = one.open()
        rows = page.locator("#board-table tbody tr")
        shown = min(rows.count(), size)
        starts = rows.evaluate_all("rows => rows.flatMap((r, i) => r.matches('.from') ? [i] : [])")
        assert starts == [first for first, _ in expected if first < shown]


def test_a_row_lights_up_all_that_it_is_not_told_apart_from(browser, pages):
    board, file = pages("demo")
    apart = board.shown_better | board.shown_better.T
    with watched(browser, file) as one:
        page = one.open()
        for i in board.order[:12:4]:
            alike = {int(j) for j in np.flatnonzero(~apart[i])} - {i}
            row = page.locator(f'#board-table tr[data-model="{i}"]')
            for act in (row.locator("td.draw").hover, row.locator("a.name").focus):
                page.mouse.move(2, 2)
                act()
                lit = page.locator("#board-table tr.near")
                assert {int(r.get_attribute("data-model")) for r in lit.all()} == alike
        page.mouse.move(2, 2)
        page.evaluate("document.activeElement.blur()")
        assert page.locator("#board-table tr.near").count() == 0


def test_new_task_and_average_are_two_sides_of_a_switch(browser, pages):
    board, file = pages("demo")
    for scripts in (True, False):
        with watched(browser, file, java_script_enabled=scripts) as one:
            page = one.page
            page.goto(file.as_uri())
            leads = page.inner_text("h1")
            page.get_by_role("radio", name="A new task").check()
            assert page.inner_text("h1").startswith("On one more task like these, ")
            assert "probability at least 79.4" in page.inner_text("#level")
            cells = page.locator("#board-table tbody .ranks:visible [aria-hidden]")
            best, worst = board.overall.best, board.overall.worst
            assert cells.all_inner_texts() == [
                f"{best[i]}" if best[i] == worst[i] else f"{best[i]}–{worst[i]}"
                for i in board.order
            ]
            assert page.locator("#board-table rect.new:visible").count() == len(board.models)
            assert page.locator("#board-table rect.lead:visible").count() == 0
            page.get_by_label("These tasks").check()
            assert page.inner_text("h1") == leads


def test_a_long_board_begins_with_its_first_rows_and_shows_all_when_asked(browser, pages):
    board, file = pages("long")
    with watched(browser, file) as one:
        page = one.open()
        rows = page.locator("#board-table tbody tr")
        names = [board.models[i] for i in board.order]
        assert rows.locator("th .name").all_text_contents() == names[:25]
        axis = page.locator("#board-table .axis text").all_text_contents()
        assert axis[-1] == str(max(board.ranks.worst[i] for i in board.order[:25]))
        page.get_by_role("button", name="Show all 120").click()
        page.wait_for_function("document.querySelectorAll('#board-table tbody tr').length == 120")
        assert rows.locator("th .name").all_text_contents() == names
        assert page.locator("#board-table .axis text").all_text_contents()[-1] == "120"
        last = board.models[board.order[-1]]
        page = one.open(f"#model={last}")
        facts = page.get_by_role("dialog").locator(".facts").inner_text()
        assert f"Score\n{board.aggregate.score[board.order[-1]]:.3f}"[:10] in facts
        page = one.open("#sort=-model")
        assert rows.locator("th .name").all_text_contents() == sorted(names)[:-26:-1]
        page.get_by_label("Find models").fill("model-11")
        assert rows.locator("th .name").all_text_contents() == [
            f"model-11{k}" for k in range(9, -1, -1)
        ]
        assert page.get_by_role("status").first.inner_text() == "10 of 120 shown, ranks among 120"


def test_aria_sort_says_how_the_numbers_run(browser, pages):
    _, file = pages("demo")
    keys = ("score", "lead", "tier", "first", "coverage")
    with watched(browser, file) as one:
        for address in ("", *(f"&sort={sign}{key}" for key in keys for sign in ("", "-"))):
            page = one.open("#also=tier.first.coverage" + address)
            (head,) = page.locator("#board-table th[aria-sort]").all()
            key = head.get_attribute("data-key")
            cells = page.locator(f'#board-table tbody [data-key="{key}"]').all_inner_texts()
            numbers = [
                float(re.findall(r"[\d.]+", cell)[-1 if key == "lead" else 0]) for cell in cells
            ]
            if key == "lead":
                firsts = [float(re.findall(r"\d+", cell)[0]) for cell in cells]
                numbers = [100 * one for one in firsts]
            way = head.get_attribute("aria-sort")
            assert numbers == sorted(numbers, reverse=way == "descending"), address


@pytest.mark.parametrize("width", [1280, 360])
def test_links_land_where_they_point(browser, pages, width):
    _, file = pages("demo")
    with watched(browser, file, viewport={"width": width, "height": 800}) as one:
        for target in ("sure", "notes", "method", "words", "data", "picture", "explore", "tasks"):
            page = one.open(f"#{target}")
            page.wait_for_timeout(100)
            top, rest = page.evaluate(
                """id => {
                    const root = document.documentElement
                    const top = document.getElementById(id).getBoundingClientRect().top
                    return [top, root.scrollHeight - innerHeight - root.scrollTop]
                }""",
                target,
            )
            # The end of the page may come before the top of the window.
            assert abs(top - 8) <= 8 or (top > 0 and rest <= 1), (target, top, rest)
        page = one.open()
        page.locator("a.mark").first.click()
        page.wait_for_timeout(100)
        assert 0 <= page.locator("#note-1").bounding_box()["y"] < 800


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_under_the_pointer_or_the_focus(browser, pages, scheme):
    if not AXE.exists():
        pytest.skip("needs the packages of web/ (make web)")
    _, file = pages("demo")
    kinds = (
        "#board-table tbody tr:nth-child(3) td.draw",
        "#board-table tbody tr:nth-child(3) a.name",
        "#board-table button.sort >> nth=1",
        "#board-table a.term >> nth=0",
        ".scope label >> nth=0",
        ".scope label >> nth=1",
        "#controls .menu summary",
        "#title .menu summary",
        "#level a",
        "#sure > summary",
        "#picture .tabs button >> nth=0",
        "#picture .tabs button >> nth=1",
        ".theme",
    )
    with watched(browser, file, color_scheme=scheme, reduced_motion="reduce") as one:
        page = one.open("#at=picture")
        for kind in kinds:
            place = page.locator(kind)
            place.scroll_into_view_if_needed()
            place.hover()
            place.focus()
            assert violations(page, rules=COLOURS) == [], kind


def test_a_phone_breaks_no_short_name_and_hides_no_word(browser, tmp_path):
    names = ["gpt-4o-mini-2024-07-18", "claude-3-5-haiku-20241022", "qwen2.5-7b", "old"]
    rows = 1e4 * np.random.default_rng(2).normal([6.0, 6.0, 6.0, 1.0], 9.0, size=(400, 4))
    rows[:240, 2] = np.nan
    scores = rb.Scores.from_arrays({"income": rows}, names)
    board = rb.leaderboard(scores, missing="pairwise", pairs=True)
    write_page(board, tmp_path / "page.html")
    phone = {"width": 360, "height": 740}
    with watched(browser, tmp_path / "page.html", viewport=phone) as one:
        page = one.open()
        lines = page.eval_on_selector_all(
            "h1 .lead bdi.short", "all => all.map(one => one.getClientRects().length)"
        )
        assert lines == [1, 1, 1, 1]  # of those that may be first, and of the other one
        ends = page.eval_on_selector_all(
            "#board-table tbody .gap",
            "all => all.map(one => [one, one.closest('tr').querySelector('.score')]"
            ".map(two => two.getBoundingClientRect()))"
            ".map(([words, score]) => words.right <= score.left || words.bottom <= score.top"
            " || words.top >= score.bottom)",
        )
        assert ends == [True]

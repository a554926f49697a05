"""The piece of a board for notebooks and other pages, in Chromium."""

from __future__ import annotations

from html import escape

import numpy as np
import pytest
from render.boards import NAMES, average_board, order_of
from render.browsing import violations
from render.hostile import NASTY

import rankbars as rb
from rankbars.render.page import fragment_html

SHOWN = [*NAMES[:2], *NAMES[2:4], NAMES[4]]


def shown(part) -> list[str]:
    """The names in the rows, from top to bottom."""
    return [name.strip() for name in part.locator("tbody th bdi").all_inner_texts()]


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 900, "height": 900})
    page = context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    yield page
    assert [one for one in said if not one.startswith("about:")] == []
    context.close()


def test_two_pieces_on_a_page_are_sorted_and_lit_by_themselves(page):
    board = average_board()
    page.set_content(f"<p>Before</p>{fragment_html(board) * 2}<button>theirs</button>")
    one, two = page.locator(".rankbars-board").all()
    one.locator("button", has_text="Model").click()
    one.locator("button", has_text="Model").click()
    assert shown(one) == sorted(NAMES, reverse=True)
    assert shown(two) == SHOWN
    assert one.locator("[aria-sort]").get_attribute("aria-sort") == "descending"
    assert two.locator("[aria-sort]").get_attribute("aria-sort") == "descending"  # of scores
    one.locator("button", has_text="Rank").first.click()
    assert shown(one) == SHOWN
    two.locator("tbody tr").first.hover()
    assert two.locator("tr.near bdi").all_inner_texts() == ["bee"]
    assert two.locator("[role=status]").inner_text() == "ant: not told apart from 1"
    assert one.locator("tr.near").count() == 0
    two.locator("tbody tr").last.focus()
    assert two.locator("tr.me bdi").all_inner_texts() == ["eel"]
    assert "told apart from all" in two.locator("[role=status]").inner_text()


def test_those_not_told_apart_that_are_not_shown_are_counted(page):
    names = tuple(f"m{k:02d}" for k in range(40))
    rows = np.random.default_rng(1).random((50, 40)) < 0.5
    board = rb.leaderboard(rb.Scores.from_arrays({"x": rows * 1.0}, list(names)))
    page.set_content(fragment_html(board))
    page.locator("tbody tr").first.hover()
    assert (
        "not told apart from 39 (15 of them not shown here)"
        in page.locator("[role=status]").inner_text()
    )
    assert page.locator("tr.near").count() == 24


@pytest.mark.parametrize("sandbox", ["allow-scripts", ""])
def test_in_a_frame_the_piece_is_whole_and_sorts_where_scripts_run(page, sandbox):
    frame = f'<iframe sandbox="{sandbox}" srcdoc="{escape(fragment_html(average_board()))}">'
    page.set_content(f"{frame}</iframe>")
    part = page.frame_locator("iframe").locator(".rankbars-board")
    assert shown(part) == SHOWN
    assert part.locator("tbody rect").count() == 2 * len(NAMES)
    assert part.locator("thead button").count() == (4 if sandbox else 0)


def test_its_style_and_hostile_names_reach_nothing_outside(page):
    names = tuple(sorted(NASTY[:5]))
    look = "one => getComputedStyle(one).cssText + one.getBoundingClientRect().width"
    outside = "<table id=t><tr><td>a</td></tr></table><p id=p>b</p>"
    page.set_content(outside)
    before = [page.locator(one).evaluate(look) for one in ("#t", "#t td", "#p")]
    page.set_content(outside + fragment_html(average_board(names, shown_better=order_of((0, 1)))))
    assert before == [page.locator(one).evaluate(look) for one in ("#t", "#t td", "#p")]
    assert page.locator("tbody bdi").count() == 5
    assert page.locator(".rankbars-board :is(img, iframe)").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_piece_is_accessible_and_fits_a_phone(page, scheme):
    page.emulate_media(color_scheme=scheme)
    text = fragment_html(average_board())
    page.set_content(
        f'<html lang="en"><title>t</title><meta name="color-scheme" content="light dark">'
        f'<body style="background: Canvas"><main><h1>Their page</h1>{text}</main></body></html>'
    )
    page.locator("tbody tr").first.hover()
    assert violations(page) == []
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("tbody svg").first.bounding_box()["width"] > 300


def test_a_long_board_is_a_small_piece():
    size = len(fragment_html(average_board(tuple(f"model-{k}" for k in range(5)))))
    assert size < 20_000


def test_short_names_are_not_broken_in_its_sentences(page):
    names = ["gpt-4o-mini-2024-07-18", "claude-3-5-haiku-20241022", "qwen2.5-7b", "old"]
    rows = 1e4 * np.random.default_rng(2).normal([6.0, 6.0, 6.0, 1.0], 9.0, size=(400, 4))
    board = rb.leaderboard(rb.Scores.from_arrays({"income": rows}, names))
    page.set_content(fragment_html(board))
    for width in range(260, 400, 20):
        page.set_viewport_size({"width": width, "height": 740})
        lines = page.eval_on_selector_all(
            ".rankbars-board p strong bdi", "all => all.map(one => one.getClientRects().length)"
        )
        assert lines == [1, 1, 1, 1], width

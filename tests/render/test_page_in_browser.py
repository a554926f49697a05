"""The page as a browser shows it: complete without scripts, silent, and never wider than a phone."""

import pytest

from rankbars.render import render_html
from render.boards import average_board, board_of
from render.hostile import NASTY


@pytest.fixture(params=[1280, 320])
def opened(request, browser, tmp_path):
    """A page with hostile names, what it asked for, and what the console said."""
    file = tmp_path / "report.html"
    names = (*sorted(NASTY[:4]), "z" * 300)
    file.write_text(render_html(average_board(names)), encoding="utf-8")
    page = browser.new_page(viewport={"width": request.param, "height": 800})
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    yield page, asked, said
    page.close()


def test_the_page_opens_from_disk_alone_and_in_silence(opened):
    page, asked, said = opened
    assert asked == [page.url]
    assert said == []


def test_the_page_is_not_wider_than_the_window(opened):
    page, _, _ = opened
    width, window = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= window


def test_the_table_is_a_table_to_a_screen_reader(opened):
    page, _, _ = opened
    table = page.get_by_role("table").first
    assert table.get_by_role("rowheader").count() == 5
    assert table.get_by_role("columnheader").count() == 5
    assert "ranks 1 to 2" in table.get_by_role("row").nth(1).inner_text()


def test_text_stands_out_from_its_ground_in_both_schemes(browser, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(render_html(board_of(4)), encoding="utf-8")
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(file.as_uri())
        colors = page.evaluate(
            """() => Object.fromEntries(["paper", "panel", "ink", "muted", "new", "link", "bar"].map(
                name => [name, getComputedStyle(document.documentElement)
                    .getPropertyValue("--" + name).trim()]))"""
        )
        for text in ("ink", "muted", "new", "link"):
            for ground in ("paper", "panel"):
                assert contrast(colors[text], colors[ground]) >= 4.5, (scheme, text, ground)
        assert contrast(colors["bar"], colors["paper"]) >= 3
        page.close()


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colors, as WCAG 2 defines it."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

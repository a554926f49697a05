"""The page as a browser shows it: complete without scripts, silent, as narrow as a phone."""

from render.boards import average_board, board_of
from render.hostile import NASTY

from rankbars.render.page import render_html


def test_the_page_is_complete_silent_and_narrow_enough_for_a_phone(browser, tmp_path):
    file = tmp_path / "report.html"
    names = (*sorted(NASTY[:4]), "z" * 300)
    file.write_text(render_html(average_board(names)), encoding="utf-8")
    for width in (1280, 320):
        page = browser.new_page(viewport={"width": width, "height": 800}, java_script_enabled=False)
        asked, said = [], []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda message, said=said: said.append(message.text))
        page.goto(file.as_uri())
        assert asked == [page.url]  # nothing else is loaded
        assert said == []  # nothing was refused by the policy
        table = page.get_by_role("table").first
        assert table.get_by_role("rowheader").count() == 5
        assert "ranks 1 to 2" in table.get_by_role("row").nth(1).inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()


def test_text_stands_out_from_its_ground_in_both_schemes(browser, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(render_html(board_of(4)), encoding="utf-8")
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(file.as_uri())
        colors = page.evaluate(
            """() => {
                const style = getComputedStyle(document.documentElement)
                const names = ["paper", "panel", "ink", "muted", "new", "link", "bar"]
                const color = name => style.getPropertyValue("--" + name).trim()
                return Object.fromEntries(names.map(name => [name, color(name)]))
            }"""
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

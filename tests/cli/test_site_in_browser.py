"""``rankbars site``: its pages in Chromium."""

from itertools import combinations

import pytest
from render.browsing import AXE, READY, violations

import rankbars as rb

MODELS = ("amber", "birch", "cedar", "Dark/<b>Oak</b>")
FACTS = """\
model,organisation,size,date
amber,Acme,7B,2025-03-01
birch,Oak Labs,400M,2024-11-30
cedar,Acme,70B,
"""
CONFIG = """\
title: Woods <i>&</i> trees
description: Four trees on four tasks.
date: 2026-05-31
results: results.csv
models: models.csv
categories: {civil: law, penal: law, algebra: math, sums: math}
boards: [{per: category}]
history: history
retired: {models: {elm: It is ill.}}
"""
PAGES = ("index.html", "models.html", "models/birch.html", "history.html", "changes.html",
         "method.html", "about.html", "boards/law.html")  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of a site with attributes, categories and an earlier day."""
    from rankbars.publication import build_site
    from rankbars.readers.sitefile import read_site

    place = tmp_path_factory.mktemp("site")
    shares = {"civil": 3, "penal": 4, "algebra": 5, "sums": 7}
    lines = ["model,task,item,score"] + [
        f"{model},{task},{k},{int((7 * k + 3 * m) % 20 < share + 3 * m)}"
        for m, model in enumerate((*MODELS, "elm"))
        for task, share in shares.items()
        for k in range(40)
    ]
    (place / "results.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (place / "models.csv").write_text(FACTS, "utf-8")
    (place / "site.yaml").write_text(CONFIG, "utf-8")
    (place / "history").mkdir()
    early = rb.read(place / "results.csv").select(models=MODELS[:3])
    rb.leaderboard(early).titled(date="2026-01-10").save(place / "history" / "early.json")
    build_site(read_site(place / "site.yaml"), place / "public")
    return place / "public"


def opened(page, site, path):
    page.goto((site / path).as_uri())
    if path.startswith("boards/"):
        page.wait_for_function(READY)
    return page


def first_cells(page, column):
    rows = page.locator("table.sorts").first.locator("tbody tr")
    return rows.locator(f":scope > :nth-child({column})").all_inner_texts()


def test_a_site_opens_from_disk_without_a_word_in_the_console(site, browser):
    page = browser.new_page(viewport={"width": 360, "height": 800})
    faults = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("requestfailed", lambda request: faults.append(request.url))
    for path in PAGES:
        page.goto((site / path).as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        # On a phone a bar stands below its row: ranks and scores are seen without scrolling.
        hidden = (
            "[...document.querySelectorAll('.boxes')].some((one) => {"
            "const box = one.parentElement; return box.scrollWidth > box.clientWidth})"
        )
        assert not page.evaluate(hidden), path
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name="The whole board").click()
    page.get_by_role("link", name="Models").click()
    assert page.locator("h1").inner_text() == "Models"
    assert page.evaluate("getComputedStyle(document.querySelector('nav.site')).display") == "flex"
    assert faults == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_on_the_pages_of_a_site(site, browser, scheme, width):
    if not AXE.exists():
        pytest.skip("needs the packages of web/ (make web)")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    for path in PAGES:
        assert violations(opened(page, site, path)) == [], path
    context.close()


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_as_wide_as_a_phone(site, browser, path):
    page = browser.new_page(viewport={"width": 360, "height": 800})
    opened(page, site, path)
    wide = page.evaluate("document.documentElement.scrollWidth")
    # The longest word of a sentence on the method page must not widen it either.
    columns = page.eval_on_selector_all(
        ".method dd", "all => all.map(one => one.clientWidth)"
    )  # fmt: skip
    assert wide <= 360
    assert all(width >= 280 for width in columns)


def test_names_ranks_and_scores_have_room_on_a_phone(site, browser):
    page = browser.new_page(viewport={"width": 360, "height": 800})
    for path, rows in (
        ("index.html", ".first tbody tr"),
        ("models/birch.html", ".on-boards tbody tr"),
    ):
        opened(page, site, path)
        for row in page.query_selector_all(rows):
            cells = [cell.bounding_box() for cell in row.query_selector_all(":scope > *")]
            name, bar = cells[0], row.query_selector("svg").bounding_box()
            assert name["width"] >= 190
            assert bar["width"] >= 150
            for one, other in combinations([*cells], 2):
                apart = (
                    one["x"] + one["width"] <= other["x"] + 1
                    or other["x"] + other["width"] <= one["x"] + 1
                    or one["y"] + one["height"] <= other["y"] + 1
                    or other["y"] + other["height"] <= one["y"] + 1
                )
                assert apart, (path, one, other)


def test_lists_of_models_sort_by_the_head_that_is_pressed(site, browser):
    page = opened(browser.new_page(), site, "models.html")
    given = first_cells(page, 2)
    # Numbers by their size, the largest first; days and words upwards; what is empty at the end.
    for head, names in {
        "size": ["cedar", "amber", "birch", given[0]],
        "date": ["birch", "amber"],
        "organisation": [name for name in given if name in ("amber", "cedar")] + ["birch"],
        "Model": ["amber", "birch", "cedar", "Dark/<b>Oak</b>"],
        "Score": given,
        "Rank": given,
    }.items():
        button = page.get_by_role("button", name=head, exact=True)
        button.click()
        assert first_cells(page, 2)[: len(names)] == names, head
        column = page.locator("th[aria-sort]")
        assert column.count() == 1
        assert column.inner_text().split("\n")[0] == head
        falls = head in ("size", "Score")
        assert column.get_attribute("aria-sort") == ("descending" if falls else "ascending")
    page.get_by_role("button", name="Model", exact=True).press("Enter")
    page.keyboard.press("Enter")
    assert first_cells(page, 2) == ["Dark/<b>Oak</b>", "cedar", "birch", "amber"]
    page.close()


def test_without_scripts_lists_are_plain_and_names_lead_to_pages(site, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "models.html").as_uri())
    assert page.locator("table button, th[aria-sort]").count() == 0
    assert page.locator("tbody tr").count() == len(MODELS)
    page.goto((site / "boards" / "law.html").as_uri())
    page.get_by_role("link", name="birch").first.click()
    assert page.locator("h1").inner_text() == "birch"
    context.close()


def test_a_model_of_a_board_leads_to_its_own_page(site, browser):
    page = opened(browser.new_page(), site, "boards/all.html")
    page.get_by_role("link", name="birch").first.click()
    page.get_by_role("link", name="Its own page").click()
    assert page.locator("h1").inner_text() == "birch"
    assert page.url == (site / "models" / "birch.html").as_uri()
    page.close()


def test_links_to_a_site_with_an_address_show_a_card_of_their_board(site, browser, tmp_path):
    from rankbars.publication import build_site
    from rankbars.readers.sitefile import read_site

    assert "og:image" not in (site / "index.html").read_text("utf-8")
    assert not list(site.rglob("*.png"))
    plan = site.parent / "addressed.yaml"
    plan.write_text(CONFIG + "address: https://example.org/woods\n", "utf-8")
    build_site(read_site(plan), tmp_path / "public")
    page = browser.new_page()
    for path, slug in {
        "index.html": "all",
        "models/birch.html": "all",
        "boards/law.html": "law",
    }.items():
        page.goto((tmp_path / "public" / path).as_uri())
        address = page.locator('meta[property="og:image"]').get_attribute("content")
        assert address == f"https://example.org/woods/boards/{slug}.png"
        page.goto((tmp_path / "public" / "boards" / f"{slug}.png").as_uri())
        size = "[document.images[0].naturalWidth, document.images[0].naturalHeight]"
        assert page.evaluate(size) == [1200, 630]
    page.close()
    assert build_site(read_site(plan), tmp_path / "public").written == ()

"""``--title``, ``--source``, ``--date``, ``--link`` and ``--description``, and where they stand."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from commandline import Command

import rankbars as rb
from rankbars.data.about import About

HOSTILE = "<b>Trees</b> & [x](y) \u202ebad"
OPTIONS = (
    *("--title", HOSTILE, "--source", 'Bench "2"', "--date", "2026-05-31"),
    *("--link", "https://example.org/a?b=1&c=2"),
    *("--description", "How <i>trees</i> answer."),
)


def tags(page: str) -> dict[str, str]:
    found = re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page)
    return {name: unescape(text) for name, text in found}


def test_title_and_credit_stand_wherever_the_board_is_shown(
    rankbars: Command, results: str
) -> None:
    files = ("-o", "board.json", "--html", "page.html", "--md", "board.md")
    answer = rankbars("rank", results, *OPTIONS, *files)
    assert answer.code == 0
    seen = HOSTILE.replace("\u202e", "\\u202e")
    lines = answer.out.splitlines()
    assert lines[:3] == [
        seen,
        "How <i>trees</i> answer.",
        'Bench "2", 2026-05-31, https://example.org/a?b=1&c=2',
    ]
    assert rb.load("board.json").about == About(
        HOSTILE, 'Bench "2"', "2026-05-31", "https://example.org/a?b=1&c=2",
        "How <i>trees</i> answer.",
    )  # fmt: skip

    page = Path("page.html").read_text("utf-8")
    assert unescape(page.split("<title>")[1].split("</title>")[0]) == seen
    assert tags(page) == {
        "type": "website", "title": seen, "description": "How <i>trees</i> answer.",
    }  # fmt: skip
    header = page.split("<header>")[1].split("</header>")[0]
    assert "<b>Trees" not in header
    assert "<i>" not in header
    assert '<a href="https://example.org/a?b=1&amp;c=2" rel="noopener">' in header
    words = unescape(re.sub("<[^>]*>", "", header))
    assert words.strip().startswith(seen)
    assert 'Source: Bench "2", 2026-05-31. Made with rankbars ' in words

    marker, title, description, credit, *_ = Path("board.md").read_text("utf-8").split("\n\n")
    assert marker.startswith("<!--")
    assert title == r"### &lt;b&gt;Trees&lt;/b&gt; &amp; \[x\](y) \\u202ebad"
    assert "<i>" not in description
    assert credit == '[Bench "2"](<https://example.org/a?b=1&c=2>), 2026-05-31'

    assert "<bdi>&lt;b&gt;Trees" in rb.load("board.json")._repr_html_()


def test_a_page_without_a_title_says_which_file_was_read_and_what_was_found(
    rankbars: Command, results: str
) -> None:
    rankbars("rank", results, "-o", "board.json", "--html", "page.html")
    page = Path("page.html").read_text("utf-8")
    title = page.split("<title>")[1].split("</title>")[0]
    assert title.startswith(f"{Path(results).name}: ")
    shown = " ".join(rankbars("show", "board.json").out.split())
    assert tags(page)["title"] == title
    assert shown.startswith(tags(page)["description"])
    assert 'id="credit"' not in page


def test_report_says_it_in_other_words(rankbars: Command, results: str) -> None:
    rankbars("rank", results, *OPTIONS, "-o", "board.json")
    options = ("--title", "Woods", "--link", "", "--description", "")
    assert rankbars("report", "board.json", "-o", "page.html", *options).code == 0
    page = Path("page.html").read_text("utf-8")
    assert "<title>Woods</title>" in page
    assert "https://example.org" not in page
    assert "Source: <bdi>Bench" in page
    assert rb.load("board.json").about.title == HOSTILE


def test_plot_draws_the_title_of_the_board_or_another(rankbars: Command, results: str) -> None:
    rankbars("rank", results, "--title", "Board of trees", "-o", "board.json")

    def drawn(*options: str) -> str:
        assert rankbars("plot", "board.json", "ranks", "-o", "a.svg", *options).code == 0
        return Path("a.svg").read_text("utf-8")

    assert ">Board of trees</text>" in drawn()
    assert ">Price $5 &lt;b&gt;</text>" in drawn("--title", "Price $5 <b>")
    assert "Board of trees" not in drawn("--title", "")


@pytest.mark.parametrize("command", [("rank", "none.csv"), ("report", "none.json", "-o", "a.html")])
@pytest.mark.parametrize("wrong", [("--date", "May 2026"), ("--link", "javascript:alert(1)")])
def test_what_does_not_fit_is_said_before_anything_is_read(
    rankbars: Command, command: tuple[str, ...], wrong: tuple[str, str]
) -> None:
    answer = rankbars(*command, *wrong)
    assert answer.code == 1
    assert answer.err.startswith(f"Error: {wrong[0][2:]} must be ")
    assert wrong[1] in answer.err
    assert answer.err.count("\n") == 1


def test_notes_on_files_with_an_absolute_path_are_said_once(
    rankbars: Command, results: str
) -> None:
    near, far = (rankbars("rank", path) for path in (results, str(Path(results).absolute())))
    assert near.code == far.code == 0
    assert far.out == near.out
    assert str(Path(results).absolute()) in far.err


def test_the_piece_for_other_pages_is_that_of_notebooks(rankbars: Command, results: str) -> None:
    rankbars("rank", results, "-o", "board.json")
    answer = rankbars("report", "board.json", "--fragment", "--title", "Trees", "-o", "piece.html")
    assert answer.code == 0
    piece = Path("piece.html").read_text("utf-8")
    board = rb.load("board.json").titled(title="Trees")
    assert piece == board.to_html(fragment=True) == board._repr_html_()
    assert "<!doctype" not in piece
    board.to_html("other.html", fragment=True)
    assert Path("other.html").read_text("utf-8") == piece

"""The page: one file, nothing loaded, nothing run, the same bytes every time."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import Phase, given, settings
from render.boards import average_board, board_of, new_task_board, overall, task, task_board
from render.hostile import NASTY, hostile_boards

from rankbars.data.boardfile import board_to_dict
from rankbars.data.boardreading import board_from_dict
from rankbars.data.notes import Note
from rankbars.errors import OptionError
from rankbars.render import RENDERERS, render
from rankbars.render.page import fragment_html, render_html
from rankbars.render.shownnames import shorten, visible

VOID = {"meta", "br", "input", "wbr"}


class Reader(HTMLParser):
    """Tags in order, attributes, and the text of every model's row header."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.names: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value for name, value in attrs if name in ("href", "src")]
        if tag == "bdi":
            self.names.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "bdi" in self.open:
            self.names[-1] += data


ALL_BOARDS = [average_board(), task_board(), new_task_board(), board_of(1), board_of(2)]


@pytest.mark.parametrize("board", ALL_BOARDS)
def test_every_kind_of_board_gives_a_well_formed_page(board):
    page = Reader(render_html(board))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)


def test_only_the_script_of_the_page_runs_and_nothing_is_loaded():
    text = render_html(average_board())
    page = Reader(text)
    assert not page.tags & {"link", "iframe", "img", "object", "embed", "base", "form"}
    # The data, what reads them, and what runs when a view is opened.
    assert text.count("<script") == text.count("</script>") == 3
    assert not {name for name in page.attributes if name.startswith("on") or name == "style"}
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_the_policy_allows_this_style_and_these_scripts_and_no_other():
    text = render_html(average_board())
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    views = re.search(r'<script type="text/plain" [^>]*>(.*?)</script>', text, re.DOTALL)
    assert style is not None
    assert script is not None
    assert views is not None
    css, code, later = (
        base64.b64encode(hashlib.sha256(part[1].encode()).digest()).decode()
        for part in (style, script, views)
    )
    scripts = f"script-src 'sha256-{code}' 'sha256-{later}';"
    assert f"default-src 'none'; style-src 'sha256-{css}'; {scripts}" in text


def test_the_data_of_the_page_cannot_end_their_element():
    text = render_html(average_board(tuple(sorted(NASTY[:5]))))
    data = text.split('<script type="application/json" id="rankbars-data">')[1]
    data = data.split("</script>")[0]
    assert not set(data) & set("<>&")
    assert data.isascii()
    assert json.loads(data)["models"] == [visible(name) for name in sorted(NASTY[:5])]


@settings(max_examples=15, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(hostile_boards())
def test_names_stay_text_wherever_they_stand(board):
    notes = tuple(Note("x", f"About {name}.", models=(name,)) for name in board.models)
    tasks = {name: replace(task("a"), name=name) for name in board.models}
    for made_by in (render_html, fragment_html):
        page = Reader(made_by(replace(board, notes=notes, tasks=tasks)))
        assert page.open == []
        assert "img" not in page.tags
        shown = {shorten(visible(name), 120) for name in board.models}
        assert shown <= set(page.names)


def test_a_name_cannot_turn_the_direction_of_the_text_around_it():
    page = render_html(average_board(tuple(sorted(NASTY[8:13]))))
    assert "\u202e" not in page
    assert "\\u202e" in page


@pytest.mark.parametrize("format", sorted(RENDERERS))
def test_the_same_board_gives_the_same_bytes(format, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1.7e9)  # records say when they were made
    board = average_board()
    again = board_from_dict(board_to_dict(board))
    assert render(board, format) == render(board, format) == render(again, format)


def test_the_method_box_has_an_entry_for_every_kind_of_number():
    text = render_html(average_board())
    for part in (
        "The sentence at the top, and the tiers",
        "<h4>Rank on average</h4>",
        "<h4>Score</h4>",
        "<h4>New task</h4>",
        "<h4>Rank on each task</h4>",
        "<h4>Score on each task</h4>",
        "95&nbsp;%, all statements at once",
        "79.4&nbsp;%, each model, chosen in advance",
        "The target is the average over exactly these tasks.",
        "The new task is drawn from the same source as these 9 tasks.",
    ):
        assert part in text, part


def test_the_page_says_what_was_read_and_how():
    text = render_html(average_board())
    assert "ab" * 32 in text
    assert "results/scores.csv" in text
    assert "alpha_overall = 0.2" in text
    assert "seed = 0" in text
    assert "rankbars 0.1.0" in text


def test_rows_point_to_their_notes():
    text = render_html(average_board())
    assert '<a class="mark" href="#note-1"' in text
    assert 'id="note-1"' in text


def test_each_category_of_new_tasks_has_its_intervals():
    groups = {"hard": overall(), "soft <b>": overall(guarantee=0.9)}
    text = render_html(average_board(overall=overall(method="group", groups=groups)))
    assert (
        "Rank on a new task of each category (hard 79.4&nbsp;%, soft &lt;b&gt; 90&nbsp;%)" in text
    )


def test_large_boards_say_what_they_leave_out():
    text = render_html(board_of(300, n_tasks=80))
    assert "175 lines are left out here; the board file holds them all." in text


def test_fifty_models_on_sixty_tasks_stay_below_a_megabyte():
    assert len(render_html(board_of(50, n_tasks=60)).encode("utf-8")) < 1_000_000


def test_one_task_alone_is_no_page():
    with pytest.raises(OptionError, match="every task"):
        render_html(average_board(), task="a")


def test_a_notebook_shows_the_sentence_its_level_and_the_first_rows():
    board = average_board()
    text = fragment_html(board)
    assert "First place is open between" in text
    assert "95&nbsp;% confidence, all models at once." in text
    assert text.count("<tr") == 6
    assert board._repr_html_() == text
    assert Reader(text).open == []
    many = fragment_html(board_of(60))
    assert many.count("<tr") == 26
    assert "The first 25 of 60 models" in many


def test_the_page_carries_the_notices_of_the_libraries_in_its_script():
    page = render_html(task_board())
    assert "d3-selection 3.0.1 (ISC): Copyright 2010-2026 Mike Bostock" in page
    assert "provided that the above copyright notice\nand this permission notice appear" in page

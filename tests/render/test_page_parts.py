"""The parts of the page that do not need its script, as they are meant to read."""

from __future__ import annotations

import re

import pytest
from render.boards import average_board, new_task_board, task_board

from rankbars.render.page import render_html

BOARDS = {"average": average_board, "task": task_board, "new task": new_task_board}


def part(page: str, start: str, end: str) -> str:
    """What lies between two marks, one element per line."""
    text = page[page.index(start) : page.index(end, page.index(start)) + len(end)]
    letters = re.sub(r"&#(\d+);", lambda found: chr(int(found[1])), text)
    return re.sub(r">\s*<", ">\n<", letters)


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_the_headline_reads_as_meant(snapshot, name):
    assert part(render_html(BOARDS[name]()), "<header>", "</header>") == snapshot


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_the_rows_of_the_board_read_as_meant(snapshot, name):
    assert part(render_html(BOARDS[name]()), '<table id="board-table"', "</table>") == snapshot


def test_the_method_box_reads_as_meant(snapshot):
    assert part(render_html(average_board()), '<section id="method"', "</section>") == snapshot

"""Leaderboard → text, Markdown, CSV, LaTeX, JSON and a page. Reads, lays out, computes nothing.

One function per format, and one entry in `RENDERERS`.
"""

from __future__ import annotations

import json
from typing import Protocol

from rankbars.data.board import Leaderboard
from rankbars.data.boardfile import board_json, board_to_dict
from rankbars.errors import OptionError
from rankbars.render.citations import citation
from rankbars.render.eee import render_eee, write_eee
from rankbars.render.html import notebook_html, render_html
from rankbars.render.markdown import render_markdown
from rankbars.render.paragraph import methods_paragraph, methods_text
from rankbars.render.rows import take_task
from rankbars.render.sentences import headline
from rankbars.render.tables import render_csv, render_latex
from rankbars.render.text import render_text

__all__ = [
    "RENDERERS",
    "Renderer",
    "citation",
    "headline",
    "methods_paragraph",
    "methods_text",
    "notebook_html",
    "render_csv",
    "render_dot",
    "render_eee",
    "render_html",
    "render_json",
    "render_latex",
    "render_markdown",
    "render_text",
    "write_eee",
]


class Renderer(Protocol):
    """Writes a board, or one of its tasks, as text."""

    def __call__(self, board: Leaderboard, *, task: str | None = None) -> str:
        """The text; raises `UnknownOptionError` if there is no such task."""
        ...


def render_json(board: Leaderboard, *, task: str | None = None) -> str:
    """The board as its file (schema ``rankbars.board/1``), or one task as it stands in there.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : str, optional
        One task: its object of the board file, with the models its lists are aligned with.

    Returns
    -------
    str
        JSON with sorted keys.

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    if task is None:
        return board_json(board)
    name = take_task(board, task).name
    values = next(one for one in board_to_dict(board)["tasks"] if one["name"] == name)
    values["models"] = list(board.models)
    text = json.dumps(values, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def render_dot(board: Leaderboard, *, task: str | None = None) -> str:
    """Who was shown better than whom on what the board shows first, as text for Graphviz.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : str, optional
        Refused, unless it is the only task: a board keeps one order, that of what it shows first.

    Raises
    ------
    OptionError
        If a task of several is asked for.
    UnknownOptionError
        If there is no such task.
    """
    if task is not None and len(board.tasks) > 1:
        take_task(board, task)  # names the known ones if there is no such task
        raise OptionError(
            "A board keeps one order, that of what it shows first. Rank the task by itself: "
            "rankbars rank INPUT --tasks NAME."
        )
    return board.partial_order().to_dot() + "\n"


RENDERERS: dict[str, Renderer] = {
    "text": render_text,
    "md": render_markdown,
    "csv": render_csv,
    "latex": render_latex,
    "dot": render_dot,
    "json": render_json,
    "eee": render_eee,
    "html": render_html,
}
"""Every format by the name that the command line uses."""

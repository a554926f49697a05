"""Leaderboard → text, Markdown, CSV, LaTeX, JSON and a page. Reads, lays out, computes nothing.

One function per format, and one entry in `RENDERERS`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard

__all__ = ["RENDERERS", "Renderer", "render"]


class Renderer(Protocol):
    """Writes a board, or one of its tasks, as text."""

    def __call__(self, board: Leaderboard, *, task: str | None = None) -> str:
        """The text; raises `UnknownOptionError` if there is no such task."""
        ...


RENDERERS: Final = {
    "text": "rankbars.render.text.render_text",
    "md": "rankbars.render.markdown.render_markdown",
    "csv": "rankbars.render.exports.render_csv",
    "latex": "rankbars.render.exports.render_latex",
    "dot": "rankbars.render.exports.render_dot",
    "json": "rankbars.render.exports.render_json",
    "eee": "rankbars.render.evalrecords.render_eee",
    "html": "rankbars.render.page.render_html",
}
"""Every format by the name that the command line uses, and its `Renderer`, loaded on first use."""


def render(board: Leaderboard, form: str, *, task: str | None = None) -> str:
    """The board, or one of its tasks, in one of the formats of `RENDERERS`.

    Examples
    --------
    >>> import rankbars as rb
    >>> board = rb.leaderboard(rb.Scores.from_arrays({"math": [[1, 0], [1, 1]]}, ["a", "b"]))
    >>> render(board, "csv").splitlines()[0][:23]
    'model,tier,score,score_'
    """
    module, _, name = RENDERERS[form].rpartition(".")
    renderer: Renderer = getattr(import_module(module), name)
    return renderer(board, task=task)

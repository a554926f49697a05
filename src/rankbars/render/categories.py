"""Categories of votes beside the whole: who may be first in each, and how much stands behind it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.taskresult import CategoryRanks
from rankbars.render.notation import listed, visible

__all__ = ["CATEGORY_TITLES", "CategoryRow", "category_rows"]

CATEGORY_TITLES = ("Votes", "Models", "May be first", "Widest ranks")
_MOST_FIRST = 3


class CategoryRow(NamedTuple):
    """One category in a table of all of them, and the ranks of its models.

    Attributes
    ----------
    title : str
        What it is called.
    cells : tuple of str
        What stands under `CATEGORY_TITLES`.
    ranks : tuple of (str, str, str)
        Ranks, model and strength, the best first.
    remark : str
        Why nothing is ranked, or which models are left out; empty where nothing must be said.
    """

    title: str
    cells: tuple[str, str, str, str]
    ranks: tuple[tuple[str, str, str], ...]
    remark: str


def category_rows(board: Leaderboard) -> tuple[CategoryRow, ...]:
    """The categories of a board in their order; the board itself is the first of them.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> category_rows(rb.leaderboard(rb.Scores.from_arrays({"x": np.eye(3)}, ["a", "b", "c"])))
    ()
    """
    if not board.categories:
        return ()
    (whole,) = board.tasks.values()
    adjusted = () if whole.effects is None else whole.effects.names
    first = CategoryRanks("", adjusted, whole.n, board.models, (), whole)
    return tuple(_row(one) for one in (first, *board.categories))


def _row(one: CategoryRanks) -> CategoryRow:
    title = visible(one.title)
    votes = f"{one.votes:,}"
    if one.task is None:
        return CategoryRow(title, (votes, "–", "–", "–"), (), f"{title}: {one.reason}")
    remark = ""
    if one.left_out:
        remark = (
            f"{title}: {listed([visible(name) for name in one.left_out], 5)} left out, because its "
            "votes do not put them on one scale with the others."
        )
    shown = f"{len(one.first)} models"
    if len(one.first) <= _MOST_FIRST:
        shown = ", ".join(visible(name) for name in one.first)
    widest = one.widest or (1, 1)
    return CategoryRow(
        title, (votes, str(len(one.models)), shown, _span(*widest)), tuple(_ranks(one)), remark
    )


def _ranks(one: CategoryRanks) -> list[tuple[str, str, str]]:
    if one.task is None:
        return []
    value, low, high = one.task.ratings()
    digits = 2 if one.task.elo is None else 0
    rows = []
    for k in np.lexsort((one.task.best + one.task.worst, -one.task.mean)).tolist():
        half = (high[k] - low[k]) / 2
        spread = f" ±{half:.{digits}f}" if np.isfinite(half) else ""
        rows.append((
            _span(int(one.task.best[k]), int(one.task.worst[k])), visible(one.models[k]),
            f"{value[k]:.{digits}f}{spread}",
        ))  # fmt: skip
    return rows


def _span(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}–{worst}"

"""Rows of the main table as the page draws them: the shared rows, with what only a page shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.render.numbers import show_chance
from rankbars.render.outcomes import lost_rows
from rankbars.render.pagedata import TOP, top_share
from rankbars.render.rows import Row, Table

__all__ = ["PageRow", "ScoreLine", "page_rows"]


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A score and its interval, drawn on a scale from 0 to 100."""

    left: float
    middle: float
    right: float


@dataclass(frozen=True, slots=True)
class PageRow:
    """One model.

    Parameters
    ----------
    position : int
        Its position among the models of the board.
    row : Row
        What every format shows.
    first, top : str
        Share of draws in which it is first, and among the first few; empty without draws.
    score : ScoreLine, optional
        Its score drawn to scale; None without one.
    lost : str
        What became of its rows without a score: ``"3 failed, 4 missing"``; empty where not known.
    """

    position: int
    row: Row
    first: str
    top: str
    score: ScoreLine | None
    lost: str


def page_rows(board: Leaderboard, table: Table) -> tuple[PageRow, ...]:
    """The rows of the main table, in its order."""
    position = {name: i for i, name in enumerate(board.models)}
    first, top = top_share(board, 1), top_share(board, TOP)
    lines = _score_lines(board)
    rows = []
    for row in table.rows:
        i = position[row.model]
        rows.append(
            PageRow(
                position=i,
                row=row,
                first="" if first is None else show_chance(float(first[i])),
                top="" if top is None or len(board.models) <= TOP else show_chance(float(top[i])),
                score=lines[i],
                lost=lost_rows(board, i),
            )
        )
    return tuple(rows)


def _score_lines(board: Leaderboard) -> list[ScoreLine | None]:
    """Scores of the main table on one scale; better is to the right."""
    if board.lead == "aggregate" and board.aggregate is not None:
        average = board.aggregate
        return _drawn(average.score, average.low, average.high, average.direction)
    if board.lead == "task":
        task = next(iter(board.tasks.values()))
        return _drawn(task.mean, task.mean - task.se, task.mean + task.se, task.direction)
    return [None] * len(board.models)


def _drawn(
    score: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    direction: str,
) -> list[ScoreLine | None]:
    low = np.where(np.isfinite(low), low, score)
    high = np.where(np.isfinite(high), high, score)
    if not np.isfinite(score).any():
        return [None] * score.size
    start, end = float(np.nanmin(low)), float(np.nanmax(high))
    if end == start:
        return [None] * score.size
    at = 100 * (np.array([low, score, high]) - start) / (end - start)
    if direction == "lower":
        at = 100 - at[::-1]
    return [
        ScoreLine(*(round(float(value), 1) for value in column))
        if np.isfinite(column).all()
        else None
        for column in at.T
    ]

"""All rank intervals at a glance: models against tasks."""

from __future__ import annotations

from dataclasses import dataclass

from rankbars.data.board import Leaderboard
from rankbars.render.names import shorten_all, visible
from rankbars.render.numbers import show_ranks
from rankbars.render.sentences import task_claim

__all__ = ["Matrix", "MatrixCell", "MatrixLine", "task_matrix"]

MOST_CELLS = 60_000
_LABEL_WIDTH = 28


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The interval of one model on one task; `is_open` where it excludes no rank."""

    best: int
    worst: int
    ranks: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class MatrixLine:
    """One line of the matrix."""

    name: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rank intervals of all models on all tasks; the longer side runs down the page.

    Parameters
    ----------
    rows_are_models : bool
        What a line is.
    columns : tuple of (str, str)
        Names of the columns, whole and shortened.
    lines : tuple of MatrixLine
        Names of the lines, and their cells.
    n_models : int
        How many ranks there are.
    words : str
        Level and scope, where they are the same for all tasks.
    left_out : int
        Lines that did not fit on the page.
    """

    rows_are_models: bool
    columns: tuple[tuple[str, str], ...]
    lines: tuple[MatrixLine, ...]
    n_models: int
    words: str
    left_out: int


def task_matrix(board: Leaderboard) -> Matrix:
    """Lay out the rank intervals of all tasks, models in the order of the board."""
    models = [board.models[i] for i in board.order]
    by_task = {
        name: tuple(_cell(int(task.best[i]), int(task.worst[i]), len(models)) for i in board.order)
        for name, task in board.tasks.items()
    }
    rows_are_models = len(models) >= len(by_task)
    if rows_are_models:
        cells = zip(*by_task.values(), strict=True)
        lines = tuple(MatrixLine(m, row) for m, row in zip(models, cells, strict=True))
        columns = tuple(by_task)
    else:
        lines = tuple(MatrixLine(name, row) for name, row in by_task.items())
        columns = tuple(models)
    seen = [visible(name) for name in columns]
    labels = shorten_all(seen, [_LABEL_WIDTH] * len(seen))
    claims = {task_claim(task).words for task in board.tasks.values()}
    most = max(MOST_CELLS // len(columns), 1)
    return Matrix(
        rows_are_models=rows_are_models,
        columns=tuple(zip(seen, labels, strict=True)),
        lines=lines[:most],
        n_models=len(models),
        words=claims.pop() if len(claims) == 1 else "the level of each task stands beside it",
        left_out=len(lines) - len(lines[:most]),
    )


def _cell(best: int, worst: int, n_models: int) -> MatrixCell:
    is_open = n_models > 1 and (best, worst) == (1, n_models)
    return MatrixCell(best, worst, show_ranks(best, worst), is_open)

"""All rank intervals, or all scores, at a glance: models against tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.render.claims import overall_claim, task_claim
from rankbars.render.names import listed, shorten_all, visible
from rankbars.render.numbers import show_ranks, show_scores

__all__ = ["Matrix", "MatrixCell", "MatrixLine", "group_matrix", "score_matrix", "task_matrix"]

MOST_CELLS = 10_000
MOST_DRAWN = 1_500  # cells with a bar of their own; more would make the page heavy
_LABEL_WIDTH = 28

_Ranks: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One model on one task: a text, and its interval; `is_open` where that excludes no rank."""

    text: str
    best: int = 0
    worst: int = 0
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class MatrixLine:
    """One line of the matrix."""

    name: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rank intervals of all models, task by task; the longer side runs down the page.

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
    caption : str
        What the intervals state.
    left_out : int
        Lines that did not fit on the page.
    drawn : bool
        Whether cells have bars.
    """

    rows_are_models: bool
    columns: tuple[tuple[str, str], ...]
    lines: tuple[MatrixLine, ...]
    n_models: int
    caption: str
    left_out: int
    drawn: bool = False


def task_matrix(board: Leaderboard) -> Matrix:
    """Lay out the rank intervals of all tasks, models in the order of the board."""
    claims = {task_claim(task).words for task in board.tasks.values()}
    words = claims.pop() if len(claims) == 1 else "at levels that differ between tasks"
    ends = {name: (task.best, task.worst) for name, task in board.tasks.items()}
    return _matrix(board, ends, f"Rank on each task: {words}.")


def group_matrix(board: Leaderboard) -> Matrix | None:
    """Lay out the new-task intervals per category of tasks; None where there are none."""
    if board.overall is None or not board.overall.groups:
        return None
    groups = board.overall.groups
    levels = ", ".join(
        f"{visible(name)} {overall_claim(one).level}" for name, one in groups.items()
    )
    scope = overall_claim(board.overall).scope
    ends = {name: (one.best, one.worst) for name, one in groups.items()}
    return _matrix(board, ends, f"Rank on a new task of each category ({levels}), {scope}.")


def score_matrix(board: Leaderboard) -> Matrix:
    """Lay out the scores on all tasks, models in the order of the board."""
    cells: dict[str, tuple[MatrixCell, ...]] = {}
    for name, task in board.tasks.items():
        shown = show_scores(task.mean, task.mean - task.se, task.mean + task.se)
        cells[name] = tuple(MatrixCell(shown[i]) for i in board.order)
    directions = {task.direction for task in board.tasks.values()}
    side = " Lower is better." if directions == {"lower"} else ""
    if len(directions) > 1:
        lower = [visible(n) for n, task in board.tasks.items() if task.direction == "lower"]
        side = f" Lower is better on {listed(lower, 5)}."
    return _lay_out(board, cells, f"Score on each task, with one standard error.{side}")


def _matrix(board: Leaderboard, ends: Mapping[str, tuple[_Ranks, _Ranks]], caption: str) -> Matrix:
    size = len(board.models)
    cells = {
        name: tuple(_cell(int(best[i]), int(worst[i]), size) for i in board.order)
        for name, (best, worst) in ends.items()
    }
    matrix = _lay_out(board, cells, caption)
    return replace(matrix, drawn=size * len(cells) <= MOST_DRAWN)


def _lay_out(
    board: Leaderboard, blocks: Mapping[str, tuple[MatrixCell, ...]], caption: str
) -> Matrix:
    models = [board.models[i] for i in board.order]
    rows_are_models = len(models) >= len(blocks)
    names, columns = (models, list(blocks)) if rows_are_models else (list(blocks), models)
    lines = list(blocks.values())
    cells = list(zip(*lines, strict=True)) if rows_are_models else lines
    seen = [visible(name) for name in columns]
    most = max(MOST_CELLS // len(columns), 1)
    return Matrix(
        rows_are_models=rows_are_models,
        columns=tuple(zip(seen, shorten_all(seen, [_LABEL_WIDTH] * len(seen)), strict=True)),
        lines=tuple(MatrixLine(*line) for line in zip(names[:most], cells, strict=False)),
        n_models=len(models),
        caption=caption,
        left_out=max(len(names) - most, 0),
    )


def _cell(best: int, worst: int, n_models: int) -> MatrixCell:
    is_open = n_models > 1 and (best, worst) == (1, n_models)
    return MatrixCell(show_ranks(best, worst), best, worst, is_open)

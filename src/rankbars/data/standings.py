"""Where each model of a board stands, as rows and as columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import OptionError, UnknownOptionError

if TYPE_CHECKING:
    from rankbars.data.aggregate import Aggregate
    from rankbars.data.board import Leaderboard
    from rankbars.data.intervals import RankIntervals
    from rankbars.data.taskresult import TaskResult

__all__ = ["Standing", "standing_of", "standings", "task_columns"]


class Standing(NamedTuple):
    """One model of a board, on what the board shows first; None where nothing applies.

    Parameters
    ----------
    model : str
        Its name.
    tier : int, optional
        Number of its tier, counted from 1.
    score, score_low, score_high : float, optional
        Score in the units of the input, and its own interval.
    best, worst : int, optional
        Rank interval.
    new_task_best, new_task_worst : int, optional
        Rank interval on a new task.
    coverage : float
        Share of all expected rows that have a score.
    level : str
        Of the rank interval: such as ``"95 %"``, ``"approximate"``, or ``"no guarantee"``.
    new_task_level : str, optional
        The same of the rank interval on a new task.
    """

    model: str
    tier: int | None
    score: float | None
    score_low: float | None
    score_high: float | None
    best: int | None
    worst: int | None
    new_task_best: int | None
    new_task_worst: int | None
    coverage: float
    level: str
    new_task_level: str | None


def standings(board: Leaderboard) -> list[Standing]:
    """Every model of the board, best score first."""
    order = np.asarray(board.order)
    nothing: list[Any] = [None] * len(board.models)
    score = low = high = best = worst = nothing
    if board.lead == "task":
        task = next(iter(board.tasks.values()))
        score, low, high = (_reals(values[order]) for values in (task.mean, *task.score_interval()))
        best, worst = task.best[order].tolist(), task.worst[order].tolist()
    elif board.aggregate is not None:
        average = board.aggregate
        score, low, high = (
            _reals(values[order]) for values in (average.score, average.low, average.high)
        )
        best, worst = average.best[order].tolist(), average.worst[order].tolist()
    new = board.overall
    columns = (
        [board.models[i] for i in order],
        board.tier[order].tolist() if board.tiers else nothing,
        score,
        low,
        high,
        best,
        worst,
        nothing if new is None else new.best[order].tolist(),
        nothing if new is None else new.worst[order].tolist(),
        board.coverage[order].tolist(),
        [_level(_shown_first(board))] * len(order),
        nothing if new is None else [_level(new)] * len(order),
    )
    return [Standing(*row) for row in zip(*columns, strict=True)]


def _shown_first(board: Leaderboard) -> TaskResult | Aggregate | RankIntervals | None:
    if board.lead == "task":
        return next(iter(board.tasks.values()))
    return board.aggregate if board.lead == "aggregate" else board.overall


def _level(found: TaskResult | Aggregate | RankIntervals | None) -> str:
    """The level of ranks, rounded down to a tenth of a percent; or that there is none."""
    if found is not None and found.approximate:
        return "approximate"
    if found is None or found.guarantee is None:
        return "no guarantee"
    return f"{math.floor(round(1000 * found.guarantee, 6)) / 10:g} %"


def standing_of(board: Leaderboard, model: str) -> Standing:
    """Where one model stands; raises `OptionError` if it has no row."""
    if board.partly is not None and model in board.partly.models:
        raise OptionError(
            f"Model {model!r} lacks some tasks, so it has a place among the others and no row: "
            "board.partly has the places of such models."
        )
    if model not in board.models:
        raise UnknownOptionError.among("model", model, board.models)
    return next(row for row in standings(board) if row.model == model)


def task_columns(board: Leaderboard, tasks: Sequence[str]) -> dict[str, list[Any]]:
    """Columns about single tasks, one row per task and model, best score on it first."""
    columns: dict[str, list[Any]] = {name: [] for name in _TASK_COLUMNS}
    for name in tasks:
        if name not in board.tasks:
            raise UnknownOptionError.among("task", name, tuple(board.tasks))
        task = board.tasks[name]
        low, high = task.score_interval()
        inside = task.mean if task.direction == "higher" else -task.mean
        order = np.lexsort((np.arange(inside.size), -np.where(np.isnan(inside), -np.inf, inside)))
        size = len(order)
        parts: dict[str, list[Any]] = {
            "task": [name] * size,
            "model": [board.models[i] for i in order],
            "score": _reals(task.mean[order]),
            "se": _reals(task.se[order]),
            "score_low": _reals(low[order]),
            "score_high": _reals(high[order]),
            "n": [task.n or None] * size,
            "best": task.best[order].tolist(),
            "worst": task.worst[order].tolist(),
            "coverage": task.coverage[order].tolist(),
            "level": [_level(task)] * size,
        }
        for column, cells in parts.items():
            columns[column] += cells
    return columns


_TASK_COLUMNS = (
    "task", "model", "score", "se", "score_low", "score_high", "n", "best", "worst", "coverage",
    "level",
)  # fmt: skip


def _reals(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]

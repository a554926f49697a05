"""What the page may recompute from its own data, and by which rules: it must equal the package."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard

__all__ = ["explore_data"]

_MERGES = ("joint", "quantile", "union")
_CORRECTIONS = ("holm", "bonferroni", "none")
_OVERALL_LEVELS = (0.05, 0.1, 0.2, 0.3, 0.5)
_LEVELS = (0.01, 0.05, 0.1, 0.2)


def explore_data(board: Leaderboard) -> dict[str, Any]:
    """Rules and levels of what the page may recompute; where it may not, why not."""
    overall, average = board.overall, board.aggregate
    reason = _why_no_average(board)
    merge = None
    if overall is not None:
        merge = "joint" if overall.method == "observed" else overall.method
    return {
        "merge": merge if merge in _MERGES else None,
        "observed": overall is not None and overall.method == "observed",
        "alphaOverall": None if overall is None else overall.alpha,
        "alphasOverall": _with(_OVERALL_LEVELS, None if overall is None else overall.alpha),
        "average": None if average is None or reason else _average_rule(board, average),
        "reason": reason,
    }


def _with(levels: tuple[float, ...], own: float | None) -> list[float]:
    return sorted({*levels, *(() if own is None else (own,))})


def _average_rule(board: Leaderboard, average: Aggregate) -> dict[str, Any]:
    families = sorted({task.family or "" for task in board.tasks.values()})
    return {
        "rule": "items" if average.over == "items" else "tasks",
        "points": "rank" if average.method == "average_rank" else "score",
        "correction": board.spec.correction,
        "scope": average.scope,
        "alpha": average.alpha,
        "alphas": _with(_LEVELS, average.alpha),
        # Scores times the factor, after the offset is taken off, are what is averaged.
        "offset": [_limits(board, average, name)[0] for name in board.tasks],
        "factor": [_limits(board, average, name)[1] for name in board.tasks],
        "families": [families.index(task.family or "") for task in board.tasks.values()]
        if average.over == "families"
        else None,
    }


def _limits(board: Leaderboard, average: Aggregate, name: str) -> tuple[float, float]:
    if name in average.limits:
        low, high = average.limits[name]
        return float(low), 1.0 / float(high - low)
    return 0.0, 1.0 if board.tasks[name].direction == "higher" else -1.0


def _why_no_average(board: Leaderboard) -> str:
    """Why averages cannot be recomputed on the page; empty where they can."""
    average = board.aggregate
    if average is None:
        return "This board has no average of tasks."
    if average.method not in ("mean", "average_rank") or average.normalise == "minmax_draws":
        return f"The page does not recompute this average ({average.method})."
    if average.estimator not in ("analytic", "t"):
        return f"The page does not recompute averages of the estimator {average.estimator!r}."
    if board.spec.correction not in _CORRECTIONS:
        return f"The page does not recompute the correction {board.spec.correction!r}."
    weighted = [task for task in board.tasks.values() if task.weight > 0]
    scaled = average.normalise is not None
    if scaled and len(weighted) < len(board.tasks):
        return "Tasks without weight have no scale to be averaged on."
    if average.normalise == "zscore" and any(np.isnan(task.mean).any() for task in weighted):
        return "The scale of each task depends on which models every task has."
    if average.over == "items" and (average.method != "mean" or average.estimator != "analytic"):
        return "The page does not recompute this average."
    if average.over == "items" and board.pairs is None:
        return (
            "Rank intervals of an average need the differences of all pairs of models, which this "
            "page does not have. It has them, for up to 100,000 pairs times tasks, when it is "
            "made with `rankbars rank --html`, or from a board file written with --pairs."
        )
    return ""

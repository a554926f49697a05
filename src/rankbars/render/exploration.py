"""What the page may compute again for other tasks, weights and levels; from what, or why not."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.taskresult import PairDetails, ScoreBins, TaskPairs
from rankbars.render.pagenumbers import (
    known_number,
    known_numbers,
    one_or_packed,
    pack_counts,
    pack_reals,
)

__all__ = ["can_explore", "explore_data", "merged_ends", "pair_data", "shared_rows"]

_MOST_GRADED = 10_000  # rows; with more on a task, single ones do not weigh heavily
_MERGES = ("joint", "quantile", "union")
_CORRECTIONS = ("holm", "bonferroni", "none")
_DRAWN = "maxt"
_JOINED = ("joined-items", "joined-runs")
_OVERALL_LEVELS = (0.05, 0.1, 0.2, 0.3, 0.5)
_LEVELS = (0.01, 0.05, 0.1, 0.2)


def can_explore(board: Leaderboard) -> bool:
    """Whether there is something to recompute on the page."""
    found = explore_data(board)
    return len(board.tasks) > 1 and bool(found["merge"] or found["average"])


def explore_data(board: Leaderboard) -> dict[str, Any]:
    """Rules and levels of what the page may recompute; where it may not, why not."""
    overall, average = board.overall, board.aggregate
    reason = _why_no_average(board)
    merge = None
    if overall is not None and not overall.approximate:
        merge = "joint" if overall.method == "observed" else overall.method
    return {
        "merge": merge if merge in _MERGES else None,
        "observed": overall is not None and overall.method == "observed",
        "split": _split(board),
        "alphaOverall": None if overall is None else overall.alpha,
        "alphasOverall": _with(_OVERALL_LEVELS, None if overall is None else overall.alpha),
        "average": None if average is None or reason else _average_rule(board, average),
        "reason": reason,
    }


def _split(board: Leaderboard) -> dict[str, Any] | None:
    """The levels of intervals that were made for the new task; None where there are none."""
    overall = board.overall
    if overall is None or overall.task_alpha is None:
        return None
    holds = overall.guarantee is not None
    return {"alpha": board.spec.alpha, "side": overall.task_alpha / 2, "holds": holds}


def _is_graded(task: TaskResult, pairs: PairDetails) -> bool:
    """Whether the skewness of the rows of a task decides how its average is tested."""
    found = pairs.tasks.get(task.name)
    rows = task.kind in ("items", "runs") and task.n <= _MOST_GRADED
    return rows and found is not None and not found.binary


def _with(levels: tuple[float, ...], own: float | None) -> list[float]:
    return sorted({*levels, *(() if own is None else (own,))})


def _average_rule(board: Leaderboard, average: Aggregate) -> dict[str, Any]:
    families = sorted({task.family or "" for task in board.tasks.values()})
    scales = [_scale(board, average, name) for name in board.tasks]
    correction = average.correction or board.spec.correction
    return {
        "rule": "items" if average.over == "items" else "tasks",
        # Draws are not made again on the page: Holm holds without them, and shows a little less.
        "correction": "holm" if correction == _DRAWN else correction,
        "drawn": correction == _DRAWN,
        "scope": average.scope,
        "alpha": average.alpha,
        "alphas": _with(_LEVELS, average.alpha),
        # Scores times the factor, after the offset is taken off, are what is averaged.
        "offset": [offset for offset, _ in scales],
        "factor": [factor for _, factor in scales],
        "families": [families.index(task.family or "") for task in board.tasks.values()]
        if average.over == "families"
        else None,
    }


def _scale(board: Leaderboard, average: Aggregate, name: str) -> tuple[float, float]:
    if name in average.limits:
        low, high = average.limits[name]
        return float(low), 1.0 / float(high - low)
    return 0.0, 1.0 if board.tasks[name].direction == "higher" else -1.0


def _why_no_average(board: Leaderboard) -> str:
    """Why averages cannot be recomputed on the page; empty where they can."""
    average = board.aggregate
    if average is None:
        return "This board has no average of tasks."
    if average.approximate:
        return "The level of this average is not assured, so the page does not compute it again."
    if average.unit == "rank":
        # Of fewer tasks, as a reader may choose them, ranks take the exact test.
        return "The page does not recompute mean ranks, which take an exact test over few tasks."
    if average.method != "mean" or average.normalise == "minmax_draws":
        return f"The page does not recompute this average ({average.method})."
    if average.estimator not in ("analytic", "t"):
        return f"The page does not recompute averages of the estimator {average.estimator!r}."
    correction = average.correction or board.spec.correction
    if correction not in (*_CORRECTIONS, _DRAWN):
        return f"The page does not recompute the correction {correction!r}."
    weighted = [task for task in board.tasks.values() if task.weight > 0]
    scaled = average.normalise is not None
    if scaled and len(weighted) < len(board.tasks):
        return "Tasks without weight have no scale to be averaged on."
    if average.normalise == "zscore" and any(np.isnan(task.mean).any() for task in weighted):
        return "The scale of each task depends on which models every task has."
    if average.over == "items" and average.estimator != "analytic":
        return "The page does not recompute this average."
    return _why_not_over_rows(board, weighted) if average.over == "items" else ""


def _why_not_over_rows(board: Leaderboard, weighted: list[TaskResult]) -> str:
    """Why an average over exactly these tasks cannot be recomputed; empty where it can."""
    pairs = board.pairs
    if pairs is None:
        return (
            "Rank intervals of an average need the differences of all pairs of models, which this "
            "page does not have. It has them, for up to 100,000 pairs times tasks, when it is "
            "made with `rankbars rank --html`, or from a board file written with --pairs."
        )
    shared = {name for rows in pairs.shared_rows for name in rows.tasks}
    if not shared and any(note.code in _JOINED for note in board.notes):
        return (
            "Rows that stand on several tasks count once in this average, and the page does not "
            "have them: they are too many, or the tasks do not have the same rows, all of them. "
            "Make another board: `rankbars rank --tasks NAME`, or `--weights FILE`; or `--rows "
            "independent`, where rows of one name are others on every task."
        )
    if any(_is_graded(task, pairs) for task in weighted if task.name not in shared):
        return (
            "The page does not recompute an average over rows that are not all 0 or 1: how "
            "skewed they are decides its test, and the page does not have the rows. Make "
            "another board: rankbars rank --tasks NAME, or --weights FILE."
        )
    return ""


def merged_ends(board: Leaderboard) -> dict[str, Any] | None:
    """What the new-task intervals are made of, where that is not what the tasks show."""
    if board.overall is None:
        return None
    tasks = board.tasks.values()
    if board.overall.method == "observed":
        ends = [(task.observed_best, task.observed_worst) for task in tasks]
    else:
        ends = [
            (task.merged_best, task.merged_worst)
            for task in tasks
            if task.merged_best is not None and task.merged_worst is not None
        ]
    if len(ends) < len(tasks):
        return None
    best, worst = zip(*ends, strict=True)
    return {"best": pack_counts(best), "worst": pack_counts(worst)}


def pair_data(board: Leaderboard, pairs: PairDetails) -> list[dict[str, Any] | None]:
    """Differences of all pairs on each task; None for a task that has none."""
    return [
        _task_pairs(task, pairs.tasks[name]) if name in pairs.tasks else None
        for name, task in board.tasks.items()
    ]


def _task_pairs(task: TaskResult, pairs: TaskPairs) -> dict[str, Any]:
    first, second = np.triu_indices(task.mean.size, k=1)
    inside = task.mean if task.direction == "higher" else -task.mean
    usual = inside[first] - inside[second]
    return {
        "difference": None
        if np.allclose(pairs.difference, usual, rtol=1e-12, atol=1e-14, equal_nan=True)
        else pack_reals(pairs.difference),
        "se": pack_reals(pairs.se),
        "df": known_number(pairs.df) if pairs.df.ndim == 0 else pack_reals(pairs.df),
        "n": int(pairs.n) if pairs.n.ndim == 0 else pack_counts(pairs.n),
        "modelDf": one_or_packed(pairs.model_df),
        "ahead": None if pairs.ahead is None else pack_counts(pairs.ahead),
        "behind": None if pairs.behind is None else pack_counts(pairs.behind),
        "binary": pairs.binary,
        "bins": None if pairs.bins is None else _bins(pairs.bins, task.direction),
    }


def shared_rows(board: Leaderboard) -> list[dict[str, Any]] | None:
    """Scores of rows that tasks have in common, as the board has them packed."""
    position = {name: i for i, name in enumerate(board.tasks)}
    found = () if board.pairs is None else board.pairs.shared_rows
    return [
        {
            "tasks": [position[name] for name in one.tasks],
            "rows": one.rows,
            "levels": None if one.levels is None else known_numbers(one.levels),
            "scores": {"kind": "f8" if one.levels is None else "u1", "bytes": one.packed},
        }
        for one in found
    ] or None


def _bins(bins: ScoreBins, direction: str) -> dict[str, Any]:
    """Bins in the units of the task; inside, higher is better."""
    if direction == "higher":
        return {"edges": bins.edges.tolist(), "counts": pack_counts(bins.counts)}
    turned = (-bins.edges[::-1] + 0.0).tolist()  # 0, not -0
    return {"edges": turned, "counts": pack_counts(bins.counts[:, ::-1])}

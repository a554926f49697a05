"""The tasks of a leaderboard as part of the board file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage
from rankbars.data.jsonarrays import convert, plain_reals, real_array, whole_array
from rankbars.data.taskresult import TaskResult

__all__ = ["task_from_dict", "task_to_dict"]

_TASK_PLAIN = (
    "name", "kind", "n", "test", "correction", "scope", "alpha", "guarantee", "direction",
    "category", "family", "metric", "weight",
)  # fmt: skip


def task_to_dict(task: TaskResult) -> dict[str, Any]:
    """One task as plain lists, strings and numbers."""
    return {name: getattr(task, name) for name in _TASK_PLAIN} | {
        "mean": plain_reals(task.mean),
        "se": plain_reals(task.se),
        "coverage": plain_reals(task.coverage),
        "best": task.best.tolist(),
        "worst": task.worst.tolist(),
        "observed_best": task.observed_best.tolist(),
        "observed_worst": task.observed_worst.tolist(),
        "assumptions": list(task.assumptions),
        "spread_best": None if task.spread_best is None else task.spread_best.tolist(),
        "spread_worst": None if task.spread_worst is None else task.spread_worst.tolist(),
        "elo": None if task.elo is None else plain_reals(task.elo),
        "elo_anchor": task.elo_anchor,
        "counts": None if task.counts is None else _counts_to_dict(task.counts),
    }


_COUNTS = ("scored", "unscored", "errors", "missing", "zeros")


def _counts_to_dict(counts: Coverage) -> dict[str, Any]:
    found: dict[str, Any] = {"expected": counts.expected}
    for name in _COUNTS:
        values: NDArray[np.int64] | None = getattr(counts, name)
        found[name] = None if values is None else values.tolist()
    return found


def _counts_from_dict(values: Mapping[str, Any] | None) -> Coverage | None:
    if values is None:
        return None
    return Coverage(
        expected=values["expected"],
        **{name: whole_array(values[name]) for name in _COUNTS if values[name] is not None},
    )


def task_from_dict(values: Mapping[str, Any]) -> TaskResult:
    """The inverse of `task_to_dict`."""
    plain: dict[str, Any] = {name: values[name] for name in _TASK_PLAIN}
    return TaskResult(
        **plain,
        mean=real_array(values["mean"]),
        se=real_array(values["se"]),
        coverage=real_array(values["coverage"]),
        best=whole_array(values["best"]),
        worst=whole_array(values["worst"]),
        observed_best=whole_array(values["observed_best"]),
        observed_worst=whole_array(values["observed_worst"]),
        assumptions=tuple(values["assumptions"]),
        spread_best=convert(values.get("spread_best"), whole_array),
        spread_worst=convert(values.get("spread_worst"), whole_array),
        elo=convert(values.get("elo"), real_array),
        elo_anchor=values.get("elo_anchor"),
        counts=_counts_from_dict(values.get("counts")),
    )

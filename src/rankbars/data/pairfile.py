"""Details of pairs in the board file: plain lists, one block per task."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.pairdetails import PairDetails, TaskPairs
from rankbars.data.scorebins import ScoreBins

__all__ = ["pairs_from_dict", "pairs_to_dict"]


def pairs_to_dict(pairs: PairDetails) -> dict[str, Any]:
    """Details of pairs as plain lists; NaN and infinite degrees of freedom become None."""
    return {name: _task_to_dict(task) for name, task in pairs.tasks.items()}


def pairs_from_dict(
    values: Mapping[str, Any] | None, models: tuple[str, ...]
) -> PairDetails | None:
    """The inverse of `pairs_to_dict`; None where a file has none."""
    if values is None:
        return None
    return PairDetails(models, {name: _task_from_dict(task) for name, task in values.items()})


def _task_to_dict(task: TaskPairs) -> dict[str, Any]:
    return {
        "difference": _reals(task.difference),
        "se": _reals(task.se),
        "df": _reals(task.df),
        "n": task.n.tolist(),
        "model_df": _reals(task.model_df),
        "ahead": None if task.ahead is None else task.ahead.tolist(),
        "behind": None if task.behind is None else task.behind.tolist(),
        "binary": task.binary,
        "bins": None
        if task.bins is None
        else {"edges": task.bins.edges.tolist(), "counts": task.bins.counts.tolist()},
    }


def _task_from_dict(values: Mapping[str, Any]) -> TaskPairs:
    return TaskPairs(
        difference=_array(values["difference"]),
        se=_array(values["se"]),
        df=_freedom(values["df"]),
        n=np.asarray(values["n"], dtype=np.int64),
        model_df=_freedom(values["model_df"]),
        ahead=_counts(values["ahead"]),
        behind=_counts(values["behind"]),
        binary=values["binary"],
        bins=_bins(values.get("bins")),
    )


def _bins(values: Mapping[str, Any] | None) -> ScoreBins | None:
    # Files of the first versions do not have the key.
    return None if values is None else ScoreBins(_array(values["edges"]), values["counts"])


def _reals(array: NDArray[np.float64]) -> Any:
    if array.ndim == 0:
        return float(array) if math.isfinite(array) else None
    return [value if math.isfinite(value) else None for value in array.tolist()]


def _array(values: Any) -> NDArray[np.float64]:
    # None becomes NaN, in a list as well as alone.
    return np.array(values, dtype=np.float64)


def _freedom(values: Any) -> NDArray[np.float64]:
    df = _array(values)
    return np.where(np.isnan(df), np.inf, df)


def _counts(values: list[int] | None) -> NDArray[np.int64] | None:
    return None if values is None else np.asarray(values, dtype=np.int64)

"""The average of a leaderboard as part of the board file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.categoryfile import categories_from_dict, categories_to_dict
from rankbars.data.jsonarrays import (
    convert,
    plain_real,
    plain_reals,
    plain_table,
    real_array,
    real_table,
    whole_array,
)

__all__ = ["aggregate_from_dict", "aggregate_to_dict"]

_AGGREGATE_PLAIN = ("over", "estimator", "scope", "alpha", "unit", "direction")
# Keys that files of the first versions do not have, with what they mean there.
_AGGREGATE_LATER: dict[str, Any] = {
    "method": "mean", "normalise": None, "target": "", "guarantee": None,
}  # fmt: skip


def aggregate_to_dict(aggregate: Aggregate) -> dict[str, Any]:
    """An average as plain lists, strings and numbers.

    Draws, and those of category means, stay out: they are many times as large as all the rest, and
    the same seed makes them again.
    """
    known = aggregate.se is not None and not np.isnan(aggregate.se).all()
    beside = aggregate.comparison_intervals() if known and not aggregate.is_range else None
    plain = (*_AGGREGATE_PLAIN, *_AGGREGATE_LATER)
    return {name: getattr(aggregate, name) for name in plain} | {
        "score": plain_reals(aggregate.score),
        "low": plain_reals(aggregate.low),
        "high": plain_reals(aggregate.high),
        "best": aggregate.best.tolist(),
        "worst": aggregate.worst.tolist(),
        "assumptions": list(aggregate.assumptions),
        "se": convert(aggregate.se, plain_reals),
        "df": convert(aggregate.df, plain_reals),
        "expected_rank": convert(aggregate.expected_rank, plain_reals),
        "rank_probability": convert(aggregate.rank_probability, plain_table),
        "dominance": convert(aggregate.dominance, plain_table),
        "limits": {task: list(ends) for task, ends in aggregate.limits.items()},
        "categories": categories_to_dict(aggregate.by_category),
        "bounds": [plain_real(end) for end in aggregate.bounds],
        "comparison_low": None if beside is None else plain_reals(beside.low),
        "comparison_high": None if beside is None else plain_reals(beside.high),
    }


def aggregate_from_dict(
    values: Mapping[str, Any], models: tuple[str, ...], better: NDArray[np.bool_]
) -> Aggregate:
    """The inverse of `aggregate_to_dict`, but for what the file does not keep."""
    return Aggregate(
        models=models,
        score=real_array(values["score"]),
        low=real_array(values["low"]),
        high=real_array(values["high"]),
        best=whole_array(values["best"]),
        worst=whole_array(values["worst"]),
        shown_better=better,
        assumptions=tuple(values["assumptions"]),
        se=convert(values.get("se"), real_array),
        df=convert(values.get("df"), _degrees),
        by_category=categories_from_dict(values.get("categories"), models),
        rank_probability=convert(values.get("rank_probability"), real_table),
        dominance=convert(values.get("dominance"), real_table),
        limits={task: (ends[0], ends[1]) for task, ends in values.get("limits", {}).items()},
        bounds=_bounds(values.get("bounds")),
        **{name: values[name] for name in _AGGREGATE_PLAIN},
        **{name: values.get(name, usual) for name, usual in _AGGREGATE_LATER.items()},
    )


def _bounds(ends: list[float | None] | None) -> tuple[float, float]:
    low, high = (None, None) if ends is None else ends
    return -math.inf if low is None else low, math.inf if high is None else high


def _degrees(values: list[float | None]) -> NDArray[np.float64]:
    """Degrees of freedom; None stands for infinity."""
    df = real_array(values)
    return np.where(np.isnan(df), np.inf, df)

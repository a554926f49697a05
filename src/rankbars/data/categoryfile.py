"""Category means as part of the board file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.categorymeans import CategoryMeans

__all__ = ["categories_from_dict", "categories_to_dict"]

_MOST_MODELS = 100  # a table of pairs per category is left out for larger boards


def categories_to_dict(means: CategoryMeans | None) -> dict[str, Any] | None:
    """Category means as plain lists; None where there are none."""
    if means is None:
        return None
    small = len(means.models) <= _MOST_MODELS
    return {
        "names": list(means.categories),
        "tasks": means.tasks.tolist(),
        "weights": means.weights.tolist(),
        "score": _without_nan(means.score.tolist()),
        "se": _without_nan(means.se.tolist()),
        "difference_se": _without_nan(means.difference_se.tolist()) if small else None,
    }


def categories_from_dict(
    values: Mapping[str, Any] | None, models: tuple[str, ...]
) -> CategoryMeans | None:
    """The inverse of `categories_to_dict`."""
    if values is None:
        return None
    size, names = len(models), tuple(values["names"])
    pairs = values["difference_se"]
    return CategoryMeans(
        models=models,
        categories=names,
        tasks=np.array(values["tasks"], dtype=np.int64),
        weights=np.array(values["weights"], dtype=np.float64),
        score=_reals(values["score"]),
        se=_reals(values["se"]),
        difference_se=np.full((len(names), size, size), np.nan) if pairs is None else _reals(pairs),
    )


def _without_nan(values: Any) -> Any:
    if isinstance(values, list):
        return [_without_nan(value) for value in values]
    return values if math.isfinite(values) else None


def _reals(values: Any) -> NDArray[np.float64]:
    # NumPy reads None as NaN when told to read numbers.
    return np.array(values, dtype=np.float64)

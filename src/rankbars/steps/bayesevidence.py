"""What one task gives a hierarchical model of scores with errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.steps.plans import TaskPart

__all__ = ["ScoredTask", "take_scores"]


class ScoredTask(NamedTuple):
    """Scores of every model on one task and their standard errors, shape (M,)."""

    score: NDArray[np.float64]
    se: NDArray[np.float64]


def take_scores(part: TaskPart, models: tuple[str, ...]) -> ScoredTask:
    """Scores of `models` on one task with their standard errors, on the scale that is averaged.

    Raises
    ------
    DataError
        If an error is not known, or 0.
    """
    compared = part.comparisons
    chosen = [compared.models.index(name) for name in models]
    score, se = compared.mean[chosen], compared.mean_se[chosen]
    if np.isnan(se).any():
        name = models[int(np.flatnonzero(np.isnan(se))[0])]
        raise DataError(
            f"Task {part.task!r} does not say how sure the score of {name!r} is. The estimator "
            "'bayes' needs answers per item, or shares of right answers with their number of "
            "items (n), or scores with standard errors (se)."
        )
    if (se == 0).any():
        name = models[int(np.flatnonzero(se == 0)[0])]
        raise DataError(
            f"Task {part.task!r}: the score of {name!r} has a standard error of 0, which no "
            "hierarchical model of scores can use. Give it an error above 0, or counts of right "
            "answers."
        )
    return ScoredTask(score, se)

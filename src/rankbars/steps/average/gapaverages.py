"""Averages over tasks like these where models lack tasks: every pair by what bridges the gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.incomplete import additive_t, adjusted_means
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.tails import critical_value
from rankbars.steps.average.averagemethods import check_range
from rankbars.steps.average.plan import Accumulator, AveragePlan, Estimate, TaskPart

__all__ = ["MEASURED", "start_additive", "start_common"]

MEASURED = {"common": 0.84, "additive": 0.81}
"""Share of simulations in which 95 % rows held where models lacked the tasks that they failed."""

_Contrast: TypeAlias = Callable[[NDArray[np.float64]], PairStatistics]

_RESTS_ON = {
    "common": "What models lack has nothing to do with the differences of a pair: each is compared "
    "on the tasks that both have.",
    "additive": "Tasks that a model lacks go for it as for the others (an additive fit of models "
    "and tasks), and errors come from leaving out one task each.",
}


def start_common(plan: AveragePlan) -> Accumulator:
    """Paired t of each pair on the tasks that both have."""
    return _Bridged(plan, paired_t)


def start_additive(plan: AveragePlan) -> Accumulator:
    """Contrasts of an additive fit of models and tasks."""
    return _Bridged(plan, additive_t)


class _Bridged:
    """Scores of every task, kept until all are there, gaps and all."""

    def __init__(self, plan: AveragePlan, contrast: _Contrast) -> None:
        if plan.rule.linear is None or plan.baseline is not None:
            raise OptionError(
                f"Gaps cannot be bridged for the method {plan.method!r}: only averages of scores "
                "can (tasks on different metrics are averaged as ranks). Choose tasks that many "
                "models have (--tasks), or use --missing-tasks insert, bounds or drop_models."
            )
        if not plan.even:
            raise OptionError(
                "Where gaps are bridged, every task counts the same. Leave the weights out, or use "
                "--missing-tasks insert, bounds, drop_models or drop_tasks."
            )
        self._plan, self._contrast = plan, contrast
        self._means: list[NDArray[np.float64]] = []

    def add(self, part: TaskPart) -> TaskPart:
        mean = part.comparisons.mean
        known = ~np.isnan(mean)
        names = tuple(np.array(self._plan.models, dtype=object)[known].tolist())
        check_range(self._plan.method, self._plan.rule, mean[known], names, part.task)
        self._means.append(mean)
        return part

    def finish(self) -> Estimate:
        values = self._plan.rule.points(np.array(self._means))
        if len(values) < 2:
            raise DataError("An average over tasks needs at least two tasks.")
        summary = _summary(values)
        half = critical_value(self._plan.alpha / 2, np.maximum(summary.df, 1.0)) * summary.se
        return Estimate(
            summary,
            summary.mean - half,
            summary.mean + half,
            self._contrast(values),
            None,
            "t",
            (
                "The target is the average over the population that these tasks were drawn from.",
                _RESTS_ON[self._plan.estimator],
            ),
        )


def _summary(values: NDArray[np.float64]) -> ModelSummary:
    """Adjusted means, with errors from leaving out one task each."""
    tasks = len(values)
    mean = adjusted_means(values)
    without = np.array([adjusted_means(np.delete(values, b, axis=0)) for b in range(tasks)])
    spread = np.sqrt((tasks - 1) / tasks * np.square(without - mean).sum(axis=0))
    df = np.maximum((~np.isnan(values)).sum(axis=0) - 1.0, 0.0)
    return ModelSummary(mean, np.where(df > 0, spread, np.nan), df)

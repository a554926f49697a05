"""The rows behind an average: how much a few of them weigh, and what can be resampled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Folds, Items
from rankbars.stats.multiplicity.symmetricbootstrap import Sample
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.pairwise.skewness import pair_moments
from rankbars.steps.average.plan import AveragePlan, TaskPart
from rankbars.steps.correctionchoice import can_resample, is_binary
from rankbars.steps.testrows import weighted_values

__all__ = ["RowFindings", "RowSums"]

_OWN_ERRORS = ("two_way", "welch")  # errors that paired rows do not have
_MOST_MODELS = 200  # of more, as many evenly spaced ones stand for the field
_MOST_ROWS = 10_000  # with more on a task, single rows do not weigh heavily
_MOST_CELLS = 10**7  # scores that are kept until all tasks are there
_FEW_ROWS = 20  # a task with fewer can carry an error that is badly known
_MUCH, _MANY = 0.5, 0.1  # of the variance of a pair, of so large a share of the pairs


class RowFindings(NamedTuple):
    """What the rows say: see `Estimate`."""

    skewness: float | None
    heavy: int
    samples: tuple[Sample, ...] | None


class RowSums:
    """Third moments of the rows of tasks, summed, and the rows themselves, as they are added.

    Parameters
    ----------
    plan : AveragePlan
        What is averaged, on the scale of scores.
    """

    def __init__(self, plan: AveragePlan) -> None:
        self._plan = plan
        shared = plan.positions
        count = min(shared.size, _MOST_MODELS)
        self._field = shared[np.linspace(0, max(shared.size - 1, 0), count).astype(np.intp)]
        self._third = np.zeros((count, count))
        self._few: dict[int, NDArray[np.float64]] = {}  # rows of small tasks: their variance
        self._tasks: list[tuple[str, Items, TaskPart]] | None = []
        self._cells = 0
        self._matters = False

    def add(self, part: TaskPart, pairs: PairStatistics) -> None:
        """Take one task, with the errors of its differences."""
        evidence = part.evidence
        if not isinstance(evidence, Items) or part.comparisons.test in _OWN_ERRORS:
            self._tasks = None
            return
        plain = evidence.clusters is None and not isinstance(evidence.design, Folds)
        if not plain or np.isnan(evidence.values).any():
            self._tasks = None
        elif self._tasks is not None:
            self._cells += evidence.values.size
            self._tasks.append((part.task, evidence, part))
            if self._cells > _MOST_CELLS:
                self._tasks = None
        if isinstance(evidence.design, Folds) or is_binary(evidence.values):
            return
        n = len(evidence.values)
        if not 2 <= n <= _MOST_ROWS:
            return
        self._matters = True
        field = self._field
        moments = pair_moments(_values(part, evidence, self._plan, field))
        self._third += part.weight**3 * moments.third / np.square(np.maximum(moments.rows, 1.0))
        if n < _FEW_ROWS:
            variance = part.weight**2 * np.square(pairs.se[np.ix_(field, field)])
            self._few[n] = np.maximum(variance, self._few.get(n, 0.0))

    def finish(self, pairs: PairStatistics, present: NDArray[np.intp]) -> RowFindings:
        """What the rows say of the contrasts of the average."""
        if not self._matters:
            return RowFindings(None, 0, self._samples(present))
        field = self._field
        upper = np.triu_indices(field.size, k=1)
        variance = np.square(pairs.se[np.ix_(field, field)])[upper]
        usable = np.isfinite(variance) & (variance > 0)
        if not usable.any():
            return RowFindings(None, 0, None)
        index = np.abs(self._third[upper][usable]) / variance[usable] ** 1.5
        heavy = [
            rows
            for rows, own in self._few.items()
            if (own[upper][usable] > _MUCH * variance[usable]).mean() >= _MANY
        ]
        skewness = float(np.quantile(index, 0.9))
        return RowFindings(skewness, min(heavy, default=0), self._samples(present))

    def _samples(self, present: NDArray[np.intp]) -> tuple[Sample, ...] | None:
        if not self._tasks or self._plan.method != "mean":
            return None
        if not can_resample(sum(len(one.values) for _, one, _ in self._tasks), present.size):
            return None
        plan = self._plan
        return tuple(
            Sample(
                _values(part, items, plan, present), part.weight, plan.streams("symmetric", name)
            )
            for name, items, part in self._tasks
        )


def _values(
    part: TaskPart, items: Items, plan: AveragePlan, positions: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Rows of the models at `positions`, on the scale that is averaged."""
    place = {name: column for column, name in enumerate(items.models)}
    columns = [place[plan.models[i]] for i in positions]
    values = weighted_values(items)[:, columns]
    return values if part.limits is None else np.asarray(part.limits.apply(values))

"""The rows behind an average: how much a few of them weigh, and what can be resampled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Folds, Items
from rankbars.errors import DataError
from rankbars.stats.averaging.points import Limits
from rankbars.stats.multiplicity.symmetricbootstrap import Sample
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.rowsigns import pair_moments
from rankbars.steps.average.plan import AveragePlan, TaskPart, TaskRows
from rankbars.steps.correctionchoice import can_resample, is_binary, tail_unknown
from rankbars.steps.pairtests import take_present
from rankbars.steps.testrows import weighted_values

__all__ = ["RowFindings", "RowSums", "load_samples"]

_OWN_ERRORS = ("two_way", "welch", "judge_t")  # errors that paired rows do not have
_MOST_MODELS = 200  # of more, as many evenly spaced ones stand for the field
_MOST_ROWS = 10_000  # with more on a task, single rows do not weigh heavily
_MOST_CELLS = 10**7  # scores of all tasks that are resampled together
_FEW_ROWS = 20  # a task with fewer can carry an error that is badly known
_MUCH, _MANY = 0.5, 0.1  # of the variance of a pair, of so large a share of the pairs


class RowFindings(NamedTuple):
    """What the rows say: see `Estimate`."""

    skewness: float | None
    heavy: int
    tailed: int
    unread: tuple[TaskRows, ...] | None
    whole: bool


class RowSums:
    """Third moments of the rows of tasks, summed as they are added; rows are not kept.

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
        self._tails = np.zeros((count, count))  # variance of tasks whose tail is not known
        self._tailed = 0  # the fewest rows of one of them
        self._few: dict[int, NDArray[np.float64]] = {}  # rows of small tasks: their variance
        self._tasks: list[TaskRows] | None = []
        self._cells = 0
        self._whole = True
        self._matters = False

    def add(self, part: TaskPart, pairs: PairStatistics) -> None:
        """Take one task, with the errors of its differences."""
        evidence = part.evidence
        if not isinstance(evidence, Items) or part.comparisons.test in _OWN_ERRORS:
            self._tasks, self._whole = None, False
            return
        plain = evidence.clusters is None and not isinstance(evidence.design, Folds)
        if not plain or np.isnan(evidence.values).any():
            self._tasks, self._whole = None, False
        elif self._tasks is not None:
            self._cells += evidence.values.size
            rows = len(evidence.values)
            self._tasks.append(TaskRows(part.task, part.weight, part.limits, rows))
            # Resampled rows of a pair without spread have none either, so that t decides.
            if self._cells > _MOST_CELLS or (rows < _FEW_ROWS and pairs.constant.any()):
                self._tasks = None
        if isinstance(evidence.design, Folds) or is_binary(evidence.values):
            return
        n = len(evidence.values)
        if not 2 <= n <= _MOST_ROWS:
            return
        self._matters = True
        field = self._field
        moments = pair_moments(_values(evidence, part.limits, self._plan, field))
        self._third += part.weight**3 * moments.third / np.square(np.maximum(moments.rows, 1.0))
        variance = part.weight**2 * np.square(pairs.se[np.ix_(field, field)])
        if plain and tail_unknown(evidence):
            self._tails += variance
            self._tailed = min(self._tailed or n, n)
        if n < _FEW_ROWS:
            self._few[n] = np.maximum(variance, self._few.get(n, 0.0))

    def finish(self, pairs: PairStatistics, present: NDArray[np.intp]) -> RowFindings:
        """What the rows say of the contrasts of the average."""
        if not self._matters:
            return RowFindings(None, 0, 0, self._unread(present.size), self._whole)
        field = self._field
        upper = np.triu_indices(field.size, k=1)
        variance = np.square(pairs.se[np.ix_(field, field)])[upper]
        usable = np.isfinite(variance) & (variance > 0)
        if not usable.any():
            return RowFindings(None, 0, 0, None, self._whole)
        index = np.abs(self._third[upper][usable]) / variance[usable] ** 1.5

        def much(own: NDArray[np.float64]) -> bool:
            return bool((own[upper][usable] > _MUCH * variance[usable]).mean() >= _MANY)

        heavy = min((rows for rows, own in self._few.items() if much(own)), default=0)
        tailed = self._tailed if much(self._tails) else 0
        skewness = float(np.quantile(index, 0.9))
        return RowFindings(skewness, heavy, tailed, self._unread(present.size), self._whole)

    def _unread(self, models: int) -> tuple[TaskRows, ...] | None:
        if not self._tasks or self._plan.method != "mean":
            return None
        few = can_resample(sum(one.rows for one in self._tasks), models)
        return tuple(self._tasks) if few else None


def load_samples(
    unread: tuple[TaskRows, ...],
    tasks: Mapping[str, Evidence],
    plan: AveragePlan,
    present: NDArray[np.intp],
) -> tuple[Sample, ...]:
    """The rows of tasks, looked at again one task after the other, to be resampled.

    Parameters
    ----------
    unread : tuple of TaskRows
        Which tasks.
    tasks : mapping from str to Items
        Where their evidence is found.
    plan : AveragePlan
        What is averaged.
    present : array of int
        Positions of the models that have an average.

    Raises
    ------
    DataError
        If a task has no rows, or others than when it was added.
    """
    return tuple(
        Sample(
            _values(_same_rows(one, tasks[one.task]), one.limits, plan, present),
            one.weight,
            plan.streams("symmetric", one.task),
        )
        for one in unread
    )


def _same_rows(one: TaskRows, evidence: Evidence) -> Items:
    taken = take_present(evidence)
    if isinstance(taken, Items) and len(taken.values) == one.rows:
        return taken
    raise DataError(
        f"Task {one.task!r} had {one.rows:,} rows when it was compared, and has others now. "
        "Read the scores again."
    )


def _values(
    items: Items, limits: Limits | None, plan: AveragePlan, positions: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Rows of the models at `positions`, on the scale that is averaged."""
    place = {name: column for column, name in enumerate(items.models)}
    columns = [place[plan.models[i]] for i in positions]
    values = weighted_values(items)[:, columns]
    return values if limits is None else np.asarray(limits.apply(values))

"""The rows behind an average: how much a few of them weigh, and what can be resampled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Folds, Items
from rankbars.data.fields import locate_models, spread_columns
from rankbars.data.rightanswers import is_binary
from rankbars.data.rowscores import RowScores
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError
from rankbars.stats.averaging.points import Limits
from rankbars.stats.multiplicity.symmetricbootstrap import Sample
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.rowsigns import pair_moments
from rankbars.steps.average.joinedtasks import find_joined, joined_by_names, row_labels
from rankbars.steps.average.plan import AveragePlan, RowsSeen, TaskPart, TaskRows
from rankbars.steps.average.scales import zscore_limits
from rankbars.steps.correctionchoice import can_resample, tail_unknown
from rankbars.steps.pairtests import take_present
from rankbars.steps.testrows import score_ends, weighted_values

__all__ = ["RowFindings", "RowLook", "RowSums", "load_samples", "share_rows"]

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


class RowLook(NamedTuple):
    """How an average looks at the rows of any task; small, and the same in every process.

    Attributes
    ----------
    models : tuple of str
        The models of the board.
    tasks : frozenset of str
        Those that have weight.
    shared, field : array of int
        Positions of the models with scores on all of these, and of some that stand for all.
    normalise : str, optional
        How scores are brought to a common scale.
    limits : mapping from str to Limits
        Values that count as 0 and as 1, by task, where they are fixed beforehand.
    """

    models: tuple[str, ...]
    tasks: frozenset[str]
    shared: NDArray[np.intp]
    field: NDArray[np.intp]
    normalise: str | None
    limits: Mapping[str, Limits]

    @classmethod
    def of(cls, plan: AveragePlan) -> RowLook:
        """As a plan needs it."""
        shared = plan.positions
        count = min(shared.size, _MOST_MODELS)
        field = shared[np.linspace(0, max(shared.size - 1, 0), count).astype(np.intp)]
        tasks = frozenset(task for task, weight in plan.weights.items() if weight > 0)
        return cls(plan.models, tasks, shared, field, plan.normalise, dict(plan.limits))

    def scale(self, task: str, mean: NDArray[np.float64]) -> Limits | None:
        """What counts as 0 and as 1 on a task, given the scores of all models."""
        if self.normalise == "zscore":
            return zscore_limits(mean[self.shared], task)
        return self.limits.get(task)

    def see(
        self, items: Items, task: str, mean: NDArray[np.float64], info: TaskInfo
    ) -> RowsSeen | None:
        """What is seen on the rows of a task; None if it has no weight."""
        if task not in self.tasks:
            return None
        values, n = items.values, items.n
        plain = items.clusters is None and not isinstance(items.design, Folds)
        third = None
        light = isinstance(items.design, Folds) or not 2 <= n <= _MOST_ROWS or is_binary(items)
        if not light:
            moments = pair_moments(_values(items, self.scale(task, mean), self.models, self.field))
            third = moments.third / np.square(np.maximum(moments.rows, 1.0))
        return RowsSeen(
            n, values.size, plain, not np.isnan(values).any(), third,
            not light and plain and tail_unknown(items), score_ends(items, info),
        )  # fmt: skip


class RowSums:
    """Third moments of the rows of tasks, summed as they are added; rows are not kept.

    Parameters
    ----------
    plan : AveragePlan
        What is averaged, on the scale of scores.
    """

    def __init__(self, plan: AveragePlan) -> None:
        self._plan = plan
        self._field = RowLook.of(plan).field
        count = self._field.size
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
        seen = part.seen
        if seen is None or part.comparisons.test in _OWN_ERRORS:
            self._tasks, self._whole = None, False
            return
        if not (seen.plain and seen.complete):
            self._tasks, self._whole = None, False
        elif self._tasks is not None:
            self._cells += seen.cells
            self._tasks.append(TaskRows(part.task, part.weight, part.limits, seen.rows))
            # Resampled rows of a pair without spread have none either, so that t decides.
            few = seen.rows < _FEW_ROWS and pairs.constant.any()
            if self._cells > _MOST_CELLS or few:
                self._tasks = None
        if seen.third is None:
            return
        self._matters = True
        field, n = self._field, seen.rows
        self._third += part.weight**3 * seen.third
        variance = part.weight**2 * np.square(pairs.se[np.ix_(field, field)])
        if seen.tailed:
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
    rows_of: Callable[[str], Evidence],
    plan: AveragePlan,
    present: NDArray[np.intp],
) -> tuple[Sample, ...]:
    """The rows of tasks, looked at again one task after the other, to be resampled.

    Parameters
    ----------
    unread : tuple of TaskRows
        Which tasks.
    rows_of : callable
        Name of a task → its evidence.
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
            _values(_same_rows(one, rows_of(one.task)), one.limits, plan.models, present),
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
    items: Items, limits: Limits | None, models: tuple[str, ...], positions: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Rows of the models at `positions`, on the scale that is averaged."""
    columns = locate_models([models[i] for i in positions], items.models)
    values = weighted_values(items)[:, columns]
    return values if limits is None else np.asarray(limits.apply(values))


_MOST_BYTES = 1_000_000  # more would make a page slow to open
_MOST_WORK = 2 * 10**7  # rows times pairs of models; more would make it slow to follow a slider


def share_rows(scores: Scores, spec: Spec) -> tuple[RowScores, ...]:
    """Scores of tasks that are averaged row by row, where any choice of them would be, too.

    Parameters
    ----------
    scores : Scores
        What is averaged.
    spec : Spec
        How.

    Returns
    -------
    tuple of RowScores
        One for each group of tasks with the same rows. None where some tasks are linked by what
        the data show, or by a part of their rows, so that fewer of them may be linked otherwise;
        none where scores are too many for a page, or rows of models are not paired.
    """
    found: list[RowScores] = []
    groups = {} if spec.test == "welch" else find_joined(scores, scores.tasks, spec)
    for names in dict.fromkeys(groups.values()):
        first, models = scores.tasks[names[0]], len(scores.models)
        rows = first.n if isinstance(first, Items) else 0
        if len(names) * rows * models > 8 * _MOST_BYTES or rows * models**2 > 2 * _MOST_WORK:
            return ()
        tasks = {name: one for name in names if isinstance(one := scores.tasks[name], Items)}
        if not joined_by_names(tasks):
            return ()
        signs = [1.0 if scores.info[name].direction == "higher" else -1.0 for name in names]
        values = [_in_order(one, scores.models) for one in tasks.values()]
        found.append(RowScores.of(names, np.array(values) * np.array(signs)[:, None, None]))
    size = sum(len(one.packed) * 3 // 4 for one in found)
    return tuple(found) if size <= _MOST_BYTES else ()


def _in_order(items: Items, models: tuple[str, ...]) -> NDArray[np.float64]:
    """Rows in the order of their names, and a column for each model."""
    labels = row_labels(items)
    rows = items.values[sorted(range(len(labels)), key=labels.__getitem__)]
    return spread_columns(rows, locate_models(items.models, models), len(models))

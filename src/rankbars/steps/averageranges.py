"""What an average can be at all: the ends of its scale, where they are known.

An interval is cut at these ends. The true value lies between them, so the part that is kept holds
it exactly as often as the whole interval.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Estimates, Evidence, Items
from rankbars.data.rightanswers import is_share
from rankbars.data.scores import TaskInfo
from rankbars.errors import DataError
from rankbars.stats.averaging.limits import Limits
from rankbars.steps.plans import AveragePlan
from rankbars.steps.taskpoints import take_method
from rankbars.tables.metrics import is_proportion

__all__ = ["RangeCollector"]

_ROUNDING = 1e-9
_UNKNOWN = (-np.inf, np.inf)
_FIXED_SCALES = (None, "bounds", "chance")  # other scales are set by the scores themselves


class RangeCollector:
    """Least and greatest possible score of every task, collected task by task.

    Parameters
    ----------
    plan : AveragePlan
        What is averaged.
    """

    def __init__(self, plan: AveragePlan) -> None:
        self._plan = plan
        self._reach = take_method(plan.method).reach
        self._ends: list[tuple[float, float]] = []

    def add(self, comparisons: Comparisons, info: TaskInfo, limits: Limits | None) -> None:
        """Take one task; `comparisons` have its scores as they were read, higher is better.

        Raises
        ------
        DataError
            If a score lies beyond the declared ends.
        """
        evidence = comparisons.evidence
        declared = _UNKNOWN if _may_be_strengths(evidence) else _turned(_declared(info), info)
        _refuse_beyond(comparisons, declared, info)
        if self._reach is not None or self._plan.normalise not in _FIXED_SCALES:
            return
        ends = declared
        if ends == _UNKNOWN and not _may_be_strengths(evidence):
            ends = _turned(_natural(evidence, info), info)
        if self._plan.normalise == "bounds":
            ends = (0.0, 1.0)
        elif limits is not None:
            low, high = limits.apply(np.array(ends))
            ends = float(low), float(high)
        self._ends.append(ends)

    def finish(self, models: int) -> tuple[float, float]:
        """Least and greatest value that the average can have, as it is shown.

        Parameters
        ----------
        models : int
            Number of models that have an average.

        Returns
        -------
        (float, float)
            An end that is not the same on every task, or not known, is infinite.
        """
        if self._reach is not None:
            return self._reach(models)
        if not self._ends:
            return _UNKNOWN
        lows, highs = (set(ends) for ends in zip(*self._ends, strict=True))
        low = lows.pop() if len(lows) == 1 else -np.inf
        high = highs.pop() if len(highs) == 1 else np.inf
        return (-high + 0.0, -low + 0.0) if self._plan.direction == "lower" else (low, high)


def _declared(info: TaskInfo) -> tuple[float, float]:
    low = -np.inf if info.minimum is None else info.minimum
    return low, np.inf if info.maximum is None else info.maximum


def _may_be_strengths(evidence: Evidence | None) -> bool:
    """Whether these may be strengths fitted to votes, which have no ends, whatever was declared."""
    return isinstance(evidence, Estimates) and evidence.cov is not None


def _natural(evidence: Evidence | None, info: TaskInfo) -> tuple[float, float]:
    """0 and 1 for right and wrong answers, for shares of them, and for metrics that are shares."""
    sign = 1.0 if info.direction == "higher" else -1.0
    if isinstance(evidence, Items):
        fits = _within if _proportion(info) else _binary
        # One row settles most tasks.
        share = fits(sign * evidence.values[:1]) and fits(sign * evidence.values)
    elif isinstance(evidence, Estimates):
        counted = evidence.se is not None and is_share(evidence)
        share = counted or (_proportion(info) and _within(sign * evidence.mean))
    else:
        share = False
    return (0.0, 1.0) if share else _UNKNOWN


def _proportion(info: TaskInfo) -> bool:
    return info.metric is not None and is_proportion(info.metric)


def _within(values: NDArray[np.float64]) -> bool:
    return bool(((values >= 0.0) & (values <= 1.0) | np.isnan(values)).all())


def _binary(values: NDArray[np.float64]) -> bool:
    return bool(((values == 0.0) | (values == 1.0) | np.isnan(values)).all())


def _turned(ends: tuple[float, float], info: TaskInfo) -> tuple[float, float]:
    """Ends in the units of the input, turned so that higher is better."""
    return ends if info.direction == "higher" else (-ends[1], -ends[0])


def _refuse_beyond(comparisons: Comparisons, declared: tuple[float, float], info: TaskInfo) -> None:
    if declared == _UNKNOWN:
        return
    slack = _ROUNDING * max(abs(end) for end in declared if np.isfinite(end))  # one of them is
    with np.errstate(invalid="ignore"):
        low, high = declared[0] - slack, declared[1] + slack
        beyond = np.flatnonzero((comparisons.mean < low) | (comparisons.mean > high))
    if beyond.size:
        first = int(beyond[0])
        sign = 1.0 if info.direction == "higher" else -1.0
        shown = " to ".join(f"{end:g}" for end in _declared(info))
        raise DataError(
            f"Task {comparisons.task!r}: model {comparisons.models[first]!r} has the score "
            f"{sign * comparisons.mean[first]:g}, outside the declared limits {shown}. Correct the "
            "score or the limits."
        )

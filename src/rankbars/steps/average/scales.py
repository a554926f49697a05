"""The scale of an average: a common one for all tasks, and the ends that it has.

The limits of a common scale are fixed before any draw and kept in the result. (``minmax_draws`` is
the exception, there to reproduce published numbers: its limits, and so what is estimated, depend on
the number of draws.)

An interval is cut at the ends of the scale, where they are known. The true value lies between
them, so the part that is kept holds it exactly as often as the whole interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_mapping, check_name, check_number
from rankbars.data.comparisons import Comparisons
from rankbars.data.notes import list_names
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.points import Limits, standard_limits
from rankbars.steps.average.plan import AveragePlan
from rankbars.steps.testrows import declared_ends, may_be_strengths, score_ends

__all__ = [
    "NORMALISATIONS",
    "RangeCollector",
    "draws_limits",
    "fixed_limits",
    "refuse_beyond_limits",
    "scale_comparisons",
    "shown_limits",
    "zscore_limits",
]

_ROUNDING = 1e-9
_UNKNOWN = (-np.inf, np.inf)
_FIXED_SCALES = (None, "bounds", "chance")  # other scales are set by the scores themselves

Declared: TypeAlias = Callable[[TaskInfo], tuple[float | None, float | None]]


def _bounds(info: TaskInfo) -> tuple[float | None, float | None]:
    """The declared worst and best possible score."""
    ends = (info.minimum, info.maximum)
    return ends if info.direction == "higher" else (ends[1], ends[0])


def _chance(info: TaskInfo) -> tuple[float | None, float | None]:
    """What guessing scores, and the best possible score."""
    return info.chance, info.maximum if info.direction == "higher" else info.minimum


NORMALISATIONS: dict[str, Declared | None] = {
    "bounds": _bounds,
    "chance": _chance,
    "zscore": None,
    "rank": None,
    "minmax_draws": None,
}
"""How to read the scores that count as 0 and 1 off what is declared; None: from the scores."""


def fixed_limits(
    scores: Scores,
    tasks: Mapping[str, float],
    normalise: str | None,
    given: Mapping[str, tuple[float, float]] | None,
) -> dict[str, Limits]:
    """Limits that are fixed before the scores are looked at, higher is better.

    Parameters
    ----------
    scores : Scores
        For what is declared about the tasks.
    tasks : mapping from str to float
        The tasks that are averaged.
    normalise : str, optional
        Name of the scale.
    given : mapping from str to (float, float), optional
        Scores that count as 0 and as 1, in the units of the input; they go before what is
        declared.

    Raises
    ------
    UnknownOptionError
        If the scale or a task is not known.
    OptionError
        If a limit is not declared, or the one that counts as 1 is not the better one.
    """
    if normalise is not None:
        check_name("normalisation", normalise, ("none", *NORMALISATIONS))
    chosen = {} if given is None else _given(given, tuple(scores.tasks))
    declared = None if normalise is None else NORMALISATIONS[normalise]
    if declared is None:
        if chosen:
            raise OptionError(
                f"limits= belong to normalise='bounds' or 'chance'; got normalise={normalise!r}."
            )
        return {}
    found, lacking = {}, []
    for name in tasks:
        info = scores.info[name]
        zero, one = chosen.get(name, declared(info))
        if zero is None or one is None:
            lacking.append(name)
            continue
        sign = 1.0 if info.direction == "higher" else -1.0
        found[name] = _checked(Limits(sign * zero, sign * one), name)
    if lacking:
        raise OptionError(_lacking(str(normalise), lacking))
    return found


def _given(
    limits: Mapping[str, tuple[float, float]], tasks: tuple[str, ...]
) -> dict[str, tuple[float, float]]:
    """Limits that the caller chose, as pairs of numbers."""
    found = {}
    for name, ends in check_mapping("limits", limits, "task to (zero, one)").items():
        check_name("task in the limits", name, tasks)
        if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
            wanted = "a pair (zero, one): the scores that count as 0 and as 1"
            raise OptionError.out_of_range(f"limits of task {name!r}", ends, wanted)
        zero, one = (check_number(f"limit of task {name!r}", end) for end in ends)
        found[name] = zero, one
    return found


def _lacking(normalise: str, tasks: list[str]) -> str:
    shown = list_names(tasks, 3) + " tasks" * (len(tasks) > 3)
    what = "the score of guessing and the best score" if normalise == "chance" else "both limits"
    how = (
        "Declare them: --chance FILE with --score-max, "
        if normalise == "chance"
        else "Declare them: --limits FILE, or --score-min and --score-max for all tasks, "
    )
    return (
        f"Normalisation {normalise!r} needs {what} of every task; not declared for {shown}. "
        f"{how}or limits={{task: (zero, one)}} in Python."
    )


def zscore_limits(mean: NDArray[np.float64], task: str) -> Limits:
    """Limits that turn the scores of the models on one task into z-scores.

    Raises
    ------
    DataError
        If all models have the same score, or no model has one, so that there is no scale.
    """
    if not mean.size:
        raise DataError(
            f"Task {task!r} has no z-scores: no model has a score on every task. Drop the tasks "
            "that models lack, or use another normalisation."
        )
    return _checked(standard_limits(mean), task)


def draws_limits(values: NDArray[np.float64], task: str) -> Limits:
    """Smallest and largest score over all models and draws, shape (S, M), of one task.

    Raises
    ------
    DataError
        If all draws are equal, so that there is no scale.
    """
    return _checked(Limits(float(values.min()), float(values.max())), task)


def _checked(limits: Limits, task: str) -> Limits:
    if not (np.isfinite(limits.low) and np.isfinite(limits.high)):
        raise OptionError(f"Task {task!r}: the limits of the scale must be finite.")
    if limits.low == limits.high:
        raise DataError(
            f"Task {task!r} has no scale: the scores that count as 0 and as 1 are both "
            f"{abs(limits.low):g}. Give it other limits, or weight 0."
        )
    if limits.low > limits.high:
        raise OptionError(
            f"Task {task!r}: the score that counts as 1 must be better than the one that counts "
            "as 0. Was the direction declared?"
        )
    return limits


def refuse_beyond_limits(scaled: Comparisons, shown: tuple[float, float]) -> None:
    """Refuse averages beyond the worst and the best score that were declared.

    Parameters
    ----------
    scaled : Comparisons
        On the scale from 0 to 1.
    shown : (float, float)
        The scores that count as 0 and as 1, in the units of the input.

    Raises
    ------
    DataError
        If the average of a model on this task lies outside.
    """
    with np.errstate(invalid="ignore"):
        beyond = np.flatnonzero((scaled.mean < -_ROUNDING) | (scaled.mean > 1 + _ROUNDING))
    if beyond.size:
        share = float(scaled.mean[beyond[0]])
        value = shown[0] + share * (shown[1] - shown[0])
        raise DataError(
            f"Task {scaled.task!r}: model {scaled.models[int(beyond[0])]!r} has the score "
            f"{value:g}, outside the limits {shown[0]:g} to {shown[1]:g}. Correct the score or the "
            "limits."
        )


def shown_limits(limits: Limits, info: TaskInfo) -> tuple[float, float]:
    """Scores that count as 0 and as 1, in the units of the input."""
    sign = 1.0 if info.direction == "higher" else -1.0
    return sign * limits.low + 0.0, sign * limits.high + 0.0


def scale_comparisons(comparisons: Comparisons, limits: Limits) -> Comparisons:
    """Means, differences and their errors on the common scale; statistics stay what they are."""
    pairs = comparisons.pairs
    return replace(
        comparisons,
        mean=limits.apply(comparisons.mean),
        mean_se=comparisons.mean_se / limits.width,
        pairs=None
        if pairs is None
        else pairs._replace(diff=pairs.diff / limits.width, se=pairs.se / limits.width),
    )


class RangeCollector:
    """Least and greatest possible score of every task, collected task by task.

    Parameters
    ----------
    plan : AveragePlan
        What is averaged.
    """

    def __init__(self, plan: AveragePlan) -> None:
        self._plan = plan
        self._reach = plan.rule.reach
        self._ends: list[tuple[float, float]] = []

    def add(
        self, comparisons: Comparisons, info: TaskInfo, limits: Limits | None,
        known: tuple[float, float] | None = None,
    ) -> tuple[float, float]:  # fmt: skip
        """Take one task.

        Parameters
        ----------
        comparisons : Comparisons
            With its scores as they were read, higher is better.
        info : TaskInfo
            What is declared of it.
        limits : Limits, optional
            How scores get to the scale that is averaged.
        known : (float, float), optional
            Its `score_ends`, where they are known.

        Returns
        -------
        (float, float)
            Ends of the scale that is averaged; infinite where they are not known.

        Raises
        ------
        DataError
            If a score lies beyond the declared ends.
        """
        evidence = comparisons.evidence
        ended = not may_be_strengths(evidence)
        declared = _turned(declared_ends(info), info) if ended else _UNKNOWN
        _refuse_beyond(comparisons, declared, info)
        if self._reach is not None or self._plan.normalise not in _FIXED_SCALES:
            return _UNKNOWN
        ends = _turned(score_ends(evidence, info) if known is None else known, info)
        if self._plan.normalise == "bounds":
            ends = (0.0, 1.0)
        elif limits is not None:
            low, high = limits.apply(np.array(ends))
            ends = float(low), float(high)
        self._ends.append(ends)
        return ends

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
        shown = " to ".join(f"{end:g}" for end in declared_ends(info))
        raise DataError(
            f"Task {comparisons.task!r}: model {comparisons.models[first]!r} has the score "
            f"{sign * comparisons.mean[first]:g}, outside the declared limits {shown}. Correct the "
            "score or the limits."
        )

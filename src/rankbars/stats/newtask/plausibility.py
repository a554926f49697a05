"""Whether the assumption behind a prediction interval is plausible, and what shift it bears."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError, OptionError
from rankbars.stats.binomial import exact_limits
from rankbars.stats.ranks import RankBounds

__all__ = [
    "Containment",
    "breakdown_shift",
    "claim_miss",
    "leave_one_out",
    "tilted_weights",
]

MergeBounds = Callable[[NDArray[np.intp]], RankBounds]
"""Prediction intervals made from the tasks at the given positions."""


class Containment(NamedTuple):
    """How often left-out tasks fell inside the interval made from the others, per model."""

    inside: NDArray[np.int64]  # [M] left-out units whose interval lay inside
    units: int  # tasks or families that were left out
    low: NDArray[np.float64]  # [M] exact 95 % limits of the share, as if units were independent
    high: NDArray[np.float64]
    within: NDArray[np.bool_]  # [units, M] which of them


def leave_one_out(
    best: NDArray[np.int64],
    worst: NDArray[np.int64],
    units: ArrayLike,
    merge: MergeBounds,
    alpha: float = 0.05,
) -> Containment:
    """Leave out one task (or family of tasks) at a time, and look whether the rest foresaw it.

    Parameters
    ----------
    best, worst : array of int, shape (N, M)
        Ends of the interval of each model on each task (or observed rank sets).
    units : array_like, shape (N,)
        Label of the unit that each task is left out with: its own, or its family.
    merge : callable
        Makes the prediction intervals from the tasks at given positions.
    alpha : float
        Error rate of the exact limits.

    Returns
    -------
    Containment
        A unit counts as inside for a model if all its tasks are.

    Raises
    ------
    DataError
        If there are fewer than two units.

    Notes
    -----
    A diagnosis, not a proof: the left-out units share their training tasks, so the exact
    binomial limits are a guide.

    Examples
    --------
    >>> from rankbars.stats.newtask.merges import union_merge
    >>> best, worst = np.array([[1], [2], [1], [2]]), np.array([[2], [3], [2], [3]])
    >>> made = leave_one_out(best, worst, range(4), lambda kept: union_merge(
    ...     best[kept], worst[kept], 3))
    >>> made.inside.tolist(), made.units
    ([4], 4)
    """
    labels, code = np.unique(np.asarray(units), return_inverse=True)
    if labels.size < 2:
        raise DataError(
            f"Leaving one out needs at least two tasks (or families); found {labels.size}."
        )
    within = np.zeros((labels.size, best.shape[1]), dtype=np.bool_)
    for unit in range(labels.size):
        kept, left = np.flatnonzero(code != unit), np.flatnonzero(code == unit)
        made = merge(kept)
        within[unit] = ((made.best <= best[left]) & (worst[left] <= made.worst)).all(axis=0)
    inside = within.sum(axis=0)
    low, high = exact_limits(inside, labels.size - inside, alpha)
    return Containment(inside, int(labels.size), low, high, within)


def tilted_weights(value: NDArray[np.float64], shift: float) -> NDArray[np.float64] | None:
    """Weights that rise with a value of the tasks, at a given distance from equal ones.

    Parameters
    ----------
    value : array of float, shape (N,)
        Of each task.
    shift : float
        Total-variation distance from equal weights, 0 to 1.

    Returns
    -------
    array of float, shape (N,), or None
        Proportional to ``exp(rate * value)``; None where no rate reaches that distance.

    Examples
    --------
    >>> tilted_weights(np.array([0.0, 1.0]), 0.25).round(6).tolist()
    [0.25, 0.75]
    """
    spread = float(np.ptp(value))
    if spread <= 0.0:
        return None

    def at(rate: float) -> NDArray[np.float64]:
        raw = np.exp(rate * (value - value.max()) / spread)
        return np.asarray(raw / raw.sum())

    def distance(rate: float) -> float:
        return float(np.abs(at(rate) - 1.0 / value.size).sum() / 2.0)

    low, high = 0.0, 700.0
    if distance(high) < shift:
        return None
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if distance(middle) < shift else (low, middle)
    return at(high)


def claim_miss(outside: ArrayLike, n_tasks: int, side_level: float) -> NDArray[np.float64]:
    """Bound on the probability that a one-sided claim about the true rank fails on a new task.

    The claim is "never below rank k" (or never above): `outside` tasks have an interval that does
    not support it. By exchangeability the new task is one of them with probability at most
    ``(outside + 1) / (N + 1)``; dividing by one minus the error rate of one side of the task
    interval turns that into a statement about the true rank.

    Parameters
    ----------
    outside : array_like of int
        Tasks whose interval does not support the claim.
    n_tasks : int
        All tasks, N.
    side_level : float
        Error rate of one side of the task intervals.

    Notes
    -----
    The claim must be fixed before the ranks are seen.

    Examples
    --------
    >>> claim_miss([0, 3], 19, 0.025).round(4).tolist()
    [0.0513, 0.2051]
    """
    if n_tasks < 1:
        raise DataError(f"A claim about a new task needs at least one task; got {n_tasks}.")
    bound = (np.asarray(outside, dtype=np.float64) + 1.0) / (n_tasks + 1.0) / (1.0 - side_level)
    return np.minimum(bound, 1.0)


def breakdown_shift(miss: ArrayLike, coverage: float) -> NDArray[np.float64]:
    """Largest shift (total variation) at which a claim still holds with probability `coverage`.

    Parameters
    ----------
    miss : array_like of float
        Miss probability without a shift.
    coverage : float
        Probability that is asked for, strictly between 0 and 1.

    Returns
    -------
    array of float
        Negative where the claim does not reach `coverage` even without a shift.

    Raises
    ------
    OptionError
        If `coverage` is out of range.

    Examples
    --------
    >>> breakdown_shift([0.05, 0.3], 0.8).round(2).tolist()
    [0.15, -0.1]
    """
    if not 0.0 < coverage < 1.0:
        raise OptionError.out_of_range("coverage", coverage, "strictly between 0 and 1")
    return 1.0 - coverage - np.asarray(miss, dtype=np.float64)

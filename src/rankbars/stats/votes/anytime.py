"""Ranks that stay valid however often one looks: e-values of pairs, closed by averaging.

Averages of e-values are e-values under any dependence, and an e-process may be read at any time;
so may what closed testing makes of them. All e-values come as logarithms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.multiplicity.thresholds import check_alpha
from rankbars.stats.ranks import RankBounds, count_bounds

__all__ = [
    "RunningBounds",
    "anytime_bounds",
    "anytime_relation",
    "intersect_bounds",
    "mean_e_count",
]

Array = NDArray[np.float64]

_LARGEST_LOG = 600.0


class RunningBounds(NamedTuple):
    """Rank bounds of all looks so far.

    Attributes
    ----------
    best, worst : ndarray of int64, shape (M,)
        Intersection of the bounds; where it became empty, the last one that was not.
    contradicted : ndarray of bool, shape (M,)
        Models whose bounds at two looks exclude each other, which proves that one of them is
        wrong. Together this happens to a model with probability at most alpha.
    """

    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    contradicted: NDArray[np.bool_]


def mean_e_count(log_e: Array, alpha: float) -> NDArray[np.int64]:
    """Number of false hypotheses shown by closed testing with average e-values.

    Parameters
    ----------
    log_e : ndarray, shape (..., K)
        Log e-values of K hypotheses, dependent in any way.
    alpha : float
        Level of the family.

    Returns
    -------
    ndarray of int64, shape (...)
        With probability at least ``1 - alpha``, at any time, at least that many are false:
        K less the largest i for which the mean of the i smallest stays below ``1 / alpha``.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Notes
    -----
    Source: Vovk and Wang (2021), Annals of Statistics 49, 1736-1754.

    Examples
    --------
    >>> mean_e_count(np.log([60, 30, 25, 2, 0.5]), 0.05).item()
    1
    """
    rate = check_alpha(alpha)
    ordered = _e_values(np.sort(log_e, axis=-1))
    size = ordered.shape[-1]
    below = np.cumsum(ordered, axis=-1) < np.arange(1, size + 1) / rate
    # Means of the smallest only grow, so that the first that is not below ends the run.
    return np.asarray(size - np.logical_and.accumulate(below, axis=-1).sum(axis=-1), np.int64)


def anytime_bounds(log_e: Array, alpha: float) -> RankBounds:
    """Best and worst possible rank of each model, valid at any time.

    Parameters
    ----------
    log_e : ndarray, shape (M, M)
        ``[i, j]``: log e-value for "i better than j". The diagonal is ignored.
    alpha : float
        Error rate of a model's interval, over all looks together; half of it on each side.

    Returns
    -------
    RankBounds
        Per model; pairs without votes have log e-value 0 and show nothing.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Examples
    --------
    >>> from rankbars.stats.votes.eprocess import log_e_better
    >>> wins = np.array([[0, 30, 30], [2, 0, 10], [2, 12, 0]])
    >>> bounds = anytime_bounds(log_e_better(wins, wins.T), 0.05)
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    level = check_alpha(alpha) / 2
    size = log_e.shape[0]
    others = ~np.eye(size, dtype=bool)
    rows = log_e[others].reshape(size, max(size - 1, 0))
    columns = log_e.T[others].reshape(size, max(size - 1, 0))
    return count_bounds(mean_e_count(columns, level), mean_e_count(rows, level))


def anytime_relation(log_e: Array, alpha: float) -> NDArray[np.bool_]:
    """Pairs shown at any time, all of them right at once with probability ``1 - alpha``.

    Parameters
    ----------
    log_e : ndarray, shape (M, M)
        ``[i, j]``: log e-value for "i better than j". The diagonal is ignored.
    alpha : float
        Error rate of the whole relation, over all looks together.

    Returns
    -------
    ndarray of bool, shape (M, M)
        ``[i, j]``: i is shown better than j.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Notes
    -----
    Closed testing with averages rejects a hypothesis if its e-value makes up for all others that
    lie below ``1 / alpha``: ``e >= 1/alpha + sum over others of max(0, 1/alpha - e_other)``.
    Source: Vovk and Wang (2021), section 4.

    Examples
    --------
    >>> from rankbars.stats.votes.eprocess import log_e_better
    >>> wins = np.array([[0, 60, 60], [2, 0, 10], [2, 12, 0]])
    >>> anytime_relation(log_e_better(wins, wins.T), 0.05).sum(axis=1).tolist()
    [2, 0, 0]
    """
    bound = 1 / check_alpha(alpha)
    others = ~np.eye(log_e.shape[0], dtype=bool)
    e_values = _e_values(log_e)
    missing = np.where(others, np.maximum(bound - e_values, 0.0), 0.0)
    relation: NDArray[np.bool_] = others & (e_values >= bound + missing.sum() - missing)
    return relation


def intersect_bounds(previous: RunningBounds | RankBounds, current: RankBounds) -> RunningBounds:
    """Bounds of all looks so far, from those before and those of this look.

    Parameters
    ----------
    previous : RunningBounds or RankBounds
        Bounds up to the look before.
    current : RankBounds
        Bounds of this look, for the same models.

    Returns
    -------
    RunningBounds
        As valid as those of one look, since the level covers all looks together.

    Examples
    --------
    >>> first = RankBounds(np.array([1, 1]), np.array([2, 1]))
    >>> second = RankBounds(np.array([1, 2]), np.array([1, 2]))
    >>> running = intersect_bounds(first, second)
    >>> running.worst.tolist(), running.contradicted.tolist()
    ([1, 1], [False, True])
    """
    best = np.maximum(previous.best, current.best)
    worst = np.minimum(previous.worst, current.worst)
    empty = best > worst
    before = previous.contradicted if isinstance(previous, RunningBounds) else False
    return RunningBounds(
        np.where(empty, previous.best, best),
        np.where(empty, previous.worst, worst),
        empty | before,
    )


def _e_values(log_e: Array) -> Array:
    """E-values; larger ones than can matter are cut, so that sums stay finite."""
    e_values: Array = np.exp(np.minimum(log_e, _LARGEST_LOG))
    return e_values

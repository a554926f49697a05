"""Ranks: rank 1 is the best.

The one rule of the package: the best rank a model can have is 1 plus the number of models shown
better than it; the worst is the number of models minus the number it is shown better than.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "RankBounds",
    "count_around",
    "count_bounds",
    "first_bounds",
    "interval_width",
    "midranks",
    "observed_rank_sets",
    "printed_places",
    "rank_bounds",
    "tied_places",
]


class RankBounds(NamedTuple):
    """Ends of rank intervals, ``1 <= best <= worst <= n_ranks``.

    Attributes
    ----------
    best, worst : ndarray of int64, shape (..., M)
        Best and worst possible rank of each model.
    """

    best: NDArray[np.int64]
    worst: NDArray[np.int64]


def rank_bounds(shown_better: NDArray[np.bool_]) -> RankBounds:
    """Best and worst possible rank of each model.

    Parameters
    ----------
    shown_better : ndarray of bool, shape (..., M, M)
        ``[i, j]``: i is shown better than j; never in both directions of a pair.

    Returns
    -------
    RankBounds
        Shape (..., M).

    Examples
    --------
    >>> shown = np.array([[False, True, True], [False, False, False], [False, False, False]])
    >>> bounds = rank_bounds(shown)
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    return count_bounds(
        np.count_nonzero(shown_better, axis=-2), np.count_nonzero(shown_better, axis=-1)
    )


def count_bounds(better: ArrayLike, worse: ArrayLike) -> RankBounds:
    """Best and worst possible rank of each model, from counts.

    Parameters
    ----------
    better : array_like of int, shape (..., M)
        Number of models shown better than each model.
    worse : array_like of int, shape (..., M)
        Number of models that each model is shown better than.

    Returns
    -------
    RankBounds
        Shape (..., M).

    Examples
    --------
    >>> bounds = count_bounds([0, 1, 1], [2, 0, 0])
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    n_better = np.asarray(better, dtype=np.int64)
    n_worse = np.asarray(worse, dtype=np.int64)
    return RankBounds(best=1 + n_better, worst=n_worse.shape[-1] - n_worse)


def first_bounds(shown_better: NDArray[np.bool_], may_be_first: NDArray[np.bool_]) -> RankBounds:
    """`rank_bounds`, where a set for the best says of the other models that they are not first.

    Parameters
    ----------
    shown_better : ndarray of bool, shape (M, M)
        ``[i, j]``: i is shown better than j.
    may_be_first : ndarray of bool, shape (M,)
        Models that may be the best; nobody is shown better than any of them.

    Returns
    -------
    RankBounds
        Models outside of the set have 2 as their best rank, or more.

    Examples
    --------
    >>> shown = np.array([[False, True, False], [False, False, False], [False, False, False]])
    >>> bounds = first_bounds(shown, np.array([True, False, False]))
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1, 2, 2], [2, 3, 3])
    """
    best, worst = rank_bounds(shown_better)
    return RankBounds(np.where(may_be_first, best, np.maximum(best, 2)), worst)


def observed_rank_sets(mean: NDArray[np.float64]) -> RankBounds:
    """Ranks of observed scores, as sets: models with equal scores share all their ranks.

    Parameters
    ----------
    mean : ndarray of float64, shape (..., M)
        Scores, higher is better; NaN for a model that is absent.

    Returns
    -------
    RankBounds
        ``1 + #{mean_k > mean_j}`` to ``M - #{mean_k < mean_j}``, shape (..., M).
        An absent model may stand anywhere: its set is 1 to M.

    Notes
    -----
    An absent model counts neither as better nor as worse, so that it widens the sets of the others
    by one rank at their worse end. A smaller field would make ranks of different tasks
    incomparable.

    Examples
    --------
    >>> sets = observed_rank_sets(np.array([0.7, 0.9, 0.7]))
    >>> sets.best.tolist(), sets.worst.tolist()
    ([2, 1, 2], [3, 1, 3])
    """
    field = mean.shape[-1]
    below, above = count_around(mean)
    absent = np.isnan(mean)
    return RankBounds(
        best=np.where(absent, 1, 1 + above), worst=np.where(absent, field, field - below)
    )


def printed_places(score: NDArray[np.float64]) -> NDArray[np.int64]:
    """Place of each model in a printed order, best score first; of equal ones the earlier model's.

    Examples
    --------
    >>> printed_places(np.array([0.5, 0.9, 0.5])).tolist()
    [2, 1, 3]
    """
    place = np.empty(score.size, dtype=np.int64)
    place[np.argsort(-score, kind="stable")] = np.arange(1, score.size + 1)
    return place


def midranks(values: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    """Ranks along an axis, 1 for the highest value; equal values share the mean of their ranks.

    Parameters
    ----------
    values : ndarray of float64
        Scores, higher is better; NaN for not observed.
    axis : int
        Axis along which models are ranked.

    Returns
    -------
    ndarray of float64
        Ranks, same shape; NaN where `values` is NaN. They count the observed values only.

    Examples
    --------
    >>> midranks(np.array([0.7, 0.9, 0.7])).tolist()
    [2.5, 1.0, 2.5]
    """
    along = np.moveaxis(np.asarray(values, dtype=np.float64), axis, -1)
    below, above = count_around(along)
    absent = np.isnan(along)
    present = np.count_nonzero(~absent, axis=-1, keepdims=True)
    ranks = np.where(absent, np.nan, (1 + above + present - below) / 2)
    return np.moveaxis(ranks, -1, axis)


def interval_width(best: ArrayLike, worst: ArrayLike, n_ranks: int) -> float:
    """Mean width of rank intervals as a share of the whole field.

    Parameters
    ----------
    best, worst : array_like of int
        Ends of the intervals, any shape.
    n_ranks : int
        Number of ranks.

    Returns
    -------
    float
        Mean of ``(worst - best) / (n_ranks - 1)``, between 0 and 1; 0 for a single rank.

    Examples
    --------
    >>> interval_width([1, 1, 3], [2, 3, 3], 3)
    0.5
    """
    if n_ranks == 1:
        return 0.0
    return float(np.mean(np.subtract(worst, best)) / (n_ranks - 1))


def count_around(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of values strictly below and strictly above each value, along the last axis.

    Parameters
    ----------
    values : ndarray of float64, shape (..., M)
        Numbers; NaN is neither below nor above anything.

    Returns
    -------
    below, above : ndarray of int64, shape (..., M)
        Counts; those at NaN mean nothing.

    Examples
    --------
    >>> below, above = count_around(np.array([0.7, 0.9, 0.7]))
    >>> below.tolist(), above.tolist()
    ([0, 2, 0], [1, 0, 1])
    """
    order = np.argsort(values, axis=-1)  # NaN last
    ordered = np.take_along_axis(values, order, axis=-1)
    starts = np.ones(values.shape, dtype=np.bool_)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first, last = tied_places(starts)
    observed = np.count_nonzero(~np.isnan(values), axis=-1, keepdims=True)
    below = np.empty(values.shape, dtype=np.int64)
    above = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(below, order, first, axis=-1)
    np.put_along_axis(above, order, observed - 1 - last, axis=-1)
    return below, above


def tied_places(starts: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last place, from 0, of the group of equal values that each of sorted ones is in.

    Parameters
    ----------
    starts : ndarray of bool, shape (..., M)
        Whether a group begins with each value; the first begins one.

    Returns
    -------
    first, last : ndarray of int64, shape (..., M)
        Places.

    Examples
    --------
    >>> first, last = tied_places(np.array([True, False, True]))
    >>> first.tolist(), last.tolist()
    ([0, 0, 2], [1, 1, 2])
    """
    size = starts.shape[-1]
    position = np.arange(size)
    ends = np.ones(starts.shape, dtype=np.bool_)
    ends[..., :-1] = starts[..., 1:]
    first = np.maximum.accumulate(np.where(starts, position, 0), axis=-1)
    last = np.where(ends, position, size - 1)[..., ::-1]
    return first, np.minimum.accumulate(last, axis=-1)[..., ::-1]

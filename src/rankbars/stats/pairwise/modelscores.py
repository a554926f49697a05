"""Score of each model by itself: mean, standard error and degrees of freedom under one design.

Where models miss different rows, the difference of two models on the rows they share is not the
difference of their means: one of them may have answered the easy rows only. The differences of the
pairs are what decides; draws of scores have to be centred where they put the models.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.pairwise.clusters import cluster_df, group_rows, stretch_sums, too_uneven

__all__ = [
    "ModelSummary",
    "cluster_summary",
    "consensus_scores",
    "fold_summary",
    "item_summary",
    "sampled_rows",
    "share_summary",
    "weighted_rows",
]


class ModelSummary(NamedTuple):
    """One value per model, shape (M,); NaN where a model has too few rows."""

    mean: NDArray[np.float64]
    se: NDArray[np.float64]
    df: NDArray[np.float64]


def item_summary(values: NDArray[np.float64]) -> ModelSummary:
    """Mean of independent rows, NaN left out, with its standard error.

    Parameters
    ----------
    values : array of float, shape (n, M)
        One row per item; NaN = not observed.

    Examples
    --------
    >>> item_summary(np.array([[1.0], [0.0], [1.0], [0.0]])).se.round(4)
    array([0.2887])
    """
    count, mean, squares = _moments(values)
    return _summary(mean, squares / np.maximum(count - 1, 1) / np.maximum(count, 1), count)


def share_summary(count: NDArray[np.int64], right: NDArray[np.float64]) -> ModelSummary:
    """`item_summary` of answers of 0 and 1, from counts of them.

    Parameters
    ----------
    count : array of int, shape (M,)
        Answers.
    right : array of float, shape (M,)
        Answers that are 1.

    Examples
    --------
    >>> share_summary(np.array([4]), np.array([2.0])).se.round(4)
    array([0.2887])
    """
    with np.errstate(invalid="ignore"):
        mean = right / count
    squares = right * np.square(1.0 - mean) + (count - right) * np.square(mean)
    return _summary(mean, squares / np.maximum(count - 1, 1) / np.maximum(count, 1), count)


def fold_summary(values: NDArray[np.float64], test_share: float) -> ModelSummary:
    """Mean over folds; the variance carries the correction of Nadeau and Bengio (2003).

    Parameters
    ----------
    values : array of float, shape (J, M)
        One row per fold.
    test_share : float
        Share of the data held out in each fold.
    """
    count, mean, squares = _moments(values)
    factor = 1 / np.maximum(count, 1) + test_share / (1 - test_share)
    return _summary(mean, squares / np.maximum(count - 1, 1) * factor, count)


def cluster_summary(
    values: NDArray[np.float64],
    clusters: NDArray[np.int64],
    weights: NDArray[np.float64] | None = None,
) -> ModelSummary:
    """Mean over rows with a cluster-robust (CR2) standard error, as of pairs in `cluster_t`.

    Parameters
    ----------
    values : array of float, shape (n, M)
        One row per item; NaN = not observed.
    clusters : array of int, shape (n,)
        Cluster of each row.
    weights : array of float, shape (n,), optional
        Weights that `values` were made with (`weighted_rows`), for the shares of clusters.

    Returns
    -------
    ModelSummary
        No error where there are fewer than three clusters, or one holds more than .8 of the rows.
    """
    count, mean, _ = _moments(values)
    grouping = group_rows(clusters, weights)
    seen = ~np.isnan(values[grouping.order])
    residual = np.where(seen, values[grouping.order] - mean, 0.0)
    if not grouping.sizes.size:
        return _summary(mean, np.zeros(mean.size), count)
    sums = np.add.reduceat(residual, grouping.starts, axis=0)
    shares = np.repeat(grouping.shares[:, None], mean.size, axis=1)
    if not seen.all():
        held = np.add.reduceat(seen, grouping.starts, axis=0, dtype=np.float64)
        shares = held / np.maximum(count, 1)
    sums *= stretch_sums(shares)
    variance = np.square(sums).sum(axis=0) / np.maximum(count, 1) ** 2
    useless = too_uneven((shares > 0).sum(axis=0), shares.max(axis=0))
    return ModelSummary(
        mean,
        np.where(useless, np.nan, np.sqrt(variance)),
        np.where(useless, np.nan, cluster_df(shares)),
    )


def weighted_rows(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows whose plain mean and plain residuals are the weighted ones of `values`.

    With w scaled to mean 1 and m the weighted mean of a column, ``y = m + w (x - m)`` has mean m
    and residuals ``w (x - m)``. It is linear in x, so this holds for every difference of columns,
    and an unweighted test of y is the weighted test of x.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Complete scores.
    weights : array of float, shape (n,)
        Positive weights.

    Examples
    --------
    >>> weighted_rows(np.array([[1.0], [0.0]]), np.array([3.0, 1.0])).mean().item()
    0.75
    """
    weight = (weights / weights.mean())[:, None]
    mean = (weight * values).mean(axis=0)
    return np.asarray(mean + weight * (values - mean))


def sampled_rows(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows whose plain mean is the weighted one, and whose plain error is that of a weighted mean.

    The rows are one sample from one population, whatever their weight, and weights are fixed in
    advance. With w scaled to sum 1, m the weighted and c the plain mean of a column, and n rows,
    ``z = m + f (x - c)`` with ``f^2 = n sum(w^2)`` has mean m, and its squared standard error is
    ``s^2 sum(w^2)``, s the plain standard deviation of x. It is linear in x, so this holds for
    every difference of columns, and an unweighted test of z is the weighted test of x.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Complete scores.
    weights : array of float, shape (n,)
        Positive weights.

    Notes
    -----
    Residuals around the weighted mean (`weighted_rows`) do not serve here: a heavy row pulls that
    mean onto itself. With weights 20, 1, 1, 1, 1, 1 intervals of 95 % would hold in 40 %.

    Examples
    --------
    Values 0, 2, 4 have variance 4; with weights 1/2, 1/4, 1/4 the error is the root of 4 * 3/8.

    >>> made = sampled_rows(np.array([[0.0], [2.0], [4.0]]), np.array([2.0, 1.0, 1.0]))
    >>> found = item_summary(made)
    >>> found.mean.round(12).tolist(), np.square(found.se).round(12).tolist()
    ([1.5], [1.5])
    """
    share = (weights / weights.sum())[:, None]
    mean = (share * values).sum(axis=0)
    stretch = np.sqrt(len(values) * np.square(share).sum())
    return np.asarray(mean + stretch * (values - values.mean(axis=0)))


def _moments(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    total = values.sum(axis=0)
    if not np.isnan(total).any():
        count = np.full(values.shape[1], len(values))
        with np.errstate(invalid="ignore"):
            mean = total / count
        return count, mean, np.square(values - mean).sum(axis=0)
    observed = ~np.isnan(values)
    count = observed.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(observed, values, 0.0).sum(axis=0) / count
    squares = np.where(observed, values - mean, 0.0)
    np.square(squares, out=squares)
    return count, mean, squares.sum(axis=0)


def _summary(
    mean: NDArray[np.float64], variance: NDArray[np.float64], units: NDArray[np.int64]
) -> ModelSummary:
    enough = units > 1
    return ModelSummary(
        mean,
        np.where(enough, np.sqrt(variance), np.nan),
        np.where(enough, units - 1.0, np.nan),
    )


_AGREE = 1e-9  # differences that agree with the means up to this share of their size
_SMALLEST_ERROR = 1e-3  # of the median one: a pair without error is exact, but no division by 0


def consensus_scores(
    mean: NDArray[np.float64], diff: NDArray[np.float64], se: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Scores whose differences are closest to those of the pairs.

    Parameters
    ----------
    mean : array of float, shape (M,)
        Mean of each model on its own rows; finite.
    diff, se : array of float, shape (M, M)
        Difference of each pair on the rows they share, ``[i, j]`` = i minus j, and its standard
        error; finite.

    Returns
    -------
    array of float, shape (M,)
        `mean` itself where all differences agree with it, as they do on complete data. Otherwise
        the weighted least squares fit to the differences, weights ``1 / se**2``, shifted so that
        the scores have the average of `mean`.

    Examples
    --------
    >>> diff = np.array([[0.0, 0.2], [-0.2, 0.0]])
    >>> consensus_scores(np.array([0.5, 0.5]), diff, np.full((2, 2), 0.1)).round(3).tolist()
    [0.6, 0.4]
    """
    among = mean[:, None] - mean[None, :]
    if mean.size < 2 or np.abs(diff - among).max() <= _AGREE * np.abs(mean).max():
        return mean
    positive = se[se > 0]
    floor = _SMALLEST_ERROR * float(np.median(positive)) if positive.size else 1.0
    weight = np.maximum(se, floor) ** -2.0
    np.fill_diagonal(weight, 0.0)
    weight /= weight.max()
    normal = np.diag(weight.sum(axis=1)) - weight
    # The normal matrix has the constant vector in its kernel; adding it fixes the level.
    rest = weight * (diff - among)
    shift = np.linalg.solve(normal + weight.sum() / mean.size**2, rest.sum(axis=1))
    return np.asarray(mean + shift - shift.mean())

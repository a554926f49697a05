"""Paired tests of all models on the same rows: independent rows, folds, clusters.

All three divide the mean difference by a standard error and differ in that error only.
NaN means not observed: each pair is then compared on the rows that both models have, which is
valid if what is missing does not depend on the scores.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.clusters import (
    Grouping,
    group_rows,
    share_clusters,
    too_uneven,
)
from rankbars.stats.pairwise.degenerate import no_pairs, sign_test_statistic
from rankbars.stats.pairwise.masked import measure_masked
from rankbars.stats.pairwise.moments import PairMoments, measure_complete
from rankbars.stats.pairwise.pairstatistics import PairStatistics

__all__ = ["cluster_t", "corrected_t", "paired_t", "t_of_moments"]

_FEWEST_ROWS = 2


def paired_t(values: NDArray[np.float64]) -> PairStatistics:
    """Paired t statistics of all pairs of models on independent rows.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Finite scores of M models on n rows, higher is better; NaN where not observed.

    Returns
    -------
    PairStatistics
        ``mean(d) / sqrt(s2 / n)`` with the differences d and their sample variance s2;
        ``n - 1`` degrees of freedom.
        `df` and `n` are numbers for complete data and (M, M) matrices if anything is missing.

    Notes
    -----
    Assumes independent rows and a nearly normal mean of differences;
    exact under normal differences.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.5], [0.8, 0.6], [0.7, 0.6], [0.9, 0.4]])
    >>> found = paired_t(scores)
    >>> found.statistic.round(4)
    array([[ 0.    ,  3.2863],
           [-3.2863,  0.    ]])
    >>> found.df, found.n
    (3.0, 4)
    """
    return t_of_moments(_measure(values))


def t_of_moments(moments: PairMoments) -> PairStatistics:
    """Paired t statistics from the moments of all pairs, which are used up.

    Parameters
    ----------
    moments : PairMoments
        Mean and spread of the differences; its arrays are overwritten.

    Returns
    -------
    PairStatistics
        As of `paired_t`.
    """
    n = np.asarray(moments.units, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1.0 / np.sqrt(n * (n - 1.0))
    return _by_rows(moments, scale)


def corrected_t(values: NDArray[np.float64], test_share: float) -> PairStatistics:
    """Paired t statistics for cross-validation folds, corrected for the training data they share.

    Parameters
    ----------
    values : ndarray, shape (J, M)
        Finite scores of M models on J = repeats x folds; NaN where not observed.
    test_share : float
        Share q of the data that each fold tests on, between 0 and 1: 1/K for K folds.

    Returns
    -------
    PairStatistics
        ``mean(d) / sqrt(s2 * (1/J + q/(1 - q)))``; ``J - 1`` degrees of freedom.

    Notes
    -----
    A heuristic: the correlation between folds is taken to be the test share.
    It concerns the learning algorithm at this training size.
    Conservative for a single pass of K folds.

    References
    ----------
    Nadeau and Bengio 2003, Machine Learning 52.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.5], [0.8, 0.6], [0.7, 0.6], [0.9, 0.4]])
    >>> round(float(corrected_t(scores, test_share=0.25).statistic[0, 1]), 4)
    2.1514
    """
    moments = _measure(values)
    folds = np.asarray(moments.units, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt((1.0 / folds + test_share / (1.0 - test_share)) / (folds - 1.0))
    return _by_rows(moments, scale)


def cluster_t(
    values: NDArray[np.float64], clusters: ArrayLike, weights: ArrayLike | None = None
) -> PairStatistics:
    """Paired t statistics of all pairs with a cluster-robust standard error (CR2).

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Finite scores of M models on n rows; NaN where not observed.
    clusters : array_like, shape (n,)
        Cluster of each row; rows of one cluster may depend on each other.
    weights : array_like, shape (n,), optional
        Weights that `values` were made with (`weighted_rows`), which say what share a cluster has.

    Returns
    -------
    PairStatistics
        ``mean(d) / se`` with ``se = sqrt(sum_g e_g^2 / (1 - w_g)) / n``, where e_g is the sum of
        ``d_i - mean d`` over a cluster and w_g its share of the rows; the degrees of freedom of
        `rankbars.stats.pairwise.clusters.cluster_df`; `n` counts the clusters G.
        With fewer than three clusters, or one that holds more than .8 of the rows, the statistic
        is 0 and `se` is NaN.

    Notes
    -----
    Assumes independent clusters and nearly normal means. With equal sizes this is the usual (CR1)
    error with G - 1 degrees of freedom; with unequal ones that would be far too short.
    A pair whose differences have the same mean in every cluster does not vary as far as this test
    can see; its evidence is bounded by ``2**-G``.

    References
    ----------
    Bell and McCaffrey 2002, Survey Methodology 28. Imbens and Kolesar 2016, Review of Economics
    and Statistics 98. Pustejovsky and Tipton 2018, Journal of Business & Economic Statistics 36.

    Examples
    --------
    >>> scores = np.array([[3.0, 0.0], [1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> found = cluster_t(scores, [1, 2, 3, 4, 5, 5])
    >>> found.n, round(found.df, 2)
    (5, 3.21)
    >>> found.statistic[0].round(4)
    array([0.    , 1.5256])
    """
    grouping = group_rows(clusters, weights)
    values = np.ascontiguousarray(values, dtype=np.float64)
    moments = _measure(values, grouping)
    n = np.asarray(moments.rows, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1.0 / n
    shared = share_clusters(values, grouping)
    useless = too_uneven(shared.units, shared.largest)
    return _studentise(moments, scale, useless, np.asarray(shared.df))


def _measure(values: NDArray[np.float64], grouping: Grouping | None = None) -> PairMoments:
    """Moments of all pairs by the route that fits the data."""
    values = np.ascontiguousarray(values, dtype=np.float64)
    n, n_models = values.shape
    missing = bool(np.isnan(values.min(initial=np.inf)))
    if n < _FEWEST_ROWS or n_models == 0:
        return _measure_single(values, missing=missing)
    return (measure_masked if missing else measure_complete)(values, grouping)


def _measure_single(values: NDArray[np.float64], *, missing: bool) -> PairMoments:
    """Moments of at most one row: a difference, but no spread."""
    n, n_models = values.shape
    diff = np.full((n_models, n_models), np.nan)
    if n == 1:
        np.subtract(values[0][:, None], values[0], out=diff)
    np.fill_diagonal(diff, 0.0)
    rows: NDArray[np.int64] | int = n
    if missing:
        observed = (~np.isnan(values)).astype(np.int64)
        rows = observed.T @ observed
    return PairMoments(diff, np.zeros(diff.shape), rows, rows, no_pairs())


def _studentise(
    moments: PairMoments,
    scale: NDArray[np.float64],
    useless: NDArray[np.bool_],
    df: NDArray[np.float64],
) -> PairStatistics:
    """Statistics from moments; `scale` turns a spread into an error, `useless` pairs have none."""
    diff, se, units = moments.diff, moments.norm, moments.units
    statistic = np.empty_like(diff)
    with np.errstate(divide="ignore", invalid="ignore"):
        for rows in row_blocks(len(diff), len(diff)):
            se[rows] *= scale if scale.ndim == 0 else scale[rows]
            np.divide(diff[rows], se[rows], out=statistic[rows])
    if useless.any():
        useless = np.broadcast_to(useless, diff.shape)
        statistic[useless] = 0.0
        se[useless] = np.nan
    np.fill_diagonal(statistic, 0.0)
    np.fill_diagonal(se, 0.0)
    constant, identical = _apply_policy(moments, statistic, df, useless)
    return PairStatistics(
        diff,
        se,
        statistic,
        float(df) if df.ndim == 0 else df,
        units,
        constant,
        identical,
    )


def _by_rows(moments: PairMoments, scale: NDArray[np.float64]) -> PairStatistics:
    """Statistics of independent rows, of which there must be two."""
    units = np.asarray(moments.units)
    df = np.maximum(units.astype(np.float64) - 1.0, 0.0)
    return _studentise(moments, scale, np.asarray(units < _FEWEST_ROWS), df)


def _apply_policy(
    moments: PairMoments,
    statistic: NDArray[np.float64],
    df: NDArray[np.float64],
    useless: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Give pairs that do not vary the statistic of a sign test, in place; mark them."""
    constant = np.zeros(statistic.shape, dtype=np.bool_)
    identical = np.zeros(statistic.shape, dtype=np.bool_)
    first, second, sign, same = moments.degenerate
    if first.size:
        pair_units, pair_df, lost = (
            np.broadcast_to(part, statistic.shape)[first, second]
            for part in (np.asarray(moments.units), df, useless)
        )
        bound = np.where(lost, 0.0, sign_test_statistic(pair_units, np.maximum(pair_df, 1.0)))
        statistic[first, second] = sign * bound + 0.0
        statistic[second, first] = 0.0 - sign * bound
        constant[first, second] = constant[second, first] = sign != 0
        identical[first, second] = identical[second, first] = same
    return constant, identical

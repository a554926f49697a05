"""Groups of rows that are independent of each other: their shares, and what these are worth.

With shares ``w_g`` of the rows and sums ``e_g`` of the deviations from the mean, the variance of a
mean is ``sum_g e_g^2 / (1 - w_g) / n^2`` (CR2): unbiased where rows are independent. Its degrees
of freedom depend on the shares alone. One cluster that holds most rows, or fewer than three, leave
nothing to estimate a variance from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.stats.rowsigns import residuals

__all__ = [
    "FEWEST_CLUSTERS",
    "LARGEST_SHARE",
    "Grouping",
    "SharedClusters",
    "cluster_deviations",
    "cluster_df",
    "few_degrees",
    "group_rows",
    "share_clusters",
    "stretch_sums",
    "too_uneven",
]

FEWEST_CLUSTERS = 3
"""With fewer clusters their spread says nothing: no pair is separated."""

LARGEST_SHARE = 0.8
"""Where one cluster holds more of the rows than this, no pair is separated."""

_ROUNDING = 1e-12
_FEW_DEGREES, _FEWEST_FLIPPED = 5.0, 8  # clusters worth less than this are flipped, if so many


class Grouping(NamedTuple):
    """Which rows belong together; rows in `order` are sorted by group.

    Attributes
    ----------
    order : ndarray of intp, shape (n,)
        Row numbers sorted by group.
    codes : ndarray of intp, shape (n,)
        Group of each row in that order, 0 to G - 1.
    starts : ndarray of intp, shape (G,)
        Where each group starts in that order.
    sizes : ndarray of intp, shape (G,)
        Rows per group.
    shares : ndarray of float64, shape (G,)
        Share of each group of all rows, or of their weights.
    """

    order: NDArray[np.intp]
    codes: NDArray[np.intp]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]
    shares: NDArray[np.float64]


def group_rows(clusters: ArrayLike, weights: ArrayLike | None = None) -> Grouping:
    """Grouping of rows by their cluster.

    Parameters
    ----------
    clusters : array_like, shape (n,)
        Cluster of each row: numbers or names.
    weights : array_like, shape (n,), optional
        Positive weight of each row; equal where not given.

    Returns
    -------
    Grouping
        Rows sorted by cluster, in their given order inside a cluster.

    Examples
    --------
    >>> grouping = group_rows(["b", "a", "b", "b"])
    >>> grouping.order, grouping.sizes, grouping.shares
    (array([1, 0, 2, 3]), array([1, 3]), array([0.25, 0.75]))
    """
    names, codes = np.unique(np.asarray(clusters), return_inverse=True)
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes, minlength=names.size)
    held = sizes if weights is None else np.bincount(codes, np.asarray(weights), names.size)
    shares = held / np.maximum(held.sum(), np.finfo(np.float64).tiny)
    return Grouping(order, codes[order], np.cumsum(sizes) - sizes, sizes, shares)


def few_degrees(grouping: Grouping) -> float | None:
    """Degrees of freedom of clusters so unequal that few are left, where enough can be flipped.

    None where there are more, or too few clusters, or one that holds most rows.

    Examples
    --------
    >>> round(few_degrees(group_rows(np.repeat(np.arange(9), [50, 9, 8, 7, 6, 5, 4, 2, 1]))), 2)
    2.01
    >>> few_degrees(group_rows(np.repeat(np.arange(9), 10))) is None
    True
    """
    count = grouping.sizes.size
    if count < _FEWEST_FLIPPED or too_uneven(count, grouping.shares.max(initial=0.0)):
        return None
    df = float(cluster_df(grouping.shares))
    return df if df < _FEW_DEGREES else None


def cluster_deviations(values: NDArray[np.float64], grouping: Grouping) -> NDArray[np.float64]:
    """Sums over clusters of what scores are above their mean, shape (G, M); NaN adds nothing.

    Parameters
    ----------
    values : ndarray of float64, shape (n, M)
        Scores, two rows or more; the level of a row is taken out, as in every difference.
    grouping : Grouping
        The clusters.

    Examples
    --------
    >>> rows = np.array([[3.0, 0.0], [1.0, 0.0], [2.0, 4.0]])
    >>> cluster_deviations(rows, group_rows([1, 1, 2]))[:, 0].round(3)
    array([ 1.333, -1.333])
    """
    return np.asarray(np.add.reduceat(residuals(values)[grouping.order], grouping.starts, axis=0))


def stretch_sums(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """What sums of deviations over clusters are multiplied by before they are squared and added.

    Parameters
    ----------
    shares : ndarray of float64
        Shares of the clusters; 1 for a cluster that is alone, whose sum is 0 anyway.

    Returns
    -------
    ndarray of float64
        ``1 / sqrt(1 - shares)``, and 1 for a cluster that is alone.

    Examples
    --------
    >>> stretch_sums(np.array([0.75, 0.0, 1.0]))
    array([2., 1., 1.])
    """
    return np.asarray(1.0 / np.sqrt(np.where(shares < 1.0, 1.0 - shares, 1.0)))


class SharedClusters(NamedTuple):
    """The clusters that two models share, for all pairs; numbers where all pairs have the same.

    Attributes
    ----------
    units : int or ndarray of int64, shape (M, M)
        Clusters with common rows.
    largest : float or ndarray of float64, shape (M, M)
        Largest share of the common rows that one of them holds.
    df : float or ndarray of float64, shape (M, M)
        Degrees of freedom of their variance; 0 for fewer than two.
    """

    units: NDArray[np.int64] | int
    largest: NDArray[np.float64] | float
    df: NDArray[np.float64] | float


def too_uneven(units: ArrayLike, largest: ArrayLike) -> NDArray[np.bool_]:
    """Whether clusters are too few, or one of them too large, to separate anybody.

    Examples
    --------
    >>> too_uneven([2, 3, 12], [0.5, 0.8, 0.81])
    array([ True, False,  True])
    """
    few = np.asarray(units) < FEWEST_CLUSTERS
    return np.asarray(few | (np.asarray(largest) > LARGEST_SHARE))


def cluster_df(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Degrees of freedom of the cluster-robust variance (CR2), from the shares of clusters alone.

    Parameters
    ----------
    shares : array of float, shape (G, ...)
        Share of each cluster; 0 for one that is not there.

    Returns
    -------
    array of float, shape (...)
        The mean of the degrees of freedom with independent rows (Bell and McCaffrey 2002) and
        with identical rows within a cluster; G - 1 where all shares are equal, and 0 for fewer
        than two clusters.

    Notes
    -----
    ``df = tr(G)^2 / tr(G^2)`` with ``G = P Omega P'``, where the variance is the sum of squares of
    ``P d`` and Omega the working covariance: Satterthwaite's. Neither depends on the scores.

    Examples
    --------
    >>> float(cluster_df(np.full(12, 1 / 12)))
    11.0
    >>> sizes = np.array([231.0, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1])
    >>> float(cluster_df(sizes / sizes.sum()).round(2))
    2.43
    """
    return _satterthwaite([term.sum(axis=0) for term in _terms(shares)], (shares > 0).sum(axis=0))


def share_clusters(values: NDArray[np.float64], grouping: Grouping) -> SharedClusters:
    """The clusters that pairs of models share, each pair on the rows that both have.

    Parameters
    ----------
    values : ndarray of float64, shape (n, M)
        Scores; NaN where not observed.
    grouping : Grouping
        The clusters.

    Returns
    -------
    SharedClusters
        Numbers if nothing is missing, else matrices.

    Examples
    --------
    >>> values = np.array([[1.0, 0.0], [3.0, 0.0], [2.0, np.nan], [2.0, 1.0]])
    >>> share_clusters(values, group_rows([0, 0, 1, 1])).largest.round(3)
    array([[0.5  , 0.667],
           [0.667, 0.667]])
    """
    observed = ~np.isnan(values)
    if observed.all():
        largest = float(grouping.shares.max(initial=0.0))
        return SharedClusters(grouping.sizes.size, largest, float(cluster_df(grouping.shares)))
    mask = observed.astype(np.float64)
    total = np.maximum(mask.T @ mask, 1.0)
    sums = [np.zeros(total.shape) for _ in range(6)]
    units, most = np.zeros(total.shape, dtype=np.int64), np.zeros(total.shape)
    for start, size in zip(grouping.starts, grouping.sizes, strict=True):
        rows = mask[grouping.order[start : start + size]]
        share = rows.T @ rows / total
        sums = [known + term for known, term in zip(sums, _terms(share), strict=True)]
        units += share > 0
        np.maximum(most, share, out=most)
    return SharedClusters(units, most, _satterthwaite(sums, units))


def _terms(w: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Powers of the share w and of ``a = w^2 / (1 - w)`` whose sums give the degrees of freedom."""
    square = w * w
    a = square / np.where(w < 1.0, 1.0 - w, 1.0)
    return square, a, a * w, a * square, a * a, a * a * w


def _satterthwaite(
    sums: Sequence[NDArray[np.float64]], units: NDArray[np.int64]
) -> NDArray[np.float64]:
    q, a0, a1, a2, aa, aaw = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        independent = 1.0 / (q + a0**2 - aa)
        below = (
            (1 + 2 * q) * aa - 4 * aaw + q**2 * a0**2 + 2 * a0 * a2 + 2 * a1**2 - 4 * q * a0 * a1
        )
        identical = (a0 * (1 + q) - 2 * a1) ** 2 / below
    df, equal = (independent + identical) / 2, units - 1.0
    df = np.where(np.abs(df - equal) <= _ROUNDING * units, equal, df)
    return np.asarray(np.where(units > 1, df, 0.0))

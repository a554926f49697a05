"""All pairs of models at once: simultaneous intervals of differences, and adjusted p-values.

Two-sided, each unordered pair counted once: "the difference of i and j is not zero".
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.resampling.distributions import (
    Streams,
    chunk_sizes,
    noise_chunks,
    symmetric_root,
)
from rankbars.stats.tails import critical_value, upper_tail

__all__ = [
    "adjust_by_maxima",
    "adjust_p",
    "adjust_pairs",
    "comparable_pairs",
    "critical_pairs",
    "maximum_contrasts",
    "maximum_paired_contrasts",
]

_BLOCK_CELLS = 2**20


def comparable_pairs(pairs: PairStatistics) -> NDArray[np.bool_]:
    """Which pairs can be compared at all, shape (M, M); the diagonal cannot.

    Examples
    --------
    >>> from rankbars.stats.pairwise.paired import paired_t
    >>> comparable_pairs(paired_t(np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]))).tolist()
    [[False, True], [True, False]]
    """
    usable = np.isfinite(pairs.diff) & np.isfinite(pairs.se)
    np.fill_diagonal(usable, False)
    return usable


def critical_pairs(
    pairs: PairStatistics, alpha: float, count: int | None = None
) -> NDArray[np.float64]:
    """How many standard errors an interval reaches to either side, shape (M, M).

    Parameters
    ----------
    pairs : PairStatistics
        Differences with their degrees of freedom.
    alpha : float
        Error rate of all intervals together.
    count : int, optional
        Number of intervals m that share it, each at ``alpha / m`` (Bonferroni); the number of
        comparable pairs where not given, 1 for intervals one at a time.

    Examples
    --------
    >>> from rankbars.stats.pairwise.paired import paired_t
    >>> found = paired_t(np.random.default_rng(0).normal(size=(2000, 3)))
    >>> critical_pairs(found, 0.05)[0, 1].round(2)
    np.float64(2.4)
    """
    shared = int(comparable_pairs(pairs).sum()) // 2 if count is None else count
    df = np.asarray(pairs.df, dtype=np.float64)
    level = alpha / (2 * max(shared, 1))
    if df.ndim == 0:
        return np.full(pairs.diff.shape, float(critical_value(level, df)))
    return np.asarray(critical_value(level, df))


def adjust_pairs(pairs: PairStatistics, correction: str) -> NDArray[np.float64]:
    """Two-sided p-values of all pairs, adjusted for their number.

    Parameters
    ----------
    pairs : PairStatistics
        Statistics of all pairs.
    correction : {"holm", "bonferroni", "none"}
        How.

    Returns
    -------
    array of float, shape (M, M)
        Symmetric; NaN for pairs that cannot be compared and on the diagonal.

    Examples
    --------
    >>> from rankbars.stats.pairwise.paired import paired_t
    >>> scores = np.array([[1.0, 0.0, 0.2], [0.9, 0.1, 0.0], [1.0, 0.3, 0.1], [0.8, 0.0, 0.3]])
    >>> print(f"{adjust_pairs(paired_t(scores), 'holm')[0, 1]:.4f}")
    0.0029
    """
    usable = comparable_pairs(pairs)
    first, second = np.nonzero(np.triu(usable))
    df = np.asarray(pairs.df, dtype=np.float64)
    own_df = df if df.ndim == 0 else df[first, second]
    p = np.minimum(2 * upper_tail(np.abs(pairs.statistic[first, second]), own_df), 1.0)
    adjusted = np.full(pairs.diff.shape, np.nan)
    adjusted[first, second] = adjusted[second, first] = adjust_p(p, correction)
    return adjusted


def adjust_p(p: NDArray[np.float64], correction: str) -> NDArray[np.float64]:
    """P-values adjusted for the number of those that are known.

    Parameters
    ----------
    p : array of float, shape (P,)
        P-values; NaN stays, and counts nothing.
    correction : {"holm", "bonferroni", "none"}
        How.

    Examples
    --------
    >>> adjust_p(np.array([0.01, 0.02, np.nan, 0.5]), "holm").tolist()
    [0.03, 0.04, nan, 0.5]
    >>> adjust_p(np.array([0.01, 0.02, np.nan, 0.5]), "bonferroni").tolist()
    [0.03, 0.06, nan, 1.0]
    """
    known = ~np.isnan(p)
    given, adjusted = p[known], p.copy()
    if correction == "bonferroni":
        given = np.minimum(given * given.size, 1.0)
    elif correction == "holm":
        order = np.argsort(given, kind="stable")
        steps = np.maximum.accumulate(given[order] * np.arange(given.size, 0, -1))
        given[order] = np.minimum(steps, 1.0)
    adjusted[known] = given
    return adjusted


def maximum_contrasts(
    root: NDArray[np.float64],
    se: NDArray[np.float64],
    streams: Streams,
    draws: int,
    df: float = np.inf,
) -> NDArray[np.float64]:
    """Largest studentised difference of any pair in each draw from a world without differences.

    Parameters
    ----------
    root : array of float, shape (R, M)
        Matrix whose product ``root.T @ root`` is the covariance of the scores.
    se : array of float, shape (M, M)
        Standard errors of the differences; 0 or NaN takes a pair out.
    streams : callable
        Random generator of each chunk of 256 draws.
    draws : int
        Number of draws B.
    df : float
        Degrees of freedom, with one common factor per draw; infinity for the normal.

    Returns
    -------
    array of float, shape (B,)
        Ascending.

    Examples
    --------
    Ten independent models: the upper 5 % point is Tukey's, over the square root of 2.

    >>> se = np.full((10, 10), np.sqrt(2.0))
    >>> found = maximum_contrasts(np.eye(10), se, lambda i: np.random.default_rng(i), 20_000)
    >>> found[19_000].round(1)
    np.float64(3.2)
    """
    usable = np.isfinite(se) & (se > 0)
    scale = np.divide(1.0, se, out=np.zeros_like(se), where=usable)
    size = root.shape[1]
    made = []
    for scores in noise_chunks(root, streams, draws, df):
        for rows in row_blocks(len(scores), size * size, _BLOCK_CELLS):
            block = scores[rows]
            distance = block[:, :, None] - block[:, None, :]
            np.abs(distance, out=distance)
            distance *= scale
            made.append(distance.max(axis=(1, 2)))
    return np.sort(np.concatenate(made))


def maximum_paired_contrasts(
    rows: NDArray[np.float64],
    usable: NDArray[np.bool_],
    streams: Streams,
    draws: int,
) -> NDArray[np.float64]:
    """Largest paired t of any pair in each draw of normal rows without differences.

    Every draw is a whole sample of n rows, and every pair is divided by the standard deviation
    that its own differences have in it. One factor for all pairs would make the largest of them
    too small: with few rows some pair is always far luckier with its spread than the others.

    Parameters
    ----------
    rows : array of float, shape (n, M)
        Complete scores.
    usable : array of bool, shape (M, M)
        Pairs that count, symmetric.
    streams : callable
        Random generator of each chunk of 256 draws.
    draws : int
        Number of draws B.

    Returns
    -------
    array of float, shape (B,)
        Ascending.

    Notes
    -----
    Rows have the covariance of the scores within rows, drawn towards independent models as if M
    more rows had shown those. Covariances of few rows look more alike than they are, which
    makes the largest statistic too small; equal and independent models make it largest (Hayter
    1984 for unequal variances).

    Examples
    --------
    Two models leave one paired t, here with 5 degrees of freedom:

    >>> from rankbars.stats.tails import critical_of_draws
    >>> scores = np.random.default_rng(0).normal(size=(6, 2))
    >>> found = maximum_paired_contrasts(
    ...     scores, ~np.eye(2, dtype=bool), lambda i: np.random.default_rng(i), 20_000
    ... )
    >>> print(f"{critical_of_draws(found, 0.05):.2f} {critical_value(0.025, 5):.2f}")
    2.57 2.57
    """
    count, size = rows.shape
    root = symmetric_root(_shrunk_covariance(rows)).root
    made = []
    for number, used in enumerate(chunk_sizes(draws)):
        rng = streams(number)
        for block in row_blocks(used, size * (size + count), _BLOCK_CELLS):
            normal = rng.standard_normal((block.stop - block.start, count, size)) @ root
            made.append(_largest_paired(normal, usable))
    return np.sort(np.concatenate(made))


def _shrunk_covariance(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Covariance within rows, with M more rows of independent models of the mean variance."""
    count, size = rows.shape
    centred = rows - rows.mean(axis=1, keepdims=True)
    centred = centred - centred.mean(axis=0)
    total = centred.T @ centred
    df = max(count - 1, 1)
    variance = np.trace(total) / (df * max(size - 1, 1))
    return np.asarray((total + size * variance * np.eye(size)) / (df + size))


def _largest_paired(normal: NDArray[np.float64], usable: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Largest paired t of each sample, shape (B,), from samples of shape (B, n, M).

    By Helmert's rotation the first row stands for the mean of n rows and the others for their
    deviations, which are independent of it.
    """
    mean, others = normal[:, 0], normal[:, 1:]
    gram = others.transpose(0, 2, 1) @ others
    own = np.diagonal(gram, axis1=1, axis2=2)
    squares = own[:, :, None] + own[:, None, :] - 2 * gram
    squares = np.where(usable & (squares > 0), squares, np.inf)
    squared = np.square(mean[:, :, None] - mean[:, None, :]) / squares
    return np.asarray(np.sqrt(squared.max(axis=(1, 2)) * others.shape[1]))


def adjust_by_maxima(
    statistic: NDArray[np.float64], maxima: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Single-step max-T p-values, two-sided: ``(1 + #{maxima >= |t|}) / (B + 1)``.

    Parameters
    ----------
    statistic : array of float
        Statistics, any shape.
    maxima : array of float, shape (B,)
        Draws of `maximum_contrasts` or `maximum_paired_contrasts`, ascending.

    Examples
    --------
    >>> adjust_by_maxima(np.array([0.0, -3.5]), np.array([1.0, 2.0, 3.0, 4.0])).tolist()
    [1.0, 0.4]
    """
    reached = maxima.size - np.searchsorted(maxima, np.abs(statistic), side="left")
    return np.asarray((1 + reached) / (maxima.size + 1))

"""Welch's t-test of all pairs of models that were run on items of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.pairwise.centring import rescale
from rankbars.stats.pairwise.degenerate import DegeneratePairs
from rankbars.stats.pairwise.differences import build_statistics
from rankbars.stats.pairwise.pairs import PairStatistics

__all__ = ["welch_t"]

_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)
_FEWEST_ROWS = 2


def welch_t(values: NDArray[np.float64]) -> PairStatistics:
    """Welch's t statistics of all pairs of models with independent samples.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        The scores of model j are the entries of column j that are not NaN, in any order;
        higher is better. Rows carry no meaning: columns may be of different length.

    Returns
    -------
    PairStatistics
        ``(m_i - m_j) / sqrt(s_i^2 / n_i + s_j^2 / n_j)`` with means m, sample variances s^2 and
        the degrees of freedom of Welch and Satterthwaite, (M, M);
        `n` is the size of the smaller sample.

    Notes
    -----
    Assumes independent samples of independent items, and nearly normal means.
    Where the models have the same items, a paired test is sharper.

    If neither sample of a pair varies, pairing them in any way gives constant differences, so
    their evidence is that of a sign test on the smaller sample: ``2**-n``.
    Two samples that are the same but vary are an honest tie, with statistic 0.

    References
    ----------
    Welch 1947, Biometrika 34.

    Examples
    --------
    >>> scores = np.array([[3.0, 1.0], [4.0, 2.0], [8.0, np.nan]])
    >>> found = welch_t(scores)
    >>> found.statistic[0, 1].round(4), found.df[0, 1].round(4)
    (np.float64(2.1776), np.float64(2.3965))
    """
    values = np.asarray(values, dtype=np.float64)
    exponent = 0
    magnitude = np.zeros(values.shape[1])
    if len(values):
        values, magnitude, exponent = rescale(values)
    n, mean, variance = _describe(values, magnitude)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = variance / n
        df = np.square(own[:, None] + own) / (
            np.square(own)[:, None] / (n[:, None] - 1) + np.square(own) / (n - 1)
        )
    smaller = np.minimum(n[:, None], n)
    scale = np.maximum(magnitude[:, None], magnitude)
    diff = mean[:, None] - mean
    first, second = np.nonzero(np.triu((own[:, None] + own == 0) & (smaller >= _FEWEST_ROWS), k=1))
    sign = np.sign(diff[first, second])
    sign[np.abs(diff[first, second]) <= _ROUNDING * scale[first, second]] = 0.0
    diff[first, second] = np.where(sign == 0, 0.0, diff[first, second])
    return build_statistics(
        np.ldexp(diff, exponent),
        np.ldexp(np.sqrt(own[:, None] + own), exponent),
        np.where(df > 0, df, np.maximum(smaller - 1.0, 1.0)),
        smaller.astype(np.int64),
        DegeneratePairs(first, second, sign, sign == 0),
    )


def _describe(
    values: NDArray[np.float64], magnitude: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Size, mean and sample variance of each column; variance 0 if it varies by rounding only."""
    columns = np.ascontiguousarray(values.T)
    missing = np.isnan(columns)
    n = np.count_nonzero(~missing, axis=1).astype(np.float64)
    mean = np.where(n > 0, 0.0, np.nan)
    d = np.where(missing, 0.0, columns)
    for _ in range(2):  # the second time removes the rounding error of the first mean
        part = d.sum(axis=1) / np.maximum(n, 1)
        mean += part
        d -= part[:, None]
        d[missing] = 0.0
    variance = np.square(d).sum(axis=1) / np.maximum(n - 1, 1)
    variance[np.abs(d).max(axis=1, initial=0.0) <= _ROUNDING * magnitude] = 0.0
    variance[n < _FEWEST_ROWS] = np.nan
    return n, mean, variance

"""Statistics from models that were measured by themselves: published scores, rows of their own.

Estimates come with their own uncertainty and give normal statistics; models that were run on
items of their own give Welch's t.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.pairwise.degenerate import DegeneratePairs, sign_test_statistic
from rankbars.stats.pairwise.differences import build_statistics
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.pairwise.scorerows import rescale

__all__ = [
    "welch_t",
    "z_from_cov",
    "z_from_se",
]

_FEWEST_ROWS = 2

# A variance of a difference below this share of its two terms is rounding.
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)


def z_from_se(
    mean: NDArray[np.float64], se: NDArray[np.float64], rows: int | None = None
) -> PairStatistics:
    """Normal statistics of all pairs from independent estimates with standard errors.

    Parameters
    ----------
    mean : ndarray, shape (M,)
        Estimated scores, higher is better; NaN for an absent model.
    se : ndarray, shape (M,)
        Their standard errors; NaN where not known, which leaves the model's pairs without
        evidence.
    rows : int, optional
        Rows behind every estimate, if known; used for differences without variance only.

    Returns
    -------
    PairStatistics
        ``(mean_i - mean_j) / sqrt(se_i^2 + se_j^2)`` with infinite degrees of freedom.

    Notes
    -----
    Assumes normal estimates with independent errors. A standard error of 0 says that no spread was
    seen: the difference from another estimate has the error of the other one alone. Two errors of
    0 give no evidence, or that of a sign test if `rows` is known.

    Examples
    --------
    >>> z_from_se(np.array([0.8, 0.7]), np.array([0.03, 0.04])).statistic.round(6)
    array([[ 0.,  2.],
           [-2.,  0.]])
    """
    variance = np.square(se)
    total = variance[:, None] + variance
    return _studentise(mean, total, total, rows)


def z_from_cov(
    mean: NDArray[np.float64], cov: NDArray[np.float64], rows: int | None = None
) -> PairStatistics:
    """Normal statistics of all pairs from estimates with a joint covariance matrix.

    Parameters
    ----------
    mean : ndarray, shape (M,)
        Estimated scores, higher is better; NaN for an absent model.
    cov : ndarray, shape (M, M)
        Covariance of the estimates; NaN where not known.
    rows : int, optional
        Rows behind the estimates, if known; used for differences without variance only.

    Returns
    -------
    PairStatistics
        ``(mean_i - mean_j) / sqrt(V_ii + V_jj - 2 V_ij)`` with infinite degrees of freedom.

    Raises
    ------
    DataError
        If the covariance gives a difference a negative variance.

    Notes
    -----
    Assumes jointly normal estimates.
    A difference without variance has no evidence, or that of a sign test if `rows` is known; its
    standard error is 0, so that it adds none to an average.

    Examples
    --------
    >>> cov = np.array([[0.0009, 0.0004], [0.0004, 0.0016]])
    >>> z_from_cov(np.array([0.8, 0.7]), cov).statistic[0].round(4)
    array([0.    , 2.4254])
    """
    variance = np.diagonal(cov)
    total = variance[:, None] + variance
    spread = total - cov - cov.T
    negative = spread < -_ROUNDING * total
    if negative.any():
        first, second = (int(index[0]) for index in np.nonzero(negative))
        raise DataError(
            f"The covariance gives the difference of estimates {first} and {second} the variance "
            f"{spread[first, second]:.6g}; it must not be negative. Check that the matrix is a "
            "covariance matrix in the order of the models."
        )
    return _studentise(mean, spread, total, rows)


def _studentise(
    mean: NDArray[np.float64],
    variance: NDArray[np.float64],
    total: NDArray[np.float64],
    rows: int | None,
) -> PairStatistics:
    """Statistics from the variances of differences; `total` is what rounding is measured by."""
    n_models = mean.size
    diff = mean[:, None] - mean
    np.fill_diagonal(diff, np.nan)  # a model says nothing about itself
    level = variance <= _ROUNDING * total
    se = np.sqrt(np.where(level, 0.0, variance))
    se[np.isnan(diff)] = np.nan
    known = ~np.isnan(diff) & ~np.isnan(se)
    statistic = np.zeros((n_models, n_models))
    np.divide(diff, se, out=statistic, where=known & ~level)
    absent = np.isnan(mean)
    n = np.where(absent[:, None] | absent, 0, 1 if rows is None else rows)
    constant, identical = (np.zeros(diff.shape, dtype=np.bool_) for _ in range(2))
    if rows is not None and rows > 1:
        constant = known & level & (diff != 0)
        identical = known & level & (diff == 0)
        statistic[constant] = np.sign(diff[constant]) * sign_test_statistic(rows, np.inf)
    # Else two errors of 0 show nothing: no number of rows bounds the evidence.
    np.fill_diagonal(diff, 0.0)
    np.fill_diagonal(se, 0.0)
    return PairStatistics(diff, se, statistic, np.inf, n, constant, identical)


_STEADY = 8.0 * float(np.finfo(np.float64).eps)


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
    sign[np.abs(diff[first, second]) <= _STEADY * scale[first, second]] = 0.0
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
    variance[np.abs(d).max(axis=1, initial=0.0) <= _STEADY * magnitude] = 0.0
    variance[n < _FEWEST_ROWS] = np.nan
    return n, mean, variance

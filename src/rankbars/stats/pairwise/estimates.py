"""Normal statistics from score estimates that come with their own uncertainty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.pairwise.degenerate import sign_test_statistic
from rankbars.stats.pairwise.pairs import PairStatistics

__all__ = ["z_from_cov", "z_from_se"]

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

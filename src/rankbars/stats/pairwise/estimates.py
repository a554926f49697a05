"""Statistics from models that were measured by themselves: published scores, rows of their own.

Estimates come with their own uncertainty and give normal statistics; models that were run on
items of their own give Welch's t. A published standard error of 0 says that no spread was seen, as
with an accuracy of 0 or 1 or with repeats that were all the same. It does not say that the score is
known exactly: a number of 0/1 items gives an error in its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.pairwise.degenerate import DegeneratePairs
from rankbars.stats.pairwise.differences import build_statistics
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.pairwise.scorerows import rescale

__all__ = [
    "ZeroErrors",
    "caffo_variance",
    "fill_zero_errors",
    "item_scale",
    "welch_t",
    "wilson_ends",
    "z_from_cov",
    "z_from_se",
]

_SCALES = (1.0, 100.0)
# Errors of means of 0/1 items are sqrt(p(1-p)/n), up to how they were rounded or divided.
_FIT = (0.5, 2.0)


_FEWEST_ROWS = 2

# A variance of a difference below this share of its two terms is rounding.
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)


def z_from_se(mean: NDArray[np.float64], se: NDArray[np.float64]) -> PairStatistics:
    """Normal statistics of all pairs from independent estimates with standard errors.

    Parameters
    ----------
    mean : ndarray, shape (M,)
        Estimated scores, higher is better; NaN for an absent model.
    se : ndarray, shape (M,)
        Their standard errors; NaN where not known, which leaves the model's pairs without
        evidence.

    Returns
    -------
    PairStatistics
        ``(mean_i - mean_j) / sqrt(se_i^2 + se_j^2)`` with infinite degrees of freedom.

    Notes
    -----
    Assumes normal estimates with independent errors. A standard error of 0 says that no spread was
    seen: the difference from another estimate has the error of the other one alone. Two errors of
    0 give no evidence: no number of rows bounds it.

    Examples
    --------
    >>> z_from_se(np.array([0.8, 0.7]), np.array([0.03, 0.04])).statistic.round(6)
    array([[ 0.,  2.],
           [-2.,  0.]])
    """
    variance = np.square(se)
    total = variance[:, None] + variance
    return _studentise(mean, total, total)


def z_from_cov(mean: NDArray[np.float64], cov: NDArray[np.float64]) -> PairStatistics:
    """Normal statistics of all pairs from estimates with a joint covariance matrix.

    Parameters
    ----------
    mean : ndarray, shape (M,)
        Estimated scores, higher is better; NaN for an absent model.
    cov : ndarray, shape (M, M)
        Covariance of the estimates; NaN where not known.

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
    A difference without variance has no evidence; its standard error is 0, so that it adds none to
    an average.

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
    return _studentise(mean, spread, total)


def _studentise(
    mean: NDArray[np.float64],
    variance: NDArray[np.float64],
    total: NDArray[np.float64],
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
    n = np.where(absent[:, None] | absent, 0, 1)
    constant, identical = (np.zeros(diff.shape, dtype=np.bool_) for _ in range(2))
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


class ZeroErrors(NamedTuple):
    """Standard errors with what stands in the place of zeros.

    Attributes
    ----------
    se : ndarray, shape (M,)
        The errors to use; NaN where none is known.
    by_items, largest, left : ndarray of bool, shape (M,)
        The zeros that got the error of their 0/1 items, those that got the largest error of
        another model, and those that stay.
    scale : float, optional
        What a share of 1 is written as, where the numbers behind the scores count 0/1 items.
    """

    se: NDArray[np.float64]
    by_items: NDArray[np.bool_]
    largest: NDArray[np.bool_]
    left: NDArray[np.bool_]
    scale: float | None


def fill_zero_errors(
    score: NDArray[np.float64],
    se: NDArray[np.float64],
    n: NDArray[np.int64] | None,
    *,
    largest: bool = False,
) -> ZeroErrors:
    """What stands in the place of standard errors of 0 on one task.

    Parameters
    ----------
    score, se : ndarray, shape (M,)
        Scores, higher is better, and their errors; NaN where not known.
    n : ndarray of int, shape (M,), optional
        Numbers behind the scores; 0 where not known. Used where they count 0/1 items, which
        the other cells of the task must bear out (`item_scale`).
    largest : bool
        Whether a zero without a number of items gets the largest error of another model.

    Examples
    --------
    >>> score, n = np.array([1.0, 0.9, 0.8]), np.array([100, 100, 100])
    >>> found = fill_zero_errors(score, np.array([0.0, 0.03, 0.04]), n)
    >>> found.se.round(4).tolist(), found.scale
    ([0.0098, 0.03, 0.04], 1.0)
    >>> fill_zero_errors(score, np.array([0.0, 0.03, 0.04]), None, largest=True).se.tolist()
    [0.04, 0.03, 0.04]
    """
    zero = (se == 0.0) & ~np.isnan(score)
    none = np.zeros_like(zero)
    if not zero.any():
        return ZeroErrors(se, none, none, none, None)
    filled, by_items = se.copy(), none
    scale = None if n is None else item_scale(score, se, n)
    if n is not None and scale is not None:
        by_items = zero & (n > 0)
        share = np.abs(score[by_items]) / scale
        filled[by_items] = scale * np.sqrt(caffo_variance(share, n[by_items]))
    left, raised = zero & ~by_items, none
    greatest = np.fmax.reduce(se, initial=0.0)
    if largest and greatest > 0.0:
        filled[left] = greatest
        left, raised = none, left
    return ZeroErrors(filled, by_items, raised, left, scale)


def item_scale(
    score: NDArray[np.float64], se: NDArray[np.float64], n: NDArray[np.int64]
) -> float | None:
    """What a share of 1 is written as, 1 or 100, if `n` counts the 0/1 items behind the scores.

    A number may also count repeats of a whole evaluation. Scores within 0 and 1 (or 100) whose
    errors are those of a share of n items tell: the median of ``se^2 n / (p (1 - p))`` over the
    cells with 0 < p < 1 lies between 0.5 and 2. None where it does not, or no cell tells.

    Examples
    --------
    >>> item_scale(np.array([90.0, 80.0]), np.array([3.0, 4.0]), np.array([100, 100]))
    100.0
    >>> item_scale(np.array([90.0, 80.0]), np.array([0.7, 0.4]), np.array([10, 10])) is None
    True
    """
    known = ~np.isnan(score)
    # Where lower is better, shares are stored with a minus sign.
    size = -score if (score[known] <= 0.0).all() else score
    for scale in _SCALES:
        share = size / scale
        if (share[known] < 0.0).any() or (share[known] > 1.0).any():
            continue
        use = known & (share > 0.0) & (share < 1.0) & (n > 0) & (se > 0.0)
        if not use.any():
            continue
        spread = share[use] * (1.0 - share[use])
        fit = float(np.median(np.square(se[use] / scale) * n[use] / spread))
        if _FIT[0] <= fit <= _FIT[1]:
            return scale
    return None


def caffo_variance(share: NDArray[np.float64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Variance of a share of `n` items in a difference of two, after Agresti and Caffo.

    One item is added on either side: ``p~ (1 - p~) / (n + 2)`` with ``p~ = (n p + 1) / (n + 2)``.

    References
    ----------
    Agresti & Caffo 2000, The American Statistician 54.

    Examples
    --------
    >>> caffo_variance(np.array([1.0, 0.0]), np.array([100, 50])).round(9).tolist()
    [9.5175e-05, 0.000362711]
    """
    middle = (share * n + 1.0) / (n + 2.0)
    return np.asarray(middle * (1.0 - middle) / (n + 2.0))


def wilson_ends(
    share: NDArray[np.float64], n: NDArray[np.int64], z: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of Wilson's interval of a share of `n` items; `z` is the normal quantile.

    References
    ----------
    Wilson 1927, Journal of the American Statistical Association 22.

    Examples
    --------
    >>> low, high = wilson_ends(np.array([1.0]), np.array([100]), 1.959964)
    >>> low.round(4).item(), high.item()
    (0.963, 1.0)
    """
    square = z * z / n
    centre = (share + square / 2.0) / (1.0 + square)
    half = z * np.sqrt(share * (1.0 - share) / n + square / (4.0 * n)) / (1.0 + square)
    # At a share of 0 and 1 one end is exactly that, which rounding could miss.
    low = np.where(share == 0.0, 0.0, centre - half)
    high = np.where(share == 1.0, 1.0, centre + half)
    return low, high

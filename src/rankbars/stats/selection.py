"""The score of the best of several, allowing for its having been picked because it was best.

The interval of a model named in advance misses the true score of the observed best far more often
than it says. Two intervals hold: the simultaneous one, which covers every candidate at once, and
the hybrid one, which conditions on the selection inside a simultaneous one and is shorter. Both
take the means as normal with a known covariance.

Source: Andrews, Kitagawa and McCloskey 2024 for the hybrid interval. Two changes are for discrete
scores: half a step of the mean is given away where models are compared, so that an exact tie has
an interval with a width; and right-or-wrong rows enter as ``(n x + 2) / (n + 4)`` with the
binomial variance of that.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri

from rankbars.stats.blocks import row_blocks
from rankbars.stats.resampling.distributions import symmetric_root

__all__ = [
    "SelectedScore",
    "binomial_moments",
    "conditional_share",
    "hybrid_score",
    "hybrid_share",
    "largest_deviations",
    "resampled_deviation",
    "selection_bounds",
    "simultaneous_score",
]

Array = NDArray[np.float64]

SAME = 1e-9  # a model that moves with the leader, one to one, says nothing about the selection
INSIDE = 1e-6  # share of the width by which solutions stay inside the simultaneous interval
HALVINGS = 45  # of an interval: a solution is good to 13 digits of its width
FEW = 99.0  # degrees of freedom from which a standard error counts as known
NO_SPREAD = 1e-9  # of the variance: a resample with less has none


class SelectedScore(NamedTuple):
    """Where the true score of the observed best lies, and an estimate of it."""

    estimate: float
    low: float
    high: float


def hybrid_share(alpha: float) -> tuple[float, float]:
    """Error rates of the simultaneous interval around the hybrid one, and inside it.

    Examples
    --------
    >>> [round(rate, 6) for rate in hybrid_share(0.05)]
    [0.005, 0.045226]
    """
    beta = alpha / 10
    return beta, (alpha - beta) / (1 - beta)


def selection_bounds(
    x: Array, covariance_with: Array, leader: int, step: float = 0.0
) -> tuple[float, float]:
    """Between which values the leader's score lies whenever it leads, given all that is not it.

    Parameters
    ----------
    x : ndarray, shape (M,)
        Scores, higher is better.
    covariance_with : ndarray, shape (M,)
        Covariance of each score with that of the leader; the leader's own is its variance.
    leader : int
        Position of the best.
    step : float
        Smallest step of a score; 0 where there is none.

    Returns
    -------
    low, high : float
        Infinite where nothing binds.

    Examples
    --------
    >>> selection_bounds(np.array([0.62, 0.60]), np.array([4e-4, 2e-4]), 0)
    (0.58, inf)
    """
    ratio = covariance_with / covariance_with[leader]
    rest = x - ratio * x[leader] - step / 2
    below, above = ratio < 1 - SAME, ratio > 1 + SAME
    low = (rest[below] / (1 - ratio[below])).max(initial=-math.inf)
    high = (rest[above] / (1 - ratio[above])).min(initial=math.inf)
    return float(low), float(high)


def conditional_share(value: float, mean: float, error: float, ends: tuple[float, float]) -> float:
    """Probability that a normal variable between two ends is at most `value`.

    Examples
    --------
    >>> round(conditional_share(0.0, 0.0, 1.0, (-1.0, 1.0)), 12)
    0.5
    """
    low, high = ((end - mean) / error for end in ends)
    point = min(max((value - mean) / error, low), high)
    return math.exp(_log_between(low, point) - _log_between(low, high))


def hybrid_score(
    x: Array,
    covariance_with: Array,
    leader: int,
    *,
    critical: float,
    alpha: float,
    step: float = 0.0,
) -> SelectedScore:
    """Hybrid interval of the observed best, and its median-unbiased estimate.

    Parameters
    ----------
    x, covariance_with, leader, step
        As in `selection_bounds`.
    critical : float
        Quantile of the largest deviation of any score, in standard errors, at one minus the first
        rate of `hybrid_share`.
    alpha : float
        Error rate.

    Returns
    -------
    SelectedScore
        Inside ``x[leader] ± critical * se``. The interval is made longer where it must be to hold
        the observed score, which it otherwise misses near ties; the level holds all the more.

    Examples
    --------
    >>> x, v = np.array([0.62, 0.61, 0.60]), np.array([4e-4, 2e-4, 2.5e-4])
    >>> [round(end, 4) for end in hybrid_score(x, v, 0, critical=3.16, alpha=0.05)]
    [0.6138, 0.5596, 0.6595]
    """
    own, error = float(x[leader]), math.sqrt(float(covariance_with[leader]))
    low, high = selection_bounds(x, covariance_with, leader, step)
    half = critical * error

    def share(mean: float) -> float:
        ends = max(low, mean - half), min(high, mean + half)
        return conditional_share(own, mean, error, ends)

    def mean_with(wanted: float) -> float:
        first, last = own - half * (1 - INSIDE), own + half * (1 - INSIDE)
        if share(first) <= wanted:
            return first
        if share(last) >= wanted:
            return last
        for _ in range(HALVINGS):
            middle = (first + last) / 2
            first, last = (middle, last) if share(middle) > wanted else (first, middle)
        return (first + last) / 2

    _, rate = hybrid_share(alpha)
    # A leader that only just leads has an interval beyond its own score, which nobody could read.
    return SelectedScore(
        mean_with(0.5), min(mean_with(1 - rate / 2), own), max(mean_with(rate / 2), own)
    )


def simultaneous_score(own: float, error: float, critical: float, n: int = 0) -> SelectedScore:
    """The interval that holds for every candidate at once, whichever was picked.

    Parameters
    ----------
    own, error : float
        The leader's score, and its standard error.
    critical : float
        Quantile of the largest deviation of any score, in standard errors.
    n : int
        Number of right-or-wrong rows behind the score; 0 for other scores.

    Examples
    --------
    >>> [round(end, 3) for end in simultaneous_score(0.62, 0.02, 2.45)]
    [0.62, 0.571, 0.669]
    """
    if n == 0:
        return SelectedScore(own, own - critical * error, own + critical * error)
    middle = (n * own + critical**2 / 2) / (n + critical**2)
    half = critical * math.sqrt(middle * (1 - middle) / (n + critical**2))
    return SelectedScore(own, max(middle - half, 0.0), min(middle + half, 1.0))


def binomial_moments(x: Array, covariance_with: Array, leader: int, n: int, own: Array) -> tuple[
    Array, Array
]:  # fmt: skip
    """Scores of right-or-wrong rows with two more of either kind, and covariances to match.

    Parameters
    ----------
    x, covariance_with, leader
        As in `selection_bounds`.
    n : int
        Number of rows.
    own : ndarray, shape (M,)
        Variance of each score.

    Returns
    -------
    x, covariance_with : ndarray, shape (M,)
        ``(n x + 2) / (n + 4)``, and binomial variances of that with the correlations that were.

    Examples
    --------
    >>> x, v = np.array([1.0, 0.5]), np.array([0.0, 0.0])
    >>> binomial_moments(x, v, 0, 4, np.array([0.0, 0.06]))[0].tolist()
    [0.75, 0.5]
    """
    shrunk = (n * x + 2) / (n + 4)
    variance = shrunk * (1 - shrunk) / (n + 4)
    scale = np.sqrt(own * own[leader])
    # Without any spread nothing is known of a correlation.
    correlation = np.divide(covariance_with, scale, out=np.zeros_like(x), where=scale > 0)
    correlation[leader] = 1.0
    return shrunk, correlation * np.sqrt(variance * variance[leader])


def largest_deviations(
    correlation: Array,
    levels: tuple[float, ...],
    rng: np.random.Generator,
    *,
    draws: int,
    df: float = math.inf,
    others: int = 0,
) -> tuple[float, ...]:
    """Quantiles of the largest absolute deviation of any score, in its standard errors.

    Parameters
    ----------
    correlation : ndarray, shape (M, M)
        Correlations of the scores; what keeps it from being one is cut off.
    levels : tuple of float
        Probabilities.
    rng : Generator
        Random numbers.
    draws : int
        Number of draws.
    df : float
        Degrees of freedom behind the standard errors; they count as known from 99 on.
    others : int
        Further candidates whose scores are not known. They count as independent of all others,
        which makes the quantile larger than any dependence would (Šidák).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> bool(abs(largest_deviations(np.eye(1), (0.95,), rng, draws=50_000)[0] - 1.96) < 0.03)
    True
    """
    # Where eigenvalues repeat, only the symmetric root is the same with every linear algebra.
    root = symmetric_root(correlation).root
    length = np.sqrt((root**2).sum(axis=1))
    root /= np.where(length > 0, length, 1.0)[:, None]
    largest = np.empty(draws)
    for block in row_blocks(draws, len(root)):
        made = rng.standard_normal((block.stop - block.start, len(root))) @ root.T
        largest[block] = np.abs(made, out=made).max(axis=1)
    if others:
        hidden = ndtri((1 + rng.random(draws) ** (1 / others)) / 2)
        largest = np.maximum(largest, hidden)
    if df < FEW:
        largest /= np.sqrt(rng.chisquare(df, draws) / df)
    ordered = np.sort(largest)
    return tuple(float(ordered[min(math.ceil(p * (draws + 1)), draws) - 1]) for p in levels)


def resampled_deviation(
    rows: Array, level: float, rng: np.random.Generator, *, draws: int
) -> float:
    """The same quantile from resamples of rows, each side as likely as the other: for skewed rows.

    Parameters
    ----------
    rows : ndarray, shape (n, M)
        Complete scores of rows.
    level : float
        Probability.
    rng : Generator
        Random numbers.
    draws : int
        Number of resamples.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> 1.8 < resampled_deviation(rng.normal(size=(400, 1)), 0.95, rng, draws=2_000) < 2.1
    True
    """
    n = len(rows)
    centred = rows - rows.mean(axis=0)
    squares = centred**2
    least = NO_SPREAD * squares.mean(axis=0)
    largest = np.empty(draws)
    for block in row_blocks(draws, n):
        size = block.stop - block.start
        drawn = rng.integers(n, size=(size, n)) + n * np.arange(size)[:, None]
        counts = np.bincount(drawn.reshape(-1), minlength=size * n).reshape(size, n) / n
        mean = counts @ centred
        variance = counts @ squares - mean**2
        known = variance > least
        spread = np.sqrt(variance, where=known, out=np.full_like(mean, np.inf))
        largest[block] = (np.abs(mean) / spread).max(axis=1) * math.sqrt(n - 1)
    return float(np.sort(largest)[min(math.ceil(level * (draws + 1)), draws) - 1])


def _log_between(low: float, high: float) -> float:
    """Logarithm of the probability that a standard normal variable lies between two values."""
    if low > 0:  # the lower tail is the one that can be told from others
        low, high = -high, -low
    upper = float(log_ndtr(high))
    if low == -math.inf:
        return upper
    gap = float(log_ndtr(low)) - upper
    return -math.inf if gap >= 0 else upper + math.log1p(-math.exp(gap))

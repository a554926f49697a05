"""Wins against losses without a model: exact tails, tests and intervals for a share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from rankbars.errors import DataError
from rankbars.stats.tails import check_alpha, critical_value, upper_tail

__all__ = [
    "ShareTest",
    "binomial_tail",
    "binomial_tail_midp",
    "check_counts",
    "clustered_share_test",
    "exact_limits",
    "share_test",
]

Array = NDArray[np.float64]


class ShareTest(NamedTuple):
    """A share of wins held against one half.

    Attributes
    ----------
    share : float
        Wins among wins and losses; NaN without any.
    low, high : float
        Exact interval (Clopper and Pearson).
    p : float
        Two-sided exact p-value for a share of one half.
    n : float
        Wins and losses.
    """

    share: float
    low: float
    high: float
    p: float
    n: float


def binomial_tail(wins: ArrayLike, losses: ArrayLike) -> Array:
    """Probability of at least that many wins if both sides win equally often.

    Parameters
    ----------
    wins, losses : array_like of counts, shape (...)
        Decided trials.

    Returns
    -------
    ndarray, shape (...)
        One-sided exact p-values; 1 without wins.

    Examples
    --------
    >>> binomial_tail([3, 2, 0], [0, 1, 0]).tolist()
    [0.125, 0.5, 1.0]
    """
    won, lost = check_counts(wins, losses)
    tail = np.ones(won.shape)
    some = won > 0
    tail[some] = special.betainc(won[some], lost[some] + 1, 0.5)
    return tail


def binomial_tail_midp(wins: ArrayLike, losses: ArrayLike) -> Array:
    """Probability of more wins if both sides win equally often, plus half that of as many.

    Parameters
    ----------
    wins, losses : array_like of counts, shape (...)
        Decided trials.

    Returns
    -------
    ndarray, shape (...)
        ``P(Bin >= wins) - P(Bin = wins) / 2``; 1 without trials.

    Examples
    --------
    >>> binomial_tail_midp([8, 0], [2, 0]).round(8).tolist()
    [0.03271484, 1.0]
    """
    won, lost = check_counts(wins, losses)
    more = np.zeros(won.shape)
    some = lost > 0
    more[some] = special.betainc(won[some] + 1, lost[some], 0.5)
    # The mean of two tails: subtracting the point mass would cancel.
    middle = (binomial_tail(won, lost) + more) / 2.0
    middle[(won == 0) & (lost == 0)] = 1.0
    return middle


def exact_limits(wins: ArrayLike, losses: ArrayLike, alpha: float) -> tuple[Array, Array]:
    """Ends of the interval of a share that never covers less than stated.

    Parameters
    ----------
    wins, losses : array_like of counts, shape (...)
        How often the one happened, and how often the other; NaN gives 0 and 1.
    alpha : float
        Error rate of the interval.

    References
    ----------
    Clopper & Pearson 1934, Biometrika 26, 404-413.

    Examples
    --------
    >>> low, high = exact_limits([7, 10, 0], [3, 0, 0], 0.05)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.3475, 0.6915, 0.0], [0.9333, 1.0, 1.0])
    """
    won, lost = np.asarray(wins, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    # Where one kind is lacking its end is that of the scale.
    low = special.betaincinv(np.where(won > 0, won, 1.0), lost + 1, alpha / 2)
    high = special.betaincinv(won + 1, np.where(lost > 0, lost, 1.0), 1 - alpha / 2)
    return np.where(won > 0, low, 0.0), np.where(lost > 0, high, 1.0)


def share_test(wins: float, losses: float, alpha: float) -> ShareTest:
    """Exact test of one half, and exact interval, for a share of wins.

    Parameters
    ----------
    wins, losses : float
        Counts.
    alpha : float
        Error rate of the interval.

    Returns
    -------
    ShareTest
        Share with interval and p-value.

    Raises
    ------
    DataError
        If a count is negative.
    OptionError
        If `alpha` is not in (0, 1).

    Notes
    -----
    The p-value is twice the smaller tail, at most 1: the test that inverts to the interval of
    Clopper and Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> result = share_test(8, 2, 0.05)
    >>> round(result.low, 4), round(result.high, 4), result.p
    (0.4439, 0.9748, 0.109375)
    """
    rate = check_alpha(alpha)
    tails = binomial_tail([wins, losses], [losses, wins])
    n = wins + losses
    if n == 0:
        return ShareTest(float("nan"), 0.0, 1.0, 1.0, 0.0)
    low, high = exact_limits(wins, losses, rate)
    return ShareTest(wins / n, float(low), float(high), float(min(1.0, 2 * tails.min())), n)


def clustered_share_test(
    won: NDArray[np.bool_], cluster: NDArray[np.int64], alpha: float
) -> ShareTest:
    """Test of one half for a share of votes that depend on each other within clusters.

    Parameters
    ----------
    won : ndarray of bool, shape (n,)
        Votes.
    cluster : ndarray of int, shape (n,)
        What they belong to, such as voters; at least two different ones.
    alpha : float
        Error rate of the interval.

    Returns
    -------
    ShareTest
        By the variance between clusters, with t quantiles; never surer than the exact test of
        independent votes.

    Raises
    ------
    DataError
        If there are fewer than two clusters.
    OptionError
        If `alpha` is not in (0, 1).

    Notes
    -----
    Source: the ratio estimator of cluster samples, Cochran (1977), Sampling Techniques, ch. 9.

    Examples
    --------
    Ten voters who always vote alike are ten votes, not a hundred.

    >>> voter = np.repeat(np.arange(10), 10)
    >>> found = clustered_share_test(voter < 7, voter, 0.05)
    >>> found.share, round(found.low, 3), round(found.p, 3)
    (0.7, 0.354, 0.223)
    """
    exact = share_test(float(won.sum()), float((~won).sum()), alpha)
    _, code = np.unique(cluster, return_inverse=True)
    groups = int(code.max(initial=-1)) + 1
    if groups < 2:
        raise DataError(f"A share over clusters needs at least 2 of them; got {groups}.")
    spread = np.bincount(code, won - exact.share)
    se = float(np.sqrt(groups / (groups - 1) * (spread @ spread)) / won.size)
    half = float(critical_value(check_alpha(alpha) / 2, groups - 1)) * se
    gap = abs(exact.share - 0.5)
    p = 2 * float(upper_tail(gap / se, groups - 1)) if se > 0 else exact.p
    return exact._replace(
        low=max(0.0, min(exact.low, exact.share - half)),
        high=min(1.0, max(exact.high, exact.share + half)),
        p=min(1.0, max(exact.p, p)),
    )


def check_counts(wins: ArrayLike, losses: ArrayLike) -> tuple[Array, Array]:
    """Both counts as floats of one shape.

    Raises
    ------
    DataError
        If one is negative or not finite.
    """
    won, lost = np.broadcast_arrays(
        np.asarray(wins, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    )
    if not all(np.isfinite(count).all() and (count >= 0).all() for count in (won, lost)):
        raise DataError("Wins and losses must be finite counts, 0 or more.")
    return won, lost

"""What vote arenas do: print ratings and ranks, and draw the pairs that are asked.

They print ratings on the scale of Elo, and ranks by overlap of score intervals. Pairs are drawn
with probabilities, and votes weighted by one over them: weighted so, a fit estimates what it would
if all pairs were drawn alike, and each vote adds to a martingale whatever earlier results did to
the probabilities. Its variance depends on them, and the best ones are a square root: Neyman's
allocation, over pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankbars.errors import DataError
from rankbars.stats.ranks import RankBounds, count_bounds

__all__ = [
    "ELO_PER_LOG_ODDS",
    "PairDesign",
    "best_chances",
    "elo_ratings",
    "lay_out_pairs",
    "overlap_bounds",
    "variance_per_vote",
]

Array = NDArray[np.float64]


ELO_PER_LOG_ODDS = 400 / float(np.log(10))
"""Elo points of one unit of log strength."""


def elo_ratings(
    strength: NDArray[np.float64], *, anchor: int | None = None, rating: float = 1000.0
) -> NDArray[np.float64]:
    """Log strengths on the scale of Elo: 400 points are odds of ten to one.

    Parameters
    ----------
    strength : ndarray, shape (M,)
        Log strengths.
    anchor : int, optional
        The model that gets `rating`; by default the mean of all models does.
    rating : float
        Rating of the anchor.

    Returns
    -------
    ndarray, shape (M,)
        Ratings. Their differences do not depend on the anchor.

    Examples
    --------
    >>> elo_ratings(np.log(np.array([10.0, 1.0])), anchor=1).round(6).tolist()
    [1400.0, 1000.0]
    """
    origin = float(strength.mean() if anchor is None else strength[anchor])
    return rating + ELO_PER_LOG_ODDS * (strength - origin)


def overlap_bounds(low: NDArray[np.float64], high: NDArray[np.float64]) -> RankBounds:
    """Ranks by whether score intervals overlap: for comparison only.

    Parameters
    ----------
    low, high : ndarray, shape (M,)
        Ends of each model's score interval, higher is better; NaN for a model without one.

    Returns
    -------
    RankBounds
        ``best = 1 + #{k : low_k > high_j}``, ``worst = M - #{k : high_k < low_j}``.

    Raises
    ------
    DataError
        If shapes differ or an interval is the wrong way round.

    Notes
    -----
    Carries no guarantee: nothing controls the number of wrong statements, and covariances are
    ignored. Two 95 % intervals that do not overlap are stricter evidence than one test at 5 %.

    Examples
    --------
    >>> bounds = overlap_bounds(np.array([8.0, 4.0, 1.0]), np.array([9.0, 6.0, 5.0]))
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    if low.shape != high.shape or (low > high).any():
        raise DataError("Score intervals need ends of one shape, the lower not above the upper.")
    known = ~(np.isnan(low) | np.isnan(high))
    lows, highs = np.sort(low[known]), np.sort(high[known])
    better, worse = np.zeros((2, low.size), dtype=np.int64)
    better[known] = lows.size - np.searchsorted(lows, high[known], side="right")
    worse[known] = np.searchsorted(highs, low[known], side="left")
    return count_bounds(better, worse)


class PairDesign(NamedTuple):
    """All pairs of M models, drawn alike.

    Attributes
    ----------
    first, second : ndarray of intp, shape (P,)
        The models of each pair, ``first < second``.
    information : ndarray, shape (P,)
        What one vote on the pair tells of its difference.
    inverse : ndarray, shape (M, M)
        Moore-Penrose inverse of the mean information of a vote.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    information: Array
    inverse: Array


def lay_out_pairs(strength: Array) -> PairDesign:
    """The design in which all pairs of models are drawn alike.

    Parameters
    ----------
    strength : ndarray, shape (M,)
        Log strengths; a guess will do, for the probabilities need not be the best ones.

    Examples
    --------
    >>> lay_out_pairs(np.zeros(3)).information.tolist()
    [0.25, 0.25, 0.25]
    """
    size = strength.size
    first, second = np.triu_indices(size, 1)
    chance = special.expit(strength[first] - strength[second])
    information = chance * (1 - chance)
    share = information / first.size
    table = np.zeros((size, size))
    table[first, second] = table[second, first] = -share
    np.fill_diagonal(table, -table.sum(axis=1))
    from scipy.linalg import pinvh

    return PairDesign(first, second, information, pinvh(table))


def best_chances(design: PairDesign, contrasts: Array, even: float) -> Array:
    """Probabilities of pairs with the least sum of variances of some contrasts.

    Parameters
    ----------
    design : PairDesign
        All pairs.
    contrasts : ndarray, shape (M, M)
        Sum over contrasts c of ``c c'``.
    even : float
        Share of votes that is drawn from all pairs alike.

    Returns
    -------
    ndarray, shape (P,)
        At least ``even / P`` each; alike where there is no contrast.

    Notes
    -----
    The sum of variances is the sum over pairs of ``a / chance``, which is least where the chance
    goes with the root of a. Source: Neyman (1934), J. R. Statist. Soc. 97, 558-625.

    Examples
    --------
    >>> first = np.outer([1, -1, 0], [1, -1, 0])
    >>> best_chances(lay_out_pairs(np.zeros(3)), first, 0.0).round(9).tolist()
    [0.5, 0.25, 0.25]
    """
    alike = np.full(design.first.size, 1 / design.first.size)
    wanted = np.sqrt(_loads(design, contrasts))
    if not wanted.sum() > 0:
        return alike
    return np.asarray(even * alike + (1 - even) * wanted / wanted.sum())


def variance_per_vote(design: PairDesign, contrast: Array, chances: Array) -> float:
    """Variance of a contrast times the number of votes, if pairs are drawn with `chances`.

    Parameters
    ----------
    design : PairDesign
        All pairs.
    contrast : ndarray, shape (M,)
        Sums to 0.
    chances : ndarray, shape (P,)
        Probability of each pair, above 0; votes are weighted by one over it.

    Examples
    --------
    Of three equal models, each vote alike: the variance of a difference is that of the fit.

    >>> design = lay_out_pairs(np.zeros(3))
    >>> round(variance_per_vote(design, np.array([1.0, -1.0, 0.0]), np.full(3, 1 / 3)), 9)
    8.0
    """
    return float((_loads(design, np.outer(contrast, contrast)) / chances).sum())


def _loads(design: PairDesign, contrasts: Array) -> Array:
    """What each pair adds to the variances, times its probability."""
    spread = design.inverse @ contrasts @ design.inverse
    one, other = design.first, design.second
    own = spread[one, one] + spread[other, other] - 2 * spread[one, other]
    return np.asarray(design.information * np.maximum(own, 0.0) / one.size**2)

"""What vote arenas print: ratings on the scale of Elo, and ranks by overlap of score intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.ranks import RankBounds, count_bounds

__all__ = ["ELO_PER_LOG_ODDS", "elo_ratings", "overlap_bounds"]

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

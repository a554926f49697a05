"""Upper tails of Student's t and the normal distribution, and their inverses.

Both directions of a pair are tails of the statistic, ``upper_tail(t)`` and ``upper_tail(-t)``;
``1 - p`` would lose the small tail.
``scipy.special`` suffices; ``scipy.stats`` takes over a second to import.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = ["critical_value", "upper_tail"]


def upper_tail(statistic: ArrayLike, df: ArrayLike) -> NDArray[np.float64]:
    """Probability that a t variable with `df` degrees of freedom is at least `statistic`.

    Parameters
    ----------
    statistic : array_like
        Value of the statistic; any shape.
    df : array_like
        Degrees of freedom, broadcast against `statistic`; infinity means the normal distribution.
        Without degrees of freedom (zero or below) nothing is unlikely: the tail is 1.

    Returns
    -------
    ndarray of float64
        One-sided p-values, with the broadcast shape.

    Examples
    --------
    The small tail keeps its digits, where ``1 - cdf`` gives 0:

    >>> print(f"{upper_tail(50.0, 199):.6e}")
    6.289145e-115
    >>> upper_tail([0.0, 1.96], np.inf).round(3)
    array([0.5  , 0.025])
    """
    value = np.asarray(statistic, dtype=np.float64)
    freedom = np.asarray(df, dtype=np.float64)
    if freedom.ndim == 0:
        return np.asarray(_tail(value, float(freedom)), dtype=np.float64)
    value, freedom = np.broadcast_arrays(value, freedom)
    tail = np.ones(value.shape)
    proper = (freedom > 0) & (freedom < np.inf)
    tail[proper] = special.stdtr(freedom[proper], -value[proper])
    normal = freedom == np.inf
    tail[normal] = special.ndtr(-value[normal])
    return tail


def _tail(value: NDArray[np.float64], df: float) -> ArrayLike:
    """Upper tail when all statistics share their degrees of freedom."""
    if df <= 0:
        return np.ones(value.shape)
    tail: ArrayLike = special.ndtr(-value) if df == np.inf else special.stdtr(df, -value)
    return tail


def critical_value(level: ArrayLike, df: ArrayLike) -> NDArray[np.float64]:
    """Statistic whose upper tail is `level`: the inverse of :func:`upper_tail`.

    The decision is inclusive: ``statistic >= critical_value(level, df)`` and ``p <= level`` are
    the same statement.

    Parameters
    ----------
    level : array_like
        One-sided level; any shape. Level 0 gives infinity.
    df : array_like
        Degrees of freedom, broadcast against `level`; infinity means the normal distribution.
        Without degrees of freedom (zero or below) the critical value is infinite.

    Returns
    -------
    ndarray of float64
        Critical values, with the broadcast shape.

    Examples
    --------
    >>> critical_value(0.025, [9, np.inf]).round(4)
    array([2.2622, 1.96  ])
    """
    rate, freedom = np.broadcast_arrays(
        np.asarray(level, dtype=np.float64), np.asarray(df, dtype=np.float64)
    )
    value = np.full(rate.shape, np.inf)
    # stdtrit gives plus infinity at both ends, so level 0 is left out.
    proper = (rate > 0) & (freedom > 0) & (freedom < np.inf)
    value[proper] = -special.stdtrit(freedom[proper], rate[proper])
    normal = (rate > 0) & (freedom == np.inf)
    value[normal] = -special.ndtri(rate[normal])
    return value + 0.0  # no negative zero at level one half

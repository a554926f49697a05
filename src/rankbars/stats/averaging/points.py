"""What a model earns on one task: its rank there, points, wins.

Every function takes scores of shape (..., M), higher is better, nothing missing, and returns the
same shape. Ranks are 1 for the best; points and wins are more for the better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankbars.stats.ranks import count_around, midranks

__all__ = [
    "binned_ranks",
    "borda_points",
    "field_wins",
    "first_places",
    "noise_ranks",
    "noisy_ranks",
    "win_shares",
]

_PERCENT = 100.0
_ROUNDING = 64 * float(np.finfo(np.float64).eps)


def binned_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks by whole percent; all models of one percent get the worst of their ranks.

    Parameters
    ----------
    values : array of float, shape (..., M)
        Shares, 0 to 1.

    Notes
    -----
    The percent is that of the decimal number: 0.29 belongs to 29 although ``100 * 0.29`` is less.

    References
    ----------
    Longjohn, Gopalan & Casleton 2025, section 3.2.

    Examples
    --------
    >>> binned_ranks(np.array([0.914, 0.911, 0.874, 0.7])).tolist()
    [2.0, 2.0, 3.0, 4.0]
    """
    percent = np.floor(np.round(_PERCENT * values, 9))
    below, _ = count_around(percent)
    return np.asarray(values.shape[-1] - below, dtype=np.float64)


def noisy_ranks(values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Ranks after adding standard normal noise to scores on the scale from 0 to 100.

    Parameters
    ----------
    values : array of float, shape (..., M)
        Shares, 0 to 1.
    rng : Generator
        Source of the noise.

    References
    ----------
    Longjohn, Gopalan & Casleton 2025, section 3.2.

    Examples
    --------
    >>> noisy_ranks(np.array([0.9, 0.5, 0.1]), np.random.default_rng(0)).tolist()
    [1.0, 2.0, 3.0]
    """
    return midranks(_PERCENT * values + rng.standard_normal(values.shape))


def noise_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Expected value of `noisy_ranks`, without any draw.

    Examples
    --------
    >>> noise_ranks(np.array([0.51, 0.50, 0.10])).round(2).tolist()
    [1.24, 1.76, 3.0]
    """
    ranks = np.ones(values.shape)
    for rival in range(values.shape[-1]):
        ahead = _PERCENT * (values[..., rival, None] - values) / np.sqrt(2.0)
        lost = special.ndtr(ahead)
        lost[..., rival] = 0.0
        ranks += lost
    return ranks


def borda_points(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Borda points: one for every model that is beaten, one half for every tie.

    Examples
    --------
    >>> borda_points(np.array([0.9, 0.5, 0.5])).tolist()
    [2.0, 0.5, 0.5]
    """
    return np.asarray(values.shape[-1] - midranks(values))


def win_shares(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the other models that are beaten, ties counting one half; 1 without others.

    Examples
    --------
    >>> win_shares(np.array([0.9, 0.5, 0.5])).tolist()
    [1.0, 0.25, 0.25]
    """
    others = values.shape[-1] - 1
    return borda_points(values) / others if others else np.ones(values.shape)


def field_wins(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for a model above the mean score of all other models, one half at it, else 0.

    Examples
    --------
    >>> field_wins(np.array([0.9, 0.5, 0.1])).tolist()
    [1.0, 0.5, 0.0]
    """
    # Above the mean of the others is above the mean of all.
    mean = values.mean(axis=-1, keepdims=True)
    level = np.abs(values - mean) <= _ROUNDING * np.abs(values).max(axis=-1, keepdims=True)
    return np.where(level, 0.5, (values > mean).astype(np.float64))


def first_places(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the model with the best score; models that share it share the 1.

    Examples
    --------
    >>> first_places(np.array([0.9, 0.9, 0.1])).tolist()
    [0.5, 0.5, 0.0]
    """
    best = values == values.max(axis=-1, keepdims=True)
    return np.asarray(best / np.count_nonzero(best, axis=-1, keepdims=True))

"""What a score is worth on its task: ranks, points, wins, a place on a common scale.

Ranks are 1 for the best; points and wins are more for the better. Ranks and points take scores of
shape (..., M), higher is better, nothing missing, and return the same shape. Win rates are over
tasks that not every model has; ties are split.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankbars.stats.ranks import count_around, midranks

__all__ = [
    "Limits",
    "binned_ranks",
    "borda_points",
    "elo_rows",
    "field_wins",
    "first_places",
    "noise_ranks",
    "noisy_ranks",
    "standard_limits",
    "top_win_rates",
    "unbeaten",
    "win_rates",
    "win_shares",
]

_PERCENT = 100.0
_ROUNDING = 64 * float(np.finfo(np.float64).eps)
_MEAN_ELO = 1000.0
_MOST_STEPS, _SMALL_STEP = 200, 1e-10


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


def unbeaten(shares: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The fewest models that win every comparison with all others, where there are such.

    Parameters
    ----------
    shares : array of float, shape (M,)
        Means of `win_shares` over tasks.

    Notes
    -----
    Totals of the k last models are at least k (k - 1) / 2, their wins among themselves; they are
    no more where these models never won against the others (Landau 1953).

    Examples
    --------
    >>> unbeaten(np.array([0.25, 1.0, 0.25])).tolist(), unbeaten(np.array([0.6, 0.4])).any().item()
    ([False, True, False], False)
    """
    size = shares.size
    order = np.argsort(shares, kind="stable")
    behind = np.arange(1, size)
    spare = np.cumsum(shares[order] * max(size - 1, 1))[:-1] - behind * (behind - 1) / 2
    found = np.zeros(size, dtype=np.bool_)
    tight = np.flatnonzero(spare <= _ROUNDING * size * size)
    if tight.size:
        found[order[tight[-1] + 1 :]] = True
    return found


def elo_rows(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each task adds to Elo ratings by Bradley and Terry's model; their mean is the ratings.

    Parameters
    ----------
    shares : array of float, shape (N, M)
        `win_shares` of each task, of models none of which are `unbeaten` on average.

    Returns
    -------
    array of float, shape (N, M)
        Ratings of mean 1000, 400 for odds of ten to one, plus how far they would move, to first
        order, if a task weighed more (the influence function). So their spread is that of ratings
        that are fitted to other tasks like these.

    Notes
    -----
    Every task has each two models meet once, the better score wins, and equal scores are half a
    win. Ratings then depend on the total of wins alone (it is sufficient), so that their order is
    that of mean ranks, and two models rate the same where their mean ranks are equal.
    Source: Bradley and Terry (1952), Biometrika 39, 324-345; ratings of boards over data sets:
    TabArena, Erickson et al. (2025), arXiv:2506.16791.

    Examples
    --------
    >>> rows = elo_rows(np.array([[1.0, 0.0]] * 10 + [[0.0, 1.0]]))  # ten wins to one
    >>> rows.mean(axis=0).round(6).tolist()
    [1200.0, 800.0]
    """
    size = shares.shape[-1]
    if size < 2:
        return np.full(shares.shape, _MEAN_ELO)
    wins = shares * (size - 1)
    total, strength = wins.mean(axis=0), np.zeros(size)
    for _ in range(_MOST_STEPS):
        chance = special.expit(strength[:, None] - strength)
        spread = chance * (1 - chance)
        np.fill_diagonal(spread, 0.0)
        # Equal shifts of all strengths are free; a constant makes them cost something.
        inverse = np.linalg.inv(np.diag(spread.sum(axis=0)) - spread + 1.0 / size)
        step = inverse @ (total - chance.sum(axis=1) + 0.5)
        strength = strength + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < _SMALL_STEP:
            break
    ratings = strength - strength.mean() + (wins - total) @ inverse
    return np.asarray(_MEAN_ELO + ratings * 400 / np.log(10))


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


def top_win_rates(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of its tasks that each model wins; models with the best score share the win.

    Parameters
    ----------
    values : array of float, shape (N, M)
        One row per task, higher is better; NaN where a model has no score.

    Returns
    -------
    array of float, shape (M,)
        NaN for a model without any task. With all models on all tasks they add up to 1.

    Examples
    --------
    >>> top_win_rates(np.array([[0.9, 0.9, 0.1], [0.5, np.nan, 0.7]])).tolist()
    [0.25, 0.5, 0.5]
    """
    present = ~np.isnan(values)
    ranked = np.where(present, values, -np.inf)
    best = present & (ranked == ranked.max(axis=1, keepdims=True, initial=-np.inf))
    shares = best / np.maximum(np.count_nonzero(best, axis=1, keepdims=True), 1)
    return _mean(shares.sum(axis=0), present.sum(axis=0))


def win_rates(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of (task, other model) pairs that each model wins; a tie is one half.

    Parameters
    ----------
    values : array of float, shape (N, M)
        One row per task, higher is better; NaN where a model has no score.

    Returns
    -------
    array of float, shape (M,)
        NaN for a model that is never compared.

    Examples
    --------
    >>> win_rates(np.array([[0.9, 0.9, 0.1], [0.5, np.nan, 0.7]])).round(3).tolist()
    [0.5, 0.75, 0.333]
    """
    wins, met = _meetings(values)
    return _mean(wins.sum(axis=1), met.sum(axis=1))


def _meetings(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Wins of i over j, and tasks that both have, shape (M, M)."""
    size = values.shape[1]
    wins, met = np.zeros((size, size)), np.zeros((size, size))
    for row in values:
        present = ~np.isnan(row)
        both = present[:, None] & present[None, :]
        np.fill_diagonal(both, False)
        won = (row[:, None] > row[None, :]) + 0.5 * (row[:, None] == row[None, :])
        wins += np.where(both, won, 0.0)
        met += both
    return wins, met


def _mean(total: NDArray[np.float64], count: NDArray[np.generic]) -> NDArray[np.float64]:
    empty = np.full(total.shape, np.nan)
    return np.asarray(np.divide(total, count, out=empty, where=np.asarray(count) > 0))


class Limits(NamedTuple):
    """Scores that count as 0 and as 1, higher is better.

    Attributes
    ----------
    low, high : float
        ``(score - low) / (high - low)`` is the score on the common scale.
    """

    low: float
    high: float

    @property
    def width(self) -> float:
        """``high - low``."""
        return self.high - self.low

    def apply(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores on the common scale.

        Examples
        --------
        >>> Limits(0.25, 1.0).apply(np.array([0.25, 0.625])).tolist()
        [0.0, 0.5]
        """
        return np.asarray((values - self.low) / self.width)


def standard_limits(mean: NDArray[np.float64]) -> Limits:
    """Limits that turn scores into z-scores: the mean of the models, and one SD above it.

    Parameters
    ----------
    mean : array of float, shape (M,)
        Score of each model on one task.

    Returns
    -------
    Limits
        With the standard deviation of these models (denominator M); its width is 0 where all
        scores are equal.

    Examples
    --------
    >>> limits = standard_limits(np.array([0.4, 0.6, 0.8]))
    >>> limits.apply(np.array([0.4, 0.6, 0.8])).round(3).tolist()
    [-1.225, 0.0, 1.225]
    """
    centre = float(mean.mean())
    return Limits(centre, centre + float(mean.std()))

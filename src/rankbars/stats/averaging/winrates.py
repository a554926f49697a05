"""Win rates over tasks that not every model has; ties are split."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["pair_win_rates", "top_win_rates", "win_rates"]


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


def pair_win_rates(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of their common tasks on which model i beats model j; a tie is one half.

    Returns
    -------
    array of float, shape (M, M)
        NaN for models without a common task and on the diagonal.

    Examples
    --------
    >>> pair_win_rates(np.array([[0.9, 0.1], [0.5, 0.5]]))[0, 1].item()
    0.75
    """
    return _mean(*_meetings(values))


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

"""A sign that a test's level does not hold: rows of which a few weigh heavily."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["PairThirds", "pair_moments", "skewness_index"]

_MOST_MODELS = 300  # of more, as many evenly spaced ones stand for the field
_MOST_CELLS = 5e7  # rows times pairs of models that are looked at
_NO_SPREAD = 1e-9  # of the largest variance: less is rounding


def skewness_index(values: NDArray[np.float64]) -> float:
    """The 90th percentile over pairs of ``|skewness| / sqrt(n)`` of their differences.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Scores of M models on n rows; NaN where there is none. A pair is looked at on the rows that
        both have.

    Returns
    -------
    float
        0 where no pair has differences that vary on two rows or more.

    Notes
    -----
    A single pair cannot show its own tail on few rows, hence the whole field. Pairs without spread
    are left out.

    Examples
    --------
    >>> rows = np.zeros((10, 2))
    >>> rows[0, 0] = 25.0
    >>> round(skewness_index(rows), 3)
    0.843
    """
    most = min(_MOST_MODELS, int(np.sqrt(_MOST_CELLS / max(len(values), 1))))
    if values.shape[1] > most:
        values = values[:, np.linspace(0, values.shape[1] - 1, most).astype(np.intp)]
    count, variance, third = (
        table[np.triu_indices(values.shape[1], k=1)] for table in pair_moments(values)
    )
    usable = (count >= 2) & (variance > _NO_SPREAD * variance.max(initial=0.0))
    if not usable.any():
        return 0.0
    size = np.abs(third[usable]) / variance[usable] ** 1.5 / np.sqrt(count[usable])
    return float(np.quantile(size, 0.9))


class PairThirds(NamedTuple):
    """Rows of every pair, and the second and third central moment of its differences."""

    rows: NDArray[np.float64]
    variance: NDArray[np.float64]
    third: NDArray[np.float64]


def pair_moments(values: NDArray[np.float64]) -> PairThirds:
    """Central moments of the differences of all pairs, on the rows that both have.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Scores; NaN where there is none.

    Examples
    --------
    >>> made = pair_moments(np.array([[3.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
    >>> made.variance[0, 1].item(), made.third[0, 1].item(), made.third[1, 0].item()
    (2.0, 2.0, -2.0)
    """
    seen = ~np.isnan(values)
    held = np.where(seen, values, 0.0)
    # Rows and columns are centred first, so that large levels leave no rounding in third powers.
    held = np.where(seen, held - held.sum(axis=1)[:, None] / _at_least_one(seen, 1)[:, None], 0.0)
    held = np.where(seen, held - held.sum(axis=0) / _at_least_one(seen, 0), 0.0)
    largest = np.abs(held).max(initial=0.0)
    held /= largest if largest > 0 else 1.0
    mask = seen.astype(np.float64)
    third = (held**3).T @ mask  # one power at a time: each is as large as the rows
    square = held**2
    second, mixed = square.T @ mask, square.T @ held
    del square
    count, first = np.maximum(mask.T @ mask, 1.0), held.T @ mask
    del mask
    mean = (first - first.T) / count
    raw = (second + second.T - 2.0 * held.T @ held) / count
    raw_third = (third - third.T - 3.0 * (mixed - mixed.T)) / count
    variance = largest**2 * np.maximum(raw - mean**2, 0.0)
    central = largest**3 * (raw_third - 3.0 * mean * raw + 2.0 * mean**3)
    return PairThirds(count, variance, central)


def _at_least_one(seen: NDArray[np.bool_], axis: int) -> NDArray[np.int64]:
    return np.asarray(np.maximum(seen.sum(axis=axis), 1))

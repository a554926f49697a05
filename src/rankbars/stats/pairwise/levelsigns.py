"""A sign that a test's level does not hold: rows of which a few weigh heavily."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["skewness_index"]

MOST_MODELS = 100  # of more, as many evenly spaced ones stand for the field
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
    if values.shape[1] > MOST_MODELS:
        values = values[:, np.linspace(0, values.shape[1] - 1, MOST_MODELS).astype(np.intp)]
    seen = ~np.isnan(values)
    held = np.where(seen, values, 0.0)
    # Rows and columns are centred first, so that large levels leave no rounding in third powers.
    held = np.where(seen, held - held.sum(axis=1)[:, None] / _at_least_one(seen, 1)[:, None], 0.0)
    held = np.where(seen, held - held.sum(axis=0) / _at_least_one(seen, 0), 0.0)
    largest = np.abs(held).max(initial=0.0)
    if largest == 0.0:
        return 0.0
    held /= largest
    mask = seen.astype(np.float64)
    square, cube = held**2, held**3
    count = np.maximum(mask.T @ mask, 1.0)
    first, second, mixed = held.T @ mask, square.T @ mask, square.T @ held
    third = cube.T @ mask
    mean = (first - first.T) / count
    raw = (second + second.T - 2.0 * held.T @ held) / count
    raw_third = (third - third.T - 3.0 * (mixed - mixed.T)) / count
    variance = raw - mean**2
    central = raw_third - 3.0 * mean * raw + 2.0 * mean**3
    upper = np.triu_indices(values.shape[1], k=1)
    count, variance, central = count[upper], variance[upper], central[upper]
    usable = (count >= 2) & (variance > _NO_SPREAD)
    if not usable.any():
        return 0.0
    size = np.abs(central[usable]) / variance[usable] ** 1.5 / np.sqrt(count[usable])
    return float(np.quantile(size, 0.9))


def _at_least_one(seen: NDArray[np.bool_], axis: int) -> NDArray[np.int64]:
    return np.asarray(np.maximum(seen.sum(axis=axis), 1))

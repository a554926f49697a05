"""Yuen's trimmed t-test of all pairs of models on the same rows."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import OptionError
from rankbars.stats.pairwise.centring import rescale
from rankbars.stats.pairwise.differences import (
    build_statistics,
    count_units,
    difference_blocks,
    find_degenerate,
)
from rankbars.stats.pairwise.pairs import PairStatistics

__all__ = ["trimmed_t"]

_FEWEST_ROWS = 2


class _Trimmed(NamedTuple):
    """Trimmed mean and winsorised standard deviation of P pairs."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]


def trimmed_t(values: NDArray[np.float64], trim: float = 0.2) -> PairStatistics:
    """Trimmed t statistics of the paired differences of all pairs of models.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Finite scores of M models on n independent rows, higher is better; NaN where not observed.
        Each pair is compared on the rows that both models have.
    trim : float
        Share of the differences to leave out at either end, at least 0 and below 0.5;
        read as the decimal that was written.

    Returns
    -------
    PairStatistics
        `diff` is the trimmed mean of the differences,
        ``se = s_w / ((1 - 2 trim) sqrt(n))`` with their winsorised standard deviation `s_w`,
        and ``df = n - 2 g - 1`` with ``g = floor(trim n)``.
        A pair whose winsorised differences do not vary although the differences do has `se` 0
        and statistic 0: no evidence in either direction.

    Raises
    ------
    OptionError
        If `trim` is not at least 0 and below 0.5.

    Notes
    -----
    Assumes independent rows; valid for the centre of symmetric differences, heavy tails included.
    The trimmed mean of differences is not the difference of trimmed means, so that the test need
    not be transitive.

    References
    ----------
    Yuen 1974, Biometrika 61; Wilcox 2011, Introduction to Robust Estimation.

    Examples
    --------
    >>> d = np.array([0.4, -1.2, 0.9, 1.5, 0.3, 0.8, -0.2, 5.0, 1.1, 0.6])
    >>> found = trimmed_t(np.stack([d, np.zeros(10)], axis=1))
    >>> found.diff[0, 1].round(4), found.se[0, 1].round(4), found.df
    (np.float64(0.6833), np.float64(0.185), 5.0)
    """
    share = _check_trim(trim)
    values = np.asarray(values, dtype=np.float64)
    n, n_models = values.shape
    diff, se = (np.full((n_models, n_models), np.nan) for _ in range(2))
    exponent = 0
    if n:
        values, _, exponent = rescale(values)
    units = count_units(values)
    cut = _rows_to_cut(units, share)
    for i, others, d, tolerance in difference_blocks(values) if n >= _FEWEST_ROWS else ():
        rows, ends = (m.reshape(1) if m.ndim == 0 else m[i, others] for m in (units, cut))
        trimmed = _trim(d, rows, ends)
        diff[i, others] = trimmed.mean
        scale = (1.0 - 2.0 * float(share)) * np.sqrt(np.maximum(rows, 1))
        se[i, others] = np.where(trimmed.deviation > tolerance, trimmed.deviation / scale, 0.0)
    df = units - 2 * cut - 1
    se[np.broadcast_to(df < 1, se.shape)] = np.nan  # the median alone has no spread
    np.ldexp(diff, exponent, out=diff)
    np.ldexp(se, exponent, out=se)
    freedom = np.maximum(df, 1).astype(np.float64)
    return build_statistics(diff, se, freedom, units, find_degenerate(values))


def _check_trim(trim: float) -> Fraction:
    """The trimming share as an exact fraction."""
    try:
        share = Fraction(str(trim))
    except ValueError as error:
        raise OptionError.out_of_range("trim", trim, "a number") from error
    if not 0 <= share < Fraction(1, 2):
        raise OptionError.out_of_range("trim", trim, "at least 0 and below 0.5")
    return share


def _rows_to_cut(units: NDArray[np.int64], share: Fraction) -> NDArray[np.int64]:
    """Differences to leave out at either end, ``floor(share * n)`` without rounding error."""
    counts, position = np.unique(units, return_inverse=True)
    cut = np.array([math.floor(share * count) for count in counts.tolist()], dtype=np.int64)
    return np.asarray(cut[position].reshape(units.shape))


def _trim(d: NDArray[np.float64], rows: NDArray[np.int64], cut: NDArray[np.int64]) -> _Trimmed:
    """Trimmed mean and winsorised deviation of each row of differences; `d` is overwritten.

    `rows` and `cut` are of shape (P,), or (1,) where nothing is missing.
    The sums run over (smallest, largest), (second smallest, second largest) and so on, so that
    the differences of the opposite direction give the same numbers to the last bit.
    """
    d.sort(axis=1)  # NaN last
    half = (d.shape[1] + 1) // 2
    place = np.arange(half)
    low = d[:, :half]
    if (rows == d.shape[1]).all():
        high = d[:, ::-1][:, :half]
    else:
        mirrored = np.maximum(rows[:, None] - 1 - place, 0)
        high = np.take_along_axis(d, mirrored, axis=1)
    last = rows[:, None] - 1 - place
    kept = np.where(place < last, 1.0, np.where(place == last, 0.5, 0.0))
    kept[place < cut[:, None]] = 0.0
    low, high = (np.where(kept > 0, side, 0.0) for side in (low, high))
    weight = kept + np.where(place == cut[:, None], cut[:, None], 0)
    total = low + high
    with np.errstate(invalid="ignore"):
        mean = (kept * total).sum(axis=1) / (rows - 2 * cut)  # NaN without rows
    centre = (weight * total).sum(axis=1) / np.maximum(rows, 1)
    square = np.square(low - centre[:, None]) + np.square(high - centre[:, None])
    square *= weight
    return _Trimmed(mean, np.sqrt(square.sum(axis=1) / np.maximum(rows - 1, 1)))

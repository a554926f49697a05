"""Building blocks of every multiple-testing decision: levels and critical values.

A decision is ``statistic >= critical value`` and never asks for a p-value.
A critical value is never zero or below, so that a pair without any difference is never decided,
whatever the level.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import OptionError
from rankbars.stats.tails import critical_value

__all__ = [
    "Decisions",
    "check_alpha",
    "critical_steps",
    "positive_critical",
    "reach",
]


_SMALLEST_POSITIVE = float(np.nextafter(0.0, 1.0))


class Decisions(NamedTuple):
    """What a multiple-testing procedure has shown about M models.

    Attributes
    ----------
    better : ndarray of int64, shape (M,)
        Number of models shown better than each model.
    worse : ndarray of int64, shape (M,)
        Number of models each model is shown better than.
    shown_better : ndarray of bool, shape (M, M), or None
        ``[i, j]``: i is shown better than j. None where the families belong to single models:
        such decisions hold for one model at a time and make no relation.
    """

    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    shown_better: NDArray[np.bool_] | None


def check_alpha(alpha: float) -> float:
    """The error rate `alpha` as a float, if it lies strictly between 0 and 1.

    Raises
    ------
    OptionError
        If `alpha` is not strictly between 0 and 1.

    Examples
    --------
    >>> check_alpha(0.05)
    0.05
    """
    rate = float(alpha)
    if not 0.0 < rate < 1.0:
        raise OptionError.out_of_range("alpha", alpha, "strictly between 0 and 1")
    return rate


def positive_critical(level: ArrayLike, df: ArrayLike) -> NDArray[np.float64]:
    """Smallest positive statistic whose upper tail is at most `level`.

    Levels of one half and above give the smallest positive number instead of zero or a negative
    one: a difference of zero or below says nothing in favour of 'better'.

    Parameters
    ----------
    level, df : array_like
        One-sided level and degrees of freedom (infinity: normal), broadcast against each other.

    Returns
    -------
    ndarray of float64
        Critical values.

    Examples
    --------
    >>> float(positive_critical(0.6, 9)) > 0
    True
    """
    return np.maximum(critical_value(level, df), _SMALLEST_POSITIVE)


@lru_cache(maxsize=64)
def critical_steps(level: float, size: int, df: float) -> NDArray[np.float64]:
    """Critical values of the steps of a family; entry m is for ``level / m``.

    Tasks with the same number of rows and models share them, so they are kept.

    Parameters
    ----------
    level : float
        One-sided level of the family.
    size : int
        Number of hypotheses.
    df : float
        Degrees of freedom; infinity is normal.

    Returns
    -------
    ndarray of float64, shape (size + 1,)
        Positive critical values, rising; infinity where no hypothesis is left. Read-only.

    Examples
    --------
    >>> critical_steps(0.05, 2, np.inf).round(3)
    array([  inf, 1.645, 1.96 ])
    """
    levels = level / np.arange(1, size + 1)
    steps = np.append(np.inf, positive_critical(levels, df))
    steps.flags.writeable = False
    return steps


def reach(
    statistic: NDArray[np.float64], df: NDArray[np.float64], level: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Whether each statistic reaches its level when every cell has its own degrees of freedom.

    Critical values fall as the degrees of freedom grow.
    So the smallest and the largest degrees of freedom of a row settle most of its cells with two
    quantiles; only the cells between the two get a quantile of their own,
    once for each distinct combination of level and degrees of freedom.

    Parameters
    ----------
    statistic : ndarray, shape (R, C)
        Statistics; cells at zero or below never reach a level.
    df : ndarray, shape (R, C)
        Degrees of freedom; only those of cells with a positive statistic are used.
    level : ndarray, shape (R,)
        One-sided level of each row.

    Returns
    -------
    ndarray of bool, shape (R, C)
        The decisions.

    Examples
    --------
    >>> reach(np.array([[2.0, 2.0, 4.0]]), np.array([[3.0, 300.0, 3.0]]), np.array([0.025]))
    array([[False,  True,  True]])
    """
    positive = statistic > 0.0
    lowest_df = np.min(df, axis=1, initial=np.inf, where=positive)
    highest_df = np.max(df, axis=1, initial=1.0, where=positive)
    reached = statistic >= positive_critical(level, lowest_df)[:, None]
    open_cells = statistic >= positive_critical(level, highest_df)[:, None]
    open_cells &= ~reached
    rows, columns = np.nonzero(open_cells)
    if rows.size:
        own = _critical_of_cells(level, rows, df[rows, columns])
        reached[rows, columns] = statistic[rows, columns] >= own
    return reached


def _critical_of_cells(
    level: NDArray[np.float64], rows: NDArray[np.intp], df: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Critical value of each cell, evaluated once per distinct (level, df)."""
    levels, level_of_row = np.unique(level, return_inverse=True)
    freedoms, freedom_of_cell = np.unique(df, return_inverse=True)
    key = level_of_row[rows] * freedoms.size + freedom_of_cell
    keys, key_of_cell = np.unique(key, return_inverse=True)
    critical = positive_critical(levels[keys // freedoms.size], freedoms[keys % freedoms.size])
    return critical[key_of_cell]

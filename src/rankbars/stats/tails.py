"""Tails and critical values: of Student's t, of the normal distribution and of what was drawn.

Both directions of a pair are tails of the statistic, ``upper_tail(t)`` and ``upper_tail(-t)``;
``1 - p`` would lose the small tail. A decision is ``statistic >= critical value`` and never asks
for a p-value. A critical value is never zero or below, so that a pair without any difference is
never decided, whatever the level.
``scipy.special`` suffices; ``scipy.stats`` takes over a second to import.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from rankbars.errors import OptionError

__all__ = [
    "Decisions",
    "check_alpha",
    "critical_of_draws",
    "critical_steps",
    "critical_value",
    "positive_critical",
    "reach",
    "upper_tail",
]

_SMALLEST_POSITIVE = float(np.nextafter(0.0, 1.0))


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


def critical_of_draws(
    draws: NDArray[np.float64], level: float, *, complete: bool = False
) -> NDArray[np.float64]:
    """Value that a fresh draw from the null distribution exceeds with probability at most `level`.

    Parameters
    ----------
    draws : ndarray of float64, shape (B, ...)
        Draws along the first axis, in any order.
    level : float
        Level.
    complete : bool
        Whether they are the whole distribution, and not a random sample of it. To a sample the
        observed value counts as one more.

    Returns
    -------
    ndarray of float64, shape (...)
        Order statistic ``ceil((1 - level)(B + 1))``, or ``ceil((1 - level) B)`` of a whole
        distribution; infinity where B is too small for the level.

    Examples
    --------
    >>> critical_of_draws(np.arange(1.0, 100.0), 0.05).item()
    95.0
    >>> critical_of_draws(np.ones(9), 0.05).item(), critical_of_draws(np.ones(9), 0.1).item()
    (inf, 1.0)
    """
    count = draws.shape[0]
    position = math.ceil((1.0 - level) * (count if complete else count + 1) - 1e-9)
    if position > count:
        return np.full(draws.shape[1:], np.inf)
    return np.asarray(np.partition(draws, position - 1, axis=0)[position - 1])


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

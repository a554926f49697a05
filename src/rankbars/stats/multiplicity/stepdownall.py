"""Holm's step-down over all ordered pairs at once: the scope *all*.

Conventions and sources as in `rankbars.stats.multiplicity.stepdown`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.multiplicity.thresholds import (
    BELOW_HALF,
    Decisions,
    check_alpha,
    count_relation,
    keep_tested,
    positive_critical,
    reach,
    reject_nan,
    total_size,
)

__all__ = ["holm_all", "holm_all_from_p"]

_Rows = Callable[[slice], NDArray[np.float64]]


def holm_all(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    alpha: float,
    *,
    tested: NDArray[np.bool_] | None = None,
) -> Decisions:
    """One Holm at `alpha` over all ordered pairs: everything shown holds at once.

    Parameters
    ----------
    statistic, df, tested
        As in `rankbars.stats.multiplicity.stepdown.holm_each`.
    alpha : float
        Error rate of all statements together, in (0, 1).

    Returns
    -------
    Decisions
        With the relation ``shown_better``; it never holds in both directions of a pair.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a statistic is NaN or `tested` has the wrong shape.

    Notes
    -----
    Only statistics above zero can be decided, and at most one direction of a pair has one.
    Statistics beyond the first step's critical value are counted, those that no step could reach
    are left out, and only the thin band between is sorted.

    Examples
    --------
    >>> t = np.array([[0.0, 4.0, 6.0], [-4.0, 0.0, 1.0], [-6.0, -1.0, 0.0]])
    >>> holm_all(t, 20.0, 0.05).shown_better.astype(int).tolist()
    [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
    """
    rate = check_alpha(alpha)
    n_models = statistic.shape[0]
    size = total_size(n_models, tested)
    most = min(size, n_models * (n_models - 1) // 2)

    def rows_of(rows: slice) -> NDArray[np.float64]:
        return keep_tested(statistic[rows], tested, rows)

    if isinstance(df, np.ndarray) and df.ndim:
        shown = _grow_family_own_df(rows_of, df, rate, size, most)
    else:
        freedom = float(df)
        shown = _grow_family(
            rows_of,
            lambda level: float(positive_critical(level, freedom)),
            rate,
            size,
            most,
            n_models,
        )
    return count_relation(shown)


def holm_all_from_p(
    p: NDArray[np.float64], alpha: float, *, tested: NDArray[np.bool_] | None = None
) -> Decisions:
    """One Holm at `alpha` over all ordered pairs, from p-values.

    Parameters
    ----------
    p, tested
        As in `rankbars.stats.multiplicity.stepdown.holm_each_from_p`.
    alpha : float
        Error rate of all statements together, in (0, 1).

    Returns
    -------
    Decisions
        The same relation as `holm_all` wherever the test has a statistic.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a p-value is NaN or `tested` has the wrong shape.

    Notes
    -----
    A p-value of one half or more is never decided, at any `alpha`: it favours the other direction.

    Examples
    --------
    >>> p = np.array([[1.0, 0.001, 0.01], [0.999, 1.0, 0.2], [0.99, 0.8, 1.0]])
    >>> holm_all_from_p(p, 0.05).worse.tolist()
    [2, 0, 0]
    """
    rate = check_alpha(alpha)
    n_models = p.shape[0]
    size = total_size(n_models, tested)

    def rows_of(rows: slice) -> NDArray[np.float64]:
        return keep_tested(-p[rows], tested, rows, fill=-1.0)

    shown = _grow_family(rows_of, lambda level: -min(level, BELOW_HALF), rate, size, size, n_models)
    return count_relation(shown)


def _grow_family(
    rows_of: _Rows,
    bound: Callable[[float], float],
    alpha: float,
    size: int,
    most: int,
    n_models: int,
) -> NDArray[np.bool_]:
    """Relation of one Holm over `size` pairs, of which at most `most` can be decided."""
    shown = np.zeros((n_models, n_models), dtype=bool)
    if size == 0:
        return shown
    first, last = bound(alpha / size), bound(alpha / (size - most + 1))
    certain, band = 0, [np.empty(0)]
    for rows in row_blocks(n_models, n_models):
        block = reject_nan(rows_of(rows))
        certain += int(np.count_nonzero(block >= first))
        band.append(block[(block >= last) & (block < first)])
    open_values = np.sort(np.concatenate(band))
    count, critical = certain, first
    while count < size:
        critical = bound(alpha / (size - count))
        grown = certain + open_values.size - int(np.searchsorted(open_values, critical))
        if grown == count:
            break
        count = grown
    for rows in row_blocks(n_models, n_models):
        shown[rows] = rows_of(rows) >= critical
    return shown


def _grow_family_own_df(
    rows_of: _Rows, df: NDArray[np.float64], alpha: float, size: int, most: int
) -> NDArray[np.bool_]:
    """As `_grow_family`, for statistics with their own degrees of freedom."""
    n_models = df.shape[0]
    shown = np.zeros((n_models, n_models), dtype=bool)
    if size == 0:
        return shown
    first, last = alpha / size, alpha / (size - most + 1)
    places, values = [np.empty(0, dtype=np.intp)], [np.empty(0)]
    for rows in row_blocks(n_models, n_models):
        block = reject_nan(rows_of(rows))
        height = block.shape[0]
        shown[rows] = reach(block, df[rows], np.full(height, first))
        lasting = reach(block, df[rows], np.full(height, last)) & ~shown[rows]
        places.append(np.flatnonzero(lasting) + rows.start * n_models)
        values.append(block[lasting])
    place, value = np.concatenate(places), np.concatenate(values)
    freedom = df.ravel()[place]
    certain = int(np.count_nonzero(shown))
    count, passed = certain, np.zeros(place.size, dtype=bool)
    while count < size:
        level = np.array([alpha / (size - count)])
        passed = reach(value[None, :], freedom[None, :], level)[0]
        grown = certain + int(np.count_nonzero(passed))
        if grown == count:
            break
        count = grown
    shown.ravel()[place[passed]] = True
    return shown

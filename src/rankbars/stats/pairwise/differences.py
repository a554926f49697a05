"""Explicit differences of every pair of models, for tests that rank, sort or flip them.

A test that is linear in the scores needs one matrix product for all pairs; ranks and order
statistics of the differences need the differences themselves, a block of pairs at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import CACHE_CELLS
from rankbars.stats.pairwise.clusters import Grouping
from rankbars.stats.pairwise.degenerate import (
    DegeneratePairs,
    no_pairs,
    recompute_pairs,
    sign_test_statistic,
)
from rankbars.stats.pairwise.pairstatistics import PairStatistics

__all__ = [
    "DifferenceBlock",
    "apply_policy",
    "build_statistics",
    "count_units",
    "difference_blocks",
    "find_degenerate",
    "sum_groups",
]

_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)
_SMALLEST = float(np.finfo(np.float64).tiny)
# No deviation from the mean above the tolerance: a range of at most twice that, and some slack.
_RANGE = 2.5
_FEWEST_UNITS = 2


class DifferenceBlock(NamedTuple):
    """Differences of one model to some of the models after it.

    Attributes
    ----------
    first : int
        The model.
    second : slice
        The P other models.
    d : ndarray, shape (P, n)
        Scores of the first minus those of the second; NaN where either is missing.
        Freshly made for every block, so it may be overwritten.
    tolerance : ndarray, shape (P,)
        Differences this small are zero, and this close are equal, up to rounding.
    """

    first: int
    second: slice
    d: NDArray[np.float64]
    tolerance: NDArray[np.float64]


def difference_blocks(values: NDArray[np.float64]) -> Iterator[DifferenceBlock]:
    """Differences of all pairs, each unordered pair once.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores of M models on n >= 1 rows; NaN where not observed.

    Yields
    ------
    DifferenceBlock
        Pairs (i, j) with i < j, in order.

    Examples
    --------
    >>> for block in difference_blocks(np.array([[3.0, 1.0, 2.0]])):
    ...     print(block.first, block.second, block.d.tolist())
    0 slice(1, 3, None) [[2.0], [1.0]]
    1 slice(2, 3, None) [[-1.0]]
    """
    n, n_models = values.shape
    columns = np.ascontiguousarray(values.T)
    size = np.abs(columns)
    largest = size.max(axis=1)
    complete = not np.isnan(largest).any()
    step = max(1, CACHE_CELLS // n)
    for i in range(n_models - 1):
        for start in range(i + 1, n_models, step):
            others = slice(start, min(start + step, n_models))
            if complete:
                scale = np.maximum(largest[i], largest[others])
            else:
                common = np.fmax.reduce(np.maximum(size[i], size[others]), axis=1)
                scale = np.nan_to_num(common, nan=0.0)
            yield DifferenceBlock(i, others, columns[i] - columns[others], _ROUNDING * scale)


def sum_groups(
    d: NDArray[np.float64], grouping: Grouping
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sums of differences over groups of rows, and how many rows each sum has.

    Parameters
    ----------
    d : ndarray, shape (P, n)
        Differences, rows sorted by group; NaN where missing.
    grouping : Grouping
        The groups.

    Returns
    -------
    sums : ndarray, shape (P, G)
        Sums over the rows that are there; 0 where none is.
    rows : ndarray of int64, shape (P, G)
        Their numbers.

    Examples
    --------
    >>> from rankbars.stats.pairwise.clusters import group_rows
    >>> sum_groups(np.array([[1.0, 2.0, np.nan]]), group_rows([0, 0, 1]))
    (array([[3., 0.]]), array([[2, 0]]))
    """
    missing = np.isnan(d)
    if missing.any():
        rows = np.add.reduceat(~missing, grouping.starts, axis=1, dtype=np.int64)
        d = np.where(missing, 0.0, d)
    else:
        rows = np.broadcast_to(grouping.sizes.astype(np.int64), (len(d), grouping.sizes.size))
    return np.add.reduceat(d, grouping.starts, axis=1), rows


def find_degenerate(
    values: NDArray[np.float64], grouping: Grouping | None = None
) -> DegeneratePairs:
    """Pairs whose differences do not vary.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.
    grouping : Grouping, optional
        Groups of rows; a pair then varies if its mean differences in the groups do.

    Returns
    -------
    DegeneratePairs
        The pairs, by the rule of :func:`rankbars.stats.pairwise.degenerate.recompute_pairs`.

    Examples
    --------
    >>> found = find_degenerate(np.array([[0.3, 0.2, 0.9], [0.4, 0.3, 0.1]]))
    >>> found.first.tolist(), found.second.tolist(), found.sign.tolist()
    ([0], [1], [1.0])
    """
    first: list[NDArray[np.intp]] = [np.zeros(0, dtype=np.intp)]
    second = first.copy()
    ordered = values if grouping is None else values[grouping.order]
    for block in difference_blocks(ordered) if len(values) else ():
        d = block.d
        if grouping is not None:
            sums, rows = sum_groups(d, grouping)
            d = np.where(rows > 0, sums / np.maximum(rows, 1), np.nan)
        spread = np.fmax.reduce(d, axis=1) - np.fmin.reduce(d, axis=1)
        candidate = np.flatnonzero(spread <= _RANGE * block.tolerance)
        if candidate.size:
            first.append(np.full(candidate.size, block.first))
            second.append(block.second.start + candidate)
    if len(first) == 1:
        return no_pairs()
    found = recompute_pairs(values, np.concatenate(first), np.concatenate(second), grouping)
    return found.degenerate


def count_units(values: NDArray[np.float64], grouping: Grouping | None = None) -> NDArray[np.int64]:
    """Number of independent units that two models have in common: rows, or groups of rows.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.
    grouping : Grouping, optional
        Groups of rows.

    Returns
    -------
    ndarray of int64
        Shape () if nothing is missing, else (M, M).

    Examples
    --------
    >>> count_units(np.array([[1.0, 2.0], [np.nan, 3.0]]))
    array([[1, 1],
           [1, 2]])
    """
    observed = ~np.isnan(values)
    if observed.all():
        return np.asarray(len(values) if grouping is None else grouping.sizes.size)
    mask = observed.astype(np.float64)  # counts below 2**53 are exact
    if grouping is None:
        return np.asarray(mask.T @ mask, dtype=np.int64)
    total = np.zeros((values.shape[1],) * 2, dtype=np.int64)
    for start, size in zip(grouping.starts, grouping.sizes, strict=True):
        rows = mask[grouping.order[start : start + size]]
        total += rows.T @ rows > 0
    return total


def apply_policy(
    p: NDArray[np.float64], degenerate: DegeneratePairs, units: NDArray[np.int64]
) -> None:
    """Settle the p-values of pairs that a test cannot judge, in place.

    Parameters
    ----------
    p : ndarray, shape (M, M)
        One-sided p-values; changed. No entry stays below ``2**-1022``.
    degenerate : DegeneratePairs
        Pairs that do not vary: ``2**-n`` in the direction of the difference, else 1.
    units : ndarray of int64, shape () or (M, M)
        Independent units n of each pair; below 2 both directions are 1.

    Examples
    --------
    >>> p = np.zeros((2, 2))
    >>> apply_policy(p, find_degenerate(np.array([[2.0, 1.0], [3.0, 2.0]])), np.array(2))
    >>> p
    array([[1.  , 0.25],
           [1.  , 1.  ]])
    """
    np.maximum(p, _SMALLEST, out=p)
    first, second, sign, _ = degenerate
    pair_units = np.broadcast_to(units, p.shape)[first, second]
    floor = np.exp2(-np.minimum(pair_units, 1022).astype(np.float64))
    p[first, second] = np.where(sign > 0, floor, 1.0)
    p[second, first] = np.where(sign < 0, floor, 1.0)
    p[np.broadcast_to(units < _FEWEST_UNITS, p.shape)] = 1.0
    np.fill_diagonal(p, 1.0)


def build_statistics(
    diff: NDArray[np.float64],
    se: NDArray[np.float64],
    df: NDArray[np.float64],
    units: NDArray[np.int64],
    degenerate: DegeneratePairs,
) -> PairStatistics:
    """Statistics of all pairs from differences and standard errors.

    Parameters
    ----------
    diff : ndarray, shape (M, M)
        Differences, of which only the entries above the diagonal are read.
    se : ndarray, shape (M, M)
        Standard errors, likewise.
        NaN where the test has none, 0 where it finds no spread in a difference that varies:
        there is no evidence then.
    df : ndarray, shape () or (M, M)
        Degrees of freedom, at least 1.
    units : ndarray of int64, shape () or (M, M)
        Independent units; pairs with fewer than 2 have no evidence.
    degenerate : DegeneratePairs
        Pairs that do not vary.

    Returns
    -------
    PairStatistics
        Exactly antisymmetric; degenerate pairs carry the statistic of a sign test.

    Examples
    --------
    >>> from rankbars.stats.pairwise.degenerate import no_pairs
    >>> two = np.array([[0.0, 3.0], [0.0, 0.0]])
    >>> build_statistics(two, two / 2, np.array(4.0), np.array(5), no_pairs()).statistic
    array([[ 0.,  2.],
           [-2.,  0.]])
    """
    shape = diff.shape
    upper = np.triu(np.ones(shape, dtype=np.bool_), k=1)
    few = np.broadcast_to(units < _FEWEST_UNITS, shape)
    testable = ~few[degenerate.first, degenerate.second]
    first, second, sign, same = (part[testable] for part in degenerate)
    se = np.where(upper, se, 0.0)
    se[first, second] = 0.0
    se[upper & few] = np.nan
    statistic = np.zeros(shape)
    np.divide(diff, se, out=statistic, where=upper & (se > 0))
    pair_units, pair_df = (np.broadcast_to(part, shape)[first, second] for part in (units, df))
    statistic[first, second] = sign * sign_test_statistic(pair_units, pair_df)
    constant, identical = (np.zeros(shape, dtype=np.bool_) for _ in range(2))
    constant[first, second] = constant[second, first] = sign != 0
    identical[first, second] = identical[second, first] = same
    return PairStatistics(
        diff=_mirror(np.where(upper, diff, 0.0), -1.0),
        se=_mirror(se, 1.0),
        statistic=_mirror(statistic, -1.0),
        df=float(df) if df.ndim == 0 else df,
        n=int(units) if units.ndim == 0 else units,
        constant=constant,
        identical=identical,
    )


def _mirror(upper: NDArray[np.float64], sign: float) -> NDArray[np.float64]:
    """Matrix whose lower triangle repeats the upper one, with `sign`; never a negative zero."""
    return np.asarray(upper + sign * upper.T + 0.0)

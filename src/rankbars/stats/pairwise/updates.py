"""Pairs that are known already: a new model adds one row and column, new rows are merged.

What is kept of a task are the mean and the spread of the difference of every pair. They do not
depend on which other models are there, so a new model needs its own differences only, and moments
of disjoint rows merge by addition.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.degenerate import DegeneratePairs
from rankbars.stats.pairwise.moments import (
    NearPairs,
    PairMoments,
    collect_near,
    insert_recomputed,
    measure_complete,
)
from rankbars.stats.pairwise.paired import t_of_moments
from rankbars.stats.pairwise.pairstatistics import PairStatistics

__all__ = ["KnownPairs", "add_models", "add_rows", "known_t", "measure_known", "take_known"]

# A difference that varies less than this share of the scores is looked at on its own.
_LEVEL = 1e-9
# Sums of products of whole numbers below this are exact.
_EXACT = 2.0**53


class KnownPairs(NamedTuple):
    """What is kept of M models on n rows that all of them have.

    Attributes
    ----------
    moments : PairMoments
        Mean and spread of every pair.
    total, square, peak : ndarray of float64, shape (M,)
        Sum, sum of squares and largest absolute value of the scores of each model.
    whole : bool
        Whether all scores are whole numbers, so small that their products sum exactly.
    """

    moments: PairMoments
    total: NDArray[np.float64]
    square: NDArray[np.float64]
    peak: NDArray[np.float64]
    whole: bool


def measure_known(values: NDArray[np.float64]) -> KnownPairs:
    """Everything from the scores.

    Parameters
    ----------
    values : ndarray of float64, shape (n, M), C-contiguous
        Scores without NaN; at least two rows and one model.

    Examples
    --------
    >>> known = measure_known(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]))
    >>> known.total.tolist(), known.whole
    ([2.0, 1.0], True)
    """
    return _described(values, measure_complete(values))


def known_t(known: KnownPairs) -> PairStatistics:
    """Paired t statistics, as `rankbars.stats.pairwise.paired.paired_t` gives them."""
    moments = known.moments
    return t_of_moments(moments._replace(diff=moments.diff.copy(), norm=moments.norm.copy()))


def take_known(known: KnownPairs, chosen: NDArray[np.intp]) -> KnownPairs:
    """What is known of some of the models, in the order of `chosen`."""
    moments = known.moments
    block = np.ix_(chosen, chosen)
    place = np.full(known.total.size, -1)
    place[chosen] = np.arange(chosen.size)
    level = moments.degenerate
    first, second = place[level.first], place[level.second]
    here = (first >= 0) & (second >= 0)
    kept = DegeneratePairs(first[here], second[here], level.sign[here], level.identical[here])
    return KnownPairs(
        moments._replace(diff=moments.diff[block], norm=moments.norm[block], degenerate=kept),
        known.total[chosen],
        known.square[chosen],
        known.peak[chosen],
        known.whole,
    )


def add_models(
    known: KnownPairs, values: NDArray[np.float64], places: NDArray[np.intp]
) -> KnownPairs:
    """Pairs of all models, where those among some of them are known.

    Parameters
    ----------
    known : KnownPairs
        K models on these rows.
    values : ndarray of float64, shape (n, M), C-contiguous
        Scores of all M models, without NaN.
    places : ndarray of intp, shape (K,)
        Columns of the known models, in the order of `known`.

    Returns
    -------
    KnownPairs
        All M models, in the order of the columns.

    Notes
    -----
    The work grows with n times M for each new model, not with n times the square of M.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.5, 0.1], [0.8, 0.6, 0.3], [0.7, 0.6, 0.2]])
    >>> known = measure_known(np.ascontiguousarray(scores[:, [0, 2]]))
    >>> found = add_models(known, scores, np.array([0, 2]))
    >>> np.allclose(known_t(found).statistic, known_t(measure_known(scores)).statistic)
    True
    """
    size = values.shape[1]
    fresh = np.setdiff1d(np.arange(size), places)
    total, square, peak = (np.zeros(size) for _ in range(3))
    for array, old in ((total, known.total), (square, known.square), (peak, known.peak)):
        array[places] = old
    mine = np.ascontiguousarray(values[:, fresh].T)
    total[fresh], square[fresh] = mine.sum(axis=1), np.square(mine).sum(axis=1)
    peak[fresh] = np.abs(mine).max(axis=1, initial=0.0)
    whole = known.whole and _is_whole(mine, square)
    diff, norm = (_spread_out(part, places, size) for part in known.moments[:2])
    near: NearPairs = []
    done = np.zeros(size, dtype=np.bool_)
    done[places] = True
    for model, column in zip(fresh, mine, strict=True):
        done[model] = True
        mean, spread = (
            _whole_pairs(values, column, total, square, int(model))
            if whole
            else _explicit_pairs(values, column, total, int(model))
        )
        np.sqrt(spread, out=spread)
        level = spread <= _LEVEL * np.sqrt(len(values)) * np.maximum(peak, peak[model])
        level &= done
        level[model] = False
        if level.any():
            others = np.flatnonzero(level)
            near.append((np.minimum(others, model), np.maximum(others, model)))
        diff[model, done], norm[model, done] = -mean[done], spread[done]
        diff[done, model], norm[done, model] = mean[done], spread[done]
        diff[model, model] = norm[model, model] = 0.0
    flat = known.moments.degenerate
    level_pairs = DegeneratePairs(
        places[flat.first], places[flat.second], flat.sign, flat.identical
    )
    both = level_pairs, insert_recomputed(values, diff, norm, near)
    level_pairs = DegeneratePairs(*(np.concatenate(part) for part in zip(*both, strict=True)))
    moments = PairMoments(diff, norm, len(values), len(values), level_pairs)
    return KnownPairs(moments, total, square, peak, whole)


def add_rows(known: KnownPairs, more: KnownPairs, values: NDArray[np.float64]) -> KnownPairs:
    """The same models on two disjoint sets of rows, put together.

    Parameters
    ----------
    known, more : KnownPairs
        The same M models on n1 and n2 rows.
    values : ndarray of float64, shape (n1 + n2, M), C-contiguous
        All rows, in any order; read only for pairs that hardly vary.

    Returns
    -------
    KnownPairs
        On all rows.

    Notes
    -----
    With the means d and the sums of squares S of the differences,
    ``S = S1 + S2 + n1 n2 / n (d1 - d2)**2``: sums of positive numbers, so nothing cancels.

    References
    ----------
    Chan, Golub & LeVeque 1983, The American Statistician 37.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.5], [0.8, 0.6], [0.7, 0.6], [0.9, 0.4], [0.6, 0.6]])
    >>> parts = measure_known(scores[:2].copy()), measure_known(scores[2:].copy())
    >>> found = known_t(add_rows(*parts, scores)).statistic
    >>> np.allclose(found, known_t(measure_known(scores)).statistic)
    True
    """
    one, two = known.moments, more.moments
    n1, n2 = int(np.asarray(one.rows)), int(np.asarray(two.rows))
    n = n1 + n2
    diff, norm = np.empty_like(one.diff), np.empty_like(one.norm)
    peak = np.maximum(known.peak, more.peak)
    near: NearPairs = []
    for rows in row_blocks(len(diff), len(diff)):
        apart = one.diff[rows] - two.diff[rows]
        np.multiply(apart, n2 / n, out=diff[rows])
        np.subtract(one.diff[rows], diff[rows], out=diff[rows])
        spread = np.square(one.norm[rows])
        spread += np.square(two.norm[rows])
        spread += n1 * (n2 / n) * np.square(apart)
        np.sqrt(spread, out=norm[rows])
        level = norm[rows] <= _LEVEL * np.sqrt(n) * np.maximum(peak[rows, None], peak)
        collect_near(near, rows, level)
    moments = PairMoments(diff, norm, n, n, insert_recomputed(values, diff, norm, near))
    square = known.square + more.square
    whole = known.whole and more.whole and bool(square.max(initial=0.0) < _EXACT)
    return KnownPairs(moments, known.total + more.total, square, peak, whole)


def _spread_out(
    known: NDArray[np.float64], places: NDArray[np.intp], size: int
) -> NDArray[np.float64]:
    """A square of `size` with `known` at the crossings of `places`, whole stretches at a time."""
    wide = np.zeros((size, size))
    breaks = np.flatnonzero(np.diff(places) != 1) + 1
    stretches = [
        (slice(part[0], part[-1] + 1), slice(int(places[part[0]]), int(places[part[-1]]) + 1))
        for part in np.split(np.arange(places.size), breaks)
        if part.size
    ]
    for old, new in stretches:
        for old_column, new_column in stretches:
            wide[new, new_column] = known[old, old_column]
    return wide


def _described(values: NDArray[np.float64], moments: PairMoments) -> KnownPairs:
    columns = values.T
    square = np.einsum("ij,ij->j", values, values)
    return KnownPairs(
        moments,
        values.sum(axis=0),
        square,
        np.maximum(values.max(axis=0, initial=0.0), -values.min(axis=0, initial=0.0)),
        _is_whole(columns, square),
    )


def _is_whole(columns: NDArray[np.float64], square: NDArray[np.float64]) -> bool:
    if not square.max(initial=0.0) < _EXACT:
        return False
    return all(bool((column == np.rint(column)).all()) for column in columns)


def _whole_pairs(
    values: NDArray[np.float64],
    column: NDArray[np.float64],
    total: NDArray[np.float64],
    square: NDArray[np.float64],
    model: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean of ``x_i - x_model`` and sum of its squared deviations; sums of whole numbers."""
    n = len(values)
    ahead = total - total[model]
    spread = square + square[model] - 2.0 * (column @ values)
    # n times the sum of squares: whole numbers, the exact difference of which is rounded once.
    spread = np.maximum(n * spread - np.square(ahead), 0.0) / n
    return ahead / n, spread


def _explicit_pairs(
    values: NDArray[np.float64],
    column: NDArray[np.float64],
    total: NDArray[np.float64],
    model: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same from the differences themselves, less a guess of their mean."""
    n, size = values.shape
    guess = (total - total[model]) / n
    rest, spread = np.zeros(size), np.zeros(size)
    room: NDArray[np.float64] | None = None
    for rows in row_blocks(n, size):
        block = values[rows]
        if room is None:
            room = np.empty_like(block)
        d = np.subtract(block, column[rows, None], out=room[: len(block)])
        d -= guess
        rest += np.add.reduce(d, axis=0)
        spread += np.einsum("ij,ij->j", d, d)
    spread -= np.square(rest) / n
    return guess + rest / n, np.maximum(spread, 0.0)

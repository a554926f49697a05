"""Sign-flip permutation test of the mean difference of all pairs of models.

If the differences of a pair are symmetric about 0, flipping the sign of all scores of a row
changes nothing. A flip concerns the same rows for all pairs, so it is one row of a matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import OptionError
from rankbars.stats.blocks import CACHE_CELLS, row_blocks
from rankbars.stats.pairwise.clusters import Grouping, group_rows
from rankbars.stats.pairwise.differences import (
    apply_policy,
    count_units,
    difference_blocks,
    find_degenerate,
    sum_groups,
)
from rankbars.stats.pairwise.scorerows import rescale, row_medians
from rankbars.stats.streams import stream

__all__ = ["EXACT_UNITS", "FLIPS_PER_CHUNK", "draw_flips", "sign_flip"]

EXACT_UNITS = 20
"""Up to so many units with a difference all sign patterns are counted."""

FLIPS_PER_CHUNK = 256
"""Random patterns per stream of random numbers; part of the method, never tuned to the machine."""

_EPS = float(np.finfo(np.float64).eps)
_FEWEST_ROWS = 2
# Random patterns that are evaluated at once; a multiple of the chunk.
_BATCH = 2048


class _UnitBlock(NamedTuple):
    """Differences of one model to P models after it, summed over units.

    Attributes
    ----------
    first : int
        The model.
    second : slice
        The other models.
    sums : ndarray, shape (P, G)
        Sum of the differences of each unit; exactly 0 where it is zero up to rounding.
    tolerance : ndarray, shape (P,)
        Bound on the rounding error of a signed sum over units.
    """

    first: int
    second: slice
    sums: NDArray[np.float64]
    tolerance: NDArray[np.float64]


def sign_flip(
    values: NDArray[np.float64],
    clusters: ArrayLike | None = None,
    *,
    draws: int = 9_999,
    seed: int = 0,
    key: tuple[str, ...] = (),
) -> NDArray[np.float64]:
    """One-sided p-values of the sign-flip test, for every ordered pair of models.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Finite scores of M models on n rows, higher is better; NaN where not observed.
        Each pair is compared on the rows that both models have.
    clusters : array_like, shape (n,), optional
        Cluster of each row; the rows of a cluster are flipped together.
    draws : int
        Random sign patterns for pairs that are not counted exactly; at least 1.
    seed : int
        Seed of the random patterns.
    key : tuple of str
        What the patterns are for, such as the name of the task.

    Returns
    -------
    ndarray of float64, shape (M, M)
        Share of the sign patterns whose mean difference is at least the observed one.
        Where at most 20 units (rows, clusters) of a pair have a difference that is not zero, of
        all patterns; else ``(1 + #{flipped >= observed}) / (draws + 1)``.

    Raises
    ------
    OptionError
        If `draws` is below 1.

    Notes
    -----
    Exact at any number of units if the differences of units are symmetric about 0 under the null
    hypothesis; no normality, any dependence between models and within clusters.
    With n units the smallest p-value is ``2**-n``, or ``1 / (draws + 1)`` where patterns are
    drawn; for 0/1 scores and at most 20 discordant items this is the exact McNemar test.
    Sums that are equal up to rounding count as equal, which is the safe side.

    The patterns depend on `seed`, `key` and the number of units, not on the models: a pair has
    the same p-value whatever other models there are.

    References
    ----------
    Fisher 1935, The Design of Experiments.

    Examples
    --------
    >>> d = np.array([1.1, -0.4, 2.3, 0.7, -1.9, 3.1, 0.2, 1.6])
    >>> sign_flip(np.stack([d, np.zeros(8)], axis=1))[0, 1]
    np.float64(0.09375)
    """
    if draws < 1:
        raise OptionError.out_of_range("draws", draws, "at least 1")
    values = np.asarray(values, dtype=np.float64)
    n, n_models = values.shape
    p = np.ones((n_models, n_models))
    if n < _FEWEST_ROWS:
        return p
    values = rescale(values)[0]
    grouping = None if clusters is None else group_rows(clusters)
    rest = _count_exactly(values, grouping, p)
    if rest.any():
        at_least = _count_random(values, grouping, draws, seed, key)
        p[rest] = ((1 + at_least) / (draws + 1))[rest]
    apply_policy(p, find_degenerate(values, grouping), count_units(values, grouping))
    return p


def draw_flips(n_units: int, draws: int, seed: int, key: tuple[str, ...]) -> NDArray[np.int8]:
    """Random sign patterns.

    Parameters
    ----------
    n_units : int
        Units to flip.
    draws : int
        Patterns.
    seed : int
        Seed of the analysis.
    key : tuple of str
        What the patterns are for.

    Returns
    -------
    ndarray of int8, shape (draws, n_units)
        Entries -1 and 1. More draws begin with the same patterns.

    Examples
    --------
    >>> draw_flips(4, 2, 0, ("math",)).shape
    (2, 4)
    """
    flips = np.empty((draws, n_units), dtype=np.int8)
    for number, rows in enumerate(row_blocks(draws, 1, FLIPS_PER_CHUNK)):
        bits = stream(seed, *key, "sign flips", number).integers(
            0, 2, size=(FLIPS_PER_CHUNK, n_units), dtype=np.int8
        )
        flips[rows] = (2 * bits - 1)[: rows.stop - rows.start]
    return flips


def _unit_blocks(values: NDArray[np.float64], grouping: Grouping | None) -> Iterator[_UnitBlock]:
    """Differences of all pairs by unit."""
    ordered = values if grouping is None else values[grouping.order]
    for i, others, d, tolerance in difference_blocks(ordered):
        if grouping is None:
            rows = (~np.isnan(d)).astype(np.int64)
            sums = np.nan_to_num(d, copy=False, nan=0.0)
        else:
            sums, rows = sum_groups(d, grouping)
        sums[np.abs(sums) <= tolerance[:, None] * rows] = 0.0
        slack = (sums.shape[1] + 4) * _EPS * np.abs(sums).sum(axis=1)
        yield _UnitBlock(i, others, sums, tolerance * rows.sum(axis=1) + slack)


def _count_exactly(
    values: NDArray[np.float64], grouping: Grouping | None, p: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Fill in the p-values that are counted exactly; return where they are not, (M, M)."""
    rest = np.zeros(p.shape, dtype=np.bool_)
    for i, others, sums, tolerance in _unit_blocks(values, grouping):
        moved = np.count_nonzero(sums, axis=1)
        exact = moved <= EXACT_UNITS
        rest[i, others] = rest[others, i] = ~exact
        if exact.any():
            width = int(moved[exact].max())
            # Units without a difference go last and are left out: flipping them changes nothing.
            order = np.argsort(sums[exact] == 0, axis=1, kind="stable")[:, :width]
            kept = np.take_along_axis(sums[exact], order, axis=1)
            better, worse = _enumerate(kept, tolerance[exact])
            place = others.start + np.flatnonzero(exact)
            p[i, place], p[place, i] = better, worse
    return rest


def _enumerate(
    sums: NDArray[np.float64], tolerance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shares of all sign patterns at least, and at most, as high as observed.

    The signed sums of the first half of the units and those of the second half are listed; how
    many sums of one from each reach the observed value is found by search in a sorted list.
    """
    half = sums.shape[1] // 2
    left = np.sort(sums[:, :half] @ _all_signs(half), axis=1)
    right = np.sort(sums[:, half:] @ _all_signs(sums.shape[1] - half), axis=1)
    observed = sums.sum(axis=1)
    low, high = observed - tolerance, observed + tolerance
    below, up_to = (np.empty(len(sums), dtype=np.int64) for _ in range(2))
    for pair in range(len(sums)):
        below[pair] = np.searchsorted(right[pair], low[pair] - left[pair], side="left").sum()
        up_to[pair] = np.searchsorted(right[pair], high[pair] - left[pair], side="right").sum()
    total = 2 ** sums.shape[1]
    return (total - below) / float(total), up_to / float(total)


def _all_signs(n_units: int) -> NDArray[np.float64]:
    """All sign patterns, shape (n_units, 2**n_units)."""
    bits = np.arange(2**n_units) >> np.arange(n_units)[:, None] & 1
    return np.asarray(1.0 - 2.0 * bits)


def _count_random(
    values: NDArray[np.float64],
    grouping: Grouping | None,
    draws: int,
    seed: int,
    key: tuple[str, ...],
) -> NDArray[np.int64]:
    """How many random patterns reach the observed difference, shape (M, M)."""
    n_models = values.shape[1]
    n_units = len(values) if grouping is None else grouping.sizes.size
    flips = draw_flips(n_units, draws, seed, key)
    gappy = np.isnan(values).any(axis=0)
    # Models with gaps go first: only their pairs need differences of their own.
    order = np.concatenate([np.flatnonzero(gappy), np.flatnonzero(~gappy)])
    first_complete = int(gappy.sum())
    count = np.zeros((n_models, n_models), dtype=np.int64)
    for batch in row_blocks(draws, 1, _BATCH):
        signs = flips[batch].astype(np.float64)
        routes = [(0, _flip_pairs(values[:, order], grouping, signs, first_complete))]
        if n_models - first_complete > 1:
            complete = values[:, order[first_complete:]]
            routes.append((first_complete, _flip_models(complete, grouping, signs)))
        for offset, route in routes:
            for i, others, sums, low, high in route:
                one = order[i + offset]
                many = order[others.start + offset : others.stop + offset]
                count[one, many] += _count_rows(sums >= low[:, None])
                count[many, one] += _count_rows(sums <= high[:, None])
    return count


_Flipped = Iterator[
    tuple[int, slice, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
]


def _flip_models(
    values: NDArray[np.float64], grouping: Grouping | None, signs: NDArray[np.float64]
) -> _Flipped:
    """Flipped sums of differences, as differences of the flipped sums of models.

    The median of each row comes off first: it cancels in every difference, and one model on a
    scale of its own does not move it.
    """
    n, n_models = values.shape
    size = np.abs(values).max(axis=0)
    centred = values - row_medians(values)[:, None]
    if grouping is not None:
        centred = np.add.reduceat(centred[grouping.order], grouping.starts, axis=0)
    slack = 8.0 * _EPS * n * size + (len(centred) + 4) * _EPS * np.abs(centred).sum(axis=0)
    flipped = np.ascontiguousarray((signs @ centred).T)
    observed = centred.sum(axis=0)
    for i in range(n_models - 1):
        for block in row_blocks(n_models - 1 - i, len(signs), CACHE_CELLS):
            others = slice(block.start + i + 1, block.stop + i + 1)
            target = observed[i] - observed[others]
            tolerance = slack[i] + slack[others]
            sums = flipped[i] - flipped[others]
            yield i, others, sums, target - tolerance, target + tolerance


def _flip_pairs(
    values: NDArray[np.float64],
    grouping: Grouping | None,
    signs: NDArray[np.float64],
    first_complete: int,
) -> _Flipped:
    """Flipped sums of differences of the first models with all later ones, row by row in common."""
    for i, others, sums, tolerance in _unit_blocks(values, grouping):
        if i >= first_complete:
            return
        target = sums.sum(axis=1)
        yield i, others, sums @ signs.T, target - tolerance, target + tolerance


def _count_rows(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number of true entries in each row."""
    return np.asarray(mask.view(np.int8).sum(axis=1, dtype=np.int64))

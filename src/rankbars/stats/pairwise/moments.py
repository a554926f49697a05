"""Mean and spread of the differences of every pair of models, where every model has every row.

``sum (d - mean d)^2 = C_ii + C_jj - 2 C_ij`` with the products `C` of the centred scores.
Rows are centred before columns; pairs whose difference is small beside the scores are recomputed
from the raw scores; whole numbers are summed exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import accumulate, product_blocks, row_blocks
from rankbars.stats.pairwise.clusters import Grouping, stretch_sums
from rankbars.stats.pairwise.degenerate import DegeneratePairs, no_pairs, recompute_pairs
from rankbars.stats.pairwise.scorerows import (
    Lattice,
    column_sums,
    exact_blocks,
    find_copies,
    find_lattice,
    rescale,
    row_medians,
    row_reference,
    share_copies,
    variation_floor,
)

__all__ = [
    "GROUP_FLOOR",
    "NEAR",
    "NearPairs",
    "PairMoments",
    "collect_near",
    "insert_recomputed",
    "measure_complete",
    "pick_level",
    "too_many_near",
]

_EPS = float(np.finfo(np.float64).eps)

NEAR = 1e-6
"""Below this share of the models' own variation, that of their difference is recomputed.

The relative error of the variation is about ``3 eps / share``: 7e-10 at this bound.
"""

_MANY_NEAR = 0.05

NearPairs = list[tuple[NDArray[np.intp], NDArray[np.intp]]]
"""Pairs that need a second look, each once, block by block."""


class PairMoments(NamedTuple):
    """Mean and spread of the differences of every pair.

    Attributes
    ----------
    diff : ndarray, shape (M, M)
        Mean of ``x_i - x_j`` over the rows that both have; NaN without any. Antisymmetric.
    norm : ndarray, shape (M, M)
        Root of the sum of squared deviations of the differences from their mean
        (of the stretched sums of deviations over groups, if rows are grouped). Symmetric.
    rows : int or ndarray of int64, shape (M, M)
        Common rows.
    units : int or ndarray of int64, shape (M, M)
        Independent units among them: rows, or groups.
    degenerate : DegeneratePairs
        Pairs whose differences do not vary.
    """

    diff: NDArray[np.float64]
    norm: NDArray[np.float64]
    rows: NDArray[np.int64] | int
    units: NDArray[np.int64] | int
    degenerate: DegeneratePairs


def collect_near(near: NearPairs, rows: slice, mask: NDArray[np.bool_]) -> None:
    """Append the marked pairs of a block of rows to `near`, each unordered pair once.

    Parameters
    ----------
    near : list of (ndarray, ndarray)
        Pairs so far; changed.
    rows : slice
        Rows of the block.
    mask : ndarray of bool, shape (rows, M)
        The marks, symmetric over all blocks; changed.
    """
    np.fill_diagonal(mask[:, rows], False)
    if np.count_nonzero(mask) == 0:
        return
    first, second = np.nonzero(mask)
    first += rows.start
    upper = second > first
    if upper.any():
        near.append((first[upper], second[upper]))


def too_many_near(near: NearPairs, n_models: int) -> bool:
    """Whether so many pairs look alike that the row means must be at fault.

    One model on a scale of its own moves the row means of all others; then every pair of those
    looks alike beside the row means. Row medians do not follow it.

    Parameters
    ----------
    near : list of (ndarray, ndarray)
        Pairs that look alike.
    n_models : int
        M.

    Returns
    -------
    bool
        True above 5 % of all pairs. With two models the median is the mean.
    """
    count = sum(first.size for first, _ in near)
    return n_models > 2 and count > _MANY_NEAR * (n_models * (n_models - 1) / 2)


def insert_recomputed(
    values: NDArray[np.float64],
    diff: NDArray[np.float64],
    norm: NDArray[np.float64],
    near: NearPairs,
    grouping: Grouping | None = None,
    exponent: int = 0,
) -> DegeneratePairs:
    """Recompute pairs from their explicit differences and put them in place, both ways.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Raw scores; NaN where not observed.
    diff, norm : ndarray, shape (M, M)
        Mean and spread of all pairs; changed.
    near : list of (ndarray, ndarray)
        The pairs.
    grouping : Grouping, optional
        Groups of rows.
    exponent : int
        Power of two that `values` were divided by; mean and spread are multiplied by it.

    Returns
    -------
    DegeneratePairs
        Those that do not vary.
    """
    level = no_pairs()
    if near:
        first, second = _join(near)
        found = recompute_pairs(values, first, second, grouping)
        diff[first, second], diff[second, first] = found.diff, 0.0 - found.diff
        norm[first, second] = norm[second, first] = found.norm
        level = found.degenerate
    if exponent:
        np.ldexp(diff, exponent, out=diff)
        np.ldexp(norm, exponent, out=norm)
    return level


def pick_level(near: NearPairs, diff: NDArray[np.float64]) -> DegeneratePairs:
    """Degenerate pairs when `near` holds exactly those that do not vary.

    Parameters
    ----------
    near : list of (ndarray, ndarray)
        Pairs whose differences are known to be constant without any tolerance.
    diff : ndarray, shape (M, M)
        Mean differences.

    Returns
    -------
    DegeneratePairs
        The pairs and their signs.
    """
    if not near:
        return no_pairs()
    first, second = _join(near)
    sign = np.sign(diff[first, second])
    return DegeneratePairs(first, second, sign, sign == 0)


def _join(near: NearPairs) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs as two index arrays."""
    return np.concatenate([pair[0] for pair in near]), np.concatenate([pair[1] for pair in near])


# Sums over a group that cancel to less than this share of the centred scores are recomputed.
GROUP_FLOOR = 1e7 * _EPS


def measure_complete(values: NDArray[np.float64], grouping: Grouping | None = None) -> PairMoments:
    """Moments of all pairs when every model has every row.

    Parameters
    ----------
    values : ndarray, shape (n, M), C-contiguous
        Scores without NaN; at least two rows.
    grouping : Grouping, optional
        Groups of rows that are not independent.

    Returns
    -------
    PairMoments
        Moments; `rows` and `units` are numbers.

    Examples
    --------
    >>> moments = measure_complete(np.array([[0.5, 0.25], [0.75, 0.25], [1.0, 0.25]]))
    >>> float(moments.diff[0, 1]), float(moments.norm[0, 1].round(6))
    (0.5, 0.353553)
    """
    if grouping is None:
        lattice = find_lattice(values)
        if lattice is not None:
            return _measure_lattice(lattice)
    n, n_models = values.shape
    scaled, magnitude, exponent = rescale(values)
    diff, norm, near = _multiply_out(scaled, magnitude, row_reference(scaled, magnitude), grouping)
    if too_many_near(near, n_models):
        diff, norm, near = _multiply_out(scaled, magnitude, row_medians(scaled), grouping)
    degenerate = insert_recomputed(scaled, diff, norm, near, grouping, exponent)
    return PairMoments(diff, norm, n, n if grouping is None else grouping.sizes.size, degenerate)


def _measure_lattice(lattice: Lattice) -> PairMoments:
    """Moments of whole numbers of steps: every sum is exact."""
    n, n_models = lattice.steps.shape
    blocks, dtype = exact_blocks(lattice.reach, lattice.steps.shape)
    chunks = [lattice.steps[rows] for rows in blocks]
    total = accumulate(chunk.sum(axis=0, dtype=np.float64) for chunk in chunks)
    cross = accumulate(chunk.T @ chunk for chunk in (c.astype(dtype, copy=False) for c in chunks))
    square = np.diagonal(cross).copy()
    diff = np.empty_like(cross)
    level: NearPairs = []
    for rows in row_blocks(n_models, n_models):
        np.subtract(total[rows, None], total, out=diff[rows])
        spread = cross[rows]
        spread *= -2.0
        spread += square[rows, None] + square
        spread *= n
        spread -= np.square(diff[rows])
        collect_near(level, rows, spread <= 0.0)
        spread /= n
        np.sqrt(spread, out=spread)
        spread /= lattice.per_unit
        diff[rows] /= n * lattice.per_unit
    return PairMoments(diff, cross, n, n, pick_level(level, diff))


def _multiply_out(
    values: NDArray[np.float64],
    magnitude: NDArray[np.float64],
    reference: NDArray[np.float64],
    grouping: Grouping | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NearPairs]:
    """Mean and spread of all pairs after `reference` was taken off each row, and near pairs."""
    n = len(values)
    mean = accumulate(column_sums(c) for c in _centred_chunks(values, reference)) / n
    floor = variation_floor(magnitude, reference)
    rest = np.zeros(mean.size)
    if grouping is None:
        weight = float(n)
        cross = accumulate(_multiply(_centred_chunks(values, reference, mean), rest))
    else:
        stretch = stretch_sums(grouping.shares)
        weight = float(np.square(grouping.sizes * stretch).sum())
        sums, peak = _sum_groups(values, reference, mean, grouping)
        floor = np.maximum(floor, GROUP_FLOOR * peak)
        rest += column_sums(sums)
        sums *= stretch[:, None]
        cross = sums.T @ sums
    share_copies(cross, find_copies(values, mean))
    return _take_roots(mean, rest / n, cross, weight, floor)


def _multiply(
    chunks: Iterator[NDArray[np.float64]], rest: NDArray[np.float64]
) -> Iterator[NDArray[np.float64]]:
    """Products of each block with itself; what the column means left over is added to `rest`."""
    for chunk in chunks:
        rest += column_sums(chunk)
        # numpy computes one triangle of such a product and copies it: exactly symmetric.
        yield chunk.T @ chunk


def _centred_chunks(
    values: NDArray[np.float64],
    reference: NDArray[np.float64],
    mean: NDArray[np.float64] | None = None,
    order: NDArray[np.intp] | None = None,
) -> Iterator[NDArray[np.float64]]:
    """Blocks of the scores without their row reference, and without their column mean if given."""
    for rows in product_blocks(*values.shape):
        taken = rows if order is None else order[rows]
        chunk = values[taken] - reference[taken, None]
        if mean is not None:
            chunk -= mean
        yield chunk


def _sum_groups(
    values: NDArray[np.float64],
    reference: NDArray[np.float64],
    mean: NDArray[np.float64],
    grouping: Grouping,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of the centred scores over each group, and their largest size before summing."""
    sums = np.zeros((grouping.sizes.size, values.shape[1]))
    peak = np.zeros(values.shape[1])
    chunks = _centred_chunks(values, reference, mean, grouping.order)
    for rows, chunk in zip(product_blocks(*values.shape), chunks, strict=True):
        codes = grouping.codes[rows]
        starts = np.flatnonzero(np.diff(codes, prepend=-1))
        sums[codes[starts]] += np.add.reduceat(chunk, starts, axis=0)
        np.maximum(peak, np.abs(chunk, out=chunk).max(axis=0), out=peak)
    return sums, peak


def _take_roots(
    mean: NDArray[np.float64],
    rest: NDArray[np.float64],
    cross: NDArray[np.float64],
    weight: float,
    floor: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NearPairs]:
    """Differences of the means, roots of the spread (in place of `cross`), and near pairs.

    `rest` is the rounding error of `mean`; the two are subtracted apart.
    """
    n_models = mean.size
    square = np.diagonal(cross).copy()
    # Only pairs of models that hardly vary at all can fall below the floor and not be near.
    check_floor = np.count_nonzero(square <= weight * floor.max(initial=0.0) ** 2 / NEAR) > 1
    diff = np.empty_like(cross)
    near: NearPairs = []
    for rows in row_blocks(n_models, n_models):
        spread = cross[rows]
        own = square[rows, None] + square
        spread *= -2.0
        spread += own
        own *= NEAR
        mask = spread <= own
        if check_floor:
            mask |= spread <= weight * np.square(np.maximum(floor[rows, None], floor))
        collect_near(near, rows, mask)
        np.maximum(spread, 0.0, out=spread)
        np.sqrt(spread, out=spread)
        np.subtract(mean[rows, None], mean, out=diff[rows])
        diff[rows] += np.subtract(rest[rows, None], rest, out=own)
    return diff, cross, near

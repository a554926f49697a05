"""Mean and spread of the differences of every pair of models, over the rows that both have.

With `Y` the centred scores, zero where missing, and `B` the mask of observed scores,
``B'B`` counts common rows, ``Y'B`` sums the scores of one model over the rows of the other,
``(Y*Y)'B`` their squares, and ``Y'Y`` the products.
Models that have every row need no mask. Where rows come in groups, products of each group with
the mask give the sum of the differences over the common rows; their deviations are squared and
added up group by group, stretched by the share of the common rows that a group holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import accumulate, product_blocks, row_blocks
from rankbars.stats.pairwise.clusters import Grouping, stretch_sums
from rankbars.stats.pairwise.moments import (
    GROUP_FLOOR,
    NEAR,
    NearPairs,
    PairMoments,
    collect_near,
    insert_recomputed,
    pick_level,
    too_many_near,
)
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
    "CommonRows",
    "MaskedSums",
    "ScoresAndMask",
    "measure_masked",
]

ScoresAndMask = tuple[NDArray[np.floating], NDArray[np.floating]]
"""Rows of scores, zero where missing, and the mask (0 or 1) of the incomplete models."""


class CommonRows(NamedTuple):
    """Rows that two models have in common.

    Attributes
    ----------
    rows : ndarray of int64, shape (M, M)
        Their number.
    incomplete : ndarray of intp, shape (I,)
        Models that miss a row.
    """

    rows: NDArray[np.int64]
    incomplete: NDArray[np.intp]


class MaskedSums(NamedTuple):
    """Sums over common rows; each of shape (M, M).

    Attributes
    ----------
    score : ndarray
        Scores of the first model.
    square : ndarray
        Squares of the scores of the first model.
    cross : ndarray
        Products of the scores of both; symmetric.
    """

    score: NDArray[np.float64]
    square: NDArray[np.float64]
    cross: NDArray[np.float64]


def _count_common(values: NDArray[np.float64]) -> CommonRows:
    """Number of rows that two models have in common, for all pairs."""
    n, n_models = values.shape
    own = np.full(n_models, n, dtype=np.int64)
    for block in row_blocks(n, n_models):
        own -= np.isnan(values[block]).sum(axis=0)
    incomplete = np.flatnonzero(own < n)
    rows = np.minimum(own[:, None], own)  # right where at least one of the two misses nothing
    masks = (
        (~np.isnan(values[block][:, incomplete])).astype(np.float32)  # exact below 2^24
        for block in product_blocks(n, n_models)
    )
    rows[np.ix_(incomplete, incomplete)] = accumulate(mask.T @ mask for mask in masks)
    return CommonRows(rows, incomplete)


def _centre_observed(
    values: NDArray[np.float64], reference: NDArray[np.float64], own: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Mean of each model's observed scores after `reference` was taken off the rows.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.
    reference : ndarray, shape (n,)
        Number taken off each row.
    own : ndarray of int64, shape (M,)
        Rows that each model has.

    Returns
    -------
    ndarray, shape (M,)
        Means; 0 for a model without scores.

    Examples
    --------
    >>> scores = np.array([[1.0, 2.0], [np.nan, 5.0]])
    >>> _centre_observed(scores, np.array([1.0, 1.0]), np.array([1, 2]))
    array([0. , 2.5])
    """
    nobody = np.empty(0, dtype=np.intp)
    chunks = _observed_chunks(values, reference, 0.0, nobody)
    return accumulate(column_sums(scores) for scores, _ in chunks) / np.maximum(own, 1)


def _observed_chunks(
    values: NDArray[np.float64],
    reference: NDArray[np.float64],
    mean: NDArray[np.float64] | float,
    incomplete: NDArray[np.intp],
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Blocks of centred scores with zeros for missing ones, and the mask of incomplete models.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.
    reference : ndarray, shape (n,)
        Number taken off each row.
    mean : ndarray, shape (M,), or 0
        Number taken off each column.
    incomplete : ndarray of intp, shape (I,)
        Models whose mask is wanted.

    Yields
    ------
    scores : ndarray, shape (rows, M)
        Scores of consecutive rows.
    mask : ndarray, shape (rows, I)
        1 where observed, else 0.
    """
    for rows in product_blocks(*values.shape):
        scores = values[rows] - reference[rows, None]
        scores -= mean
        missing = np.isnan(scores)
        np.copyto(scores, 0.0, where=missing)
        yield scores, 1.0 - missing[:, incomplete]


def _sum_masked(
    chunks: Iterator[ScoresAndMask], incomplete: NDArray[np.intp], n_models: int, *, binary: bool
) -> MaskedSums:
    """Sums over common rows for all pairs.

    Parameters
    ----------
    chunks : iterator of (ndarray, ndarray)
        Scores and mask, block by block; the blocks of scores may be overwritten.
    incomplete : ndarray of intp, shape (I,)
        Models that the mask is about.
    n_models : int
        M.
    binary : bool
        Whether all scores are 0 or 1, so that each is its own square.

    Returns
    -------
    MaskedSums
        Sums.
    """
    own_score = np.zeros(n_models)
    score, square = (np.zeros((n_models, incomplete.size)) for _ in range(2))
    cross = np.zeros((n_models, n_models))
    for scores, mask in chunks:
        own_score += scores.sum(axis=0, dtype=np.float64)
        score += scores.T @ mask
        cross += scores.T @ scores
        if not binary:
            square += np.square(scores, out=scores).T @ mask
    own_square = np.diagonal(cross)
    if binary:
        square = score
    return MaskedSums(
        _widen(own_score, score, incomplete), _widen(own_square, square, incomplete), cross
    )


def _widen(
    own: NDArray[np.float64], sums: NDArray[np.float64], incomplete: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Sums for all pairs: over all own rows, but for the columns of incomplete models."""
    wide = np.repeat(own[:, None], own.size, axis=1)
    wide[:, incomplete] = sums
    return wide


class _Products(NamedTuple):
    """Everything about all pairs but the recomputed ones."""

    diff: NDArray[np.float64]
    norm: NDArray[np.float64]
    units: NDArray[np.int64]
    near: NearPairs


def measure_masked(values: NDArray[np.float64], grouping: Grouping | None = None) -> PairMoments:
    """Moments of all pairs, each over its own common rows.

    Parameters
    ----------
    values : ndarray, shape (n, M), C-contiguous
        Scores; NaN where not observed.
    grouping : Grouping, optional
        Groups of rows that are not independent.

    Returns
    -------
    PairMoments
        Moments; `rows` and `units` are matrices.
        Pairs with fewer than two common rows have spread 0 and are not among the degenerate ones.

    Examples
    --------
    >>> moments = measure_masked(np.array([[0.5, 0.25], [0.75, 0.25], [np.nan, 0.25]]))
    >>> moments.rows
    array([[2, 2],
           [2, 3]])
    >>> float(moments.diff[0, 1])
    0.375
    >>> from rankbars.stats.pairwise.clusters import group_rows
    >>> values = np.array([[1.0, 0.0], [3.0, 0.0], [2.0, np.nan], [2.0, 1.0]])
    >>> moments = measure_masked(values, group_rows([0, 0, 1, 1]))
    >>> int(moments.rows[0, 1]), int(moments.units[0, 1])
    (3, 2)
    """
    common = _count_common(values)
    lattice = find_lattice(values) if grouping is None else None
    if lattice is not None:
        return _measure_lattice(lattice, common)
    scaled, magnitude, exponent = rescale(values)
    found = _multiply(scaled, magnitude, row_reference(scaled, magnitude), common, grouping)
    if too_many_near(found.near, values.shape[1]):
        found = _multiply(scaled, magnitude, row_medians(scaled), common, grouping)
    diff, norm, units, near = found
    _clear_untestable(diff, norm, common.rows)
    degenerate = insert_recomputed(scaled, diff, norm, near, grouping, exponent)
    return PairMoments(diff, norm, common.rows, units, degenerate)


def _measure_lattice(lattice: Lattice, common: CommonRows) -> PairMoments:
    """Moments of whole numbers of steps: every sum is exact."""
    n_models = lattice.steps.shape[1]
    blocks, dtype = exact_blocks(lattice.reach, lattice.steps.shape)

    def chunks() -> Iterator[ScoresAndMask]:
        for rows in blocks:
            steps = lattice.steps[rows].astype(dtype)
            missing = np.isnan(steps)
            np.copyto(steps, 0.0, where=missing)
            yield steps, (~missing[:, common.incomplete]).astype(dtype)

    sums = _sum_masked(chunks(), common.incomplete, n_models, binary=lattice.reach <= 1)
    diff, norm = np.empty(sums.cross.shape), sums.cross
    level: NearPairs = []
    for rows in row_blocks(n_models, n_models):
        count = common.rows[rows]
        total, square = _block_totals(sums, rows)
        spread = norm[rows]
        spread *= -2.0
        spread += square
        spread *= count
        spread -= np.square(total)
        collect_near(level, rows, (spread <= 0.0) & (count > 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            np.divide(total, count * lattice.per_unit, out=diff[rows])
            spread /= count
        np.sqrt(spread, out=spread)
        spread /= lattice.per_unit
    _clear_untestable(diff, norm, common.rows)
    return PairMoments(diff, norm, common.rows, common.rows, pick_level(level, diff))


def _multiply(
    values: NDArray[np.float64],
    magnitude: NDArray[np.float64],
    reference: NDArray[np.float64],
    common: CommonRows,
    grouping: Grouping | None,
) -> _Products:
    """Mean and spread of all pairs after `reference` was taken off each row."""
    mean = _centre_observed(values, reference, np.diagonal(common.rows))
    floor = variation_floor(magnitude, reference)
    if grouping is None:
        return _multiply_rows(values, reference, mean, floor, common)
    return _multiply_groups(values, reference, mean, floor, common, grouping)


def _multiply_rows(
    values: NDArray[np.float64],
    reference: NDArray[np.float64],
    mean: NDArray[np.float64],
    floor: NDArray[np.float64],
    common: CommonRows,
) -> _Products:
    n_models = values.shape[1]
    chunks = _observed_chunks(values, reference, mean, common.incomplete)
    sums = _sum_masked(chunks, common.incomplete, n_models, binary=False)
    copies = find_copies(values, mean)
    for matrix in sums:
        share_copies(matrix, copies)
    diff, norm = np.empty(sums.cross.shape), sums.cross
    near: NearPairs = []
    for rows in row_blocks(n_models, n_models):
        count = common.rows[rows]
        total, square = _block_totals(sums, rows)
        with np.errstate(divide="ignore", invalid="ignore"):
            offset = total / count
        spread = norm[rows]
        spread *= -2.0
        spread += square
        spread -= total * offset
        lowest = count * np.square(np.maximum(floor[rows, None], floor))
        mask = spread <= np.maximum(NEAR * square, lowest)
        collect_near(near, rows, mask & (count > 1))
        np.maximum(spread, 0.0, out=spread)
        np.sqrt(spread, out=spread)
        np.subtract(mean[rows, None], mean, out=diff[rows])
        diff[rows] += offset
    return _Products(diff, norm, common.rows, near)


def _block_totals(sums: MaskedSums, rows: slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum of differences, and both models' sums of squares, for a block of pairs."""
    total = sums.score[rows] - sums.score[:, rows].T
    square = sums.square[rows] + sums.square[:, rows].T
    return total, square


def _clear_untestable(
    diff: NDArray[np.float64], norm: NDArray[np.float64], rows: NDArray[np.int64]
) -> None:
    """Zero differences on the diagonal, zero spread there and where there are too few rows.

    Parameters
    ----------
    diff, norm : ndarray, shape (M, M)
        Mean and spread of all pairs; changed.
    rows : ndarray of int64, shape (M, M)
        Common rows.
    """
    np.fill_diagonal(diff, 0.0)
    np.fill_diagonal(norm, 0.0)
    norm[rows < 2] = 0.0


def _multiply_groups(
    values: NDArray[np.float64],
    reference: NDArray[np.float64],
    mean: NDArray[np.float64],
    floor: NDArray[np.float64],
    common: CommonRows,
    grouping: Grouping,
) -> _Products:
    n_models = values.shape[1]
    scores = (values - reference[:, None])[grouping.order]
    scores -= mean
    missing = np.isnan(scores)
    scores[missing] = 0.0
    observed = 1.0 - missing
    floor = np.maximum(floor, GROUP_FLOOR * np.abs(scores).max(axis=0))
    copies = find_copies(values, mean)
    count = common.rows
    total = scores.T @ observed
    share_copies(total, copies)
    total = total - total.T
    with np.errstate(divide="ignore", invalid="ignore"):
        total /= count
    norm, groups = np.empty(count.shape), np.empty(count.shape, dtype=np.int64)
    mask = np.empty(count.shape, dtype=np.bool_)
    for rows in row_blocks(n_models, n_models):
        found = _spread_of_block(scores, observed, total[rows], count[rows], rows, grouping, floor)
        norm[rows], groups[rows], mask[rows] = found
    mask &= count > 1
    for matrix in (norm, mask):
        _mirror(matrix)
        share_copies(matrix, copies)
    np.sqrt(norm, out=norm)
    near: NearPairs = []
    collect_near(near, slice(0, n_models), mask)
    total += mean[:, None] - mean
    return _Products(total, norm, groups, near)


def _spread_of_block(
    scores: NDArray[np.float64],
    observed: NDArray[np.float64],
    offset: NDArray[np.float64],
    common: NDArray[np.int64],
    rows: slice,
    grouping: Grouping,
    floor: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]:
    """Sums over groups of squared stretched deviations, for a block of models with all.

    Beside them the groups with common rows, and whether a pair must be recomputed.
    """
    spread, own, weight = (np.zeros(offset.shape) for _ in range(3))
    groups = np.zeros(offset.shape, dtype=np.int64)
    for start, size in zip(grouping.starts.tolist(), grouping.sizes.tolist(), strict=True):
        group = slice(start, start + size)
        ours, mask = scores[group, rows].T, observed[group, rows].T
        first, second = ours @ observed[group], mask @ scores[group]
        count = mask @ observed[group]
        stretch = stretch_sums(count / np.maximum(common, 1))
        own += np.square(first * stretch) + np.square(second * stretch)
        weight += np.square(count * stretch)
        groups += count > 0
        first -= second
        # A pair without common rows has no offset; it contributes nothing here.
        first -= np.where(count > 0, offset * count, 0.0)
        first *= stretch
        spread += np.square(first, out=first)
    lowest = weight * np.square(np.maximum(floor[rows, None], floor))
    return spread, groups, spread <= np.maximum(NEAR * own, lowest)


def _mirror(matrix: NDArray[np.generic]) -> None:
    """Copy the upper triangle over the lower one: two products may differ in the last bit."""
    upper = np.triu_indices(len(matrix), 1)
    matrix.T[upper] = matrix[upper]

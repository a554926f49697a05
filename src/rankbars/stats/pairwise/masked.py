"""Moments of all pairs of models over the rows that both have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.centring import (
    find_copies,
    rescale,
    row_medians,
    row_reference,
    share_copies,
    variation_floor,
)
from rankbars.stats.pairwise.lattice import Lattice, exact_blocks, find_lattice
from rankbars.stats.pairwise.masked_sums import (
    CommonRows,
    MaskedSums,
    ScoresAndMask,
    centre_observed,
    count_common,
    observed_chunks,
    sum_masked,
)
from rankbars.stats.pairwise.moments import (
    NEAR,
    NearPairs,
    PairMoments,
    collect_near,
    insert_recomputed,
    pick_level,
    too_many_near,
)

__all__ = ["clear_untestable", "measure_masked"]


def measure_masked(values: NDArray[np.float64]) -> PairMoments:
    """Moments of all pairs, each over its own common rows.

    Parameters
    ----------
    values : ndarray, shape (n, M), C-contiguous
        Scores; NaN where not observed.

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
    """
    common = count_common(values)
    lattice = find_lattice(values)
    if lattice is not None:
        return _measure_lattice(lattice, common)
    scaled, magnitude, exponent = rescale(values)
    reference = row_reference(scaled, magnitude)
    diff, norm, near = _multiply_out(scaled, magnitude, reference, common)
    if too_many_near(near, values.shape[1]):
        diff, norm, near = _multiply_out(scaled, magnitude, row_medians(scaled), common)
    clear_untestable(diff, norm, common.rows)
    degenerate = insert_recomputed(scaled, diff, norm, near)
    if exponent:
        np.ldexp(diff, exponent, out=diff)
        np.ldexp(norm, exponent, out=norm)
    return PairMoments(diff, norm, common.rows, common.rows, degenerate)


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

    sums = sum_masked(chunks(), common.incomplete, n_models, binary=lattice.reach <= 1)
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
    clear_untestable(diff, norm, common.rows)
    return PairMoments(diff, norm, common.rows, common.rows, pick_level(level, diff))


def _multiply_out(
    values: NDArray[np.float64],
    magnitude: NDArray[np.float64],
    reference: NDArray[np.float64],
    common: CommonRows,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NearPairs]:
    """Mean and spread of all pairs after `reference` was taken off each row, and near pairs."""
    n_models = values.shape[1]
    mean = centre_observed(values, reference, np.diagonal(common.rows))
    chunks = observed_chunks(values, reference, mean, common.incomplete)
    sums = sum_masked(chunks, common.incomplete, n_models, binary=False)
    copies = find_copies(values, mean)
    for matrix in sums:
        share_copies(matrix, copies)
    floor = variation_floor(magnitude, reference)
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
    return diff, norm, near


def _block_totals(sums: MaskedSums, rows: slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum of differences, and both models' sums of squares, for a block of pairs."""
    total = sums.score[rows] - sums.score[:, rows].T
    square = sums.square[rows] + sums.square[:, rows].T
    return total, square


def clear_untestable(
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

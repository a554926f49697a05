"""Moments of all pairs over their common rows, when rows are grouped.

For each group, products with the mask give the sum of the differences over the common rows;
their deviations are squared and added up group by group.
"""

from __future__ import annotations

from typing import NamedTuple

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
from rankbars.stats.pairwise.complete import GROUP_FLOOR
from rankbars.stats.pairwise.grouping import Grouping
from rankbars.stats.pairwise.masked import clear_untestable
from rankbars.stats.pairwise.masked_sums import CommonRows, centre_observed, count_common
from rankbars.stats.pairwise.moments import (
    NEAR,
    NearPairs,
    PairMoments,
    collect_near,
    insert_recomputed,
    too_many_near,
)

__all__ = ["measure_masked_groups"]


class _GroupedProducts(NamedTuple):
    """Everything about all pairs but the recomputed ones."""

    diff: NDArray[np.float64]
    norm: NDArray[np.float64]
    groups: NDArray[np.int64]
    near: NearPairs


class _Spread(NamedTuple):
    """Spread of a block of pairs, groups with common rows, and whether it must be recomputed."""

    spread: NDArray[np.float64]
    groups: NDArray[np.int64]
    near: NDArray[np.bool_]


def measure_masked_groups(values: NDArray[np.float64], grouping: Grouping) -> PairMoments:
    """Moments of all pairs, each over its own common rows, with grouped rows.

    Parameters
    ----------
    values : ndarray, shape (n, M), C-contiguous
        Scores; NaN where not observed.
    grouping : Grouping
        Groups of rows.

    Returns
    -------
    PairMoments
        Moments; `rows` and `units` are matrices.

    Examples
    --------
    >>> from rankbars.stats.pairwise.grouping import group_rows
    >>> values = np.array([[1.0, 0.0], [3.0, 0.0], [2.0, np.nan], [2.0, 1.0]])
    >>> moments = measure_masked_groups(values, group_rows([0, 0, 1, 1]))
    >>> int(moments.rows[0, 1]), int(moments.units[0, 1])
    (3, 2)
    """
    scaled, magnitude, exponent = rescale(values)
    common = count_common(values)
    reference = row_reference(scaled, magnitude)
    found = _multiply_out(scaled, magnitude, reference, grouping, common)
    if too_many_near(found.near, values.shape[1]):
        found = _multiply_out(scaled, magnitude, row_medians(scaled), grouping, common)
    diff, norm = found.diff, found.norm
    clear_untestable(diff, norm, common.rows)
    degenerate = insert_recomputed(scaled, diff, norm, found.near, grouping)
    if exponent:
        np.ldexp(diff, exponent, out=diff)
        np.ldexp(norm, exponent, out=norm)
    return PairMoments(diff, norm, common.rows, found.groups, degenerate)


def _multiply_out(
    values: NDArray[np.float64],
    magnitude: NDArray[np.float64],
    reference: NDArray[np.float64],
    grouping: Grouping,
    common: CommonRows,
) -> _GroupedProducts:
    """Mean and spread of all pairs after `reference` was taken off each row."""
    n_models = values.shape[1]
    mean = centre_observed(values, reference, np.diagonal(common.rows))
    scores = (values - reference[:, None])[grouping.order]
    scores -= mean
    missing = np.isnan(scores)
    scores[missing] = 0.0
    observed = 1.0 - missing
    floor = variation_floor(magnitude, reference)
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
        found = _spread_of_block(scores, observed, total[rows], rows, grouping, floor)
        norm[rows], groups[rows], mask[rows] = found
    mask &= count > 1
    for matrix in (norm, mask):
        _mirror(matrix)
        share_copies(matrix, copies)
    np.sqrt(norm, out=norm)
    near: NearPairs = []
    collect_near(near, slice(0, n_models), mask)
    total += mean[:, None] - mean
    return _GroupedProducts(total, norm, groups, near)


def _spread_of_block(
    scores: NDArray[np.float64],
    observed: NDArray[np.float64],
    offset: NDArray[np.float64],
    rows: slice,
    grouping: Grouping,
    floor: NDArray[np.float64],
) -> _Spread:
    """Sums over groups of squared deviations, for the pairs of a block of models with all."""
    spread, own, weight = (np.zeros(offset.shape) for _ in range(3))
    groups = np.zeros(offset.shape, dtype=np.int64)
    for start, size in zip(grouping.starts.tolist(), grouping.sizes.tolist(), strict=True):
        group = slice(start, start + size)
        ours, mask = scores[group, rows].T, observed[group, rows].T
        first, second = ours @ observed[group], mask @ scores[group]
        count = mask @ observed[group]
        own += np.square(first) + np.square(second)
        weight += np.square(count)
        groups += count > 0
        first -= second
        # A pair without common rows has no offset; it contributes nothing here.
        first -= np.where(count > 0, offset * count, 0.0)
        spread += np.square(first, out=first)
    lowest = weight * np.square(np.maximum(floor[rows, None], floor))
    return _Spread(spread, groups, spread <= np.maximum(NEAR * own, lowest))


def _mirror(matrix: NDArray[np.generic]) -> None:
    """Copy the upper triangle over the lower one: two products may differ in the last bit."""
    upper = np.triu_indices(len(matrix), 1)
    matrix.T[upper] = matrix[upper]

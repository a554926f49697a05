"""Mean and spread of the differences of every pair of models."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.pairwise.degenerate import DegeneratePairs, recompute_pairs
from rankbars.stats.pairwise.grouping import Grouping

__all__ = [
    "NEAR",
    "NearPairs",
    "PairMoments",
    "collect_near",
    "insert_recomputed",
    "pick_level",
    "too_many_near",
]

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
        (of the sums of deviations over groups, if rows are grouped). Symmetric.
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

    Returns
    -------
    DegeneratePairs
        Those that do not vary.
    """
    if not near:
        return pick_level(near, diff)
    first, second = _join(near)
    found = recompute_pairs(values, first, second, grouping)
    diff[first, second] = found.diff
    diff[second, first] = 0.0 - found.diff
    norm[first, second] = found.norm
    norm[second, first] = found.norm
    return found.degenerate


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
    first, second = _join(near)
    sign = np.sign(diff[first, second])
    return DegeneratePairs(first, second, sign, sign == 0)


def _join(near: NearPairs) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs as two index arrays."""
    if not near:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    return np.concatenate([pair[0] for pair in near]), np.concatenate([pair[1] for pair in near])

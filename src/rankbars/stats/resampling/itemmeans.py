"""Bootstrap over the items of one task: draws of the scores of all models, paired."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.pairwise.centring import find_copies
from rankbars.stats.pairwise.lattice import find_lattice
from rankbars.stats.resampling.counts import Streams, count_blocks

__all__ = ["bootstrap_means"]

_EXACT_FLOAT32 = 2**24
_EXACT_FLOAT64 = 2**53


class _Units(NamedTuple):
    """What is resampled: ``base + (counts @ parts) / (counts @ size)`` is a draw of the means."""

    parts: NDArray[np.floating]  # [u, M]
    size: NDArray[np.float64]  # [u], in the units of `parts`
    base: NDArray[np.float64]  # [M]
    copies: list[NDArray[np.intp]]


def bootstrap_means(
    values: NDArray[np.float64],
    streams: Streams,
    draws: int,
    *,
    clusters: NDArray[np.int64] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Means of all models on resampled rows, the same rows for all models.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Complete scores, one row per item.
    streams : callable
        Random generator of each chunk of 256 draws.
    draws : int
        Number of resamples S.
    clusters : array of int, shape (n,), optional
        Cluster of each row; whole clusters are then resampled.
    weights : array of float, shape (n,), optional
        Positive weight of each row in the mean.

    Returns
    -------
    array of float, shape (S, M)
        Equal for models with equal scores. Whole numbers of a step (0/1 scores, marks) are added
        up without rounding, so that means that are equal come out equal.

    Notes
    -----
    A resample is a row of counts, and the means of all models are one matrix product. Scores are
    centred before they are rounded to single precision: the error is a few millionths of a
    standard error. With clusters or weights a mean is the ratio of two resampled sums.
    Memory is that of the result and of a block of counts.

    Examples
    --------
    >>> scores = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    >>> made = bootstrap_means(scores, lambda chunk: np.random.default_rng(chunk), 1000)
    >>> made.mean(axis=0).round(1).tolist(), made.shape
    ([0.7, 0.3], (1000, 2))
    """
    units = _units(values, clusters, weights)
    constant = bool((units.size == units.size[0]).all())
    made = np.empty((draws, values.shape[1]))
    for rows, counts in count_blocks(streams, len(units.size), draws):
        sums = (counts.astype(units.parts.dtype) @ units.parts).astype(np.float64)
        if constant:
            made[rows] = sums / (len(units.size) * units.size[0])
        else:
            made[rows] = sums / (counts @ units.size)[:, None]
    made += units.base
    for group in units.copies:
        made[:, group] = made[:, group[:1]]
    return made


def _units(
    values: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
    weights: NDArray[np.float64] | None,
) -> _Units:
    weight = np.ones(len(values)) if weights is None else weights / weights.mean()
    lattice = find_lattice(values) if weights is None else None
    if lattice is not None:
        steps = np.rint(values * lattice.per_unit)
        largest = len(values) * np.abs(steps).max(initial=0.0)
        if largest < _EXACT_FLOAT64:
            parts, size = _add_up(steps, weight * lattice.per_unit, clusters)
            exact = np.float32 if largest < _EXACT_FLOAT32 else np.float64
            return _Units(parts.astype(exact), size, np.zeros(values.shape[1]), [])
    mean = weight @ values / len(values)
    parts, size = _add_up(weight[:, None] * (values - mean), weight, clusters)
    # A power of two, so that single precision neither overflows nor vanishes.
    exponent = -int(np.frexp(np.abs(parts).max(initial=0.0))[1])
    scaled = np.ldexp(parts, exponent).astype(np.float32)
    return _Units(scaled, np.ldexp(size, exponent), mean, find_copies(values, mean))


def _add_up(
    parts: NDArray[np.float64], size: NDArray[np.float64], clusters: NDArray[np.int64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rows, or their sums over clusters."""
    if clusters is None:
        return parts, size
    _, code = np.unique(clusters, return_inverse=True)
    groups = int(code.max()) + 1
    sums = np.zeros((groups, parts.shape[1]))
    np.add.at(sums, code, parts)
    return sums, np.asarray(np.bincount(code, weights=size), dtype=np.float64)

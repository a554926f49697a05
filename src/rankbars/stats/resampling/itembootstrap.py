"""Bootstrap over the items of one task: draws of all scores, and bands of ranks.

A band of ranks is a description, not a confidence interval: resampled means of models that are
truly tied take random orders, and the band concentrates around the middle of the tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError, OptionError
from rankbars.stats.newtask.guarantees import Rate
from rankbars.stats.pairwise.scorerows import find_copies, find_lattice
from rankbars.stats.ranks import RankBounds
from rankbars.stats.resampling.distributions import (
    CHUNK,
    Streams,
    chunk_sizes,
    count_blocks,
    draw_counts,
)
from rankbars.stats.resampling.rankcounts import rank_band
from rankbars.stats.streams import stream

__all__ = [
    "bootstrap_band",
    "bootstrap_means",
]

_EXACT_FLOAT32 = 2**24
_FEWEST_ROWS = 2

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


def bootstrap_band(
    values: NDArray[np.float64],
    *,
    alpha: Rate = 0.05,
    draws: int = 1_000,
    seed: int = 0,
    key: tuple[str, ...] = (),
) -> RankBounds:
    """Central band of the ranks that each model takes over bootstrap resamples of the rows.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Finite scores of M models on n independent rows, higher is better; nothing missing.
    alpha : float, str, Fraction or Decimal
        Share of the resamples outside the band, both ends together; read as an exact decimal.
    draws : int
        Resamples B, at least 1.
    seed : int
        Seed of the resamples.
    key : tuple of str
        What the resamples are for, such as the name of the task.

    Returns
    -------
    RankBounds
        Of the B ranks of a model the ``floor(B alpha / 2)``-th smallest (at least the first) and
        the ``ceil(B (1 - alpha / 2))``-th; shape (M,). With a single row all ranks.

    Raises
    ------
    OptionError
        If `alpha` is not between 0 and 1, or `draws` is below 1.
    DataError
        If a score is missing.

    Notes
    -----
    **Not a confidence interval under ties.**
    Thirty models that are all equal are covered by their 95 % bands in less than 5 % of
    experiments, and more resamples do not help.
    The same rows are drawn for all models; equal means are put in random order.

    References
    ----------
    Neuhof and Benjamini 2026, Algorithm 3 (their baseline).

    Examples
    --------
    >>> scores = np.array([[0.9, 0.8, 0.1], [0.7, 0.8, 0.2], [0.8, 0.9, 0.1], [0.9, 0.6, 0.3]])
    >>> band = bootstrap_band(scores)
    >>> band.best.tolist(), band.worst.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    if draws < 1:
        raise OptionError.out_of_range("draws", draws, "at least 1")
    values = np.asarray(values, dtype=np.float64)
    n, n_models = values.shape
    if np.isnan(values).any():
        raise DataError(
            "The bootstrap rank band needs every model's score on every row; some are missing. "
            "Keep complete rows only, or use a rank confidence interval."
        )
    if n < _FEWEST_ROWS:
        return RankBounds(np.ones(n_models, np.int64), np.full(n_models, n_models, np.int64))
    scores, copies = _exact_scores(values)
    counts = np.zeros((n_models, n_models), dtype=np.int64)
    for number, used in enumerate(chunk_sizes(draws)):
        rng = stream(seed, *key, "bootstrap band", number)
        sums = draw_counts(rng, n, CHUNK).astype(scores.dtype) @ scores
        for group in copies:
            sums[:, group] = sums[:, group[:1]]
        _add_ranks(counts, sums[:used], rng)
    return rank_band(counts / draws, draws, alpha)


def _exact_scores(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.floating], list[NDArray[np.intp]]]:
    """Scores whose sums keep ties, with any constant taken off the rows, and equal columns.

    Whole multiples of one step are summed without rounding. For other scores only equal columns
    can be expected to tie.
    """
    lattice = find_lattice(values)
    if lattice is not None:
        exact = lattice.reach * len(values) < _EXACT_FLOAT32
        return lattice.steps.astype(np.float32 if exact else np.float64), []
    centred = values - values.mean(axis=1, keepdims=True)
    return centred, find_copies(values, values.sum(axis=0))


def _add_ranks(
    counts: NDArray[np.int64], sums: NDArray[np.floating], rng: np.random.Generator
) -> None:
    """Add the ranks of each resample to the histogram ``counts[model, rank - 1]``, in place."""
    n_models = counts.shape[0]
    # A random order of the models, kept by a stable sort, is a random order among equals.
    shuffled = rng.permuted(np.tile(np.arange(n_models), (len(sums), 1)), axis=1)
    order = np.argsort(-np.take_along_axis(sums, shuffled, axis=1), axis=1, kind="stable")
    model = np.take_along_axis(shuffled, order, axis=1)
    cells = model * n_models + np.arange(n_models)
    counts += np.bincount(cells.reshape(-1), minlength=counts.size).reshape(counts.shape)

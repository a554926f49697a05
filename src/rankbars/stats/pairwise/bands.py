"""Bootstrap rank band: where the rank of each model falls when the rows are resampled.

A description, not a confidence interval: resampled means of models that are truly tied take
random orders, and the band concentrates around the middle of the tie.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError, OptionError
from rankbars.stats.newtask.guarantees import Rate, exact_rate
from rankbars.stats.pairwise.centring import find_copies
from rankbars.stats.pairwise.lattice import find_lattice
from rankbars.stats.ranks import RankBounds
from rankbars.stats.streams import stream

__all__ = ["DRAWS_PER_CHUNK", "bootstrap_band"]

DRAWS_PER_CHUNK = 256
"""Resamples per stream of random numbers; part of the method, never tuned to the machine."""

_FEWEST_ROWS = 2
_EXACT_FLOAT32 = 2**24


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
    tail = exact_rate(alpha) / 2
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
    for number in range(math.ceil(draws / DRAWS_PER_CHUNK)):
        rng = stream(seed, *key, "bootstrap band", number)
        weights = _draw_weights(rng, n).astype(scores.dtype)
        sums = weights @ scores
        for group in copies:
            sums[:, group] = sums[:, group[:1]]
        used = min(DRAWS_PER_CHUNK, draws - number * DRAWS_PER_CHUNK)
        _add_ranks(counts, sums[:used], rng)
    reached = np.cumsum(counts, axis=1)
    first = max(1, math.floor(draws * tail))
    last = math.ceil(draws * (1 - tail))
    return RankBounds(
        best=1 + np.count_nonzero(reached < first, axis=1).astype(np.int64),
        worst=1 + np.count_nonzero(reached < last, axis=1).astype(np.int64),
    )


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


def _draw_weights(rng: np.random.Generator, n: int) -> NDArray[np.int64]:
    """How often each row is drawn in each resample of a chunk, shape (256, n)."""
    picks = rng.integers(0, n, size=(DRAWS_PER_CHUNK, n))
    picks += n * np.arange(DRAWS_PER_CHUNK)[:, None]
    counts = np.bincount(picks.reshape(-1), minlength=DRAWS_PER_CHUNK * n)
    return np.asarray(counts.reshape(DRAWS_PER_CHUNK, n))


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

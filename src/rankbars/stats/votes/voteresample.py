"""Strengths of resampled votes, and normal draws in their place.

Resampling votes means multinomial counts on the cells (row and outcome); resampling clusters
means whole clusters with replacement. Each resample is fitted again from the full fit by chord
Newton: steps with one fixed inverse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.streams import stream
from rankbars.stats.votes.voteclusters import ClusterCounts
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.voterefit import Refitter, prepare_refits, refit
from rankbars.stats.votes.voterows import VoteCounts

__all__ = [
    "VoteDraws",
    "bootstrap_clusters",
    "bootstrap_votes",
    "check_unit_weights",
    "draw_strengths",
]

Array = NDArray[np.float64]

CHUNK = 32
"""Draws per stream of random numbers; part of the method."""


class VoteDraws(NamedTuple):
    """Strengths of resampled votes.

    Attributes
    ----------
    strength : ndarray, shape (S, M)
        Log strengths with sum zero, one row per resample that has a fit.
    without_fit : int
        Resamples that put no finite strength on some model, and have no row.
    """

    strength: Array
    without_fit: int


def bootstrap_votes(
    counts: VoteCounts, fit: VoteFit, n_draws: int, seed: int, key: tuple[str | int, ...] = ()
) -> VoteDraws:
    """Strengths of votes drawn with replacement.

    Parameters
    ----------
    counts : VoteCounts
        The votes that were fitted, each counting once.
    fit : VoteFit
        Their fit.
    n_draws : int
        Resamples.
    seed : int
        Seed of the analysis.
    key : tuple of str and int
        What the numbers are for.

    Returns
    -------
    VoteDraws
        Up to `n_draws` rows. The point estimate stays that of the full votes.

    Raises
    ------
    DataError
        If votes are weighted: cells do not know single votes then; resample clusters.

    Examples
    --------
    >>> from rankbars.stats.votes.bradleyterry import fit_bradley_terry
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> counts = from_matrices([[0, 30], [20, 0]])
    >>> draws = bootstrap_votes(counts, fit_bradley_terry(counts), 200, seed=0)
    >>> draws.strength.shape, draws.without_fit
    ((200, 2), 0)
    """
    check_unit_weights(counts)
    refitter = prepare_refits(counts, fit)
    cells = np.flatnonzero(counts.weight)
    votes = counts.weight.ravel()[cells]
    total = round(votes.sum())

    def resample(rng: np.random.Generator, size: int) -> Iterator[Array]:
        for drawn in rng.multinomial(total, votes / votes.sum(), size=size):
            weight = np.zeros(counts.weight.size)
            weight[cells] = drawn
            yield weight.reshape(counts.weight.shape)

    return _collect(refitter, resample, n_draws, seed, (*key, "votes"))


def bootstrap_clusters(
    clusters: ClusterCounts, fit: VoteFit, n_draws: int, seed: int, key: tuple[str | int, ...] = ()
) -> VoteDraws:
    """Strengths of clusters of votes drawn with replacement.

    Parameters
    ----------
    clusters : ClusterCounts
        The votes that were fitted, by cluster; weights are allowed.
    fit, n_draws, seed, key
        As in `bootstrap_votes`.

    Returns
    -------
    VoteDraws
        Up to `n_draws` rows.

    Raises
    ------
    DataError
        If there are fewer than two clusters.

    Examples
    --------
    >>> from rankbars.stats.votes.bradleyterry import fit_bradley_terry
    >>> from rankbars.stats.votes.voteclusters import count_clustered_votes
    >>> outcome = [0, 2, 0, 1] * 10
    >>> clusters = count_clustered_votes([0] * 40, [1] * 40, outcome, np.arange(40) // 2, 2)
    >>> draws = bootstrap_clusters(clusters, fit_bradley_terry(clusters.counts), 50, seed=0)
    >>> draws.strength.shape, draws.without_fit
    ((50, 2), 0)
    """
    n_clusters = clusters.n_clusters
    if n_clusters < 2:
        raise DataError(f"Drawing clusters needs at least 2 of them; got {n_clusters}.")
    n_rows = clusters.counts.first.size

    def resample(rng: np.random.Generator, size: int) -> Iterator[Array]:
        for drawn in rng.integers(0, n_clusters, (size, n_clusters)):
            times = np.bincount(drawn, minlength=n_clusters)[clusters.cluster]
            yield np.stack(
                [np.bincount(clusters.row, outcome * times, n_rows) for outcome in clusters.weight]
            )

    return _collect(
        prepare_refits(clusters.counts, fit), resample, n_draws, seed, (*key, "clusters")
    )


def draw_strengths(
    strength: Array,
    covariance: Array,
    n_draws: int,
    seed: int,
    key: tuple[str | int, ...] = (),
) -> Array:
    """Normal draws around fitted strengths.

    Parameters
    ----------
    strength : ndarray, shape (M,)
        Fitted strengths.
    covariance : ndarray, shape (M, M)
        Their covariance.
    n_draws, seed, key
        As in `bootstrap_votes`.

    Returns
    -------
    ndarray, shape (S, M)
        Draws; they need no refit and agree with the bootstrap for large boards.

    Examples
    --------
    >>> draw_strengths(np.zeros(2), np.array([[1.0, -1.0], [-1.0, 1.0]]), 3, 0).sum(axis=1).round(9)
    array([0., 0., 0.])
    """
    size, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(size, 0.0))
    draws = np.empty((n_draws, strength.size))
    for chunk, start in enumerate(range(0, n_draws, CHUNK)):
        rows = draws[start : start + CHUNK]
        noise = stream(seed, *key, "normal", chunk).standard_normal((CHUNK, strength.size))
        rows[:] = strength + noise[: rows.shape[0]] @ root.T
    return draws


def check_unit_weights(counts: VoteCounts) -> None:
    """Refuse weighted votes where single votes have to be drawn."""
    whole = np.array_equal(counts.weight, np.round(counts.weight))
    if not (whole and np.array_equal(counts.weight, counts.squared)):
        raise DataError(
            "Drawing single votes needs votes that count once each; these have weights. Use the "
            "sandwich covariance, or draw clusters."
        )


def _collect(
    refitter: Refitter,
    resample: Callable[[np.random.Generator, int], Iterator[Array]],
    n_draws: int,
    seed: int,
    key: tuple[str | int, ...],
) -> VoteDraws:
    """Strengths of all resamples, chunk by chunk."""
    size = refitter.counts.n_models
    strengths = []
    for chunk, start in enumerate(range(0, n_draws, CHUNK)):
        drawn = resample(stream(seed, *key, chunk), CHUNK)
        for _, weight in zip(range(min(CHUNK, n_draws - start)), drawn, strict=False):
            point = refit(refitter, weight)
            if point is not None:
                strengths.append(point[:size] - point[:size].mean())
    return VoteDraws(np.reshape(strengths, (-1, size)), n_draws - len(strengths))

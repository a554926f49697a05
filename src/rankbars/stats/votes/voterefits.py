"""Strengths of resampled or simulated votes, fitted again by chord Newton.

Such votes differ little from the full ones, so that one fixed inverse, that of the full fit,
serves all of them; what does not settle that way is fitted from the start. Resampling votes means
multinomial counts on the cells (row and outcome); resampling clusters means whole clusters with
replacement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.drawncounts import draw_multinomials
from rankbars.stats.streams import stream
from rankbars.stats.votes.connectivity import link_models, not_lost_graph, strongly_connected
from rankbars.stats.votes.likelihood import (
    Design,
    collect_slopes,
    lay_out,
    predict_rows,
    split_parameters,
)
from rankbars.stats.votes.voteclusters import ClusterCounts
from rankbars.stats.votes.votecounts import LOSS, TIE, WIN, VoteCounts
from rankbars.stats.votes.votecovariance import model_covariance
from rankbars.stats.votes.votefit import VoteFit, fit_votes, join_parameters, win_totals

__all__ = [
    "Refitter",
    "VoteDraws",
    "bootstrap_clusters",
    "bootstrap_votes",
    "check_unit_weights",
    "prepare_refits",
    "refit",
]

Array = NDArray[np.float64]

_MOST_STEPS = 30
_GRADIENT = 1e-8


class Refitter(NamedTuple):
    """What every refit of changed counts on the same rows shares.

    Attributes
    ----------
    counts : VoteCounts
        The full votes.
    fit : VoteFit
        Their fit.
    design : Design
        Their rows.
    inverse : ndarray, shape (D, D)
        Covariance from the model at the full fit: the fixed inverse of the chord steps.
    forward, backward : ndarray of intp
        Rows where the first model, and where the second, has to stay "has beaten or tied" so that
        the models certainly stay connected.
    """

    counts: VoteCounts
    fit: VoteFit
    design: Design
    inverse: Array
    forward: NDArray[np.intp]
    backward: NDArray[np.intp]


def prepare_refits(counts: VoteCounts, fit: VoteFit) -> Refitter:
    """What every refit shares.

    Parameters
    ----------
    counts : VoteCounts
        The full votes.
    fit : VoteFit
        Their fit.

    Returns
    -------
    Refitter
        For `refit`.

    Examples
    --------
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> counts = from_matrices([[0, 3], [1, 0]])
    >>> refitter = prepare_refits(counts, fit_bradley_terry(counts))
    >>> float(np.diff(refit(refitter, np.array([[1.0], [0.0], [3.0]]))).round(6)[0])
    1.098612
    >>> refit(refitter, np.array([[4.0], [0.0], [0.0]])) is None
    True
    """
    forward, backward = _sturdy_rows(counts)
    design = lay_out(counts, fit.outcomes.has_tie)
    return Refitter(counts, fit, design, model_covariance(fit), forward, backward)


def refit(refitter: Refitter, weight: Array) -> Array | None:
    """Parameters that fit other counts on the same rows.

    Parameters
    ----------
    refitter : Refitter
        From `prepare_refits`.
    weight : ndarray, shape (3, R)
        Counts.

    Returns
    -------
    ndarray, shape (D,), or None
        None if these counts leave a parameter without a finite value.

    Raises
    ------
    ConvergenceError
        If the fit does not converge although there is one.
    """
    counts = refitter.counts._replace(weight=weight, squared=weight)
    if not _stays_connected(refitter, counts):
        return None
    point = _step_by_chord(refitter, counts)
    if point is None:
        try:
            fit = fit_votes(counts, refitter.fit.outcomes, ridge=refitter.fit.ridge)
        except DataError:
            return None
        point = join_parameters(fit)
    return point


def _step_by_chord(refitter: Refitter, counts: VoteCounts) -> Array | None:
    """Parameters after chord steps, or None if these do not settle."""
    design, outcomes, ridge = refitter.design, refitter.fit.outcomes, refitter.fit.ridge
    size = design.n_models
    allowed = np.full(design.n_parameters, _GRADIENT * counts.weight.sum())
    allowed[:size] = _GRADIENT * win_totals(counts).max()
    point = join_parameters(refitter.fit)
    for _ in range(_MOST_STEPS):
        strength, _, tie = split_parameters(design, point)
        terms = outcomes.terms(predict_rows(design, point), tie, counts.weight)
        if not np.isfinite(terms.log_likelihood):
            return None
        gradient = collect_slopes(design, terms.slope, terms.tie_slope)
        gradient[:size] -= ridge * (strength - strength.mean())
        if (np.abs(gradient) <= allowed).all():
            return point
        point = point + refitter.inverse @ gradient
    return None


def _stays_connected(refitter: Refitter, counts: VoteCounts) -> bool:
    """Whether "has beaten or tied" is strongly connected in a resample."""
    wins, ties, losses = counts.weight
    forward, backward = refitter.forward, refitter.backward
    if (wins[forward] + ties[forward] > 0).all() and (losses[backward] + ties[backward] > 0).all():
        return True
    return strongly_connected(not_lost_graph(counts))


def _sturdy_rows(counts: VoteCounts) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows with the most votes that connect all models, for each direction.

    The largest number of votes such that the edges with at least as many connect the models.
    While all of these edges are there, nobody needs to look at the others.
    """
    ahead = counts.weight[WIN] + counts.weight[TIE]
    behind = counts.weight[LOSS] + counts.weight[TIE]
    levels = np.unique(np.concatenate([ahead, behind]))
    levels = levels[levels > 0]
    low, high = 0, levels.size - 1
    while low < high:
        middle = (low + high + 1) // 2
        rows, turned = ahead >= levels[middle], behind >= levels[middle]
        graph = link_models(
            counts.n_models,
            np.concatenate([counts.first[rows], counts.second[turned]]),
            np.concatenate([counts.second[rows], counts.first[turned]]),
        )
        low, high = (middle, high) if strongly_connected(graph) else (low, middle - 1)
    least = levels[low] if levels.size else 1.0
    return np.flatnonzero(ahead >= least), np.flatnonzero(behind >= least)


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
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
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
        for drawn in draw_multinomials(rng, np.full(size, total), votes):
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
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
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

"""Fits of other counts on the same rows, by chord Newton: steps with one fixed inverse.

Resampled or simulated votes differ little from the full ones, so that the inverse of the full fit
serves all of them. What does not settle that way is fitted from the start.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.votes.connectivity import link_models, not_lost_graph, strongly_connected
from rankbars.stats.votes.votecovariance import model_covariance
from rankbars.stats.votes.votedesign import (
    Design,
    collect_slopes,
    lay_out,
    predict_rows,
    split_parameters,
)
from rankbars.stats.votes.votefit import VoteFit, fit_votes, join_parameters, win_totals
from rankbars.stats.votes.voterows import LOSS, TIE, WIN, VoteCounts

__all__ = ["Refitter", "prepare_refits", "refit"]

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
    >>> from rankbars.stats.votes.bradleyterry import fit_bradley_terry
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

"""Influence of single votes: what a difference of strengths would be without one of them.

Each answer is one Newton step from the full fit on the votes that remain, with their own Hessian.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.votes.connectivity import not_lost_graph, strongly_connected
from rankbars.stats.votes.outcomes import RowTerms
from rankbars.stats.votes.votecounts import to_matrices
from rankbars.stats.votes.votecovariance import model_covariance
from rankbars.stats.votes.votedesign import Design, lay_out, predict_rows
from rankbars.stats.votes.votefit import VoteFit, join_parameters, tie_parameter
from rankbars.stats.votes.voterows import LOSS, WIN, VoteCounts

__all__ = ["VoteSwap", "drop_votes", "votes_to_swap"]

Array = NDArray[np.float64]


class VoteSwap(NamedTuple):
    """The fewest votes found whose removal turns two models round.

    Attributes
    ----------
    n_votes : int
        Votes to remove; 0 if none suffice.
    removed : ndarray, shape (3, R)
        Which: votes to take away from each outcome and row.
    """

    n_votes: int
    removed: Array


def drop_votes(counts: VoteCounts, fit: VoteFit, ahead: int, behind: int) -> Array:
    """Change of the difference of two strengths if one vote were not there.

    Parameters
    ----------
    counts : VoteCounts
        The votes that were fitted. A vote has the mean weight of its row and outcome.
    fit : VoteFit
        Their fit.
    ahead, behind : int
        The two models.

    Returns
    -------
    ndarray, shape (3, R)
        Change of ``strength[ahead] - strength[behind]`` for a vote of each outcome and row; NaN
        where there is no such vote, or where the models are on one scale only through it.

    Notes
    -----
    A vote changes the Hessian in one direction (two with a tie parameter), so that the step needs
    no new inverse. Source: Pregibon (1981), Annals of Statistics 9, 705-724.

    Examples
    --------
    >>> from rankbars.stats.votes.bradleyterry import fit_bradley_terry
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> counts = from_matrices([[0, 60], [40, 0]])
    >>> change = drop_votes(counts, fit_bradley_terry(counts), 0, 1)
    >>> change[:, 0].round(4).tolist(), round(float(np.log(59 / 40) - np.log(60 / 40)), 4)
    ([-0.0168, nan, 0.0253], -0.0168)
    """
    design = lay_out(counts, fit.outcomes.has_tie)
    covariance = model_covariance(fit)
    eta = predict_rows(design, join_parameters(fit))
    contrast = covariance[ahead] - covariance[behind]
    load = np.divide(
        counts.squared, counts.weight, out=np.zeros_like(counts.weight), where=counts.weight > 0
    )
    change = np.empty_like(counts.weight)
    for outcome in range(3):
        single = np.zeros_like(load)
        single[outcome] = load[outcome]
        terms = fit.outcomes.terms(eta, tie_parameter(fit), single)
        change[outcome] = _step_without(design, covariance, contrast, terms)
    change[(counts.weight == 0) | _find_bridges(counts, load)] = np.nan
    return change


def votes_to_swap(counts: VoteCounts, fit: VoteFit, ahead: int, behind: int) -> VoteSwap:
    """Fewest votes whose removal puts a model behind another.

    Parameters
    ----------
    counts : VoteCounts
        The votes that were fitted, each counting once.
    fit : VoteFit
        Their fit.
    ahead, behind : int
        The two models, the stronger first.

    Returns
    -------
    VoteSwap
        Number and votes. The changes of single votes are added up, which is close for few votes
        and an approximation for many: fit the remaining votes to be sure.

    Raises
    ------
    DataError
        If the first model is not ahead.

    Notes
    -----
    Source of the idea: Broderick, Giordano and Meager (2020), arXiv:2011.14999.

    Examples
    --------
    >>> from rankbars.stats.votes.bradleyterry import fit_bradley_terry
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> counts = from_matrices([[0, 52], [50, 0]])
    >>> votes_to_swap(counts, fit_bradley_terry(counts), 0, 1).n_votes
    3
    """
    lead = float(fit.strength[ahead] - fit.strength[behind])
    if lead <= 0:
        raise DataError(f"Model number {ahead} is not ahead of model number {behind}; swap them.")
    gain = -drop_votes(counts, fit, ahead, behind).ravel()
    cells = np.flatnonzero(gain > 0)
    cells = cells[np.argsort(-gain[cells], kind="stable")]
    votes = counts.weight.ravel()[cells]
    through = np.cumsum(votes * gain[cells])
    removed = np.zeros(gain.size)
    if not (through > lead).any():
        return VoteSwap(0, removed.reshape(counts.weight.shape))
    last = int(np.argmax(through > lead))
    removed[cells[:last]] = votes[:last]
    rest = lead - (through[last - 1] if last else 0.0)
    removed[cells[last]] = np.floor(rest / gain[cells[last]]) + 1
    return VoteSwap(round(removed.sum()), removed.reshape(counts.weight.shape))


def _step_without(design: Design, covariance: Array, contrast: Array, terms: RowTerms) -> Array:
    """Change of a contrast by one Newton step when a vote of each row goes, one at a time.

    The step is ``-c' V U (I - K U'V U)^-1 s`` with the score s and curvature K of the vote in the
    two directions U: its predictor, and the tie parameter.
    """
    spread = _row_variances(design, covariance)
    towards = predict_rows(design, contrast)
    change: Array
    if not design.has_tie:
        change = -terms.slope * towards / (1 - terms.curvature * spread)
        return change
    tie_spread, with_tie = covariance[-1, -1], predict_rows(design, covariance[-1])
    k, x, t = terms.curvature, terms.cross, terms.tie_curvature
    b11, b12 = 1 - k * spread - x * with_tie, -k * with_tie - x * tie_spread
    b21, b22 = -x * spread - t * with_tie, 1 - x * with_tie - t * tie_spread
    first = b22 * terms.slope - b12 * terms.tie_slope
    second = b11 * terms.tie_slope - b21 * terms.slope
    change = -(towards * first + contrast[-1] * second)
    change /= b11 * b22 - b12 * b21
    return change


def _row_variances(design: Design, covariance: Array) -> Array:
    """Variance of each row's predictor."""
    variance, a, b = covariance.diagonal(), design.first, design.second
    total: Array = variance[a] + variance[b] - 2 * covariance[a, b]
    if design.n_effects:
        effects = slice(design.n_models, design.n_models + design.n_effects)
        x = design.covariates
        total = total + 2 * ((covariance[a, effects] - covariance[b, effects]) * x).sum(axis=1)
        total = total + ((x @ covariance[effects, effects]) * x).sum(axis=1)
    return total


def _find_bridges(counts: VoteCounts, load: Array) -> NDArray[np.bool_]:
    """Outcomes and rows whose only vote keeps the models on one scale."""
    wins, ties = to_matrices(counts)
    kept = wins + ties
    first, second = counts.first, counts.second
    present = counts.weight > 0
    forward = present & (load >= kept[first, second] * (1 - 1e-9))
    backward = present & (load >= kept[second, first] * (1 - 1e-9))
    forward[LOSS] = backward[WIN] = False
    linked = (kept > 0).astype(np.float64)
    # A way round through a third model replaces a lost edge.
    detour = linked @ linked
    doubtful = (forward & (detour[first, second] == 0)) | (backward & (detour[second, first] == 0))
    bridges = np.zeros(load.shape, dtype=bool)
    for outcome, row in zip(*np.nonzero(doubtful), strict=True):
        left = counts.weight.copy()
        left[outcome, row] -= load[outcome, row]
        left[left <= 1e-9 * load.max()] = 0.0
        bridges[outcome, row] = not strongly_connected(not_lost_graph(counts._replace(weight=left)))
    return bridges

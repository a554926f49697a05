"""Influence: what strengths would be without one vote, one voter, one judge or one prompt.

Each answer is one Newton step from the full fit on the votes that remain, with their own Hessian.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.blocks import row_blocks
from rankbars.stats.votes.connectivity import not_lost_graph, strongly_connected
from rankbars.stats.votes.likelihood import (
    Design,
    RowTerms,
    collect_products,
    collect_slopes,
    lay_out,
    predict_rows,
)
from rankbars.stats.votes.newton import factorise, solve
from rankbars.stats.votes.voteclusters import ClusterCounts
from rankbars.stats.votes.votecounts import LOSS, WIN, VoteCounts, to_matrices
from rankbars.stats.votes.votecovariance import cluster_scores, model_covariance
from rankbars.stats.votes.votefit import VoteFit, fix_gauge, join_parameters, tie_parameter

__all__ = [
    "VoteSwap",
    "drop_clusters",
    "drop_votes",
    "screen_clusters",
    "votes_to_swap",
]

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
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
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
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
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


def _ways_round(counts: VoteCounts) -> tuple[Array, Array]:
    """Votes that i did not lose against j, and ways from i to j through a third model, (M, M)."""
    wins, ties = to_matrices(counts)
    linked = (wins + ties > 0).astype(np.float64)
    return wins + ties, linked @ linked


def _find_bridges(counts: VoteCounts, load: Array) -> NDArray[np.bool_]:
    """Outcomes and rows whose only vote keeps the models on one scale."""
    kept, detour = _ways_round(counts)
    first, second = counts.first, counts.second
    present = counts.weight > 0
    forward = present & (load >= kept[first, second] * (1 - 1e-9))
    backward = present & (load >= kept[second, first] * (1 - 1e-9))
    forward[LOSS] = backward[WIN] = False
    # A way round through a third model replaces a lost edge.
    doubtful = (forward & (detour[first, second] == 0)) | (backward & (detour[second, first] == 0))
    bridges = np.zeros(load.shape, dtype=bool)
    for outcome, row in zip(*np.nonzero(doubtful), strict=True):
        left = counts.weight.copy()
        left[outcome, row] -= load[outcome, row]
        left[left <= 1e-9 * load.max()] = 0.0
        bridges[outcome, row] = not strongly_connected(not_lost_graph(counts._replace(weight=left)))
    return bridges


def drop_clusters(
    clusters: ClusterCounts, fit: VoteFit, which: NDArray[np.intp] | None = None
) -> Array:
    """Change of all strengths if one cluster of votes were not there.

    Parameters
    ----------
    clusters : ClusterCounts
        The votes that were fitted, by cluster: voter, judge, prompt.
    fit : VoteFit
        Their fit.
    which : ndarray of intp, optional
        Clusters to drop, one at a time; by default each.

    Returns
    -------
    ndarray, shape (G, M)
        One row per cluster of `which`; NaN where the other votes do not put all models on one
        scale.

    Examples
    --------
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
    >>> from rankbars.stats.votes.voteclusters import count_clustered_votes
    >>> outcome = [0, 0, 2] * 20 + [0] * 3
    >>> voters = ["many"] * 60 + ["fan"] * 3
    >>> clusters = count_clustered_votes([0] * 63, [1] * 63, outcome, voters, 2)
    >>> change = drop_clusters(clusters, fit_bradley_terry(clusters.counts))
    >>> change[0].round(3).tolist(), bool(np.isnan(change[1]).all())
    ([-0.037, 0.037], True)
    """
    design = lay_out(clusters.counts, fit.outcomes.has_tie)
    numbers = np.arange(clusters.n_clusters) if which is None else which
    starts = np.searchsorted(clusters.cluster, np.arange(clusters.n_clusters + 1))
    eta = predict_rows(design, join_parameters(fit))
    covariance = model_covariance(fit)
    changes = np.full((numbers.size, design.n_models), np.nan)
    for change, number in zip(changes, numbers, strict=True):
        cells = slice(starts[number], starts[number + 1])
        rows = clusters.row[cells]
        weight = clusters.weight[:, cells].astype(np.float64)
        if not _stays_connected_without(clusters.counts, rows, weight):
            continue
        part = design._replace(
            first=design.first[rows],
            second=design.second[rows],
            pair=design.pair[rows],
            covariates=design.covariates[rows],
        )
        terms = fit.outcomes.terms(eta[rows], tie_parameter(fit), weight)
        if _few_rows(rows.size, design):
            step = _solve_small(part, covariance, terms)
        else:
            step = _solve_large(part, fit, terms)
        change[:] = step[: design.n_models]
    return changes


def screen_clusters(clusters: ClusterCounts, fit: VoteFit, most: int) -> NDArray[np.intp]:
    """Clusters without which strengths may change most, and those that may hold models together.

    Parameters
    ----------
    clusters : ClusterCounts
        The votes that were fitted, by cluster.
    fit : VoteFit
        Their fit.
    most : int
        Clusters wanted by their first-order influence; at most as many again hold a pair of models
        together by themselves, which has no influence to first order.

    Returns
    -------
    ndarray of intp
        Numbers of clusters, ascending.

    Notes
    -----
    To first order strengths change by the inverse Hessian times the score of the cluster, which is
    one sparse product for all: linear in the cells, times the number of models.

    Examples
    --------
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
    >>> from rankbars.stats.votes.voteclusters import count_clustered_votes
    >>> outcome = [0, 0, 2] * 20 + [0, 0] + [0] * 9
    >>> voters = ["many"] * 60 + ["few"] * 2 + ["fan"] * 9
    >>> clusters = count_clustered_votes([0] * 71, [1] * 71, outcome, voters, 2)
    >>> screen_clusters(clusters, fit_bradley_terry(clusters.counts), 1).tolist()
    [2]
    """
    scores, number = cluster_scores(clusters, fit), clusters.n_clusters
    towards = np.ascontiguousarray(model_covariance(fit)[:, : fit.strength.size])
    largest = np.empty(number)
    for part in row_blocks(number, fit.strength.size, _CELLS):
        largest[part] = np.abs(scores[part] @ towards).max(axis=1, initial=0.0)
    most = min(most, number)
    chosen = np.argpartition(-largest, most - 1)[:most] if most else np.empty(0, dtype=np.intp)
    holding = _holding_together(clusters)[:most]
    return np.union1d(chosen, holding).astype(np.intp)


_CELLS = 1 << 22  # clusters times models that are worked on at once


def _holding_together(clusters: ClusterCounts) -> NDArray[np.intp]:
    """Clusters that alone say of two models that one did not lose, where few ways lead round.

    Each vote that goes breaks at most one way through a third model.
    """
    kept, detours = _ways_round(clusters.counts)
    row, cluster = clusters.row, clusters.cluster.astype(np.int64)
    first, second = clusters.counts.first[row], clusters.counts.second[row]
    ways = [
        (first, second, clusters.weight[WIN] + clusters.weight[1]),
        (second, first, clusters.weight[LOSS] + clusters.weight[1]),
    ]
    alone = []
    for a, b, load in ways:
        gone = (load > 0) & (load >= kept[a, b] * (1 - 1e-9))
        alone.append((cluster[gone], detours[a[gone], b[gone]]))
    owner = np.concatenate([one for one, _ in alone])
    left = np.concatenate([two for _, two in alone])
    number = np.bincount(owner, minlength=clusters.n_clusters)
    doubtful = owner[left < number[owner]]
    return np.asarray(np.unique(doubtful), dtype=np.intp)


def _few_rows(n_rows: int, design: Design) -> bool:
    """Whether solving among the rows is less work than among the parameters."""
    return n_rows < design.n_parameters // 2


def _solve_small(part: Design, covariance: Array, terms: RowTerms) -> Array:
    """Newton step without a few rows, through the space of their predictors."""
    size, n_effects = part.n_models, part.n_effects
    reached = covariance[:, part.first] - covariance[:, part.second]
    reached = reached + covariance[:, size : size + n_effects] @ part.covariates.T
    curvature, score = np.diag(terms.curvature), terms.slope
    if part.has_tie:
        reached = np.column_stack([reached, covariance[:, -1]])
        border, corner = terms.cross[:, None], terms.tie_curvature.sum()
        curvature = np.block([[curvature, border], [border.T, np.array([[corner]])]])
        score = np.append(score, terms.tie_slope.sum())
    inner = np.stack([predict_rows(part, column) for column in reached.T], axis=1)
    if part.has_tie:
        inner = np.vstack([inner, reached[-1]])
    step: Array = -reached @ np.linalg.solve(np.eye(score.size) - curvature @ inner, score)
    return step


def _solve_large(part: Design, fit: VoteFit, terms: RowTerms) -> Array:
    """Newton step without many rows, through the Hessian of the rest."""
    lost = collect_products(part, terms.curvature, terms.cross, terms.tie_curvature)
    factor = factorise(fix_gauge(fit.information - lost, part.n_models))
    return solve(factor, -collect_slopes(part, terms.slope, terms.tie_slope))


def _stays_connected_without(counts: VoteCounts, rows: NDArray[np.integer], weight: Array) -> bool:
    """Whether the votes left over put all models on one scale."""
    rest = counts.weight[:, rows] - weight
    # Sums of weights leave rounding behind where nothing should be left.
    rest[rest <= 1e-9 * counts.weight[:, rows]] = 0.0
    if (rest > 0).sum() == (counts.weight[:, rows] > 0).sum():
        return True
    left = counts.weight.copy()
    left[:, rows] = rest
    return strongly_connected(not_lost_graph(counts._replace(weight=left)))

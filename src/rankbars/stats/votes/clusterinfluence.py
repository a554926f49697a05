"""Influence of clusters of votes: what strengths would be without one voter, judge or prompt.

Each answer is one Newton step from the full fit on the votes that remain, with their own Hessian.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.votes.connectivity import not_lost_graph, strongly_connected
from rankbars.stats.votes.newton import factorise, solve
from rankbars.stats.votes.outcomes import RowTerms
from rankbars.stats.votes.voteclusters import ClusterCounts
from rankbars.stats.votes.votecovariance import model_covariance
from rankbars.stats.votes.votedesign import (
    Design,
    collect_products,
    collect_slopes,
    lay_out,
    predict_rows,
)
from rankbars.stats.votes.votefit import VoteFit, fix_gauge, join_parameters, tie_parameter
from rankbars.stats.votes.voterows import VoteCounts

__all__ = ["drop_clusters"]

Array = NDArray[np.float64]


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
    >>> from rankbars.stats.votes.bradleyterry import fit_bradley_terry
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

"""Covariance of fitted strengths: from the model, from single votes, from clusters of votes.

Strengths are a mean over votes, too, of rows that are the fit and what one vote pulls at it: what
is known of means of rows is known of strengths, such as how votes of a judge correct them.

Every matrix is of size D, in the order strengths, effects, tie parameter. Rows and columns of the
strengths sum to zero. Compare models by contrasts, ``V_ii + V_jj - 2 V_ij``: the variance of
one strength depends on the centring.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from scipy.sparse import csr_array
from scipy.special import expit

from rankbars.errors import DataError
from rankbars.stats.votes.likelihood import (
    Design,
    collect_products,
    lay_out,
    mirror_upper,
    predict_rows,
)
from rankbars.stats.votes.newton import factorise
from rankbars.stats.votes.voteclusters import ClusterCounts, split_clusters
from rankbars.stats.votes.votecounts import VoteCounts, merge_rows
from rankbars.stats.votes.votefit import (
    VoteFit,
    fix_gauge,
    gauge_constant,
    join_parameters,
    tie_parameter,
)
from rankbars.stats.votes.votemodels import fit_bradley_terry

__all__ = [
    "cluster_covariance",
    "cluster_scores",
    "model_covariance",
    "sandwich_covariance",
    "strength_rows",
]

Array = NDArray[np.float64]

_SPARSE_COST = 500.0
"""Work of one product in a sparse sum, in products of a dense one."""

_BLOCK = 2**17
"""Scores of clusters that are laid out at once: they stay in the cache."""

_LARGE_LEVERAGE = 0.5
"""Below it the sum of eigenvalues stands for the largest."""

_WHOLE_LEVERAGE = 1.0 - 1e-9
"""Without a voter of so much leverage there is no fit."""


def model_covariance(fit: VoteFit) -> Array:
    """Inverse of the information: right if the model is.

    Parameters
    ----------
    fit : VoteFit
        A fit.

    Returns
    -------
    ndarray, shape (D, D)
        Moore-Penrose inverse of ``fit.information``.

    Notes
    -----
    With ties as half wins it is too large: votes with ties vary less than the model says.

    Examples
    --------
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> fit = fit_bradley_terry(from_matrices([[0, 8], [2, 0]]))
    >>> lead = np.array([1, -1])
    >>> round(float(lead @ model_covariance(fit) @ lead), 9), 1 / 8 + 1 / 2
    (0.625, 0.625)
    """
    size = fit.strength.size
    constant = gauge_constant(fit.information, size)
    factor = factorise(fix_gauge(fit.information.copy(), size))
    inverse = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
    covariance = mirror_upper(np.ascontiguousarray(inverse.T))
    covariance[:size, :size] -= 1 / (constant * max(size, 1) ** 2)
    return covariance


def sandwich_covariance(counts: VoteCounts, fit: VoteFit) -> Array:
    """Covariance that holds whatever the distribution of the outcomes, for independent votes.

    Parameters
    ----------
    counts : VoteCounts
        The votes that were fitted.
    fit : VoteFit
        Their fit.

    Returns
    -------
    ndarray, shape (D, D)
        ``V B V`` with the model covariance V and B the sum over votes of the outer product of
        their score, weights squared.

    Notes
    -----
    Where the outcome model does not hold it is the covariance of the estimate of the strengths
    that fit best. Source: Huber (1967); White (1982), Econometrica 50, 1-25.

    Examples
    --------
    Two models, three wins, one loss, one tie: the mean of 1, 1, 1, 1/2, 0 is .7, its variance .16.

    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> counts = from_matrices([[0, 3], [1, 0]], [[0, 1], [1, 0]])
    >>> lead = np.array([1, -1])
    >>> variance = lead @ sandwich_covariance(counts, fit_bradley_terry(counts)) @ lead
    >>> round(float(variance), 9), round(0.16 / 5 / (0.7 * 0.3) ** 2, 9)
    (0.725623583, 0.725623583)
    """
    design = lay_out(counts, fit.outcomes.has_tie)
    slope, tie_slope = _outcome_scores(design, fit)
    meat = collect_products(
        design,
        (counts.squared * slope**2).sum(axis=0),
        (counts.squared * slope * tie_slope).sum(axis=0),
        (counts.squared * tie_slope**2).sum(axis=0),
    )
    bread = model_covariance(fit)
    return _symmetric(bread @ mirror_upper(meat) @ bread)


def cluster_covariance(clusters: ClusterCounts, fit: VoteFit) -> Array:
    """Covariance for votes that depend on each other within clusters.

    Parameters
    ----------
    clusters : ClusterCounts
        The votes that were fitted, by cluster: voter, prompt or conversation.
    fit : VoteFit
        Their fit.

    Returns
    -------
    ndarray, shape (D, D)
        ``G / (G - 1)`` times ``V (sum over clusters of s s') V``, s the sum of the scores of a
        cluster. Its rank is below G: with fewer clusters than models some contrasts are lost.

    Raises
    ------
    DataError
        If there are fewer than two clusters.

    Notes
    -----
    Source: Liang and Zeger (1986), Biometrika 73, 13-22.

    Examples
    --------
    With one vote per cluster it is the sandwich times ``G / (G - 1)``.

    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
    >>> from rankbars.stats.votes.voteclusters import count_clustered_votes
    >>> votes = [0, 0, 1, 1], [1, 1, 0, 0], [0, 2, 1, 0]
    >>> clusters = count_clustered_votes(*votes, [0, 1, 2, 3], 2)
    >>> fit = fit_bradley_terry(clusters.counts)
    >>> ratio = cluster_covariance(clusters, fit) / sandwich_covariance(clusters.counts, fit)
    >>> round(float(ratio[0, 0]), 9)
    1.333333333
    """
    n_clusters = clusters.n_clusters
    if n_clusters < 2:
        raise DataError(
            f"Variation between clusters needs at least 2 of them; got {n_clusters}. Use the "
            "covariance for independent votes, or clusters of another kind."
        )
    bread = model_covariance(fit)
    return _symmetric(bread @ _sum_of_squares(clusters, fit) @ bread) * (
        n_clusters / (n_clusters - 1)
    )


def _outcome_scores(design: Design, fit: VoteFit) -> tuple[Array, Array]:
    """Derivatives of the log-probability of each outcome of each row, at the fit.

    Parameters
    ----------
    design : Design
        Rows.
    fit : VoteFit
        A fit.

    Returns
    -------
    slope, tie_slope : ndarray, shape (3, R)
        In the predictor, and in the tie parameter.
    """
    eta = predict_rows(design, join_parameters(fit))
    return fit.outcomes.scores(eta, tie_parameter(fit))


def cluster_scores(clusters: ClusterCounts, fit: VoteFit) -> csr_array:
    """Score of each cluster: the gradient of its share of the log-likelihood.

    Parameters
    ----------
    clusters : ClusterCounts
        Votes by cluster.
    fit : VoteFit
        Their fit.

    Returns
    -------
    sparse array, shape (G, D)
        Rows add up to zero for a fit without ridge.
    """
    design = lay_out(clusters.counts, fit.outcomes.has_tie)
    places, values = _scores_of_cells(clusters, design, _outcome_scores(design, fit), slice(None))
    cluster = np.tile(clusters.cluster, len(values))
    shape = (clusters.n_clusters, design.n_parameters)
    return csr_array((np.concatenate(values), (cluster, np.concatenate(places))), shape=shape)


def _scores_of_cells(
    clusters: ClusterCounts, design: Design, slopes: tuple[Array, Array], cells: slice
) -> tuple[list[NDArray[np.intp]], list[Array]]:
    """Parameters that the scores of some cells are about, and the scores."""
    row, weight = clusters.row[cells], clusters.weight[:, cells]

    def total(slope: Array) -> Array:
        found: Array = weight[0] * slope[0, row]
        for outcome in (1, 2):
            found += weight[outcome] * slope[outcome, row]
        return found

    slope = total(slopes[0])
    size = design.n_models
    values = [slope, -slope, *(slope * column for column in design.covariates[row].T)]
    places = [design.first[row], design.second[row]]
    places += [np.full(row.size, size + k) for k in range(design.n_effects)]
    if design.has_tie:
        values.append(total(slopes[1]))
        places.append(np.full(row.size, size + design.n_effects))
    return places, values


def _sum_of_squares(clusters: ClusterCounts, fit: VoteFit) -> Array:
    """Sum over clusters of the outer products of their scores, sparse or dense by what is less."""
    design = lay_out(clusters.counts, fit.outcomes.has_tie)
    size = design.n_parameters
    entries = np.bincount(clusters.cluster, minlength=clusters.n_clusters)
    entries *= 2 + design.n_effects + design.has_tie
    sparse_work = np.square(np.minimum(entries, size), dtype=np.float64).sum()
    if _SPARSE_COST * sparse_work < clusters.n_clusters * size**2:
        scores = cluster_scores(clusters, fit)
        product: Array = (scores.T @ scores).toarray()
        return product
    slopes = _outcome_scores(design, fit)
    total = np.zeros((size, size))
    for cells, cluster in split_clusters(clusters, max(1, _BLOCK // size)):
        places, values = _scores_of_cells(clusters, design, slopes, cells)
        start = cluster * size
        place = np.concatenate([start + own for own in places])
        n_clusters = int(cluster[-1]) + 1
        dense = np.bincount(place, np.concatenate(values), n_clusters * size)
        dense = dense.reshape(n_clusters, size)
        total += dense.T @ dense
    return total


def _symmetric(matrix: Array) -> Array:
    """Matrix without the rounding that tells [i, j] from [j, i]."""
    return (matrix + matrix.T) / 2


class _StrengthRows(NamedTuple):
    """A fit of votes as a mean over them.

    Attributes
    ----------
    values : ndarray of float64, shape (R, M)
        Log odds, which add up to 0 over models; the mean over rows is the fit.
    leverage : ndarray of float64, shape (R,)
        How much of a vote's own chance it decides itself, from 0 to 1.
    """

    values: NDArray[np.float64]
    leverage: NDArray[np.float64]


def strength_rows(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    result: NDArray[np.float64],
    size: int,
    voter: NDArray[np.int64] | None = None,
) -> _StrengthRows:
    """Strengths of models as the mean of one row per vote, or per voter.

    Parameters
    ----------
    first, second : ndarray of int, shape (R,)
        The two models of each vote.
    result : ndarray, shape (R,)
        What the first got of it: 1 a win, 1/2 a tie, 0 a loss, or a mean of those.
    size : int
        Number of models.
    voter : ndarray of int, shape (R,), optional
        Who gave each vote, numbered from 0: a row is all that one voter said.

    Returns
    -------
    StrengthRows
        The fit plus R times the vote's score, times the inverse information, each divided by one
        less its leverage. Their covariance over R is the sandwich covariance of the fit with
        that correction (HC3), but for terms of order 1 / R. Of V voters, the fit plus V times what
        the fit would move by without one of them, in one step of Newton's method (CR3); the
        leverage is the largest eigenvalue of a voter's information, over that of all.

    Raises
    ------
    DataError
        If the votes do not put all models on one scale.

    References
    ----------
    Efron 1982, The Jackknife, the Bootstrap and Other Resampling Plans, ch. 3 (pseudo-values).
    MacKinnon and White 1985, Journal of Econometrics 29. Bell and McCaffrey 2002, Survey
    Methodology 28 (clusters).

    Examples
    --------
    Three wins of four: the log odds are log 3.

    >>> found = strength_rows(np.zeros(4, int), np.ones(4, int), np.array([1.0, 1, 1, 0]), 2)
    >>> (found.values.mean(axis=0) @ [1, -1] / np.log(3)).round(9).item()
    1.0
    """
    won = np.zeros((3, len(result)))
    won[0], won[2] = result, 1.0 - result
    counts = merge_rows(size, first, second, won, won, np.zeros((len(result), 0)))
    fit = fit_bradley_terry(counts)
    inverse = np.linalg.inv(fix_gauge(fit.information.copy(), size))
    chance = expit(fit.strength[first] - fit.strength[second])
    pull = inverse[first] - inverse[second]
    rows = np.arange(len(result))
    leverage = chance * (1.0 - chance) * (pull[rows, first] - pull[rows, second])
    if voter is None:
        left = np.maximum(1.0 - leverage, np.finfo(float).eps)
        values = len(result) * pull * ((result - chance) / left)[:, None]
    else:
        weight = chance * (1.0 - chance)
        values, leverage = _rows_of_voters(voter, first, second, pull, weight, result - chance)
    values -= values.mean(axis=0)
    values -= values.mean(axis=1, keepdims=True)
    return _StrengthRows(values + fit.strength, leverage)


def _rows_of_voters(
    voter: NDArray[np.int64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    pull: Array,
    weight: Array,
    residual: Array,
) -> tuple[Array, Array]:
    """What leaving out each voter moves the strengths by, times the number of voters; leverages."""
    count, size = int(voter.max()) + 1, pull.shape[1]
    values, leverage = np.empty((count, size)), np.empty(count)
    ends = np.cumsum(np.bincount(voter, minlength=count))[:-1]
    for one, rows in enumerate(np.split(np.argsort(voter, kind="stable"), ends)):
        design = np.zeros((len(rows), size))
        design[np.arange(len(rows)), first[rows]] = 1.0
        design[np.arange(len(rows)), second[rows]] = -1.0
        part = pull[rows].T @ (weight[rows, None] * design)
        # The eigenvalues are not negative, and few sums of them are large.
        leverage[one] = part.trace()
        if leverage[one] > _LARGE_LEVERAGE:
            leverage[one] = np.linalg.eigvals(part).real.max()
        left = np.eye(size) - (part if leverage[one] < _WHOLE_LEVERAGE else 0.0)
        values[one] = count * np.linalg.solve(left, pull[rows].T @ residual[rows])
    return values, leverage

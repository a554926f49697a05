"""Votes that belong together: cast by one voter, about one prompt, in one conversation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError
from rankbars.stats.votes.votechecks import check_covariates, check_votes
from rankbars.stats.votes.voterows import VoteCounts, code_votes

__all__ = ["ClusterCounts", "count_clustered_votes"]


class ClusterCounts(NamedTuple):
    """Votes counted per cluster and row.

    Attributes
    ----------
    counts : VoteCounts
        All votes together.
    n_clusters : int
        Number of clusters with votes, G.
    cluster : ndarray of intp, shape (C,)
        Cluster of each cell, 0 to G - 1, ascending.
    row : ndarray of intp, shape (C,)
        Row of `counts` that the cell belongs to.
    weight : ndarray of float64, shape (3, C)
        Votes (sum of weights) of that cluster that the first model of the row won, tied, lost.
    """

    counts: VoteCounts
    n_clusters: int
    cluster: NDArray[np.intp]
    row: NDArray[np.intp]
    weight: NDArray[np.float64]


def count_clustered_votes(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    cluster: ArrayLike,
    n_models: int,
    weight: ArrayLike | None = None,
    covariates: ArrayLike | None = None,
) -> ClusterCounts:
    """Counts per cluster and pair.

    Parameters
    ----------
    first, second, outcome, n_models, weight
        As in `rankbars.stats.votes.votecounts.count_votes`.
    cluster : array_like, shape (n,)
        Cluster of each vote: numbers or names.
    covariates : array_like of float, shape (n, q), optional
        Covariates of each vote, as seen from its first model.

    Returns
    -------
    ClusterCounts
        Clusters are numbered in the sorted order of `cluster`.

    Raises
    ------
    DataError
        As for `count_votes`, and if `cluster` or `covariates` have another length.

    Examples
    --------
    >>> clusters = count_clustered_votes([0, 1, 0], [1, 0, 1], [0, 0, 1], ["x", "y", "x"], 2)
    >>> clusters.n_clusters, clusters.cluster.tolist()
    (2, [0, 1])
    >>> clusters.weight
    array([[1., 0.],
           [1., 0.],
           [0., 1.]])
    """
    a, b, coded, loads = check_votes(first, second, outcome, n_models, weight)
    columns = check_covariates(covariates, a.size)
    names, code = np.unique(np.asarray(cluster), return_inverse=True)
    if code.shape != a.shape:
        raise DataError(f"There are {a.size} votes but clusters of shape {code.shape}.")
    row, counts = code_votes(a, b, coded, n_models, loads, columns)
    cells, cell = np.unique(code * counts.first.size + row, return_inverse=True)
    place = cell * 3 + np.where(a < b, coded, 2 - coded)
    total = np.bincount(place, loads, 3 * cells.size).reshape(-1, 3).astype(np.float64)
    n_rows = max(counts.first.size, 1)
    return ClusterCounts(
        counts, names.size, cells // n_rows, cells % n_rows, np.ascontiguousarray(total.T)
    )

"""Votes that belong together: cast by one voter, about one prompt, in one conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError
from rankbars.stats.votes.votechecks import check_covariates, check_votes
from rankbars.stats.votes.voterows import VoteCounts, code_rows, code_votes

__all__ = ["ClusterCounts", "ClusterReach", "count_clustered_votes", "keep_first_of_each",
           "measure_reach"]  # fmt: skip


_ROUNDING = 1e-12


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
    given = np.asarray(cluster)
    code = code_rows([given]) if given.size else np.empty(given.shape, dtype=np.intp)
    if code.shape != a.shape:
        raise DataError(f"There are {a.size} votes but clusters of shape {code.shape}.")
    row, counts = code_votes(a, b, coded, n_models, loads, columns)
    cells, cell = np.unique(code * counts.first.size + row, return_inverse=True)
    place = cell * 3 + np.where(a < b, coded, 2 - coded)
    total = np.bincount(place, loads, 3 * cells.size).reshape(-1, 3).astype(np.float64)
    n_rows = max(counts.first.size, 1)
    n_clusters = int(code.max(initial=-1)) + 1
    return ClusterCounts(
        counts, n_clusters, cells // n_rows, cells % n_rows, np.ascontiguousarray(total.T)
    )


class ClusterReach(NamedTuple):
    """How many clusters the votes about each model come from.

    Attributes
    ----------
    number : ndarray of int64, shape (M,)
        Clusters with votes about the model.
    effective : ndarray of float64, shape (M,)
        Number of clusters with equally many votes that would be spread as evenly:
        ``(sum n)^2 / sum n^2``; 0 without votes.
    hidden : ndarray of float64, shape (M,)
        Factor by which the variance between clusters is too small, because they are compared with
        a strength that they made themselves: with shares w of the votes,
        ``sum w^2 / sum w^2 (1 - 2 w + sum w^2)``, which is ``m / (m - 1)`` for m equal shares.
        Infinite where one cluster has all votes.
    """

    number: NDArray[np.int64]
    effective: NDArray[np.float64]
    hidden: NDArray[np.float64]


def measure_reach(clusters: ClusterCounts) -> ClusterReach:
    """How many clusters the votes about each model come from.

    The variance between clusters says nothing about a model that only one of them knows: the
    likelihood equations make the score of its votes zero there, whatever their noise.

    Parameters
    ----------
    clusters : ClusterCounts
        Votes by cluster.

    Returns
    -------
    ClusterReach
        At most G for each model.

    Notes
    -----
    Source of the effective number: Kish (1965), Survey Sampling. Carter, Schnepel and
    Steigerwald (2017), Review of Economics and Statistics 99, 698-709, show that it, and not G,
    governs tests with clusters of unequal size.

    Examples
    --------
    >>> votes = [0, 0, 0, 1], [1, 1, 2, 2], [0, 2, 0, 2]
    >>> reach = measure_reach(count_clustered_votes(*votes, ["x", "y", "y", "y"], 3))
    >>> reach.number.tolist(), reach.effective.round(3).tolist(), reach.hidden.round(3).tolist()
    ([2, 2, 1], [1.8, 1.8, 1.0], [2.812, 2.812, inf])
    """
    counts = clusters.counts
    votes = clusters.weight.sum(axis=0)
    model = np.concatenate([counts.first[clusters.row], counts.second[clusters.row]])
    size = counts.n_models
    cell = np.tile(clusters.cluster, 2) * size + model
    votes = np.tile(votes, 2)
    if clusters.n_clusters * size <= 4 * cell.size:
        table = np.bincount(cell, votes, clusters.n_clusters * size)
        cells = np.flatnonzero(table)
        load = table[cells]
    else:
        cells, place = np.unique(cell, return_inverse=True)
        load = np.bincount(place, votes, cells.size)
    model = cells % max(size, 1)
    total = np.bincount(model, load, size)
    share = load / total[model]
    squares, cubes = (np.bincount(model, share**k, size) for k in (2, 3))
    seen = np.maximum(squares - 2 * cubes + squares**2, 0.0)
    return ClusterReach(
        np.bincount(model, minlength=size).astype(np.int64),
        np.divide(1.0, squares, out=np.zeros(size), where=squares > 0),
        np.divide(squares, seen, out=np.full(size, np.inf), where=seen > _ROUNDING),
    )


def keep_first_of_each(
    pair: NDArray[np.int64], labels: Sequence[NDArray[np.int64]]
) -> NDArray[np.bool_]:
    """The votes that are the first of their clusters on their pair.

    Parameters
    ----------
    pair : ndarray of int, shape (n,)
        Pair of models of each vote.
    labels : sequence of ndarray of int, shape (n,)
        Cluster of each vote, one array per kind; -1 where it is not known, which is no cluster.

    Returns
    -------
    ndarray of bool, shape (n,)
        True where no vote that was kept before has the same pair and a cluster in common.

    Examples
    --------
    >>> voter, prompt = np.array([7, 7, 8, 8]), np.array([1, 2, 1, 2])
    >>> keep_first_of_each(np.zeros(4, dtype=np.int64), [voter, prompt]).tolist()
    [True, False, False, True]
    >>> keep_first_of_each(np.array([0, 1, 0, 1]), [voter]).tolist()
    [True, True, True, True]
    """
    keep = np.zeros(pair.size, dtype=np.bool_)
    taken: list[set[tuple[int, int]]] = [set() for _ in labels]
    columns = [code.tolist() for code in labels]
    for number, (on, *codes) in enumerate(zip(pair.tolist(), *columns, strict=True)):
        if any((on, code) in seen for code, seen in zip(codes, taken, strict=True)):
            continue
        keep[number] = True
        for code, seen in zip(codes, taken, strict=True):
            if code >= 0:
                seen.add((on, code))
    return keep

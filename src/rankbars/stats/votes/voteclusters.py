"""Votes that belong together: cast by one voter, about one prompt, in one conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.stats.votes.votecounts import VoteCounts, code_rows, code_votes

__all__ = ["ClusterCounts", "ClusterReach", "count_clustered_votes", "keep_first_of_each",
           "measure_reach", "split_clusters"]  # fmt: skip


_ROUNDING = 1e-12

_SMALL_TABLE = 1 << 20
"""A table of all pairs of models is worth it up to here, even for few votes."""

_CHUNK = 1 << 16
"""Cells that are worked on at once, so few that their sums stay close to the processor."""


class ClusterCounts(NamedTuple):
    """Votes counted per cluster and row.

    Attributes
    ----------
    counts : VoteCounts
        All votes together.
    n_clusters : int
        Number of clusters with votes, G.
    cluster : ndarray of int, shape (C,)
        Cluster of each cell, 0 to G - 1, ascending.
    row : ndarray of int, shape (C,)
        Row of `counts` that the cell belongs to.
    weight : ndarray, shape (3, C)
        Votes (sum of weights) of that cluster that the first model of the row won, tied, lost;
        whole numbers where votes have no weights.
    """

    counts: VoteCounts
    n_clusters: int
    cluster: NDArray[np.integer]
    row: NDArray[np.integer]
    weight: NDArray[np.number]


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
    first, second : array_like of int, shape (n,)
        The two models of each vote, 0 to ``n_models - 1``.
    outcome : array_like of int, shape (n,)
        0 the first model wins, 1 tie, 2 the second model wins.
    cluster : array_like, shape (n,)
        Cluster of each vote: numbers or names.
    n_models : int
        Number of models.
    weight : array_like of float, shape (n,), optional
        Weight of each vote, above 0; by default every vote counts once.
    covariates : array_like of float, shape (n, q), optional
        Covariates of each vote, as seen from its first model.

    Returns
    -------
    ClusterCounts
        Clusters are numbered in the sorted order of `cluster`.

    Examples
    --------
    >>> clusters = count_clustered_votes([0, 1, 0], [1, 0, 1], [0, 0, 1], ["x", "y", "x"], 2)
    >>> clusters.n_clusters, clusters.cluster.tolist()
    (2, [0, 1])
    >>> clusters.weight.tolist()
    [[1, 0], [1, 0], [0, 1]]
    """
    a, b, coded = (np.asarray(column, dtype=np.intp) for column in (first, second, outcome))
    loads = None if weight is None else np.asarray(weight, dtype=np.float64)
    columns = np.empty((a.size, 0)) if covariates is None else np.asarray(covariates, np.float64)
    code = code_rows([np.asarray(cluster)])
    n_clusters = int(code.max(initial=-1)) + 1
    if loads is None and not columns.shape[1] and 3 * n_models**2 <= 4 * a.size + _SMALL_TABLE:
        cell, counts = _look_up_votes(a, b, coded, n_models)
        cell += code * (4 * counts.first.size)
        cells, total = _count_cells(cell)
    else:
        row, counts = code_votes(a, b, coded, n_models, loads, columns)
        facing = np.where(a < b, coded, 2 - coded)
        cell = code * counts.first.size + row
        cells, total = (
            _count_cells(4 * cell + facing) if loads is None else _add_cells(cell, facing, loads)
        )
    places, rows = np.divmod(cells, max(counts.first.size, 1))
    # One more than there are: the end of the last cluster must fit, too.
    kind = np.min_scalar_type(-max(n_clusters, counts.first.size) - 1)
    return ClusterCounts(counts, n_clusters, places.astype(kind), rows.astype(kind), total)


def _look_up_votes(
    a: NDArray[np.intp], b: NDArray[np.intp], outcome: NDArray[np.intp], n_models: int
) -> tuple[NDArray[np.intp], VoteCounts]:
    """Four times the row of each vote plus its outcome for the first model of the row; counts."""
    key = a * n_models
    key += b
    key *= 3
    key += outcome
    ordered = np.bincount(key, minlength=3 * n_models**2).reshape(n_models, n_models, 3)
    total = ordered + ordered.transpose(1, 0, 2)[..., ::-1]
    first, second = np.nonzero(np.triu(total.any(axis=2), 1))
    weight = np.ascontiguousarray(total[first, second].T, dtype=np.float64)
    code = np.zeros_like(ordered)
    rows = 4 * np.arange(first.size)[:, None]
    code[first, second], code[second, first] = rows + [0, 1, 2], rows + [2, 1, 0]
    none = np.empty((first.size, 0))
    return code.ravel()[key], VoteCounts(n_models, first, second, weight, weight, none)


def _count_cells(cell: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.number]]:
    """Distinct cells in their order, and how often each outcome stands in them.

    Of four times a cell plus the outcome, whose order is lost.
    """
    cell.sort()
    starts = np.flatnonzero(np.concatenate([[True], cell[1:] >> 2 != cell[:-1] >> 2]))
    if not cell.size:
        starts = starts[:0]
    sizes = np.diff(starts, append=cell.size)
    total = np.empty((3, starts.size), np.min_scalar_type(-int(sizes.max(initial=0)) - 1))
    for first in range(0, starts.size, _CHUNK):
        some = slice(first, min(first + _CHUNK, starts.size))
        number = sizes[some].size
        own = cell[starts[first] : starts[some][-1] + sizes[some][-1]] & 3
        own += 4 * np.repeat(np.arange(number), sizes[some])
        total[:, some] = np.bincount(own, minlength=4 * number).reshape(-1, 4)[:, :3].T
    return cell[starts] >> 2, total


def _add_cells(
    cell: NDArray[np.intp], outcome: NDArray[np.intp], loads: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.number]]:
    """Distinct cells in their order, and the weight of each outcome in them."""
    cells, place = np.unique(cell, return_inverse=True)
    total = np.bincount(place * 3 + outcome, loads, 3 * cells.size).reshape(-1, 3)
    return cells, np.ascontiguousarray(total.T)


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
    counts, size = clusters.counts, clusters.counts.n_models
    met = counts.weight.sum(axis=0)
    total = np.bincount(counts.first, met, size) + np.bincount(counts.second, met, size)
    number = np.zeros(size, dtype=np.int64)
    squares, cubes = np.zeros((2, size))
    for some, cluster in split_clusters(clusters, max(_CHUNK // max(size, 1), 1)):
        row = clusters.row[some]
        votes = np.tile(clusters.weight[:, some].sum(axis=0, dtype=np.float64), 2)
        cell = np.concatenate([counts.first[row], counts.second[row]])
        cell += np.tile(cluster * size, 2)
        n_cells = (int(cluster[-1]) + 1) * size
        if n_cells <= 4 * cell.size:
            load = np.bincount(cell, votes, n_cells).reshape(-1, size)
            share = load / np.where(total > 0, total, 1.0)
            number += np.count_nonzero(share, axis=0)
            squared = share * share
            squares += squared.sum(axis=0)
            cubes += np.multiply(squared, share, out=squared).sum(axis=0)
        else:
            # The last entry of each cell stands for it.
            last = np.empty(n_cells, dtype=np.int32)
            last[cell] = np.arange(cell.size, dtype=np.int32)
            place = last[cell]
            own = np.flatnonzero(place == np.arange(cell.size))
            model = cell[own] % size
            share = np.bincount(place, votes, cell.size)[own] / total[model]
            squared = share * share
            number += np.bincount(model, minlength=size)
            squares += np.bincount(model, squared, size)
            cubes += np.bincount(model, squared * share, size)
    seen = np.maximum(squares - 2 * cubes + squares**2, 0.0)
    return ClusterReach(
        number,
        np.divide(1.0, squares, out=np.zeros(size), where=squares > 0),
        np.divide(squares, seen, out=np.full(size, np.inf), where=seen > _ROUNDING),
    )


def split_clusters(clusters: ClusterCounts, most: int) -> Iterator[tuple[slice, NDArray[np.intp]]]:
    """Cells of at most so many clusters at a time, and the clusters of the cells, from 0.

    Parameters
    ----------
    clusters : ClusterCounts
        Votes by cluster.
    most : int
        Clusters that are taken together.

    Yields
    ------
    cells : slice
        Which cells.
    cluster : ndarray of intp
        The cluster of each, less the first of them.
    """
    firsts = np.arange(0, clusters.n_clusters, most)
    limits = np.append(firsts, clusters.n_clusters).astype(clusters.cluster.dtype)
    ends = np.searchsorted(clusters.cluster, limits)
    for first, start, stop in zip(firsts, ends[:-1], ends[1:], strict=True):
        yield slice(start, stop), clusters.cluster[start:stop].astype(np.intp) - first


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

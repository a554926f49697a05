"""Votes as counts: whatever their number, a fit sees one row per pair of models."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError
from rankbars.stats.votes.votechecks import check_votes
from rankbars.stats.votes.voterows import VoteCounts

__all__ = ["count_votes", "from_matrices", "to_matrices"]

_DENSE_CELLS = 2**23
"""Largest table of pairs and outcomes that is filled directly; above it pairs are sorted."""

_CHUNK = 2**18
"""Votes coded at a time."""


def count_votes(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    n_models: int,
    weight: ArrayLike | None = None,
) -> VoteCounts:
    """Counts per pair; a pair given in both orders becomes one row.

    Parameters
    ----------
    first, second : array_like of int, shape (n,)
        The two models of each vote, 0 to ``n_models - 1``.
    outcome : array_like of int, shape (n,)
        0 the first model wins, 1 tie, 2 the second model wins.
    n_models : int
        Number of models.
    weight : array_like of float, shape (n,), optional
        Weight of each vote, finite and above 0; by default every vote counts once.

    Returns
    -------
    VoteCounts
        One row per pair with votes.

    Raises
    ------
    DataError
        If a model or outcome is out of range, a model meets itself or a weight is not positive.

    Examples
    --------
    >>> counts = count_votes([0, 1, 0], [1, 0, 2], [0, 0, 1], 3)
    >>> counts.first.tolist(), counts.second.tolist()
    ([0, 0], [1, 2])
    >>> counts.weight
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    a, b, coded, loads = check_votes(first, second, outcome, n_models, weight)
    if 3 * n_models**2 <= max(_DENSE_CELLS, 4 * a.size):
        keys, totals = _fill_table(a, b, coded, loads, n_models)
    else:
        keys, totals = _sort_pairs(a, b, coded, loads, n_models)
    return VoteCounts(
        n_models,
        keys // max(n_models, 1),
        keys % max(n_models, 1),
        totals[0],
        totals[-1],
        np.empty((keys.size, 0)),
    )


def from_matrices(wins: ArrayLike, ties: ArrayLike | None = None) -> VoteCounts:
    """Counts from square tables.

    Parameters
    ----------
    wins : array_like, shape (M, M)
        ``[i, j]``: votes for i against j; the diagonal is zero.
    ties : array_like, shape (M, M), optional
        Votes without a winner, symmetric: ``[i, j]`` and ``[j, i]`` name the same votes.

    Returns
    -------
    VoteCounts
        One row per pair with votes; every vote counts once.

    Raises
    ------
    DataError
        If the tables do not fit together, are negative or not finite, have entries on the
        diagonal, or `ties` is not symmetric.

    Examples
    --------
    >>> counts = from_matrices([[0, 3], [1, 0]], [[0, 2], [2, 0]])
    >>> counts.weight[:, 0].tolist()
    [3.0, 2.0, 1.0]
    """
    won = np.asarray(wins, dtype=np.float64)
    tied = np.zeros_like(won) if ties is None else np.asarray(ties, dtype=np.float64)
    if won.ndim != 2 or won.shape[0] != won.shape[1] or tied.shape != won.shape:
        raise DataError(
            "Wins and ties must be square tables of one size; got shapes "
            f"{won.shape} and {tied.shape}."
        )
    for name, table in (("wins", won), ("ties", tied)):
        if not (np.isfinite(table).all() and (table >= 0).all()):
            raise DataError(f"The table of {name} must hold finite counts, none below 0.")
        if np.diagonal(table).any():
            raise DataError(f"The table of {name} has votes of a model against itself; drop them.")
    if not np.array_equal(tied, tied.T):
        raise DataError(
            "The table of ties must be symmetric: a tie of i and j is also one of j and i. "
            "If each tie is written once, pass ties + ties.T."
        )
    n_models = won.shape[0]
    first, second = np.nonzero(np.triu(won + won.T + tied, 1))
    weight = np.stack([won[first, second], tied[first, second], won[second, first]])
    return VoteCounts(n_models, first, second, weight, weight, np.empty((first.size, 0)))


def to_matrices(counts: VoteCounts) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Square tables of wins and ties.

    Parameters
    ----------
    counts : VoteCounts
        Counts; rows of one pair are added up.

    Returns
    -------
    wins : ndarray of float64, shape (M, M)
        ``[i, j]``: votes for i against j.
    ties : ndarray of float64, shape (M, M)
        Votes without a winner, symmetric.

    Examples
    --------
    >>> wins, ties = to_matrices(count_votes([0, 1, 0], [1, 0, 1], [0, 0, 1], 2))
    >>> wins.tolist(), ties.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
    """
    wins, ties = np.zeros((2, counts.n_models, counts.n_models))
    np.add.at(wins, (counts.first, counts.second), counts.weight[0])
    np.add.at(wins, (counts.second, counts.first), counts.weight[2])
    np.add.at(ties, (counts.first, counts.second), counts.weight[1])
    return wins, ties + ties.T


Pairs = tuple[NDArray[np.intp], list[NDArray[np.float64]]]


def _fill_table(
    a: NDArray[np.intp],
    b: NDArray[np.intp],
    outcome: NDArray[np.intp],
    loads: NDArray[np.float64] | None,
    n_models: int,
) -> Pairs:
    """Keys and totals of pairs, through the table of all ordered pairs and outcomes."""
    powers = (1,) if loads is None else (1, 2)
    shape = (n_models, n_models, 3)
    tables = [np.zeros(3 * n_models**2) for _ in powers]
    for votes in _vote_chunks(a.size, 3 * n_models**2):
        key = (a[votes] * n_models + b[votes]) * 3 + outcome[votes]
        for table, power in zip(tables, powers, strict=True):
            load = None if loads is None else loads[votes] ** power
            np.add(table, np.bincount(key, load, table.size), out=table)
    folded = []
    for table in tables:
        ordered = table.reshape(shape)
        folded.append((ordered + ordered.transpose(1, 0, 2)[..., ::-1]).reshape(-1, 3))
    keys = np.flatnonzero(np.triu(folded[0].any(axis=1).reshape(shape[:2]), 1))
    return keys, [np.ascontiguousarray(table[keys].T) for table in folded]


def _vote_chunks(n_votes: int, n_cells: int) -> Iterator[slice]:
    """Slices of votes, long enough that adding up tables costs less than filling them."""
    step = max(_CHUNK, n_cells)
    for start in range(0, n_votes, step):
        yield slice(start, min(start + step, n_votes))


def _sort_pairs(
    a: NDArray[np.intp],
    b: NDArray[np.intp],
    outcome: NDArray[np.intp],
    loads: NDArray[np.float64] | None,
    n_models: int,
) -> Pairs:
    """Keys and totals of pairs, for many models with few pairs."""
    key = np.minimum(a, b) * n_models + np.maximum(a, b)
    keys, row = np.unique(key, return_inverse=True)
    cell = row * 3 + np.where(a < b, outcome, 2 - outcome)
    powers = [loads] if loads is None else [loads, loads**2]
    totals = [np.bincount(cell, load, 3 * keys.size).reshape(-1, 3) for load in powers]
    return keys, [np.ascontiguousarray(total.T, dtype=np.float64) for total in totals]

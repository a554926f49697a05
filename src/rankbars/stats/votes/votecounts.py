"""Votes as counts: whatever their number, a fit sees one row per pair of models.

A vote compares two models. Its outcome is coded for the first one: 0 it wins, 1 tie, 2 it loses.
So ``2 - outcome`` is the same vote told from the other side. Votes with covariates have a row per
pair and value of the covariates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LOSS",
    "TIE",
    "WIN",
    "VoteCounts",
    "code_rows",
    "code_votes",
    "even_weights",
    "from_matrices",
    "merge_rows",
    "to_matrices",
]

WIN, TIE, LOSS = 0, 1, 2
"""Outcome of a vote for its first model."""

_SMALL_RANGE = 2**20
"""Whole numbers up to here are numbered by a table, others by sorting."""


class VoteCounts(NamedTuple):
    """Votes reduced to rows; a row holds the votes of one pair with one value of the covariates.

    Attributes
    ----------
    n_models : int
        Number of models, with or without votes.
    first, second : ndarray of intp, shape (R,)
        The two models of each row, ``first < second``, sorted.
    weight : ndarray of float64, shape (3, R)
        Votes (sum of weights) that the first model won, tied, lost.
    squared : ndarray of float64, shape (3, R)
        Sum of squared weights; equal to `weight` when every vote counts once.
    covariates : ndarray of float64, shape (R, q)
        Covariates as seen from the first model; q is 0 without covariates, and then a pair has
        one row.
    """

    n_models: int
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    weight: NDArray[np.float64]
    squared: NDArray[np.float64]
    covariates: NDArray[np.float64]


def merge_rows(
    n_models: int,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    weight: NDArray[np.float64],
    squared: NDArray[np.float64],
    covariates: NDArray[np.float64],
) -> VoteCounts:
    """Counts with ``first < second`` and one row per pair and value of the covariates.

    Parameters
    ----------
    n_models : int
        Number of models.
    first, second, weight, squared, covariates
        Rows in any order and direction, shapes as in `VoteCounts`.

    Returns
    -------
    VoteCounts
        A turned row has its outcomes swapped and its covariates negated.

    Examples
    --------
    >>> weight = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 5.0]])
    >>> rows = merge_rows(2, np.array([0, 1]), np.array([1, 0]), weight, weight, np.ones((2, 1)))
    >>> rows.weight[0].tolist(), rows.covariates[:, 0].tolist()
    ([5.0, 1.0], [-1.0, 1.0])
    """
    row, empty = _number_rows(n_models, first, second, covariates)
    turned = first > second

    def add_up(load: NDArray[np.float64]) -> NDArray[np.float64]:
        facing = np.where(turned, load[::-1], load)
        return np.stack([np.bincount(row, outcome, empty.first.size) for outcome in facing])

    total = add_up(weight)
    return empty._replace(weight=total, squared=total if squared is weight else add_up(squared))


def code_votes(
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    outcome: NDArray[np.intp],
    n_models: int,
    weight: NDArray[np.float64] | None,
    covariates: NDArray[np.float64],
) -> tuple[NDArray[np.intp], VoteCounts]:
    """Row of each vote, and the counts of the rows.

    Parameters
    ----------
    first, second, outcome, n_models, weight
        As in `rankbars.stats.votes.voteclusters.count_clustered_votes`.
    covariates : ndarray, shape (n, q)
        Covariates of each vote, as seen from its first model.

    Returns
    -------
    row : ndarray of intp, shape (n,)
        Row of each vote.
    counts : VoteCounts
        The rows.

    Examples
    --------
    >>> votes = np.array([1, 0]), np.array([0, 1]), np.array([0, 0])
    >>> row, counts = code_votes(*votes, 2, None, np.ones((2, 1)))
    >>> row.tolist(), counts.covariates[:, 0].tolist(), counts.weight[:, 0].tolist()
    ([0, 1], [-1.0, 1.0], [0.0, 0.0, 1.0])
    """
    row, empty = _number_rows(n_models, first, second, covariates)
    cell = row * 3 + np.where(first < second, outcome, 2 - outcome)

    def add_up(load: NDArray[np.float64] | None) -> NDArray[np.float64]:
        totals = np.bincount(cell, load, 3 * empty.first.size).reshape(-1, 3)
        return np.ascontiguousarray(totals.T, dtype=np.float64)

    total = add_up(weight)
    squared = total if weight is None else add_up(weight**2)
    return row, empty._replace(weight=total, squared=squared)


def _number_rows(
    n_models: int,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    covariates: NDArray[np.float64],
) -> tuple[NDArray[np.intp], VoteCounts]:
    """Row of each entry among the distinct, turned, sorted ones; and those rows without votes."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    seen = np.where((first > second)[:, None], -covariates, covariates) + 0.0
    row = code_rows([low * n_models + high, *seen.T])
    leader = np.empty(int(row.max(initial=-1)) + 1, dtype=np.intp)
    leader[row] = np.arange(row.size)
    nothing = np.zeros((3, leader.size))
    return row, VoteCounts(n_models, low[leader], high[leader], nothing, nothing, seen[leader])


def code_rows(columns: Sequence[NDArray[np.generic]]) -> NDArray[np.intp]:
    """Number of the distinct combination that each row holds, in sorted order of combinations.

    Parameters
    ----------
    columns : sequence of ndarray, shape (n,)
        Columns, the most significant first; at least one.

    Returns
    -------
    ndarray of intp, shape (n,)
        0 to (number of distinct rows) - 1.

    Examples
    --------
    >>> code_rows([np.array([1, 1, 0]), np.array([0.5, 0.2, 0.5])]).tolist()
    [2, 1, 0]
    """
    code = _number_values(columns[0])
    for column in columns[1:]:
        inner = _number_values(column)
        code = _number_values(code * (int(inner.max(initial=0)) + 1) + inner)
    return code


def _number_values(values: NDArray[np.generic]) -> NDArray[np.intp]:
    """Number of each value among the distinct ones, in ascending order."""
    if values.dtype.kind == "i" and values.size > 0:
        top = int(values.max())
        if values.min() >= 0 and top <= max(_SMALL_RANGE, 4 * values.size):
            present = np.bincount(values, minlength=top + 1) > 0
            number: NDArray[np.intp] = (np.cumsum(present) - 1)[values]
            return number
    code: NDArray[np.intp] = np.unique(values, return_inverse=True)[1]
    return code


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

    Examples
    --------
    >>> counts = from_matrices([[0, 3], [1, 0]], [[0, 2], [2, 0]])
    >>> counts.weight[:, 0].tolist()
    [3.0, 2.0, 1.0]
    """
    won = np.asarray(wins, dtype=np.float64)
    tied = np.zeros_like(won) if ties is None else np.asarray(ties, dtype=np.float64)
    n_models = won.shape[0]
    first, second = np.nonzero(np.triu(won + won.T + tied, 1))
    weight = np.stack([won[first, second], tied[first, second], won[second, first]])
    return VoteCounts(n_models, first, second, weight, weight, np.empty((first.size, 0)))


_LEAST_EVEN = 50.0  # a pair with fewer votes weighs less, in proportion to them


def even_weights(counts: VoteCounts) -> NDArray[np.float64]:
    """Weight of a vote of each row with which every pair of models weighs alike.

    Parameters
    ----------
    counts : VoteCounts
        The votes.

    Returns
    -------
    ndarray of float64, shape (R,)
        One over the votes of the pair, of fewer than 50 over 50; 1 in the mean over votes.

    Notes
    -----
    The weights of the package arena-rank, up to a factor.

    Examples
    --------
    >>> even_weights(from_matrices([[0, 60, 5], [40, 0, 10], [5, 10, 0]])).round(6).tolist()
    [0.8125, 1.625, 1.625]
    """
    pair = counts.first * counts.n_models + counts.second
    votes = counts.weight.sum(axis=0)
    total = np.bincount(pair, votes, counts.n_models**2)[pair]
    weight = 1 / np.maximum(total, _LEAST_EVEN)
    mean = float(weight @ votes) / max(float(votes.sum()), 1e-300)
    return np.asarray(weight / mean if mean > 0 else weight)


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
    >>> wins, ties = to_matrices(from_matrices([[0, 1], [1, 0]], [[0, 1], [1, 0]]))
    >>> wins.tolist(), ties.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
    """
    wins, ties = np.zeros((2, counts.n_models, counts.n_models))
    np.add.at(wins, (counts.first, counts.second), counts.weight[0])
    np.add.at(wins, (counts.second, counts.first), counts.weight[2])
    np.add.at(ties, (counts.first, counts.second), counts.weight[1])
    return wins, ties + ties.T

"""Votes as counts: whatever their number, a fit sees one row per pair of models."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError
from rankbars.stats.votes.voterows import VoteCounts

__all__ = ["from_matrices", "to_matrices"]


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
    >>> wins, ties = to_matrices(from_matrices([[0, 1], [1, 0]], [[0, 1], [1, 0]]))
    >>> wins.tolist(), ties.tolist()
    ([[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
    """
    wins, ties = np.zeros((2, counts.n_models, counts.n_models))
    np.add.at(wins, (counts.first, counts.second), counts.weight[0])
    np.add.at(wins, (counts.second, counts.first), counts.weight[2])
    np.add.at(ties, (counts.first, counts.second), counts.weight[1])
    return wins, ties + ties.T

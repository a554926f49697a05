"""Groups of models that only a few votes join.

Removing a cut of few votes would leave two scales that nothing compares. The fit meets such a cut
nearly exactly, so that its errors look small just where nothing is known.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from rankbars.stats.votes.voterows import VoteCounts

__all__ = ["joined_groups"]

_ROUNDING = 1e-9


def joined_groups(counts: VoteCounts, fewest: float) -> NDArray[np.int64]:
    """Models in groups, such that no cut of fewer than `fewest` votes parts those of one group.

    Parameters
    ----------
    counts : VoteCounts
        The votes; weighted ones count as ``(sum w)**2 / sum w**2`` for each pair.
    fewest : float
        Votes that are enough.

    Returns
    -------
    ndarray of int64, shape (M,)
        Number of the group of each model; 0 is the largest.

    Notes
    -----
    Pairs with enough votes are merged; in a maximum adjacency order of what is left, the last two
    nodes are parted by no cut smaller than the votes of the last one (Stoer and Wagner 1997), so
    they are merged or the last one is taken off. A group that hangs together only through nodes
    that were taken off may be parted too; then less is claimed than could be.

    Examples
    --------
    Two pairs of models, joined by a single vote:

    >>> pairs = np.array([0, 1, 2]), np.array([1, 2, 3])
    >>> weight = np.array([[30.0, 0.0, 30.0], [0.0, 1.0, 0.0], [9.0, 0.0, 9.0]])
    >>> joined_groups(VoteCounts(4, *pairs, weight, weight, np.zeros((3, 0))), 5)
    array([0, 0, 1, 1])
    """
    size = counts.n_models
    label = np.arange(size)
    table = _pair_votes(counts)
    enough = fewest - _ROUNDING
    while True:
        strong = csr_array(table >= enough)
        number, merged = connected_components(strong, directed=False)
        if number == len(table):
            break
        label, table = merged[label], _contract(table, merged, number)
    alive = list(range(len(table)))
    while len(alive) > 1:
        degree = table[np.ix_(alive, alive)].sum(axis=1)
        if degree.min() < enough:
            alive.pop(int(degree.argmin()))
            continue
        before, last = _last_two(table, alive)
        # The cut around the last node is the smallest between these two, and it is wide enough.
        label[label == last] = before
        table[before] += table[last]
        table[:, before] += table[:, last]
        table[before, before] = 0.0
        alive.remove(last)
    return _by_size(label)


def _pair_votes(counts: VoteCounts) -> NDArray[np.float64]:
    table = np.zeros((2, counts.n_models, counts.n_models))
    for k, load in enumerate((counts.weight, counts.squared)):
        np.add.at(table[k], (counts.first, counts.second), load.sum(axis=0))
    table += table.transpose(0, 2, 1)
    votes, squared = table
    return np.divide(votes**2, squared, out=np.zeros_like(votes), where=squared > 0)


def _contract(
    table: NDArray[np.float64], merged: NDArray[np.integer], number: int
) -> NDArray[np.float64]:
    """Votes between the merged nodes."""
    small = np.zeros((number, number))
    rows, columns = np.nonzero(table)
    np.add.at(small, (merged[rows], merged[columns]), table[rows, columns])
    np.fill_diagonal(small, 0.0)
    return small


def _last_two(table: NDArray[np.float64], alive: list[int]) -> tuple[int, int]:
    """The last two nodes of a maximum adjacency order."""
    nodes = np.array(alive)
    among = table[np.ix_(nodes, nodes)]
    reached = np.zeros(nodes.size)
    order = []
    for _ in range(nodes.size):
        chosen = int(reached.argmax())
        order.append(chosen)
        reached += among[chosen]
        reached[order] = -np.inf
    return int(nodes[order[-2]]), int(nodes[order[-1]])


def _by_size(label: NDArray[np.integer]) -> NDArray[np.int64]:
    """Groups numbered from the largest; of equal ones the first comes first."""
    names, first, group, sizes = np.unique(
        label, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    place = np.empty(names.size, dtype=np.int64)
    place[order] = np.arange(names.size)
    return place[group]

"""Which models the votes can compare at all, and which only a few votes join.

A strength estimate is finite and unique exactly if the directed graph "has beaten or tied" is
strongly connected (Zermelo 1929; Ford 1957). That is found out before any fit. Removing a cut of
few votes would leave two scales that nothing compares. The fit meets such a cut nearly exactly,
so that its errors look small just where nothing is known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

from rankbars.errors import DataError
from rankbars.stats.votes.votecounts import LOSS, TIE, WIN, VoteCounts

__all__ = [
    "Connectivity",
    "check_connected",
    "check_tie_parameter",
    "find_components",
    "joined_groups",
    "largest_component",
    "link_models",
    "not_lost_graph",
    "strongly_connected",
]


class Connectivity(NamedTuple):
    """Groups of models by what connects them.

    Attributes
    ----------
    component : ndarray of intp, shape (M,)
        Group of each model within which strengths are comparable: the strongly connected
        components of "has beaten or tied". Numbered by size, the largest 0.
    island : ndarray of intp, shape (M,)
        Group of each model that votes connect in any direction; numbered likewise.
    undefeated, winless : ndarray of bool, shape (M,)
        Models with votes that never lost or tied, and that never won or tied.
    """

    component: NDArray[np.intp]
    island: NDArray[np.intp]
    undefeated: NDArray[np.bool_]
    winless: NDArray[np.bool_]


def find_components(counts: VoteCounts) -> Connectivity:
    """Groups of comparable models, and models without a finite strength.

    Parameters
    ----------
    counts : VoteCounts
        Votes.

    Returns
    -------
    Connectivity
        One component means that all strengths are finite and comparable.

    Examples
    --------
    Models 0 and 1 beat each other; both always beat 2; 3 and 4 met only each other.

    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> wins, ties = np.zeros((2, 5, 5))
    >>> wins[[0, 1, 0, 1], [1, 0, 2, 2]] = ties[[3, 4], [4, 3]] = 1
    >>> counts = from_matrices(wins, ties)
    >>> groups = find_components(counts)
    >>> groups.component.tolist(), groups.island.tolist()
    ([0, 0, 2, 1, 1], [0, 0, 0, 1, 1])
    >>> groups.undefeated.tolist(), groups.winless.tolist()
    ([False, False, False, False, False], [False, False, True, False, False])
    """
    graph = not_lost_graph(counts)
    met = np.zeros(counts.n_models, dtype=bool)
    met[counts.first] = met[counts.second] = True
    return Connectivity(
        component=_number_by_size(connected_components(graph, connection="strong")[1]),
        island=_number_by_size(connected_components(graph, connection="weak")[1]),
        undefeated=met & (np.bincount(graph.indices, minlength=counts.n_models) == 0),
        winless=met & (np.diff(graph.indptr) == 0),
    )


def largest_component(counts: VoteCounts) -> NDArray[np.intp]:
    """Models of the largest group with comparable strengths, in ascending order.

    Parameters
    ----------
    counts : VoteCounts
        Votes.

    Returns
    -------
    ndarray of intp
        Of groups with equally many models the one with more votes, then that of the first model.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> wins, ties = np.zeros((2, 4, 4))
    >>> wins[1, 2], ties[[0, 1], [1, 0]], ties[[2, 3], [3, 2]] = 1, 1, 2
    >>> counts = from_matrices(wins, ties)
    >>> largest_component(counts).tolist()
    [2, 3]
    """
    component = find_components(counts).component
    within = component[counts.first] == component[counts.second]
    votes = np.bincount(
        component[counts.first[within]],
        counts.weight.sum(axis=0)[within],
        minlength=int(component.max(initial=-1)) + 1,
    )
    sizes = np.bincount(component)
    # Components of one size are numbered by their first model, which settles what votes do not.
    best = np.lexsort((-votes, -sizes))[:1]
    return np.flatnonzero(np.isin(component, best))


def check_connected(counts: VoteCounts) -> None:
    """Refuse votes that do not give every model a finite strength on one scale.

    Parameters
    ----------
    counts : VoteCounts
        Votes.

    Raises
    ------
    DataError
        If "has beaten or tied" is not strongly connected.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> check_connected(from_matrices([[0, 1], [0, 0]], [[0, 1], [1, 0]]))
    """
    if strongly_connected(not_lost_graph(counts)):
        return
    groups = find_components(counts)
    n_groups = int(groups.component.max()) + 1
    n_islands = int(groups.island.max()) + 1
    raise DataError(
        f"The votes do not put all {counts.n_models} models on one scale: they form {n_groups} "
        f"groups ({n_islands} without any vote between them) where one never beat or tied the "
        f"other; {np.count_nonzero(groups.undefeated)} models never lost or tied and "
        f"{np.count_nonzero(groups.winless)} never won or tied. Add votes between the groups, or "
        f"keep the largest, of {np.count_nonzero(groups.component == 0)} models."
    )


def check_tie_parameter(counts: VoteCounts) -> None:
    """Refuse votes that give a tie parameter no finite value.

    Parameters
    ----------
    counts : VoteCounts
        Votes that pass `check_connected`.

    Raises
    ------
    DataError
        If there is no tie, or no way round through the models with more wins than ties.

    Notes
    -----
    Strengths spread by ``delta`` together with a tie parameter raised by ``t`` never lower the
    likelihood of Rao and Kupper or of Davidson if every win has ``delta_i - delta_j >= t`` and
    every tie ``|delta_i - delta_j| <= t``; there is then no largest likelihood.
    Such a ``delta`` exists exactly if no cycle of the graph has more wins than ties.
    Two wins of a pair in opposite directions are such a cycle.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> check_tie_parameter(from_matrices([[0, 1], [1, 0]], [[0, 1], [1, 0]]))
    """
    wins, ties, losses = (counts.weight[outcome] > 0 for outcome in (WIN, TIE, LOSS))
    if not ties.any():
        raise DataError(
            "A tie parameter needs ties, and there is none among the votes. Count ties as half "
            "wins instead."
        )
    if (wins & losses).any() or not _has_spread(counts, wins, ties, losses):
        return
    raise DataError(
        "The tie parameter has no finite value: through these votes no way round leads over more "
        "wins than ties. Count ties as half wins, or add votes."
    )


def not_lost_graph(counts: VoteCounts) -> csr_array:
    """Graph "has beaten or tied" as a sparse matrix with a one for each pair of models."""
    ahead = (counts.weight[WIN] > 0) | (counts.weight[TIE] > 0)
    behind = (counts.weight[LOSS] > 0) | (counts.weight[TIE] > 0)
    return link_models(
        counts.n_models,
        np.concatenate([counts.first[ahead], counts.second[behind]]),
        np.concatenate([counts.second[ahead], counts.first[behind]]),
    )


def link_models(n_models: int, source: NDArray[np.intp], target: NDArray[np.intp]) -> csr_array:
    """Sparse graph with one edge per distinct (source, target)."""
    # A table of flags drops duplicates and sorts faster than sorting does.
    linked = np.zeros((n_models, n_models), dtype=np.bool_)
    linked[source, target] = True
    ends = np.append(0, np.cumsum(np.count_nonzero(linked, axis=1)))
    edges = np.broadcast_to(np.arange(n_models), linked.shape)[linked]
    return csr_array((np.ones(edges.size), edges, ends), shape=linked.shape)


def strongly_connected(graph: csr_array) -> bool:
    """Whether every model leads to every other."""
    return int(connected_components(graph, connection="strong", return_labels=False)) <= 1


def _has_spread(
    counts: VoteCounts,
    wins: NDArray[np.bool_],
    ties: NDArray[np.bool_],
    losses: NDArray[np.bool_],
) -> bool:
    """Whether strengths exist that differ by 1 or more for wins and by 1 or less for ties.

    No pair has wins in both directions here. Each bound ``delta_loser <= delta_winner - 1`` or
    ``delta_j <= delta_i + 1`` is an edge with that length; together they can be met exactly if no
    cycle has a negative length.
    """
    size = counts.n_models
    winner = np.where(losses, counts.second, counts.first)
    loser = np.where(losses, counts.first, counts.second)
    lengths = np.zeros((size, size))
    lengths[winner[ties], loser[ties]] = lengths[loser[ties], winner[ties]] = 1.0
    decided = wins | losses
    lengths[winner[decided], loser[decided]] = -1.0
    try:
        bellman_ford(csr_array(lengths), indices=0)
    except NegativeCycleError:
        return False
    return True


def _number_by_size(label: NDArray[np.integer]) -> NDArray[np.intp]:
    """Labels renumbered: larger groups first, groups of one size by their first model."""
    _, first, code, size = np.unique(
        label, return_index=True, return_inverse=True, return_counts=True
    )
    number = np.empty(size.size, dtype=np.intp)
    number[np.lexsort((first, -size))] = np.arange(size.size)
    return number[code]


_ROUNDING = 1e-9


def joined_groups(counts: VoteCounts, fewest: float) -> NDArray[np.intp]:
    """Models in groups, such that no cut of fewer than `fewest` votes parts those of one group.

    Parameters
    ----------
    counts : VoteCounts
        The votes; weighted ones count as ``(sum w)**2 / sum w**2`` for each pair.
    fewest : float
        Votes that are enough.

    Returns
    -------
    ndarray of intp, shape (M,)
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
    return _number_by_size(label)


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

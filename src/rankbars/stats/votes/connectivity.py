"""Which models the votes can compare at all.

A strength estimate is finite and unique exactly if the directed graph "has beaten or tied" is
strongly connected (Zermelo 1929; Ford 1957). That is found out before any fit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

from rankbars.errors import DataError
from rankbars.stats.votes.voterows import LOSS, TIE, WIN, VoteCounts

__all__ = [
    "Connectivity",
    "check_connected",
    "check_tie_parameter",
    "find_components",
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

    >>> from rankbars.stats.votes.votecounts import count_votes
    >>> counts = count_votes([0, 1, 0, 1, 3], [1, 0, 2, 2, 4], [0, 0, 0, 0, 1], 5)
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
    >>> from rankbars.stats.votes.votecounts import count_votes
    >>> counts = count_votes([0, 2, 1, 2], [1, 3, 2, 3], [1, 1, 0, 1], 4)
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
    >>> from rankbars.stats.votes.votecounts import count_votes
    >>> check_connected(count_votes([0, 0], [1, 1], [0, 1], 2))
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
    >>> from rankbars.stats.votes.votecounts import count_votes
    >>> check_tie_parameter(count_votes([0, 0, 0], [1, 1, 1], [0, 1, 2], 2))
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

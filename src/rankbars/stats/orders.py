"""Orders of models: closure, cycles, tiers and diagrams of a relation; Kemeny's order of many.

A relation is a boolean M x M matrix; ``[i, j]`` reads 'i better than j'; the diagonal is False.
Meant for relations that hold for all pairs at once (scope "all").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError

__all__ = [
    "MOST_IN_KEMENY",
    "Cycles",
    "KemenyOrders",
    "find_cycles",
    "kemeny_orders",
    "neighbours_not_separated",
    "pair_wins",
    "tiers",
    "transitive_closure",
    "transitive_reduction",
    "unseparated_runs",
]


class Cycles(NamedTuple):
    """Contradictions in a relation, and what is left without them.

    Attributes
    ----------
    groups : list of list of int
        Models that are, through one another, all better than themselves: each group in ascending
        order, groups by their first model. At least one pair inside a group is shown wrongly.
    shown_better : ndarray of bool, shape (M, M)
        The relation without the pairs inside the groups.
    closed : ndarray of bool, shape (M, M)
        The closure of `shown_better`.
    """

    groups: list[list[int]]
    shown_better: NDArray[np.bool_]
    closed: NDArray[np.bool_]


# Up to so many models, one product of matrices that says nothing follows is faster than closing.
_FEW = 256


def transitive_closure(shown_better: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Relation with everything that follows from it: better than a better one is better.

    Parameters
    ----------
    shown_better : ndarray of bool, shape (M, M)
        A relation.

    Returns
    -------
    ndarray of bool, shape (M, M)
        Its closure. The diagonal is True for models on a cycle, and only for them.

    Notes
    -----
    Warshall's algorithm on rows of bits, eight models at a time: what those lead to, one through
    another, is one of 256 sets of them, whose rows are put together once. If all statements of the
    relation are true, so are all of its closure: closing costs nothing where the relation holds
    for all pairs at once.

    Examples
    --------
    >>> chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> transitive_closure(chain).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    size = shown_better.shape[0]
    if size <= _FEW and not _leads_further(shown_better):
        return shown_better.copy()
    bits = np.pad(np.packbits(shown_better, axis=1), ((0, -size % 8), (0, 0)))
    rows_of, further = np.zeros((256, bits.shape[1]), np.uint8), np.zeros(256, np.uint8)
    for byte in range(bits.shape[1]):
        middle = bits[8 * byte : 8 * byte + 8]
        reached = _close(middle[:, byte].tolist())
        for place in range(8):  # sets of the last models first
            one, row = 1 << place, 7 - place
            np.bitwise_or(rows_of[:one], middle[row], out=rows_of[one : 2 * one])
            np.bitwise_or(further[:one], reached[row] | one, out=further[one : 2 * one])
        bits |= rows_of[further[bits[:, byte]]]
    return np.unpackbits(bits[:size], axis=1, count=size).astype(bool)


def _close(sets: Sequence[int]) -> list[int]:
    """The closure of a relation among eight, given by sets of bits; the highest is the first."""
    closed = list(sets)
    for middle in range(8):
        for one in range(8):
            if closed[one] & (128 >> middle):
                closed[one] |= closed[middle]
    return closed


def _leads_further(shown_better: NDArray[np.bool_]) -> bool:
    """Whether two steps of a relation lead to a pair that it does not have."""
    steps = shown_better.astype(np.float32)
    return bool(((steps @ steps > 0.0) & ~shown_better).any())


def transitive_reduction(shown_better: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Fewest pairs from which a relation follows: the lines of its Hasse diagram.

    Parameters
    ----------
    shown_better : ndarray of bool, shape (M, M)
        A relation without cycles.

    Returns
    -------
    ndarray of bool, shape (M, M)
        i and j with i better than j in the closure and no model between them.

    Raises
    ------
    DataError
        If the relation has a cycle.

    Examples
    --------
    >>> order = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> transitive_reduction(order).astype(int).tolist()
    [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    """
    closed = transitive_closure(shown_better)
    if np.diagonal(closed).any():
        members = np.flatnonzero(np.diagonal(closed)).tolist()
        raise DataError(
            f"The relation has a cycle among models number {members}: at least one of its pairs is "
            "wrong, and it has no diagram. Remove the pairs inside cycles first."
        )
    bits = np.packbits(closed, axis=1)
    reduced = closed.copy()
    for model in range(closed.shape[0]):
        below_the_below = np.bitwise_or.reduce(bits[closed[model]], axis=0)
        reduced[model] &= ~np.unpackbits(below_the_below, count=closed.shape[0]).astype(bool)
    return reduced


def find_cycles(shown_better: NDArray[np.bool_]) -> Cycles:
    """Groups of models that a relation puts above themselves, and the relation without them.

    Parameters
    ----------
    shown_better : ndarray of bool, shape (M, M)
        A relation.

    Returns
    -------
    Cycles
        The strongly connected components with two or more models, the other pairs, and what
        follows from these.

    Notes
    -----
    Complete paired data with one number of degrees of freedom make no cycles.
    Pairwise deletion and tests of medians or signs can. A cycle proves one of its pairs wrong
    without saying which, so none of them counts as shown.

    Examples
    --------
    >>> loop = np.array([[0, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]], dtype=bool)
    >>> cycles = find_cycles(loop)
    >>> cycles.groups, cycles.shown_better.sum().item()
    ([[0, 1, 2]], 1)
    """
    closed = transitive_closure(shown_better)
    mutual = closed & closed.T
    groups = [
        np.flatnonzero(mutual[model]).tolist()
        for model in np.flatnonzero(np.diagonal(mutual))
        if mutual[model].argmax() == model and mutual[model].sum() > 1
    ]
    kept = shown_better & ~mutual
    return Cycles(groups, kept, transitive_closure(kept) if mutual.any() else closed)


def tiers(
    score: ArrayLike,
    shown_better: NDArray[np.bool_],
    first: NDArray[np.bool_] | None = None,
) -> list[list[int]]:
    """Models in tiers: each tier holds what is not shown worse than its best-scored model.

    Parameters
    ----------
    score : array_like of float, shape (M,)
        Scores, higher is better; NaN for a model without a score, which counts as the lowest.
    shown_better : ndarray of bool, shape (M, M)
        A relation.
    first : ndarray of bool, shape (M,), optional
        Models that may be first, none of which is shown worse than another: the first tier.

    Returns
    -------
    list of list of int
        Tiers, best first; every model in exactly one; inside a tier by falling score, models with
        equal scores by position.

    Notes
    -----
    The models with the best score that is left lead the next tier, together if their scores are
    equal. The tier takes every model left that is not shown worse than all its leaders.
    Membership is judged against the leaders only and never passed on from member to member,
    so two members of a tier can be separated from each other.

    Examples
    --------
    >>> shown = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> tiers([0.9, 0.8, 0.7], shown)
    [[0, 1], [2]]
    >>> tiers([0.9, 0.8, 0.7], shown, np.array([True, False, False]))
    [[0], [1, 2]]
    """
    scores = np.asarray(score, dtype=np.float64)
    scores = np.where(np.isnan(scores), -np.inf, scores)
    left = np.argsort(-scores, kind="stable")
    placed: list[list[int]] = []
    if first is not None and first.any():
        placed.append(left[first[left]].tolist())
        left = left[~first[left]]
    while left.size:
        leaders = left[scores[left] == scores[left[0]]]
        below = shown_better[np.ix_(leaders, left)].all(axis=0)
        placed.append(left[~below].tolist())
        left = left[below]
    return placed


def neighbours_not_separated(order: ArrayLike, shown_better: NDArray[np.bool_]) -> int:
    """Number of neighbours in a printed order that are not separated from each other.

    Parameters
    ----------
    order : array_like of int
        Models in the order in which they are printed.
    shown_better : ndarray of bool, shape (M, M)
        A relation.

    Returns
    -------
    int
        Pairs of consecutive models with neither shown better; 0 to ``len(order) - 1``.

    Examples
    --------
    >>> shown = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> neighbours_not_separated([0, 1, 2], shown)
    1
    """
    printed = np.asarray(order, dtype=np.intp)
    upper, lower = printed[:-1], printed[1:]
    separated = shown_better[upper, lower] | shown_better[lower, upper]
    return int(np.count_nonzero(~separated))


def unseparated_runs(order: ArrayLike, shown_better: NDArray[np.bool_]) -> list[list[int]]:
    """Longest runs of a printed order in which no model is shown better than another.

    Parameters
    ----------
    order : array_like of int
        Models in the order in which they are printed.
    shown_better : ndarray of bool, shape (M, M)
        A relation.

    Returns
    -------
    list of list of int
        The models of each run, first run first. Runs may overlap; none lies within another; every
        model is in at least one.

    Notes
    -----
    The bars of a critical-difference diagram (Demšar 2006), for any relation.

    Examples
    --------
    >>> shown = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> unseparated_runs([0, 1, 2], shown)
    [[0, 1], [1, 2]]
    """
    printed = np.asarray(order, dtype=np.intp)
    apart = shown_better | shown_better.T
    runs: list[list[int]] = []
    start = end = 0
    for stop in range(1, printed.size + 1):
        if stop < printed.size:
            clash = np.flatnonzero(apart[printed[stop], printed[start:stop]])
            if not clash.size:
                continue
        else:
            clash = np.arange(stop - start)
        if stop > end:
            runs.append(printed[start:stop].tolist())
            end = stop
        start += int(clash[-1]) + 1
    return runs


MOST_IN_KEMENY = 12
"""Subsets of the models are gone through, which double with each further one."""

_BLOCK = 64  # tables of wins that are solved together
_ROUNDING = 1e-9


class KemenyOrders(NamedTuple):
    """All best orders together.

    Attributes
    ----------
    ranks : array of float, shape (..., M)
        Mean rank of each model over all best orders, 1 for the first.
    cost : array of float, shape (...)
        Wins that a best order contradicts.
    orders : array of float, shape (...)
        How many orders are equally good.
    """

    ranks: NDArray[np.float64]
    cost: NDArray[np.float64]
    orders: NDArray[np.float64]


def pair_wins(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Who beats whom on a task, pair by pair, ties one half.

    Parameters
    ----------
    values : array of float, shape (..., M)
        Scores, higher is better.

    Returns
    -------
    array of float, shape (..., M * M)
        ``[i * M + j]``: 1 where i beats j, one half where they are level; 0 on the diagonal.

    Examples
    --------
    >>> pair_wins(np.array([0.9, 0.5, 0.5])).reshape(3, 3).tolist()
    [[0.0, 1.0, 1.0], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0]]
    """
    size = values.shape[-1]
    one, other = values[..., :, None], values[..., None, :]
    wins = (one > other) + 0.5 * (one == other)
    wins[..., np.arange(size), np.arange(size)] = 0.0
    return np.asarray(wins.reshape(*values.shape[:-1], size * size))


def kemeny_orders(wins: NDArray[np.float64]) -> KemenyOrders:
    """The orders of the models that contradict the least weight of wins, exactly.

    An order contradicts the wins of every model over those that it places before it. The best
    orders of each set of models as the first ones follow from those of its subsets (dynamic
    programming over 2^M subsets).

    Parameters
    ----------
    wins : array of float, shape (..., M * M)
        Sums of `pair_wins` over tasks, with their weights; M at most 12.

    Returns
    -------
    KemenyOrders
        Where several orders are equally good, ranks are their mean, so that they do not depend on
        the names or the order of the models.

    References
    ----------
    Kemeny 1959, *Daedalus* 88; Young 1988, *American Political Science Review* 82.

    Examples
    --------
    >>> votes = pair_wins(np.array([[3.0, 2, 1], [3.0, 2, 1], [1.0, 3, 2]])).sum(axis=0)
    >>> found = kemeny_orders(votes)
    >>> found.ranks.tolist(), found.cost.item(), found.orders.item()
    ([1.0, 2.0, 3.0], 2.0, 1.0)
    """
    shape = wins.shape[:-1]
    size = int(np.sqrt(wins.shape[-1]))
    if size > MOST_IN_KEMENY:
        raise ValueError(f"Kemeny's order is found for up to {MOST_IN_KEMENY} models; got {size}.")
    tables = wins.reshape(-1, size, size)
    solved = [_solve(tables[at : at + _BLOCK]) for at in range(0, len(tables), _BLOCK)]
    ranks, cost, count = (np.concatenate(parts) for parts in zip(*solved, strict=True))
    return KemenyOrders(ranks.reshape(*shape, size), cost.reshape(shape), count.reshape(shape))


def _solve(wins: NDArray[np.float64]) -> KemenyOrders:
    """The same for tables of shape (B, M, M)."""
    blocks, size, _ = wins.shape
    # [i, set]: what it costs to place i directly behind the models of a set.
    behind = np.zeros((size, 1 << size, blocks))
    for i in range(size):
        for k in range(size):
            behind[i, 1 << k : 2 << k] = behind[i, : 1 << k] + wins[:, i, k]
    steps = _steps(size)
    cost = np.full((1 << size, blocks), np.inf)
    cost[0] = 0.0
    for i, before in steps:
        after = before | 1 << i
        cost[after] = np.minimum(cost[after], cost[before] + behind[i, before])
    slack = _ROUNDING * (1.0 + wins.sum(axis=(1, 2)))
    first, last = np.zeros((2, 1 << size, blocks))  # best orders of a set, and of all behind it
    first[0] = last[-1] = 1.0
    best = [cost[b] + behind[i, b] <= cost[b | 1 << i] + slack for i, b in steps]
    for (i, before), kept in zip(steps, best, strict=True):
        first[before | 1 << i] += first[before] * kept
    for (i, before), kept in zip(steps[::-1], best[::-1], strict=True):
        last[before] += last[before | 1 << i] * kept
    ranks = np.zeros((size, blocks))
    for (i, before), kept in zip(steps, best, strict=True):
        place = 1 + int(before[0]).bit_count()
        ranks[i] += place * (first[before] * kept * last[before | 1 << i]).sum(axis=0)
    return KemenyOrders((ranks / first[-1]).T, cost[-1], first[-1])


def _steps(size: int) -> list[tuple[int, NDArray[np.intp]]]:
    """Each model with the sets that it can follow, smaller sets first."""
    sets = np.arange(1 << size)
    members = np.array([int(one).bit_count() for one in sets])
    return [
        (i, np.flatnonzero((members == count) & (sets >> i & 1 == 0)))
        for count in range(size)
        for i in range(size)
    ]

"""Kemeny's order of the models: the one that contradicts the fewest comparisons on tasks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_MODELS", "KemenyOrders", "kemeny_orders", "pair_wins"]

MOST_MODELS = 12
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
    if size > MOST_MODELS:
        raise ValueError(f"Kemeny's order is found for up to {MOST_MODELS} models; got {size}.")
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

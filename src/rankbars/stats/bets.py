"""Bets on rows in a fixed order, valid however often one looks and whenever one stops.

A bet multiplies its wealth, row by row, by ``1 + lambda * e`` with ``e`` in [-1, 1]; wealth is the
mean over a grid of lambda. Where no row is expected to favour the bet, wealth is a supermartingale
and reaches ``1 / alpha`` at any time with probability at most `alpha` (Ville 1939).
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LAMBDAS",
    "Array",
    "bet_on_leader",
    "bet_on_pairs",
    "count_wealth",
    "counted_wealth",
    "log_wealth",
]

Array = NDArray[np.float64]

LAMBDAS: Array = np.geomspace(0.005, 0.95, 24)
"""Shares of the wealth that are staked on a row."""

_FEW_LEVELS = 3
_FULL_TABLE = 8  # entries of a table per key that is looked up in it
_BLOCK = 8_192  # pairs: 64 KiB
_LONGEST_PRODUCT = 100  # (1 - .95)^100 and (1 + .95)^100 are far from the ends of floats


class LeaderBets(NamedTuple):
    """Bets against the leader after some rows: sums, log wealth by lambda, and the way there.

    Attributes
    ----------
    sums : array of float, shape (M,)
        Scores so far.
    logs : array of float, shape (M, G)
        Log wealth of each lambda.
    trace : array of float, shape (n, M)
        Log wealth of each bet after each row.
    opponents : array of int, shape (n, M)
        On whom each bet was made; -1: on the mean of the others.
    """

    sums: Array
    logs: Array
    trace: Array
    opponents: NDArray[np.int64]


def bet_on_leader(
    rows: Array, sums: Array, logs: Array, lambdas: Array = LAMBDAS, *, first: bool = False
) -> LeaderBets:
    """Bets against each model, on the leader of the others, over some rows.

    Parameters
    ----------
    rows : array of float, shape (n, M)
        Scores in [0, 1].
    sums : array of float, shape (M,)
        Scores before these rows, by which leaders are chosen; of equal ones the first leads.
    logs : array of float, shape (M, G)
        Log wealth before them.
    lambdas : array of float, shape (G,)
        Shares that are staked.
    first : bool
        Whether this is the first row of the race: nobody leads, and all bet on the mean of the
        others.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    >>> found = bet_on_leader(rows, np.zeros(3), np.zeros((3, 1)), np.array([0.5]), first=True)
    >>> found.opponents.tolist(), found.trace[1].round(4).tolist()
    ([[-1, -1, -1], [2, 0, 0]], [-0.9808, 0.4055, 0.1178])
    """
    count, size = rows.shape
    if size < 2:
        trace = np.broadcast_to(log_wealth(logs), (count, size)).copy()
        return LeaderBets(sums + rows.sum(axis=0), logs, trace, np.full((count, size), -1))
    so_far = np.vstack([sums, rows]).cumsum(axis=0)
    before = so_far[:-1]
    leader = before.argmax(axis=1)
    others = before.copy()
    others[np.arange(count), leader] = -np.inf
    opponents = np.repeat(leader[:, None], size, axis=1)
    opponents[np.arange(count), leader] = others.argmax(axis=1)
    against = np.take_along_axis(rows, opponents, axis=1)
    if first and count:
        against[0] = (rows[0].sum() - rows[0]) / (size - 1)
        opponents[0] = -1
    gains = np.log1p((against - rows)[:, :, None] * lambdas)
    # One sum after the other, so that batches make no difference to the last digit.
    wealth = np.concatenate([logs[None], gains]).cumsum(axis=0)
    return LeaderBets(so_far[-1], wealth[-1], log_wealth(wealth[1:]), opponents)


def bet_on_pairs(rows: Array, logs: Array, lambdas: Array = LAMBDAS) -> Array:
    """Bets that one model is better than another, for all ordered pairs, over some rows.

    Parameters
    ----------
    rows : array of float, shape (n, M)
        Scores in [0, 1].
    logs : array of float, shape (G, M, M)
        Log wealth before them; ``[:, i, j]`` of the bet "i better than j".
    lambdas : array of float, shape (G,)
        Shares that are staked.

    Returns
    -------
    array of float, shape (G, M, M)

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> bet_on_pairs(rows, np.zeros((1, 2, 2)), np.array([0.5]))[0].round(3).tolist()
    [[0.0, 0.405], [-0.693, 0.0]]
    """
    wealth = logs.copy()
    levels = np.unique(rows)
    if levels.size <= _FEW_LEVELS:  # right or wrong: pairs of scores are counted
        for better, worse in itertools.permutations(levels, 2):
            seen = (rows == better).astype(np.float64).T @ (rows == worse).astype(np.float64)
            for place, stake in enumerate(lambdas):
                wealth[place] += math.log1p(stake * (better - worse)) * seen
        return wealth
    # A few models at a time, so that all that is multiplied again and again stays in the cache.
    step = max(1, _BLOCK // max(rows.shape[1], 1))
    for first in range(0, rows.shape[1], step):
        block = slice(first, first + step)
        for start in range(0, rows.shape[0], _LONGEST_PRODUCT):
            some = rows[start : start + _LONGEST_PRODUCT]
            differences = some[:, block, None] - some[:, None, :]
            factor = np.empty(differences.shape[1:])
            product = np.empty_like(factor)
            for place, stake in enumerate(lambdas):
                product.fill(1.0)
                for difference in differences:
                    np.multiply(difference, stake, out=factor)
                    factor += 1.0
                    product *= factor
                wealth[place, block] += np.log(product, out=product)
    return wealth


def count_wealth(wins: ArrayLike, lambdas: Array = LAMBDAS) -> Array:
    """Log wealth of each lambda of all pairs, shape (G, M, M), where all scores were 0 or 1.

    Parameters
    ----------
    wins : array_like of int, shape (M, M)
        ``[i, j]``: how often i had 1 where j had 0.
    lambdas : array of float, shape (G,)
        Shares that are staked.

    Examples
    --------
    >>> count_wealth([[0, 2], [1, 0]], np.array([0.5]))[0].round(3).tolist()
    [[0.0, 0.118], [-0.981, 0.0]]
    """
    won = np.asarray(wins, dtype=np.float64)
    logs = np.empty((lambdas.size, *won.shape))
    for place, stake in enumerate(lambdas):
        np.multiply(won, math.log1p(stake), out=logs[place])
        logs[place] += math.log1p(-stake) * won.T
    return logs


def counted_wealth(wins: NDArray[np.integer]) -> Array:
    """Log of the mean wealth of all pairs, of right and wrong answers; shape (M, M).

    Of many pairs few have other counts than the rest, and only these are worked out.
    """
    counts = wins.astype(np.int64)
    width = int(counts.max(initial=0)) + 1
    kinds, which = _kinds(counts * width + counts.T, width * width)
    won, lost = np.divmod(kinds, width)
    logs = won * np.log1p(LAMBDAS)[:, None] + lost * np.log1p(-LAMBDAS)[:, None]
    return np.asarray(log_wealth(logs, axis=0)[which])


def _kinds(keys: NDArray[np.int64], end: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The different keys, which lie below `end`, and which of them each is; sorted if need be."""
    if end > _FULL_TABLE * keys.size:
        kinds, which = np.unique(keys, return_inverse=True)
        return kinds, which.reshape(keys.shape)
    place = np.zeros(end, np.intp)
    place[keys] = 1
    kinds = np.flatnonzero(place)
    place[kinds] = np.arange(kinds.size)
    return kinds, place[keys]


def log_wealth(logs: Array, axis: int = -1) -> Array:
    """Log of the mean wealth over the grid of lambda.

    Examples
    --------
    >>> log_wealth(np.log([[1.0, 3.0]])).round(4).tolist()
    [0.6931]
    """
    top = logs.max(axis=axis, keepdims=True)
    found: Array = np.log(np.exp(logs - top).mean(axis=axis)) + top.squeeze(axis)
    return found

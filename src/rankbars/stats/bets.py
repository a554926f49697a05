"""Races: bets on rows in a fixed order, valid however often one looks and whenever one stops.

A bet multiplies its wealth, row by row, by ``1 + lambda * e`` with ``e`` in [-1, 1]; wealth is the
mean over a grid of lambda. Where no row is expected to favour the bet, wealth is a supermartingale
and reaches ``1 / alpha`` at any time with probability at most `alpha` (Ville 1939).

First place: each model has one bet against it, on whoever leads the others before the row. The bet
against a best model loses on average whichever opponent was chosen, so that no factor for the
number of models is needed. The first k: each ordered pair has a bet, and a claim "i better than j"
is made at ``k (M - k) / alpha``: a wrong call of a member or an outsider needs a false claim "an
outsider better than a member", and there are k (M - k) such pairs.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "LAMBDAS",
    "RaceState",
    "add_racer",
    "bet_on_leader",
    "bet_on_pairs",
    "call_top",
    "count_wealth",
    "going_on",
    "log_wealth",
    "race_evidence",
    "rows_left",
    "running",
    "settle_batch",
    "start_race",
    "threshold",
]

Array = NDArray[np.float64]

LAMBDAS: Array = np.geomspace(0.005, 0.95, 24)
"""Shares of the wealth that are staked on a row."""

_FEW_LEVELS = 3
_FULL_TABLE = 8  # entries of a table per key that is looked up in it
_BLOCK = 8_192  # pairs: 64 KiB
_LONGEST_PRODUCT = 100  # (1 - .95)^100 and (1 + .95)^100 are far from the ends of floats


class RaceState(NamedTuple):
    """Where a race stands after a batch.

    Attributes
    ----------
    k : int
        How many places are raced for.
    sums : array of float, shape (M,)
        Scores so far; a model that joined late began with the mean of those that ran then.
    logs : array of float, shape (M, G) for one place, (G, M, M) for several
        Log wealth of each lambda: of the bet against a model; of the bet on ``[i, j]``. For
        several places, while all scores were 0 or 1: an array of int, shape (M, M), of how often
        i had 1 where j had 0, from which it follows (`count_wealth`) and which is 48 times smaller.
    now, peak : array of float, shape (M,) or (M, M)
        Log wealth, the mean over lambda, after the last batch; and the largest after any batch.
    call : array of int, shape (M,)
        -1: out; 1: among the first k; 0: not decided.
    since : array of int, shape (M,)
        Rows of the race at which that was decided; -1 where it was not.
    rows : array of int, shape (M,)
        Rows that each model ran.
    at : int
        Rows of the race so far.
    """

    k: int
    sums: Array
    logs: NDArray[Any]
    now: Array
    peak: Array
    call: NDArray[np.int8]
    since: NDArray[np.int64]
    rows: NDArray[np.int64]
    at: int = 0


def start_race(models: int, k: int = 1) -> RaceState:
    """A race before its first row.

    Examples
    --------
    >>> start_race(3).logs.shape, start_race(3, 2).logs.shape
    ((3, 24), (3, 3))
    """
    one = k == 1
    table = np.zeros(models if one else (models, models))
    return RaceState(
        k,
        np.zeros(models),
        np.zeros((models, LAMBDAS.size)) if one else np.zeros((models, models), np.int32),
        table,
        table,
        np.zeros(models, np.int8),
        np.full(models, -1, np.int64),
        np.zeros(models, np.int64),
    )


def add_racer(state: RaceState, alpha: float) -> RaceState:
    """The race with one more model, whose wealth begins with its first row.

    A race for several places makes its calls anew, for the larger number of models.
    """
    runs = state.call == 0
    new = [(0, 1), (0, 1)]
    room = [(0, 1), (0, 0)] if state.k == 1 else [(0, 0)] * (state.logs.ndim - 2) + new
    logs, now, peak = (
        np.pad(state.logs, room), np.pad(state.now, (0, 1)), np.pad(state.peak, (0, 1))
    )  # fmt: skip
    joined = RaceState(
        state.k,
        np.append(state.sums, state.sums[runs].mean() if runs.any() else state.sums.max()),
        logs,
        now,
        peak,
        np.append(state.call, np.int8(0)),
        np.append(state.since, -1),
        np.append(state.rows, 0),
        state.at,
    )
    if state.k == 1:
        return joined
    call = call_top(peak >= threshold(state.k, joined.call.size, alpha), state.k)
    return joined._replace(call=call, since=np.where(call == 0, -1, joined.since))


def threshold(k: int, models: int, alpha: float) -> float:
    """Log wealth at which a claim is made.

    Examples
    --------
    >>> round(threshold(1, 10, 0.05), 3), round(threshold(3, 10, 0.05), 3)
    (2.996, 6.04)
    """
    return math.log((1 if k == 1 else k * (models - k)) / alpha)


def going_on(call: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Models that go on after these calls, shape (M,); none where all is decided."""
    runs: NDArray[np.bool_] = call == 0
    return runs if runs.sum() > 1 else np.zeros_like(runs)


def running(state: RaceState) -> NDArray[np.bool_]:
    """Models that go on, shape (M,); none where all is decided."""
    return going_on(state.call)


def settle_batch(state: RaceState, rows: ArrayLike, alpha: float) -> RaceState:
    """The race after a batch, at whose end models are called in or out.

    Parameters
    ----------
    state : RaceState
        Before it.
    rows : array_like, shape (n, R)
        Scores in [0, 1] of the models that run, in order.
    alpha : float
        Error rate.

    Examples
    --------
    >>> rows = [[1.0, 0.0, 1.0], [1.0, 0.0, 0.0]] * 20
    >>> settle_batch(start_race(3), rows, 0.05).call.tolist()
    [0, -1, -1]
    """
    scores = np.asarray(rows, dtype=np.float64)
    runs = np.flatnonzero(running(state))
    at = state.at + scores.shape[0]
    sums, logs = state.sums.copy(), state.logs
    now, peak = state.now.copy(), state.peak.copy()
    call, since, done = state.call.copy(), state.since.copy(), state.rows.copy()
    done[runs] += scores.shape[0]
    limit = threshold(state.k, call.size, alpha)
    if state.k == 1:
        found = bet_on_leader(scores, sums[runs], logs[runs], first=state.at == 0)
        logs = logs.copy()
        sums[runs], logs[runs] = found.sums, found.logs
        now[runs] = log_wealth(found.logs)
        peak[runs] = np.maximum(peak[runs], now[runs])
        out = runs[now[runs] >= limit]
        if out.size == runs.size:  # the last one is never dropped
            out = np.delete(out, np.argmax(sums[out]))
        call[out] = -1
    else:
        block = np.ix_(runs, runs)
        if logs.ndim == 2 and ((scores == 0) | (scores == 1)).all():
            logs = logs.copy()
            logs[block] += (scores.T @ (1.0 - scores)).astype(np.int32)
            now[block] = _counted(logs[block])
        else:
            logs = count_wealth(logs) if logs.ndim == 2 else logs
            if runs.size == call.size:  # no copies: of a thousand models these tables are large
                bets = logs = bet_on_pairs(scores, logs)
            else:
                whole = np.ix_(np.arange(LAMBDAS.size), runs, runs)
                bets, logs = bet_on_pairs(scores, logs[whole]), logs.copy()
                logs[whole] = bets
            # Model by model, so that what is worked on stays in the cache.
            now[block] = [log_wealth(one, axis=0) for one in bets.transpose(1, 0, 2)]
        sums[runs] = np.vstack([sums[runs], scores]).cumsum(axis=0)[-1]
        peak[block] = np.maximum(peak[block], now[block])
        call = call_top(peak >= limit, state.k)
    since[(call != 0) & (since < 0)] = at
    return RaceState(state.k, sums, logs, now, peak, call, since, done, at)


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


def _counted(wins: NDArray[np.integer]) -> Array:
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


def call_top(shown: NDArray[np.bool_], k: int) -> NDArray[np.int8]:
    """Who is called in (1) and out (-1) of the first k by what is shown; 0 where it is open.

    Parameters
    ----------
    shown : array of bool, shape (M, M)
        ``[i, j]``: i is shown better than j.
    k : int
        Places.

    Notes
    -----
    Among the open models, with so many open places, one is out if as many open models are shown
    better than it, and in if it is shown better than all but as many. Repeated until nothing
    changes. Where claims contradict each other, the models they are about stay open.

    Examples
    --------
    >>> chain = np.triu(np.ones((4, 4), bool), 1)
    >>> call_top(chain, 2).tolist()
    [1, 1, -1, -1]
    >>> chain[0] = chain[1, 2] = False
    >>> call_top(chain, 2).tolist()
    [0, 0, 0, -1]
    """
    call = np.zeros(shown.shape[0], np.int8)
    places = k
    while True:
        left = np.flatnonzero(call == 0)
        among = shown[np.ix_(left, left)]
        outside = among.sum(axis=0) >= places
        inside = among.sum(axis=1) >= left.size - places
        clear = outside != inside
        inside, outside = inside & clear, outside & clear
        if not clear.any() or inside.sum() > places or outside.sum() > left.size - places:
            return call
        call[left[inside]], call[left[outside]] = 1, -1
        places -= int(inside.sum())


def race_evidence(state: RaceState, ran: ArrayLike | None = None) -> Array:
    """Log wealth that stands for each model's call, shape (R,).

    For one place that of the bet against the model. For several that of the last claim that calls
    it in or out, whichever is nearer: the k-th largest of the bets on others against it, or the
    (M - k)-th largest of the bets on it. Of models that `ran` in the last batch among these, and
    for the places that others do not have.
    """
    places = np.arange(state.call.size) if ran is None else np.asarray(ran, np.intp)
    if state.k == 1:
        return np.asarray(state.now[places])
    k = state.k - int((np.delete(state.call, places) == 1).sum())
    wealth = state.now[np.ix_(places, places)]
    np.fill_diagonal(wealth, -np.inf)
    against = np.partition(wealth, places.size - k, axis=0)[places.size - k]
    within = np.partition(wealth, k, axis=1)[:, k]
    return np.asarray(np.maximum(against, within))


def rows_left(at: ArrayLike, evidence: ArrayLike, limit: float) -> Array:
    """Rows until log wealth reaches a limit, if it grows as over the last half of the race.

    Parameters
    ----------
    at : array_like, shape (B,)
        Rows of the race after each batch.
    evidence : array_like, shape (B, M)
        Log wealth then; NaN where a model did not run.
    limit : float
        Log wealth that is wanted.

    Returns
    -------
    array of float, shape (M,)
        Infinite where it does not grow.

    Examples
    --------
    >>> rows_left([10, 20, 30], [[1.0, 0.0], [2.0, 0.0], [3.0, -1.0]], 5.0).tolist()
    [20.0, inf]
    """
    rows, found = np.asarray(at, dtype=np.float64), np.asarray(evidence, dtype=np.float64)
    if not rows.size:
        return np.full(found.shape[-1], np.inf)
    middle = int(np.searchsorted(rows, rows[-1] / 2))
    if middle == rows.size - 1:  # one batch only: from nothing
        before, start = np.zeros(found.shape[1]), np.zeros(found.shape[1])
    else:
        before, start = found[middle], np.full(found.shape[1], rows[middle])
    slope = (found[-1] - np.where(np.isnan(before), 0.0, before)) / (rows[-1] - start)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = np.where(slope > 0, (limit - found[-1]) / slope, np.inf)
    return np.asarray(np.maximum(left, 0.0))

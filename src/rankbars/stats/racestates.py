"""Races: what bets on rows say after each batch, and who is called in or out by them.

First place: each model has one bet against it, on whoever leads the others before the row. The bet
against a best model loses on average whichever opponent was chosen, so that no factor for the
number of models is needed. The first k: each ordered pair has a bet, and a claim "i better than j"
is made at ``k (M - k) / alpha``: a wrong call of a member or an outsider needs a false claim "an
outsider better than a member", and there are k (M - k) such pairs. The bets are those of
`rankbars.stats.bets`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.stats.bets import (
    LAMBDAS,
    Array,
    bet_on_leader,
    bet_on_pairs,
    count_wealth,
    counted_wealth,
    log_wealth,
)

__all__ = [
    "RaceState",
    "add_racer",
    "call_top",
    "going_on",
    "race_evidence",
    "rows_left",
    "settle_batch",
    "start_race",
    "threshold",
]


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
    runs = np.flatnonzero(going_on(state.call))
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
            now[block] = counted_wealth(logs[block])
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

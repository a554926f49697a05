"""The bets of a race: carried on from batch to batch, and kept in its file."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankbars.racing.racestanding import Standing, read_standing, scaled_rows
from rankbars.stats.bets import LAMBDAS
from rankbars.stats.racestates import (
    RaceState,
    add_racer,
    going_on,
    race_evidence,
    settle_batch,
    start_race,
    threshold,
)
from rankbars.store.racefile import SETTLED, Bytes, RaceLog

__all__ = ["close_batch", "enter_model"]

_UNKEPT: Final = 3
"""Batches whose wealth is not kept by a process that goes on; another computes them anew."""
_FIRST_ROWS: Final = 25
"""In a first batch of so few rows, of scores other than 0 and 1, bets on all pairs are made anew
in less time than they are written and read: there are 24 numbers for each pair."""


def close_batch(log: RaceLog) -> None:
    """End the open batch, whose answers are all there."""
    now = read_standing(log)
    batch = now.open
    if batch is None:
        return
    state = settle_batch(_bets(log), scaled_rows(now.design, batch), now.design.alpha)
    facts = _settled(state, now)
    if _worth_keeping(log, state):
        facts |= _keep(log, state, now.design.alpha)
    evidence: list[float | None] = [None] * len(now.models)
    for model, one in zip(batch.models, race_evidence(state, batch.models).tolist(), strict=True):
        evidence[model] = one
    facts["log_e"] = evidence
    if log.leases:
        log.lease({})
    log.add("closed", facts)
    log.know(state)


def _worth_keeping(log: RaceLog, state: RaceState) -> bool:
    """Whether the wealth after this batch is kept."""
    if log.known:
        return len(log.unkept) >= _UNKEPT
    begun = any(one.kind in SETTLED for one in log.entries)
    return begun or state.logs.ndim == 2 or state.at > _FIRST_ROWS


def enter_model(log: RaceLog, name: str) -> None:
    """Let a model in between two batches."""
    now = read_standing(log)
    state = _bets(log)
    if np.isnan(state.peak).any():
        state = _whole(log)
    state = add_racer(state, now.design.alpha)
    facts = _settled(state, now) | _keep(log, state, now.design.alpha)
    log.add("joined", {"model": name, **facts})
    log.know(state)


def _settled(state: RaceState, now: Standing) -> dict[str, Any]:
    """What an entry says of the state after it, but for the wealth."""
    new = state.call.size - len(now.models)
    return {
        "at": state.at,
        "call": state.call.tolist(),
        "since": state.since.tolist(),
        "rows": state.rows.tolist(),
        "sums": state.sums.tolist(),
        "made": [*now.made.tolist(), *[0] * new],
        "failed": [*now.failed.tolist(), *[0] * new],
    }


def _bets(log: RaceLog) -> RaceState:
    """The bets after the last settled entry: as known, or computed on from where they were kept."""
    last = next((one for one in reversed(log.entries) if one.kind in SETTLED), log.entries[0])
    if last.digest in log.known:
        known: RaceState = log.known[last.digest]
        return known
    later = log.unkept
    kept = RaceLog(log.entries[: later[0]]) if later else log
    return _carried_on(_unpacked(kept, log.wealth), log, later)


def _whole(log: RaceLog) -> RaceState:
    """The bets of all pairs, computed anew from the first row."""
    design = read_standing(log).design
    first = start_race(len(log.entries[0].facts["models"]), design.k)
    settled = [place for place, one in enumerate(log.entries) if one.kind in SETTLED]
    return _carried_on(first, log, settled)


def _carried_on(state: RaceState, log: RaceLog, places: list[int]) -> RaceState:
    """The bets after the settled entries at these places."""
    for place in places:
        before = read_standing(RaceLog(log.entries[:place]))
        if before.open is not None:
            rows = scaled_rows(before.design, before.open)
            state = settle_batch(state, rows, before.design.alpha)
        else:
            state = add_racer(state, before.design.alpha)
    return state


def _keep(log: RaceLog, state: RaceState, alpha: float) -> dict[str, str]:
    """Keep the wealth; its digest and its form, for the entry.

    For several places it is that of pairs of models that go on, and of all pairs which were shown:
    no more is needed until another model joins, and then all of it is computed anew.
    """
    if state.k == 1:
        return {"wealth": log.keep(_bytes(state.logs, state.now, state.peak))}
    runs = np.flatnonzero(going_on(state.call))
    shown = np.packbits(state.peak >= threshold(state.k, state.call.size, alpha))
    if state.logs.ndim == 2:
        logs = state.logs[np.ix_(runs, runs)]
        form = "<u2" if logs.max(initial=0) <= np.iinfo("<u2").max else "<u4"
    else:
        logs, form = state.logs, "<f8"
        if runs.size < state.call.size:
            logs = logs[:, runs[:, None], runs]
    peak = state.peak[np.ix_(runs, runs)]
    wealth = _bytes(peak, logs.astype(form, copy=False), shown)
    return {"wealth": log.keep(wealth), "form": form}


def _bytes(*parts: NDArray[Any]) -> Bytes:
    """Arrays one after the other, in whole eights of bytes."""
    size = sum(part.nbytes for part in parts)
    made, end = np.zeros(size + -size % 8, np.uint8), 0
    for part in parts:
        start, end = end, end + part.nbytes
        made[start:end].view(part.dtype).reshape(part.shape)[...] = part
    return made


def _unpacked(log: RaceLog, wealth: Bytes) -> RaceState:
    """The bets after the last settled entry, whose wealth this is.

    What was not kept is NaN, and infinite where it was shown.
    """
    now = read_standing(log)
    state = start_race(len(now.models), now.design.k)
    state = state._replace(sums=now.sums, call=now.call, since=now.since, rows=now.rows, at=now.at)
    if not wealth.size:
        return state
    form = next(one for one in reversed(log.entries) if one.kind in SETTLED).facts.get("form")
    if form is None:
        return _of_all_pairs(state, wealth)
    size, runs = len(now.models), now.runs
    block, count = np.ix_(runs, runs), runs.size**2
    grid = LAMBDAS.size if form == "<f8" else 1
    ends = 8 * count, 8 * count + grid * count * np.dtype(form).itemsize
    shown = np.unpackbits(wealth[ends[1] :], count=size**2).reshape(size, size)
    peak = np.where(shown == 1, np.inf, np.nan)
    peak[block] = wealth[: ends[0]].view("<f8").reshape(runs.size, runs.size)
    kept = wealth[ends[0] : ends[1]].view(form)
    if form == "<f8":
        logs = np.zeros((grid, size, size))
        logs[:, runs[:, None], runs] = kept.reshape(grid, runs.size, runs.size)
    else:
        logs = state.logs
        logs[block] = kept.reshape(runs.size, runs.size)
    return state._replace(logs=logs, now=np.full((size, size), np.nan), peak=peak)


def _of_all_pairs(state: RaceState, wealth: Bytes) -> RaceState:
    """The bets with the wealth of all: for one place, and as earlier versions kept it."""
    logs = state.logs
    first = wealth.size - 2 * state.now.nbytes
    last, peak = wealth[first:].view("<f8").reshape(2, *state.now.shape)
    if first == 4 * logs.size:  # counts
        logs = wealth[:first].view("<i4").reshape(logs.shape)
    elif first == 8 * logs.size:
        logs = wealth[:first].view("<f8").reshape(logs.shape).astype(logs.dtype, copy=False)
    else:  # scores that are not 0 or 1
        logs = wealth[:first].view("<f8").reshape(LAMBDAS.size, *logs.shape)
    return state._replace(logs=logs, now=last, peak=peak)

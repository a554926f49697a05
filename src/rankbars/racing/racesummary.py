"""Where a race stands, as a board; and its results, as scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Items
from rankbars.data.notes import Note
from rankbars.data.raceboard import RaceBoard, Racer
from rankbars.data.scores import Scores
from rankbars.errors import DataError
from rankbars.racing.racestanding import RaceBatch, Standing, answers_of, name_calls, read_standing
from rankbars.stats.bets import race_evidence, rows_left, running, threshold
from rankbars.store.racefile import RaceLog

__all__ = ["board_of", "scores_of"]


def board_of(now: Standing, digest: str) -> RaceBoard:
    """Who may still be first or among the first k, what it took, and why it may stop."""
    design, state = now.design, now.state
    limit = threshold(design.k, len(now.models), design.alpha)
    evidence = race_evidence(state)
    width = len(now.models)
    history = [
        (
            at,
            [math.nan if one is None else one for one in found] + [math.nan] * (width - len(found)),
        )
        for at, found in now.history
    ]
    more = np.full(width, np.inf)
    if history:
        more = rows_left([at for at, _ in history], [found for _, found in history], limit)
    open_ = state.call == 0
    settled = not running(state).any()
    racers = []
    low, high = design.limits
    for place, model in enumerate(now.models):
        share = state.sums[place] / state.rows[place] if state.rows[place] else math.nan
        late = any(name == model for name, _ in now.joined)
        mean = math.nan if late else low + share * (high - low)
        if design.lower and not late:
            mean = high - share * (high - low)
        in_ = state.call[place] == 1 or (settled and open_[place])
        since = int(state.since[place])
        if in_ and since < 0:
            since = int(state.since.max())
        call: Literal["in", "out", "open"] = "in" if in_ else "open" if open_[place] else "out"
        racers.append(
            Racer(
                model, call, None if call == "open" else since, int(state.rows[place]),
                now.totals.get(place, [0, 0])[0], float(mean), float(evidence[place]),
                float(more[place]) if call == "open" else math.nan,
            )
        )  # fmt: skip
    order = {"in": 0, "open": 1, "out": 2}
    shares = dict(zip(now.models, state.sums / np.maximum(state.rows, 1), strict=True))
    racers.sort(
        key=lambda one: (
            order[one.call],
            -(one.since or 0) if one.call == "out" else 0,
            -shares[one.model],
            one.model,
        )
    )
    return RaceBoard(
        design.k, design.alpha, tuple(racers), design.tasks,
        "tries" if design.rows == "trials" else "items",
        state.at, design.of, now.used, design.cells * design.of * width,
        _more(racers, more, now), limit, now.stop, now.waiting,
        sum(failed for _, failed in now.totals.values()),
        now.batch, design.seed, digest, tuple((at, tuple(one)) for at, one in history),
        tuple(now.models), _notes(now),
    )  # fmt: skip


def _more(racers: Sequence[Racer], more: NDArray[np.float64], now: Standing) -> float:
    """Rows until all is decided: until all but the leader are out, or all open models decided."""
    left = [one for one in racers if one.call == "open"]
    if not left:
        return 0.0
    if now.design.k == 1:
        leader = max(left, key=lambda one: now.state.sums[now.models.index(one.model)])
        left.remove(leader)
    return max((float(more[now.models.index(one.model)]) for one in left), default=math.inf)


def _notes(now: Standing) -> tuple[Note, ...]:
    notes = []
    for name, at in now.joined:
        text = (
            f"{name} joined after {at:,} rows: it ran other items than the rest, its mean is not "
            "comparable, and its evidence begins there."
        )
        notes.append(Note("joined-late", text, models=(name,)))
    failed = {now.models[place]: made[1] for place, made in now.totals.items() if made[1]}
    if failed:
        names = ", ".join(f"{name} {count:,}" for name, count in failed.items())
        text = f"Calls that were declared to have failed count as the worst score: {names}."
        notes.append(Note("failed-calls", text, models=tuple(failed)))
    return tuple(notes)


def scores_of(log: RaceLog) -> Scores:
    """Results of complete batches by task: items × models, trials averaged."""
    now = read_standing(log)
    low, high = now.design.limits
    worst = high if now.design.lower else low
    sums: dict[str, dict[str, dict[int, list[float]]]] = {}
    batches: list[RaceBatch] = []
    for entry in log.entries:
        if entry.kind == "batch":
            told = entry.facts
            batches.append(RaceBatch(told["first"], told["rows"], told["models"], {}))
        elif entry.kind == "told":
            batches[-1].answers.update(answers_of(entry.facts))
    for batch in batches[: None if now.open is None else -1]:
        places = list(batch.calls(now.design.cells))
        for call, place in zip(name_calls(now, places), places, strict=True):
            score = batch.answers[place]
            by_item = sums.setdefault(call.task, {}).setdefault(call.item, {})
            by_item.setdefault(place[1], []).append(worst if score is None else score)
    if not sums:
        raise DataError("No batch of this race is complete, so there are no scores yet.")
    order = sorted(range(len(now.models)), key=now.models.__getitem__)
    names = tuple(now.models[place] for place in order)
    tasks = {}
    for task, items in sums.items():
        values = np.array(
            [
                [np.mean(found[place]) if place in found else np.nan for place in order]
                for found in items.values()
            ]
        )
        tasks[task] = Items(names, -values if now.design.lower else values, ids=tuple(items))
    return Scores(tasks)

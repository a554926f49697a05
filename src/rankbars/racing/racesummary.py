"""Where a race stands, as a board; and its results, as scores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.data.raceboard import Call, RaceBoard, Racer
from rankbars.errors import DataError
from rankbars.racing.racestanding import (
    RaceBatch,
    RaceDesign,
    Standing,
    name_calls,
    read_standing,
)
from rankbars.stats.racestates import rows_left, threshold
from rankbars.store.racefile import RaceLog

if TYPE_CHECKING:
    from rankbars.data.scores import Scores

__all__ = ["answers_before", "board_of", "contradicted_in", "scores_of"]


def board_of(log: RaceLog) -> RaceBoard:
    """Who may still be first or among the first k, what it took, and why it may stop."""
    now = read_standing(log)
    log.check()
    design, width = now.design, len(now.models)
    limit = threshold(design.k, width, design.alpha)
    history = _history(log, width)
    more = np.full(width, np.inf)
    evidence = np.zeros(width)
    for _, found in history:
        evidence = np.where(np.isnan(found), evidence, found)
    if history:
        left = rows_left([at for at, _ in history], [found for _, found in history], limit)
        more = np.where(np.isnan(left), np.inf, left)
    joined = {one.facts["model"]: one.facts["at"] for one in log.entries if one.kind == "joined"}
    shares = now.sums / np.maximum(now.rows, 1)
    racers = []
    for place, model in enumerate(now.models):
        call, since = _call(now, place)
        known = now.rows[place] > 0 and model not in joined
        racers.append(
            Racer(
                model, call, since, int(now.rows[place]), int(now.made[place]),
                _unscaled(design, float(shares[place])) if known else math.nan,
                float(evidence[place]), float(more[place]) if call == "open" else math.nan,
            )
        )  # fmt: skip
    order = {"in": 0, "open": 1, "out": 2}
    share_of = dict(zip(now.models, shares.tolist(), strict=True))
    racers.sort(
        key=lambda one: (
            order[one.call],
            -(one.since or 0) if one.call == "out" else 0,
            -share_of[one.model],
            one.model,
        )
    )
    return RaceBoard(
        design.k, design.alpha, tuple(racers), design.tasks,
        "tries" if design.rows == "trials" else "items",
        now.at, design.of, now.used, design.cells * design.of * width,
        _more(racers, more, now), limit, now.stop, now.waiting, int(now.failed.sum()),
        now.batch, design.seed, log.digest,
        tuple((at, tuple(found.tolist())) for at, found in history), tuple(now.models),
        _notes(now, joined, contradicted_in(log)),
    )  # fmt: skip


def _history(log: RaceLog, width: int) -> list[tuple[int, NDArray[np.float64]]]:
    """Rows and log e-values after each batch; NaN of a model that did not run."""
    found = []
    for entry in log.entries:
        if entry.kind == "closed":
            told = entry.facts
            seen = np.array(told["log_e"], dtype=np.float64)
            found.append((told["at"], np.pad(seen, (0, width - seen.size), constant_values=np.nan)))
    return found


def _call(now: Standing, place: int) -> tuple[Literal["in", "out", "open"], int | None]:
    """What is decided of a model, and since when."""
    if now.call[place] == -1:
        return "out", int(now.since[place])
    if now.call[place] == 1:
        return "in", int(now.since[place])
    return ("open", None) if now.runs.size else ("in", int(now.since.max()))


def _unscaled(design: RaceDesign, share: float) -> float:
    low, high = design.limits
    return high - share * (high - low) if design.lower else low + share * (high - low)


def _more(racers: Sequence[Racer], more: NDArray[np.float64], now: Standing) -> float:
    """Rows until all is decided: until all but the leader are out, or all open models decided."""
    left = [one for one in racers if one.call == "open"]
    if not left:
        return 0.0
    if now.design.k == 1:
        leader = max(left, key=lambda one: now.sums[now.models.index(one.model)])
        left.remove(leader)
    return max((float(more[now.models.index(one.model)]) for one in left), default=math.inf)


def contradicted_in(log: RaceLog) -> list[Call]:
    """Calls of which another result was told than the one that counts."""
    return [Call(*one) for entry in log.entries if entry.kind == "contradicted"
            for one in entry.facts["calls"]]  # fmt: skip


def _notes(
    now: Standing, joined: Mapping[str, int], contradicted: Sequence[Call]
) -> tuple[Note, ...]:
    notes = []
    for name, at in joined.items():
        text = (
            f"{name} joined after {at:,} rows: it ran other items than the rest, its mean is not "
            "comparable, and its evidence begins there."
        )
        notes.append(Note("joined-late", text, models=(name,)))
    failed = {name: int(n) for name, n in zip(now.models, now.failed, strict=True) if n}
    if failed:
        names = ", ".join(f"{name} {count:,}" for name, count in failed.items())
        text = f"Calls that were declared to have failed count as the worst score: {names}."
        notes.append(Note("failed-calls", text, models=tuple(failed)))
    if contradicted:
        one = contradicted[0]
        text = (
            f"Of {len(contradicted):,} {'call' if len(contradicted) == 1 else 'calls'} another "
            f"result was told after the one that counts, such as {one.model}, task {one.task}, "
            f"item {one.item}. The first counts. See why they differ."
        )
        notes.append(
            Note("contradicted", text, models=tuple(sorted({one.model for one in contradicted})))
        )
    return tuple(notes)


def answers_before(log: RaceLog, calls: Iterable[Call]) -> dict[Call, float | None]:
    """What counts for those of the calls that are in complete batches; None: it has failed."""
    now = read_standing(log)
    asked = set(calls)
    found: dict[Call, float | None] = {}
    for batch in _batches(log, now):
        named = name_calls(now, batch, range(batch.told.size))
        found |= {
            call: score for call, score in zip(named, batch.answers(), strict=True) if call in asked
        }
    return found


def _batches(log: RaceLog, now: Standing) -> list[RaceBatch]:
    """The complete batches, with their answers."""
    batches: list[RaceBatch] = []
    for entry in log.entries:
        if entry.kind == "batch":
            batches.append(RaceBatch.begin(entry.facts, now.design.cells))
        elif entry.kind == "told":
            batches[-1].take(entry.facts)
    return batches[: None if now.open is None else -1]


def scores_of(log: RaceLog) -> Scores:
    """Results of complete batches by task: items × models, trials averaged."""
    from rankbars.data.evidence import Items
    from rankbars.data.scores import Scores

    now = read_standing(log)
    low, high = now.design.limits
    worst = high if now.design.lower else low
    sums: dict[str, dict[str, dict[str, list[float]]]] = {}
    for batch in _batches(log, now):
        named = name_calls(now, batch, range(batch.told.size))
        for call, score in zip(named, batch.answers(), strict=True):
            by_item = sums.setdefault(call.task, {}).setdefault(call.item, {})
            by_item.setdefault(call.model, []).append(worst if score is None else score)
    if not sums:
        raise DataError("No batch of this race is complete, so there are no scores yet.")
    names = tuple(sorted(now.models))
    tasks = {}
    for task, items in sums.items():
        values = np.array(
            [
                [np.mean(found[name]) if name in found else np.nan for name in names]
                for found in items.values()
            ]
        )
        tasks[task] = Items(names, -values if now.design.lower else values, ids=tuple(items))
    return Scores(tasks)

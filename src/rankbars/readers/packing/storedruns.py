"""Runs in logs as pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.readers.logs.records import Agreement, Measure, Rows, Run
from rankbars.readers.packing.storedcells import (
    code,
    column,
    notes_of,
    notes_to_json,
    texts_of,
    whole,
)
from rankbars.readers.parts import Heeded, Leaderboard
from rankbars.readers.pieces import Piece

__all__ = [
    "HEEDED", "RUN", "pack_board", "pack_heeded", "pack_run", "unpack_heeded", "unpack_runs",
]  # fmt: skip

RUN = "run"
HEEDED = "heeded"
_HALF = 32  # bits; both halves of a fingerprint are exact as floats


def pack_run(run: Run) -> Piece:
    """A run."""
    plain = (
        "source", "model", "task", "headline", "selection", "stamp", "finished", "expected",
        "failed", "category",
    )  # fmt: skip
    facts: dict[str, Any] = {name: getattr(run, name) for name in plain}
    for name in ("variants", "system", "manner", "setup"):
        facts[name] = dict(getattr(run, name))
    facts["agree"] = {name: list(one) for name, one in run.agree.items()}
    facts["parts"] = list(run.parts)
    facts["notes"] = notes_to_json(run.notes)
    facts["measures"] = {name: _pack_measure(one) for name, one in run.measures.items()}
    if run.rows is None:
        return Piece(RUN, {**facts, "rows": None})
    rows = run.rows
    facts["rows"] = {"identity": list(rows.identity)}
    labels: dict[str, Iterable[str | None]] = {"id": rows.ids}
    numbers: dict[str, NDArray[Any]] = {"status": rows.status}
    if rows.other_ids is not None:
        labels["other_id"] = rows.other_ids
    if rows.clusters is not None:
        labels["cluster"] = rows.clusters
    if rows.repeats is not None:
        numbers["repeat"] = rows.repeats
    if rows.prints is not None:
        numbers["print_high"] = rows.prints >> _HALF
        numbers["print_low"] = rows.prints & ((1 << _HALF) - 1)
    frames = {"answers": code(labels, numbers, run.source)}
    scored = {name: one.scores for name, one in run.measures.items() if one.scores is not None}
    if scored:
        names = [name for name in scored for _ in rows.ids]
        frames["answer_scores"] = code(
            {"measure": names}, {"score": np.concatenate(list(scored.values()))}, run.source
        )
    return Piece(RUN, facts, frames)


def _pack_measure(measure: Measure) -> dict[str, Any]:
    plain = ("name", "value", "se", "n", "metric", "direction", "origin", "declined", "fault")
    facts = {name: getattr(measure, name) for name in plain}
    return {**facts, "limits": list(measure.limits), "scored": measure.scores is not None}


def pack_board(board: Leaderboard) -> list[Piece]:
    """The runs of a leaderboard."""
    pieces = [pack_run(run) for run in board.runs]
    return [replace(one, facts={**one.facts, "instead": board.instead}) for one in pieces]


def pack_heeded(part: Heeded) -> Piece:
    """The filters that a reader heeded."""
    return Piece(HEEDED, {"source": part.source, "filters": list(part.filters)})


def unpack_heeded(piece: Piece) -> Heeded:
    """The filters."""
    return Heeded(piece.facts["source"], tuple(piece.facts["filters"]))


def unpack_runs(pieces: Sequence[Piece]) -> list[Run | Leaderboard]:
    """The runs and leaderboards of a file."""
    boards: dict[tuple[str, str], list[Run]] = {}
    found: list[Run | Leaderboard] = []
    for piece in pieces:
        run, instead = _unpack_run(piece), piece.facts.get("instead")
        if instead is None:
            found.append(run)
        else:
            boards.setdefault((run.source, instead), []).append(run)
    found += [Leaderboard(source, tuple(runs), text) for (source, text), runs in boards.items()]
    return found


def _unpack_run(piece: Piece) -> Run:
    facts = {name: value for name, value in piece.facts.items() if name != "instead"}
    rows = _unpack_rows(piece, facts.pop("rows"))
    scores = np.empty(0)
    if "answer_scores" in piece.frames:
        scores = column(piece.frames["answer_scores"], "score")
    measures, start = {}, 0
    for name, given in facts.pop("measures").items():
        own = dict(given)
        values = None
        if own.pop("scored"):
            size = 0 if rows is None else len(rows.ids)
            values, start = scores[start : start + size], start + size
        low, high = own.pop("limits")
        measures[name] = Measure(scores=values, limits=(low, high), **own)
    agree = {name: Agreement(*one) for name, one in facts.pop("agree").items()}
    notes, parts = notes_of(facts.pop("notes")), tuple(facts.pop("parts"))
    return Run(measures=measures, rows=rows, agree=agree, notes=notes, parts=parts, **facts)


def _unpack_rows(piece: Piece, facts: Mapping[str, Any] | None) -> Rows | None:
    if facts is None:
        return None
    table = piece.frames["answers"]
    block = whole(table)

    numbers = block.numbers
    prints = None
    if "print_high" in numbers:
        high, low = (numbers[name].astype(np.int64) for name in ("print_high", "print_low"))
        prints = (high << _HALF) | low
    other = texts_of(table, block, "other_id")
    first, second = facts["identity"]
    return Rows(
        tuple(str(one) for one in texts_of(table, block, "id") or ()),
        numbers["status"].astype(np.uint8),
        numbers["repeat"].astype(np.int64) if "repeat" in numbers else None,
        texts_of(table, block, "cluster"),
        None
        if (other := texts_of(table, block, "other_id")) is None
        else tuple(str(one) for one in other),
        prints,
        (first, second),
    )

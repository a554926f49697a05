"""Finished scores of a file as pieces, for formats that give nothing less finished."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Estimates, Evidence, Folds, Items, take_models
from rankbars.data.scores import Scores, TaskInfo
from rankbars.data.votes import Votes
from rankbars.readers.packing.storedcells import code, column, notes_of, notes_to_json, whole
from rankbars.readers.packing.storedvotes import facts_of_votes, pack_counts, unpack_counts
from rankbars.readers.parts import ReadyScores
from rankbars.readers.pieces import Piece
from rankbars.tables.coding import CodedTable

__all__ = ["READY", "is_same", "pack_ready", "unpack_ready"]

READY = "ready"

_INFO = ("category", "family", "metric", "weight", "direction", "minimum", "maximum", "chance")
_ITEMS = ("values", "clusters", "weights", "answers", "runs")
_ESTIMATES = ("mean", "se", "cov", "n")
_COVERAGE = ("scored", "unscored", "errors", "missing", "zeros")
_INTEGERS = frozenset({"clusters", "answers", "n", *_COVERAGE})


def pack_ready(part: ReadyScores) -> list[Piece]:
    """One piece per task; the notes stand with the first."""
    scores = part.scores
    pieces: list[Piece] = []
    for task, evidence in scores.tasks.items():
        info = scores.info[task]
        facts: dict[str, Any] = {
            "source": part.source,
            "task": task,
            "notes": notes_to_json(() if pieces else scores.notes),
            "info": {name: getattr(info, name) for name in _INFO},
        }
        frames: dict[str, CodedTable] = {}
        if info.coverage is not None:
            facts["expected"] = info.coverage.expected
            facts["coverage"] = _pack_arrays(info.coverage, _COVERAGE, frames, part.source)
        if isinstance(evidence, Votes):
            facts |= {"kind": "votes", **facts_of_votes(evidence)}
            frames |= pack_counts(evidence, part.source)
        elif isinstance(evidence, Items):
            design = evidence.design
            facts |= {
                "kind": "items",
                "models": list(evidence.models),
                "arrays": _pack_arrays(evidence, _ITEMS, frames, part.source),
                "design": [design.repeats, design.folds, design.test_share]
                if isinstance(design, Folds)
                else design,
                "ids": None if evidence.ids is None else list(evidence.ids),
                "averaged": list(evidence.averaged),
            }
        else:
            facts |= {
                "kind": "estimates",
                "models": list(evidence.models),
                "arrays": _pack_arrays(evidence, _ESTIMATES, frames, part.source),
            }
        pieces.append(Piece(READY, facts, frames))
    return pieces


def unpack_ready(pieces: list[Piece]) -> list[ReadyScores]:
    """The scores of each file."""
    files: dict[str, list[Piece]] = {}
    for piece in pieces:
        files.setdefault(piece.facts["source"], []).append(piece)
    return [
        ReadyScores(source, Scores(
            {piece.facts["task"]: _unpack_evidence(piece) for piece in own},
            {piece.facts["task"]: _unpack_info(piece) for piece in own},
            tuple(note for piece in own for note in notes_of(piece.facts["notes"])),
        ))
        for source, own in files.items()
    ]  # fmt: skip


def is_same(one: Scores, two: Scores) -> bool:
    """Whether two scores say the same, in whatever order their models stand.

    Tasks, what is known of them, notes, and every number must be equal.
    """
    pairs = [pack_ready(ReadyScores("", _in_order(scores))) for scores in (one, two)]
    if [piece.facts for piece in pairs[0]] != [piece.facts for piece in pairs[1]]:
        return False
    return all(
        _is_same_table(first.frames[kind], second.frames[kind])
        for first, second in zip(*pairs, strict=True)
        for kind in first.frames
    )


def _in_order(scores: Scores) -> Scores:
    """The scores with the models of each task in order of their names."""
    tasks, info = {}, {}
    for task, evidence in scores.tasks.items():
        models = evidence.models
        order = sorted(range(len(models)), key=models.__getitem__)
        tasks[task] = take_models(evidence, order)
        coverage = scores.info[task].coverage
        info[task] = scores.info[task]
        if coverage is not None:
            info[task] = replace(info[task], coverage=coverage.take(order))
    return Scores(tasks, info, scores.notes)


def _is_same_table(one: CodedTable, two: CodedTable) -> bool:
    first, second = whole(one), whole(two)
    return one.names == two.names and all(
        np.array_equal(columns[role], others[role], equal_nan=columns is first.numbers)
        for columns, others in ((first.labels, second.labels), (first.numbers, second.numbers))
        for role in columns
    )


def _pack_arrays(
    thing: object, names: tuple[str, ...], frames: dict[str, CodedTable], source: str
) -> dict[str, list[int] | None]:
    """Arrays of a thing as frames; gives their shapes."""
    shapes: dict[str, list[int] | None] = {}
    for name in names:
        array = getattr(thing, name)
        shapes[name] = None if array is None else list(array.shape)
        if array is not None:
            cells = np.asarray(array, dtype=np.float64).ravel()
            frames[f"array {name}"] = code({}, {"cells": cells}, source)
    return shapes


def _unpack_arrays(
    piece: Piece, shapes: Mapping[str, list[int] | None]
) -> dict[str, NDArray[Any] | None]:
    arrays: dict[str, NDArray[Any] | None] = {}
    for name, shape in shapes.items():
        arrays[name] = None
        if shape is not None:
            cells = column(piece.frames[f"array {name}"], "cells").reshape(shape)
            arrays[name] = cells.astype(np.int64) if name in _INTEGERS else cells
    return arrays


def _unpack_evidence(piece: Piece) -> Evidence:
    facts = piece.facts
    if facts["kind"] == "votes":
        return unpack_counts(piece)
    arrays: Mapping[str, Any] = _unpack_arrays(piece, facts["arrays"])
    models = tuple(facts["models"])
    if facts["kind"] == "estimates":
        return Estimates(models, **arrays)
    design = facts["design"]
    return Items(
        models,
        design=Folds(*design) if isinstance(design, list) else design,
        ids=None if facts["ids"] is None else tuple(facts["ids"]),
        averaged=tuple(facts["averaged"]),
        **arrays,
    )


def _unpack_info(piece: Piece) -> TaskInfo:
    facts = piece.facts
    coverage = None
    if "coverage" in facts:
        arrays: Mapping[str, Any] = _unpack_arrays(piece, facts["coverage"])
        coverage = Coverage(facts["expected"], **arrays)
    return TaskInfo(coverage=coverage, **facts["info"])

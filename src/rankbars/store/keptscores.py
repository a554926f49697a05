"""Finished scores as facts and rows of a store, for formats that give nothing less finished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Estimates, Evidence, Folds, Items
from rankbars.data.scores import Scores, TaskInfo
from rankbars.data.votes import Votes
from rankbars.readers.parts import ReadyScores
from rankbars.store.facts import KeptPart, notes_of, notes_to_json
from rankbars.store.keptvotes import facts_of_votes, rows_of_votes, votes_of
from rankbars.store.rows import CodedRows, code_texts

__all__ = ["READY", "pack_ready", "unpack_ready"]

READY = "ready"

_INFO = ("category", "family", "metric", "weight", "direction", "minimum", "maximum", "chance")
_ITEMS = ("values", "clusters", "weights", "answers", "runs", "within", "trials")
_ESTIMATES = ("mean", "se", "cov", "n")
_COVERAGE = ("scored", "unscored", "errors", "missing", "zeros")
_INTEGERS = frozenset({"clusters", "answers", "n", *_COVERAGE})


def pack_ready(part: ReadyScores) -> list[KeptPart]:
    """One part per task, and one of what is known of it; the notes stand with the first."""
    scores = part.scores
    found: list[KeptPart] = []
    for task, evidence in scores.tasks.items():
        info = scores.info[task]
        facts: dict[str, Any] = {
            "source": part.source,
            "task": task,
            "notes": notes_to_json(() if found else scores.notes),
            "info": {name: getattr(info, name) for name in _INFO},
        }
        arrays: dict[str, NDArray[Any]] = {}
        if info.coverage is not None:
            facts["expected"] = info.coverage.expected
            facts["coverage"] = _take(info.coverage, _COVERAGE, arrays)
        rows: dict[str, CodedRows] = {}
        if isinstance(evidence, Votes):
            facts |= {"kind": "votes", **facts_of_votes(evidence)}
            rows = rows_of_votes(task, evidence)
        elif isinstance(evidence, Items):
            design = evidence.design
            facts |= {
                "kind": "items",
                "models": list(evidence.models),
                "arrays": _take(evidence, _ITEMS, arrays),
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
                "arrays": _take(evidence, _ESTIMATES, arrays),
            }
        if arrays:
            rows["numbers"] = _add_arrays(rows.get("numbers"), arrays)
        found.append(KeptPart(READY, facts, rows))
    return found


def _take(
    thing: object, names: Sequence[str], arrays: dict[str, NDArray[Any]]
) -> dict[str, list[int] | None]:
    """Arrays of a thing; gives their shapes."""
    shapes: dict[str, list[int] | None] = {}
    for name in names:
        array = getattr(thing, name)
        shapes[name] = None if array is None else list(array.shape)
        if array is not None:
            arrays[name] = np.asarray(array, dtype=np.float64).ravel()
    return shapes


def _add_arrays(before: CodedRows | None, arrays: Mapping[str, NDArray[Any]]) -> CodedRows:
    """Further numbers of a part: after the controls of its votes, one array after the other."""
    names, values = code_texts(arrays), np.concatenate([*arrays.values()])
    codes = np.repeat(names.codes, [array.size for array in arrays.values()])
    if before is not None:
        known, own = before.labels["name"]
        codes = np.concatenate([own, codes + len(known)])
        names = names._replace(names=(*map(str, known), *map(str, names.names)))
        values = np.concatenate([before.numbers["value"], values])
    labels = {"name": names._replace(codes=codes)}
    return CodedRows(np.arange(len(values)), labels, {"value": values})


def unpack_ready(parts: Sequence[KeptPart]) -> list[ReadyScores]:
    """The scores of each file."""
    files: dict[str, list[KeptPart]] = {}
    for part in parts:
        files.setdefault(part.facts["source"], []).append(part)
    return [
        ReadyScores(source, Scores(
            {part.facts["task"]: _unpack_evidence(part) for part in own},
            {part.facts["task"]: _unpack_info(part) for part in own},
            tuple(note for part in own for note in notes_of(part.facts["notes"])),
        ))
        for source, own in files.items()
    ]  # fmt: skip


def _arrays(part: KeptPart, shapes: Mapping[str, list[int] | None]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    rows = part.rows.get("numbers")
    named = np.empty(0) if rows is None else np.array(rows.texts("name"), dtype=object)
    for name, shape in shapes.items():
        found[name] = None
        if shape is not None:
            own = np.empty(0) if rows is None else rows.numbers["value"][named == name]
            cells = own.reshape(shape)
            found[name] = cells.astype(np.int64) if name in _INTEGERS else cells
    return found


def _unpack_evidence(part: KeptPart) -> Evidence:
    facts = part.facts
    if facts["kind"] == "votes":
        return _unpack_votes(part)
    arrays = _arrays(part, facts["arrays"])
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


def _unpack_votes(part: KeptPart) -> Votes:
    """The votes, whose controls come before what else is known."""
    ballots = part.facts["ballots"]
    if ballots is None or not ballots["measured"] or "numbers" not in part.rows:
        return votes_of(part)
    rows, size = part.rows["numbers"], len(part.rows["votes"].place)
    cells = rows.numbers["value"][: size * len(ballots["controls"])]
    controls = rows._replace(numbers={"value": cells})
    return votes_of(part._replace(rows={**part.rows, "numbers": controls}))


def _unpack_info(part: KeptPart) -> TaskInfo:
    facts = part.facts
    coverage = None
    if "coverage" in facts:
        coverage = Coverage(facts["expected"], **_arrays(part, facts["coverage"]))
    return TaskInfo(coverage=coverage, **facts["info"])

"""Scores, votes and judgements as plain facts and rows of a store, and back.

Scores are kept finished for formats that give nothing less finished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Estimates, Evidence, Folds, Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.data.votes import BAD, LABELS, TIE, WIN, Ballots, Labels, Votes
from rankbars.readers.parts import Comparison, JudgedFile, ReadyScores, VoteTable
from rankbars.store.rows import Coded, CodedRows, code_texts
from rankbars.tables.parsedtables import NOBODY

__all__ = [
    "JUDGED",
    "READY",
    "VOTES",
    "KeptPart",
    "SharedNames",
    "notes_of",
    "notes_to_json",
    "pack_judged",
    "pack_ready",
    "pack_votes",
    "rows_of_counts",
    "unpack_judged",
    "unpack_ready",
    "unpack_votes",
]

READY = "ready"

_INFO = ("category", "family", "metric", "weight", "direction", "minimum", "maximum", "chance")
_ITEMS = ("values", "clusters", "weights", "answers", "runs", "within", "trials")
_ESTIMATES = ("mean", "se", "cov", "n")
_COVERAGE = ("scored", "unscored", "errors", "missing", "zeros")
_WHOLE = frozenset({"clusters", "answers", "n", *_COVERAGE})


VOTES, JUDGED = "votes", "judged"

# Fields of a judgement by the columns that hold them.
_NAMES = {
    "first": "first", "second": "second", "model": "model", "baseline": "baseline",
    "judge": "judge", "task": "task", "prompt": "prompt", "topic": "group",
}  # fmt: skip
_NUMBERS = {"share": "share", "strength": "strength"}
_INTEGERS = {"turn": "turn", "line": "row"}


def pack_votes(part: VoteTable) -> list[KeptPart]:
    """One part per task; the notes stand with the first."""
    found: list[KeptPart] = []
    for task, votes in part.scores.tasks.items():
        if not isinstance(votes, Votes):
            continue
        facts = {
            "source": part.source,
            "task": task,
            "notes": notes_to_json(() if found else part.scores.notes),
            "said": notes_to_json(part.notes),
            **_facts_of_votes(votes),
        }
        found.append(KeptPart(VOTES, facts, _rows_of_votes(task, votes)))
    return found


def _facts_of_votes(votes: Votes) -> dict[str, Any]:
    """Everything about votes but their rows."""
    ballots = votes.ballots
    return {
        "models": list(votes.models),
        "ties": votes.ties is not None,
        "both_bad": votes.both_bad is not None,
        "ballots": None if ballots is None else {
            "controls": list(ballots.covariate_names),
            "measured": ballots.covariates is not None,
            "categories": list(ballots.category_names),
            "labels": list(ballots.labels),
            "columns": [name for name in ("votes", "weight", "squared", "position", "categories")
                        if getattr(ballots, name) is not None],
        },
    }  # fmt: skip


def _rows_of_votes(task: str, votes: Votes) -> dict[str, CodedRows]:
    """The single votes, or a row for each pair and outcome; and the controls."""
    ballots = votes.ballots
    if ballots is None:
        tables = {"wins": votes.wins, "ties": votes.ties, "both_bad": votes.both_bad}
        known = {name: table for name, table in tables.items() if table is not None}
        return {"votes": rows_of_counts(task, votes.models, known)}
    every = np.zeros(ballots.first.size, dtype=np.int64)
    labels = {
        "task": Coded((task,), every),
        "first": Coded(votes.models, ballots.first),
        "second": Coded(votes.models, ballots.second),
        **{role: Coded(one.names, one.codes) for role, one in ballots.labels.items()},
    }
    numbers: dict[str, NDArray[Any]] = {"outcome": ballots.outcome}
    for name in ("votes", "weight", "squared", "position", "categories"):
        values = getattr(ballots, name)
        if values is not None:
            numbers[name] = values
    rows = {"votes": CodedRows(np.arange(every.size), labels, numbers)}
    if ballots.covariates is not None:
        rows["numbers"] = CodedRows(
            np.arange(ballots.covariates.size),
            {"name": Coded(ballots.covariate_names,
                           np.repeat(np.arange(len(ballots.covariate_names)), every.size))},
            {"value": ballots.covariates.T.ravel()},
        )  # fmt: skip
    return rows


def rows_of_counts(
    task: str, models: Sequence[str], tables: Mapping[str, NDArray[np.float64]]
) -> CodedRows:
    """Counts of votes as rows: for each pair its wins; ties and votes for neither once."""
    first, second, outcome, weight = [], [], [], []
    for name, kind in (("wins", WIN), ("ties", TIE), ("both_bad", BAD)):
        if name in tables:
            table = tables[name] if kind == WIN else np.triu(tables[name])
            one, two = np.nonzero(table)
            first.append(one)
            second.append(two)
            outcome.append(np.full(len(one), kind))
            weight.append(table[one, two])
    size = sum(map(len, first))
    return CodedRows(
        np.arange(size),
        {
            "task": Coded((task,), np.zeros(size, dtype=np.int64)),
            "first": Coded(models, np.concatenate(first)),
            "second": Coded(models, np.concatenate(second)),
        },
        {"outcome": np.concatenate(outcome), "weight": np.concatenate(weight)},
    )


def unpack_votes(
    parts: Sequence[KeptPart], shared: SharedNames, *, outline: bool = False
) -> list[VoteTable]:
    """The votes of each file; with `outline` none of them, only their tasks and models."""
    tasks: dict[str, dict[str, Votes]] = {}
    notes: dict[str, tuple[Note, ...]] = {}
    said: dict[str, tuple[Note, ...]] = {}
    for part in parts:
        source = part.facts["source"]
        models = tuple(part.facts["models"])
        votes = Votes(models, np.zeros((len(models),) * 2)) if outline else _votes_of(part, shared)
        tasks.setdefault(source, {})[part.facts["task"]] = votes
        notes[source] = (*notes.get(source, ()), *notes_of(part.facts["notes"]))
        said[source] = notes_of(part.facts["said"])
    return [
        VoteTable(source, Scores(own, notes=notes[source]), NOBODY, said[source])
        for source, own in tasks.items()
    ]


# All names of a table of names in order, and the place of each there, by the array of its names.
SharedNames: TypeAlias = dict[int, tuple[tuple[str, ...], NDArray[np.int64]]]


def _votes_of(part: KeptPart, shared: SharedNames | None = None) -> Votes:
    """The votes of one task.

    Parameters
    ----------
    part : KeptPart
        What the store holds of them.
    shared : dict, optional
        Where parts of one store are read one after the other: voters have the names of all of
        them, so that these are sorted once. Votes that are joined keep the names that occur.
    """
    facts, rows = part.facts, part.rows["votes"]
    models = tuple(facts["models"])
    place = {name: number for number, name in enumerate(models)}
    first, second = (_places(rows, role, place) for role in ("first", "second"))
    outcome = rows.numbers["outcome"]
    if facts["ballots"] is not None:
        return Votes.from_ballots(models, _ballots(part, first, second, shared))
    tables = {}
    for name, kind in (("wins", WIN), ("ties", TIE), ("both_bad", BAD)):
        own = outcome == kind
        tables[name] = np.zeros((len(models),) * 2)
        tables[name][first[own], second[own]] = rows.numbers["weight"][own]
        if kind != WIN:
            tables[name] += tables[name].T
    return Votes(
        models,
        tables["wins"],
        tables["ties"] if facts["ties"] else None,
        tables["both_bad"] if facts["both_bad"] else None,
    )


def _places(rows: CodedRows, role: str, place: Mapping[str, int]) -> NDArray[np.int64]:
    """Positions of the models that a column names."""
    names, codes = rows.labels[role]
    position = np.zeros(len(names), dtype=np.int64)
    for code in np.flatnonzero(np.bincount(codes, minlength=len(names))).tolist():
        position[code] = place[names[code]]
    return _locked(position[codes])


def _locked(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same array, which is then shared and not copied."""
    codes.setflags(write=False)
    return codes


def _ballots(
    part: KeptPart, first: NDArray[np.int64], second: NDArray[np.int64], shared: SharedNames | None
) -> Ballots:
    known, rows = part.facts["ballots"], part.rows["votes"]
    names = tuple(known["controls"])
    covariates = None
    if known["measured"]:
        cells = part.rows["numbers"].numbers["value"] if "numbers" in part.rows else np.empty(0)
        covariates = np.ascontiguousarray(cells.reshape(len(names), first.size).T)
    numbers: dict[str, Any] = {name: rows.numbers[name] for name in known["columns"]}
    labels = {
        role: _labels(rows.labels[role], shared) for role in LABELS if role in known["labels"]
    }
    return Ballots(
        first, second, rows.numbers["outcome"], labels=labels, covariates=covariates,
        covariate_names=names, category_names=tuple(known.get("categories", ())), **numbers,
    )  # fmt: skip


def _labels(column: Coded, shared: SharedNames | None) -> Labels:
    """What rows belong to, under the names that they have, in order."""
    names, codes = column
    if shared is None:
        used = np.flatnonzero(np.bincount(codes + 1, minlength=len(names) + 1)[1:])
        known = sorted((str(names[code]), code) for code in used.tolist())
        place = np.full(len(names) + 1, -1, dtype=np.int64)
        place[[code for _, code in known]] = np.arange(len(known))
        return Labels(_locked(place[codes]), tuple(name for name, _ in known))
    if id(names) not in shared:
        texts = [str(name) for name in names]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        place = np.full(len(texts) + 1, -1, dtype=np.int64)
        place[order] = np.arange(len(order))
        shared[id(names)] = tuple(texts[code] for code in order), place
    every, place = shared[id(names)]
    return Labels(_locked(place[codes]), every)


def pack_judged(part: JudgedFile) -> KeptPart:
    """The judgements of a file."""
    rows = part.rows
    facts = {
        "source": part.source, "notes": notes_to_json(part.notes), "tool": part.tool,
        "ordered": part.ordered, "shared": list(part.shared), "unnamed": part.unnamed,
    }  # fmt: skip
    numbers: dict[str, NDArray[Any]] = {
        role: np.array([getattr(row, name) for row in rows], dtype=np.float64)
        for role, name in _NUMBERS.items()
    }
    for role, name in _INTEGERS.items():
        numbers[role] = np.array([getattr(row, name) for row in rows], dtype=np.int64)
    labels = {role: code_texts(getattr(row, name) for row in rows) for role, name in _NAMES.items()}
    return KeptPart(JUDGED, facts, {"votes": CodedRows(np.arange(len(rows)), labels, numbers)})


def unpack_judged(part: KeptPart) -> JudgedFile:
    """The judgements of the file."""
    facts, rows = part.facts, part.rows["votes"]
    texts = {name: rows.texts(role) or () for role, name in _NAMES.items()}
    numbers = {
        name: rows.numbers[role].tolist() for role, name in {**_NUMBERS, **_INTEGERS}.items()
    }
    found = tuple(
        Comparison(
            **{name: str(column[i]) for name, column in texts.items()},
            share=None if share != share else share,
            turn=numbers["turn"][i],
            strength=numbers["strength"][i],
            file=facts["source"],
            row=numbers["row"][i],
        )
        for i, share in enumerate(numbers["share"])
    )
    return JudgedFile(
        facts["source"], found, facts["tool"], facts["ordered"], tuple(facts["shared"]),
        facts["unnamed"], notes_of(facts["notes"]),
    )  # fmt: skip


class KeptPart(NamedTuple):
    """One part of a file: a table, a run, the votes of a task.

    Parameters
    ----------
    kind : str
        What it is.
    facts : mapping from str to JSON values
        Everything but its rows.
    rows : mapping from str to CodedRows
        Its rows, by relation.
    """

    kind: str
    facts: Mapping[str, Any]
    rows: Mapping[str, CodedRows]


def notes_to_json(notes: Sequence[Note]) -> list[list[Any]]:
    """Notes as plain values."""
    return [[note.code, note.message, note.task, list(note.models)] for note in notes]


def notes_of(values: Sequence[Sequence[Any]]) -> tuple[Note, ...]:
    """The notes."""
    return tuple(Note(code, text, task, tuple(models)) for code, text, task, models in values)


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
            facts |= {"kind": "votes", **_facts_of_votes(evidence)}
            rows = _rows_of_votes(task, evidence)
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
            found[name] = cells.astype(np.int64) if name in _WHOLE else cells
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
        return _votes_of(part)
    rows, size = part.rows["numbers"], len(part.rows["votes"].place)
    cells = rows.numbers["value"][: size * len(ballots["controls"])]
    controls = rows._replace(numbers={"value": cells})
    return _votes_of(part._replace(rows={**part.rows, "numbers": controls}))


def _unpack_info(part: KeptPart) -> TaskInfo:
    facts = part.facts
    coverage = None
    if "coverage" in facts:
        coverage = Coverage(facts["expected"], **_arrays(part, facts["coverage"]))
    return TaskInfo(coverage=coverage, **facts["info"])

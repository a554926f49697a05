"""What readers find, as plain facts and coded rows, and back: nothing of it is lost on the way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.ballots import Ballots, Labels
from rankbars.data.notes import Note
from rankbars.data.pieces import Piece
from rankbars.data.scores import Scores
from rankbars.data.tabular.assembly import ParsedTable
from rankbars.data.tabular.coding import (
    Block,
    CodedTable,
    NumberColumn,
    keep_roles,
    sort_names,
)
from rankbars.data.tabular.tidy import FileNames, TidyTable
from rankbars.data.votes import Votes
from rankbars.readers.keeping import Found
from rankbars.readers.logs.records import Agreement, Measure, Rows, Run
from rankbars.readers.votes import ParsedVotes

__all__ = ["pack", "unpack"]

TABLE, RUN, VOTES = "table", "run", "votes"
"""Kinds of pieces."""

_NOBODY = FileNames(None, "", "")
_HALF = 32  # bits; both halves of a fingerprint are exact as floats


def pack(found: Found) -> list[tuple[str, Piece]]:
    """What a reader found, as pieces, each with the file that it came from."""
    pieces = [(table.source, _pack_table(table)) for table in found.tables]
    pieces += [(run.source, _pack_run(run)) for run in found.runs]
    for part in found.votes:
        pieces += [(part.source, piece) for piece in _pack_votes(part)]
    return pieces


def unpack(pieces: Sequence[Piece]) -> Found:
    """What a reader had found."""
    return Found(
        [_unpack_table(piece) for piece in pieces if piece.kind == TABLE],
        [_unpack_run(piece) for piece in pieces if piece.kind == RUN],
        _unpack_votes([piece for piece in pieces if piece.kind == VOTES]),
    )


def _pack_table(found: ParsedTable) -> Piece:
    """A table; names that it takes from its file are left open."""
    table = found.table
    facts = {
        "source": found.source,
        "roles": dict(table.roles),
        "named": sorted(table.named),
        "metric": table.metric,
        "remarks": [list(remark) for remark in table.remarks],
        "lacking": list(table.lacking),
        "renamed": table.renamed,
        "notes": _notes_to_json(found.notes),
        "seen": {
            role: [column.plain, column.percentages, column.truths]
            for role, column in table.coded.columns.items()
        },
    }
    return Piece(TABLE, facts, {"scores": table.coded})


def _unpack_table(piece: Piece) -> ParsedTable:
    facts, rows = piece.facts, piece.frames["scores"]
    seen = {role: NumberColumn(None, *counts) for role, counts in facts["seen"].items()}
    table = TidyTable(
        CodedTable(rows.names, rows.rows, rows.read_blocks, seen),
        dict(facts["roles"]),
        frozenset(facts["named"]),
        facts["metric"],
        tuple((code, text) for code, text in facts["remarks"]),
        tuple(facts["lacking"]),
        facts["renamed"],
    )
    return ParsedTable(facts["source"], table, _NOBODY, _notes_of(facts["notes"]))


def _pack_run(run: Run) -> Piece:
    plain = (
        "source", "model", "task", "headline", "selection", "stamp", "finished", "expected",
        "failed", "category",
    )  # fmt: skip
    facts: dict[str, Any] = {name: getattr(run, name) for name in plain}
    for name in ("variants", "system", "manner", "setup"):
        facts[name] = dict(getattr(run, name))
    facts["agree"] = {name: list(one) for name, one in run.agree.items()}
    facts["parts"] = list(run.parts)
    facts["notes"] = _notes_to_json(run.notes)
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
    frames = {"answers": _code(labels, numbers, run.source)}
    scored = {name: one.scores for name, one in run.measures.items() if one.scores is not None}
    if scored:
        names = [name for name in scored for _ in rows.ids]
        frames["answer_scores"] = _code(
            {"measure": names}, {"score": np.concatenate(list(scored.values()))}, run.source
        )
    return Piece(RUN, facts, frames)


def _pack_measure(measure: Measure) -> dict[str, Any]:
    plain = ("name", "value", "se", "n", "metric", "direction", "origin", "declined", "fault")
    facts = {name: getattr(measure, name) for name in plain}
    return {**facts, "limits": list(measure.limits), "scored": measure.scores is not None}


def _unpack_run(piece: Piece) -> Run:
    facts = dict(piece.facts)
    rows = _unpack_rows(piece, facts.pop("rows"))
    scores = np.empty(0)
    if "answer_scores" in piece.frames:
        scores = _column(piece.frames["answer_scores"], "score")
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
    notes, parts = _notes_of(facts.pop("notes")), tuple(facts.pop("parts"))
    return Run(measures=measures, rows=rows, agree=agree, notes=notes, parts=parts, **facts)


def _unpack_rows(piece: Piece, facts: Mapping[str, Any] | None) -> Rows | None:
    if facts is None:
        return None
    table = piece.frames["answers"]
    block = _whole(table)

    def texts(role: str) -> tuple[str | None, ...] | None:
        if role not in table.names:
            return None
        names = (*table.names[role], None)
        return tuple(names[code] for code in block.labels[role].tolist())

    numbers = block.numbers
    prints = None
    if "print_high" in numbers:
        high, low = (numbers[name].astype(np.int64) for name in ("print_high", "print_low"))
        prints = (high << _HALF) | low
    first, second = facts["identity"]
    return Rows(
        tuple(str(one) for one in texts("id") or ()),
        numbers["status"].astype(np.uint8),
        numbers["repeat"].astype(np.int64) if "repeat" in numbers else None,
        texts("cluster"),
        None if (other := texts("other_id")) is None else tuple(str(one) for one in other),
        prints,
        (first, second),
    )


def _pack_votes(part: ParsedVotes) -> list[Piece]:
    """One piece per task; the notes stand with the first."""
    pieces: list[Piece] = []
    for task, votes in part.scores.tasks.items():
        if not isinstance(votes, Votes):
            continue
        facts = {
            "source": part.source,
            "task": task,
            "notes": _notes_to_json(() if pieces else part.scores.notes),
            "models": list(votes.models),
            "ties": votes.ties is not None,
            "both_bad": votes.both_bad is not None,
            "ballots": None if votes.ballots is None else list(votes.ballots.covariate_names),
        }
        pieces.append(Piece(VOTES, facts, _pack_counts(votes, part.source)))
    return pieces


def _pack_counts(votes: Votes, source: str) -> dict[str, CodedTable]:
    tables = {"wins": votes.wins, "ties": votes.ties, "both_bad": votes.both_bad}
    known = {name: table for name, table in tables.items() if table is not None}
    first, second = np.nonzero(np.sum([table != 0 for table in known.values()], axis=0))
    names = np.array(votes.models, dtype=object)
    frames = {
        "counts": _code(
            {"first": names[first], "second": names[second]},
            {name: table[first, second] for name, table in known.items()},
            source,
        )
    }
    ballots = votes.ballots
    if ballots is None:
        return frames
    labels: dict[str, Iterable[str | None]] = {
        "first": names[ballots.first], "second": names[ballots.second],
    }  # fmt: skip
    for role, own in ballots.labels.items():
        labels[role] = np.array([*own.names, None], dtype=object)[own.codes]
    numbers = {"outcome": ballots.outcome}
    for name in ("votes", "weight", "squared", "position"):
        values = getattr(ballots, name)
        if values is not None:
            numbers[name] = values
    frames["ballots"] = _code(labels, numbers, source)
    if ballots.covariates is not None:
        rows = [name for name in ballots.covariate_names for _ in range(ballots.first.size)]
        cells = ballots.covariates.T.ravel()
        frames["covariates"] = _code({"name": rows}, {"value": cells}, source)
    return frames


def _unpack_votes(pieces: Sequence[Piece]) -> list[ParsedVotes]:
    tasks: dict[str, dict[str, Votes]] = {}
    notes: dict[str, tuple[Note, ...]] = {}
    for piece in pieces:
        source = piece.facts["source"]
        tasks.setdefault(source, {})[piece.facts["task"]] = _unpack_counts(piece)
        notes[source] = (*notes.get(source, ()), *_notes_of(piece.facts["notes"]))
    return [
        ParsedVotes(source, Scores(own, notes=notes[source]), _NOBODY)
        for source, own in tasks.items()
    ]


def _unpack_counts(piece: Piece) -> Votes:
    facts = piece.facts
    models = tuple(facts["models"])
    place = {name: number for number, name in enumerate(models)}
    counts = piece.frames["counts"]
    block = _whole(counts)
    first, second = (_places(counts, block, role, place) for role in ("first", "second"))

    def table(name: str) -> NDArray[np.float64]:
        filled = np.zeros((len(models),) * 2)
        filled[first, second] = block.numbers[name]
        return filled

    return Votes(
        models,
        table("wins"),
        table("ties") if facts["ties"] else None,
        table("both_bad") if facts["both_bad"] else None,
        None if facts["ballots"] is None else _unpack_ballots(piece, place),
    )


def _unpack_ballots(piece: Piece, place: Mapping[str, int]) -> Ballots:
    table = piece.frames["ballots"]
    block = _whole(table)
    names = tuple(piece.facts["ballots"])
    covariates = None
    if "covariates" in piece.frames:
        cells = _column(piece.frames["covariates"], "value")
        covariates = np.ascontiguousarray(cells.reshape(len(names), block.rows).T)
    labels = {
        role: Labels(block.labels[role].astype(np.int64), own)
        for role, own in table.names.items()
        if role not in ("first", "second")
    }

    def whole(name: str) -> NDArray[np.int64] | None:
        return block.numbers[name].astype(np.int64) if name in block.numbers else None

    return Ballots(
        _places(table, block, "first", place),
        _places(table, block, "second", place),
        block.numbers["outcome"].astype(np.int64),
        whole("votes"),
        block.numbers.get("weight"),
        block.numbers.get("squared"),
        labels,
        whole("position"),
        covariates,
        names,
    )


def _places(
    table: CodedTable, block: Block, role: str, place: Mapping[str, int]
) -> NDArray[np.int64]:
    """Positions of the models that a column names."""
    known = np.array([place[name] for name in table.names[role]], dtype=np.int64)
    found: NDArray[np.int64] = known[block.labels[role]]
    return found


def _code(
    labels: Mapping[str, Iterable[str | None]], numbers: Mapping[str, NDArray[Any]], source: str
) -> CodedTable:
    """Columns of texts and numbers as a coded table."""
    names, codes = {}, {}
    for role, texts in labels.items():
        given = list(texts)
        used = {text for text in given if text is not None}
        names[role], _ = sort_names(tuple(used), numeric=False)
        place: dict[str | None, int] = {name: code for code, name in enumerate(names[role])}
        codes[role] = np.array([place.get(text, -1) for text in given], dtype=np.int32)
    values = {role: np.asarray(cells, dtype=np.float64) for role, cells in numbers.items()}
    rows = len(next(iter(values.values())))
    block = Block(1, rows, codes, values, source)

    def read_blocks(roles: Collection[str] | None) -> Iterator[Block]:
        return iter((keep_roles(block, roles),))

    return CodedTable(names, rows, read_blocks)


def _whole(table: CodedTable) -> Block:
    """All rows as one block."""
    blocks = list(table.read_blocks(None))
    if len(blocks) == 1:
        return blocks[0]
    if not blocks:
        none = np.empty(0, dtype=np.int32)
        return Block(1, 0, dict.fromkeys(table.names, none), _NoCells(), "")
    return Block(
        blocks[0].first,
        table.rows,
        {role: np.concatenate([one.labels[role] for one in blocks]) for role in table.names},
        {role: np.concatenate([one.numbers[role] for one in blocks]) for role in blocks[0].numbers},
        blocks[0].source,
    )


class _NoCells(dict[str, NDArray[np.float64]]):
    """Columns of numbers of a table without rows."""

    def __missing__(self, role: str) -> NDArray[np.float64]:
        return np.empty(0)


def _column(table: CodedTable, role: str) -> NDArray[np.float64]:
    return _whole(table).numbers[role]


def _notes_to_json(notes: Sequence[Note]) -> list[list[Any]]:
    return [[note.code, note.message, note.task, list(note.models)] for note in notes]


def _notes_of(values: Sequence[Sequence[Any]]) -> tuple[Note, ...]:
    return tuple(Note(code, text, task, tuple(models)) for code, text, task, models in values)

"""What readers find, as plain facts and coded rows, and back: nothing of it is lost on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankbars.data.notes import Note
from rankbars.data.pieces import Piece
from rankbars.data.tabular.assembly import ParsedTable
from rankbars.data.tabular.coding import CodedTable, NumberColumn
from rankbars.data.tabular.tidy import FileNames, TidyTable

__all__ = ["SCORES", "TABLE", "note_of", "pack_note", "pack_table", "unpack_table"]

# Kinds of pieces, and of rows.
TABLE = "table"
SCORES = "scores"

_NOBODY = FileNames(None, "", "")


def pack_table(found: ParsedTable) -> Piece:
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
        "notes": [pack_note(note) for note in found.notes],
        "seen": {
            role: [column.plain, column.percentages, column.truths]
            for role, column in table.coded.columns.items()
        },
    }
    return Piece(TABLE, facts, {SCORES: table.coded})


def unpack_table(piece: Piece) -> ParsedTable:
    """The table of a piece."""
    facts, rows = piece.facts, piece.frames[SCORES]
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
    return ParsedTable(facts["source"], table, _NOBODY, tuple(map(note_of, facts["notes"])))


def pack_note(note: Note) -> Sequence[Any]:
    """A note as JSON values."""
    return [note.code, note.message, note.task, list(note.models)]


def note_of(values: Sequence[Any]) -> Note:
    """The note of these values.

    Examples
    --------
    >>> note_of(pack_note(Note("few-items", "3 items.", "math"))).task
    'math'
    """
    code, message, task, models = values
    return Note(code, message, task, tuple(models))

"""Tables of scores as pieces."""

from __future__ import annotations

from rankbars.readers.packing.coding import notes_of, notes_to_json
from rankbars.readers.parts import ErrorTable
from rankbars.readers.pieces import Piece
from rankbars.tables.assembly import ParsedTable
from rankbars.tables.coding import CodedTable, NumberColumn
from rankbars.tables.tidy import FileNames, TidyTable

__all__ = ["TABLE", "pack_table", "unpack_table"]

TABLE = "table"
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
        "notes": notes_to_json(found.notes),
        "errors": isinstance(found, ErrorTable),
        "seen": {
            role: [column.plain, column.percentages, column.truths]
            for role, column in table.coded.columns.items()
        },
    }
    return Piece(TABLE, facts, {"scores": table.coded})


def unpack_table(piece: Piece) -> ParsedTable:
    """The table."""
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
    kind = ErrorTable if facts.get("errors") else ParsedTable
    return kind(facts["source"], table, _NOBODY, notes_of(facts["notes"]))

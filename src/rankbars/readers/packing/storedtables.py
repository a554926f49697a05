"""Tables of scores as pieces."""

from __future__ import annotations

import math

from rankbars.readers.packing.storedcells import notes_of, notes_to_json
from rankbars.readers.parts import ErrorTable
from rankbars.readers.pieces import Piece
from rankbars.tables.assembly import ParsedTable
from rankbars.tables.cells import NumberColumn
from rankbars.tables.coding import CodedTable
from rankbars.tables.relations import code_rows, rows_of_codes
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
            role: [
                column.plain,
                column.percentages,
                column.truths,
                None if math.isnan(column.largest) else column.largest,
            ]
            for role, column in table.rows.numbers.items()
        },
    }
    return Piece(TABLE, facts, {"scores": code_rows(table.rows)})


def unpack_table(piece: Piece) -> ParsedTable:
    """The table."""
    facts, rows = piece.facts, piece.frames["scores"]
    seen = {role: _column(*counts) for role, counts in facts["seen"].items()}
    coded = CodedTable(rows.names, rows.rows, rows.read_blocks, seen)
    table = TidyTable(
        rows_of_codes(coded, facts["source"]),
        dict(facts["roles"]),
        frozenset(facts["named"]),
        facts["metric"],
        tuple((code, text) for code, text in facts["remarks"]),
        tuple(facts["lacking"]),
        facts["renamed"],
    )
    kind = ErrorTable if facts.get("errors") else ParsedTable
    return kind(facts["source"], table, _NOBODY, notes_of(facts["notes"]))


def _column(
    plain: int, percentages: int, truths: bool | int, largest: float | None = None
) -> NumberColumn:
    """What is known of a column; older stores say only whether all cells are truth values."""
    number = truths * plain if isinstance(truths, bool) else truths
    return NumberColumn(None, plain, percentages, number, math.nan if largest is None else largest)

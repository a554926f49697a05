"""Stores of schema 1, which kept a row for each score: their rows become columns."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.store.frames import ColumnWriter
from rankbars.tables.coding import ROW_ROLES, Block, CodedTable, sort_names, take_codes

if TYPE_CHECKING:
    import duckdb

__all__ = ["columns_from_rows"]


def columns_from_rows(connection: duckdb.DuckDBPyConnection) -> None:
    """Put the rows of all pieces into columns, and drop their tables; in a transaction."""
    names = _read_names(connection)
    writer = ColumnWriter.of(connection)
    kinds: set[str] = set()
    for piece, frames in connection.execute("SELECT id, frames FROM pieces").fetchall():
        heads = {}
        for kind, head in json.loads(frames).items():
            kinds.add(kind)
            heads[kind] = writer.put_frame(_table(connection, kind, piece, head, names))
        writer.write(connection)
        connection.execute("UPDATE pieces SET frames = ? WHERE id = ?", [json.dumps(heads), piece])
    tables = connection.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'rows\\_%' "
        "ESCAPE '\\'"
    ).fetchall()
    for (table,) in tables:
        connection.execute(f'DROP TABLE "{table}"')
    connection.execute("DROP TABLE names")


def _read_names(connection: duckdb.DuckDBPyConnection) -> NDArray[Any]:
    """Every name at the place of its number."""
    found = connection.execute("SELECT id, name FROM names").fetchnumpy()
    ids = np.ma.getdata(found["id"])
    texts = np.empty(int(ids.max(initial=-1)) + 1, dtype=object)
    texts[ids] = np.ma.getdata(found["name"])
    return texts


def _table(
    connection: duckdb.DuckDBPyConnection, kind: str, piece: int, head: Sequence[Any],
    names: NDArray[Any],
) -> CodedTable:  # fmt: skip
    """The rows of one piece under codes of their own."""
    labels, numbers, rows, is_matrix, source = head
    selected = ", ".join(_quote(role) for role in ("row", *labels, *numbers))
    found = connection.execute(
        f"SELECT {selected} FROM {_quote(f'rows_{kind}')} WHERE piece = ? ORDER BY rowid", [piece]
    ).fetchnumpy()
    if len(found["row"]) != rows:
        raise DataError(
            f"The store is damaged: it holds {len(found['row']):,} rows of {source} where "
            f"{rows:,} were put in. Take a backup copy, or add all results to a new store."
        )
    own: dict[str, tuple[str, ...]] = {}
    codes: dict[str, NDArray[Any]] = {}
    for role in labels:
        ids = np.ma.filled(found[role], -1)
        used = np.unique(ids[ids >= 0])
        own[role], position = sort_names(names[used].tolist(), numeric=role in ROW_ROLES)
        place = np.searchsorted(used, ids)
        place[ids < 0] = -1
        codes[role] = take_codes(place, position)
    cells = {role: np.ma.filled(found[role].astype(np.float64), np.nan) for role in numbers}
    whole = Block(0, rows, codes, cells, source, is_matrix=is_matrix)
    blocks = tuple(_consecutive(whole, np.ma.getdata(found["row"])))

    def read_blocks(roles: Collection[str] | None) -> Iterator[Block]:
        return iter(blocks)

    return CodedTable(own, rows, read_blocks)


def _quote(name: str) -> str:
    return '"' + str(name).replace('"', '""') + '"'


def _consecutive(block: Block, numbers: NDArray[np.int64]) -> Iterator[Block]:
    """The block in pieces whose rows follow each other in their source."""
    breaks = np.flatnonzero(np.diff(numbers) != 1) + 1
    for start, stop in zip([0, *breaks.tolist()], [*breaks.tolist(), block.rows], strict=True):
        if stop > start:
            yield block._replace(
                first=int(numbers[start]),
                rows=stop - start,
                labels=_cut(block.labels, start, stop),
                numbers=_cut(block.numbers, start, stop),
            )


def _cut(columns: Mapping[str, NDArray[Any]], start: int, stop: int) -> dict[str, NDArray[Any]]:
    return {role: cells[start:stop] for role, cells in columns.items()}

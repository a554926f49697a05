"""Coded rows into the tables of a store, and out of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.tabular.coding import (
    ROW_ROLES,
    Block,
    CodedTable,
    keep_roles,
    sort_names,
    take_codes,
)
from rankbars.errors import DataError
from rankbars.store.schema import FRAMES, quote

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "FrameHead", "check_name", "delete_rows", "drop_unused_names", "number_names", "read_frames",
    "write_frame",
]  # fmt: skip

# Up to this many rows of one kind are fetched at once and kept; more are fetched piece by piece.
FREE_ROWS = 1 << 22


class FrameHead(NamedTuple):
    """What is known of the rows of a piece without looking at them.

    Parameters
    ----------
    labels, numbers : tuple of str
        Columns that they have, be they empty or not.
    rows : int
        Number of rows.
    is_matrix : bool
        Whether rows are the cells of a matrix.
    source : str
        Where they come from, for messages.
    """

    labels: tuple[str, ...]
    numbers: tuple[str, ...]
    rows: int
    is_matrix: bool
    source: str


def write_frame(
    connection: duckdb.DuckDBPyConnection, kind: str, piece: int, table: CodedTable,
    known_names: Mapping[str, int],
) -> FrameHead:  # fmt: skip
    """Put the rows of a piece into their table.

    Parameters
    ----------
    connection : duckdb connection
        An open store, in a transaction.
    kind : str
        A key of `FRAMES`.
    piece : int
        Number of the piece.
    table : CodedTable
        The rows.
    known_names : mapping from str to int
        From `number_names`.
    """
    ids = {
        role: np.array([known_names[name] for name in names], dtype=np.int32)
        for role, names in table.names.items()
    }
    numbers: tuple[str, ...] = ()
    rows, is_matrix, source = 0, False, ""
    for block in table.read_blocks(None):
        numbers, is_matrix, source = tuple(block.numbers), block.is_matrix, block.source
        chunk: dict[str, NDArray[Any]] = {
            "row": np.arange(block.first, block.first + block.rows, dtype=np.int64)
            if block.chosen is None
            else block.chosen
        }
        chunk |= {role: take_codes(codes, ids[role]) for role, codes in block.labels.items()}
        chunk |= {role: np.ascontiguousarray(cells) for role, cells in block.numbers.items()}
        _insert(connection, kind, piece, chunk, set(block.labels))
        rows += block.rows
    known = FRAMES[kind]
    unknown = {*table.names, *numbers} - {*known.labels, *known.numbers}
    if unknown:
        raise ValueError(f"No column for {sorted(unknown)} in rows of the kind {kind!r}.")
    return FrameHead(tuple(table.names), numbers, rows, is_matrix, source)


def _insert(
    connection: duckdb.DuckDBPyConnection, kind: str, piece: int,
    chunk: Mapping[str, NDArray[Any]], labels: Collection[str],
) -> None:  # fmt: skip
    # A code of -1 is an empty cell; NaN is taken as one by the engine itself.
    cells = [f"nullif({quote(role)}, -1)" if role in labels else quote(role) for role in chunk]
    columns = ", ".join(quote(role) for role in chunk)
    connection.register("chunk", dict(chunk))
    try:
        connection.execute(
            f"INSERT INTO rows_{kind} (piece, {columns}) SELECT {piece}, {', '.join(cells)} "
            "FROM chunk"
        )
    finally:
        connection.unregister("chunk")


def number_names(
    connection: duckdb.DuckDBPyConnection, tables: Iterable[CodedTable]
) -> dict[str, int]:
    """Number of each name of some tables; new ones are added to the names of the store.

    Raises
    ------
    DataError
        If a name cannot be stored.
    """
    names = list(dict.fromkeys(
        name for table in tables for own in table.names.values() for name in own
    ))  # fmt: skip
    for name in names:
        check_name(name)
    if not names:
        return {}
    texts = np.empty(len(names), dtype=object)
    texts[:] = names
    connection.register("given", {"place": np.arange(len(names)), "name": texts})
    try:
        connection.execute(
            "INSERT INTO names SELECT (SELECT coalesce(max(id) + 1, 0) FROM names) + "
            "(row_number() OVER (ORDER BY place) - 1), name FROM given "
            "WHERE name NOT IN (SELECT name FROM names)"
        )
        found = connection.execute(
            "SELECT names.id FROM given JOIN names USING (name) ORDER BY place"
        ).fetchnumpy()["id"]
    finally:
        connection.unregister("given")
    return dict(zip(names, np.ma.getdata(found).tolist(), strict=True))


def check_name(name: str) -> None:
    """Raise `DataError` if the engine cannot hold a name."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"The name {name!r} holds {error.object[error.start : error.end]!r}, which is not a "
            "valid character, and cannot be stored. Rename it."
        ) from error


def delete_rows(connection: duckdb.DuckDBPyConnection, pieces: Sequence[int]) -> None:
    """Delete the rows of some pieces."""
    listed = ", ".join(str(int(piece)) for piece in pieces) or "NULL"
    for kind in FRAMES:
        connection.execute(f"DELETE FROM rows_{kind} WHERE piece IN ({listed})")


def drop_unused_names(connection: duckdb.DuckDBPyConnection) -> None:
    """Delete the names that no row uses."""
    used = " UNION ".join(
        f"SELECT {quote(role)} AS id FROM rows_{kind} WHERE {quote(role)} IS NOT NULL"
        for kind, columns in FRAMES.items()
        for role in columns.labels
    )
    connection.execute(f"DELETE FROM names WHERE id NOT IN ({used})")


def read_frames(
    connection: duckdb.DuckDBPyConnection, kind: str, heads: Mapping[int, FrameHead]
) -> dict[int, CodedTable]:
    """The rows of pieces, by number of the piece.

    Parameters
    ----------
    connection : duckdb connection
        An open store; it must stay open while rows are read.
    kind : str
        A key of `FRAMES`.
    heads : mapping from int to FrameHead
        Every piece that has such rows.
    """
    if not heads:
        return {}
    names = _read_names(connection)
    if sum(head.rows for head in heads.values()) > FREE_ROWS:
        return {
            piece: _lazy_table(connection, kind, piece, head, names)
            for piece, head in heads.items()
        }
    columns = _columns(kind, heads.values())
    cells = _fetch(connection, kind, columns, "")
    order = np.argsort(cells["piece"], kind="stable")
    cells = {role: values[order] for role, values in cells.items()}
    found = {}
    for piece, head in heads.items():
        start, stop = np.searchsorted(cells["piece"], [piece, piece + 1])
        _check_rows(piece, head, int(stop - start))
        own = {role: cells[role][start:stop] for role in ("row", *head.labels, *head.numbers)}
        found[piece] = _table(own, head, names)
    return found


def _columns(kind: str, heads: Collection[FrameHead]) -> list[str]:
    used = {role for head in heads for role in (*head.labels, *head.numbers)}
    known = FRAMES[kind]
    return [role for role in (*known.labels, *known.numbers) if role in used]


def _fetch(
    connection: duckdb.DuckDBPyConnection, kind: str, columns: Sequence[str], where: str
) -> dict[str, NDArray[Any]]:
    selected = ", ".join(["piece", "row", *map(quote, columns)])
    found = connection.execute(f"SELECT {selected} FROM rows_{kind} {where}").fetchnumpy()
    labels = {"piece", "row", *FRAMES[kind].labels}
    return {
        role: np.ma.filled(values, -1)
        if role in labels
        else np.ma.filled(values.astype(np.float64), np.nan)
        for role, values in found.items()
    }


def _check_rows(piece: int, head: FrameHead, rows: int) -> None:
    if rows != head.rows:
        raise DataError(
            f"The store is damaged: it holds {rows:,} rows of {head.source} (part {piece}) where "
            f"{head.rows:,} were put in. Take a backup copy, or add all results to a new store."
        )


def _read_names(connection: duckdb.DuckDBPyConnection) -> NDArray[Any]:
    """Every name at the place of its number."""
    found = connection.execute("SELECT id, name FROM names").fetchnumpy()
    ids = np.ma.getdata(found["id"])
    texts = np.empty(int(ids.max(initial=-1)) + 1, dtype=object)
    texts[ids] = np.ma.getdata(found["name"])
    return texts


def _table(cells: Mapping[str, NDArray[Any]], head: FrameHead, names: NDArray[Any]) -> CodedTable:
    """The rows of one piece under codes of their own."""
    labels, own = {}, {}
    for role in head.labels:
        used, codes = _own_codes(cells[role])
        own[role], position = sort_names(names[used].tolist(), numeric=role in ROW_ROLES)
        labels[role] = take_codes(codes, position)
    numbers = {role: cells[role] for role in head.numbers}
    block = Block(0, head.rows, labels, numbers, head.source, is_matrix=head.is_matrix)
    blocks = tuple(_consecutive(block, cells["row"]))

    def read_blocks(roles: Collection[str] | None) -> Iterator[Block]:
        return (keep_roles(block, roles) for block in blocks)

    return CodedTable(own, head.rows, read_blocks)


def _own_codes(ids: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The numbers that occur, and the place of each cell among them; -1 where it is empty."""
    used = np.unique(ids)
    used = used[used >= 0]
    codes = np.searchsorted(used, ids).astype(np.int32)
    codes[ids < 0] = -1
    return used, codes


def _consecutive(block: Block, numbers: NDArray[np.int64]) -> Iterator[Block]:
    """The block in pieces whose rows follow each other in their source."""
    breaks = np.flatnonzero(np.diff(numbers) != 1) + 1
    for start, stop in zip([0, *breaks.tolist()], [*breaks.tolist(), block.rows], strict=True):
        if stop > start:
            yield Block(
                int(numbers[start]),
                stop - start,
                {role: codes[start:stop] for role, codes in block.labels.items()},
                {role: values[start:stop] for role, values in block.numbers.items()},
                block.source,
                is_matrix=block.is_matrix,
            )


def _lazy_table(
    connection: duckdb.DuckDBPyConnection, kind: str, piece: int, head: FrameHead,
    names: NDArray[Any],
) -> CodedTable:  # fmt: skip
    """The rows of one piece, fetched whenever they are needed."""
    where = f"WHERE piece = {int(piece)}"
    own: dict[str, tuple[str, ...]] = {}
    known: dict[str, tuple[NDArray[Any], NDArray[np.int32]]] = {}
    for role in head.labels:
        found = connection.execute(
            f"SELECT DISTINCT {quote(role)} AS id FROM rows_{kind} {where} "
            f"AND {quote(role)} IS NOT NULL ORDER BY id"
        ).fetchnumpy()["id"]
        used = np.ma.getdata(found)
        own[role], position = sort_names(names[used].tolist(), numeric=role in ROW_ROLES)
        known[role] = used, position

    def read_blocks(roles: Collection[str] | None) -> Iterator[Block]:
        wanted = [role for role in (*head.labels, *head.numbers) if roles is None or role in roles]
        cells = _fetch(connection, kind, wanted, where)
        _check_rows(piece, head, len(cells["row"]))
        labels = {}
        for role in wanted:
            if role in known:
                used, position = known[role]
                codes = np.searchsorted(used, cells[role])
                codes[cells[role] < 0] = -1
                labels[role] = take_codes(codes, position)
        numbers = {role: cells[role] for role in wanted if role not in known}
        block = Block(0, head.rows, labels, numbers, head.source, is_matrix=head.is_matrix)
        yield from _consecutive(block, cells["row"])

    return CodedTable(own, head.rows, read_blocks)

"""Coded rows into the columns of a store, and out of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from rankbars.data.temporary import TemporaryFolder
from rankbars.errors import DataError
from rankbars.store.bytecolumns import decode, decode_names, digest, encode, encode_names
from rankbars.store.inserting import insert_rows
from rankbars.tables.coding import Block, CodedTable

if TYPE_CHECKING:
    import duckdb

__all__ = ["ColumnReader", "ColumnWriter", "FrameHead", "drop_unused_columns", "read_frame"]

# Up to this many bytes of columns are fetched at once and kept; more are fetched as needed.
FREE_BYTES = 1 << 28
_ROWS_AT_ONCE = 256


class Stretch(NamedTuple):
    """Rows of a piece that lie together.

    Parameters
    ----------
    first, rows : int
        Number of the first row in its source; number of rows.
    chosen : int or None
        Column of the numbers of all rows, where some between them were left out.
    labels, numbers : mapping from str to int
        Columns by role.
    """

    first: int
    rows: int
    chosen: int | None
    labels: Mapping[str, int]
    numbers: Mapping[str, int]


class FrameHead(NamedTuple):
    """What is known of the rows of a piece without looking at them.

    Parameters
    ----------
    rows : int
        Number of rows.
    is_matrix : bool
        Whether rows are the cells of a matrix.
    source : str
        Where they come from, for messages.
    names : mapping from str to int
        Column of the names of each label role.
    stretches : tuple of Stretch
        The rows.
    """

    rows: int
    is_matrix: bool
    source: str
    names: Mapping[str, int]
    stretches: tuple[Stretch, ...]

    @classmethod
    def of(cls, values: Iterable[Any]) -> FrameHead:
        """From what JSON keeps of it."""
        rows, is_matrix, source, names, stretches = values
        return cls(rows, is_matrix, source, names, tuple(Stretch(*one) for one in stretches))

    def renumbered(self, numbers: Mapping[int, int]) -> FrameHead:
        """The same, where columns have other numbers."""

        def renumber(columns: Mapping[str, int]) -> dict[str, int]:
            return {role: numbers[column] for role, column in columns.items()}

        return self._replace(
            names=renumber(self.names),
            stretches=tuple(
                one._replace(
                    chosen=None if one.chosen is None else numbers[one.chosen],
                    labels=renumber(one.labels), numbers=renumber(one.numbers),
                )
                for one in self.stretches
            ),
        )  # fmt: skip

    @property
    def columns(self) -> Iterator[int]:
        """Every column that it needs."""
        yield from self.names.values()
        for one in self.stretches:
            yield from one.labels.values()
            yield from one.numbers.values()
            if one.chosen is not None:
                yield one.chosen


@dataclass(slots=True, eq=False)
class ColumnWriter:
    """Takes columns, and puts those that a store does not have into it, all at once.

    Parameters
    ----------
    known : dict of str to int
        Columns of the store by their digest; none where columns are to be kept for a store.
    following : int
        Number of the next new one.
    fresh : dict of int to (str, bytes)
        New ones.
    """

    known: dict[str, int] = field(default_factory=dict)
    following: int = 0
    fresh: dict[int, tuple[str, bytes]] = field(default_factory=dict)

    @classmethod
    def of(cls, connection: duckdb.DuckDBPyConnection) -> ColumnWriter:
        """For an open store, in a transaction."""
        found = connection.execute("SELECT digest, id FROM columns").fetchall()
        known = {str(key): int(number) for key, number in found}
        return cls(known, 1 + max(known.values(), default=-1))

    def put(self, data: bytes) -> int:
        """Number of a column with these bytes."""
        return self._put(digest(data), data)

    def put_all(self, other: ColumnWriter) -> dict[int, int]:
        """The new columns of another; gives their numbers here by those they have there."""
        return {number: self._put(*column) for number, column in other.fresh.items()}

    def _put(self, key: str, data: bytes) -> int:
        number = self.known.get(key)
        if number is None:
            number = self.known[key] = self.following
            self.following += 1
            self.fresh[number] = (key, data)
        return number

    def put_frame(self, table: CodedTable) -> FrameHead:
        """The rows of a piece."""
        names = {role: self.put(encode_names(own)) for role, own in table.names.items()}
        stretches, is_matrix, source, rows = [], False, "", 0
        for block in table.read_blocks(None):
            is_matrix, source = block.is_matrix, block.source
            rows += block.rows
            stretches.append(Stretch(
                int(block.first), block.rows,
                None if block.chosen is None else self.put(encode(block.chosen)),
                {role: self.put(encode(codes)) for role, codes in block.labels.items()},
                {role: self.put(encode(cells)) for role, cells in block.numbers.items()},
            ))  # fmt: skip
        return FrameHead(rows, is_matrix, source, names, tuple(stretches))

    def write(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Put the new columns into the store."""
        rows = [(number, key, data) for number, (key, data) in self.fresh.items()]
        insert_rows(connection, "columns", rows)
        self.fresh.clear()


@dataclass(slots=True, eq=False)
class ColumnReader:
    """Gives columns of a store; those that several pieces have are the same object for all.

    Parameters
    ----------
    fetch : callable
        Gives the bytes of a column.
    uses : Counter of int
        How often each column is used.
    common : dict of int to array or tuple
        Decoded columns that are used more than once.
    """

    fetch: Callable[[int], bytes]
    uses: Counter[int]
    common: dict[int, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, connection: duckdb.DuckDBPyConnection, heads: Iterable[FrameHead], *, alone: bool
    ) -> ColumnReader:
        """For the pieces of an open store.

        Parameters
        ----------
        connection : duckdb connection
            The store.
        heads : iterable of FrameHead
            The pieces.
        alone : bool
            Whether columns are asked for after the store is closed.
        """
        uses = Counter(number for head in heads for number in head.columns)
        found = connection.execute("SELECT sum(octet_length(data)) FROM columns").fetchall()
        if (found[0][0] or 0) <= FREE_BYTES:
            rows = connection.execute("SELECT id, digest, data FROM columns").fetchall()
            kept = {number: _checked(number, key, data) for number, key, data in rows}
            return cls(partial(_take_kept, kept), uses)
        if alone:
            return cls(_Spool(connection).fetch, uses)
        return cls(partial(_fetch, connection), uses)

    @classmethod
    def of_new(cls, writer: ColumnWriter, heads: Iterable[FrameHead]) -> ColumnReader:
        """For pieces that are kept for a store."""
        kept = {number: data for number, (_, data) in writer.fresh.items()}
        return cls(
            partial(_take_kept, kept), Counter(number for head in heads for number in head.columns)
        )

    def names(self, number: int) -> tuple[str, ...]:
        """A list of names."""
        found: tuple[str, ...] = self._take(number, names=True)
        return found

    def numbers(self, number: int) -> NDArray[Any]:
        """An array; not to be written to."""
        found: NDArray[Any] = self._take(number, names=False)
        return found

    def _take(self, number: int, *, names: bool) -> Any:
        if number in self.common:
            return self.common[number]
        data = self.fetch(number)
        found: Any = decode_names(data) if names else decode(data)
        if self.uses[number] > 1:
            self.common[number] = found
        return found


class _Spool:
    """The columns of a large store in a temporary file."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._folder = TemporaryFolder()
        self._path = self._folder.path / "columns"
        self._places: dict[int, tuple[int, int]] = {}
        found = connection.execute("SELECT id, digest, data FROM columns")
        with self._path.open("xb") as made:
            while rows := found.fetchmany(_ROWS_AT_ONCE):
                for number, key, data in rows:
                    self._places[number] = made.tell(), len(data)
                    made.write(_checked(number, key, data))

    def fetch(self, number: int) -> bytes:
        """The bytes of a column."""
        if number not in self._places:
            raise _lacking(number)
        place, size = self._places[number]
        with self._path.open("rb") as kept:
            kept.seek(place)
            return kept.read(size)


def _take_kept(kept: Mapping[int, bytes], number: int) -> bytes:
    if number not in kept:
        raise _lacking(number)
    return kept[number]


def _fetch(connection: duckdb.DuckDBPyConnection, number: int) -> bytes:
    found = connection.execute("SELECT digest, data FROM columns WHERE id = ?", [number]).fetchall()
    if not found:
        raise _lacking(number)
    return _checked(number, *found[0])


def _lacking(number: int) -> DataError:
    return DataError(
        f"The store is damaged: it lacks column {number}. Take a backup copy, or add all "
        "results to a new store."
    )


def _checked(number: int, key: str, data: bytes) -> bytes:
    if digest(data) != key:
        raise DataError(
            f"The store is damaged: column {number} is not what was put in. Take a backup copy, or "
            "add all results to a new store."
        )
    return data


def read_frame(reader: ColumnReader, head: FrameHead) -> CodedTable:
    """The rows of a piece; read while the store is open, unless its columns are held alone."""

    def read_blocks(roles: Collection[str] | None) -> Iterator[Block]:
        for one in head.stretches:
            yield Block(
                one.first,
                one.rows,
                _wanted(reader, one.labels, roles),
                _wanted(reader, one.numbers, roles),
                head.source,
                None if one.chosen is None else reader.numbers(one.chosen),
                head.is_matrix,
            )

    names = {role: reader.names(number) for role, number in head.names.items()}
    return CodedTable(names, head.rows, read_blocks)


def _wanted(
    reader: ColumnReader, columns: Mapping[str, int], roles: Collection[str] | None
) -> dict[str, NDArray[Any]]:
    return {
        role: reader.numbers(number)
        for role, number in columns.items()
        if roles is None or role in roles
    }


def drop_unused_columns(connection: duckdb.DuckDBPyConnection) -> None:
    """Delete the columns that no piece needs."""
    used: set[int] = set()
    for (frames,) in connection.execute("SELECT frames FROM pieces").fetchall():
        for values in json.loads(frames).values():
            used.update(FrameHead.of(values).columns)
    found = connection.execute("SELECT id FROM columns").fetchall()
    gone = [number for (number,) in found if number not in used]
    listed = ", ".join(str(number) for number in gone) or "NULL"
    connection.execute(f"DELETE FROM columns WHERE id IN ({listed})")

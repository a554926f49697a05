"""Parquet files, and big CSV files, through duckdb: strings become integers inside the engine."""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.tabular.cells import WORDS, NumberCells, Unread, label_text, parse_number
from rankbars.data.tabular.coding import (
    ROW_ROLES, Block, CodedTable, NumberColumn, keep_roles, sort_names, take_codes,
)  # fmt: skip
from rankbars.errors import DataError, ReadError
from rankbars.readers.files import InputFile

if TYPE_CHECKING:
    import duckdb

__all__ = ["RelationTable", "UnusualTextError", "big_csv_table", "open_engine", "parquet_table"]

# Rows fetched at once; a table that fits is fetched once and kept.
BLOCK_ROWS = 1 << 21

INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT",
                      "UINTEGER"})  # fmt: skip
NUMBERS = INTEGERS | {"UBIGINT", "HUGEINT", "UHUGEINT", "FLOAT", "DOUBLE", "BOOLEAN"}
# Distinct values of these are turned into names one by one.
VALUES = NUMBERS - INTEGERS
PLAIN_TEXT = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIME", "UUID"})


class UnusualTextError(DataError):
    """A text column holds more than plain numbers; it has to be read cell by cell."""


@contextmanager
def open_engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """An engine of our own, with a temporary folder that is removed at the end."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="rankbars-") as folder:
        settings = {
            "temp_directory": folder,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        with duckdb.connect(":memory:", config=settings) as engine:
            yield engine


@contextmanager
def _reported(source: str) -> Iterator[None]:
    """Errors of the engine as errors about the file."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        text = str(error).partition("\n")[0].removeprefix("Invalid Input Error: ")
        raise ReadError.at(
            source, f"the file is damaged or cut off ({text}). Copy or write it again."
        ) from error


@dataclass(frozen=True, slots=True, eq=False)
class RelationTable:
    """A file that the engine scans.

    Parameters
    ----------
    source : str
        Name for messages.
    columns : tuple of str
        Header; the engine knows the columns as c0, c1, and so on.
    header_rows : int
        Rows before the first row of data.
    types : tuple of str
        Type of each column in the engine.
    engine : duckdb connection
        Where to ask.
    scan : str
        What to select from; one parameter stands for the path.
    path : str
        The path, as a pattern that matches this file only.
    numbered : bool
        Whether the scan has the column ``file_row_number``.
    """

    source: str
    columns: tuple[str, ...]
    header_rows: int
    types: tuple[str, ...]
    engine: duckdb.DuckDBPyConnection
    scan: str
    path: str
    numbered: bool

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""
        selected = ", ".join(f"c{i}" for i in range(len(self.columns)))
        with _reported(self.source):
            return self._ask(f"SELECT {selected} FROM {self.scan} LIMIT {int(rows)}").fetchall()

    def code(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> CodedTable:
        """Columns in coded form; strings are replaced by integers inside the engine."""
        with _reported(self.source):
            return _Coder(self).code(labels, numbers)

    def _ask(self, query: str) -> duckdb.DuckDBPyConnection:
        return self.engine.execute(query, [self.path])


class _Coder:
    """Turns columns of a `RelationTable` into expressions of the engine, and blocks of arrays."""

    def __init__(self, table: RelationTable) -> None:
        self._table = table
        self._expressions: list[str] = []
        self._finish: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._seen: dict[str, NumberColumn] = {}

    def code(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> CodedTable:
        table = self._table
        rows = int(table._ask(f"SELECT count(*) FROM {table.scan}").fetchall()[0][0])
        expressions = {role: self._label(role, name) for role, name in labels.items()}
        converted: dict[str, NDArray[np.float64]] = {}
        for role, name in numbers.items():
            expression = self._number(role, name, converted)
            if expression is not None:
                expressions[role] = expression
        read = self._reader(rows, expressions, tuple(numbers), converted)
        if not table.numbered:
            read = self._stored(rows, expressions, tuple(numbers))
        if rows <= BLOCK_ROWS:
            kept = list(read(None))
            return CodedTable(
                self._names, rows,
                lambda roles: (keep_roles(block, roles) for block in kept), self._seen,
            )  # fmt: skip
        return CodedTable(self._names, rows, read, self._seen)

    # Labels: each gets an expression that yields integers, and a way to finish them.

    def _label(self, role: str, name: str) -> str:
        position = self._table.columns.index(name)
        column, kind = f"c{position}", self._table.types[position]
        if kind in INTEGERS:
            return self._integers(role, column)
        if kind == "VARCHAR" or kind.startswith("ENUM"):
            found = self._column(f"SELECT DISTINCT {column} FROM {self._table.scan}")
            texts = [text for text in found if text is not None]
            return self._texts(role, column, texts, texts)
        if kind in VALUES or kind.startswith("DECIMAL"):
            pairs = self._table._ask(
                f"SELECT DISTINCT {column}, {column}::VARCHAR FROM {self._table.scan}"
            ).fetchall()
            pairs = [(label_text(value), text) for value, text in pairs if text is not None]
            names = ["" if value is None else value for value, _ in pairs]
            return self._texts(role, f"{column}::VARCHAR", [text for _, text in pairs], names)
        if kind in PLAIN_TEXT or kind.startswith("TIMESTAMP"):
            found = self._column(f"SELECT DISTINCT {column}::VARCHAR FROM {self._table.scan}")
            texts = [text for text in found if text is not None]
            return self._texts(role, f"{column}::VARCHAR", texts, texts)
        raise DataError(
            f"{self._table.source}: the column {name!r} ({role}) has the type {kind}, which cannot "
            "be a name. Name another column."
        )

    def _integers(self, role: str, column: str) -> str:
        query = f"SELECT DISTINCT {column} AS v FROM {self._table.scan} WHERE {column} IS NOT NULL"
        values = np.sort(self._table._ask(query).fetchnumpy()["v"].astype(np.int64))
        texts = [str(value) for value in values.tolist()]
        self._names[role], position = sort_names(texts, numeric=role in ROW_ROLES)
        first = int(values[0]) if len(values) else 0
        span = int(values[-1]) - first + 1 if len(values) else 0
        table = None
        if span <= 4 * len(values) + (1 << 20):
            table = np.full(span, -1, np.int32)
            table[values - first] = position

        def finish(cells: NDArray[Any]) -> NDArray[Any]:
            empty = np.ma.getmaskarray(cells)
            plain = np.ma.getdata(cells).astype(np.int64)
            if empty.any():
                plain = np.where(empty, first, plain)
            if table is None:
                codes = position[np.searchsorted(values, plain)]
            elif len(table):
                codes = table[plain - first]
            else:
                codes = np.full(len(plain), -1, np.int32)
            return np.where(empty, np.int32(-1), codes) if empty.any() else codes

        self._finish[role] = finish
        return column

    def _texts(self, role: str, cell: str, texts: Sequence[str], names: Sequence[str]) -> str:
        """Expression that numbers `texts`, which stand for `names` (several may share one)."""
        kept = sorted({name for name in names if name})
        self._names[role], place = sort_names(kept, numeric=role in ROW_ROLES)
        code_of = dict(zip(kept, place.tolist(), strict=True))
        position = np.array([code_of.get(name, -1) for name in names], np.int32)
        if not texts:
            self._finish[role] = lambda cells: np.full(len(cells), -1, np.int32)
            return "NULL::INTEGER"
        engine, kind = self._table.engine, f"names_{role}_{uuid.uuid4().hex}"
        engine.execute(f"CREATE TEMP TABLE {kind}_list (name VARCHAR)")
        engine.execute(f"INSERT INTO {kind}_list SELECT unnest(?::VARCHAR[])", [list(texts)])
        engine.execute(f"CREATE TYPE {kind} AS ENUM (SELECT name FROM {kind}_list)")
        engine.execute(f"DROP TABLE {kind}_list")

        def finish(cells: NDArray[Any]) -> NDArray[Any]:
            codes = np.ma.getdata(cells).astype(np.int64)
            if np.ma.getmaskarray(cells).any():
                codes = np.where(np.ma.getmaskarray(cells), -1, codes)
            return take_codes(codes, position)

        self._finish[role] = finish
        return f"enum_code({cell}::{kind})"

    # Numbers

    def _number(
        self, role: str, name: str, converted: dict[str, NDArray[np.float64]]
    ) -> str | None:
        table = self._table
        position = table.columns.index(name)
        column, kind = f"c{position}", table.types[position]
        if kind in NUMBERS or kind.startswith("DECIMAL"):
            known = table._ask(f"SELECT count({column}) FROM {table.scan}").fetchall()[0][0]
            self._seen[role] = NumberColumn(None, int(known), 0, truths=kind == "BOOLEAN")
            return f"{column}::DOUBLE"
        if kind == "VARCHAR" or kind.startswith("ENUM"):
            if table.numbered:
                converted[role] = self._convert(role, column)
                return None
            return self._plain_text(role, column)
        raise DataError(
            f"{table.source}: the column {name!r} ({role}) has the type {kind}; expected numbers. "
            f"Name another column: --column {role}=NAME (in Python: columns={{{role!r}: 'NAME'}})."
        )

    def _convert(self, role: str, column: str) -> NDArray[np.float64]:
        """A text column of a Parquet file, cell by cell."""
        cells = NumberCells()
        table = self._table
        for low in range(0, max(self._count(), 1), BLOCK_ROWS):
            query = (
                f"SELECT {column}::VARCHAR AS v FROM {table.scan} WHERE file_row_number >= {low} "
                f"AND file_row_number < {low + BLOCK_ROWS} ORDER BY file_row_number"
            )
            cells.extend(table._ask(query).fetchnumpy()["v"].tolist())
        self._seen[role] = NumberColumn(
            cells.unread, cells.plain, cells.percentages, cells.truths
        )
        return cells.values()

    def _plain_text(self, role: str, column: str) -> str:
        """Expression for a text column that holds plain numbers and a few known words."""
        table = self._table
        number = f"try_cast({column} AS DOUBLE)"
        others = self._column(
            f"SELECT DISTINCT {column} FROM {table.scan} WHERE {column} IS NOT NULL AND "
            f"({number} IS NULL OR contains({column}, '_')) LIMIT {len(WORDS) * 8}"
        )
        expression = "CASE"
        for text in others:
            value = parse_number(text)
            if value is None or text.strip().casefold() not in WORDS:
                raise UnusualTextError(text)
            quoted = text.replace("'", "''")
            expression += f" WHEN {column} = '{quoted}' THEN {'NULL' if value != value else value}"
        known = table._ask(f"SELECT count({number}) FROM {table.scan}").fetchall()[0][0]
        self._seen[role] = NumberColumn(None, int(known), 0, truths=False)
        return f"{expression} ELSE {number} END" if others else number

    # Blocks

    def _reader(
        self, rows: int, expressions: Mapping[str, str], numbers: Collection[str],
        converted: Mapping[str, NDArray[np.float64]],
    ) -> Callable[[Collection[str] | None], Iterator[Block]]:  # fmt: skip
        table = self._table

        def read(roles: Collection[str] | None) -> Iterator[Block]:
            wanted = [role for role in expressions if roles is None or role in roles]
            selected = ", ".join(f"{expressions[role]} AS {role}_" for role in wanted) or "1 AS one"
            for low in range(0, rows, BLOCK_ROWS):
                high = min(low + BLOCK_ROWS, rows)
                query = f"SELECT {selected} FROM {table.scan}"
                if rows > BLOCK_ROWS:
                    query += f" WHERE file_row_number >= {low} AND file_row_number < {high}"
                with _reported(table.source):
                    arrays = table._ask(query).fetchnumpy()
                block = self._block(arrays, wanted, numbers, low, high - low)
                more = {
                    role: values[low:high]
                    for role, values in converted.items()
                    if roles is None or role in roles
                }
                yield block._replace(numbers={**block.numbers, **more})

        return read

    def _stored(
        self, rows: int, expressions: Mapping[str, str], numbers: Collection[str]
    ) -> Callable[[Collection[str] | None], Iterator[Block]]:
        """Blocks of a file that is slow to scan: its codes are stored in the engine once."""
        table, store = self._table, f"codes_{uuid.uuid4().hex}"
        selected = ", ".join(f"{expression} AS {role}_" for role, expression in expressions.items())
        table._ask(f"CREATE TEMP TABLE {store} AS SELECT {selected} FROM {table.scan}")

        def read(roles: Collection[str] | None) -> Iterator[Block]:
            wanted = [role for role in expressions if roles is None or role in roles]
            columns = ", ".join(f"{role}_" for role in wanted) or "1 AS one"
            for low in range(0, rows, BLOCK_ROWS):
                high = min(low + BLOCK_ROWS, rows)
                arrays = table.engine.execute(
                    f"SELECT {columns} FROM {store} WHERE rowid >= {low} AND rowid < {high}"
                ).fetchnumpy()
                yield self._block(arrays, wanted, numbers, low, high - low)

        return read

    def _block(
        self, arrays: Mapping[str, NDArray[Any]], roles: Sequence[str], numbers: Collection[str],
        low: int, count: int,
    ) -> Block:  # fmt: skip
        labels = {
            role: self._finish[role](arrays[f"{role}_"]) for role in roles if role not in numbers
        }
        values = {}
        for role in roles:
            if role in numbers:
                cells = arrays[f"{role}_"]
                values[role] = np.ma.filled(cells.astype(np.float64), np.nan)
        table = self._table
        return Block(table.header_rows + 1 + low, count, labels, values, table.source)

    def _column(self, query: str) -> list[Any]:
        return [row[0] for row in self._table._ask(query).fetchall()]

    def _count(self) -> int:
        table = self._table
        return int(table._ask(f"SELECT count(*) FROM {table.scan}").fetchall()[0][0])


def parquet_table(file: InputFile, engine: duckdb.DuckDBPyConnection) -> RelationTable:
    """A Parquet file; raises `ReadError` if it is none."""
    import duckdb

    path = _as_pattern(file)
    try:
        schema = engine.execute(
            "SELECT name, num_children FROM parquet_schema(?)", [path]
        ).fetchall()
        columns = _top_level(schema)
        names = ", ".join(f"c{i}" for i in range(len(columns)))
        scan = (
            "read_parquet(?, file_row_number = true, hive_partitioning = false, "
            f"binary_as_string = true) AS t({names})"
        )
        answer = engine.execute(f"SELECT {names} FROM {scan} LIMIT 0", [path])
        types = tuple(str(column[1]) for column in answer.description or ())
    except duckdb.Error as error:
        with file.path.open("rb") as raw:
            starts_well = raw.read(4) == b"PAR1"
        problem = "the Parquet file is cut off or damaged. Copy it again"
        if not starts_well:
            problem = "the file is not Parquet, whatever its name says. Give it its true suffix"
        raise ReadError.at(file.label, f"{problem}.") from error
    return RelationTable(file.label, columns, 0, types, engine, scan, path, numbered=True)


def big_csv_table(
    file: InputFile, columns: tuple[str, ...], delimiter: str, engine: duckdb.DuckDBPyConnection
) -> RelationTable:
    """A CSV file that is too big to be read cell by cell in reasonable time."""
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns)))
    scan = (
        f"read_csv(?, columns = {{{types}}}, header = true, auto_detect = false, "
        f"delim = '{delimiter}', quote = '\"', escape = '\"', nullstr = '', strict_mode = true, "
        "null_padding = false, hive_partitioning = false) AS t"
    )
    kinds = ("VARCHAR",) * len(columns)
    return RelationTable(
        file.label, columns, 1, kinds, engine, scan, _as_pattern(file), numbered=False
    )


def _as_pattern(file: InputFile) -> str:
    """The path with characters that would make the engine search quoted."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(file.path.resolve()))


def _top_level(schema: Sequence[tuple[str, int | None]]) -> tuple[str, ...]:
    """Names of the columns; the schema lists nested fields after the column they belong to."""
    names = []
    position = 1
    while position < len(schema):
        names.append(schema[position][0])
        position = _after(schema, position)
    return tuple(names)


def _after(schema: Sequence[tuple[str, int | None]], position: int) -> int:
    following = position + 1
    for _ in range(schema[position][1] or 0):
        following = _after(schema, following)
    return following

"""Parquet files: they stay where they are, and the database looks at them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, is_url
from rankbars.readers.parquetfooters import (
    Footer,
    as_pattern,
    keep_footers,
    read_footers,
    refuse_long_footer,
    select_columns,
)
from rankbars.tables.database import Engine, quote_text, report_damage
from rankbars.tables.relations import Pile, Relation, Selection
from rankbars.tables.tablerows import Table, lie_together

__all__ = ["ParquetPlace", "ParquetTable", "open_parquet", "open_together"]

# Repeated values take next to no room in a file, but their rows do in memory.
FREE_ROWS = 50_000_000
ROWS_PER_BYTE = 100

# So many first rows are kept, for they are looked at again and again.
_HELD_ROWS = 200

# Files of so many rows and bytes at most are asked together.
_SMALL_ROWS, _SMALL_BYTES = 1 << 14, 1 << 20

# The folder of rows without a value, as other programs write it.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


class ParquetTable(Table):
    """A Parquet file.

    Parameters
    ----------
    source : str
        Name for messages.
    columns : tuple of str
        Header.
    types : tuple of str
        Type of each column in the database.
    engine : Engine
        The database.
    clause : str
        What to select from; columns are c0, c1, and so on, and ``place``.
    dense : bool
        Whether all rows of the file are there.
    partitions : mapping from str to str
        Further columns, which its folders name, and their one value.
    """

    header_rows = 0
    path = ""  # in quotes; empty of some rows of a file
    is_small = False
    parts: tuple[tuple[int, float], ...] = ()  # places of durations, and their parts of a second
    _first: Sequence[tuple[object, ...]] = ()
    _held = 0

    def __init__(
        self, source: str, columns: tuple[str, ...], types: tuple[str, ...], engine: Engine,
        clause: str, *, dense: bool = True, partitions: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.source = source
        self.partitions = partitions or {}
        self.columns = (*columns, *self.partitions)
        self.types = (*types, *["VARCHAR"] * len(self.partitions))
        self._dense = dense
        self._selection = Selection(engine, clause)
        if self.partitions:
            cells = ", ".join(
                f"{quote_text(value)} AS c{number}"
                for number, value in enumerate(self.partitions.values(), start=len(columns))
            )
            self._selection = self._selection.select(f"*, {cells}")

    def again(self, file: InputFile, engine: Engine) -> ParquetTable:
        """The same file for reading, as it was opened."""
        again = copy(self)
        again.source, again.report = file.label, file.count_share
        again._selection, again._held_numbers = self._selection._replace(engine=engine), None
        if isinstance(self.place, ParquetPlace):
            again.place = replace(self.place, source=file.label)
        return again

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""
        if self._held < rows:
            self._held = max(rows, _HELD_ROWS)
            selected = ", ".join(f"c{i}" for i in range(len(self.columns)))
            most = self._held
            with report_damage(self.source):
                self._first = self._selection.ask(
                    lambda rows, key: (
                        f"SELECT {key}{selected} FROM {rows} "
                        + (f"WHERE place < {most}" if key else f"LIMIT {most}")
                    )
                )
        return [*self._first[:rows]]

    @property
    def shape(self) -> tuple[object, ...] | None:
        """Its columns, where there are few rows."""
        return (
            (self.columns, self.types, self.parts, tuple(self.partitions))
            if self.is_small
            else None
        )

    def pile_up(self, tables: Sequence[ParquetTable], engine: Engine) -> None:
        """Let files of the same columns be asked as one; their rows stay where they are."""
        pile, width = Pile(engine), len(self.columns) - len(self.partitions)
        paths = ", ".join(table.path for table in tables)
        clause = select_columns(f"[{paths}]", width, self.parts, ", file_index::INTEGER AS file")
        if self.partitions:
            cells = ", ".join(
                f"[{', '.join(quote_text(one.partitions[name]) for one in tables)}][file + 1] "
                f"AS c{i}"
                for i, name in enumerate(self.partitions, start=width)
            )
            clause = f"(SELECT *, {cells} FROM {clause})"
        for number, table in enumerate(tables):
            alone = table._selection.clause
            table._selection = Selection(engine, alone, pile, number, clause)

    def relate(
        self, labels: Mapping[str, str] | None = None, numbers: Mapping[str, str] | None = None
    ) -> Relation:
        """All columns; nothing is copied."""
        columns = {
            name: (f"c{i}", kind)
            for i, (name, kind) in reversed(
                [*enumerate(zip(self.columns, self.types, strict=True))]
            )
        }
        return Relation(
            self._selection, columns, dense=self._dense, decimal=self.decimal, is_told=self.is_told
        )


def open_parquet(file: InputFile, engine: Engine) -> ParquetTable:
    """A Parquet file; raises `ReadError` if it is none."""
    import duckdb

    refuse_long_footer(file)
    try:
        (footer,) = read_footers([file], engine)
    except duckdb.Error as error:
        with file.path.open("rb") as raw:
            starts_well = raw.read(4) == b"PAR1"
        problem = "the Parquet file is cut off or damaged. Copy it again"
        if not starts_well:
            problem = "the file is not Parquet, whatever its name says. Give it its true suffix"
        raise ReadError.at(file.label, f"{problem}.") from error
    return _table_of(file, footer, engine)


def open_together(
    files: Sequence[InputFile], engine: Engine
) -> list[tuple[InputFile, ParquetTable]]:
    """Small Parquet files and their first rows, by a few queries for all; none if any is odd."""
    import duckdb

    found: list[tuple[InputFile, ParquetTable]] = []
    try:
        for file in files:
            refuse_long_footer(file)
        for file, footer in zip(files, read_footers(files, engine), strict=True):
            found.append((file, _table_of(file, footer, engine)))
        lie_together([table for _, table in found], engine)
        for _, table in found:
            table.head(_HELD_ROWS)
            table._selection = table._selection.alone()
    except (duckdb.Error, OSError, DataError):
        return []
    return found


def _table_of(file: InputFile, footer: Footer, engine: Engine) -> ParquetTable:
    columns, types, rows, parts = footer
    size = file.path.stat().st_size
    if rows > max(FREE_ROWS, ROWS_PER_BYTE * size):
        raise ReadError.at(
            file.label,
            f"the file claims {rows:,} rows in {size:,} bytes, which no table of results has. It "
            "is not read.",
        )
    named = _partitions(urlsplit(file.url).path if file.url else file.path.absolute().as_posix())
    beside = {name: value for name, value in named.items() if name not in columns}
    path = quote_text(as_pattern(str(file.path.resolve())))
    clause = select_columns(path, len(columns), parts)
    table = ParquetTable(file.label, columns, types, engine, clause, partitions=beside)
    table.path, table.is_small = path, rows <= _SMALL_ROWS and size <= _SMALL_BYTES
    table.report = file.count_share
    table.parts = parts
    table.durations = frozenset(columns[at] for at, _ in parts)
    place = file.url or str(file.path.resolve())
    table.place = ParquetPlace(file.label, place, size, columns, parts)
    return table


def _partitions(path: str) -> dict[str, str]:
    """Columns that the folders right above a file name, and their values there.

    Examples
    --------
    >>> _partitions("/data/task=high%20school/lang=en/part-0.parquet")
    {'task': 'high school', 'lang': 'en'}
    """
    found: dict[str, str] = {}
    for folder in reversed(PurePosixPath(path).parent.parts):
        name, sign, value = folder.partition("=")
        if not (name and sign):
            break
        if value and value != _NO_VALUE:
            found.setdefault(unquote(name), unquote(value))
    return dict(reversed(found.items()))


@dataclass(frozen=True, slots=True)
class ParquetPlace:
    """A Parquet file, from which any process can read the rows of one task.

    Parameters
    ----------
    source : str
        Name for messages.
    place : str
        Absolute path, or URL.
    size : int
        Bytes of the file when it was read first.
    columns : tuple of str
        Header.
    durations : tuple of (int, float)
        Places of columns of durations, and their parts of a second.
    """

    source: str
    place: str
    size: int
    columns: tuple[str, ...]
    durations: tuple[tuple[int, float], ...] = ()

    def open(
        self, engine: Engine, wanted: Collection[str], column: str | None, task: str | None
    ) -> ParquetTable:
        """Some columns of the rows whose `column` holds the name of a task; of all for None.

        Without a task, those whose cell is empty.

        Raises
        ------
        ReadError
            If the file is not there, or is not the same any more.
        """
        if is_url(self.place):
            from rankbars.readers.transfers import register

            register(engine.start(), self.place)
            path = quote_text(self.place)
        else:
            path = quote_text(self._pattern())
            if column is None:
                return self._whole(engine, path)
        where = ""
        if column is not None:
            cell = f"c{self.columns.index(column)}"
            where = f"WHERE {cell} = {quote_text(task)}" if task else f"WHERE {cell} IS NULL"
            where += "" if task else f" OR {cell}::VARCHAR = ''"
        cells = [f"c{i}" if name in wanted else f"NULL AS c{i}"
                 for i, name in enumerate(self.columns)]  # fmt: skip
        cells.append("place")
        table = engine.new_name()
        with report_damage(self.source):
            # Once, because the file may lie far away.
            clause = select_columns(path, len(self.columns), self.durations)
            engine.run(
                f"CREATE TEMP TABLE {table} AS SELECT {', '.join(cells)} FROM {clause} {where}"
            )
            described = engine.ask(f"DESCRIBE SELECT * FROM {table}")
        types = tuple(str(column[1]) for column in described)[: len(self.columns)]
        return ParquetTable(self.source, self.columns, types, engine, table, dense=False)

    def _whole(self, engine: Engine, path: str) -> ParquetTable:
        """All rows, which stay in their file: names lie there as numbers of a list of them."""
        clause = select_columns(path, len(self.columns), self.durations)
        keep_footers(engine, [self.place])
        with report_damage(self.source):
            described = engine.ask(f"DESCRIBE SELECT * FROM {clause}")
        types = tuple(str(column[1]) for column in described)[: len(self.columns)]
        return ParquetTable(self.source, self.columns, types, engine, clause)

    def _pattern(self) -> str:
        path = Path(self.place)
        try:
            size = path.stat().st_size
        except OSError as error:
            raise ReadError.at(
                self.source,
                f"a worker cannot open {self.place}. Tasks that are read by reference need a path "
                "or URL that all workers see; copy the file to a shared folder, or leave out "
                "--by-reference.",
            ) from error
        if size != self.size:
            raise ReadError.at(
                self.source,
                f"the file has changed since it was read first ({self.size:,} bytes then, {size:,} "
                "now). Read it again.",
            )
        return as_pattern(self.place)

"""CSV and TSV files as tables of the database, whose cells are text."""

from __future__ import annotations

import itertools
import shutil
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from rankbars.data.binaryfiles import COMPRESSIONS
from rankbars.data.drafts import TemporaryFolder
from rankbars.readers.delimitedtext import LONGEST_ROW, TextHeader, read_header, read_text_rows
from rankbars.readers.inputfiles import (
    UTF8,
    WINDOWS,
    InputFile,
    data_suffix,
    find_encoding,
    open_text,
    read_head,
)
from rankbars.readers.openedfiles import DAMAGE, open_binary
from rankbars.tables.database import Engine, quote_text
from rankbars.tables.relations import Pile, Relation, Selection
from rankbars.tables.tablerows import Table

__all__ = ["CsvPile", "CsvTable", "open_delimited"]

BUFFER_BYTES = 1 << 25

# So many rows are kept of those that were looked at.
_KEPT_ROWS = 1000

# A file of this size is put into the database as a whole, whichever columns are needed first.
SMALL_BYTES = 1 << 20

# How text begins that says how it is coded.
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def open_delimited(file: InputFile, engine: Engine) -> CsvTable:
    """The file as a table of text; only its header has been read.

    Raises
    ------
    ReadError
        If there is no header.
    """
    return CsvTable(file, read_header(file), engine)


class CsvTable(Table):
    """A CSV or TSV file: its columns are text, and are put into the database as they are needed.

    The database reads the rows. Where it gives up, they are read again one by one, which tells
    what is wrong and where.

    Parameters
    ----------
    file : InputFile
        The file.
    header : TextHeader
        Its names, delimiter, and the lines above.
    engine : Engine
        The database.
    """

    def __init__(self, file: InputFile, header: TextHeader, engine: Engine) -> None:
        # Rows are counted as an editor shows them where there is more than a header above.
        self.header_rows = header.row
        # Semicolons stand between cells where the comma is the decimal mark.
        self.decimal = "," if header.delimiter == ";" else "."
        self.source = file.source
        self.columns = header.names
        self.remark = header.remark
        self.metric, self.measured = header.metric, header.measured
        if header.titles:
            shown = ", ".join(repr(title) for title in header.titles[:3])
            self.remark = f"Left aside, above the header: {shown}. {header.remark}".rstrip()
        if find_encoding(read_head(file), data_suffix(file.path)) == WINDOWS:
            self.remark = f"The text is Windows-1252, as sheets save it. {self.remark}".rstrip()
        if file.sheet is not None:
            self.remark = f"{self.remark} {file.sheet.remark}".strip()
            places = file.sheet.durations
            self.durations = frozenset(self.columns[at] for at in places if at < len(self.columns))
        self.report = file.count_share
        self._file = file
        self._header = header
        self._engine = engine
        self._held: tuple[frozenset[str], Relation] | None = None
        self._repeated = 0
        self._first: list[tuple[object, ...]] = []
        self.pile: CsvPile | None = None
        self._is_whole = False  # whether there are no more rows than those

    def again(self, file: InputFile, engine: Engine) -> CsvTable:
        """The same file for reading, as it was opened."""
        again = CsvTable(file, self._header, engine)
        again._first, again._is_whole = self._first, self._is_whole
        return again

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are; few of them are read once."""
        if rows <= len(self._first) or self._is_whole:
            return self._first[:rows]
        read = itertools.islice(read_text_rows(self._file, self._header), rows)
        found: list[tuple[object, ...]] = [tuple(row) for row in read]
        if rows <= _KEPT_ROWS:
            self._first, self._is_whole = found, len(found) < rows
        return found

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The given columns as text."""
        wanted = frozenset((*labels.values(), *numbers.values()))
        path = self._file.path
        if path.suffix.lower() not in COMPRESSIONS and path.stat().st_size <= SMALL_BYTES:
            wanted = frozenset(self.columns)
        if self._held is None or not wanted <= self._held[0]:
            self._held = wanted, self._put(wanted)
        return self._held[1]

    @property
    def shape(self) -> tuple[object, ...] | None:
        """What tables share whose files are read as one; None if this one is read by itself."""
        head = read_head(self._file)
        plain = self._file.path.suffix.lower() not in COMPRESSIONS
        if not plain or self._has_gaps or head.startswith(_MARKS):
            return None
        # Where a line ends is found out once for all of them.
        breaks = b"\r\n" in head, head.count(b"\r") == head.count(b"\r\n")
        coded = find_encoding(head, data_suffix(self._file.path))
        header = self._header
        shape = header.names, header.delimiter, header.lines, header.width, header.rows
        return (shape, self.decimal, breaks) if coded == UTF8 else None

    def pile_up(self, tables: Sequence[CsvTable], engine: Engine) -> None:
        """Let files of the same header lie together in the database."""
        pile = CsvPile(tables, engine)
        for table in tables:
            table.pile = pile

    def _put(self, wanted: frozenset[str]) -> Relation:
        import duckdb

        places, columns = self._places(wanted)
        if self.pile is not None and (found := self.pile.find(self)) is not None:
            selection, repeated = found
            self._note_headers(repeated)
            return self._relation(selection, columns, repeated)
        selected = ", ".join(cell for cell, _ in columns.values()) or "c0"
        selected += ", place" * self._has_gaps
        table = self._engine.new_name()
        try:
            with _plain_file(self._file) as path:
                self._engine.run(
                    f"CREATE TEMP TABLE {table} AS SELECT {selected} FROM {self._clause(path)}"
                )
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error:
            # Most often this raises an error that says more.
            rows = [[row[i] or None for i in places.values()]
                    for row in read_text_rows(self._file, self._header)]  # fmt: skip
            cells = np.array([*rows, [None] * len(places)], dtype=object)[:-1]
            table = self._engine.put({f"c{i}": cells[:, k] for k, i in enumerate(places.values())})
        clause = table if self._has_gaps else f"(SELECT *, rowid AS place FROM {table})"
        selection = Selection(self._engine, clause)
        repeated = self._drop_headers(table, places)
        return self._relation(selection, columns, repeated)

    def _relation(
        self, selection: Selection, columns: Mapping[str, tuple[str, str]], repeated: int
    ) -> Relation:
        return Relation(
            selection, columns, dense=not (repeated or self._has_gaps), decimal=self.decimal,
            is_told=self.is_told,
        )  # fmt: skip

    @property
    def _has_gaps(self) -> bool:
        """Whether rows of a sheet are empty between others, which all count."""
        return self._file.sheet is not None and self._file.sheet.gaps

    def _places(self, wanted: Collection[str]) -> tuple[dict[str, int], dict[str, tuple[str, str]]]:
        """Where columns stand, and what they are in the database."""
        # The first of columns of one name; from the end, so that it is what stays.
        places = {name: i for i, name in reversed([*enumerate(self.columns)]) if name in wanted}
        return places, {name: (f"c{i}", "VARCHAR") for name, i in places.items()}

    def _drop_headers(self, table: str, places: Mapping[str, int]) -> int:
        """Leave out rows that are the header once more, as files put one below the other have them.

        They are told from a model that is called as its column by at least two cells.
        """
        again = self._is_header(places)
        found = self._engine.ask(f"DELETE FROM {table} WHERE {again}") if again else [(0,)]
        self._note_headers(int(found[0][0]))
        return int(found[0][0])

    def _is_header(self, places: Mapping[str, int]) -> str:
        """The condition that a row is the header once more; empty if none can be."""
        if len(places) < min(2, len(self.columns)) or self._header.rows > 1 or not any(places):
            return ""
        return " AND ".join(
            f"c{i} = {quote_text(name)}" if name else f"c{i} IS NULL" for name, i in places.items()
        )

    def _note_headers(self, repeated: int) -> None:
        if repeated and not self._repeated:
            self._repeated = repeated
            times = "once" if repeated == 1 else f"{repeated:,} times"
            told = f"The header stands {times} more among the rows; these rows are left out."
            self.remark = f"{self.remark} {told}".lstrip()

    def _clause(self, *paths: Path) -> str:
        """What the engine is told of files: nothing is left for it to find out."""
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(self._header.width))
        patterns = ", ".join(
            quote_text("".join(f"[{c}]" if c in "*?[" else c for c in str(path.resolve())))
            for path in paths
        )
        rest = ""
        if self._header.width == 1:
            # With one column a blank line is a row to the engine.
            rest = " WHERE c0 IS NOT NULL"
        elif (
            self._header.width > len(self.columns)
            or self._has_gaps
            or paths[0].stat().st_size <= SMALL_BYTES
        ):
            # Sheets write empty rows below their table.
            cells = ", ".join(f"c{i}" for i in range(len(self.columns)))
            rest = f" WHERE coalesce({cells}) IS NOT NULL"
        rows = (
            f"read_csv([{patterns}], columns = {{{types}}}, header = true, "
            f"skip = {self._header.lines + self._header.rows - 1}, auto_detect = false, "
            f"delim = '{self._header.delimiter}', quote = '\"', escape = '\"', nullstr = '', "
            "strict_mode = true, null_padding = false, hive_partitioning = false, "
            f"compression = 'none', max_line_size = {LONGEST_ROW}, buffer_size = {BUFFER_BYTES})"
        )
        if self._has_gaps:
            rows = f"(SELECT *, row_number() OVER () - 1 AS place FROM {rows})"
        return f"{rows}{rest}"


class CsvPile(Pile):
    """Small CSV files of one shape, which the database reads as one.

    Parameters
    ----------
    tables : sequence of CsvTable
        The files.
    engine : Engine
        The database.
    """

    def __init__(self, tables: Sequence[CsvTable], engine: Engine) -> None:
        super().__init__(engine)
        self._tables = tables
        self._rows: dict[CsvTable, tuple[Selection, int]] | None = None

    def find(self, table: CsvTable) -> tuple[Selection, int] | None:
        """Where a file lies, and how often its header stands among its rows.

        None if the files cannot be read as one: each then says what is wrong with it.
        """
        import duckdb

        if self._rows is None:
            try:
                self._rows = self._put()
            except duckdb.Error:
                self._rows = {}
        return self._rows.get(table)

    def _put(self) -> dict[CsvTable, tuple[Selection, int]]:
        first, name = self._tables[0], self.engine.new_name()
        places, columns = first._places(first.columns)
        cells = ", ".join(cell for cell, _ in columns.values())
        paths = [table._file.path for table in self._tables]
        self.engine.run(
            f"CREATE TEMP TABLE {name} AS SELECT {cells}, file_index::INTEGER AS file "
            f"FROM {first._clause(*paths)}"
        )
        ends = self.engine.ask(
            f"SELECT file, min(rowid), max(rowid) + 1 - count(*) FROM {name} GROUP BY file"
        )
        starts = {file: start for file, start, last in ends if start == last}
        again = first._is_header(places)
        told = f"DELETE FROM {name} WHERE {again} RETURNING file"
        repeated = Counter(file for (file,) in self.engine.ask(told)) if again else Counter[int]()
        listed = ", ".join(str(starts.get(number, 0)) for number in range(len(paths)))
        clause = f"(SELECT *, rowid - [{listed}][file + 1] AS place FROM {name})"
        return {
            table: (self.select(clause, number), repeated[number])
            for number, table in enumerate(self._tables)
            if number in starts
        }


@contextmanager
def _plain_file(file: InputFile) -> Iterator[Path]:
    """The file as the engine can read it: UTF-8, without compression."""
    recoded = find_encoding(read_head(file), data_suffix(file.path)) != UTF8
    if file.path.suffix.lower() not in COMPRESSIONS and not recoded:
        yield file.path
        return
    folder = TemporaryFolder()
    try:
        path = folder.path / "table.csv"
        try:
            if recoded:
                with open_text(file) as text, path.open("w", encoding="utf-8", newline="") as copy:
                    shutil.copyfileobj(text, copy, 1 << 20)
            else:
                with (
                    open_binary(file.path, file.meter, file.label) as packed,
                    path.open("wb") as target,
                ):
                    shutil.copyfileobj(packed, target, 1 << 20)
        except DAMAGE:
            # Row by row it comes out how far the file goes, and what is wrong.
            for _ in read_text_rows(file, read_header(file)):
                pass
            raise
        yield path
    finally:
        folder.close()

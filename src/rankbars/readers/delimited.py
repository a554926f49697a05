"""CSV and TSV files: cells as text, rows checked against the header."""

from __future__ import annotations

import csv
import io
import itertools
import re
import shutil
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, NamedTuple

import numpy as np

from rankbars.data.drafts import TemporaryFolder
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import (
    COMPRESSIONS,
    DAMAGE,
    UTF8,
    WINDOWS,
    InputFile,
    data_suffix,
    find_encoding,
    open_binary,
    open_text,
    read_head,
)
from rankbars.tables.cells import parse_number
from rankbars.tables.database import Engine, quote_text
from rankbars.tables.headers import MOST_HEADER_ROWS, find_header_rows
from rankbars.tables.relations import Pile, Relation, Selection
from rankbars.tables.tablerows import Table, check_width

__all__ = ["CsvPile", "CsvTable", "find_delimiter", "open_delimited", "read_cells"]

DELIMITERS = (",", "\t", ";", "|")

# Room for ten thousand columns with names of two hundred letters.
LONGEST_HEADER = 1 << 21

# Lines in which a header is looked for.
_LOOK = 15

# A row may hold long texts beside its score, but not the whole of a file.
LONGEST_ROW = 1 << 24
BUFFER_BYTES = 1 << 25

# So many rows are kept of those that were looked at.
_KEPT_ROWS = 1000

# A file of this size is put into the database as a whole, whichever columns are needed first.
SMALL_BYTES = 1 << 20

# How text begins that says how it is coded.
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

_SEEN = 100_000  # characters of a line that tell its mark; csv refuses cells much longer


def find_delimiter(line: str, suffix: str) -> str:
    """The character that splits a header line into most cells.

    Examples
    --------
    >>> find_delimiter("model;task;score", ".csv")
    ';'
    """
    usual = "\t" if suffix in (".tsv", ".tab") else ","
    cells = {mark: len(next(csv.reader([line[:_SEEN]], delimiter=mark), [])) for mark in DELIMITERS}
    best = max(cells.values(), default=0)
    return usual if cells[usual] == best else max(cells, key=cells.__getitem__)


def read_cells(path: str, text: str) -> tuple[list[list[str]], str]:
    r"""Rows of a small table without regard to blanks around cells, and what separates these.

    Between semicolons a comma is the decimal mark.

    Examples
    --------
    >>> read_cells("weights.csv", "task;weight\nmath;0,5\n")
    ([['task', 'weight'], ['math', '0.5']], ';')
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    mark = find_delimiter(first, data_suffix(Path(path)))
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True))
    except csv.Error as error:
        raise ReadError.at(path, f"it is no table of cells ({error}).") from error
    found = [[cell.strip() for cell in row] for row in rows]
    if mark == ";":
        found = [[re.sub(r"^([-+]?\d+),(\d+)$", r"\1.\2", cell) for cell in row] for row in found]
    return found, mark


class _Header(NamedTuple):
    """The header of a file.

    Parameters
    ----------
    names : tuple of str
        Its cells, without empty ones at the end that stand above empty columns.
    delimiter : str
        What separates cells.
    lines : int
        Lines above it.
    width : int
        Cells of a row.
    titles : tuple of str
        Those lines above it that hold text.
    rows : int
        Rows that it has.
    remark : str
        What was made of several rows; empty if there is one.
    metric : str, optional
        The metric that one of several rows names for all columns.
    measured : mapping from str to mapping
        Columns by metric and by what is measured, where two rows name these.
    in_sheet : bool
        Whether it is of a sheet, where blank lines are rows.
    """

    names: tuple[str, ...]
    delimiter: str
    lines: int
    width: int
    titles: tuple[str, ...]
    rows: int = 1
    remark: str = ""
    metric: str | None = None
    measured: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    in_sheet: bool = False

    @property
    def row(self) -> int:
        """Number of its last; blank lines above it do not count where there is nothing else."""
        return self.rows + (self.lines if self.titles or self.in_sheet else 0)


def open_delimited(file: InputFile, engine: Engine) -> CsvTable:
    """The file as a table of text; only its header has been read.

    Raises
    ------
    ReadError
        If there is no header.
    """
    return CsvTable(file, _read_header(file), engine)


class CsvTable(Table):
    """A CSV or TSV file: its columns are text, and are put into the database as they are needed.

    The database reads the rows. Where it gives up, they are read again one by one, which tells
    what is wrong and where.

    Parameters
    ----------
    file : InputFile
        The file.
    header : _Header
        Its names, delimiter, and the lines above.
    engine : Engine
        The database.
    """

    def __init__(self, file: InputFile, header: _Header, engine: Engine) -> None:
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
        read = itertools.islice(_read_rows(self._file, self._header), rows)
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
                    for row in _read_rows(self._file, self._header)]  # fmt: skip
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
            for _ in _read_rows(file, _read_header(file)):
                pass
            raise
        yield path
    finally:
        folder.close()


def _read_header(file: InputFile) -> _Header:
    above, titles, mark = _look_above(file)
    with _unlimited_cells(), open_text(file) as text:
        lines, first = above, ""
        for _ in range(above):
            text.readline()
        while (first := text.readline(LONGEST_HEADER + 1)) and not first.strip():
            lines += 1
        if not first:
            raise ReadError.at(file.label, "the file holds no text. Expected a header and rows.")
        if len(first) > LONGEST_HEADER:
            raise ReadError.at(
                file.label,
                f"the first line is longer than {LONGEST_HEADER >> 20} MiB, which no header of a "
                "table is. Is it a text with one value per line, or without line breaks?",
                row=1,
            )
        delimiter = mark or find_delimiter(first.rstrip("\r\n"), data_suffix(file.path))
        if not mark and _is_spaced(file, first, delimiter, lines):
            delimiter = " "
        reader = csv.reader(_Lines(file, text, first), delimiter=delimiter, strict=True)
        header = _next_row(file, reader) or []
        width, named = len(header), len(header)
        while named and not header[named - 1]:
            named -= 1
        if named < width and named > 1:
            # Sheets write empty columns to the right of their table.
            beside = itertools.islice(iter(partial(_next_row, file, reader), None), _LOOK)
            named = width if any("".join(row[named:]).strip() for row in beside) else named
        else:
            named = width
    check_width(header, file.source)
    in_sheet = file.sheet is not None
    found = _Header(tuple(header[:named]), delimiter, lines, width, titles, in_sheet=in_sheet)
    if header[0].strip() and len(set(header)) == len(header):
        return found
    below = itertools.islice(_read_rows(file, found), MOST_HEADER_ROWS - 1)
    joined = find_header_rows([found.names, *below])
    if joined is None:
        return found
    if joined.crossed:
        raise ReadError.at(
            file.source,
            f"the rows of the header are {' and '.join(map(repr, filter(None, joined.crossed)))}, "
            "so its columns name models and tasks at once. Write one row per score, with a column "
            "for each (in pandas: frame.stack(list(range(frame.columns.nlevels)))"
            ".rename('score').reset_index()), or hand over the frame.",
            row=1,
        )
    return found._replace(
        names=joined.names,
        rows=joined.rows,
        remark=joined.remark,
        metric=joined.metric,
        measured=joined.measured,
    )


def _look_above(file: InputFile) -> tuple[int, tuple[str, ...], str]:
    """How many lines stand above the header, their texts, and the delimiter that one names.

    A header has the cells of the row below it, and no number among them; a title has fewer.
    """
    suffix = data_suffix(file.path)
    with open_text(file) as text:
        ahead = [*itertools.islice(iter(partial(text.readline, LONGEST_HEADER + 1), ""), _LOOK)]
    found = [(place, line.strip("\r\n")) for place, line in enumerate(ahead)
             if line.strip(" ,;\t|\r\n")]  # fmt: skip
    if not found:
        return 0, (), "," if file.sheet else ""
    told = None if file.sheet else re.fullmatch(r'"?sep=(.)"?', found[0][1])
    named, above = (told[1], (found[0][1],)) if told else ("," if file.sheet else "", ())
    below = found[1:] if told else found
    for number, (place, line) in enumerate(below[:-1]):
        mark = named or find_delimiter(line, suffix)
        header, row = _cells(line, mark), _cells(below[number + 1][1], mark)
        filled = sum(1 for cell in header if cell.strip())
        if filled < 2 or len(row) != len(header):
            continue
        if number and any(_is_number(cell) for cell in header):
            break
        titles = tuple(text for _, text in below[:number])
        if all(_is_title(title, mark, len(header)) for title in titles):
            shown = tuple(title.strip(f"{mark} ") for title in titles)
            return place if number or told else 0, (*above, *shown), named
        break
    return (found[0][0] + 1, above, named) if told else (0, (), named)


def _is_spaced(file: InputFile, first: str, mark: str, lines: int) -> bool:
    """Whether single blanks separate the cells, as in what R writes: the same number everywhere.

    Each row has a number, and the header none, so that it is no text of one column.
    """
    header = first.strip("\r\n")
    width = len(_cells(header, " "))
    if width < 2 or len(_cells(header, mark)) > 1:
        return False
    with open_text(file) as text:
        ahead = iter(partial(text.readline, LONGEST_HEADER + 1), "")
        below = [*itertools.islice(ahead, lines + 1, lines + _LOOK)]
    rows = [_cells(line.strip("\r\n"), " ") for line in below if line.strip()]
    return (
        bool(rows) and all(len(row) == width and any(map(_is_number, row)) for row in rows)
        and not any(map(_is_number, _cells(header, " ")))
    )  # fmt: skip


def _cells(line: str, mark: str) -> list[str]:
    return next(csv.reader([line[:_SEEN]], delimiter=mark), [])


def _is_number(cell: str) -> bool:
    if not re.search(r"\d", cell):  # "correct" is a word for 1, and the name of a column
        return False
    return (parse_number(cell) or parse_number(cell, ",")) is not None


def _is_title(line: str, mark: str, width: int) -> bool:
    """Whether a line above a header of so many cells is no part of the table."""
    cells = _cells(line, mark)
    filled = sum(1 for cell in cells if cell.strip())
    # R leaves out the name of the first column.
    fewer = len(cells) < width - 1 or (line.startswith("#") and len(cells) < width)
    return line.count('"') % 2 == 0 and (filled == 1 or fewer)


class _Lines:
    """The lines of a file, of which one row takes up so many at most."""

    def __init__(self, file: InputFile, text: IO[str], first: str = "") -> None:
        self._file = file
        self._text = text
        self._first = first
        self._number = 0
        self._left = LONGEST_ROW

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line, self._first = self._first or self._text.readline(self._left + 1), ""
        self._number += 1
        self._left -= len(line)
        if self._left < 0:
            raise ReadError.at(
                self._file.label,
                f"the row is longer than {LONGEST_ROW >> 20} MiB, which no row of a table of "
                "results is. Is a quotation mark never closed, or a line break missing?",
                row=self._number,
            )
        if not line:
            raise StopIteration
        return line

    def start_row(self) -> None:
        """The next line begins a row."""
        self._left = LONGEST_ROW


def _read_rows(file: InputFile, header: _Header) -> Iterator[list[str]]:
    """The rows below the header, one by one; raises `ReadError` for one that does not fit."""
    with _unlimited_cells(), open_text(file) as text:
        first = 0
        for _ in range(header.row - header.rows):
            first += 1
            text.readline()
        lines = _Lines(file, text)
        reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
        number, named = first, len(header.names)
        while (row := _next_row(file, reader)) is not None:
            lines.start_row()
            if not row or (number == first and not "".join(row).strip()):
                continue  # a blank line
            number += 1
            if number <= first + header.rows:
                continue
            if len(row) != header.width:
                raise _wrong_width(file, reader, row, header, number)
            if tuple(row[:named]) == header.names and header.rows == 1 and named > 1:
                continue  # the header once more
            if "".join(row[:named]).strip() or named == 1:
                yield row[:named]


def _next_row(file: InputFile, reader: Iterator[list[str]]) -> list[str] | None:
    try:
        return next(reader, None)
    except csv.Error as error:
        line = getattr(reader, "line_num", None)
        problem = f"the text is not a well-formed table ({error})"
        if "unexpected end" in str(error):
            problem = "a quotation mark is never closed; the file may be cut off"
        raise ReadError.at(
            file.label, f"{problem}. Expected cells between delimiters, quoted as \"a \"\"b\"\"\".",
            row=line,
        ) from error  # fmt: skip


def _is_used_up(reader: Iterator[list[str]]) -> bool:
    try:
        return next(reader, None) is None
    except csv.Error:
        return False  # there is something below, if not well-formed


def _wrong_width(
    file: InputFile, reader: Iterator[list[str]], row: Sequence[str], header: _Header, number: int
) -> ReadError:
    found, expected = len(row), header.width
    hint = "Correct the row; cells that hold the delimiter need quotation marks."
    if found < expected and _is_used_up(reader):
        hint = "It is the last row: the file seems to be cut off. Copy it again."
    elif number == header.row + 1 and found == expected + 1:
        hint = (
            f"The header ({', '.join(map(repr, header.names[:4]))}, …) seems to lack the name of "
            f"the first column ({row[0]!r}, …), as R writes it. Add one."
        )
    return ReadError.at(
        file.label, f"the row has {found} cells, the header has {expected}. {hint}", row=number
    )


@contextmanager
def _unlimited_cells() -> Iterator[None]:
    """Cells of any length while the block runs: texts beside the scores may be long."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)

"""CSV and TSV files: cells as text, rows checked against the header."""

from __future__ import annotations

import csv
import itertools
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from rankbars.data.temporary import TemporaryFolder
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import (
    COMPRESSIONS,
    DAMAGE,
    InputFile,
    data_suffix,
    open_binary,
    open_text,
)
from rankbars.readers.parquet import count_shares
from rankbars.tables.database import Engine, quote_text
from rankbars.tables.relations import Relation, Table, check_width

__all__ = ["find_delimiter", "open_delimited"]

DELIMITERS = (",", "\t", ";", "|")

# Room for ten thousand columns with names of two hundred letters.
LONGEST_HEADER = 1 << 21

# A row may hold long texts beside its score, but not the whole of a file.
LONGEST_ROW = 1 << 24
BUFFER_BYTES = 1 << 25

# A file of this size is put into the database as a whole, whichever columns are needed first.
SMALL_BYTES = 1 << 20


def find_delimiter(line: str, suffix: str) -> str:
    """The character that splits a header line into most cells.

    Examples
    --------
    >>> find_delimiter("model;task;score", ".csv")
    ';'
    """
    usual = "\t" if suffix in (".tsv", ".tab") else ","
    cells = {mark: len(next(csv.reader([line], delimiter=mark), [])) for mark in DELIMITERS}
    best = max(cells.values(), default=0)
    return usual if cells[usual] == best else max(cells, key=cells.__getitem__)


class _Header(NamedTuple):
    names: tuple[str, ...]
    delimiter: str
    blank_lines: int


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
        Its names, delimiter, and blank lines above.
    engine : Engine
        The database.
    """

    header_rows = 1

    def __init__(self, file: InputFile, header: _Header, engine: Engine) -> None:
        self.source = file.label
        self.columns = header.names
        self.report = count_shares(file)
        self._file = file
        self._header = header
        self._engine = engine
        self._held: tuple[frozenset[str], Relation] | None = None

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows as they are."""
        return [tuple(row) for row in itertools.islice(_read_rows(self._file, self._header), rows)]

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The given columns as text."""
        wanted = frozenset((*labels.values(), *numbers.values()))
        path = self._file.path
        if path.suffix.lower() not in COMPRESSIONS and path.stat().st_size <= SMALL_BYTES:
            wanted = frozenset(self.columns)
        if self._held is None or not wanted <= self._held[0]:
            self._held = wanted, self._put(wanted)
        return self._held[1]

    def _put(self, wanted: frozenset[str]) -> Relation:
        import duckdb

        # The first of columns of one name; from the end, so that it is what stays.
        places = {name: i for i, name in reversed([*enumerate(self.columns)]) if name in wanted}
        columns = {name: (f"c{i}", "VARCHAR") for name, i in places.items()}
        selected = ", ".join(cell for cell, _ in columns.values()) or "c0"
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
        # Semicolons stand between cells where the comma is the decimal mark.
        decimal = "," if self._header.delimiter == ";" else "."
        clause = f"(SELECT *, rowid AS place FROM {table})"
        return Relation(self._engine, clause, columns, decimal=decimal)

    def _clause(self, path: Path) -> str:
        """What the engine is told of the file: nothing is left for it to find out."""
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.columns)))
        pattern = "".join(f"[{c}]" if c in "*?[" else c for c in str(path.resolve()))
        # With one column a blank line is a row to the engine.
        rest = " WHERE c0 IS NOT NULL" if len(self.columns) == 1 else ""
        return (
            f"read_csv({quote_text(pattern)}, columns = {{{types}}}, header = true, "
            f"skip = {self._header.blank_lines}, auto_detect = false, "
            f"delim = '{self._header.delimiter}', quote = '\"', escape = '\"', nullstr = '', "
            "strict_mode = true, null_padding = false, hive_partitioning = false, "
            f"compression = 'none', max_line_size = {LONGEST_ROW}, buffer_size = {BUFFER_BYTES})"
            f"{rest}"
        )


@contextmanager
def _plain_file(file: InputFile) -> Iterator[Path]:
    """The file as the engine can read it: without compression."""
    if file.path.suffix.lower() not in COMPRESSIONS:
        yield file.path
        return
    folder = TemporaryFolder()
    try:
        path = folder.path / "table.csv"
        try:
            with open_binary(file.path, file.meter, file.label) as packed, path.open("wb") as copy:
                shutil.copyfileobj(packed, copy, 1 << 20)
        except DAMAGE:
            # Row by row it comes out how far the file goes, and what is wrong.
            for _ in _read_rows(file, _read_header(file)):
                pass
            raise
        yield path
    finally:
        folder.close()


def _read_header(file: InputFile) -> _Header:
    with _unlimited_cells(), open_text(file) as text:
        blank, first = 0, ""
        while (first := text.readline(LONGEST_HEADER + 1)) and not first.strip():
            blank += 1
        if not first:
            raise ReadError.at(file.label, "the file holds no text. Expected a header and rows.")
        if len(first) > LONGEST_HEADER:
            raise ReadError.at(
                file.label,
                f"the first line is longer than {LONGEST_HEADER >> 20} MiB, which no header of a "
                "table is. Is it a text with one value per line, or without line breaks?",
                row=1,
            )
        delimiter = find_delimiter(first.rstrip("\r\n"), data_suffix(file.path))
        lines = _Lines(file, text, first)
        header = _next_row(file, csv.reader(lines, delimiter=delimiter, strict=True))
    names = tuple(header or ())
    check_width(names, file.label)
    return _Header(names, delimiter, blank)


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
        lines = _Lines(file, text)
        reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
        number, width = 0, len(header.names)
        while (row := _next_row(file, reader)) is not None:
            lines.start_row()
            if not row or (number == 0 and not "".join(row).strip()):
                continue  # a blank line
            number += 1
            if number == 1:
                continue
            if len(row) != width:
                raise _wrong_width(file, reader, row, header.names, number)
            yield row


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
    file: InputFile, reader: Iterator[list[str]], row: Sequence[str], header: Sequence[str],
    number: int,
) -> ReadError:  # fmt: skip
    found, expected = len(row), len(header)
    hint = "Correct the row; cells that hold the delimiter need quotation marks."
    if found < expected and _is_used_up(reader):
        hint = "It is the last row: the file seems to be cut off. Copy it again."
    elif number == 2 and found == expected + 1:
        hint = (
            f"The header ({', '.join(map(repr, header[:4]))}, …) seems to lack the name of the "
            f"first column ({row[0]!r}, …), as R writes it. Add one."
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

"""The text of CSV and TSV files, row by row: headers, and rows that are checked against them."""

from __future__ import annotations

import csv
import io
import itertools
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, open_text
from rankbars.tables.cells import parse_number
from rankbars.tables.headers import MOST_HEADER_ROWS, find_header_rows
from rankbars.tables.tablerows import check_width

__all__ = [
    "LONGEST_ROW", "TextHeader", "find_delimiter", "read_cells", "read_header", "read_text_rows",
]  # fmt: skip

DELIMITERS = (",", "\t", ";", "|")

# Room for ten thousand columns with names of two hundred letters.
LONGEST_HEADER = 1 << 21

# Lines in which a header is looked for.
_LOOK = 15

# A row may hold long texts beside its score, but not the whole of a file.
LONGEST_ROW = 1 << 24

_SEEN = 100_000  # characters of a line that tell its mark; csv refuses cells much longer


def find_delimiter(line: str, suffix: str) -> str:
    """The character that splits a header line into most cells.

    Examples
    --------
    >>> find_delimiter("model;task;score", ".csv")
    ';'
    """
    usual = "\t" if suffix in (".tsv", ".tab") else ","
    cells = {mark: len(_cells(line, mark)) for mark in DELIMITERS}
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


class TextHeader(NamedTuple):
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


def read_header(file: InputFile) -> TextHeader:
    """The header of a file; raises `ReadError` if there is none."""
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
    found = TextHeader(tuple(header[:named]), delimiter, lines, width, titles, in_sheet=in_sheet)
    if header[0].strip() and len(set(header)) == len(header):
        return found._replace(names=_name_levels(found.names))
    below = itertools.islice(read_text_rows(file, found), MOST_HEADER_ROWS - 1)
    joined = find_header_rows([found.names, *below])
    if joined is None:
        return found._replace(names=_name_levels(found.names))
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


def _name_levels(header: tuple[str, ...]) -> tuple[str, ...]:
    """The header with names for the levels of rows that have none, as pandas calls them.

    Several of them stand at the begin, or one before the scores of a series.

    Examples
    --------
    >>> _name_levels(("", "", "item", "correct")), _name_levels(("item", "", "0"))
    (('level_0', 'level_1', 'item', 'correct'), ('item', 'level_1', '0'))
    >>> _name_levels(("", "a", "", "b")), _name_levels(("", ""))
    (('', 'a', '', 'b'), ('', ''))
    """
    bare = [at for at, name in enumerate(header) if not name.strip()]
    several = len(bare) > 1 and bare == [*range(len(bare))] and len(bare) < len(header)
    if not several and not (bare and header[-1] == "0" and bare != [0]):
        return header
    return tuple(f"level_{at}" if at in bare else name for at, name in enumerate(header))


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


def read_text_rows(file: InputFile, header: TextHeader) -> Iterator[list[str]]:
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
    file: InputFile,
    reader: Iterator[list[str]],
    row: Sequence[str],
    header: TextHeader,
    number: int,
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

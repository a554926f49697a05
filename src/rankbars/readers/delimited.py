"""CSV and TSV files: cells as text, rows checked against the header."""

from __future__ import annotations

import csv
import itertools
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rankbars.errors import ReadError
from rankbars.readers.files import InputFile, data_suffix, open_text
from rankbars.tables.valuetables import Chunk, ValueTable, check_width

__all__ = ["find_delimiter", "open_delimited", "read_header"]

DELIMITERS = (",", "\t", ";", "|")
CHUNK_ROWS = 1 << 15

# Room for ten thousand columns with names of two hundred letters.
LONGEST_HEADER = 1 << 21


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


def read_header(file: InputFile) -> tuple[tuple[str, ...], str]:
    """Names of the columns, and the delimiter.

    Raises
    ------
    ReadError
        If there is no header.
    """
    with _unlimited_cells(), open_text(file) as text:
        lines = (line for line in iter(lambda: text.readline(LONGEST_HEADER + 1), "")
                 if line.strip())  # fmt: skip
        first = next(lines, None)
        if first is None:
            raise ReadError.at(file.label, "the file holds no text. Expected a header and rows.")
        if len(first) > LONGEST_HEADER:
            raise ReadError.at(
                file.label,
                f"the first line is longer than {LONGEST_HEADER >> 20} MiB, which no header of a "
                "table is. Is it a text with one value per line, or without line breaks?",
                row=1,
            )
        delimiter = find_delimiter(first.rstrip("\r\n"), data_suffix(file.path))
        header = _next_row(file, csv.reader(itertools.chain([first], lines), delimiter=delimiter,
                                            strict=True))  # fmt: skip
    names = tuple(header or ())
    check_width(names, file.label)
    return names, delimiter


def open_delimited(file: InputFile) -> ValueTable:
    """The file as a table of text cells; raises `ReadError` for a row that does not fit."""
    header, delimiter = read_header(file)
    # The first of columns of one name; from the end, so that it is what stays.
    places = {name: i for i, name in reversed([*enumerate(header)])}

    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        position = {name: places[name] for name in wanted}
        for rows in _read_rows(file, header, delimiter):
            yield {name: [row[i] for row in rows] for name, i in position.items()}

    return ValueTable(file.label, header, read_chunks)


def _read_rows(file: InputFile, header: Sequence[str], delimiter: str) -> Iterator[list[list[str]]]:
    with _unlimited_cells(), open_text(file) as text:
        reader = csv.reader(text, delimiter=delimiter, strict=True)
        number, width = 0, len(header)
        rows: list[list[str]] = []
        while (row := _next_row(file, reader)) is not None:
            if not row:
                continue  # a blank line
            number += 1
            if number == 1:
                continue
            if len(row) != width:
                raise _wrong_width(file, reader, row, header, number)
            rows.append(row)
            if len(rows) == CHUNK_ROWS:
                yield rows
                rows = []
        yield rows


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

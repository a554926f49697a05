"""Tables of tools, with commas or tabs, whose cells may hold whole traces."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, open_text
from rankbars.readers.logs.jsontext import LARGEST_LINE

__all__ = ["columns_of", "is_csv", "read_table"]


def is_csv(path: Path) -> bool:
    """Whether the name is that of such a table."""
    return data_suffix(path) in (".csv", ".tsv")


def columns_of(path: Path, head: bytes) -> tuple[str, ...]:
    """Names in the first line of a table that begins so; none if it is no table."""
    first = head.decode("utf-8-sig", "replace").partition("\n")[0].rstrip("\r")
    try:
        return tuple(next(csv.reader([first], delimiter=_delimiter(path)), ()))
    except csv.Error:
        return ()


def read_table(file: InputFile, *, whole: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows by column, each with its place; a `whole` row has as many cells as the header.

    Raises
    ------
    ReadError
        If the file is damaged, or a row has more cells than the header, or fewer and must not.
    """
    before = csv.field_size_limit(LARGEST_LINE)
    try:
        with open_text(file) as text:
            rows = csv.DictReader(text, delimiter=_delimiter(file.path))
            for number, row in enumerate(rows, start=2):
                place = f"{file.label}, row {number}"
                if None in row:
                    raise ReadError.at(place, "the row has more cells than the header.")
                if whole and None in row.values():
                    raise ReadError.at(place, "the row has fewer cells than the header.")
                yield place, row
    except csv.Error as error:
        raise ReadError.at(file.label, f"the table cannot be read ({error}).") from error
    finally:
        csv.field_size_limit(before)


def _delimiter(path: Path) -> str:
    return "\t" if data_suffix(path) == ".tsv" else ","

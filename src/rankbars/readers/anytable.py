"""Tables that no tool has signed: CSV, TSV, Parquet, JSON and JSON lines, tidy or wide."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.readoptions import ReadOptions
from rankbars.readers.recognition import DECLINED, TABLE, Recognition
from rankbars.readers.tables import may_be_table, open_table, parse_tables
from rankbars.tables.assembly import ParsedTable
from rankbars.tables.confusioncounts import has_counts
from rankbars.tables.database import Glance
from rankbars.tables.layouts import find_layout

__all__ = ["read", "sniff"]

_NO_ROW = "a header and no row below it"


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a table with one row per score (tidy), or a matrix of scores (wide)."""
    if not may_be_table(path, head):
        return None
    state = path.stat()
    layout, reason = _look(path.resolve(), state.st_size, state.st_mtime_ns)
    if layout is None:
        return Recognition("tidy", DECLINED, reason)
    if layout == "tidy":
        return Recognition("tidy", TABLE, reason)
    return Recognition("wide", TABLE, f"{layout}: {reason}")


# Both formats ask the same of the same file, one after the other.
@lru_cache(maxsize=8)
def _look(path: Path, size: int, changed: int) -> tuple[str | None, str]:
    """Layout of a table and the reason, or None and why there is none."""
    with Glance() as engine:
        table = open_table(InputFile(path, path.name), engine)
        if not table.head(1):
            listed = path.name.removesuffix(".gz").endswith((".json", ".jsonl"))
            return None, f"There is {'no record in it' if listed else _NO_ROW}."
        try:
            return find_layout(table, None, {})
        except ReadError:
            raise  # it is damaged, whatever its layout
        except DataError as error:
            if has_counts(table.columns):
                return "tidy", "Its columns hold confusion counts: tp, fp, fn."
            reason = str(error).removeprefix(f"{path.name}: ")
            return None, reason[0].upper() + reason[1:]


def read(files: Sequence[InputFile], options: ReadOptions) -> list[ParsedTable]:
    """Tables, tidy or wide.

    Parameters
    ----------
    files : sequence of InputFile
        The files; each may have a layout of its own.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If a table cannot be understood.
    """
    return parse_tables(files, options, options.engine)

"""Files opened as tables, each looked at once in a call, however many formats ask what it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol, cast

from rankbars.data.binaryfiles import COMPRESSIONS, binary_kind
from rankbars.errors import ReadError
from rankbars.readers.delimited import open_delimited
from rankbars.readers.inputfiles import InputFile, data_suffix, read_head
from rankbars.readers.openedfiles import refuse_bomb
from rankbars.tables.database import Engine, Glance
from rankbars.tables.tableheads import Header
from rankbars.tables.tablerows import Table

__all__ = [
    "DELIMITED_SUFFIXES",
    "JSON_LINES_SUFFIXES",
    "JSON_SUFFIXES",
    "MARKDOWN_SUFFIXES",
    "PARQUET_SUFFIXES",
    "TABLE_SUFFIXES",
    "Looks",
    "looking",
    "may_be_table",
    "open_table",
]

PARQUET_SUFFIXES = (".parquet", ".pq")
DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
JSON_SUFFIXES = (".json",)
JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
MARKDOWN_SUFFIXES = (".md", ".markdown")
TABLE_SUFFIXES = (
    *PARQUET_SUFFIXES, *DELIMITED_SUFFIXES, *JSON_SUFFIXES, *JSON_LINES_SUFFIXES,
    *MARKDOWN_SUFFIXES,
)  # fmt: skip

_MOST_TOGETHER = 500  # files


class Looks:
    """Tables that were looked at, by path.

    Parameters
    ----------
    engine : Engine
        The database of looks.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._known: dict[Path, tuple[tuple[int, int], Table]] = {}

    def table(self, path: Path) -> Table:
        """The table in a file, for a look at its header and first rows; as `open_table`."""
        found = self.known(path)
        if found is None:
            state = _state(path)
            found = _open(InputFile(path, path.name), self.engine)
            self._known[path] = state, found
        return found

    def ahead(self, files: Sequence[InputFile]) -> None:
        """Look at many small Parquet files by a few queries, before each is asked about."""
        packed = [file for file in files if file.path.suffix.lower() in PARQUET_SUFFIXES]
        if len(packed) < 2:
            return
        from rankbars.readers.parquet import open_together

        for start in range(0, len(packed), _MOST_TOGETHER):
            some = packed[start : start + _MOST_TOGETHER]
            named = [InputFile(file.path, file.path.name) for file in some]
            for file, table in open_together(named, self.engine):
                self._known[file.path] = _state(file.path), table

    def hold(self, file: InputFile) -> None:
        """Look at the copy of a sheet, of which its path alone does not say that it is one."""
        self._known[file.path] = _state(file.path), open_delimited(file, self.engine)

    def known(self, path: Path) -> Table | None:
        """The table in a file that was looked at and has not changed since."""
        state, found = self._known.get(path, (None, None))
        return found if found is not None and state == _state(path) else None

    def forget(self, path: Path) -> None:
        """Let go of a table that is not read."""
        self._known.pop(path, None)


_LOOKS: ContextVar[Looks | None] = ContextVar("looks", default=None)


@contextmanager
def looking() -> Iterator[Looks]:
    """The looks of the call, or of this block where none has begun."""
    active = _LOOKS.get()
    if active is not None:
        yield active
        return
    with Glance() as engine:
        looks = Looks(engine)
        begun = _LOOKS.set(looks)
        try:
            yield looks
        finally:
            _LOOKS.reset(begun)


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def open_table(file: InputFile, engine: Engine, decimal: str | None = None) -> Table:
    """The file as a table; nothing but its header has been read.

    Parameters
    ----------
    file : InputFile
        The file.
    engine : Engine
        The database.
    decimal : {".", ","}, optional
        What separates the fraction of a number in text.

    Raises
    ------
    ReadError
        If it is empty, damaged, or no table.
    """
    looks = _LOOKS.get()
    found = None if looks is None or file.url else looks.known(file.path)
    if found is None:
        table = _open(file, engine)
    else:
        table = cast(_Opened, found).again(file, engine)
        Header.share(found, table)
    if decimal is not None:
        table.decimal, table.is_told = decimal, True
    return table


class _Opened(Protocol):
    def again(self, file: InputFile, engine: Engine, /) -> Table:
        """The same for reading: what was seen of it is not read once more."""


def _open(file: InputFile, engine: Engine) -> Table:
    if file.path.suffix.lower() in COMPRESSIONS:
        refuse_bomb(file.path, file.label)
    head = read_head(file)
    suffix = data_suffix(file.path)
    packed = head.startswith(b"PAR1")
    kind = "" if packed else binary_kind(head, file.path)
    if kind:
        raise ReadError.at(file.label, kind)
    if packed or suffix in PARQUET_SUFFIXES:
        from rankbars.readers.parquet import open_parquet

        return open_parquet(file, engine)
    start = head.decode("utf-8-sig", errors="ignore").lstrip()
    if suffix in MARKDOWN_SUFFIXES or "|" in start:
        from rankbars.readers.pagetables import is_markdown, open_markdown

        if suffix in MARKDOWN_SUFFIXES or is_markdown(start):
            return open_markdown(file, engine)
    if suffix in DELIMITED_SUFFIXES:
        return open_delimited(file, engine)
    from rankbars.readers.jsonrows import JsonLinesTable, open_json

    if suffix in JSON_LINES_SUFFIXES or _is_json_lines(start):
        return JsonLinesTable(file, engine)
    if suffix in JSON_SUFFIXES or start.startswith(("[", "{")):
        return open_json(file, engine)
    return open_delimited(file, engine)


def may_be_table(path: Path, head: bytes) -> bool:
    """Whether name and first bytes allow a table; a page of Markdown must hold one."""
    suffix = data_suffix(path)
    if suffix in MARKDOWN_SUFFIXES:
        from rankbars.readers.pagetables import has_table

        return has_table(InputFile(path, path.name))
    return suffix in TABLE_SUFFIXES or path.name == "stdin" or head.startswith(b"PAR1")


def _is_json_lines(head: str) -> bool:
    r"""Whether text starts with one whole JSON object on a line of its own, and more follow.

    Examples
    --------
    >>> _is_json_lines('{"a": 1}\n{"a": 2}\n'), _is_json_lines('[{"a": 1}]')
    (True, False)
    """
    first, _, rest = head.lstrip().partition("\n")
    if not first.startswith("{"):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return rest.lstrip().startswith("{")

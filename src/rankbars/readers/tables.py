"""Tables of scores in files: CSV, TSV, Parquet, JSON and JSON lines, tidy or wide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.compression import refuse_bomb
from rankbars.readers.delimited import open_delimited, read_header
from rankbars.readers.files import COMPRESSIONS, InputFile, data_suffix, file_stem, read_head
from rankbars.readers.jsonrows import JsonLinesTable, is_json_lines, open_json
from rankbars.readers.logs.options import ReadOptions
from rankbars.tables.assembly import ParsedTable, parse_table
from rankbars.tables.coding import CodedTable, Table
from rankbars.tables.database import Engine, Scan
from rankbars.tables.metrics import usual_direction
from rankbars.tables.tidy import FileNames
from rankbars.tables.valuetables import ValueTable

if TYPE_CHECKING:
    from rankbars.readers.relations import RelationTable

__all__ = [
    "PARQUET_SUFFIXES", "TABLE_SUFFIXES", "name_files", "open_table", "parse_tables",
    "read_tables", "scan_of",
]  # fmt: skip

PARQUET_SUFFIXES = (".parquet", ".pq")
DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
JSON_SUFFIXES = (".json",)
JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
TABLE_SUFFIXES = (*PARQUET_SUFFIXES, *DELIMITED_SUFFIXES, *JSON_SUFFIXES, *JSON_LINES_SUFFIXES)

# From this size on, a CSV file is read by the engine; reading it cell by cell takes seconds.
BIG_CSV_BYTES = 8 << 20


def read_tables(files: Sequence[InputFile], options: ReadOptions) -> list[ParsedTable]:
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


def parse_tables(
    files: Sequence[InputFile], options: ReadOptions, engine: Engine
) -> list[ParsedTable]:
    """Each file as a coded table; nothing has been put together.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If a table cannot be understood.
    """
    return [
        parse_table(open_table(file, engine), names, options)._replace(notes=_note_open_end(file))
        for file, names in zip(files, name_files(files), strict=True)
    ]


def open_table(file: InputFile, engine: Engine) -> Table:
    """The file as a table; nothing but its header has been read.

    Raises
    ------
    ReadError
        If it is empty, damaged, or no table.
    """
    if file.path.suffix.lower() in COMPRESSIONS:
        refuse_bomb(file.path, file.label)
    head = read_head(file)
    suffix = data_suffix(file.path)
    if suffix in PARQUET_SUFFIXES or head.startswith(b"PAR1"):
        from rankbars.readers.relations import parquet_table

        return parquet_table(file, engine)
    start = head.decode("utf-8-sig", errors="ignore").lstrip()
    if suffix in JSON_LINES_SUFFIXES or (suffix not in DELIMITED_SUFFIXES and is_json_lines(start)):
        return JsonLinesTable(file)
    if suffix in JSON_SUFFIXES or (
        suffix not in DELIMITED_SUFFIXES and start.startswith(("[", "{"))
    ):
        return open_json(file)
    exact = open_delimited(file)
    if file.path.stat().st_size < BIG_CSV_BYTES or file.path.suffix.lower() in COMPRESSIONS:
        return exact

    def open_fast() -> RelationTable:
        from rankbars.readers.relations import big_csv_table

        header, delimiter = read_header(file)
        return big_csv_table(file, header, delimiter, engine)

    return _BigTable(exact, open_fast)


@dataclass(frozen=True, slots=True, eq=False)
class _BigTable:
    """A big CSV file: coded by the engine, or cell by cell where the engine gives up.

    The engine is the fast way; the other one knows every spelling and names what is wrong.
    """

    exact: ValueTable
    open_fast: Callable[[], RelationTable]

    @property
    def source(self) -> str:
        return self.exact.source

    @property
    def columns(self) -> tuple[str, ...]:
        return self.exact.columns

    @property
    def header_rows(self) -> int:
        return self.exact.header_rows

    def head(self, rows: int) -> list[tuple[object, ...]]:
        return self.exact.head(rows)

    def code(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> CodedTable:
        from rankbars.readers.enginecolumns import UnusualTextError

        try:
            return self.open_fast().code(labels, numbers)
        except (ReadError, UnusualTextError):
            return self.exact.code(labels, numbers)


def scan_of(table: Table) -> Scan | None:
    """What the engine scans behind a table; None where it is read cell by cell."""
    if isinstance(table, _BigTable):
        return table.open_fast().scan
    scan = getattr(table, "scan", None)
    return scan if isinstance(scan, Scan) else None


def name_files(files: Sequence[InputFile]) -> list[FileNames]:
    """Names for what a table does not say itself, from the paths of all files read together."""
    stems = _distinct_stems(files)
    counts = Counter(stem.rpartition("_")[2] for stem in stems)
    named = [_split_metric(stem, counts) for stem in stems]
    folders = [Path(file.label).parent.name for file in files]
    several = len(set(folders)) > 1
    return [
        FileNames(stem, stem, folder if several and folder else "all", metric)
        for (stem, metric), folder in zip(named, folders, strict=True)
    ]


def _split_metric(stem: str, counts: Mapping[str, int]) -> tuple[str, str | None]:
    """Name of a file without the metric at its end, and that metric; None if there is none.

    A metric that is better when higher is one only where several files are called after it.
    """
    name, _, ending = stem.rpartition("_")
    side = usual_direction(ending)
    if not name or side is None or ending.casefold() == "score":
        return stem, None
    return (name, ending) if side == "lower" or counts[ending] > 1 else (stem, None)


def _distinct_stems(files: Sequence[InputFile]) -> list[str]:
    stems = ["stdin" if file.label == "-" else file_stem(file.path) for file in files]
    if len(set(stems)) == len(stems):
        return stems
    return [
        (Path(file.label).parent / stem).as_posix() for file, stem in zip(files, stems, strict=True)
    ]


def _note_open_end(file: InputFile) -> tuple[Note, ...]:
    """A note if a CSV file does not end with a line break: it may have been cut off there."""
    suffix = file.path.suffix.lower()
    if suffix not in DELIMITED_SUFFIXES:
        return ()
    with file.path.open("rb") as raw:
        raw.seek(-1, 2)
        if raw.read(1) in b"\r\n":
            return ()
    message = (
        f"{file.label}: the last row has no line break after it. If the file was cut off there, "
        "its last cell is incomplete."
    )
    return (Note("open-end", message),)

"""Tables of scores in files: CSV, TSV, Parquet, JSON and JSON lines, tidy or wide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rankbars.data.notes import Note
from rankbars.readers.compression import refuse_bomb
from rankbars.readers.delimited import open_delimited
from rankbars.readers.inputfiles import COMPRESSIONS, InputFile, data_suffix, file_stem, read_head
from rankbars.readers.parquet import open_parquet
from rankbars.readers.readoptions import ReadOptions
from rankbars.tables.assembly import ParsedTable, parse_table
from rankbars.tables.database import Engine
from rankbars.tables.metrics import usual_direction
from rankbars.tables.relations import Table
from rankbars.tables.tidy import FileNames

__all__ = [
    "PARQUET_SUFFIXES", "TABLE_SUFFIXES", "name_files", "open_table", "parse_tables",
]  # fmt: skip

PARQUET_SUFFIXES = (".parquet", ".pq")
DELIMITED_SUFFIXES = (".csv", ".tsv", ".tab", ".txt")
JSON_SUFFIXES = (".json",)
JSON_LINES_SUFFIXES = (".jsonl", ".ndjson")
_SHARED = "all"  # the task of files that name none
TABLE_SUFFIXES = (*PARQUET_SUFFIXES, *DELIMITED_SUFFIXES, *JSON_SUFFIXES, *JSON_LINES_SUFFIXES)


def parse_tables(
    files: Sequence[InputFile], options: ReadOptions, engine: Engine
) -> list[ParsedTable]:
    """Each file by the roles of its columns; nothing has been put together.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If a table cannot be understood.
    """
    return [
        parse_table(open_table(file, engine), names, options, engine)._replace(
            notes=_note_open_end(file)
        )
        for file, names in zip(files, name_files(files, beside=options.beside), strict=True)
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
        return open_parquet(file, engine)
    start = head.decode("utf-8-sig", errors="ignore").lstrip()
    if suffix in DELIMITED_SUFFIXES:
        return open_delimited(file, engine)
    from rankbars.readers.jsonrows import JsonLinesTable, is_json_lines, open_json

    if suffix in JSON_LINES_SUFFIXES or is_json_lines(start):
        return JsonLinesTable(file, engine)
    if suffix in JSON_SUFFIXES or start.startswith(("[", "{")):
        return open_json(file, engine)
    return open_delimited(file, engine)


def name_files(files: Sequence[InputFile], *, beside: bool = False) -> list[FileNames]:
    """Names for what a table does not say itself, from the paths of all files read together.

    Files that are read `beside` others share the task that none of them names.
    """
    stems = _distinct_stems(files)
    counts = Counter(stem.rpartition("_")[2] for stem in stems)
    named = [_split_metric(stem, counts) for stem in stems]
    folders = [Path(file.label).parent.name for file in files]
    several = len(set(folders)) > 1
    return [
        FileNames(
            stem, _SHARED if beside else stem, folder if several and folder else _SHARED, metric
        )
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

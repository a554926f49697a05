"""What Parquet files say of themselves: columns, types, rows, and which columns are durations."""

from __future__ import annotations

import base64
import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile
from rankbars.tables.database import Engine, quote_text
from rankbars.tables.tablerows import check_width

__all__ = ["Footer", "as_pattern", "keep_footers", "read_footers", "refuse_long_footer",
           "select_columns"]  # fmt: skip

# Which file it was that the engine knows by its path, its size and when it was changed.
_known: dict[tuple[str, int, int], tuple[int, int]] = {}

# What tells the columns of one file from those of another.
_FIELDS = (
    "file_name, name, num_children, type, type_length, repetition_type, converted_type, scale, "
    "precision, logical_type"
)

# What stands at the end of a file about its columns and parts; results need some kilobytes.
LARGEST_FOOTER = 1 << 26


def refuse_long_footer(file: InputFile) -> None:
    """Raises `ReadError` if a file says more of its columns than any table of results needs."""
    with file.path.open("rb") as raw:
        if raw.seek(0, 2) < 12:
            return  # the engine says what is wrong
        raw.seek(-8, 2)
        end = raw.read(8)
    size = int.from_bytes(end[:4], "little")
    if end[4:] == b"PAR1" and size > LARGEST_FOOTER:
        raise ReadError.at(
            file.label,
            f"what the file says about its columns takes {size >> 20} MiB, which no table of "
            "results needs. It is not read.",
        )


class Footer(NamedTuple):
    """What a file says of its columns and rows."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: int
    durations: tuple[tuple[int, float], ...] = ()

    def with_durations(self, durations: tuple[tuple[int, float], ...]) -> Footer:
        """The same, where columns hold parts of seconds; only whole numbers can."""
        kinds = dict(durations)
        types = tuple("DOUBLE" if at in kinds else kind for at, kind in enumerate(self.types))
        return self._replace(types=types, durations=durations)


def keep_footers(engine: Engine, places: Sequence[str]) -> None:
    """Let what files say of their columns and parts be read by their first query only.

    But for those that another file of the same size and time of change has replaced, as archives
    may: the engine takes it for the one before.
    """
    for place in places:
        found = Path(place).stat()
        itself = found.st_ino, found.st_ctime_ns
        if _known.setdefault((place, found.st_size, found.st_mtime_ns), itself) != itself:
            engine.keeps_footers = False
    for kept in ("parquet_metadata_cache", "enable_external_file_cache"):
        engine.run(f"SET {kept} = {engine.keeps_footers}")


def read_footers(files: Sequence[InputFile], engine: Engine) -> list[Footer]:
    """What files say of themselves; raises what the engine does, if any is damaged."""
    places = [str(file.path.resolve()) for file in files]
    paths = [quote_text(as_pattern(place)) for place in places]
    listed = f"[{', '.join(paths)}]"
    keep_footers(engine, places)
    fields = defaultdict(list)
    for path, *about in engine.ask(f"SELECT {_FIELDS} FROM parquet_schema({listed})"):
        fields[path].append(tuple(about))
    rows = dict(engine.ask(
        f"SELECT file_name, sum(num_rows) FROM parquet_file_metadata({listed}) GROUP BY file_name"
    ))  # fmt: skip
    known: dict[tuple[object, ...], tuple[tuple[str, ...], tuple[str, ...]]] = {}
    found = []
    for file, place, path in zip(files, places, paths, strict=True):
        shape = tuple(fields[place])
        if shape not in known:
            columns = _top_level(fields[place])
            check_width(columns, file.label)
            asked = engine.ask(f"DESCRIBE SELECT * FROM {select_columns(path, len(columns))}")
            known[shape] = columns, tuple(str(column[1]) for column in asked)[: len(columns)]
        found.append(Footer(*known[shape], int(rows.get(place) or 0)))
    if any("BIGINT" in one.types for one in found):
        headers = {place: one.columns for place, one in zip(places, found, strict=True)}
        told = _durations(engine, listed, headers)
        found = [one.with_durations(told.get(place, ()))
                 for place, one in zip(places, found, strict=True)]  # fmt: skip
    return found


def _durations(
    engine: Engine, listed: str, columns: Mapping[str, Sequence[str]]
) -> dict[str, tuple[tuple[int, float], ...]]:
    """Places of durations, which lie in files as whole numbers, and their parts of a second.

    What they are stands in the schema of Arrow that pandas, pyarrow and polars write beside.

    Parameters
    ----------
    engine : Engine
        The database.
    listed : str
        Paths of the files, as a query takes them.
    columns : mapping from str to sequence of str
        Header by path.
    """
    found: dict[str, tuple[tuple[int, float], ...]] = {}
    for path, value in engine.ask(
        f"SELECT file_name, value FROM parquet_kv_metadata({listed}) WHERE key = "
        "'ARROW:schema'::BLOB"
    ):
        header = columns[path]
        # It is not needed to read the file.
        with suppress(ValueError, IndexError, struct.error):
            own = _arrow_durations(base64.b64decode(value), len(header))
            told = tuple((at, parts) for at, (name, parts) in own.items()
                         if header[at : at + 1] == (name,))  # fmt: skip
            found.setdefault(path, told)
    return found


# What Arrow calls a duration among its types, and how many of its units a second has.
_DURATION = 18
_PARTS_OF_A_SECOND = (1.0, 1e3, 1e6, 1e9)


def _arrow_durations(schema: bytes, most: int) -> dict[int, tuple[str, float]]:
    """Name and parts of a second of durations among the first columns of a schema, by place.

    It is a message in the format of FlatBuffers: tables hold offsets to their fields.
    """

    def number(kind: str, at: int) -> int:
        return int(struct.unpack_from(f"<{kind}", schema, at)[0])

    def follow(at: int) -> int:
        return at + number("I", at)

    def field(table: int, which: int) -> int:
        """Where a field of a table stands; 0 if it has its usual value."""
        known = table - number("i", table)
        slot = 4 + 2 * which
        offset = number("H", known + slot) if slot < number("H", known) else 0
        return table + offset if offset else 0

    start = 8 if number("I", 0) == 0xFFFFFFFF else 4
    listed = follow(field(follow(field(follow(start), 2)), 1))
    found = {}
    for place in range(min(most, number("I", listed))):
        column = follow(listed + 4 + 4 * place)
        kind = field(column, 2)
        if not kind or number("B", kind) != _DURATION:
            continue
        name, unit = follow(field(column, 0)), field(follow(field(column, 3)), 0)
        text = schema[name + 4 : name + 4 + number("I", name)].decode()
        parts = _PARTS_OF_A_SECOND[number("h", unit) if unit else 1]
        found[place] = (text, parts)
    return found


def select_columns(
    path: str, columns: int, durations: Sequence[tuple[int, float]] = (), more: str = ""
) -> str:
    """What to select from, a path in quotes; columns are c0, c1, and so on, and ``place``."""
    names = ", ".join(f"c{i}" for i in range(columns))
    parts = dict(durations)
    cells = (f"c{i} / {parts[i]} AS c{i}" if i in parts else f"c{i}" for i in range(columns))
    return (
        f"(SELECT {', '.join(cells)}, file_row_number AS place{more} FROM read_parquet({path}, "
        "file_row_number = true, hive_partitioning = false, binary_as_string = true) "
        f"AS t({names}))"
    )


def as_pattern(path: str) -> str:
    """The path with characters that would make the engine search quoted."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in path)


def _top_level(schema: Sequence[tuple[Any, ...]]) -> tuple[str, ...]:
    """Names of the columns; the schema lists nested fields after the column they belong to."""
    names = []
    position = 1
    while position < len(schema):
        names.append(schema[position][0])
        position = _after(schema, position)
    return tuple(names)


def _after(schema: Sequence[tuple[Any, ...]], position: int) -> int:
    following = position + 1
    for _ in range(schema[position][1] or 0):
        following = _after(schema, following)
    return following

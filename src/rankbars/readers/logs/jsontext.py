"""JSON of logs: bounded in size and depth, read with the standard library.

Logs legitimately hold NaN and Infinity, which fast parsers refuse. Whatever is wrong with the text
becomes a `ReadError` that names the file and the place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from rankbars.errors import ReadError
from rankbars.readers.files import COMPRESSIONS, DAMAGE, InputFile, open_binary, open_text

__all__ = [
    "LARGEST_DOCUMENT", "LARGEST_LINE", "as_float", "as_mapping", "as_text", "first_object",
    "load_json", "parse_json", "read_json_lines", "top_level_keys",
]  # fmt: skip

# Far above what any tool writes; a document is held in memory as a whole, a line for a moment.
LARGEST_DOCUMENT = 1 << 26
LARGEST_LINE = 1 << 25

# A compressed file may grow this much; text of logs shrinks to a tenth or a hundredth.
LARGEST_RATIO = 300
FREE_BYTES = 1 << 26

# Keys of the outermost object stand within these first bytes of the file.
KEY_BYTES = 1 << 22

# A string that does not end runs to the end of what was read, so that no part is tried twice.
_TOKEN = re.compile(r'"((?:[^"\\]+|\\.)*+)(?:"(\s*:)?|\\?\Z)|[{}\[\]]', re.DOTALL)


def parse_json(text: str, label: str, row: int | None = None) -> Any:
    """The value that a JSON text stands for.

    Parameters
    ----------
    text : str
        The text.
    label : str
        File, and what else names the place.
    row : int, optional
        Line of the file.

    Raises
    ------
    ReadError
        If the text is not JSON, is nested too deeply, or holds a number that is too long.

    Examples
    --------
    >>> parse_json('{"score": NaN}', "x.json")
    {'score': nan}
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        problem = f"the text is not JSON ({error.msg}, column {error.colno}). Correct it"
        if cut:
            problem = "the JSON ends too early; the file seems to be cut off. Copy it again"
        place = row if row is not None else error.lineno
        raise ReadError.at(label, f"{problem}.", row=place) from error
    except RecursionError as error:
        raise ReadError.at(label, "the JSON is nested too deeply.", row=row) from error
    except ValueError as error:
        text = "a number cannot be read: it has thousands of digits."
        raise ReadError.at(label, text, row=row) from error


def load_json(file: InputFile) -> Mapping[str, Any]:
    """The one object that a file holds.

    Raises
    ------
    ReadError
        If the file is damaged, too large, or holds something else.
    """
    with open_text(file) as text:
        content = text.read(LARGEST_DOCUMENT + 1)
    if len(content) > LARGEST_DOCUMENT:
        raise ReadError.at(
            file.label,
            f"the file is larger than {LARGEST_DOCUMENT >> 20} MiB, which no results file is.",
        )
    value = parse_json(content, file.label)
    if not isinstance(value, dict):
        raise ReadError.at(file.label, f"expected a JSON object, found {_kind(value)}.")
    return value


def read_json_lines(file: InputFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a file with one per line, each with the number of its line.

    Raises
    ------
    ReadError
        If the file is damaged, or a line is too long or holds something else.
    """
    size = file.path.stat().st_size
    bound = None
    if file.path.suffix.lower() in COMPRESSIONS:
        bound = max(FREE_BYTES, LARGEST_RATIO * size)
    with open_text(file) as text:
        number = taken = 0
        while line := text.readline(LARGEST_LINE + 1):
            number += 1
            taken += len(line)
            if bound is not None and taken > bound:
                raise ReadError.at(
                    file.label,
                    f"the file grows more than {LARGEST_RATIO} times when it is decompressed, "
                    "which text of results does not. It is not read.",
                )
            if len(line) > LARGEST_LINE:
                raise ReadError.at(
                    file.label, f"the line is longer than {LARGEST_LINE >> 20} MiB.", row=number
                )
            if line.isspace():
                continue
            value = parse_json(line, file.label, number)
            if not isinstance(value, dict):
                raise ReadError.at(
                    file.label, f"expected a JSON object, found {_kind(value)}.", row=number
                )
            yield number, value


def top_level_keys(path: Path) -> tuple[str, ...]:
    """Keys of the outermost JSON object of a file, in order; empty if there is no object.

    For recognising a file: cut and damaged files give the keys that can be seen.
    """
    state = path.stat()
    return _top_level_keys(path, state.st_size, state.st_mtime_ns)


# Every format asks the same of the same file, one after the other.
@lru_cache(maxsize=8)
def _top_level_keys(path: Path, size: int, changed: int) -> tuple[str, ...]:
    try:
        with open_binary(path) as raw:
            return _scan_keys(raw)
    except DAMAGE:
        return ()


def _scan_keys(raw: IO[bytes]) -> tuple[str, ...]:
    text = raw.read(KEY_BYTES).decode("utf-8-sig", errors="replace").lstrip()
    if not text.startswith("{"):
        return ()
    keys: dict[str, None] = {}
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()[0]
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            if depth <= 0:
                break
        elif depth == 1 and token.group(2):
            keys[token.group(1)] = None
    return tuple(keys)


def first_object(head: bytes) -> Mapping[str, Any] | None:
    """The first object of JSON lines or of a JSON list, if it is whole in `head`.

    Examples
    --------
    >>> first_object(b'[{"doc_id": 0}, {"doc')
    {'doc_id': 0}
    """
    text = head.decode("utf-8-sig", errors="ignore").lstrip().removeprefix("[").lstrip()
    if not text.startswith("{"):
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def as_mapping(value: object) -> Mapping[str, Any]:
    """`value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_text(value: object) -> str | None:
    """`value` if it is text that is not empty; numbers as text; else None."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return repr(value)


def as_float(value: object) -> float | None:
    """`value` if it is a JSON number that is not too large, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _kind(value: object) -> str:
    names = {list: "a list", str: "text", bool: "a truth value", int: "a number", float: "a number"}
    return "nothing" if value is None else names.get(type(value), "something else")

"""JSON in files: documents, lines and records of a list, bounded in size and depth.

Logs legitimately hold NaN and Infinity, which fast parsers refuse. Whatever is wrong with the text
becomes a `ReadError` that names the file and the place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, open_text
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.openedfiles import DAMAGE, open_binary

__all__ = [
    "LARGEST_DOCUMENT", "LARGEST_LINE", "first_object", "kind_of", "load_json", "parse_json",
    "read_json_lines", "read_members", "read_records", "record_keys", "top_level_keys",
]  # fmt: skip

# Far above what any tool writes; a document is held in memory as a whole, a line for a moment.
LARGEST_DOCUMENT = 1 << 26
LARGEST_LINE = 1 << 25

# Keys of the outermost object stand within these first bytes of the file.
KEY_BYTES = 1 << 22

# A string that does not end runs to the end of what was read, so that no part is tried twice.
_TOKEN = re.compile(r'"((?:[^"\\]+|\\.)*+)(?:"(\s*:)?|\\?\Z)|[{}\[\]]', re.DOTALL)


class _RepeatedKeyError(Exception):
    """A key stands twice in one object."""


def _keys_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RepeatedKeyError(key)
        found[key] = value
    return found


_DECODER = json.JSONDecoder()
_DECODER_ONCE = json.JSONDecoder(object_pairs_hook=_keys_once)


def parse_json(text: str, label: str, row: int | None = None, *, once: bool = False) -> Any:
    """The value that a JSON text stands for.

    Parameters
    ----------
    text : str
        The text.
    label : str
        File, and what else names the place.
    row : int, optional
        Line of the file.
    once : bool
        Whether a key that stands twice in one object is refused.

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
        return (_DECODER_ONCE if once else _DECODER).decode(text)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        problem = f"the text is not JSON ({error.msg}, column {error.colno}). Correct it."
        if cut and not (row is not None and text.endswith("\n")):  # a line that ends is whole
            problem = "the JSON ends too early; the file seems to be cut off. Copy it again."
        raise ReadError.at(label, problem, row=error.lineno if row is None else row) from error
    except _RepeatedKeyError as error:
        raise ReadError.at(
            label,
            f"the key {error.args[0]!r} stands twice in one object. Each column needs a name of "
            "its own.",
            row=row,
        ) from error
    except RecursionError as error:
        raise ReadError.at(label, "the JSON is nested too deeply.", row=row) from error
    except ValueError as error:
        problem = "a number cannot be read: it has thousands of digits."
        raise ReadError.at(label, problem, row=row) from error


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
        raise ReadError.at(file.label, f"expected a JSON object, found {kind_of(value)}.")
    return value


def read_json_lines(file: InputFile, *, once: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a file with one per line, each with the number of its line.

    Raises
    ------
    ReadError
        If the file is damaged, a line is too long or holds something else, or a key stands twice
        in an object that must have each `once`.
    """
    with open_text(file) as text:
        lines = iter(lambda: text.readline(LARGEST_LINE + 1), "")
        for number, line in enumerate(lines, start=1):
            if line.isspace():
                continue
            if len(line) > LARGEST_LINE:
                raise ReadError.at(
                    file.label,
                    f"the line is longer than {LARGEST_LINE >> 20} MiB, which no line of results "
                    "is. Is a line break missing?",
                    row=number,
                )
            value = parse_json(line, file.label, number, once=once)
            if not isinstance(value, dict):
                raise ReadError.at(
                    file.label,
                    f"the line holds {kind_of(value)}. Expected an object such as "
                    '{"model": "a", "score": 1}.',
                    row=number,
                )
            yield number, value


def read_records(
    file: InputFile, key: str = "", header: dict[str, Any] | None = None, skip: Sequence[str] = ()
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Records of a JSON file, each with its place: those of a list, or of the list under a key.

    Parameters
    ----------
    file : InputFile
        The file.
    key : str
        Key of the outermost object that holds the list; empty for a list by itself.
    header : dict, optional
        Takes what stands beside the list.
    skip : sequence of str
        Keys beside it that are passed over without being held.

    Raises
    ------
    ReadError
        If the file is damaged, or a record is no object.
    """
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        if not key:
            yield from stream.objects("record")
        else:
            for name in stream.members():
                if name == key and stream.starts_with("["):
                    yield from stream.objects("record")
                elif header is None or name in skip:
                    stream.skip()
                else:
                    header[name] = stream.value()
        stream.end()


def read_members(
    file: InputFile, key: str, header: dict[str, Any], skip: Sequence[str] = ()
) -> Iterator[tuple[str, Any]]:
    """Members of the object under a key of a JSON file, one by one; what is beside in `header`.

    What stands under the keys to `skip` is passed over without being held.

    Raises
    ------
    ReadError
        If the file is damaged.
    """
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        for name in stream.members():
            if name == key and stream.starts_with("{"):
                for member in stream.members():
                    yield member, stream.value()
            elif name in skip:
                stream.skip()
            else:
                header[name] = stream.value()
        stream.end()


def top_level_keys(path: Path) -> tuple[str, ...]:
    """Keys of the outermost JSON object of a file, in order; empty if there is no object.

    For recognising a file: cut and damaged files give the keys that can be seen.
    """
    state = path.stat()
    return _keys(path, "", state.st_size, state.st_mtime_ns)


def record_keys(path: Path) -> tuple[str, ...]:
    """Keys of the first object of a JSON list, in order; empty if the file holds something else.

    For recognising a file, as `top_level_keys`.
    """
    state = path.stat()
    return _keys(path, "[", state.st_size, state.st_mtime_ns)


# Every format asks the same of the same file, one after the other, and so does who reads it.
@lru_cache(maxsize=8192)
def _keys(path: Path, before: str, size: int, changed: int) -> tuple[str, ...]:
    try:
        with open_binary(path) as raw:
            return _scan_keys(raw, before)
    except DAMAGE:
        return ()


def _scan_keys(raw: IO[bytes], before: str) -> tuple[str, ...]:
    content = raw.read(KEY_BYTES)
    text = content.decode("utf-8-sig", errors="replace").lstrip()
    if not text.startswith(before):
        return ()
    text = text.removeprefix(before).lstrip()
    if not text.startswith("{"):
        return ()
    if before or len(content) < KEY_BYTES:
        with suppress(ValueError, RecursionError):  # what is whole is sooner parsed
            return tuple(_DECODER.raw_decode(text)[0])
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


@lru_cache(maxsize=2)
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
        value, _ = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def kind_of(value: object) -> str:
    """What a JSON value is, in words."""
    names = {dict: "an object", list: "a list", str: "text", bool: "a truth value",
             int: "a number", float: "a number"}  # fmt: skip
    return "nothing" if value is None else names.get(type(value), type(value).__name__)

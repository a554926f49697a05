"""JSON of logs: documents, lines and streams, bounded in size and depth.

Logs legitimately hold NaN and Infinity, which fast parsers refuse. Whatever is wrong with the text
becomes a `ReadError` that names the file and the place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Protocol

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import COMPRESSIONS, DAMAGE, InputFile, open_binary, open_text

__all__ = [
    "LARGEST_DOCUMENT", "JsonStream", "first_object", "load_json", "parse_json",
    "read_json_lines", "record_keys", "top_level_keys",
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

CHUNK = 1 << 16

# One element is held in memory; what is skipped is not.
LARGEST_VALUE = 1 << 25

DEEPEST = 1000

_BLANKS = " \t\r\n"
_BLANK = re.compile(r"[ \t\r\n]*")
_MARK = re.compile(r'["{}\[\]]')

# An error this near to the end of what was read may only say that more is to come.
_NEAR = 16


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
    return _keys(path, "", state.st_size, state.st_mtime_ns)


def record_keys(path: Path) -> tuple[str, ...]:
    """Keys of the first object of a JSON list, in order; empty if the file holds something else.

    For recognising a file, as `top_level_keys`.
    """
    state = path.stat()
    return _keys(path, "[", state.st_size, state.st_mtime_ns)


_DECODER = json.JSONDecoder()


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


def _kind(value: object) -> str:
    names = {list: "a list", str: "text", bool: "a truth value", int: "a number", float: "a number"}
    return "nothing" if value is None else names.get(type(value), "something else")


class _TextSource(Protocol):
    """Anything with the ``read`` of a text file."""

    def read(self, size: int, /) -> str:
        """Up to `size` characters; none at the end."""


class JsonStream:
    """A JSON text, taken from left to right.

    Parameters
    ----------
    source : _TextSource
        The text.
    label : str
        File, and what else names the place, for messages.

    Examples
    --------
    >>> import io
    >>> stream = JsonStream(io.StringIO('{"note": [[1]], "samples": [{"id": 1}, {"id": 2}]}'), "x")
    >>> for key in stream.members():
    ...     if key == "samples":
    ...         print([stream.value()["id"] for _ in stream.elements()])
    ...     else:
    ...         stream.skip()
    [1, 2]
    """

    def __init__(self, source: _TextSource, label: str) -> None:
        self._source = source
        self._label = label
        self._text = ""
        self._at = 0
        self._before = 0
        self._decoder = json.JSONDecoder()

    def starts_with(self, mark: str) -> bool:
        """Whether the next thing starts with this character."""
        return self._peek() == mark

    def members(self) -> Iterator[str]:
        """Keys of the object that comes next; take or skip the value after each."""
        self._take("{")
        if self._peek() == "}":
            self._at += 1
            return
        while True:
            key = self.value()
            if not isinstance(key, str):
                raise self._error("expected the name of a member")
            self._take(":")
            yield key
            if self._peek() != ",":
                break
            self._at += 1
        self._take("}")

    def elements(self) -> Iterator[None]:
        """One stop at each element of the list that comes next; take or skip it."""
        self._take("[")
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            yield None
            if self._peek() != ",":
                break
            self._at += 1
        self._take("]")

    def value(self) -> Any:
        """The value that comes next.

        Raises
        ------
        ReadError
            If it is not JSON, or too large or too deep to be held.
        """
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                open_end = error.msg.startswith("Unterminated string")
                if not open_end and error.pos < len(self._text) - _NEAR:
                    self._at = error.pos
                    raise self._error(f"the text is not JSON ({error.msg})") from error
                if not self._fill():
                    if open_end or error.pos >= len(self._text.rstrip()):
                        raise self._cut() from error
                    self._at = error.pos
                    raise self._error(f"the text is not JSON ({error.msg})") from error
                continue
            except RecursionError as error:
                raise self._error("the JSON is nested too deeply") from error
            except ValueError as error:
                raise self._error("a number cannot be read: it has thousands of digits") from error
            # A number that touches the end of what was read may go on.
            if end == len(self._text) and self._fill():
                continue
            self._at = end
            return value

    def skip(self) -> None:
        """Pass over the value that comes next without holding it."""
        if self._peek() not in ("{", "[", '"'):
            self.value()
            return
        depth = 0
        while True:
            token = _MARK.search(self._text, self._at)
            if token is None:
                self._at = len(self._text)
                if not self._fill():
                    raise self._cut()
                continue
            self._at = token.end()
            mark = token.group()
            if mark == '"':
                self._skip_string()
            else:
                depth += 1 if mark in "{[" else -1
            if depth > DEEPEST:
                raise self._error("the JSON is nested too deeply")
            if depth <= 0:
                return

    def end(self) -> None:
        """Nothing but blanks may follow; raises `ReadError` otherwise."""
        if self._peek():
            raise self._error("something follows the end of the JSON text")

    def _skip_string(self) -> None:
        while True:
            end = self._text.find('"', self._at)
            stop = end if end >= 0 else len(self._text)
            run = stop
            while run > self._at and self._text[run - 1] == "\\":
                run -= 1
            escaped = (stop - run) % 2 == 1
            if end >= 0:
                self._at = end + 1
                if not escaped:
                    return
                continue
            # A lone backslash at the end goes with what is read next.
            self._at = stop - escaped
            if not self._fill():
                raise self._cut()

    def _peek(self) -> str:
        while True:
            if self._at < len(self._text):
                mark = self._text[self._at]
                if mark not in _BLANKS:
                    return mark
                blank = _BLANK.match(self._text, self._at)
                self._at = self._at if blank is None else blank.end()
            elif not self._fill():
                return ""

    def _take(self, mark: str) -> None:
        found = self._peek()
        if found == mark:
            self._at += 1
            return
        raise self._cut() if not found else self._error(f"expected {mark!r}, found {found!r}")

    def _fill(self) -> bool:
        """Read on; as much again as is held, so that a long value is tried few times."""
        held = len(self._text) - self._at
        if held > LARGEST_VALUE:
            raise self._error(f"a value is longer than {LARGEST_VALUE >> 20} MiB")
        more = self._source.read(max(CHUNK, held))
        if not more:
            return False
        self._before += self._at
        self._text = self._text[self._at :] + more
        self._at = 0
        return True

    def _error(self, problem: str) -> ReadError:
        return ReadError.at(self._label, f"{problem}, at character {self._before + self._at + 1}.")

    def _cut(self) -> ReadError:
        return ReadError.at(
            self._label, "the JSON ends too early; the file seems to be cut off. Copy it again."
        )

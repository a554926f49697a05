"""A JSON text that is taken from left to right, so that little of it is held in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Protocol

from rankbars.errors import ReadError

__all__ = ["JsonStream"]

CHUNK = 1 << 16

# One element is held in memory; what is skipped is not.
LARGEST_VALUE = 1 << 25

DEEPEST = 1000

_BLANKS = " \t\r\n"
_BLANK = re.compile(r"[ \t\r\n]*")
_MARK = re.compile(r'["{}\[\]]')

# An error this near to the end of what was read may only say that more is to come.
_NEAR = 16


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

    def objects(self, what: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Objects of the list that comes next, each with its place: file, what it is, number.

        Raises
        ------
        ReadError
            If an element is no object.
        """
        for number, _ in enumerate(self.elements(), start=1):
            place, value = f"{self._label}, {what} {number}", self.value()
            if not isinstance(value, dict):
                raise ReadError.at(place, "expected a JSON object.")
            yield place, value

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

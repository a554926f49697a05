"""Standard output and standard error: what goes there, and what happens when it cannot."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from rankbars.errors import ReadError, WriteError

__all__ = [
    "discard_output",
    "emit",
    "emit_text",
    "output_width",
    "say",
    "standard_input",
    "wants_color",
]

MIN_WIDTH, DEFAULT_WIDTH = 40, 80


def emit(text: str) -> None:
    """Write `text` to standard output as UTF-8 bytes, for other programs.

    Raises
    ------
    WriteError
        If standard output is closed or full.
    """
    stream = _output()
    raw = getattr(stream, "buffer", None)
    try:
        stream.flush()
        if raw is None:
            stream.write(text)
        else:
            raw.write(text.encode("utf-8", "surrogateescape"))
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WriteError(f"Cannot write to standard output: {error.strerror or error}.") from error


def emit_text(text: str) -> None:
    """Write `text` to standard output for a person, in the encoding of the terminal.

    Characters that the terminal cannot show are written as escapes.

    Raises
    ------
    WriteError
        If standard output is closed or full.
    """
    encoding = getattr(_output(), "encoding", None) or "utf-8"
    try:
        shown = text.encode(encoding, "backslashreplace").decode(encoding)
        stream = _output()
        stream.write(shown)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WriteError(f"Cannot write to standard output: {error.strerror or error}.") from error


def say(message: str) -> None:
    """Write one message to standard error; control characters in names are made visible.

    Nothing is raised where standard error is closed: there is nowhere left to say so.
    """
    stream = sys.stderr
    if stream is None:
        return
    shown = "".join(c if c == "\n" or c.isprintable() else _visible(c) for c in message)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(shown.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()
    except OSError:
        return


def output_width() -> int:
    """Columns of the terminal behind standard output; 80 for a pipe or a file."""
    if not _is_terminal(sys.stdout):
        return DEFAULT_WIDTH
    return max(MIN_WIDTH, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns)


def wants_color() -> bool:
    """Whether standard output is a terminal and nobody asked for plain text (``NO_COLOR``)."""
    return _is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")


def discard_output() -> None:
    """Send what is still buffered nowhere: the reader of the pipe has gone."""
    if sys.stdout is None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())


def standard_input() -> bytes:
    """All of standard input.

    Raises
    ------
    ReadError
        If it is closed or cannot be read.
    """
    if sys.stdin is None:
        raise ReadError("Cannot read standard input: it is closed.")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise ReadError(f"Cannot read standard input: {error.strerror or error}.") from error


def _output() -> TextIO:
    if sys.stdout is None:
        raise WriteError("Cannot write to standard output: it is closed.")
    return sys.stdout


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _visible(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")

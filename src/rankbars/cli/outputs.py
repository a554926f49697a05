"""What goes out: the standard streams, answers for programs, a finished board."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from rankbars.data.drafts import write_all
from rankbars.errors import ReadError, WriteError

if TYPE_CHECKING:
    from rankbars.cli.fileanswers import FilesAnswer
    from rankbars.data.board import Leaderboard
    from rankbars.data.notes import Note
    from rankbars.store.holdings import Event

__all__ = [
    "STANDARD",
    "check_first",
    "deliver",
    "emit",
    "emit_text",
    "fitted",
    "make_visible",
    "output_width",
    "print_answer",
    "print_board",
    "print_change",
    "print_files",
    "printed_json",
    "say",
    "standard_input",
    "unreadable",
]

_MIN_WIDTH, _DEFAULT_WIDTH, _MAX_WIDTH = 40, 80, 1_000
STANDARD = "-"  # the name of standard input and output


def emit(text: str) -> None:
    """Write `text` to standard output as UTF-8 bytes, for other programs.

    Raises
    ------
    WriteError
        If standard output is closed or full.
    """
    with _written() as stream:
        raw = getattr(stream, "buffer", None)
        if raw is None:
            stream.write(text)
        else:
            stream.flush()
            raw.write(text.encode("utf-8", "surrogateescape"))


def print_answer(answer: Mapping[str, Any]) -> None:
    """Write an answer to standard output as JSON, for programs."""
    from rankbars.data.plain import answer_json

    emit(answer_json(answer))


def print_files(
    written: Iterable[object],
    *,
    removed: Iterable[str] = (),
    kept: Iterable[str] = (),
    ranked: Iterable[str] = (),
    said: Iterable[str] = (),
) -> None:
    """Write to standard output, for programs, which files were written."""
    answer: FilesAnswer = {
        "schema": "rankbars.files/1",
        "written": [str(path) for path in written],
        "removed": list(removed),
        "kept": list(kept),
        "ranked": list(ranked),
        "said": list(said),
    }
    print_answer(answer)


def print_change(
    store: str,
    events: Sequence[Event],
    *,
    unchanged: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> None:
    """Write to standard output, for programs, what was done to a store."""
    answer = {
        "schema": "rankbars.changed/1",
        "store": store,
        "events": [event._asdict() for event in events],
        "unchanged": list(unchanged),
        "notes": list(notes),
    }
    print_answer(answer)


def emit_text(text: str) -> None:
    """Write `text` to standard output for a person, in the encoding of the terminal.

    Characters that the terminal cannot show are written as escapes.

    Raises
    ------
    WriteError
        If standard output is closed or full.
    """
    with _written() as stream:
        stream.write(_as_shown(text, stream))


@contextmanager
def _written() -> Iterator[TextIO]:
    """Standard output, of which nothing is held back at the end of the block."""
    if sys.stdout is None:
        raise WriteError("Cannot write to standard output: it is closed.")
    try:
        yield sys.stdout
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WriteError(f"Cannot write to standard output: {error.strerror or error}.") from error


def _as_shown(text: str, stream: TextIO) -> str:
    """The text with escapes for what the encoding of the stream does not have."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def say(message: str) -> None:
    """Write one message to standard error; control characters in names are made visible.

    Nothing is raised where standard error is closed: there is nowhere left to say so.
    """
    stream = sys.stderr
    if stream is None:
        return
    with suppress(OSError):
        stream.write(_as_shown(make_visible(message), stream) + "\n")
        stream.flush()


def output_width() -> int:
    """Columns of the terminal behind standard output; for a pipe or a file ``COLUMNS``, or 80."""
    if _is_terminal(sys.stdout):
        return max(_MIN_WIDTH, shutil.get_terminal_size((_DEFAULT_WIDTH, 24)).columns)
    try:
        asked = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        return _DEFAULT_WIDTH
    return min(max(_MIN_WIDTH, asked), _MAX_WIDTH) if asked > 0 else _DEFAULT_WIDTH


def fitted(text: str) -> str:
    """A text whose lines fit the terminal; for a pipe or a file, where it is copied, as it is."""
    if not _is_terminal(sys.stdout):
        return text
    from rankbars.render.textlines import each_wrapped, text_of

    return text_of(each_wrapped(text.splitlines(), output_width()))


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


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def make_visible(text: str) -> str:
    """A text with escapes for characters that would move, hide or colour what is around them."""
    return "".join(
        c if c == "\n" or c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def printed_json(output: str | None, *, as_json: bool) -> str | None:
    """The target of the board file, which ``--json`` prints."""
    if as_json and output is not None:
        raise click.UsageError("--json is -o -: leave one of the two out.")
    return STANDARD if as_json else output


def check_first(first: int | None, *, printed: bool) -> None:
    """Refuse ``--first`` where no table of a board is printed as text."""
    if first is not None and not printed:
        raise click.UsageError(
            "--first is for the printed table of a board: leave it out, or what prints another "
            "thing (such as --json)."
        )


def deliver(
    board: Leaderboard,
    targets: Mapping[str, str],
    *,
    quiet: bool,
    pairs: bool = False,
    beside: Mapping[str, str | bytes] | None = None,
    said: Collection[Note] = (),
    first: int | None = None,
) -> None:
    """Write the board to its targets, all or none, and print it where none is standard output.

    Parameters
    ----------
    board : Leaderboard
        The result.
    targets : mapping from option to path
        ``-o`` (JSON), ``--html`` and ``--md``, as far as they were given.
    quiet : bool
        Do not say what was written.
    pairs : bool
        Also write the details of pairs to the board file.
    beside : mapping from path to text or bytes, optional
        Further files, written together with the others.
    said : collection of Note
        Notes that were said already, and are not printed again.
    first : int, optional
        How many rows are printed; all of them where not given.

    Raises
    ------
    WriteError
        If a file cannot be written; then none is.
    """
    from rankbars.cli.progress import working

    with working("Writing", quiet=quiet or not targets):
        made = {path: _content(board, option, pairs=pairs) for option, path in targets.items()}
    printed = made.pop(STANDARD, None)
    contents = {**made, **(beside or {})}
    write_all(contents)
    if printed is None:
        kept = tuple(note for note in board.notes if note not in said)
        print_board(replace(board, notes=kept), first=first)
    else:
        emit(printed)
    if contents and not quiet:
        say(f"Wrote {', '.join(contents)}.")


def _content(board: Leaderboard, option: str, *, pairs: bool) -> str:
    if option == "-o":
        from rankbars.data.boardfile import board_json

        return board_json(board, pairs=pairs)
    from rankbars.render import render

    return render(board, _FORMS[option])


def print_board(board: Leaderboard, task: str | None = None, *, first: int | None = None) -> None:
    """Print the board, or one task of it, for a person; `first`: so many rows."""
    from rankbars.render.text import render_text

    terminal = _is_terminal(sys.stdout)
    emit_text(
        render_text(
            board, task=task, width=output_width(), first=first,
            color=terminal and not os.environ.get("NO_COLOR"),
            encoding=getattr(sys.stdout, "encoding", None) or "utf-8",
            height=shutil.get_terminal_size().lines if terminal else None,
        )
    )  # fmt: skip


_FORMS = {"--html": "html", "--md": "md"}


def unreadable(notes: Iterable[Note]) -> list[str]:
    """What is said of files that could not be read, also where everything else is quiet."""
    return list(dict.fromkeys(note.message for note in notes if note.code == "files-damaged"))

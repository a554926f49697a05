"""What goes out: the standard streams, targets checked before long work, a finished board."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rankbars.data.drafts import real_path, write_all
from rankbars.errors import OptionError, ReadError, WriteError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rankbars.data.board import Leaderboard
    from rankbars.data.diagnosis import HeldOut
    from rankbars.data.notes import Note

__all__ = [
    "STANDARD",
    "check_pictures",
    "check_targets",
    "deliver",
    "drawn_bytes",
    "emit",
    "emit_text",
    "held_out_files",
    "make_visible",
    "output_width",
    "print_board",
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
    shown = make_visible(message)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(shown.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()
    except OSError:
        return


def output_width() -> int:
    """Columns of the terminal behind standard output; for a pipe or a file ``COLUMNS``, or 80."""
    if _is_terminal(sys.stdout):
        return max(_MIN_WIDTH, shutil.get_terminal_size((_DEFAULT_WIDTH, 24)).columns)
    try:
        asked = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        return _DEFAULT_WIDTH
    return min(max(_MIN_WIDTH, asked), _MAX_WIDTH) if asked > 0 else _DEFAULT_WIDTH


def _wants_color() -> bool:
    """Whether standard output is a terminal and nobody asked for plain text (``NO_COLOR``)."""
    return _is_terminal(sys.stdout) and not os.environ.get("NO_COLOR")


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


def make_visible(text: str) -> str:
    """A text with escapes for characters that would move, hide or colour what is around them."""
    return "".join(
        c if c == "\n" or c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def check_targets(targets: Mapping[str, str], inputs: Sequence[str] = ()) -> None:
    """Refuse targets that cannot be written.

    Parameters
    ----------
    targets : mapping from option to path
        Such as ``{"--html": "report.html"}``; ``-`` is standard output.
    inputs : sequence of str
        Paths that are read; none of them may be overwritten.

    Raises
    ------
    OptionError
        If two targets are the same, or a target is an input.
    WriteError
        If the folder of a target does not exist or cannot be written to.
    """
    printed = [option for option, path in targets.items() if path == STANDARD]
    if len(printed) > 1:
        raise OptionError(
            f"{' and '.join(printed)} both go to standard output; only one result can. "
            "Name a file for the others."
        )
    taken: dict[Path, str] = {}
    read = {real_path(path) for path in inputs if path != STANDARD}
    for option, path in targets.items():
        if path == STANDARD:
            continue
        target = real_path(path)
        if target in taken:
            raise OptionError(f"{taken[target]} and {option} both write {path}; name two files.")
        if target in read:
            raise OptionError(
                f"{option} {path} would overwrite an input. Name another file; nothing was read."
            )
        taken[target] = option
        _check_place(option, path, target)


def _check_place(option: str, path: str, target: Path) -> None:
    if target.is_dir():
        raise WriteError(f"{option} {path}: it is a folder. Name a file in it.")
    if not target.parent.is_dir():
        raise WriteError(
            f"{option} {path}: the folder {target.parent} does not exist. Make it first."
        )
    given = Path(path)
    place = given if given.exists() and not given.is_file() else target.parent
    if not os.access(place, os.W_OK):
        raise WriteError(f"{option} {path}: no permission to write in {place}.")


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


def drawn_bytes(figure: Figure, suffix: str, dpi: float = 200) -> bytes:
    """The file of a picture; says once which letters no font has."""
    from rankbars.render.plotting.lettering import letters_note, set_letters
    from rankbars.render.plotting.style import picture_bytes

    missing = set_letters(figure, replace=suffix != "svg")
    if missing and suffix != "svg":
        say(letters_note(missing))
    return picture_bytes(figure, suffix, dpi)


def check_pictures(paths: Sequence[str]) -> None:
    """Refuse names of files for a table of numbers, or a picture of it, that do not say which."""
    for path in paths:
        suffix = Path(path).suffix.lower().removeprefix(".")
        if suffix not in ("json", *_DRAWN):
            raise OptionError(f"{path}: the name must end in .json, .svg, .pdf or .png.")
        if suffix in _DRAWN:
            from rankbars.render.plotting.style import check_picture

            check_picture(suffix, drawn=True)


def held_out_files(found: HeldOut, paths: Sequence[str]) -> dict[str, str | bytes]:
    """What was found on tasks that were held out: as numbers or as a picture, by its suffix."""
    contents: dict[str, str | bytes] = {}
    for path in paths:
        suffix = Path(path).suffix.lower().removeprefix(".")
        if suffix == "json":
            from rankbars.render.askedranks import held_out_to_dict

            plain = held_out_to_dict(found)
            contents[path] = json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        else:
            from rankbars.render.plotting import draw_picture

            contents[path] = drawn_bytes(draw_picture("held_out", found), suffix)
    return contents


def print_board(board: Leaderboard, task: str | None = None, *, first: int | None = None) -> None:
    """Print the board, or one task of it, for a person; `first`: so many rows."""
    from rankbars.render.text import render_text

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    height = shutil.get_terminal_size().lines if _is_terminal(sys.stdout) else None
    emit_text(
        render_text(
            board, task=task, width=output_width(), color=_wants_color(), encoding=encoding,
            height=height, first=first,
        )
    )  # fmt: skip


_FORMS = {"--html": "html", "--md": "md"}
_DRAWN = ("svg", "pdf", "png")


def unreadable(notes: Iterable[Note]) -> list[str]:
    """What is said of files that could not be read, also where everything else is quiet."""
    return list(dict.fromkeys(note.message for note in notes if note.code == "files-damaged"))

"""A finished board: written to its files, then printed."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rankbars.cli.outputs import STANDARD
from rankbars.cli.streams import emit, emit_text, output_width, say, wants_color

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard
    from rankbars.data.notes import Note

__all__ = ["deliver", "print_board"]


def deliver(
    board: Leaderboard,
    targets: Mapping[str, str],
    *,
    quiet: bool,
    pairs: bool = False,
    beside: Mapping[str, str] | None = None,
    said: Collection[Note] = (),
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
    beside : mapping from path to text, optional
        Further files, written together with the others.
    said : collection of Note
        Notes that were said already, and are not printed again.

    Raises
    ------
    WriteError
        If a file cannot be written; then none is.
    """
    from rankbars.cli.progress import working
    from rankbars.data.boardfile import board_json
    from rankbars.data.files import write_all
    from rankbars.render import render

    with working("Writing", quiet=quiet or not targets):
        contents = {
            path: board_json(board, pairs=pairs)
            if option == "-o"
            else render(board, _FORMS[option])
            for option, path in targets.items()
        }
    printed = contents.pop(STANDARD, None)
    contents |= beside or {}
    write_all(contents)
    if printed is None:
        print_board(replace(board, notes=tuple(n for n in board.notes if n not in said)))
    else:
        emit(printed)
    if contents and not quiet:
        say(f"Wrote {', '.join(contents)}.")


def print_board(board: Leaderboard, task: str | None = None) -> None:
    """Print the board, or one task of it, for a person."""
    from rankbars.render.text import render_text

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    emit_text(
        render_text(board, task=task, width=output_width(), color=wants_color(), encoding=encoding)
    )


_FORMS = {"--html": "html", "--md": "md"}

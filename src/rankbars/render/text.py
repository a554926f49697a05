"""A board for the terminal."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rankbars.data.board import Leaderboard
from rankbars.render.grid import Pen, draw_grid, pen_for
from rankbars.render.names import visible
from rankbars.render.outcomes import outcome_lines, outcome_sentence
from rankbars.render.remarks import remark_text
from rankbars.render.rows import Table, board_table, task_table
from rankbars.render.sentences import (
    field_line,
    headline,
    new_task_line,
    scale_line,
    scopes_line,
    task_line,
    width_line,
)

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["render_text"]

NARROWEST = 40


def render_text(
    board: Leaderboard,
    *,
    task: str | None = None,
    width: int = 80,
    color: bool = False,
    encoding: str = "utf-8",
) -> str:
    """The board as lines of text for a terminal.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : str, optional
        One task instead of the whole board.
    width : int
        Columns of the terminal, at least 40. Names that do not fit lose their middle.
    color : bool
        Whether to use the colors of the terminal.
    encoding : str
        What the terminal can show; where that is not enough, plain ASCII is used.

    Returns
    -------
    str
        Lines that end with a line break; in 80 columns or more none is longer than `width`.

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    pen = pen_for(encoding)
    width = max(width, NARROWEST)
    table = board_table(board) if task is None else task_table(board, task)
    console = _console(width, color)
    with console.capture() as capture:
        if task is None:
            top = [(headline(board, pen.name), "bold"), (field_line(board) + ".", "dim")]
        else:
            top = [(task_line(board, task, pen.name), "bold")]
        for sentence, style in top:
            console.print(_wrapped(pen.plain(sentence), width), style=style)
        console.print()
        grid = draw_grid(table, width, pen)
        for line in grid.lines:
            console.print(line, no_wrap=True, overflow="ignore", crop=False)
        console.print()
        outcomes = [] if task is None else outcome_lines(board, board.tasks[task], width, pen)
        for outcome in (*outcomes, *[""] * bool(outcomes)):
            console.print(outcome, no_wrap=True, overflow="ignore", crop=False)
        for sentence in _footer(board, task, table, pen, grid.incomplete):
            console.print(_wrapped(sentence, width))
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _console(width: int, color: bool) -> Console:
    from rich.console import Console

    # Nothing is taken from the environment: the same board gives the same bytes.
    return Console(
        file=StringIO(),
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
        _environ={},
    )


def _wrapped(text: str, width: int) -> str:
    """`text` in lines of at most `width` cells; a number stays with what belongs to it."""
    from rich.cells import cell_len, chop_cells

    lines = [""]
    kept = text.replace(" %", "\u00a0%").replace("Tiers: ", "Tiers:\u00a0")
    for word in kept.split(" "):
        pieces = chop_cells(word, width) or [""]
        if lines[-1] and cell_len(f"{lines[-1]} {pieces[0]}") <= width:
            lines[-1] += f" {pieces.pop(0)}"
        lines += pieces
    return "\n".join(lines).strip("\n").replace("\u00a0", " ")


def _footer(
    board: Leaderboard, task: str | None, table: Table, pen: Pen, incomplete: str
) -> list[str]:
    paragraphs = [["Ranks are best–worst; 1 is the best."]]
    outcomes = ""
    if task is None:
        outcomes = outcome_sentence(board)
        paragraphs[0] += [scale_line(board), scopes_line(board)]
        paragraphs.append([new_task_line(board), width_line(board)])
    lines = [pen.plain(" ".join(filter(None, sentences))) for sentences in paragraphs]
    lines = [line for line in (*lines, incomplete, outcomes) if line]
    for remark in table.remarks:
        number = "" if remark.number is None else f"[{remark.number}] "
        lines.append(number + remark_text(remark, pen.name, lambda text: pen.known(visible(text))))
    return lines

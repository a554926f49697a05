"""A board for the terminal."""

from __future__ import annotations

from rankbars.data.board import Leaderboard
from rankbars.render.grid import Pen, Span, draw_grid, pen_for
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

__all__ = ["render_text"]

NARROWEST = 40
_CODES = {"bold": "1", "dim": "2", "bold cyan": "1;36"}  # of terminals (ECMA-48)


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
    if task is None:
        top = [(headline(board, pen.name), "bold"), (field_line(board) + ".", "dim")]
    else:
        top = [(task_line(board, task, pen.name), "bold")]
    lines = [
        [Span(line, style)]
        for sentence, style in top
        for line in _wrapped(pen.plain(sentence), width)
    ]
    grid = draw_grid(table, width, pen)
    lines += [[], *grid.lines, []]
    outcomes = [] if task is None else outcome_lines(board, board.tasks[task], width, pen)
    lines += [[Span(line)] for line in (*outcomes, *[""] * bool(outcomes))]
    for sentence in _footer(board, task, table, pen, grid.incomplete):
        lines += [[Span(line)] for line in _wrapped(sentence, width)]
    return "".join(f"{_written(line, color=color).rstrip()}\n" for line in lines)


def _written(line: list[Span], *, color: bool) -> str:
    if not color:
        return "".join(span.text for span in line)
    return "".join(
        f"\x1b[{_CODES[span.style]}m{span.text}\x1b[0m" if span.style and span.text else span.text
        for span in line
    )


def _wrapped(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` cells; a number stays with what belongs to it."""
    from rich.cells import cell_len, chop_cells

    lines = [""]
    kept = text.replace(" %", "\u00a0%").replace("Tiers: ", "Tiers:\u00a0")
    for word in kept.split(" "):
        pieces = chop_cells(word, width) or [""]
        if lines[-1] and cell_len(f"{lines[-1]} {pieces[0]}") <= width:
            lines[-1] += f" {pieces.pop(0)}"
        lines += pieces
    return "\n".join(lines).strip("\n").replace("\u00a0", " ").split("\n")


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

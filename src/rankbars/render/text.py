"""A board for the terminal: its sentences, its table, and what stands below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from rankbars.data.board import Leaderboard, TaskResult
from rankbars.render.boardnotes import remark_text
from rankbars.render.newtasklines import new_task_line, width_line
from rankbars.render.ranktable import (
    Head,
    SideTable,
    Table,
    board_table,
    task_order,
    task_table,
)
from rankbars.render.sentences import (
    field_line,
    headline,
    leader_lines,
    outcome_sentence,
    scale_line,
    scopes_line,
    task_line,
)
from rankbars.render.shownnames import shorten, shorten_all, visible
from rankbars.render.sidetables import side_tables
from rankbars.render.textgrid import (
    GAP,
    SHORTEST_NAME,
    Column,
    Pen,
    Span,
    cut_names,
    draw_grid,
    pen_for,
)
from rankbars.render.textlines import cells_of, each_wrapped, in_columns

__all__ = ["render_text"]

_NARROWEST = 40
_TITLES = ("Scored", "of these 0", "Unscored", "Failed", "Missing")
_ROWS = {"items": "items", "folds": "folds", "runs": "runs", "estimates": "items"}
_OUTCOME_GAP = 2
_SHORTEST = 8  # name beside outcomes
_CODES = {"bold": "1", "dim": "2", "bold cyan": "1;36"}  # of terminals (ECMA-48)


def render_text(
    board: Leaderboard,
    *,
    task: str | None = None,
    width: int = 80,
    color: bool = False,
    encoding: str = "utf-8",
    height: int | None = None,
    first: int | None = None,
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
        What the terminal can show; where that is not enough, plain _ASCII is used.
    height : int, optional
        Lines of the terminal: of a board that is longer, the first sentence comes last as well.
    first : int, optional
        Only so many rows of the table; ranks stay those among all.

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
    width = max(width, _NARROWEST)
    table = board_table(board) if task is None else task_table(board, task)
    if task is None:
        top = [(headline(board, pen.name), "bold"), (field_line(board, pen.name) + ".", "dim")]
        top = [*_about_lines(board, pen), *top]
    else:
        top = [(task_line(board, task, pen.name), "bold")]
    lines = [line for text, style in top for line in _said([text], width, pen, style)]
    grid = draw_grid(table, width, pen)
    left_out = 0 if first is None else max(len(table.rows) - first, 0)
    lines += [[], *grid.lines[: len(grid.lines) - left_out]]
    if left_out:
        lines.append([Span(f"and {left_out} more; ranks are among all {len(table.rows)}", "dim")])
    lines.append([])
    for side in side_tables(board, task):
        lines += _side_lines(side, width, pen)
    outcomes = [] if task is None else _outcome_lines(board, board.tasks[task], width, pen)
    lines += [[Span(line)] for line in (*outcomes, *[""] * bool(outcomes))]
    lines += _said(_footer(board, task, table, pen, grid.incomplete), width, pen)
    if height is not None and len(lines) > height:
        sentence = top[-2][0] if task is None else top[0][0]
        lines += [[], *_said([sentence], width, pen, "bold")]
    return "".join(f"{_written(line, color=color).rstrip()}\n" for line in lines)


def _about_lines(board: Leaderboard, pen: Pen) -> list[tuple[str, str]]:
    """Title, description, and source with its link, each with its style."""
    about = board.about
    if about is None:
        return []
    credit = ", ".join(filter(None, (*about.credit, about.link)))
    found = ((about.title, "bold"), (about.description, ""), (credit, "dim"))
    return [(pen.known(visible(text)), style) for text, style in found if text]


def _side_lines(table: SideTable, width: int, pen: Pen) -> list[list[Span]]:
    """A table below the main one with what is said of it, and a blank line."""
    columns = list(zip(*table.rows, strict=True))
    names = [pen.known(visible(name)) for name in columns[table.named]]
    sides = [
        _side(head, cells, width, pen)
        for place, (head, cells) in enumerate(zip(table.heads, columns, strict=True))
        if place != table.named
    ]
    room = width - sum(len(GAP) + column.width for column in sides)
    room = min(room, max(map(cells_of, names)))
    short = cut_names(names, [""] * len(names), max(room, SHORTEST_NAME), pen)
    sides.insert(table.named, Column([table.heads[table.named].title], short))
    rows = zip(*(column.lines(1) for column in sides), strict=True)
    said = [table.note, *table.listed, *(text for part in table.below for text in part)]
    return [
        *_said([f"{table.title}." if table.title else ""], width, pen),
        *([Span(GAP.join(row).rstrip(), "" if k else "dim")] for k, row in enumerate(rows)),
        *_said(said, width, pen),
        [],
    ]


def _side(head: Head, cells: Sequence[str], width: int, pen: Pen) -> Column:
    title = pen.plain(visible(head.title))
    shown = [pen.plain(cell) for cell in cells]
    if head.kind in ("name", "words"):
        shown = [shorten(cell, width // 3, mark=pen.mark) for cell in shown]
    if head.foreign:
        title = shorten(title, width // 4, mark=pen.mark)
    return Column([title], shown, right=head.kind == "number")


def _said(texts: Iterable[str], width: int, pen: Pen, style: str = "") -> list[list[Span]]:
    """Sentences as lines, each from a new line on; empty ones are left out."""
    kept = [pen.plain(text).replace("Tiers: ", "Tiers:\xa0") for text in texts if text]
    return [[Span(line, style)] for line in each_wrapped(kept, width)]


def _written(line: list[Span], *, color: bool) -> str:
    if not color:
        return "".join(span.text for span in line)
    return "".join(
        f"\x1b[{_CODES[span.style]}m{span.text}\x1b[0m" if span.style and span.text else span.text
        for span in line
    )


def _outcome_lines(board: Leaderboard, task: TaskResult, width: int, pen: Pen) -> list[str]:
    """The outcomes on one task, one line per model, best score first.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : TaskResult
        One of its tasks.
    width : int
        Columns of the terminal.
    pen : Pen
        What the terminal can show.

    Returns
    -------
    list of str
        Nothing where the outcomes are not known.
    """
    counts = task.counts
    if counts is None:
        return []
    kinds = [counts.scored, counts.zeros, counts.unscored, counts.errors, counts.missing]
    shown = [(title, kind) for title, kind in zip(_TITLES, kinds, strict=True) if kind is not None]
    what = _ROWS.get(task.kind, "rows")
    if not any(np.any(kind) for title, kind in shown if title != "Scored"):
        return [f"All {counts.expected:,} {what} of all models are scored, none of them with 0."]
    room = width - sum(_OUTCOME_GAP + len(title) for title, _ in shown)
    order = task_order(task)
    seen = [pen.known(visible(board.models[i])) for i in order]
    widths = [max(room, _SHORTEST)] * len(order)
    names = shorten_all(seen, widths, mark=pen.mark, measure=cells_of)
    rows = [("", *(title for title, _ in shown))]
    for model, i in zip(names, order, strict=True):
        rows.append((model, *(f"{int(kind[i]):,}" for _, kind in shown)))
    return [f"Outcomes of {counts.expected:,} {what}:", *in_columns(rows, "lr")]


def _footer(
    board: Leaderboard, task: str | None, table: Table, pen: Pen, incomplete: str
) -> list[str]:
    paragraphs = [["Ranks are best–worst; 1 is the best.", table.score_line]]
    outcomes = ""
    if task is None:
        outcomes = outcome_sentence(board)
        paragraphs[0] += [scale_line(board), scopes_line(board)]
        paragraphs.append([new_task_line(board), width_line(board)])
    lines = [" ".join(filter(None, sentences)) for sentences in paragraphs]
    if task is None:
        lines[1:1] = leader_lines(board)
    lines += [incomplete, outcomes]
    for remark in table.remarks:
        number = "" if remark.number is None else f"[{remark.number}] "
        lines.append(number + remark_text(remark, pen.name, lambda text: pen.known(visible(text))))
    return lines

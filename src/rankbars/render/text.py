"""A board for the terminal: columns that fit, intervals drawn with characters, sentences."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.notes import list_words
from rankbars.render.boardnotes import remark_text
from rankbars.render.claims import Claim
from rankbars.render.notation import COMPLETE
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
    new_task_line,
    outcome_sentence,
    scale_line,
    scopes_line,
    task_line,
    width_line,
)
from rankbars.render.shownnames import shorten, shorten_all, visible
from rankbars.render.sidetables import side_tables
from rankbars.render.textlines import cells_of, each_wrapped, in_columns

__all__ = [
    "render_text",
]

_NARROWEST = 40
_TITLES = ("Scored", "of these 0", "Unscored", "Failed", "Missing")
_ROWS = {"items": "items", "folds": "folds", "runs": "runs", "estimates": "items"}
_OUTCOME_GAP = 2
_SHORTEST = 8  # name beside outcomes
_CODES = {"bold": "1", "dim": "2", "bold cyan": "1;36"}  # of terminals (ECMA-48)
_GAP = "  "
_SHORTEST_NAME, _SHORT_NAME, _LONG_NAME = 6, 14, 60
_FEW_INCOMPLETE = 6  # so many models may be named in a sentence
_SHORT_BAR = 8  # bars longer than this are drawn only where no name has to be cut
# Cells of the drawn interval, and what must be left for names; tried in this order.
_BARS = (
    *((bar, _LONG_NAME) for bar in (24, 20, 16, 12)),
    *((_SHORT_BAR, 24), (7, 20), (4, _SHORT_NAME), (0, 0)),
)
_LEAD_WIDTH = 15  # of the header of the first column
_SIDE_WIDTHS = (19, 13, 9)  # of the others: the first that leaves room for a long bar


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
    pen = _pen_for(encoding)
    width = max(width, _NARROWEST)
    table = board_table(board) if task is None else task_table(board, task)
    if task is None:
        top = [(headline(board, pen.name), "bold"), (field_line(board) + ".", "dim")]
        top = [*_about_lines(board, pen), *top]
    else:
        top = [(task_line(board, task, pen.name), "bold")]
    lines = [line for text, style in top for line in _said([text], width, pen, style)]
    grid = _draw_grid(table, width, pen)
    left_out = 0 if first is None else max(len(table.rows) - first, 0)
    lines += [[], *grid.lines[: len(grid.lines) - left_out]]
    if left_out:
        lines.append([_Span(f"and {left_out} more; ranks are among all {len(table.rows)}", "dim")])
    lines.append([])
    for side in side_tables(board, task):
        lines += _side_lines(side, width, pen)
    outcomes = [] if task is None else _outcome_lines(board, board.tasks[task], width, pen)
    lines += [[_Span(line)] for line in (*outcomes, *[""] * bool(outcomes))]
    lines += _said(_footer(board, task, table, pen, grid.incomplete), width, pen)
    if height is not None and len(lines) > height:
        sentence = top[-2][0] if task is None else top[0][0]
        lines += [[], *_said([sentence], width, pen, "bold")]
    return "".join(f"{_written(line, color=color).rstrip()}\n" for line in lines)


def _about_lines(board: Leaderboard, pen: _Pen) -> list[tuple[str, str]]:
    """Title, description, and source with its link, each with its style."""
    about = board.about
    if about is None:
        return []
    credit = ", ".join(filter(None, (*about.credit, about.link)))
    found = ((about.title, "bold"), (about.description, ""), (credit, "dim"))
    return [(pen.known(visible(text)), style) for text, style in found if text]


def _side_lines(table: SideTable, width: int, pen: _Pen) -> list[list[_Span]]:
    """A table below the main one with what is said of it, and a blank line."""
    columns = list(zip(*table.rows, strict=True))
    names = [pen.known(visible(name)) for name in columns[table.named]]
    sides = [
        _side(head, cells, width, pen)
        for place, (head, cells) in enumerate(zip(table.heads, columns, strict=True))
        if place != table.named
    ]
    room = width - sum(len(_GAP) + column.width for column in sides)
    room = min(room, max(map(cells_of, names)))
    short = _short_names(names, [""] * len(names), max(room, _SHORTEST_NAME), pen)
    sides.insert(table.named, _Column([table.heads[table.named].title], short))
    rows = zip(*(column.lines(1) for column in sides), strict=True)
    said = [table.note, *table.listed, *(text for part in table.below for text in part)]
    return [
        *_said([f"{table.title}." if table.title else ""], width, pen),
        *([_Span(_GAP.join(row).rstrip(), "" if k else "dim")] for k, row in enumerate(rows)),
        *_said(said, width, pen),
        [],
    ]


def _side(head: Head, cells: Sequence[str], width: int, pen: _Pen) -> _Column:
    title = pen.plain(visible(head.title))
    shown = [pen.plain(cell) for cell in cells]
    if head.kind in ("name", "words"):
        shown = [shorten(cell, width // 3, mark=pen.mark) for cell in shown]
    if head.foreign:
        title = shorten(title, width // 4, mark=pen.mark)
    return _Column([title], shown, right=head.kind == "number")


def _said(texts: Iterable[str], width: int, pen: _Pen, style: str = "") -> list[list[_Span]]:
    """Sentences as lines, each from a new line on; empty ones are left out."""
    kept = [pen.plain(text).replace("Tiers: ", "Tiers:\xa0") for text in texts if text]
    return [[_Span(line, style)] for line in each_wrapped(kept, width)]


def _written(line: list[_Span], *, color: bool) -> str:
    if not color:
        return "".join(span.text for span in line)
    return "".join(
        f"\x1b[{_CODES[span.style]}m{span.text}\x1b[0m" if span.style and span.text else span.text
        for span in line
    )


def _outcome_lines(board: Leaderboard, task: TaskResult, width: int, pen: _Pen) -> list[str]:
    """The outcomes on one task, one line per model, best score first.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : TaskResult
        One of its tasks.
    width : int
        Columns of the terminal.
    pen : _Pen
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
    board: Leaderboard, task: str | None, table: Table, pen: _Pen, incomplete: str
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


class _Pen(NamedTuple):
    """What the terminal can show, and what stands for what it cannot."""

    encoding: str
    strokes: _Strokes
    mark: str

    def plain(self, text: str) -> str:
        """Our own words, with dashes and signs in _ASCII where needed."""
        if self.strokes is _LINES:
            return text
        return self.known(text.replace("–", "-").replace("±", "+-"))

    def known(self, text: str) -> str:
        """Somebody else's words, with what cannot be shown written as escapes."""
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def name(self, text: str) -> str:
        """A name in a sentence."""
        return shorten(self.known(visible(text)), _LONG_NAME, mark=self.mark)


def _pen_for(encoding: str) -> _Pen:
    """Lines and dashes where `encoding` has them, else plain _ASCII."""
    try:
        "".join((*_LINES, "–±…")).encode(encoding)
    except UnicodeEncodeError:
        return _Pen(encoding, _ASCII, "...")
    return _Pen(encoding, _LINES, "…")


class _Column(NamedTuple):
    """One column: header lines, one cell per row, and how it is set."""

    header: Sequence[str]
    cells: Sequence[str]
    right: bool = False
    is_drawn: bool = False

    @property
    def width(self) -> int:
        """Cells of the widest line."""
        return max(cells_of(text) for text in (*self.header, *self.cells))

    def lines(self, header_height: int) -> list[str]:
        """Header and cells, all of one width; the header stands at the bottom."""
        texts = [*[""] * (header_height - len(self.header)), *self.header, *self.cells]
        width = self.width
        pads = [" " * (width - cells_of(text)) for text in texts]
        return [
            pad + text if self.right and i >= header_height else text + pad
            for i, (text, pad) in enumerate(zip(texts, pads, strict=True))
        ]


class _Span(NamedTuple):
    """A part of a line, and how it is shown: plain, bold, dim or bold cyan."""

    text: str
    style: str = ""


class _Grid(NamedTuple):
    """Lines of the table, and a sentence for the column that had to give way, if any."""

    lines: list[list[_Span]]
    incomplete: str


class _Layout(NamedTuple):
    """Columns beside rank and name, and the cells left for bar and name."""

    table: Table
    side: list[_Column]
    bar: int
    room: int


def _draw_grid(table: Table, width: int, pen: _Pen) -> _Grid:
    """Set the table in `width` cells.

    The drawn interval gets shorter first; then the coverage of single models becomes a sentence;
    then names lose their middle.
    """
    marks = ["".join(f" [{number}]" for number in row.marks) for row in table.rows]
    names = [pen.known(visible(row.model)) for row in table.rows]
    wishes = [min(cells_of(n), _LONG_NAME) + len(m) for n, m in zip(names, marks, strict=True)]
    for layout in _layouts(table, width, max(wishes), pen):
        if layout.bar > _SHORT_BAR:
            break
    columns = [
        _rank_column(table, layout.bar, pen),
        _Column(["Model"], _short_names(names, marks, layout.room, pen)),
        *layout.side,
    ]
    height = max(len(column.header) for column in columns)
    lines = []
    for i, texts in enumerate(zip(*(column.lines(height) for column in columns), strict=True)):
        line: list[_Span] = []
        for column, text in zip(columns, texts, strict=True):
            line += (
                _drawn(text)
                if column.is_drawn and i >= height
                else [_Span(text, "dim" if i < height else "")]
            )
            line.append(_Span(_GAP))
        lines.append(_without_end(line))
    left_out = table.has_coverage and not layout.table.has_coverage
    return _Grid(lines, _incomplete_line(table, pen) if left_out else "")


def _drawn(text: str) -> list[_Span]:
    """A cell with a bar in parts: heavy strokes, thin strokes, and the rest."""
    parts = re.split("([━╾╼]+|─+)", text)
    styles = ("dim" if part.startswith("─") else "bold cyan" for part in parts[1::2])
    spans = [_Span(part) for part in parts]
    spans[1::2] = [_Span(part, style) for part, style in zip(parts[1::2], styles, strict=True)]
    return spans


def _without_end(line: list[_Span]) -> list[_Span]:
    """The line without the blanks at its end."""
    while line and not line[-1].text.rstrip():
        line.pop()
    return [*line[:-1], line[-1]._replace(text=line[-1].text.rstrip())] if line else []


def _layouts(table: Table, width: int, longest: int, pen: _Pen) -> Iterator[_Layout]:
    """What to try, in order of preference; the last one is taken where none has a long bar."""
    tables = [table]
    if table.has_coverage and len(_incomplete(table)) <= _FEW_INCOMPLETE:
        tables.append(table._replace(has_coverage=False))
    for kept in tables:
        for side_width in _SIDE_WIDTHS:
            side = _side_columns(kept, side_width, pen)
            taken = sum(len(_GAP) + column.width for column in side)
            yield _Layout(kept, side, *_share_width(kept, width - taken - len(_GAP), longest))


def _incomplete(table: Table) -> list[tuple[str, str]]:
    return [(row.model, row.coverage) for row in table.rows if row.coverage != COMPLETE]


def _incomplete_line(table: Table, pen: _Pen) -> str:
    models = [f"{pen.name(model)} {coverage}" for model, coverage in _incomplete(table)]
    return f"Scored in part: {list_words(models, _FEW_INCOMPLETE)}."


def _share_width(table: Table, width: int, longest: int) -> tuple[int, int]:
    """Cells for the bar and for names: a long bar only where no name has to be cut."""
    ranks = max(len(row.ranks) for row in table.rows)
    for bar, enough in _BARS:
        room = width - max(ranks + (len(_GAP) + bar if bar else 0), _LEAD_WIDTH)
        if room >= min(longest, enough):
            break
    return bar, max(min(room, longest), _SHORTEST_NAME)


def _short_names(names: Sequence[str], marks: Sequence[str], room: int, pen: _Pen) -> list[str]:
    widths = [max(room - len(mark), 5) for mark in marks]
    short = shorten_all(names, widths, mark=pen.mark, measure=cells_of)
    return [name + mark for name, mark in zip(short, marks, strict=True)]


def _rank_column(table: Table, bar: int, pen: _Pen) -> _Column:
    ranks = max(len(row.ranks) for row in table.rows)
    header = _claim_header(table.claim, max(ranks + len(_GAP) + bar, _LEAD_WIDTH))
    if not bar:
        return _Column(header, [pen.plain(row.ranks) for row in table.rows])
    header.append(" " * (ranks + len(_GAP)) + _axis_text(table.n_models, bar))
    cells = [
        pen.plain(row.ranks).ljust(ranks)
        + _GAP
        + _draw_bar(row.best, row.worst, table.n_models, bar, pen.strokes)
        for row in table.rows
    ]
    return _Column(header, cells, is_drawn=True)


def _side_columns(table: Table, width: int, pen: _Pen) -> list[_Column]:
    def cells(pick: str) -> list[str]:
        return [pen.plain(getattr(row, pick)) for row in table.rows]

    score = [table.score_title, *_balanced(pen.plain(table.score_note), _LEAD_WIDTH)]
    columns = [_Column(score, cells("score"))]
    for one in table.further:
        header = [one.title] if one.claim is None else _claim_header(one.claim, width)
        columns.append(_Column(header, cells(one.field), right=one.claim is None))
    return columns


def _claim_header(claim: Claim, width: int) -> list[str]:
    return [*_balanced(claim.title, width), *_balanced(claim.words, width)]


def _balanced(text: str, width: int) -> list[str]:
    """`text` in as few lines as `width` allows, of much the same length."""
    lines, longest = textwrap.wrap(text, width), max(map(len, text.split()), default=1)
    while width > longest and len(tighter := textwrap.wrap(text, width - 1)) == len(lines):
        lines, width = tighter, width - 1
    return lines


class _Strokes(NamedTuple):
    """Characters for one cell: no half, the left half, the right half or both halves covered."""

    none: str
    left: str
    right: str
    both: str


_LINES = _Strokes("─", "╾", "╼", "━")
_ASCII = _Strokes(".", "=", "=", "=")


def _draw_bar(best: int, worst: int, n_ranks: int, cells: int, strokes: _Strokes = _LINES) -> str:
    """Ranks 1 to `n_ranks` from left to right, with `best` to `worst` drawn heavily.

    Each rank takes an equal share of the line; half a cell is the finest step, and whatever the
    interval touches is drawn, so that a bar is never shorter than the interval.

    Parameters
    ----------
    best, worst, n_ranks : int
        The interval, and how many ranks there are.
    cells : int
        Length in characters.
    strokes : _Strokes
        What to draw with.

    Examples
    --------
    >>> _draw_bar(2, 3, 4, 4), _draw_bar(1, 1, 29, 6)
    ('─━━─', '╾─────')
    """
    halves = 2 * cells
    first = (best - 1) * halves // n_ranks
    last = -(-worst * halves // n_ranks)  # rounded up
    covered = [first <= half < last for half in range(halves)]
    pairs = zip(covered[::2], covered[1::2], strict=True)
    return "".join(strokes[left + 2 * right] for left, right in pairs)


def _axis_text(n_ranks: int, cells: int) -> str:
    """The two ends of the scale above a bar.

    Examples
    --------
    >>> _axis_text(29, 8)
    '1     29'
    """
    last = str(n_ranks)
    return "1" + last.rjust(cells - 1) if cells > len(last) + 1 else "1".ljust(cells)

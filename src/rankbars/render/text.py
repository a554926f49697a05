"""A board for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from rankbars.data.board import Leaderboard
from rankbars.render.bars import ASCII, LINES, Strokes, axis_text, draw_bar
from rankbars.render.claims import Claim
from rankbars.render.names import shorten, shorten_all, visible
from rankbars.render.remarks import remark_text
from rankbars.render.rows import Table, board_table, task_table
from rankbars.render.sentences import (
    field_line,
    headline,
    new_task_line,
    scopes_line,
    task_line,
    width_line,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["render_text"]

NARROWEST = 40
_GAP = "  "
_SHORT_NAME, _LONG_NAME = 14, 60
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
        Lines that end with a line break; with 80 columns or more none is longer than `width`.

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    pen = _pen(encoding)
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
        for line in _grid(table, width, pen):
            console.print(line, no_wrap=True, overflow="ignore", crop=False)
        console.print()
        for sentence in _footer(board, task, table, pen):
            console.print(_wrapped(sentence, width))
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


@dataclass(frozen=True, slots=True)
class Pen:
    """What the terminal can show, and what stands for what it cannot."""

    encoding: str
    strokes: Strokes
    mark: str

    def plain(self, text: str) -> str:
        """Our own words, with dashes and signs in ASCII where needed."""
        if self.strokes is LINES:
            return text
        return self.known(text.replace("–", "-").replace("±", "+-"))

    def known(self, text: str) -> str:
        """Somebody else's words, with what cannot be shown written as escapes."""
        return text.encode(self.encoding, "backslashreplace").decode(self.encoding)

    def name(self, text: str) -> str:
        """A name in a sentence."""
        return shorten(self.known(visible(text)), _LONG_NAME, mark=self.mark)


def _pen(encoding: str) -> Pen:
    try:
        "".join((*LINES, "–±…")).encode(encoding)
    except UnicodeEncodeError:
        return Pen(encoding, ASCII, "...")
    return Pen(encoding, LINES, "…")


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


@dataclass(frozen=True, slots=True)
class Column:
    """One column: header lines, one cell per row, and how it is set."""

    header: Sequence[str]
    cells: Sequence[str]
    right: bool = False
    is_drawn: bool = False

    def lines(self, header_height: int) -> list[str]:
        """Header and cells, all of one width; the header stands at the bottom."""
        from rich.cells import cell_len

        texts = [*[""] * (header_height - len(self.header)), *self.header, *self.cells]
        widest = max(cell_len(text) for text in texts)
        pads = [" " * (widest - cell_len(text)) for text in texts]
        return [
            pad + text if self.right and i >= header_height else text + pad
            for i, (text, pad) in enumerate(zip(texts, pads, strict=True))
        ]


def _grid(table: Table, width: int, pen: Pen) -> list[Text]:
    from rich.cells import cell_len
    from rich.text import Text

    marks = ["".join(f" [{number}]" for number in row.marks) for row in table.rows]
    names = [pen.known(visible(row.model)) for row in table.rows]
    wishes = [min(cell_len(n), _LONG_NAME) + len(m) for n, m in zip(names, marks, strict=True)]
    for side_width in _SIDE_WIDTHS:
        side = _side_columns(table, side_width, pen)
        taken = sum(len(_GAP) + cell_len(column.lines(len(column.header))[0]) for column in side)
        bar, room = _share_width(table, width - taken - len(_GAP), max(wishes))
        if bar > _SHORT_BAR:
            break
    columns = [
        _rank_column(table, bar, pen),
        Column(["Model"], _short_names(names, marks, room, pen)),
        *side,
    ]
    height = max(len(column.header) for column in columns)
    grid = []
    for i, texts in enumerate(zip(*(column.lines(height) for column in columns), strict=True)):
        line = Text()
        for column, text in zip(columns, texts, strict=True):
            cell = Text(text, style="dim" if i < height else "")
            if i >= height and column.is_drawn:
                cell.highlight_regex(r"[━╾╼]+", "bold cyan")
                cell.highlight_regex(r"─+", "dim")
            line.append_text(cell).append(_GAP)
        line.rstrip()
        grid.append(line)
    return grid


def _share_width(table: Table, width: int, longest: int) -> tuple[int, int]:
    """Cells for the bar and for names: a long bar only where no name has to be cut."""
    ranks = max(len(row.ranks) for row in table.rows)
    for bar, enough in _BARS:
        room = width - max(ranks + (len(_GAP) + bar if bar else 0), _LEAD_WIDTH)
        if room >= min(longest, enough):
            break
    return bar, max(min(room, longest), _SHORT_NAME)


def _short_names(names: Sequence[str], marks: Sequence[str], room: int, pen: Pen) -> list[str]:
    from rich.cells import cell_len

    widths = [max(room - len(mark), 5) for mark in marks]
    short = shorten_all(names, widths, mark=pen.mark, measure=cell_len)
    return [name + mark for name, mark in zip(short, marks, strict=True)]


def _rank_column(table: Table, bar: int, pen: Pen) -> Column:
    ranks = max(len(row.ranks) for row in table.rows)
    header = _claim_header(table.claim, max(ranks + len(_GAP) + bar, _LEAD_WIDTH))
    if not bar:
        return Column(header, [pen.plain(row.ranks) for row in table.rows])
    header.append(" " * (ranks + len(_GAP)) + axis_text(table.n_models, bar))
    cells = [
        pen.plain(row.ranks).ljust(ranks)
        + _GAP
        + draw_bar(row.best, row.worst, table.n_models, bar, pen.strokes)
        for row in table.rows
    ]
    return Column(header, cells, is_drawn=True)


def _side_columns(table: Table, width: int, pen: Pen) -> list[Column]:
    def cells(pick: str) -> list[str]:
        return [pen.plain(getattr(row, pick)) for row in table.rows]

    score = [table.score_title, *_balanced(pen.plain(table.score_note), _LEAD_WIDTH)]
    columns = [Column(score, cells("score"))]
    if table.has_tiers:
        columns.append(Column(["Tier"], cells("tier"), right=True))
    if table.new_claim is not None:
        columns.append(Column(_claim_header(table.new_claim, width), cells("new_ranks")))
    if table.has_coverage:
        columns.append(Column(["Scored"], cells("coverage"), right=True))
    return columns


def _claim_header(claim: Claim, width: int) -> list[str]:
    return [*_balanced(claim.title, width), *_balanced(claim.words, width)]


def _wrapped(text: str, width: int) -> str:
    """`text` in lines of at most `width` cells; a percent sign stays with its number."""
    from rich.cells import cell_len, chop_cells

    lines = [""]
    for word in text.replace(" %", "\u00a0%").split(" "):
        pieces = chop_cells(word, width) or [""]
        if lines[-1] and cell_len(f"{lines[-1]} {pieces[0]}") <= width:
            lines[-1] += f" {pieces.pop(0)}"
        lines += pieces
    return "\n".join(lines).strip("\n").replace("\u00a0", " ")


def _balanced(text: str, width: int) -> list[str]:
    """`text` in as few lines as `width` allows, of much the same length."""
    lines = textwrap.wrap(text, width)
    while width > 1 and len(tighter := textwrap.wrap(text, width - 1)) == len(lines):
        lines, width = tighter, width - 1
    return lines


def _footer(board: Leaderboard, task: str | None, table: Table, pen: Pen) -> list[str]:
    paragraphs = [("Ranks are best–worst; 1 is the best.", scopes_line(board) if not task else "")]
    if task is None:
        paragraphs.append((new_task_line(board), width_line(board)))
    lines = [pen.plain(" ".join(filter(None, sentences))) for sentences in paragraphs]
    lines = [line for line in lines if line]
    for remark in table.remarks:
        number = "" if remark.number is None else f"[{remark.number}] "
        lines.append(number + remark_text(remark, pen.name, lambda text: pen.known(visible(text))))
    return lines

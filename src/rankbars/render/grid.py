"""The columns of a board in a terminal: how wide each may be, and what gives way first."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rankbars.render.bars import ASCII, LINES, Strokes, axis_text, draw_bar
from rankbars.render.claims import Claim
from rankbars.render.names import listed, shorten, shorten_all, visible
from rankbars.render.numbers import COMPLETE
from rankbars.render.rows import Table

__all__ = ["Grid", "Pen", "Span", "draw_grid", "pen_for"]

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


def pen_for(encoding: str) -> Pen:
    """Lines and dashes where `encoding` has them, else plain ASCII."""
    try:
        "".join((*LINES, "–±…")).encode(encoding)
    except UnicodeEncodeError:
        return Pen(encoding, ASCII, "...")
    return Pen(encoding, LINES, "…")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: header lines, one cell per row, and how it is set."""

    header: Sequence[str]
    cells: Sequence[str]
    right: bool = False
    is_drawn: bool = False

    @property
    def width(self) -> int:
        """Cells of the widest line."""
        from rich.cells import cell_len

        return max(cell_len(text) for text in (*self.header, *self.cells))

    def lines(self, header_height: int) -> list[str]:
        """Header and cells, all of one width; the header stands at the bottom."""
        from rich.cells import cell_len

        texts = [*[""] * (header_height - len(self.header)), *self.header, *self.cells]
        width = self.width
        pads = [" " * (width - cell_len(text)) for text in texts]
        return [
            pad + text if self.right and i >= header_height else text + pad
            for i, (text, pad) in enumerate(zip(texts, pads, strict=True))
        ]


class Span(NamedTuple):
    """A part of a line, and how it is shown: plain, bold, dim or bold cyan."""

    text: str
    style: str = ""


class Grid(NamedTuple):
    """Lines of the table, and a sentence for the column that had to give way, if any."""

    lines: list[list[Span]]
    incomplete: str


class Layout(NamedTuple):
    """Columns beside rank and name, and the cells left for bar and name."""

    table: Table
    side: list[Column]
    bar: int
    room: int


def draw_grid(table: Table, width: int, pen: Pen) -> Grid:
    """Set the table in `width` cells.

    The drawn interval gets shorter first; then the coverage of single models becomes a sentence;
    then names lose their middle.
    """
    from rich.cells import cell_len

    marks = ["".join(f" [{number}]" for number in row.marks) for row in table.rows]
    names = [pen.known(visible(row.model)) for row in table.rows]
    wishes = [min(cell_len(n), _LONG_NAME) + len(m) for n, m in zip(names, marks, strict=True)]
    for layout in _layouts(table, width, max(wishes), pen):
        if layout.bar > _SHORT_BAR:
            break
    columns = [
        _rank_column(table, layout.bar, pen),
        Column(["Model"], _short_names(names, marks, layout.room, pen)),
        *layout.side,
    ]
    height = max(len(column.header) for column in columns)
    lines = []
    for i, texts in enumerate(zip(*(column.lines(height) for column in columns), strict=True)):
        line: list[Span] = []
        for column, text in zip(columns, texts, strict=True):
            line += (
                _drawn(text)
                if column.is_drawn and i >= height
                else [Span(text, "dim" if i < height else "")]
            )
            line.append(Span(_GAP))
        lines.append(_without_end(line))
    left_out = table.has_coverage and not layout.table.has_coverage
    return Grid(lines, _incomplete_line(table, pen) if left_out else "")


def _drawn(text: str) -> list[Span]:
    """A cell with a bar in parts: heavy strokes, thin strokes, and the rest."""
    parts = re.split("([━╾╼]+|─+)", text)
    styles = ("dim" if part.startswith("─") else "bold cyan" for part in parts[1::2])
    spans = [Span(part) for part in parts]
    spans[1::2] = [Span(part, style) for part, style in zip(parts[1::2], styles, strict=True)]
    return spans


def _without_end(line: list[Span]) -> list[Span]:
    """The line without the blanks at its end."""
    while line and not line[-1].text.rstrip():
        line.pop()
    return [*line[:-1], line[-1]._replace(text=line[-1].text.rstrip())] if line else []


def _layouts(table: Table, width: int, longest: int, pen: Pen) -> Iterator[Layout]:
    """What to try, in order of preference; the last one is taken where none has a long bar."""
    tables = [table]
    if table.has_coverage and len(_incomplete(table)) <= _FEW_INCOMPLETE:
        tables.append(replace(table, has_coverage=False))
    for kept in tables:
        for side_width in _SIDE_WIDTHS:
            side = _side_columns(kept, side_width, pen)
            taken = sum(len(_GAP) + column.width for column in side)
            yield Layout(kept, side, *_share_width(kept, width - taken - len(_GAP), longest))


def _incomplete(table: Table) -> list[tuple[str, str]]:
    return [(row.model, row.coverage) for row in table.rows if row.coverage != COMPLETE]


def _incomplete_line(table: Table, pen: Pen) -> str:
    models = [f"{pen.name(model)} {coverage}" for model, coverage in _incomplete(table)]
    return f"Scored in part: {listed(models, _FEW_INCOMPLETE)}."


def _share_width(table: Table, width: int, longest: int) -> tuple[int, int]:
    """Cells for the bar and for names: a long bar only where no name has to be cut."""
    ranks = max(len(row.ranks) for row in table.rows)
    for bar, enough in _BARS:
        room = width - max(ranks + (len(_GAP) + bar if bar else 0), _LEAD_WIDTH)
        if room >= min(longest, enough):
            break
    return bar, max(min(room, longest), _SHORTEST_NAME)


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


def _balanced(text: str, width: int) -> list[str]:
    """`text` in as few lines as `width` allows, of much the same length."""
    lines = textwrap.wrap(text, width)
    while width > 1 and len(tighter := textwrap.wrap(text, width - 1)) == len(lines):
        lines, width = tighter, width - 1
    return lines

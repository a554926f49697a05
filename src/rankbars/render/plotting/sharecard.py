"""The card that other sites show of a link to a board: its sentence, its first rows, its source.

It is drawn of what programs are given of a board, in the size that they ask for.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankbars.render.notation import show_ranks, ticked_ranks
from rankbars.render.plotting.lettering import labels, set_letters, without_glyph_warnings
from rankbars.render.plotting.style import FIRST, PRINT, fold
from rankbars.render.shownnames import visible

if TYPE_CHECKING:
    from matplotlib.text import Text

__all__ = ["CARD_SIZE", "share_card"]

CARD_SIZE = (1200, 630)
_EDGE, _LEFT, _RIGHT = 48, 400, 1060  # of all; of the bars
_STEP, _BOTTOM = 30, 556  # between rows, and where the last one ends at most
_HEAD = 34  # the ranks above the rows
_DOTS = 100  # per inch
_COLORS = 32
_INK, _QUIET, _RULE = "#16191d", "#565f69", "#dfe3e7"
_NAME_WIDTHS = range(30, 9, -2)  # letters; the first at which all names end before the bars


def share_card(summary: Mapping[str, Any], source: str = "", color: str = FIRST) -> bytes:
    """A PNG of 1200 × 630 pixels; the same board gives the same bytes.

    Parameters
    ----------
    summary : mapping
        What a site gives to programs of a board (``api/boards/NAME.json``).
    source : str
        Where the results come from.
    color : str
        Of the bars.

    Returns
    -------
    bytes
        The picture. Letters that no font has are boxes.
    """
    import matplotlib as mpl

    with mpl.rc_context(PRINT), without_glyph_warnings():
        card = _Card()
        y = 34.0
        if summary["title"]:
            y = card.below(card.line(y, summary["title"], 26, weight="bold")) + 6
        y = card.below(card.line(y, summary["field"], 19, color=_QUIET)) + 18
        first, *rest = summary["opening"]
        y = card.paragraph(y, first, 33, weight="bold", linespacing=1.15)
        y = card.paragraph(y, " ".join(rest), 19, color=_QUIET, linespacing=1.25)
        rows, size = summary["models"], len(summary["models"])
        rows = rows[: max(1, int((_BOTTOM - y - _HEAD) // _STEP))]
        card.bars(y + _HEAD, rows, size, color)
        shown = "" if len(rows) == size else f"The first {len(rows)} of {size}. "
        credit = " · ".join(filter(None, (source, summary["date"], summary["made_with"])))
        card.line(CARD_SIZE[1] - 28, shown + credit, 17, color=_QUIET, va="bottom")
        return card.png()


class _Card:
    """A white card on which is written and drawn by pixels from its upper left corner."""

    def __init__(self) -> None:
        from matplotlib.figure import Figure

        self.wide, self.high = CARD_SIZE
        self.figure = Figure(
            figsize=(self.wide / _DOTS, self.high / _DOTS), dpi=_DOTS, facecolor="white"
        )

    def write(self, x: float, y: float, text: str, size: float, **more: Any) -> Text:
        return self.figure.text(
            x / self.wide, 1 - y / self.high, text,
            **{"size": 72 / _DOTS * size, "color": _INK, "va": "top", **more},
        )  # fmt: skip

    def below(self, text: Text) -> float:
        """Where a text ends."""
        return self.high - float(text.get_window_extent().y0)

    def line(self, y: float, words: str, size: float, **more: Any) -> Text:
        """Text in one line, cut where it would reach the edge."""
        said, most = " ".join(visible(words).split()), self.wide - 2 * _EDGE
        text = self.write(_EDGE, y, said, size, **more)
        while (width := text.get_window_extent().width) > most:
            said = said[: min(len(said) - 2, int(len(said) * most / width))]
            text.set_text(said.rstrip() + "…")
        return text

    def paragraph(self, y: float, words: str, size: float, **more: Any) -> float:
        """Text in as many lines as it needs; where what comes next may begin."""
        text = self.write(_EDGE, y, "", size, **more)
        fold(text, visible(words), (self.wide - 2 * _EDGE) / _DOTS)
        return self.below(text) + 12

    def box(self, x: float, y: float, width: float, height: float, color: str) -> None:
        from matplotlib.patches import Rectangle

        self.figure.add_artist(
            Rectangle(
                (x / self.wide, 1 - (y + height) / self.high), width / self.wide,
                height / self.high, facecolor=color, edgecolor="none",
            )
        )  # fmt: skip

    def bars(self, top: float, rows: Sequence[Sequence[Any]], size: int, color: str) -> None:
        """Name, bar and rank interval of each row, over upright lines at some ranks."""
        lowest = max(row[2] for row in rows)
        last = lowest if lowest <= 0.8 * size else size
        per_rank = (_RIGHT - _LEFT) / last
        for rank in ticked_ranks(last, 8):
            x = _LEFT + (rank - 0.5) * per_rank
            self.write(x, top - 24, str(rank), 16, color=_QUIET, ha="center")
            self.box(x - 0.5, top, 1, _STEP * len(rows), _RULE)
        names = [self.write(_EDGE, 0, "", 19, va="center") for _ in rows]
        for width in _NAME_WIDTHS:
            for text, name in zip(names, labels([row[0] for row in rows], width), strict=True):
                text.set_text(name)
            if all(text.get_window_extent().width < _LEFT - _EDGE - 16 for text in names):
                break
        for k, (text, (_, best, worst, *_)) in enumerate(zip(names, rows, strict=True)):
            middle, long = top + _STEP * (k + 0.5), worst - best + 1
            text.set_y(1 - middle / self.high)
            self.box(_LEFT + (best - 1) * per_rank, middle - 8, long * per_rank, 16, color)
            ranks = show_ranks(best, worst)
            self.write(self.wide - _EDGE, middle, ranks, 19, va="center", ha="right")

    def png(self) -> bytes:
        from PIL import Image  # which matplotlib needs, too

        set_letters(self.figure, replace=True)
        dots, stream = io.BytesIO(), io.BytesIO()
        self.figure.savefig(dots, format="rgba", dpi=_DOTS)
        drawn = Image.frombytes("RGBA", CARD_SIZE, dots.getvalue()).convert("RGB")
        # A site has a card per board: few colours are a third of the bytes.
        few = drawn.quantize(_COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.save(stream, format="png", optimize=True)
        return stream.getvalue()

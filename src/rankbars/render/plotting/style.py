"""How pictures for paper look: colours, sizes, names of rows and columns, and the file."""

from __future__ import annotations

import importlib.util
import io
import textwrap
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import MissingPackageError, UnknownOptionError
from rankbars.render.notation import shorten_all, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLUMN",
    "DARK",
    "FIRST",
    "MARKERS",
    "PAGE",
    "PALE",
    "PRINT",
    "SECOND",
    "bars",
    "beside",
    "check_picture",
    "colors",
    "draw_title",
    "label_columns",
    "label_rows",
    "labels",
    "picture_bytes",
    "rank_axis",
]

COLUMN, PAGE = 3.3, 6.9  # inches: one column, and both, of a journal
# Dark, middle and pale stay apart without colour.
FIRST, SECOND, PALE, DARK = "#1f5f9f", "#b04a12", "#c9d3dc", "#333333"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
_NAME_WIDTH = 34
_COLUMN_WIDTH = 20

# Any: matplotlib types the names of its settings one by one.
PRINT: Any = {
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "font.size": 8,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "pdf.fonttype": 42,  # letters that can be searched and edited
    "svg.fonttype": "none",
    "svg.hashsalt": "rankbars",  # ids that do not change from run to run
    "text.parse_math": False,  # a dollar in a name is a dollar
    "xtick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.labelsize": 7.5,
    "ytick.major.width": 0.6,
}
_PICTURES = ("svg", "png", "pdf", "none")


def labels(names: Sequence[str], width: int = _NAME_WIDTH) -> list[str]:
    """Names as they are drawn: nothing hidden in them, and short, but still different."""
    return shorten_all([visible(name) for name in names], [width] * len(names))


def label_rows(ax: Axes, names: Sequence[str]) -> None:
    """One name per row, the first on top."""
    ax.set_yticks(range(len(names)), labels(names))
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def label_columns(ax: Axes, names: Sequence[str]) -> None:
    """One slanted name per column."""
    ax.set_xticks(
        range(len(names)), labels(names, _COLUMN_WIDTH), rotation=55, ha="right",
        rotation_mode="anchor",
    )  # fmt: skip
    ax.tick_params(axis="x", length=0)


def bars(
    ax: Axes, best: NDArray[np.int64], worst: NDArray[np.int64], size: int, color: str = FIRST
) -> None:
    """One interval of ranks per row, on a line from 1 to `size`."""
    rows = np.arange(best.size)
    ax.hlines(rows, 1, max(size, 2), color=PALE, lw=0.6)
    ax.hlines(rows, best, worst, color=color, lw=3, capstyle="round")
    # A dot at either end keeps an interval of a single rank visible.
    ax.plot(best, rows, "o", color=color, ms=3.5)
    ax.plot(worst, rows, "o", color=color, ms=3.5)
    rank_axis(ax, size)


def beside(ax: Axes) -> Axes:
    """A second panel to the right, as large as the first and with the same rows."""
    panel: Axes = ax.inset_axes((1.07, 0.0, 1.0, 1.0), sharey=ax)
    panel.tick_params(axis="y", length=0, labelleft=False)
    return panel


def rank_axis(ax: Axes, size: int) -> None:
    """Ranks from 1 to `size`, both of them named."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**9) if size <= 12 * step)
    ticks = [1, *(tick for tick in range(step, size, step) if 1 < tick < size - step / 2), size]
    ax.set_xticks(sorted(set(ticks)))
    ax.set_xlim(1 - 0.02 * size, size + 0.02 * size)
    ax.set_xlabel("rank (1 is the best)")
    ax.spines["left"].set_visible(False)


def colors(count: int) -> list[Any]:
    """`count` colours that differ in lightness too, so that they stay apart in grey."""
    import matplotlib as mpl

    if count <= 1:
        return [FIRST]
    shades = mpl.colormaps["viridis"](np.linspace(0.08, 0.88, count))
    return [tuple(shade) for shade in shades]


def draw_title(figure: Figure, title: str) -> None:
    """Set a title above all that is drawn already, in lines as wide as that."""
    drawn = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    size = 10
    # A letter is about half as wide as it is high.
    lines = textwrap.wrap(visible(title), max(20, round(drawn.width * 72 / (0.55 * size))))
    figure.text(
        drawn.x0 / width, (drawn.y1 + 0.08) / height, "\n".join(lines),
        ha="left", va="bottom", size=size, weight="bold",
    )  # fmt: skip


def check_picture(kind: str, *, drawn: bool, projection: str | None = None) -> None:
    """Refuse a kind of picture that cannot be drawn.

    Parameters
    ----------
    kind : str
        One of `_PICTURES`.
    drawn : bool
        Whether anything is to be drawn.
    projection : str, optional
        Of the axes; ``"ternary"`` needs mpltern.

    Raises
    ------
    UnknownOptionError
        If the kind is not known.
    MissingPackageError
        If something is to be drawn and matplotlib (or mpltern) is not installed.
    """
    if kind not in _PICTURES:
        raise UnknownOptionError.among("picture", kind, _PICTURES)
    packages = ["matplotlib", *(["mpltern"] if projection == "ternary" else [])]
    for package in packages if drawn else ():
        if importlib.util.find_spec(package) is None:
            raise MissingPackageError.for_extra(
                package, "This picture", '"rankbars[plot]" (or ask for no picture)'
            )


def picture_bytes(figure: Figure, kind: str) -> bytes:
    """The finished file; the same figure gives the same bytes.

    The label of the figure becomes the text alternative of an SVG.
    """
    import matplotlib as mpl

    stream = io.BytesIO()
    # Without a date, and with ids that do not change from run to run.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    style: Any = {
        "pdf.fonttype": 42,
        "svg.fonttype": "none",
        "svg.hashsalt": "rankbars",
        "text.parse_math": False,
    }
    with mpl.rc_context(style):
        figure.savefig(stream, format=kind, metadata=metadata, bbox_inches="tight", dpi=200)
    made = stream.getvalue()
    return _with_title(made, str(figure.get_label())) if kind == "svg" else made


def _with_title(svg: bytes, text: str) -> bytes:
    """The drawing with `text` as its title, which screen readers and browsers show."""
    head, opening, rest = svg.partition(b"<svg ")
    attributes, end, drawing = rest.partition(b">")
    title = f"\n <title>{escape(text)}</title>".encode()
    return head + opening + attributes + end + title + drawing

"""How pictures for paper look: colours, sizes, names of rows and columns, and the file."""

from __future__ import annotations

import importlib.util
import io
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.errors import MissingPackageError, OptionError
from rankbars.render.notation import ticked_ranks
from rankbars.render.plotting.lettering import (
    NAME_WIDTH,
    Names,
    labels,
    set_letters,
    without_glyph_warnings,
)
from rankbars.render.shownnames import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    from rankbars.data.taskresult import TaskResult

__all__ = [
    "ALL",
    "COLUMN",
    "DARK",
    "FIRST",
    "MARKERS",
    "PAGE",
    "PALE",
    "PRINT",
    "SECOND",
    "SORTS",
    "Shown",
    "bar_rows",
    "bars",
    "beside",
    "category_legend",
    "category_marks",
    "check_picture",
    "colors",
    "draw_title",
    "fold",
    "label_columns",
    "label_rows",
    "last_rank",
    "picture_bytes",
    "rank_axis",
]

COLUMN, PAGE = 3.3, 6.9  # inches: one column, and both, of a journal
# Dark, middle and pale stay apart without colour.
FIRST, SECOND, PALE, DARK = "#1f5f9f", "#b04a12", "#c9d3dc", "#333333"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
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
    "text.hinting": "none",  # letters as wide at every number of dots
    "text.parse_math": False,  # a dollar in a name is a dollar
    "xtick.labelsize": 7.5,
    "xtick.major.width": 0.6,
    "ytick.labelsize": 7.5,
    "ytick.major.width": 0.6,
}
_PICTURES = ("svg", "png", "pdf", "none")
SORTS = ("score", "rank", "name", "given")


class Shown(NamedTuple):
    """Which models a picture shows, and in which order; ranks stay those among all models.

    Attributes
    ----------
    models : tuple of str, optional
        Only these.
    top : int, optional
        The first so many of them, after sorting.
    sort : {"score", "rank", "name", "given"}
        By score, the order of the page; by the ends of the rank interval; by name; or as `models`
        names them.
    """

    models: tuple[str, ...] | None = None
    top: int | None = None
    sort: str = "score"

    def count(self, size: int) -> int:
        """How many of `size` models are shown."""
        chosen = size if self.models is None else len(set(self.models))
        return chosen if self.top is None else min(self.top, chosen)

    def rows(
        self,
        models: Sequence[str],
        order: Iterable[int],
        ranks: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None,
    ) -> list[int]:
        """Positions of the models that are shown, from the top.

        Parameters
        ----------
        models : sequence of str
            All models.
        order : iterable of int
            Their positions, best score first.
        ranks : two arrays of int, optional
            Both ends of their rank intervals, where the picture shows any.

        Raises
        ------
        UnknownOptionError
            If a model is not among them.
        OptionError
            If they cannot be sorted so.
        """
        for name in self.models or ():
            check_name("model", name, models)
        rows = [i for i in order if self.models is None or models[i] in self.models]
        if self.sort == "name":
            rows.sort(key=lambda i: (models[i].casefold(), models[i]))
        elif self.sort == "rank":
            if ranks is None:
                raise OptionError("This picture shows no ranks to sort by: sort by score or name.")
            best, worst = ranks
            rows.sort(key=lambda i: (best[i], worst[i]))
        elif self.sort == "given" and self.models is not None:
            place = {name: k for k, name in enumerate(self.models)}
            rows.sort(key=lambda i: place[models[i]])
        return rows[: self.top]


ALL = Shown()


def bar_rows(
    ax: Axes, models: Sequence[str], ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    order: Sequence[int], color: str = FIRST,
) -> None:  # fmt: skip
    """A bar of ranks per model, in this order, and its name; `ends`: best and worst of all."""
    best, worst = (one[order] for one in ends)
    bars(ax, best, worst, last_rank(worst, len(models)), color)
    label_rows(ax, [models[i] for i in order])


def category_marks(tasks: Iterable[TaskResult]) -> dict[str, dict[str, Any]]:
    """Colour and mark of the tasks of each category, as arguments of what is drawn."""
    groups = sorted({task.category or "" for task in tasks})
    return {
        name: {"color": color, "marker": MARKERS[k % len(MARKERS)]}
        for k, (name, color) in enumerate(zip(groups, colors(len(groups)), strict=True))
    }


def category_legend(ax: Axes, marks: Mapping[str, Mapping[str, Any]], line: str) -> None:
    """What the marks mean, beside the picture; nothing where there is one kind of tasks."""
    if list(marks) == [""]:
        return
    for mark, text in zip(marks.values(), labels([*marks], 24), strict=True):
        ax.plot([], [], linestyle=line, **mark, label=text or "none")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), title="category")


def label_rows(ax: Axes, names: Sequence[str]) -> None:
    """One name per row, the first on top."""
    ax.set_yticks(range(len(names)))
    ax.yaxis.set_major_formatter(Names(names, NAME_WIDTH))
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def label_columns(ax: Axes, names: Sequence[str]) -> None:
    """One slanted name per column."""
    ax.set_xticks(range(len(names)))
    ax.xaxis.set_major_formatter(Names(names, _COLUMN_WIDTH))
    for label in ax.get_xticklabels():
        label.set(rotation=55, ha="right", rotation_mode="anchor")
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


def last_rank(worst: NDArray[np.int64], size: int) -> int:
    """Where a line of ranks ends: at the number of models, or of some, at their worst rank."""
    return size if worst.size == size else int(worst.max(initial=2))


def beside(ax: Axes) -> Axes:
    """A second panel to the right, as large as the first and with the same rows."""
    panel: Axes = ax.inset_axes((1.15, 0.0, 1.0, 1.0), sharey=ax)
    panel.tick_params(axis="y", length=0, labelleft=False)
    return panel


def rank_axis(ax: Axes, size: int) -> None:
    """Ranks from 1 to `size`, both of them named."""
    ax.set_xticks(ticked_ranks(size))
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


def draw_title(figure: Figure, title: str, most: float | None = None) -> None:
    """Set a title above all that is drawn already, in lines as wide as that, or `most` inches."""
    drawn = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    size, room = 10, drawn.width if most is None else most - 0.2
    text = figure.text(
        drawn.x0 / width, (drawn.y1 + 0.08) / height, "", ha="left", va="bottom", size=size,
        weight="bold",
    )  # fmt: skip
    fold(text, visible(title), room)


def fold(text: Text, words: str, room: float) -> None:
    """Write `words` into `text` in lines that are at most `room` inches wide."""
    figure = text.get_figure(root=True)
    dots = 100.0 if figure is None else figure.dpi
    most = int(room * 72 / (0.4 * float(text.get_fontsize())))
    for letters in range(max(12, most), 11, -2):
        lines = [part for line in words.split("\n") for part in textwrap.wrap(line, letters)]
        text.set_text("\n".join(lines))
        if text.get_window_extent().width <= room * dots:
            return


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
    check_name("picture", kind, _PICTURES)
    packages = ["matplotlib", *(["mpltern"] if projection == "ternary" else [])]
    for package in packages if drawn else ():
        if importlib.util.find_spec(package) is None:
            raise MissingPackageError.for_extra(
                package, "This picture", '"rankbars[plot]" (or ask for no picture)'
            )


def picture_bytes(figure: Figure, kind: str, dpi: float = 200) -> bytes:
    """The finished file; the same figure gives the same bytes.

    The label of the figure becomes the text alternative of an SVG. Letters that no font has are
    boxes, but for those of an SVG, whose reader may have a font.
    """
    import matplotlib as mpl

    stream = io.BytesIO()
    # Without a date, and with ids that do not change from run to run.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    style: Any = {
        "pdf.fonttype": 42,
        "svg.fonttype": "none",
        "svg.hashsalt": "rankbars",
        "text.hinting": "none",
        "text.parse_math": False,
    }
    set_letters(figure, replace=kind != "svg")
    with mpl.rc_context(style), without_glyph_warnings():
        figure.savefig(stream, format=kind, metadata=metadata, bbox_inches="tight", dpi=dpi)
    made = stream.getvalue()
    return _with_title(made, str(figure.get_label())) if kind == "svg" else made


def _with_title(svg: bytes, text: str) -> bytes:
    """The drawing with `text` as its title, which screen readers and browsers show."""
    head, opening, rest = svg.partition(b"<svg ")
    attributes, end, drawing = rest.partition(b">")
    title = f"\n <title>{escape(text)}</title>".encode()
    return head + opening + attributes + end + title + drawing

"""A picture in the width of a column: axes and names give way, titles are folded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankbars.errors import OptionError
from rankbars.render.notation import counted
from rankbars.render.plotting.lettering import names_of
from rankbars.render.plotting.style import COLUMN, PAGE, fold

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["fit_width", "picture_width"]

_INCH = 25.4  # millimetres
_WIDTHS = {"single": COLUMN * _INCH, "double": PAGE * _INCH}
_NARROWEST, _WIDEST = 40.0, 1000.0  # millimetres
_NAME_WIDTHS = (34, 28, 24, 20, 16, 13)  # letters of a name, tried in this order
_LEAST_AXES = 0.45  # of the width
_LEAST_PITCH = 5.2  # points between two names of columns, or boxes of a diagram
_LEAST_CELL = 3.6  # points: the letters in a cell


def picture_width(text: str) -> float:
    """A width in inches: ``"single"``, ``"double"``, or millimetres.

    Examples
    --------
    >>> picture_width("single"), round(picture_width("120mm"), 2)
    (3.3, 4.72)
    """
    words = text.strip().lower()
    try:
        width = _WIDTHS.get(words) or float(words.removesuffix("mm"))
    except ValueError:
        width = 0.0
    if not _NARROWEST <= width <= _WIDEST:
        raise OptionError(
            f"The width {text!r} is not one: give single ({_WIDTHS['single']:.0f} mm), double "
            f"({_WIDTHS['double']:.0f} mm), or {_NARROWEST:.0f} to {_WIDEST:.0f} millimetres."
        )
    return width / _INCH


def fit_width(figure: Figure, width: float) -> None:
    """Make all that is drawn as wide as asked: axes give way, then names, and titles are folded.

    Parameters
    ----------
    figure : matplotlib figure
        One picture.
    width : float
        Inches, of all that is drawn.

    Raises
    ------
    OptionError
        If there is no room for columns that can be read.
    """
    ax = figure.axes[0]
    margin = 0.1  # inches around, as matplotlib leaves them
    width -= 2 * margin
    panels = _panels(ax)
    titles = [panel.get_title(loc="left") or panel.get_title() for panel in panels]
    for panel in panels:
        panel.set_title("", loc="left")
        panel.set_title("")
    _lower_legend(ax, width)
    for letters in _NAME_WIDTHS:
        for axis in (ax.yaxis, ax.xaxis):
            names = names_of(axis)
            if names is not None:
                names.cut(letters if axis is ax.yaxis else min(letters, 20))
        _stretch(figure, ax, width)
        drawn = sum(panel.get_window_extent().width for panel in panels) / figure.dpi
        if drawn >= _LEAST_AXES * width:
            break
    _check_pitch(figure, ax, width)
    box = figure.get_tightbbox()
    dots = figure.dpi
    for panel, title in zip(panels, titles, strict=True):
        place = panel.get_window_extent()
        right = [other.get_window_extent().x0 / dots for other in panels if other is not panel]
        left = box.x0 if panel is ax else place.x0 / dots
        end = min([box.x0 + width, *(one - 0.08 for one in right if one > left)])
        size = 9 if len(panels) == 1 else 8
        at = (left - place.x0 / dots) / (place.width / dots)
        fold(panel.set_title("", loc="left", x=at, fontsize=size), title, end - left)
    _trim(figure, ax, margin)


def _trim(figure: Figure, ax: Axes, margin: float) -> None:
    """Make the figure as large as what is drawn in it, with a margin."""
    box, dots = figure.get_tightbbox(), figure.dpi
    place = ax.get_window_extent().frozen()
    width, height = box.width + 2 * margin, box.height + 2 * margin
    left, bottom = place.x0 / dots - box.x0 + margin, place.y0 / dots - box.y0 + margin
    figure.set_size_inches(width, height)
    ax.set_position(
        (left / width, bottom / height, place.width / dots / width, place.height / dots / height)
    )


def _panels(ax: Axes) -> list[Any]:
    """The axes, and those beside it that have rows of their own; not the scale of shades."""
    beside = [one for one in ax.child_axes if one.get_shared_y_axes().joined(ax, one)]
    return [ax, *beside]


def _lower_legend(ax: Axes, width: float) -> None:
    """In a narrow picture the key stands below, where it takes no room from the axes."""
    legend = ax.get_legend()
    if legend is None or width > 1.2 * COLUMN:
        return
    down = 0.5 if names_of(ax.xaxis) is None else 1.3
    height = ax.get_window_extent().height / ax.figure.dpi
    legend.set_loc("upper left")
    legend.set_bbox_to_anchor((0.0, -down / height), transform=ax.transAxes)


def _stretch(figure: Figure, ax: Axes, width: float) -> None:
    """Change the width of the figure until all that is drawn is as wide as asked."""
    square = ax.get_aspect() != "auto"
    for _ in range(8):
        lacks = width - figure.get_tightbbox().width
        if abs(lacks) < 0.004:
            return
        old, height = figure.get_size_inches()
        new = max(old + lacks, 0.4)
        figure.set_size_inches(new, height * new / old if square else height)


def _check_pitch(figure: Figure, ax: Axes, width: float) -> None:
    drawn = figure.get_tightbbox().width
    names = names_of(ax.xaxis)
    place = ax.get_window_extent()
    pitch = place.width / figure.dpi * 72 / len(names.names) if names else np.inf
    if (names is not None and pitch < _LEAST_PITCH) or drawn > 1.02 * width:
        room = "" if names is None else f" for {counted(len(names.names), 'column')}"
        raise OptionError(
            f"{width * _INCH:.0f} mm are too narrow{room} that can be read. Show fewer models "
            "(--top N, --models NAME), or give more width (--width double, or millimetres)."
        )
    if names is None:
        return
    for label in ax.get_xticklabels():
        label.set_fontsize(min(7.5, 1.05 * pitch))
    longest = max((len(text.get_text()) for text in ax.texts), default=1)
    size = pitch / (0.66 * longest)
    for text in list(ax.texts):  # what stands in the cells; their shades have a key
        if size < _LEAST_CELL:
            text.remove()
        else:
            text.set_fontsize(min(5.5, size))

"""A picture in the width of a column: axes and names give way, titles are folded."""

from __future__ import annotations

from itertools import pairwise
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
_LEAST_PITCH = 5.6  # points between two names of columns, or boxes of a diagram
_TICK_ROOM = 5.2 / 72  # inches that a digit of a tick takes
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
    legend = ax.get_legend()
    if legend is not None and width <= 1.2 * COLUMN:
        legend.set_visible(False)  # until it is known what stands below
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
    _lower_legend(figure, ax)
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
        _thin_ticks(panel, place.width / dots)
        if len(panels) > 1:
            fold(panel.xaxis.label, panel.get_xlabel(), place.width / dots)
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


def _lower_legend(figure: Figure, ax: Axes) -> None:
    """In a narrow picture the key stands below, where it takes no room from the axes."""
    legend = ax.get_legend()
    if legend is None or legend.get_visible():
        return
    place = ax.get_window_extent()
    low = (figure.get_tightbbox().y0 - 0.06) * figure.dpi
    legend.set_loc("upper left")
    legend.set_bbox_to_anchor((0.0, (low - place.y0) / place.height), transform=ax.transAxes)
    legend.set_visible(True)


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
    """Refuse columns or boxes that touch; write what stands in cells so small that it fits."""
    drawn = figure.get_tightbbox().width
    names = names_of(ax.xaxis)
    columns = np.shape(np.asarray(ax.images[0].get_array()))[1] if ax.images else 0
    pitch = ax.get_window_extent().width / figure.dpi * 72 / max(columns, 1)
    crowded = names is not None and pitch < _LEAST_PITCH
    if crowded or drawn > 1.02 * width or _boxes_touch(ax):
        what = f"{counted(columns, 'column')} that can be read" if columns else "these names"
        raise OptionError(
            f"{width * _INCH + 5:.0f} mm are too narrow for {what}. Show fewer models (--top N, "
            "--models NAME), or give more width (--width double, or millimetres)."
        )
    if names is not None:
        square = ax.get_aspect() != "auto"
        for label in (*ax.get_xticklabels(), *(ax.get_yticklabels() if square else ())):
            label.set_fontsize(min(7.5, 0.85 * pitch))
    longest = max((len(text.get_text()) for text in ax.texts), default=1)
    size = pitch / (0.66 * longest)
    for text in list(ax.texts) if columns else ():  # what stands in the cells; shades have a key
        if size < _LEAST_CELL:
            text.remove()
        else:
            text.set_fontsize(min(5.5, size))


def _boxes_touch(ax: Axes) -> bool:
    """Whether two boxes of a diagram lie on each other."""
    rows: dict[float, list[tuple[float, float]]] = {}
    for text in ax.texts:
        if text.get_bbox_patch() is not None:
            # The box itself is placed when it is drawn; it is wider by a part of a letter.
            place, pad = text.get_window_extent(), 0.3 * float(text.get_fontsize())
            rows.setdefault(text.get_position()[1], []).append((place.x0 - pad, place.x1 + pad))
    return any(
        left[1] > right[0] for ends in map(sorted, rows.values()) for left, right in pairwise(ends)
    )


def _thin_ticks(panel: Axes, room: float) -> None:
    """Fewer ticks where their numbers would touch, the first and the last among them."""
    if names_of(panel.xaxis) is not None:
        return
    low, high = sorted(panel.get_xlim())
    shown = [
        (float(tick), label.get_text())
        for tick, label in zip(panel.get_xticks(), panel.get_xticklabels(), strict=True)
        if low <= tick <= high
    ]
    if len(shown) < 3:
        return
    least = (high - low) / room * _TICK_ROOM * (1 + max(len(text) for _, text in shown))
    kept, last = shown[:1], shown[-1]
    for tick, text in shown[1:-1]:
        if tick - kept[-1][0] >= least and last[0] - tick >= least:
            kept.append((tick, text))
    kept.append(last)
    panel.set_xticks([tick for tick, _ in kept], [text for _, text in kept])

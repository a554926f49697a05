"""Pictures of a diagnosis: whether a new task like the seen ones is plausible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankbars.data.diagnosis import Diagnosis
from rankbars.render.numbers import show_guarantee, show_share
from rankbars.render.plotting.style import FIRST, SECOND, label_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_left_out", "plot_sensitivity"]


def plot_left_out(found: Diagnosis, ax: Axes) -> Axes:
    """Share of left-out tasks (or families) that the others foresaw, with exact 95 % limits.

    Parameters
    ----------
    found : Diagnosis
        From `rankbars.diagnose`.
    ax : matplotlib axes
        Drawn on.
    """
    rows = np.arange(len(found.models))
    marks = {"task": ("o", FIRST), "family": ("s", SECOND)}
    for number, one in enumerate(found.left_out):
        shape, color = marks[one.unit]
        place = rows + 0.18 * (number - (len(found.left_out) - 1) / 2)
        ends = np.array([one.share - one.low, one.high - one.share])
        label = f"left-out {one.unit} ({one.count})"
        ax.errorbar(one.share, place, xerr=ends, fmt=shape, color=color, ms=4, lw=1, label=label)
    ax.axvline(found.expected, color="black", lw=0.8, ls="--")
    label_rows(ax, found.models)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel(f"share inside; at least {show_guarantee(found.expected)} if tasks are alike")
    ax.set_title("Is a new task like these plausible?")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def plot_sensitivity(found: Diagnosis, ax: Axes) -> Axes:
    """Level of the new-task intervals, and largest shift each model's claim bears.

    Parameters
    ----------
    found : Diagnosis
        From `rankbars.diagnose`.
    ax : matplotlib axes
        Drawn on.
    """
    rows = np.arange(len(found.models))
    bears = np.clip(np.nan_to_num(found.breakdown, nan=0.0), 0.0, None)
    ax.barh(rows, bears, color=FIRST, height=0.6)
    for row in np.flatnonzero(bears == 0.0):
        ax.text(0.0, float(row), " not supported", va="center", fontsize=6, color="#555555")
    label_rows(ax, found.models)
    ax.set_xlim(0.0, max(float(bears.max(initial=0.0)) * 1.15, 0.05))
    ax.set_xlabel(
        f"shift under which 'never outside the top {found.top}' keeps {show_share(found.coverage)}"
    )
    level = "" if found.guarantee is None else f"\nlevel of intervals: {_falls(found)}"
    ax.set_title(f"How much shift the claims bear{level}")
    return ax


def _falls(found: Diagnosis) -> str:
    return f"{show_guarantee(found.guarantee or 0.0)} minus the shift"

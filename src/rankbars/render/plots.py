"""Pictures for paper with matplotlib: take a result and axes, return the axes, compute nothing.

Styling is done by the caller on what comes back. Each picture has its data in the result it takes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.diagnosis import Diagnosis
from rankbars.errors import DataError
from rankbars.render.names import shorten, visible
from rankbars.render.numbers import show_guarantee, show_level, show_share

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "BOARD_PLOTS",
    "DIAGNOSIS_PLOTS",
    "plot_heatmap",
    "plot_left_out",
    "plot_new_task",
    "plot_ranks",
    "plot_sensitivity",
    "plot_shown_better",
    "plot_widths",
]

_NAME_WIDTH = 32
_FIRST, _SECOND, _PALE = "#1f5f9f", "#b04a12", "#c9d3dc"


def plot_ranks(board: Leaderboard, ax: Axes) -> Axes:
    """Rank interval of each model on what the board shows first, best score on top.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.

    Returns
    -------
    matplotlib axes
        The same axes.
    """
    if board.lead == "task":
        task = next(iter(board.tasks.values()))
        return _intervals(board, ax, task.best, task.worst, f"Rank on {visible(task.name)}")
    if board.aggregate is None:
        return plot_new_task(board, ax)
    none = board.spec.correction == "none"
    level = "no guarantee" if none else show_level(board.aggregate.alpha)
    title = f"Rank on average, {level}, {_whom(board.aggregate.scope)}"
    return _intervals(board, ax, board.aggregate.best, board.aggregate.worst, title)


def plot_new_task(board: Leaderboard, ax: Axes) -> Axes:
    """Rank prediction interval of each model on a new task, best score on top.

    Parameters
    ----------
    board : Leaderboard
        A board of two tasks or more.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If the board has a single task.
    """
    if board.overall is None:
        raise DataError("A board of one task has no interval for a new task to draw.")
    new = board.overall
    promise = "" if new.guarantee is None else f", {show_guarantee(new.guarantee)}"
    title = f"Rank on a new task{promise}, {_whom(new.scope)}"
    return _intervals(board, ax, new.best, new.worst, title, color=_SECOND)


def plot_heatmap(board: Leaderboard, ax: Axes) -> Axes:
    """Middle of the rank interval of each model on each task; the text is the interval."""
    order = list(board.order)
    tasks = list(board.tasks.values())
    best = np.array([task.best[order] for task in tasks]).T
    worst = np.array([task.worst[order] for task in tasks]).T
    size = len(board.models)
    ax.imshow((best + worst) / 2, cmap="cividis_r", vmin=1, vmax=max(size, 2), aspect="auto")
    if best.size <= 600:
        for (row, column), low in np.ndenumerate(best):
            high = worst[row, column]
            middle = (low + high) / 2
            ax.text(
                column,
                row,
                str(low) if low == high else f"{low}–{high}",
                ha="center",
                va="center",
                fontsize="x-small",
                color="white" if middle > 0.55 * size else "black",
            )
    _name_rows(board, ax)
    ax.set_xticks(range(len(tasks)), [shorten(visible(t.name), 18) for t in tasks], rotation=60,
                  ha="right")  # fmt: skip
    ax.set_title("Rank interval on each task")
    return ax


def plot_shown_better(board: Leaderboard, ax: Axes) -> Axes:
    """Which model was shown better than which, on what the board shows first, all at once."""
    order = list(board.order)
    ax.imshow(board.shown_better[np.ix_(order, order)], cmap="Blues", vmin=0, vmax=1.4)
    _name_rows(board, ax)
    names = [shorten(visible(board.models[i]), 18) for i in order]
    ax.set_xticks(range(len(order)), names, rotation=60, ha="right")
    ax.set_title(f"Row shown better than column ({show_level(board.spec.alpha)}, all at once)")
    return ax


def plot_widths(board: Leaderboard, ax: Axes) -> Axes:
    """Width of the rank intervals of all models on each task: how well a task separates them."""
    tasks = list(board.tasks.values())
    widths = [(task.worst - task.best).tolist() for task in tasks]
    ax.boxplot(widths, orientation="horizontal", showfliers=True)
    ax.set_yticks(range(1, len(tasks) + 1), [shorten(visible(t.name), _NAME_WIDTH) for t in tasks])
    ax.invert_yaxis()
    ax.set_xlabel("width of rank intervals (worst − best)")
    ax.set_title("How well each task separates the models")
    return ax


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
    marks = {"task": ("o", _FIRST), "family": ("s", _SECOND)}
    for number, one in enumerate(found.left_out):
        shape, color = marks[one.unit]
        place = rows + 0.18 * (number - (len(found.left_out) - 1) / 2)
        ends = np.array([one.share - one.low, one.high - one.share])
        label = f"left-out {one.unit} ({one.count})"
        ax.errorbar(one.share, place, xerr=ends, fmt=shape, color=color, ms=4, lw=1, label=label)
    ax.axvline(found.expected, color="black", lw=0.8, ls="--")
    ax.set_yticks(rows, [shorten(visible(name), _NAME_WIDTH) for name in found.models])
    ax.invert_yaxis()
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel(f"share inside; at least {show_guarantee(found.expected)} if tasks are alike")
    ax.set_title("Is a new task like these plausible?")
    ax.legend(loc="best", fontsize="small")
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
    ax.barh(rows, bears, color=_FIRST, height=0.6)
    for row in np.flatnonzero(bears == 0.0):
        ax.text(0.0, float(row), " not supported", va="center", fontsize="x-small", color="#555555")
    ax.set_yticks(rows, [shorten(visible(name), _NAME_WIDTH) for name in found.models])
    ax.invert_yaxis()
    ax.set_xlim(0.0, max(float(bears.max(initial=0.0)) * 1.15, 0.05))
    ax.set_xlabel(
        f"shift under which 'never outside the top {found.top}' keeps {show_share(found.coverage)}"
    )
    level = "" if found.guarantee is None else f"; level of intervals: {_falls(found)}"
    ax.set_title(f"How much shift the claims bear{level}")
    return ax


BOARD_PLOTS: dict[str, Callable[[Leaderboard, Any], Any]] = {
    "ranks": plot_ranks,
    "new_task": plot_new_task,
    "heatmap": plot_heatmap,
    "shown_better": plot_shown_better,
    "widths": plot_widths,
}
DIAGNOSIS_PLOTS: dict[str, Callable[[Diagnosis, Any], Any]] = {
    "left_out": plot_left_out,
    "sensitivity": plot_sensitivity,
}


def _intervals(
    board: Leaderboard,
    ax: Axes,
    best: NDArray[np.int64],
    worst: NDArray[np.int64],
    title: str,
    color: str = _FIRST,
) -> Axes:
    order = list(board.order)
    rows = np.arange(len(order))
    size = len(order)
    ax.hlines(rows, 1, max(size, 2), color=_PALE, lw=0.6)
    ax.hlines(rows, best[order], worst[order], color=color, lw=3, capstyle="round")
    # A dot at either end keeps an interval of a single rank visible.
    ax.plot(best[order], rows, "o", color=color, ms=4)
    ax.plot(worst[order], rows, "o", color=color, ms=4)
    _name_rows(board, ax)
    ax.set_ylim(size - 0.5, -0.5)
    ax.set_xlabel("rank (1 is the best)")
    ax.set_title(title)
    return ax


def _name_rows(board: Leaderboard, ax: Axes) -> None:
    names = [shorten(visible(board.models[i]), _NAME_WIDTH) for i in board.order]
    ax.set_yticks(range(len(names)), names)


def _whom(scope: str) -> str:
    return "all models at once" if scope == "all" else "each model, chosen in advance"


def _falls(found: Diagnosis) -> str:
    return f"{show_guarantee(found.guarantee or 0.0)} minus the shift"

"""Score against cost, with the front: a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.errors import DataError, OptionError
from rankbars.render.claims import statements_level
from rankbars.render.costtable import front_of
from rankbars.render.notation import show_level, visible
from rankbars.render.plotting.lettering import labels
from rankbars.render.plotting.scoreplots import score_words
from rankbars.render.plotting.style import ALL, DARK, FIRST, PALE, Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_front"]

_MOST_NAMES, _PUSHES = 30, 400


def plot_front(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Score of each model against its cost, and which of them may be the best for the money.

    Filled: may be on the front; hollow: shown dominated. The line joins the observed front. Named
    are those that may be on the front, or, of many, those on the observed one.

    Parameters
    ----------
    board : Leaderboard
        A board with costs.
    ax : matplotlib axes
        Drawn on.
    shown : Shown
        Which of the models; the title speaks of all.

    Raises
    ------
    DataError
        If the board knows no costs, or not those of the chosen models.
    OptionError
        If models are sorted by something else than their score.
    """
    front = front_of(board)
    if shown.sort != "score":
        raise OptionError("front has the order of costs and scores: leave --sort out.")
    rows = np.array(shown.rows(board.models, board.order), dtype=np.intp)
    priced = rows[~np.isnan(front.cost[rows])]
    if not priced.size:
        raise DataError("None of the models that are to be drawn has a cost.")
    at = [board[board.models[i]] for i in priced]
    none = float("nan")
    score, low, high = (
        np.array([none if one is None else one for one in values])
        for values in zip(*((x.score, x.score_low, x.score_high) for x in at), strict=True)
    )
    cost, possible = front.cost[priced], front.possible[priced]
    ax.vlines(cost, low, high, color=PALE, lw=1.0, zorder=1)
    if not front.known:
        ax.hlines(score, front.low[priced], front.high[priced], color=PALE, lw=1.0, zorder=1)
    line = np.flatnonzero(front.observed[priced])
    line = line[np.argsort(cost[line], kind="stable")]
    ax.plot(cost[line], score[line], color=DARK, lw=0.7, ls=":", drawstyle="steps-post", zorder=2)
    for chosen, face, words in (
        (possible, FIRST, "may be the best for the money"),
        (~possible, "white", "shown dominated"),
    ):
        if chosen.any():
            ax.plot(
                cost[chosen], score[chosen], "o", color=FIRST, mfc=face, ms=4, lw=0, label=words,
                zorder=3,
            )  # fmt: skip
    if (cost > 0).all() and cost.max() > 10 * cost.min():
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    names = labels([board.models[i] for i in priced], 30)
    few = possible if possible.sum() <= _MOST_NAMES else front.observed[priced]
    _name_points(ax, cost, score, few, names)
    _turn(board, ax)
    ax.set_xlabel(f"{visible(front.metric)} (less is better)")
    ax.set_ylabel(score_words(board))
    level = show_level(front.alpha)
    size = int((~np.isnan(front.cost)).sum())
    of = f"{int(front.possible.sum())} of {size} may be the best for the money"
    ax.set_title(
        f"{of}\n{statements_level(board)}, all at once; bars: {level} interval, each", wrap=True
    )
    ax.legend(loc="best")
    return ax


def _name_points(
    ax: Axes, cost: NDArray[np.float64], score: NDArray[np.float64], chosen: NDArray[np.bool_],
    names: list[str],
) -> None:  # fmt: skip
    """Names right of the picture, as high as their points where that leaves room for others."""
    rising = sorted(np.flatnonzero(chosen), key=lambda i: (score[i], cost[i]))
    if not 0 < len(rising) <= _MOST_NAMES:
        return
    low, high = sorted(ax.get_ylim())
    place = (score[rising] - low) / (high - low)
    for _ in range(_PUSHES):
        short = np.maximum(1 / _MOST_NAMES - np.diff(place), 0.0) / 2
        place[1:] += short
        place[:-1] -= short
    for i, y in zip(rising, place.tolist(), strict=True):
        ax.annotate(
            names[i], (cost[i], score[i]), xytext=(1.02, y), textcoords="axes fraction",
            va="center", fontsize=6.5, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": PALE, "lw": 0.4, "shrinkA": 0, "shrinkB": 2},
        )  # fmt: skip


def _turn(board: Leaderboard, ax: Axes) -> None:
    """Better upwards, also where a lower score is better."""
    result = next(iter(board.tasks.values())) if board.lead == "task" else board.aggregate
    if result is not None and result.direction == "lower":
        ax.invert_yaxis()

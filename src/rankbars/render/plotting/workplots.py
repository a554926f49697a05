"""Pictures of what is spent: rows of a plan, rows of a race, and score against cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.outlook import Plan
from rankbars.data.raceboard import RaceBoard
from rankbars.errors import DataError, OptionError
from rankbars.render.claims import statements_level
from rankbars.render.notation import show_count, show_level
from rankbars.render.plotting.lettering import labels
from rankbars.render.plotting.scoreplots import score_words
from rankbars.render.plotting.style import (
    ALL,
    COLUMN,
    DARK,
    FIRST,
    PALE,
    PRINT,
    Shown,
    check_picture,
)
from rankbars.render.shownnames import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankbars.data.boardparts import CostFront

__all__ = ["curve_picture", "plot_curve", "plot_front", "plot_race", "race_picture"]

_MOST_NAMED = 8


def plot_race(board: RaceBoard, ax: Any = None) -> Any:
    """Evidence over rows; parameters and errors are those of `RaceBoard.plot`."""
    if not board.history:
        raise DataError("No batch of this race is complete, so there is nothing to draw yet.")
    check_picture("svg", drawn=True)
    if ax is None:
        from matplotlib import pyplot as plt

        ax = plt.figure(figsize=(COLUMN, 0.75 * COLUMN), layout="constrained").add_subplot()
    calls = {one.model: one for one in board.racers}
    ends = {}
    for place, model in enumerate(board.entered):
        points = [(0, 0.0)] + [
            (at, found[place] / math.log(10))
            for at, found in board.history
            if not math.isnan(found[place])
        ]
        out = calls[model].call == "out"
        rows, evidence = zip(*points, strict=True)
        ax.plot(rows, evidence, color=PALE if out else FIRST, lw=0.8 if out else 1.2)
        if out:
            ax.plot(rows[-1:], evidence[-1:], "x", color=DARK, ms=4)
        ends[model] = rows[-1], evidence[-1]
    shown = _named(board, ends)
    for model, name in zip(shown, labels(shown), strict=True):
        ax.annotate(
            name, ends[model], xytext=(4, 0), textcoords="offset points", fontsize="x-small",
            color=DARK if calls[model].call == "out" else FIRST, va="center",
        )  # fmt: skip
    ax.axhline(board.threshold / math.log(10), color=DARK, lw=0.6, ls=":")
    ax.set_xlabel(board.unit)
    ax.set_ylabel("evidence, log10 of the e-value")
    return ax


def _named(board: RaceBoard, ends: Mapping[str, tuple[int, float]]) -> list[str]:
    """Models whose names stand beside their ends: the last to go first, and no name on another."""
    heights = [evidence for _, evidence in ends.values()]
    room = 0.06 * (max(heights) - min(heights) or 1.0)
    chosen: list[str] = []
    for one in board.racers:
        rows, evidence = ends[one.model]
        free = all(
            abs(evidence - ends[name][1]) >= room or abs(rows - ends[name][0]) > 0.4 * board.at
            for name in chosen
        )
        if free and len(chosen) < _MOST_NAMED:
            chosen.append(one.model)
    return chosen


def race_picture(board: RaceBoard) -> Any:
    """A figure of its own, in the style for print."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(PRINT):
        figure = Figure(figsize=(COLUMN, 0.75 * COLUMN), label="rankbars: evidence over rows")
        plot_race(board, figure.add_subplot())
    return figure


def plot_curve(plan: Plan, ax: Any = None) -> Any:
    """Neighbours told apart over rows; parameters and errors are those of `Plan.plot`."""
    if not plan.curve:
        raise DataError("A plan without a pilot has no curve. Give results.")
    check_picture("svg", drawn=True)
    if ax is None:
        from matplotlib import pyplot as plt

        ax = plt.figure(figsize=(COLUMN, 0.75 * COLUMN), layout="constrained").add_subplot()
    rows = [one.n for one in plan.curve]
    pair = plan.neighbours == 1
    if not pair:
        ax.fill_between(
            rows, [one.low for one in plan.curve], [one.high for one in plan.curve], color=PALE,
            lw=0, label="80 % of simulated boards",
        )  # fmt: skip
    ax.plot(rows, [one.expected for one in plan.curve], "o-", color=FIRST, ms=3, lw=1,
            label="expected")  # fmt: skip
    ax.axvline(plan.n, color=DARK, lw=0.6, ls=":", label="pilot")
    ax.set_xscale("log")
    # Every second one; a logarithmic axis would write powers of ten.
    ax.set_xticks(rows[::2], [show_count(row) for row in rows[::2]])
    ax.set_xticks([], minor=True)
    ax.set_ylim(0, plan.neighbours * 1.02)
    ax.set_xlabel(plan.unit)
    words = f"neighbours told apart, of {plan.neighbours}"
    ax.set_ylabel("chance to tell the two apart" if pair else words)
    ax.legend(loc="best", frameon=True, facecolor="white", edgecolor="none", framealpha=1.0)
    return ax


def curve_picture(plan: Plan) -> Any:
    """A figure of its own, in the style for print."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(PRINT):
        words = "neighbours told apart over rows"
        figure = Figure(figsize=(COLUMN, 0.75 * COLUMN), label=f"rankbars: {words}")
        plot_curve(plan, figure.add_subplot())
    return figure


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
    front = _front_of(board)
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


def _front_of(board: Leaderboard) -> CostFront:
    """The front of a board; `DataError` where no costs were given."""
    if board.front is None:
        raise DataError(
            "This board knows no costs. Rank again with --cost COLUMN, for costs per item, or "
            "--prices FILE, for one known cost per model."
        )
    return board.front

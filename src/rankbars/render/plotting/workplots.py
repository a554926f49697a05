"""Pictures of work: of a plan, neighbours told apart over rows; of a race, evidence over rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rankbars.data.raceboard import RaceBoard
from rankbars.data.studyplan import Plan
from rankbars.errors import DataError
from rankbars.render.notation import show_count
from rankbars.render.plotting.lettering import labels
from rankbars.render.plotting.style import (
    COLUMN,
    DARK,
    FIRST,
    PALE,
    PRINT,
    check_picture,
)

__all__ = ["curve_picture", "plot_curve", "plot_race", "race_picture"]

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

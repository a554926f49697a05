"""The picture of a plan: neighbours told apart over rows."""

from __future__ import annotations

from typing import Any

from rankbars.data.studyplan import Plan
from rankbars.errors import DataError
from rankbars.render.notation import show_count
from rankbars.render.plotting.style import COLUMN, DARK, FIRST, PALE, PRINT, check_picture

__all__ = ["curve_picture", "plot_curve"]


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
    ax.legend(loc="best")
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

"""Picture of the weights: which model wins where, over three categories of tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.weightmap import WeightMap
from rankbars.errors import DataError
from rankbars.render.names import shorten, visible
from rankbars.render.plotting.style import DARK, colors, labels

__all__ = ["plot_board_weights", "plot_weights"]

_CATEGORIES = 3
_STEPS = 64  # finer marks would be smaller than a printer's dots


def plot_board_weights(board: Leaderboard, ax: Any) -> Any:
    """The winner at every weighting of three categories, from the average of a board.

    Parameters
    ----------
    board : Leaderboard
        A board whose tasks have three categories.
    ax : matplotlib axes with ``projection="ternary"``
        Drawn on.

    Raises
    ------
    DataError
        If the average has no means of three categories.
    """
    means = None if board.aggregate is None else board.aggregate.by_category
    if means is None:
        raise DataError(
            "This board has no means per category: every task needs a category, and scores (not "
            "ranks) must be averaged. Give categories with --categories."
        )
    return plot_weights(means.weight_map(steps=_STEPS), ax)


def plot_weights(found: WeightMap, ax: Any) -> Any:
    """The winner at every weighting of three categories, pale where it is hardly ahead.

    Parameters
    ----------
    found : WeightMap
        From `CategoryMeans.weight_map`, of three categories.
    ax : matplotlib axes with ``projection="ternary"`` (mpltern)
        Drawn on.

    Raises
    ------
    DataError
        If there are not three categories.
    """
    if len(found.categories) != _CATEGORIES:
        raise DataError(
            f"The triangle of weights needs 3 categories; found {len(found.categories)}. For more, "
            "see the smallest changes of weights that change the winner (rankbars show)."
        )
    winners = np.flatnonzero(np.bincount(found.winner, minlength=len(found.models)))
    winners = winners[np.argsort(-found.share[winners], kind="stable")]
    top, left, right = found.points.T
    for k, (model, shade) in enumerate(zip(winners, colors(winners.size), strict=True)):
        mine = found.winner == model
        unclear = found.indeterminate[mine]
        place = top[mine], left[mine], right[mine]
        text = f"{labels([found.models[model]], 26)[0]}: {100 * found.share[model]:.0f} %"
        marker = "os^Dv<>P"[k % 8]
        # Filled where the winner is ahead, hollow where it is not: without colour, too.
        ax.scatter(*(part[~unclear] for part in place), s=11, marker=marker, color=shade, lw=0.4,
                   label=text)  # fmt: skip
        ax.scatter(*(part[unclear] for part in place), s=11, marker=marker, facecolor="none",
                   edgecolor=shade, lw=0.4, alpha=0.6)  # fmt: skip
    for name, side in zip(found.categories, "tlr", strict=True):
        getattr(ax, f"set_{side}label")(shorten(visible(name), 24))
    for axis in (ax.taxis, ax.laxis, ax.raxis):
        axis.set_label_position("corner")
        axis.set_label_rotation_mode("horizontal")
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), title="share of all weightings",
              markerscale=1.7)  # fmt: skip
    ax.set_title(
        f"Winner by weights of the categories\nhollow: ahead by at most {found.z:.3g} standard "
        "errors",
        color=DARK, pad=22,
    )  # fmt: skip
    return ax

"""Picture of the partial order: who was shown better than whom, with as few lines as possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.partialorder import PartialOrder
from rankbars.render.numbers import show_level
from rankbars.render.plotting.style import FIRST, PALE, labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_order"]

_SWEEPS = 8


def plot_order(board: Leaderboard, ax: Axes) -> Axes:
    """Hasse diagram: better models higher, a line (or a chain of them) where one was shown better.

    Models that no chain of downward lines joins were not told apart.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.
    """
    order = board.partial_order()
    place = _places(order, [board.models[i] for i in board.order])
    for better, worse in order.edges:
        (x0, y0), (x1, y1) = place[better], place[worse]
        ax.plot([x0, x1], [y0, y1], color=PALE, lw=0.9, zorder=1)
    texts = dict(zip(order.models, labels(order.models, 18), strict=True))
    for name, (x, y) in place.items():
        ax.text(
            x, y, texts[name], ha="center", va="center", fontsize=6, zorder=2,
            bbox={"boxstyle": "round,pad=0.25", "fc": "white", "ec": FIRST, "lw": 0.7},
        )  # fmt: skip
    columns = [x for x, _ in place.values()]
    ax.set_xlim(min(columns) - 0.6, max(columns) + 0.6)
    ax.set_ylim(-len(order.layers) + 0.4, 0.6)
    ax.set_axis_off()
    ax.set_title(
        "Who was shown better than whom: every chain of lines downwards\n"
        f"{show_level(board.spec.alpha)}, all at once"
    )
    return ax


def _places(order: PartialOrder, printed: Sequence[str]) -> dict[str, tuple[float, float]]:
    """A column and a row for each model; neighbours in the diagram near each other."""
    rank = {name: k for k, name in enumerate(printed)}
    layers = [sorted(layer, key=rank.__getitem__) for layer in order.layers]
    above: dict[str, list[str]] = {name: [] for name in order.models}
    below: dict[str, list[str]] = {name: [] for name in order.models}
    for better, worse in order.edges:
        below[better].append(worse)
        above[worse].append(better)
    x = _spread(layers)
    for sweep in range(_SWEEPS):
        joined = above if sweep % 2 == 0 else below
        for k, layer in enumerate(layers):
            wanted = {
                name: float(np.mean([x[other] for other in joined[name]])) if joined[name]
                else x[name]
                for name in layer
            }  # fmt: skip
            layers[k] = sorted(layer, key=lambda name: (wanted[name], rank[name]))
        x = _spread(layers)
    return {name: (x[name], -float(row)) for row, layer in enumerate(layers) for name in layer}


def _spread(layers: Sequence[Sequence[str]]) -> dict[str, float]:
    """Columns of one unit, each layer in the middle."""
    return {name: k - (len(layer) - 1) / 2 for layer in layers for k, name in enumerate(layer)}

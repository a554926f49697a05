"""Figures 3 to 6 of the published study of VTAB: winners by weight, and rank probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import rankbars as rb
from rankbars.simulate.study import Table, number
from rankbars.simulate.vtabdata import vtab_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CAPTIONS", "RANKINGS", "WINNERS", "draw_figures", "weight_means"]

WINNERS = {3: 2.0, 4: 2 * 0.5**0.5}
"""Standard errors that a clear winner is ahead by; the second imitates a correlation of one half
between models."""

RANKINGS: dict[int, dict[str, float]] = {
    5: {"natural": 1 / 3, "specialized": 1 / 3, "structured": 1 / 3},
    6: {"natural": 0.025, "specialized": 0.025, "structured": 0.95},
}
"""Weights of the categories."""

CAPTIONS = {
    "figure_3": "Figure 3: winner by weights of the categories; clear if ahead by more than 2 "
    "standard errors. A description, not a test.",
    "figure_4": "Figure 4: the same with 1.41 standard errors, as if models were correlated by "
    "one half.",
    "figure_5": "Figure 5: posterior probability of each rank, categories weighted equally.",
    "figure_6": "Figure 6: the same with weights 0.95 for structured and 0.025 for each other.",
}

_STEPS = 60  # along an edge of the triangle: as fine as it can be seen


class _Heat(NamedTuple):
    models: list[str]
    share: list[list[float]]


def weight_means() -> rb.CategoryMeans:
    """Means per category with the errors of their differences.

    Examples
    --------
    >>> weight_means().categories
    ('natural', 'specialized', 'structured')
    """
    means = rb.aggregate(vtab_scores(), over="items", estimator="analytic").by_category
    if means is None:
        raise rb.DataError("The results have no means per category.")
    return means


def draw_figures(tables: Mapping[str, Table]) -> dict[str, Figure]:
    """The four pictures by name of the file."""
    winners = {f"figure_{figure}": _draw_winners(figure, z) for figure, z in WINNERS.items()}
    table = tables["vtab_rank_probabilities"]
    rankings = {
        f"figure_{figure}": _draw_ranks(
            [row for row in table if row["figure"] == figure], f"figure_{figure}"
        )
        for figure in RANKINGS
    }
    return winners | rankings


def _draw_winners(figure: int, z: float) -> Figure:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from rankbars.render.plotting import PRINT, know_ternary, plot_weights

    know_ternary()
    with mpl.rc_context(PRINT):
        made = Figure(figsize=(6.9, 4.3), label=CAPTIONS[f"figure_{figure}"])
        plot_weights(weight_means().weight_map(z, _STEPS), made.add_subplot(projection="ternary"))
    return made


def _draw_ranks(table: Table, name: str) -> Figure:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from rankbars.render.plotting import PRINT, plot_rank_shares

    heat = _heat(table)
    with mpl.rc_context(PRINT):
        made = Figure(figsize=(6.9, 4.6), label=CAPTIONS[name])
        ax = plot_rank_shares(heat.models, np.array(heat.share), made.add_subplot())
        ax.set_title("Posterior probability of each rank")
    return made


def _heat(table: Table) -> _Heat:
    """Models by expected rank, best first, with their rank probabilities."""
    by_model: dict[str, list[float]] = {}
    for row in table:
        by_model.setdefault(str(row["model"]), []).append(number(row, "probability"))
    expected = {name: float(np.dot(one, range(len(one)))) for name, one in by_model.items()}
    order = sorted(by_model, key=lambda name: (expected[name], name))
    return _Heat(order, [by_model[name] for name in order])

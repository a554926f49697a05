"""The study of VTAB as it is shown: its results, published numbers, figures and page."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import rankbars as rb
from rankbars.demos import DEMOS, demo_path
from rankbars.simulate.study import Cell, Row, Table, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "CAPTIONS",
    "CLEAR",
    "INTERVAL_TOLERANCE",
    "PARTS",
    "PRIOR",
    "RANKINGS",
    "RANK_TOLERANCE",
    "SCALING_DRAWS",
    "VALUE_TOLERANCE",
    "WINNERS",
    "agrees",
    "draw_figures",
    "make_page",
    "published_cells",
    "vtab_scores",
    "weight_means",
]

PARTS = {
    "Natural": {"natural": 1.0},
    "Specialized": {"specialized": 1.0},
    "Structured": {"structured": 1.0},
    "Overall": None,
}
"""What a column of scores is an average of: weights of categories; None: every task the same."""
WINNERS = {3: None, 4: "minmax_draws"}
"""Scale of the scores whose categories are weighed."""

CLEAR = (2.0, 2 * 0.5**0.5)
"""Standard errors that a clear winner is ahead by, one panel each; the second imitates a
correlation of one half between models."""

RANKINGS: dict[int, dict[str, float] | None] = {
    5: {"natural": 0.025, "specialized": 0.025, "structured": 0.95},
    6: None,
}
"""Weights of the categories; None: every task the same."""

PRIOR = "exponential"
"""Of the hierarchical model: a and b exponential with mean 10,000, as published."""

SCALING_DRAWS = 100
"""The published scale depends on their number; the printed scores fit this one."""

CAPTIONS = {
    "figure_3": "Figure 3: winner by weights of the categories, raw accuracies; clear if ahead by "
    "more than 2 standard errors, and by more than 1.41, as if models were correlated by one half. "
    "A description, not a test.",
    "figure_4": "Figure 4: the same with normalised accuracies.",
    "figure_5": "Figure 5: posterior probability of each rank, weights 0.95 for structured and "
    "0.025 for each other category.",
    "figure_6": "Figure 6: the same, every one of the 19 tasks weighted equally.",
}

_STEPS = 60  # along an edge of the triangle: as fine as it can be seen
VALUE_TOLERANCE, INTERVAL_TOLERANCE, RANK_TOLERANCE = 0.1, 0.2, 0.5
"""Points of percent between points and ends of intervals, and ranks between ends."""

_ROUNDING = 1e-9
_RANK_TABLES = (4, 5, 8, 10, 11)
_TITLES = {
    2: "Table 2. Mean accuracy of the six best models, and normalised. 83.4 % intervals.",
    3: "Table 3. Differences among the three best models. 95 % intervals, Bonferroni over three.",
    4: "Table 4. Five ways to aggregate ranks, six best models. 95 % of the draws.",
    5: "Table 5. The same on normalised scores.",
    6: "Table 6. Scores by category, bootstrap. 83.4 % intervals.",
    7: "Table 7. Scores by category, hierarchical model (posterior predictive). 83.4 % intervals.",
    8: "Table 8. Five ways to aggregate ranks, bootstrap. 95 % of the draws.",
    9: "Table 9. Normalised scores by category, bootstrap. 83.4 % intervals.",
    10: "Table 10. Five ways to aggregate ranks of normalised scores. 95 % of the draws.",
    11: "Table 11. Five ways to aggregate ranks, hierarchical model (posterior predictive).",
}


@cache
def vtab_scores() -> rb.Scores:
    """Accuracies of 16 models on 19 tasks with the official numbers of test images.

    Standard errors are those of shares of so many images; the ones in the file go with the images
    that the accuracies were computed on.

    Examples
    --------
    >>> scores = vtab_scores()
    >>> scores, scores.tasks["Pets"].n[0].item(), scores.info["Pets"].category
    (Scores(16 models, 19 tasks), 3669, 'natural')
    """
    path = demo_path(DEMOS["vtab"])
    return rb.read(path, columns={"n": "n_test", "se": ""}, metric="accuracy")


def published_cells() -> Table:
    """Every cell of Tables 2 to 11 as printed; None where the text cannot be read.

    Transcribed from Longjohn, Gopalan and Casleton 2025 (arXiv:2501.04234); notes say where the
    text has a cell twice or disagrees with itself.

    Examples
    --------
    >>> cell = published_cells()[0]
    >>> cell["row"], cell["column"], cell["published"], cell["published_low"]
    ('Sup-Rotation-100%', 'Avg Acc (Bootstrap)', 68.0, 67.8)
    """
    file = resources.files("rankbars.simulate").joinpath("vtab_published.csv")
    return [_cell(line) for line in csv.DictReader(file.read_text("utf-8").splitlines())]


def _cell(line: Mapping[str, str]) -> Row:
    return {
        "table": int(line["table"]),
        "row": line["model"],
        "column": line["column"],
        "published": _number(line["value"]),
        "published_low": _number(line["low"]),
        "published_high": _number(line["high"]),
        "note": line["note"],
    }


def _number(text: str) -> float | None:
    return float(text) if text else None


class _Heat(NamedTuple):
    models: list[str]
    share: list[list[float]]


def weight_means(figure: int, seed: int = 0) -> rb.CategoryMeans:
    """Means per category with the errors of their differences, on the scale of a figure.

    Examples
    --------
    >>> weight_means(3).categories
    ('natural', 'specialized', 'structured')
    """
    scale = WINNERS[figure]
    means = rb.aggregate(
        vtab_scores(), over="items", estimator="analytic" if scale is None else "bootstrap",
        normalise=scale, resamples=SCALING_DRAWS, seed=seed,
    ).by_category  # fmt: skip
    if means is None:
        raise rb.DataError("The results have no means per category.")
    return means


def draw_figures(tables: Mapping[str, Table], seed: int = 0) -> dict[str, Figure]:
    """The four pictures by name of the file."""
    winners = {f"figure_{figure}": _draw_winners(figure, seed) for figure in WINNERS}
    table = tables["vtab_rank_probabilities"]
    rankings = {
        f"figure_{figure}": _draw_ranks([row for row in table if row["figure"] == figure], figure)
        for figure in RANKINGS
    }
    return winners | rankings


def _draw_winners(figure: int, seed: int) -> Figure:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from rankbars.render.plotting import PRINT, know_ternary, plot_weights

    know_ternary()
    means = weight_means(figure, seed)
    with mpl.rc_context(PRINT):
        made = Figure(figsize=(6.9, 8.2), label=CAPTIONS[f"figure_{figure}"])
        made.subplots_adjust(top=0.86, bottom=0.06, hspace=0.55)
        scale = "Raw accuracies" if WINNERS[figure] is None else "Normalised accuracies"
        made.suptitle(scale, x=0.26, y=1.0, ha="left", va="bottom")
        for place, z in enumerate(CLEAR, start=1):
            panel = made.add_subplot(len(CLEAR), 1, place, projection="ternary")
            plot_weights(means.weight_map(z, _STEPS), panel)
    return made


def _draw_ranks(table: Table, number: int) -> Figure:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from rankbars.render.plotting import PRINT, plot_rank_shares

    heat, weights = _heat(table), RANKINGS[number]
    shares = [f"{share:g} {name}" for name, share in (weights or {}).items()]
    with mpl.rc_context(PRINT):
        made = Figure(figsize=(6.9, 4.6), label=CAPTIONS[f"figure_{number}"])
        ax = plot_rank_shares(heat.models, np.array(heat.share), made.add_subplot())
        ax.set_title(
            "Posterior probability of each rank\n"
            + ("weights: " + ", ".join(shares) if shares else "all tasks weigh the same")
        )
    return made


def _heat(table: Table) -> _Heat:
    """Models by expected rank, best first, with their rank probabilities."""
    by_model: dict[str, list[float]] = {}
    for row in table:
        by_model.setdefault(str(row["model"]), []).append(number(row, "probability"))
    expected = {name: float(np.dot(one, range(len(one)))) for name, one in by_model.items()}
    order = sorted(by_model, key=lambda name: (expected[name], name))
    return _Heat(order, [by_model[name] for name in order])


@dataclass(frozen=True, slots=True)
class _Shown:
    published: str
    ours: str
    agrees: bool
    note: str


@dataclass(frozen=True, slots=True)
class _Block:
    title: str
    columns: list[str]
    rows: list[tuple[str, list[_Shown | None]]]
    labels: list[str]


@dataclass(frozen=True, slots=True)
class _Picture:
    name: str
    caption: str
    source: str


def agrees(row: Row) -> bool:
    """Whether a cell is as published, within the tolerances; what is illegible is not compared.

    Examples
    --------
    >>> cell = {"table": 6, "published": 68.0, "ours": 68.1, "published_low": 67.8,
    ...         "ours_low": 67.9, "published_high": 68.1, "ours_high": 68.4}
    >>> agrees(cell), agrees({**cell, "table": 8})
    (False, True)
    """
    ends = RANK_TOLERANCE if row["table"] in _RANK_TABLES else INTERVAL_TOLERANCE
    return (
        _close(row["published"], row["ours"], VALUE_TOLERANCE)
        and _close(row["published_low"], row["ours_low"], ends)
        and _close(row["published_high"], row["ours_high"], ends)
    )


def _close(published: Cell, ours: Cell, tolerance: float) -> bool:
    if isinstance(published, float) and isinstance(ours, float):
        return abs(published - ours) <= tolerance + _ROUNDING
    return True


def make_page(tables: Mapping[str, Table], pictures: Mapping[str, str]) -> str:
    """The page: one file, no network needed.

    Parameters
    ----------
    tables : mapping from str to list of dict
        Those of the study.
    pictures : mapping from str to str
        Source of each picture that was drawn.
    """
    from jinja2 import Environment, StrictUndefined

    template = resources.files("rankbars.simulate").joinpath("vtab.html.j2").read_text("utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    cells = tables["vtab"]
    compared = [row for row in cells if not row["label"]]
    return environment.from_string(template).render(
        blocks=[_block(table, cells) for table in _TITLES],
        pictures=[
            _Picture(name, caption, pictures[name])
            for name, caption in CAPTIONS.items()
            if name in pictures
        ],
        winners=[
            (row["figure"], f"{number(row, 'z'):.3g}", row["model"], _percent(row["share"]),
             _percent(row["clear_share"]))
            for row in tables["vtab_winners"]
            if row["share"]
        ],
        orders=[
            (row["source"], row["model"], f"{number(row, 'rank'):g}",
             _text(*(row[name] for name in ("mean", "low", "high"))))
            for row in tables["vtab_kemeny"]
        ],
        compared=len(compared),
        agreeing=sum(agrees(row) for row in compared),
    ) + "\n"  # fmt: skip


def _block(number: int, cells: Table) -> _Block:
    own = [row for row in cells if row["table"] == number]
    columns = list(dict.fromkeys(str(row["column"]) for row in own))
    by_place = {(row["row"], row["column"]): row for row in own}
    names = list(dict.fromkeys(str(row["row"]) for row in own))
    return _Block(
        _TITLES[number],
        columns,
        [(name, [_shown(by_place.get((name, column))) for column in columns]) for name in names],
        list(dict.fromkeys(str(row["label"]) for row in own if row["label"])),
    )


def _shown(row: Row | None) -> _Shown | None:
    if row is None:
        return None
    return _Shown(
        _text(row["published"], row["published_low"], row["published_high"]),
        _text(row["ours"], row["ours_low"], row["ours_high"]),
        agrees(row),
        str(row["note"]),
    )


def _text(value: Cell, low: Cell, high: Cell) -> str:
    if not isinstance(value, float):
        return "illegible"
    if not (isinstance(low, float) and isinstance(high, float)):
        return f"{value:.1f} (illegible)"
    return f"{value:.1f} ({low:.1f}, {high:.1f})"


def _percent(share: Cell) -> str:
    return f"{100 * share:.1f} %" if isinstance(share, float) else "–"

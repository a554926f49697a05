"""Tables 2 to 11 and Figures 3 to 6 of the published study of VTAB, recomputed from its results.

Readings of what the text leaves open, each found by comparison with the printed numbers: a point
is the mean of the draws; intervals of scores hold 83.4 % of them, those of ranks 95 %; the
hierarchical model is shown by its posterior predictive distribution, but in Figures 5 and 6 by that
of the true accuracies; scales are set by the extremes over all models in 100 resamples; tied models
of one percent get their worst rank. Beside the five published rank aggregations stands Kemeny's
order of the six best models, which the paper does not have.
Source: Longjohn, Gopalan and Casleton 2025.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.study import (
    Row,
    Study,
    Table,
    Unit,
    by_part,
    check_repetitions,
    flatten,
    number,
)
from rankbars.simulate.vtabreport import (
    CLEAR,
    PARTS,
    PRIOR,
    RANKINGS,
    SCALING_DRAWS,
    WINNERS,
    draw_figures,
    make_page,
    published_cells,
    vtab_scores,
    weight_means,
)

__all__ = ["DRIFTS", "ORDERED", "SOURCES", "vtab"]

ALPHA_SCORES, ALPHA_RANKS = 0.166, 0.05
PERCENT = 100.0
DRIFTS = (
    f"normalised: the scale, and so the number, depends on the number of draws ({SCALING_DRAWS})"
)


class Source(NamedTuple):
    """Where the draws behind a table come from, and the tables that are made of them.

    Attributes
    ----------
    estimator : str
        Of `rankbars.aggregate`.
    normalise : str, optional
        Scale of the scores.
    scores, ranks : int
        Table of scores by category, and of rank aggregations, for all 16 models.
    short : int, optional
        Table of rank aggregations for the six best models.
    overall, difference : str
        Column of the overall score in Table 2, and of its differences in Table 3.
    """

    estimator: str
    normalise: str | None
    scores: int
    ranks: int
    short: int | None
    overall: str
    difference: str

    @property
    def prior(self) -> str:
        """Of the estimator; only the hierarchical model has one."""
        return PRIOR if self.estimator.startswith("bayes") else "auto"


SOURCES = {
    "bootstrap": Source(
        "bootstrap", None, 6, 8, 4, "Avg Acc (Bootstrap)", "Avg Acc Diff (Bootstrap)"
    ),
    "hierarchical": Source(
        "bayes_predictive", None, 7, 11, None, "Avg Acc (Bayesian HM)", "Avg Acc Diff (Bayesian HM)"
    ),
    "normalised": Source(
        "bootstrap", "minmax_draws", 9, 10, 5, "Avg Norm Acc", "Avg Norm Acc Diff"
    ),
}
METHODS = {
    "By avg": "mean",
    "Geom mean": "geometric",
    "Avg rank (AvR)": "average_rank",
    "AvR (noise)": "average_rank_noise",
    "AvR (bins)": "average_rank_bins",
}
_CATEGORIES = ("natural", "specialized", "structured")
LEADERS = ("Sup-Rotation-100%", "Sup-Exemplar-100%", "Sup-100%")
ORDERED = ("bootstrap", "hierarchical")
"""Sources of Kemeny's order; only ranks within tasks enter it, which no scale of a task changes."""


def vtab(*, repetitions: int = 2000, seed: int = 0) -> Study:
    """Tables 2 to 11 and Figures 3 to 6 of Longjohn, Gopalan and Casleton (2025).

    Parameters
    ----------
    repetitions : int
        Draws behind each number; those on the published scale are always 100.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Makes ``vtab`` (one row per published cell, to the one decimal that is printed),
        ``vtab_winners`` (share of all weights of the three categories in which each model wins,
        on the raw and on the normalised scale), ``vtab_rank_probabilities`` and ``vtab_kemeny``
        (Kemeny's order of the six best models); the pictures ``figure_3`` to ``figure_6``; and a
        page.

    Raises
    ------
    OptionError
        If `repetitions` is below 2.

    Examples
    --------
    >>> len(vtab(repetitions=100).units)
    24
    """
    check_repetitions(repetitions, 2)
    measured = [
        Unit(measure_scores, (name, _draws(source, repetitions), seed))
        for name, source in SOURCES.items()
    ] + [
        Unit(measure_ranks, (name, column, _draws(source, repetitions), seed))
        for (name, source), column in product(SOURCES.items(), METHODS)
    ]
    winners = [Unit(measure_winners, (number, seed)) for number in WINNERS]
    rankings = [Unit(measure_rankings, (number, repetitions, seed)) for number in RANKINGS]
    orders = [Unit(measure_kemeny, (name, repetitions, seed)) for name in ORDERED]
    parts = {
        "vtab": measured,
        "vtab_winners": winners,
        "vtab_rank_probabilities": rankings,
        "vtab_kemeny": orders,
    }

    def finish(results: Sequence[Table]) -> dict[str, Table]:
        made = by_part(results, parts)
        return made | {"vtab": beside_published(made["vtab"])}

    units = tuple(chain.from_iterable(parts.values()))
    return Study("vtab", units, finish, partial(draw_figures, seed=seed), make_page)


def _draws(source: Source, repetitions: int) -> int:
    return repetitions if source.normalise is None else SCALING_DRAWS


def measure_scores(name: str, draws: int, seed: int) -> Table:
    """Scores by category and overall, and differences of the three best models, in percent."""
    source = SOURCES[name]
    parts = _draw_parts(source, draws, seed)
    models = vtab_scores().models
    rows = []
    for column, values in parts.items():
        rows += _cells(source.scores, column, models, _summary(values, ALPHA_SCORES))
    rows += _cells(2, source.overall, models, _summary(parts["Overall"], ALPHA_SCORES))
    pairs = [(LEADERS[i], LEADERS[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    overall = dict(zip(models, parts["Overall"].T, strict=True))
    gaps = np.stack([overall[one] - overall[other] for one, other in pairs], axis=1)
    names = [f"{one} - {other}" for one, other in pairs]
    shared = ALPHA_RANKS / len(pairs)  # Bonferroni
    return rows + _cells(3, source.difference, names, _summary(gaps, shared))


def _draw_parts(source: Source, draws: int, seed: int) -> dict[str, NDArray[np.float64]]:
    """Draws of the mean of each category and of all tasks, shape (S, M) each, in percent."""
    scores = vtab_scores()

    def average(weights: Mapping[str, float] | None) -> rb.Aggregate:
        return rb.aggregate(
            scores if weights is None else scores.weigh_categories(weights),
            over="items", estimator=source.estimator, normalise=source.normalise,
            prior=source.prior, resamples=draws, seed=seed,
        )  # fmt: skip

    overall = average(None)
    means = overall.by_category
    if means is None or means.draws is None:
        raise rb.DataError("The results have no draws of category means; found no categories.")
    by_name = dict(zip(means.categories, np.moveaxis(means.draws, 1, 0), strict=True))
    found = {
        column: by_name[next(iter(weights))] for column, weights in PARTS.items() if weights
    } | {"Overall": _values(overall)}
    return {column: PERCENT * values for column, values in found.items()}


def _values(average: rb.Aggregate) -> NDArray[np.float64]:
    if average.draws is None:
        raise rb.DataError("The average has no draws.")
    return average.draws.values


def measure_ranks(name: str, column: str, draws: int, seed: int) -> Table:
    """One way to aggregate ranks, for all models and for the six best."""
    source = SOURCES[name]
    average = rb.aggregate(
        vtab_scores(), over="items", estimator=source.estimator, normalise=source.normalise,
        method=METHODS[column], prior=source.prior, resamples=draws, seed=seed,
    )  # fmt: skip
    values = _values(average)
    found = _summary(-values, ALPHA_RANKS) if average.unit == "rank" else _rank_summary(average)
    tables = [source.ranks] if source.short is None else [source.ranks, source.short]
    return flatten([_cells(table, column, average.models, found) for table in tables])


def measure_kemeny(name: str, draws: int, seed: int) -> Table:
    """Kemeny's order of the six models of Table 4, found exactly in each draw.

    Parameters
    ----------
    name : str
        Of `ORDERED`.
    draws : int
        Each is ordered anew.
    seed : int
        Start of the streams.

    Returns
    -------
    list of dict
        One row per model, best first: its `rank` in the order of the results, and `mean`,
        `low` and `high` (95 %) of its ranks in the draws. A description, without a guarantee.
    """
    shown = {str(cell["row"]) for cell in published_cells() if cell["table"] == 4}
    order = partial(
        rb.aggregate, vtab_scores().select(models=sorted(shown)), over="items", method="kemeny",
        seed=seed,
    )  # fmt: skip
    results = order(estimator="bootstrap", resamples=2).score  # of the results, without draws
    source = SOURCES[name]
    average = order(estimator=source.estimator, prior=source.prior, resamples=draws)
    found = _summary(-_values(average), ALPHA_RANKS)
    rows = zip(average.models, results.tolist(), *(v.tolist() for v in found), strict=True)
    table: Table = [
        {"source": name, "model": model, "rank": rank, "mean": mean, "low": low, "high": high}
        for model, rank, mean, low, high in rows
    ]
    return sorted(table, key=lambda row: (number(row, "rank"), str(row["model"])))


class _Summary(NamedTuple):
    """Mean of the draws and ends of an interval, one of each per row."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def _summary(values: NDArray[np.float64], alpha: float) -> _Summary:
    low, high = np.quantile(values, [alpha / 2, 1 - alpha / 2], axis=0)
    return _Summary(values.mean(axis=0), low, high)


def _rank_summary(average: rb.Aggregate) -> _Summary:
    if average.draws is None or average.expected_rank is None:
        raise rb.DataError("The average has no draws.")
    band = average.draws.rank_band(ALPHA_RANKS)
    return _Summary(average.expected_rank, band.best.astype(float), band.worst.astype(float))


def _cells(table: int, column: str, rows: Sequence[str], found: _Summary) -> Table:
    values = zip(rows, *(part.tolist() for part in found), strict=True)
    return [
        {"table": table, "row": row, "column": column, "ours": mean, "ours_low": low,
         "ours_high": high}
        for row, mean, low, high in values
    ]  # fmt: skip


def beside_published(cells: Table) -> Table:
    """Published cells in their order, each with ours to the one decimal that is printed."""
    ours = {(cell["table"], cell["row"], cell["column"]): cell for cell in cells}
    drifting = {
        number
        for source in SOURCES.values()
        if source.normalise is not None
        for number in (source.scores, source.ranks, source.short)
    }
    made: Table = []
    for cell in published_cells():
        mine = ours[cell["table"], cell["row"], cell["column"]]
        drifts = cell["table"] in drifting or "Norm" in str(cell["column"])
        made.append(
            {
                "table": cell["table"],
                "row": cell["row"],
                "column": cell["column"],
                "published": cell["published"],
                "ours": _printed(mine, "ours"),
                "published_low": cell["published_low"],
                "published_high": cell["published_high"],
                "ours_low": _printed(mine, "ours_low"),
                "ours_high": _printed(mine, "ours_high"),
                "label": DRIFTS if drifts else "",
                "note": cell["note"],
            }
        )
    return made


def _printed(cell: Row, name: str) -> float:
    value = cell[name]
    if not isinstance(value, float):
        raise TypeError(f"expected a number as {name}, found {value!r}")
    return round(value, 1) + 0.0  # no minus zero


def measure_winners(figure: int, seed: int) -> Table:
    """Share of all weights of the three categories in which each model wins, by panel."""
    means = weight_means(figure, seed)
    return [
        {"figure": figure, "z": found.z, "model": model, "share": share, "clear_share": clear}
        for found in map(means.weight_map, CLEAR)
        for model, share, clear in zip(
            found.models, found.share.tolist(), found.clear_share.tolist(), strict=True
        )
    ]


def measure_rankings(figure: int, draws: int, seed: int) -> Table:
    """Posterior probability of each rank under given weights of the categories."""
    weights, scores = RANKINGS[figure], vtab_scores()
    average = rb.aggregate(
        scores if weights is None else scores.weigh_categories(weights),
        over="items", estimator="bayes", prior=PRIOR, resamples=draws, seed=seed,
    )  # fmt: skip
    found = average.rank_probability
    if found is None:
        raise rb.DataError("The average has no rank probabilities.")
    shown = {name: None if weights is None else weights[name] for name in _CATEGORIES}
    return [
        {"figure": figure, **shown, "model": model, "rank": rank, "probability": share}
        for model, shares in zip(average.models, found.tolist(), strict=True)
        for rank, share in enumerate(shares, start=1)
    ]

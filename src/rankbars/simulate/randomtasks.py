"""Random tasks with exact ties: all corrections side by side, and ranks on a new task.

True scores ``sqrt(j)`` with standard deviation 0.7 between tasks; rows with standard deviation 0.7
and correlation 0.1 between models. Widths and coverages of corrections at 95 %. On fresh tasks,
intervals for observed ranks do not cover the true ones: task intervals at 95 % are merged at 70 %,
so that at least 65 % of true rank sets should be covered.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import (
    Published,
    covers,
    share_of_field,
    tally_rows,
    trap,
)
from rankbars.simulate.populations import (
    BETWEEN_BLOCKS,
    Design,
    RankSets,
    mean_scores,
    model_names,
    spread_root,
    tie_closest,
    tied_models,
    true_rank_sets,
)
from rankbars.simulate.study import Table
from rankbars.stats.streams import stream

__all__ = ["observed", "ties"]

SIGMA, ALPHA = 0.7, 0.05

TIED_DESIGNS = {
    "10 models, 10 rows": Design(10, 10, SIGMA),
    "10 models, 10 rows, half tied": Design(10, 10, SIGMA, ties=0.5),
    "10 models, 200 rows": Design(10, 200, SIGMA),
    "10 models, 200 rows, half tied": Design(10, 200, SIGMA, ties=0.5),
    "30 models, 10 rows": Design(30, 10, SIGMA),
    "30 models, 10 rows, half tied": Design(30, 10, SIGMA, ties=0.5),
    "30 models, 200 rows": Design(30, 200, SIGMA),
    "30 models, 200 rows, half tied": Design(30, 200, SIGMA, ties=0.5),
    "30 models, 200 rows, all tied": Design(30, 200, SIGMA, ties=1.0),
}


UNSEEN = 100
TASK_ALPHA, MERGE_ALPHA = 0.05, 0.3

DESIGNS = [
    (Design(n_models, n_rows, SIGMA, ties=share), n_tasks)
    for n_models, n_rows, share, n_tasks in product((10, 30), (10, 200), (0.0, 0.5), (20, 60))
]

# Width and coverage of the true rank set: quantile, joint; in the order of the designs.
_MERGES = (
    (0.892, 0.994, 0.777, 0.975), (0.897, 0.996, 0.775, 0.977),
    (0.908, 0.982, 0.802, 0.932), (0.910, 0.987, 0.794, 0.934),
    (0.609, 0.897, 0.527, 0.845), (0.586, 0.900, 0.497, 0.841),
    (0.743, 0.880, 0.652, 0.800), (0.735, 0.883, 0.635, 0.791),
    (0.706, 0.995, 0.651, 0.988), (0.697, 0.996, 0.634, 0.989),
    (0.753, 0.954, 0.696, 0.917), (0.741, 0.955, 0.679, 0.912),
    (0.401, 0.865, 0.384, 0.845), (0.384, 0.864, 0.361, 0.837),
    (0.618, 0.817, 0.590, 0.786), (0.606, 0.818, 0.576, 0.779),
)  # fmt: skip

# Ranges over all designs: of the observed rank, of the true rank set without ties and with them.
_OBSERVED, _TRUE, _TRUE_TIED = (0.74, 0.84), (0.75, 0.85), (0.41, 0.69)


def _published() -> Published:
    values: dict[tuple[object, ...], float | tuple[float, float]] = {}
    for (design, n_tasks), merges in zip(DESIGNS, _MERGES, strict=True):
        for method, width, coverage in (("quantile", *merges[:2]), ("joint", *merges[2:])):
            values[*design, n_tasks, method, "width"] = width
            values[*design, n_tasks, method, "coverage of the true rank set"] = coverage
        key = (*design, n_tasks, "observed")
        values[*key, "coverage of the observed rank"] = _OBSERVED
        values[*key, "coverage of the true rank set"] = _TRUE_TIED if design.ties else _TRUE
    return values


def measure(number: int, first: int, count: int, seed: int) -> Table:
    """Widths and coverages of three merges on some sets of tasks."""
    design, n_tasks = DESIGNS[number]
    made: dict[str, list[tuple[float, float, float]]] = {}
    for repetition in range(first, first + count):
        rng = stream(seed, "observed", design.name, n_tasks, repetition)
        truth, seen = _new_tasks(design, rng)
        for method, new in _predict(design, n_tasks, rng).items():
            measured = (
                float(share_of_field(new.best, new.worst, design.n_models)),
                float(covers(new.best, new.worst, truth).mean()),
                float(covers(new.best, new.worst, seen).mean()),
            )
            made.setdefault(method, []).append(measured)
    rows: Table = []
    for method, values in made.items():
        width, true, seen_too = np.array(values).T
        rows += tally_rows(
            {**design._asdict(), "n_tasks": n_tasks, "method": method},
            {
                "width": width,
                "coverage of the true rank set": true,
                "coverage of the observed rank": seen_too,
            },
        )
    return rows


def _new_tasks(design: Design, rng: np.random.Generator) -> tuple[RankSets, RankSets]:
    """True and observed rank sets of the new tasks, shape (100, M)."""
    shape = (UNSEEN, design.n_models)
    spread = rng.standard_normal(shape) @ spread_root(design).T
    truth = tie_closest(
        mean_scores(design.n_models) + spread, tied_models(design.n_models, design.ties)
    )
    # The mean of n rows has the covariance of a row divided by n.
    noise = rng.standard_normal(shape) @ spread_root(design, BETWEEN_BLOCKS).T
    return true_rank_sets(truth), true_rank_sets(truth + noise / np.sqrt(design.n_rows))


def _predict(design: Design, n_tasks: int, rng: np.random.Generator) -> dict[str, rb.RankIntervals]:
    """Intervals for a new task from fresh training tasks."""
    values: dict[str, NDArray[np.float64]] = {
        f"{task:03d}": _draw_task(design, rng)[1] for task in range(n_tasks)
    }
    models = model_names(design.n_models)
    comparisons = rb.compare(rb.Scores.from_arrays(values, models), test="t")
    intervals = rb.rank(comparisons, alpha=TASK_ALPHA)
    seen = {}
    for task, one in comparisons.items():
        sets = true_rank_sets(one.mean)
        seen[task] = rb.RankIntervals(
            models, sets.best, sets.worst, TASK_ALPHA, "each", "task", "observed"
        )
    return {
        "quantile": rb.predict(intervals, merge="quantile", alpha=MERGE_ALPHA),
        "joint": rb.predict(intervals, merge="joint", alpha=MERGE_ALPHA),
        "observed": rb.predict(intervals, merge="observed", alpha=MERGE_ALPHA, observed=seen),
    }


observed = trap(
    "observed", measure, [(number,) for number in range(len(DESIGNS))],
    (*Design._fields, "n_tasks", "method"), _published(), repetitions=120, at_once=20,
)  # fmt: skip
"""Coverage of observed and of true ranks on 100 new tasks for each set of training tasks: the merge
of observed ranks, and the quantile and joint merges of rank intervals. Published values are a range
over all designs for the first."""


class Method(NamedTuple):
    """A correction with its scope; `draws` names the null draws of max-T."""

    correction: str
    scope: str
    draws: str = "rows"


METHODS = {
    "Holm": Method("holm", "each"),
    "Simes count": Method("simes", "each"),
    "max-T, multivariate t": Method("maxt", "each", "multivariate t"),
    "max-T, sign flips": Method("maxt", "each"),
    "bootstrap band": Method("bootstrap_band", "each"),
    "Holm, all models": Method("holm", "all"),
    "max-T, multivariate t, all models": Method("maxt", "all", "multivariate t"),
    "max-T, sign flips, all models": Method("maxt", "all"),
}

# Width, coverage of one model, coverage of all models; in the order of the designs.
_PUBLISHED = {
    "Holm": (
        (0.487, 0.999, 0.99), (0.496, 0.987, 0.91), (0.093, 0.998, 0.99),
        (0.243, 0.987, 0.93), (0.412, 1.0, 0.99), (0.434, 0.989, 0.83),
        (0.073, 0.999, 0.98), (0.261, 0.987, 0.84), (0.998, 0.970, 0.75),
    ),
    "Simes count": (
        (0.478, 0.999, 0.99), (0.487, 0.986, 0.90), (0.093, 0.998, 0.99),
        (0.242, 0.986, 0.92), (0.395, 1.0, 0.99), (0.418, 0.988, 0.81),
        (0.073, 0.999, 0.98), (0.261, 0.986, 0.83), (0.997, 0.966, 0.67),
    ),
    "max-T, multivariate t": (
        (0.463, 0.997, 0.98), (0.461, 0.980, 0.87), (0.091, 1.0, 1.0),
        (0.241, 0.985, 0.93), (0.358, 1.0, 1.0), (0.390, 0.967, 0.65),
        (0.072, 1.0, 1.0), (0.260, 0.983, 0.80), (0.998, 0.967, 0.68),
    ),
    "max-T, sign flips": (
        (0.509, 0.999, 0.99), (0.493, 0.985, 0.89), (0.092, 1.0, 1.0),
        (0.242, 0.985, 0.93), (0.406, 1.0, 1.0), (0.429, 0.987, 0.78),
        (0.071, 0.999, 0.97), (0.260, 0.981, 0.80), (0.999, 0.970, 0.70),
    ),
    "bootstrap band": (
        (0.273, 0.975, 0.81), (0.298, 0.774, 0.13), (0.070, 1.0, 1.0),
        (0.211, 0.817, 0.26), (0.173, 0.960, 0.28), (0.235, 0.520, 0.0),
        (0.046, 0.990, 0.82), (0.208, 0.523, 0.0), (0.768, 0.0, 0.0),
    ),
    "Holm, all models": (
        (0.633, 1.0, 1.0), (0.630, 0.997, 0.98), (0.115, 1.0, 1.0),
        (0.250, 0.998, 0.99), (0.600, 1.0, 1.0), (0.614, 1.0, 0.99),
        (0.095, 1.0, 1.0), (0.268, 0.999, 0.98), (1.0, None, 0.97),
    ),
    "max-T, multivariate t, all models": (
        (0.562, 1.0, 1.0), (0.538, 0.989, 0.93), (0.111, 1.0, 1.0),
        (0.250, 0.998, 0.99), (0.452, 1.0, 1.0), (0.470, 0.993, 0.90),
        (0.092, 1.0, 1.0), (0.269, 0.998, 0.97), (1.0, None, 1.0),
    ),
}  # fmt: skip

QUANTITIES = ("width", "coverage of one model", "coverage of all models")
PUBLISHED = {
    (design, method, quantity): value
    for method, triples in _PUBLISHED.items()
    for design, triple in zip(TIED_DESIGNS, triples, strict=True)
    for quantity, value in zip(QUANTITIES, triple, strict=True)
    if value is not None
}


def _draw_task(
    design: Design, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """True scores of a random task, shape (M,), and rows around them, shape (n, M)."""
    spread = spread_root(design) @ rng.standard_normal(design.n_models)
    scores = (mean_scores(design.n_models) + spread)[None]
    truth = tie_closest(scores, tied_models(design.n_models, design.ties))[0]
    noise = rng.standard_normal((design.n_rows, design.n_models))
    return truth, truth + noise @ spread_root(design, BETWEEN_BLOCKS).T


def measure_ties(name: str, first: int, count: int, seed: int) -> Table:
    """Widths and coverages of all methods on some tasks."""
    design = TIED_DESIGNS[name]
    drawn = {
        f"{name} {number:05d}": _draw_task(design, stream(seed, "ties", name, number))
        for number in range(first, first + count)
    }
    truths = true_rank_sets(np.array([truth for truth, _ in drawn.values()]))
    values = {task: rows for task, (_, rows) in drawn.items()}
    scores = rb.Scores.from_arrays(values, model_names(design.n_models))
    comparisons = rb.compare(scores, test="t")
    rows: Table = []
    for method, (correction, scope, draws) in METHODS.items():
        evidence = comparisons
        if draws == "multivariate t":
            evidence = {task: _as_estimates(one) for task, one in comparisons.items()}
        ranked = rb.rank(
            evidence, correction=correction, scope=scope, alpha=ALPHA, seed=seed
        ).values()
        best = np.array([one.best for one in ranked])
        worst = np.array([one.worst for one in ranked])
        covered = covers(best, worst, truths)
        measured = share_of_field(best, worst, design.n_models), covered.mean(1), covered.all(1)
        rows += tally_rows(
            {"design": name, "method": method}, dict(zip(QUANTITIES, measured, strict=True))
        )
    return rows


def _as_estimates(comparisons: rb.Comparisons) -> rb.Comparisons:
    """The same statistics, for which max-T draws from the multivariate t distribution.

    It does so where the evidence is means with a covariance and not rows.
    """
    items = comparisons.evidence
    if not isinstance(items, rb.Items):
        raise TypeError("expected rows of scores")
    covariance = np.cov(items.values, rowvar=False) / items.n
    return replace(
        comparisons, evidence=rb.Estimates(items.models, comparisons.mean, cov=covariance)
    )


ties = trap(
    "ties", measure_ties, [(name,) for name in TIED_DESIGNS], ("design", "method"), PUBLISHED,
    repetitions=100, at_once=5,
)  # fmt: skip
"""Width and coverage of every correction on random tasks, without ties, with half and with all
models tied: mean width as a share of the field, coverage of the true rank sets of one model and of
all models at once."""

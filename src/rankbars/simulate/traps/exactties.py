"""Exact ties: widths and coverages of all corrections side by side, on random tasks.

True scores ``sqrt(j)`` with standard deviation 0.7 between tasks; rows with standard deviation 0.7
and correlation 0.1 between models; intervals at 95 %.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import covers, share_of_field, tally_rows
from rankbars.simulate.populations import (
    BETWEEN_BLOCKS,
    Design,
    mean_scores,
    model_names,
    spread_root,
    tie_closest,
    tied_models,
    true_rank_sets,
)
from rankbars.simulate.study import Study, Table, check_repetitions
from rankbars.simulate.traps.common import portions, trap
from rankbars.stats.streams import stream

__all__ = ["draw_task", "ties"]

SIGMA, ALPHA = 0.7, 0.05

DESIGNS = {
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
    for design, triple in zip(DESIGNS, triples, strict=True)
    for quantity, value in zip(QUANTITIES, triple, strict=True)
    if value is not None
}


def ties(*, repetitions: int = 100, seed: int = 0) -> Study:
    """Width and coverage of every correction, without ties, with half and with all models tied.

    Parameters
    ----------
    repetitions : int
        Random tasks per design.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table ``ties``: mean width as a share of the field, coverage of the true rank sets of one
        model and of all models at once.

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    arguments = [
        (name, *portion, seed)
        for name in DESIGNS
        for portion in portions(check_repetitions(repetitions), 5)
    ]
    return trap("ties", measure, arguments, ("design", "method"), PUBLISHED)


def draw_task(
    design: Design, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """True scores of a random task, shape (M,), and rows around them, shape (n, M)."""
    spread = spread_root(design) @ rng.standard_normal(design.n_models)
    scores = (mean_scores(design.n_models) + spread)[None]
    truth = tie_closest(scores, tied_models(design.n_models, design.ties))[0]
    noise = rng.standard_normal((design.n_rows, design.n_models))
    return truth, truth + noise @ spread_root(design, BETWEEN_BLOCKS).T


def measure(name: str, first: int, count: int, seed: int) -> Table:
    """Widths and coverages of all methods on some tasks."""
    design = DESIGNS[name]
    drawn = {
        f"{name} {number:05d}": draw_task(design, stream(seed, "ties", name, number))
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

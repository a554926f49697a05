"""The hierarchical model: its published study, and whether its intervals hold.

The published study has two models and three tasks. Its priors contain the answer: 4,000 answers
beforehand with the right shares, against 200 items. So it shows how the model works, and is no
evidence for it; the other designs are: true shares are drawn from one prior, and intervals are
made with that prior, with the default one and with the published one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import Published, compare_with_published, portions, tally_rows
from rankbars.simulate.study import Study, Table, Unit, check_repetitions, flatten
from rankbars.stats.streams import stream

__all__ = ["posterior"]

ITEMS = np.array([200, 10_000, 20_000])
RIGHT = {"A": np.array([100, 5_000, 10_000]), "B": np.array([115, 5_000, 10_000])}
PRIORS = {"A": rb.Prior.normal(2000, 2000, 10), "B": rb.Prior.normal(2100, 1900, 10)}
DRAWS = 4000

MODELS, TASKS, ANSWERS = 20, 6, 50
CENTRE, DEVIATION = 3.0, 1.5  # of the log concentration
TRUE_PRIOR = f"log_normal:{CENTRE:g}:{DEVIATION:g}"
TARGETS = {
    "these tasks": ("items", "bayes"),
    "tasks like these": ("tasks", "bayes"),
    "one new task": ("tasks", "bayes_predictive"),
}

PUBLISHED: Published = {
    ("published study", "hierarchical model", "low"): -0.021,
    ("published study", "hierarchical model", "high"): -0.003,
    ("published study", "bootstrap", "low"): -0.059,
    # Printed as .097, which no resampling of these counts can give; .0097 is meant.
    ("published study", "bootstrap", "high"): 0.0097,
}


def posterior(*, repetitions: int = 100, seed: int = 0) -> Study:
    """The study of Longjohn, Gopalan and Casleton (2025), and coverage of posterior intervals.

    Parameters
    ----------
    repetitions : int
        Runs of the published study with other draws, and data sets of 20 models per design.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table ``posterior``: mean and ends of the 95 % interval of the difference of two models,
        beside the published ones; and the coverage of 95 % intervals for the average over these
        tasks, over tasks like these, and for one new task, with the prior that is true, with the
        default one and with the published one.

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    check_repetitions(repetitions)
    units = [Unit(measure_published, (*one, seed)) for one in portions(repetitions, 10)]
    units += [
        Unit(measure_coverage, (target, prior, *one, seed))
        for target in TARGETS
        for prior in (TRUE_PRIOR, "uniform_log", "exponential")
        for one in portions(repetitions, 5)
    ]
    return Study("posterior", tuple(units), _finish)


def _finish(parts: Sequence[Table]) -> dict[str, Table]:
    rows = flatten(parts)
    return {"posterior": compare_with_published(rows, ("design", "method"), PUBLISHED)}


def measure_published(first: int, count: int, seed: int) -> Table:
    """Difference of the two models of the published study, by two estimators."""
    names = tuple(RIGHT)
    tasks = {
        f"task {j}": rb.Estimates(
            names, np.array([RIGHT[name][j] / ITEMS[j] for name in names]), n=np.full(2, ITEMS[j])
        )
        for j in range(len(ITEMS))
    }
    scores = rb.Scores(tasks)
    rows: Table = []
    for method in ("hierarchical model", "bootstrap"):
        found = [
            _difference(scores, method, seed + number) for number in range(first, first + count)
        ]
        mean, low, high = np.array(found).T
        key: dict[str, str | int | float] = {"design": "published study", "method": method}
        rows += tally_rows(key, {"mean": mean, "low": low, "high": high})
    return rows


def _difference(scores: rb.Scores, method: str, seed: int) -> tuple[float, float, float]:
    if method == "bootstrap":
        average = rb.aggregate(
            scores, over="items", estimator="bootstrap", resamples=DRAWS, seed=seed
        )
    else:
        average = rb.aggregate(
            scores, over="items", estimator="bayes", prior=PRIORS, resamples=DRAWS, seed=seed
        )
    if average.draws is None:
        raise RuntimeError("both estimators draw")
    values = average.draws.values[:, 0] - average.draws.values[:, 1]
    low, high = np.quantile(values, (0.025, 0.975))
    return float(values.mean()), float(low), float(high)


def measure_coverage(target: str, prior: str, first: int, count: int, seed: int) -> Table:
    """How often 95 % intervals contain what they are for, and how wide they are."""
    over, estimator = TARGETS[target]
    inside, width = [], []
    for number in range(first, first + count):
        truth, scores = _population(target, number, seed)
        average = rb.aggregate(
            scores, over=over, estimator=estimator, prior=prior, resamples=1000, seed=seed + number
        )
        inside.append((average.low <= truth) & (truth <= average.high))
        width.append(average.high - average.low)
    name = "true prior" if prior == TRUE_PRIOR else f"prior {prior}"
    key: dict[str, str | int | float] = {"design": target, "method": name}
    return tally_rows(key, {"coverage": np.array(inside), "width": np.array(width)})


def _population(target: str, number: int, seed: int) -> tuple[NDArray[np.float64], rb.Scores]:
    """True values of the target, and answers of models whose tasks come from the true prior."""
    rng = stream(seed, "posterior", number)
    mean = rng.random(MODELS)
    concentration = np.exp(CENTRE + DEVIATION * rng.standard_normal(MODELS))
    shares = rng.beta(mean * concentration, (1 - mean) * concentration, size=(TASKS + 1, MODELS))
    right = rng.binomial(ANSWERS, shares[:TASKS])
    names = tuple(f"model {i:02d}" for i in range(MODELS))
    tasks = {
        f"task {j}": rb.Estimates(names, right[j] / ANSWERS, n=np.full(MODELS, ANSWERS))
        for j in range(TASKS)
    }
    truth = {
        "these tasks": shares[:TASKS].mean(axis=0),
        "tasks like these": mean,
        "one new task": shares[TASKS],
    }
    return truth[target], rb.Scores(tasks)

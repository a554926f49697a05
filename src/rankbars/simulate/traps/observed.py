"""Observed and true ranks on a new task: intervals for the first do not cover the second.

The design of the study of ties, with fresh tasks; task intervals at 95 %, merged at 70 %, so that
at least 65 % of true rank sets should be covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import (
    Published,
    compare_with_published,
    covers,
    share_of_field,
    tally_rows,
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
from rankbars.simulate.study import Study, Table, Unit, check_repetitions, flatten
from rankbars.simulate.traps.common import portions
from rankbars.simulate.traps.exactties import draw_task
from rankbars.stats.streams import stream

__all__ = ["observed"]

SIGMA = 0.7
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


def observed(*, repetitions: int = 120, seed: int = 0) -> Study:
    """Coverage of observed and of true ranks on new tasks.

    Parameters
    ----------
    repetitions : int
        Sets of training tasks per design, each with 100 new tasks.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table ``observed``: the merge of observed ranks, and the quantile and joint merges of rank
        intervals. Published values are a range over all designs for the first.

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    check_repetitions(repetitions)
    units = tuple(
        Unit(measure, (number, *portion, seed))
        for number in range(len(DESIGNS))
        for portion in portions(repetitions, 20)
    )
    return Study("observed", units, _finish)


def _finish(results: Sequence[Table]) -> dict[str, Table]:
    columns = (*Design._fields, "n_tasks", "method")
    return {"observed": compare_with_published(flatten(results), columns, _published())}


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
        f"{task:03d}": draw_task(design, rng)[1] for task in range(n_tasks)
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

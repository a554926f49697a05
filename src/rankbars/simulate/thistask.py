"""Task level of the published study: how often intervals contain the true rank on their task.

One fixed vector of true scores per configuration, many matrices of scores around it.
Source: Neuhof and Benjamini 2026, Appendix E, Tables 6 and 7.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.designs import (
    BETWEEN_BLOCKS,
    Design,
    legacy_normals,
    mean_scores,
    model_names,
    spread_root,
    tie_closest,
    tied_models,
    true_rank_sets,
)
from rankbars.simulate.measures import covers, share_of_field
from rankbars.simulate.study import Row, Table
from rankbars.stats.streams import stream

__all__ = ["METHODS", "ThisTaskPlan", "measure_this_task", "task_scores"]

RESAMPLES = 200  # B of Algorithm 3

METHODS = {"holm": "holm", "bootstrap": "bootstrap_band"}
"""Corrections behind Algorithm 1 and Algorithm 3."""


class ThisTaskPlan(NamedTuple):
    """What is done with a configuration.

    Attributes
    ----------
    levels : tuple of float
        Error rates of the task intervals.
    repetitions : int
        Matrices of scores.
    seed : int
        Start of the streams.
    """

    levels: tuple[float, ...]
    repetitions: int
    seed: int


def task_scores(design: Design) -> NDArray[np.float64]:
    """True scores of the one task of a configuration, the same in every run, shape (M,)."""
    spread = spread_root(design) @ legacy_normals(design.n_models, 1)
    scores = mean_scores(design.n_models) + spread.T
    tied = tie_closest(scores, tied_models(design.n_models, design.ties))
    return np.asarray(tied[0])


def measure_this_task(design: Design, plan: ThisTaskPlan) -> Table:
    """Width and coverage of Algorithm 1 and Algorithm 3 on one configuration.

    Parameters
    ----------
    design : Design
        The configuration.
    plan : ThisTaskPlan
        What is done with it.

    Returns
    -------
    list of dict
        Per level and method: mean width as a share of the field, and mean coverage of the true
        rank sets.
    """
    truth = task_scores(design)
    sets = true_rank_sets(truth)
    root = spread_root(design, BETWEEN_BLOCKS)
    rng = stream(plan.seed, "this task", design.name)
    shape = (plan.repetitions, design.n_rows, design.n_models)
    rows = truth + rng.standard_normal(shape) @ root.T
    # The name of a task keys its resamples.
    tasks = {f"{design.name} repetition {i:04d}": one for i, one in enumerate(rows)}
    comparisons = rb.compare(rb.Scores.from_arrays(tasks, model_names(design.n_models)), test="t")
    table: Table = []
    for level in plan.levels:
        for method, correction in METHODS.items():
            ranked = rb.rank(
                comparisons,
                correction=correction,
                alpha=level,
                seed=plan.seed,
                resamples=RESAMPLES,
            ).values()
            best = np.array([one.best for one in ranked])
            worst = np.array([one.worst for one in ranked])
            row: Row = {
                **design._asdict(),
                "level": level,
                "method": method,
                "width": float(share_of_field(best, worst, design.n_models).mean()),
                "coverage": float(covers(best, worst, sets).mean()),
            }
            table.append(row)
    return table

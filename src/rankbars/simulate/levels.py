"""The two levels of the published study: how often intervals contain the rank that they are for.

On a task: one fixed vector of true scores per configuration, many matrices of scores around it.
On a new task: a pool of tasks per configuration, each with one matrix of scores; each repetition
draws training tasks from the pool without replacement, and other tasks as new ones.
Source: Neuhof and Benjamini 2026, Appendix E, Tables 2 to 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import covers, share_of_field
from rankbars.simulate.populations import (
    BETWEEN_BLOCKS,
    Design,
    RankSets,
    legacy_normals,
    mean_scores,
    model_names,
    spread_root,
    tie_closest,
    tied_models,
    true_rank_sets,
)
from rankbars.simulate.study import Row, Table
from rankbars.stats.streams import stream

__all__ = [
    "METHODS",
    "NewTaskPlan",
    "ThisTaskPlan",
    "measure_new_tasks",
    "measure_this_task",
    "pool_intervals",
    "pool_scores",
    "task_scores",
]

RESAMPLES = 200  # B of Algorithm 3

METHODS = {"holm": "holm", "bootstrap": "bootstrap_band"}
"""Corrections behind Algorithm 1 and Algorithm 3."""
POOL = 1000  # tasks per configuration
UNSEEN = 100  # new tasks per repetition
CHUNK = 100  # tasks whose rows are in memory at once; part of the design, it names the streams


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


class NewTaskPlan(NamedTuple):
    """What is done with the pool of a configuration.

    Attributes
    ----------
    n_tasks : tuple of int
        Numbers of training tasks N.
    levels : tuple of float
        Error rates of the task intervals.
    rates : tuple of float
        Error rates of the quantile merge.
    repetitions : int
        Draws of training tasks and new ones.
    seed : int
        Start of the streams.
    """

    n_tasks: tuple[int, ...]
    levels: tuple[float, ...]
    rates: tuple[float, ...]
    repetitions: int
    seed: int


def pool_scores(design: Design) -> NDArray[np.float64]:
    """True scores of the pool, the same in every run, shape (1000, M)."""
    spread = spread_root(design) @ legacy_normals(design.n_models, POOL)
    scores = mean_scores(design.n_models) + spread.T
    return tie_closest(scores, tied_models(design.n_models, design.ties))


def pool_intervals(
    design: Design, truth: NDArray[np.float64], levels: tuple[float, ...], seed: int
) -> dict[float, list[rb.RankIntervals]]:
    """Rank intervals of every task of the pool by Algorithm 1, one list per level.

    Rows scatter around the true scores independently between models.
    """
    names = model_names(design.n_models)
    made: dict[float, list[rb.RankIntervals]] = {level: [] for level in levels}
    for start in range(0, len(truth), CHUNK):
        part = truth[start : start + CHUNK]
        rng = stream(seed, "new tasks", design.name, start)
        rows = rng.standard_normal((len(part), design.n_rows, design.n_models))
        rows *= design.sigma
        rows += part[:, None, :]
        tasks = {f"task {start + i:04d}": one for i, one in enumerate(rows)}
        comparisons = rb.compare(rb.Scores.from_arrays(tasks, names), test="t")
        for level in levels:
            made[level].extend(rb.rank(comparisons, correction="holm", alpha=level).values())
    return made


def measure_new_tasks(design: Design, plan: NewTaskPlan) -> Table:
    """Width and coverage of the union and the quantile merge on one configuration.

    Parameters
    ----------
    design : Design
        The configuration.
    plan : NewTaskPlan
        What is done with it.

    Returns
    -------
    list of dict
        Per level, N, rate and merge: mean width as a share of the field, and mean coverage of the
        true rank sets of new tasks (``coverage``) and of the training tasks (``seen``). Of both,
        how often all models reach ``1 - rate``, each by its share of tasks (``all_reach``,
        ``all_reach_seen``), and the share of tasks on which no model is missed (``together``,
        ``together_seen``).
    """
    truth = pool_scores(design)
    intervals = pool_intervals(design, truth, plan.levels, plan.seed)
    sets = true_rank_sets(truth)
    table: Table = []
    for n_tasks in plan.n_tasks:
        # All levels and merges see the same draws of tasks.
        draws = [
            _draw_tasks(design, n_tasks, number, plan.seed) for number in range(plan.repetitions)
        ]
        drawn = np.array(draws)
        new, seen = (
            RankSets(sets.best[part], sets.worst[part])
            for part in (drawn[:, n_tasks:], drawn[:, :n_tasks])
        )
        for level in plan.levels:
            training = [
                {f"task {i:04d}": intervals[level][i] for i in draw[:n_tasks]} for draw in draws
            ]
            for merge, rate, best, worst in _merge_all(training, plan.rates):
                row: Row = {
                    **design._asdict(),
                    "n_tasks": n_tasks,
                    "level": level,
                    "rate": rate,
                    "merge": merge,
                    "width": float(share_of_field(best, worst, design.n_models).mean()),
                    **_coverage(covers(best[:, None], worst[:, None], new), rate, ""),
                    **_coverage(covers(best[:, None], worst[:, None], seen), rate, "seen"),
                }
                table.append(row)
    return table


def _coverage(inside: NDArray[np.bool_], rate: float, tasks: str) -> Row:
    """Equations 14 to 17 on the tasks of a kind, `inside` of shape (repetitions, tasks, models)."""
    ending = f"_{tasks}" if tasks else ""
    # A share of N tasks and a rate are decimals that rarely meet exactly in binary.
    reached = inside.mean(axis=1) >= 1 - rate - 1e-9
    return {
        tasks or "coverage": float(inside.mean()),
        f"all_reach{ending}": float(reached.all(axis=-1).mean()),
        f"together{ending}": float(inside.all(axis=-1).mean()),
    }


def _draw_tasks(design: Design, n_tasks: int, repetition: int, seed: int) -> list[int]:
    """Numbers of the training tasks, then of the new ones."""
    rng = stream(seed, "new tasks", design.name, "draw", n_tasks, repetition)
    drawn: list[int] = rng.choice(POOL, n_tasks + UNSEEN, replace=False).tolist()
    return drawn


def _merge_all(
    training: list[dict[str, rb.RankIntervals]], rates: tuple[float, ...]
) -> Iterator[tuple[str, float, NDArray[np.int64], NDArray[np.int64]]]:
    """Ends of the prediction intervals of all repetitions, shape (R, M), merge by merge."""
    union = _ends(training, "union", rates[0])  # no rate enters it
    for rate in rates:
        yield "union", rate, *union
        yield "quantile", rate, *_ends(training, "quantile", rate)


def _ends(
    training: list[dict[str, rb.RankIntervals]], merge: str, rate: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    made = [rb.predict(one, merge=merge, alpha=rate) for one in training]
    return np.array([one.best for one in made]), np.array([one.worst for one in made])

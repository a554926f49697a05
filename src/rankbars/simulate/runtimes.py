"""How long Algorithm 2 takes over the number of tasks, and with which exponent that grows.

Source: Neuhof and Benjamini 2026, Figure 6: correlation 0.5 in blocks of three models.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

import rankbars as rb
from rankbars.simulate.levels import pool_intervals, pool_scores
from rankbars.simulate.populations import Design
from rankbars.simulate.study import Table, numbers

__all__ = ["RuntimePlan", "growth", "measure_runtime"]


class RuntimePlan(NamedTuple):
    """What is timed.

    Attributes
    ----------
    n_tasks : tuple of int
        Numbers of tasks N. Beyond the pool of a design its tasks come again.
    level, rate : float
        Error rates of the task intervals and of the merge.
    repetitions : int
        How often each is timed; the shortest time counts, others were disturbed.
    seed : int
        Start of the streams.
    """

    n_tasks: tuple[int, ...]
    level: float
    rate: float
    repetitions: int
    seed: int


def measure_runtime(design: Design, plan: RuntimePlan) -> Table:
    """Processor time of Algorithm 2, from the intervals of N tasks to those of a new one.

    Parameters
    ----------
    design : Design
        Where the tasks come from.
    plan : RuntimePlan
        What is timed.

    Returns
    -------
    list of dict
        Seconds for each N. They differ from run to run, as times do.
    """
    pool = pool_intervals(design, pool_scores(design), (plan.level,), plan.seed)[plan.level]
    tasks = {n: {f"task {i}": pool[i % len(pool)] for i in range(n)} for n in plan.n_tasks}
    seconds = dict.fromkeys(plan.n_tasks, float("inf"))
    # Sizes take turns, so that a slow spell of the machine does not meet one of them alone.
    for _ in range(plan.repetitions):
        for n_tasks, intervals in tasks.items():
            start = time.thread_time()
            rb.predict(intervals, merge="quantile", alpha=plan.rate)
            seconds[n_tasks] = min(seconds[n_tasks], time.thread_time() - start)
    return [{**design._asdict(), "n_tasks": n, "seconds": spent} for n, spent in seconds.items()]


def growth(table: Table) -> float:
    """Exponent b of ``seconds = a * n_tasks ** b``, by least squares of the logarithms.

    Examples
    --------
    >>> round(growth([{"n_tasks": n, "seconds": 3e-6 * n} for n in (100, 200, 400)]), 6)
    1.0
    """
    sizes, seconds = (np.log(numbers(table, name)) for name in ("n_tasks", "seconds"))
    slope, _ = np.polyfit(sizes, seconds, 1)
    return float(slope)

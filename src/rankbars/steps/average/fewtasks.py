"""Ranks and wins over few tasks: the exact test of two models, and what must be said of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.stats.multiplicity.reversal import MOST_TASKS, fewest_tasks
from rankbars.stats.pairwise.signflip import sign_flip

__all__ = ["FEWEST_FOR_INTERVALS", "few_tasks_notes", "rank_assumptions", "rank_p_values"]

FEWEST_FOR_INTERVALS = 13
"""Tasks; a mean rank over fewer has no interval: that of t would hold less often than it says."""


_DRAWS = 9_999  # reversals of more than 20 tasks


def rank_assumptions(count: int, units: str) -> tuple[str, ...]:
    """What mean ranks (or wins) over few tasks rest on."""
    return (
        f"The {count} {units} are independent draws, and equal models are interchangeable on each "
        "(exact test on ranks).",
        "Shown better means ahead more often on tasks like these; with few tasks that is not the "
        "same as a better mean rank in the long run.",
    )


def few_tasks_notes(
    count: int, units: str, alpha: float, *, ranks: bool = True
) -> tuple[Note, ...]:
    """A note on mean ranks (or wins) over few tasks: by which law they are told apart."""
    if count > MOST_TASKS:
        return ()
    if 2.0 ** (1 - count) > alpha:
        times = 2 ** (count - 1)
        metrics = " on different metrics" if ranks and units == "tasks" else ""
        text = (
            f"With {count} {units}{metrics} nothing can be shown at "
            f"{100 * (1 - alpha):g} %: even a model ahead on all {count} would be so by luck once "
            f"in {times:,} times. It takes at least {fewest_tasks(alpha)}."
        )
    else:
        text = (
            f"Better on {units} like these (exact test on {'ranks' if ranks else 'wins'}, {count} "
            f"{units}; assumes that equal models are interchangeable on a task)."
        )
    if count < FEWEST_FOR_INTERVALS:
        text += (
            f" A mean over fewer than {FEWEST_FOR_INTERVALS} {units} has no interval of its own."
        )
    return (Note("few-tasks", text),)


def rank_p_values(rows: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """One-sided p-values of two models by reversing the rankings of tasks, shape (2, 2).

    Parameters
    ----------
    rows : array of float, shape (N, 2)
        What both earn on each task, times its weight; higher is better.
    seed : int
        Start of the random stream, for more than 20 tasks.
    """
    return sign_flip(rows, draws=_DRAWS, seed=seed, key=("average",))

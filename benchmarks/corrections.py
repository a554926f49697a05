"""Corrections beside Holm: Simes and max-T."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import draw_scores, model_names, task_arrays
from benchmarks.rows import Job, Once, Ratio, Row, Sides, require
from rankbars.data.board import Leaderboard
from rankbars.stats.multiplicity.closedtesting import simes_each, simes_each_from_p, simes_guarded
from rankbars.stats.multiplicity.stepdown import Decisions
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import p_values

TITLE = "Other corrections"
ALPHA = 0.05


def simes_against_p(models: int, items: int) -> Sides:
    """A whole task with Simes counts, beside its matrix of p-values and no decision at all."""
    values = draw_scores(models, items)

    def ours() -> Decisions:
        found = paired_t(values)
        return simes_each(found.statistic, found.df, ALPHA)

    def agree(counts: Decisions, p: NDArray[np.float64]) -> None:
        _same_counts(counts, simes_each_from_p(p, ALPHA))

    return Sides(ours, lambda: p_values(paired_t(values)), agree)


def guard_against_none(models: int, items: int) -> Sides:
    """What the check of its condition adds to the Simes counts."""
    found = paired_t(draw_scores(models, items))

    def ours() -> Decisions:
        return simes_guarded(found.statistic, found.df, found.se, ALPHA).decisions

    def agree(guarded: Decisions, plain: Decisions) -> None:
        for one, other in zip(guarded[:2], plain[:2], strict=True):
            require(bool((one <= other).all()), "no larger counts with the guard")

    return Sides(ours, lambda: simes_each(found.statistic, found.df, ALPHA), agree)


def board_by_maxt(models: int, items: int, tasks: int, draws: int) -> Job:
    """A leaderboard with max-T on every task and on the average."""
    import rankbars as rb

    arrays, names = task_arrays(models, items, tasks), model_names(models)

    def run() -> Leaderboard:
        scores = rb.Scores.from_arrays(arrays, names)
        return rb.leaderboard(scores, correction="maxt", resamples=draws)

    def check(board: Leaderboard) -> None:
        methods = {task.correction for task in board.tasks.values()}
        require(methods == {"maxt"} and board.aggregate is not None, "max-T everywhere")

    return Job(run, check)


def _same_counts(one: Decisions, other: Decisions) -> None:
    np.testing.assert_array_equal(one.better, other.better)
    np.testing.assert_array_equal(one.worse, other.worse)


ROWS: tuple[Row, ...] = (
    *(
        Ratio(
            f"simes_{models}x{items}",
            "paired t and Simes counts, without their guard",
            "paired t and the p-value of every pair",
            simes_against_p,
            {"models": models, "items": items},
            {"models": 7, "items": 20},
            at_least=1,
        )
        for models, items in ((100, 200), (100, 500), (300, 1000))
    ),
    *(
        Ratio(
            f"simes_guard_{models}x{items}",
            "Simes counts with their guard",
            "without it",
            guard_against_none,
            {"models": models, "items": items},
            {"models": 7, "items": 20},
        )
        for models, items in ((100, 500), (300, 1000))
    ),
    Once(
        "maxt_100x500x20",
        "leaderboard with max-T",
        board_by_maxt,
        {"models": 100, "items": 500, "tasks": 20, "draws": 1000},
        {"models": 5, "items": 20, "tasks": 3, "draws": 199},
        {"cpu_s": 8, "peak_mb": 1000},
    ),
    Once(
        "maxt_300x1000x20",
        "leaderboard with max-T",
        board_by_maxt,
        {"models": 300, "items": 1000, "tasks": 20, "draws": 1000},
        {"models": 6, "items": 20, "tasks": 3, "draws": 199},
        {"cpu_s": 40, "peak_mb": 1000},
    ),
)

"""Boards built by hand from the data types: every number is chosen, nothing is computed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import Note
from rankbars.data.spec import Spec
from rankbars.data.taskinfo import Input
from rankbars.stats.ranks import rank_bounds

NAMES = ("ant", "bee", "cat", "dog", "eel")
BEST = np.array([1, 1, 3, 3, 5])
WORST = np.array([2, 2, 4, 4, 5])


def order_of(*pairs: tuple[int, int], size: int = 5) -> np.ndarray:
    """Matrix of the statements "i better than j"."""
    shown = np.zeros((size, size), dtype=np.bool_)
    for i, j in pairs:
        shown[i, j] = True
    return shown


# ant and bee above cat and dog; eel below all.
SHOWN = order_of(
    (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4)
)  # fmt: skip
SCORE = np.array([0.8123, 0.7912, 0.65, 0.6412, 0.31])
HALF = np.array([0.012, 0.013, 0.014, 0.012, 0.011])


def task(name: str, shift: float = 0.0, **changes: object) -> TaskResult:
    """One task of 200 items on which the order is that of `NAMES`."""
    result = TaskResult(
        name=name,
        kind="items",
        n=200,
        mean=SCORE - shift,
        se=HALF / 2,
        best=BEST,
        worst=WORST,
        observed_best=np.arange(1, 6),
        observed_worst=np.arange(1, 6),
        coverage=np.ones(5),
        test="t",
        correction="holm",
        scope="all",
        alpha=0.05,
        guarantee=0.95,
        assumptions=("Items are independent draws and their mean difference is close to normal.",),
    )
    return replace(result, **changes)


def overall(names: tuple[str, ...] = NAMES, **changes: object) -> RankIntervals:
    """New-task intervals with a guarantee of 0.7949 for each model."""
    result = RankIntervals(
        models=names,
        best=np.array([1, 1, 2, 3, 4]),
        worst=np.array([3, 2, 4, 5, 5]),
        alpha=0.2,
        scope="each",
        target="new_task",
        method="joint",
        guarantee=1 - 0.2 / 0.975,
        assumptions=("The new task is drawn from the same source as these 9 tasks.",),
        spread=np.array([1, 1, 1, 1, 1]),
    )
    return replace(result, **changes)


def average(names: tuple[str, ...] = NAMES, **changes: object) -> Aggregate:
    """The average over items of the nine tasks."""
    result = Aggregate(
        models=names,
        score=SCORE,
        low=SCORE - HALF,
        high=SCORE + HALF,
        best=BEST,
        worst=WORST,
        shown_better=SHOWN,
        alpha=0.05,
        scope="all",
        over="items",
        estimator="analytic",
        assumptions=("The target is the average over exactly these tasks.",),
        guarantee=0.95,
    )
    return replace(result, **changes)


def average_board(names: tuple[str, ...] = NAMES, **changes: object) -> Leaderboard:
    """Five models on nine tasks; the average over these tasks leads, with ranks that fit."""
    shown = changes.get("shown_better")
    if shown is not None and changes.get("lead") is None:
        given = changes.get("aggregate", average(names))
        best, worst = rank_bounds(shown)
        changes["aggregate"] = replace(given, best=best, worst=worst, shown_better=shown)
    board = Leaderboard(
        models=names,
        tasks={name: task(name, i / 100) for i, name in enumerate("abcdefghi")},
        overall=overall(names),
        aggregate=average(names),
        lead="aggregate",
        shown_better=SHOWN,
        tiers=(names[:2], names[2:4], names[4:]),
        spec=Spec(correction="holm"),
        notes=(Note("missing", "1.5 % of the answers are missing.", models=(names[3],)),),
        inputs=(Input("results/scores.csv", "tidy", "ab" * 32),),
        version="0.1.0",
    )
    return replace(board, **changes)


def task_board(**changes: object) -> Leaderboard:
    """Five models on one task."""
    return replace(
        average_board(),
        **{"tasks": {"a": task("a")}, "overall": None, "aggregate": None, "lead": "task"} | changes,
    )


def new_task_board() -> Leaderboard:
    """Nine tasks without an average: the new task leads."""
    return average_board(aggregate=None, lead="new_task", shown_better=order_of(), tiers=())


def board_of(size: int, n_tasks: int = 9, **changes: object) -> Leaderboard:
    """Many models with numbers for names, and nothing shown unless `changes` says so."""
    digits = len(str(size - 1))
    names = tuple(f"model {i:0{digits}}" for i in range(size))
    score = np.linspace(0.9, 0.1, size)
    error = np.full(size, 0.01)
    ends = {"best": np.ones(size, dtype=np.int64), "worst": np.full(size, size)}
    seen = np.arange(1, size + 1)
    nothing = order_of(size=size)
    shown = changes.get("shown_better", nothing)
    ranks = rank_bounds(shown)._asdict()
    plain = {"observed_best": seen, "observed_worst": seen, "coverage": np.ones(size)}
    tasks = {
        f"task {i}": task(f"task {i}", mean=score, se=error, **ends, **plain)
        for i in range(n_tasks)
    }
    means = Aggregate(
        names, score, score - error, score + error, **ranks, shown_better=shown, alpha=0.05,
        scope="all", over="items", estimator="analytic", guarantee=0.95,
    )  # fmt: skip
    board = Leaderboard(
        models=names,
        tasks=tasks,
        overall=RankIntervals(
            names, ends["best"], ends["worst"], 0.2, "each", "new_task", "joint", guarantee=0.8
        ),
        aggregate=means,
        lead="aggregate",
        shown_better=nothing,
        tiers=(names,),
        spec=Spec(correction="holm"),
        version="0.1.0",
    )
    return replace(board, **changes)

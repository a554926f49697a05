"""What repeated folds of the same data still say with certainty, and what they do not."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb

MODELS = list("abcd")
POPULATION = np.array([0.0, 0.0, 0.5, 1.0])  # two models are equal
RUNS, TASKS, REPEATS, FOLDS = 50, 19, 10, 3
SHARED = 1 / 3  # of the variance of a fold, what the corrected test takes it to be


def tasks(rng: np.random.Generator, count: int) -> tuple[np.ndarray, dict[str, rb.Items]]:
    """True scores, shape (count, 4), and folds that share a third of their variance."""
    truth = POPULATION + rng.normal(scale=0.5, size=(count, 4))
    common = rng.normal(size=(count, 1, 4))
    own = rng.normal(size=(count, REPEATS * FOLDS, 4))
    folds = truth[:, None] + 0.4 * (np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * own)
    design = rb.Folds(REPEATS, FOLDS)
    made = {
        f"t{k:02}": rb.Items(tuple(MODELS), values, design=design) for k, values in enumerate(folds)
    }
    return truth, made


def seen_ranks(one: rb.Items) -> rb.RankIntervals:
    mean = one.values.mean(axis=0)
    rank = 1 + (mean[None, :] > mean[:, None]).sum(axis=1)
    return rb.RankIntervals(tuple(MODELS), rank, rank, 0.05, "each", "task", "observed")


@pytest.fixture(scope="module")
def missed() -> dict[str, float]:
    """Shares of intervals that miss, by kind of statement."""
    rng = np.random.default_rng(8)
    wrong = {"t on tasks": 0, "corrected t on tasks": 0, "average": 0, "rank to be seen": 0}
    for _ in range(RUNS):
        truth, made = tasks(rng, TASKS + 1)
        new = made.pop(f"t{TASKS:02}")
        scores = rb.Scores(made)
        for name, test in (("t on tasks", "t"), ("corrected t on tasks", "corrected_t")):
            ranks = rb.rank(rb.compare(scores, test=test), correction="holm", scope="each")
            true = 1 + (truth[:TASKS, None, :] > truth[:TASKS, :, None]).sum(axis=2)
            ends = np.array([[one.best, one.worst] for one in ranks.values()])
            wrong[name] += int(((true < ends[:, 0]) | (true > ends[:, 1])).sum())
        average = rb.aggregate(scores, over="tasks", estimator="t", scope="each")
        best = np.array([3, 3, 2, 1])
        worst = np.array([4, 4, 2, 1])
        wrong["average"] += int(((average.best > best) | (average.worst < worst)).sum())
        seen = {name: seen_ranks(one) for name, one in made.items()}
        will = rb.predict(ranks, merge="observed", alpha=0.2, observed=seen)
        rank = seen_ranks(new).best
        wrong["rank to be seen"] += int(((rank < will.best) | (rank > will.worst)).sum())
    made_of = {name: 4 * RUNS * (TASKS if "tasks" in name else 1) for name in wrong}
    return {name: count / made_of[name] for name, count in wrong.items()}


def test_folds_taken_as_independent_miss_on_tasks(missed: dict[str, float]) -> None:
    assert missed["t on tasks"] > 0.08
    assert missed["corrected t on tasks"] < 0.05


def test_tasks_as_units_and_ranks_that_will_be_seen_hold_all_the_same(
    missed: dict[str, float],
) -> None:
    error = np.sqrt(0.05 * 0.95 / RUNS)
    assert missed["average"] <= 0.05 + error
    assert missed["rank to be seen"] <= 0.2 + 2 * np.sqrt(0.2 * 0.8 / RUNS)


def test_ranks_that_will_be_seen_are_narrower_than_true_ones() -> None:
    _, made = tasks(np.random.default_rng(1), TASKS)
    boards = [
        rb.leaderboard(rb.Scores(made), merge=merge, over="none").overall
        for merge in ("observed", "joint")
    ]
    seen, true = (board.width.mean() for board in boards if board is not None)
    assert seen <= true

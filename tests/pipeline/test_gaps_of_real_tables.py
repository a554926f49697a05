"""Places on real tables with gaps, computed again from the tables alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import rankbars as rb

DATA = Path(__file__).parents[1] / "golden" / "data"
ALPHA = 0.05


def rejected(p):
    """How many of these one-sided p-values Holm's method rejects at half of the error rate."""
    ordered = np.sort(p)
    passed = ordered <= ALPHA / 2 / np.arange(len(p), 0, -1)
    return int(np.argmin(passed)) if not passed.all() else len(p)


def place_by_hand(statistic, df):
    """Rank interval of one model from its statistics against each model of the core."""
    better, worse = stats.t.sf(statistic, df), stats.t.sf(-statistic, df)
    return 1 + rejected(worse), len(statistic) + 1 - rejected(better)


@pytest.fixture(scope="module")
def mteb():
    return rb.read(DATA / "mteb_gaps.csv")


def test_mteb_places_are_those_of_paired_t_tests_on_the_tasks_in_common(mteb):
    board = rb.leaderboard(mteb, correction="holm", over="tasks")
    names = sorted({name for task in mteb.tasks.values() for name in task.models})
    table = np.full((len(mteb.tasks), len(names)), np.nan)
    for b, task in enumerate(mteb.tasks.values()):
        table[b, [names.index(name) for name in task.models]] = task.mean
    complete = ~np.isnan(table).any(axis=0)
    assert board.models == tuple(np.array(names)[complete])
    assert len(board.partly.models) == 3
    core = table[:, complete]
    for k, name in enumerate(board.partly.models):
        own = table[:, names.index(name)]
        there = ~np.isnan(own)
        differences = own[there, None] - core[there]
        error = differences.std(axis=0, ddof=1) / np.sqrt(there.sum())
        place = place_by_hand(differences.mean(axis=0) / error, there.sum() - 1)
        assert board.partly[name] == place
        assert board.partly.tasks[k] == there.sum()
        adjusted = own[there].mean() + core.mean() - core[there].mean()
        assert board.partly.adjusted[k] == pytest.approx(adjusted, abs=1e-12)


def test_mteb_core_is_untouched_by_those_with_gaps(mteb):
    board = rb.leaderboard(mteb)
    alone = rb.leaderboard(mteb.select(models=board.models))
    assert board.aggregate.best.tolist() == alone.aggregate.best.tolist()
    assert board.aggregate.worst.tolist() == alone.aggregate.worst.tolist()
    assert board.tiers == alone.tiers


def test_pythia_places_are_those_of_the_summed_errors_of_its_published_scores():
    scores = rb.read(Path(__file__).parents[1] / "data" / "tables" / "pythia.parquet")
    board = rb.leaderboard(scores, correction="holm", over="items")
    assert len(board.models) == 16
    assert board.partly.field == 17
    for k, name in enumerate(board.partly.models):
        tasks = [one for one in scores.tasks.values() if name in one.models]
        difference, variance = np.zeros(16), np.zeros(16)
        for one in tasks:
            at = [one.models.index(model) for model in board.models]
            own = one.models.index(name)
            difference += (one.mean[own] - one.mean[at]) / len(tasks)
            variance += (one.se[own] ** 2 + one.se[at] ** 2) / len(tasks) ** 2
        assert board.partly.tasks[k] == len(tasks)
        assert board.partly[name] == place_by_hand(difference / np.sqrt(variance), np.inf)

"""Contrasts that bridge gaps, the core of a table with gaps, and the screen for gaps on purpose."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankbars.errors import DataError
from rankbars.stats.averaging.incomplete import (
    additive_effects,
    additive_t,
    adjusted_means,
    best_block,
    bounded_t,
    find_core,
    screen_gaps,
)
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.tails import upper_tail

NAN = np.nan

# Tasks by models, from the reference calculations of the design (golden_design.json, "incomplete").
TABLE = np.array(
    [
        [8, 6, 5, NAN],
        [7, 6, 6, 5],
        [9, NAN, 7, NAN],
        [4, 5, NAN, 3],
        [6, 4, 5, 2],
        [5, 4, 2, NAN],
    ]
)
EFFECTS = [1.38302752293578, 0.357798165137615, -0.36467889908256845, -1.3761467889908254]
ADJUSTED = [6.5, 5.474770642201834, 4.752293577981652, 3.7408256880733943]
# Of each pair: difference, standard error, degrees of freedom, one-sided p.
ADDITIVE = {
    (0, 1): (1.025229357798165, 0.5388516861979511, 4, 0.06492303843161192),
    (0, 2): (1.7477064220183485, 0.5348639985251513, 4, 0.015429845658771993),
    (0, 3): (2.7591743119266052, 0.8685530126891225, 2, 0.04321840738964979),
    (1, 2): (0.7224770642201834, 0.6532037731629198, 4, 0.16537348881374525),
    (1, 3): (1.7339449541284404, 0.48386025532514654, 2, 0.03490679784575372),
    (2, 3): (1.011467889908257, 0.9617141529504968, 2, 0.20162308991964994),
}
COMMON = {
    (0, 1): (1.0, 0.5477225575051661, 4, 0.07096372388702771),
    (0, 2): (2.0, 0.4472135954999579, 4, 0.005528246696725033),
    (0, 3): (2.3333333333333335, 0.8819171036881968, 2, 0.05904144815590154),
    (1, 2): (0.5, 0.6454972243679028, 3, 0.24751267302985555),
    (1, 3): (1.6666666666666667, 0.3333333333333333, 2, 0.018874775675311855),
    (2, 3): (2.0, 1.0, 1, 0.14758361765043326),
}


def test_additive_fit_gives_the_reference_numbers():
    np.testing.assert_allclose(additive_effects(TABLE), EFFECTS, rtol=0, atol=1e-12)
    np.testing.assert_allclose(adjusted_means(TABLE), ADJUSTED, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("contrast", "expected"), [(additive_t, ADDITIVE), (paired_t, COMMON)])
def test_contrasts_give_the_reference_numbers(contrast, expected):
    found = contrast(TABLE)
    df = np.broadcast_to(found.df, found.diff.shape)
    for (i, j), numbers in expected.items():
        p = float(upper_tail(found.statistic[i, j], df[i, j]))
        given = (found.diff[i, j], found.se[i, j], df[i, j], p)
        np.testing.assert_allclose(given, numbers, rtol=1e-10)


@given(st.integers(3, 9), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_complete_tables_have_the_paired_t(tasks, models, seed):
    values = np.random.default_rng(seed).normal(size=(tasks, models))
    found, usual = additive_t(values), paired_t(values)
    np.testing.assert_allclose(found.diff, usual.diff, atol=1e-12)
    np.testing.assert_allclose(found.se, usual.se, atol=1e-12)
    assert (np.broadcast_to(found.df, found.diff.shape) == tasks - 1).all()
    np.testing.assert_allclose(adjusted_means(values), values.mean(axis=0), atol=1e-12)


def test_fit_agrees_with_dummy_regression():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(8, 5))
    values[rng.random(values.shape) < 0.3] = NAN
    rows, columns = np.nonzero(~np.isnan(values))
    design = np.zeros((rows.size, 13))
    design[np.arange(rows.size), rows] = 1
    design[np.arange(rows.size), 8 + columns] = 1
    fitted = np.linalg.lstsq(design, values[rows, columns], rcond=None)[0][8:]
    np.testing.assert_allclose(additive_effects(values), fitted - fitted.mean(), atol=1e-10)


def test_models_that_no_task_connects_have_no_effects():
    apart = np.array([[1.0, 2.0, NAN, NAN], [2.0, 2.5, NAN, NAN], [NAN, NAN, 1.0, 3.0]])
    assert np.isnan(additive_effects(apart)).all()
    assert (additive_t(apart).statistic == 0).all()


def test_model_with_gaps_among_complete_ones_is_adjusted_by_what_the_others_show():
    rng = np.random.default_rng(5)
    values = rng.normal(size=(7, 4))
    values[[1, 4, 5], 3] = NAN
    there = ~np.isnan(values[:, 3])
    others = values[:, :3]
    by_hand = values[there, 3].mean() + others.mean() - others[there].mean()
    assert adjusted_means(values)[3] == pytest.approx(by_hand, abs=1e-12)


def test_additive_errors_need_two_tasks():
    with pytest.raises(DataError, match="at least two tasks"):
        additive_t(np.array([[1.0, 2.0]]))


def test_core_is_who_entered_every_task_that_counts():
    entered = np.ones((5, 8), dtype=bool)
    entered[0, :3] = False
    core = find_core(entered)
    assert core.models.tolist() == [False] * 3 + [True] * 5
    assert core.tasks.all()
    assert core.enough


@pytest.mark.parametrize(("entrants", "counts"), [(1, False), (2, True), (5, True)])
def test_task_that_fewer_than_a_quarter_entered_is_new(entrants, counts):
    entered = np.ones((4, 8), dtype=bool)
    entered[3, entrants:] = False
    assert find_core(entered).tasks[3] == counts


@given(st.integers(2, 9), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_model_that_comes_with_a_task_of_its_own_changes_no_core(models, tasks, seed):
    entered = np.random.default_rng(seed).random((tasks, models)) < 0.9
    before = find_core(entered)
    grown = np.zeros((tasks + 1, models + 1), dtype=bool)
    grown[:tasks, :models] = entered
    grown[tasks, models] = True
    after = find_core(grown)
    assert after.models.tolist() == [*before.models.tolist(), False]
    assert after.tasks.tolist() == [*before.tasks.tolist(), False]
    assert after.enough == before.enough


def test_too_few_complete_models_are_no_core():
    entered = ~np.eye(6, dtype=bool)
    assert not find_core(entered).enough


def test_best_block_is_the_best_of_all_in_small_tables():
    rng = np.random.default_rng(8)
    close = 0
    for _ in range(30):
        entered = rng.random((5, 7)) < 0.75
        products = [
            len(kept) * int(entered[list(kept)].all(axis=0).sum())
            for size in range(1, 6)
            for kept in itertools.combinations(range(5), size)
        ]
        found = best_block(entered)
        product = int(found.sum() * entered[found].all(axis=0).sum())
        close += product == max(products)
        assert product >= 0.6 * max(products)
    assert close >= 20


def test_screen_sees_gaps_on_the_hardest_tasks_and_mostly_not_at_random():
    rng = np.random.default_rng(2)
    alarms = {"hard": 0, "random": 0}
    for _ in range(60):
        values = rng.normal(size=(20, 12)) + rng.normal(0, 2, size=(20, 1))
        order = np.argsort(values.mean(axis=1))
        hard, free = values.copy(), values.copy()
        hard[np.ix_(order[:6], range(6))] = NAN
        for j in range(6):
            free[rng.permutation(20)[:6], j] = NAN
        alarms["hard"] += screen_gaps(hard, rng, 199).p <= 0.05
        alarms["random"] += screen_gaps(free, rng, 199).p <= 0.05
    assert alarms["hard"] >= 57
    assert alarms["random"] <= 9


def test_screen_says_which_way_the_gaps_lean():
    values = np.arange(12.0)[:, None] + np.array([0.0, 1.0, 2.0])
    values[:4, 0] = NAN
    found = screen_gaps(values, np.random.default_rng(0))
    assert found.lean < 0
    assert found.p <= 0.02
    assert np.isnan(screen_gaps(values[:, 1:], np.random.default_rng(0)).p)


def filled_against(values, ahead, behind, low=0.0, high=1.0):
    """What `ahead` leads `behind` by, row by row, if each gap speaks against it."""
    least = [low if np.isnan(value) else value for value in values[:, ahead]]
    most = [high if np.isnan(value) else value for value in values[:, behind]]
    return np.subtract(least, most)


def test_bounded_statistics_are_those_of_gaps_filled_the_worst_way_round():
    rng = np.random.default_rng(5)
    values = np.clip(rng.normal([0.9, 0.3, 0.5, 0.2], 0.08, size=(12, 4)), 0.0, 1.0)
    values[rng.random(values.shape) < [0.15, 0.15, 0.0, 0.0]] = np.nan
    found = bounded_t(values, np.zeros(12), np.ones(12))
    for i in range(4):
        for j in range(4):
            if i == j:
                continue
            tests = [
                stats.ttest_1samp(filled_against(values, *pair), 0.0).statistic
                for pair in ((i, j), (j, i))
            ]
            expected = max(tests[0], 0.0) - max(tests[1], 0.0)
            assert found.statistic[i, j] == pytest.approx(expected, abs=1e-9)
    whole = paired_t(values[:, 2:])
    np.testing.assert_allclose(found.diff[2:, 2:], whole.diff)
    np.testing.assert_allclose(found.se[2:, 2:], whole.se)


def test_bounds_show_nothing_that_some_way_to_fill_the_gaps_denies():
    """Brute force: every gap at either end of its scale, in all combinations."""
    rng = np.random.default_rng(8)
    values = np.clip(rng.normal([0.85, 0.25, 0.5], 0.1, size=(9, 3)), 0.0, 1.0)
    values[[0, 4], 0] = values[[2], 1] = np.nan
    found = bounded_t(values, np.zeros(9), np.ones(9))
    places = np.argwhere(np.isnan(values))
    leads = np.full((3, 3), np.inf)
    for ends in itertools.product((0.0, 1.0), repeat=len(places)):
        filled = values.copy()
        filled[tuple(places.T)] = ends
        mean = filled.mean(axis=0)
        leads = np.minimum(leads, mean[:, None] - mean[None, :])
    assert ((found.statistic > 0) <= (leads > 0)).all()
    assert found.statistic[0, 1] > 0
    assert leads[0, 1] > 0


def test_bounds_need_two_tasks():
    with pytest.raises(DataError, match="at least two tasks"):
        bounded_t(np.array([[1.0, np.nan]]), np.zeros(1), np.ones(1))

"""Contrasts of labels that a judge corrects: worked numbers, a plain loop, and invariances."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rankbars.stats.pairwise.judgedpairs import (
    judge_worth,
    judged_t,
    population_p,
    sampling_p,
)
from rankbars.stats.pairwise.paired import paired_t

WORKED = json.loads((Path(__file__).parents[1] / "data" / "golden_judge.json").read_text())["judge"]


def drawn(n=30, rows=120, models=4, judges=1, noise=1.0, seed=0):
    """Labels of the first n rows, NaN below, and judgements of all."""
    rng = np.random.default_rng(seed)
    people = rng.exponential(size=(rows, 1)) + rng.exponential(size=(rows, models))
    judged = people[:, None] + noise * rng.normal(size=(rows, judges, models))
    people[n:] = np.nan
    return people, judged


def test_the_worked_pair():
    rows = len(WORKED["human"]) + len(WORKED["judge_unlabelled"])
    people, judged = np.full((rows, 2), np.nan), np.zeros((rows, 1, 2))
    people[:8] = np.column_stack([WORKED["human"], np.zeros(8)])
    judged[:, 0, 0] = WORKED["judge_labelled"] + WORKED["judge_unlabelled"]
    found = judged_t(people, judged, fewest=3)
    assert found.pairs.diff[0, 1] == pytest.approx(WORKED["estimate"], rel=1e-12)
    assert found.pairs.se[0, 1] == pytest.approx(WORKED["se_hc3"], rel=1e-12)
    assert found.pairs.df[0, 1] == WORKED["df"]
    r2 = 1 - found.left[0, 1] / found.total[0, 1]
    assert r2 == pytest.approx(WORKED["r2"], rel=1e-12)
    worth = judge_worth(found, 1)
    assert worth.correlation**2 == pytest.approx(WORKED["r2_adjusted"], rel=1e-12)
    assert worth.gain == pytest.approx(1 / (1 - WORKED["r2_adjusted"] * (1 - 8 / rows)), rel=1e-12)


def test_the_published_interval_of_a_hundred_labels():
    """r = .371, 100 labels and endless judgements: worth 116 [104, 139]."""
    found = judged_t(*drawn())
    size = found.total.shape
    left = np.full(size, (1 - 0.371**2) * 98 / 99)
    like = found._replace(
        total=np.ones(size), left=left, labels=np.full(size, 100), rows=np.full(size, 10**9)
    )
    worth = judge_worth(like, 1)
    assert [round(100 * x) for x in worth[:3]] == [116, 104, 139]


@pytest.mark.parametrize("judges", [1, 3])
def test_a_regression_by_least_squares_says_the_same(judges):
    """The fitted value at the judge's mean over all rows, with errors of MacKinnon and White."""
    people, judged = drawn(judges=judges)
    found = judged_t(people, judged)
    h = people[:30, 0] - people[:30, 2]
    j = judged[:, :, 0] - judged[:, :, 2]
    design = np.column_stack([np.ones(30), j[:30]])
    at = np.append(1.0, j.mean(axis=0))
    beta = np.linalg.lstsq(design, h, rcond=None)[0]
    inverse = np.linalg.inv(design.T @ design)
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    meat = design.T @ np.diag(((h - design @ beta) / (1 - leverage)) ** 2) @ design
    variance = at @ inverse @ meat @ inverse @ at + (j @ beta[1:]).var(ddof=1) / len(j)
    assert found.pairs.diff[0, 2] == pytest.approx(at @ beta, rel=1e-10)
    assert found.pairs.se[0, 2] == pytest.approx(np.sqrt(variance), rel=1e-10)
    assert found.pairs.df[0, 2] == 29 - judges
    assert (found.pairs.statistic == -found.pairs.statistic.T).all()


def test_labels_of_unequal_probability_worked_by_hand():
    """Weights 1, 2, 1 of three labels among five rows; every number by hand.

    Weighted means 1 and 1.5, products 2 and 2, so the weight is 1 and the estimate
    1.5 + (2 - 1) = 2.5; residuals -.5, .5, -.5, leverages .75, .5, .75, weights -.25, .5, .75.
    """
    people = np.array([[0.0, 2.0, 2.0, np.nan, np.nan], [0.0] * 5]).T
    judge = np.array([[0.0, 1.0, 2.0, 2.0, 5.0], [0.0] * 5]).T
    drawn = np.array([1.0, 2.0, 1.0, np.nan, np.nan])
    found = judged_t(people, judge[:, None], fewest=2, drawn=drawn)
    assert found.pairs.diff[0, 1] == pytest.approx(2.5, rel=1e-12)
    assert found.pairs.se[0, 1] == pytest.approx(np.sqrt(0.25 + 0.25 + 2.25 + 0.7), rel=1e-12)
    assert found.labels[0, 1] == pytest.approx(16 / 6, rel=1e-12)
    assert found.pairs.n[0, 1] == 3


@pytest.mark.parametrize("judges", [1, 2])
def test_a_weighted_regression_says_the_same_of_labels_of_unequal_probability(judges):
    people, judged = drawn(n=60, rows=150, judges=judges)
    weights = np.where(np.arange(150) < 60, np.linspace(1.0, 6.0, 150), np.nan)
    found = judged_t(people, judged, drawn=weights)
    h, j, w = people[:60, 0] - people[:60, 2], judged[:, :, 0] - judged[:, :, 2], weights[:60]
    design, at = np.column_stack([np.ones(60), j[:60]]), np.append(1.0, j.mean(axis=0))
    root = np.sqrt(w)[:, None]
    beta = np.linalg.lstsq(root * design, np.sqrt(w) * h, rcond=None)[0]
    hat = (root * design) @ np.linalg.pinv(root * design)
    reach = at @ np.linalg.pinv(root * design) * np.sqrt(w)
    e = (h - design @ beta) / (1 - np.diag(hat))
    variance = np.square(reach * e).sum() + (j @ beta[1:]).var(ddof=1) / 150
    assert found.pairs.diff[0, 2] == pytest.approx(at @ beta, rel=1e-10)
    assert found.pairs.se[0, 2] == pytest.approx(np.sqrt(variance), rel=1e-10)
    kish = w.sum() ** 2 / np.square(w).sum()
    assert found.pairs.df[0, 2] == pytest.approx(kish - 1 - judges, rel=1e-12)


def test_equal_probabilities_change_nothing():
    people, judged = drawn(judges=2)
    plain, told = judged_t(people, judged), judged_t(people, judged, drawn=np.full(120, 4.0))
    for one, other in ((plain.pairs, told.pairs), (plain.summary, told.summary)):
        for k in range(3):
            np.testing.assert_allclose(other[k], one[k], rtol=1e-12, atol=1e-12)
    assert judge_worth(told, 2) == pytest.approx(judge_worth(plain, 2), rel=1e-12)


def test_scales_and_biases_of_the_judge_change_nothing():
    people, judged = drawn()
    one = judged_t(people, judged).pairs
    other = judged_t(people, -7.0 * judged + [3.0, -50.0, 0.0, 9.0]).pairs
    np.testing.assert_allclose(other.diff, one.diff, atol=1e-12)
    np.testing.assert_allclose(other.se, one.se, rtol=1e-10)


def test_a_judge_that_says_nothing_leaves_the_paired_test():
    people, judged = drawn()
    plain = paired_t(people[:30])
    for silent in (np.zeros_like(judged), judged[:30]):
        labels = people[: len(silent)]
        found = judged_t(labels, silent).pairs
        np.testing.assert_array_equal(found.diff, plain.diff)
        np.testing.assert_array_equal(found.se, plain.se)
        np.testing.assert_array_equal(found.df, np.full((4, 4), 29.0))


def test_a_judge_that_is_right_gives_the_mean_of_all_rows():
    rng = np.random.default_rng(2)
    truth = rng.normal(size=(200, 3))
    labels = np.where(np.arange(200)[:, None] < 40, truth, np.nan)
    found = judged_t(labels, truth[:, None])
    np.testing.assert_allclose(found.summary.mean, truth.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.pairs.se, paired_t(truth).se, rtol=1e-9)


def test_two_judges_that_say_the_same_are_one():
    people, judged = drawn()
    one = judged_t(people, judged).pairs
    both = judged_t(people, np.concatenate([judged, 2 * judged + 1], axis=1)).pairs
    np.testing.assert_allclose(both.se, one.se, rtol=1e-8)
    np.testing.assert_array_equal(both.df, one.df)


def test_rows_without_one_of_the_labels_are_those_of_the_pair():
    people, judged = drawn(n=60)
    people[:20, 0] = np.nan
    judged[25, 0, 1] = np.nan
    found = judged_t(people, judged).pairs
    keep = np.arange(120) != 25
    alone = judged_t(people[keep][:, [0, 1]], judged[keep][:, :, [0, 1]]).pairs
    assert found.diff[0, 1] == pytest.approx(alone.diff[0, 1], rel=1e-12)
    assert found.se[0, 1] == pytest.approx(alone.se[0, 1], rel=1e-12)
    assert found.n[0, 1] == 39


def test_one_row_does_not_decide_the_weight():
    people, judged = drawn()
    judged[:, 0, 1] = judged[:, 0, 0]
    judged[3, 0, 1] += 1.0
    judged[50:, 0, 1] += 1.0
    found, plain = judged_t(people, judged).pairs, paired_t(people[:30])
    assert found.se[0, 1] == plain.se[0, 1]


@pytest.mark.parametrize("rho", [0.3, 0.6, 0.8])
def test_coverage_on_skewed_scores(rho, calibration):
    """Two-sided 95 % intervals of differences, labels a random sample of judged items."""
    rng = np.random.default_rng(int(100 * rho))
    runs, hits, trials = calibration.runs(105, 2000), 0, 0
    skew = rng.gamma(0.5, size=(20_000, 4))
    scores = skew + [0.3, 0.2, 0.0, 0.0]
    noise = np.sqrt(1 / rho**2 - 1) * skew.std()
    judge = scores + noise * rng.normal(size=scores.shape)
    from scipy.special import stdtrit

    for _ in range(runs):
        rows = rng.choice(20_000, size=400, replace=False)
        labels = np.where(np.arange(400)[:, None] < 50, scores[rows], np.nan)
        found = judged_t(labels, judge[rows][:, None]).pairs
        truth = scores.mean(axis=0)[0] - scores.mean(axis=0)[2]
        hits += abs(found.diff[0, 2] - truth) <= stdtrit(48, 0.975) * found.se[0, 2]
        trials += 1
    calibration.at_least(hits, trials, 0.95, of=f"correlation {rho}")


@pytest.mark.parametrize("labels", [50, 100])
def test_coverage_where_disputed_items_are_drawn_more_often(labels, calibration):
    """Two-sided 95 % intervals; labels are drawn by how far the judge tells models apart."""
    from scipy.special import stdtrit

    rng = np.random.default_rng(labels)
    runs, hits = calibration.runs(150, 2000), 0
    for _ in range(runs):
        scores = rng.gamma(0.5, size=(600, 3)) + rng.normal(size=(600, 1))
        judge = scores + 0.9 * rng.normal(size=scores.shape)
        size = 0.2 + judge.std(axis=1)
        chance = np.minimum(labels * size / size.sum(), 1.0)
        taken = rng.random(600) < chance
        found = judged_t(
            np.where(taken[:, None], scores, np.nan), judge[:, None], drawn=1.0 / chance
        ).pairs
        far = stdtrit(np.asarray(found.df)[0, 1], 0.975) * found.se[0, 1]
        hits += abs(found.diff[0, 1]) <= far
    calibration.at_least(hits, runs, 0.95, of=f"{labels} labels")


def test_declared_probabilities_explain_the_choice_and_wrong_ones_do_not():
    rng = np.random.default_rng(6)
    judged = rng.normal(size=(400, 1, 3)) + rng.normal(size=(400, 1, 1))
    chance = np.clip(0.25 * np.exp(judged.mean(axis=(1, 2))), 0.1, 1.0)
    found = []
    for _ in range(200):
        taken = rng.random(400) < chance
        weights = np.where(taken, 1 / chance, np.nan)
        found.append((sampling_p(judged, taken, weights), population_p(weights[taken], 400)))
    assert (np.mean(np.array(found) < 0.05, axis=0) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)).all()
    wrong = np.full(400, 400 / taken.sum())
    assert sampling_p(judged, taken, wrong) < 1e-3
    assert population_p(weights[taken] / 2, 400) < 1e-6


def test_labels_of_easy_items_are_noticed_and_random_ones_are_not():
    rng = np.random.default_rng(5)
    judged = rng.normal(size=(300, 1, 3)) + rng.normal(size=(300, 1, 1))
    random = [sampling_p(judged, rng.permutation(300) < 60) for _ in range(200)]
    assert np.mean(np.array(random) < 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)
    easy = judged.mean(axis=(1, 2)) > 0.5
    disputed = judged.std(axis=2)[:, 0] > 1
    won = judged[:, 0, 0] - judged[:, 0, 1] > 0.5
    assert max(sampling_p(judged, chosen) for chosen in (easy, disputed, won)) < 1e-4

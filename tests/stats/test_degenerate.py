"""The one policy for pairs whose differences do not vary, through every test of differences."""

import json
from pathlib import Path

import numpy as np
import pytest

from rankbars.stats.pairwise.clusters import group_rows
from rankbars.stats.pairwise.degenerate import recompute_pairs, sign_test_statistic
from rankbars.stats.pairwise.paired import cluster_t, corrected_t, paired_t
from rankbars.stats.pairwise.pairstatistics import p_values
from rankbars.stats.tails import upper_tail

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden.json").read_text())["degenerate"]
CASES = {case["case"]: case for case in GOLDEN}
DATA = {
    "five identical models, any n": np.tile(np.sin(np.arange(9.0))[:, None], (1, 5)),
    "model 0 = model 1 + 1 on every item, n = 10": np.arange(10.0)[:, None] + [1.0, 0.0],
    "model 0 = model 1 + 1 on every item, n = 4": np.arange(4.0)[:, None] + [1.0, 0.0],
    "n = 1, scores 0.9, 0.5, 0.1": np.array([[0.9, 0.5, 0.1]]),
    "rounding only: x = [0.3, 0.4, 0.5], y = [0.2, 0.3, 0.4] (constant difference 0.1 up to "
    "rounding)": np.array([[0.3, 0.2], [0.4, 0.3], [0.5, 0.4]]),
    "rounding only: x = [0.1+0.2]*6, y = [0.3]*6 (zero difference up to rounding)": np.tile(
        [0.1 + 0.2, 0.3], (6, 1)
    ),
    "one model": np.ones((5, 1)),
}
EACH_ROW = [
    pytest.param(paired_t, id="paired_t"),
    pytest.param(lambda values: corrected_t(values, 0.2), id="corrected_t"),
]


def own_clusters(values):
    return cluster_t(values, np.arange(len(values)))


def test_every_reference_case_is_tried():
    assert set(DATA) == set(CASES)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("test", [*EACH_ROW, pytest.param(own_clusters, id="cluster_t")])
def test_reference_cases(name, test):
    case, values = CASES[name], DATA[name]
    p = p_values(test(values))
    if "p_better" in case and not (test is own_clusters and len(values) < 3):
        np.testing.assert_allclose(p, case["p_better"], rtol=1e-12)
    else:
        np.testing.assert_array_equal(p, 1.0)


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("test", EACH_ROW)
def test_the_rounding_rule_has_no_unit(scale, test):
    # Scores that are small numbers are not "zero variance"; large ones may round.
    rng = np.random.default_rng(0)
    x = rng.random(12)
    values = np.stack([x, x - 0.1, x + 1e-3 * rng.normal(size=12)], axis=1) * scale
    found = test(values)
    assert found.constant[0, 1]
    assert p_values(found)[0, 1] == pytest.approx(2.0**-12, rel=1e-12, abs=0)
    assert not found.constant[0, 2]
    assert found.se[0, 2] > 0


def test_constant_and_zero_are_different_things():
    x = np.sin(np.arange(8.0))
    found = paired_t(np.stack([x, x, x + 0.5], axis=1))
    np.testing.assert_array_equal(found.identical, np.eye(3)[[1, 0, 2]] * [[1], [1], [0]])
    np.testing.assert_array_equal(
        found.constant, [[False, False, True], [False, False, True], [True, True, False]]
    )
    assert found.diff[0, 1] == 0.0
    assert found.diff[2, 0] == pytest.approx(0.5, rel=1e-14, abs=0)
    assert found.se[2, 0] == 0.0


def test_constant_statistics_mirror_each_other():
    found = paired_t(np.arange(10.0)[:, None] + [1.0, 0.0])
    assert found.statistic[0, 1] == -found.statistic[1, 0] == sign_test_statistic(10, 9)
    assert upper_tail(found.statistic[0, 1], found.df) == pytest.approx(2.0**-10, rel=1e-12, abs=0)


def test_two_constant_rows_reach_one_quarter():
    found = paired_t(np.array([[1.0, 0.0], [3.0, 2.0]]))
    assert p_values(found)[0, 1] == pytest.approx(0.25, rel=1e-12, abs=0)


def test_many_constant_rows_are_never_certain():
    values = np.zeros((5000, 2)) + [1.0, 0.0]
    found = paired_t(values)
    assert np.isfinite(found.statistic).all()
    assert 0.0 < p_values(found)[0, 1] < 1e-300


def test_equal_clusters_count_once_each():
    # Rows differ, but the difference has the same mean in every cluster: nothing varies between.
    clusters = np.repeat(np.arange(6), 4)
    d = np.tile([0.5, 1.5, 1.25, 0.75], 6)
    found = cluster_t(np.stack([d, np.zeros(24)], axis=1), clusters)
    assert found.constant[0, 1]
    assert not found.identical[0, 1]
    assert p_values(found)[0, 1] == pytest.approx(2.0**-6, rel=1e-12, abs=0)
    found = cluster_t(np.stack([d - 1.0, np.zeros(24)], axis=1), clusters)
    assert found.statistic[0, 1] == 0.0
    assert not found.constant[0, 1]
    assert not found.identical[0, 1]
    np.testing.assert_array_equal(p_values(found), 1.0)


@pytest.mark.parametrize("missing", [False, True])
def test_equal_clusters_are_found_among_rounded_sums(missing):
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(8), 5)
    x, wave = rng.normal(size=40), np.tile([0.3, -0.1, 0.2, -0.5, 0.1], 8)
    values = np.stack([x + wave + 0.1, x, rng.normal(size=40)], axis=1) + 7.3
    if missing:
        values[3, 2] = np.nan
    found = cluster_t(values, clusters)
    assert found.constant[0, 1]
    assert p_values(found)[0, 1] == pytest.approx(2.0**-8, rel=1e-12, abs=0)


def test_clusters_bound_the_evidence_of_constant_pairs():
    values = np.sin(np.arange(40.0))[:, None] + [1.0, 0.0]
    p = p_values(cluster_t(values, np.arange(40) % 7))
    assert p[0, 1] == pytest.approx(2.0**-7, rel=1e-12, abs=0)


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 2, 0, 3, 1]])
def test_column_order_does_not_rank_identical_models(order):
    x = np.random.default_rng(0).normal(size=30)
    values = np.stack([x, x, x, x, x], axis=1)[:, order]
    for test in (paired_t, own_clusters):
        np.testing.assert_array_equal(test(values).statistic, 0.0)


def test_all_zero_scores_are_identical():
    found = paired_t(np.zeros((6, 3)))
    np.testing.assert_array_equal(found.statistic, 0.0)
    assert found.identical.sum() == 6


def test_explicit_differences_by_hand():
    values = np.array([[3.0, 1.0], [5.0, 2.0], [10.0, 3.0], [np.nan, 1.0]])
    found = recompute_pairs(values, np.array([0]), np.array([1]))
    # Differences 2, 3, 7: mean 4, deviations -2, -1, 3.
    np.testing.assert_allclose(found.diff, [4.0], rtol=1e-15)
    np.testing.assert_allclose(found.norm, [np.sqrt(14.0)], rtol=1e-15)
    assert found.degenerate.first.size == 0
    grouped = recompute_pairs(values, np.array([0]), np.array([1]), group_rows([1, 1, 0, 0]))
    # Sums -3 and 3 over groups with two thirds and one third of the rows: 9 * 3 + 9 * 3 / 2.
    np.testing.assert_allclose(grouped.norm, [np.sqrt(40.5)], rtol=1e-15)


@pytest.mark.parametrize(("steps", "constant"), [(3, True), (6, True), (12, False), (40, False)])
def test_constant_means_within_eight_roundings_of_the_scores(steps, constant):
    eps = np.finfo(float).eps
    d = 0.25 + steps * eps * np.tile([1.0, -1.0], 8)
    values = np.stack([np.full(16, 1.0), 1.0 - d], axis=1)
    assert paired_t(values).constant[0, 1] == constant
    assert paired_t(values[:, ::-1]).constant[0, 1] == constant


def test_the_mean_of_explicit_differences_is_not_rounded_into_their_spread():
    # The differences vary by 20 roundings of their mean; the mean itself may be off by one.
    eps = np.finfo(float).eps
    d = 0.75 + eps * np.random.default_rng(0).integers(-40, 41, size=101)
    found = recompute_pairs(np.stack([d, np.zeros(101)], axis=1), np.array([0]), np.array([1]))
    exact = d.astype(np.longdouble)
    expected = np.sqrt(((exact - exact.mean()) ** 2).sum())
    assert found.norm[0] == pytest.approx(float(expected), rel=1e-9, abs=0)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_squares_of_explicit_differences_neither_vanish_nor_overflow(scale):
    values = np.array([[1.0, 0.5], [2.0, 0.25], [3.0, 0.125]])
    pair = (np.array([0]), np.array([1]))
    expected = recompute_pairs(values, *pair).norm * scale
    np.testing.assert_allclose(recompute_pairs(values * scale, *pair).norm, expected, rtol=1e-12)


def test_pairs_are_measured_alike_in_every_block():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(3000, 12))
    first, second = np.triu_indices(12, 1)
    found = recompute_pairs(values, first, second)
    alone = [recompute_pairs(values, first[[k]], second[[k]]) for k in range(first.size)]
    np.testing.assert_array_equal(found.diff, [part.diff[0] for part in alone])
    np.testing.assert_array_equal(found.norm, [part.norm[0] for part in alone])

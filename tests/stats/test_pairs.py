"""Paired tests of all models: published values, scipy, and the contract of the matrices."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pair_reference import explicit_statistics
from scipy import special, stats

from rankbars.stats.pairwise.paired import cluster_t, corrected_t, paired_t
from rankbars.stats.pairwise.pairstatistics import p_values

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden.json").read_text())
CLUSTERS = np.arange(60) % 12


def clustered(values):
    return cluster_t(values, CLUSTERS[: len(values)])


def folded(values):
    return corrected_t(values, 0.25)


TESTS = [
    pytest.param(paired_t, id="paired_t"),
    pytest.param(folded, id="corrected_t"),
    pytest.param(clustered, id="cluster_t"),
]


@st.composite
def score_matrices(draw, *, min_rows=24, missing=False):
    """Scores of a few models; coarse ones have ties, identical and constant pairs."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, n_models = draw(st.integers(min_rows, 48)), draw(st.integers(1, 7))
    values = rng.normal(size=(n, n_models)) + rng.normal(size=(n, 1)) * draw(
        st.sampled_from([0.0, 1.0, 30.0])
    )
    kind = draw(st.sampled_from(["real", "binary", "lattice"]))
    if kind == "binary":
        values = (values > 0).astype(float)
    if kind == "lattice":
        values = np.round(values * 3) / 3
    for _ in range(draw(st.integers(0, 2))):
        source, target = rng.integers(0, n_models, size=2)
        values[:, target] = values[:, source] + draw(st.sampled_from([0.0, 0.1, 1.0]))
    if missing:
        values[rng.random(values.shape) < 0.15] = np.nan
    return values


@pytest.mark.parametrize("name", ["paired_t_12x5", "paired_t_10x8"])
def test_p_values_equal_the_reference_values(name):
    case = GOLDEN[name]
    found = paired_t(np.array(case["X"]))
    np.testing.assert_allclose(p_values(found), case["p_better"], rtol=1e-10)
    expected = np.array(case["means"])
    np.testing.assert_allclose(found.diff, expected[:, None] - expected, atol=1e-11)


def test_clusters_of_equal_sizes_equal_the_reference_value():
    case = GOLDEN["cluster_cr1"]
    values = np.stack([case["d"], np.zeros(len(case["d"]))], axis=1)
    found = cluster_t(values, case["cluster"])
    assert found.diff[0, 1] == pytest.approx(case["mean"], rel=1e-10, abs=0)
    assert found.se[0, 1] == pytest.approx(case["se"], rel=1e-10, abs=0)
    assert p_values(found)[0, 1] == pytest.approx(case["p_better"], rel=1e-10, abs=0)
    assert found.df == case["df"]
    assert found.n == 5


def test_corrected_difference_equals_the_reference_value():
    case = GOLDEN["corrected_cv_t"]
    values = np.stack([case["d"], np.zeros(9)], axis=1)
    found = corrected_t(values, test_share=1 / case["folds"])
    assert found.diff[0, 1] == pytest.approx(case["mean"], rel=1e-10, abs=0)
    assert found.se[0, 1] == pytest.approx(case["se"], rel=1e-10, abs=0)
    assert p_values(found)[0, 1] == pytest.approx(case["p_better"], rel=1e-10, abs=0)
    assert found.df == case["df"]
    plain = p_values(paired_t(values))[0, 1]
    assert plain == pytest.approx(case["p_better_uncorrected"], rel=1e-10, abs=0)


@pytest.mark.parametrize("kind", ["real", "binary", "thirds"])
def test_paired_t_equals_scipy(kind):
    values = np.random.default_rng(3).normal(size=(40, 6))
    values = {"real": values, "binary": (values > 0) * 1.0, "thirds": np.round(values * 3) / 3}[
        kind
    ]
    found = paired_t(values)
    for i, j in [(0, 1), (4, 2), (5, 0)]:
        expected = stats.ttest_rel(values[:, i], values[:, j], alternative="greater")
        assert found.statistic[i, j] == pytest.approx(expected.statistic, rel=1e-12, abs=0)
        assert p_values(found)[i, j] == pytest.approx(expected.pvalue, rel=1e-11, abs=0)


def test_binary_scores_agree_with_discordant_counts():
    values = (np.random.default_rng(5).random((50, 2)) < 0.6).astype(float)
    wins = int(((values[:, 0] == 1) & (values[:, 1] == 0)).sum())
    losses = int(((values[:, 0] == 0) & (values[:, 1] == 1)).sum())
    net, n = wins - losses, 50
    # From counts alone: t = (b - c) sqrt(n - 1) / sqrt(n (b + c) - (b - c)^2).
    expected = net * np.sqrt(n - 1) / np.sqrt(n * (wins + losses) - net**2)
    assert paired_t(values).statistic[0, 1] == pytest.approx(expected, rel=1e-14, abs=0)


def test_one_row_per_cluster_is_the_paired_t():
    values = np.random.default_rng(8).normal(size=(20, 4))
    found = cluster_t(values, np.arange(20))
    np.testing.assert_allclose(found.statistic, paired_t(values).statistic, rtol=1e-12)
    assert found.df == 19


def test_clusters_may_have_any_names_and_order():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(30, 3))
    numbers = rng.integers(0, 6, size=30)
    names = np.array(["f", "a", "z", "b", "q", "c"])[numbers]
    order = rng.permutation(30)
    expected = cluster_t(values, numbers).statistic
    np.testing.assert_allclose(cluster_t(values, names).statistic, expected, rtol=1e-12)
    shuffled = cluster_t(values[order], numbers[order]).statistic
    np.testing.assert_allclose(shuffled, expected, rtol=1e-12)


@pytest.mark.parametrize("test", TESTS)
@given(values=score_matrices())
def test_statistics_are_exactly_antisymmetric(test, values):
    found = test(values)
    np.testing.assert_array_equal(found.statistic, -found.statistic.T)
    np.testing.assert_array_equal(found.diff, -found.diff.T)
    np.testing.assert_array_equal(found.se, found.se.T)
    np.testing.assert_array_equal(found.constant, found.constant.T)
    np.testing.assert_array_equal(found.identical, found.identical.T)
    assert not found.constant.diagonal().any()
    assert not found.identical.diagonal().any()
    assert not np.signbit(found.statistic.diagonal()).any()


@pytest.mark.parametrize("test", TESTS)
@given(values=score_matrices())
def test_negating_all_scores_transposes_exactly(test, values):
    one, two = test(values), test(-values)
    np.testing.assert_array_equal(one.statistic, two.statistic.T)
    np.testing.assert_array_equal(one.diff, two.diff.T)
    np.testing.assert_array_equal(p_values(one), p_values(two).T)


@pytest.mark.parametrize("test", TESTS)
@given(values=score_matrices(), seed=st.integers(0, 99))
def test_order_of_models_carries_no_information(test, values, seed):
    order = np.random.default_rng(seed).permutation(values.shape[1])
    one, two = test(values), test(values[:, order])
    block = np.ix_(order, order)
    np.testing.assert_allclose(two.statistic, one.statistic[block], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(two.constant, one.constant[block])
    np.testing.assert_array_equal(two.identical, one.identical[block])


@pytest.mark.parametrize("test", TESTS)
@given(values=score_matrices(), seed=st.integers(0, 99), power=st.integers(-30, 30))
def test_row_shifts_and_scale_change_nothing(test, values, seed, power):
    shift = np.random.default_rng(seed).integers(-50, 50, size=(len(values), 1))
    moved = (values + shift) * 2.0**power
    one, two = test(values), test(moved)
    # A shift by up to 50 rounds the scores themselves, at 1e-14.
    ordinary = ~(one.constant | one.identical)
    np.testing.assert_allclose(
        two.statistic[ordinary], one.statistic[ordinary], rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(two.statistic, one.statistic, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("test", TESTS)
@given(values=score_matrices())
def test_adding_a_model_leaves_other_pairs_alone(test, values):
    n_models = values.shape[1]
    more = np.column_stack([values, np.sin(np.arange(len(values)) * 1.7)])
    one, two = test(values).statistic, test(more).statistic[:n_models, :n_models]
    np.testing.assert_allclose(two, one, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("test", TESTS)
@given(values=score_matrices(), data=st.data())
def test_identical_models_get_identical_bits(test, values, data):
    copy = data.draw(st.integers(0, values.shape[1] - 1))
    place = data.draw(st.integers(0, values.shape[1]))
    more = np.insert(values, place, values[:, copy], axis=1)
    copy += copy >= place
    found = test(more)
    others = np.delete(np.arange(more.shape[1]), [copy, place])
    for matrix in (found.statistic, found.diff, found.se):
        np.testing.assert_array_equal(matrix[copy, others], matrix[place, others])
    assert found.identical[copy, place]
    assert found.statistic[copy, place] == 0.0


@pytest.mark.parametrize("test", TESTS)
@given(values=score_matrices())
def test_statistic_is_difference_over_standard_error(test, values):
    found = test(values)
    ordinary = found.se > 0
    np.testing.assert_allclose(
        found.statistic[ordinary], found.diff[ordinary] / found.se[ordinary], rtol=1e-15
    )
    means = values.mean(axis=0)
    np.testing.assert_allclose(found.diff, means[:, None] - means, atol=1e-12)
    degenerate = found.constant | found.identical | np.eye(len(means), dtype=bool)
    np.testing.assert_array_equal(found.se == 0, degenerate)


@pytest.mark.parametrize("test", TESTS)
@given(values=score_matrices())
def test_both_p_values_of_a_pair_come_from_its_statistic(test, values):
    found = test(values)
    p = p_values(found)
    ordinary = found.se > 0
    expected = stats.t.sf(found.statistic, found.df)
    np.testing.assert_allclose(p[ordinary], expected[ordinary], rtol=1e-10)
    np.testing.assert_array_equal(p[found.identical], 1.0)
    np.testing.assert_array_equal(p.diagonal(), 1.0)
    won = found.constant & (found.diff > 0)
    np.testing.assert_allclose(p[won], 2.0**-found.n, rtol=1e-12)
    np.testing.assert_array_equal(p[won.T], 1.0)


@given(values=score_matrices())
def test_three_tests_equal_explicit_differences(values):
    clusters = CLUSTERS[: len(values)]
    for found, options in [
        (paired_t(values), {}),
        (corrected_t(values, 0.25), {"test_share": 0.25}),
        (cluster_t(values, clusters), {"clusters": clusters}),
    ]:
        with np.errstate(divide="ignore", invalid="ignore"):
            expected = explicit_statistics(values, **options)
        ordinary = found.se > 0
        np.testing.assert_allclose(
            found.statistic[ordinary], expected[ordinary], rtol=1e-10, atol=1e-11
        )


@pytest.mark.parametrize("test", TESTS)
def test_fewer_than_two_rows_separate_nobody(test):
    one = test(np.array([[0.9, 0.5, 0.1]]))
    np.testing.assert_array_equal(one.statistic, 0.0)
    np.testing.assert_array_equal(p_values(one), 1.0)
    np.testing.assert_allclose(one.diff[0], [0.0, 0.4, 0.8])
    assert np.isnan(one.se[0, 1])
    assert one.df == 0.0
    none = test(np.empty((0, 2)))
    np.testing.assert_array_equal(p_values(none), 1.0)
    assert np.isnan(none.diff[0, 1])
    assert none.n == 0


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("n_models", [0, 1])
def test_a_field_of_none_or_one_has_no_pairs(test, n_models):
    found = test(np.arange(6.0)[:, None][:, :n_models])
    assert found.statistic.shape == (n_models, n_models)
    np.testing.assert_array_equal(p_values(found), np.ones((n_models, n_models)))


@pytest.mark.parametrize("n_clusters", [1, 2])
def test_fewer_than_three_clusters_separate_nobody(n_clusters):
    values = np.random.default_rng(0).normal(size=(40, 3)) + [0.0, 5.0, 10.0]
    values[:, 2] = values[:, 1] + 1
    found = cluster_t(values, np.arange(40) % n_clusters)
    np.testing.assert_array_equal(found.statistic, 0.0)
    np.testing.assert_array_equal(p_values(found), 1.0)
    assert np.isnan(found.se[0, 1])
    assert found.n == n_clusters


def test_clusters_of_correlated_rows_widen_the_error():
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(30), 10)
    values = rng.normal(size=(300, 2)) + rng.normal(size=(30, 2))[clusters]
    assert cluster_t(values, clusters).se[0, 1] > 1.8 * paired_t(values).se[0, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_])
@pytest.mark.parametrize("order", ["C", "F"])
def test_type_and_memory_order_of_the_scores_do_not_matter(dtype, order):
    values = np.random.default_rng(6).integers(0, 2, size=(30, 5))
    given_scores = np.array(values, dtype=dtype, order=order)
    expected = paired_t(values.astype(float)).statistic
    np.testing.assert_array_equal(paired_t(given_scores).statistic, expected)


@pytest.mark.parametrize("missing", [False, True])
def test_scores_are_not_changed(missing):
    values = np.random.default_rng(7).normal(size=(30, 4))
    values[:, 3] = values[:, 2] + 1e-9 * values[:, 1]
    if missing:
        values[::7, 0] = np.nan
    before = values.copy()
    values.flags.writeable = False
    for test in (paired_t, folded, clustered):
        test(values)
    np.testing.assert_array_equal(values, before)


def test_statistics_need_no_distribution_function(monkeypatch):
    def refuse(*_):
        raise AssertionError("a distribution function was called")

    monkeypatch.setattr(special, "stdtr", refuse)
    monkeypatch.setattr(special, "ndtr", refuse)
    values = np.random.default_rng(1).normal(size=(30, 4))
    values[:, 1] = values[:, 0] + 1.0
    values[3, 3] = np.nan
    for test in (paired_t, folded, clustered):
        test(values)

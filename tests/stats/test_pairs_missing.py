"""Pairwise deletion: each pair is compared on the rows that both models have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pair_reference import explicit_statistics

from rankbars.stats.pairwise.clusters import group_rows
from rankbars.stats.pairwise.masked import measure_masked
from rankbars.stats.pairwise.moments import measure_complete
from rankbars.stats.pairwise.paired import cluster_t, corrected_t, paired_t
from rankbars.stats.pairwise.pairstatistics import p_values


@st.composite
def holed_matrices(draw):
    """Scores with holes; some models may be absent, some pairs without common rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, n_models = draw(st.integers(2, 30)), draw(st.integers(1, 6))
    values = rng.normal(size=(n, n_models)) + 5 * rng.normal(size=(n, 1))
    if draw(st.booleans()):
        values = np.round(values)
    values[rng.random(values.shape) < draw(st.sampled_from([0.05, 0.4, 0.8]))] = np.nan
    return values


@given(holed_matrices())
def test_each_pair_is_tested_on_its_own_rows(values):
    found = paired_t(values)
    n_models = values.shape[1]
    counts = np.broadcast_to(found.n, (n_models, n_models))
    for i in range(n_models):
        for j in range(n_models):
            both = ~np.isnan(values[:, i] + values[:, j])
            assert counts[i, j] == both.sum()
            if i == j:
                continue
            alone = paired_t(values[both][:, [i, j]])
            np.testing.assert_allclose(
                found.statistic[i, j], alone.statistic[0, 1], rtol=1e-9, atol=1e-11
            )
            np.testing.assert_allclose(found.diff[i, j], alone.diff[0, 1], atol=1e-12)
            assert found.constant[i, j] == alone.constant[0, 1]
            assert found.identical[i, j] == alone.identical[0, 1]
            np.testing.assert_allclose(p_values(found)[i, j], p_values(alone)[0, 1], rtol=1e-7)


@given(holed_matrices())
def test_holes_keep_statistics_antisymmetric_and_negation_exact(values):
    clusters = np.arange(len(values)) % 8
    for test in (paired_t, lambda v: corrected_t(v, 0.2), lambda v: cluster_t(v, clusters)):
        one, two = test(values), test(-values)
        np.testing.assert_array_equal(one.statistic, -one.statistic.T)
        np.testing.assert_array_equal(one.diff, -one.diff.T)
        np.testing.assert_array_equal(one.statistic, two.statistic.T)


@given(holed_matrices(), st.integers(0, 99))
def test_clusters_with_holes_equal_explicit_differences(values, seed):
    clusters = np.random.default_rng(seed).integers(0, 9, size=len(values))
    found = cluster_t(values, clusters)
    n_models = values.shape[1]
    units = np.broadcast_to(found.n, (n_models, n_models))
    for i in range(n_models):
        for j in range(n_models):
            both = ~np.isnan(values[:, i] + values[:, j])
            assert units[i, j] == np.unique(clusters[both]).size
            if i == j or both.sum() == 0:
                continue
            alone = cluster_t(values[both][:, [i, j]], clusters[both])
            np.testing.assert_allclose(
                found.statistic[i, j], alone.statistic[0, 1], rtol=1e-8, atol=1e-10
            )
            assert found.constant[i, j] == alone.constant[0, 1]


@pytest.mark.parametrize("kind", ["real", "whole"])
def test_holed_tests_equal_extended_precision(kind):
    rng = np.random.default_rng(9)
    values = rng.normal(size=(80, 7))
    if kind == "whole":
        values = np.round(2 * values)
    values[rng.random(values.shape) < 0.2] = np.nan
    clusters = rng.integers(0, 12, size=80)
    for found, options in [
        (paired_t(values), {}),
        (corrected_t(values, 0.1), {"test_share": 0.1}),
        (cluster_t(values, clusters), {"clusters": clusters}),
    ]:
        expected = explicit_statistics(values, **options)
        np.testing.assert_allclose(found.statistic, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("kind", ["real", "binary", "thirds"])
@pytest.mark.parametrize("grouped", [False, True])
def test_without_holes_the_masked_route_equals_the_complete_one(kind, grouped):
    values = np.random.default_rng(1).normal(size=(60, 8))
    values = {"real": values, "binary": (values > 0) * 1.0, "thirds": np.round(values * 3) / 3}[
        kind
    ]
    values[:, 3] = values[:, 2]
    values[:, 4] = values[:, 2] + 1.0
    values[:, 5] = values[:, 2] + 1e-9 * values[:, 1]
    if grouped:
        grouping = group_rows(np.arange(60) % 11)
        one, two = measure_complete(values, grouping), measure_masked(values, grouping)
    else:
        one, two = measure_complete(values), measure_masked(values)
    np.testing.assert_allclose(two.diff, one.diff, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(two.norm, one.norm, rtol=1e-10, atol=1e-15)
    np.testing.assert_array_equal(two.units, one.units)
    np.testing.assert_array_equal(two.rows, one.rows)
    for found, expected in zip(two.degenerate, one.degenerate, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_degenerate_pairs_count_their_own_rows():
    values = np.tile(np.arange(10.0)[:, None] ** 2, (1, 4)) + [1.0, 0.0, 0.0, 0.1]
    values[:4, 0] = np.nan
    values[:9, 2] = np.nan
    p = p_values(paired_t(values))
    assert p[0, 1] == pytest.approx(2.0**-6, rel=1e-12, abs=0)
    assert p[1, 0] == 1.0
    assert p[3, 1] == pytest.approx(2.0**-10, rel=1e-12, abs=0)
    assert p[0, 2] == p[2, 0] == 1.0  # one common row separates nobody
    assert p[1, 2] == p[2, 1] == 1.0


def test_models_without_common_rows_are_not_compared():
    values = np.array(
        [[1.0, np.nan, 3.0], [2.0, np.nan, 1.0], [np.nan, 5.0, 2.0], [np.nan, 6.0, 9.0]]
    )
    for test in (paired_t, lambda v: cluster_t(v, [0, 1, 2, 3]), lambda v: corrected_t(v, 0.2)):
        found = test(values)
        assert np.isnan(found.diff[0, 1])
        assert found.statistic[0, 1] == found.statistic[1, 0] == 0.0
        assert found.n[0, 1] == 0
        assert p_values(found)[0, 1] == p_values(found)[1, 0] == 1.0
        assert not found.identical[0, 1]
        assert found.diff[0, 0] == 0.0


def test_an_absent_model_is_compared_with_nobody():
    values = np.random.default_rng(3).normal(size=(20, 4))
    expected = paired_t(values[:, [0, 1, 3]])
    values[:, 2] = np.nan
    for found in (paired_t(values), cluster_t(values, np.arange(20))):
        np.testing.assert_array_equal(found.statistic[2], 0.0)
        np.testing.assert_array_equal(p_values(found)[2], 1.0)
        assert np.isnan(found.diff[2, [0, 1, 3]]).all()
        kept = np.ix_([0, 1, 3], [0, 1, 3])
        np.testing.assert_allclose(found.statistic[kept], expected.statistic, rtol=1e-12)


def test_an_empty_row_adds_nothing():
    values = np.random.default_rng(3).normal(size=(20, 4))
    more = np.insert(values, 7, np.nan, axis=0)
    np.testing.assert_allclose(paired_t(more).statistic, paired_t(values).statistic, rtol=1e-12)


def test_nothing_observed_at_all():
    found = paired_t(np.full((5, 3), np.nan))
    np.testing.assert_array_equal(p_values(found), 1.0)
    np.testing.assert_array_equal(found.n, 0)
    one_row = paired_t(np.array([[1.0, np.nan]]))
    np.testing.assert_array_equal(one_row.n, [[1, 0], [0, 0]])
    np.testing.assert_array_equal(p_values(one_row), 1.0)


def test_one_incomplete_model_leaves_other_pairs_on_all_rows():
    values = np.random.default_rng(6).normal(size=(50, 5))
    holed = values.copy()
    holed[10:, 4] = np.nan
    found, expected = paired_t(holed), paired_t(values)
    np.testing.assert_allclose(found.statistic[:4, :4], expected.statistic[:4, :4], rtol=1e-11)
    np.testing.assert_array_equal(found.n[:4, :4], 50)
    np.testing.assert_array_equal(found.df[4, :4], 9.0)

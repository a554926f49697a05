"""Welch's test of models that were run on items of their own."""

import numpy as np
import pytest
from scipy import stats

from rankbars.stats.pairwise.estimates import welch_t
from rankbars.stats.pairwise.pairstatistics import p_values


def ragged(seed=0, n_models=5):
    """Samples of different size, mean and spread."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(40, n_models)) * np.linspace(0.5, 3, n_models)
    values += np.linspace(0, 1, n_models)
    for model in range(n_models):
        values[40 - 7 * model :, model] = np.nan
    return values


def test_equals_scipy():
    values = ragged()
    found = welch_t(values)
    p = p_values(found)
    for i in range(5):
        for j in range(5):
            if i != j:
                expected = stats.ttest_ind(
                    values[:, i],
                    values[:, j],
                    equal_var=False,
                    nan_policy="omit",
                    alternative="greater",
                )
                assert found.statistic[i, j] == pytest.approx(expected.statistic, rel=1e-10)
                assert found.df[i, j] == pytest.approx(expected.df, rel=1e-10)
                assert p[i, j] == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.n[0, 1] == 33
    assert found.n[0, 0] == 40


def test_order_of_scores_within_a_model_carries_no_information():
    values = ragged()
    shuffled = np.random.default_rng(1).permuted(values, axis=0)
    np.testing.assert_allclose(
        welch_t(shuffled).statistic, welch_t(values).statistic, rtol=1e-10, atol=1e-12
    )


def test_models_stay_apart_from_each_other():
    values = ragged()
    found = welch_t(values)
    np.testing.assert_array_equal(welch_t(values[:, :3]).statistic, found.statistic[:3, :3])
    order = [3, 0, 4, 1, 2]
    np.testing.assert_array_equal(
        welch_t(values[:, order]).statistic, found.statistic[np.ix_(order, order)]
    )
    np.testing.assert_array_equal(welch_t(-values).statistic, found.statistic.T)
    np.testing.assert_array_equal(found.statistic, -found.statistic.T)


@pytest.mark.parametrize("offset", [1e6, -1e6])
def test_a_common_offset_costs_no_digits(offset):
    values = np.round(ragged(), 6)
    np.testing.assert_allclose(
        welch_t(values + offset).statistic, welch_t(values).statistic, rtol=1e-7, atol=1e-9
    )


@pytest.mark.parametrize("exponent", [-700, 700])
def test_units_of_scores_do_not_matter(exponent):
    values = ragged()
    found, scaled = welch_t(values), welch_t(np.ldexp(values, exponent))
    np.testing.assert_array_equal(scaled.statistic, found.statistic)
    np.testing.assert_array_equal(scaled.se, np.ldexp(found.se, exponent))


def test_a_model_that_never_varies_is_compared_with_one_that_does():
    values = np.array([[1.0, 0.3], [1.0, 0.5], [1.0, 0.1], [1.0, 0.7]])
    found = welch_t(values)
    expected = stats.ttest_1samp(values[:, 1], 1.0, alternative="less")
    assert found.df[0, 1] == pytest.approx(3)
    assert p_values(found)[0, 1] == pytest.approx(expected.pvalue, rel=1e-10)


def test_rounding_is_no_spread():
    """Scores that differ in the last bit only, of either model."""
    values = np.array([[0.3, 0.1], [0.1 + 0.2, 0.1], [0.3, 0.3 - 0.2], [0.3, 0.1]])
    np.testing.assert_allclose(p_values(welch_t(values)), [[1, 2.0**-4], [1, 1]], rtol=1e-12)


def test_a_single_score_separates_nobody():
    values = np.array([[5.0, 0.0, np.nan], [np.nan, 0.1, np.nan], [np.nan, 0.2, np.nan]])
    found = welch_t(values)
    np.testing.assert_array_equal(p_values(found), np.ones((3, 3)))
    assert np.isnan(found.se[0, 1])
    assert np.isnan(found.diff[0, 2])
    assert not found.constant.any()


def test_samples_that_are_equal_and_vary_are_an_honest_tie():
    column = np.array([0.1, 0.4, 0.9])
    p = p_values(welch_t(np.stack([column, column], axis=1)))
    assert p[0, 1] == p[1, 0] == 0.5

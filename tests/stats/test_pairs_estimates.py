"""z statistics from published estimates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankbars.errors import DataError
from rankbars.stats.pairwise.estimates import z_from_cov, z_from_se
from rankbars.stats.pairwise.pairstatistics import p_values


def test_two_estimates_by_hand():
    found = z_from_se(np.array([0.8, 0.7]), np.array([0.03, 0.04]))
    assert found.statistic[0, 1] == pytest.approx(2.0, rel=1e-12, abs=0)
    assert p_values(found)[0, 1] == pytest.approx(stats.norm.sf(2.0), rel=1e-12, abs=0)
    assert p_values(found)[1, 0] == pytest.approx(stats.norm.cdf(2.0), rel=1e-12, abs=0)
    assert found.df == np.inf


@given(st.integers(0, 2**32))
def test_covariance_is_that_of_the_contrast(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(5, 5))
    mean, cov = rng.normal(size=5), root @ root.T
    found = z_from_cov(mean, cov)
    for i, j in [(0, 1), (3, 2)]:
        contrast = np.zeros(5)
        contrast[[i, j]] = 1.0, -1.0
        expected = contrast @ mean / np.sqrt(contrast @ cov @ contrast)
        assert found.statistic[i, j] == pytest.approx(expected, rel=1e-10, abs=0)
    np.testing.assert_array_equal(found.statistic, -found.statistic.T)
    diagonal = z_from_cov(mean, np.diag(np.diag(cov)))
    independent = z_from_se(mean, np.sqrt(np.diag(cov)))
    np.testing.assert_allclose(diagonal.statistic, independent.statistic, rtol=1e-12)


def test_negated_estimates_transpose():
    mean, se = np.array([0.1, 0.4, 0.2]), np.array([0.1, 0.05, 0.2])
    one, two = z_from_se(mean, se), z_from_se(-mean, se)
    np.testing.assert_array_equal(one.statistic, two.statistic.T)


def test_a_contrast_without_variance_is_no_evidence():
    cov = np.full((2, 2), 0.04)
    for found in (
        z_from_cov(np.array([0.8, 0.7]), cov),
        z_from_se(np.array([0.8, 0.7]), np.zeros(2)),
    ):
        np.testing.assert_array_equal(found.statistic, 0.0)
        np.testing.assert_array_equal(p_values(found), 1.0)
        assert found.se[0, 1] == 0.0
        assert not found.constant.any()


def test_almost_no_variance_is_rounding():
    cov = np.full((2, 2), 0.1)
    cov[0, 0] = np.nextafter(0.1, 1)
    assert z_from_cov(np.array([0.8, 0.7]), cov).statistic[0, 1] == 0.0


def test_absent_models_and_unknown_errors_leave_other_pairs_alone():
    mean = np.array([0.5, np.nan, 0.4, 0.3])
    se = np.array([0.1, 0.1, np.nan, 0.1])
    found = z_from_se(mean, se)
    np.testing.assert_array_equal(found.statistic[1], 0.0)
    np.testing.assert_array_equal(found.statistic[2], 0.0)
    assert found.statistic[0, 3] == pytest.approx(0.2 / np.sqrt(0.02), rel=1e-12, abs=0)
    assert np.isnan(found.diff[0, 1])
    assert found.diff[0, 2] == pytest.approx(0.1)
    assert np.isnan(found.se[0, 2])
    np.testing.assert_array_equal(found.n[1], 0)
    assert found.n[0, 2] == found.n[0, 0] == 1
    expected = np.ones((4, 4))
    expected[0, 3], expected[3, 0] = p_values(found)[[0, 3], [3, 0]]
    np.testing.assert_array_equal(p_values(found), expected)


def test_scores_without_any_error_show_nothing():
    found = z_from_se(np.array([0.5, 0.4, 0.1]), np.full(3, np.nan))
    np.testing.assert_array_equal(p_values(found), 1.0)


def test_a_negative_variance_is_refused():
    cov = np.array([[0.01, 0.05], [0.05, 0.01]])
    with pytest.raises(DataError, match=r"estimates 0 and 1 the variance -0\.08"):
        z_from_cov(np.array([0.8, 0.7]), cov)


@pytest.mark.parametrize("n_models", [0, 1])
def test_no_pairs(n_models):
    found = z_from_se(np.ones(n_models), np.ones(n_models))
    assert found.statistic.shape == (n_models, n_models)
    np.testing.assert_array_equal(p_values(found), 1.0)

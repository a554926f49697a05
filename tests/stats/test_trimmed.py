"""Yuen's trimmed t-test of paired differences."""

import numpy as np
import pytest
from reference import golden
from scipy import stats

from rankbars.errors import OptionError
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import p_values
from rankbars.stats.pairwise.robust import trimmed_t


def against_zero(d):
    return np.stack([d, np.zeros(len(d))], axis=1)


def test_equals_the_reference_values():
    case = golden("trimmed_t")
    found = trimmed_t(against_zero(np.array(case["d"])), case["trim"])
    assert found.diff[0, 1] == pytest.approx(case["trimmed_mean"], rel=1e-10)
    assert found.se[0, 1] == pytest.approx(case["se"], rel=1e-10)
    assert found.df == case["df"]
    assert p_values(found)[0, 1] == pytest.approx(case["p_better"], rel=1e-10)


@pytest.mark.parametrize("n", [2, 5, 14, 15, 101])
@pytest.mark.parametrize("trim", [0.1, 0.2, 0.25])
def test_equals_scipy_trimmed_mean_and_winsorised_deviation(n, trim):
    values = np.random.default_rng(n).standard_t(2, size=(n, 4))
    found = trimmed_t(values, trim)
    cut = int(n * trim + 1e-9)
    assert found.df == n - 2 * cut - 1
    for i in range(4):
        for j in range(4):
            if i != j:
                d = values[:, i] - values[:, j]
                winsorised = stats.mstats.winsorize(d, limits=(cut / n + 1e-9,) * 2)
                se = np.std(np.asarray(winsorised), ddof=1) / ((1 - 2 * trim) * np.sqrt(n))
                assert found.diff[i, j] == pytest.approx(stats.trim_mean(d, trim), rel=1e-10)
                assert found.se[i, j] == pytest.approx(se, rel=1e-10)


def test_without_trimming_it_is_the_paired_t_test():
    values = np.random.default_rng(4).normal(size=(40, 6)) + 1e4
    found, plain = trimmed_t(values, 0.0), paired_t(values)
    np.testing.assert_allclose(found.statistic, plain.statistic, rtol=1e-9)
    assert found.df == plain.df


def test_share_is_the_decimal_that_was_written():
    """In binary 0.29 * 100 is just below 29."""
    values = np.random.default_rng(1).normal(size=(100, 2))
    assert trimmed_t(values, 0.29).df == 100 - 2 * 29 - 1


def test_one_wild_row_does_not_hide_a_difference():
    rng = np.random.default_rng(6)
    values = against_zero(rng.normal(size=30) + 2)
    values[0, 0] = -1000.0
    assert p_values(trimmed_t(values))[0, 1] < 1e-6
    assert p_values(paired_t(values))[0, 1] > 0.5


@pytest.mark.parametrize("tail", [5.0, 0.1 + 0.2])
def test_winsorised_differences_without_spread_are_no_evidence(tail):
    d = np.full(10, 0.3)
    d[0] = tail + 1
    d[1:5] = 0.1 + 0.2
    found = trimmed_t(against_zero(d))
    assert found.statistic[0, 1] == 0
    assert found.se[0, 1] == 0
    assert not found.constant.any()
    assert not found.identical.any()
    np.testing.assert_array_equal(p_values(found), np.ones((2, 2)))


def test_the_median_alone_has_no_spread():
    """Five rows, two cut at either end: no degree of freedom is left."""
    values = np.random.default_rng(0).normal(size=(5, 3))
    found = trimmed_t(values, 0.4)
    np.testing.assert_array_equal(p_values(found), np.ones((3, 3)))
    assert np.isnan(found.se[0, 1])


def test_missing_rows_give_each_pair_its_own_degrees_of_freedom():
    values = np.random.default_rng(9).normal(size=(20, 3))
    values[:5, 0] = np.nan
    found = trimmed_t(values)
    assert found.n.tolist() == [[15, 15, 15], [15, 20, 20], [15, 20, 20]]
    assert found.df[0, 1] == 15 - 6 - 1
    assert found.df[1, 2] == 20 - 8 - 1


@pytest.mark.parametrize("trim", [-0.1, 0.5, float("nan"), float("inf")])
def test_impossible_shares_are_refused(trim):
    with pytest.raises(OptionError, match="trim must be"):
        trimmed_t(np.zeros((3, 2)), trim)


def test_matrices_agree_with_each_other():
    values = np.random.default_rng(3).normal(size=(25, 5))
    found = trimmed_t(values)
    np.testing.assert_array_equal(found.statistic, -found.statistic.T)
    np.testing.assert_array_equal(found.diff, -found.diff.T)
    np.testing.assert_array_equal(found.se, found.se.T)
    assert found.n == 25

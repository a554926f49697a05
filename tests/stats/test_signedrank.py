"""Wilcoxon's signed-rank test: scipy, enumeration of all signs, and its treatment of ties."""

from itertools import product

import numpy as np
import pytest
from reference import golden
from scipy import stats

from rankbars.stats.pairwise.robust import EXACT_ROWS, wilcoxon


def against_zero(d):
    """Scores of two models that differ by `d`."""
    return np.stack([d, np.zeros(len(d))], axis=1)


def test_p_value_equals_the_reference_value():
    case = golden("signed_rank")
    p = wilcoxon(against_zero(np.array(case["d"])))
    assert p[0, 1] == pytest.approx(case["p_better_exact"], rel=1e-10)


@pytest.mark.parametrize("n", [2, 3, 12, EXACT_ROWS, EXACT_ROWS + 1, 200])
def test_equals_scipy_without_ties(n):
    values = np.random.default_rng(n).normal(size=(n, 5)) + np.arange(5) * 0.2
    p = wilcoxon(values)
    for i in range(5):
        for j in range(5):
            if i != j:
                d = values[:, i] - values[:, j]
                method = "exact" if n <= EXACT_ROWS else "asymptotic"
                found = stats.wilcoxon(d, alternative="greater", method=method, correction=True)
                assert p[i, j] == pytest.approx(found.pvalue, rel=1e-10)


@pytest.mark.parametrize("n", [6, 30, 300])
@pytest.mark.parametrize("levels", [2, 5, 40])
def test_equals_scipy_with_zeros_and_ties(n, levels):
    values = np.random.default_rng(n + levels).integers(0, levels, size=(n, 6)).astype(float)
    p = wilcoxon(values)
    for i in range(6):
        for j in range(6):
            d = values[:, i] - values[:, j]
            sizes = np.abs(d)
            if np.ptp(d) > 0 and (np.unique(sizes).size < n or (d == 0).any()):
                found = stats.wilcoxon(
                    d,
                    zero_method="pratt",
                    alternative="greater",
                    method="asymptotic",
                    correction=True,
                )
                assert p[i, j] == pytest.approx(found.pvalue, rel=1e-10)


def test_equals_the_share_of_all_sign_patterns():
    d = np.array([0.3, -1.1, 2.7, 0.9, -0.2, 1.4, 0.6])
    rank = stats.rankdata(np.abs(d))
    sums = np.array([rank[np.array(signs) > 0].sum() for signs in product([-1, 1], repeat=7)])
    p = wilcoxon(against_zero(d))
    assert p[0, 1] == (sums >= rank[d > 0].sum()).mean()
    assert p[1, 0] == (sums >= rank[d < 0].sum()).mean()


def test_normal_approximation_has_the_moments_of_random_signs():
    """Mean and variance with zeros and ties, from the ranks themselves."""
    d = np.array([0.0, 0.0, 1, 1, -1, 2, 3, -3, 3, 4, 5, 5, -6])
    rank = stats.rankdata(np.abs(d))[d != 0]
    favour = rank[d[d != 0] > 0].sum()
    z = (favour - rank.sum() / 2 - 0.5) / np.sqrt(np.square(rank).sum() / 4)
    assert wilcoxon(against_zero(d))[0, 1] == pytest.approx(stats.norm.sf(z), rel=1e-12)


def test_rounding_of_decimals_breaks_no_ties():
    """0.3 - 0.2 is not 0.1 and 0.1 + 0.2 - 0.3 is not 0 in binary; as scores they are."""
    whole = np.random.default_rng(2).integers(0, 10, size=(60, 4)).astype(float)
    tenths = whole * 0.1
    assert np.unique(np.abs(tenths[:, 0] - tenths[:, 1])).size > 10
    np.testing.assert_allclose(wilcoxon(tenths), wilcoxon(whole), rtol=1e-14)


def test_a_size_just_above_zero_keeps_its_rank():
    """Seven rounding errors are zero, nine are not, although the two are within the tolerance."""
    eps = np.finfo(float).eps
    scores = np.array([1 + 7 * eps, 1 - 9 * eps, 0.5, 0.75, 0.8])
    whole = np.array([0.0, -1.0, -4.0, -3.0, -2.0])
    found = wilcoxon(np.stack([scores, np.ones(5)], axis=1))
    np.testing.assert_array_equal(found, wilcoxon(against_zero(whole)))


def test_the_sign_of_a_missing_score_does_not_matter():
    values = np.random.default_rng(4).normal(size=(30, 3))
    values[3, 1] = values[9, 2] = np.nan
    negative = values.copy()
    negative[3, 1] = negative[9, 2] = -np.nan
    assert np.signbit(negative[3, 1])
    np.testing.assert_array_equal(wilcoxon(negative), wilcoxon(values))


def test_rank_sums_stay_exact_for_many_rows():
    """Half the sum of all ranks exceeds what single precision holds."""
    values = np.random.default_rng(8).normal(size=(9001, 6))
    p = wilcoxon(values)
    for i in range(1, 6):
        d = values[:, 0] - values[:, i]
        found = stats.wilcoxon(d, alternative="greater", method="asymptotic", correction=True)
        assert p[0, i] == pytest.approx(found.pvalue, rel=1e-12)


def test_can_be_intransitive():
    """Each of three models is shown better than the next, and the last better than the first."""
    rows = [[6, 2, 6], [5, 6, 5], [1, 0, 2], [0, 6, 1], [4, 3, 4], [4, 4, 0]]
    p = wilcoxon(np.tile(np.array(rows, dtype=float), (400, 1)))
    assert max(p[0, 1], p[1, 2], p[2, 0]) < 0.05


def test_small_groups_of_rows_cannot_reach_small_p_values():
    p = wilcoxon(against_zero(np.array([1.0, 2.0, 3.0, 4.0])))
    assert p[0, 1] == 2.0**-4
    assert p[1, 0] == 1.0

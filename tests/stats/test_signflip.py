"""Sign flips: all patterns for few units, keyed random patterns for many."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import golden
from scipy import stats

from rankbars.errors import OptionError
from rankbars.stats.pairwise.discordance import mcnemar_exact
from rankbars.stats.pairwise.signflip import EXACT_UNITS, FLIPS_PER_CHUNK, draw_flips, sign_flip


def against_zero(d):
    return np.stack([d, np.zeros(len(d))], axis=1)


def share_of_patterns(d):
    """By brute force over whole numbers: how many signed sums are at least the observed one."""
    sums = np.array([np.dot(signs, d) for signs in product([-1, 1], repeat=len(d))])
    return (sums >= d.sum()).mean()


def test_p_value_equals_the_reference_value():
    case = golden("sign_flip")
    p = sign_flip(against_zero(np.array(case["d"])))
    assert p[0, 1] == pytest.approx(case["p_better_exact"], rel=1e-10)


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=11))
def test_few_rows_count_all_sign_patterns(numbers):
    d = np.array(numbers)
    if np.ptp(d) == 0:
        return
    # Tenths: sums that tie exactly in theory differ by rounding.
    p = sign_flip(against_zero(d * 0.1))
    assert p[0, 1] == share_of_patterns(d)
    assert p[1, 0] == share_of_patterns(-d)


def test_equals_scipy_at_twelve_rows():
    values = np.random.default_rng(7).normal(size=(12, 3)) + np.arange(3)
    p = sign_flip(values)
    for i, j in ((0, 1), (1, 0), (2, 0)):
        expected = stats.permutation_test(
            (values[:, i] - values[:, j],),
            np.mean,
            permutation_type="samples",
            n_resamples=np.inf,
            alternative="greater",
        )
        assert p[i, j] == pytest.approx(expected.pvalue, rel=1e-12)


def test_twenty_rows_are_counted_without_drawing():
    values = np.random.default_rng(2).normal(size=(EXACT_UNITS, 2))
    p = sign_flip(values, draws=1)
    assert p[0, 1] * 2**EXACT_UNITS == round(p[0, 1] * 2**EXACT_UNITS)
    np.testing.assert_array_equal(p, sign_flip(values, draws=999, seed=5))
    normal = stats.ttest_rel(values[:, 0], values[:, 1], alternative="greater").pvalue
    assert p[0, 1] == pytest.approx(normal, abs=0.02)


@given(st.integers(0, 10**6))
def test_solved_or_not_with_few_discordant_items_is_the_exact_mcnemar_test(seed):
    rng = np.random.default_rng(seed)
    values = np.repeat(rng.integers(0, 2, size=(60, 1)), 4, axis=1)
    for model in range(4):
        changed = rng.choice(60, size=rng.integers(1, 9), replace=False)
        values[changed, model] = 1 - values[changed, model]
    np.testing.assert_allclose(sign_flip(values), mcnemar_exact(values), rtol=1e-12)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_random_patterns_are_counted_as_defined(missing, clustered):
    rng = np.random.default_rng(11)
    n, draws = 90, 2300
    values = rng.normal(size=(n, 4)) + np.array([0, 0.1, 0.2, 0.3]) + 1e3 * rng.normal(size=(n, 1))
    clusters = rng.integers(0, 30, size=n) if clustered else np.arange(n)
    if missing:
        values[rng.random(values.shape) < 0.1] = np.nan
    p = sign_flip(values, clusters if clustered else None, draws=draws, seed=3, key=("task",))
    code = np.unique(clusters, return_inverse=True)[1]
    flips = draw_flips(int(code.max()) + 1, draws, 3, ("task",)).astype(float)
    for i in range(4):
        for j in range(4):
            if i != j:
                d = np.nan_to_num(values[:, i] - values[:, j])
                sums = np.bincount(code, weights=d)
                assert np.count_nonzero(sums) > EXACT_UNITS
                reached = (flips @ sums >= sums.sum()).sum()
                assert p[i, j] == (1 + reached) / (draws + 1)


def test_random_patterns_approach_the_share_of_all_patterns():
    """The normal limit at 200 rows, within four standard errors of the draws."""
    values = np.random.default_rng(5).normal(size=(200, 2)) + np.array([0.1, 0.0])
    t = stats.ttest_rel(values[:, 0], values[:, 1], alternative="greater").pvalue
    p = sign_flip(values, draws=20_000)
    assert p[0, 1] == pytest.approx(t, abs=4 * np.sqrt(t * (1 - t) / 20_000) + 0.002)
    assert p[0, 1] + p[1, 0] == pytest.approx(1 + 1 / 20_001, abs=1e-12)


def test_clusters_are_flipped_whole():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(24, 3))
    clusters = np.array(list("abcdef") * 4)
    sums = np.stack([values[clusters == name].sum(axis=0) for name in "abcdef"])
    np.testing.assert_array_equal(sign_flip(values, clusters), sign_flip(sums))
    assert sign_flip(values, clusters).min() >= 2.0**-6


def test_equal_cluster_means_are_bounded_by_the_number_of_clusters():
    d = np.array([0.5, 1.5, 1.0, 0.0, 2.0, 1.0])
    p = sign_flip(against_zero(d), [0, 0, 1, 2, 2, 3])
    np.testing.assert_array_equal(p, [[1, 2.0**-4], [1, 1]])
    np.testing.assert_array_equal(sign_flip(against_zero(d), [0] * 6), np.ones((2, 2)))


def test_constant_differences_of_many_rows_go_below_the_drawn_floor():
    p = sign_flip(np.array([[1.0, 0.5]] * 100), draws=99)
    np.testing.assert_array_equal(p, [[1, 2.0**-100], [1, 1]])


def test_seed_and_key_choose_the_patterns():
    values = np.random.default_rng(0).normal(size=(50, 3))
    first = sign_flip(values, draws=99, seed=1, key=("math",))
    np.testing.assert_array_equal(first, sign_flip(values, draws=99, seed=1, key=("math",)))
    assert (first != sign_flip(values, draws=99, seed=2, key=("math",))).any()
    assert (first != sign_flip(values, draws=99, seed=1, key=("code",))).any()


def test_more_draws_begin_with_the_same_patterns():
    few = draw_flips(7, FLIPS_PER_CHUNK + 10, 4, ("a",))
    many = draw_flips(7, 3 * FLIPS_PER_CHUNK, 4, ("a",))
    np.testing.assert_array_equal(many[: len(few)], few)
    assert set(np.unique(many)) == {-1, 1}
    assert abs(many.mean()) < 4 / np.sqrt(many.size)


def test_one_model_on_a_scale_of_its_own_leaves_the_others_alone():
    values = np.random.default_rng(3).normal(size=(40, 4))
    wild = np.hstack([values, np.random.default_rng(4).normal(size=(40, 1)) * 1e15])
    np.testing.assert_array_equal(sign_flip(wild, draws=499)[:4, :4], sign_flip(values, draws=499))


def test_no_draws_are_refused():
    with pytest.raises(OptionError, match="draws must be at least 1"):
        sign_flip(np.zeros((3, 2)), draws=0)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 10, 30])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_level_is_never_exceeded_for_symmetric_differences(calibration, n, alpha):
    """Heavy tails, few rows: the share of rejections stays within three standard errors."""
    rng = np.random.default_rng(n)
    repetitions = calibration.runs(400, 4000)
    rejected = 0
    for repetition in range(repetitions):
        values = against_zero(rng.standard_t(1.5, size=n) * rng.exponential(size=n))
        rejected += sign_flip(values, draws=199, seed=repetition)[0, 1] <= alpha
    calibration.at_most(rejected, repetitions, alpha)

"""McNemar's test: exact fractions, scipy, and the published table of sizes."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import golden
from scipy import stats

from rankbars.errors import DataError
from rankbars.stats.binomial import binomial_tail, binomial_tail_midp
from rankbars.stats.pairwise.discordance import (
    count_wins,
    mcnemar_exact,
    mcnemar_midp,
)


def results(wins, losses, both=3):
    """Items of two models, some of them solved by both."""
    return np.array([[1, 0]] * wins + [[0, 1]] * losses + [[1, 1]] * both, dtype=float)


@pytest.mark.parametrize("case", golden("mcnemar")["rows"])
def test_equals_the_reference_values(case):
    values = results(case["wins"], case["losses"])
    assert mcnemar_exact(values)[0, 1] == pytest.approx(case["p_exact"], rel=1e-10)
    assert mcnemar_midp(values)[0, 1] == pytest.approx(case["p_mid"], rel=1e-10)


@given(st.integers(1, 400), st.data())
def test_tails_equal_exact_fractions(trials, data):
    wins = data.draw(st.integers(0, trials))
    at_least = Fraction(sum(comb(trials, k) for k in range(wins, trials + 1)), 2**trials)
    middle = at_least - Fraction(comb(trials, wins), 2 ** (trials + 1))
    pair = np.array([wins]), np.array([trials - wins])
    assert binomial_tail(*pair)[0] == pytest.approx(float(at_least), rel=1e-11)
    assert binomial_tail_midp(*pair)[0] == pytest.approx(float(middle), rel=1e-11)


def test_equals_scipy_for_every_pair():
    values = (np.random.default_rng(3).random((80, 6)) < np.linspace(0.3, 0.8, 6)).astype(float)
    p = mcnemar_exact(values)
    for i in range(6):
        for j in range(6):
            wins = int(((values[:, i] == 1) & (values[:, j] == 0)).sum())
            losses = int(((values[:, i] == 0) & (values[:, j] == 1)).sum())
            if i != j:
                expected = stats.binomtest(wins, wins + losses, alternative="greater").pvalue
                assert p[i, j] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("n", "share", "exact", "midp"),
    [(100, 0.05, 0.18, 0.49), (100, 0.1, 0.44, 0.82), (100, 0.3, 0.61, 0.9), (30, 0.2, 0.26, 0.63)],
)
def test_sizes_equal_the_published_table(n, share, exact, midp):
    """Probability of p <= .025 under equal models, divided by .025, by enumeration."""
    trials = np.repeat(np.arange(n + 1), np.arange(1, n + 2))
    wins = np.concatenate([np.arange(count + 1) for count in range(n + 1)])
    weight = stats.binom.pmf(trials, n, share) * stats.binom.pmf(wins, trials, 0.5)
    for tail, size in ((binomial_tail, exact), (binomial_tail_midp, midp)):
        found = weight[tail(wins, trials - wins) <= 0.025].sum() / 0.025
        assert found == pytest.approx(size, abs=0.00501)


def test_without_trials_nothing_is_unlikely():
    none = np.zeros(3, dtype=np.int64)
    np.testing.assert_array_equal(binomial_tail(none, none), 1.0)
    np.testing.assert_array_equal(binomial_tail_midp(none, none), 1.0)


def test_counts_are_exact_for_many_items():
    rng = np.random.default_rng(1)
    values = (rng.random((1_200_000, 2)) < 0.7).astype(float)
    values[rng.random(values.shape) < 0.001] = np.nan
    wins = count_wins(values)
    assert wins[0, 1] == ((values[:, 0] == 1) & (values[:, 1] == 0)).sum()
    assert wins[1, 0] == ((values[:, 0] == 0) & (values[:, 1] == 1)).sum()
    assert wins[0, 0] == 0


@pytest.mark.parametrize("test", [mcnemar_exact, mcnemar_midp])
@pytest.mark.parametrize("wrong", [0.5, -1.0, 2.0, np.inf])
def test_graded_scores_are_refused(test, wrong):
    values = results(3, 2)
    values[1, 1] = wrong
    with pytest.raises(DataError, match=r"solved \(1\) or not \(0\); found .* row 1, column 1"):
        test(values)


def test_models_without_discordant_items_are_not_separated():
    values = np.array([[1, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=float)
    for p in (mcnemar_exact(values), mcnemar_midp(values)):
        assert p[0, 1] == p[1, 0] == 1.0


def test_mid_p_is_below_exact_by_half_the_point_mass():
    values = results(7, 4)
    half = stats.binom.pmf(7, 11, 0.5) / 2
    assert mcnemar_exact(values)[0, 1] - mcnemar_midp(values)[0, 1] == pytest.approx(half, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 10, 30])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_exact_level_is_never_exceeded(calibration, n, alpha):
    rng = np.random.default_rng(n)
    repetitions = calibration.runs(1000, 4000)
    rejected = 0
    for _ in range(repetitions):
        item = rng.random((n, 1))
        values = (rng.random((n, 2)) < item).astype(float)
        rejected += mcnemar_exact(values)[0, 1] <= alpha
    calibration.at_most(rejected, repetitions, alpha)

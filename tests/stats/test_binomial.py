"""Exact binomial tests against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_1samp

from rankbars.errors import DataError, OptionError
from rankbars.stats.binomial import (
    binomial_tail,
    clustered_share_test,
    share_test,
)

COUNTS = st.integers(0, 300)


@given(COUNTS, COUNTS, st.sampled_from([0.01, 0.05, 0.2]))
def test_share_tests_equal_scipy(wins, losses, alpha):
    result = share_test(wins, losses, alpha)
    assert result.n == wins + losses
    if wins + losses == 0:
        assert (result.low, result.high, result.p) == (0.0, 1.0, 1.0)
        assert np.isnan(result.share)
        return
    expected = binomtest(wins, wins + losses)
    interval = expected.proportion_ci(1 - alpha, method="exact")
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert (result.low, result.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert result.low <= result.share <= result.high


@given(COUNTS, COUNTS)
def test_tails_equal_scipy(wins, losses):
    n = wins + losses
    expected = binomtest(wins, n, alternative="greater").pvalue if n else 1.0
    assert binomial_tail(wins, losses) == pytest.approx(expected, rel=1e-9)


def test_small_tails_keep_their_digits():
    assert binomial_tail(1000, 0) == pytest.approx(2.0**-1000, rel=1e-10)


def test_pairs_are_tested_in_both_directions():
    wins = np.array([[0, 8, 0], [2, 0, 0], [0, 0, 0]])
    p = binomial_tail(wins, wins.T)
    assert p[0, 1] == pytest.approx(binomtest(8, 10, alternative="greater").pvalue)
    assert p[1, 0] == pytest.approx(binomtest(2, 10, alternative="greater").pvalue)
    assert np.diagonal(p).tolist() == [1.0] * 3
    assert p[0, 2] == p[2, 1] == 1.0


def test_negative_counts_and_levels_out_of_range_are_refused():
    with pytest.raises(DataError, match="0 or more"):
        binomial_tail(-1, 3)
    with pytest.raises(OptionError):
        share_test(3, 1, 1.5)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=60))
def test_clusters_never_make_a_share_surer(rows):
    won, cluster = np.array(rows).astype(int).T
    exact = share_test(int(won.sum()), int((1 - won).sum()), 0.05)
    if np.unique(cluster).size < 2:
        with pytest.raises(DataError, match="at least 2"):
            clustered_share_test(won == 1, cluster, 0.05)
        return
    found = clustered_share_test(won == 1, cluster, 0.05)
    assert found.share == exact.share
    assert found.low <= exact.low
    assert found.high >= exact.high
    assert found.p >= exact.p


def test_voters_who_vote_alike_are_a_t_test_of_voters():
    """Equal numbers of votes: the share is the mean of the voters' own shares."""
    own = np.array([9, 8, 10, 4, 7, 9, 3, 8])
    won = np.concatenate([np.arange(10) < k for k in own])
    found = clustered_share_test(won, np.repeat(np.arange(8), 10), 0.05)
    test = ttest_1samp(own / 10, 0.5)
    assert found.p == pytest.approx(test.pvalue, rel=1e-9)
    interval = test.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-9)

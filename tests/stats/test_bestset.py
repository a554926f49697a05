"""Models that may be the best, per candidate: worked numbers, inclusions, how often it holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import validity
from scipy import stats

from rankbars.errors import OptionError
from rankbars.stats.multiplicity.closedtesting import better_counts, better_counts_from_p
from rankbars.stats.multiplicity.maxt import flip_draws, max_t_best
from rankbars.stats.multiplicity.stepdown import decide

GOLDEN = validity("set_for_best")
WORKED = np.array(GOLDEN["t_k_better_than_j"])


def p_of(statistic, df):
    p = stats.t.sf(statistic, df)
    np.fill_diagonal(p, 1.0)
    return p


def holm_count(p, alpha):
    ordered = sorted(p)
    count = 0
    while count < len(ordered) and ordered[count] <= alpha / (len(ordered) - count):
        count += 1
    return count


@st.composite
def statistics(draw):
    size = draw(st.integers(2, 9))
    cells = draw(st.lists(st.floats(-6, 6), min_size=size * size, max_size=size * size))
    t = np.triu(np.array(cells).reshape(size, size), 1)
    return t - t.T


def test_worked_numbers():
    counts = better_counts(WORKED, float(GOLDEN["df"]), 0.05)
    critical = stats.t.isf(0.05 / 3, GOLDEN["df"])
    assert critical == pytest.approx(GOLDEN["critical_per_candidate"], rel=1e-11)
    assert np.flatnonzero(counts == 0).tolist() == GOLDEN["per_candidate"]
    assert np.flatnonzero(counts <= 1).tolist() == GOLDEN["top_2_by_counts"]
    every = decide(WORKED, 49.0, 0.05, "holm", "all").shown_better
    assert np.argwhere(every).tolist() == GOLDEN["holm_all_pairs_shown"]
    assert np.flatnonzero(~every.any(axis=0)).tolist() == GOLDEN["holm_all_pairs_set"]


@given(statistics(), st.sampled_from([0.01, 0.05, 0.2, 0.6]), st.sampled_from([3.0, 30.0, np.inf]))
def test_counts_are_those_of_holm_in_each_family(t, alpha, df):
    p = p_of(t, df)
    expected = [
        # Evidence for the other direction decides nothing, at any level.
        holm_count([q if q < 0.5 else 1.0 for q in np.delete(p[:, j], j)], min(alpha, 0.5))
        for j in range(len(t))
    ]
    assert better_counts(t, df, alpha).tolist() == expected
    assert better_counts(t, np.full(t.shape, df), alpha).tolist() == expected
    assert better_counts_from_p(p, alpha).tolist() == expected
    leaders = [count == 0 for count in expected]
    for freedom in (df, np.full(t.shape, df)):
        assert (better_counts(t, freedom, alpha, "bonferroni") == 0).tolist() == leaders
    assert (better_counts_from_p(p, alpha, "bonferroni") == 0).tolist() == leaders


@given(statistics(), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_set_lies_inside_the_one_of_all_pairs(t, alpha):
    counts = better_counts(t, 20.0, alpha)
    every = decide(t, 20.0, alpha, "holm", "all").shown_better
    assert not (every.any(axis=0) & (counts == 0)).any()


@pytest.mark.parametrize("size", [1, 2])
def test_one_and_two_models(size):
    t = np.zeros((size, size))
    if size == 2:
        t[0, 1] = stats.norm.isf(0.05) + 1e-6
        t[1, 0] = -t[0, 1]
    assert better_counts(t, np.inf, 0.05).tolist() == [0, 1][:size]
    assert better_counts(t, np.inf, 0.049).tolist() == [0, 0][:size]


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_an_impossible_rate_is_refused(alpha):
    with pytest.raises(OptionError, match="alpha"):
        better_counts(WORKED, 49.0, alpha)


def test_draws_decide_as_all_sign_patterns_written_out():
    rows = np.random.default_rng(3).normal(size=(9, 5)) + np.array([1.2, 1.0, 0.9, 0.0, -0.5])
    signs = 1.0 - 2.0 * ((np.arange(2**9)[:, None] >> np.arange(9)) & 1)
    kept = []
    for j in range(5):
        others = np.delete(np.arange(5), j)
        d = rows[:, others] - rows[:, [j]]
        scale = np.sqrt((d**2).sum(axis=0))
        largest = (signs @ d / scale).max(axis=1)
        observed = (d.sum(axis=0) / scale).max()
        kept.append((largest >= observed - 1e-12).mean() > 0.05)
    found = max_t_best(flip_draws(rows, np.random.default_rng, 1000), 0.05)
    assert found.tolist() == kept
    assert 0 < sum(kept) < 5


def test_each_of_the_tied_best_is_kept_as_often_as_stated():
    """6 of 10 models are tied for the best; 400 sets of 40 rows, each kept in 95 % of them."""
    rng, runs, rows = np.random.default_rng(11), 400, 40
    true = np.array([0.0] * 6 + [-0.4, -0.5, -0.8, -1.0])
    by_level, by_draws = np.zeros(10), np.zeros(10)
    for run in range(runs):
        x = rng.normal(size=(rows, 10)) + rng.normal(size=(rows, 1)) + true
        mean, cov = x.mean(axis=0), np.cov(x.T) / rows
        error = np.sqrt(np.maximum(np.diag(cov)[:, None] + np.diag(cov) - 2 * cov, 1e-30))
        t = (mean[:, None] - mean) / error
        np.fill_diagonal(t, 0.0)
        by_level += better_counts(t, rows - 1.0, 0.05) == 0
        if run < 120:
            draws = flip_draws(x, lambda k, run=run: np.random.default_rng([run, k]), 400)
            by_draws += max_t_best(draws, 0.05)
    allowed = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert (by_level[:6] / runs >= 0.95 - allowed).all()
    assert (by_draws[:6] / 120 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 120)).all()
    assert by_level[6:].sum() < by_level[:6].sum()

"""Ranks that stay valid at every look: golden counts, brute force, coverage over many looks."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from reference import golden
from scipy import integrate, stats

from rankbars.errors import OptionError
from rankbars.stats.votes.anytime import (
    anytime_bounds,
    anytime_relation,
    log_e_ahead,
    log_e_better,
    mean_e_count,
)

# None of their means lies on a bound 1 / alpha, where logarithms would round to either side.
E_VALUES = st.sampled_from([0.0, 0.3, 1.0, 4.7, 19.0, 21.0, 45.0, 90.0, 400.0, 1e5])
LEVELS = st.sampled_from([0.01, 0.05, 0.2])


def logs(e_values):
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(e_values, dtype=float))


@pytest.mark.parametrize(
    "row", [row for row in golden("shown_counts")["rows"] if row["rule"] == "mean_e_value"], ids=str
)
def test_counts_equal_the_reference_values(row):
    assert mean_e_count(np.log(row["e"]), row["alpha"]) == row["count"]


def closed_testing(e_values, alpha):
    """Hypotheses rejected with all their supersets, and the count over all subsets."""
    size = len(e_values)
    kept = [
        set(chosen)
        for length in range(1, size + 1)
        for chosen in combinations(range(size), length)
        if np.mean([e_values[k] for k in chosen]) < 1 / alpha
    ]
    rejected = [not any(k in chosen for chosen in kept) for k in range(size)]
    return rejected, size - max(map(len, kept), default=0)


@given(arrays(float, st.integers(0, 6), elements=E_VALUES), LEVELS)
def test_counts_equal_closed_testing_over_all_subsets(e_values, alpha):
    assert mean_e_count(logs(e_values), alpha) == closed_testing(e_values, alpha)[1]


@given(arrays(float, (3, 3), elements=E_VALUES), LEVELS)
def test_the_relation_equals_closed_testing_over_all_subsets(e_values, alpha):
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    rejected, _ = closed_testing([e_values[pair] for pair in pairs], alpha)
    relation = anytime_relation(logs(e_values), alpha)
    assert [bool(relation[pair]) for pair in pairs] == rejected
    assert not np.diagonal(relation).any()


def test_counts_of_rows_are_those_of_each_row():
    e_values = logs([[40, 30, 25, 2, 0.5], [1000, 1, 1, 1, 1]])
    assert mean_e_count(e_values, 0.05).tolist() == [0, 1]


def test_e_values_beyond_the_range_of_floats_count_as_evidence():
    assert mean_e_count(np.array([1e6, 1e6, -1e6]), 0.05) == 2
    assert mean_e_count(np.array([1e6, -1e6, -1e6]), 1e-9) == 1
    assert mean_e_count(np.full(3, 5.0), 1e-9) == 0


def test_one_giant_shows_itself_only():
    assert mean_e_count(logs([1e9, 1.0, 1.0]), 0.05) == 1


@given(st.integers(0, 2**16), st.integers(2, 6))
def test_bounds_are_ranks_and_narrow_with_alpha(seed, size):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 60, (size, size)) * rng.integers(1, 4, (size, 1))
    log_e = log_e_better(wins, wins.T)
    strict, loose = anytime_bounds(log_e, 0.01), anytime_bounds(log_e, 0.2)
    for bounds in (strict, loose):
        assert (bounds.best >= 1).all()
        assert (bounds.best <= bounds.worst).all()
        assert (bounds.worst <= size).all()
    assert (strict.best <= loose.best).all()
    assert (strict.worst >= loose.worst).all()


def test_models_without_votes_may_stand_anywhere():
    bounds = anytime_bounds(log_e_better(np.zeros((4, 4)), np.zeros((4, 4))), 0.05)
    assert bounds.best.tolist() == [1] * 4
    assert bounds.worst.tolist() == [4] * 4
    assert not anytime_relation(np.zeros((4, 4)), 0.05).any()


def test_one_model_is_first_and_last():
    bounds = anytime_bounds(np.zeros((1, 1)), 0.05)
    assert (bounds.best.tolist(), bounds.worst.tolist()) == ([1], [1])


def test_a_ladder_is_ranked_exactly_once_votes_suffice():
    wins = np.triu(np.full((5, 5), 900.0), 1) + np.tril(np.full((5, 5), 300.0), -1)
    log_e = log_e_better(wins, wins.T)
    bounds = anytime_bounds(log_e, 0.05)
    assert bounds.best.tolist() == bounds.worst.tolist() == [1, 2, 3, 4, 5]
    assert np.array_equal(anytime_relation(log_e, 0.05), np.triu(np.ones((5, 5), dtype=bool), 1))


def test_relabelled_models_keep_their_bounds():
    rng = np.random.default_rng(0)
    wins = rng.integers(0, 200, (6, 6)) * np.arange(1, 7)[:, None]
    order = rng.permutation(6)
    moved = wins[np.ix_(order, order)]
    bounds = anytime_bounds(log_e_better(wins, wins.T), 0.05)
    again = anytime_bounds(log_e_better(moved, moved.T), 0.05)
    assert again.best.tolist() == bounds.best[order].tolist()
    assert again.worst.tolist() == bounds.worst[order].tolist()


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1])
def test_levels_out_of_range_are_refused(alpha):
    for function in (mean_e_count, anytime_bounds, anytime_relation):
        with pytest.raises(OptionError):
            function(np.zeros((2, 2)), alpha)


@pytest.mark.slow
@pytest.mark.parametrize("strength", [np.zeros(5), np.array([0.6, 0.0, 0.0, 0.0, -0.6])])
def test_forty_looks_intersected_still_cover(calibration, strength):
    """Boards of 5 models with ties in truth; bounds of 40 looks intersected, alpha .1."""
    p = 1 / (1 + np.exp(strength - strength[:, None]))
    true_best = 1 + (strength[:, None] < strength).sum(axis=1)
    true_worst = 5 - (strength[:, None] > strength).sum(axis=1)
    upper = np.triu_indices(5, 1)
    misses, false_relations, n_boards = np.zeros(5), 0, calibration.runs(42, 300)
    for seed in range(n_boards):
        rng = np.random.default_rng(seed)
        wins, wrong = np.zeros((5, 5)), False
        best, worst = np.ones(5), np.full(5, 5)
        for _ in range(40):
            won = rng.binomial(25, p[upper])
            wins[upper] += won
            wins.T[upper] += 25 - won
            log_e = log_e_better(wins, wins.T)
            bounds = anytime_bounds(log_e, 0.1)
            best, worst = np.maximum(best, bounds.best), np.minimum(worst, bounds.worst)
            shown = anytime_relation(log_e, 0.1)
            wrong |= bool((shown & (strength[:, None] <= strength)).any())
        misses += (best > true_best) | (worst < true_worst)
        false_relations += wrong
    calibration.at_most(misses.max(), n_boards, 0.1, of="the worst model")
    calibration.at_most(false_relations, n_boards, 0.1, of="relations")


@pytest.mark.parametrize(("z", "se", "gap"), [(2.0, 0.1, 0.2), (-1.0, 0.5, 0.2), (6.0, 0.01, 1.0)])
def test_evidence_of_an_estimate_is_the_mean_likelihood_ratio_over_gaps(z, se, gap):
    def ratio(true):
        prior = 2 * stats.norm.pdf(true, scale=gap)
        return prior * stats.norm.pdf(z * se, true, se) / stats.norm.pdf(z * se, 0, se)

    peak = abs(z) * se
    expected = integrate.quad(ratio, 0, 9 * gap, points=[peak, peak + 3 * se], limit=200)[0]
    assert log_e_ahead(z, se, gap=gap) == pytest.approx(np.log(expected), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("se", [0.02, 0.2, 2.0])
def test_evidence_of_an_estimate_has_mean_one_where_nobody_is_ahead(se):
    def weighted(z):
        return np.exp(stats.norm.logpdf(z) + log_e_ahead(z, se))

    far = 12 * np.hypot(1, 0.2 / se)
    mean = integrate.quad(weighted, -far, far, points=[0, 5], limit=400)[0]
    assert mean == pytest.approx(1.0, rel=1e-6)


def test_few_degrees_of_freedom_weaken_evidence_as_their_tail_does():
    z = stats.norm.isf(stats.t.sf(3.0, 7))
    assert log_e_ahead(3.0, 0.1, 7.0) == pytest.approx(log_e_ahead(z, 0.1))
    assert log_e_ahead(-3.0, 0.1, 7.0) == pytest.approx(log_e_ahead(-z, 0.1))
    assert log_e_ahead([3.0, 3.0], [0.0, np.nan]).tolist() == [0.0, 0.0]
    assert np.isfinite(log_e_ahead([1e9, -1e9], 0.1, 5.0)).all()

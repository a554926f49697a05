"""Circles and misfit beside the model's own simulations."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from vote_cases import count_votes, draw_votes

from rankbars.errors import DataError, OptionError
from rankbars.stats.votes.votecounts import from_matrices
from rankbars.stats.votes.votemodels import fit_bradley_terry, fit_davidson, fit_rao_kupper
from rankbars.stats.votes.votequality import count_cycles, simulate_transitivity


@given(arrays(int, (5, 5), elements=st.integers(0, 3)))
def test_cycles_are_counted_once_each(wins):
    circles = {
        frozenset(triple)
        for triple in permutations(range(5), 3)
        if all(
            wins[a, b] > wins[b, a] for a, b in zip(triple, triple[1:] + triple[:1], strict=True)
        )
    }
    assert count_cycles(wins) == len(circles)


def rock_paper_scissors(n_votes=60, share=0.75):
    """Six models in two groups of three that beat each other in circles."""
    p = np.full((6, 6), 0.5)
    for group in ((0, 1, 2), (3, 4, 5)):
        for k in range(3):
            p[group[k], group[(k + 1) % 3]] = share
            p[group[(k + 1) % 3], group[k]] = 1 - share
    return np.round(n_votes * p * (1 - np.eye(6)))


def test_circles_beyond_chance_are_found():
    counts = from_matrices(rock_paper_scissors())
    result = simulate_transitivity(counts, fit_bradley_terry(counts), 99, seed=0)
    assert result.cycles == 2
    assert result.p_misfit == pytest.approx(0.01)
    assert result.misfit > 2 * result.expected_misfit
    assert result.n_simulated == 99


@pytest.mark.parametrize("fit_votes", [fit_bradley_terry, fit_davidson, fit_rao_kupper])
def test_votes_that_follow_a_scale_are_unremarkable(fit_votes):
    strength = np.linspace(-0.5, 0.5, 8)
    counts = count_votes(*draw_votes(np.random.default_rng(6), strength, 1500, 0.2))
    result = simulate_transitivity(counts, fit_votes(counts), 99, seed=0)
    assert result.p_cycles > 0.05
    assert result.p_misfit > 0.05
    assert result.misfit == pytest.approx(result.expected_misfit, rel=0.5)


def test_simulations_depend_on_seed_and_key_only():
    counts = from_matrices(rock_paper_scissors(10))
    fit = fit_bradley_terry(counts)
    one = simulate_transitivity(counts, fit, 40, seed=3, key=("math",))
    assert one == simulate_transitivity(counts, fit, 40, seed=3, key=("math",))
    assert one != simulate_transitivity(counts, fit, 40, seed=3, key=("code",))


def test_simulations_without_a_fit_are_counted_apart():
    counts = from_matrices([[0, 4, 2], [1, 0, 3], [1, 1, 0]])
    result = simulate_transitivity(counts, fit_bradley_terry(counts), 80, seed=0)
    assert result.without_fit > 0
    assert result.n_simulated + result.without_fit == 80


def test_weighted_votes_and_no_draws_are_refused():
    weighted = count_votes([0, 1], [1, 0], [0, 0], 2, [2.0, 1.0])
    with pytest.raises(DataError, match="count once each"):
        simulate_transitivity(weighted, fit_bradley_terry(weighted), 10, seed=0)
    counts = from_matrices([[0, 1], [1, 0]])
    with pytest.raises(OptionError, match="n_draws must be at least 1; got 0"):
        simulate_transitivity(counts, fit_bradley_terry(counts), 0, seed=0)


@pytest.mark.slow
def test_the_test_of_misfit_keeps_its_level_where_the_model_holds(calibration):
    """Boards of 6 models, 19 simulations each: p <= .1 in a tenth of them."""
    rejected, boards = np.zeros(2), calibration.runs(42, 200)
    for seed in range(boards):
        rng = np.random.default_rng(seed)
        counts = count_votes(*draw_votes(rng, np.linspace(-0.5, 0.5, 6), 400, 0.2))
        result = simulate_transitivity(counts, fit_bradley_terry(counts), 19, seed=seed)
        rejected += [result.p_cycles <= 0.1, result.p_misfit <= 0.1]
    calibration.at_most(rejected[0], boards, 0.1, of="cycles")
    calibration.at_most(rejected[1], boards, 0.1, of="misfit")
    calibration.above(rejected[1], boards, 0.02, of="misfit")

"""Strengths: against golden values, choix, hand-worked boards and what must hold of any board."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import golden
from vote_cases import (
    band_wins,
    choix_reference,
    complete_wins,
    count_votes,
    draw_votes,
    golden_votes,
    peers_reference,
    relabel,
    swap_sides,
    tie_table,
    vote_tables,
)

from rankbars.errors import DataError, OptionError
from rankbars.stats.votes.arena import elo_ratings
from rankbars.stats.votes.votecounts import from_matrices
from rankbars.stats.votes.votefit import win_totals
from rankbars.stats.votes.votemodels import fit_bradley_terry


def expected_wins(counts, strength):
    """Wins that the strengths predict for each model."""
    total = counts.weight.sum(axis=0)
    p = 1 / (1 + np.exp(strength[counts.second] - strength[counts.first]))
    first = np.bincount(counts.first, total * p, counts.n_models)
    return first + np.bincount(counts.second, total * (1 - p), counts.n_models)


def test_equals_the_reference_values():
    case = golden("bradley_terry")
    votes, _ = golden_votes(case)
    fit = fit_bradley_terry(count_votes(*votes))
    np.testing.assert_allclose(fit.strength, case["theta_sum_zero"], atol=case["tolerance"])


@pytest.mark.parametrize(
    ("name", "wins"), [("complete_30", complete_wins(30)), ("band_200_3", band_wins(200, 3))]
)
def test_equals_choix_on_dense_and_sparse_boards(name, wins):
    fit = fit_bradley_terry(from_matrices(wins))
    np.testing.assert_allclose(fit.strength, choix_reference()[name], atol=1e-10)
    assert fit.iterations <= 10


@pytest.mark.parametrize(
    ("name", "wins", "arena_rank"),
    # On boards of near neighbours arena-rank's first-order method gets no further.
    [("complete_30", complete_wins(30), 1e-8), ("band_200_3", band_wins(200, 3), 2e-6)],
)
def test_with_ties_equals_evalica_and_arena_rank(name, wins, arena_rank):
    fit = fit_bradley_terry(from_matrices(wins, tie_table(wins)))
    peers = peers_reference()[name]
    np.testing.assert_allclose(fit.strength, peers["evalica"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(fit.strength, peers["arena_rank"], rtol=0, atol=arena_rank)


def test_two_models_differ_by_the_log_odds():
    fit = fit_bradley_terry(from_matrices([[0, 7], [2, 0]], [[0, 4], [4, 0]]))
    assert fit.strength[0] - fit.strength[1] == pytest.approx(np.log(9 / 4), abs=1e-13)


def test_a_circle_of_equal_counts_leaves_all_models_equal():
    wins = np.zeros((5, 5))
    wins[np.arange(5), (np.arange(5) + 1) % 5] = 3
    assert fit_bradley_terry(from_matrices(wins)).strength.tolist() == [0.0] * 5


def test_three_models_whose_counts_fit_exactly():
    """Abilities 4, 2, 1: 6 votes split 4 to 2, 5 votes 4 to 1, 3 votes 2 to 1."""
    fit = fit_bradley_terry(from_matrices([[0, 4, 4], [2, 0, 2], [1, 1, 0]]))
    ability = np.log([4.0, 2.0, 1.0])
    np.testing.assert_allclose(fit.strength, ability - ability.mean(), atol=1e-13)
    curvature = {(0, 1): 6 * 2 / 9, (0, 2): 5 * 4 / 25, (1, 2): 3 * 2 / 9}
    for pair, value in curvature.items():
        assert fit.information[pair] == pytest.approx(-value, rel=1e-12)


def test_three_models_with_a_cubic_by_hand():
    """Each beats every later one 2 to 1. By symmetry the strengths are d, 0, -d; the top one wins
    3 / (1 + x) + 3 / (1 + x^2) = 4 with x = exp(-d), which is 4 x^3 + x^2 + x - 2 = 0."""
    fit = fit_bradley_terry(from_matrices([[0, 2, 2], [1, 0, 2], [1, 1, 0]]))
    roots = np.roots([4, 1, 1, -2])
    d = -np.log(roots[np.isreal(roots)].real[0])
    np.testing.assert_allclose(fit.strength, [d, 0.0, -d], atol=1e-12)


@given(vote_tables(connected=True))
def test_expected_wins_equal_the_wins(votes):
    counts = count_votes(*votes)
    fit = fit_bradley_terry(counts)
    wins = win_totals(counts)
    np.testing.assert_allclose(
        expected_wins(counts, fit.strength), wins, atol=1e-9 * max(1, wins.max())
    )
    assert fit.strength.sum() == pytest.approx(0.0, abs=1e-12)
    assert fit.iterations <= 10


@given(vote_tables(connected=True), st.integers(0, 2**16))
def test_relabelled_models_keep_their_strength(votes, seed):
    number = np.random.default_rng(seed).permutation(votes.n_models)
    strength = fit_bradley_terry(count_votes(*votes)).strength
    moved = fit_bradley_terry(count_votes(*relabel(votes, number))).strength
    np.testing.assert_allclose(moved[number], strength, atol=1e-9)


@given(vote_tables(connected=True), st.integers(0, 2**16))
def test_swapping_sides_changes_nothing(votes, seed):
    swapped = np.random.default_rng(seed).random(votes.first.size) < 0.5
    strength = fit_bradley_terry(count_votes(*votes)).strength
    same = fit_bradley_terry(count_votes(*swap_sides(votes, swapped))).strength
    assert same.tolist() == strength.tolist()


@given(vote_tables(connected=True))
def test_turned_outcomes_turn_the_strengths(votes):
    strength = fit_bradley_terry(count_votes(*votes)).strength
    turned = fit_bradley_terry(count_votes(*votes._replace(outcome=2 - votes.outcome))).strength
    np.testing.assert_allclose(turned, -strength, atol=1e-9)


@given(vote_tables(connected=True), st.sampled_from([1e-9, 1e-3, 7.0, 1e8]))
def test_the_unit_of_weights_does_not_matter(votes, unit):
    strength = fit_bradley_terry(count_votes(*votes)).strength
    weighted = count_votes(*votes, np.full(votes.first.size, unit))
    np.testing.assert_allclose(fit_bradley_terry(weighted).strength, strength, atol=1e-9)


def test_a_vote_of_weight_two_counts_like_two_votes():
    votes = draw_votes(np.random.default_rng(3), np.array([0.5, 0, -0.5]), 80)
    twice = np.arange(80) < 20
    repeated = [np.append(column, column[twice]) for column in votes[:3]]
    weighted = fit_bradley_terry(count_votes(*votes, 1.0 + twice))
    np.testing.assert_allclose(
        weighted.strength, fit_bradley_terry(count_votes(*repeated, 3)).strength, atol=1e-12
    )


def test_identical_models_have_identical_strengths():
    wins = np.array([[0, 5, 5, 9], [5, 0, 5, 9], [5, 5, 0, 9], [2, 2, 2, 0]])
    strength = fit_bradley_terry(from_matrices(wins)).strength
    assert np.ptp(strength[:3]) < 1e-14


def test_lopsided_counts_converge():
    """One loss in a million votes at every step of a ladder: odds of 10^6 between neighbours."""
    wins = np.zeros((6, 6))
    wins[np.arange(5), np.arange(1, 6)] = 1e6
    wins[np.arange(1, 6), np.arange(5)] = 1
    strength = fit_bradley_terry(from_matrices(wins)).strength
    np.testing.assert_allclose(-np.diff(strength), np.log(1e6), rtol=1e-9)


def test_votes_in_very_different_numbers_converge():
    """Circles of single votes against hundreds of thousands: odds of many pairs beyond 10^10."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        size = int(rng.integers(3, 12))
        wins = np.roll(np.eye(size), 1, axis=1)
        for i, j in rng.integers(0, size, (30, 2)):
            wins[i, j] += (i != j) * 10 ** rng.uniform(0, 6)
        counts = from_matrices(wins)
        fit = fit_bradley_terry(counts)
        total = win_totals(counts)
        excess = np.abs(expected_wins(counts, fit.strength) - total)
        assert excess.max() <= 2e-10 * total.max()


def test_long_chains_converge():
    """Two hundred models in a row, each tied with the next but for one vote."""
    wins = np.zeros((200, 200))
    wins[np.arange(199), np.arange(1, 200)] = 6
    wins[np.arange(1, 200), np.arange(199)] = 5
    fit = fit_bradley_terry(from_matrices(wins))
    np.testing.assert_allclose(-np.diff(fit.strength), np.log(6 / 5), rtol=1e-9)


@pytest.mark.parametrize(
    "wins",
    [
        [[0, 3, 2], [0, 0, 2], [0, 1, 0]],  # never lost
        [[0, 3, 0], [2, 0, 0], [0, 1, 0]],  # never won but once, unbeaten
        [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],  # islands
        [[0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 0, 1], [0, 0, 1, 0]],  # one group always wins
        [[0, 0], [0, 0]],  # no votes
    ],
)
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_models_on_different_scales_are_refused_whatever_the_ridge(wins, ridge):
    with pytest.raises(DataError, match="do not put all"):
        fit_bradley_terry(from_matrices(wins), ridge=ridge)


def test_one_model_has_strength_zero():
    fit = fit_bradley_terry(from_matrices([[0]]))
    assert fit.strength.tolist() == [0.0]
    assert fit.information.tolist() == [[0.0]]


def test_the_ridge_solves_its_own_equations():
    counts = from_matrices(complete_wins(8))
    fit = fit_bradley_terry(counts, ridge=5.0)
    gradient = win_totals(counts) - expected_wins(counts, fit.strength) - 5.0 * fit.strength
    np.testing.assert_allclose(gradient, 0.0, atol=1e-8)
    plain = fit_bradley_terry(counts)
    assert np.abs(fit.strength).max() < np.abs(plain.strength).max()
    assert fit.log_likelihood < plain.log_likelihood
    centred = 5.0 * (np.eye(8) - 1 / 8)
    np.testing.assert_allclose(fit.information @ np.ones(8), 0.0, atol=1e-9)
    p = 1 / (1 + np.exp(fit.strength - fit.strength[:, None]))
    votes = complete_wins(8) + complete_wins(8).T
    np.testing.assert_allclose(
        (fit.information - centred)[0, 1], -votes[0, 1] * p[0, 1] * (1 - p[0, 1]), rtol=1e-12
    )


@pytest.mark.parametrize("ridge", [-1.0, np.nan, np.inf])
def test_a_ridge_out_of_range_is_refused(ridge):
    with pytest.raises(OptionError, match="ridge must be finite and at least 0"):
        fit_bradley_terry(from_matrices([[0, 1], [1, 0]]), ridge=ridge)


def test_elo_points_are_anchored_and_scaled():
    strength = np.log([10.0, 1.0, 0.1])
    assert elo_ratings(strength).round(9).tolist() == [1400.0, 1000.0, 600.0]
    anchored = elo_ratings(strength, anchor=0, rating=1500.0)
    np.testing.assert_allclose(anchored, [1500.0, 1100.0, 700.0], rtol=1e-12)

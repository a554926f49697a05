"""Votes become counts, whatever route they take."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from vote_cases import count_votes, relabel, same_counts, swap_sides, vote_tables

from rankbars.stats.votes.votecounts import from_matrices, to_matrices


def count_by_loop(votes, weight=None):
    """Wins and ties of every ordered pair, one vote at a time."""
    wins = np.zeros((votes.n_models, votes.n_models))
    ties = np.zeros_like(wins)
    loads = np.ones(votes.first.size) if weight is None else weight
    for a, b, outcome, load in zip(votes.first, votes.second, votes.outcome, loads, strict=True):
        if outcome == 1:
            ties[a, b] += load
            ties[b, a] += load
        else:
            wins[(a, b) if outcome == 0 else (b, a)] += load
    return wins, ties


@given(vote_tables())
def test_counts_equal_a_loop_over_votes(votes):
    wins, ties = to_matrices(count_votes(*votes))
    expected_wins, expected_ties = count_by_loop(votes)
    np.testing.assert_array_equal(wins, expected_wins)
    np.testing.assert_array_equal(ties, expected_ties)


@given(vote_tables())
def test_rows_are_sorted_pairs_with_votes(votes):
    counts = count_votes(*votes)
    assert (counts.first < counts.second).all()
    assert (np.diff(counts.first * votes.n_models + counts.second) > 0).all()
    assert (counts.weight.sum(axis=0) > 0).all()
    assert counts.weight.sum() == votes.first.size


@given(vote_tables(), st.integers(0, 2**16))
def test_the_side_a_model_stands_on_does_not_matter(votes, seed):
    swapped = np.random.default_rng(seed).random(votes.first.size) < 0.5
    assert same_counts(count_votes(*swap_sides(votes, swapped)), count_votes(*votes))


@given(vote_tables())
def test_matrices_lead_back_to_the_same_counts(votes):
    counts = count_votes(*votes)
    assert same_counts(from_matrices(*to_matrices(counts)), counts)


@given(vote_tables(), st.integers(0, 2**16))
def test_relabelled_models_give_relabelled_counts(votes, seed):
    number = np.random.default_rng(seed).permutation(votes.n_models)
    wins, ties = to_matrices(count_votes(*votes))
    moved_wins, moved_ties = to_matrices(count_votes(*relabel(votes, number)))
    np.testing.assert_array_equal(moved_wins[np.ix_(number, number)], wins)
    np.testing.assert_array_equal(moved_ties[np.ix_(number, number)], ties)


def test_weights_are_summed_once_and_squared():
    counts = count_votes([0, 1, 0], [1, 0, 1], [0, 2, 1], 2, [2.0, 3.0, 0.5])
    assert counts.weight[:, 0].tolist() == [5.0, 0.5, 0.0]
    assert counts.squared[:, 0].tolist() == [13.0, 0.25, 0.0]


def test_no_votes_are_no_rows():
    counts = count_votes([], [], [], 3)
    assert counts.first.size == 0
    assert to_matrices(counts)[0].tolist() == np.zeros((3, 3)).tolist()
    assert count_votes([], [], [], 0).first.size == 0

"""What votes can put on one scale."""

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linprog
from vote_cases import count_votes, relabel, vote_tables

from rankbars.errors import DataError
from rankbars.stats.votes.connectivity import (
    check_connected,
    check_tie_parameter,
    find_components,
    largest_component,
)
from rankbars.stats.votes.votecounts import from_matrices, to_matrices


def reachable(edges):
    """Who leads to whom in any number of steps."""
    reach = edges | np.eye(len(edges), dtype=bool)
    for middle in range(len(edges)):
        reach |= reach[:, [middle]] & reach[[middle]]
    return reach


@given(vote_tables(max_votes=12))
def test_components_are_the_models_that_lead_to_each_other(votes):
    counts = count_votes(*votes)
    wins, ties = to_matrices(counts)
    edges = (wins + ties) > 0
    groups = find_components(counts)
    both_ways = reachable(edges) & reachable(edges).T
    assert np.array_equal(groups.component[:, None] == groups.component, both_ways)
    any_way = reachable(edges | edges.T)
    assert np.array_equal(groups.island[:, None] == groups.island, any_way)


@given(vote_tables(max_votes=12))
def test_undefeated_and_winless_are_found(votes):
    counts = count_votes(*votes)
    wins, ties = to_matrices(counts)
    met = (wins + wins.T + ties).any(axis=1)
    groups = find_components(counts)
    assert np.array_equal(groups.undefeated, met & ~wins.any(axis=0) & ~ties.any(axis=0))
    assert np.array_equal(groups.winless, met & ~wins.any(axis=1) & ~ties.any(axis=1))


@given(vote_tables(max_votes=12))
def test_components_do_not_depend_on_names(votes):
    number = np.random.default_rng(votes.first.size).permutation(votes.n_models)
    before = find_components(count_votes(*votes)).component
    after = find_components(count_votes(*relabel(votes, number))).component[number]
    assert np.array_equal(before[:, None] == before, after[:, None] == after)
    assert np.array_equal(np.bincount(before), np.bincount(after))


def test_weakly_connected_models_are_told_from_islands():
    """0 always beats 1, 1 and 2 beat each other, 3 and 4 tied, 5 has no votes."""
    counts = count_votes([0, 1, 2, 3], [1, 2, 1, 4], [0, 0, 0, 1], 6)
    groups = find_components(counts)
    assert groups.component.tolist() == [2, 0, 0, 1, 1, 3]
    assert groups.island.tolist() == [0, 0, 0, 1, 1, 2]
    assert groups.undefeated.tolist() == [True] + [False] * 5
    with pytest.raises(DataError, match=r"form 4 groups \(3 without any vote.*1 models never lost"):
        check_connected(counts)


def test_a_tie_connects_both_ways():
    check_connected(count_votes([0], [1], [1], 2))


def test_one_model_is_connected():
    check_connected(count_votes([], [], [], 1))


def test_the_largest_component_has_most_models_then_most_votes():
    ties = [1, 1, 1, 1, 1, 1]
    by_models = count_votes([0, 0, 2, 3, 0, 0], [1, 1, 3, 4, 1, 1], ties, 5)
    assert largest_component(by_models).tolist() == [2, 3, 4]
    by_votes = count_votes([0, 2, 2], [1, 3, 3], [1, 1, 1], 4)
    assert largest_component(by_votes).tolist() == [2, 3]
    equal = count_votes([0, 2], [1, 3], [1, 1], 4)
    assert largest_component(equal).tolist() == [0, 1]


def spread_exists(wins, ties):
    """Whether strengths exist a unit or more apart for wins, a unit or less for ties."""
    size = len(wins)
    rows, bounds = [], []
    for i in range(size):
        for j in range(size):
            row = np.zeros(size)
            row[i], row[j] = 1.0, -1.0
            if wins[i, j]:
                rows.append(-row)
                bounds.append(-1.0)
            if ties[i, j]:
                rows.append(row)
                bounds.append(1.0)
    found = linprog(np.zeros(size), A_ub=np.array(rows), b_ub=bounds, bounds=(None, None))
    return found.status == 0


@given(vote_tables(max_models=5, max_votes=14))
def test_a_tie_parameter_is_refused_exactly_if_it_can_grow_for_ever(votes):
    """Linear programming answers the same question; ties in a circle connect the models."""
    circle = np.arange(votes.n_models)
    counts = count_votes(
        np.append(votes.first, circle),
        np.append(votes.second, (circle + 1) % votes.n_models),
        np.append(votes.outcome, np.ones(votes.n_models, dtype=int)),
        votes.n_models,
    )
    wins, ties = to_matrices(counts)
    if spread_exists(wins, ties):
        with pytest.raises(DataError, match="no finite value"):
            check_tie_parameter(counts)
    else:
        check_tie_parameter(counts)


def test_a_tie_parameter_needs_ties():
    with pytest.raises(DataError, match="needs ties"):
        check_tie_parameter(from_matrices([[0, 1], [1, 0]]))


def test_a_circle_of_wins_fixes_the_tie_parameter():
    wins = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    ties = [[0, 9, 0], [9, 0, 0], [0, 0, 0]]
    check_tie_parameter(from_matrices(wins, ties))

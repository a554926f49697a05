"""Groups of models that only a few votes join, against all cuts of small graphs."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankbars.stats.votes.connectivity import joined_groups
from rankbars.stats.votes.votecounts import VoteCounts


def counts_of(votes: np.ndarray) -> VoteCounts:
    first, second = np.nonzero(np.triu(votes, 1))
    weight = np.zeros((3, first.size))
    weight[0] = votes[first, second]
    return VoteCounts(len(votes), first, second, weight, weight, np.zeros((first.size, 0)))


def parted(votes: np.ndarray, i: int, j: int, fewest: float) -> bool:
    """Whether some cut of fewer votes parts two models."""
    size = len(votes)
    for inside in itertools.product((False, True), repeat=size):
        side = np.array(inside)
        if side[i] and not side[j] and votes[np.ix_(side, ~side)].sum() < fewest:
            return True
    return False


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    size = draw(st.integers(1, 6))
    votes = np.zeros((size, size))
    for i, j in itertools.combinations(range(size), 2):
        votes[i, j] = votes[j, i] = draw(st.sampled_from([0, 0, 1, 2, 3, 4, 9]))
    return votes


@given(tables(), st.sampled_from([2, 5]))
def test_no_small_cut_parts_models_of_one_group(votes: np.ndarray, fewest: int) -> None:
    group = joined_groups(counts_of(votes), fewest)
    for i, j in itertools.combinations(range(len(votes)), 2):
        if group[i] == group[j]:
            assert not parted(votes, i, j, fewest)


@given(tables())
def test_pairs_with_enough_votes_stay_together(votes: np.ndarray) -> None:
    group = joined_groups(counts_of(votes), 5)
    first, second = np.nonzero(votes >= 5)
    assert (group[first] == group[second]).all()


def test_a_ring_holds_together_where_each_link_alone_would_not() -> None:
    votes = np.zeros((6, 6))
    for i in range(6):
        votes[i, (i + 1) % 6] = votes[(i + 1) % 6, i] = 3
    assert joined_groups(counts_of(votes), 5).tolist() == [0] * 6
    assert len(set(joined_groups(counts_of(votes), 7).tolist())) == 6


def test_a_large_near_neighbour_board_is_one_group() -> None:
    size = 1000
    votes = np.zeros((size, size))
    near = np.arange(size - 1)
    votes[near, near + 1] = votes[near + 1, near] = 20
    assert not joined_groups(counts_of(votes), 5).any()

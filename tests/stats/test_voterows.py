"""Rows of votes: numbered, turned and merged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from vote_cases import same_counts, swap_sides, vote_tables

from rankbars.errors import DataError
from rankbars.stats.votes import voterows
from rankbars.stats.votes.covariates import count_covariate_votes
from rankbars.stats.votes.votecounts import count_votes
from rankbars.stats.votes.voterows import code_rows, merge_counts, select_models

TABLES = st.tuples(st.integers(1, 30), st.integers(1, 3))


@given(arrays(np.int64, TABLES, elements=st.integers(0, 3)))
def test_rows_are_numbered_in_sorted_order(table):
    expected = np.unique(table, axis=0, return_inverse=True)[1]
    assert code_rows(list(table.T)).tolist() == expected.ravel().tolist()


def test_large_numbers_are_numbered_by_sorting(monkeypatch):
    values = np.array([900, 3, 900, 500])
    by_table = code_rows([values])
    monkeypatch.setattr(voterows, "_SMALL_RANGE", 0)
    assert code_rows([values]).tolist() == by_table.tolist() == [2, 0, 2, 1]


@given(vote_tables(), st.integers(0, 2**16))
def test_a_vote_with_a_covariate_can_be_told_from_either_side(votes, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(-1, 2, (votes.first.size, 2)).astype(float)
    swapped = rng.random(votes.first.size) < 0.5
    turned = np.where(swapped[:, None], -table, table)
    first, second, outcome, size = swap_sides(votes, swapped)
    assert same_counts(
        count_covariate_votes(first, second, outcome, turned, size),
        count_covariate_votes(*votes[:3], table, size),
    )


@given(vote_tables(), st.integers(0, 60))
def test_rows_with_covariates_merge_like_the_whole(votes, place):
    table = (np.arange(votes.first.size) % 3 - 1.0)[:, None]
    parts = [
        count_covariate_votes(*(column[part] for column in votes[:3]), table[part], votes.n_models)
        for part in (slice(None, place), slice(place, None))
    ]
    whole = count_covariate_votes(*votes[:3], table, votes.n_models)
    assert same_counts(merge_counts(parts), whole)


def test_a_constant_covariate_of_zero_makes_the_plain_rows():
    votes = [0, 1, 2], [1, 0, 0], [0, 1, 2]
    plain = count_votes(*votes, 3)
    rows = count_covariate_votes(*votes, np.zeros((3, 1)), 3)
    assert same_counts(rows._replace(covariates=plain.covariates), plain)


def test_selected_models_keep_their_votes_in_the_new_order():
    counts = count_votes([0, 1, 2, 3], [1, 2, 3, 0], [0, 0, 0, 1], 4)
    kept = select_models(counts, [3, 2, 0])
    assert kept.n_models == 3
    assert list(zip(kept.first.tolist(), kept.second.tolist(), strict=True)) == [(0, 1), (0, 2)]
    assert kept.weight.T.tolist() == [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]


def test_counts_of_different_models_do_not_merge():
    with pytest.raises(DataError, match="same models and covariates"):
        merge_counts([count_votes([0], [1], [0], 2), count_votes([0], [1], [0], 3)])
    with pytest.raises(DataError, match="same models and covariates"):
        merge_counts([])

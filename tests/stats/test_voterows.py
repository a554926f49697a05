"""Rows of votes: numbered, turned and merged."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from vote_cases import count_votes, same_counts, swap_sides, vote_tables

from rankbars.stats.votes import votecounts
from rankbars.stats.votes.votecounts import code_rows

TABLES = st.tuples(st.integers(1, 30), st.integers(1, 3))


@given(arrays(np.int64, TABLES, elements=st.integers(0, 3)))
def test_rows_are_numbered_in_sorted_order(table):
    expected = np.unique(table, axis=0, return_inverse=True)[1]
    assert code_rows(list(table.T)).tolist() == expected.ravel().tolist()


def test_large_numbers_are_numbered_by_sorting(monkeypatch):
    values = np.array([900, 3, 900, 500])
    by_table = code_rows([values])
    monkeypatch.setattr(votecounts, "_SMALL_RANGE", 0)
    assert code_rows([values]).tolist() == by_table.tolist() == [2, 0, 2, 1]


@given(vote_tables(), st.integers(0, 2**16))
def test_a_vote_with_a_covariate_can_be_told_from_either_side(votes, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(-1, 2, (votes.first.size, 2)).astype(float)
    swapped = rng.random(votes.first.size) < 0.5
    turned = np.where(swapped[:, None], -table, table)
    first, second, outcome, size = swap_sides(votes, swapped)
    assert same_counts(
        count_votes(first, second, outcome, size, covariates=turned),
        count_votes(*votes[:3], size, covariates=table),
    )


def test_a_constant_covariate_of_zero_makes_the_plain_rows():
    votes = [0, 1, 2], [1, 0, 0], [0, 1, 2]
    plain = count_votes(*votes, 3)
    rows = count_votes(*votes, 3, covariates=np.zeros((3, 1)))
    assert same_counts(rows._replace(covariates=plain.covariates), plain)

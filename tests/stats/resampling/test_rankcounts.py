"""Ranks counted in draws: probabilities, expected ranks, bands, the k best."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from rankbars.errors import OptionError
from rankbars.stats.resampling.rankcounts import (
    choose_top,
    expected_rank,
    rank_band,
    rank_probability,
    top_probability,
)

# Few levels, so that most draws hold ties.
tied_draws = arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 6)),
    elements=st.integers(0, 3).map(float),
)


@given(values=tied_draws)
def test_ties_are_split_as_if_broken_at_random(values):
    draws, size = values.shape
    expected = np.zeros((size, size))
    for row in values:
        # Every order of the models that agrees with the scores is equally likely.
        orders = [
            order
            for order in itertools.permutations(range(size))
            if all(row[a] >= row[b] for a, b in itertools.pairwise(order))
        ]
        for order in orders:
            expected[list(order), range(size)] += 1 / len(orders) / draws
    assert rank_probability(values) == pytest.approx(expected, abs=1e-12)


@given(values=tied_draws)
def test_rows_and_columns_add_up_to_one(values):
    found = rank_probability(values)
    assert found.sum(axis=0) == pytest.approx(1.0, abs=1e-12)
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    assert (found >= 0).all()


def test_expected_rank_is_the_mean_midrank_of_the_draws():
    values = np.round(np.random.default_rng(4).normal(size=(500, 8)), 1)
    midranks = stats.rankdata(-values, axis=1)
    assert expected_rank(rank_probability(values)) == pytest.approx(midranks.mean(axis=0))


def test_many_draws_are_counted_in_blocks():
    values = np.random.default_rng(4).normal(size=(30_000, 30))
    ranks = stats.rankdata(-values, axis=1).astype(int) - 1
    expected = np.array([np.bincount(column, minlength=30) for column in ranks.T]) / 30_000
    assert (rank_probability(values) == expected).all()


def test_equal_models_get_equal_probabilities():
    values = np.random.default_rng(4).normal(size=(200, 3))
    found = rank_probability(values[:, [0, 1, 1, 2]])
    assert (found[1] == found[2]).all()


def test_band_ends_are_order_statistics_of_the_ranks():
    values = np.random.default_rng(2).normal(size=(999, 6)) + np.arange(6) / 2
    ranks = np.sort(stats.rankdata(-values, axis=1), axis=0)
    band = rank_band(rank_probability(values), 999, 0.1)
    assert band.best.tolist() == ranks[49 - 1].tolist()  # floor(999 * .05) = 49
    assert band.worst.tolist() == ranks[950 - 1].tolist()  # ceil(999 * .95) = 950


@given(values=tied_draws, alpha=st.sampled_from((0.01, 0.1, 0.5)))
def test_band_lies_within_the_ranks_and_narrows_with_alpha(values, alpha):
    found = rank_probability(values)
    wide, narrow = (rank_band(found, len(values), rate) for rate in (alpha, 0.9))
    size = values.shape[1]
    assert ((wide.best >= 1) & (wide.best <= narrow.best)).all()
    assert ((narrow.worst <= wide.worst) & (wide.worst <= size)).all()
    assert (narrow.best <= narrow.worst).all()


def test_top_k_can_differ_from_the_k_best_expected_ranks():
    # The third model is never second to last, but is seldom among the two best.
    ranks = np.array([
        [0.9, 0.0, 0.0, 0.1],
        [0.1, 0.3, 0.1, 0.5],
        [0.0, 0.3, 0.7, 0.0],
        [0.0, 0.4, 0.2, 0.4],
    ])  # fmt: skip
    assert top_probability(ranks, 2) == pytest.approx([0.9, 0.4, 0.3, 0.4])
    assert expected_rank(ranks) == pytest.approx([1.3, 3.0, 2.7, 3.0])
    # Of the two with equal probability and equal expected rank the first is taken.
    assert choose_top(ranks, 2).tolist() == [True, True, False, False]
    assert choose_top(ranks, 2, exactly=False).tolist() == [True, False, False, False]


@given(values=tied_draws, k=st.integers(1, 6))
def test_exactly_k_are_chosen_and_no_other_set_of_k_is_likelier(values, k):
    size = values.shape[1]
    if k > size:
        return
    found = rank_probability(values)
    inside = top_probability(found, k)
    chosen = choose_top(found, k)
    assert chosen.sum() == k
    most = max(sum(inside[list(c)]) for c in itertools.combinations(range(size), k))
    assert inside[chosen].sum() == pytest.approx(most)


@pytest.mark.parametrize("k", [0, 4, 1.5])
def test_k_out_of_range_is_refused(k):
    with pytest.raises(OptionError, match="k must be a whole number between 1 and 3"):
        top_probability(np.eye(3), k)

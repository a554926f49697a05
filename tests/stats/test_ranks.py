"""The one rule, observed rank sets and mid-ranks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from rankbars.stats.ranks import (
    count_around,
    count_bounds,
    interval_width,
    midranks,
    observed_rank_sets,
    rank_bounds,
)

COARSE = st.sampled_from((-np.inf, -1.0, -0.0, 0.0, 0.5, 2.0, np.nan))
score_arrays = arrays(np.float64, array_shapes(min_dims=1, max_dims=2, max_side=6), elements=COARSE)


def test_the_rule_on_a_case_worked_by_hand():
    """a beats b, c and d; b beats d; nothing else is shown."""
    shown = np.zeros((4, 4), dtype=bool)
    shown[0, 1:] = True
    shown[1, 3] = True
    bounds = rank_bounds(shown)
    assert bounds.best.tolist() == [1, 2, 2, 3]
    assert bounds.worst.tolist() == [1, 3, 4, 4]


def test_nothing_shown_leaves_every_rank_open():
    bounds = rank_bounds(np.zeros((3, 3), dtype=bool))
    assert (bounds.best.tolist(), bounds.worst.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_one_model_is_first():
    bounds = rank_bounds(np.zeros((1, 1), dtype=bool))
    assert (bounds.best.tolist(), bounds.worst.tolist()) == ([1], [1])


def test_the_rule_works_on_stacks_of_relations():
    stack = np.zeros((2, 3, 2, 2), dtype=bool)
    stack[1, 2, 0, 1] = True
    bounds = rank_bounds(stack)
    assert bounds.best.shape == bounds.worst.shape == (2, 3, 2)
    assert (bounds.best[1, 2].tolist(), bounds.worst[1, 2].tolist()) == ([1, 2], [1, 2])
    assert bounds.worst.sum() == 2 * 2 * 6 - 1


@given(arrays(bool, st.tuples(st.integers(1, 6)).map(lambda shape: shape * 2)))
def test_counts_and_relation_give_the_same_bounds(relation):
    by_counts = count_bounds(relation.sum(axis=0), relation.sum(axis=1))
    by_relation = rank_bounds(relation)
    assert by_counts.best.tolist() == by_relation.best.tolist()
    assert by_counts.worst.tolist() == by_relation.worst.tolist()


@given(score_arrays)
def test_observed_rank_sets_count_who_is_above_and_below(scores):
    sets = observed_rank_sets(scores)
    size = scores.shape[-1]
    for row, best, worst in zip(
        scores.reshape(-1, size),
        sets.best.reshape(-1, size),
        sets.worst.reshape(-1, size),
        strict=True,
    ):
        for model, score in enumerate(row):
            absent = np.isnan(score)
            assert best[model] == (1 if absent else 1 + sum(row > score))
            assert worst[model] == (size if absent else size - sum(row < score))


def test_an_absent_model_stands_anywhere_in_the_whole_field():
    sets = observed_rank_sets(np.array([0.9, np.nan, 0.4]))
    assert sets.best.tolist() == [1, 1, 2]
    assert sets.worst.tolist() == [2, 3, 3]


@given(score_arrays, st.sampled_from((0, -1)))
def test_midranks_are_the_middle_of_the_ranks_of_equal_values(scores, axis):
    ranks = midranks(scores, axis=axis)
    for row, found in zip(
        np.moveaxis(scores, axis, -1).reshape(-1, scores.shape[axis]),
        np.moveaxis(ranks, axis, -1).reshape(-1, scores.shape[axis]),
        strict=True,
    ):
        for value, rank in zip(row, found, strict=True):
            if np.isnan(value):
                assert np.isnan(rank)
            else:
                assert rank == sum(row > value) + (sum(row == value) + 1) / 2


def test_midranks_are_those_of_scipy():
    from scipy.stats import rankdata

    values = np.round(np.random.default_rng(3).normal(size=(5, 40)), 1)
    np.testing.assert_array_equal(midranks(values), rankdata(-values, axis=1))
    np.testing.assert_array_equal(midranks(values, axis=0), rankdata(-values, axis=0))


@given(score_arrays)
def test_midranks_lie_in_the_middle_of_the_observed_rank_sets(scores):
    """On complete data; an absent model widens the sets but takes no rank."""
    complete = np.nan_to_num(scores, nan=7.0)
    sets = observed_rank_sets(complete)
    np.testing.assert_array_equal(midranks(complete), (sets.best + sets.worst) / 2)


def test_counts_of_nothing_are_empty():
    below, above = count_around(np.empty((2, 0)))
    assert below.shape == above.shape == (2, 0)


def test_width_is_a_share_of_the_field():
    assert interval_width([1, 1, 2], [1, 3, 2], 3) == pytest.approx(1 / 3)
    assert interval_width([[1, 1]], [[2, 2]], 2) == 1.0
    assert interval_width([1], [1], 1) == 0.0

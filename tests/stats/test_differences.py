"""Blocks of explicit differences and what is shared by the tests built on them."""

import numpy as np
import pytest

from rankbars.stats.blocks import CACHE_CELLS
from rankbars.stats.pairwise.clusters import group_rows
from rankbars.stats.pairwise.degenerate import no_pairs
from rankbars.stats.pairwise.differences import (
    apply_policy,
    build_statistics,
    count_units,
    difference_blocks,
    find_degenerate,
    sum_groups,
)


def test_every_pair_comes_once_in_blocks_of_bounded_size():
    values = np.random.default_rng(0).normal(size=(2000, 70))
    seen = np.zeros((70, 70), dtype=int)
    for first, second, d, tolerance in difference_blocks(values):
        assert d.size <= CACHE_CELLS
        np.testing.assert_array_equal(d, (values[:, [first]] - values[:, second]).T)
        assert tolerance.shape == (len(d),)
        seen[first, second] += 1
    np.testing.assert_array_equal(seen, np.triu(np.ones((70, 70), dtype=int), k=1))


def test_tolerance_looks_at_common_rows_only():
    values = np.array([[1.0, 1.0], [1e9, np.nan]])
    (block,) = difference_blocks(values)
    assert block.tolerance[0] == 8 * np.finfo(float).eps


def test_group_sums_leave_out_what_is_missing():
    grouping = group_rows([0, 0, 1, 1])
    sums, rows = sum_groups(np.array([[1.0, np.nan, 2.0, 3.0]]), grouping)
    assert sums.tolist() == [[1.0, 5.0]]
    assert rows.tolist() == [[1, 2]]
    sums, rows = sum_groups(np.array([[1.0, 4.0, 2.0, 3.0]]), grouping)
    assert sums.tolist() == [[5.0, 5.0]]
    assert rows.tolist() == [[2, 2]]


@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 1, 2, 2]])
def test_common_units_are_counted_pair_by_pair(clusters):
    rng = np.random.default_rng(5)
    values = rng.normal(size=(6, 5))
    grouping = None if clusters is None else group_rows(clusters)
    assert count_units(values, grouping) == (6 if clusters is None else 3)
    values[rng.random(values.shape) < 0.5] = np.nan
    labels = np.arange(6) if clusters is None else np.array(clusters)
    found = count_units(values, grouping)
    for i in range(5):
        for j in range(5):
            both = ~np.isnan(values[:, i] + values[:, j])
            assert found[i, j] == np.unique(labels[both]).size


def test_a_pair_whose_cluster_means_agree_does_not_vary_between_clusters():
    d = np.array([0.5, 1.5, 1.0, 0.0, 2.0])
    values = np.stack([d, np.zeros(5), -d], axis=1)
    grouping = group_rows([0, 0, 1, 2, 2])
    found = find_degenerate(values, grouping)
    assert list(zip(found.first, found.second, found.sign, strict=True)) == [
        (0, 1, 1.0),
        (0, 2, 1.0),
        (1, 2, 1.0),
    ]
    assert find_degenerate(values).first.size == 0


def test_deviations_within_the_tolerance_are_found_on_both_sides_of_the_mean():
    eps = np.finfo(float).eps
    one = 1.5 + np.array([10, -10, 10, -10]) * eps
    found = find_degenerate(np.stack([one, np.ones(4)], axis=1))
    assert found.sign.tolist() == [1.0]
    wider = 1.5 + np.array([14, -14, 14, -14]) * eps
    assert find_degenerate(np.stack([wider, np.ones(4)], axis=1)).first.size == 0


def test_policy_bounds_constant_pairs_and_leaves_the_rest_alone():
    values = np.array([[1.0, 0.0, 0.0], [2.0, 1.0, 5.0], [3.0, 2.0, 1.0]])
    p = np.full((3, 3), 0.4)
    apply_policy(p, find_degenerate(values), np.asarray(3))
    np.testing.assert_array_equal(p, [[1, 0.125, 0.4], [1, 1, 0.4], [0.4, 0.4, 1]])
    p = np.full((3, 3), 0.4)
    apply_policy(p, no_pairs(), np.array([[9, 1, 2], [1, 9, 0], [2, 0, 9]]))
    np.testing.assert_array_equal(p, [[1, 1, 0.4], [1, 1, 1], [0.4, 1, 1]])


def test_statistics_are_antisymmetric_and_empty_where_there_is_no_error():
    diff = np.array([[0, 3.0, 2.0], [0, 0, 1.0], [0, 0, 0]])
    se = np.array([[0, 1.5, 0.0], [0, 0, np.nan], [0, 0, 0]])
    found = build_statistics(diff, se, np.asarray(4.0), np.asarray(5), no_pairs())
    np.testing.assert_array_equal(found.statistic, [[0, 2, 0], [-2, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(found.diff, [[0, 3, 2], [-3, 0, 1], [-2, -1, 0]])
    np.testing.assert_array_equal(found.se, [[0, 1.5, 0], [1.5, 0, np.nan], [0, np.nan, 0]])
    assert found.df == 4.0
    assert found.n == 5
    assert not np.signbit(found.statistic[0]).any()

"""Index arithmetic and guarantees of prediction intervals, in exact decimals."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import golden

from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.stats.newtask.guarantees import (
    exact_rate,
    guarantee,
    joint_index,
    miss_bound,
    order_index,
    smallest_number_of_tasks,
    split_index,
)

MERGES = ("quantile", "union", "joint", "family", "simultaneous")
percents = st.integers(1, 99).map(lambda percent: Fraction(percent, 100))


def test_the_index_of_the_order_statistics_is_golden():
    rows = golden("order_statistic_index")["rows"]
    assert len(rows) == 120
    for row in rows:
        k = order_index(row["n_tasks"], row["alpha"])
        assert (k, row["n_tasks"] + 1 - k) == (row["k"], row["upper"]), row


@pytest.mark.parametrize(
    ("n_tasks", "alpha", "k"),
    [(20, 0.3, 3), (60, 0.3, 9), (47, 0.5, 12), (5, 0.3, 0), (99, 0.58, 29), (24, 0.88, 11)],
)
def test_the_index_on_published_settings(n_tasks, alpha, k):
    assert order_index(n_tasks, alpha) == k


def test_binary_floats_would_be_off_by_one_in_24_cases():
    """The reason for exact decimals, counted over N = 3..200 and alpha = .01...99."""
    off = 0
    for n_tasks in range(3, 201):
        for percent in range(1, 100):
            alpha = percent / 100
            k = order_index(n_tasks, alpha)
            lower = math.floor((n_tasks + 1) * alpha / 2)
            upper = math.ceil((n_tasks + 1) * (1 - alpha / 2))
            off += (lower, upper) != (k, n_tasks + 1 - k)
    assert off == 24


@pytest.mark.parametrize(
    "alpha", [0.58, "0.58", Decimal("0.58"), Fraction(29, 50), np.float64(0.58), np.float32(0.58)]
)
def test_a_rate_means_the_decimal_that_was_written(alpha):
    assert exact_rate(alpha) == Fraction(29, 50)
    assert order_index(99, alpha) == 29


@pytest.mark.parametrize(
    "alpha", [0, 1, 0.0, 1.0, -0.1, 1.5, "5%", "", None, float("nan"), float("inf"), "1/0"]
)
def test_a_rate_outside_its_range_is_refused(alpha):
    with pytest.raises(OptionError, match=r"alpha must be .*between 0 and 1"):
        exact_rate(alpha)


@pytest.mark.parametrize("merge", MERGES)
def test_no_task_is_an_error(merge):
    with pytest.raises(DataError, match="at least one task"):
        miss_bound(merge, 0, 0.2)


@pytest.mark.parametrize("index", [order_index, joint_index, split_index])
def test_no_task_has_no_index(index):
    with pytest.raises(DataError, match="at least one task"):
        index(0, 0.2)


def test_an_unknown_merge_is_answered_with_the_nearest():
    with pytest.raises(UnknownOptionError, match=r"'quantil'.*'quantile'"):
        miss_bound("quantil", 20, 0.2)
    with pytest.raises(UnknownOptionError, match=r"'jont'.*'joint'"):
        smallest_number_of_tasks("jont", 0.2)


@pytest.mark.parametrize(
    ("merge", "expected"),
    [
        ("quantile", [39, 19, 9, 6, 3]),
        ("weighted", [39, 19, 9, 6, 3]),
        ("family", [39, 19, 9, 6, 3]),
        ("joint", [19, 9, 4, 3, 1]),
        ("simultaneous", [37, 17, 7, 5, 2]),
    ],
)
def test_smallest_numbers_of_tasks(merge, expected):
    """The first and the fourth row stand in the table of the method's description."""
    rates = (0.05, 0.1, 0.2, 0.3, 0.5)
    assert [smallest_number_of_tasks(merge, alpha) for alpha in rates] == expected


@pytest.mark.parametrize("merge", ["quantile", "joint", "family", "simultaneous"])
@given(alpha=percents)
def test_one_task_fewer_than_the_smallest_number_is_trivial(merge, alpha):
    smallest = smallest_number_of_tasks(merge, alpha)
    assert miss_bound(merge, smallest, alpha) > 0
    if smallest > 1:
        assert miss_bound(merge, smallest - 1, alpha) == 0


@given(alpha=percents)
def test_the_union_keeps_its_rate_from_the_smallest_number_on(alpha):
    smallest = smallest_number_of_tasks("union", alpha)
    assert miss_bound("union", smallest, alpha) <= alpha < miss_bound("union", smallest - 1, alpha)


@pytest.mark.parametrize("merge", ["quantile", "joint", "family", "simultaneous"])
@given(n_tasks=st.integers(1, 200), alpha=percents)
def test_no_merge_misses_more_often_than_its_rate(merge, n_tasks, alpha):
    assert 0 <= miss_bound(merge, n_tasks, alpha) <= alpha


@pytest.mark.parametrize(
    ("merge", "n_tasks", "alpha", "expected"),
    [
        ("quantile", 47, "0.5", Fraction(24, 48)),
        ("quantile", 20, "0.3", Fraction(6, 21)),
        ("union", 20, "0.3", Fraction(2, 21)),
        ("union", 1, "0.3", Fraction(1)),
        ("joint", 20, "0.3", Fraction(6, 21)),
        ("joint", 10, "0.2", Fraction(2, 11)),
        ("joint", 3, "0.2", Fraction(0)),
        ("family", 9, "0.25", Fraction(1, 4)),
        # 10 calibration tasks: k = ceil(11 * 0.7) = 8, so 3 of 11 may lie outside.
        ("simultaneous", 20, "0.3", Fraction(3, 11)),
    ],
)
def test_miss_bounds_worked_by_hand(merge, n_tasks, alpha, expected):
    assert miss_bound(merge, n_tasks, alpha) == expected


def test_the_published_settings_promise_more_than_the_sum_of_both_rates():
    assert round(guarantee(miss_bound("quantile", 47, 0.5), 0.025), 3) == 0.487
    assert round(guarantee(miss_bound("quantile", 20, 0.3), 0.025), 3) == 0.707
    assert round(1 - 0.05 - float(miss_bound("quantile", 20, 0.3)), 3) == 0.664


def test_guarantee_has_no_rounding_in_it():
    """q = 1/4 and a side level of .2: 1 - .25/.8 is 11/16 exactly."""
    assert guarantee(Fraction(1, 4), 0.2) == 0.6875
    assert guarantee(Fraction(1, 4), 0) == 0.75


@given(st.fractions(0, 1), st.one_of(st.just(0), percents), st.sampled_from((0, Fraction(1, 50))))
def test_guarantee_is_a_probability_that_falls_with_both_rates(q, side, more):
    promised = guarantee(q, side)
    assert 0 <= promised <= 1
    assert guarantee(min(Fraction(1), q + more), side) <= promised
    assert (
        promised >= float(max(0, 1 - q - 2 * side)) - 1e-15
    )  # adding the task rate, alpha = 2 side


def test_a_trivial_interval_is_certain_and_a_hopeless_one_promises_nothing():
    assert guarantee(Fraction(0), 0.025) == 1.0
    assert guarantee(Fraction(1), 0.025) == 0.0


def test_a_side_level_outside_its_range_is_refused():
    with pytest.raises(OptionError, match="side_level"):
        guarantee(Fraction(1, 4), 1.0)

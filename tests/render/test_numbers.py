"""Rounding: nothing is shown as certain, equal or complete that is not."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbars.render.notation import (
    show_guarantee,
    show_level,
    show_number,
    show_scores,
    show_share,
    suitable_decimals,
    written_decimals,
)

shares = st.floats(0, 1)


@given(st.floats(-200, 200), st.integers(0, 5))
def test_a_number_is_never_shown_as_exactly_0_1_or_100_unless_it_is(value, decimals):
    shown = show_number(value, decimals)
    if shown[0] not in "<>" and float(shown) in (-100, -1, 0, 1, 100):
        assert float(shown) == value


@given(st.floats(-200, 200), st.integers(0, 5))
def test_a_number_is_shown_within_one_step_of_what_it_is(value, decimals):
    shown = show_number(value, decimals)
    bound = float(shown.lstrip("<>"))
    assert abs(bound - value) <= 10.0**-decimals
    if shown.startswith("<"):
        assert value < bound
    if shown.startswith(">"):
        assert value > bound


@given(shares)
def test_only_complete_coverage_reads_100_percent(share):
    assert (show_share(share) == "100 %") == (share == 1)
    assert (show_share(share) == "0 %") == (share == 0)


@given(st.floats(0.001, 1))
def test_a_guarantee_is_never_rounded_up(probability):
    shown = float(show_guarantee(probability).removesuffix(" %"))
    assert shown <= 100 * probability + 1e-9
    assert shown > 100 * probability - 0.1000001


def test_a_guarantee_that_binary_fractions_blur_keeps_its_value():
    assert show_guarantee(1 - 0.2) == "80 %"
    assert show_guarantee(0.79999999999999993) == "80 %"


def test_levels_are_written_with_the_digits_they_have():
    assert [show_level(alpha) for alpha in (0.05, 0.1, 0.005, 0.2, 1e-9)] == [
        "95 %", "90 %", "99.5 %", "80 %", "99.99 %",
    ]  # fmt: skip


def test_missing_numbers_are_a_dash_and_never_zero():
    assert show_number(math.nan, 2) == "–"
    assert show_share(math.nan) == "–"
    nothing = np.array([math.nan])
    assert show_scores(nothing, nothing, nothing) == ["–"]


@pytest.mark.parametrize(
    ("error", "shown"),
    [(0.0084, "0.716 ±0.008"), (0.0123, "0.716 ±0.012"), (0.00354, "0.7164 ±0.0035"),
     (0.00356, "0.716 ±0.004"), (0.36, "0.7 ±0.4")],
)  # fmt: skip
def test_scores_show_one_or_two_digits_of_their_error(error, shown):
    score = np.array([0.71639])
    assert show_scores(score, score - error, score + error) == [shown]


def test_a_lopsided_interval_shows_both_ends_in_every_row():
    score = np.array([0.5, 0.9])
    shown = show_scores(score, np.array([0.4, 0.7]), np.array([0.6, 0.95]))
    assert shown == ["0.50 [0.40, 0.60]", "0.90 [0.70, 0.95]"]


def test_an_error_too_small_for_the_digits_is_not_shown_as_zero():
    score = np.array([0.5, 0.6, 0.7])
    half = np.array([0.01, 0.01, 1e-6])
    assert show_scores(score, score - half, score + half)[2] == "0.700 ±<0.001"


@pytest.mark.parametrize(("value", "shown"), [(3.0e12, "3.000e+12"), (4.2e-12, "4.200e-12")])
def test_numbers_of_any_size_stay_short(value, shown):
    values = np.array([value])
    decimals = suitable_decimals(values, np.array([np.nan]))
    assert show_number(value, decimals) == shown


@pytest.mark.parametrize(
    ("score", "half", "shown"),
    [(71.3412, 1.42, "71.3 ±1.4"), (0.7129999, 0.0142, "0.713 ±0.014"),
     (1284.37, 9.1, "1,284 ±9"), (12.43, 0.81, "12.4 ±0.8")],
)  # fmt: skip
def test_scores_are_shown_with_the_digits_people_quote(score, half, shown):
    value = np.array([score])
    assert show_scores(value, value - half, value + half) == [shown]


@given(
    st.lists(st.tuples(st.floats(2, 90), st.floats(1e-4, 5)), min_size=1, max_size=6),
    st.none() | st.integers(0, 4),
)
def test_a_column_has_the_same_digits_in_every_row(pairs, most):
    score, half = np.array(pairs).T
    shown = show_scores(score, score - half, score + half, most)
    places = {len(text.split(" ±")[0].partition(".")[2]) for text in shown}
    assert len(places) == 1
    assert most is None or places.pop() <= most


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=5), st.integers(0, 4))
def test_how_a_column_was_written_is_found_again(digits, decimals):
    texts = [f"{one / 10**decimals:.{decimals}f}" for one in digits]
    most = max(len(text.rstrip("0").partition(".")[2]) for text in texts)
    assert written_decimals(np.array([float(text) for text in texts])) == (most if decimals else 0)

"""Tails of the t and normal distributions and their inverses."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankbars.stats.tails import critical_value, upper_tail

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden.json").read_text())
DEGREES = (1.0, 2.0, 4.0, 9.0, 29.0, 199.0, 1999.0, 1e6, np.inf)


@pytest.mark.parametrize("case", GOLDEN["t_tail"])
def test_small_tail_keeps_its_digits(case):
    assert upper_tail(case["t"], case["df"]) == pytest.approx(case["p"], rel=1e-10, abs=0)


@pytest.mark.parametrize("df", DEGREES)
def test_tail_agrees_with_scipy(df):
    values = np.linspace(-12, 12, 97)
    expected = stats.norm.sf(values) if df == np.inf else stats.t.sf(values, df)
    np.testing.assert_allclose(upper_tail(values, df), expected, rtol=1e-12)


def test_normal_tail_is_the_known_one():
    assert upper_tail(1.959963984540054, np.inf) == pytest.approx(0.025, rel=1e-12, abs=0)
    assert critical_value(0.025, np.inf) == pytest.approx(1.959963984540054, rel=1e-12, abs=0)


def test_cauchy_quantile_in_closed_form():
    # With one degree of freedom the upper tail is 1/2 - atan(t)/pi.
    assert critical_value(0.25, 1) == pytest.approx(1.0, rel=1e-14, abs=0)
    assert upper_tail(1.0, 1) == pytest.approx(0.25, rel=1e-14, abs=0)


@given(st.floats(min_value=-290, max_value=-0.31), st.sampled_from(DEGREES[1:]))
def test_critical_value_undoes_the_tail(exponent, df):
    level = 10.0**exponent
    assert upper_tail(critical_value(level, df), df) == pytest.approx(level, rel=1e-10, abs=0)


@given(st.floats(min_value=-30, max_value=30), st.sampled_from(DEGREES))
def test_both_directions_add_up_to_one(value, df):
    assert upper_tail(value, df) + upper_tail(-value, df) == pytest.approx(1.0, rel=1e-14, abs=0)


@pytest.mark.parametrize("df", [0.0, -1.0])
def test_without_degrees_of_freedom_nothing_is_shown(df):
    assert upper_tail(1e300, df) == 1.0
    assert upper_tail([[1.0, 2.0]], [[df, np.inf]])[0, 0] == 1.0
    assert critical_value(0.5, df) == np.inf


def test_level_zero_is_out_of_reach():
    np.testing.assert_array_equal(critical_value([0.0, 0.0], [5, np.inf]), np.inf)


def test_degrees_of_freedom_may_differ_by_cell():
    df = np.array([[1.0, 9.0], [np.inf, 0.0]])
    value = np.array([[0.5, 2.0], [-1.0, 3.0]])
    expected = [[upper_tail(0.5, 1), upper_tail(2.0, 9)], [upper_tail(-1.0, np.inf), 1.0]]
    np.testing.assert_allclose(upper_tail(value, df), expected, rtol=1e-14)
    expected = [[critical_value(0.01, d) for d in row] for row in df]
    np.testing.assert_array_equal(critical_value(0.01, df), expected)


def test_infinite_statistics_have_tails_zero_and_one():
    for df in (5.0, np.inf):
        np.testing.assert_array_equal(upper_tail([np.inf, -np.inf], df), [0.0, 1.0])

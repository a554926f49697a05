"""Scores on a lattice are found, and summed exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.scorerows import exact_blocks, find_lattice


@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 3, 5, 7, 10, 12, 60, 100, 127, 1000]),
    st.integers(-40, 40),
    st.booleans(),
)
def test_steps_reproduce_the_scores(seed, per_unit, offset, missing):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 2 * per_unit, size=(12, 4)) + offset * per_unit
    values = counts / per_unit
    if missing:
        values[rng.random(values.shape) < 0.2] = np.nan
        values[5] = np.nan
    lattice = find_lattice(values)
    rebuilt = lattice.steps.astype(float) / lattice.per_unit
    expected = values - np.fmin.reduce(values, axis=1, keepdims=True)
    np.testing.assert_allclose(rebuilt, expected, atol=1e-13)
    assert np.nanmin(lattice.steps) == 0.0
    assert np.nanmax(lattice.steps) == lattice.reach
    assert lattice.per_unit <= per_unit


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(np.random.default_rng(0).normal(size=(20, 3)), id="real"),
        pytest.param(np.array([[0.1 + 0.2, 0.5], [0.25, 0.75]]), id="last-bit"),
        pytest.param(np.array([[np.pi, 1.0], [2.0, 3.0]]), id="one-real"),
        pytest.param(np.array([[1e300, 1.0], [2.0, 3.0]]), id="huge"),
        pytest.param(np.array([[1e-300, 0.0], [0.0, 0.0]]), id="tiny"),
        pytest.param(2.0**45 + np.eye(2), id="steps-near-rounding"),
        pytest.param(np.full((3, 2), np.nan), id="nothing"),
    ],
)
def test_other_scores_have_no_lattice(values):
    assert find_lattice(values) is None


def test_a_single_odd_score_at_the_end_is_noticed():
    values = (np.random.default_rng(0).random((5000, 40)) < 0.5).astype(float)
    assert find_lattice(values).per_unit == 1
    values[-1, -1] = 1 / 3
    assert find_lattice(values).per_unit == 3
    values[-1, -1] = 0.123456789
    assert find_lattice(values) is None


def test_sums_that_could_round_are_left_to_floating_point():
    # n^2 reach^2 must stay below 2^53.
    values = np.zeros((100, 2))
    values[0, 0] = 900_000.0
    assert find_lattice(values).reach == 900_000
    values[0, 0] = 1_000_000.0
    assert find_lattice(values) is None


def test_row_offsets_do_not_use_up_the_range():
    values = np.eye(3) + 1e9 * np.arange(3)[:, None]
    assert find_lattice(values).reach == 1


@given(st.integers(0, 2**32), st.sampled_from([1, 3, 10]), st.booleans())
def test_statistics_equal_exact_rationals(seed, per_unit, missing):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 3 * per_unit, size=(15, 2))
    values = counts / per_unit
    if missing:
        values[rng.integers(0, 15), 0] = np.nan
    both = ~np.isnan(values).any(axis=1)
    d = [Fraction(int(a - b), per_unit) for a, b in counts[both]]
    mean = sum(d) / len(d)
    variance = sum((x - mean) ** 2 for x in d) / (len(d) - 1) / len(d)
    found = paired_t(values)
    assert found.diff[0, 1] == float(mean)
    assert found.se[0, 1] == pytest.approx(float(variance) ** 0.5, rel=1e-15, abs=0)


def test_products_are_whole_numbers_of_float32_only_where_exact():
    assert exact_blocks(1, (10, 4)) == ([slice(0, 10)], np.float32)
    assert exact_blocks(1000, (1000, 4))[1] is np.float64
    blocks, dtype = exact_blocks(1, (2**22, 2))
    assert dtype is np.float32
    assert max(block.stop - block.start for block in blocks) <= 2**24
    blocks, dtype = exact_blocks(200, (5000, 1000))
    assert dtype is np.float64


def test_many_rows_of_zeros_and_ones_are_counted_exactly():
    n = 70_000
    values = np.zeros((n, 3))
    values[: n - 1, 0] = 1.0
    values[:, 1] = 1.0
    found = paired_t(values)
    assert found.diff[1, 0] == 1.0 / n
    assert found.statistic[1, 0] == pytest.approx(1.0, rel=1e-12, abs=0)
    assert found.constant[1, 2]


def test_scores_that_need_a_finer_step_together_than_apart_end_the_search():
    # 1/3 fits thirds and 1/2 fits halves; only sixths fit both.
    values = np.tile([1 / 3, 2 / 3, 0.0, 1.0], (200, 1))
    values[1, 1] = 0.5  # outside the sample that is tried first
    lattice = find_lattice(values)
    assert (lattice.per_unit, lattice.reach) == (6, 6)

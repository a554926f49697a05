"""Rows that resemble their neighbours or their group, against loops and all permutations."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbars.stats.rowsigns import group_resemblance, neighbour_resemblance, residuals

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "data" / "golden_dependence.json").read_text(encoding="utf-8")
)
GROUPS = np.unique(GOLDEN["groups"], return_inverse=True)[1]


def test_the_reference_values() -> None:
    errors = residuals(np.array(GOLDEN["rows"], float))
    beside, grouped = neighbour_resemblance(errors), group_resemblance(errors, GROUPS)
    assert beside is not None
    assert grouped is not None
    assert beside.correlation == pytest.approx(GOLDEN["r1"], abs=1e-12)
    assert grouped.correlation == pytest.approx(GOLDEN["icc"], abs=1e-12)
    assert grouped.widening**2 == pytest.approx(GOLDEN["design_effect"], abs=1e-12)


@pytest.mark.parametrize("what", ["neighbours", "groups"])
def test_chance_is_what_all_orders_of_the_rows_give(what: str) -> None:
    errors = residuals(np.random.default_rng(2).random((6, 3)))
    groups = np.array([0, 0, 0, 1, 1, 2])

    def statistic(rows: np.ndarray) -> float:
        gram = rows @ rows.T
        pairs = itertools.permutations(range(6), 2)
        if what == "neighbours":
            return float(sum(gram[a, b] for a, b in pairs if abs(a - b) == 1))
        return float(sum(gram[a, b] for a, b in pairs if groups[a] == groups[b]))

    all_orders = [statistic(errors[list(p)]) for p in itertools.permutations(range(6))]
    found = neighbour_resemblance(errors) if what == "neighbours" else None
    found = group_resemblance(errors, groups) if found is None else found
    assert found is not None
    z = (statistic(errors) - np.mean(all_orders)) / np.std(all_orders)
    assert found.z == pytest.approx(z, abs=1e-9)


@given(seed=st.integers(0, 100), scale=st.floats(0.01, 100))
def test_levels_of_rows_and_the_scale_do_not_matter(seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(60, 4))
    moved = scale * (values + 5 * rng.normal(size=(60, 1)) + 3 * rng.normal(size=(1, 4)))
    one, two = (neighbour_resemblance(residuals(rows)) for rows in (values, moved))
    assert one is not None
    assert two is not None
    assert two == pytest.approx(one, rel=1e-6)


def test_the_widening_is_that_of_the_mean_of_such_rows() -> None:
    """Blocks of 10 equal rows: the error of a mean is sqrt(10) times that of independent rows."""
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.normal(size=(400, 4)), 10, axis=0)
    beside = neighbour_resemblance(residuals(rows))
    grouped = group_resemblance(residuals(rows), np.repeat(np.arange(400), 10))
    assert beside is not None
    assert grouped is not None
    assert beside.widening == pytest.approx(10**0.5, rel=0.01)
    assert grouped.widening == pytest.approx(10**0.5, rel=0.01)


def test_nothing_that_varies_says_nothing() -> None:
    errors = residuals(np.ones((20, 3)))
    assert neighbour_resemblance(errors) is None
    assert group_resemblance(errors, np.repeat([0, 1], 10)) is None
    assert group_resemblance(residuals(np.eye(5)), np.arange(5)) is None


def test_what_is_not_above_a_limit_is_not_told() -> None:
    errors = residuals(np.array(GOLDEN["rows"], float))
    beside, grouped = neighbour_resemblance(errors), group_resemblance(errors, GROUPS)
    assert beside is not None
    assert grouped is not None
    assert neighbour_resemblance(errors, beside.correlation - 1e-9) == beside
    assert neighbour_resemblance(errors, beside.correlation) is None
    assert group_resemblance(errors, GROUPS, grouped.widening - 1e-9) == grouped
    assert group_resemblance(errors, GROUPS, grouped.widening) is None


def test_missing_scores_take_no_part() -> None:
    values = np.random.default_rng(1).random((40, 3))
    values[::7, 1] = np.nan
    errors = residuals(values)
    assert not np.isnan(errors).any()
    assert (errors[::7, 1] == 0).all()

"""The published rank spread of a vote arena, and Holm's intervals from the same columns."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from reference import DATA

from rankbars.errors import DataError
from rankbars.stats.multiplicity.stepdown import decide
from rankbars.stats.pairwise.estimates import z_from_se
from rankbars.stats.ranks import count_bounds
from rankbars.stats.votes.arena import overlap_bounds

ENDS = arrays(float, st.integers(0, 8), elements=st.integers(-3, 3).map(float))


def arena_columns():
    """Columns of Table 1 as numbers."""
    path = DATA / "votes" / "arena_table1.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([float(row[name]) for row in rows]) for name in list(rows[0])[1:]}


def test_the_published_rank_spread_is_reproduced_for_all_45_models():
    table = arena_columns()
    bounds = overlap_bounds(table["bt_ci_low"], table["bt_ci_high"])
    assert bounds.best.tolist() == table["spread_best"].tolist()
    assert bounds.worst.tolist() == table["spread_worst"].tolist()
    assert bounds.best.size == 45


def test_holm_from_the_printed_intervals_is_within_one_rank_of_the_published_intervals():
    """The printed columns allow independent errors only; the publication had covariances."""
    table = arena_columns()
    se = (table["bt_ci_high"] - table["bt_ci_low"]) / (2 * 1.959964)
    decisions = decide(z_from_se(table["bt_score"], se).statistic, np.inf, 0.05)
    bounds = count_bounds(decisions.better, decisions.worse)
    best_error = np.abs(bounds.best - table["holm_best"])
    worst_error = np.abs(bounds.worst - table["holm_worst"])
    assert (best_error == 0).sum() >= 44
    assert (worst_error == 0).sum() >= 42
    assert max(best_error.max(), worst_error.max()) <= 1


@given(ENDS, st.integers(0, 2**16))
def test_ranks_count_the_intervals_wholly_above_and_below(low, seed):
    high = low + np.random.default_rng(seed).integers(0, 3, low.size)
    bounds = overlap_bounds(low, high)
    for j in range(low.size):
        assert bounds.best[j] == 1 + sum(low[k] > high[j] for k in range(low.size))
        assert bounds.worst[j] == low.size - sum(high[k] < low[j] for k in range(low.size))


def test_a_model_without_an_interval_may_stand_anywhere_and_moves_nobody():
    bounds = overlap_bounds(np.array([5.0, np.nan, 1.0]), np.array([6.0, np.nan, 2.0]))
    assert bounds.best.tolist() == [1, 1, 2]
    assert bounds.worst.tolist() == [2, 3, 3]


def test_intervals_that_are_none_are_refused():
    with pytest.raises(DataError, match="lower not above the upper"):
        overlap_bounds(np.array([2.0]), np.array([1.0]))
    with pytest.raises(DataError, match="one shape"):
        overlap_bounds(np.array([2.0]), np.array([3.0, 4.0]))

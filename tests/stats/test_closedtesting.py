"""Closed-testing counts against brute force over all subsets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import golden, oracle_columns, oracle_scores

from rankbars.stats.multiplicity.closedtesting import simes_each, simes_each_from_p, simes_guarded
from rankbars.stats.multiplicity.stepdown import decide
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.tails import upper_tail


def brute_force_count(p: list[float], level: float) -> int:
    """K minus the largest subset that its own Simes test does not reject."""
    count = len(p)
    for size in range(count, 0, -1):
        for subset in combinations(sorted(p), size):
            if all(size * value > s * level for s, value in enumerate(subset, start=1)):
                return count - size
    return count


def one_model(p: list[float]) -> np.ndarray:
    matrix = np.ones((len(p) + 1, len(p) + 1))
    matrix[0, 1:] = p
    return matrix


PROBABILITY = st.one_of(st.floats(0.0, 1.0), st.sampled_from((0.0, 0.0125, 0.025, 0.05, 0.1, 1.0)))


@given(p=st.lists(PROBABILITY, min_size=1, max_size=6), level=st.sampled_from((0.025, 0.05, 0.1)))
def test_counts_equal_brute_force_closed_testing(p: list[float], level: float) -> None:
    assert simes_each_from_p(one_model(p), 2 * level).worse[0] == brute_force_count(p, level)


@given(seed=st.integers(0, 10**6), size=st.integers(1, 8), df=st.sampled_from((3.0, 30.0, np.inf)))
def test_statistics_and_p_values_give_equal_counts(seed: int, size: int, df: float) -> None:
    rng = np.random.default_rng(seed)
    score = rng.normal(size=size) * 3
    t = np.round(score[:, None] - score[None, :] + rng.normal(size=(size, size)), 1)
    t = np.triu(t, 1) - np.triu(t, 1).T
    p = np.where(t > 0, upper_tail(np.abs(t), df), 1.0)
    fast, slow = simes_each(t, df, 0.1), simes_each_from_p(p, 0.1)
    assert fast.better.tolist() == slow.better.tolist()
    assert fast.worse.tolist() == slow.worse.tolist()
    own = simes_each(t, np.full(t.shape, df), 0.1)
    assert own.better.tolist() == slow.better.tolist()


@given(seed=st.integers(0, 10**6), size=st.integers(2, 9))
def test_counts_are_never_below_holm(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    score = rng.normal(size=size) * 3
    t = score[:, None] - score[None, :]
    simes, holm = simes_each(t, 12.0, 0.1), decide(t, 12.0, 0.1)
    assert (simes.better >= holm.better).all()
    assert (simes.worse >= holm.worse).all()


def test_golden_counts() -> None:
    rows = [row for row in golden("shown_counts")["rows"] if row["rule"] == "simes"]
    assert rows
    for row in rows:
        made = simes_each_from_p(one_model(row["p"]), 2 * row["alpha"]).worse[0]
        assert made == row["count"], row


def test_oracle_intervals_of_thirty_models() -> None:
    pairs = paired_t(oracle_scores())
    made = simes_guarded(pairs.statistic, pairs.df, pairs.se, 0.05)
    table = oracle_columns("holm_synth30x200")
    order = [int(name[1:]) - 1 for name in table["model"]]
    assert (1 + made.decisions.better)[order].tolist() == [int(x) for x in table["simes_each_best"]]
    worst = (30 - made.decisions.worse)[order].tolist()
    assert worst == [int(x) for x in table["simes_each_worst"]]
    assert made.fallback.size == 0


def test_guard_falls_back_where_differences_are_negatively_correlated() -> None:
    # Models 1 and 2 lie on opposite sides: cov(d_01, d_02) = (1 + 1 - 4) / 2 < 0.
    t = np.array([[0.0, 2.2, 2.2], [-2.2, 0.0, 0.0], [-2.2, 0.0, 0.0]])
    se = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    made = simes_guarded(t, np.inf, se, 0.05)
    assert made.fallback.tolist() == [0]
    assert made.decisions.worse.tolist() == decide(t, np.inf, 0.05).worse.tolist()


def test_unknown_standard_errors_fall_back_too() -> None:
    t = np.array([[0.0, 2.2, 2.2], [-2.2, 0.0, 0.0], [-2.2, 0.0, 0.0]])
    assert simes_guarded(t, np.inf, np.full((3, 3), np.nan), 0.05).fallback.tolist() == [0]


@pytest.mark.parametrize("size", [1, 2])
def test_small_fields(size: int) -> None:
    made = simes_each(np.zeros((size, size)), 5.0, 0.05)
    assert made.better.tolist() == [0] * size

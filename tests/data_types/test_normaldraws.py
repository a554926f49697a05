"""Draws made of estimates and their covariance, held to the normal distribution itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

import rankbars as rb

MEAN = np.array([0.3, 0.5, 0.0, 0.45])
COV = 0.01 * np.array(
    [[2.0, 0.8, 0.0, 0.2], [0.8, 1.0, 0.1, 0.3], [0.0, 0.1, 3.0, 0.0], [0.2, 0.3, 0.0, 1.5]]
)
SIZE = 40_000
WITHIN = 4 * 0.5 / np.sqrt(SIZE)


@pytest.fixture(scope="module")
def draws() -> rb.Draws:
    return rb.Draws.normal(list("abcd"), MEAN, COV, size=SIZE)


def chance_to_be_first(i: int) -> float:
    """P(i above all others), from the distribution of its differences."""
    others = [j for j in range(4) if j != i]
    turn = np.zeros((3, 4))
    turn[range(3), others] = 1.0
    turn[:, i] = -1.0
    return float(multivariate_normal(turn @ MEAN, turn @ COV @ turn.T).cdf(np.zeros(3)))


def test_one_is_better_than_another_as_often_as_the_normal_tail_says(draws: rb.Draws) -> None:
    found = draws.dominance()
    for i in range(4):
        for j in set(range(4)) - {i}:
            se = np.sqrt(COV[i, i] + COV[j, j] - 2 * COV[i, j])
            assert found[i, j] == pytest.approx(norm.cdf((MEAN[i] - MEAN[j]) / se), abs=WITHIN)


def test_each_is_first_as_often_as_the_joint_distribution_says(draws: rb.Draws) -> None:
    first = draws.rank_probability()[:, 0]
    assert first == pytest.approx([chance_to_be_first(i) for i in range(4)], abs=WITHIN)
    assert draws.top_probability(1) == pytest.approx(first)


def test_the_rule_of_more_than_half_may_name_nobody(draws: rb.Draws) -> None:
    likely = tuple(name for name, i in zip("abcd", range(4), strict=True)
                   if chance_to_be_first(i) > 0.5)  # fmt: skip
    assert draws.top(1, exactly=False) == likely
    assert len(draws.top(1)) == 1
    close = rb.Draws.normal(list("xyz"), [0.0, 0.0, 0.0], np.eye(3))
    assert close.top(1, exactly=False) == ()


def test_pairs_are_stated_at_the_level_of_all_pairs(draws: rb.Draws) -> None:
    distance = (MEAN[:, None] - MEAN) / np.sqrt(
        np.diag(COV)[:, None] + np.diag(COV) - 2 * COV + np.eye(4)
    )
    strict = norm.sf(distance) * 2 * 6 <= 0.5
    assert (draws.state_pairs(0.5, "bonferroni").stated == strict).all()
    assert (draws.state_pairs(0.5, "bh").stated >= strict).all()


def test_draws_do_not_depend_on_the_order_of_models(draws: rb.Draws) -> None:
    turn = [2, 0, 3, 1]
    other = rb.Draws.normal([*"cadb"], MEAN[turn], COV[np.ix_(turn, turn)], size=SIZE)
    assert (other.values == draws.values[:, turn]).all()


@pytest.mark.parametrize(
    ("mean", "cov", "words"),
    [
        ([0.0, np.nan], np.eye(2), "must be finite"),
        ([0.0, 1.0], [[1.0, 0.5], [0.0, 1.0]], "must be symmetric"),
        ([0.0, 1.0], [[1.0, 2.0], [2.0, 1.0]], "no covariance matrix"),
        ([0.0, 1.0], [[-1.0, 0.0], [0.0, -1.0]], "no covariance matrix"),
        ([0.0], np.eye(2), "mean"),
    ],
)
def test_what_is_no_covariance_is_refused(mean: object, cov: object, words: str) -> None:
    with pytest.raises(rb.DataError, match=words):
        rb.Draws.normal(["a", "b"], mean, cov)  # type: ignore[arg-type]


def test_the_number_of_draws_is_checked() -> None:
    with pytest.raises(rb.OptionError, match="size"):
        rb.Draws.normal(["a", "b"], [0.0, 1.0], np.eye(2), size=0)

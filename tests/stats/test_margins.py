"""Differences beyond a border: against scipy, and exact sizes of 0/1 answers by enumeration."""

import math

import numpy as np
import pytest
from reference import validity
from scipy import stats

from rankbars.stats.multiplicity.claimtests import (
    Difference,
    bet_on,
    chance_if_equal,
    half_width,
    null_error,
    p_beyond,
)

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("border", [-0.3, 0.0, 0.2])
def test_a_shifted_difference_agrees_with_the_t_test_of_scipy(border):
    rows = RNG.normal(0.1, 1.0, 30)
    found = Difference(rows.mean(), stats.sem(rows), 29.0)
    want = stats.ttest_1samp(rows, border, alternative="greater").pvalue
    assert p_beyond(found, border) == pytest.approx(want, rel=1e-9)


def test_a_bound_is_where_the_p_value_is_the_level():
    for resampled in (None, np.sort(np.abs(RNG.standard_t(5, 999)))):
        found = Difference(0.4, 0.2, 12.0, resampled)
        bound = found.value - half_width(found, 0.03)
        assert p_beyond(found, bound - 1e-6) <= 0.03 < p_beyond(found, bound + 1e-3)


def test_without_spread_nothing_is_shown_but_of_answers():
    still = Difference(0.0, 0.0, 19.0)
    assert p_beyond(still, -0.5) == 1.0
    assert math.isnan(half_width(still, 0.025))
    # 20 agreements of 20: if the truth were -.5, half of the rows would differ.
    assert p_beyond(still, -0.5, null_error(-0.5, [(1.0, 0.0, 20)])) < 0.001


def test_errors_under_the_null_add_up_over_tasks():
    alone = [null_error(-0.1, [(1.0, 0.05, n)])[0] for n in (40, 90)]
    both, df = null_error(-0.1, [(0.25, 0.05, 40), (0.75, 0.05, 90)])
    assert both == pytest.approx(math.hypot(0.25 * alone[0], 0.75 * alone[1]), rel=1e-12)
    assert df == 39 + 89


def sizes(n, border, levels):
    """Largest probability, over shares of differing rows, to claim "above the border" at it."""
    counts = np.array([(b, c) for b in range(n + 1) for c in range(n + 1 - b)])
    p = []
    for ahead, behind in counts:
        diff = (ahead - behind) / n
        variance = ((ahead + behind) / n - diff**2) / (n - 1)
        null = null_error(border, [(1.0, (ahead if border < 0 else behind) / n, n)])
        p.append(p_beyond(Difference(diff, math.sqrt(variance), n - 1.0), border, null))
    p = np.array(p)
    worst = dict.fromkeys(levels, 0.0)
    for share in (0.0, 0.01, 0.05, 0.2):
        chances = max(border, 0.0) + share, max(-border, 0.0) + share
        rows = np.column_stack([counts, n - counts.sum(axis=1)])
        law = stats.multinomial.pmf(rows, n, [*chances, 1 - sum(chances)])
        for level in levels:
            worst[level] = max(worst[level], float(law[p <= level].sum()))
    return worst


@pytest.mark.parametrize("border", [-0.05, -0.02, 0.05])
def test_margins_of_answers_keep_their_level(border):
    """Exact sizes with 60 rows; the t-test alone reaches fifty times the smallest level."""
    for level, size in sizes(60, border, (0.025, 0.0125, 0.0025)).items():
        assert size <= 1.25 * level


def test_chances_of_a_margin_agree_with_the_reference():
    for row in validity("claims")["gate_pass_probability_if_equal"]:
        assert chance_if_equal(row["margin"], row["se"], 0.05) == pytest.approx(row["p"], rel=1e-9)


def test_bets_are_those_of_the_reference_and_turn_around():
    golden = validity("betting")
    rows = np.array(golden["d_over_range"])
    assert bet_on(rows, 0.0, 1.0) == pytest.approx(golden["p_better"])
    assert bet_on(10 * rows, 0.0, 10.0) == pytest.approx(golden["p_better"])
    assert bet_on(-rows, 0.0, 1.0) == 1.0  # its e-value is below 1
    shifted = (rows + 0.2) / 1.2
    by_hand = np.mean([np.prod(1 + share * shifted) for share in golden["lambdas"]])
    assert bet_on(rows, -0.2, 1.0) == pytest.approx(min(1.0, 1 / by_hand))


def test_bets_on_a_true_null_are_seldom_won_however_often_one_looks():
    rng, won = np.random.default_rng(6), 0
    for _ in range(400):
        rows = rng.choice([-1.0, 0.0, 1.0], 400, p=[0.25, 0.5, 0.25])
        won += min(bet_on(rows[:n], 0.0, 1.0) for n in range(40, 401, 40)) <= 0.05
    assert won / 400 < 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5

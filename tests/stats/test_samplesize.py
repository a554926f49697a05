"""Sample sizes: against worked numbers, statsmodels, a grid, and drawn boards."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankbars.stats.newtask.guarantees import smallest_number_of_tasks
from rankbars.stats.pairwise.estimates import wilson_ends
from rankbars.stats.samplesize import (
    answers_for_items,
    approximate_size,
    discordance_bound,
    error_covariance,
    family_size,
    needed_by_pilot,
    needed_for_effect,
    paired_power,
    sample_size,
    separated_neighbours,
)

GOLDEN = json.loads(
    (Path(__file__).parent.parent / "data" / "golden_planning.json").read_text(encoding="utf-8")
)
EXACTLY = {"rel": 1e-9}
Z80 = stats.norm.ppf(0.8)


@pytest.mark.parametrize("one", GOLDEN["exact"])
def test_sizes_are_the_worked_ones(one):
    given_ = one["delta"], one["s"], one["alpha"]
    assert sample_size(*given_, 0.8) == one["n"]
    assert approximate_size(*given_, 0.8) == pytest.approx(one["approx"], **EXACTLY)
    assert paired_power(one["delta"], one["s"], one["n"], one["alpha"]) >= 0.8
    assert paired_power(one["delta"], one["s"], one["n"] - 1, one["alpha"]) < 0.8


@pytest.mark.parametrize("one", GOLDEN["mdd"])
def test_the_smallest_detectable_difference_needs_its_own_size(one):
    assert approximate_size(one["mdd"], one["s"], one["alpha"], 0.8) == pytest.approx(one["n"])


def test_rates_of_right_answers_bound_the_size():
    one = GOLDEN["zero_one"]
    assert discordance_bound(*one["p"]) == pytest.approx(one["discordant_worst"])
    for share, n in (("discordant_worst", "n_worst"), ("discordant_independent", "n_independent")):
        spread = math.sqrt(one[share] - 0.05**2)
        assert approximate_size(0.05, spread, 0.025, 0.8) == pytest.approx(one[n], **EXACTLY)


def test_a_pilot_of_wins_and_losses_gives_the_worked_numbers():
    one = GOLDEN["pilot"]
    n, gap = one["n"], one["delta"]
    spread = math.sqrt((67 - 19**2 / 300) / 299)
    lower = gap - Z80 * spread / math.sqrt(n)
    assert lower == pytest.approx(one["delta_lower80"], **EXACTLY)
    assert approximate_size(gap, spread, 0.025, 0.8) == pytest.approx(one["n_plan"], **EXACTLY)
    assert approximate_size(lower, spread, 0.025, 0.8) == pytest.approx(one["n_lower80"], **EXACTLY)
    low, high = wilson_ends(np.array([67 / n]), np.array([n]), stats.norm.isf(0.025))
    assert [low[0], high[0]] == pytest.approx(one["discordant_wilson"], **EXACTLY)
    needed = needed_by_pilot(gap, spread / math.sqrt(n), n, 0.025, 0.8, n - 1)
    assert needed.likely == math.ceil(one["n_plan"])
    # An interval by t is a little longer than the worked one.
    assert one["n_lower80"] < needed.safe < 1.005 * one["n_lower80"]
    assert (round(needed.low, -1), round(needed.high, -3)) == (130, 17_000)


def test_with_so_many_items_answers_are_the_worked_ones():
    given_, one = GOLDEN["items_by_reruns"], GOLDEN["items_by_reruns"]["fixed_items"]
    variances = given_["item_var"], given_["rerun_var"]
    assert answers_for_items(*variances, one["target_variance"], one["n_max"]) == one["K"]
    smallest = one["smallest_variance_reachable"]
    assert math.isinf(answers_for_items(*variances, smallest, one["n_max"]))


@pytest.mark.parametrize("one", GOLDEN["tasks"])
def test_tasks_for_a_new_task_are_the_worked_ones(one):
    for merge in ("quantile", "joint"):
        assert smallest_number_of_tasks(merge, one["alpha_overall"]) == one[merge]


@pytest.mark.parametrize(
    ("delta", "spread", "level"), [(0.5, 1.0, 0.025), (0.06, 0.47, 0.025), (0.3, 1.0, 0.001)]
)
def test_paired_sizes_agree_with_statsmodels(delta, spread, level):
    from statsmodels.stats.power import TTestPower

    theirs = TTestPower().solve_power(delta / spread, alpha=level, power=0.8, alternative="larger")
    assert sample_size(delta, spread, level, 0.8) == math.ceil(theirs)
    power = TTestPower().power(delta / spread, 50, level, alternative="larger")
    assert paired_power(delta, spread, 50, level) == pytest.approx(power, rel=1e-6)


@pytest.mark.parametrize(("p", "q"), [(0.7, 0.65), (0.9, 0.8), (0.3, 0.2), (0.55, 0.5)])
def test_independent_answers_need_what_two_proportions_need(p, q):
    from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail

    theirs = samplesize_proportions_2indep_onetail(p - q, q, 0.8, alpha=0.05)
    spread = math.sqrt(p * (1 - q) + q * (1 - p) - (p - q) ** 2)
    assert sample_size(p - q, spread, 0.025, 0.8) == pytest.approx(theirs, rel=0.01)


@given(
    delta=st.floats(0.02, 2.0), spread=st.floats(0.1, 2.0), level=st.floats(0.001, 0.1),
    power=st.floats(0.5, 0.95),
)  # fmt: skip
def test_a_size_is_the_smallest_with_its_power(delta, spread, level, power):
    n = sample_size(delta, spread, level, power)
    assert paired_power(delta, spread, n, level) >= power
    assert n == 2 or paired_power(delta, spread, n - 1, level) < power
    assert n <= sample_size(delta / 1.1, spread, level, power)
    assert n <= sample_size(delta, spread * 1.1, level, power)


def test_no_difference_needs_no_number():
    assert math.isinf(sample_size(0.0, 1.0, 0.025, 0.8))
    assert math.isinf(sample_size(-0.1, 1.0, 0.025, 0.8))
    assert math.isinf(sample_size(1e-9, 1.0, 0.025, 0.8))


def test_a_spread_without_a_gap_has_an_interval_of_its_own():
    """Wilson for answers of 0 and 1, chi-square for others; both hold what they should."""
    rng = np.random.default_rng(2)
    share, n, held = 0.2, 200, []
    truth = sample_size(0.05, math.sqrt(share), 0.025, 0.8)
    for wins in rng.binomial(n, share, 120):
        seen = wins / n
        found = needed_for_effect(0.05, math.sqrt(seen), n, 0.025, 0.8, df=n - 1.0, discordant=seen)
        held.append((found.low <= truth <= found.high, found.safe >= truth))
    inside, safe = np.mean(held, axis=0)
    assert inside > 0.9
    assert safe > 0.7
    draws = stats.chi2.rvs(199, size=120, random_state=rng) / 199
    found = [needed_for_effect(0.5, math.sqrt(v), 200, 0.025, 0.8, df=199.0) for v in draws]
    truth = sample_size(0.5, 1.0, 0.025, 0.8)
    assert np.mean([one.low <= truth <= one.high for one in found]) > 0.9


def test_error_covariance_is_that_of_the_differences():
    rng = np.random.default_rng(3)
    root = rng.normal(size=(5, 7))
    true = root @ root.T
    squares = np.diag(true)[:, None] + np.diag(true)[None, :] - 2 * true
    found = error_covariance(np.sqrt(squares))
    assert found.sum(axis=0) == pytest.approx(np.zeros(5), abs=1e-9)
    again = np.diag(found)[:, None] + np.diag(found)[None, :] - 2 * found
    assert again == pytest.approx(squares)
    # Three errors that break the triangle fit no covariance.
    bent = np.array([[0, 1, 9], [1, 0, 1], [9, 1, 0]], dtype=float)
    assert np.linalg.eigvalsh(error_covariance(bent)).min() > -1e-9


def test_drawn_boards_settle_a_family_as_often_as_planned():
    """The first of four shown better than each other, on boards of the planned size."""
    rng = np.random.default_rng(4)
    mean, n = np.array([0.3, 0.1, 0.05, 0.0]), 100
    covariance = 0.3 + 0.7 * np.eye(4)
    se = np.sqrt((2 - 2 * 0.3) / n) * np.ones(3)
    root = np.linalg.cholesky(covariance / n).T
    loads, normals = root[:, :1] - root[:, 1:], rng.normal(size=(4000, 4))
    level = 0.05 / 3
    needed = family_size(mean[0] - mean[1:], se, loads, normals, n, level, 0.8, n - 1.0)
    size = int(needed.likely)
    assert needed.low < size < needed.safe < needed.high
    rows = rng.multivariate_normal(mean, covariance, (600, size))
    gaps = rows[:, :, :1] - rows[:, :, 1:]
    t = gaps.mean(axis=1) / (gaps.std(axis=1, ddof=1) / math.sqrt(size))
    shown = (t >= stats.t.isf(level, size - 1)).all(axis=1).mean()
    assert shown == pytest.approx(0.8, abs=0.055)
    alone = family_size(mean[:1], se[:1], loads[:, :1], normals, n, 0.025, 0.8, n - 1.0)
    assert alone == needed_by_pilot(mean[0], se[0], n, 0.025, 0.8, n - 1.0)


def test_a_large_family_asks_for_what_its_hardest_pairs_do():
    """All 1,225 pairs of 50 models: the same as of the 300 closest, and in no time."""
    rng = np.random.default_rng(8)
    mean = np.sort(rng.normal(0, 3, 50))[::-1]
    first, second = np.triu_indices(50, 1)
    loads = np.eye(50)[:, first] - np.eye(50)[:, second]
    normals, se = rng.normal(size=(1000, 50)), np.full(len(first), math.sqrt(2))
    gaps = mean[first] - mean[second]
    every = family_size(gaps, se, loads, normals, 100.0, 1e-4, 0.8)
    few = np.argsort(gaps)[:300]
    near = family_size(gaps[few], se[few], loads[:, few], normals, 100.0, 1e-4, 0.8)
    assert every.likely == near.likely


def test_what_neighbours_show_is_foreseen_from_a_part():
    """Predictions from 400 rows hold what 4,000 rows show, and gaps of pure noise show nothing."""
    rng = np.random.default_rng(5)
    held = []
    for _ in range(30):
        mean = rng.normal(0, 0.15, 12)
        rows = mean + rng.normal(size=(4000, 12))
        part = rows[:400]
        se = math.sqrt(2 / 400) * (1 - np.eye(12))
        normals = rng.standard_normal((3, 200, 12))
        counts = separated_neighbours(
            part.mean(axis=0), se, 400, np.array([4000.0]), 0.001, normals
        )[:, 0]
        whole = np.sort(rows.mean(axis=0))
        seen = (np.diff(whole) >= stats.norm.isf(0.001) * math.sqrt(2 / 4000)).sum()
        low, high = np.quantile(counts, [0.05, 0.95])
        held.append(low <= seen <= high)
    assert np.mean(held) >= 0.8
    noise = rng.normal(0, math.sqrt(1 / 400), 12)
    normals = rng.standard_normal((3, 200, 12))
    empty = separated_neighbours(noise, se, 400, np.array([400.0, 8000.0]), 0.001, normals)
    assert empty.mean() < 3


def test_a_plan_for_the_observed_gap_keeps_half_of_its_promises_and_a_careful_one_four_in_five():
    """Pilots of 300 items of a pair that truly differs: what their plans reach."""
    rng = np.random.default_rng(6)
    chances, n = np.array([0.17, 0.09, 0.74]), 300
    delta, spread = 0.08, math.sqrt(0.26 - 0.08**2)
    truth = sample_size(delta, spread, 0.025, 0.8)
    kept = []
    for wins, losses, _ in rng.multinomial(n, chances, 250):
        gap = (wins - losses) / n
        se = math.sqrt(((wins + losses) / n - gap**2) / (n - 1))
        needed = needed_by_pilot(abs(gap), se, n, 0.025, 0.8, n - 1)
        reached = [
            math.isinf(size) or paired_power(delta, spread, size, 0.025) >= 0.8
            for size in (needed.likely, needed.safe)
        ]
        kept.append((*reached, needed.low <= truth <= needed.high))
    likely, safe, inside = np.mean(kept, axis=0)
    assert 0.42 < likely < 0.62
    assert 0.74 < safe < 0.87
    assert inside > 0.91

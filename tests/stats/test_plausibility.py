"""Leave-one-out containment and how much shift a claim bears."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankbars.errors import DataError, OptionError
from rankbars.stats.binomial import exact_limits
from rankbars.stats.newtask.merges import quantile_merge
from rankbars.stats.newtask.plausibility import (
    breakdown_shift,
    claim_miss,
    leave_one_out,
)


def test_exact_limits_equal_scipy() -> None:
    low, high = exact_limits(np.arange(13), 12 - np.arange(13), 0.05)
    for k in range(13):
        expected = stats.binomtest(k, 12).proportion_ci(0.95, method="exact")
        assert (low[k], high[k]) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_containment_by_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    ends = np.sort(rng.integers(1, 8, (2, 14, 5)), axis=0)
    best, worst = ends[0], ends[1]

    def merge(kept: np.ndarray) -> object:
        return quantile_merge(best[kept], worst[kept], 7, 0.4)

    made = leave_one_out(best, worst, range(14), merge)  # type: ignore[arg-type]
    inside = [0] * 5
    for left in range(14):
        kept = [b for b in range(14) if b != left]
        interval = quantile_merge(best[kept], worst[kept], 7, 0.4)
        for j in range(5):
            within = interval.best[j] <= best[left, j] and worst[left, j] <= interval.worst[j]
            inside[j] += bool(within)
    assert made.inside.tolist() == inside
    assert made.units == 14


def test_a_family_is_left_out_whole() -> None:
    best = np.array([[1], [1], [3], [3]])
    made = leave_one_out(
        best,
        best,
        ["x", "x", "y", "y"],
        lambda kept: quantile_merge(best[kept], best[kept], 3, 0.8),
    )
    assert (made.inside.tolist(), made.units) == ([0], 2)


def test_one_unit_cannot_be_left_out() -> None:
    one = np.array([[1], [1]])
    with pytest.raises(DataError, match="at least two tasks"):
        leave_one_out(one, one, ["x", "x"], lambda kept: quantile_merge(one, one, 1, 0.5))


@pytest.mark.slow
def test_claims_fail_on_new_tasks_no_more_often_than_the_bound() -> None:
    # True ranks are known on every task (side level 0), so only exchangeability is used.
    rng = np.random.default_rng(0)
    fails, bounds = 0, []
    for _ in range(4000):
        ranks = rng.binomial(9, 0.25, 20) + 1
        seen, new = ranks[:19], ranks[19]
        outside = int((seen > 4).sum())
        bounds.append(float(claim_miss(outside, 19, 0.0)))
        fails += int(new > 4)
    assert fails / 4000 <= np.mean(bounds) + 3 * np.sqrt(0.25 / 4000)


def test_breakdown_needs_a_probability() -> None:
    with pytest.raises(OptionError, match="coverage must be strictly between"):
        breakdown_shift([0.1], 1.0)

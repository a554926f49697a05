"""The score of the observed best: reference values, properties, and how often it is covered."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import validity
from scipy import integrate, optimize
from scipy.stats import norm, t

from rankbars.stats.selection import (
    binomial_moments,
    conditional_share,
    hybrid_score,
    hybrid_share,
    largest_deviations,
    resampled_deviation,
    selection_bounds,
    simultaneous_score,
)

GOLDEN = validity("leader")  # made by numerical integration; both quantiles are given
X, V = np.array(GOLDEN["x"]), np.array(GOLDEN["v"])


@pytest.mark.parametrize(("step", "name"), [(0.0, "hybrid"), (0.005, "hybrid_lattice_step_0.005")])
def test_reference_values(step, name):
    want = GOLDEN[name]
    assert selection_bounds(X, V[:, 0], 0, step)[0] == pytest.approx(want["truncation"], abs=1e-12)
    found = hybrid_score(X, V[:, 0], 0, critical=GOLDEN["c_995"], alpha=0.05, step=step)
    expected = (want["median_unbiased"], want["low"], want["high"])
    assert found == pytest.approx(expected, abs=1e-6)


def test_the_interval_for_every_candidate_is_that_of_the_reference():
    found = simultaneous_score(X[0], math.sqrt(V[0, 0]), GOLDEN["c_95"])
    assert (found.low, found.high) == pytest.approx(GOLDEN["simultaneous"], rel=1e-9)


def test_a_leader_by_next_to_nothing_has_an_interval_with_its_own_score():
    # 60 costs, a lead of 1e-4: conditioning alone gives [0.6196, 0.6278] for a mean of 0.5
    x, v = np.array([-0.50022, -0.50038, -0.612]), np.array([1.46e-3, 2e-5, 1e-5])
    found = hybrid_score(x, v, 0, critical=3.0, alpha=0.05)
    assert found.high == x[0]
    assert found.low < -0.6


@given(st.floats(0, 0.2), st.floats(-0.9, 0.9))
def test_the_interval_holds_the_score_whatever_the_lead(lead, correlation):
    x, v = np.array([0.5, 0.5 - lead]), 4e-4 * np.array([1.0, correlation])
    found = hybrid_score(x, v, 0, critical=3.0, alpha=0.05)
    assert found.low <= 0.5 <= found.high


def slowly(x, v, leader, critical, alpha, step):
    """Both ends by integrating the density and searching; written without the formulas above."""
    own, se = x[leader], math.sqrt(v[leader, leader])
    ends = [-math.inf, math.inf]
    for k in range(len(x)):
        slope = 1 - v[k, leader] / v[leader, leader]
        if abs(slope) > 1e-9:
            # x_j - x_k >= -step / 2, where x_k moves with x_j
            at = own - (own - x[k] + step / 2) / slope
            ends = [max(ends[0], at), ends[1]] if slope > 0 else [ends[0], min(ends[1], at)]

    def below(mean):
        low, high = max(ends[0], mean - critical * se), min(ends[1], mean + critical * se)

        def mass(a, b):
            return integrate.quad(lambda y: math.exp(-(((y - mean) / se) ** 2) / 2), a, b,
                                  epsabs=0, epsrel=1e-11)[0]  # fmt: skip

        return mass(low, min(max(own, low), high)) / mass(low, high)

    rate = (alpha - alpha / 10) / (1 - alpha / 10)
    inner = critical * se * (1 - 1e-6)
    found = []
    for wanted in (0.5, 1 - rate / 2, rate / 2):
        first, last = below(own - inner) - wanted, below(own + inner) - wanted
        if first <= 0 or last >= 0:
            found.append(own - inner if first <= 0 else own + inner)
        else:
            found.append(
                optimize.brentq(lambda m, w=wanted: below(m) - w, own - inner, own + inner)
            )
    return found


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_slow_integration(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(5, 7))
    v = root @ root.T / 7
    x = rng.multivariate_normal(np.zeros(5), v)
    leader = int(np.argmax(x))
    step = (0.0, 0.05)[seed % 2]
    found = hybrid_score(x, v[:, leader], leader, critical=3.1, alpha=0.05, step=step)
    assert found == pytest.approx(slowly(x, v, leader, 3.1, 0.05, step), abs=1e-6)


REALS = st.floats(-3, 3)


@given(gaps=st.lists(st.floats(0, 5), min_size=1, max_size=5), rho=st.floats(0, 0.95))
def test_the_interval_lies_inside_the_simultaneous_one(gaps, rho):
    x = np.array([0.0, *(-np.array(gaps))])
    column = np.full(x.size, rho)
    column[0] = 1.0
    found = hybrid_score(x, column, 0, critical=3.0, alpha=0.05, step=0.01)
    assert -3.0 <= found.low <= found.estimate <= found.high <= 3.0
    assert found.low < found.high


def test_far_ahead_nothing_is_corrected():
    _, rate = hybrid_share(0.05)
    found = hybrid_score(np.array([10.0, 0.0]), np.array([1.0, 0.0]), 0, critical=3.0, alpha=0.05)
    half = norm.isf(rate / 2)
    assert found == pytest.approx((10.0, 10 - half, 10 + half), abs=0.03)


def test_an_exact_tie_has_a_width_where_a_step_is_given():
    x, column = np.array([0.5, 0.5]), np.array([1e-3, 3e-4])
    found = hybrid_score(x, column, 0, critical=2.8, alpha=0.05, step=0.01)
    assert found.high - found.low > 0.01


@given(value=REALS, means=st.tuples(REALS, REALS), low=st.floats(-6, -0.01), room=st.floats(0, 6))
def test_the_share_falls_as_the_mean_rises(value, means, low, room):
    ends = value + low, value + room
    first, second = (conditional_share(value, mean, 1.0, ends) for mean in sorted(means))
    assert second <= first + 1e-12
    assert 0 <= second <= 1


def test_quantiles_of_the_largest_deviation():
    rng = np.random.default_rng(1)
    one, ten = (largest_deviations(np.eye(k), (0.95,), rng, draws=100_000)[0] for k in (1, 10))
    assert one == pytest.approx(1.96, abs=0.02)
    assert ten == pytest.approx(norm.isf((1 - 0.95**0.1) / 2), abs=0.03)
    hidden = largest_deviations(np.eye(1), (0.95,), rng, draws=100_000, others=9)[0]
    assert hidden == pytest.approx(ten, abs=0.04)
    few = largest_deviations(np.eye(1), (0.95,), rng, draws=100_000, df=5.0)[0]
    assert few == pytest.approx(t.isf(0.025, 5), abs=0.05)
    same = largest_deviations(np.ones((4, 4)), (0.95,), rng, draws=100_000)[0]
    assert same == pytest.approx(1.96, abs=0.02)


def test_right_or_wrong_rows():
    wilson = simultaneous_score(0.9, 0.03, 1.96, 100)
    assert (wilson.low, wilson.high) == pytest.approx((0.8242, 0.9456), abs=2e-3)
    assert simultaneous_score(1.0, 0.0, 2.5, 50).high == 1.0
    x, v = binomial_moments(np.array([0.5, 0.5]), np.array([0.0025, 0.00125]), 0, 100,
                            np.array([0.0025, 0.0025]))  # fmt: skip
    assert x.tolist() == [0.5, 0.5]
    assert v.tolist() == pytest.approx([0.25 / 104, 0.125 / 104])


@pytest.mark.parametrize(
    ("spread", "n"), [(0.0, 200), (0.03, 200)], ids=["equal models", "some better"]
)
def test_coverage_of_right_or_wrong_rows(spread, n):
    """12 correlated models; 400 data sets, so that a share near .95 has an error of .011."""
    rng = np.random.default_rng(7)
    truth = 0.7 + spread * np.linspace(0, 1, 12)
    hits = naive = 0
    beta, _ = hybrid_share(0.05)
    for _ in range(400):
        shared, own = rng.standard_normal((n, 1)), rng.standard_normal((n, 12))
        rows = (0.6 * shared + 0.8 * own < norm.ppf(truth)).astype(float)
        x, v = rows.mean(axis=0), np.cov(rows.T) / n
        j = int(np.argmax(x))
        sd = np.sqrt(np.diag(v))
        c = largest_deviations(v / np.outer(sd, sd), (1 - beta,), rng, draws=1_000)[0]
        shrunk, column = binomial_moments(x, v[:, j], j, n, np.diag(v))
        found = hybrid_score(shrunk, column, j, critical=c, alpha=0.05, step=1 / n)
        hits += found.low <= truth[j] <= found.high
        naive += abs(x[j] - truth[j]) <= 1.96 * sd[j]
    assert hits / 400 >= 0.95 - 3 * 0.011 - 0.01
    if spread == 0:
        assert naive / 400 < 0.9


def test_coverage_of_skewed_rows_by_resampling():
    """Exponential losses of 10 equal models, 20 rows: 200 data sets."""
    rng = np.random.default_rng(8)
    hits = 0
    for _ in range(200):
        rows = -(rng.exponential(size=(20, 10)) + rng.exponential(size=(20, 1)))
        x, se = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(20)
        j = int(np.argmax(x))
        c = resampled_deviation(rows, 0.95, rng, draws=200)
        found = simultaneous_score(x[j], se[j], c)
        hits += found.low <= -2.0 <= found.high
    assert hits / 200 >= 0.95 - 3 * 0.0154 - 0.01

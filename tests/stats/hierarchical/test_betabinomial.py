"""The beta-binomial model by quadrature: by hand, by brute force, and where counts are extreme."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from rankbars.data.priors import Prior
from rankbars.errors import ConvergenceError, DataError
from rankbars.stats.hierarchical.betabinomial import (
    Counts,
    ShareGrid,
    draw_fresh,
    draw_hyper,
    draw_new_task,
    draw_shares,
    population_moments,
    share_grid,
    share_moments,
)
from rankbars.stats.hierarchical.ridges import fit_smooth, log_rising, log_rising_slope


def counts(right: list[float], total: list[float]) -> Counts:
    one, two = np.array(right, float), np.array(total, float)
    return Counts(one, two - one)


def grid_of(given: Counts, prior: Prior) -> ShareGrid:
    return share_grid(given, prior.log_density, prior.limits)


# --- the likelihood ------------------------------------------------------------------------------


def test_rising_factorials_by_their_products() -> None:
    # 3 (3 + 1) = 12 and 3 (3 + 1) (3 + 2) (3 + 3) = 360.
    found = log_rising(np.array([3.0]), np.array([2.0, 4.0, 0.0]))
    assert found == pytest.approx(np.log(12 * 360))


@pytest.mark.parametrize("x", [1e-9, 1e-3, 1.0, 9.9e4, 1.1e5, 1e9])
def test_rising_factorials_by_sums_of_logs(x: float) -> None:
    y = np.array([7.0, 300.0])
    expected = sum(np.log(x + np.arange(k)).sum() for k in y)
    assert log_rising(np.array([x]), y) == pytest.approx(expected, rel=1e-12)
    slope = sum((1 / (x + np.arange(k))).sum() for k in y)
    assert log_rising_slope(np.array([x]), y) == pytest.approx(slope, rel=1e-6)


def test_a_series_that_would_need_too_many_terms_is_an_error() -> None:
    with pytest.raises(ConvergenceError, match="series"):
        fit_smooth(np.abs, -1.0, 1.0)


# --- the posterior -------------------------------------------------------------------------------


def test_a_prior_that_knows_a_and_b_gives_the_conjugate_posterior() -> None:
    # Beta(2, 3) and 6 right of 10: Beta(8, 7), mean 8/15, variance 8 7 / (15^2 16).
    # The second task: 1 right of 5, Beta(3, 7), mean 3/10, variance 21 / (100 11).
    given = counts([6, 1], [10, 5])
    grid = grid_of(given, Prior.normal(2, 3, 1e-5))
    for weights, mean, variance in (
        ([1.0, 0.0], 8 / 15, 56 / 3600),
        ([0.0, 1.0], 0.3, 21 / 1100),
        ([0.5, 0.5], (8 / 15 + 0.3) / 2, (56 / 3600 + 21 / 1100) / 4),
    ):
        found = share_moments(grid, given, np.array(weights))
        assert found.mean == pytest.approx(mean, abs=1e-6)
        assert found.variance == pytest.approx(variance, rel=1e-5)
    # A new task: Beta(2, 3) itself, mean 2/5, variance 6 / (25 6).
    assert population_moments(grid, new_task=True) == pytest.approx((0.4, 0.04), rel=1e-5)
    assert population_moments(grid).variance == pytest.approx(0.0, abs=1e-9)
    # Ten fresh items of the first task: a beta-binomial share.
    fresh = share_moments(grid, given, np.array([1.0, 0.0]), fresh=True)
    exact = stats.betabinom(10, 8, 7)
    assert fresh.variance == pytest.approx(exact.var() / 100, rel=1e-5)


def by_laguerre(given: Counts, mean: float) -> dict[str, float]:
    """Moments under the exponential prior by Gauss-Laguerre rules over a and b themselves."""
    nodes, weights = special.roots_laguerre(120)
    a, b = mean * nodes[:, None], mean * nodes[None, :]
    total = given.right + given.wrong
    chance = np.exp(np.log(weights[:, None] + 1e-300) + np.log(weights[None, :] + 1e-300))
    for right, wrong in zip(*given, strict=True):
        chance = chance * np.exp(special.betaln(a + right, b + wrong) - special.betaln(a, b))
    chance /= chance.sum()
    return {
        "population": float((chance * a / (a + b)).sum()),
        "population squared": float((chance * (a / (a + b)) ** 2).sum()),
        "first task": float((chance * (a + given.right[0]) / (a + b + total[0])).sum()),
    }


CASES = [([3, 6], [8, 8]), ([0, 2, 5], [5, 5, 5]), ([30, 2], [40, 3])]


@pytest.mark.parametrize(("right", "total"), CASES)
def test_quadrature_agrees_with_a_gauss_rule(right: list[float], total: list[float]) -> None:
    given = counts(right, total)
    grid = grid_of(given, Prior.exponential(3.0))
    exact = by_laguerre(given, 3.0)
    found = population_moments(grid)
    assert found.mean == pytest.approx(exact["population"], abs=2e-4)
    squared = found.variance + found.mean**2
    assert squared == pytest.approx(exact["population squared"], abs=2e-4)
    weights = np.zeros(len(right))
    weights[0] = 1.0
    assert share_moments(grid, given, weights).mean == pytest.approx(exact["first task"], abs=2e-4)


def test_quadrature_agrees_with_adaptive_integration() -> None:
    given, prior = counts([4, 4], [4, 4]), Prior.exponential(3.0)

    def density(b: float, a: float) -> float:
        terms = special.betaln(a + given.right, b + given.wrong) - special.betaln(a, b)
        return float(np.exp(terms.sum() - (a + b) / 3.0 + 10.0))

    def integral(value: Callable[[float, float], float]) -> float:
        return float(
            integrate.dblquad(lambda b, a: density(b, a) * value(a, b), 0, 60, 0, 60, epsrel=1e-4)[
                0
            ]
        )

    whole, above = integral(lambda a, b: 1.0), integral(lambda a, b: a / (a + b))
    found = population_moments(grid_of(given, prior))
    assert found.mean == pytest.approx(above / whole, abs=1e-5)


@pytest.mark.parametrize(
    "prior",
    [Prior.exponential(), Prior.uniform_log(), Prior.log_normal(), Prior.exponential(50.0)],
    ids=lambda prior: prior.words,
)
def test_quadrature_agrees_with_a_dense_fixed_grid(prior: Prior) -> None:
    rng = np.random.default_rng(4)
    total = np.array([60, 90, 40, 200, 75, 30.0])
    given = counts(list(rng.binomial(total.astype(int), rng.beta(4, 2, 6))), list(total))
    u, t = np.linspace(-5, 6, 700), np.linspace(-4, 13.5, 700)
    low, high = (np.log(end) if 0 < end < np.inf else end for end in prior.limits)
    m, k = special.expit(u)[:, None], np.exp(t)[None, :]
    a, b = m * k, (1 - m) * k
    log = prior.log_density(a, b) + 2 * t + np.log(m) + np.log1p(-m)
    for right, wrong in zip(*given, strict=True):
        log = log + special.betaln(a + right, b + wrong) - special.betaln(a, b)
    log = np.where((t >= low) & (t <= high), log, -np.inf) if low > 0 or high < np.inf else log
    chance = np.exp(log - log.max())
    chance /= chance.sum()
    mean = float((chance * m).sum())
    grid = grid_of(given, prior)
    found = population_moments(grid)
    deviation = found.variance**0.5
    assert found.mean == pytest.approx(mean, abs=1e-3 * deviation)
    spread = float((chance * (m - mean) ** 2).sum()) ** 0.5
    assert deviation == pytest.approx(spread, rel=1e-3)
    assert grid.error < 0.005


def test_draws_agree_with_the_quadrature() -> None:
    rng = np.random.default_rng(1)
    given = counts([30, 55, 18, 70], [60, 90, 40, 80])
    grid = grid_of(given, Prior.uniform_log())
    hyper = draw_hyper(grid, 20_000, rng)
    assert hyper.effective > 0.99 * 20_000
    mean = hyper.a / (hyper.a + hyper.b)
    exact = population_moments(grid)
    assert mean.mean() == pytest.approx(exact.mean, abs=4 * exact.variance**0.5 / 20_000**0.5)
    assert mean.var() == pytest.approx(exact.variance, rel=0.05)
    shares = [draw_shares(hyper, right, wrong, rng) for right, wrong in zip(*given, strict=True)]
    average = np.mean(shares, axis=0)
    exact = share_moments(grid, given, np.full(4, 0.25))
    assert average.mean() == pytest.approx(exact.mean, abs=4 * exact.variance**0.5 / 20_000**0.5)
    assert average.var() == pytest.approx(exact.variance, rel=0.05)
    fresh = np.mean(
        [draw_fresh(s, n, rng) for s, n in zip(shares, (60, 90, 40, 80), strict=True)], 0
    )
    exact = share_moments(grid, given, np.full(4, 0.25), fresh=True)
    assert fresh.var() == pytest.approx(exact.variance, rel=0.05)
    exact = population_moments(grid, new_task=True)
    assert draw_new_task(hyper, rng).var() == pytest.approx(exact.variance, rel=0.05)


def test_draws_do_not_come_from_a_chain() -> None:
    grid = grid_of(counts([30, 55, 18], [60, 90, 40]), Prior.uniform_log())
    mean = draw_hyper(grid, 4000, np.random.default_rng(0)).a
    logs = np.log(mean) - np.log(mean).mean()
    neighbours = float((logs[1:] * logs[:-1]).mean() / logs.var())
    assert abs(neighbours) < 4 / 4000**0.5


# --- extreme counts ------------------------------------------------------------------------------

EXTREME = {
    "all right": ([50, 50, 50], [50, 50, 50]),
    "all wrong": ([0, 0, 0], [50, 50, 50]),
    "one item": ([1, 0], [1, 1]),
    "one task": ([7], [10]),
    "opposite": ([0, 1000], [1000, 1000]),
    "exactly alike, many items": ([50_000] * 4, [100_000] * 4),
    "very unequal sizes": ([1, 40_000], [2, 73_728]),
}


@pytest.mark.parametrize("case", EXTREME)
@pytest.mark.parametrize("name", ["exponential", "uniform_log", "log_normal"])
def test_extreme_counts_are_integrated(case: str, name: str) -> None:
    given = counts(*EXTREME[case])
    grid = grid_of(given, getattr(Prior, name)())
    hyper = draw_hyper(grid, 2000, np.random.default_rng(0))
    assert grid.error <= 0.01
    assert hyper.effective > 0.95 * 2000
    exact = population_moments(grid)
    assert 0 < exact.mean < 1
    drawn = (hyper.a / (hyper.a + hyper.b)).mean()
    assert drawn == pytest.approx(exact.mean, abs=5 * exact.variance**0.5 / 2000**0.5 + 1e-9)


def test_right_and_wrong_are_mirror_images() -> None:
    one = population_moments(grid_of(counts([3, 9], [10, 12]), Prior.uniform_log()))
    two = population_moments(grid_of(counts([7, 3], [10, 12]), Prior.uniform_log()))
    assert one.mean == pytest.approx(1 - two.mean, abs=1e-5)
    assert one.variance == pytest.approx(two.variance, rel=1e-3)


def test_a_prior_without_an_end_is_refused() -> None:
    with pytest.raises(DataError, match="does not fall off towards large values"):
        grid_of(counts([5, 9], [10, 10]), Prior("shares", lambda a, b: 0.0 * (a + b)))
    with pytest.raises(DataError, match="no finite density"):
        grid_of(counts([5, 9], [10, 10]), Prior("shares", lambda a, b: np.nan * (a + b)))


@settings(max_examples=30, deadline=None)
@given(data=st.data(), tasks=st.integers(1, 5))
def test_posterior_means_lie_between_the_share_and_that_of_the_population(
    data: st.DataObject, tasks: int
) -> None:
    total = [data.draw(st.integers(1, 400)) for _ in range(tasks)]
    right = [data.draw(st.integers(0, n)) for n in total]
    given = counts([float(y) for y in right], [float(n) for n in total])
    grid = grid_of(given, Prior.uniform_log())
    a, b, chance = grid.nodes
    assert chance.sum() == pytest.approx(1.0)
    # Given (a, b) a posterior mean lies between y / n and a / (a + b): so it does on average.
    for j in range(tasks):
        weights = np.zeros(tasks)
        weights[j] = 1.0
        found = share_moments(grid, given, weights)
        share = right[j] / total[j]
        pull = float(chance @ ((a + b) / (a + b + total[j]) * (a / (a + b) - share)))
        assert found.mean == pytest.approx(share + pull, abs=1e-9)
        assert 0 < found.mean < 1
        assert found.variance > 0

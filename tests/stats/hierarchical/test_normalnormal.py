"""The normal-normal model by quadrature: by hand, by brute force, draws, and too few tasks."""

from __future__ import annotations

import numpy as np
import pytest

from rankbars.data.priors import Prior
from rankbars.errors import DataError
from rankbars.stats.hierarchical.normalnormal import (
    Scored,
    draw_new_score,
    draw_scores,
    draw_spread,
    score_moments,
    spread_grid,
    spread_moments,
)

# Rubin's eight schools: effects of coaching and their standard errors.
SCHOOLS = Scored(
    np.array([28, 8, -3, 7, -1, 1, 18, 12.0]), np.array([15, 10, 16, 11, 9, 11, 10, 18.0])
)


def grid_of(scored: Scored, prior: Prior):  # type: ignore[no-untyped-def]
    return spread_grid(scored, prior.log_density, prior.limits)


def test_a_known_spread_gives_the_conjugate_posterior() -> None:
    # tau = 1, errors 1 and 1: the mean of 0 and 4 is 2, with variance (1 + 1) / 2 = 1. Each true
    # score is half-way between its own and the mean: 1 and 3; its variance is 1/2 + 1/4.
    scored = Scored(np.array([0.0, 4.0]), np.array([1.0, 1.0]))
    grid = grid_of(scored, Prior.uniform_log_spread(1.0, 1.0 + 1e-6))
    assert spread_moments(grid, scored) == pytest.approx((2.0, 1.0), rel=1e-5)
    assert spread_moments(grid, scored, new_task=True) == pytest.approx((2.0, 2.0), rel=1e-5)
    first = score_moments(grid, scored, np.array([1.0, 0.0]))
    assert first == pytest.approx((1.0, 0.75), rel=1e-5)
    # Both together: 2, with the variance 1/4 (1/2 + 1/2) + 1/4 of their mean.
    assert score_moments(grid, scored, np.array([0.5, 0.5])) == pytest.approx((2.0, 0.5), rel=1e-5)
    again = score_moments(grid, scored, np.array([0.5, 0.5]), fresh=True)
    assert again == pytest.approx((2.0, 1.0), rel=1e-5)


def test_eight_schools_as_published() -> None:
    """Gelman et al. 2013, section 5.5: posterior means about 11, 8, 6, 8, 5, 6, 10 and 8."""
    grid = grid_of(SCHOOLS, Prior.uniform_spread())
    found = [score_moments(grid, SCHOOLS, row).mean for row in np.eye(8)]
    assert found == pytest.approx([11.4, 7.9, 6.2, 7.7, 5.1, 6.1, 10.7, 8.5], abs=0.3)


@pytest.mark.parametrize(
    "prior",
    [Prior.uniform_spread(), Prior.exponential_spread(5.0), Prior.uniform_log_spread(0.1, 100)],
    ids=lambda prior: prior.words,
)
def test_quadrature_agrees_with_a_dense_grid_of_both_variables(prior: Prior) -> None:
    low, high = prior.limits
    tau = np.exp(np.linspace(np.log(max(low, 1e-4)), np.log(min(high, 1e4)), 2001))[:, None]
    mu = np.linspace(-200, 220, 1501)[None, :]
    log = prior.log_density(tau) + np.log(tau)
    for y, s in zip(*SCHOOLS, strict=True):
        variance = s**2 + tau**2
        log = log - 0.5 * np.log(variance) - 0.5 * (y - mu) ** 2 / variance
    chance = np.exp(log - log.max())
    chance /= chance.sum()
    grid = grid_of(SCHOOLS, prior)
    found = spread_moments(grid, SCHOOLS)
    mean = float((chance * mu).sum())
    assert found.mean == pytest.approx(mean, abs=0.01)
    assert found.variance == pytest.approx(float((chance * (mu - mean) ** 2).sum()), rel=0.01)
    own = tau**2 / (tau**2 + 15**2)
    first = float((chance * (mu + own * (28 - mu))).sum())
    assert score_moments(grid, SCHOOLS, np.eye(8)[0]).mean == pytest.approx(first, abs=0.02)
    assert grid.error < 0.005


def test_draws_agree_with_the_quadrature() -> None:
    rng = np.random.default_rng(0)
    grid = grid_of(SCHOOLS, Prior.uniform_spread())
    hyper = draw_spread(grid, SCHOOLS, 40_000, rng)
    assert hyper.effective > 0.99 * 40_000
    scores = np.array([draw_scores(hyper, y, s, rng) for y, s in zip(*SCHOOLS, strict=True)])
    exact = score_moments(grid, SCHOOLS, np.full(8, 1 / 8))
    assert scores.mean(axis=0).mean() == pytest.approx(exact.mean, abs=0.1)
    assert scores.mean(axis=0).var() == pytest.approx(exact.variance, rel=0.05)
    exact = spread_moments(grid, SCHOOLS)
    assert hyper.mu.mean() == pytest.approx(exact.mean, abs=0.1)
    assert hyper.mu.var() == pytest.approx(exact.variance, rel=0.05)
    exact = spread_moments(grid, SCHOOLS, new_task=True)
    assert draw_new_score(hyper, rng).var() == pytest.approx(exact.variance, rel=0.2)


def test_equal_scores_are_pooled_and_far_ones_are_left_alone() -> None:
    prior = Prior.uniform_spread()
    alike = Scored(np.full(6, 2.0), np.full(6, 1.0))
    far = Scored(np.array([-1e4, -2e3, 0, 3e3, 5e3, 2e4]), np.full(6, 1.0))
    found = score_moments(grid_of(alike, prior), alike, np.eye(6)[0])
    assert found.mean == pytest.approx(2.0)
    assert found.variance < 0.6
    found = score_moments(grid_of(far, prior), far, np.eye(6)[5])
    assert found.mean == pytest.approx(2e4, abs=1e-2)
    assert found.variance == pytest.approx(1.0, rel=1e-3)


def test_two_tasks_are_too_few_for_a_flat_prior_of_the_spread() -> None:
    two = Scored(np.array([0.0, 1.0]), np.array([1.0, 1.0]))
    with pytest.raises(DataError, match="does not fall off towards large values"):
        grid_of(two, Prior.uniform_spread())
    assert spread_moments(grid_of(two, Prior.exponential_spread(1.0)), two).mean == pytest.approx(
        0.5
    )

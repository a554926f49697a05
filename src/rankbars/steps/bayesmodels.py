"""One model's posterior as the average needs it: draws per task, moments, how exact they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankbars.data.priors import Prior
from rankbars.stats.hierarchical.betabinomial import Counts, draw_hyper, share_grid
from rankbars.stats.hierarchical.normalnormal import (
    Scored,
    draw_new_score,
    draw_scores,
    draw_spread,
    score_moments,
    spread_grid,
    spread_moments,
)
from rankbars.stats.hierarchical.sharedraws import (
    Moments,
    draw_fresh,
    draw_new_task,
    draw_shares,
    population_moments,
    share_moments,
)

__all__ = ["FittedModel", "Make", "ScoreModel", "ShareModel"]

Make = Callable[..., np.random.Generator]
"""Random generator for one purpose, by its name."""


class FittedModel(Protocol):
    """The posterior of one model, with draws of what its tasks have in common."""

    @property
    def effective(self) -> float:
        """How many independent draws they are."""

    @property
    def error(self) -> float:
        """Error of the quadrature, in posterior standard deviations."""

    def draw_task(self, position: int, make: Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the score on one of the tasks."""

    def draw_population(self, make: Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the mean over all tasks like these, or of the score on a new one."""

    def moments(self, weights: NDArray[np.float64], *, fresh: bool) -> Moments:
        """Mean and variance of a weighted sum of the scores."""

    def population_moments(self, *, fresh: bool) -> Moments:
        """Mean and variance of the mean over all tasks like these, or of a new one."""


class ShareModel:
    """Beta-binomial: counts of right answers of one model, and draws of (a, b)."""

    def __init__(self, counts: Counts, prior: Prior, draws: int, rng: np.random.Generator) -> None:
        self._counts = counts
        self._grid = share_grid(counts, prior.log_density, prior.limits)
        self._hyper = draw_hyper(self._grid, draws, rng)
        self.effective, self.error = self._hyper.effective, self._grid.error

    def draw_task(self, position: int, make: Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the score on one of the tasks, shape (S,)."""
        right, wrong = self._counts.right[position], self._counts.wrong[position]
        rng = make("share")
        shares = draw_shares(self._hyper, right, wrong, rng)
        return draw_fresh(shares, right + wrong, rng) if fresh else shares

    def draw_population(self, make: Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the mean over all tasks like these, or of the score on a new one."""
        if fresh:
            return draw_new_task(self._hyper, make("new task"))
        return np.asarray(self._hyper.a / (self._hyper.a + self._hyper.b))

    def moments(self, weights: NDArray[np.float64], *, fresh: bool) -> Moments:
        """Mean and variance of a weighted sum of the scores."""
        return share_moments(self._grid, self._counts, weights, fresh=fresh)

    def population_moments(self, *, fresh: bool) -> Moments:
        """Mean and variance of the mean over all tasks like these, or of a new one."""
        return population_moments(self._grid, new_task=fresh)


class ScoreModel:
    """Normal-normal: scores of one model with standard errors, and draws of (mu, tau)."""

    def __init__(self, scored: Scored, prior: Prior, draws: int, rng: np.random.Generator) -> None:
        self._scored = scored
        self._grid = spread_grid(scored, prior.log_density, prior.limits)
        self._hyper = draw_spread(self._grid, scored, draws, rng)
        self.effective, self.error = self._hyper.effective, self._grid.error

    def draw_task(self, position: int, make: Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the score on one of the tasks, shape (S,)."""
        score, se = self._scored.score[position], self._scored.se[position]
        rng = make("score")
        drawn = draw_scores(self._hyper, score, se, rng)
        return drawn + se * rng.standard_normal(drawn.size) if fresh else drawn

    def draw_population(self, make: Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the mean over all tasks like these, or of the score on a new one."""
        return draw_new_score(self._hyper, make("new task")) if fresh else self._hyper.mu

    def moments(self, weights: NDArray[np.float64], *, fresh: bool) -> Moments:
        """Mean and variance of a weighted sum of the scores."""
        return score_moments(self._grid, self._scored, weights, fresh=fresh)

    def population_moments(self, *, fresh: bool) -> Moments:
        """Mean and variance of the mean over all tasks like these, or of a new one."""
        return spread_moments(self._grid, self._scored, new_task=fresh)

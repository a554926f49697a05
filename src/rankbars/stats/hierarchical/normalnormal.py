"""The normal-normal hierarchical model of one model's scores with standard errors, by quadrature.

On task j a model scores y_j with standard error s_j; its true score there is theta_j, and the true
scores of all its tasks come from one normal distribution with mean mu and spread tau. Given tau,
everything is normal; what is left is a density of one variable, the logarithm of tau.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import ConvergenceError
from rankbars.stats.hierarchical.betabinomial import Moments
from rankbars.stats.hierarchical.densities import (
    coarseness,
    draw_cells,
    find_reach,
    midpoints,
    resample,
    spread_out,
)

__all__ = [
    "LogSpread",
    "Scored",
    "SpreadDraws",
    "SpreadGrid",
    "draw_new_score",
    "draw_scores",
    "draw_spread",
    "score_moments",
    "spread_grid",
    "spread_moments",
]

LogSpread: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Log density of tau, up to a constant."""

_NODES = 300
_LARGEST_ERROR = 0.01


class Scored(NamedTuple):
    """Scores of one model on each task and their standard errors, shape (J,)."""

    score: NDArray[np.float64]
    se: NDArray[np.float64]


class SpreadGrid(NamedTuple):
    """Posterior of the log of tau of one model, on a grid.

    Attributes
    ----------
    t : array of float, shape (K,)
        Nodes of the log of tau, evenly spaced.
    probability : array of float, shape (K,)
        Of the cells around the nodes; the sum is 1.
    log_density : callable
        Log density of t, up to the constant `peak`.
    peak : float
        Makes the densities at the nodes add up to 1.
    error : float
        Change of the mean of t when only every third node is kept, in standard deviations.
    """

    t: NDArray[np.float64]
    probability: NDArray[np.float64]
    log_density: LogSpread
    peak: float
    error: float


class SpreadDraws(NamedTuple):
    """Draws of mu and tau, shape (S,), in random order, and how many independent ones they are."""

    mu: NDArray[np.float64]
    tau: NDArray[np.float64]
    effective: float


def spread_grid(
    scored: Scored, log_prior: LogSpread, limits: tuple[float, float] = (0.0, np.inf)
) -> SpreadGrid:
    """Posterior of tau for the scores of one model; mu has a flat prior and integrates out.

    Parameters
    ----------
    scored : Scored
        Scores and standard errors above 0 on J tasks.
    log_prior : callable
        Log density of tau, up to a constant.
    limits : (float, float)
        Ends of tau under the prior; 0 and infinity for none.

    Raises
    ------
    DataError
        If the posterior does not fall off: under a flat prior of tau, with fewer than 3 tasks.
    ConvergenceError
        If a grid of several thousand nodes is too coarse.

    Notes
    -----
    With weights ``w_j = 1 / (s_j**2 + tau**2)``, their sum W and the weighted mean m, the density
    of tau is ``prior(tau) W**(-1/2) prod_j w_j**(1/2) exp(-w_j (y_j - m)**2 / 2)``.

    References
    ----------
    Gelman et al. 2013, *Bayesian Data Analysis*, section 5.4; Gelman 2006, *Bayesian Analysis* 1,
    for the flat prior of tau.
    """

    def density(t: NDArray[np.float64]) -> NDArray[np.float64]:
        tau = np.exp(t)
        _, precision, misfit, logs = _given(scored, tau)
        likelihood = 0.5 * (logs - np.log(precision) - misfit)
        return np.asarray(likelihood + log_prior(tau) + t)

    unit = float(np.log(max(float(np.ptp(scored.score)), float(scored.se.max()))))
    low = unit - 40.0 if limits[0] <= 0 else float(np.log(limits[0]))
    high = unit + 40.0 if np.isinf(limits[1]) else float(np.log(limits[1]))
    what = "spread of the true scores between tasks"
    reach = find_reach(density, low, high, (limits[0] > 0, np.isfinite(limits[1])), what)
    nodes = _NODES
    for _ in range(3):
        t = midpoints(*reach, nodes)
        values = density(t)
        peak = float(values.max())
        probability = np.exp(values - peak)
        total = float(probability.sum())
        error = coarseness(t, probability)
        if error <= _LARGEST_ERROR:
            return SpreadGrid(t, probability / total, density, peak + float(np.log(total)), error)
        nodes *= 3
    raise ConvergenceError.after(
        "The quadrature", nodes // 3, error, _LARGEST_ERROR, "Is the prior smooth?"
    )


def draw_spread(
    grid: SpreadGrid, scored: Scored, draws: int, rng: np.random.Generator
) -> SpreadDraws:
    """Draws of (mu, tau) from their posterior: stratified over the grid, not from a chain.

    Parameters
    ----------
    grid : SpreadGrid
        The posterior of tau.
    scored : Scored
        Scores and standard errors.
    draws : int
        How many.
    rng : Generator
        Source of random numbers.
    """
    count = grid.t.size
    place = spread_out(draw_cells(grid.probability, draws, rng), count, rng)
    t = grid.t[0] + (grid.t[1] - grid.t[0]) * place
    between = np.interp(place, np.arange(count), grid.probability)
    weights = np.exp(grid.log_density(t) - grid.peak) / between
    weights /= weights.max()
    kept, effective = resample(weights, rng)
    tau = np.exp(t[kept])
    mean, precision, _, _ = _given(scored, tau)
    mu = mean + rng.standard_normal(draws) / np.sqrt(precision)
    return SpreadDraws(mu, tau, effective)


def draw_scores(
    hyper: SpreadDraws, score: float, se: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draws of a model's true score on one task, given draws of (mu, tau): exact, shape (S,)."""
    variance = np.square(hyper.tau)
    own = variance / (variance + se**2)
    mean = hyper.mu + own * (score - hyper.mu)
    return np.asarray(mean + np.sqrt(own) * se * rng.standard_normal(hyper.mu.size))


def draw_new_score(hyper: SpreadDraws, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draws of a model's true score on a new task like these, shape (S,)."""
    return np.asarray(hyper.mu + hyper.tau * rng.standard_normal(hyper.mu.size))


def score_moments(
    grid: SpreadGrid, scored: Scored, weights: NDArray[np.float64], *, fresh: bool = False
) -> Moments:
    """Mean and variance of a weighted sum of a model's true scores, by quadrature.

    Parameters
    ----------
    grid : SpreadGrid
        Posterior of tau.
    scored : Scored
        Scores and standard errors.
    weights : array of float, shape (J,)
        Weights of the scores.
    fresh : bool
        Of the scores that would be measured again with the same standard errors instead.
    """
    tau, chance = np.exp(grid.t), grid.probability
    mean, precision, _, _ = _given(scored, tau)
    variance = np.square(tau)[:, None]
    own = variance / (variance + np.square(scored.se))  # share of the task's own score
    sums = (mean[:, None] + own * (scored.score - mean[:, None])) @ weights
    inner = (own * np.square(scored.se)) @ np.square(weights)
    inner += np.square((1.0 - own) @ weights) / precision  # mu is not known either
    center = float(chance @ sums)
    spread = float(chance @ (inner + np.square(sums - center)))
    if fresh:
        spread += float(np.square(weights * scored.se).sum())
    return Moments(center, spread)


def spread_moments(grid: SpreadGrid, scored: Scored, *, new_task: bool = False) -> Moments:
    """Mean and variance of mu, or of the true score on a new task."""
    tau, chance = np.exp(grid.t), grid.probability
    mean, precision, _, _ = _given(scored, tau)
    center = float(chance @ mean)
    inner = 1.0 / precision + (np.square(tau) if new_task else 0.0)
    return Moments(center, float(chance @ (inner + np.square(mean - center))))


def _given(scored: Scored, tau: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """For each tau: mean and precision of mu, misfit of the scores, log product of the weights."""
    weights = 1.0 / (np.square(scored.se) + np.square(tau)[:, None])
    precision = weights.sum(axis=1)
    mean = weights @ scored.score / precision
    misfit = (weights * np.square(scored.score - mean[:, None])).sum(axis=1)
    return mean, precision, misfit, np.log(weights).sum(axis=1)

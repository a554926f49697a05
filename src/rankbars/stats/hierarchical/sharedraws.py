"""What the beta-binomial model says of averages: moments by quadrature, and exact draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.hierarchical.betabinomial import Counts, Hyperdraws, ShareGrid

__all__ = [
    "Moments",
    "draw_fresh",
    "draw_new_task",
    "draw_shares",
    "population_moments",
    "share_moments",
]


class Moments(NamedTuple):
    """Mean and variance of one number under the posterior."""

    mean: float
    variance: float


def share_moments(
    grid: ShareGrid, counts: Counts, weights: NDArray[np.float64], *, fresh: bool = False
) -> Moments:
    """Mean and variance of a weighted sum of a model's true shares, by quadrature.

    Parameters
    ----------
    grid : ShareGrid
        Posterior of (a, b).
    counts : Counts
        Right and wrong answers on J tasks.
    weights : array of float, shape (J,)
        Weights of the shares.
    fresh : bool
        Of the shares of right answers on fresh items instead, as many as were answered.

    Examples
    --------
    >>> from rankbars.stats.hierarchical.betabinomial import share_grid
    >>> counts = Counts(np.array([5.0, 9.0]), np.array([5.0, 1.0]))
    >>> grid = share_grid(counts, lambda a, b: -a - b)
    >>> round(share_moments(grid, counts, np.array([0.5, 0.5])).mean, 3)
    0.686
    """
    a, b, chance = grid.nodes
    total = counts.right + counts.wrong
    size = (a + b)[:, None] + total
    mean = (a[:, None] + counts.right) / size
    noise = mean * (1.0 - mean)
    inner = noise / (size + 1.0)
    if fresh:  # the variance of a beta-binomial share
        inner = inner * (size + total) / total
    sums = mean @ weights
    center = float(chance @ sums)
    within = float(chance @ (inner @ np.square(weights)))
    return Moments(center, within + float(chance @ np.square(sums - center)))


def population_moments(grid: ShareGrid, *, new_task: bool = False) -> Moments:
    """Mean and variance of the mean share of all tasks like these, or of the share on a new one."""
    a, b, chance = grid.nodes
    mean = a / (a + b)
    center = float(chance @ mean)
    inner = mean * (1.0 - mean) / (a + b + 1.0) if new_task else np.zeros(mean.shape)
    return Moments(center, float(chance @ (inner + np.square(mean - center))))


def draw_shares(
    hyper: Hyperdraws, right: float, wrong: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draws of a model's true share on one task, given draws of (a, b): exact, shape (S,)."""
    return rng.beta(hyper.a + right, hyper.b + wrong)


def draw_fresh(
    shares: NDArray[np.float64], total: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Shares of right answers on as many fresh items of the task, shape (S,)."""
    return np.asarray(rng.binomial(int(total), shares) / total)


def draw_new_task(hyper: Hyperdraws, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draws of a model's true share on a new task like these, shape (S,)."""
    return rng.beta(hyper.a, hyper.b)

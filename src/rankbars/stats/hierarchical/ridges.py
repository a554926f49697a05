"""The density of a model's mean share and concentration, and where it is largest for each.

The variables are u, the logit of the mean ``a / (a + b)``, and t, the logarithm of ``a + b``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankbars.stats.hierarchical.gammas import Smooth, fit_smooth, log_rising, log_rising_slope
from rankbars.stats.hierarchical.grids import DEPTH

__all__ = ["Counts", "LogDensity", "LogPrior", "Point", "Ridge", "fast_density", "point"]

LogPrior: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""Log density of (a, b), up to a constant."""

LogDensity: TypeAlias = Callable[["Point"], NDArray[np.float64]]
"""Log density of (u, t), up to a constant."""

_FARTHEST = 700.0
"""Logit beyond which a share is 0 or 1 in double precision."""

_CLIMBS = 20
_NEAR = 0.05  # step, in widths, after which a climb has arrived: the next one would be far smaller
_WIDTH = 2e-4  # of a difference that stands for a derivative
_NEAR_STEPS = np.array([4.0, 5, 6, 7, 8, 10, 12])
_FAR_STEPS = np.array([12.0, 16, 20, 26, 34, 44, 60, 90])
_EVERY = 6  # rows between those that are followed sideways: how far changes slowly


class Point(NamedTuple):
    """Log of a, of b and of ``a + b``; shapes that broadcast."""

    log_a: NDArray[np.float64]
    log_b: NDArray[np.float64]
    t: NDArray[np.float64]


class Counts(NamedTuple):
    """Right and wrong answers of one model on each task, shape (J,)."""

    right: NDArray[np.float64]
    wrong: NDArray[np.float64]


def point(u: NDArray[np.float64], t: NDArray[np.float64]) -> Point:
    """Where the logit of the mean is u and the log concentration t."""
    log_a = special.log_expit(u) + t
    return Point(log_a, log_a - u, t)


def _prior_on_logits(prior: LogPrior, at: Point) -> NDArray[np.float64]:
    """The prior as a density of (u, t): da db = a b du dt."""
    return np.asarray(prior(np.exp(at.log_a), np.exp(at.log_b)) + at.log_a + at.log_b)


def _exact_density(counts: Counts, prior: LogPrior) -> LogDensity:
    """The posterior density of (u, t), every task by itself."""
    total = counts.right + counts.wrong

    def density(at: Point) -> NDArray[np.float64]:
        likelihood = log_rising(np.exp(at.log_a), counts.right)
        likelihood += log_rising(np.exp(at.log_b), counts.wrong)
        likelihood -= log_rising(np.exp(at.t), total)
        return np.asarray(likelihood + _prior_on_logits(prior, at))

    return density


def fast_density(
    counts: Counts, prior: LogPrior, u: NDArray[np.float64], t: NDArray[np.float64]
) -> LogDensity:
    """The same within a grid, its three sums over tasks replaced by series.

    Parameters
    ----------
    counts : Counts
        Right and wrong answers.
    prior : callable
        Log density of (a, b).
    u : array of float, shape (K, L)
        Logits of the nodes.
    t : array of float, shape (K, 1)
        Their log concentrations.
    """
    margin = 0.5 * float(t[1, 0] - t[0, 0])
    edge = np.stack([u[:, 0] - 0.5, u[:, -1] + 0.5], axis=1)

    def series(logs: NDArray[np.float64], values: NDArray[np.float64]) -> Smooth:
        low, high = float(logs.min()) - margin - 0.5, float(logs.max()) + margin + 0.5
        return fit_smooth(lambda s: log_rising(np.exp(s), values), low, high)

    ends = point(edge, t)
    right, wrong = series(ends.log_a, counts.right), series(ends.log_b, counts.wrong)
    both = series(t, counts.right + counts.wrong)

    def density(at: Point) -> NDArray[np.float64]:
        found = _prior_on_logits(prior, at)
        found += right(at.log_a)
        found += wrong(at.log_b)
        found -= both(at.t)
        return found

    return density


class Ridge:
    """For each t, the u where the density is largest, and the unit of its width there.

    A climb starts from where the one before ended: searches come back to the same part of t.
    """

    def __init__(self, counts: Counts, prior: LogPrior) -> None:
        self._counts, self._prior = counts, prior
        self._exact = _exact_density(counts, prior)
        right = counts.right.sum()
        start = special.logit((right + 0.5) / (right + counts.wrong.sum() + 1.0))
        self._t, self._centre = np.zeros(1), np.array([float(start)])

    def density(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log density of t, nearly: the density on the ridge times the unit of its width."""
        centre, scale = self.climb(t)
        return np.asarray(self._exact(point(centre, t)) + np.log(scale))

    def climb(self, t: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Centres and units, near enough to build on, shape (K,) each."""
        u, scale = np.interp(t, self._t, self._centre), np.ones(t.shape)
        for _ in range(_CLIMBS):
            here, bend = self._slope(u, t)
            down = bend < 0
            scale = np.where(down, 1.0 / np.sqrt(np.where(down, -bend, 1.0)), 1.0)
            step = np.clip(np.where(down, here * np.square(scale), np.sign(here)), -2.0, 2.0)
            u = np.clip(u + step, -_FARTHEST, _FARTHEST)
            if (np.abs(step) <= _NEAR * scale).all():
                break
        self._t, self._centre = t, u
        return u, np.clip(scale, 1e-8, 4.0)

    def _slope(
        self, u: NDArray[np.float64], t: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """First and second derivative of the log density by u, both for a point or two nearby."""
        near = u + 0.5 * _WIDTH * np.array([[-1.0], [1.0]])
        place = point(near, t)
        a, b = np.exp(place.log_a), np.exp(place.log_b)
        rising = log_rising_slope(a, self._counts.right) - log_rising_slope(b, self._counts.wrong)
        left, right = a * special.expit(-near) * rising
        around = point(u + _WIDTH * np.array([[-1.0], [0.0], [1.0]]), t)
        prior = _prior_on_logits(self._prior, around)
        slope = (left + right) / 2.0 + (prior[2] - prior[0]) / (2.0 * _WIDTH)
        bend = (right - left) / _WIDTH + (prior[2] - 2.0 * prior[1] + prior[0]) / _WIDTH**2
        return slope, bend

    def sideways(
        self, t: NDArray[np.float64], centre: NDArray[np.float64], scale: NDArray[np.float64]
    ) -> tuple[float, float]:
        """How far u has to be followed to either side, in its unit, until nothing is left."""
        some = slice(_EVERY // 2, None, _EVERY)
        t, centre, scale = (values[some, None] for values in (t, centre, scale))

        def depth(steps: NDArray[np.float64]) -> NDArray[np.float64]:
            u = np.clip(centre + scale * steps, -_FARTHEST, _FARTHEST)
            return np.asarray((self._exact(point(u, t)) + np.log(scale)).max(axis=0))

        lowest = float(depth(np.zeros(1))[0]) - DEPTH
        ends = []
        for sign in (-1.0, 1.0):
            for steps in (_NEAR_STEPS, _FAR_STEPS):
                inside = np.flatnonzero(depth(sign * steps) > lowest)
                beyond = int(inside[-1]) + 1 if inside.size else 0
                if beyond < steps.size:
                    break
            ends.append(sign * float(steps[min(beyond, steps.size - 1)]))
        return ends[0], ends[1]

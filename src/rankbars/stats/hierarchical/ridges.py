"""The density of a model's mean share and concentration, and where it is largest for each.

The variables are u, the logit of the mean ``a / (a + b)``, and t, the logarithm of ``a + b``. Sums
of log-gamma differences, the costly part of the likelihood, are made cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy import special

from rankbars.errors import ConvergenceError
from rankbars.stats.hierarchical.densities import DEPTH

__all__ = [
    "Counts",
    "LogDensity",
    "LogPrior",
    "Point",
    "Ridge",
    "Smooth",
    "fast_density",
    "fit_smooth",
    "log_rising",
    "log_rising_slope",
    "point",
]

_LARGE = 1e5
_TOLERANCE = 1e-8
_DEGREES = (32, 64, 128, 256, 512)


def log_rising(x: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over `counts` y of ``log Gamma(x + y) - log Gamma(x)``.

    Parameters
    ----------
    x : array of float
        Positive values.
    counts : array of float, shape (J,)
        Values of 0 or more.

    Returns
    -------
    array of float
        The shape of `x`.

    Notes
    -----
    Where x is large, the two log-gammas agree in most of their digits; there the difference is
    written out by Stirling's series, whose next term is below ``1 / (360 x**3)``.

    Examples
    --------
    >>> log_rising(np.array([2.0]), np.array([3.0])).round(6)  # log (2 * 3 * 4)
    array([3.178054])
    """
    x = np.asarray(x, dtype=np.float64)
    large = x > _LARGE
    if not large.any():
        return _by_gammas(x, counts)
    total = np.empty(x.shape)
    total[~large] = _by_gammas(x[~large], counts)
    total[large] = _by_stirling(x[large], counts)
    return total


def _by_gammas(x: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    above = special.gammaln(x[..., None] + counts).sum(axis=-1)
    return np.asarray(above - counts.size * special.gammaln(x))


def _by_stirling(x: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    far = x[..., None]
    end = far + counts
    terms = (end - 0.5) * np.log1p(counts / far)
    terms += counts * (np.log(far) - 1.0) + (1.0 / end - 1.0 / far) / 12.0
    return np.asarray(terms.sum(axis=-1))


def log_rising_slope(x: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Derivative of `log_rising` by x.

    Examples
    --------
    >>> log_rising_slope(np.array([2.0]), np.array([3.0])).round(6)  # 1/2 + 1/3 + 1/4
    array([1.083333])
    """
    above = special.psi(x[..., None] + counts).sum(axis=-1)
    return np.asarray(above - counts.size * special.psi(x))


class Smooth(NamedTuple):
    """A smooth function on an interval, as a Chebyshev series.

    Attributes
    ----------
    low, high : float
        Ends of the interval.
    coefficients : array of float
        Of the series in ``2 (t - low) / (high - low) - 1``.
    """

    low: float
    high: float
    coefficients: NDArray[np.float64]

    def __call__(self, t: NDArray[np.float64]) -> NDArray[np.float64]:
        """Its values."""
        unit = np.multiply(t, 2.0 / (self.high - self.low))
        unit -= (self.low + self.high) / (self.high - self.low)
        return _sum_series(unit, self.coefficients)


def _sum_series(x: NDArray[np.float64], terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Clenshaw's recurrence without new arrays, which NumPy's own makes for every term."""
    twice, one, two, spare = 2.0 * x, np.zeros(x.shape), np.zeros(x.shape), np.empty(x.shape)
    for term in terms[:0:-1]:
        np.multiply(twice, one, out=spare)
        spare += term
        spare -= two
        one, two, spare = spare, one, two
    one *= x
    one -= two
    one += terms[0]
    return one


@cache
def _nodes(degree: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where a series of this degree meets its function, and what turns values into terms."""
    points = np.asarray(chebyshev.chebpts1(degree + 1), dtype=np.float64)
    # Discrete orthogonality of the polynomials at these points.
    transform = np.asarray(chebyshev.chebvander(points, degree).T, dtype=np.float64)
    transform = transform * (2.0 / (degree + 1))
    transform[0] /= 2.0
    for values in (points, transform):
        values.flags.writeable = False
    return points, transform


def fit_smooth(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]], low: float, high: float
) -> Smooth:
    """Chebyshev series of a smooth function, exact to about 1e-8 of its size or better.

    Parameters
    ----------
    function : callable
        Takes and returns arrays.
    low, high : float
        Ends of the interval.

    Raises
    ------
    ConvergenceError
        If 512 terms are not enough.

    Examples
    --------
    >>> series = fit_smooth(np.exp, 0.0, 2.0)
    >>> series(np.array([1.0])).round(6)
    array([2.718282])
    """
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    last = np.inf
    for degree in _DEGREES:
        points, transform = _nodes(degree)
        found = transform @ function(middle + half * points)
        size = max(1.0, 1e-6 * float(np.abs(found).max()))
        last = float(np.abs(found[-4:]).max()) / size
        if last <= _TOLERANCE:
            kept = np.flatnonzero(np.abs(found) > 0.1 * _TOLERANCE * size)
            return Smooth(low, high, found[: int(kept[-1]) + 1 if kept.size else 1])
    raise ConvergenceError.after(
        "The series of a likelihood", _DEGREES[-1], last, _TOLERANCE, "Is the prior very wide?"
    )


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

"""Sums of log-gamma differences, the costly part of a beta-binomial likelihood, made cheap."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy import special

from rankbars.errors import ConvergenceError

__all__ = ["Smooth", "fit_smooth", "log_rising", "log_rising_slope"]

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

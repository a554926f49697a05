"""Sums of log-gamma differences, the costly part of a beta-binomial likelihood, made cheap."""

from __future__ import annotations

from collections.abc import Callable
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
    total = np.empty(x.shape)
    large = x > _LARGE
    near = x[~large][..., None]
    total[~large] = (special.gammaln(near + counts) - special.gammaln(near)).sum(axis=-1)
    far = x[large][..., None]
    end = far + counts
    total[large] = (
        (end - 0.5) * np.log1p(counts / far)
        + counts * (np.log(far) - 1.0)
        + (1.0 / end - 1.0 / far) / 12.0
    ).sum(axis=-1)
    return total


def log_rising_slope(x: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Derivative of `log_rising` by x.

    Examples
    --------
    >>> log_rising_slope(np.array([2.0]), np.array([3.0])).round(6)  # 1/2 + 1/3 + 1/4
    array([1.083333])
    """
    wide = x[..., None]
    return np.asarray((special.psi(wide + counts) - special.psi(wide)).sum(axis=-1))


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
        unit = (2.0 * t - (self.low + self.high)) / (self.high - self.low)
        return np.asarray(chebyshev.chebval(unit, self.coefficients))


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
        points = chebyshev.chebpts1(degree + 1)
        values = function(middle + half * points)
        # Discrete orthogonality of the polynomials at these points.
        found = chebyshev.chebvander(points, degree).T @ values * (2.0 / (degree + 1))
        found[0] /= 2.0
        size = max(1.0, 1e-6 * float(np.abs(found).max()))
        last = float(np.abs(found[-4:]).max()) / size
        if last <= _TOLERANCE:
            kept = np.flatnonzero(np.abs(found) > 1e-3 * _TOLERANCE * size)
            return Smooth(low, high, found[: int(kept[-1]) + 1 if kept.size else 1])
    raise ConvergenceError.after(
        "The series of a likelihood", _DEGREES[-1], last, _TOLERANCE, "Is the prior very wide?"
    )

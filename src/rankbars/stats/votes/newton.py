"""Newton's method for concave functions: one driver for every fit of votes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from rankbars.errors import ConvergenceError, DataError

__all__ = ["Height", "Peak", "factorise", "maximise", "solve"]

MOST_ITERATIONS = 100
"""A connected board takes under ten."""

_MOST_HALVINGS = 40
_ROUNDING = 1e-14
_LONGEST_REACH = 5.0  # beyond, the second derivatives at the start of the step say little
_CERTAIN_REACH = 0.1
_SMALL_REACH = 1e-5


class Height(NamedTuple):
    """A function at one point.

    Attributes
    ----------
    value : float
        The function.
    gradient : ndarray, shape (D,)
        Its gradient.
    information : callable
        Gives minus the Hessian, shape (D, D), made positive definite; only the upper triangle
        counts. Called where it is needed and not at every point.
    """

    value: float
    gradient: NDArray[np.float64]
    information: Callable[[], NDArray[np.float64]]


class Peak(NamedTuple):
    """Where a function is largest.

    Attributes
    ----------
    point : ndarray, shape (D,)
        The place.
    height : Height
        The function there.
    iterations : int
        Newton steps taken.
    """

    point: NDArray[np.float64]
    height: Height
    iterations: int


def maximise(
    evaluate: Callable[[NDArray[np.float64]], Height],
    start: NDArray[np.float64],
    tolerance: NDArray[np.float64],
    reach: Callable[[NDArray[np.float64]], float],
) -> Peak:
    """Place of the largest value of a concave function.

    Parameters
    ----------
    evaluate : callable
        The function with its derivatives.
    start : ndarray, shape (D,)
        First point.
    tolerance : ndarray, shape (D,)
        Largest size of each component of the gradient at the end.
    reach : callable
        ``reach(step)``: by how much a step moves any linear predictor.

    Returns
    -------
    Peak
        A point with its gradient within the tolerance.

    Raises
    ------
    DataError
        If there is no single largest value: the function rises for ever in some direction, or does
        not depend on it.
    ConvergenceError
        If the rule is not reached for another reason.

    Notes
    -----
    A step moves no predictor by more than 5, and is halved while it lowers the function.
    A small gradient alone does not prove a peak: a logistic likelihood that rises for ever has a
    gradient that falls below any bound. But there the Newton step moves some predictor by 1 or
    more, at every point. Take a direction ``v`` of ascent: ``g'v`` is the sum over the votes of
    ``w (1 - p) |z'v|``, and it is also ``step' H v``, which is at most ``reach(step)`` times the
    sum of ``w p (1 - p) |z'v|``. So the end needs a small reach too, which proves the peak.

    Examples
    --------
    >>> def parabola(x):
    ...     return Height(-float(x @ x), -2 * x, lambda: 2 * np.eye(1))
    >>> peak = maximise(parabola, np.ones(1), np.full(1, 1e-9), lambda step: float(abs(step[0])))
    >>> peak.point.round(12).tolist(), peak.iterations
    ([0.0], 2)
    """
    point, here = start, evaluate(start)
    # A fall of the sum of all terms within its rounding is none.
    slack = _ROUNDING * abs(here.value)
    for iteration in range(MOST_ITERATIONS):
        step, damped = _find_step(here)
        excess, moved = _excess(here, tolerance), reach(step)
        if excess <= 1 and damped:
            raise DataError(_NO_PEAK)
        if excess <= 1 and moved <= _CERTAIN_REACH:
            # The step is there already, and takes the last digits if there are more to take.
            beyond = evaluate(point + step)
            left = _excess(beyond, tolerance)
            if left > excess:
                return Peak(point, here, iteration)
            if moved <= _SMALL_REACH or left > excess / 2:
                return Peak(point + step, beyond, iteration + 1)
        share = min(1.0, _LONGEST_REACH / moved) if moved > 0 else 1.0
        point, here = _climb(evaluate, point, share * step, here.value - slack)
    if _excess(here, tolerance) <= 1:
        raise DataError(_NO_PEAK)
    worst = int(np.argmax(np.abs(here.gradient) / tolerance))
    raise ConvergenceError.after(
        "The fit",
        MOST_ITERATIONS,
        float(abs(here.gradient[worst])),
        float(tolerance[worst]),
        "Look for columns of very different size or weights that differ by many orders.",
    )


def factorise(information: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cholesky factor of a positive definite matrix; the matrix is overwritten.

    Parameters
    ----------
    information : ndarray, shape (D, D)
        Its upper triangle counts.

    Returns
    -------
    ndarray, shape (D, D)
        Factor for `solve`.

    Raises
    ------
    DataError
        If the matrix is not positive definite.

    Examples
    --------
    >>> factor = factorise(np.array([[4.0, 2.0], [0.0, 3.0]]))
    >>> solve(factor, np.array([2.0, 3.0])).round(12).tolist()
    [0.0, 1.0]
    """
    factor = _cholesky(information)
    if factor is None:
        raise DataError(_NO_PEAK)
    return factor


def solve(factor: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solution of a linear system from its Cholesky factor.

    Parameters
    ----------
    factor : ndarray, shape (D, D)
        What `factorise` returned.
    right : ndarray, shape (D,) or (D, k)
        Right-hand sides.

    Returns
    -------
    ndarray
        Same shape as `right`.

    Examples
    --------
    >>> solve(factorise(np.array([[2.0]])), np.array([3.0])).round(12).tolist()
    [1.5]
    """
    solution: NDArray[np.float64] = lapack.dpotrs(factor, right, lower=1)[0]
    return solution


_NO_PEAK = (
    "The votes have no best fit: some strengths or effects can grow for ever or do not show in the "
    "votes. Look for models that always win under some value of a covariate, and for covariates "
    "that follow from the models or from each other; leave those out."
)


def _excess(height: Height, tolerance: NDArray[np.float64]) -> float:
    """Largest component of the gradient as a multiple of what is allowed."""
    return float(np.max(np.abs(height.gradient) / tolerance, initial=0.0))


def _find_step(here: Height) -> tuple[NDArray[np.float64], bool]:
    """Newton step, and whether it was damped because the information is singular in floats.

    Far from the peak that happens without harm: a pair that always wins has no curvature left.
    """
    factor = _cholesky(here.information())
    if factor is not None:
        return solve(factor, here.gradient), False
    top = here.information().diagonal().max()
    if not top > 0:
        raise DataError(_NO_PEAK)
    damping = 1e-14 * top
    while factor is None:
        information = here.information()
        places = np.arange(information.shape[0])
        information[places, places] += damping
        factor = _cholesky(information)
        damping *= 10
    return solve(factor, here.gradient), True


def _cholesky(information: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Factor of a matrix, which is overwritten, or None."""
    # The upper triangle in rows is the lower one in columns, which LAPACK takes without a copy.
    factor, failed = lapack.dpotrf(information.T, lower=1, clean=0, overwrite_a=1)
    return None if failed else factor


def _climb(
    evaluate: Callable[[NDArray[np.float64]], Height],
    point: NDArray[np.float64],
    step: NDArray[np.float64],
    floor: float,
) -> tuple[NDArray[np.float64], Height]:
    """Next point and height; the step is halved until the function does not fall."""
    share = 1.0
    for _ in range(_MOST_HALVINGS):
        beyond = evaluate(point + share * step)
        if beyond.value >= floor:
            return point + share * step, beyond
        share /= 2
    raise ConvergenceError(
        f"The fit is stuck: {_MOST_HALVINGS} halvings of a step found no better point. Look for "
        "columns of very different size or weights that differ by many orders."
    )

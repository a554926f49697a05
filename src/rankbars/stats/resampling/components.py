"""Variance between tasks and within them: two levels, each counted once.

With N tasks, the variance of a mean over tasks is ``between / N + within / N``, where `within` is
the mean squared standard error of the task means. The sample variance of the task means estimates
``between + within``: it contains the item noise already. With weights w that add up to 1,
``sum(w^2)`` takes the place of ``1 / N``, and the mean in `within` is taken with weights ``w^2``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Components", "split_variance", "weigh_components"]


class Components(NamedTuple):
    """Where the variance of an average over a population of tasks comes from.

    Attributes
    ----------
    between : array of float
        Variance of the true task scores; 0 where the item noise alone explains what is seen.
    within : array of float
        Mean squared standard error of a task mean; with weights, the mean by squared weights.
    variance : array of float
        Squared standard error of the average: ``(between + within) / N``; with weights
        ``(between + within) * sum(w^2)``.
    """

    between: NDArray[np.float64]
    within: NDArray[np.float64]
    variance: NDArray[np.float64]


def split_variance(
    spread: NDArray[np.float64], noise: NDArray[np.float64], count: int
) -> Components:
    """Variance between and within tasks, and that of the average.

    Parameters
    ----------
    spread : array of float
        Sample variance of the task means (denominator N - 1); any shape.
    noise : array of float
        Mean over tasks of the squared standard errors of the task means, same shape.
    count : int
        Number of tasks N.

    Returns
    -------
    Components
        The squared standard error is ``spread / N``, and never below ``noise / N``: what the
        items alone are known to contribute.

    Examples
    --------
    >>> found = split_variance(np.array([0.09, 0.01]), np.array([0.04, 0.04]), 10)
    >>> found.between.round(3).tolist(), found.variance.round(4).tolist()
    ([0.05, 0.0], [0.009, 0.004])
    """
    between = np.maximum(spread - noise, 0.0)
    return Components(between, noise, (between + noise) / count)


def weigh_components(
    found: Components, noise: NDArray[np.float64], weights: NDArray[np.float64]
) -> Components:
    """The components of a weighted average over tasks that are one sample, whatever their weight.

    Parameters
    ----------
    found : Components
        Those of the plain average.
    noise : array of float
        Sum over tasks of squared weight times squared standard error: what the items alone
        contribute to the variance of the weighted average. Same shape as its parts.
    weights : array of float, shape (N,)
        Positive weights that add up to 1.

    Examples
    --------
    >>> plain = split_variance(np.array([0.09]), np.array([0.04]), 2)
    >>> made = weigh_components(plain, np.array([0.025]), np.array([0.75, 0.25]))
    >>> made.within.round(3).tolist(), made.variance.round(5).tolist()
    ([0.04], [0.05625])
    """
    factor = float(np.square(weights).sum())
    return Components(found.between, noise / factor, found.between * factor + noise)

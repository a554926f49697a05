"""Means over tasks: their variance between tasks and within, and the bootstrap over whole tasks.

With N tasks, the variance of a mean over tasks is ``between / N + within / N``, where `within` is
the mean squared standard error of the task means. The sample variance of the task means estimates
``between + within``: it contains the item noise already. With weights w that add up to 1,
``sum(w^2)`` takes the place of ``1 / N``, and the mean in `within` is taken with weights ``w^2``.
For the same reason items are not resampled when tasks are: that would count their noise twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.pairwise.scorerows import find_copies
from rankbars.stats.resampling.distributions import Streams, count_blocks

__all__ = [
    "Components",
    "Ends",
    "StudentisedDraws",
    "fewest_draws",
    "percentile_ends",
    "resample_tasks",
    "split_variance",
    "studentised_ends",
    "weigh_components",
]


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


_CANCELLED = 1e-13


class Ends(NamedTuple):
    """Ends of the interval of each model, shape (M,)."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


class StudentisedDraws(NamedTuple):
    """Bootstrap draws of the average of tasks.

    Attributes
    ----------
    values : array of float, shape (S, M)
        Average over the resampled tasks.
    errors : array of float, shape (S, M)
        Its standard error in the same resample.
    """

    values: NDArray[np.float64]
    errors: NDArray[np.float64]


def resample_tasks(
    rows: NDArray[np.float64],
    streams: Streams,
    draws: int,
    weights: NDArray[np.float64] | None = None,
) -> StudentisedDraws:
    """Average of resampled tasks and its standard error, the same tasks for all models.

    Parameters
    ----------
    rows : array of float, shape (N, M)
        Complete scores, one row per task.
    streams : callable
        Random generator of each chunk of 256 draws.
    draws : int
        Number of resamples S.
    weights : array of float, shape (N,), optional
        Positive weights; a resample is averaged with the weights of the tasks in it.

    Examples
    --------
    >>> rows = np.array([[0.1], [0.2], [0.4], [0.9]])
    >>> made = resample_tasks(rows, lambda chunk: np.random.default_rng(chunk), 2000)
    >>> print(f"{made.values.std():.2f}")
    0.15
    """
    count, size = rows.shape
    weight = np.ones(count) if weights is None else weights / weights.mean()
    centre = weight @ rows / count
    centred = rows - centre
    parts = [weight[:, None] * centred, np.square(weight)[:, None] * np.square(centred)]
    parts.append(np.square(weight)[:, None] * centred)
    values, errors = np.empty((draws, size)), np.empty((draws, size))
    for block, counts in count_blocks(streams, count, draws):
        times = counts.astype(np.float64)
        total = (times @ weight)[:, None]
        mean = (times @ parts[0]) / total
        # Sum of the squared weighted residuals around the mean of the resample.
        around = times @ parts[1] + np.square(mean) * (times @ np.square(weight))[:, None]
        squares = around - 2 * mean * (times @ parts[2])
        squares[squares <= _CANCELLED * around] = 0.0  # one task drawn every time
        values[block] = centre + mean
        errors[block] = np.sqrt(squares / np.square(total) * count / max(count - 1, 1))
    for group in find_copies(rows, centre):
        values[:, group] = values[:, group[:1]]
        errors[:, group] = errors[:, group[:1]]
    return StudentisedDraws(values, errors)


def fewest_draws(alpha: float) -> int:
    """Draws that it takes to count both ends of an interval at level ``1 - alpha`` in them.

    With S draws of the same distribution, a further one lies beyond all of them on one side with
    probability ``1 / (S + 1)``; that must be ``alpha / 2`` at most.

    Examples
    --------
    >>> fewest_draws(0.05), fewest_draws(0.01)
    (39, 199)
    """
    return int(np.ceil(2.0 / alpha - 1e-9)) - 1


def percentile_ends(values: NDArray[np.float64], alpha: float) -> Ends:
    """Central share ``1 - alpha`` of the draws of each model.

    Parameters
    ----------
    values : array of float, shape (S, M)
        Draws.
    alpha : float
        Share outside, both ends together.

    Notes
    -----
    With few tasks too narrow: at nominal 95 % the interval of an average over 5 tasks covers
    about 84 %, over 12 about 92 %.

    Examples
    --------
    >>> ends = percentile_ends(np.arange(101.0)[:, None], 0.1)
    >>> ends.low.tolist(), ends.high.tolist()
    ([5.0], [95.0])
    """
    low, high = np.quantile(values, [alpha / 2, 1 - alpha / 2], axis=0)
    return Ends(low, high)


def studentised_ends(
    mean: NDArray[np.float64],
    se: NDArray[np.float64],
    made: StudentisedDraws,
    alpha: float,
) -> Ends:
    """Bootstrap-t interval: the estimate, and quantiles of studentised draws times its error.

    Parameters
    ----------
    mean, se : array of float, shape (M,)
        Estimate and its standard error.
    made : StudentisedDraws
        Draws of both.
    alpha : float
        Share outside, both ends together.

    Returns
    -------
    Ends
        Infinite where so many resamples hold one task only that the quantile is not finite.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(9, 1))
    >>> made = resample_tasks(rows, lambda chunk: np.random.default_rng(chunk), 2000)
    >>> ends = studentised_ends(rows.mean(axis=0), rows.std(axis=0, ddof=1) / 3, made, 0.05)
    >>> bool(ends.high - ends.low > np.ptp(percentile_ends(made.values, 0.05)))
    True
    """
    distance = made.values - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(distance == 0.0, 0.0, distance / made.errors)
    # Order statistics: interpolation between an infinite and a finite value has no value.
    low = np.quantile(ratio, alpha / 2, axis=0, method="lower")
    high = np.quantile(ratio, 1 - alpha / 2, axis=0, method="higher")
    with np.errstate(invalid="ignore"):
        return Ends(
            np.where(se > 0, mean - high * se, mean), np.where(se > 0, mean - low * se, mean)
        )

"""Mean ranks over few tasks: the law of reversed rankings.

Where models are exchangeable on a task, reversing its whole ranking, or those of any tasks, leaves
the law of all ranks as it is. With few tasks a t-test of ranks is far from its table; the share of
reversals that reach what was seen is exact for a pair whatever the other models do, and for all
pairs at once where all models are tied. With other models between tied ones the joint law is
approximate, and measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.multiplicity.maxt import NullDraws, flip_draws

__all__ = ["MOST_TASKS", "fewest_tasks", "reversal_draws", "reversal_p"]

MOST_TASKS = 30
"""Up to so many tasks the law of reversed rankings decides; with more the t-test is as good."""

_EXACT_TASKS = 16
_RANDOM_PATTERNS = 10_000
_MOST_CELLS = 2**28  # patterns times pairs; beyond, random patterns stand for all
_TIE = 1e-9


def fewest_tasks(alpha: float) -> int:
    """Tasks that it takes to show anything about all pairs at once, however many models there are.

    Examples
    --------
    >>> fewest_tasks(0.05), fewest_tasks(0.1)
    (6, 5)
    """
    return math.ceil(1 - math.log2(alpha) - 1e-9)


def reversal_draws(
    rows: NDArray[np.float64], make_stream: Callable[[int], np.random.Generator]
) -> NullDraws:
    """Draws by reversing the rankings of whole tasks.

    Parameters
    ----------
    rows : array of float, shape (N, M)
        What models earn on each task (mid-ranks with their sign turned), times the weight of the
        task where these differ; higher is better.
    make_stream : callable
        Random generator of a chunk of draws, by its number.

    Returns
    -------
    NullDraws
        ``sum_b D_b / sqrt(sum_b D_b^2)`` of the differences of every pair, and 0 without any; under
        all ``2^N`` reversals for up to 16 tasks (fewer where there are many models), else under
        10,000 random ones.

    Examples
    --------
    A model that is ahead of another on six tasks is so in one of 32 ways, either way:

    >>> made = reversal_draws(np.tile([[2.0, 1.0]], (6, 1)), np.random.default_rng)
    >>> print(reversal_p(made)[0, 1])
    0.03125
    """
    tasks, models = rows.shape
    every = tasks <= _EXACT_TASKS and 2**tasks * models**2 <= _MOST_CELLS
    return flip_draws(rows, make_stream, 2**tasks if every else _RANDOM_PATTERNS)


def reversal_p(draws: NullDraws) -> NDArray[np.float64]:
    """Adjusted one-sided p-values of all ordered pairs, by step-down max-T.

    Parameters
    ----------
    draws : NullDraws
        From `reversal_draws`.

    Returns
    -------
    array of float, shape (M, M)
        ``[i, j]``: the least level at which i is shown better than j when all pairs are looked at
        in both directions; 1 on the diagonal.

    Examples
    --------
    >>> rows = np.array([[3.0, 2.0, 1.0]] * 6 + [[3.0, 1.0, 2.0]])
    >>> reversal_p(reversal_draws(rows, np.random.default_rng)).round(3).tolist()
    [[1.0, 0.031, 0.031], [1.0, 1.0, 0.172], [1.0, 1.0, 1.0]]
    """
    size = len(draws.statistic)
    first, second = np.nonzero(~np.eye(size, dtype=np.bool_))
    order = np.argsort(-draws.statistic[first, second], kind="stable")
    first, second = first[order], second[order]
    observed = draws.statistic[first, second]
    scale = np.ones(1) if draws.scale is None else draws.scale[first, second]
    bound = observed - _TIE * np.abs(observed)
    reached, count = np.zeros(observed.size, dtype=np.int64), 0
    for chunk in draws.start():
        drawn = (chunk[:, first] - chunk[:, second]) * scale
        # What is left of the family when all with larger statistics were dropped.
        largest = np.maximum.accumulate(drawn[:, ::-1], axis=1)[:, ::-1]
        reached += (largest >= bound).sum(axis=0)
        count += len(chunk)
    share = reached / count if draws.complete else (reached + 1) / (count + 1)
    p = np.ones((size, size))
    p[first, second] = np.maximum.accumulate(share)
    return p

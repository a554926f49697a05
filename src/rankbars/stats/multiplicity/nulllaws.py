"""Null laws that no table has: mean ranks over few tasks, and rows in few clusters.

Where models are exchangeable on a task, reversing its whole ranking, or those of any tasks, leaves
the law of all ranks as it is. With few tasks a t-test of ranks is far from its table; the share of
reversals that reach what was seen is exact for a pair whatever the other models do, and for all
pairs at once where all models are tied. With other models between tied ones the joint law is
approximate, and measured.

A flip of a cluster turns its sum for all models together. Numerator and CR2 error are computed
anew after each: with few or unequal clusters the error varies far more than its degrees of freedom
say, and an error that stayed as it was would hide that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.multiplicity.maxt import (
    NullDraws,
    flip_draws,
    is_complete,
    pair_squares,
    sign_patterns,
)
from rankbars.stats.pairwise.clusters import Grouping, stretch_sums, too_uneven

__all__ = [
    "MOST_TASKS",
    "cluster_draws",
    "fewest_tasks",
    "reversal_draws",
    "reversal_p",
    "smallest_p",
]

_EXACT_CLUSTERS = 13
# A share of the sum of squares below which an error is rounding; the statistic is then huge.
_LEAST_VARIANCE = 1e-12


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


def smallest_p(units: int) -> float:
    """Smallest p-value of a family of pairs in both directions, where so many units are flipped.

    Examples
    --------
    >>> smallest_p(5), smallest_p(6)
    (0.0625, 0.03125)
    """
    return 2.0 ** (1 - units)


def cluster_draws(
    values: NDArray[np.float64],
    grouping: Grouping,
    make_stream: Callable[[int], np.random.Generator],
    n_draws: int,
) -> NullDraws:
    """Draws by flipping the signs of the sums of whole clusters.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Complete scores, times the weights of the rows where there are any.
    grouping : Grouping
        The clusters, with their shares.
    make_stream : callable
        Random generator of a chunk of draws, by its number.
    n_draws : int
        Number of random patterns; for up to 13 clusters all are visited instead.

    Returns
    -------
    NullDraws
        Nothing can be shown where clusters are too few or one holds most rows.

    Notes
    -----
    With the sums D_g of the differences of a pair, shares w_g, and signs s_g, the statistic is
    ``N / sqrt(sum_g (s_g D_g - w_g N)^2 / (1 - w_g))``, ``N = sum_g s_g D_g``: the mean over its
    CR2 error. Exact when sums of clusters are symmetric about zero under the null hypothesis.

    Examples
    --------
    >>> from rankbars.stats.pairwise.clusters import group_rows
    >>> rows = np.array([[3.0, 0.0], [1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> made = cluster_draws(rows, group_rows([1, 2, 3, 4, 5, 5]), np.random.default_rng, 100)
    >>> made.complete, made.statistic[0, 1].round(4).item()
    (True, 1.5256)
    """
    # A shift of a row cancels in every difference; taking it out keeps the products accurate.
    centred = (values - values.mean(axis=1, keepdims=True))[grouping.order]
    sums = np.add.reduceat(centred, grouping.starts, axis=0)
    shares, stretch = grouping.shares, stretch_sums(grouping.shares)
    if too_uneven(shares.size, shares.max()).any():
        sums[:] = 0.0
    squares = pair_squares(stretch[:, None] * sums)
    lean = (np.square(stretch) * shares)[:, None] * sums
    bend = float(np.square(stretch * shares).sum())

    def measure(
        total: NDArray[np.float64], leaning: NDArray[np.float64], rows: slice | NDArray[np.intp]
    ) -> NDArray[np.float64]:
        own = squares[rows]
        variance = np.maximum(own - total * (2.0 * leaning - bend * total), _LEAST_VARIANCE * own)
        root = np.sqrt(variance)
        return np.divide(total, root, out=np.zeros_like(root), where=root > 0)

    draws = 2**shares.size if shares.size <= _EXACT_CLUSTERS else n_draws

    def start() -> Iterator[NDArray[np.float64]]:
        for signs in sign_patterns(shares.size, make_stream, draws):
            yield np.stack([signs @ sums, signs @ lean], axis=1)

    total, leaning = sums.sum(axis=0), lean.sum(axis=0)
    observed = measure(total[:, None] - total, leaning[:, None] - leaning, slice(0, total.size))
    return NullDraws(observed, start, is_complete(shares.size, draws), measure=measure)

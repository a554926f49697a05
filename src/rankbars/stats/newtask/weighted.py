"""Rank prediction intervals for a shifted source of tasks, or for a new family of tasks.

Both are order statistics with weights. Weights are compared exactly, as the decimals they were
written as, so that uniform weights and families of one task reproduce the quantile merge.

Sources: Tibshirani, Barber, Candès & Ramdas 2019 (weighted conformal prediction);
Dunn, Wasserman & Ramdas 2023, Lee, Barber & Willett 2023 (hierarchical conformal prediction).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError
from rankbars.stats.blocks import row_blocks
from rankbars.stats.newtask.guarantees import Rate, exact_rate
from rankbars.stats.newtask.merges import check_intervals, trivial_bounds
from rankbars.stats.ranks import RankBounds

__all__ = ["family_merge", "family_miss_bound", "weighted_merge", "weighted_miss_bound"]

Weight = float | int | str | Fraction | Decimal
"""A weight, 0 or more; floats are read as exact decimals."""

# Sums of whole-number weights below this are exact in 64 bits.
_LARGEST_INT = 2**62


def weighted_merge(
    best: NDArray[np.int64],
    worst: NDArray[np.int64],
    n_ranks: int,
    alpha: Rate,
    weights: Sequence[Weight] | NDArray[np.float64],
    new_weight: Weight = 1.0,
) -> RankBounds:
    """Quantile merge under a known shift between the seen tasks and the new one.

    Parameters
    ----------
    best, worst : ndarray of int, shape (N, M)
        Ends of the interval of each model on each task.
    n_ranks : int
        Size of the field.
    alpha : float, str, Fraction or Decimal
        Error rate, both sides together.
    weights : sequence of N numbers
        Weight of each task, 0 or more: proportional to how much likelier such a task is in the
        new source than in the old one.
    new_weight : number
        The same ratio for the new task.

    Returns
    -------
    RankBounds
        ``best`` is the largest c with
        ``(w_new + sum of w_b over best_b < c) / (w_new + sum of w_b) <= alpha / 2``, else 1;
        ``worst`` is its mirror image, else `n_ranks`. Shape (M,).

    Raises
    ------
    DataError
        If there is no task, the arrays are not intervals of ranks, or the weights are not N finite
        numbers of 0 or more with a positive sum.
    OptionError
        If `alpha` is not strictly between 0 and 1.

    Notes
    -----
    The ratio must be a known function of the task, fixed before results were seen.

    Examples
    --------
    >>> best, worst = np.array([[1], [2], [3]]), np.array([[4], [4], [5]])
    >>> bounds = weighted_merge(best, worst, 5, 0.5, [1, 1, 1])
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1], [5])
    >>> weighted_merge(best, worst, 5, 0.5, [0, 0, 1], 0.2).best.tolist()
    [3]
    """
    n_tasks, _ = check_intervals(best, worst, n_ranks)
    exact, new = _exact_weights(weights, new_weight, n_tasks)
    return _merge_by_weight(best, worst, n_ranks, exact_rate(alpha), exact, new)


def weighted_miss_bound(
    alpha: Rate, weights: Sequence[Weight] | NDArray[np.float64], new_weight: Weight = 1.0
) -> Fraction:
    """Bound on the probability that the new task's interval leaves the weighted merge.

    Parameters
    ----------
    alpha, weights, new_weight
        As in `weighted_merge`.

    Returns
    -------
    Fraction
        q, at most `alpha`, given these weights; 0 where the interval is trivial.

    Raises
    ------
    DataError, OptionError
        As in `weighted_merge`.

    Notes
    -----
    Given the bag of N + 1 intervals, the ones that would be missed at one end, if they were the
    new one, have together at most ``alpha / 2`` of the weight. Their weight is a multiple of the
    largest common divisor of all weights, so it can be rounded down to such a multiple.

    Examples
    --------
    >>> weighted_miss_bound(0.5, [1, 1, 1, 1])
    Fraction(2, 5)
    """
    exact, new = _exact_weights(weights, new_weight, len(weights))
    whole, new_whole, _ = _whole_numbers(exact, new)
    total = sum(whole) + new_whole
    budget = math.floor(total * exact_rate(alpha) / 2)
    if new_whole > budget:
        return Fraction(0)
    step = math.gcd(new_whole, *whole)
    return Fraction(2 * (budget // step) * step, total)


def family_merge(
    best: NDArray[np.int64],
    worst: NDArray[np.int64],
    n_ranks: int,
    alpha: Rate,
    families: ArrayLike,
) -> RankBounds:
    """Interval for a new task from a new family, when tasks come in families.

    Parameters
    ----------
    best, worst, n_ranks, alpha
        As in `weighted_merge`.
    families : array_like of int, shape (N,)
        Family of each task, any labels that compare.

    Returns
    -------
    RankBounds
        ``best`` is the largest c with ``(1 + sum over families of the share of their tasks with
        best_b < c) / (F + 1) <= alpha / 2``, else 1; ``worst`` is its mirror image. Shape (M,).

    Raises
    ------
    DataError
        If there is no task, the arrays are not intervals of ranks, or `families` has not one
        entry per task.
    OptionError
        If `alpha` is not strictly between 0 and 1.

    Notes
    -----
    Families must be exchangeable with the new one. It is the weighted merge with weight 1 for the
    new family and for each seen one, shared equally by its tasks.

    Examples
    --------
    >>> best, worst = np.array([[1], [2], [3], [3]]), np.array([[4], [4], [5], [5]])
    >>> family_merge(best, worst, 5, 0.8, [0, 0, 1, 1]).best.tolist()
    [1]
    """
    n_tasks, _ = check_intervals(best, worst, n_ranks)
    exact = _family_weights(families, n_tasks)
    return _merge_by_weight(best, worst, n_ranks, exact_rate(alpha), exact, Fraction(1))


def family_miss_bound(alpha: Rate, families: ArrayLike) -> Fraction:
    """Bound on the probability that the new task's interval leaves the family merge.

    Parameters
    ----------
    alpha, families
        As in `family_merge`.

    Returns
    -------
    Fraction
        q: `alpha`, 0 where the interval is trivial, and the quantile merge's bound where every
        family has one task.

    Raises
    ------
    DataError, OptionError
        As in `family_merge`.

    Examples
    --------
    >>> family_miss_bound(0.5, [0, 0, 1, 1, 2, 2]), family_miss_bound(0.5, [0, 1, 2, 3])
    (Fraction(1, 2), Fraction(2, 5))
    """
    exact = _family_weights(families, np.size(np.asarray(families)))
    bound = weighted_miss_bound(alpha, exact, Fraction(1))
    # A new family has a share of its own, of whatever size: only whole families round down.
    return bound if bound == 0 or min(exact) == 1 else exact_rate(alpha)


def _merge_by_weight(
    best: NDArray[np.int64],
    worst: NDArray[np.int64],
    n_ranks: int,
    alpha: Fraction,
    weights: list[Fraction],
    new_weight: Fraction,
) -> RankBounds:
    """Weighted order statistics of both ends."""
    n_tasks, n_models = best.shape
    merged = trivial_bounds(n_models, n_ranks)
    whole, new_whole, dtype = _whole_numbers(weights, new_weight)
    spare = math.floor((sum(whole) + new_whole) * alpha / 2) - new_whole
    if spare < 0:
        return merged
    weight: NDArray[Any] = np.array(whole, dtype=dtype)
    for models in row_blocks(n_models, n_tasks):
        merged.best[models] = _first_beyond(best[:, models].T, weight, spare)
        # The worst end is the best end of the mirrored ranks.
        merged.worst[models] = -_first_beyond(-worst[:, models].T, weight, spare)
    return merged


def _first_beyond(ends: NDArray[np.int64], weight: NDArray[Any], spare: int) -> NDArray[np.int64]:
    """Largest c in each row such that the ends below c weigh at most `spare`."""
    order = np.argsort(ends, axis=1)
    beyond = np.cumsum(weight[order], axis=1) > spare
    place = np.take_along_axis(order, np.argmax(beyond, axis=1)[:, None], axis=1)
    found: NDArray[np.int64] = np.take_along_axis(ends, place, axis=1)[:, 0]
    return found


def _exact_weights(
    weights: Sequence[Weight] | NDArray[np.float64], new_weight: Weight, n_tasks: int
) -> tuple[list[Fraction], Fraction]:
    """Weights as exact decimals."""
    if len(weights) != n_tasks:
        raise DataError(
            f"There must be one weight for each of the {n_tasks} tasks; got {len(weights)}."
        )
    exact = [_exact_weight(weight) for weight in weights]
    if not any(exact):
        raise DataError("All task weights are zero; at least one task must have a weight above 0.")
    return exact, _exact_weight(new_weight)


def _exact_weight(weight: Weight) -> Fraction:
    """One weight as an exact decimal."""
    try:
        exact = weight if isinstance(weight, Fraction) else Fraction(str(weight))
    except (ValueError, ZeroDivisionError) as error:
        raise DataError(
            f"A weight must be a finite number of 0 or more; got {weight!r}."
        ) from error
    if exact < 0:
        raise DataError(f"A weight must be a finite number of 0 or more; got {weight!r}.")
    return exact


def _whole_numbers(
    weights: list[Fraction], new_weight: Fraction
) -> tuple[list[int], int, type[np.int64] | type[np.object_]]:
    """Weights as whole numbers in the same proportions, and a type that adds them exactly."""
    unit = math.lcm(new_weight.denominator, *(weight.denominator for weight in weights))
    whole = [int(weight * unit) for weight in weights]
    new_whole = int(new_weight * unit)
    fits = sum(whole) + new_whole < _LARGEST_INT
    return whole, new_whole, np.int64 if fits else np.object_


def _family_weights(families: ArrayLike, n_tasks: int) -> list[Fraction]:
    """Weight of each task when every family weighs 1."""
    labels = np.asarray(families)
    if labels.shape != (n_tasks,):
        raise DataError(
            f"There must be one family for each of the {n_tasks} tasks; got shape {labels.shape}."
        )
    _, member, size = np.unique(labels, return_inverse=True, return_counts=True)
    return [Fraction(1, int(size[family])) for family in member]

"""The front of score against cost: models that no other one dominates.

k dominates j if it is no worse on both and better on one. That k does not dominate j is refuted
where both parts are: the larger of two p-values is a p-value of it (intersection-union), without a
split of the error rate. With costs that are known, "no dearer" needs no test.

Sources: Berger 1982 (intersection-union tests); Holm 1979.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.multiplicity.stepdown import holm_rejects
from rankbars.stats.tails import check_alpha

__all__ = ["FrontSets", "best_within", "find_front", "observed_front"]


class FrontSets(NamedTuple):
    """What is shown of a front.

    Attributes
    ----------
    dominates : ndarray of bool, shape (M, M)
        ``[k, j]``: k is shown to dominate j; all of them hold at once with ``1 - alpha``.
    each : ndarray of bool, shape (M,)
        Models not shown off the front, one named in advance: a model of the front is among them
        with probability ``1 - alpha``.
    surely : ndarray of bool, shape (M,)
        Models shown to be on the front; all of them at once with probability ``1 - alpha``.
    """

    dominates: NDArray[np.bool_]
    each: NDArray[np.bool_]
    surely: NDArray[np.bool_]


def find_front(
    p_score: NDArray[np.float64],
    cost: NDArray[np.float64],
    alpha: float,
    p_cost: NDArray[np.float64] | None = None,
) -> FrontSets:
    """Which models may be on the front, and which are shown dominated.

    Parameters
    ----------
    p_score : ndarray of float64, shape (M, M)
        ``[k, j]``: one-sided p-value that k scores better than j.
    cost : ndarray of float64, shape (M,)
        Cost of each, lower is better. NaN where it is not known: such a model dominates nobody, is
        dominated by nobody, and counts in no family.
    alpha : float
        Error rate.
    p_cost : ndarray of float64, shape (M, M), optional
        ``[k, j]``: one-sided p-value that k is cheaper than j. None for costs that are known.

    Notes
    -----
    `dominates` is Holm over all ordered pairs; of known costs, over those with
    ``cost[k] <= cost[j]``, since the others are impossible. `each` is Bonferroni over the M - 1
    that may dominate a model, `surely` over the 2 M questions "shown better or shown cheaper than
    every other one".

    Examples
    --------
    >>> p = np.array([[1, 0.9, 0.002, 0.3], [0.1, 1, 0.001, 0.0001],
    ...               [0.998, 0.999, 1, 0.6], [0.7, 0.9999, 0.4, 1]])
    >>> found = find_front(p, np.array([1.0, 3.0, 2.0, 4.0]), 0.05)
    >>> found.each.tolist(), np.argwhere(found.dominates).tolist()
    ([True, True, False, False], [[0, 2], [1, 3]])
    """
    check_alpha(alpha)
    known = ~np.isnan(cost)
    apart = known[:, None] & known[None, :] & ~np.eye(cost.size, dtype=np.bool_)
    if p_cost is None:
        possible = apart & (cost[:, None] <= cost[None, :])
        p = np.where(possible, p_score, 1.0)
        cheaper = cost[:, None] < cost[None, :]
        p_either = np.where(cheaper, 0.0, p_score)
    else:
        possible = apart
        p = np.where(possible, np.maximum(p_score, p_cost), 1.0)
        p_either = np.minimum(p_score, p_cost)
    size = int(known.sum())
    each = known & ~(p <= alpha / max(size - 1, 1)).any(axis=0)
    apart_from_all = (p_either <= alpha / (2 * max(size, 1))) | ~apart
    dominates = np.zeros(p.shape, dtype=np.bool_)
    dominates[possible] = holm_rejects(p[possible], alpha)
    return FrontSets(dominates, each, known & apart_from_all.all(axis=1))


def observed_front(score: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Models that none is as good as and no dearer than, with one of the two strictly, as observed.

    Examples
    --------
    >>> observed_front(np.array([0.5, 0.7, 0.6, 0.7]), np.array([1.0, 3.0, 4.0, 3.0])).tolist()
    [True, True, False, True]
    """
    better = score[:, None] - score[None, :]
    cheaper = cost[None, :] - cost[:, None]
    beaten = (better >= 0) & (cheaper >= 0) & ((better > 0) | (cheaper > 0))
    return np.asarray(~beaten.any(axis=0) & ~np.isnan(score) & ~np.isnan(cost))


def best_within(
    shown_better: NDArray[np.bool_], cost: NDArray[np.float64]
) -> list[tuple[float, NDArray[np.intp]]]:
    """For each budget, the models that may have the best score of those it pays for.

    Parameters
    ----------
    shown_better : ndarray of bool, shape (M, M)
        ``[i, j]``: i is shown to score better than j; all such statements hold at once.
    cost : ndarray of float64, shape (M,)
        Cost of each; NaN for a model that no budget is known to pay for.

    Returns
    -------
    list of (float, ndarray)
        The smallest budget, rising, and the models that may be the best from there on. As all
        statements hold at once, so do the sets of all budgets.

    Examples
    --------
    >>> shown = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 0]], dtype=bool)
    >>> [(b, who.tolist()) for b, who in best_within(shown, np.array([1.0, 2.0, 5.0]))]
    [(1.0, [0]), (2.0, [1]), (5.0, [1, 2])]
    """
    steps: list[tuple[float, NDArray[np.intp]]] = []
    for budget in np.unique(cost[~np.isnan(cost)]):
        paid = cost <= budget
        found = np.flatnonzero(paid & ~shown_better[paid].any(axis=0))
        if not steps or not np.array_equal(found, steps[-1][1]):
            steps.append((float(budget), found))
    return steps

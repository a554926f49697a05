"""Scores that are made of counts: of right answers among several, of truth by answer.

Statistics of k of the n answers to an item are averaged over all subsets of k. That average is the
unbiased estimator of what k new answers would give (Halmos 1946); for the probability that any of
k is right it is that of Chen et al. (2021), arXiv:2107.03374, for all of k that of Yao et al.
(2024), arXiv:2406.12045. Confusion counts give F1 and its kin, with their errors; a share of right
answers has that of a binomial.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "METRICS",
    "ConfusionScores",
    "Metric",
    "all_right",
    "any_right",
    "best_of",
    "binomial_se",
    "confusion_scores",
    "most_right",
]

Metric: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From probabilities of the cells, shape (..., C, C), truth by answer, to a score, shape (...)."""


Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def all_right(right: Counts, answers: Counts, k: int) -> Floats:
    """Share of the subsets of k answers of which all are right: C(c, k) / C(n, k).

    Parameters
    ----------
    right, answers : array of int
        Right answers c and all answers n of each item, ``n >= k``.
    k : int
        Size of a subset, at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> all_right(np.array([4, 3, 1]), np.array([4, 4, 4]), 2).tolist()
    [1.0, 0.5, 0.0]
    """
    share = np.ones(np.shape(right))
    for taken in range(k):
        share = share * np.maximum(right - taken, 0) / np.maximum(answers - taken, 1)
    return share


def any_right(right: Counts, answers: Counts, k: int) -> Floats:
    """Share of the subsets of k answers with a right one: 1 - C(n - c, k) / C(n, k).

    Parameters
    ----------
    right, answers : array of int
        Right answers c and all answers n of each item, ``n >= k``.
    k : int
        Size of a subset, at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> any_right(np.array([4, 1, 0]), np.array([4, 4, 4]), 2).tolist()
    [1.0, 0.5, 0.0]
    """
    return 1.0 - all_right(answers - right, answers, k)


def most_right(right: Counts, answers: Counts, k: int) -> Floats:
    """Share of the subsets of k answers of which more are right than wrong; half of one that ties.

    Parameters
    ----------
    right, answers : array of int
        Right answers c and all answers n of each item, ``n >= k``.
    k : int
        Size of a subset, at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> most_right(np.array([4, 2, 1]), np.array([4, 4, 4]), 3).tolist()
    [1.0, 0.5, 0.0]
    """
    found = np.zeros(np.shape(right))
    for s in range((k + 1) // 2, k + 1):
        others = all_right(answers - right, answers - s, k - s)
        share = math.comb(k, s) * all_right(right, answers, s) * others
        found += share if 2 * s > k else 0.5 * share
    return found


def best_of(scores: Floats, k: int) -> Floats:
    """Mean over the subsets of k answers of the best score in them.

    Parameters
    ----------
    scores : array of float, shape (..., S)
        Answers along the last axis, higher is better; NaN = none. At least k of them are there.
    k : int
        Size of a subset, at least 1.

    Examples
    --------
    >>> import numpy as np
    >>> best_of(np.array([[0.0, 1.0, 5.0], [5.0, np.nan, 7.0]]), 2).round(9).tolist()
    [3.666666667, 7.0]
    """
    ordered = np.sort(scores, axis=-1)  # NaN comes last
    known = (~np.isnan(ordered)).sum(axis=-1)
    found = np.full(known.shape, np.nan)
    for n in np.unique(known[known >= k]).tolist():
        weights = np.array([math.comb(r, k - 1) / math.comb(n, k) for r in range(n)])
        found[known == n] = ordered[known == n][..., :n] @ weights
    return found


def _accuracy(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.trace(cells, axis1=-2, axis2=-1))


def _per_class(cells: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Found, true and answered share of each class, shape (..., C)."""
    return np.diagonal(cells, axis1=-2, axis2=-1), cells.sum(axis=-1), cells.sum(axis=-2)


def _f1s(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    found, true, answered = _per_class(cells)
    return np.asarray(2 * found / (true + answered))


def _recalls(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    found, true, _ = _per_class(cells)
    return np.asarray(found / true)


def _precision(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    found, _, answered = _per_class(cells)
    return np.asarray((found / answered)[..., -1])


def _correlation(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Matthews' correlation, of any number of classes (Gorodkin 2004)."""
    found, true, answered = _per_class(cells)
    above = found.sum(axis=-1) - (true * answered).sum(axis=-1)
    below = (1 - np.square(true).sum(axis=-1)) * (1 - np.square(answered).sum(axis=-1))
    return np.asarray(above / np.sqrt(below))


METRICS: dict[str, Metric] = {
    "accuracy": _accuracy,
    "balanced_accuracy": lambda cells: np.asarray(_recalls(cells).mean(axis=-1)),
    "f1": lambda cells: np.asarray(_f1s(cells)[..., -1]),
    "macro_f1": lambda cells: np.asarray(_f1s(cells).mean(axis=-1)),
    "precision": _precision,
    "recall": lambda cells: np.asarray(_recalls(cells)[..., -1]),
    "mcc": _correlation,
}
"""Scores of a table. ``f1``, ``precision`` and ``recall`` are those of the last class."""

_NO_ERROR = 1e-12
_STEP = 1e-20  # of a derivative along the imaginary axis, which has no difference to round


class ConfusionScores(NamedTuple):
    """Scores of tables.

    Attributes
    ----------
    score, se : array of float, shape (...)
        The score and its standard error; NaN where the score is not defined.
    """

    score: NDArray[np.float64]
    se: NDArray[np.float64]


def confusion_scores(counts: NDArray[np.float64], metric: str) -> ConfusionScores:
    """Scores of tables of counts, with errors as if items were drawn independently.

    Parameters
    ----------
    counts : array of float, shape (..., C, C)
        How often an item of a class (row) got an answer (column), 1 item or more.
    metric : str
        A key of `METRICS`.

    Notes
    -----
    Errors are those of the delta method for multinomial counts. Where that is 0, as for an F1 of 1,
    it is the error of the table with one more item in every cell; of the accuracy of two classes
    this is the error of Agresti and Coull (1998).

    Examples
    --------
    >>> found = confusion_scores(np.array([[90.0, 10.0], [20.0, 80.0]]), "f1")
    >>> found.score.round(4).item(), found.se.round(4).item()
    (0.8421, 0.0285)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        score, se = _delta(counts, METRICS[metric])
        _, moved = _delta(counts + 1.0, METRICS[metric])
    return ConfusionScores(
        score, np.where(se > _NO_ERROR, se, np.where(np.isnan(score), np.nan, moved))
    )


def _delta(
    counts: NDArray[np.float64], metric: Metric
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    total = counts.sum(axis=(-2, -1), keepdims=True)
    share = counts / total
    score = metric(share)
    mean, square = np.zeros((2, *score.shape))
    for i, k in np.ndindex(*counts.shape[-2:]):
        nudged = share.astype(np.complex128)
        nudged[..., i, k] += _STEP * 1j
        slope = metric(nudged).imag / _STEP
        mean += share[..., i, k] * slope
        square += share[..., i, k] * slope**2
    variance = np.maximum(square - mean**2, 0.0) / total[..., 0, 0]
    return score, np.sqrt(variance)


def binomial_se(proportion: NDArray[np.float64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Standard error of a share of `n` items; NaN where `n` is 0.

    At 0 and 1 the usual formula says 0, which is false certainty. There the share is moved towards
    one half by two items on each side, as Agresti and Coull (1998) propose for intervals.

    Examples
    --------
    >>> binomial_se(np.array([0.5, 1.0]), np.array([100, 100])).round(4).tolist()
    [0.05, 0.0135]
    """
    items = np.where(n > 0, n, np.nan)
    edge = (proportion == 0.0) | (proportion == 1.0)
    share = np.where(edge, (proportion * items + 2.0) / (items + 4.0), proportion)
    return np.asarray(np.sqrt(share * (1.0 - share) / np.where(edge, items + 4.0, items)))

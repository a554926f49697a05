"""Statistics of k of the n answers to an item, averaged over all subsets of k.

The average over subsets is the unbiased estimator of what k new answers would give (Halmos 1946);
for the probability that any of k is right it is that of Chen et al. (2021), arXiv:2107.03374, for
all of k that of Yao et al. (2024), arXiv:2406.12045.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["all_right", "any_right", "best_of", "most_right"]

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

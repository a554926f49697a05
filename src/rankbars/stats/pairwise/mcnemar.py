"""McNemar's test of all pairs of models on items that are solved or not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.binomial import binomial_tail, binomial_tail_midp
from rankbars.stats.blocks import accumulate
from rankbars.stats.pairwise.degenerate import DegeneratePairs
from rankbars.stats.pairwise.differences import apply_policy, count_units
from rankbars.stats.pairwise.scorerows import exact_blocks

__all__ = ["count_wins", "mcnemar_exact", "mcnemar_midp"]

Floats = NDArray[np.float64]


def mcnemar_exact(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """One-sided p-values of the exact McNemar test, for every ordered pair of models.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        0 or 1 for M models on n independent items, 1 = solved; NaN where not observed.
        Each pair is compared on the items that both models have.

    Returns
    -------
    ndarray of float64, shape (M, M)
        ``P(Bin(b + c, 1/2) >= b)`` with b the items that only i solves and c those that only j
        solves; 1 if there are none.

    Raises
    ------
    DataError
        If a score is neither 0 nor 1.

    Notes
    -----
    Never above its level, at any number of items, and well below it where few items differ.

    References
    ----------
    McNemar 1947, Psychometrika 12.

    Examples
    --------
    >>> scores = np.array([[1, 0]] * 8 + [[0, 1]] * 2 + [[1, 1]] * 5)
    >>> mcnemar_exact(scores)[0, 1]
    np.float64(0.0546875)
    """
    wins = count_wins(values)
    return _settle(_by_counts(binomial_tail, wins), values, wins)


def mcnemar_midp(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """One-sided mid-p values of the McNemar test, for every ordered pair of models.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        0 or 1 for M models on n independent items, 1 = solved; NaN where not observed.

    Returns
    -------
    ndarray of float64, shape (M, M)
        The exact p-value minus half the probability of the observed count itself;
        1 if no item differs, and by the rule for constant differences ``2**-n`` and 1 if one
        model solves all n items and the other none.

    Raises
    ------
    DataError
        If a score is neither 0 nor 1.

    Notes
    -----
    Closer to its level than the exact test; it may exceed it slightly.

    Examples
    --------
    >>> scores = np.array([[1, 0]] * 8 + [[0, 1]] * 2 + [[1, 1]] * 5)
    >>> mcnemar_midp(scores)[0, 1]
    np.float64(0.03271484375)
    """
    wins = count_wins(values)
    return _settle(_by_counts(binomial_tail_midp, wins), values, wins)


def count_wins(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Items that the first model of a pair solves and the second does not.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        0 or 1, 1 = solved; NaN where not observed.

    Returns
    -------
    ndarray of int64, shape (M, M)
        ``[i, j]``: items that i solves and j does not; the discordant items of a pair are
        ``[i, j] + [j, i]``.

    Raises
    ------
    DataError
        If a score is neither 0 nor 1.

    Examples
    --------
    >>> count_wins(np.array([[1, 0], [1, 0], [0, 1], [1, 1]]))
    array([[0, 2],
           [1, 0]])
    """
    values = np.asarray(values, dtype=np.float64)
    wrong = ~np.isnan(values) & (values != 0) & (values != 1)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise DataError(
            "McNemar's test counts items that are solved (1) or not (0); found "
            f"{values[row, column]:g} in row {row}, column {column}. "
            "Use the paired t-test or sign flips for graded scores."
        )
    if not len(values):
        return np.zeros((values.shape[1],) * 2, dtype=np.int64)
    blocks, dtype = exact_blocks(1, values.shape)
    products = ((values[b] == 1).astype(dtype).T @ (values[b] == 0).astype(dtype) for b in blocks)
    return accumulate(products).astype(np.int64)


def _by_counts(tail: Callable[..., Floats], wins: NDArray[np.int64]) -> Floats:
    """The tail of every ordered pair, computed once for pairs with the same two counts."""
    base = int(wins.max(initial=0)) + 1
    codes, position = np.unique(wins * base + wins.T, return_inverse=True)
    return np.asarray(tail(*np.divmod(codes, base))[position].reshape(wins.shape))


def _settle(
    p: NDArray[np.float64], values: NDArray[np.float64], wins: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Apply the degenerate policy: the counts alone show which differences do not vary."""
    units = count_units(np.asarray(values, dtype=np.float64))
    net = wins - wins.T
    still = (np.abs(net) == units) | (wins + wins.T == 0)
    first, second = np.nonzero(np.triu(still, k=1))
    sign = np.sign(net[first, second]).astype(np.float64)
    apply_policy(p, DegeneratePairs(first, second, sign, sign == 0), units)
    return p

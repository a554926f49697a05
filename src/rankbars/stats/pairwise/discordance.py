"""What models that are right or wrong differ on: counts, McNemar's tests, and the law of t.

The differences of two models are -1, 0 and 1, and the paired t grows with ``(b - c) / sqrt(b + c)``
for b items that only one of them solves and c that only the other does. Under no difference nothing
else is unknown than the share of items on which they differ: the largest tail over all shares is
the p-value. Student's table, made for normal differences, is too bold where models differ on few
items, or on nearly all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankbars.errors import DataError
from rankbars.stats.binomial import binomial_tail, binomial_tail_midp
from rankbars.stats.blocks import accumulate
from rankbars.stats.pairwise.degenerate import DegeneratePairs
from rankbars.stats.pairwise.differences import apply_policy, count_units
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.pairwise.scorerows import exact_blocks
from rankbars.stats.tails import critical_value

__all__ = [
    "MOST_COUNTED",
    "count_law",
    "count_wins",
    "largest_tail",
    "mcnemar_exact",
    "mcnemar_midp",
]

Floats = NDArray[np.float64]

MOST_COUNTED = 200
"""Rows up to which the law is counted; with more a test at 5 % errs in at most 6 % whatever."""

_SHARES = 512  # shares of items that differ at which the tail is looked at
_SAME = 1e-9  # relative: statistics that are equal but for rounding


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


def count_law(pairs: PairStatistics, wins: NDArray[np.int64]) -> PairStatistics:
    """The same differences with statistics whose Student tail is the counted one.

    Parameters
    ----------
    pairs : PairStatistics
        Paired t statistics of right and wrong answers.
    wins : array of int, shape (M, M)
        ``[i, j]``: items that i solves and j does not.

    Returns
    -------
    PairStatistics
        Differences and errors are those of `pairs`. Pairs of more than `MOST_COUNTED` rows, and
        those that do not vary, keep their statistics.

    Examples
    --------
    Five of ten items are solved by one model only, none by the other only. Student's tail is .0075:

    >>> from rankbars.stats.pairwise.paired import paired_t
    >>> from rankbars.stats.pairwise.discordance import count_wins
    >>> from rankbars.stats.tails import upper_tail
    >>> rows = np.array([[1.0, 0.0]] * 5 + [[1.0, 1.0]] * 5)
    >>> found = count_law(paired_t(rows), count_wins(rows))
    >>> round(float(upper_tail(found.statistic[0, 1], found.df)), 4)
    0.0132
    """
    units = np.broadcast_to(np.asarray(pairs.n), wins.shape)
    told = (pairs.statistic > 0) & ~pairs.constant
    first, second = np.nonzero(told & (units <= MOST_COUNTED))
    if not first.size:
        return pairs
    rows = units[first, second]
    p = np.empty(first.size)
    for n in np.unique(rows).tolist():
        here = rows == n
        won, lost = wins[first[here], second[here]], wins[second[here], first[here]]
        p[here] = largest_tail(n, won, lost)
    df = np.broadcast_to(np.asarray(pairs.df, dtype=np.float64), wins.shape)
    statistic = pairs.statistic.copy()
    counted = critical_value(p, df[first, second])
    statistic[first, second] = counted
    statistic[second, first] = 0.0 - counted
    return pairs._replace(statistic=statistic)


def largest_tail(n: int, won: NDArray[np.int64], lost: NDArray[np.int64]) -> NDArray[np.float64]:
    """Largest probability, over all shares of items that differ, of a t as large as observed.

    Parameters
    ----------
    n : int
        Items.
    won, lost : array of int, shape (P,)
        Items that only the one model solves, and only the other; the first are more.

    Returns
    -------
    array of float, shape (P,)
        One-sided p-values, at most one half.

    References
    ----------
    Suissa and Shuster 1991, Biometrics 47: the 2 x 2 matched-pairs trial, exact unconditional.

    Examples
    --------
    All n items are solved by one model only: nothing is as large, and a half to the n is left.

    >>> float(largest_tail(6, np.array([6]), np.array([0]))[0]) == 2.0**-6
    True
    """
    counts = np.arange(1, n + 1)
    code = won * (n + 1) + lost  # of few values, which a table tells quicker than a sort
    seen = np.bincount(code, minlength=(n + 1) ** 2) > 0
    observed, position = np.divmod(np.flatnonzero(seen), n + 1), (np.cumsum(seen) - 1)[code]
    ratio = (observed[0] - observed[1]) / np.sqrt(observed[0] + observed[1])
    # Of m items that differ, as many must be won for a t that is as large.
    needed = (counts + ratio[:, None] * np.sqrt(counts)) / 2.0
    needed = np.ceil(needed - _SAME * counts)
    tails = np.zeros(needed.shape)
    possible = needed <= counts
    of = np.broadcast_to(counts, needed.shape)[possible]
    tails[possible] = binomial_tail(needed[possible], of - needed[possible])
    return np.asarray((tails @ _share_weights(n)).max(axis=1)[position])


@lru_cache(maxsize=32)
def _share_weights(n: int) -> NDArray[np.float64]:
    """Probability that 1, ..., n items differ, at every share, shape (n, shares)."""
    share = np.sin(np.linspace(0.0, np.pi / 2, _SHARES + 1)[1:]) ** 2
    share[-1] = 1.0
    counts = np.arange(1.0, n + 1.0)[:, None]
    log = (
        special.gammaln(n + 1.0) - special.gammaln(counts + 1.0) - special.gammaln(n - counts + 1.0)
        + special.xlogy(counts, share) + special.xlog1py(n - counts, -share)
    )  # fmt: skip
    weights = np.exp(log)
    weights.flags.writeable = False
    return np.asarray(weights)

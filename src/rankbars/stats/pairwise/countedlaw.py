"""The law of the t statistic of right and wrong answers, counted instead of looked up.

The differences of two models are -1, 0 and 1, and the paired t grows with ``(b - c) / sqrt(b + c)``
for b items that only one of them solves and c that only the other does. Under no difference nothing
else is unknown than the share of items on which they differ: the largest tail over all shares is
the p-value. Student's table, made for normal differences, is too bold where models differ on few
items, or on nearly all.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankbars.stats.binomial import binomial_tail
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.tails import critical_value

__all__ = ["MOST_COUNTED", "count_law", "largest_tail"]

MOST_COUNTED = 200
"""Rows up to which the law is counted; with more a test at 5 % errs in at most 6 % whatever."""

_SHARES = 512  # shares of items that differ at which the tail is looked at
_SAME = 1e-9  # relative: statistics that are equal but for rounding


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
    >>> from rankbars.stats.pairwise.mcnemar import count_wins
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

"""Ranks that stay valid however often one looks: e-processes of pairs, closed by averaging.

Under its null hypothesis an e-process reaches ``1 / alpha`` at any time with probability at most
`alpha` (Ville 1939). Averages of e-values are e-values under any dependence, and so are what closed
testing makes of them. All e-values are kept as logarithms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from rankbars.stats.binomial import check_counts
from rankbars.stats.ranks import RankBounds, count_bounds
from rankbars.stats.tails import check_alpha

__all__ = [
    "USUAL_GAP",
    "anytime_bounds",
    "anytime_relation",
    "log_e_ahead",
    "log_e_better",
    "log_e_two_sided",
    "mean_e_count",
]

Array = NDArray[np.float64]

USUAL_GAP = 0.2
"""Differences of strengths, in log odds, that evidence is sharpest for: 35 points of Elo."""

_LOG_2 = float(np.log(2.0))
_SMALLEST = 1e-300
_SMALLEST_TAIL = 1e-200


def log_e_two_sided(wins: ArrayLike, losses: ArrayLike) -> Array:
    """Log e-value against "both win equally often".

    Parameters
    ----------
    wins, losses : array_like, shape (...)
        Decided votes of a pair so far; ties are left out.

    Returns
    -------
    ndarray, shape (...)
        ``log(2^n B(1 + wins, 1 + losses))`` with ``n = wins + losses``.

    Raises
    ------
    DataError
        If a count is negative or not a number.

    Notes
    -----
    The likelihood ratio of a uniform mixture of win probabilities against one half.
    Source: Robbins (1970), Ann. Math. Statist. 41, 1397-1409.

    Examples
    --------
    >>> np.exp(log_e_two_sided(8, 2)).round(9).item()
    2.068686869
    """
    won, lost = check_counts(wins, losses)
    log_e: Array = (won + lost) * _LOG_2 + special.betaln(1 + won, 1 + lost)
    return log_e


def log_e_better(wins: ArrayLike, losses: ArrayLike) -> Array:
    """Log e-value for "wins more often than it loses".

    Parameters
    ----------
    wins, losses : array_like, shape (...)
        Decided votes of a pair so far; ties are left out.

    Returns
    -------
    ndarray, shape (...)
        ``log(2^(n + 1) * integral over (1/2, 1) of q^wins (1 - q)^losses dq)``; an e-process
        while the probability to win a vote, given all before it, is at most one half.

    Raises
    ------
    DataError
        If a count is negative or not a number.

    Notes
    -----
    Uniform mixture over win probabilities above one half.
    Where the tail of the beta distribution leaves the range of floats, its continued fraction
    takes over, in which the large factors have cancelled. Whole tables of M x M pairs go in at
    once; millions of votes are fine.

    Examples
    --------
    >>> np.exp(log_e_better([8, 2], [2, 8])).round(9).tolist()
    [4.002020202, 0.135353535]
    >>> log_e_better(400_000, 600_000).round(9).item()
    -12.206097644
    """
    won, lost = check_counts(wins, losses)
    tail = special.betainc(1 + lost, 1 + won, 0.5)
    log_e = np.empty(tail.shape)
    seen = tail > _SMALLEST_TAIL
    log_e[seen] = (
        (won[seen] + lost[seen] + 1) * _LOG_2
        + special.betaln(1 + won[seen], 1 + lost[seen])
        + np.log(tail[seen])
    )
    far = ~seen
    log_e[far] = np.log(_beta_fraction(1 + lost[far], 1 + won[far])) - np.log(2 * (1 + lost[far]))
    return log_e


def log_e_ahead(
    statistic: ArrayLike, se: ArrayLike, df: ArrayLike = np.inf, gap: float = USUAL_GAP
) -> Array:
    """Log e-value for "ahead", from an estimate whose information grows with time.

    Parameters
    ----------
    statistic : array_like, shape (...)
        Estimated difference over its standard error.
    se : array_like, shape (...)
        That standard error; where it is 0 or NaN nothing is known, and the e-value is 1.
    df : array_like, shape (...)
        Degrees of freedom of the standard error.
    gap : float
        Standard deviation of the differences that are mixed over.

    Returns
    -------
    ndarray, shape (...)
        Logarithm of the likelihood ratio of ``|N(0, gap^2)|`` against no difference; an e-process
        in the limit while the true difference is at most 0.

    Notes
    -----
    An efficient estimate, multiplied by its information ``1 / se^2``, is in the limit a Brownian
    motion with drift in the time of the information (Jennison and Turnbull 1997), whatever design
    was fixed beforehand. A score weighted by one over the probability of the pair is a martingale
    of which the same holds, whatever chose the pairs. Source of the mixture: Robbins (1970),
    Ann. Math. Statist. 41, 1397-1409; of the limit: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
    (2024), Annals of Statistics 52, 2613-2640.

    Examples
    --------
    >>> log_e_ahead([5.0, -5.0, 5.0], [0.02, 0.02, np.nan]).round(3).tolist()
    [10.762, -4.175, 0.0]
    """
    z, error, freedom = np.broadcast_arrays(
        *(np.asarray(given, dtype=np.float64) for given in (statistic, se, df))
    )
    log_e = np.zeros(z.shape)
    known = (error > 0) & np.isfinite(z)
    few = known & np.isfinite(freedom)
    z = np.where(known, z, 0.0)
    tail = np.maximum(special.stdtr(freedom[few], -np.abs(z[few])), _SMALLEST)
    z[few] = -np.sign(z[few]) * special.ndtri(tail)
    share = gap**2 / (gap**2 + error[known] ** 2)
    log_e[known] = (
        _LOG_2
        + np.log1p(-share) / 2
        + share * z[known] ** 2 / 2
        + special.log_ndtr(z[known] * np.sqrt(share))
    )
    return log_e


def _beta_fraction(a: Array, b: Array) -> Array:
    """Continued fraction of the incomplete beta function at one half, for ``a > b``.

    ``I_x(a, b) = x^a (1 - x)^b / (a B(a, b))`` times the fraction; DLMF 8.17.22, by the method of
    Lentz. For `b` well below `a` it takes some tens of terms.
    """
    d = 1 / (1 - (a + b) / (2 * (a + 1)))
    c, value, m = np.ones(a.shape), d, 0
    moving = np.ones(a.shape, dtype=bool)
    while moving.any():
        m += 1
        even = m * (b - m) / (2 * (a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) / (2 * (a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value = value * (c * d)
        moving = np.abs(c * d - 1) > 1e-15
    return value


_LARGEST_LOG = 600.0


def mean_e_count(log_e: Array, alpha: float) -> NDArray[np.int64]:
    """Number of false hypotheses shown by closed testing with average e-values.

    Parameters
    ----------
    log_e : ndarray, shape (..., K)
        Log e-values of K hypotheses, dependent in any way.
    alpha : float
        Level of the family.

    Returns
    -------
    ndarray of int64, shape (...)
        With probability at least ``1 - alpha``, at any time, at least that many are false:
        K less the largest i for which the mean of the i smallest stays below ``1 / alpha``.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Notes
    -----
    Source: Vovk and Wang (2021), Annals of Statistics 49, 1736-1754.

    Examples
    --------
    >>> mean_e_count(np.log([60, 30, 25, 2, 0.5]), 0.05).item()
    1
    """
    rate = check_alpha(alpha)
    ordered = _e_values(np.sort(log_e, axis=-1))
    size = ordered.shape[-1]
    below = np.cumsum(ordered, axis=-1) < np.arange(1, size + 1) / rate
    # Means of the smallest only grow, so that the first that is not below ends the run.
    return np.asarray(size - np.logical_and.accumulate(below, axis=-1).sum(axis=-1), np.int64)


def anytime_bounds(log_e: Array, alpha: float) -> RankBounds:
    """Best and worst possible rank of each model, valid at any time.

    Parameters
    ----------
    log_e : ndarray, shape (M, M)
        ``[i, j]``: log e-value for "i better than j". The diagonal is ignored.
    alpha : float
        Error rate of a model's interval, over all looks together; half of it on each side.

    Returns
    -------
    RankBounds
        Per model; pairs without votes have log e-value 0 and show nothing.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Examples
    --------
    >>> from rankbars.stats.votes.anytime import log_e_better
    >>> wins = np.array([[0, 30, 30], [2, 0, 10], [2, 12, 0]])
    >>> bounds = anytime_bounds(log_e_better(wins, wins.T), 0.05)
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    level = check_alpha(alpha) / 2
    size = log_e.shape[0]
    others = ~np.eye(size, dtype=bool)
    rows = log_e[others].reshape(size, max(size - 1, 0))
    columns = log_e.T[others].reshape(size, max(size - 1, 0))
    return count_bounds(mean_e_count(columns, level), mean_e_count(rows, level))


def anytime_relation(log_e: Array, alpha: float) -> NDArray[np.bool_]:
    """Pairs shown at any time, all of them right at once with probability ``1 - alpha``.

    Parameters
    ----------
    log_e : ndarray, shape (M, M)
        ``[i, j]``: log e-value for "i better than j". The diagonal is ignored.
    alpha : float
        Error rate of the whole relation, over all looks together.

    Returns
    -------
    ndarray of bool, shape (M, M)
        ``[i, j]``: i is shown better than j.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Notes
    -----
    Closed testing with averages rejects a hypothesis if its e-value makes up for all others that
    lie below ``1 / alpha``: ``e >= 1/alpha + sum over others of max(0, 1/alpha - e_other)``.
    Source: Vovk and Wang (2021), section 4.

    Examples
    --------
    >>> from rankbars.stats.votes.anytime import log_e_better
    >>> wins = np.array([[0, 60, 60], [2, 0, 10], [2, 12, 0]])
    >>> anytime_relation(log_e_better(wins, wins.T), 0.05).sum(axis=1).tolist()
    [2, 0, 0]
    """
    bound = 1 / check_alpha(alpha)
    others = ~np.eye(log_e.shape[0], dtype=bool)
    e_values = _e_values(log_e)
    missing = np.where(others, np.maximum(bound - e_values, 0.0), 0.0)
    relation: NDArray[np.bool_] = others & (e_values >= bound + missing.sum() - missing)
    return relation


def _e_values(log_e: Array) -> Array:
    """E-values; larger ones than can matter are cut, so that sums stay finite."""
    e_values: Array = np.exp(np.minimum(log_e, _LARGEST_LOG))
    return e_values

"""Evidence that may be looked at any time: e-processes of wins and losses.

Under its null hypothesis an e-process reaches ``1 / alpha`` at any time with probability at most
`alpha` (Ville 1939).
All e-values are kept as logarithms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from rankbars.errors import DataError

__all__ = ["log_e_better", "log_e_two_sided"]

Array = NDArray[np.float64]

_LOG_2 = float(np.log(2.0))
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
    won, lost = _check_counts(wins, losses)
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
    won, lost = _check_counts(wins, losses)
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


def _check_counts(wins: ArrayLike, losses: ArrayLike) -> tuple[Array, Array]:
    """Both counts as floats of one shape."""
    won, lost = np.broadcast_arrays(
        np.asarray(wins, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    )
    if not all(np.isfinite(count).all() and (count >= 0).all() for count in (won, lost)):
        raise DataError("Wins and losses must be finite counts, 0 or more.")
    return won, lost


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

"""The statistics of every pair of models on one task: p-values, and what could have been seen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.tails import critical_value, upper_tail

__all__ = [
    "PairStatistics",
    "detectable_difference",
    "p_values",
]


class PairStatistics(NamedTuple):
    """One test statistic for every ordered pair of models; ``[i, j]`` reads 'i better than j'.

    A pair without evidence has statistic 0: the diagonal, identical models, fewer than two rows,
    no common rows, a contrast without variance whose number of rows is not known.
    A constant non-zero difference over n rows has the signed statistic whose upper tail is
    ``2**-n``, the smallest p-value of an exact sign test.

    Attributes
    ----------
    diff : ndarray of float64, shape (M, M)
        Mean of ``x_i - x_j`` over the rows that both have; NaN where there are none.
    se : ndarray of float64, shape (M, M)
        Standard error of `diff` under the test.
        Zero on the diagonal and for pairs whose differences do not vary; NaN where the test has
        no standard error (fewer than two rows, too few or too uneven clusters).
    statistic : ndarray of float64, shape (M, M)
        ``diff / se``; exactly antisymmetric.
    df : float or ndarray of float64, shape (M, M)
        Degrees of freedom of the null distribution; infinity means the normal distribution.
    n : int or ndarray of int64, shape (M, M)
        Independent rows behind each pair; clusters where rows are clustered.
    constant : ndarray of bool, shape (M, M)
        Pairs whose differences are equal and not zero.
    identical : ndarray of bool, shape (M, M)
        Pairs of different models whose differences are zero on every row.
    """

    diff: NDArray[np.float64]
    se: NDArray[np.float64]
    statistic: NDArray[np.float64]
    df: NDArray[np.float64] | float
    n: NDArray[np.int64] | int
    constant: NDArray[np.bool_]
    identical: NDArray[np.bool_]

    @property
    def freedom(self) -> NDArray[np.float64]:
        """Degrees of freedom of every pair."""
        return np.broadcast_to(np.asarray(self.df, dtype=np.float64), self.diff.shape)

    def placed(self, at: NDArray[np.integer], size: int) -> PairStatistics:
        """The same among `size` models, of which these stand `at` some; others have no evidence."""
        block = np.ix_(at, at)

        def square(source: Any, empty: float) -> NDArray[Any]:
            values = np.asarray(source)
            padded = np.full((size, size), empty, dtype=values.dtype)
            padded[block] = values
            return padded

        return PairStatistics(
            diff=square(self.diff, np.nan),
            se=square(self.se, np.nan),
            statistic=square(self.statistic, 0.0),
            df=self.df if np.ndim(self.df) == 0 else square(self.df, 1.0),
            n=square(self.n, 0),
            constant=square(self.constant, False),
            identical=square(self.identical, False),
        )


def p_values(stats: PairStatistics) -> NDArray[np.float64]:
    """One-sided p-values: ``[i, j]`` is the evidence that model i is better than model j.

    Not needed to decide anything: decisions compare statistics with critical values.

    Parameters
    ----------
    stats : PairStatistics
        Statistics of all pairs.

    Returns
    -------
    ndarray of float64, shape (M, M)
        p-values; 1 on the diagonal, for pairs without evidence, and in the losing direction of a
        constant difference. Each direction is a tail of the statistic.

    Examples
    --------
    >>> import numpy as np
    >>> from rankbars.stats.pairwise.paired import paired_t
    >>> p_values(paired_t(np.array([[0.5, 0.4], [0.7, 0.6], [0.9, 0.8]])))
    array([[1.   , 0.125],
           [1.   , 1.   ]])
    """
    p = upper_tail(stats.statistic, stats.df)
    no_evidence = (stats.statistic == 0) & ~(stats.se > 0)
    p[no_evidence | (stats.constant & (stats.statistic < 0))] = 1.0
    return p


def detectable_difference(se: float, df: float, alpha: float, power: float) -> float:
    """Smallest true difference that a two-sided test shows with probability `power`.

    Parameters
    ----------
    se : float
        Standard error of the difference, above 0.
    df : float
        Degrees of freedom; infinity means the normal distribution.
    alpha : float
        Error rate of both sides together.
    power : float
        Probability to show the difference, in its direction.

    Returns
    -------
    float
        ``(t(1 - alpha/2) + t(power)) * se``; NaN without a standard error above 0.

    Notes
    -----
    The formula of Bloom (1995), *Minimum Detectable Effects*, Evaluation Review 19(5).
    At a nominal power of .80 and alpha .05 the true power is .795 at 5 degrees of freedom and
    within .002 of .80 from 8 on; at 1 it is .73, so the value is then too small by a seventh.

    Examples
    --------
    >>> round(detectable_difference(1.0, float("inf"), 0.05, 0.8), 3)
    2.802
    """
    if not (se > 0 and df > 0):
        return float("nan")
    return float((critical_value(alpha / 2, df) + critical_value(1 - power, df)) * se)

"""Models that may be the best: one family of one-sided tests for each candidate, at the full level.

A candidate j goes when some other model is shown better than it among the M - 1 hypotheses "k is
not better than j". Only a model that is the best can be lost wrongly, and for it all of its
hypotheses are true: so nothing is paid for the number of candidates. Of several models that are
tied for the best each is kept with the stated probability, not all of them together.

`rankbars.stats.multiplicity.maxt.max_t_best` is the same by resampled critical values.

Sources: Gupta 1965; Mogstad, Romano, Shaikh & Wilhelm 2024.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.multiplicity.stepdown import decide, decide_from_p
from rankbars.stats.multiplicity.thresholds import check_alpha

__all__ = ["better_counts", "better_counts_from_p"]

_BELOW_ONE = float(np.nextafter(1.0, 0.0))


def better_counts(
    statistic: NDArray[np.float64], df: NDArray[np.float64] | float, alpha: float
) -> NDArray[np.int64]:
    """How many models are shown better than each candidate, by Holm within its own family.

    Parameters
    ----------
    statistic : ndarray of float64, shape (M, M)
        ``[i, j]``: evidence that i is better than j; exactly antisymmetric, no NaN.
    df : float or ndarray, shape (M, M)
        Degrees of freedom, shared or of each pair; infinity is normal.
    alpha : float
        Error rate of the family of one candidate, in (0, 1); all of it on one side.

    Returns
    -------
    ndarray of int64, shape (M,)
        The models with 0 may be the best: a model that is the best is among them with probability
        ``1 - alpha``. Those with at most k - 1 may be among the best k, in the same way.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a statistic is NaN.

    Notes
    -----
    A count of 0 is a question of the first step alone, where Holm is Bonferroni.
    At equal levels the set lies inside the one that Holm over all ordered pairs leaves: at most
    half of the pairs can be decided, so that its divisor never falls below M - 1.

    Examples
    --------
    >>> t = np.array([[0, 0.8, 2.5, 3.1], [-0.8, 0, 2.2, 2.4], [-2.5, -2.2, 0, 0.7],
    ...               [-3.1, -2.4, -0.7, 0]])
    >>> better_counts(t, 49.0, 0.05).tolist()
    [0, 0, 2, 2]
    """
    return decide(statistic, df, _both_sides(alpha), "holm", "each").better


def better_counts_from_p(p: NDArray[np.float64], alpha: float) -> NDArray[np.int64]:
    """As `better_counts`, from one-sided p-values; ``[i, j]`` is that of 'i is better than j'.

    Examples
    --------
    >>> p = np.array([[1.0, 0.2, 0.01], [0.8, 1.0, 0.03], [0.99, 0.97, 1.0]])
    >>> better_counts_from_p(p, 0.05).tolist()
    [0, 0, 2]
    """
    return decide_from_p(p, _both_sides(alpha), "holm", "each").better


def _both_sides(alpha: float) -> float:
    """The rate whose half is `alpha`: one side of a model's family gets half."""
    return min(2.0 * check_alpha(alpha), _BELOW_ONE)

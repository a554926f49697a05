"""How many models are better, not which: closed testing, and one family for each candidate.

A rank bound needs only a number, so any lower confidence bound on the number of false hypotheses
of a model's family will do. Simes local tests give counts that are never below Holm's.

Models that may be the best need one family of one-sided tests for each candidate, at the full
level. A candidate j goes when some other model is shown better than it among the M - 1 hypotheses
"k is not better than j". Only a model that is the best can be lost wrongly, and for it all of its
hypotheses are true: so nothing is paid for the number of candidates. Of several models that are
tied for the best each is kept with the stated probability, not all of them together.
`rankbars.stats.multiplicity.maxt.max_t_best` is the same by resampled critical values.

Sources: Goeman & Solari 2011, *Statistical Science* 26; for the best Gupta 1965; Mogstad, Romano,
Shaikh & Wilhelm 2024.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.multiplicity.stepdown import Procedure, decide, decide_from_p
from rankbars.stats.tails import Decisions, check_alpha, positive_critical, upper_tail

__all__ = [
    "GuardedSimes",
    "better_counts",
    "better_counts_from_p",
    "simes_each",
    "simes_each_from_p",
    "simes_guarded",
]

_BELOW_ONE = float(np.nextafter(1.0, 0.0))


class GuardedSimes(NamedTuple):
    """Simes counts where their condition could be checked and holds, Holm's elsewhere."""

    decisions: Decisions
    fallback: NDArray[np.intp]  # models for which Holm was used although Simes would say more


def simes_each_from_p(p: NDArray[np.float64], alpha: float) -> Decisions:
    """Closed-testing counts for each model by itself, from p-values.

    Parameters
    ----------
    p : array of float, shape (M, M)
        ``[i, j]``: one-sided p-value of 'i is better than j'; the diagonal is not used.
    alpha : float
        Error rate of one model's two sides together, in (0, 1).

    Returns
    -------
    Decisions
        Counts of each model; ``shown_better`` is None, because the counts name nobody.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Notes
    -----
    The count is K - h, with h the largest i such that ``i p_(K-i+s) > s a`` for all
    ``s = 1..i``, p-values ascending and a = alpha / 2 (Goeman & Solari 2011).
    It needs the Simes inequality for the K statistics of a model, which holds under positive
    dependence.

    Examples
    --------
    >>> row = [1.0, 0.02, 0.02, 0.02, 0.6, 0.9]
    >>> p = np.ones((6, 6)); p[0] = row
    >>> simes_each_from_p(p, 0.1).worse[0].item()
    2
    """
    level = check_alpha(alpha) / 2
    size = p.shape[0]
    off_diagonal = ~np.eye(size, dtype=np.bool_)
    counts = [
        _simes_counts(np.sort(matrix[off_diagonal].reshape(size, -1), axis=1), level)
        for matrix in (p.T, p)
    ]
    return Decisions(counts[0], counts[1], None)


def simes_each(
    statistic: NDArray[np.float64], df: NDArray[np.float64] | float, alpha: float
) -> Decisions:
    """Closed-testing counts for each model by itself, from statistics.

    Parameters
    ----------
    statistic : array of float, shape (M, M)
        ``[i, j]``: evidence that i is better than j; exactly antisymmetric.
    df : float or array, shape (M, M)
        Degrees of freedom, shared or of each pair; infinity is normal.
    alpha : float
        Error rate of one model's two sides together, in (0, 1).

    Returns
    -------
    Decisions
        As `simes_each_from_p`.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Notes
    -----
    With a shared `df` p-values are evaluated only for cells that Holm does not decide and that
    would pass unadjusted: the others cannot change the count.

    Examples
    --------
    >>> t = np.array([[0.0, 2.2, 2.2], [-2.2, 0.0, 0.0], [-2.2, 0.0, 0.0]])
    >>> simes_each(t, np.inf, 0.05).worse.tolist(), decide(t, np.inf, 0.05).worse.tolist()
    ([2, 0, 0], [0, 0, 0])
    """
    level = check_alpha(alpha) / 2
    size = statistic.shape[0]
    if size < 2:
        return Decisions(np.zeros(size, np.int64), np.zeros(size, np.int64), None)
    if np.ndim(df) != 0:
        with np.errstate(invalid="ignore"):
            p = np.where(statistic > 0, upper_tail(np.abs(statistic), df), 1.0)
        return simes_each_from_p(p, alpha)
    holm = decide(statistic, df, alpha)
    unadjusted = float(positive_critical(level, float(df)))
    better = np.zeros(size, dtype=np.int64)
    worse = np.zeros(size, dtype=np.int64)
    for rows in row_blocks(size, size):
        block = np.sort(statistic[rows], axis=1)
        # Zero is never decided, so the diagonal may stay in as one more undecided hypothesis
        # only if it is taken out of the count again: drop one zero from either end.
        for ordered, found, counts in (
            (-_without_one_zero(block), holm.better[rows], better),
            (_without_one_zero(block)[:, ::-1], holm.worse[rows], worse),
        ):
            counts[rows] = _simes_counts(_needed_p(ordered, found, unadjusted, df), level)
    return Decisions(better, worse, None)


def simes_guarded(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    se: NDArray[np.float64],
    alpha: float,
) -> GuardedSimes:
    """Simes counts for models whose differences are not negatively correlated, else Holm's.

    The correlation of two differences of model j follows from standard errors alone:
    ``2 cov(d_jk, d_jl) = se_jk^2 + se_jl^2 - se_kl^2``. It is looked at only where Simes and Holm
    differ, since it costs M^2 per model.

    Parameters
    ----------
    statistic, df, alpha
        As in `simes_each`.
    se : array of float, shape (M, M)
        Standard errors of the differences; NaN where a pair cannot be compared, which counts as
        a condition that could not be checked.

    Returns
    -------
    GuardedSimes

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Examples
    --------
    >>> t = np.array([[0.0, 2.2, 2.2], [-2.2, 0.0, 0.0], [-2.2, 0.0, 0.0]])
    >>> simes_guarded(t, np.inf, 1.0 - np.eye(3), 0.05).decisions.worse.tolist()
    [2, 0, 0]
    >>> far = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    >>> simes_guarded(t, np.inf, far, 0.05).fallback.tolist()
    [0]
    """
    simes, holm = simes_each(statistic, df, alpha), decide(statistic, df, alpha)
    differ = np.flatnonzero((simes.better != holm.better) | (simes.worse != holm.worse))
    variance = se**2
    refused = np.array(
        [j for j in differ if _negative_correlation(variance, int(j))], dtype=np.intp
    )
    better, worse = simes.better.copy(), simes.worse.copy()
    better[refused], worse[refused] = holm.better[refused], holm.worse[refused]
    return GuardedSimes(Decisions(better, worse, None), refused)


def _without_one_zero(ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows without the zero of the diagonal; any zero will do, since zeros are alike."""
    columns = ordered.shape[1]
    first_zero = (ordered < 0).sum(axis=1)
    keep = np.arange(columns) != first_zero[:, None]
    return np.asarray(ordered[keep].reshape(ordered.shape[0], columns - 1))


def _needed_p(
    ordered: NDArray[np.float64],
    found: NDArray[np.int64],
    unadjusted: float,
    df: NDArray[np.float64] | float,
) -> NDArray[np.float64]:
    """P-values of rows of descending statistics; 0 where Holm rejects, infinity where none can."""
    position = np.arange(ordered.shape[1])
    passes = ordered >= unadjusted
    p = np.where(passes, 0.0, np.inf)
    open_cells = passes & (position >= found[:, None])
    p[open_cells] = upper_tail(ordered[open_cells], df)
    return p


def _simes_counts(p: NDArray[np.float64], level: float) -> NDArray[np.int64]:
    """Closed-testing count of each row of ascending p-values, by bisection over the subset size."""
    columns = p.shape[1]
    below = np.zeros(p.shape[0], dtype=np.int64)  # a subset size that is not rejected
    above = np.full(p.shape[0], columns, dtype=np.int64)
    # Only cells that pass unadjusted can reject a subset: i p > s a is sure for p > a, s <= i.
    relevant = p[:, : int((p <= level).sum(axis=1).max(initial=0))]
    position = np.arange(relevant.shape[1])
    while (below < above).any():
        size = (below + above + 1) // 2
        s = position - (columns - size)[:, None] + 1
        with np.errstate(invalid="ignore"):
            kept = ((s < 1) | (size[:, None] * relevant > s * level)).all(axis=1)
        below = np.where(kept, size, below)
        above = np.where(kept, above, size - 1)
    return np.asarray(columns - below, dtype=np.int64)


def _negative_correlation(variance: NDArray[np.float64], j: int) -> bool:
    # Cells with k = j or l = j are zero up to rounding and say nothing.
    others = np.delete(np.arange(variance.shape[0]), j)
    own = variance[j, others]
    twice = own[:, None] + own[None, :] - variance[np.ix_(others, others)]
    scale = own[:, None] + own[None, :]
    return bool(np.isnan(twice).any() or (twice < -1e-9 * scale).any())


def better_counts(
    statistic: NDArray[np.float64], df: NDArray[np.float64] | float, alpha: float,
    procedure: Procedure = "holm",
) -> NDArray[np.int64]:  # fmt: skip
    """How many models are shown better than each candidate, by Holm within its own family.

    Parameters
    ----------
    statistic : ndarray of float64, shape (M, M)
        ``[i, j]``: evidence that i is better than j; exactly antisymmetric, no NaN.
    df : float or ndarray, shape (M, M)
        Degrees of freedom, shared or of each pair; infinity is normal.
    alpha : float
        Error rate of the family of one candidate, in (0, 1); all of it on one side.
    procedure : {"holm", "bonferroni"}
        ``"bonferroni"`` takes the first step alone, without sorting: enough to tell who has 0.

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
    return decide(statistic, df, _both_sides(alpha), procedure, "each").better


def better_counts_from_p(
    p: NDArray[np.float64], alpha: float, procedure: Procedure = "holm"
) -> NDArray[np.int64]:
    """As `better_counts`, from one-sided p-values; ``[i, j]`` is that of 'i is better than j'.

    Examples
    --------
    >>> p = np.array([[1.0, 0.2, 0.01], [0.8, 1.0, 0.03], [0.99, 0.97, 1.0]])
    >>> better_counts_from_p(p, 0.05).tolist()
    [0, 0, 2]
    """
    return decide_from_p(p, _both_sides(alpha), procedure, "each").better


def _both_sides(alpha: float) -> float:
    """The rate whose half is `alpha`: one side of a model's family gets half."""
    return min(2.0 * check_alpha(alpha), _BELOW_ONE)

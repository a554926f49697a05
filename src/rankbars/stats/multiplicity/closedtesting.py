"""Closed-testing counts with Simes local tests: how many models are better, not which.

A rank bound needs only a number, so any lower confidence bound on the number of false hypotheses
of a model's family will do. Simes local tests give counts that are never below Holm's.

Source: Goeman & Solari 2011, *Statistical Science* 26.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.multiplicity.stepdown import decide
from rankbars.stats.multiplicity.thresholds import Decisions, check_alpha, positive_critical
from rankbars.stats.tails import upper_tail

__all__ = ["GuardedSimes", "simes_each", "simes_each_from_p", "simes_guarded"]


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

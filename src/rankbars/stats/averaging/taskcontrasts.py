"""Averages over tasks: paired differences summed with their errors, common rows, logarithms.

Averages of logarithms are geometric means, by the delta method. The tasks of a family count as
one task. What two averages have in common is the covariance of the rows that both hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import product_blocks, row_blocks
from rankbars.stats.pairwise.degenerate import sign_test_statistic
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.resampling.distributions import contrast_covariance

__all__ = [
    "ContrastSums",
    "add_task",
    "average_contrasts",
    "average_summary",
    "constant_errors",
    "family_means",
    "log_pairs",
    "log_summary",
    "row_covariance",
    "start_sums",
]


class ContrastSums(NamedTuple):
    """Sums over tasks from which contrasts of the average follow; filled in place, task by task."""

    diff: NDArray[np.float64]  # [M, M] sum of w * d
    variance: NDArray[np.float64]  # [M, M] sum of w^2 se^2
    variance_df: NDArray[np.float64]  # [M, M] sum of (w^2 se^2)^2 / df, for Satterthwaite
    rows: NDArray[np.float64]  # [M, M] sum of rows of tasks with several
    ahead: NDArray[np.float64]  # [M, M] rows of tasks where i is ahead by the same on every row
    varied: NDArray[np.bool_]  # [M, M] whether differences vary on some task
    score: NDArray[np.float64]  # [M] sum of w * mean
    score_variance: NDArray[np.float64]  # [M]
    score_variance_df: NDArray[np.float64]  # [M]


def start_sums(size: int) -> ContrastSums:
    """Empty sums for `size` models."""
    square = (size, size)
    return ContrastSums(
        diff=np.zeros(square),
        variance=np.zeros(square),
        variance_df=np.zeros(square),
        rows=np.zeros(square),
        ahead=np.zeros(square),
        varied=np.zeros(square, dtype=np.bool_),
        score=np.zeros(size),
        score_variance=np.zeros(size),
        score_variance_df=np.zeros(size),
    )


def constant_errors(pairs: PairStatistics) -> NDArray[np.float64]:
    """Standard errors of the differences on one task, none of them 0 where models differ.

    Two models that differ by the same on each of a few rows show no spread, but an error of 0
    would let these rows decide an average that they cannot decide by themselves. Such a pair gets
    the error at which its difference has the p-value of a sign test, ``2**-n``, under the t
    distribution of the task: ``|d| / t(1 - 2**-n)``.

    Parameters
    ----------
    pairs : PairStatistics
        Differences of all pairs, with the statistics of `rankbars.stats.pairwise.degenerate`.

    Returns
    -------
    ndarray of float64, shape (M, M)
        `pairs.se`, the same array where no pair is constant.

    Examples
    --------
    Three rows, 3 : 0. With 2 degrees of freedom, t has the tail 1/8 at ``sqrt(18 / 7)``:

    >>> from rankbars.stats.pairwise.paired import paired_t
    >>> made = constant_errors(paired_t(np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])))
    >>> print(f"{made[0, 1]:.6f}", f"{(7 / 18) ** 0.5:.6f}")
    0.623610 0.623610
    """
    still = _without_spread(pairs)
    if not still.any():
        return pairs.se
    se = pairs.se.copy()
    se[still] = np.abs(pairs.diff[still] / pairs.statistic[still])
    return se


def _without_spread(pairs: PairStatistics) -> NDArray[np.bool_]:
    if not pairs.constant.any():
        return pairs.constant
    return np.asarray(pairs.constant & (pairs.se == 0.0) & (pairs.statistic != 0.0))


def add_task(
    sums: ContrastSums, pairs: PairStatistics, summary: ModelSummary, weight: float
) -> None:
    """Add one task, in place, with the weight it has in the average.

    Parameters
    ----------
    sums : ContrastSums
        Changed in place: a thousand models make these matrices large.
    pairs : PairStatistics
        Differences and standard errors; NaN where a pair cannot be compared, which makes the
        pair incomparable on the average too. A difference that is the same on every row has the
        error of `constant_errors`; any other error of 0 adds none to the average.
    summary : ModelSummary
        Mean and standard error of each model by itself.
    weight : float
        0 or more; a task of weight 0 adds nothing.
    """
    if weight == 0.0:
        return
    shape = pairs.diff.shape
    rows, df = np.broadcast_to(pairs.n, shape), np.broadcast_to(pairs.df, shape)
    # One row bounds no evidence; published scores count as one.
    counted = np.broadcast_to(np.where(np.less(pairs.n, 2), 0, pairs.n), shape)
    still, se = _without_spread(pairs), constant_errors(pairs)
    some = still.any()
    for block in row_blocks(*shape):
        variance = weight**2 * np.square(se[block])
        sums.diff[block] += weight * pairs.diff[block]
        sums.variance[block] += variance
        sums.rows[block] += counted[block]
        sums.variance_df[block] += _per_df(variance, df[block])
        sums.varied[block] |= (variance > 0) & ~still[block]
        if some:
            sums.ahead[block] += np.where(still[block] & (pairs.diff[block] > 0), rows[block], 0)
    own = weight**2 * summary.se**2
    sums.score[...] += weight * summary.mean
    sums.score_variance[...] += own
    sums.score_variance_df[...] += _per_df(own, summary.df)


def _per_df(variance: NDArray[np.float64], df: NDArray[np.float64]) -> NDArray[np.float64]:
    """Squared variance over its degrees of freedom; no variance adds nothing, whatever its df."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance == 0, 0.0, np.square(variance) / df)


def average_contrasts(sums: ContrastSums) -> PairStatistics:
    """Contrasts of the average, with Satterthwaite degrees of freedom pair by pair.

    Returns
    -------
    PairStatistics
        A pair that cannot be compared on some task has statistic 0. A pair that does not
        vary on any task, and of which one model is ahead wherever they differ, counts as
        ``2**-rows``, the floor of a sign test on the rows of these tasks; without rows, as for
        published scores with errors of 0 alone, it has statistic 0.

    Examples
    --------
    >>> from rankbars.stats.pairwise.paired import paired_t
    >>> from rankbars.stats.pairwise.modelscores import item_summary
    >>> x = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    >>> sums = start_sums(2)
    >>> for values in (x, 1 - x):
    ...     add_task(sums, paired_t(values), item_summary(values), 0.5)
    >>> average_contrasts(sums).diff[0, 1].item()
    0.0
    """
    size = sums.diff.shape[0]
    off_diagonal = ~np.eye(size, dtype=np.bool_)
    comparable = np.isfinite(sums.variance) & off_diagonal
    ahead, behind = sums.ahead, sums.ahead.T
    constant = comparable & ~sums.varied & ((ahead > 0) != (behind > 0))
    still = comparable & (sums.variance == 0.0)
    # Weighted sums of exact zeros are exact zeros; anything else that small is rounding.
    scale = np.abs(sums.score).max(initial=0.0, where=np.isfinite(sums.score))
    zero = np.abs(sums.diff) <= 8 * np.finfo(np.float64).eps * scale
    identical = still & zero
    statistic = np.zeros((size, size))
    ordinary = comparable & ~still & ~constant
    statistic[ordinary] = sums.diff[ordinary] / np.sqrt(sums.variance[ordinary])
    df = _satterthwaite(sums.variance, sums.variance_df)
    floor = sign_test_statistic((ahead + behind)[constant], np.inf)
    statistic[constant] = floor * np.sign(sums.diff[constant])
    df[constant] = np.inf
    return PairStatistics(
        diff=sums.diff,
        se=np.where(constant, 0.0, np.sqrt(sums.variance)),
        statistic=statistic,
        df=df,
        n=sums.rows.astype(np.int64),
        constant=constant,
        identical=identical,
    )


def average_summary(sums: ContrastSums) -> ModelSummary:
    """Average score of each model with its standard error and Satterthwaite df."""
    df = _satterthwaite(sums.score_variance, sums.score_variance_df)
    return ModelSummary(sums.score, np.sqrt(sums.score_variance), df)


def _satterthwaite(
    variance: NDArray[np.float64], variance_df: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Degrees of freedom of a sum of variance estimates; infinite where there is no variance."""
    with np.errstate(divide="ignore", invalid="ignore"):
        df = variance**2 / variance_df
    return np.where(variance_df > 0, df, np.inf)


def against(pairs: PairStatistics, baseline: int) -> ModelSummary:
    """Differences of all models from one of them, which itself has 0 without an error.

    Parameters
    ----------
    pairs : PairStatistics
        Differences of the means.
    baseline : int
        Position of that model.
    """
    df = pairs.freedom
    found = ModelSummary(*(table[:, baseline].copy() for table in (pairs.diff, pairs.se, df)))
    found.mean[baseline] = found.se[baseline] = 0.0
    return found


def log_summary(summary: ModelSummary, sign: float = 1.0) -> ModelSummary:
    """Logarithms of positive means with their standard errors, ``se / mean``.

    With `sign` -1 the means are those of losses, stored negated; the sign is kept, so that higher
    stays better.

    Examples
    --------
    >>> made = log_summary(ModelSummary(np.array([0.5]), np.array([0.05]), np.array([9.0])))
    >>> made.mean.round(3).tolist(), made.se.tolist()
    ([-0.693], [0.1])
    """
    size = sign * summary.mean
    return ModelSummary(sign * np.log(size), summary.se / size, summary.df)


def log_pairs(summary: ModelSummary, pairs: PairStatistics, sign: float = 1.0) -> PairStatistics:
    """Differences of logarithms of means, with the covariance of the means taken along.

    Parameters
    ----------
    summary : ModelSummary
        Positive means and their standard errors.
    pairs : PairStatistics
        Differences of the means.
    sign : float
        -1 for means of losses, stored negated.

    Returns
    -------
    PairStatistics
        ``diff`` and ``se`` of ``log mean_i - log mean_j``; statistics are not formed, for sums
        over tasks need none.

    Notes
    -----
    With V the covariance of two means, the variance is
    ``V_ii / m_i^2 + V_jj / m_j^2 - 2 V_ij / (m_i m_j)``.

    Examples
    --------
    >>> from rankbars.stats.pairwise.paired import paired_t
    >>> from rankbars.stats.pairwise.modelscores import item_summary
    >>> x = np.array([[0.9, 0.45], [0.5, 0.25], [0.7, 0.35]])  # always twice as good
    >>> made = log_pairs(item_summary(x), paired_t(x))
    >>> made.diff[0, 1].round(4).item(), made.se[0, 1].round(6).item()
    (0.6931, 0.0)
    """
    relative = contrast_covariance(np.square(summary.se), np.square(pairs.se))
    relative /= summary.mean[:, None] * summary.mean[None, :]
    own = np.diag(relative)
    variance = np.maximum(own[:, None] + own[None, :] - 2 * relative, 0.0)
    variance[pairs.identical] = 0.0
    np.fill_diagonal(variance, 0.0)
    log = sign * np.log(sign * summary.mean)
    diff = np.where(np.isnan(pairs.diff), np.nan, log[:, None] - log[None, :])
    return pairs._replace(diff=diff, se=np.sqrt(variance))


def family_means(
    rows: NDArray[np.float64], weights: NDArray[np.float64], families: Sequence[str]
) -> NDArray[np.float64]:
    """Weighted mean of the tasks of each family.

    Parameters
    ----------
    rows : array of float, shape (N, M)
        One row per task.
    weights : array of float, shape (N,)
        Positive weight of each task within its family.
    families : sequence of str
        Family of each task.

    Returns
    -------
    array of float, shape (F, M)
        One row per family, families in code-point order.

    Examples
    --------
    >>> rows = np.array([[1.0], [3.0], [5.0]])
    >>> family_means(rows, np.ones(3), ["x", "y", "x"]).tolist()
    [[3.0], [3.0]]
    """
    _, code = np.unique(np.asarray(families), return_inverse=True)
    share = np.zeros((int(code.max()) + 1, len(rows)))
    share[code, np.arange(len(rows))] = weights
    share /= share.sum(axis=1, keepdims=True)
    return np.asarray(share @ rows)


def row_covariance(
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    shared: NDArray[np.intp],
    *,
    paired: bool = True,
) -> NDArray[np.float64]:
    """Covariance of the mean difference of two models on one sample with that on another.

    Parameters
    ----------
    one, other : array of float, shapes (n, M) and (k, M)
        Rows by models; NaN where a model has no score. A difference is over the rows that have
        both models.
    shared : array of int, shape (2, R)
        Positions of the common rows in each sample.
    paired : bool
        Whether models are compared row by row; else their means are independent of each other, as
        in Welch's test.

    Returns
    -------
    array of float, shape (M, M)
        ``sum(a * b) / sqrt(n (n - 1) k (k - 1))``, with a and b the distances of the differences
        on common rows from their means. Of a sample with itself that is the squared standard
        error; without common rows it is 0.

    Examples
    --------
    >>> x = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    >>> rows = np.arange(4)
    >>> row_covariance(x, x, np.array([rows, rows]))[0, 1].round(6).item()
    0.083333
    >>> row_covariance(x, 1 - x, np.array([rows, rows]))[0, 1].round(6).item()
    -0.083333
    """
    size = one.shape[1]
    first, second = (_Sample(values) for values in (one, other))
    products, own, mine, yours, rows = (np.zeros((size, size)) for _ in range(5))
    for block in product_blocks(shared.shape[1], 4 * size):
        a, has_a = first.rows(shared[0, block])
        b, has_b = second.rows(shared[1, block])
        both = has_a * has_b
        if not paired:
            own += np.diag((a * b).sum(axis=0))
            continue
        a, b = a * both, b * both
        products += a.T @ b
        own += (a * b).T @ both
        mine += a.T @ both
        yours += b.T @ both
        rows += both.T @ both
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.sqrt(first.pairs * second.pairs)
        if not paired:
            each = np.diag(own) / np.diag(scale)
            found = each[:, None] + each[None, :]
        else:
            found = own + own.T - products - products.T
            found -= first.mean * (yours - yours.T) + second.mean * (mine - mine.T)
            found = (found + rows * first.mean * second.mean) / scale
    np.fill_diagonal(found, 0.0)
    return np.asarray(found)


class _Sample:
    """A sample around the means of its models, and what its pairs of models have of it."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self._values = values
        count = np.zeros((values.shape[1],) * 2)
        total = np.zeros_like(count)
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            self._centre = np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)
        for block in product_blocks(len(values), 4 * values.shape[1]):
            away, has = self.rows(np.arange(block.start, block.stop))
            count += has.T @ has
            total += away.T @ has
        with np.errstate(invalid="ignore"):
            self.mean = (total - total.T) / count  # beyond that of the two centres
        self.pairs = count * (count - 1.0)

    def rows(self, at: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Distances from the centre, 0 where there is no score, and where there is one."""
        known = ~np.isnan(self._values[at])
        return np.where(known, self._values[at] - self._centre, 0.0), known.astype(np.float64)

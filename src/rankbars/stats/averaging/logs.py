"""Averages of logarithms: the geometric mean, by the delta method."""

from __future__ import annotations

import numpy as np

from rankbars.stats.pairwise.pairs import PairStatistics
from rankbars.stats.pairwise.summaries import ModelSummary
from rankbars.stats.resampling.distributions import contrast_covariance

__all__ = ["log_pairs", "log_summary"]


def log_summary(summary: ModelSummary) -> ModelSummary:
    """Logarithms of positive means with their standard errors, ``se / mean``.

    Examples
    --------
    >>> made = log_summary(ModelSummary(np.array([0.5]), np.array([0.05]), np.array([9.0])))
    >>> made.mean.round(3).tolist(), made.se.tolist()
    ([-0.693], [0.1])
    """
    return ModelSummary(np.log(summary.mean), summary.se / summary.mean, summary.df)


def log_pairs(summary: ModelSummary, pairs: PairStatistics) -> PairStatistics:
    """Differences of logarithms of means, with the covariance of the means taken along.

    Parameters
    ----------
    summary : ModelSummary
        Positive means and their standard errors.
    pairs : PairStatistics
        Differences of the means.

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
    >>> from rankbars.stats.pairwise.summaries import item_summary
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
    log = np.log(summary.mean)
    diff = np.where(np.isnan(pairs.diff), np.nan, log[:, None] - log[None, :])
    return pairs._replace(diff=diff, se=np.sqrt(variance))

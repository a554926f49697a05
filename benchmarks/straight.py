"""Rank intervals on a task, written down straight with scipy and statsmodels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.ranks import RankBounds, count_bounds

__all__ = ["bounds_by_differences", "bounds_by_moments", "bounds_by_scipy"]

_ALPHA = 0.05


def bounds_by_scipy(values: NDArray[np.float64]) -> RankBounds:
    """The same, written down straight: one vectorised t-test and two corrections per model."""
    from scipy.stats import ttest_rel
    from statsmodels.stats.multitest import multipletests

    n_models = values.shape[1]
    better, worse = np.zeros(n_models, dtype=int), np.zeros(n_models, dtype=int)
    for j in range(n_models):
        others = np.delete(values, j, axis=1)
        p = ttest_rel(values[:, [j]], others, alternative="greater").pvalue
        worse[j] = multipletests(p, _ALPHA / 2, method="holm")[0].sum()
        better[j] = multipletests(1 - p, _ALPHA / 2, method="holm")[0].sum()
    return count_bounds(better, worse)


def bounds_by_differences(values: NDArray[np.float64]) -> RankBounds:
    """The same from the differences of all pairs, which are many."""
    first, second = np.triu_indices(values.shape[1], 1)
    found = values[:, first] - values[:, second]
    return _bounds_by_p(found.mean(axis=0), found.std(axis=0, ddof=1), values)


def bounds_by_moments(values: NDArray[np.float64]) -> RankBounds:
    """The same from means and covariances."""
    first, second = np.triu_indices(values.shape[1], 1)
    mean, cov = values.mean(axis=0), np.cov(values.T)
    own = np.diagonal(cov)
    spread = np.sqrt(own[first] + own[second] - 2 * cov[first, second])
    return _bounds_by_p(mean[first] - mean[second], spread, values)


def _bounds_by_p(
    mean: NDArray[np.float64], spread: NDArray[np.float64], values: NDArray[np.float64]
) -> RankBounds:
    """Intervals from mean and standard deviation of every difference."""
    from scipy.stats import t as student
    from statsmodels.stats.multitest import multipletests

    n_items, n_models = values.shape
    first, second = np.triu_indices(n_models, 1)
    statistic = np.zeros((n_models, n_models))
    statistic[first, second] = mean / (spread / np.sqrt(n_items))
    statistic[second, first] = -statistic[first, second]
    counts = np.zeros((2, n_models), dtype=int)
    for j in range(n_models):
        tested = np.delete(statistic[j], j)
        for side, p in enumerate(
            (student.cdf(tested, n_items - 1), student.sf(tested, n_items - 1))
        ):
            counts[side, j] = multipletests(p, _ALPHA / 2, method="holm")[0].sum()
    return count_bounds(counts[0], counts[1])

"""Paired tests written out pair by pair in extended precision, to compare the library with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def explicit_statistics(
    values: NDArray[np.float64],
    *,
    clusters: NDArray[np.int64] | None = None,
    test_share: float | None = None,
) -> NDArray[np.float64]:
    """t statistics of all pairs from explicit differences; 0 on the diagonal."""
    n_models = values.shape[1]
    statistic = np.zeros((n_models, n_models))
    for i in range(n_models):
        for j in range(n_models):
            if i != j:
                d = values[:, i].astype(np.longdouble) - values[:, j].astype(np.longdouble)
                statistic[i, j] = _statistic(d, clusters, test_share)
    return statistic


def _statistic(
    d: NDArray[np.longdouble], clusters: NDArray[np.int64] | None, test_share: float | None
) -> float:
    kept = ~np.isnan(d)
    d = d[kept]
    n = len(d)
    mean = d.sum() / n
    if clusters is not None:
        labels = clusters[kept]
        sums = [(d[labels == label] - mean).sum() for label in np.unique(labels)]
        shares = [np.longdouble((labels == label).sum()) / n for label in np.unique(labels)]
        pairs = zip(sums, shares, strict=True)
        variance = sum(s**2 / (1 - share) for s, share in pairs) / n**2
    else:
        share = 0.0 if test_share is None else test_share
        variance = ((d - mean) ** 2).sum() / (n - 1) * (np.longdouble(1) / n + share / (1 - share))
    return float(mean / np.sqrt(variance))

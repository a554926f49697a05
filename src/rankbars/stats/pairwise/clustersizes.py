"""How many equal groups groups of rows of unequal sizes are worth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["cluster_df"]


def cluster_df(sizes: NDArray[np.float64]) -> float:
    """Degrees of freedom of the cluster-robust variance (CR2), from the sizes of clusters alone.

    Parameters
    ----------
    sizes : array of float, shape (G,)
        Rows of each cluster, two clusters or more.

    Returns
    -------
    float
        The mean of the degrees of freedom with independent rows (Bell and McCaffrey 2002) and
        with identical rows within a cluster; G - 1 where all sizes are equal.

    Examples
    --------
    >>> cluster_df(np.full(12, 40.0))
    11.0
    >>> round(cluster_df(np.array([231.0, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1])), 2)
    2.43
    """
    if np.ptp(sizes) == 0:
        return float(sizes.size - 1)
    w = sizes / sizes.sum()
    a = w**2 / (1.0 - w)
    q, a0, a1, a2 = (w**2).sum(), a.sum(), (a * w).sum(), (a * w**2).sum()
    independent = 1.0 / (q + a0**2 - (a**2).sum())
    below = (
        (1 + 2 * q) * (a**2).sum()
        - 4 * (a**2 * w).sum()
        + q**2 * a0**2
        + 2 * a0 * a2
        + 2 * a1**2
        - 4 * q * a0 * a1
    )
    identical = (a0 * (1 + q) - 2 * a1) ** 2 / below
    return float((independent + identical) / 2)

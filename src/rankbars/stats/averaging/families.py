"""Families of tasks: the tasks of one family count as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["family_means"]


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

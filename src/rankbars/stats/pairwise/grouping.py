"""Rows in groups: rows of one cluster are not independent of each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Grouping", "group_rows"]


class Grouping(NamedTuple):
    """Which rows belong together; rows in `order` are sorted by group.

    Attributes
    ----------
    order : ndarray of intp, shape (n,)
        Row numbers sorted by group.
    codes : ndarray of intp, shape (n,)
        Group of each row in that order, 0 to G - 1.
    starts : ndarray of intp, shape (G,)
        Where each group starts in that order.
    sizes : ndarray of intp, shape (G,)
        Rows per group.
    """

    order: NDArray[np.intp]
    codes: NDArray[np.intp]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]


def group_rows(clusters: ArrayLike) -> Grouping:
    """Grouping of rows by their cluster.

    Parameters
    ----------
    clusters : array_like, shape (n,)
        Cluster of each row: numbers or names.

    Returns
    -------
    Grouping
        Rows sorted by cluster, in their given order inside a cluster.

    Examples
    --------
    >>> grouping = group_rows(["b", "a", "b"])
    >>> grouping.order, grouping.sizes
    (array([1, 0, 2]), array([1, 2]))
    """
    names, codes = np.unique(np.asarray(clusters), return_inverse=True)
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes, minlength=names.size)
    return Grouping(order, codes[order], np.cumsum(sizes) - sizes, sizes)

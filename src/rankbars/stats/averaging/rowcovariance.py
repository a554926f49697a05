"""How differences of models on two samples go together that have rows in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import product_blocks

__all__ = ["row_covariance"]


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

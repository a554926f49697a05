"""Blocks of rows, so that scratch memory does not grow with the square of anything."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["CACHE_CELLS", "PRODUCT_CELLS", "accumulate", "product_blocks", "row_blocks"]

CACHE_CELLS = 2**16
"""Numbers per block of elementwise work: 512 KiB, which stay in the cache."""

PRODUCT_CELLS = 2**20
"""Numbers per block that enters a matrix product: 8 MiB."""

_PRODUCT_ROWS = 1024


def row_blocks(n_rows: int, width: int, cells: int = CACHE_CELLS) -> Iterator[slice]:
    """Slices that cover `n_rows` rows of `width` numbers in blocks of about `cells` numbers.

    Parameters
    ----------
    n_rows : int
        Rows to cover.
    width : int
        Numbers per row.
    cells : int
        Numbers per block; a block has at least one row.

    Yields
    ------
    slice
        Consecutive rows.

    Examples
    --------
    >>> list(row_blocks(5, 4, cells=8))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, cells // max(width, 1))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def product_blocks(n_rows: int, width: int) -> Iterator[slice]:
    """Slices that cover `n_rows` rows in blocks large enough for one matrix product each.

    Parameters
    ----------
    n_rows, width : int
        Rows to cover, and numbers per row.

    Yields
    ------
    slice
        Consecutive rows: at least 1024, except at the end.

    Examples
    --------
    >>> list(product_blocks(2000, 1000))
    [slice(0, 1048, None), slice(1048, 2000, None)]
    """
    return row_blocks(n_rows, width, max(PRODUCT_CELLS, _PRODUCT_ROWS * width))


def accumulate(parts: Iterator[NDArray[np.floating]]) -> NDArray[np.float64]:
    """Sum of arrays, in float64 whatever their type; a single array is not copied.

    Parameters
    ----------
    parts : iterator of ndarray
        Arrays of one shape; at least one.

    Returns
    -------
    ndarray of float64
        Their sum.

    Examples
    --------
    >>> accumulate(iter([np.ones(2, dtype=np.float32), np.ones(2)]))
    array([2., 2.])
    """
    total = next(parts).astype(np.float64, copy=False)
    for part in parts:
        total += part
    return total

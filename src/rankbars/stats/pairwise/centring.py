"""Row references, rounding floors and copies: what makes sums of products safe to subtract.

Any number may be subtracted from all scores of a row, because it cancels in every difference.
Removing the row's mean takes out the difficulty of the item, the main source of cancellation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks

__all__ = [
    "column_sums",
    "find_copies",
    "rescale",
    "row_means",
    "row_medians",
    "row_reference",
    "share_copies",
    "variation_floor",
]

_EPS = float(np.finfo(np.float64).eps)
# Between these magnitudes squares, and sums of them, neither overflow nor underflow.
_SAFE_EXPONENT = 200
_SUM_ROWS = 64
# Differences that vary by less than so many rounding errors of the scores are recomputed.
_FLOOR = 32.0 * _EPS
# The same where the row reference is larger than the scores and its rounding enters them.
_REFERENCE_FLOOR = 1e6 * _EPS


def rescale(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Scores divided by a power of two where their squares would overflow or vanish.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores, at least one row; NaN where not observed.

    Returns
    -------
    values : ndarray, shape (n, M)
        The scores divided by ``2**exponent``; the same array where that is 1.
    magnitude : ndarray, shape (M,)
        Largest absolute score of each model after the division; 0 where nothing was observed.
    exponent : int
        0 for scores of ordinary size.

    Examples
    --------
    >>> rescale(np.array([[1e200, 0.0]]))[2]
    665
    """
    magnitude = np.zeros(values.shape[1])
    for rows in row_blocks(*values.shape):
        sizes = np.abs(values[rows])
        np.fmax(magnitude, np.fmax.reduce(sizes, axis=0), out=magnitude)
    largest = float(magnitude.max(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    if largest == 0.0 or abs(exponent) <= _SAFE_EXPONENT:
        return values, magnitude, 0
    return np.ldexp(values, -exponent), np.ldexp(magnitude, -exponent), exponent


def column_sums(chunk: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of each column, by blocks of rows: rounding grows with the blocks, not with the rows.

    Equal columns get equal sums, to the last bit.

    Parameters
    ----------
    chunk : ndarray, shape (rows, M)
        Numbers.

    Returns
    -------
    ndarray, shape (M,)
        Sums.

    Examples
    --------
    >>> column_sums(np.ones((100, 2)))
    array([100., 100.])
    """
    n, width = chunk.shape
    whole = n - n % _SUM_ROWS
    blocks = chunk[:whole].reshape(-1, _SUM_ROWS, width).sum(axis=1)
    return np.asarray(blocks.sum(axis=0) + chunk[whole:].sum(axis=0))


def row_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of the observed scores of each row; 0 for a row without any.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.

    Returns
    -------
    ndarray, shape (n,)
        Means.

    Examples
    --------
    >>> row_means(np.array([[1.0, 3.0], [np.nan, 5.0]]))
    array([2., 5.])
    """
    mean: NDArray[np.float64] = values.sum(axis=1) / values.shape[1]
    gaps = np.flatnonzero(np.isnan(mean))
    for block in row_blocks(gaps.size, values.shape[1]):
        rows = gaps[block]
        observed = ~np.isnan(values[rows])
        total = np.where(observed, values[rows], 0.0).sum(axis=1)
        mean[rows] = total / np.maximum(observed.sum(axis=1), 1)
    return mean


def row_medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Median of the observed scores of each row; 0 for a row without any.

    One model on a much larger scale than the others moves the mean of a row but not its median.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.

    Returns
    -------
    ndarray, shape (n,)
        Medians.

    Examples
    --------
    >>> row_medians(np.array([[1.0, 3.0, 1e6], [np.nan, 4.0, 5.0]]))
    array([3. , 4.5])
    """
    median = np.zeros(len(values))
    for rows in row_blocks(len(values), values.shape[1]):
        ordered = np.sort(values[rows], axis=1)  # NaN last
        count = np.count_nonzero(~np.isnan(ordered), axis=1)
        middle = np.stack([np.maximum(count - 1, 0) // 2, np.maximum(count, 1) // 2], axis=1)
        middle = np.minimum(middle, np.maximum(count - 1, 0)[:, None])
        pair = np.take_along_axis(ordered, middle, axis=1)
        median[rows] = np.where(count > 0, pair.sum(axis=1) / 2.0, 0.0)
    return median


def row_reference(
    values: NDArray[np.float64], magnitude: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Number to take off each row: its mean, or its median where that is far from most scores.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.
    magnitude : ndarray, shape (M,)
        Largest absolute score of each model.

    Returns
    -------
    ndarray, shape (n,)
        References.

    Examples
    --------
    >>> scores = np.array([[1.0, 2.0, 3e6], [2.0, 4.0, 5e6]])
    >>> row_reference(scores, np.abs(scores).max(axis=0))
    array([2., 4.])
    """
    mean = row_means(values)
    shift = float(np.abs(mean).max(initial=0.0))
    if 2 * np.count_nonzero(magnitude < shift / 2.0) > magnitude.size:
        return row_medians(values)
    return mean


def variation_floor(
    magnitude: NDArray[np.float64], reference: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Standard deviation below which differences of a model drown in rounding.

    Parameters
    ----------
    magnitude : ndarray, shape (M,)
        Largest absolute score of each model.
    reference : ndarray, shape (n,)
        What was subtracted from each row.

    Returns
    -------
    ndarray, shape (M,)
        Floors; a pair has the larger one of its two models.

    Notes
    -----
    If all models are constant shifts of one another, the centred scores are rounding noise and
    nothing relative to them can show it: the floor is relative to the raw scores.
    """
    floor = _FLOOR * magnitude
    shift = float(np.abs(reference).max(initial=0.0))
    return np.where(magnitude < shift / 2.0, _REFERENCE_FLOOR * shift, floor)


def find_copies(values: NDArray[np.float64], mean: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    """Groups of models with the same score on every row.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores; NaN where not observed.
    mean : ndarray, shape (M,)
        A number per model that copies share, to find candidates.

    Returns
    -------
    list of ndarray of intp
        Columns of each group of two or more.

    Examples
    --------
    >>> find_copies(np.array([[1.0, 2.0, 1.0]]), np.array([1.0, 2.0, 1.0]))
    [array([0, 2])]
    """
    order = np.argsort(mean, kind="stable")
    ordered = mean[order]
    if not (ordered[1:] == ordered[:-1]).any():
        return []
    columns: dict[bytes, list[int]] = {}
    _, run, length = np.unique(ordered, return_inverse=True, return_counts=True)
    for column in order[length[run] > 1]:
        scores = values[:, column] + 0.0  # one kind of zero, one kind of NaN
        scores[np.isnan(scores)] = np.nan
        columns.setdefault(scores.tobytes(), []).append(int(column))
    return [np.array(group) for group in columns.values() if len(group) > 1]


def share_copies(matrix: NDArray[np.generic], copies: list[NDArray[np.intp]]) -> None:
    """Give copies the same row and column of `matrix`, to the last bit, in place.

    A matrix product may add up the same numbers in another order for another column.

    Parameters
    ----------
    matrix : ndarray, shape (M, M)
        Sums of products; changed.
    copies : list of ndarray of intp
        Groups of equal columns.
    """
    for group in copies:
        matrix[group] = matrix[group[0]]
        matrix[:, group] = matrix[:, group[:1]]

"""Rows of scores, made ready for products: centred, in whole steps where they are.

Any number may be subtracted from all scores of a row, because it cancels in every difference.
Removing the row's mean takes out the difficulty of the item, the main source of cancellation.

Scores that are whole multiples of one step (0/1, marks, averages of a few runs) have sums and
products that are whole numbers below ``2**53``, which floating point holds exactly. So a constant
difference is recognised without any tolerance, identical evidence gives identical bits, and 0/1
scores need half the memory and time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankbars.stats.blocks import product_blocks, row_blocks

__all__ = [
    "Lattice",
    "column_sums",
    "exact_blocks",
    "find_copies",
    "find_lattice",
    "rescale",
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


def _row_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
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
    >>> _row_means(np.array([[1.0, 3.0], [np.nan, 5.0]]))
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
    mean = _row_means(values)
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


# Tried in this order, after a sample has ruled out nearly all of them.
_STEPS_PER_UNIT = np.array(
    [*range(1, 129), 256, 512, 1000, 1024, 10_000, 100_000, 1_000_000], dtype=np.float64
)
_SAMPLE = 32
# Beyond this size of a score, measured in steps, one step is no longer large beside rounding.
_LARGEST_SCORE = 2.0**40
_EXACT_FLOAT32 = 2**24
_EXACT_FLOAT64 = 2**53


class Lattice(NamedTuple):
    """Scores as whole numbers of steps.

    Attributes
    ----------
    steps : ndarray of float32, shape (n, M)
        Whole steps above the smallest score of the row; NaN where not observed.
    per_unit : int
        Steps per unit of score.
    reach : int
        Largest entry of `steps`.
    """

    steps: NDArray[np.float32]
    per_unit: int
    reach: int


def find_lattice(values: NDArray[np.float64]) -> Lattice | None:
    """Scores as whole numbers of the largest step that divides all of them.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Scores of M models on n rows; NaN where not observed.

    Returns
    -------
    Lattice or None
        None if no step of the list fits every score to the last bit,
        or if the sums over n rows would not be exact.

    Examples
    --------
    >>> import numpy as np
    >>> find_lattice(np.array([[0.3, 0.2], [0.5, 1.0]])).steps
    array([[1., 0.],
           [0., 5.]], dtype=float32)
    >>> find_lattice(np.array([[0.1 + 0.2, 0.2], [0.5, 1.0]])) is None
    True
    """
    sample = _sample(values)
    while sample.size:
        per_unit = _steps_per_unit(sample)
        if per_unit is None:
            return None
        found = _count_steps(values, per_unit)
        if not isinstance(found, np.ndarray):
            return found
        # Together with the scores so far: a step that fits only the new ones goes in circles.
        sample = np.concatenate([sample, found])
    return None


def exact_blocks(reach: int, shape: tuple[int, ...]) -> tuple[list[slice], DTypeLike]:
    """Blocks of rows for matrix products of whole numbers, and the type that keeps them exact.

    Parameters
    ----------
    reach : int
        Largest number.
    shape : tuple of int
        Rows and columns.

    Returns
    -------
    blocks : list of slice
        Rows of each product.
    dtype : type
        float32 where every partial sum stays below ``2**24``, else float64.

    Examples
    --------
    >>> exact_blocks(1, (1500, 1000))
    ([slice(0, 1048, None), slice(1048, 1500, None)], <class 'numpy.float32'>)
    """
    blocks = list(product_blocks(*shape))
    most = blocks[0].stop * reach**2
    return blocks, np.float32 if most <= _EXACT_FLOAT32 else np.float64


def _sample(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A few observed scores from all over the table."""
    flat = values.reshape(-1)
    sample = flat[:: max(1, flat.size // _SAMPLE)]
    return sample[~np.isnan(sample)]


def _fits(scores: NDArray[np.float64], per_unit: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each score is the double nearest to a whole number of steps."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(np.rint(scores * per_unit) / per_unit == scores)


def _steps_per_unit(sample: NDArray[np.float64]) -> int | None:
    """Fewest steps per unit that fit the sample."""
    # One score is enough to rule out all steps for scores that were never rounded.
    candidates = _STEPS_PER_UNIT[_fits(sample[0], _STEPS_PER_UNIT)]
    if candidates.size and not _fits(sample, candidates[:1]).all():
        candidates = candidates[_fits(sample[:, None], candidates).all(axis=0)]
    return int(candidates[0]) if candidates.size else None


def _count_steps(
    values: NDArray[np.float64], per_unit: int
) -> Lattice | NDArray[np.float64] | None:
    """The lattice, or scores that do not lie on it, or None where sums would not be exact."""
    n_rows, n_models = values.shape
    # n^2 * reach^2 bounds every whole number that is formed later.
    most = min(_EXACT_FLOAT32, int(_EXACT_FLOAT64**0.5 / n_rows))
    steps = np.empty(values.shape, dtype=np.float32)
    reach = 0.0
    for rows in row_blocks(n_rows, n_models):
        scores = values[rows]
        with np.errstate(over="ignore", invalid="ignore"):
            counts = np.rint(scores * per_unit)
            misfit = counts / per_unit != scores
        if misfit.any():
            misfits: NDArray[np.float64] = scores[misfit]
            misfits = misfits[~np.isnan(misfits)][:_SAMPLE]
            if misfits.size:
                return misfits
        lowest = np.fmin.reduce(counts, axis=1, keepdims=True)
        counts -= lowest
        reach = max(reach, float(np.fmax.reduce(counts, axis=None, initial=0.0)))
        if reach > most or np.fmax.reduce(np.abs(lowest), axis=None) + reach > _LARGEST_SCORE:
            return None
        steps[rows] = counts
    return Lattice(steps, per_unit, int(reach))

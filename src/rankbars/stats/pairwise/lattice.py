"""Scores that are whole multiples of one step (0/1, marks, averages of a few runs), exactly.

Their sums and products are whole numbers below ``2**53``, which floating point holds exactly.
So a constant difference is recognised without any tolerance, identical evidence gives identical
bits, and 0/1 scores need half the memory and time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankbars.stats.blocks import product_blocks, row_blocks

__all__ = ["Lattice", "exact_blocks", "find_lattice"]

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

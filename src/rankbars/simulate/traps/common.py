"""What the studies of traps share: portions of work, and pairs of models that are equal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from rankbars.simulate.coverages import Published, compare_with_published
from rankbars.simulate.study import Study, Table, Unit, flatten

__all__ = ["against_zero", "portions", "rejections", "trap"]

TWO_SIDED = 0.05


def portions(total: int, size: int) -> list[tuple[int, int]]:
    """First number and count of portions of `total` repetitions.

    Repetitions are numbered, and their random numbers are keyed by number: fewer repetitions are
    the first ones of more.

    Examples
    --------
    >>> portions(5, 2)
    [(0, 2), (2, 2), (4, 1)]
    """
    return [(first, min(size, total - first)) for first in range(0, total, size)]


def trap(
    name: str,
    function: Callable[..., Table],
    arguments: Iterable[tuple[Any, ...]],
    columns: tuple[str, ...],
    published: Published,
) -> Study:
    """Study with one table that puts published values beside ours.

    Parameters
    ----------
    name : str
        Name of the study and of its table.
    function : callable
        Makes tallies; see `rankbars.simulate.coverages.tally_rows`.
    arguments : iterable of tuple
        Arguments of each unit of work.
    columns : tuple of str
        Columns that say what a value belongs to.
    published : mapping
        Published values by the content of `columns` and the quantity.
    """

    def finish(results: Sequence[Table]) -> dict[str, Table]:
        return {name: compare_with_published(flatten(results), columns, published)}

    return Study(name, tuple(Unit(function, one) for one in arguments), finish)


def against_zero(differences: NDArray[np.float64]) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """A model that scores 0 everywhere, and one more model per set of differences from it.

    Its pairs with the others are independent data sets, which one call compares.

    Parameters
    ----------
    differences : ndarray, shape (..., P)
        P independent sets of differences.

    Returns
    -------
    models : tuple of str
        P + 1 names; the first is that of the model that scores 0.
    values : ndarray, shape (..., P + 1)
        Scores.
    """
    zero = np.zeros((*differences.shape[:-1], 1))
    count = differences.shape[-1]
    names = ("0 zero", *(f"1 pair {number:04d}" for number in range(count)))
    return names, np.concatenate([zero, differences], axis=-1)


def rejections(comparisons: rb.Comparisons) -> NDArray[np.bool_]:
    """Whether a two-sided 5 % test rejects, for each model against the first one."""
    p = comparisons.p
    return np.asarray(np.minimum(p[0, 1:], p[1:, 0]) <= TWO_SIDED / 2)

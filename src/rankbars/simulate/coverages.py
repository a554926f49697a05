"""What studies measure, and how: widths and coverages, in portions of repetitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

import rankbars as rb
from rankbars.simulate.populations import RankSets
from rankbars.simulate.study import Cell, Row, Study, Table, Unit, check_repetitions, flatten

__all__ = [
    "Published",
    "Tally",
    "against_zero",
    "compare_with_published",
    "covers",
    "portions",
    "rejections",
    "share_of_field",
    "tally_rows",
    "trap",
]

TWO_SIDED = 0.05


Published = Mapping[Any, float | tuple[float, float]]
"""Published values, or ranges of them, by what they belong to and the quantity."""


def share_of_field(best: ArrayLike, worst: ArrayLike, n_models: int) -> NDArray[np.float64]:
    """Mean width over models as a share of the widest possible one: 0 to 1.

    Parameters
    ----------
    best, worst : array_like of int, shape (..., M)
        Ends of the intervals.
    n_models : int
        M.

    Returns
    -------
    ndarray, shape (...)
        Mean of ``(worst - best) / (M - 1)``; 0 for one model.

    Examples
    --------
    >>> float(share_of_field([1, 1, 3], [2, 3, 3], 3))
    0.5
    """
    width = np.subtract(worst, best).mean(axis=-1)
    return np.asarray(width / max(n_models - 1, 1))


def covers(best: ArrayLike, worst: ArrayLike, truth: RankSets) -> NDArray[np.bool_]:
    """Whether intervals contain the whole true rank set, elementwise.

    Examples
    --------
    >>> covers([1, 2], [2, 2], RankSets(np.array([1, 1]), np.array([2, 2]))).tolist()
    [True, False]
    """
    inside = (np.asarray(best) <= truth.best) & (truth.worst <= np.asarray(worst))
    return np.asarray(inside)


class Tally(NamedTuple):
    """Values of one quantity over independent repetitions, as sums that can be added up."""

    number: int
    total: float
    squares: float

    @classmethod
    def of(cls, values: ArrayLike) -> Tally:
        """Tally of some values."""
        array = np.asarray(values, dtype=np.float64).ravel()
        return cls(array.size, float(array.sum()), float(np.square(array).sum()))

    def add(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(
            self.number + other.number, self.total + other.total, self.squares + other.squares
        )

    @property
    def mean(self) -> float:
        """Mean of the values."""
        return self.total / self.number

    @property
    def standard_error(self) -> float:
        """Monte-Carlo standard error of the mean.

        Equal values, such as a share of exactly 0 or 1, show no spread; half an event is then
        assumed.
        """
        if self.number < 2:
            return math.inf
        variance = self.squares / self.number - self.mean**2
        if variance <= 0:
            variance = (0.5 / self.number) * (1 - 0.5 / self.number)
        return math.sqrt(variance / (self.number - 1))


def tally_rows(key: Mapping[str, str | int | float], values: Mapping[str, ArrayLike]) -> Table:
    """Rows of a unit of work: one tally per quantity.

    Parameters
    ----------
    key : mapping
        What the values belong to: design, method.
    values : mapping from quantity to array
        One value per independent repetition.
    """
    rows: Table = []
    for quantity, array in values.items():
        row: Row = {**key, "quantity": quantity, **Tally.of(array)._asdict()}
        rows.append(row)
    return rows


def compare_with_published(
    rows: Iterable[Row], columns: tuple[str, ...], published: Published
) -> Table:
    """One row per quantity: the published value (or range) beside ours with its standard error.

    Parameters
    ----------
    rows : iterable of Row
        From `tally_rows`, of many units.
    columns : tuple of str
        Columns that say what a value belongs to.
    published : mapping
        Published values by the content of `columns` and the quantity.
    """
    tallies: dict[tuple[Cell, ...], Tally] = {}
    for row in rows:
        key = (*(row[column] for column in columns), row["quantity"])
        number, total, squares = (row[name] for name in Tally._fields)
        tally = Tally(int(number or 0), float(total or 0.0), float(squares or 0.0))
        tallies[key] = tallies[key].add(tally) if key in tallies else tally
    table: Table = []
    for key, tally in tallies.items():
        known = published.get(key)
        low, high = known if isinstance(known, tuple) else (known, known)
        made: Row = {
            **dict(zip((*columns, "quantity"), key, strict=True)),
            "published_low": low,
            "published_high": high,
            "value": tally.mean,
            "standard_error": tally.standard_error,
            "repetitions": tally.number,
        }
        table.append(made)
    return table


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
    measure: Callable[..., Table],
    designs: Iterable[tuple[Any, ...]],
    columns: tuple[str, ...],
    published: Published,
    *,
    repetitions: int,
    at_once: int,
    batch: int = 1,
) -> Callable[..., Study]:
    """Makes a study with one table that puts published values beside ours.

    Parameters
    ----------
    name : str
        Name of the study and of its table.
    measure : callable
        Makes tallies (see `tally_rows`) of a design: takes what describes it, the first number of a
        portion of repetitions, how many they are, and the seed.
    designs : iterable of tuple
        What describes each design.
    columns : tuple of str
        Columns that say what a value belongs to.
    published : mapping
        Published values by the content of `columns` and the quantity.
    repetitions : int
        Data sets per design, where nothing else is asked for.
    at_once : int
        Portions are of so many; each is a unit of work.
    batch : int
        Data sets that are made together and count as one for `measure`; repetitions are rounded
        up to a multiple.

    Returns
    -------
    callable
        Takes ``repetitions`` and ``seed``, both by name. Raises `OptionError` if ``repetitions``
        is below 1.
    """
    usual, known = repetitions, tuple(designs)

    def study(*, repetitions: int = usual, seed: int = 0) -> Study:
        batches = -(-check_repetitions(repetitions) // batch)
        units = (
            Unit(measure, (*design, *portion, seed))
            for design in known
            for portion in portions(batches, at_once)
        )

        def finish(results: Sequence[Table]) -> dict[str, Table]:
            return {name: compare_with_published(flatten(results), columns, published)}

        return Study(name, tuple(units), finish)

    return study


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

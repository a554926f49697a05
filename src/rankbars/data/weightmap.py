"""Which weights of the categories make which model win."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.arrays import frozen_array
from rankbars.data.names import check_models
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.stats.averaging.simplex import (
    WeightGrid,
    random_weights,
    smallest_change,
    weigh,
    weight_grid,
)
from rankbars.stats.streams import stream

__all__ = ["CategoryMeans", "Standing", "WeightMap", "WinnerChange"]

DESCRIPTION = (
    "Winner and runner-up are chosen by the data at every point, and there are thousands of "
    "points: this describes, it does not test."
)
_TRIANGLE = 3
_RANDOM_POINTS = 10_000


class Standing(NamedTuple):
    """How models stand at one point of the weights.

    Attributes
    ----------
    score : array of float, shape (M,)
        Weighted means; NaN for a model without one.
    winner, runner_up : str
        The two best.
    margin, error : float
        By how much the winner is ahead, and the standard error of that; NaN where not known.
    """

    score: NDArray[np.float64]
    winner: str
    runner_up: str
    margin: float
    error: float


class WinnerChange(NamedTuple):
    """The smallest change of weights after which `model` is level with the winner.

    Attributes
    ----------
    model : str
        The rival.
    moved : float
        Share of all weight that has to move; infinite where no weights do.
    weights : mapping from str to float
        Weights after the move; empty where there are none.
    """

    model: str
    moved: float
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class CategoryMeans:
    """Mean of each model in each category of tasks, on the scale that is averaged.

    Parameters
    ----------
    models, categories : tuple of str
        The M models and the C categories.
    tasks : array of int, shape (C,)
        Number of tasks in each category.
    weights : array of float, shape (C,)
        Share of each category in the average; they add up to 1.
    score, se : array of float, shape (C, M)
        Mean over exactly these tasks, higher is better, and its standard error; NaN = none.
    difference_se : array of float, shape (C, M, M)
        Standard error of each difference, with what two models have in common taken along.

    Raises
    ------
    DataError
        If shapes disagree.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {"algebra": rng.random((90, 2)) + [0.5, 0.0], "law": rng.random((90, 2)) + [0, 0.3]}
    >>> info = {name: rb.TaskInfo(category=name[0].upper()) for name in tasks}
    >>> means = rb.aggregate(rb.Scores.from_arrays(tasks, ["x", "y"], info=info)).by_category
    >>> means.categories, means.at({"A": 0.2, "L": 0.8}).winner
    (('A', 'L'), 'y')
    >>> [(c.model, round(c.moved, 2)) for c in means.smallest_changes()]
    [('y', 0.15)]
    """

    models: tuple[str, ...]
    categories: tuple[str, ...]
    tasks: NDArray[np.int64]
    weights: NDArray[np.float64]
    score: NDArray[np.float64]
    se: NDArray[np.float64]
    difference_se: NDArray[np.float64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        size, count = len(self.models), len(self.categories)
        for name, dtype, shape in (
            ("tasks", np.int64, (count,)),
            ("weights", np.float64, (count,)),
            ("score", np.float64, (count, size)),
            ("se", np.float64, (count, size)),
            ("difference_se", np.float64, (count, size, size)),
        ):
            object.__setattr__(self, name, frozen_array(getattr(self, name), dtype, name, shape))

    def at(self, weights: Mapping[str, float] | Sequence[float] | None = None) -> Standing:
        """How models stand under given weights of the categories.

        Parameters
        ----------
        weights : mapping from category to float, or one number per category, optional
            0 or more each, scaled to sum 1; those of the average where not given.

        Raises
        ------
        UnknownOptionError
            If a category does not exist.
        OptionError
            If a weight is negative, or all are 0.
        DataError
            If fewer than two models have scores in all categories.
        """
        point = self.weights if weights is None else self._point(weights)
        self._need_two()
        duel = weigh(point[None, :], self.score, np.square(self.difference_se))
        return Standing(
            point @ self.score,
            self.models[int(duel.winner[0])],
            self.models[int(duel.runner_up[0])],
            float(duel.margin[0]),
            float(duel.error[0]),
        )

    def weight_map(self, z: float = 2.0, steps: int = 100, seed: int = 0) -> WeightMap:
        """The winner at every weight vector, and where it is hardly ahead.

        Parameters
        ----------
        z : float
            A point is indeterminate where the winner is ahead by at most `z` standard errors of
            the difference. 2 is customary; ``2 * 0.5 ** 0.5`` imitates a correlation of one half
            between models whose errors are taken as independent.
        steps : int
            Steps along an edge, for up to three categories. More than three are represented by
            10,000 random weight vectors.
        seed : int
            Start of these.

        Raises
        ------
        OptionError
            If `z` is negative or `steps` is below 1.
        DataError
            If fewer than two models have scores in all categories.
        """
        if not z >= 0:
            raise OptionError.out_of_range("z", z, "0 or more")
        if steps < 1:
            raise OptionError.out_of_range("steps", steps, "at least 1")
        self._need_two()
        count = len(self.categories)
        if count <= _TRIANGLE:
            grid = weight_grid(count, steps)
        else:
            rng = stream(seed, "weights", *self.categories)
            grid = random_weights(count, _RANDOM_POINTS, rng)
        return WeightMap.of(self, grid, z)

    def smallest_changes(
        self, weights: Mapping[str, float] | Sequence[float] | None = None
    ) -> tuple[WinnerChange, ...]:
        """For every other model the smallest change of weights that takes the lead away.

        Parameters
        ----------
        weights : mapping from category to float, or one number per category, optional
            Where to start; the weights of the average where not given.

        Returns
        -------
        tuple of WinnerChange
            Smallest first. After the first of them the winner is another model; after a later
            one `model` is level with the old winner, and a third may be ahead of both.
        """
        base = self.weights if weights is None else self._point(weights)
        self._need_two()
        leader = self.models.index(self.at(tuple(base.tolist())).winner)
        complete = ~np.isnan(self.score).any(axis=0)
        changes = []
        for rival in np.flatnonzero(complete):
            if rival == leader:
                continue
            found = smallest_change(base, self.score[:, leader] - self.score[:, rival])
            after = {} if np.isinf(found.moved) else self._named(found.weights)
            changes.append(WinnerChange(self.models[rival], found.moved, after))
        return tuple(sorted(changes, key=lambda change: (change.moved, change.model)))

    def _named(self, weights: NDArray[np.float64]) -> dict[str, float]:
        return dict(zip(self.categories, weights.tolist(), strict=True))

    def _point(self, weights: Mapping[str, float] | Sequence[float]) -> NDArray[np.float64]:
        if isinstance(weights, Mapping):
            for name in weights:
                if name not in self.categories:
                    raise UnknownOptionError.among("category", name, self.categories)
            given = [float(weights.get(name, 0.0)) for name in self.categories]
        else:
            given = [float(value) for value in weights]
        if len(given) != len(self.categories):
            raise OptionError(
                f"One weight per category is needed ({len(self.categories)}); got {len(given)}."
            )
        point = np.array(given)
        if not (np.isfinite(point).all() and (point >= 0).all()):
            raise OptionError("Weights of categories must be finite and 0 or more.")
        if point.sum() == 0:
            raise OptionError("All weights of categories are zero; one must be above 0.")
        return np.asarray(point / point.sum())

    def _need_two(self) -> None:
        complete = int(np.count_nonzero(~np.isnan(self.score).any(axis=0)))
        if complete < 2:
            raise DataError(f"At least two models need scores in every category; found {complete}.")


@dataclass(frozen=True, slots=True, eq=False)
class WeightMap:
    """The winner at many weight vectors; made by `CategoryMeans.weight_map`.

    Parameters
    ----------
    models, categories : tuple of str
        The M models and the C categories.
    z : float
        Standard errors of the difference that a clear winner is ahead by.
    points : array of float, shape (P, C)
        Weights.
    areas : array of float, shape (P,)
        Share of the simplex that each point stands for.
    winner, runner_up : array of int, shape (P,)
        Positions of the first and the second model.
    margin, error : array of float, shape (P,)
        By how much the first is ahead, and the standard error of that.
    description : str
        What must be printed beside a picture of it.
    """

    models: tuple[str, ...]
    categories: tuple[str, ...]
    z: float
    points: NDArray[np.float64]
    areas: NDArray[np.float64]
    winner: NDArray[np.int64]
    runner_up: NDArray[np.int64]
    margin: NDArray[np.float64]
    error: NDArray[np.float64]
    description: str = DESCRIPTION

    @classmethod
    def of(cls, means: CategoryMeans, grid: WeightGrid, z: float) -> WeightMap:
        """The map of given weight vectors."""
        duels = weigh(grid.points, means.score, np.square(means.difference_se))
        return cls(
            means.models,
            means.categories,
            z,
            grid.points,
            grid.areas,
            duels.winner,
            duels.runner_up,
            duels.margin,
            duels.error,
        )

    @property
    def indeterminate(self) -> NDArray[np.bool_]:
        """Where the winner is hardly ahead, or nobody knows by how much, shape (P,)."""
        return np.asarray(~(self.margin > self.z * self.error))

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of the simplex in which each model wins, shape (M,)."""
        return self._shares(np.ones(self.winner.shape, dtype=np.bool_))

    @property
    def clear_share(self) -> NDArray[np.float64]:
        """Share of the simplex in which each model wins and is clearly ahead, shape (M,)."""
        return self._shares(~self.indeterminate)

    def _shares(self, counted: NDArray[np.bool_]) -> NDArray[np.float64]:
        found = np.bincount(
            self.winner[counted], weights=self.areas[counted], minlength=len(self.models)
        )
        return np.minimum(found, 1.0)  # areas add up with rounding

"""Means of models per category of tasks, and how the winner depends on their weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name, check_number, check_whole, finite_weights
from rankbars.data.fields import Numbers, freeze
from rankbars.data.spec import check_rate
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.simplex import (
    Duels,
    random_weights,
    share_ahead,
    smallest_change,
    weigh,
    weight_grid,
)
from rankbars.stats.resampling.taskmeans import Ends
from rankbars.stats.streams import stream
from rankbars.stats.tails import critical_value, upper_tail

__all__ = ["CategoryMeans", "LinkedCategories", "Standing", "WeightMap", "WinnerChange"]

DESCRIPTION = (
    "Winner and runner-up are chosen by the data at every point, and there are thousands of "
    "points: this describes, it does not test."
)
_UNKNOWN = (
    " Categories have rows in common, and how their errors go together is not known here: no "
    "winner counts as clear where both have weight."
)


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
    ahead : array of float, shape (P,), optional
        Share of the draws in which the first model is ahead of the second (a tie counts one
        half); it then decides what is indeterminate.
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
    ahead: NDArray[np.float64] | None = None

    def __repr__(self) -> str:
        return (
            f"WeightMap({len(self.models)} models, {len(self.categories)} categories, "
            f"{len(self.points)} points)"
        )

    @property
    def indeterminate(self) -> NDArray[np.bool_]:
        """Where the winner is hardly ahead, or nobody knows by how much, shape (P,)."""
        if self.ahead is not None:
            return np.asarray(~(self.ahead > 1.0 - upper_tail(self.z, np.inf)))
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
    weights : mapping from str to float
        The weights, scaled to sum 1.
    """

    score: NDArray[np.float64]
    winner: str
    runner_up: str
    margin: float
    error: float
    weights: Mapping[str, float]


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
class LinkedCategories:
    """Two categories whose tasks have rows in common, so that their means are not independent.

    Parameters
    ----------
    first, second : str
        The two categories.
    covariance : array of float, shape (M, M), optional
        Covariance of the difference of two models in the first with that in the second; None
        where it is not known: not for so many models and categories, and a board file keeps it
        for up to 100 models.
    """

    first: str
    second: str
    covariance: Annotated[NDArray[np.float64], Numbers("MM", null=np.nan)] | None

    def __post_init__(self) -> None:
        freeze(self)


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
    difference_se : array of float, shape (C, M, M), optional
        Standard error of each difference, with what two models have in common taken along; None
        where they are not known: a board file keeps them for up to 100 models.
    draws : array of float, shape (S, C, M), optional
        Joint draws of the means, where the average was drawn task by task (resampled items, a
        posterior) and no categories are linked; a board file does not keep them.
    linked : tuple of LinkedCategories
        Categories with rows in common; all others are independent of each other.

    Raises
    ------
    DataError
        If shapes disagree, or a linked category does not exist.

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
    tasks: Annotated[NDArray[np.int64], Numbers("C", least=1)]
    weights: Annotated[NDArray[np.float64], Numbers("C", least=0.0)]
    score: Annotated[NDArray[np.float64], Numbers("CM", null=np.nan)]
    se: Annotated[NDArray[np.float64], Numbers("CM", least=0.0, null=np.nan)]
    difference_se: Annotated[NDArray[np.float64], Numbers("CMM", least=0.0, null=np.nan)] | None
    draws: Annotated[NDArray[np.float64], Numbers("SCM")] | None = None
    linked: tuple[LinkedCategories, ...] = ()

    def __repr__(self) -> str:
        return f"CategoryMeans({len(self.models)} models, {len(self.categories)} categories)"

    def __post_init__(self) -> None:
        freeze(self, C=len(self.categories))
        size = len(self.models)
        for one in self.linked:
            for name in (one.first, one.second):
                if name not in self.categories:
                    raise DataError(f"Category {name!r} is linked, and has no means.")
            if one.covariance is not None and len(one.covariance) != size:
                raise DataError(f"Linked categories must speak of all {size} models.")

    def comparison_intervals(self, alpha: float = 0.05) -> Ends:
        """Intervals to compare by eye in each category; see `Aggregate.comparison_intervals`.

        Parameters
        ----------
        alpha : float
            Level at which two models differ whose intervals just touch: 83.4 % intervals at 0.05.

        Returns
        -------
        Ends
            `low` and `high`, shape (C, M), on the scale of `score`, with normal tails.
        """
        half = critical_value(check_rate("alpha", alpha) / 2, np.inf) * self.se / np.sqrt(2.0)
        return Ends(self.score - half, self.score + half)

    def at(
        self, weights: Mapping[str, float] | Sequence[float] | None = None, *, rho: float = 0.0
    ) -> Standing:
        """How models stand under given weights of the categories.

        Parameters
        ----------
        weights : mapping from category to float, or one number per category, optional
            0 or more each, scaled to sum 1; those of the average where not given.
        rho : float
            As in `weight_map`.

        Raises
        ------
        UnknownOptionError
            If a category does not exist.
        OptionError
            If a weight is negative, all are 0, or `rho` does not fit.
        DataError
            If fewer than two models have scores in all categories.
        """
        point = self.weights if weights is None else self._point(weights)
        self._need_two()
        duel = self._weigh(point[None, :], rho)
        return Standing(
            point @ self.score,
            self.models[int(duel.winner[0])],
            self.models[int(duel.runner_up[0])],
            float(duel.margin[0]),
            float(duel.error[0]),
            self._named(point),
        )

    def weight_map(
        self,
        z: float = 2.0,
        steps: int = 100,
        seed: int = 0,
        *,
        from_draws: bool = False,
        rho: float = 0.0,
    ) -> WeightMap:
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
        from_draws : bool
            Whether a point is indeterminate by the draws instead: where the winner is ahead of
            the runner-up in at most the share of draws that `z` standard errors stand for under
            a normal distribution (2: 97.7 %).
        rho : float
            Correlation of the errors of any two models that is assumed where they were taken as
            independent: the squared error of a difference is
            ``V_i + V_j - 2 rho sqrt(V_i V_j)``, with V the squared errors under the weights. The
            published correction; an assumption, not a finding.

        Raises
        ------
        OptionError
            If `z` is negative, `steps` is below 1, `rho` is not between -1 and 1, or is given
            where what models have in common is known.
        DataError
            If fewer than two models have scores in all categories, or there are no draws.

        Examples
        --------
        >>> import numpy as np, rankbars as rb
        >>> rng = np.random.default_rng(0)
        >>> tasks = {name: rng.random((90, 2)) + [0.1 * (name == "x"), 0] for name in "xyz"}
        >>> info = {name: rb.TaskInfo(category=name) for name in tasks}
        >>> scores = rb.Scores.from_arrays(tasks, ["a", "b"], info=info)
        >>> means = rb.aggregate(scores, estimator="bootstrap").by_category
        >>> means.weight_map(steps=20).clear_share.round(2).tolist()
        [0.26, 0.0]
        >>> means.weight_map(steps=20, from_draws=True).clear_share.round(2).tolist()
        [0.24, 0.0]
        """
        z, steps = check_number("z", z, 0.0), check_whole("steps", steps, 1)
        check_whole("seed", seed, 0)
        self._need_two()
        count = len(self.categories)
        if count <= _TRIANGLE:
            grid = weight_grid(count, steps)
        else:
            rng = stream(seed, "weights", *self.categories)
            grid = random_weights(count, _RANDOM_POINTS, rng)
        duels = self._weigh(grid.points, rho)
        ahead = None
        if from_draws:
            if self.draws is None:
                raise DataError(
                    "There are no draws of the category means. Use an average that draws the "
                    'scores of each task (estimator="bootstrap" or "bayes"); a board file does '
                    "not keep them, and categories with rows in common have none."
                )
            ahead = share_ahead(grid.points, self.draws, duels)
        return WeightMap(
            models=self.models,
            categories=self.categories,
            z=z,
            points=grid.points,
            areas=grid.areas,
            winner=duels.winner,
            runner_up=duels.runner_up,
            margin=duels.margin,
            error=duels.error,
            description=DESCRIPTION + _UNKNOWN * any(one.covariance is None for one in self.linked),
            ahead=ahead,
        )

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

    def _weigh(self, points: NDArray[np.float64], rho: float) -> Duels:
        duels = weigh(points, self.score, self._variance, self._links())
        if rho == 0.0:
            return duels
        if not -1.0 <= check_number("rho", rho) <= 1.0:
            raise OptionError.out_of_range("rho", rho, "between -1 and 1")
        own = np.square(self.se)
        apart = own[:, :, None] + own[:, None, :]
        known = self._variance
        compared = ~np.isnan(known) & ~np.isnan(apart) & ~np.eye(len(self.models), dtype=np.bool_)
        alike = np.allclose(known[compared], apart[compared], rtol=1e-6, atol=0.0)
        if self.linked or not alike:
            raise OptionError(
                "rho is for models whose errors were taken as independent. Here what they have in "
                "common is known from their rows, and is in the errors already: leave it out."
            )
        rows = np.arange(len(points))
        total = np.square(points) @ np.nan_to_num(own)
        one, other = total[rows, duels.winner], total[rows, duels.runner_up]
        square = one + other - 2.0 * rho * np.sqrt(one * other)
        return duels._replace(error=np.sqrt(np.maximum(square, 0.0)))

    @property
    def _variance(self) -> NDArray[np.float64]:
        if self.difference_se is None:
            return np.full((len(self.categories), len(self.models), len(self.models)), np.nan)
        return np.square(self.difference_se)

    def _links(self) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
        unknown = np.broadcast_to(np.nan, (len(self.models),) * 2)
        for one in self.linked:
            first, second = map(self.categories.index, (one.first, one.second))
            yield first, second, unknown if one.covariance is None else one.covariance

    def _named(self, weights: NDArray[np.float64]) -> dict[str, float]:
        return dict(zip(self.categories, weights.tolist(), strict=True))

    def _point(self, weights: Mapping[str, float] | Sequence[float]) -> NDArray[np.float64]:
        if isinstance(weights, Mapping):
            for name in weights:
                check_name("category", name, self.categories)
            given = [weights.get(name, 0.0) for name in self.categories]
        else:
            sequence = isinstance(weights, Iterable) and not isinstance(weights, str)
            given = list(weights) if sequence else []
            if len(given) != len(self.categories):
                raise OptionError(
                    f"One weight per category is needed ({len(self.categories)}), as a mapping "
                    f"from category to weight or as a list; got {weights!r}."
                )
        checked = [
            check_number(f"weight of category {name!r}", value, 0.0)
            for name, value in zip(self.categories, given, strict=True)
        ]
        point = np.array(finite_weights(checked))
        if point.sum() == 0:
            raise OptionError("All weights of categories are zero; one must be above 0.")
        return np.asarray(point / point.sum())

    def _need_two(self) -> None:
        complete = int(np.count_nonzero(~np.isnan(self.score).any(axis=0)))
        if complete < 2:
            raise DataError(f"At least two models need scores in every category; found {complete}.")

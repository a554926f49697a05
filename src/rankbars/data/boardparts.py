"""What stands on a board beside the ranks.

Another order of the models, by another metric of the same answers; strengths by period of time, and
which models changed; models that lack some tasks, placed among those scored on every task; score
against cost: which models may be the best for the money; and ranks within categories of votes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.fields import (
    Chosen,
    Counts,
    Errors,
    Frozen,
    Level,
    Numbers,
    Ranks,
    Rate,
    Reals,
    Relation,
    check_models,
    freeze,
    names_where,
)
from rankbars.data.taskresult import TaskResult
from rankbars.errors import DataError

__all__ = [
    "CategoryRanks",
    "Change",
    "CostFront",
    "OtherOrder",
    "OverTime",
    "PartlyScored",
    "Period",
    "TaskPlaces",
]


@dataclass(frozen=True, slots=True, eq=False)
class OtherOrder(Frozen):
    """Ranks of the models of a board by another metric, such as pass^4 beside pass@1.

    Each order holds at the level of the board by itself, not all of them at once.

    Parameters
    ----------
    models : tuple of str
        The M models of the board.
    metric : str
        The metric.
    score : array of float, shape (M,)
        Score of each in the units of the metric.
    best, worst : array of int, shape (M,)
        Rank interval of each.
    """

    models: tuple[str, ...]
    metric: str
    score: Reals
    best: Ranks
    worst: Ranks


@dataclass(frozen=True, slots=True, eq=False)
class Period(Frozen):
    """Strengths of all models in one period.

    Parameters
    ----------
    name : str
        Its first day, or ``"before"`` or ``"since"`` a date.
    votes : int
        Votes in it.
    counts : array of int, shape (M,)
        Votes in it that each model took part in.
    strength, se : array of float, shape (M,)
        Log odds relative to the mean of the anchors, and standard errors; NaN where the period does
        not put a model on one scale with them.
    low, high : array of float, shape (M,)
        Ends of bands that hold for all models and periods at once.
    reason : str
        Why the period has no strengths; empty where it has some.
    """

    name: str
    votes: Annotated[int, Numbers(least=0)]
    counts: Counts
    strength: Reals
    se: Errors
    low: Reals
    high: Reals
    reason: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Change of one model's strength from the earlier part of the votes to the later one.

    Parameters
    ----------
    model : str
        The model.
    value : float
        Strength in the later part less that in the earlier, relative to the mean of all models
        that are in both.
    se, df : float
        Standard error and degrees of freedom; NaN where too few votes or voters stand behind it.
    low, high : float
        Ends of intervals that hold for all models at once (Bonferroni).
    p : float
        P-value, corrected over all models (Holm).
    """

    model: str
    value: float
    se: Annotated[float, Numbers(least=0.0, null=np.nan)]
    df: Annotated[float, Numbers(least=0.0, null=np.inf)]
    low: Annotated[float, Numbers(null=np.nan)]
    high: Annotated[float, Numbers(null=np.nan)]
    p: Level


@dataclass(frozen=True, slots=True, eq=False)
class OverTime:
    """Strengths over time.

    Parameters
    ----------
    unit : str
        ``"day"``, ``"week"``, ``"month"``, or ``"date"`` for two periods.
    models : tuple of str
        The models that periods speak of.
    anchors : tuple of str
        The models whose mean strength is 0 in every period.
    periods : tuple of Period
        In their order.
    since : str
        Where the later part begins; empty where there are no two parts.
    changes : tuple of Change
        Of the models that are in both parts, the smallest p-value first.
    clusters : tuple of str
        What votes were clustered by.
    alpha : float
        Error rate, of all bands at once and of all changes at once.
    reason : str
        Why no changes were tested; empty where they were.

    Raises
    ------
    DataError
        If a period is about another number of models.
    """

    unit: str
    models: tuple[str, ...]
    anchors: tuple[str, ...]
    periods: tuple[Period, ...]
    since: str
    changes: tuple[Change, ...]
    clusters: tuple[str, ...]
    alpha: Rate = 0.05
    reason: str = ""

    def __post_init__(self) -> None:
        check_models(self.models)
        for one in self.periods:
            if one.counts.size != len(self.models):
                raise DataError(f"The period {one.name!r} must have a strength of every model.")

    @property
    def changed(self) -> tuple[Change, ...]:
        """Models whose strength is shown to have changed."""
        return tuple(one for one in self.changes if one.p <= self.alpha)

    @property
    def arrivals(self) -> dict[str, str]:
        """First period of each model that has no votes in the first one."""
        first = {}
        for k, model in enumerate(self.models):
            seen = [one.name for one in self.periods if one.counts[k]]
            if seen and seen[0] != self.periods[0].name:
                first[model] = seen[0]
        return first


@dataclass(frozen=True, slots=True, eq=False)
class TaskPlaces(Frozen):
    """Places of partly scored models on one task, among the models of the board there.

    Parameters
    ----------
    name : str
        The task.
    models : tuple of str
        Those that ran it.
    mean, se : array of float, shape (M,)
        Their scores there in the units of the input, and standard errors.
    best, worst : array of int, shape (M,)
        Rank interval of each in the field of the board's models and itself.
    """

    name: str
    models: tuple[str, ...]
    mean: Reals
    se: Errors
    best: Ranks
    worst: Ranks


@dataclass(frozen=True, slots=True, eq=False)
class PartlyScored:
    """Models that lack some tasks, each placed among the models of the board by the tasks it has.

    Each row is a statement about one model in a field of its own: the models of the board, and
    this one. It holds if the tasks that the model lacks are like those it has, so that there is no
    guarantee. No row changes any row of the board.

    Parameters
    ----------
    models : tuple of str
        Their names, in code-point order.
    field : int
        Number of ranks of each row: the models of the board, and the one that is placed.
    n_tasks : int
        Tasks that count.
    tasks : array of int, shape (M,)
        How many of them each model has.
    adjusted : array of float, shape (M,)
        Average that each would have if the tasks it lacks went for it as for the models of the
        board, in the units of the average; NaN where it has none.
    best, worst : array of int, shape (M,)
        Rank interval of each.
    may_be_first : array of bool, shape (M,)
        Whether no model of the board is shown better, on the tasks it has.
    alpha : float
        Error rate of each row, if the tasks a model lacks are like those it has.
    by_task : tuple of TaskPlaces
        Places on single tasks.
    new_tasks : tuple of str
        Tasks that too few models entered to count.
    lean, lean_p : float, optional
        Mean standardised effect of the tasks that these models lack (above 0: they are easier than
        the rest), and its p-value; None where nothing is known of it.
    approximate : bool
        Always true: rows rest on what is not known.
    measured_level : float, optional
        Share of simulations in which 95 % rows held, where models lacked the tasks they failed.

    Raises
    ------
    DataError
        If ends are out of order or beyond the field.
    """

    models: tuple[str, ...]
    field: Annotated[int, Numbers(least=2)]
    n_tasks: Annotated[int, Numbers(least=1)]
    tasks: Counts
    adjusted: Reals
    best: Ranks
    worst: Ranks
    may_be_first: Chosen
    alpha: Rate
    by_task: tuple[TaskPlaces, ...] = ()
    new_tasks: tuple[str, ...] = ()
    lean: float | None = None
    lean_p: Level | None = None
    approximate: bool = True
    measured_level: Level | None = None

    def __post_init__(self) -> None:
        freeze(self)
        inside = (self.best >= 1) & (self.best <= self.worst) & (self.worst <= self.field)
        if not inside.all():
            i = int(np.flatnonzero(~inside)[0])
            raise DataError(
                f"Place of {self.models[i]!r} is {self.best[i]} to {self.worst[i]}; it must lie "
                f"within 1 to {self.field}."
            )

    def __repr__(self) -> str:
        return f"PartlyScored({len(self.models)} models among {self.field - 1})"

    def __getitem__(self, model: str) -> tuple[int, int]:
        """The place of one model: its best and worst rank in the field of the board and itself."""
        check_name("partly scored model", model, self.models)
        i = self.models.index(model)
        return int(self.best[i]), int(self.worst[i])

    @property
    def first(self) -> tuple[str, ...]:
        """Those that may be first."""
        return names_where(self.models, self.may_be_first)

    @property
    def order(self) -> tuple[int, ...]:
        """Positions by place: the middle of the interval, then the name."""
        middle = self.best + self.worst
        return tuple(int(i) for i in np.lexsort((np.arange(middle.size), self.best, middle)))


@dataclass(frozen=True, slots=True, eq=False)
class CostFront:
    """The front of score against cost: models of which none is better and no dearer.

    Made by `rankbars.add_costs`. A model k dominates j if it is no worse on score and on cost, and
    better on one. Nothing is made of the two but this: no ratio, no sum.

    Parameters
    ----------
    models : tuple of str
        The M models of the board.
    metric : str
        What the cost is called.
    known : bool
        Whether costs are known, as prices are; else they were measured, and differences tested.
    alpha : float
        Error rate.
    cost, low, high : array of float, shape (M,)
        Cost of each, and the ends of its own interval where it was measured; NaN where there is
        none: such a model has no place here.
    observed : array of bool, shape (M,)
        On the front as observed.
    dominates : array of bool, shape (M, M)
        ``[k, j]``: k is shown to dominate j; all of them hold at once with probability
        ``1 - alpha`` where costs are known, approximately where they were measured.
    each : array of bool, shape (M,)
        May be on the front, for one model named in advance.
    surely : array of bool, shape (M,)
        Shown to be on the front, all of them at once.
    assumptions : tuple of str
        What must hold, in plain sentences.
    """

    models: tuple[str, ...]
    metric: str
    known: bool
    alpha: Rate
    cost: Reals
    low: Reals
    high: Reals
    observed: Chosen
    dominates: Relation
    each: Chosen
    surely: Chosen
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        freeze(self)
        priced = ~np.isnan(self.cost)
        if (self.dominates & ~(priced[:, None] & priced[None, :])).any():
            raise DataError("A model without a cost dominates nobody and is dominated by nobody.")

    def __repr__(self) -> str:
        return (
            f"CostFront({self.metric!r}, {int(self.observed.sum())} observed, "
            f"{int(self.possible.sum())} may be of {int((~np.isnan(self.cost)).sum())} models)"
        )

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Models that may be on the front: the true one is among them, as `dominates` holds."""
        return np.asarray(~np.isnan(self.cost) & ~self.dominates.any(axis=0))

    def within(self, shown_better: NDArray[np.bool_]) -> list[tuple[float, NDArray[np.intp]]]:
        """For each budget, who may have the best score of those it pays for.

        `shown_better` is that of the board. The sets of all budgets hold at once.
        """
        from rankbars.stats.multiplicity.fronts import best_within

        return best_within(shown_better, self.cost)


@dataclass(frozen=True, slots=True, eq=False)
class CategoryRanks:
    """Ranks within a category of votes, or of all votes fitted otherwise than on the board.

    Categories may overlap. Each holds at the level of the board by itself.

    Parameters
    ----------
    name : str
        The category; empty for all votes.
    adjusted : tuple of str
        What strengths are adjusted for.
    votes : int
        Votes of the category.
    models : tuple of str
        The models that are ranked.
    left_out : tuple of str
        Models that its votes do not put on one scale with these.
    task : TaskResult or None
        Their ranks; None where nothing can be ranked.
    reason : str
        Why there are none.

    Raises
    ------
    DataError
        If `task` is about another number of models.
    """

    name: str
    adjusted: tuple[str, ...]
    votes: Annotated[int, Numbers(least=0)]
    models: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    task: TaskResult | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        if self.task is not None and self.task.best.size != len(self.models):
            raise DataError(f"The category {self.name!r} must have ranks of all of its models.")

    @property
    def title(self) -> str:
        """What it is called where it stands beside others."""
        name = self.name or "all votes"
        return f"{name}, adjusted" if self.adjusted else name

    @property
    def first(self) -> tuple[str, ...]:
        """Models that may be first."""
        if self.task is None:
            return ()
        return names_where(self.models, self.task.may_be_first)

    @property
    def widest(self) -> tuple[int, int] | None:
        """The widest rank interval."""
        if self.task is None:
            return None
        k = int(np.argmax(self.task.worst - self.task.best))
        return int(self.task.best[k]), int(self.task.worst[k])

"""Models that lack some tasks, placed among those scored on every task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rankbars.data.fields import (
    Chosen,
    Counts,
    Errors,
    Level,
    Numbers,
    Ranks,
    Rate,
    Reals,
    check_models,
    freeze,
)
from rankbars.errors import DataError, UnknownOptionError

__all__ = ["PartlyScored", "TaskPlaces"]


@dataclass(frozen=True, slots=True, eq=False)
class TaskPlaces:
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        freeze(self, M=len(self.models))


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
        object.__setattr__(self, "models", check_models(self.models))
        freeze(self, M=len(self.models))
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
        if model not in self.models:
            raise UnknownOptionError.among("partly scored model", model, self.models)
        i = self.models.index(model)
        return int(self.best[i]), int(self.worst[i])

    @property
    def first(self) -> tuple[str, ...]:
        """Those that may be first."""
        return tuple(self.models[i] for i in np.flatnonzero(self.may_be_first))

    @property
    def order(self) -> tuple[int, ...]:
        """Positions by place: the middle of the interval, then the name."""
        middle = self.best + self.worst
        return tuple(int(i) for i in np.lexsort((np.arange(middle.size), self.best, middle)))

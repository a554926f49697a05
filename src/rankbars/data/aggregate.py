"""How models stand on an average of tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.arrays import frozen_array
from rankbars.data.evidence import check_models
from rankbars.data.intervals import Scope
from rankbars.data.notes import Note
from rankbars.errors import DataError

__all__ = ["Aggregate", "Over"]

Over = Literal["items", "tasks", "families"]


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate:
    """Average score of each model, with its interval and its rank confidence interval.

    Parameters
    ----------
    models : tuple of str
        The M models.
    score, low, high : array of float, shape (M,)
        Average of each model in the units of the input, and the ends of its own interval at
        level ``1 - alpha``, one model at a time; NaN for a model without scores on every task.
    best, worst : array of int, shape (M,)
        Rank confidence interval, from paired contrasts of the average.
    shown_better : array of bool, shape (M, M)
        ``[i, j]``: i was shown better than j on the average. Always from a run in which all
        statements hold at once (``scope="all"``), whatever `scope` says of `best` and `worst`.
    alpha : float
        Error rate.
    scope : {"each", "all"}
        Guarantee of `best` and `worst`: one model named in advance, or all at once.
    over : {"items", "tasks", "families"}
        Which average: over these tasks, over a population of tasks, or of families of tasks.
    estimator : str
        How it was computed.
    unit : {"score", "rank"}
        Whether scores were averaged, or ranks within tasks.
    direction : {"higher", "lower"}
        Which side of `score` is better; ``"lower"`` for ranks.
    assumptions : tuple of str
        What must hold, in plain sentences.
    notes : tuple of Note
        What the reader must know.

    Raises
    ------
    DataError
        If shapes disagree or ends are out of order.
    """

    models: tuple[str, ...]
    score: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    shown_better: NDArray[np.bool_]
    alpha: float
    scope: Scope
    over: Over
    estimator: str
    unit: Literal["score", "rank"] = "score"
    direction: Literal["higher", "lower"] = "higher"
    assumptions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        size = len(self.models)
        for name in ("score", "low", "high"):
            object.__setattr__(
                self, name, frozen_array(getattr(self, name), np.float64, name, (size,))
            )
        for name in ("best", "worst"):
            object.__setattr__(
                self, name, frozen_array(getattr(self, name), np.int64, name, (size,))
            )
        object.__setattr__(
            self,
            "shown_better",
            frozen_array(self.shown_better, np.bool_, "shown_better", (size, size)),
        )
        if not ((self.best >= 1) & (self.best <= self.worst) & (self.worst <= size)).all():
            raise DataError(f"Rank intervals must lie within 1 to {size}, best before worst.")

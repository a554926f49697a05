"""One task of a leaderboard: what was found about its models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage
from rankbars.data.fields import Errors, Level, Numbers, Ranks, Rate, Reals, freeze
from rankbars.data.intervals import Scope
from rankbars.data.scores import Direction
from rankbars.errors import DataError
from rankbars.stats.tails import critical_value

__all__ = ["Ratings", "TaskResult"]

Kind = Literal["items", "folds", "runs", "estimates", "votes"]


class Ratings(NamedTuple):
    """Strengths from votes, and the ends of their intervals, shape (M,) each."""

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult:
    """One task of a leaderboard; every array is aligned with the models of the board.

    Parameters
    ----------
    name : str
        The task.
    kind : {"items", "folds", "runs", "estimates", "votes"}
        What the evidence is.
    n : int
        Items, folds, runs or votes; 0 where not known.
    mean, se : array of float, shape (M,)
        Score in the file's own units and direction, and its standard error; NaN = none.
    best, worst : array of int, shape (M,)
        Rank confidence interval on this task.
    observed_best, observed_worst : array of int, shape (M,)
        Ranks as observed, with ties as ranges; not an inference.
    coverage : array of float, shape (M,)
        Share of the task's rows that have a score.
    test, correction, scope, alpha
        How the interval was made.
    guarantee : float, optional
        Probability with which one interval (``each``) or all of them (``all``) hold.
    direction : {"higher", "lower"}
        Which side of `mean` is better.
    category, family, metric : str, optional
        What is known about the task.
    weight : float
        Weight in the average.
    assumptions : tuple of str
        What must hold.
    spread_best, spread_worst : array of int, shape (M,), optional
        Ranks by overlap of the models' own score intervals, as vote arenas print them; for
        comparison only, without a guarantee. Where scores come with errors of their own.
    elo : array of float, shape (M,), optional
        Strengths from votes on the scale of Elo.
    elo_anchor : str, optional
        What fixes the origin of that scale: ``"mean=1000"`` or ``"MODEL=1000"``.
    counts : Coverage, optional
        What became of every expected row of the input: scored (and with what a score of 0),
        unscored, failed, missing. None for votes, and for published scores that do not say it.
    """

    name: str
    kind: Kind
    n: Annotated[int, Numbers(least=0)]
    mean: Reals
    se: Errors
    best: Ranks
    worst: Ranks
    observed_best: Ranks
    observed_worst: Ranks
    coverage: Annotated[NDArray[np.float64], Numbers("M", least=0.0, most=1.0, null=0.0)]
    test: str
    correction: str
    scope: Scope
    alpha: Rate
    guarantee: Level | None = None
    direction: Direction = "higher"
    category: str | None = None
    family: str | None = None
    metric: str | None = None
    weight: Annotated[float, Numbers(least=0.0)] = 1.0
    assumptions: tuple[str, ...] = ()
    spread_best: Ranks | None = None
    spread_worst: Ranks | None = None
    elo: Reals | None = None
    elo_anchor: str | None = None
    counts: Coverage | None = None

    def __repr__(self) -> str:
        return f"TaskResult({self.name!r}, {np.size(self.best)} models, {self.n} {self.kind})"

    def __post_init__(self) -> None:
        size = int(np.size(self.best))
        freeze(self, M=size)
        if self.counts is not None and self.counts.scored.shape != (size,):
            raise DataError(f"Task {self.name!r} must have counts for each of {size} models.")

    def ratings(self) -> Ratings:
        """Strengths from votes with their own intervals, at level ``1 - alpha``, by a normal tail.

        On the scale of Elo where there is one. Each model by itself: whether two differ was tested
        on their difference.
        """
        value, error = (self.mean, self.se) if self.elo is None else (self.elo, self.elo_se)
        half = float(critical_value(self.alpha / 2, np.inf)) * error
        return Ratings(value, value - half, value + half)

    @property
    def elo_se(self) -> NDArray[np.float64]:
        """Standard errors of `elo` for a free origin, shape (M,)."""
        from rankbars.stats.votes.bradleyterry import ELO_PER_LOG_ODDS

        return self.se * ELO_PER_LOG_ODDS

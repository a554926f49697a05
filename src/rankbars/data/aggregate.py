"""How models stand on an average of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.categorymeans import CategoryMeans
from rankbars.data.contrasts import Contrasts, Differences
from rankbars.data.draws import Draws
from rankbars.data.fields import (
    Chances,
    Errors,
    Freedom,
    Frozen,
    Level,
    Numbers,
    Ranks,
    Rate,
    Reals,
    Relation,
    check_level,
    check_ranks,
    freeze,
)
from rankbars.data.intervals import DrawnRanks, Scope
from rankbars.data.notes import Note
from rankbars.data.partialorder import PartialOrder
from rankbars.errors import DataError
from rankbars.stats.resampling.rankcounts import expected_rank
from rankbars.stats.resampling.taskmeans import Components, Ends
from rankbars.stats.tails import critical_value

__all__ = ["Aggregate", "Over"]

Over = Literal["items", "tasks", "families"]


@dataclass(frozen=True, slots=True, eq=False)
class Aggregate(Frozen, DrawnRanks):
    """Average score of each model, with its interval and its rank interval.

    Parameters
    ----------
    models : tuple of str
        The M models.
    score, low, high : array of float, shape (M,)
        Average of each model in the units of the input, and the ends of its own interval at
        level ``1 - alpha``, one model at a time; NaN for a model without scores on every task.
    best, worst : array of int, shape (M,)
        Rank confidence interval, from paired contrasts of the average; a rank band from `draws`
        where `guarantee` is None.
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
        How it was estimated.
    unit : {"score", "rank"}
        Whether scores were averaged, or ranks within tasks.
    direction : {"higher", "lower"}
        Which side of `score` is better; ``"lower"`` for ranks.
    assumptions : tuple of str
        What must hold, in plain sentences.
    notes : tuple of Note
        What the reader must know.
    method : str
        What was averaged: ``"mean"``, ``"average_rank"`` and so on.
    normalise : str, optional
        How scores were brought to a common scale.
    limits : mapping from str to (float, float)
        Scores that count as 0 and as 1 on each task, in the units of the input.
    target : str
        What the average is an average of, in plain words.
    guarantee : float, optional
        Probability with which `best` and `worst` hold; None where they are a band that describes
        draws, or nothing is promised.
    se : array of float, shape (M,), optional
        Standard error of `score`.
    draws : Draws, optional
        Joint draws of the averages, higher is better.
    rank_probability : array of float, shape (M, M), optional
        ``[i, r]``: probability that model i has rank r + 1, counted in `draws`; NaN for a model
        without an average. A description, not a confidence statement.
    named_best, named_worst : array of int, shape (M,), optional
        Rank interval of each model by itself, as for one named in advance, at `alpha`; where `best`
        and `worst` hold for all at once on a board.
    draws_agree : bool, optional
        Whether shares of the draws may stand beside the ranks: False where they say more of who is
        first, or among the first three, than `best` and `worst` do; see `top_share`. None without
        draws.
    dominance : array of float, shape (M, M), optional
        ``[i, j]``: probability that i is better than j, counted in `draws`; for up to 200 models
        (for more, ``draws.dominance()``).
    contrasts : Contrasts, optional
        Differences of all pairs, with intervals that hold together; a board file does not keep
        them.
    differences : Differences, optional
        The same as a table that a board file keeps: of `contrasts`, or where nothing was tested
        (a posterior, ranks over items) of `draws`; for up to 50 models.
    components : Components, optional
        Variance between and within tasks, where both were estimated.
    by_category : CategoryMeans, optional
        Means per category of tasks, where every task has a category and scores are averaged.
    by_reversal : bool
        Whether pairs were compared by an exact test that reverses the rankings of few tasks.
    df : array of float, shape (M,), optional
        Degrees of freedom behind `se`; infinite for a normal tail.
    bounds : (float, float)
        Least and greatest value that an average can have, in the units of `score`; infinite where
        that is not known. Intervals end there.
    correction : str, optional
        How contrasts were corrected; None in files of version 0.1.
    approximate : bool
        Whether statements are only nearly made at their level; there is no guarantee then.
    measured_level : float, optional
        Share of simulations with such evidence in which 95 % statements held; None where that is
        not known.
    n : int
        Rows that were averaged over: those of all its tasks, a row of one name on several of them
        once where they are averaged row by row. 0 where not known.

    Raises
    ------
    DataError
        If shapes disagree or ends are out of order.
    """

    models: tuple[str, ...]
    score: Reals
    low: Reals
    high: Reals
    best: Ranks
    worst: Ranks
    shown_better: Relation
    alpha: Rate
    scope: Scope
    over: Over
    estimator: str
    unit: Literal["score", "rank"] = "score"
    direction: Literal["higher", "lower"] = "higher"
    assumptions: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    method: str = "mean"
    normalise: str | None = None
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    target: str = ""
    guarantee: Level | None = None
    se: Errors | None = None
    draws: Draws | None = None
    rank_probability: Chances | None = None
    draws_agree: bool | None = None
    dominance: Chances | None = None
    contrasts: Contrasts | None = None
    components: Components | None = None
    by_category: CategoryMeans | None = None
    df: Freedom | None = None
    by_reversal: bool = False
    bounds: tuple[
        Annotated[float, Numbers(null=-np.inf)], Annotated[float, Numbers(null=np.inf)]
    ] = (-np.inf, np.inf)
    correction: str | None = None
    approximate: bool = False
    measured_level: Level | None = None
    n: Annotated[int, Numbers(least=0)] = 0
    named_best: Ranks | None = None
    named_worst: Ranks | None = None
    differences: Differences | None = None

    def __post_init__(self) -> None:
        freeze(self)
        check_ranks(self.models, self.best, self.worst)
        check_level(self.guarantee, self.approximate, self.measured_level)
        for part in (self.draws, self.contrasts, self.differences, self.by_category):
            if part is not None and part.models != self.models:
                raise DataError("All parts of an average must speak of the same models.")

    def __repr__(self) -> str:
        return f"Aggregate({self.target}; {len(self.models)} models, {self.estimator})"

    @property
    def may_be_first(self) -> NDArray[np.bool_]:
        """Models with an average whose rank may be 1, shape (M,).

        A model without an average may stand anywhere, and is no part of it.
        """
        return np.asarray((self.best == 1) & ~np.isnan(self.score))

    @property
    def expected_rank(self) -> NDArray[np.float64] | None:
        """Mean rank of each model over the draws, shape (M,); None without rank probabilities."""
        if self.rank_probability is None:
            return None
        return expected_rank(self.rank_probability)

    @property
    def is_range(self) -> bool:
        """Whether `low` and `high` are a range of draws, which describes and is no interval.

        So it is for ranks and wins over items. Noise in the draws mixes the ranks of models that
        are close, so such a range can miss the true mean rank far more often than its level says.
        """
        return self.over == "items" and self.method not in ("mean", "geometric", "skill")

    def partial_order(self) -> PartialOrder:
        """Who was shown better than whom on the average, with its diagram.

        All statements hold at once with probability ``1 - alpha``. Models that are not connected
        were not shown to differ.
        """
        return PartialOrder(self.models, self.shown_better)

    def comparison_intervals(self) -> Ends:
        """Intervals to compare by eye: two just touch where two models differ at `alpha`.

        Intervals at level ``1 - alpha`` overlap long before a difference stops being significant,
        because the error of a difference is smaller than the sum of two errors. These are shorter
        by the root of one half: at `alpha` 0.05 they are 83.4 % intervals, 1.386 instead of 1.96
        standard errors to either side.

        Returns
        -------
        Ends
            `low` and `high`, shape (M,), in the units of `score`.

        Raises
        ------
        DataError
            If no standard errors are known.

        Notes
        -----
        Exact only for two models whose averages are independent and equally sure. For display:
        what decides is `contrasts`, which know what models have in common.

        References
        ----------
        Goldstein & Healy 1995.

        Examples
        --------
        >>> import rankbars as rb
        >>> task = rb.Estimates(("a", "b"), [0.5, 0.7], se=[0.1, 0.1])
        >>> average = rb.aggregate(rb.Scores({"x": task, "y": task}))
        >>> average.comparison_intervals().low.round(3).tolist()
        [0.402, 0.602]
        """
        if self.se is None or np.isnan(self.se).all():
            raise DataError("The average has no standard errors, so there is nothing to draw.")
        df = np.full(self.se.shape, np.inf) if self.df is None else self.df
        half = critical_value(self.alpha / 2, np.nan_to_num(df, nan=1.0, posinf=np.inf))
        half = half * self.se / np.sqrt(2.0)
        ends = (np.clip(self.score + side * half, *self.bounds) for side in (-1.0, 1.0))
        return Ends(*ends)

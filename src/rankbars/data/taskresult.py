"""What a board says of one task: ranks and scores of its models, and of every two of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage
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
    check_level,
    freeze,
)
from rankbars.data.intervals import DrawnRanks, Scope
from rankbars.data.taskinfo import Direction
from rankbars.errors import DataError
from rankbars.stats.tails import critical_value

if TYPE_CHECKING:
    from rankbars.data.noise import TaskNoise
    from rankbars.data.rowscores import RowScores
    from rankbars.data.suspects import SuspectGroup, SuspectVoters

__all__ = [
    "MOST_PAIRS",
    "Effects",
    "PairDetails",
    "PerEffect",
    "Ratings",
    "ScoreBins",
    "TaskPairs",
    "TaskResult",
]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreBins:
    """Histograms of the scores of one task, higher is better.

    Parameters
    ----------
    edges : array of float, shape (B + 1,)
        Rising. A bin holds its lower edge; the last one holds its upper edge too.
    counts : array of int, shape (M, B)
        Rows of each model whose score lies in each bin.

    Raises
    ------
    DataError
        If shapes disagree, or the edges do not rise.
    """

    edges: Annotated[NDArray[np.float64], Numbers("E")]
    counts: Annotated[NDArray[np.int64], Numbers("MB", least=0)]

    def __post_init__(self) -> None:
        freeze(self)
        bins = self.counts.shape[1]
        if self.edges.size < 2 or not (np.diff(self.edges) > 0).all():
            raise DataError("The edges of bins must be two or more rising numbers.")
        if bins != self.edges.size - 1:
            raise DataError(
                f"Bins between {self.edges.size} edges need {self.edges.size - 1} counts for each "
                f"model; got {bins}."
            )


MOST_PAIRS = 100_000  # pairs of models times tasks; more would make a page slow to open
PairCounts = Annotated[NDArray[np.int64], Numbers("P", least=0)]


@dataclass(frozen=True, slots=True, eq=False)
class TaskPairs:
    """The pairs of one task: (0, 1), (0, 2), ..., (1, 2), ..., P in all.

    Parameters
    ----------
    difference : array of float, shape (P,)
        Mean of the first minus the second on the rows that both have, higher is better; NaN where
        there are none.
    se : array of float, shape (P,)
        Its standard error under the test; NaN where the test has none.
    df : array of float, shape (P,) or ()
        Degrees of freedom; infinite for a normal tail.
    n : array of int, shape (P,) or ()
        Independent rows behind the pair: items, folds, runs, clusters or votes; 0 = not known.
    ahead, behind : array of int, shape (P,), optional
        Rows on which the first did better, and the second; votes that each won.
    model_df : array of float, shape (M,)
        Degrees of freedom behind the score of each model by itself.
    binary : bool
        Whether rows are right or wrong, so that `ahead` counts rows only the first got right.
    bins : ScoreBins, optional
        How the scores of each model are spread; None where they are right or wrong, which their
        mean says already, where single scores are not known, and on large boards.

    Raises
    ------
    DataError
        If shapes disagree.
    """

    difference: Annotated[NDArray[np.float64], Numbers("P", null=np.nan)]
    se: Annotated[NDArray[np.float64], Numbers("P", least=0.0, null=np.nan)]
    df: Annotated[NDArray[np.float64], Numbers("P", least=0.0, null=np.inf, or_one=True)]
    n: Annotated[NDArray[np.int64], Numbers("P", least=0, or_one=True)]
    model_df: Freedom
    ahead: PairCounts | None = None
    behind: PairCounts | None = None
    binary: bool = False
    bins: ScoreBins | None = None

    def __post_init__(self) -> None:
        freeze(self)
        size = self.model_df.size
        if self.bins is not None and len(self.bins.counts) != size:
            raise DataError(f"Bins must count the scores of {size} models.")


@dataclass(frozen=True, slots=True, eq=False)
class PairDetails(Frozen):
    """Differences of all pairs of models, task by task.

    Parameters
    ----------
    models : tuple of str
        The M models.
    tasks : mapping from task to TaskPairs
        M (M - 1) / 2 pairs each.
    shared_rows : tuple of RowScores
        Scores of rows that tasks have in common, by which their average is told from that of
        unlike rows.

    Raises
    ------
    DataError
        If a task has another number of pairs, or shared rows are those of other tasks or models.
    """

    models: tuple[str, ...]
    tasks: Mapping[str, TaskPairs]
    shared_rows: tuple[RowScores, ...] = ()

    def __repr__(self) -> str:
        return f"PairDetails({len(self.models)} models, {len(self.tasks)} tasks)"

    def __post_init__(self) -> None:
        freeze(self)
        count = len(self.models) * (len(self.models) - 1) // 2
        for name, pairs in self.tasks.items():
            if pairs.difference.shape != (count,) or pairs.model_df.shape != (len(self.models),):
                raise DataError(f"Task {name!r} must have {count} pairs of {len(self.models)}.")
        for k, rows in enumerate(self.shared_rows):
            strange = sorted(set(rows.tasks) - set(self.tasks))
            if strange:
                raise DataError(f"shared_rows[{k}]: {strange[0]!r} is no task of the board.")
            rows.check(len(self.models))


Kind = Literal["items", "folds", "runs", "estimates", "votes"]


class Ratings(NamedTuple):
    """Strengths from votes, and the ends of their intervals, shape (M,) each."""

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


PerEffect = Annotated[NDArray[np.float64], Numbers("Q", null=np.nan)]


@dataclass(frozen=True, slots=True, eq=False)
class Effects:
    """What strengths from votes were adjusted for, and how much it sways votes.

    Parameters
    ----------
    names : tuple of str
        The Q controls: the position, or columns such as the length of the answer.
    value : array of float, shape (Q,)
        Change in the log odds of a win for one unit more in the first answer than in the second.
    se : array of float, shape (Q,)
        Its standard error, by the covariance of the strengths; NaN where there is none.
    df : float
        Degrees of freedom behind it; infinite for a normal tail.
    spread : array of float, shape (Q,)
        Root mean square of the control over the votes, to compare effects by.
    alpha : float
        Error rate of the interval of each effect by itself.
    """

    names: tuple[str, ...]
    value: PerEffect
    se: PerEffect
    df: Annotated[float, Numbers(least=0.0, null=np.inf)]
    spread: PerEffect
    alpha: Rate = 0.05

    def __repr__(self) -> str:
        return f"Effects({', '.join(self.names)})"

    def __post_init__(self) -> None:
        freeze(self, Q=len(self.names))

    @property
    def interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Ends of the interval of each effect by itself, shape (Q,) each."""
        half = critical_value(self.alpha / 2, max(self.df, 1.0)) * self.se
        return self.value - half, self.value + half


@dataclass(frozen=True, slots=True, eq=False)
class TaskResult(DrawnRanks):
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
    merged_best, merged_worst : array of int, shape (M,), optional
        Rank interval that the new-task interval is made of: of each model by itself, at the error
        rate ``overall.task_alpha``, or `alpha` where that is None. Not an answer about this task.
    named_best, named_worst : array of int, shape (M,), optional
        Rank interval of each model by itself, as for one named in advance, at `alpha`; where `best`
        and `worst` hold for all at once and the board shows this task first.
    elo : array of float, shape (M,), optional
        Strengths from votes on the scale of Elo.
    elo_anchor : str, optional
        What fixes the origin of that scale: ``"mean=1000"`` or ``"MODEL=1000"``.
    counts : Coverage, optional
        What became of every expected row of the input: scored (and with what a score of 0),
        unscored, failed, missing. None for votes, and for published scores that do not say it.
    approximate : bool
        Whether statements are only nearly made at their level; there is no guarantee then.
    measured_level : float, optional
        Share of simulations with such evidence in which 95 % statements held; None where that is
        not known.
    df : array of float, shape (M,) or (), optional
        Degrees of freedom behind the score of each model by itself; infinite for a normal tail.
    rank_probability : array of float, shape (M, M), optional
        ``[i, r]``: probability that model i has rank r + 1, counted in joint draws of the scores;
        NaN for a model without a score. A description, not a confidence statement. Of the only
        task of a board, where errors are known and there are up to 200 models.
    dominance : array of float, shape (M, M), optional
        ``[i, j]``: probability that i is better than j, from the error of their difference; NaN
        without a score, and where the difference is the same on every row.
    draws_agree : bool, optional
        Whether shares of the draws may stand beside the ranks: False where they say more of who is
        first, or among the first three, than `best` and `worst` do. None without draws.
    noise : TaskNoise, optional
        Where its errors come from, where items have several answers.
    effects : Effects, optional
        What strengths from votes were adjusted for, such as the length of answers.
    suspects : SuspectVoters, optional
        Voters whose votes do not fit those of the others, where there are any.
    suspect_groups : tuple of SuspectGroup, optional
        Periods and prompts of which the same is true, where there are any.
    low, high : array of float, shape (M,), optional
        Ends of each model's own interval at level ``1 - alpha``, where some of them are not
        `mean` plus and minus a multiple of `se`: of few right or wrong answers by the binomial
        law, and else cut at the declared limits of the score; NaN = none.
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
    merged_best: Ranks | None = None
    merged_worst: Ranks | None = None
    named_best: Ranks | None = None
    named_worst: Ranks | None = None
    elo: Reals | None = None
    elo_anchor: str | None = None
    counts: Coverage | None = None
    approximate: bool = False
    measured_level: Level | None = None
    df: Annotated[NDArray[np.float64], Numbers("M", least=0.0, null=np.inf, or_one=True)] | None = (
        None
    )
    rank_probability: Chances | None = None
    dominance: Chances | None = None
    draws_agree: bool | None = None
    noise: TaskNoise | None = None
    effects: Effects | None = None
    suspects: SuspectVoters | None = None
    suspect_groups: tuple[SuspectGroup, ...] | None = None
    low: Reals | None = None
    high: Reals | None = None

    def __repr__(self) -> str:
        return f"TaskResult({self.name!r}, {np.size(self.best)} models, {self.n} {self.kind})"

    def __post_init__(self) -> None:
        freeze(self)
        size = self.best.size
        check_level(self.guarantee, self.approximate, self.measured_level)
        if self.counts is not None and self.counts.scored.shape != (size,):
            raise DataError(f"Task {self.name!r} must have counts for each of {size} models.")
        if self.noise is not None and self.noise.flips.shape != (size,):
            raise DataError(f"Task {self.name!r} must have the noise of each of {size} models.")

    @property
    def own_rows(self) -> Coverage | None:
        """Counts of the rows of each model, where no two models share one and none are paired."""
        unpaired = self.test == "welch" and self.counts is not None and self.counts.is_disjoint
        return self.counts if unpaired else None

    @property
    def scored_share(self) -> NDArray[np.float64]:
        """Share of the rows that each model was given that have a score, shape (M,)."""
        own = self.own_rows
        if own is None:
            return self.coverage
        return np.asarray(own.scored / np.maximum(own.expected - own.missing, 1))

    @property
    def may_be_first(self) -> NDArray[np.bool_]:
        """Models with a score on this task whose rank may be 1, shape (M,).

        A model without a score may stand anywhere, and is no part of it.
        """
        return np.asarray((self.best == 1) & ~np.isnan(self.mean))

    def score_interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Ends of each model's own interval at level ``1 - alpha``, shape (M,) each.

        Each model by itself: whether two differ was tested on their difference. NaN where no error
        is known, or it is 0, which does not say how far a score may be off (right and wrong answers
        do: see `low`).
        """
        if self.low is not None and self.high is not None:
            return self.low, self.high
        known = self.se > 0
        df = np.broadcast_to(np.inf if self.df is None else self.df, self.se.shape)
        half = critical_value(self.alpha / 2, np.where(known & (df > 0), df, np.inf)) * self.se
        half = np.where(known & (df > 0), half, np.nan)
        return self.mean - half, self.mean + half

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
        from rankbars.stats.votes.arena import ELO_PER_LOG_ODDS

        return self.se * ELO_PER_LOG_ODDS

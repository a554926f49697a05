"""What an average is made of: its plan, what each task contributes, what an estimator finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Over
from rankbars.data.comparisons import Comparisons
from rankbars.data.draws import Source
from rankbars.data.evidence import Evidence
from rankbars.data.fields import spread_columns
from rankbars.data.intervals import Scope
from rankbars.data.notes import Note
from rankbars.data.priors import PriorChoice
from rankbars.data.taskinfo import Direction
from rankbars.stats.averaging.points import Limits
from rankbars.stats.multiplicity.nulllaws import MOST_TASKS
from rankbars.stats.multiplicity.symmetricbootstrap import Sample
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.resampling.distributions import Streams
from rankbars.stats.resampling.taskmeans import Components
from rankbars.stats.streams import stream
from rankbars.steps.average.averagemethods import Method, take_method
from rankbars.steps.validity import Design

__all__ = [
    "BAYESIAN",
    "FROM_ROWS",
    "Accumulator",
    "AveragePlan",
    "Estimate",
    "RowsSeen",
    "StartAverage",
    "TaskPart",
    "TaskRows",
    "weight_words",
]

BAYESIAN = ("bayes", "bayes_predictive")
"""The estimators that take a prior."""
FROM_ROWS = ("bootstrap", *BAYESIAN)
"""The estimators that look at the rows themselves, or at counts of right answers."""

_EQUAL_WEIGHTS = 1e-12  # shares that differ by less are equal but for rounding
_MOST_CATEGORY_CELLS = 2**22  # more draws of category means than that are not kept


class AveragePlan(NamedTuple):
    """What is averaged, over what, and how; all that an estimator needs beside the tasks.

    Attributes
    ----------
    models : tuple of str
        The M models of the board.
    shared : tuple of str
        Those with scores on all tasks that have weight.
    over : {"items", "tasks", "families"}
        Which average.
    estimator, method : str
        How it is estimated; what is averaged.
    direction : {"higher", "lower"}
        Which side of the average is better, as it is shown.
    weights : mapping from str to float
        Share of each task that has one, adding up to 1.
    normalise : str, optional
        How scores are brought to a common scale.
    limits : mapping from str to Limits
        Values that count as 0 and as 1 on each task, where they are fixed beforehand.
    families : mapping from str to str
        Family of each task; empty unless families are the sample.
    categories : mapping from str to str
        Category of each task; empty unless all have one and their means can be weighed.
    baseline : str, optional
        The model that skill scores are measured against.
    joined : mapping from str to tuple of str
        Of each task whose rows are those of another one, too, all tasks that they link; empty
        where tasks are not averaged row by row.
    linked : mapping from str to tuple of str
        The same for the means of categories, which are over exactly these tasks in any average.
    notes : tuple of Note
        What must be said of the scale.
    prior : str, Prior, callable, or mapping from str to one of them
        What hierarchical models assume beforehand; for every model, or by its name.
    insisted : bool
        Whether the test within tasks was asked for by name.
    shows_nothing : bool
        Whether there are too few tasks to show anything.
    bears : bool
        Whether all tasks together are small enough for max-T where nothing else was asked for.
    correction, scope, alpha
        How contrasts are corrected, for whom ranks hold, and their error rate.
    seed, resamples : int
        Start of the random streams, and number of draws.
    """

    models: tuple[str, ...]
    shared: tuple[str, ...]
    over: Over
    estimator: str
    method: str
    direction: Direction
    weights: Mapping[str, float]
    normalise: str | None = None
    limits: Mapping[str, Limits] = MappingProxyType({})
    families: Mapping[str, str] = MappingProxyType({})
    categories: Mapping[str, str] = MappingProxyType({})
    baseline: str | None = None
    joined: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    linked: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    notes: tuple[Note, ...] = ()
    prior: PriorChoice | Mapping[str, PriorChoice] = "auto"
    correction: str = "holm"
    insisted: bool = False
    shows_nothing: bool = False
    bears: bool = False
    scope: Scope = "each"
    alpha: float = 0.05
    seed: int = 0
    resamples: int = 1000

    @property
    def rule(self) -> Method:
        """What is averaged: what models earn on a task, and what that says."""
        rule = take_method(self.method)
        if self.baseline is not None:
            return rule._replace(words=f"{rule.words} against {self.baseline}")
        # Losses are stored negated.
        return rule.of_losses() if self.direction == "lower" else rule

    @property
    def unit(self) -> Literal["score", "rank"]:
        """Whether scores are averaged, or ranks within tasks."""
        return self.rule.unit

    @property
    def design(self) -> Design | None:
        """What its contrasts rest on, in the table of tests and corrections; None without any."""
        if self.estimator in BAYESIAN:
            return None
        if self.over == "items":
            return "average" if self.rule.linear is not None else None
        if self.rule.linear is not None:
            return "tasks"
        return "few ranks" if self.sample <= MOST_TASKS else "ranks"

    @property
    def sample(self) -> int:
        """Tasks, or families of tasks, that are averaged."""
        return len(set(self.families.values()) if self.over == "families" else self.weights)

    @property
    def units(self) -> str:
        """What the sample is made of where it is not items, in the plural."""
        return "families" if self.over == "families" else "tasks"

    @property
    def even(self) -> bool:
        """Whether all tasks count the same."""
        return bool(np.ptp(list(self.weights.values())) <= _EQUAL_WEIGHTS)

    @property
    def positions(self) -> NDArray[np.intp]:
        """Where the models with scores on all tasks stand among all models."""
        return np.array([self.models.index(name) for name in self.shared], dtype=np.intp)

    @property
    def baseline_position(self) -> int | None:
        """Where the baseline stands among all models."""
        return None if self.baseline is None else self.models.index(self.baseline)

    @property
    def category_shares(self) -> dict[str, float]:
        """Share of each category in the average, in the order of its first task."""
        shares: dict[str, float] = {}
        for task, name in self.categories.items():
            shares[name] = shares.get(name, 0.0) + self.weights[task]
        return shares

    @property
    def across_categories(self) -> dict[str, tuple[str, ...]]:
        """Tasks of several categories that are linked by their rows."""
        return {
            task: members
            for task, members in self.linked.items()
            if len({self.categories[name] for name in members}) > 1
        }

    def drawn_categories(self, models: int) -> dict[str, float]:
        """`category_shares`, where draws of so many models are few enough to be kept.

        Nothing where categories have rows in common, which are drawn for all of them at once.
        """
        shares = self.category_shares
        cells = len(shares) * self.resamples * models
        return shares if cells <= _MOST_CATEGORY_CELLS and not self.across_categories else {}

    def streams(self, *key: str) -> Streams:
        """Random generator of each chunk of draws, for one purpose."""
        return lambda chunk: stream(self.seed, "average", *key, chunk)


class RowsSeen(NamedTuple):
    """What an average must know of the rows of a task; they need not be there any more.

    Attributes
    ----------
    rows, cells : int
        How many there are, and scores of all models.
    plain, complete : bool
        Whether they are independent, and every model has a score on each.
    third : array of float, shape (F, F), optional
        Third moments of the differences of some models, over the square of their rows; None where
        single rows do not weigh heavily.
    tailed : bool
        Whether their tail is not known.
    ends : (float, float)
        Least and greatest possible score, in the units of the input.
    """

    rows: int
    cells: int
    plain: bool
    complete: bool
    third: NDArray[np.float64] | None
    tailed: bool
    ends: tuple[float, float]


class TaskPart(NamedTuple):
    """What one task contributes.

    Attributes
    ----------
    task : str
        Its name.
    weight : float
        Its share of the average.
    comparisons : Comparisons
        Tests of all models, on the scale that is averaged.
    evidence : Items or Estimates
        The evidence itself, as it was read, of the models that have any.
    limits : Limits, optional
        How scores of the evidence get to the scale that is averaged.
    ends : (float, float)
        Ends of that scale, higher is better; infinite where they are not known.
    seen : RowsSeen, optional
        What was seen on its rows, if it has any.
    joined : bool
        Whether it stands for several tasks, row by row averaged on the scale that is summed.
    """

    task: str
    weight: float
    comparisons: Comparisons
    evidence: Evidence
    limits: Limits | None = None
    ends: tuple[float, float] = (-np.inf, np.inf)
    seen: RowsSeen | None = None
    joined: bool = False

    @property
    def summary(self) -> ModelSummary:
        """Score of each model with its error, on the scale that is averaged."""
        compared = self.comparisons
        return ModelSummary(compared.mean, compared.mean_se, compared.mean_df)


class TaskRows(NamedTuple):
    """Which rows of a task an average can resample; they are not held, but looked at again.

    Attributes
    ----------
    task : str
        Its name.
    weight : float
        Its share of the average.
    limits : Limits, optional
        How scores get to the scale that is averaged.
    rows : int
        How many there are.
    """

    task: str
    weight: float
    limits: Limits | None
    rows: int


class Estimate(NamedTuple):
    """What an estimator finds: everything higher is better, before it is shown.

    Attributes
    ----------
    summary : ModelSummary
        Average of each model, its standard error and degrees of freedom; NaN without scores on
        some task.
    low, high : array of float, shape (M,)
        Ends of the interval of each model by itself.
    pairs : PairStatistics, optional
        Contrasts; None where nothing can be claimed about them.
    draws : array of float, shape (S, M), optional
        Joint draws of the averages; NaN for models without one.
    source : str
        Where the draws come from.
    assumptions : tuple of str
        What must hold, in plain sentences.
    rows : array of float, shape (N, M), optional
        The sample itself, one row per task or family; NaN for models without an average.
    components : Components, optional
        Variance between and within tasks.
    effective : float
        How many independent draws the draws are worth; NaN for their number.
    limits : mapping from str to Limits
        Scores that count as 0 and as 1 by task, where the draws themselves set them.
    notes : tuple of Note
        What the reader must know.
    category_draws : mapping from str to array of float, shape (S, M)
        Joint draws of the means per category, on the scale that is averaged; empty where scores
        were not drawn task by task. NaN for models without an average.
    alike : tuple of tuple of int
        Positions of models with the same evidence whose draws are independent.
    rankings : array of float, shape (N, M), optional
        What models earn on each task (or family), times its weight: ranks or wins over few tasks,
        which are reversed to get their law. NaN for models without an average.
    skewness : float, optional
        How much a few rows weigh in the average; None where that does not matter.
    heavy : int
        Rows of a task with few of them that carries most of the error; 0 if there is none.
    tailed : int
        Fewest rows of the tasks that do not tell how far their scores reach, where these carry most
        of the error; 0 if they do not.
    samples : tuple of Sample, optional
        Rows of all tasks, of the models that have an average, where they can be resampled.
    unread : tuple of TaskRows, optional
        The same, where it takes another look at the tasks.
    clustered : bool
        Whether rows of some task come in clusters, whose number bounds the rank of a covariance.
    whole : bool
        Whether the rows of every task are complete and independent, for averages over items.
    """

    summary: ModelSummary
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    pairs: PairStatistics | None
    draws: NDArray[np.float64] | None
    source: Source
    assumptions: tuple[str, ...]
    rows: NDArray[np.float64] | None = None
    components: Components | None = None
    effective: float = np.nan
    limits: Mapping[str, Limits] = MappingProxyType({})
    notes: tuple[Note, ...] = ()
    category_draws: Mapping[str, NDArray[np.float64]] = MappingProxyType({})
    alike: tuple[tuple[int, ...], ...] = ()
    skewness: float | None = None
    heavy: int = 0
    tailed: int = 0
    samples: tuple[Sample, ...] | None = None
    unread: tuple[TaskRows, ...] | None = None
    clustered: bool = False
    whole: bool = False
    rankings: NDArray[np.float64] | None = None

    @property
    def present(self) -> NDArray[np.intp]:
        """Positions of the models that have an average."""
        return np.flatnonzero(~np.isnan(self.summary.mean))

    def among(self, positions: NDArray[np.intp], size: int) -> Estimate:
        """The same findings, about the models at `positions` among `size`; nothing of the others.

        Contrasts are not touched.
        """

        def spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return values if positions.size == size else spread_columns(values, positions, size)

        components = self.components
        return self._replace(
            summary=ModelSummary(*map(spread, self.summary)),
            low=spread(self.low),
            high=spread(self.high),
            draws=None if self.draws is None else spread(self.draws),
            rows=None if self.rows is None else spread(self.rows),
            components=None if components is None else Components(*map(spread, components)),
            category_draws={name: spread(made) for name, made in self.category_draws.items()},
            alike=tuple(tuple(int(positions[i]) for i in members) for members in self.alike),
            rankings=None if self.rankings is None else spread(self.rankings),
        )


class Accumulator(Protocol):
    """Takes the tasks one after the other, so that no two have to be held at once."""

    def add(self, part: TaskPart) -> TaskPart:
        """Take one task; the same on the scale that is averaged."""

    def finish(self) -> Estimate:
        """What all tasks together say."""


StartAverage: TypeAlias = Callable[[AveragePlan], Accumulator]
"""Starts the average that was planned."""


def weight_words(plan: AveragePlan) -> tuple[str, ...]:
    """What weights assume where whole tasks (or families) are the sample; nothing without any.

    Examples
    --------
    >>> plan = AveragePlan((), (), "tasks", "t", "mean", "higher", {"x": 0.75, "y": 0.25})
    >>> print(*weight_words(plan))
    Weights are fixed in advance, and the tasks are one sample, whatever their weight.
    """
    if plan.even:
        return ()
    if plan.over == "families":
        return ("Weights of tasks within their family are fixed in advance.",)
    return ("Weights are fixed in advance, and the tasks are one sample, whatever their weight.",)

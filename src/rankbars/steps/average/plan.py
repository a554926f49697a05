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
from rankbars.data.intervals import Scope
from rankbars.data.notes import Note
from rankbars.data.priors import PriorChoice
from rankbars.data.scores import Direction
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.stats.averaging.points import (
    Limits,
    binned_ranks,
    borda_points,
    field_wins,
    first_places,
    noise_ranks,
    noisy_ranks,
    win_shares,
)
from rankbars.stats.multiplicity.reversal import MOST_TASKS
from rankbars.stats.multiplicity.symmetricbootstrap import Sample
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.ranks import midranks
from rankbars.stats.resampling.counts import Streams
from rankbars.stats.resampling.taskmeans import Components
from rankbars.stats.streams import stream
from rankbars.steps.validity import Design

__all__ = [
    "BAYESIAN",
    "FROM_ROWS",
    "METHODS",
    "Accumulator",
    "AveragePlan",
    "Estimate",
    "Method",
    "StartAverage",
    "TaskPart",
    "TaskRows",
    "check_range",
    "place",
    "take_method",
    "weight_words",
]

BAYESIAN = ("bayes", "bayes_predictive")
"""The estimators that take a prior."""
FROM_ROWS = ("bootstrap", *BAYESIAN)
"""The estimators that look at the rows themselves, or at counts of right answers."""

_EQUAL_WEIGHTS = 1e-12  # shares that differ by less are equal but for rounding
_MOST_CATEGORY_CELLS = 2**22  # more draws of category means than that are not kept

Points: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
NoisyPoints: TypeAlias = Callable[[NDArray[np.float64], np.random.Generator], NDArray[np.float64]]
Reach: TypeAlias = Callable[[int], tuple[float, float]]


class Method(NamedTuple):
    """One way to make a number of many task scores; higher is better throughout.

    Attributes
    ----------
    words : str
        What the number is.
    points : callable
        What models earn on a task, from their scores there, shape (..., M).
    back : callable
        From the average of the points to the number that is shown.
    noisy : callable, optional
        What they earn in one draw, where that is random in itself; `points` is its mean.
    unit : {"score", "rank"}
        Whether the number is an average rank, for which lower is better.
    linear : {"difference", "log ratio"}, optional
        What a contrast of two models is, where contrasts over items follow from those of scores.
    range : {"any", "positive", "share"}
        Scores it can be used for; a share lies between 0 and 1.
    reach : callable, optional
        Least and greatest value of the number that is shown, among so many models; None where
        they are those of the scores.
    """

    words: str
    points: Points
    back: Points = np.asarray
    noisy: NoisyPoints | None = None
    unit: Literal["score", "rank"] = "score"
    linear: Literal["difference", "log ratio"] | None = None
    range: Literal["any", "positive", "share"] = "any"
    reach: Reach | None = None

    def draw(self, values: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        """What models earn in each draw of their scores, shape (S, M)."""
        return self.points(values) if self.noisy is None else self.noisy(values, rng)


def _ranks(models: int) -> tuple[float, float]:
    return 1.0, float(max(models, 1))


def _rivals(models: int) -> tuple[float, float]:
    return 0.0, float(max(models - 1, 0))


def _shares(models: int) -> tuple[float, float]:
    return 0.0, 1.0


METHODS: dict[str, Method] = {
    "mean": Method("average score", np.asarray, linear="difference"),
    "geometric": Method(
        "geometric mean of the scores", np.log, np.exp, linear="log ratio", range="positive"
    ),
    "average_rank": Method(
        "average rank", lambda values: -midranks(values), np.negative, unit="rank", reach=_ranks
    ),
    "average_rank_noise": Method(
        "average rank after adding noise of one percent to the scores",
        lambda values: -noise_ranks(values),
        np.negative,
        noisy=lambda values, rng: -noisy_ranks(values, rng),
        unit="rank",
        range="share",
        reach=_ranks,
    ),
    "average_rank_bins": Method(
        "average rank by whole percent",
        lambda values: -binned_ranks(values),
        np.negative,
        unit="rank",
        range="share",
        reach=_ranks,
    ),
    "borda": Method("average number of models beaten (Borda)", borda_points, reach=_rivals),
    "win_rate": Method("share of the other models beaten", win_shares, reach=_shares),
    "win_rate_field": Method(
        "share of tasks won against the mean of the other models", field_wins, reach=_shares
    ),
    "win_rate_top1": Method("share of tasks won, ties shared", first_places, reach=_shares),
}
"""What is averaged, by name."""


def take_method(name: str) -> Method:
    """The method called `name`; raises `UnknownOptionError`."""
    if name not in METHODS:
        raise UnknownOptionError.among("method of the average", name, tuple(METHODS))
    return METHODS[name]


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
    prior : str, Prior, callable, or mapping from str to one of them
        What hierarchical models assume beforehand; for every model, or by its name.
    insisted : bool
        Whether the test within tasks was asked for by name.
    shows_nothing : bool
        Whether there are too few tasks to show anything.
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
    prior: PriorChoice | Mapping[str, PriorChoice] = "auto"
    correction: str = "holm"
    insisted: bool = False
    shows_nothing: bool = False
    scope: Scope = "each"
    alpha: float = 0.05
    seed: int = 0
    resamples: int = 1000

    @property
    def rule(self) -> Method:
        """What is averaged: what models earn on a task, and what that says."""
        return take_method(self.method)

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
    def category_shares(self) -> dict[str, float]:
        """Share of each category in the average, in the order of its first task."""
        shares: dict[str, float] = {}
        for task, name in self.categories.items():
            shares[name] = shares.get(name, 0.0) + self.weights[task]
        return shares

    def drawn_categories(self, models: int) -> dict[str, float]:
        """The same, where draws of so many models by category are few enough to be kept."""
        shares = self.category_shares
        cells = len(shares) * self.resamples * models
        return shares if cells <= _MOST_CATEGORY_CELLS else {}

    def streams(self, *key: str) -> Streams:
        """Random generator of each chunk of draws, for one purpose."""
        return lambda chunk: stream(self.seed, "average", *key, chunk)


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
    """

    task: str
    weight: float
    comparisons: Comparisons
    evidence: Evidence
    limits: Limits | None = None

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
    samples : tuple of Sample, optional
        Rows of all tasks, of the models that have an average, where they can be resampled.
    unread : tuple of TaskRows, optional
        The same, where it takes another look at the tasks.
    clustered : bool
        Whether rows of some task come in clusters, whose number bounds the rank of a covariance.
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
    samples: tuple[Sample, ...] | None = None
    unread: tuple[TaskRows, ...] | None = None
    clustered: bool = False
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
            return place(values, positions, size)

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

    def add(self, part: TaskPart) -> None:
        """Take one task."""

    def finish(self) -> Estimate:
        """What all tasks together say."""


StartAverage: TypeAlias = Callable[[AveragePlan], Accumulator]
"""Starts the average that was planned."""


def check_range(name: str, values: NDArray[np.float64], models: tuple[str, ...], task: str) -> None:
    """Refuse scores that a method cannot use.

    Parameters
    ----------
    name : str
        The method.
    values : array of float, shape (M,)
        Scores of `models` on `task`.

    Raises
    ------
    DataError
        If a score is not positive where a geometric mean is asked for.
    OptionError
        If a score is no share where percents are needed.
    """
    wanted = METHODS[name].range
    if wanted == "positive" and (values <= 0).any():
        model = models[int(np.argmin(values))]
        raise DataError(
            f"A geometric mean needs scores above 0; {model!r} has {values.min():g} on task "
            f"{task!r}. Use another method, such as mean or average_rank."
        )
    if wanted == "share" and ((values < 0) | (values > 1)).any():
        outside = int(np.argmax(np.maximum(-values, values - 1)))
        raise OptionError(
            f"Method {name!r} counts in percent and needs scores between 0 and 1; "
            f"{models[outside]!r} has {values[outside]:g} on task {task!r}. Give the limits of "
            "the scale (--normalise bounds), or use average_rank."
        )


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


def place(
    values: NDArray[np.float64], positions: NDArray[np.intp], size: int
) -> NDArray[np.float64]:
    """Values of some models, along the last axis, among those of the full field; NaN elsewhere."""
    if positions.size == size:
        return values
    placed = np.full((*values.shape[:-1], size), np.nan)
    placed[..., positions] = values
    return placed

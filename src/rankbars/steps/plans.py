"""What an average is made of: the plan, what each task contributes, what an estimator finds."""

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
from rankbars.data.notes import Note
from rankbars.data.priors import PriorChoice
from rankbars.data.scores import Direction
from rankbars.stats.averaging.limits import Limits
from rankbars.stats.pairwise.pairs import PairStatistics
from rankbars.stats.pairwise.summaries import ModelSummary
from rankbars.stats.resampling.components import Components
from rankbars.stats.resampling.counts import Streams
from rankbars.stats.streams import stream
from rankbars.steps.taskpoints import take_method

__all__ = [
    "EQUAL_WEIGHTS",
    "MOST_CATEGORY_CELLS",
    "Accumulator",
    "AveragePlan",
    "Estimate",
    "Sampling",
    "StartAverage",
    "TaskPart",
    "category_shares",
    "place",
    "weight_words",
]


class AveragePlan(NamedTuple):
    """What is averaged, over what, and how.

    Attributes
    ----------
    over : {"items", "tasks", "families"}
        Which average.
    estimator, method : str
        How it is estimated; what is averaged.
    direction : {"higher", "lower"}
        Which side of the average is better, as it is shown.
    weights : mapping from str to float
        Share of each task that has one, adding up to 1.
    shared : tuple of str
        Models with scores on all these tasks.
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
    """

    over: Over
    estimator: str
    method: str
    direction: Direction
    weights: Mapping[str, float]
    shared: tuple[str, ...]
    normalise: str | None = None
    limits: Mapping[str, Limits] = MappingProxyType({})
    families: Mapping[str, str] = MappingProxyType({})
    categories: Mapping[str, str] = MappingProxyType({})
    prior: PriorChoice | Mapping[str, PriorChoice] = "auto"

    @property
    def unit(self) -> Literal["score", "rank"]:
        """Whether scores are averaged, or ranks within tasks."""
        return take_method(self.method).unit


class Sampling(NamedTuple):
    """How resampling is done: seed, number of draws, share outside an interval."""

    seed: int = 0
    resamples: int = 1000
    alpha: float = 0.05

    def streams(self, *key: str) -> Streams:
        """Random generator of each chunk of draws, for one purpose."""
        return lambda chunk: stream(self.seed, *key, chunk)


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


class Accumulator(Protocol):
    """Takes the tasks one after the other, so that no two have to be held at once."""

    def add(self, part: TaskPart) -> None:
        """Take one task."""

    def finish(self) -> Estimate:
        """What all tasks together say."""


StartAverage: TypeAlias = Callable[[AveragePlan, tuple[str, ...], Sampling], Accumulator]
"""Starts an average of the given models."""


EQUAL_WEIGHTS = 1e-12  # shares that differ by less are equal but for rounding
MOST_CATEGORY_CELLS = 2**22  # more draws of category means than that are not kept


def category_shares(plan: AveragePlan) -> dict[str, float]:
    """Share of each category in the average."""
    shares: dict[str, float] = {}
    for task, name in plan.categories.items():
        shares[name] = shares.get(name, 0.0) + plan.weights[task]
    return shares


def weight_words(plan: AveragePlan) -> tuple[str, ...]:
    """What weights assume where whole tasks (or families) are the sample; nothing without any.

    Examples
    --------
    >>> plan = AveragePlan("tasks", "t", "mean", "higher", {"x": 0.75, "y": 0.25}, ())
    >>> print(*weight_words(plan))
    Weights are fixed in advance, and the tasks are one sample, whatever their weight.
    """
    if np.ptp(list(plan.weights.values())) <= EQUAL_WEIGHTS:
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

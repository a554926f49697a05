"""Where the error of a score comes from: items, the answers to them, and whole runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Frozen, Level, Numbers, Rate, freeze
from rankbars.data.notes import Note
from rankbars.errors import DataError, OptionError

if TYPE_CHECKING:
    from rankbars.stats.repeatedanswers import Purchase

__all__ = ["CLEAR", "Costs", "Noise", "NoiseParts", "RunEffect", "TaskNoise"]

CLEAR = 0.05  # with a p-value up to this whole runs differ: they are drawn, too, like items

Whole = Annotated[NDArray[np.int64], Numbers("Q", least=0)]
Real = Annotated[NDArray[np.float64], Numbers("Q", null=np.nan)]
Size = Annotated[NDArray[np.float64], Numbers("Q", least=0.0, null=np.nan)]
ModelSize = Annotated[NDArray[np.float64], Numbers("M", least=0.0, null=np.nan)]


@dataclass(frozen=True, slots=True, eq=False)
class NoiseParts(Frozen):
    """Parts of the variance of Q means, or of Q differences of means.

    Parameters
    ----------
    n, known : array of int, shape (Q,)
        Items behind each, and those of them that have two answers or more.
    mean : array of float, shape (Q,)
        The mean, or the difference, higher is better.
    variance : array of float, shape (Q,)
        Its variance over new items and new answers; NaN with fewer than two items.
    answers : array of float, shape (Q,)
        The part of it that answers make; NaN where no item has two answers.
    once : array of float, shape (Q,)
        What that part would be with one answer to each item.
    low, high : array of float, shape (Q,)
        Interval of `share`, cut at 1; NaN where there is none.
    runs, runs_low, runs_high : array of float, shape (Q,)
        What effects of whole runs add to `variance`, with its interval. Below 0 by chance; NaN
        without complete answers by run.
    """

    n: Whole
    known: Whole
    mean: Real
    variance: Size
    answers: Size
    once: Size
    low: Size
    high: Size
    runs: Real
    runs_low: Size
    runs_high: Size

    def __repr__(self) -> str:
        return f"NoiseParts({np.size(self.n)} means)"

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of answers in the variance, shape (Q,); above 1 where it is all theirs."""
        found = np.full(self.variance.shape, np.nan)
        np.divide(self.answers, self.variance, out=found, where=self.variance > 0)
        return found

    @property
    def items(self) -> NDArray[np.float64]:
        """The part of the variance that items make, not below 0, shape (Q,)."""
        return np.maximum(self.variance - self.answers, 0.0)

    @property
    def width_saved(self) -> NDArray[np.float64]:
        """By which share endless answers would narrow the error, shape (Q,)."""
        found: NDArray[np.float64] = 1.0 - np.sqrt(np.maximum(1.0 - self.share, 0.0))
        return found

    def take(self, rows: Sequence[int]) -> NoiseParts:
        """The parts of some of the means."""
        return NoiseParts(*(getattr(self, one.name)[list(rows)] for one in fields(self)))

    def per_item(self) -> PerItem:
        """Variance between items, and of one answer to each: means over all that know both."""
        with np.errstate(invalid="ignore", divide="ignore"):
            whole = self.n * self.variance
            items = whole * np.stack([1 - self.share, 1 - self.high, 1 - self.low])
            once = self.n * self.once * np.stack([self.share, self.low]) / self.share
        middle, least, most = (_means(part) for part in items)
        return PerItem(middle, least, most, _means(once[0]), _means(once[1]))


class PerItem(NamedTuple):
    """Variances of single items; NaN where they are not known.

    Attributes
    ----------
    items, least, most : float
        Between items, and the ends of its interval; not below 0.
    once, fewest : float
        What one answer adds, and what it adds where items differ most.
    """

    items: float
    least: float
    most: float
    once: float
    fewest: float


def _means(values: NDArray[np.float64]) -> float:
    known = values[np.isfinite(values)]
    return max(float(known.mean()), 0.0) if known.size else float("nan")


@dataclass(frozen=True, slots=True)
class RunEffect:
    """Test of an effect that all answers of a run share.

    Parameters
    ----------
    q : float
        Its statistic, that of a chi-square with `df` degrees of freedom.
    df : int
        Degrees of freedom.
    p : float
        Chance of such a spread of runs without an effect.
    tau : float
        Standard deviation of an effect, 3 % of the range of scores.
    power : float, optional
        Chance that the test at 5 % shows an effect of this size.
    """

    q: Annotated[float, Numbers(least=0.0)]
    df: Annotated[int, Numbers(least=1)]
    p: Level
    tau: Annotated[float, Numbers(least=0.0)]
    power: Level | None


@dataclass(frozen=True, slots=True, eq=False)
class TaskNoise:
    """Where the errors of one task come from.

    Parameters
    ----------
    row, answer : str
        What a row is, and what several answers to it differ in: ``"items"`` and ``"answers"``, or
        ``"prompts"`` and the like.
    items : int
        Number of rows.
    fewest, most : int
        Answers to a row, of one model.
    means : NoiseParts
        Of each of the M models.
    pairs : NoiseParts, optional
        Of the differences (0, 1), (0, 2), ..., (1, 2), ...; None where they are too many.
    flips : array of float, shape (M,)
        Chance that two answers to one item differ; NaN unless answers are right or wrong.
    mixed : array of float, shape (M,)
        Share of the items with two answers or more on which not all are the same. It grows with
        the number of answers.
    run_error : array of float, shape (M,)
        Standard deviation of the means of runs over the root of their number, as "mean ± sd over
        trials" suggests for an error; it holds the items fixed. NaN without complete runs.
    run_effect : RunEffect, optional
        Test of an effect of whole runs, over all models; None without labels of runs.
    run_common : RunEffect, optional
        Test of an effect of runs that is the same for all models, and cancels in differences; None
        for one model.
    """

    row: str
    answer: str
    items: Annotated[int, Numbers(least=0)]
    fewest: Annotated[int, Numbers(least=0)]
    most: Annotated[int, Numbers(least=0)]
    means: NoiseParts
    pairs: NoiseParts | None
    flips: ModelSize
    mixed: ModelSize
    run_error: ModelSize
    run_effect: RunEffect | None = None
    run_common: RunEffect | None = None

    def __repr__(self) -> str:
        return f"TaskNoise({np.size(self.flips)} models, {self.items} {self.row})"

    def __post_init__(self) -> None:
        models = int(np.size(self.flips))
        freeze(self, M=models)
        if self.means.n.shape != (models,):
            raise DataError(f"There must be the parts of {models} means.")
        if self.pairs is not None and self.pairs.n.shape != (models * (models - 1) // 2,):
            raise DataError(f"There must be the parts of all pairs of {models} models.")

    def of_two(self, first: int, second: int) -> TaskNoise:
        """What is known of two of the models, in their order; tests of runs stay those of all."""
        if first > second:
            first, second = second, first
        models = int(np.size(self.flips))
        pair = first * models - first * (first + 1) // 2 + second - first - 1
        both = [first, second]
        return replace(
            self,
            means=self.means.take(both),
            pairs=None if self.pairs is None else self.pairs.take([pair]),
            flips=self.flips[both],
            mixed=self.mixed[both],
            run_error=self.run_error[both],
        )


@dataclass(frozen=True, slots=True)
class Costs:
    """What is paid for an item, and for one answer of all compared models to it.

    Parameters
    ----------
    item : float
        Of an item, whatever is asked of it, 0 or more.
    trial : float
        Of one answer of each compared model, above 0.
    budget : float, optional
        What may be spent.

    Raises
    ------
    OptionError
        If a cost is out of range.
    """

    item: float
    trial: float
    budget: float | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.item) and self.item >= 0):
            raise OptionError.out_of_range("the cost of an item", self.item, "0 or more")
        if not (np.isfinite(self.trial) and self.trial > 0):
            raise OptionError.out_of_range("the cost of a trial", self.trial, "above 0")
        if self.budget is not None and not (np.isfinite(self.budget) and self.budget > 0):
            raise OptionError.out_of_range("the budget", self.budget, "above 0")


@dataclass(frozen=True, slots=True, eq=False)
class Noise(Frozen):
    """Where the errors of a set of results come from, task by task.

    Parameters
    ----------
    models : tuple of str
        The M models.
    tasks : mapping from task to TaskNoise
        The tasks on which items have several answers.
    alpha : float
        Error rate of the intervals.
    pair : (str, str), optional
        The two models that were asked about.
    costs : Costs, optional
        What items and answers cost.
    notes : tuple of Note
        What the reader must know.
    shared : bool
        Whether effects of whole runs were declared, and the tests cover them.
    """

    models: tuple[str, ...]
    tasks: Mapping[str, TaskNoise]
    alpha: Rate
    pair: tuple[str, str] | None = None
    costs: Costs | None = None
    notes: tuple[Note, ...] = ()
    shared: bool = False

    def __repr__(self) -> str:
        return f"Noise({len(self.models)} models, {len(self.tasks)} tasks)"

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from rankbars.render.noisetext import noise_html

        return noise_html(self)

    def to_text(self, *, width: int = 80) -> str:
        """What was found, in words and a table per task."""
        from rankbars.render.noisetext import noise_text

        return noise_text(self, width=width)

    def to_json(self) -> str:
        """What was found as JSON text."""
        from rankbars.render.noisetext import noise_json

        return noise_json(self)

    def best_answers(self, task: str) -> float:
        """How many answers to each item make errors smallest for the money.

        Where items are not seen to differ, as many as if they differed by as much as the
        interval of the share allows.

        Raises
        ------
        DataError
            If costs were not given, or no variance is known.
        """
        items, once, costs = self._priced(task)
        return _best_answers(items, once, costs)

    def answers_between(self, task: str) -> tuple[float, float]:
        """The best numbers of answers at the ends of the interval; infinite: as many as can be.

        Raises
        ------
        DataError
            If costs were not given, or no variance is known.
        """
        _, _, costs = self._priced(task)
        found = self._parts(task).per_item()
        ends = ((found.most, found.fewest), (found.least, found.once))
        low, high = (_best_answers(*end, costs) for end in ends)
        return low, high

    def buy(self, task: str) -> Purchase | None:
        """The split of the budget between items and answers with the smallest error.

        Variances are those of `best_answers`. None where the budget buys nothing.

        Raises
        ------
        DataError
            If costs or a budget were not given, or no variance is known.
        """
        from rankbars.stats.repeatedanswers import buy

        items, once, costs = self._priced(task)
        if costs.budget is None:
            raise DataError("Give a budget: rb.noise(..., budget=1000).")
        return buy(items, once, costs.item, costs.trial, costs.budget)

    def _parts(self, task: str) -> NoiseParts:
        one = self.tasks[task]
        return one.means if one.pairs is None or not one.pairs.n.size else one.pairs

    def _priced(self, task: str) -> tuple[float, float, Costs]:
        if self.costs is None:
            raise DataError("Give costs: rb.noise(..., cost_item=1, cost_trial=0.2).")
        found = self._parts(task).per_item()
        if found.items > 0 and np.isfinite(found.once):
            return found.items, found.once, self.costs
        if found.most > 0 and np.isfinite(found.fewest):
            return found.most, found.fewest, self.costs
        raise DataError(
            f"Task {task!r}: these answers do not tell how much items differ and how much answers "
            "to one item, so what to buy cannot be told."
        )


def _best_answers(items: float, once: float, costs: Costs) -> float:
    from rankbars.stats.repeatedanswers import best_answers

    return best_answers(items, once, costs.item, costs.trial)

"""The average over a population of tasks, or of families of tasks: whole tasks are the sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.draws import Source
from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.points import unbeaten
from rankbars.stats.averaging.taskcontrasts import family_means
from rankbars.stats.multiplicity.symmetricbootstrap import Sample
from rankbars.stats.pairwise.modelscores import ModelSummary, item_summary, sampled_rows
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.resampling.distributions import row_draws
from rankbars.stats.resampling.taskmeans import (
    Components,
    Ends,
    percentile_ends,
    resample_tasks,
    split_variance,
    studentised_ends,
    weigh_components,
)
from rankbars.stats.tails import critical_value
from rankbars.steps.average.averagemethods import (
    LARGEST_RATIO,
    check_range,
    few_tasks_notes,
    rank_assumptions,
)
from rankbars.steps.average.plan import (
    AveragePlan,
    Estimate,
    TaskPart,
    weight_words,
)
from rankbars.steps.correctionchoice import row_skewness

__all__ = [
    "TaskAverage",
    "TwoLevelAverage",
]


class _Sample(NamedTuple):
    """Tasks (or families) by models with an average, and what the paired t says about them.

    With weights, `rows` are those whose plain mean has the value and the error of the weighted one.
    `points` are what models earn, times the weights.
    """

    points: NDArray[np.float64]
    rows: NDArray[np.float64]
    summary: ModelSummary
    pairs: PairStatistics


class _Found(NamedTuple):
    ends: Ends
    draws: NDArray[np.float64]
    source: Source


Interval: TypeAlias = Callable[[_Sample, AveragePlan], _Found]

_FEW_TO_RESAMPLE = 30  # below this, percentile intervals over tasks are too short


def _by_t(sample: _Sample, plan: AveragePlan) -> _Found:
    mean, se, df = sample.summary
    half = critical_value(plan.alpha / 2, df) * se
    draws = row_draws(sample.rows, plan.streams("t"), plan.resamples)
    return _Found(Ends(mean - half, mean + half), draws, "t")


def _by_percentiles(sample: _Sample, plan: AveragePlan) -> _Found:
    made = resample_tasks(sample.rows, plan.streams("tasks"), plan.resamples)
    return _Found(percentile_ends(made.values, plan.alpha), made.values, "bootstrap")


def _by_studentised(sample: _Sample, plan: AveragePlan) -> _Found:
    made = resample_tasks(sample.rows, plan.streams("tasks"), plan.resamples)
    ends = studentised_ends(sample.summary.mean, sample.summary.se, made, plan.alpha)
    return _Found(ends, made.values, "bootstrap")


_INTERVALS: dict[str, Interval] = {
    "t": _by_t,
    "bootstrap": _by_percentiles,
    "bootstrap_t": _by_studentised,
    "two_level": _by_t,
}


class TaskAverage:
    """Scores of every task (or family), kept until all are there: one row each.

    By the paired t, with draws from the multivariate t distribution; or whole tasks are resampled,
    with percentile intervals, or with those from studentised draws.
    """

    def __init__(self, plan: AveragePlan) -> None:
        self._plan, self._interval = plan, _INTERVALS[plan.estimator]
        self._means: dict[str, NDArray[np.float64]] = {}
        self._clipped = 0

    def add(self, part: TaskPart) -> TaskPart:
        """Take one task."""
        self._means[part.task] = part.comparisons.mean
        return part

    def finish(self) -> Estimate:
        """The average of what was added."""
        values = np.array(list(self._means.values()))
        shared = np.flatnonzero(~np.isnan(values).any(axis=0))
        sample = self._sampled(self._points(values[:, shared], shared))
        components = self._components(shared, len(sample.rows))
        if components is not None:
            sample = _widened(sample, components, shared)
        ends, draws, source = self._interval(sample, self._plan)
        size = len(self._plan.models)
        found = Estimate(
            sample.summary,
            ends.low,
            ends.high,
            sample.pairs.placed(shared, size)._replace(n=sample.pairs.n),
            draws,
            source,
            (*self._assumptions(len(sample.rows)), *self._field(shared.size)),
            notes=self._notes(sample.rows),
            skewness=row_skewness(sample.rows) if self._plan.rule.linear is not None else None,
            samples=(Sample(sample.rows, 1.0, self._plan.streams("symmetric")),),
            rows=sample.rows,
            rankings=sample.points if self._plan.design == "few ranks" else None,
            components=None if components is None else components.models,
        )
        return found.among(shared, size)

    def _points(self, values: NDArray[np.float64], shared: NDArray[np.intp]) -> NDArray[np.float64]:
        # Ranks among the models that every task has: rank 3 of 5 is not rank 3 of 30.
        names = tuple(self._plan.models[i] for i in shared)
        for task, row in zip(self._means, values, strict=True):
            check_range(self._plan.method, self._plan.rule, row, names, task)
        if not shared.size:
            return values
        points = self._plan.rule.points(values)
        if self._plan.baseline is None:
            return points
        ahead = points - points[:, [names.index(self._plan.baseline)]]
        most = np.log(LARGEST_RATIO)
        self._clipped = int((np.abs(ahead) > most).sum())
        return np.asarray(np.clip(ahead, -most, most))

    def _sampled(self, points: NDArray[np.float64]) -> _Sample:
        weights = np.array([self._plan.weights[name] for name in self._means])
        if self._plan.over == "families":
            names = [self._plan.families[task] for task in self._means]
            points = family_means(points, weights, names)
            weights = np.ones(len(points))
        rows = sampled_rows(points, weights) if np.ptp(weights) > 0 else points
        if self._plan.rule.rows is not None:
            self._refuse_unbeaten(rows.mean(axis=0))
            rows = self._plan.rule.rows(rows)
        points = points * (weights / weights.mean())[:, None]
        return _Sample(points, rows, item_summary(rows), paired_t(rows))

    def _refuse_unbeaten(self, shares: NDArray[np.float64]) -> None:
        apart = unbeaten(shares)
        if apart.any():
            names = [self._plan.models[i] for i in self._plan.positions[apart]]
            raise DataError(
                f"{list_names(names, 3)}: ahead of all other models on every "
                "task, so that no finite Elo rating says how far. Use average_rank or borda, or "
                "leave these models out (--models)."
            )

    def _components(self, shared: NDArray[np.intp], count: int) -> _PairComponents | None:
        return None

    def _field(self, count: int) -> tuple[str, ...]:
        if self._plan.method != "average_rank" or count == len(self._plan.models):
            return ()
        return (
            f"Ranks within tasks are among the {count} models that every task has; how the others "
            "would have changed them is not known.",
        )

    def _notes(self, rows: NDArray[np.float64]) -> tuple[Note, ...]:
        count, units = len(rows), self._plan.units
        if self._plan.rule.linear is None:
            ranks = self._plan.unit == "rank"
            notes = [*few_tasks_notes(count, units, self._plan.alpha, ranks=ranks)]
        else:
            notes = []
        if self._clipped:
            notes.append(
                Note(
                    "clipped-ratios",
                    f"{self._clipped} losses lie more than {LARGEST_RATIO:g} times above or below "
                    f"that of the baseline on their task; they count as {LARGEST_RATIO:g} times, "
                    "as boards of forecasts do it.",
                )
            )
        if self._plan.estimator == "bootstrap" and count < _FEW_TO_RESAMPLE:
            notes.append(
                Note(
                    "few-resampled",
                    f"Percentile intervals over {count} {units} are too short: at 95 % they cover "
                    "about 84 % with 5 and 91 % with 12. The estimators t and bootstrap_t keep "
                    "the level.",
                )
            )
        return tuple(notes)

    def _assumptions(self, count: int) -> tuple[str, ...]:
        if self._plan.design == "few ranks":
            return (
                "The target is the average over the population that these "
                f"{self._plan.units} were drawn from.",
                *rank_assumptions(count, self._plan.units),
                *weight_words(self._plan),
            )
        what = self._plan.rule.words
        what = "scores" if what == "average score" else f"tasks' contributions to the {what}"
        if self._plan.over == "families":
            return (
                "The target is the average over the population that these families of tasks were "
                "drawn from; every family counts the same.",
                f"The {count} families are independent draws, and average differences of {what} "
                "are close to normal.",
                *weight_words(self._plan),
            )
        what = "mean ranks within tasks" if self._plan.method == "average_rank" else what
        return (
            "The target is the average over the population that these tasks were drawn from.",
            f"The {count} tasks are independent draws, and average differences of {what} are "
            "close to normal.",
            *weight_words(self._plan),
        )


class _PairComponents(NamedTuple):
    """Variance components of each model and of each difference, of the full field."""

    models: Components
    pairs: Components


class _Noise(NamedTuple):
    """Variance of an average that comes from the items alone, of each model and difference."""

    models: NDArray[np.float64]
    pairs: NDArray[np.float64]

    def among(self, chosen: NDArray[np.intp]) -> _Noise:
        return _Noise(self.models[chosen], self.pairs[np.ix_(chosen, chosen)])


class TwoLevelAverage(TaskAverage):
    """Tasks whose errors are never taken to be smaller than the items alone make them."""

    def __init__(self, plan: AveragePlan) -> None:
        super().__init__(plan)
        size = len(plan.models)
        self._noise = _Noise(np.zeros(size), np.zeros((size, size)))
        self._even_noise = _Noise(np.zeros(size), np.zeros((size, size)))

    def add(self, part: TaskPart) -> TaskPart:
        """Take one task."""
        super().add(part)
        pairs = part.comparisons.pairs
        if pairs is None or self._plan.rule.linear != "difference":
            raise OptionError(
                "Estimator 'two_level' splits the variance of average scores; use the method mean."
            )
        own, even = part.comparisons.mean_se, 1 / len(self._plan.weights)
        for noise, weight in ((self._noise, part.weight), (self._even_noise, even)):
            noise.models[...] += np.square(weight * own)
            noise.pairs[...] += np.square(weight * pairs.se)
        return part

    def _components(self, shared: NDArray[np.intp], count: int) -> _PairComponents | None:
        own, among = self._noise.among(shared)
        if not (np.isfinite(own).all() and np.isfinite(among).all()):
            raise OptionError(
                "Estimator 'two_level' needs to know how sure the scores of every task are. Use "
                "the estimator 't'."
            )
        weights = np.array([self._plan.weights[name] for name in self._means])
        values = np.array(list(self._means.values()))[:, shared]
        spread = np.square(paired_t(values).se) * count
        even = self._even_noise.among(shared)
        models = split_variance(values.var(axis=0, ddof=1), even.models * count, count)
        pairs = split_variance(spread, even.pairs * count, count)
        if np.ptp(weights) > 0:
            models = weigh_components(models, own, weights)
            pairs = weigh_components(pairs, among, weights)
        return _PairComponents(models, pairs)


def _widened(sample: _Sample, components: _PairComponents, shared: NDArray[np.intp]) -> _Sample:
    se = np.sqrt(components.models.variance)
    among = np.sqrt(components.pairs.variance)
    pairs = sample.pairs
    usable = among > 0
    statistic = np.divide(pairs.diff, among, out=pairs.statistic.copy(), where=usable)
    return sample._replace(
        summary=sample.summary._replace(se=se),
        pairs=pairs._replace(se=among, statistic=statistic),
    )

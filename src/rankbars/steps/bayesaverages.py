"""The average from hierarchical models of each model's tasks, by quadrature and exact draws."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.draws import Source
from rankbars.data.notes import Note
from rankbars.data.priors import Prior, prior_kind, take_prior
from rankbars.data.rightanswers import RightAnswers, count_answers, settle_shift
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.limits import Limits
from rankbars.stats.hierarchical.betabinomial import Counts
from rankbars.stats.hierarchical.normalnormal import Scored
from rankbars.stats.pairwise.summaries import ModelSummary
from rankbars.stats.resampling.taskmeans import percentile_ends
from rankbars.steps.bayesevidence import ScoredTask, take_scores
from rankbars.steps.bayesmodels import FittedModel, ScoreModel, ShareModel
from rankbars.steps.plans import (
    MOST_CATEGORY_CELLS,
    Accumulator,
    AveragePlan,
    Estimate,
    Sampling,
    TaskPart,
    category_shares,
    place,
)
from rankbars.steps.taskpoints import check_range, take_method

__all__ = ["start_posterior", "start_predictive"]


def start_posterior(plan: AveragePlan, models: tuple[str, ...], sampling: Sampling) -> Accumulator:
    """Posterior of the average of the true scores."""
    return _Hierarchical(plan, models, sampling, "posterior")


def start_predictive(plan: AveragePlan, models: tuple[str, ...], sampling: Sampling) -> Accumulator:
    """Posterior prediction: fresh items of these tasks, or the true score on a new task."""
    return _Hierarchical(plan, models, sampling, "predictive")


class _Task(NamedTuple):
    part: TaskPart
    counts: RightAnswers | None


class _Hierarchical:
    """Evidence of all tasks, kept until all are there, and one model of it per model."""

    def __init__(
        self,
        plan: AveragePlan,
        models: tuple[str, ...],
        sampling: Sampling,
        source: Literal["posterior", "predictive"],
    ) -> None:
        self._plan, self._models, self._sampling = plan, models, sampling
        self._source: Source = source
        self._fresh = source == "predictive"
        self._tasks: list[_Task] = []
        if plan.over == "tasks":
            self._check_population()

    def _check_population(self) -> None:
        shares = np.array(list(self._plan.weights.values()))
        if take_method(self._plan.method).linear != "difference" or np.ptp(shares) > 1e-12:
            raise OptionError(
                f"Estimator {self._plan.estimator!r} over tasks is about the mean score, every "
                f"task counting the same; got method={self._plan.method!r}"
                f"{' and weights that differ' if np.ptp(shares) > 1e-12 else ''}. Use "
                "over='items', or the estimator 't'."
            )

    def add(self, part: TaskPart) -> None:
        self._tasks.append(_Task(part, count_answers(part.evidence, self._plan.shared)))

    def finish(self) -> Estimate:
        self._settle()
        fitted = list(self._fit())
        if self._plan.over == "tasks":
            draws, moments = self._population(fitted)
            by_category: dict[str, NDArray[np.float64]] = {}
        else:
            draws, by_category = self._average(fitted)
            moments = self._moments(fitted, draws)
        shared = np.array([self._models.index(name) for name in self._plan.shared], dtype=np.intp)
        alike = self._alike()
        mean, se, low, high = (
            _shared(values, alike)
            for values in (*moments, *percentile_ends(draws, self._sampling.alpha))
        )
        size = len(self._models)
        summary = ModelSummary(
            place(mean, shared, size),
            place(se, shared, size),
            place(np.full(shared.size, np.inf), shared, size),
        )
        return Estimate(
            summary,
            place(low, shared, size),
            place(high, shared, size),
            None,
            place(draws, shared, size),
            self._source,
            self._assumptions(),
            effective=min((one.effective for one in fitted), default=np.nan),
            notes=self._notes(fitted),
            category_draws={
                name: place(values, shared, size) for name, values in by_category.items()
            },
            alike=tuple(tuple(int(shared[i]) for i in members) for members in alike),
        )

    # --- what the evidence is ---------------------------------------------------------------------

    @property
    def _counted(self) -> bool:
        """Whether every task is made of right and wrong answers, on the scale they came in."""
        plain = self._plan.over != "tasks" or all(task.part.limits is None for task in self._tasks)
        forced = prior_kind(self._plan.prior) == "scores"
        return plain and not forced and all(task.counts is not None for task in self._tasks)

    def _settle(self) -> None:
        if self._counted:
            settled = settle_shift([task.counts for task in self._tasks if task.counts is not None])
            self._tasks = [
                task._replace(counts=counts)
                for task, counts in zip(self._tasks, settled, strict=True)
            ]

    def _prior(self, model: str) -> Prior:
        kind: Literal["shares", "scores"] = "shares" if self._counted else "scores"
        return take_prior(self._plan.prior, model, kind)

    def _rng(self, model: str) -> np.random.Generator:
        return self._sampling.streams("average", "bayes", model)(0)

    def _fit(self) -> Iterator[FittedModel]:
        draws, names = self._sampling.resamples, self._plan.shared
        if self._counted:
            counts = [task.counts for task in self._tasks if task.counts is not None]
            for i, name in enumerate(names):
                total = np.array([one.total[i] for one in counts])
                right = np.array([one.right[i] for one in counts])
                pair = Counts(right, total - right)
                yield ShareModel(pair, self._prior(name), draws, self._rng(name))
            return
        scored: list[ScoredTask] = [take_scores(task.part, names) for task in self._tasks]
        for i, name in enumerate(names):
            one = Scored(
                np.array([task.score[i] for task in scored]),
                np.array([task.se[i] for task in scored]),
            )
            yield ScoreModel(one, self._prior(name), draws, self._rng(name))

    # --- what the models say ----------------------------------------------------------------------

    def _scale(self, task: _Task) -> Limits:
        """How drawn scores get to the scale that is averaged: shares come as they were read."""
        if not self._counted or task.counts is None:
            return Limits(0.0, 1.0)
        limits = task.part.limits or Limits(0.0, 1.0)
        shift = task.counts.shift
        return Limits(limits.low - shift, limits.high - shift)

    def _average(
        self, fitted: list[FittedModel]
    ) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
        method, shape = take_method(self._plan.method), (self._sampling.resamples, len(fitted))
        draws = np.zeros(shape)
        share = category_shares(self._plan)
        if len(share) * draws.size > MOST_CATEGORY_CELLS:
            share = {}
        by_category = {name: np.zeros(shape) for name in share}
        for position, task in enumerate(self._tasks):
            name = task.part.task
            values = np.empty(shape)
            for i, (model, one) in enumerate(zip(self._plan.shared, fitted, strict=True)):
                make = partial(self._task_rng, name, model)
                values[:, i] = one.draw_task(position, make, fresh=self._fresh)
            values = self._scale(task).apply(values)
            self._check(values, name)
            rng = self._sampling.streams("average", "noise", name)(0)
            drawn = task.part.weight * method.draw(values, rng)
            draws += drawn
            if share:
                category = self._plan.categories[name]
                by_category[category] += drawn / share[category]
        return draws, by_category

    def _task_rng(self, task: str, model: str, what: str) -> np.random.Generator:
        return self._sampling.streams("average", "bayes", task, model, what)(0)

    def _check(self, values: NDArray[np.float64], task: str) -> None:
        if not values.size:
            return
        if take_method(self._plan.method).range == "positive" and (values <= 0).any():
            raise DataError(
                f"Task {task!r}: some draws have scores of 0 or below, which have no geometric "
                "mean. Use another method, such as mean or average_rank."
            )
        worst = np.where(np.abs(values.min(axis=0) - 0.5) > np.abs(values.max(axis=0) - 0.5),
                         values.min(axis=0), values.max(axis=0))  # fmt: skip
        check_range(self._plan.method, worst, self._plan.shared, task)

    def _moments(
        self, fitted: list[FittedModel], draws: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if take_method(self._plan.method).linear != "difference":
            return draws.mean(axis=0), draws.std(axis=0)
        scales = [self._scale(task) for task in self._tasks]
        shares = np.array([task.part.weight for task in self._tasks])
        weights = shares / np.array([scale.width for scale in scales])
        constant = float(sum(w * scale.low for w, scale in zip(weights, scales, strict=True)))
        found = [one.moments(weights, fresh=self._fresh) for one in fitted]
        mean = np.array([one.mean - constant for one in found])
        return mean, np.sqrt(np.array([one.variance for one in found]))

    def _population(
        self, fitted: list[FittedModel]
    ) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]]]:
        shift = -self._scale(self._tasks[0]).low
        draws = np.empty((self._sampling.resamples, len(fitted)))
        mean, variance = np.empty(len(fitted)), np.empty(len(fitted))
        for i, (model, one) in enumerate(zip(self._plan.shared, fitted, strict=True)):
            make = partial(self._task_rng, "", model)
            draws[:, i] = one.draw_population(make, fresh=self._fresh) + shift
            mean[i], variance[i] = one.population_moments(fresh=self._fresh)
        return draws, (mean + shift, np.sqrt(variance))

    def _alike(self) -> list[list[int]]:
        """Groups of models with the very same evidence."""
        groups: dict[tuple[object, ...], list[int]] = {}
        for i, model in enumerate(self._plan.shared):
            groups.setdefault(self._evidence(i, model), []).append(i)
        return [members for members in groups.values() if len(members) > 1]

    def _evidence(self, i: int, model: str) -> tuple[object, ...]:
        if self._counted:
            found: list[object] = [
                (float(task.counts.right[i]), float(task.counts.total[i]))
                for task in self._tasks
                if task.counts is not None
            ]
        else:
            scored = [take_scores(task.part, (model,)) for task in self._tasks]
            found = [(float(one.score[0]), float(one.se[0])) for one in scored]
        return (self._prior(model).words, *found)

    # --- in words ---------------------------------------------------------------------------------

    def _assumptions(self) -> tuple[str, ...]:
        words = sorted({self._prior(name).words for name in self._plan.shared})
        given = f"Prior: {'; or '.join(words)}." if words else ""
        if self._counted:
            model = (
                "Answers on a task are independent of each other; the true shares of right answers "
                "of one model on different tasks come from one Beta distribution."
            )
        else:
            model = (
                "Errors of scores are normal with the standard errors given; the true scores of "
                "one model on different tasks come from one normal distribution."
            )
        return (_TARGETS[self._plan.over, self._source], model, given, _INDEPENDENT)

    def _notes(self, fitted: list[FittedModel]) -> tuple[Note, ...]:
        if not fitted:
            return ()
        effective = min(one.effective for one in fitted)
        error = max(one.error for one in fitted)
        return (
            Note(
                "quadrature",
                f"Draws come from quadrature, not from a Markov chain: {self._sampling.resamples} "
                f"draws are worth {effective:.0f} independent ones at least, and the error of the "
                f"quadrature is {_at_most(error)} posterior standard deviations at most.",
            ),
        )


def _shared(values: NDArray[np.float64], alike: list[list[int]]) -> NDArray[np.float64]:
    """Values of models that are alike are the same: their mean."""
    values = values.copy()
    for members in alike:
        values[members] = values[members].mean()
    return values


def _at_most(error: float) -> str:
    """An error bound that is easy to read."""
    return next(text for bound, text in _BOUNDS if error <= bound)


_BOUNDS = ((1e-6, "0.000001"), (1e-5, "0.00001"), (1e-4, "0.0001"), (1e-3, "0.001"),
           (np.inf, "0.01"))  # fmt: skip
_INDEPENDENT = (
    "Models are independent of each other beforehand: that they answered the same items is not "
    "used, so differences between models are less sure than paired answers could make them."
)
_TARGETS = {
    ("items", "posterior"): "The target is the average over exactly these tasks.",
    ("items", "predictive"): "The target is the average that fresh items of exactly these tasks, "
    "as many as were answered, would give: it varies more than the average of the true scores.",
    ("tasks", "posterior"): "The target is the average over the population that these tasks were "
    "drawn from.",
    ("tasks", "predictive"): "The target is the true score on one new task from the population "
    "that these tasks were drawn from.",
}

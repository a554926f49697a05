"""The average from hierarchical models of each model's tasks, by quadrature and exact draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.draws import Source
from rankbars.data.notes import Note
from rankbars.data.priors import Prior, prior_kind, take_prior
from rankbars.data.rightanswers import RightAnswers, count_answers, settle_shift
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.points import Limits
from rankbars.stats.hierarchical.betabinomial import (
    Counts,
    Moments,
    draw_fresh,
    draw_hyper,
    draw_new_task,
    draw_shares,
    population_moments,
    share_grid,
    share_moments,
)
from rankbars.stats.hierarchical.normalnormal import (
    Scored,
    draw_new_score,
    draw_scores,
    draw_spread,
    score_moments,
    spread_grid,
    spread_moments,
)
from rankbars.stats.pairwise.modelscores import ModelSummary
from rankbars.stats.resampling.taskmeans import percentile_ends
from rankbars.steps.average.averagemethods import check_range
from rankbars.steps.average.plan import (
    AveragePlan,
    Estimate,
    TaskPart,
)

__all__ = ["HierarchicalAverage"]


class _Task(NamedTuple):
    part: TaskPart
    counts: RightAnswers | None


class HierarchicalAverage:
    """Evidence of all tasks, kept until all are there, and one model of it per model."""

    def __init__(self, plan: AveragePlan) -> None:
        self._plan = plan
        self._fresh = plan.estimator == "bayes_predictive"
        self._source: Source = "predictive" if self._fresh else "posterior"
        self._tasks: list[_Task] = []
        if plan.over == "tasks":
            self._check_population()

    def _check_population(self) -> None:
        plan = self._plan
        if plan.rule.linear != "difference" or not plan.even:
            raise OptionError(
                f"Estimator {plan.estimator!r} over tasks is about the mean score, every "
                f"task counting the same; got method={plan.method!r}"
                f"{'' if plan.even else ' and weights that differ'}. Use "
                "over='items', or the estimator 't'."
            )

    def add(self, part: TaskPart) -> TaskPart:
        """Take one task."""
        self._tasks.append(_Task(part, count_answers(part.evidence, self._plan.shared)))
        return part

    def finish(self) -> Estimate:
        """The average of what was added."""
        self._settle()
        fitted = list(self._fit())
        if self._plan.over == "tasks":
            draws, moments = self._population(fitted)
            by_category: dict[str, NDArray[np.float64]] = {}
        else:
            draws, by_category = self._average(fitted)
            moments = self._moments(fitted, draws)
        alike = self._alike()
        mean, se, low, high = (
            _shared(values, alike)
            for values in (*moments, *percentile_ends(draws, self._plan.alpha))
        )
        found = Estimate(
            ModelSummary(mean, se, np.full(mean.size, np.inf)),
            low,
            high,
            None,
            draws,
            self._source,
            self._assumptions(),
            effective=min((one.effective for one in fitted), default=np.nan),
            notes=self._notes(fitted),
            category_draws=by_category,
            alike=alike,
        )
        return found.among(self._plan.positions, len(self._plan.models))

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

    def _fit(self) -> Iterator[_FittedModel]:
        for model, (one, two) in zip(self._plan.shared, self._evidence(), strict=True):
            prior, rng = self._prior(model), self._plan.streams("bayes", model)(0)
            if self._counted:
                yield _ShareModel(Counts(one, two), prior, self._plan.resamples, rng)
            else:
                yield _ScoreModel(Scored(one, two), prior, self._plan.resamples, rng)

    def _evidence(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Right and wrong answers of each model by task, or its scores and their errors."""
        if self._counted:
            counts = [task.counts for task in self._tasks if task.counts is not None]
            tables = [(one.right, one.total - one.right) for one in counts]
        else:
            tables = [_task_scores(task.part, self._plan.shared) for task in self._tasks]
        return [
            (np.array([one[i] for one, _ in tables]), np.array([two[i] for _, two in tables]))
            for i in range(len(self._plan.shared))
        ]

    # --- what the models say ----------------------------------------------------------------------

    def _scale(self, task: _Task) -> Limits:
        """How drawn scores get to the scale that is averaged: shares come as they were read."""
        if not self._counted or task.counts is None:
            return Limits(0.0, 1.0)
        limits = task.part.limits or Limits(0.0, 1.0)
        shift = task.counts.shift
        return Limits(limits.low - shift, limits.high - shift)

    def _average(
        self, fitted: list[_FittedModel]
    ) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
        method, shape = self._plan.rule, (self._plan.resamples, len(fitted))
        draws = np.zeros((self._plan.resamples, method.width(len(fitted))))
        share = self._plan.drawn_categories(len(fitted))
        by_category = {name: np.zeros(shape) for name in share}
        for position, task in enumerate(self._tasks):
            name = task.part.task
            values = np.empty(shape)
            for i, (model, one) in enumerate(zip(self._plan.shared, fitted, strict=True)):
                make = partial(self._task_rng, name, model)
                values[:, i] = one.draw_task(position, make, fresh=self._fresh)
            values = self._scale(task).apply(values)
            self._check(values, name)
            rng = self._plan.streams("noise", name)(0)
            drawn = task.part.weight * method.draw(values, rng)
            draws += drawn
            if share:
                category = self._plan.categories[name]
                by_category[category] += drawn / share[category]
        return draws if method.settle is None else method.settle(draws), by_category

    def _task_rng(self, task: str, model: str, what: str) -> np.random.Generator:
        return self._plan.streams("bayes", task, model, what)(0)

    def _check(self, values: NDArray[np.float64], task: str) -> None:
        if not values.size:
            return
        rule = self._plan.rule
        if rule.lacks(values).any():
            raise DataError(
                f"Task {task!r}: some draws have scores of 0 or below, which have no geometric "
                "mean. Use another method, such as mean or average_rank."
            )
        worst = np.where(np.abs(values.min(axis=0) - 0.5) > np.abs(values.max(axis=0) - 0.5),
                         values.min(axis=0), values.max(axis=0))  # fmt: skip
        check_range(self._plan.method, rule, worst, self._plan.shared, task)

    def _moments(
        self, fitted: list[_FittedModel], draws: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self._plan.rule.linear != "difference":
            return draws.mean(axis=0), draws.std(axis=0)
        scales = [self._scale(task) for task in self._tasks]
        shares = np.array([task.part.weight for task in self._tasks])
        weights = shares / np.array([scale.width for scale in scales])
        constant = float(sum(w * scale.low for w, scale in zip(weights, scales, strict=True)))
        found = [one.moments(weights, fresh=self._fresh) for one in fitted]
        mean = np.array([one.mean - constant for one in found])
        return mean, np.sqrt(np.array([one.variance for one in found]))

    def _population(
        self, fitted: list[_FittedModel]
    ) -> tuple[NDArray[np.float64], tuple[NDArray[np.float64], NDArray[np.float64]]]:
        shift = -self._scale(self._tasks[0]).low
        draws = np.empty((self._plan.resamples, len(fitted)))
        mean, variance = np.empty(len(fitted)), np.empty(len(fitted))
        for i, (model, one) in enumerate(zip(self._plan.shared, fitted, strict=True)):
            make = partial(self._task_rng, "", model)
            draws[:, i] = one.draw_population(make, fresh=self._fresh) + shift
            mean[i], variance[i] = one.population_moments(fresh=self._fresh)
        return draws, (mean + shift, np.sqrt(variance))

    def _alike(self) -> tuple[tuple[int, ...], ...]:
        """Groups of models with the very same evidence and prior."""
        groups: dict[tuple[object, ...], list[int]] = {}
        for i, (one, two) in enumerate(self._evidence()):
            words = self._prior(self._plan.shared[i]).words
            groups.setdefault((words, *one.tolist(), *two.tolist()), []).append(i)
        return tuple(tuple(members) for members in groups.values() if len(members) > 1)

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

    def _notes(self, fitted: list[_FittedModel]) -> tuple[Note, ...]:
        if not fitted:
            return ()
        effective = min(one.effective for one in fitted)
        error = max(one.error for one in fitted)
        return (
            Note(
                "quadrature",
                f"Draws come from quadrature, not from a Markov chain: {self._plan.resamples} "
                f"draws are worth {effective:.0f} independent ones at least, and the error of the "
                f"quadrature is {_at_most(error)} posterior standard deviations at most.",
            ),
        )


def _shared(values: NDArray[np.float64], alike: tuple[tuple[int, ...], ...]) -> NDArray[np.float64]:
    """Values of models that are alike are the same: their mean."""
    values = values.copy()
    for members in alike:
        at = list(members)
        values[at] = values[at].mean()
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


def _task_scores(
    part: TaskPart, models: tuple[str, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores of `models` on one task, shape (M,), with their errors, on the scale that is averaged.

    Raises
    ------
    DataError
        If an error is not known, or 0.
    """
    compared = part.comparisons
    chosen = [compared.models.index(name) for name in models]
    score, se = compared.mean[chosen], compared.mean_se[chosen]
    if np.isnan(se).any():
        name = models[int(np.flatnonzero(np.isnan(se))[0])]
        raise DataError(
            f"Task {part.task!r} does not say how sure the score of {name!r} is. The estimator "
            "'bayes' needs answers per item, or shares of right answers with their number of "
            "items (n), or scores with standard errors (se)."
        )
    if (se == 0).any():
        name = models[int(np.flatnonzero(se == 0)[0])]
        raise DataError(
            f"Task {part.task!r}: the score of {name!r} has a standard error of 0, which no "
            "hierarchical model of scores can use. Give it an error above 0, or counts of right "
            "answers."
        )
    return score, se


_Make: TypeAlias = Callable[..., np.random.Generator]  # for one purpose, by its name


class _ShareModel:
    """Beta-binomial: counts of right answers of one model, and draws of (a, b)."""

    def __init__(self, counts: Counts, prior: Prior, draws: int, rng: np.random.Generator) -> None:
        self._counts = counts
        self._grid = share_grid(counts, prior.log_density, prior.limits)
        self._hyper = draw_hyper(self._grid, draws, rng)
        self.effective, self.error = self._hyper.effective, self._grid.error

    def draw_task(self, position: int, make: _Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the score on one of the tasks, shape (S,)."""
        right, wrong = self._counts.right[position], self._counts.wrong[position]
        rng = make("share")
        shares = draw_shares(self._hyper, right, wrong, rng)
        return draw_fresh(shares, right + wrong, rng) if fresh else shares

    def draw_population(self, make: _Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the mean over all tasks like these, or of the score on a new one."""
        if fresh:
            return draw_new_task(self._hyper, make("new task"))
        return np.asarray(self._hyper.a / (self._hyper.a + self._hyper.b))

    def moments(self, weights: NDArray[np.float64], *, fresh: bool) -> Moments:
        """Mean and variance of a weighted sum of the scores."""
        return share_moments(self._grid, self._counts, weights, fresh=fresh)

    def population_moments(self, *, fresh: bool) -> Moments:
        """Mean and variance of the mean over all tasks like these, or of a new one."""
        return population_moments(self._grid, new_task=fresh)


class _ScoreModel:
    """Normal-normal: scores of one model with standard errors, and draws of (mu, tau)."""

    def __init__(self, scored: Scored, prior: Prior, draws: int, rng: np.random.Generator) -> None:
        self._scored = scored
        self._grid = spread_grid(scored, prior.log_density, prior.limits)
        self._hyper = draw_spread(self._grid, scored, draws, rng)
        self.effective, self.error = self._hyper.effective, self._grid.error

    def draw_task(self, position: int, make: _Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the score on one of the tasks, shape (S,)."""
        score, se = self._scored.score[position], self._scored.se[position]
        rng = make("score")
        drawn = draw_scores(self._hyper, score, se, rng)
        return drawn + se * rng.standard_normal(drawn.size) if fresh else drawn

    def draw_population(self, make: _Make, *, fresh: bool) -> NDArray[np.float64]:
        """Draws of the mean over all tasks like these, or of the score on a new one."""
        return draw_new_score(self._hyper, make("new task")) if fresh else self._hyper.mu

    def moments(self, weights: NDArray[np.float64], *, fresh: bool) -> Moments:
        """Mean and variance of a weighted sum of the scores."""
        return score_moments(self._grid, self._scored, weights, fresh=fresh)

    def population_moments(self, *, fresh: bool) -> Moments:
        """Mean and variance of the mean over all tasks like these, or of a new one."""
        return spread_moments(self._grid, self._scored, new_task=fresh)


_FittedModel: TypeAlias = _ShareModel | _ScoreModel
"""The posterior of one model, with draws of what its tasks have in common."""

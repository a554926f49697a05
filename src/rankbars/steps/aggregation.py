"""The verb `aggregate`: how models stand on an average of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.comparisons import Comparisons
from rankbars.data.draws import Draws
from rankbars.data.evidence import Estimates
from rankbars.data.intervals import Scope
from rankbars.data.notes import Note
from rankbars.data.priors import PriorChoice
from rankbars.data.scores import Scores
from rankbars.data.spec import SCOPES, Spec, check_rate
from rankbars.data.tabular.summaries import binomial_se
from rankbars.errors import UnknownOptionError
from rankbars.stats.averaging.limits import Limits
from rankbars.steps.averageranks import average_contrasts, average_ranks
from rankbars.steps.averages import ESTIMATORS, METHODS, AveragePlan, plan_average
from rankbars.steps.categorymeans import collect_categories
from rankbars.steps.corrections import side_level, take_correction
from rankbars.steps.estimators import BAYESIAN, take_estimator
from rankbars.steps.pairtests import compare_evidence
from rankbars.steps.plans import Accumulator, Estimate, Sampling, TaskPart
from rankbars.steps.scales import (
    refuse_beyond,
    scale_comparisons,
    shown_limits,
    zscore_limits,
)
from rankbars.steps.taskdraws import is_share
from rankbars.steps.taskpoints import Method, take_method

__all__ = [
    "ESTIMATORS",
    "METHODS",
    "AverageCollector",
    "AveragePlan",
    "aggregate",
    "plan_average",
]


def aggregate(
    scores: Scores,
    *,
    over: str = "auto",
    estimator: str = "auto",
    method: str = "auto",
    normalise: str | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    weights: Mapping[str, float] | None = None,
    test: str = "auto",
    correction: str = "holm",
    scope: str = "each",
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 1000,
    prior: PriorChoice | Mapping[str, PriorChoice] = "auto",
) -> Aggregate:
    """Average score of each model over the tasks, and where its rank by that average may lie.

    Parameters
    ----------
    scores : Scores
        Results on two tasks or more.
    over : {"auto", "items", "tasks", "families"}
        ``"items"``: the average over exactly these tasks; the items of each task are the sample.
        ``"tasks"``: the average over a population of tasks, of which these are a sample.
        ``"families"``: the same for families of tasks; every family counts the same.
        ``"auto"``: these tasks where every task says how sure its scores are, else the population.
    estimator : str
        ``"analytic"`` (items): paired contrasts summed over tasks, normal draws. ``"t"`` (tasks,
        families): the paired t over tasks. ``"bootstrap"``: resampled items, tasks or families,
        percentile intervals. ``"bootstrap_t"`` (tasks, families): studentised intervals.
        ``"two_level"`` (tasks): variance between and within tasks, each counted once. ``"bayes"``
        (items, tasks): the posterior under a hierarchical model of each model's tasks, by
        quadrature; ``"bayes_predictive"``: what fresh items of these tasks would give, or the
        true score on one new task. ``"auto"``: the first that fits.
    method : str
        What is averaged. ``"mean"``, ``"geometric"``; ``"average_rank"`` (ties share the mean of
        their ranks), ``"average_rank_noise"``, ``"average_rank_bins"``; ``"borda"``;
        ``"win_rate"`` (share of the other models beaten), ``"win_rate_field"`` (tasks won
        against the mean of the others), ``"win_rate_top1"``; ties split. ``"auto"``: the mean
        where tasks share a scale, else the average rank.
    normalise : {"bounds", "chance", "zscore", "rank", "minmax_draws"}, optional
        Scale of the scores: declared limits to 0 and 1; guessing to 0 and the best score to 1;
        mean and standard deviation of the models; ranks within tasks; smallest and largest draw,
        which only reproduces published numbers, for what it estimates depends on the number of
        draws.
    limits : mapping from task to (float, float), optional
        Scores that count as 0 and as 1, for ``"bounds"`` and ``"chance"``, in the units of the
        input; those declared with the scores where not given.
    weights : mapping from task to float, optional
        Weights of the tasks, 0 or more; scaled to sum 1. Those of the scores where not given.
    test : str
        Paired test within a task; see `rankbars.compare`.
    correction, scope, alpha, seed, resamples
        As in `rankbars.rank`; `resamples` is the number of draws too.
    prior : str, Prior, callable, or mapping from str to one of these
        For the estimators ``bayes``: a name, such as ``"exponential"``, ``"uniform_log"`` or, with
        its numbers, ``"exponential:1000"``; a `rankbars.Prior`; a function of (a, b) that gives a
        log density; or one of these for every model. ``"auto"``: ``"uniform_log"`` for counts of
        right answers, ``"uniform_spread"`` for scores with standard errors.

    Returns
    -------
    Aggregate
        Ranks come from paired contrasts of the average by the one rule, not from overlap of
        intervals; `shown_better` is from a run for all models at once. Methods that rank or
        count wins within resampled items have no contrasts: their ranks are a band, which
        `guarantee` None says. `draws` give rank probabilities.

    Raises
    ------
    DataError
        If there are fewer than two tasks with weight.
    OptionError
        If a weight is negative or for an unknown task, all are zero, options do not fit each
        other, or scores on different scales would be averaged.

    Notes
    -----
    Over items: the variance of a contrast is the weighted sum over tasks of its squared standard
    errors, with Satterthwaite's degrees of freedom; tasks are taken as independent of each
    other. Over tasks: the differences of task means are the sample, with N - 1 degrees of
    freedom; item noise is contained in them and is not counted twice. Tasks with different
    metrics are averaged as ranks within tasks, never raw.

    References
    ----------
    Longjohn, Gopalan & Casleton 2025, arXiv:2501.04234, for the bootstrap, the weights and the
    five ways to aggregate ranks.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {name: rng.random((40, 3)) + [0.0, 0.5, 0.5] for name in ("math", "law")}
    >>> average = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b", "c"]))
    >>> average.best.tolist(), average.worst.tolist()
    ([3, 1, 1], [3, 2, 2])
    >>> average.target
    'average score over exactly these 2 tasks'
    """
    if scope not in SCOPES:
        raise UnknownOptionError.among("scope", scope, SCOPES)
    check_rate("alpha", alpha)
    Spec(seed=seed, resamples=resamples)  # refuses what a board would refuse
    take_correction(correction)
    plan = plan_average(
        scores, over, estimator, weights, method=method, normalise=normalise, limits=limits,
        prior=prior,
    )  # fmt: skip
    collector = AverageCollector(scores, plan, Sampling(seed, resamples, alpha))
    for name, evidence in scores.tasks.items():
        collector.add(name, compare_evidence(evidence, scores.models, test, name))
    return collector.finish(correction, "each" if scope == "each" else "all")


class AverageCollector:
    """Takes the comparisons of one task after the other, so that no two tasks are held at once.

    Parameters
    ----------
    scores : Scores
        What is averaged.
    plan : AveragePlan
        How.
    sampling : Sampling
        Seed, number of draws and error rate.
    """

    def __init__(self, scores: Scores, plan: AveragePlan, sampling: Sampling) -> None:
        self.models = scores.models
        self.plan = plan
        self._info = scores.info
        self._sampling = sampling
        self._limits: dict[str, Limits] = {}
        start = take_estimator(plan.estimator, plan.over)
        self._average: Accumulator = start(plan, self.models, sampling)
        self._categories = collect_categories(scores.models, plan)

    def add(self, task: str, comparisons: Comparisons) -> None:
        """Add one task; a task without weight is left out."""
        weight = self.plan.weights.get(task, 0.0)
        evidence = comparisons.evidence
        if weight == 0.0 or evidence is None:
            return
        counts = self.plan.estimator == "bootstrap" or self.plan.estimator in BAYESIAN
        if counts and isinstance(evidence, Estimates):
            comparisons = _with_binomial_errors(comparisons, evidence)
        limits = self.plan.limits.get(task)
        if self.plan.normalise == "zscore":
            shared = [self.models.index(name) for name in self.plan.shared]
            limits = zscore_limits(comparisons.mean[shared], task)
        if limits is not None:
            self._limits[task] = limits
            comparisons = scale_comparisons(comparisons, limits)
            if self.plan.normalise == "bounds":
                refuse_beyond(comparisons, shown_limits(limits, self._info[task]))
        part = TaskPart(task, weight, comparisons, evidence, limits)
        self._average.add(part)
        if self._categories is not None:
            self._categories.add(part)

    def finish(self, correction: str, scope: Scope) -> Aggregate:
        """The average of what was added."""
        found = self._average.finish()
        sampling, plan = self._sampling, self.plan
        draws = self._draws(found)
        ranks = average_ranks(found, self.models, correction, scope, sampling, draws)
        method = take_method(plan.method)
        contrasts = average_contrasts(
            found, self.models, correction, sampling, method.linear or "difference"
        )
        promised = found.pairs is not None and side_level(correction, scope, 1.0) is not None
        limits = self._limits | dict(found.limits)
        shown = self._shown(found, method)
        few = len(self.models) <= _MOST_PAIRED
        return Aggregate(
            models=self.models,
            score=shown.score,
            low=shown.low,
            high=shown.high,
            best=ranks.bounds.best,
            worst=ranks.bounds.worst,
            shown_better=ranks.shown_better,
            alpha=sampling.alpha,
            scope=scope,
            over=plan.over,
            estimator=plan.estimator,
            unit=method.unit,
            direction=plan.direction,
            assumptions=found.assumptions,
            notes=found.notes + ranks.notes + self._notes(shown),
            method=plan.method,
            normalise=plan.normalise,
            limits={task: shown_limits(one, self._info[task]) for task, one in limits.items()},
            target=describe_target(plan),
            guarantee=1.0 - sampling.alpha if promised else None,
            se=shown.se,
            df=found.summary.df,
            draws=draws,
            rank_probability=None if draws is None else draws.rank_probability(),
            dominance=draws.dominance() if draws is not None and few else None,
            contrasts=contrasts,
            components=found.components,
            by_category=None
            if self._categories is None
            else self._categories.finish(found.category_draws),
        )

    def _draws(self, found: Estimate) -> Draws | None:
        if found.draws is None:
            return None
        values = found.draws
        method = take_method(self.plan.method)
        if method.unit == "score":  # ranks stay negative: higher is better
            values = method.back(values)
        values.setflags(write=False)  # nobody else holds them, so they need not be copied
        target = describe_target(self.plan)
        return Draws(self.models, values, found.source, target, found.effective, found.alike)

    def _shown(self, found: Estimate, method: Method) -> _Shown:
        """What leaves is in the units of the input; inside, higher is better."""
        sign = -1.0 if self.plan.direction == "lower" and method.unit == "score" else 1.0
        score, one, two = (
            sign * method.back(values) for values in (found.summary.mean, found.low, found.high)
        )
        if method.linear is None:  # ranks and wins are fractions: 0.9999999999999999 is 1
            score, one, two = (np.round(values, 12) for values in (score, one, two))
        se = found.summary.se
        if method.linear == "log ratio":
            se = se * score
        low, high = np.minimum(one, two), np.maximum(one, two)
        # A sample without any spread does not say how large the spread is.
        unsure = high - low <= _NO_SPREAD * np.abs(score)
        if method.linear is not None:
            low, high, se = (np.where(unsure, np.nan, values) for values in (low, high, se))
        elif self.plan.over == "items":
            unsure[:] = False  # the same place in every draw: the draws do say that
        return _Shown(score, low, high, se, unsure)

    def _notes(self, shown: _Shown) -> tuple[Note, ...]:
        notes = []
        outside = (shown.score < shown.low) | (shown.score > shown.high)
        if outside.any():
            notes.append(
                Note(
                    "outside-interval",
                    "The value on the data lies outside of what resampled data give: resampling "
                    "adds noise, which draws ranks and wins towards the middle.",
                    models=tuple(self.models[i] for i in np.flatnonzero(outside)),
                )
            )
        if shown.unsure.any():
            what = {"items": "item", "tasks": "task", "families": "family"}[self.plan.over]
            linear = take_method(self.plan.method).linear is not None
            notes.append(
                Note(
                    "constant-score",
                    f"The same on every {what}, so nothing says how far the average may be off: "
                    + ("it has no interval of its own." if linear else "its interval is a point."),
                    models=tuple(self.models[i] for i in np.flatnonzero(shown.unsure)),
                )
            )
        if np.isinf(shown.low).any() or np.isinf(shown.high).any():
            message = "Too few tasks for studentised resampling at this level: an end is infinite."
            notes.append(Note("unbounded", message))
        if self.plan.normalise == "minmax_draws":
            notes.append(_DRIFTS)
        return tuple(notes)


_MOST_PAIRED = 200  # beyond, the table of pairs is left to `Draws.dominance`


class _Shown(NamedTuple):
    score: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    se: NDArray[np.float64]
    unsure: NDArray[np.bool_]  # models whose sample has no spread


_NO_SPREAD = 1e-12
_DRIFTS = Note(
    "drifting-scale",
    "The scale of each task is the range of its draws, which widens with their number: these "
    "averages reproduce published ones and estimate nothing fixed.",
)


def _with_binomial_errors(comparisons: Comparisons, evidence: Estimates) -> Comparisons:
    """Shares without a standard error get the binomial one, so that they can be compared."""
    if evidence.has_uncertainty or evidence.n is None or not is_share(evidence):
        return comparisons
    known = replace(evidence, se=binomial_se(evidence.mean, evidence.n))
    return compare_evidence(known, comparisons.models, "z", comparisons.task)


def describe_target(plan: AveragePlan) -> str:
    """What an average is an average of, in plain words."""
    tasks = f"{len(plan.weights)} tasks"
    shares = np.array(list(plan.weights.values()))
    weighted = "weighted " if np.ptp(shares) > 1e-12 else ""
    scaled = _SCALES.get(plan.normalise or "", "")
    fresh = "fresh items of " if plan.estimator == "bayes_predictive" else ""
    over = {
        "items": f"over {fresh}exactly these {tasks}",
        "tasks": f"over the population that these {tasks} were drawn from",
        "families": f"over the population that these {len(set(plan.families.values()))} families "
        f"({tasks}) were drawn from",
    }[plan.over]
    if plan.estimator == "bayes_predictive" and plan.over == "tasks":
        return f"score{scaled} on one new task from the population that these {tasks} are from"
    return f"{weighted}{take_method(plan.method).words}{scaled} {over}"


_SCALES = {
    "bounds": " (scaled to the limits of each task)",
    "chance": " (guessing counts as 0, the best score as 1)",
    "zscore": " (in standard deviations of the models on each task)",
    "minmax_draws": " (scaled to the range of the draws of each task)",
}

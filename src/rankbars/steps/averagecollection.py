"""Averages collected task by task, so that no two tasks have to be compared at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankbars.data.aggregate import Aggregate
from rankbars.data.comparisons import Comparisons
from rankbars.data.draws import Draws
from rankbars.data.evidence import Estimates
from rankbars.data.intervals import Scope
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.stats.averaging.limits import Limits
from rankbars.steps.averageranges import RangeCollector
from rankbars.steps.averageranks import average_contrasts, average_ranks
from rankbars.steps.averageresults import average_notes, describe_target, show_average
from rankbars.steps.categorymeans import collect_categories
from rankbars.steps.corrections import side_level
from rankbars.steps.estimators import BAYESIAN, take_estimator
from rankbars.steps.pairtests import compare_evidence
from rankbars.steps.plans import Accumulator, AveragePlan, Estimate, Sampling, TaskPart
from rankbars.steps.scales import (
    refuse_beyond,
    scale_comparisons,
    shown_limits,
    zscore_limits,
)
from rankbars.steps.taskdraws import is_share
from rankbars.steps.taskpoints import take_method
from rankbars.tables.summaries import binomial_se

__all__ = ["AverageCollector"]

_MOST_CELLS = 5  # named in a note
_MOST_PAIRED = 200  # beyond, the table of pairs is left to `Draws.dominance`


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
        self._range = RangeCollector(plan)
        self._zero_errors: list[tuple[str, str]] = []  # model and task

    def add(self, task: str, comparisons: Comparisons) -> None:
        """Add one task; a task without weight is left out.

        Raises
        ------
        DataError
            If a score lies beyond the declared limits of the task.
        """
        weight = self.plan.weights.get(task, 0.0)
        evidence, info = comparisons.evidence, self._info[task]
        if weight == 0.0 or evidence is None:
            return
        counts = self.plan.estimator == "bootstrap" or self.plan.estimator in BAYESIAN
        if counts and isinstance(evidence, Estimates):
            comparisons = _with_binomial_errors(comparisons, evidence)
        if isinstance(evidence, Estimates):
            zero = np.flatnonzero((comparisons.mean_se == 0) & ~np.isnan(comparisons.mean))
            self._zero_errors.extend((self.models[i], task) for i in zero)
        limits = self.plan.limits.get(task)
        if self.plan.normalise == "zscore":
            shared = [self.models.index(name) for name in self.plan.shared]
            limits = zscore_limits(comparisons.mean[shared], task)
        if limits is not None:
            scaled = scale_comparisons(comparisons, limits)
            if self.plan.normalise == "bounds":
                refuse_beyond(scaled, shown_limits(limits, info))
            self._limits[task] = limits
        self._range.add(comparisons, info, limits)
        part = TaskPart(task, weight, comparisons if limits is None else scaled, evidence, limits)
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
        bounds = self._range.finish(len(plan.shared))
        contrasts = average_contrasts(
            found, self.models, correction, sampling, method.linear or "difference", bounds
        )
        promised = found.pairs is not None and side_level(correction, scope, 1.0) is not None
        limits = self._limits | dict(found.limits)
        shown = show_average(found, plan, sampling, bounds)
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
            notes=found.notes
            + ranks.notes
            + self._zero_error_notes()
            + average_notes(shown, plan, sampling, self.models, ranges=ranks.counted),
            method=plan.method,
            normalise=plan.normalise,
            limits={task: shown_limits(one, self._info[task]) for task, one in limits.items()},
            bounds=bounds,
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

    def _zero_error_notes(self) -> tuple[Note, ...]:
        cells = self._zero_errors
        if self.plan.over != "items" or not cells:
            return ()
        shown = ", ".join(f"{model} on {task}" for model, task in cells[:_MOST_CELLS])
        more = len(cells) - _MOST_CELLS
        shown += f" and {more:,} more" if more > 0 else ""
        names = tuple(sorted({model for model, _ in cells}))
        message = (
            f"Scores published with a standard error of 0: {len(cells):,} ({shown}). They add no "
            "error to the average."
        )
        return (Note("zero-se", message, models=names),)

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


def _with_binomial_errors(comparisons: Comparisons, evidence: Estimates) -> Comparisons:
    """Shares without a standard error get the binomial one, so that they can be compared."""
    if evidence.has_uncertainty or evidence.n is None or not is_share(evidence):
        return comparisons
    known = replace(evidence, se=binomial_se(evidence.mean, evidence.n))
    return compare_evidence(known, comparisons.models, "z", comparisons.task)

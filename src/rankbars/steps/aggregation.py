"""The verb `aggregate`: how models stand on an average of tasks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Estimates, Evidence, Items
from rankbars.data.intervals import Scope
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import SCOPES, check_rate
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.stats.pairwise.contrasts import (
    ContrastSums,
    add_task,
    average_contrasts,
    average_summary,
    start_sums,
)
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairs import PairStatistics
from rankbars.stats.pairwise.summaries import ModelSummary, item_summary, weighted_rows
from rankbars.stats.ranks import midranks, rank_bounds
from rankbars.stats.tails import critical_value
from rankbars.steps.averages import ESTIMATORS, AveragePlan, plan_average
from rankbars.steps.corrections import (
    Family,
    simultaneous_order,
    strict_correction,
    take_correction,
)
from rankbars.steps.pairtests import compare_evidence

__all__ = ["ESTIMATORS", "AverageCollector", "AveragePlan", "aggregate", "plan_average"]


def aggregate(
    scores: Scores,
    *,
    over: str = "auto",
    estimator: str = "auto",
    weights: Mapping[str, float] | None = None,
    test: str = "auto",
    correction: str = "holm",
    scope: str = "each",
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 1000,
) -> Aggregate:
    """Average score of each model over the tasks, and where its rank by that average may lie.

    Parameters
    ----------
    scores : Scores
        Results on two tasks or more.
    over : {"auto", "items", "tasks"}
        ``"items"``: the average over exactly these tasks; the items of each task are the sample.
        ``"tasks"``: the average over a population of tasks, of which these are a sample.
        ``"auto"``: these tasks where every task says how sure its scores are, else the population.
    estimator : {"auto", "analytic", "t"}
        ``"analytic"`` sums paired contrasts over tasks (``over="items"``); ``"t"`` is the paired
        t over tasks (``over="tasks"``).
    weights : mapping from task to float, optional
        Weights of the tasks, 0 or more; scaled to sum 1. Those of the scores where not given.
    test : str
        Paired test within a task; see `rankbars.compare`.
    correction, scope, alpha, seed, resamples
        As in `rankbars.rank`.

    Returns
    -------
    Aggregate
        Ranks come from paired contrasts of the average by the one rule, not from overlap of
        intervals. `shown_better` is from a run for all models at once.

    Raises
    ------
    DataError
        If there are fewer than two tasks with weight.
    OptionError
        If a weight is negative or for an unknown task, all are zero, or scores on different
        scales would be averaged.

    Notes
    -----
    Over items: the variance of a contrast is the weighted sum over tasks of its squared standard
    errors, with Satterthwaite's degrees of freedom; tasks are taken as independent of each
    other. Over tasks: the differences of task means are the sample, with N - 1 degrees of
    freedom; item noise is contained in them and is not counted twice. Tasks with different
    metrics are averaged as ranks within tasks, never raw.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {name: rng.random((40, 3)) + [0.0, 0.5, 0.5] for name in ("math", "law")}
    >>> average = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b", "c"]))
    >>> average.best.tolist(), average.worst.tolist()
    ([3, 1, 1], [3, 2, 2])
    """
    if scope not in SCOPES:
        raise UnknownOptionError.among("scope", scope, SCOPES)
    check_rate("alpha", alpha)
    take_correction(correction)
    plan = plan_average(scores, over, estimator, weights)
    collector = AverageCollector(scores.models, plan)
    for name, evidence in scores.tasks.items():
        collector.add(name, compare_evidence(evidence, scores.models, test, name))
    return collector.finish(
        correction, "each" if scope == "each" else "all", alpha, seed=seed, resamples=resamples
    )


class AverageCollector:
    """Takes the comparisons of one task after the other, so that no two tasks are held at once."""

    def __init__(self, models: tuple[str, ...], plan: AveragePlan) -> None:
        self.models = models
        self.plan = plan
        self._sums: ContrastSums | None = None
        self._means: dict[str, NDArray[np.float64]] = {}

    def add(self, task: str, comparisons: Comparisons) -> None:
        """Add one task; a task without weight is left out."""
        weight = self.plan.weights.get(task, 0.0)
        if weight == 0.0:
            return
        if self.plan.over == "tasks" or comparisons.pairs is None:
            self._means[task] = comparisons.mean
            return
        if self._sums is None:
            self._sums = start_sums(len(self.models))
        summary = ModelSummary(comparisons.mean, comparisons.mean_se, comparisons.mean_df)
        add_task(self._sums, comparisons.pairs, summary, weight)

    def finish(
        self, correction: str, scope: Scope, alpha: float, *, seed: int = 0, resamples: int = 1000
    ) -> Aggregate:
        """The average of what was added."""
        if self._sums is not None:
            summary, pairs = average_summary(self._sums), average_contrasts(self._sums)
            assumptions = _item_assumptions()
        else:
            summary, pairs = self._population()
            assumptions = _task_assumptions(self.plan.unit, len(self._means))
        evidence = self._evidence(summary, pairs) if correction.startswith("maxt") else None
        family = Family(
            pairs.statistic, pairs.df, None, pairs.se, evidence, "average", seed, resamples
        )
        best, worst, shown, notes = _ranks(family, summary, self.models, correction, scope, alpha)
        half = critical_value(alpha / 2, np.nan_to_num(summary.df, nan=0.0)) * summary.se
        # Inside, higher is better; what leaves is in the units of the input.
        sign = 1.0 if self.plan.direction == "higher" else -1.0
        return Aggregate(
            models=self.models,
            score=sign * summary.mean,
            low=sign * summary.mean - half,
            high=sign * summary.mean + half,
            best=best,
            worst=worst,
            shown_better=shown,
            alpha=alpha,
            scope=scope,
            over=self.plan.over,
            estimator="analytic" if self.plan.over == "items" else "t",
            unit=self.plan.unit,
            direction=self.plan.direction,
            assumptions=assumptions,
            notes=notes,
        )

    def _evidence(self, summary: ModelSummary, pairs: PairStatistics) -> Evidence:
        """What max-T resamples: tasks, or scores with the covariance of the average."""
        present = ~np.isnan(summary.mean)
        names = tuple(name for name, here in zip(self.models, present, strict=True) if here)
        if self.plan.over == "tasks":
            return Items(names, self._task_rows()[:, present])
        own = summary.se[present] ** 2
        among = pairs.se[np.ix_(present, present)] ** 2
        try:
            return Estimates(
                names, summary.mean[present], cov=(own[:, None] + own[None, :] - among) / 2
            )
        except DataError as error:
            raise OptionError(
                "max-T on the average needs complete scores. Use --missing listwise, fail, "
                "drop_models or bounds, or --correction holm."
            ) from error

    def _task_rows(self) -> NDArray[np.float64]:
        """One row per task, higher is better; NaN for models that some task lacks."""
        values = np.array(list(self._means.values()))
        absent = np.isnan(values).any(axis=0)
        if self.plan.unit == "rank":
            # Ranks among the models that every task has: rank 3 of 5 is not rank 3 of 30.
            values[:, ~absent] = -midranks(values[:, ~absent], axis=1)
        values[:, absent] = np.nan
        weights = np.array([self.plan.weights[name] for name in self._means])
        return weighted_rows(values, weights) if np.ptp(weights) > 0 else values

    def _population(self) -> tuple[ModelSummary, PairStatistics]:
        values = self._task_rows()
        size = len(self.models)
        present = np.flatnonzero(~np.isnan(values).any(axis=0))
        kept = values[:, present]
        summary = ModelSummary(*(np.full(size, np.nan) for _ in range(3)))
        for target, source in zip(summary, item_summary(kept), strict=True):
            target[present] = source
        block = np.ix_(present, present)
        tested = paired_t(kept)
        statistic = np.zeros((size, size))
        statistic[block] = tested.statistic
        flags = [np.zeros((size, size), dtype=np.bool_) for _ in range(2)]
        flags[0][block], flags[1][block] = tested.constant, tested.identical
        diff, se = np.full((size, size), np.nan), np.full((size, size), np.nan)
        diff[block], se[block] = tested.diff, tested.se
        return summary, PairStatistics(diff, se, statistic, tested.df, tested.n, *flags)


def _item_assumptions() -> tuple[str, ...]:
    return (
        "The target is the average over exactly these tasks.",
        "Tasks have items of their own, so their errors are independent of each other.",
        "Average differences are close to normal.",
    )


def _task_assumptions(unit: str, count: int) -> tuple[str, ...]:
    what = "mean ranks within tasks" if unit == "rank" else "scores"
    return (
        "The target is the average over the population that these tasks were drawn from.",
        f"The {count} tasks are independent draws, and average differences of {what} are close "
        "to normal.",
    )


def _ranks(
    family: Family,
    summary: ModelSummary,
    models: tuple[str, ...],
    correction: str,
    scope: Scope,
    alpha: float,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_], tuple[Note, ...]]:
    size = len(models)
    present = np.flatnonzero(~np.isnan(summary.mean))
    block = np.ix_(present, present)
    family = family.among(present)
    # What stands in shown_better is claimed for all pairs at once, whatever was asked for.
    strict = take_correction(strict_correction(correction))(family, "all", alpha)
    relation = strict.decisions.shown_better
    if relation is None:
        raise OptionError(f"Correction {correction!r} does not say which models are better.")
    order, cycles = simultaneous_order(relation)
    shown = np.zeros((size, size), dtype=np.bool_)
    shown[block] = order
    notes = [_cycle_note(models, present, members) for members in cycles]
    absent = tuple(name for i, name in enumerate(models) if np.isnan(summary.mean[i]))
    if absent:
        message = "No score on some task, so no average: may stand anywhere on it."
        notes.append(Note("no-average", message, models=absent))
    if scope == "all" and correction != "none":
        best, worst = rank_bounds(shown)
        return best, worst, shown, tuple(notes)
    corrected = take_correction(correction)(family, scope, alpha)
    notes.extend(
        Note(code, text, models=tuple(models[present[i]] for i in members))
        for code, text, members in corrected.notes
    )
    best = np.ones(size, dtype=np.int64)
    worst = np.full(size, size, dtype=np.int64)
    best[present] = 1 + corrected.decisions.better
    worst[present] = size - corrected.decisions.worse
    return best, worst, shown, tuple(notes)


def _cycle_note(models: tuple[str, ...], present: NDArray[np.intp], members: list[int]) -> Note:
    return Note(
        "cycle",
        "On the average these models were each shown better than another in a circle, so at "
        "least one of the findings is false. Nothing is claimed among them.",
        models=tuple(models[present[i]] for i in members),
    )

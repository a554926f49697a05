"""The verb `aggregate`: how models stand on an average of tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankbars.data.aggregate import Aggregate
from rankbars.data.checks import check_name
from rankbars.data.notes import Note
from rankbars.data.priors import PriorChoice
from rankbars.data.scores import Scores
from rankbars.data.spec import SCOPES, Spec
from rankbars.errors import DataError
from rankbars.steps.averagecollection import AverageCollector
from rankbars.steps.averages import ESTIMATORS, METHODS, AveragePlan, plan_average
from rankbars.steps.corrections import refuse_unfit, take_correction
from rankbars.steps.levelnotes import LEVEL_CODES
from rankbars.steps.pairtests import compare_evidence
from rankbars.steps.plans import Sampling

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
    if not isinstance(scores, Scores):
        raise DataError(
            f"aggregate() averages Scores; got {type(scores).__name__}. Make them with "
            "rb.read(...), rb.Scores.from_frame(frame) or rb.Scores.from_arrays({...}, models)."
        )
    check_name("scope", scope, SCOPES)
    Spec(
        test=test, correction=correction, alpha=alpha, over=over, estimator=estimator,
        method=method, normalise=normalise, seed=seed, resamples=resamples,
    )  # fmt: skip  # refuses what a board would refuse
    take_correction(correction)
    refuse_unfit(test, correction)
    plan = plan_average(
        scores, over, estimator, weights, method=method, normalise=normalise, limits=limits,
        prior=prior,
    )  # fmt: skip
    collector = AverageCollector(scores, plan, Sampling(seed, resamples, alpha))
    level: list[Note] = []
    for name, evidence in scores.tasks.items():
        compared = compare_evidence(evidence, scores.models, test, name)
        if plan.over == "items":
            level.extend(note for note in compared.notes if note.code in LEVEL_CODES)
        collector.add(name, compared)
    found = collector.finish(correction, "each" if scope == "each" else "all")
    return replace(found, notes=(*found.notes, *level))

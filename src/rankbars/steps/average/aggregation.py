"""The verb `aggregate`: how models stand on an average of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.aggregate import Aggregate
from rankbars.data.comparisons import Comparisons
from rankbars.data.contrasts import Contrasts, Differences
from rankbars.data.draws import Draws
from rankbars.data.evidence import Estimates, Evidence, Items
from rankbars.data.notes import Note, list_words
from rankbars.data.priors import PriorChoice
from rankbars.data.rightanswers import is_share
from rankbars.data.scores import Scores
from rankbars.data.spec import SCOPES, Spec, side_level
from rankbars.data.storedtasks import sizes_of
from rankbars.data.taskgroups import count_groups
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError
from rankbars.stats.averaging.points import Limits
from rankbars.stats.countscores import binomial_se
from rankbars.steps.average.averagechoices import ESTIMATORS, plan_average
from rankbars.steps.average.averagemethods import Method
from rankbars.steps.average.averageranks import average_contrasts, average_ranks, choose_for_average
from rankbars.steps.average.averagerows import RowLook, load_samples
from rankbars.steps.average.bridgedaverages import MEASURED
from rankbars.steps.average.categorysums import CategorySums
from rankbars.steps.average.findings import (
    average_notes,
    describe_target,
    resampled_ends,
    show_average,
)
from rankbars.steps.average.joinedtasks import JoinedTasks
from rankbars.steps.average.plan import FROM_ROWS, AveragePlan, Estimate, RowsSeen, TaskPart
from rankbars.steps.average.scales import (
    RangeCollector,
    refuse_beyond_limits,
    scale_comparisons,
    shown_limits,
    zscore_limits,
)
from rankbars.steps.correctionchoice import (
    RESAMPLED,
    CorrectionChoice,
    can_bear_flips,
)
from rankbars.steps.corrections import take_correction
from rankbars.steps.pairtests import compare_evidence
from rankbars.steps.testrows import LEVEL_CODES, Setting
from rankbars.steps.validity import check_method
from rankbars.steps.wholeruns import settle_runs

__all__ = ["AverageCollector", "Place", "aggregate"]

_MOST_CELLS = 5  # named in a note
_MOST_LISTED = 50  # beyond, a table with one row per pair is left out
_MOST_PAIRED = 200  # beyond, the table of pairs is left to `Draws.dominance`


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
    correction: str = "auto",
    scope: str = "each",
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 1000,
    prior: PriorChoice | Mapping[str, PriorChoice] = "auto",
    zero_se: str = "zero",
    runs: str = "auto",
    baseline: str | None = None,
    average_anyway: bool = False,
    independent_rows: bool = False,
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
        their ranks), ``"average_rank_noise"``, ``"average_rank_bins"``; ``"kemeny"``
        (rank in the order that contradicts the fewest comparisons on tasks; exact, up to 12
        models, over items); ``"elo"`` (the rating by who beats whom on each task, over tasks);
        ``"borda"``;
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
    zero_se : {"zero", "largest"}
        What a published standard error of 0 counts as; see `rankbars.compare`.
    runs : {"auto", "independent", "shared", "anew"}
        Whether all answers of a run share an effect; see `rankbars.compare`.
    baseline : str, optional
        The model that skill scores are measured against: one minus the geometric mean over tasks
        of a model's losses relative to those of the baseline. `method` is then ``"skill"``.
    average_anyway : bool
        Average scores of different metrics as they are.
    independent_rows : bool
        Items of one name on several tasks are others on every task.

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
    other, but for those with items of the same names (or runs of the same labels), which are one
    task, averaged row by row. Over tasks: the differences of task means are the sample, with
    N - 1 degrees of freedom; item noise is contained in them and is not counted twice. Tasks with
    different metrics are averaged as ranks within tasks, never raw.

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
    spec = Spec(
        test=test, correction=correction, scope="each" if scope == "each" else "all", alpha=alpha,
        over=over, estimator=estimator, method=method, normalise=normalise, seed=seed,
        resamples=resamples, zero_se=zero_se, runs=runs, baseline=baseline,
        average_anyway=average_anyway, independent_rows=independent_rows,
    )  # fmt: skip
    if correction != "auto":
        take_correction(correction)
    check_method(test, correction, spec.scope)
    spec, of_runs = settle_runs(scores, spec)
    said = scores.notes
    scores = scores if weights is not None else count_groups(scores)
    plan = plan_average(scores, spec, weights=weights, limits=limits, prior=prior)
    plan = plan._replace(bears=can_bear_flips(sizes_of(scores.tasks), resamples))
    collector = AverageCollector(scores, plan)
    level = [note for note in scores.notes if note not in said]
    setting = Setting(zero_se=zero_se, runs=spec.runs)
    for name, evidence in scores.tasks.items():
        compared = compare_evidence(evidence, scores.models, test, name, setting)
        if plan.over == "items":
            level.extend(note for note in compared.notes if note.code in LEVEL_CODES)
        collector.add(name, compared)
    found = collector.finish()
    return replace(found, notes=(*found.notes, *level, *of_runs))


class Place(NamedTuple):
    """Where one model stands.

    Attributes
    ----------
    best, worst : int
        Its rank interval among all that were added.
    mean : array of float, shape (M,)
        Averages of all, on the scale that is averaged.
    rule : Method
        How they are brought back from there.
    """

    best: int
    worst: int
    mean: NDArray[np.float64]
    rule: Method


class AverageCollector:
    """Takes the comparisons of one task after the other, so that no two tasks are held at once.

    Parameters
    ----------
    scores : Scores
        What is averaged.
    plan : AveragePlan
        How.
    board : Spec, optional
        Of the board that the average is part of, which makes ranks for all models at once with a
        set for the best.
    """

    def __init__(self, scores: Scores, plan: AveragePlan, board: Spec | None = None) -> None:
        self._plan, self._info, self._board = plan, scores.info, board
        self._tasks = scores.tasks  # rows are looked at again where they are resampled
        self._limits: dict[str, Limits] = {}
        self.look = RowLook.of(plan) if plan.design == "average" else None
        self._average = ESTIMATORS[plan.estimator][plan.over](plan)
        self._joined = JoinedTasks(plan, scores.tasks)
        self._categories = CategorySums(plan, scores.tasks) if plan.categories else None
        self._range = RangeCollector(plan)
        self._zero_errors: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
        self.mean: NDArray[np.float64] | None = None  # inside, once it is finished
        self._sure = True  # whether the tests of all tasks keep their level
        self._rows = 0

    @property
    def takes_rows(self) -> bool:
        """Whether it needs the scores of rows, and not only what `look` sees on them."""
        return self._plan.estimator in FROM_ROWS

    @property
    def joins(self) -> bool:
        """Whether it is a mean of scores, of tasks that are averaged row by row."""
        plan = self._plan
        return bool(plan.joined) and (plan.estimator, plan.method) == ("analytic", "mean")

    def add(self, task: str, comparisons: Comparisons, seen: RowsSeen | None = None) -> None:
        """Add one task; a task without weight is left out.

        Parameters
        ----------
        task : str
            Its name.
        comparisons : Comparisons
            What was found out about it.
        seen : RowsSeen, optional
            What `look` saw on its rows, where they are not there any more.

        Raises
        ------
        DataError
            If a score lies beyond the declared limits of the task.
        """
        plan, evidence, info = self._plan, comparisons.evidence, self._info[task]
        weight = plan.weights.get(task, 0.0)
        if weight == 0.0 or evidence is None:
            return
        self._sure = self._sure and comparisons.guaranteed
        if isinstance(evidence, Estimates):
            if plan.estimator in FROM_ROWS:
                comparisons = _with_binomial_errors(comparisons, evidence)
            zero = [note.models for note in comparisons.notes if note.code == "zero-se"]
            for name in sorted(name for models in zero for name in models):
                still = comparisons.mean_se[plan.models.index(name)] == 0
                self._zero_errors[bool(still)].append((name, task))
        if seen is None and self.look is not None and isinstance(evidence, Items):
            seen = self.look.see(evidence, task, comparisons.mean, info)
        limits, scaled = plan.limits.get(task), comparisons
        if plan.normalise == "zscore":
            limits = zscore_limits(comparisons.mean[plan.positions], task)
        if limits is not None:
            scaled = scale_comparisons(comparisons, limits)
            if plan.normalise == "bounds":
                refuse_beyond_limits(scaled, shown_limits(limits, info))
            self._limits[task] = limits
        ends = self._range.add(comparisons, info, limits, None if seen is None else seen.ends)
        part = TaskPart(task, weight, scaled, evidence, limits, ends, seen)
        for one in self._joined.add(part):
            self._rows += one.comparisons.rows
            averaged = self._average.add(self._seen(one) if one.joined else one)
            if not plan.joined and self._categories is not None:
                self._categories.add(averaged)
        if plan.joined and self._categories is not None:
            self._categories.add(part)

    def _seen(self, part: TaskPart) -> TaskPart:
        """What several tasks are as one, with what is seen on its rows."""
        if self.look is None or not isinstance(part.evidence, Items):
            return part
        look = self.look._replace(normalise=None, limits={})
        return part._replace(
            seen=look.see(part.evidence, part.task, part.comparisons.mean, TaskInfo())
        )

    def place(self, model: str) -> Place:
        """Where one model stands among all others, and what all have, higher is better."""
        found, plan, _ = self._decided()
        draws = self._draws(found) if found.pairs is None else None
        bounds = average_ranks(found, plan, draws).bounds
        i = plan.models.index(model)
        return Place(int(bounds.best[i]), int(bounds.worst[i]), found.summary.mean, plan.rule)

    def _decided(self) -> tuple[Estimate, AveragePlan, CorrectionChoice]:
        """What was found, with the correction that decides."""
        found = self._average.finish()
        plan, choice = choose_for_average(found, self._plan)
        if choice.correction == RESAMPLED:
            if found.unread is not None:
                samples = load_samples(found.unread, self._rows_of, plan, found.present)
                found = found._replace(samples=samples)
            found = resampled_ends(found, plan)
        return found, plan, choice

    def _rows_of(self, task: str) -> Evidence:
        made = self._joined.made
        return made[task] if task in made else self._tasks[task]

    def finish(self) -> Aggregate:
        """The average of what was added."""
        found, plan, choice = self._decided()
        self.mean = found.summary.mean
        draws = self._draws(found)
        ranks = average_ranks(found, plan, draws, self._board)
        bounds = self._range.finish(len(plan.shared))
        shown = show_average(found, plan, bounds)
        promised = found.pairs is not None
        promised = promised and side_level(plan.correction, plan.scope, plan.alpha) is not None
        sure = self._sure or plan.over != "items"  # tasks are rows of their own there
        sure = sure and not choice.approximate and plan.estimator not in MEASURED
        limits = self._limits | dict(found.limits)
        few = len(plan.models) <= _MOST_PAIRED
        contrasts = average_contrasts(found, plan, bounds)
        made = Aggregate(
            models=plan.models,
            score=shown.score,
            low=shown.low,
            high=shown.high,
            best=ranks.bounds.best,
            worst=ranks.bounds.worst,
            shown_better=ranks.shown_better,
            named_best=None if ranks.named is None else ranks.named.best,
            named_worst=None if ranks.named is None else ranks.named.worst,
            alpha=plan.alpha,
            scope=plan.scope,
            over=plan.over,
            estimator=plan.estimator,
            unit=plan.unit,
            direction=plan.direction,
            assumptions=found.assumptions,
            notes=plan.notes
            + found.notes
            + ranks.notes
            + self._joined.notes(found.pairs, board=self._board is not None)
            + self._zero_error_notes()
            + average_notes(shown, plan, ranges=ranks.counted)
            + choice.notes,
            method=plan.method,
            normalise=plan.normalise,
            limits={task: shown_limits(one, self._info[task]) for task, one in limits.items()},
            bounds=bounds,
            target=describe_target(plan),
            guarantee=1.0 - plan.alpha if promised and sure else None,
            approximate=promised and not sure,
            measured_level=MEASURED.get(plan.estimator, choice.measured)
            if promised and not sure
            else None,
            correction=plan.correction,
            n=self._rows,
            se=shown.se,
            df=found.summary.df,
            draws=draws,
            rank_probability=None if draws is None else draws.rank_probability(),
            dominance=draws.dominance() if draws is not None and few else None,
            contrasts=contrasts,
            differences=self._differences(contrasts, draws),
            components=found.components,
            by_reversal=found.rankings is not None,
            by_category=None
            if self._categories is None
            else self._categories.finish(found.category_draws),
        )
        return made if draws is None else replace(made, draws_agree=not made.draws_exceed)

    def _differences(self, contrasts: Contrasts | None, draws: Draws | None) -> Differences | None:
        if len(self._plan.models) > _MOST_LISTED:
            return None
        if contrasts is not None:
            return contrasts.table()
        return None if draws is None else draws.differences(self._plan.alpha)

    def _zero_error_notes(self) -> tuple[Note, ...]:
        left, filled = self._zero_errors[True], self._zero_errors[False]
        if self._plan.over != "items" or not (left or filled):
            return ()
        parts = []
        if left:
            parts.append(
                f"Scores published with a standard error of 0: {_cell_words(left)}. They add no "
                "error to the average."
            )
        if filled:
            parts.append(
                f"Scores published with a standard error of 0: {_cell_words(filled)}. Their "
                "number of 0/1 items, or the largest error on the task, says what they add to the "
                "error of the average."
            )
        names = tuple(sorted({model for model, _ in (*left, *filled)}))
        return (Note("zero-se", " ".join(parts), models=names),)

    def _draws(self, found: Estimate) -> Draws | None:
        if found.draws is None:
            return None
        values = found.draws
        plan = self._plan
        if plan.unit == "score":  # ranks stay negative: higher is better
            values = plan.rule.back(values)
        values.setflags(write=False)  # nobody else holds them, so they need not be copied
        target = describe_target(plan)
        return Draws(plan.models, values, found.source, target, found.effective, found.alike)


def _cell_words(cells: Sequence[tuple[str, str]]) -> str:
    """How many cells, and the first of them."""
    shown = list_words((f"{model} on {task}" for model, task in cells), _MOST_CELLS)
    return f"{len(cells):,} ({shown})"


def _with_binomial_errors(comparisons: Comparisons, evidence: Estimates) -> Comparisons:
    """Shares without a standard error get the binomial one, so that they can be compared."""
    if evidence.has_uncertainty or evidence.n is None or not is_share(evidence):
        return comparisons
    known = replace(evidence, se=binomial_se(evidence.mean, evidence.n))
    return compare_evidence(known, comparisons.models, "z", comparisons.task)

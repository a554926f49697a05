"""The verb `head_to_head`: one model against another, on each task and on the average."""

from __future__ import annotations

import math

import numpy as np

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Items
from rankbars.data.headtohead import Contrast, HeadToHead
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec, VoteOptions
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.taskcontrasts import (
    add_task,
    average_contrasts,
    family_means,
    start_sums,
)
from rankbars.stats.pairwise.modelscores import ModelSummary, sampled_rows
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.ranks import midranks
from rankbars.steps.average.choices import plan_average
from rankbars.steps.average.plan import AveragePlan, weight_words
from rankbars.steps.levelnotes import few_rows_notes, few_tasks_notes, skew_notes
from rankbars.steps.paircontrasts import POWER, Pair, mean_test, task_contrast
from rankbars.steps.pairtests import compare_evidence
from rankbars.steps.tested import Setting

__all__ = ["head_to_head"]


def head_to_head(
    scores: Scores,
    a: str,
    b: str,
    *,
    test: str = "auto",
    alpha: float = 0.05,
    over: str = "auto",
    seed: int = 0,
    resamples: int = 1000,
    votes: VoteOptions | None = None,
) -> HeadToHead:
    """Whether model `a` is better than model `b`: on each task, and on the average.

    Parameters
    ----------
    scores : Scores
        Results in which both models occur; other models are not looked at.
    a, b : str
        The two models.
    test : str
        Paired test within a task; see `rankbars.compare`.
    alpha : float
        Error rate of each verdict by itself, both sides together.
    over : {"auto", "items", "tasks", "families", "none"}
        Which average; see `rankbars.aggregate`.
    seed, resamples : int
        Start of the random stream and number of resamples, for tests that resample.
    votes : VoteOptions, optional
        How pairwise votes are turned into strengths; of votes, those between the two count.

    Returns
    -------
    HeadToHead
        Differences are signed so that positive favours `a`. A verdict is ``"better"`` or
        ``"worse"`` where one side of the test rejects at ``alpha / 2``, else ``"cannot tell"``.
        For tests of the mean that is where the interval lies on one side of zero.

    Raises
    ------
    UnknownOptionError
        If a model does not occur, or a name is not known.
    OptionError
        If `a` and `b` are the same model, `alpha` is out of range, or the average that was asked
        for cannot be formed.
    DataError
        If the two models have no row in common on any task.

    Notes
    -----
    Both models are compared on the rows that both have; a note says where rows were left out.
    Two models that agree on every row, or differ by the same amount on every row, show no spread:
    there is then no interval and no smallest detectable difference, and a constant difference
    counts as ``2**-n``.

    Verdicts of several tasks are not corrected for their number. Intervals, and the average, are
    always about means; a test of something else (``wilcoxon``, ``mcnemar``, …) decides the
    verdicts on tasks only, and a note says so.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays(
    ...     {"math": [[1, 0], [1, 0], [1, 1], [0, 0], [1, 0], [1, 0], [1, 1], [1, 0]]}, ["a", "b"])
    >>> duel = rb.head_to_head(scores, "a", "b")
    >>> math = duel.tasks["math"]
    >>> math.difference, math.ahead, math.behind, math.verdict
    (0.625, 5, 0, 'better')
    """
    spec = Spec(test=test, alpha=alpha, over=over, seed=seed, resamples=resamples)
    if a == b:
        raise OptionError(f"Two different models are needed; got {a!r} twice.")
    chosen = scores.select(models=(a, b))
    pair = Pair(a, b)
    setting = Setting(seed, resamples, votes=VoteOptions() if votes is None else votes)
    compared: dict[str, Comparisons] = {}
    tasks: dict[str, Contrast] = {}
    for name, evidence in chosen.tasks.items():
        compared[name] = compare_evidence(evidence, pair.models, test, name, setting)
        tasks[name] = task_contrast(pair, evidence, compared[name], chosen.info[name], alpha)
    shared = [name for name, task in tasks.items() if not math.isnan(task.difference)]
    if not shared:
        raise DataError(
            f"Models {a!r} and {b!r} have no row in common on any of the {len(tasks)} tasks, so "
            "they cannot be compared. Were the same items asked, under the same names?"
        )
    average, notes = _average(pair, chosen, spec, compared, tasks)
    notes += tuple(note for one in compared.values() for note in one.notes)
    notes += _left_out(pair, tasks) + _by_another_test(compared)
    return HeadToHead(
        a=a,
        b=b,
        tasks=tasks,
        average=average,
        alpha=alpha,
        power=POWER,
        notes=_without_repeats(chosen.notes + notes),
        inputs=scores.inputs,
    )


def _average(
    pair: Pair,
    scores: Scores,
    spec: Spec,
    compared: dict[str, Comparisons],
    tasks: dict[str, Contrast],
) -> tuple[Contrast | None, tuple[Note, ...]]:
    weighted = [name for name in tasks if scores.info[name].weight > 0]
    if spec.over == "none" or len(weighted) < 2:
        return None, ()
    plan = plan_average(scores, spec)
    lacking = [name for name in plan.weights if math.isnan(tasks[name].difference)]
    if lacking:
        shown = ", ".join(lacking[:5]) + (" and others" if len(lacking) > 5 else "")
        message = (
            f"No average: the two models have no row in common on {len(lacking)} of "
            f"{len(plan.weights)} tasks ({shown}). Leave these tasks out (--missing listwise, or "
            "--tasks) to compare the average of the others."
        )
        return None, (Note("no-average", message),)
    if plan.over == "items":
        rows = [len(e.values) for e in scores.tasks.values() if isinstance(e, Items)]
        average = _items_average(pair, plan, compared, tasks)
        return average, few_rows_notes(min(rows, default=np.inf))
    average = _tasks_average(plan, tasks)
    if plan.unit != "rank":
        seen = np.array([[tasks[name].score_a, tasks[name].score_b] for name in plan.weights])
        return average, tuple(Note(code, text) for code, text in skew_notes(seen))
    return average, few_tasks_notes(average.n, plan.units, plan.alpha)


def _items_average(
    pair: Pair,
    plan: AveragePlan,
    compared: dict[str, Comparisons],
    tasks: dict[str, Contrast],
) -> Contrast:
    sums = start_sums(2)
    for name, weight in plan.weights.items():
        one = compared[name]
        if one.pairs is None:
            raise OptionError(
                f"Test {one.test!r} gives no standard error, so differences cannot be summed over "
                'tasks. Use over="tasks", or test="auto".'
            )
        summary = ModelSummary(one.mean, one.mean_se, one.mean_df)
        add_task(sums, one.pairs, summary, weight)
    used = [tasks[name] for name in plan.weights]
    ahead = [task.ahead for task in used if task.ahead is not None]
    behind = [task.behind for task in used if task.behind is not None]
    counted = len(ahead) == len(used)
    shares = list(plan.weights.values())
    return Contrast(
        name=f"average of {len(used)} tasks",
        kind=used[0].kind if len({task.kind for task in used}) == 1 else "items",
        test=used[0].test if len({task.test for task in used}) == 1 else "several",
        n=sum(task.n for task in used),
        n_a=sum(task.n_a for task in used),
        n_b=sum(task.n_b for task in used),
        score_a=math.fsum(w * t.score_a for w, t in zip(shares, used, strict=True)),
        score_b=math.fsum(w * t.score_b for w, t in zip(shares, used, strict=True)),
        ahead=sum(ahead) if counted else None,
        behind=sum(behind) if counted else None,
        binary=all(task.binary for task in used),
        direction=plan.direction,
        metric=used[0].metric if len({task.metric for task in used}) == 1 else None,
        assumptions=(
            "The target is the average over exactly these tasks.",
            "Tasks have rows of their own, so their errors are independent of each other.",
        ),
        **mean_test(average_contrasts(sums), pair.cell, plan.alpha)._asdict(),
    )


def _tasks_average(plan: AveragePlan, tasks: dict[str, Contrast]) -> Contrast:
    used = [tasks[name] for name in plan.weights]
    values = np.array([[task.score_a, task.score_b] for task in used])
    signs = np.array([1.0 if task.direction == "higher" else -1.0 for task in used])
    inside = values * signs[:, None]
    if plan.unit == "rank":
        inside = -midranks(inside, axis=1)
    ahead, behind = (int((inside[:, i] > inside[:, 1 - i]).sum()) for i in (0, 1))
    weights = np.array(list(plan.weights.values()))
    if plan.over == "families":
        inside = family_means(inside, weights, [plan.families[name] for name in plan.weights])
        weights = np.ones(len(inside))
    rows = sampled_rows(inside, weights) if np.ptp(weights) > 0 else inside
    sign = 1.0 if plan.direction == "higher" else -1.0
    mean_a, mean_b = (sign * rows.mean(axis=0)).tolist()
    what = "ranks within tasks" if plan.unit == "rank" else "scores"
    units = plan.units
    return Contrast(
        name=f"average over a population of {units} ({len(rows)} seen)",
        kind="tasks",
        test="t",
        n=len(rows),
        n_a=len(rows),
        n_b=len(rows),
        score_a=mean_a,
        score_b=mean_b,
        ahead=ahead,
        behind=behind,
        direction=plan.direction,
        unit=plan.unit,
        assumptions=(
            f"The target is the average over the population that these {units} were drawn from.",
            f"The {len(rows)} {units} are independent draws.",
            f"The mean difference of {what} is close to normal.",
            *weight_words(plan),
        ),
        **mean_test(paired_t(rows), (0, 1), plan.alpha)._asdict(),
    )


def _left_out(pair: Pair, tasks: dict[str, Contrast]) -> tuple[Note, ...]:
    """One note about the rows that only one of the models has."""
    gaps = {
        name: (task.n_a - task.n, task.n_b - task.n)
        for name, task in tasks.items()
        if task.kind != "estimates" and (task.n_a > task.n or task.n_b > task.n)
    }
    if not gaps:
        return ()
    only_a, only_b = (sum(counts) for counts in zip(*gaps.values(), strict=True))
    most = max(gaps, key=lambda name: sum(gaps[name]))
    message = (
        f"Compared on the rows that both have. Left out: {only_a:,} rows of {pair.a} and "
        f"{only_b:,} of {pair.b}, on {len(gaps)} of {len(tasks)} tasks; most of them, "
        f"{sum(gaps[most]):,}, on {most}."
    )
    return (Note("rows-in-common", message, models=pair.models),)


def _by_another_test(compared: dict[str, Comparisons]) -> tuple[Note, ...]:
    other = {one.test for one in compared.values() if one.deciding is not one.pairs}
    if not other:
        return ()
    message = (
        f"Verdicts on tasks are those of the test {', '.join(sorted(other))}. Differences, "
        "intervals, the smallest detectable difference and the average are about means, by the "
        "paired t-test, and may differ from them."
    )
    return (Note("verdicts-by-another-test", message),)


def _without_repeats(notes: tuple[Note, ...]) -> tuple[Note, ...]:
    return tuple(dict.fromkeys(notes))

"""The verb `contrast_models`: one model against another, on each task and on the average."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Evidence, Votes
from rankbars.data.headtohead import Contrast, HeadToHead
from rankbars.data.notes import Note, list_words, who_voted
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec, VoteOptions
from rankbars.data.taskgroups import count_groups
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.points import Limits
from rankbars.stats.averaging.taskcontrasts import (
    add_task,
    average_contrasts,
    family_means,
    start_sums,
)
from rankbars.stats.pairwise.modelscores import sampled_rows
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.ranks import midranks
from rankbars.steps.average.averagechoices import plan_average
from rankbars.steps.average.averagemethods import few_tasks_notes, rank_assumptions, rank_p_values
from rankbars.steps.average.joinedtasks import JoinedTasks
from rankbars.steps.average.plan import AveragePlan, TaskPart, weight_words
from rankbars.steps.average.scales import scale_comparisons
from rankbars.steps.correctionchoice import has_one_end, row_skewness
from rankbars.steps.gaps import tasks_apart
from rankbars.steps.meantests import UNSEEN_ROWS
from rankbars.steps.noiseparts import examine_task_runs, run_notes
from rankbars.steps.pairdecision import (
    POWER,
    MeanTest,
    Pair,
    PairRows,
    average_rows,
    common_rows,
    decide_contrast,
    mean_test,
    pair_samples,
    row_sample,
    verdict_of,
)
from rankbars.steps.pairtests import compare_evidence
from rankbars.steps.testrows import Setting, has_answers_of_runs, score_ends
from rankbars.steps.validity import find_cell
from rankbars.steps.wholeruns import settle_runs

__all__ = ["contrast_models"]


def contrast_models(
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
    zero_se: str = "zero",
    runs: str = "auto",
    average_anyway: bool = False,
    normalise: str | None = None,
    independent_rows: bool = False,
) -> HeadToHead:
    """Whether model `a` is better than model `b`: on each task, and on the average.

    Options, errors and what is returned are those of `rankbars.head_to_head`. Gaps are not looked
    for: both models are compared on the rows that both have, and a note says where rows were left
    out.
    """
    spec = Spec(
        test=test, alpha=alpha, over=over, seed=seed, resamples=resamples, zero_se=zero_se,
        runs=runs, average_anyway=average_anyway, normalise=normalise,
        independent_rows=independent_rows,
    )  # fmt: skip
    chosen = count_groups(scores.select(models=(a, b)))
    spec, of_runs = settle_runs(chosen, spec)
    pair = Pair(a, b)
    setting = Setting(
        seed, resamples, votes=VoteOptions() if votes is None else votes, zero_se=zero_se,
        runs=spec.runs,
    )  # fmt: skip
    compared: dict[str, Comparisons] = {}
    tasks: dict[str, Contrast] = {}
    decided: tuple[Note, ...] = ()
    for name, evidence in chosen.tasks.items():
        compared[name] = one = compare_evidence(evidence, pair.models, test, name, setting)
        contrast = _task_contrast(pair, evidence, one, chosen.info[name], alpha)
        made, about = _decided_task(pair, evidence, one, contrast, spec)
        low, high = score_ends(evidence, chosen.info[name])
        # No difference is larger than the scale is long.
        if made.low < low - high or made.high > high - low:
            made = replace(made, low=max(made.low, low - high), high=min(made.high, high - low))
        tasks[name] = made
        decided += about
    shared = [name for name, task in tasks.items() if not math.isnan(task.difference)]
    if not shared:
        raise DataError(
            tasks_apart(chosen)
            or f"Models {a!r} and {b!r} have no row in common on any of the {len(tasks)} tasks, so "
            "they cannot be compared. Were the same items asked, under the same names?"
        )
    average, notes = _average(pair, chosen, spec, compared, tasks)
    notes += decided + tuple(
        note
        for one in compared.values()
        for note in one.notes
        if note.code != UNSEEN_ROWS or len(compared) == 1
    )
    notes += of_runs
    if spec.runs != "shared":
        examined = {
            name: examine_task_runs(evidence, seed, name)
            for name, evidence in chosen.tasks.items()
            if has_answers_of_runs(evidence)
        }
        notes += run_notes({name: one for name, one in examined.items() if one is not None})
    notes += _left_out(pair, tasks) + _by_another_test(compared)
    return HeadToHead(
        a=a,
        b=b,
        tasks=tasks,
        average=average,
        alpha=alpha,
        power=POWER,
        notes=tuple(dict.fromkeys(who_voted(_of_own_rows(tasks, chosen.notes + notes)))),
        inputs=scores.inputs,
    )


def _average(
    pair: Pair,
    scores: Scores,
    spec: Spec,
    compared: dict[str, Comparisons],
    tasks: dict[str, Contrast],
) -> tuple[Contrast | None, tuple[Note, ...]]:
    """The average, and what is said of it; None where there is none, and why."""
    weighted = [name for name in tasks if scores.info[name].weight > 0]
    if spec.over == "none" or len(weighted) < 2:
        return None, ()
    plan = plan_average(scores, spec)
    lacking = [name for name in plan.weights if math.isnan(tasks[name].difference)]
    if lacking:
        shown = ", ".join(lacking[:5]) + (" and others" if len(lacking) > 5 else "")
        unrun = all(min(tasks[name].n_a, tasks[name].n_b) == 0 for name in lacking)
        way = "--missing-tasks insert" if unrun else "--missing listwise, or --tasks"
        message = (
            f"No average: the two models have no row in common on {len(lacking)} of "
            f"{len(plan.weights)} tasks ({shown}), so the difference may be any there, and on the "
            f"average, too. For the average of the other tasks: {way}."
        )
        return None, (Note("no-average", message),)
    compared = {
        name: scale_comparisons(one, plan.limits[name]) if name in plan.limits else one
        for name, one in compared.items()
    }
    tasks = {
        name: _scaled(one, plan.limits[name]) if name in plan.limits else one
        for name, one in tasks.items()
    }
    if plan.over == "items":
        parts, contrasts, joined = _parts(plan, scores, compared)
        average = _items_average(pair, plan, parts, contrasts, tasks)
        rows = average_rows(pair, plan, parts, average.se)
        decided, notes = decide_contrast(average, rows, spec, insisted=plan.insisted)
        return decided, (*plan.notes, *notes, *joined)
    average, seen = _tasks_average(plan, tasks)
    if plan.unit != "rank":
        one_end = has_one_end(seen)
        rows = PairRows(
            row_skewness(seen),
            (row_sample(seen, plan.seed, "average"),),
            task_rows=len(seen) if one_end else 0,
            one_end=one_end,
        )
        decided, notes = decide_contrast(average, rows, spec, insisted=plan.insisted)
        return decided, (*plan.notes, *notes, *_few_units(rows, plan.units))
    return average, (*plan.notes, *few_tasks_notes(average.n, plan.units, plan.alpha))


def _scaled(task: Contrast, limits: Limits) -> Contrast:
    """Scores of the two on the common scale of an average, higher is better."""
    sign = 1.0 if task.direction == "higher" else -1.0
    score_a, score_b = limits.apply(sign * np.array([task.score_a, task.score_b])).tolist()
    return replace(task, score_a=score_a, score_b=score_b, direction="higher")


def _few_units(rows: PairRows, units: str) -> tuple[Note, ...]:
    """A note on tasks or families that are too few to show anything."""
    if rows.skewness is None or not math.isinf(rows.skewness):
        return ()
    count = len(rows.samples[0].values)
    text = f"{count} {units}: so few cannot show how differences are spread, so nothing is shown."
    return (Note("few-items", text),)


def _parts(
    plan: AveragePlan, scores: Scores, compared: dict[str, Comparisons]
) -> tuple[list[TaskPart], PairStatistics, tuple[Note, ...]]:
    """The tasks of an average, those with the same rows as one, and its contrasts."""
    joined = JoinedTasks(plan, scores.tasks)
    parts: list[TaskPart] = []
    sums = start_sums(2)
    for name, weight in plan.weights.items():
        one = TaskPart(name, weight, compared[name], scores.tasks[name], plan.limits.get(name))
        for part in joined.add(one):
            pairs = part.comparisons.pairs
            if pairs is None:
                raise OptionError(
                    f"Test {part.comparisons.test!r} gives no standard error, so differences "
                    'cannot be summed over tasks. Use over="tasks", or test="auto".'
                )
            add_task(sums, pairs, part.summary, part.weight)
            parts.append(part)
    contrasts = average_contrasts(sums)
    return parts, contrasts, joined.notes(contrasts)


def _items_average(
    pair: Pair,
    plan: AveragePlan,
    parts: list[TaskPart],
    contrasts: PairStatistics,
    tasks: dict[str, Contrast],
) -> Contrast:
    sign = 1.0 if plan.direction == "higher" else -1.0
    counts = [
        common_rows(pair, part.evidence) if part.joined else tasks[part.task] for part in parts
    ]
    used = [tasks[name] for name in plan.weights]
    ahead = [one.ahead for one in counts if one.ahead is not None]
    behind = [one.behind for one in counts if one.behind is not None]
    counted = len(ahead) == len(counts)
    scored = [
        (part.weight * (sign if part.joined else 1.0), one)
        for part, one in zip(parts, counts, strict=True)
    ]
    joined = any(part.joined for part in parts)
    return Contrast(
        name=f"average of {len(used)} tasks",
        kind=used[0].kind if len({task.kind for task in used}) == 1 else "items",
        test=used[0].test if len({task.test for task in used}) == 1 else "several",
        n=sum(one.n for one in counts),
        n_a=sum(one.n_a for one in counts),
        n_b=sum(one.n_b for one in counts),
        score_a=math.fsum(weight * one.score_a for weight, one in scored),
        score_b=math.fsum(weight * one.score_b for weight, one in scored),
        ahead=sum(ahead) if counted else None,
        behind=sum(behind) if counted else None,
        binary=not joined and all(task.binary for task in used),
        direction=plan.direction,
        metric=used[0].metric if len({task.metric for task in used}) == 1 else None,
        assumptions=(
            "The target is the average over exactly these tasks.",
            "Rows are independent of each other; scores of one row on several tasks need not be."
            if joined
            else "Tasks have rows of their own, so their errors are independent of each other.",
        ),
        # A tail of a few rows that are resampled is judged by its part in the average.
        approximate=not all(part.comparisons.guaranteed for part in parts),
        **mean_test(contrasts, pair.cell, plan.alpha)._asdict(),
    )


def _tasks_average(
    plan: AveragePlan, tasks: dict[str, Contrast]
) -> tuple[Contrast, NDArray[np.float64]]:
    """The average over a population, and its rows, in canonical order of the two models."""
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
    units, exact = plan.units, plan.design == "few ranks"
    if exact:
        found = _rank_test(inside * (weights / weights.mean())[:, None], plan)
        assumed = rank_assumptions(len(rows), units)
    else:
        found = mean_test(paired_t(rows), (0, 1), plan.alpha)
        assumed = (
            f"The {len(rows)} {units} are independent draws.",
            f"The mean difference of {what} is close to normal.",
        )
    contrast = Contrast(
        name=f"average over a population of {units} ({len(rows)} seen)",
        kind="tasks",
        test="signflip" if exact else "t",
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
            *assumed,
            *weight_words(plan),
        ),
        **found._asdict(),
    )
    return contrast, rows


def _rank_test(points: NDArray[np.float64], plan: AveragePlan) -> MeanTest:
    """Two models by what they earn on few tasks, times the weights: no error, and no interval."""
    p = rank_p_values(points, plan.seed)
    better, worse, nan = float(p[0, 1]), float(p[1, 0]), math.nan
    verdict = verdict_of(better <= plan.alpha / 2, worse <= plan.alpha / 2)
    ahead = float((points[:, 0] - points[:, 1]).mean())
    return MeanTest(ahead, nan, nan, nan, nan, better, worse, nan, verdict)


def _of_own_rows(tasks: dict[str, Contrast], notes: tuple[Note, ...]) -> tuple[Note, ...]:
    """The notes without what is said of rows that two models share, where no test pairs rows."""
    if any(task.test != "welch" for task in tasks.values()):
        return notes
    counted = [f"{name!r} ({task.n_a:,} and {task.n_b:,})" for name, task in tasks.items()]
    text = (
        "Welch's test compares the means of all rows of each of the two, on "
        f"{list_words(counted, 3)}; rows are not paired."
    )
    kept = (note for note in notes if note.code != "unpaired-rows")
    return (*kept, Note("unpaired-rows", text))


def _left_out(pair: Pair, tasks: dict[str, Contrast]) -> tuple[Note, ...]:
    """One note about the rows that only one of the models has."""
    gaps = {
        name: (task.n_a - task.n, task.n_b - task.n)
        for name, task in tasks.items()
        if task.kind != "estimates"
        and task.test != "welch"
        and (task.n_a > task.n or task.n_b > task.n)
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


def _task_contrast(
    pair: Pair, evidence: Evidence, compared: Comparisons, info: TaskInfo, alpha: float
) -> Contrast:
    """The two models on one task, from how they compare in canonical order."""
    common = common_rows(pair, evidence)
    if isinstance(evidence, Votes) or compared.test == "welch":
        scores = [float(compared.mean[compared.models.index(model)]) for model in pair]
        common = common._replace(score_a=scores[0], score_b=scores[1])
    if compared.test == "welch":  # rows of their own are not ahead of each other
        common = common._replace(ahead=None, behind=None)
    return Contrast(
        name=compared.task,
        kind=evidence.kind,
        test=compared.test,
        direction=info.direction,
        metric=info.metric,
        assumptions=compared.assumptions,
        approximate=not compared.guaranteed,
        measured_level=_measured_of_two(compared),
        **common.in_units(info.direction)._asdict(),
        **_compared_test(compared, pair.cell, alpha)._asdict(),
    )


def _measured_of_two(compared: Comparisons) -> float | None:
    """How often 95 % statements about two models held where the test holds its level nearly."""
    if compared.guaranteed:
        return None
    return find_cell(compared.test, "holm", "each", compared.design).measured_among(2)


def _decided_task(
    pair: Pair, evidence: Evidence, compared: Comparisons, contrast: Contrast, spec: Spec
) -> tuple[Contrast, tuple[Note, ...]]:
    """The contrast of one task, decided by resampling where its rows are skewed."""
    if compared.skewness is None or not contrast.se > 0:
        return contrast, ()
    samples = pair_samples(pair, evidence, compared, spec.seed)
    rows = PairRows(
        compared.skewness,
        samples,
        clustered=compared.design == "clusters",
        task_rows=len(samples[0].values) if samples and compared.test == "t" else 0,
        one_end=has_one_end(evidence),
    )
    made, notes = decide_contrast(contrast, rows, spec, insisted=compared.insisted)
    return replace(made, approximate=made.approximate or contrast.approximate), notes


def _compared_test(compared: Comparisons, cell: tuple[int, int], alpha: float) -> MeanTest:
    if compared.pairs is None:
        nan = math.nan
        found = MeanTest(
            float(compared.diff[cell]), nan, nan, nan, nan, nan, nan, nan, "cannot tell"
        )
    else:
        found = mean_test(compared.pairs, cell, alpha)
    if compared.deciding is compared.pairs and compared.pairs is not None:
        return found
    # The means are described as ever; something else decides.
    better, worse = float(compared.p[cell]), float(compared.p[cell[::-1]])
    verdict = verdict_of(better <= alpha / 2, worse <= alpha / 2)
    return found._replace(p_better=better, p_worse=worse, verdict=verdict)

"""What can be done where a model has no score: one function for each policy.

Where failures count as the baseline, a model without a score has that of the baseline there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.evidence import Estimates, Evidence, Items, Votes, take_rows
from rankbars.data.fields import locate_models, names_where, spread_columns
from rankbars.data.notes import Note, list_names, list_words
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import Change, change_tasks, models_of
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError, OptionError
from rankbars.steps.gaps import Gap, row_values, to_declare

__all__ = [
    "OWN_ROWS",
    "POLICIES",
    "fill_from_baseline",
    "keep_pairs",
    "own_rows_options",
    "strangers",
]

_MOST_NAMES = 5
OWN_ROWS = "welch"  # the test that pairs no rows


def keep_pairs(scores: Scores, gaps: list[Gap]) -> Scores:
    """Leave the gaps; every pair is compared on the rows both models have."""
    return scores.with_notes(_passed_over(scores))


def _passed_over(scores: Scores) -> Iterator[Note]:
    """A note for each task of which some models lack rows that are hard for the others."""
    for task, evidence in scores.tasks.items():
        if not isinstance(evidence, Items):
            continue
        sign = -1.0 if scores.info[task].direction == "lower" else 1.0
        values = evidence.values
        there = ~np.isnan(values)
        total, count = np.nansum(values, axis=1), there.sum(axis=1)
        found = []
        for i in np.flatnonzero(there.any(axis=0) & ~there.all(axis=0)):
            has = there[:, i]
            others = count - has
            known = others > 0
            rows = (total - np.where(has, values[:, i], 0.0))[known] / others[known]
            lacked, kept = rows[~has[known]], rows[has[known]]
            if min(len(lacked), len(kept)) >= _FEWEST_ROWS and _is_lower(lacked, kept):
                ends = sign * lacked.mean(), sign * kept.mean()
                found.append((evidence.models[i], f"{ends[0]:.2g} and {ends[1]:.2g}"))
        if found:
            shown = [f"{name!r} ({ends})" for name, ends in found]
            it = "this model" if len(found) == 1 else "these models"
            text = (
                "The rows that a model lacks are harder than those it has; mean of the others on "
                f"the first and on the second: {list_words(shown, _MOST_NAMES)}. The score of {it} "
                "is on the easier rows alone, and none on the whole task."
            )
            yield Note("harder-rows", text, task, tuple(name for name, _ in found))


_FEWEST_ROWS, _SURELY = 5, 3.0


def _is_lower(one: NDArray[np.float64], two: NDArray[np.float64]) -> bool:
    """Whether the first mean lies below the second one by more than three standard errors."""
    error = one.var(ddof=1) / len(one) + two.var(ddof=1) / len(two)
    return bool(two.mean() - one.mean() > _SURELY * np.sqrt(error))


def own_rows_options(test: str, policy: str) -> dict[str, str]:
    """What compares the means of models with rows of their own, without what is chosen already.

    Examples
    --------
    >>> own_rows_options("auto", "pairwise")
    {'test': 'welch'}
    """
    needed = {"test": (OWN_ROWS, test), "missing": ("pairwise", policy)}
    return {name: value for name, (value, chosen) in needed.items() if chosen != value}


def strangers(scores: Scores, test: str, policy: str) -> list[Note]:
    """A note for each task on which some models share no row with any other.

    Of the options that would compare their means it names those that are not chosen yet.
    """
    notes = []
    left = own_rows_options(test, policy)
    typed = " ".join(f"--{name} {value}" for name, value in left.items())
    called = ", ".join(f"{name}={value!r}" for name, value in left.items())
    for task, evidence in scores.tasks.items():
        if not isinstance(evidence, Items):
            continue
        there = (~np.isnan(evidence.values)).astype(np.float32)
        present = there.any(axis=0)
        shared = there.T @ there
        np.fill_diagonal(shared, 0.0)
        alone = np.flatnonzero(present & ~shared.any(axis=0))
        if alone.size == 0 or np.count_nonzero(present) == 1:
            continue
        names = tuple(evidence.models[i] for i in alone)
        rows = [int(np.argmax(there[:, i])) for i in alone[:2]]
        first = (
            ""
            if evidence.ids is None
            else (f" (first rows: {', '.join(repr(evidence.ids[row]) for row in rows)})")
        )
        notes.append(
            Note(
                "no-common-rows",
                f"On task {task!r} these share no row with any other model, so no differences on "
                f"the same rows can be taken: {list_names(names, _MOST_NAMES)}{first}. Are rows "
                "named alike for all models? If each was given rows of its own, as in an A/B "
                f"test, their means can be compared: {typed} (in Python: {called}).",
                task=task,
                models=names,
            )
        )
    return notes


def keep_complete_rows(scores: Scores, gaps: list[Gap]) -> Scores:
    """Keep the rows that every model has; a task that a gap leaves without any is left out."""
    gone = {gap.task for gap in gaps if gap.missing == gap.rows}
    changes: dict[str, Change | None] = {}
    for name in scores.tasks:
        if name in gone:
            continue
        evidence = scores.tasks[name]
        values = row_values(evidence)
        there = ~np.isnan(values).all(axis=0)  # the others never ran the task
        complete = np.asarray(~np.isnan(values[:, there]).any(axis=1))
        if complete.any():
            items = isinstance(evidence, Items) and not complete.all()
            models = models_of(scores.tasks, name)
            changes[name] = Change(partial(_take_rows, keep=complete), models) if items else None
    if not changes:
        raise DataError(
            "No row of any task has a score from every model, so --missing listwise keeps "
            "nothing. Use --missing pairwise, bounds or drop_models."
        )
    left_out = sorted(set(scores.tasks) - set(changes))
    kept = _with_tasks(scores, change_tasks(scores.tasks, changes))
    if not left_out:
        return kept
    message = f"Left out, because no row has a score from every model: {', '.join(left_out)}."
    return kept.with_notes([Note("tasks-left-out", message)])


def fill_minimum(scores: Scores, gaps: list[Gap]) -> Scores:
    """Give every missing answer the declared minimum of its task: failing to answer is failing."""
    changes: dict[str, Change | None] = dict.fromkeys(scores.tasks)
    for name in dict.fromkeys(gap.task for gap in gaps):
        evidence = scores.tasks[name]
        there = models_of(scores.tasks, name)
        failed = frozenset(gap.model for gap in gaps if gap.task == name)
        models = tuple(sorted({*there, *failed}))
        lowest = _lowest(scores, gaps, name)
        if isinstance(evidence, Votes):
            raise OptionError(
                f"Task {name!r} has votes, not answers, so a model without votes cannot be counted "
                "as failed. Use --missing drop_models or bounds."
            )
        if isinstance(evidence, Estimates):
            raise OptionError(
                f"Task {name!r} has published scores, not answers, so a missing one cannot be "
                "counted as failed. Use --missing drop_models or bounds."
            )
        filled = partial(_fill, models=models, failed=failed, lowest=lowest)
        changes[name] = Change(filled, models)
    tasks = change_tasks(scores.tasks, changes)
    return replace(scores, tasks=tasks, info=_with_further_models(scores, tasks))


def _fill(
    evidence: Evidence, models: tuple[str, ...], failed: frozenset[str], lowest: float
) -> Evidence:
    if not isinstance(evidence, Items):
        return evidence
    columns = locate_models(evidence.models, models)
    values = spread_columns(evidence.values, columns, len(models))
    answers, within = (
        None if cells is None else spread_columns(cells, columns, len(models))
        for cells in (evidence.answers, evidence.within)
    )
    return replace(
        evidence,
        models=models,
        values=np.where(np.isnan(values) & [name in failed for name in models], lowest, values),
        answers=answers,
        runs=None,
        within=within,
        trials=None,
    )


def _take_rows(evidence: Evidence, keep: NDArray[np.bool_]) -> Evidence:
    return take_rows(evidence, keep) if isinstance(evidence, Items) else evidence


def drop_incomplete_models(scores: Scores, gaps: list[Gap]) -> Scores:
    """Leave out every model with a gap."""
    gone = {gap.model for gap in gaps}
    kept = [model for model in scores.models if model not in gone]
    if not kept:
        raise DataError(
            "Every model misses some score, so --missing drop_models keeps nobody. "
            "Use --missing pairwise, listwise or bounds."
        )
    return scores.select(models=kept)


def count_as_absent(scores: Scores, gaps: list[Gap]) -> Scores:
    """Count a model with a gap as absent from that task: no assumption about why."""
    changes: dict[str, Change | None] = dict.fromkeys(scores.tasks)
    for name in dict.fromkeys(gap.task for gap in gaps):
        absent = frozenset(gap.model for gap in gaps if gap.task == name)
        models = models_of(scores.tasks, name)
        if absent >= set(models):
            raise DataError(
                f"Every model misses some row of task {name!r}, so --missing bounds leaves nobody "
                "there. Use --missing pairwise or listwise, or name the other tasks with --tasks."
            )
        changes[name] = Change(partial(_blank, absent=absent), models)
    return replace(scores, tasks=change_tasks(scores.tasks, changes))


def _lowest(scores: Scores, gaps: list[Gap], task: str) -> float:
    info = scores.info[task]
    higher = info.direction == "higher"
    declared = info.minimum if higher else info.maximum
    if declared is None:
        raise OptionError(
            f"Task {task!r} has no declared worst score, so a missing answer cannot be counted "
            f"as failed. Declare it: {to_declare(scores, gaps)}."
        )
    return declared if higher else -declared


def _blank(evidence: Evidence, absent: frozenset[str]) -> Evidence:
    if isinstance(evidence, Votes):
        return evidence  # a model without votes is absent already
    columns = [i for i, model in enumerate(evidence.models) if model in absent]
    if isinstance(evidence, Items):
        values = evidence.values.copy()
        values[:, columns] = np.nan
        return replace(evidence, values=values, runs=None, trials=None)
    mean = evidence.mean.copy()
    mean[columns] = np.nan
    return replace(evidence, mean=mean)


def _with_tasks(scores: Scores, tasks: Mapping[str, Evidence]) -> Scores:
    info = {name: scores.info[name] for name in tasks}
    notes = tuple(note for note in scores.notes if note.task is None or note.task in tasks)
    return replace(scores, tasks=tasks, info=info, notes=notes)


def _with_further_models(scores: Scores, tasks: Mapping[str, Evidence]) -> dict[str, TaskInfo]:
    # Coverage is aligned with the models of the evidence, which `fail` may have extended.
    found = {}
    for name, info in scores.info.items():
        before, after = models_of(scores.tasks, name), models_of(tasks, name)
        coverage = info.coverage
        if coverage is not None and before != after:
            coverage = coverage.spread(before, after)
        found[name] = replace(info, coverage=coverage)
    return found


POLICIES: dict[str, Callable[[Scores, list[Gap]], Scores]] = {
    "pairwise": keep_pairs,
    "listwise": keep_complete_rows,
    "fail": fill_minimum,
    "drop_models": drop_incomplete_models,
    "bounds": count_as_absent,
}


def fill_from_baseline(scores: Scores, baseline: str) -> Scores:
    """Scores without gaps: where a model has none, it has that of the baseline.

    Boards of forecasts count a model that failed on a data set as if it had fallen back on the
    baseline, which is a plain method that always gives an answer.

    Parameters
    ----------
    scores : Scores
        NaN, or a model that a task does not have, counts as failed.
    baseline : str
        The model.

    Raises
    ------
    UnknownOptionError
        If there is no such model.
    DataError
        If the baseline itself lacks a score where another does, or there are votes.

    Examples
    --------
    >>> scores = Scores({
    ...     "x": Items(("a", "naive"), [[-1.0, -2.0], [np.nan, -4.0]]),
    ...     "y": Items(("naive",), [[-3.0]])})
    >>> {name: one.values[:, 0].tolist()
    ...  for name, one in fill_from_baseline(scores, "naive").tasks.items()}
    {'x': [-1.0, -4.0], 'y': [-3.0]}
    """
    check_name("baseline model", baseline, scores.models)
    models = scores.models
    changes: dict[str, Change | None] = {}
    filled: dict[str, int] = {}
    for task in scores.tasks:
        if baseline not in models_of(scores.tasks, task):
            raise DataError(_lacking(baseline, task))
        evidence = scores.tasks[task]
        gaps = _gaps(evidence, models, baseline, task)
        for name in gaps:
            filled[name] = filled.get(name, 0) + 1
        changes[task] = (
            Change(partial(_filled, models=models, baseline=baseline), models) if gaps else None
        )
    if not filled:
        return scores
    names = tuple(sorted(filled))
    shown = list_words((f"{name} on {filled[name]}" for name in names), _MOST_NAMES)
    note = Note(
        "filled-from-baseline",
        f"Scores that are missing count as those of {baseline} (tasks: {shown}).",
        models=names,
    )
    tasks = change_tasks(scores.tasks, changes)
    info = {name: replace(one, coverage=None) if changes[name] else one
            for name, one in scores.info.items()}  # fmt: skip
    return replace(scores, tasks=tasks, info=info).with_notes([note])


def _lacking(baseline: str, task: str) -> str:
    return (
        f"Task {task!r}: the baseline {baseline!r} has no score there, so nothing can take the "
        "place of those that are missing. Use another baseline, or leave out the task."
    )


def _gaps(evidence: Evidence, models: tuple[str, ...], baseline: str, task: str) -> list[str]:
    """Models that lack a score on a task."""
    if isinstance(evidence, Votes):
        raise DataError(f"Task {task!r} holds votes, which have no scores that could be filled.")
    values = np.atleast_2d(evidence.values if isinstance(evidence, Items) else evidence.mean)
    complete = set(names_where(evidence.models, ~np.isnan(values).any(axis=0)))
    if baseline not in complete:
        raise DataError(_lacking(baseline, task))
    return [name for name in models if name not in complete]


def _filled(evidence: Evidence, models: tuple[str, ...], baseline: str) -> Evidence:
    place = {name: i for i, name in enumerate(evidence.models)}
    back = place[baseline]
    columns = np.array([place.get(name, back) for name in models], dtype=np.intp)
    if isinstance(evidence, Votes):
        return evidence  # refused before
    if isinstance(evidence, Items):
        values = evidence.values[:, columns]
        gone = np.isnan(values)
        answers, runs, within = evidence.answers, evidence.runs, evidence.within
        if answers is not None:
            answers = np.where(gone, answers[:, [back]], answers[:, columns])
        if runs is not None:
            own = runs[:, :, columns]
            runs = np.where(np.isnan(own), runs[:, :, [back]], own)
        if within is not None:
            within = np.where(gone, within[:, [back]], within[:, columns])
        values = np.where(gone, evidence.values[:, [back]], values)
        return replace(
            evidence, models=models, values=values, answers=answers, runs=runs, within=within,
            trials=None,
        )  # fmt: skip
    columns = np.where(np.isnan(evidence.mean[columns]), back, columns)
    return Estimates(
        models,
        evidence.mean[columns],
        None if evidence.se is None else evidence.se[columns],
        None if evidence.cov is None else evidence.cov[np.ix_(columns, columns)],
        None if evidence.n is None else evidence.n[columns],
    )

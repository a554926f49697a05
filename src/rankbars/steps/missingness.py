"""The verb `resolve_missing`: what happens where a model has no score, and how often that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence, Items, Votes, take_rows
from rankbars.data.fields import locate_models, spread_columns
from rankbars.data.notes import Note, list_names, list_words
from rankbars.data.scores import Scores, TaskInfo
from rankbars.data.storedtasks import Change, change_tasks, models_of
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.steps.gaps import (
    Gap,
    count_reasons,
    find_gaps,
    known_rows,
    lost_rows,
    lost_trials,
    never_run,
    refuse_lost,
    row_values,
    to_declare,
    worst_for_trials,
)

__all__ = [
    "POLICIES",
    "refuse_gaps",
    "resolve_items",
    "resolve_missing",
]  # fmt: skip


_MOST_NAMES = 5


def resolve_missing(scores: Scores, policy: str = "raise") -> Scores:
    """Scores with the gaps treated by one stated policy, and a note that says what it did.

    Parameters
    ----------
    scores : Scores
        NaN, or a model that a task does not have, counts as missing: errored, unscored and
        absent answers alike.
    policy : str
        ``"raise"`` stops and shows what each policy would keep. ``"pairwise"`` compares every
        pair on the rows both have. ``"listwise"`` keeps the rows that every model has.
        ``"fail"`` gives a missing answer the declared minimum of the score. ``"drop_models"``
        leaves out models with a gap. ``"bounds"`` counts a model with a gap as absent from that
        task, where it may stand anywhere.

    Returns
    -------
    Scores

    Raises
    ------
    DataError
        If there are gaps and the policy is ``"raise"``, or the policy leaves nothing.
    OptionError
        If ``"fail"`` is asked for and a task has no declared minimum.
    UnknownOptionError
        If the policy is not known.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [1, np.nan], [0, 0]]}, ["a", "b"])
    >>> resolve_missing(scores, "listwise").tasks["math"].n
    2
    """
    return _resolved(scores, find_gaps(scores), policy)


def _resolved(scores: Scores, gaps: list[Gap], policy: str) -> Scores:
    if policy not in POLICIES:
        raise UnknownOptionError.among("missing policy", policy, tuple(POLICIES))
    if policy in ("raise", "fail") and (rows := lost_rows(scores)):
        # What a mean of unnamed rows was made of is known to the reader alone.
        raise refuse_lost(
            scores, rows, "ranked or compared",
            'rb.read(path, failed="lowest", minimum=0), or missing="pairwise".',
        )  # fmt: skip
    if policy != "fail" and lost_trials(scores):
        scores = scores.with_notes(_trials_left_out(scores))
    if not gaps:
        return scores
    resolved = POLICIES[policy](scores, gaps)
    note = Note("missing", f"{_summary(scores, gaps)} {_DONE[policy]}", models=_named(gaps))
    failed = count_reasons(scores, gaps).failed
    if not failed or policy not in ("pairwise", "listwise"):
        return resolved.with_notes([note])
    left_out = Note(
        "failures-left-out",
        f"Failed and left out: {failed:,} of them. A model that fails where it would be wrong "
        "looks better than it is; --missing fail counts failures as the lowest score.",
        models=_named(gaps),
    )
    return resolved.with_notes([note, left_out])


def _trials_left_out(scores: Scores) -> list[Note]:
    lost = lost_trials(scores)
    option = f"--missing fail {worst_for_trials(scores)}".rstrip()
    return [
        Note(
            "failures-left-out",
            f"{note.message} A model that fails where it would be wrong looks better than it is; "
            f"{option} counts them as the lowest score.",
            note.task,
            note.models,
        )
        for note in lost
    ]


def resolve_items(scores: Scores, policy: str) -> Scores:
    """Scores with what is missing of tasks that were run treated by one policy.

    A model that left no trace on a task never ran it: that is no gap of this kind. One whose
    answers all failed did run it.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [1, np.nan], [0, 0]]}, ["a", "b"])
    >>> resolve_items(scores, "pairwise").notes[0].models
    ('b',)
    """
    gaps = [gap for gap in find_gaps(scores) if not never_run(scores, gap)]
    return _resolved(scores, gaps, policy)


def stop(scores: Scores, gaps: list[Gap]) -> Scores:
    """Refuse, and show what each policy would keep."""
    raise refuse_gaps(
        scores, gaps, ("pairwise", "listwise", "drop_models", "bounds", "fail"), "ranked",
        "rb.leaderboard(scores, ",
    )  # fmt: skip


def refuse_gaps(
    scores: Scores, gaps: list[Gap], policies: tuple[str, ...], done: str, call: str
) -> DataError:
    """What is missing and what each policy would keep, the one that fits the reason first.

    Parameters
    ----------
    scores : Scores
        Results with gaps.
    gaps : list of Gap
        All of them.
    policies : tuple of str
        What is offered: in this order, unless answers failed.
    done : str
        What was not done: ``"ranked"`` or ``"compared"``.
    call : str
        The call in Python, up to the option.
    """
    offered = list(policies)
    lacking = _without_scores(scores, gaps)
    if lacking:  # with them nobody can be compared, whatever is left out
        offered = [name for name in offered if name not in ("pairwise", "listwise")]
    reasons, read = count_reasons(scores, gaps), ""
    if not all(isinstance(scores.tasks[gap.task], Items) for gap in gaps):
        offered.remove("fail")  # a published score that is missing is no answer that failed
    elif reasons.failed > reasons.absent and "X" not in (options := to_declare(scores, gaps)):
        offered.remove("fail")
        offered.insert(0, "fail")
        bounds = ", ".join(
            one.replace("score-min ", "minimum=").replace("score-max ", "maximum=")
            for one in options.split("--")[1:]
        ).replace(" ,", ",")
        read = f"scores = rb.read(path, {bounds}); " if bounds else ""
    if not offered:
        return DataError("\n".join((_summary(scores, gaps), *lacking, f"Nothing was {done}.")))
    lines = [
        _summary(scores, gaps),
        *lacking,
        *(note.message for note in _strangers(scores)),
        f"Nothing was {done}. Choose what to do with them (the line to paste, what it keeps):",
        *(f"  --missing {name:<12}{_kept(scores, gaps, name)}" for name in offered),
        f'In Python: {read}{call}missing="{offered[0]}").',
    ]
    return DataError("\n".join(lines))


def _without_scores(scores: Scores, gaps: list[Gap]) -> list[str]:
    """A sentence on models that have no score on any task."""
    whole = Counter(gap.model for gap in gaps if gap.missing == gap.rows)
    found = [name for name in scores.models if whole[name] == len(scores.tasks)]
    if not found:
        return []
    has = "has" if len(found) == 1 else "have"
    return [
        f"{list_names(found, _MOST_NAMES)} {has} no score at all. "
        "Is the right column read as the score?"
    ]


def keep_pairs(scores: Scores, gaps: list[Gap]) -> Scores:
    """Leave the gaps; every pair is compared on the rows both models have."""
    return scores.with_notes([*_strangers(scores), *_passed_over(scores)])


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


def _strangers(scores: Scores) -> list[Note]:
    """A note for each task on which some models share no row with any other."""
    notes = []
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
                "test, their means can be compared: --test welch --missing pairwise (in Python: "
                "test='welch', missing='pairwise').",
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


POLICIES: dict[str, Callable[[Scores, list[Gap]], Scores]] = {
    "raise": stop,
    "pairwise": keep_pairs,
    "listwise": keep_complete_rows,
    "fail": fill_minimum,
    "drop_models": drop_incomplete_models,
    "bounds": count_as_absent,
}

_DONE = {
    "pairwise": "Every pair is compared on the rows both have; valid if what is missing does not "
    "depend on the score.",
    "listwise": "Only rows with a score from every model are used; valid if what is missing does "
    "not depend on the score.",
    "fail": "A missing answer counts as the lowest score.",
    "drop_models": "These models were left out.",
    "bounds": "On those tasks their rank may be any, from first to last; nothing is assumed about "
    "why.",
}


def _kept(scores: Scores, gaps: list[Gap], policy: str) -> str:
    reasons = count_reasons(scores, gaps)
    valid = "; valid only if what failed has nothing to do with the score" if reasons.failed else ""
    if policy == "pairwise":
        return f"all models, tasks and rows; every pair on the rows both have{valid}"
    if policy == "fail":
        options = to_declare(scores, gaps)
        need = f" (declare it: {options})" if options else ""
        doubt = (
            f"; doubtful: {reasons.absent:,} of them are not there, perhaps never asked"
            if reasons.absent
            else ""
        )
        return f"all models, tasks and rows; missing = lowest score{need}{doubt}"
    try:
        kept = POLICIES[policy](scores, gaps)
    except DataError:
        return "nothing"
    if policy == "bounds":
        return (
            f"all models, tasks and rows; in {len(gaps)} (model, task) cells with gaps the rank "
            "may be any"
        )
    total, rows = (sum(known_rows(one, task).rows for task in one.tasks) for one in (scores, kept))
    return (
        f"{len(kept.models)} of {len(scores.models)} models, "
        f"{len(kept.tasks)} of {len(scores.tasks)} tasks, {rows:,} of {total:,} rows"
        + ("; nothing to compare" if len(kept.models) < 2 else "")
        + (valid if policy == "listwise" else "")
    )


def _summary(scores: Scores, gaps: list[Gap]) -> str:
    missing = sum(gap.missing for gap in gaps)
    total = len(scores.models) * sum(known_rows(scores, task).rows for task in scores.tasks)
    by_model: dict[str, int] = {}
    for gap in gaps:
        by_model[gap.model] = by_model.get(gap.model, 0) + gap.missing
    ranked = sorted(by_model.items(), key=lambda entry: (-entry[1], entry[0]))
    shown = ", ".join(f"{name} ({count:,})" for name, count in ranked[:3])
    more = f" and {len(ranked) - 3} more models" if len(ranked) > 3 else ""
    share = "<0.1 %" if missing < 0.001 * total else f"{100 * missing / total:.1f} %"
    first = gaps[0]
    return (
        f"{missing:,} of {total:,} scores ({share}) are missing"
        f"{_statuses(scores)}: {shown}{more}; for instance model {first.model!r} on "
        f"{first.missing:,} of {first.rows:,} rows of task {first.task!r}."
    )


def _statuses(scores: Scores) -> str:
    counts = {"failed": 0, "ran but unscored": 0, "absent": 0}
    known = False
    for info in scores.info.values():
        if info.coverage is not None:
            known = True
            counts["failed"] += int(info.coverage.errors.sum())
            counts["ran but unscored"] += int(info.coverage.unscored.sum())
            counts["absent"] += int(info.coverage.missing.sum())
    if not known or not (counts["failed"] or counts["ran but unscored"]):
        return ""
    return " (" + ", ".join(f"{count:,} {word}" for word, count in counts.items() if count) + ")"


def _named(gaps: list[Gap]) -> tuple[str, ...]:
    return tuple(sorted({gap.model for gap in gaps}))


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

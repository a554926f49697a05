"""Metrics of several answers to an item: pass@k, pass^k, best@k and majority@k of the same rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import STOPPED_TRIALS, Note, list_names
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import Change, change_tasks
from rankbars.errors import DataError
from rankbars.stats.countscores import all_right, any_right, best_of, most_right
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import is_trial_metric

__all__ = ["note_stopped", "take_trial_metrics"]

_MEANING = {
    "pass@": "some of {k} is right, 1 - C(n-c, {k}) / C(n, {k}) of n answers with c right, "
    "averaged over items (unbiased)",
    "pass^": "all of {k} are right, C(c, {k}) / C(n, {k}) of n answers with c right, averaged "
    "over items (unbiased)",
    "best@": "the best of {k}, averaged over all subsets of {k} answers (unbiased)",
    "majority@": "more of {k} are right than wrong, averaged over all subsets of {k} answers "
    "(unbiased); a vote among several different answers can be right more often",
}  # fmt: skip
_PLUGIN = (
    "(c/n)^{k}, averaged over items: this is biased upwards, and made for comparison with numbers "
    "that were published so; pass^{k} is unbiased"
)

_UNTIL_RIGHT = "stopped at the first right one: no item has two, and it is always the last"
_WHERE_WRONG = (
    "asked for again where the first one was wrong: every item with several begins with a wrong "
    "one, and items that began right have one"
)
_STOPPED = (
    "the answers of {models} seem to have been {how}. A model's mean over such tries is too high. "
    "If each item was tried a number of times that did not depend on the answers, say so: --trials "
    "fixed (in Python: trials='fixed')."
)

# So seldom would luck ask again for wrong answers alone.
_BY_LUCK = 0.01

# Counts of subsets of more answers are no numbers of a computer.
_MOST_VOTES = 500

# As near to 0 or 1 as the mean of right and wrong answers must be to a count.
_NEAR = 1e-9


class _Asked(NamedTuple):
    """A metric of k answers."""

    name: str
    kind: str
    k: int
    plugin: bool


def _parse(name: str) -> _Asked | None:
    if not is_trial_metric(name):
        return None
    plain = name.removesuffix("-plugin")
    kind = plain.rstrip("0123456789")
    return _Asked(name, kind, int(plain.removeprefix(kind)), plain != name)


def take_trial_metrics(scores: Scores, metrics: Sequence[str], *, fixed: bool = False) -> Scores:
    """Scores in which each task shows the first of the metrics that its answers have.

    Parameters
    ----------
    scores : Scores
        Higher is better.
    metrics : sequence of str
        As the caller gave them; a name that is not of several answers is that of a metric that
        was read, or is passed over.
    fixed : bool
        Whether each item was tried a number of times that did not depend on the answers; else
        answers that look as if they had been stopped at the first right one are refused.

    Raises
    ------
    DataError
        If a task has too few answers for any of them, answers that are neither right nor wrong
        where that is needed, or answers that were stopped at the first right one.
    """
    changes: dict[str, Change | None] = {}
    taken: dict[str, list[str]] = {}
    info = dict(scores.info)
    for task, evidence in scores.tasks.items():
        asked = _first(task, evidence, info[task].metric, metrics, fixed)
        changes[task] = None
        if asked is not None:
            taken.setdefault(asked.name, []).append(task)
            info[task] = replace(info[task], metric=asked.name)
            if asked.kind != "best@":
                info[task] = replace(info[task], minimum=0.0, maximum=1.0, direction="higher")
        if asked is not None and asked.k > 1:
            changes[task] = Change(partial(_changed, asked=asked), evidence.models)
    notes = [Note("trial-metric", f"{name}: {_told(name)}.") for name in taken]
    tasks = change_tasks(scores.tasks, changes)
    return replace(scores, tasks=tasks, info=info).with_notes(notes)


def _told(name: str) -> str:
    asked = _parse(name)
    if asked is None:
        return name
    if asked.k == 1 and asked.kind != "best@":
        return "the mean over items of the share of right answers"
    return (_PLUGIN if asked.plugin else _MEANING[asked.kind]).format(k=asked.k)


def _first(
    task: str, evidence: Evidence, metric: str | None, metrics: Sequence[str], fixed: bool
) -> _Asked | None:
    """The first metric that can be had; None where it is the one that was read."""
    refusals: list[DataError] = []
    for name in metrics:
        asked = _parse(name)
        if metric == name or (asked is None and fold_name(name) == fold_name(metric or "")):
            return None
        if asked is None:
            continue
        try:
            _check(task, evidence, asked, fixed)
        except DataError as error:
            refusals.append(error)
        else:
            return asked
    if refusals:
        raise refusals[0]
    return None


def _counts(items: Items) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Right answers and all answers of each item and model; None if some are neither."""
    known = ~np.isnan(items.values)
    answers = known.astype(np.int64) if items.answers is None else items.answers * known
    total = np.where(known, items.values, 0.0) * answers
    right = np.rint(total)
    near = np.abs(total - right) <= _NEAR * np.maximum(answers, 1)
    # Answers that add up to a count need not be 0 and 1; their variance tells.
    vary = right * (answers - right) / np.maximum(answers * (answers - 1), 1)
    within = np.where(answers > 1, vary if items.within is None else items.within, 0.0)
    same = np.abs(within - np.where(answers > 1, vary, 0.0)) <= _NEAR
    fits = (right >= 0) & (right <= answers)
    if not (near & same & fits)[known].all():
        return None
    return right.astype(np.int64), answers


def _check(task: str, evidence: Evidence, asked: _Asked, fixed: bool) -> None:
    if not isinstance(evidence, Items):
        raise DataError(
            f"Task {task!r}: {asked.name} needs the answers to each item, and there are only "
            "published values or votes."
        )
    if asked.kind == "majority@" and asked.k > _MOST_VOTES:
        raise DataError(f"{asked.name}: a majority is taken of {_MOST_VOTES} answers at most.")
    counted = _counts(evidence)
    if counted is None and asked.kind != "best@":
        example = evidence.values[~np.isnan(evidence.values)]
        shown = next((f"{one:g}" for one in example.tolist() if one not in (0.0, 1.0)), "these")
        raise DataError(
            f"Task {task!r}: {asked.name} needs answers that are right or wrong, and scores such "
            f"as {shown} are neither. best@{asked.k} takes the best of graded scores; or make "
            "them 0 and 1 by a threshold first."
        )
    if counted is None and evidence.by_run is None and asked.k > 1:
        raise DataError(
            f"Task {task!r}: {asked.name} needs every answer to each item, and only their means "
            "were kept. Give the answers a column trial, so that each has a number."
        )
    known = ~np.isnan(evidence.values)
    answers = known * 1 if evidence.answers is None else evidence.answers
    answers = np.where(known, answers, np.iinfo(np.int64).max)
    fewest = int(answers.min(initial=np.iinfo(np.int64).max))
    if known.any() and fewest < asked.k:
        row, column = np.unravel_index(int(np.argmin(answers)), answers.shape)
        item = "" if evidence.ids is None else f" on item {evidence.ids[row]!r}"
        possible = f"{asked.kind}1" + (f" to {asked.kind}{fewest}" if fewest > 1 else "")
        raise DataError(
            f"Task {task!r}: {asked.name} needs {asked.k} answers to every item, and "
            f"{evidence.models[column]!r} has {fewest}{item}. Possible here: {possible}."
        )
    if counted is not None and not fixed and asked.k <= fewest:
        _refuse_stopped(task, evidence, *counted)


def _refuse_stopped(
    task: str, items: Items, right: NDArray[np.int64], answers: NDArray[np.int64]
) -> None:
    """Answers whose number depends on them: how many there are then says how hard it was."""
    for how, models in _stopped(items, right, answers).items():
        raise DataError(f"Task {task!r}: {_STOPPED.format(models=list_names(models), how=how)}")


def note_stopped(scores: Scores) -> Scores:
    """Scores with a note where the mean of answers is too high, as they were stopped when right."""
    notes = []
    for task, evidence in scores.tasks.items():
        if not isinstance(evidence, Items) or evidence.trials is None:
            continue
        counted = _counts(evidence)
        if counted is None:
            continue
        for how, models in _stopped(evidence, *counted).items():
            text = _STOPPED.format(models=list_names(models), how=how)
            notes.append(Note(STOPPED_TRIALS, text, task, tuple(models)))
    return scores.with_notes(notes) if notes else scores


def _stopped(
    items: Items, right: NDArray[np.int64], answers: NDArray[np.int64]
) -> dict[str, list[str]]:
    """Models whose number of answers to an item seems to depend on the answers, by how."""
    found: dict[str, list[str]] = {}
    for column, model in enumerate(items.models):
        c, n = right[:, column][answers[:, column] > 0], answers[:, column][answers[:, column] > 0]
        if _until_right(c, n) and _ends_right(items, column):
            found.setdefault(_UNTIL_RIGHT, []).append(model)
        elif _again_where_wrong(items, column):
            found.setdefault(_WHERE_WRONG, []).append(model)
    return found


def _until_right(c: NDArray[np.int64], n: NDArray[np.int64]) -> bool:
    """Whether items have one right answer at most, and without one as many as there can be."""
    if not len(n) or c.max() > 1 or len(np.unique(n[c == 1])) < 2:
        return False
    return bool((n[c == 0] == n.max()).all())


def _again_where_wrong(items: Items, column: int) -> bool:
    """Whether every item with several answers begins with a wrong one, and not by luck."""
    if items.by_run is None:
        return False
    cube = items.by_run[:, :, column]
    known = ~np.isnan(cube)
    cube, known = cube[known.any(axis=1)], known[known.any(axis=1)]
    first = cube[np.arange(len(cube)), np.argmax(known, axis=1)]
    again = known.sum(axis=1) > 1
    if not again.any() or again.all() or (first[again] > 0).any():
        return False
    every, wrong, taken = len(first), int((first == 0).sum()), int(again.sum())
    # All that were asked for again lie among those that began wrong.
    chance = gammaln([wrong + 1, every - taken + 1]) - gammaln([wrong - taken + 1, every + 1])
    return bool(chance.sum() <= math.log(_BY_LUCK))


def _ends_right(items: Items, column: int) -> bool:
    """Whether the right answer to an item is its last, where their order is known."""
    if items.by_run is None:
        return True
    cube = items.by_run[:, :, column]
    known = ~np.isnan(cube)
    last = np.where(known.any(axis=1), cube.shape[1] - 1 - np.argmax(known[:, ::-1], axis=1), 0)
    ends = cube[np.arange(len(cube)), last]
    return bool((ends[np.nansum(cube, axis=1) > 0] > 0).all())


def _changed(evidence: Evidence, asked: _Asked) -> Evidence:
    """The evidence with the metric of each item in place of the mean of its answers."""
    if not isinstance(evidence, Items):
        return evidence
    counted = _counts(evidence)
    if counted is None:
        cube = evidence.by_run
        values = evidence.values if cube is None else best_of(np.swapaxes(cube, 1, 2), asked.k)
    else:
        right, answers = counted
        ways: Mapping[str, Callable[..., NDArray[np.float64]]] = {
            "pass@": any_right, "pass^": all_right, "best@": any_right, "majority@": most_right,
        }  # fmt: skip
        values = (right / np.maximum(answers, 1)) ** asked.k if asked.plugin else (
            ways[asked.kind](right, np.maximum(answers, asked.k), asked.k)
        )  # fmt: skip
    values = np.where(np.isnan(evidence.values), np.nan, values)
    return replace(evidence, values=values, answers=None, runs=None, within=None, trials=None)

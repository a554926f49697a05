"""Failures that count as the baseline: a model without a score has that of the baseline there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from rankbars.data.checks import check_name
from rankbars.data.evidence import Estimates, Evidence, Items, Votes
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import Change, change_tasks, models_of
from rankbars.errors import DataError

__all__ = ["fill_from_baseline"]

_MOST_NAMED = 5


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
    shown = ", ".join(f"{name} on {filled[name]}" for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    note = Note(
        "filled-from-baseline",
        f"Scores that are missing count as those of {baseline} (tasks: {shown}{more}).",
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
    place = {name: i for i, name in enumerate(evidence.models)}
    lacks = np.asarray(np.isnan(values).any(axis=0))
    found = [name for name in models if name not in place or lacks[place[name]]]
    if lacks[place[baseline]]:
        raise DataError(_lacking(baseline, task))
    return found


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

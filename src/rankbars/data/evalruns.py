"""Records of evaluation runs: one score of one model on one task."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from rankbars.data.checks import check_name
from rankbars.data.evidence import Estimates
from rankbars.data.scores import Scores, TaskInfo
from rankbars.errors import DataError

__all__ = ["EvalRun", "read_runs", "scores_from_runs"]

_MISSING = object()


class EvalRun(NamedTuple):
    """One score of one model on one task.

    Attributes
    ----------
    model_id, task_id, metric_name : str
        Whose score on what, measured how.
    score : float
        Between 0 and 1, higher is better.
    category : str, optional
        Group of similar tasks.
    weight : float
        Weight of the task in the mean, 0 or more.
    """

    model_id: str
    task_id: str
    metric_name: str
    score: float
    category: str | None = None
    weight: float = 1.0


def read_runs(records: Iterable[object], metric: str | None = None) -> list[EvalRun]:
    """Checked runs from dicts or objects with the fields of `EvalRun`.

    Parameters
    ----------
    records : iterable of mappings or objects
        Fields beyond those of `EvalRun` are ignored.
    metric : str, optional
        Only runs with this metric.

    Returns
    -------
    list of EvalRun
        In the order they came; empty for no records.

    Raises
    ------
    DataError
        If a field is missing, a score is no number between 0 and 1, a run stands twice, records
        disagree about a task, or a model has several metrics on a task; names the record.
    UnknownOptionError
        If no record has the metric.

    Examples
    --------
    >>> read_runs([{"model_id": "a", "task_id": "t", "metric_name": "acc", "score": 0.5}])[0].score
    0.5
    """
    runs = [
        _read_run(number, record) for number, record in enumerate(_check_records(records), start=1)
    ]
    if metric is not None and runs:
        check_name("metric", metric, tuple(sorted({run.metric_name for run in runs})))
    _refuse_repeats(runs)
    chosen = [run for run in runs if metric in (None, run.metric_name)]
    _refuse_several_metrics(chosen)
    _refuse_disagreement(chosen)
    return chosen


def scores_from_runs(runs: Iterable[EvalRun]) -> Scores:
    """Runs as one published score per model and task, without errors.

    Raises
    ------
    DataError
        If there is no run.
    """
    tasks: dict[str, list[EvalRun]] = {}
    for run in runs:
        tasks.setdefault(run.task_id, []).append(run)
    if not tasks:
        raise DataError(
            "There are no records, so there is nothing to compare. For a table that may be empty "
            "use rankbars.plain_table(records)."
        )
    evidence, info = {}, {}
    for name, rows in tasks.items():
        rows.sort(key=lambda run: run.model_id)
        models = tuple(run.model_id for run in rows)
        evidence[name] = Estimates(models, np.array([run.score for run in rows]))
        info[name] = TaskInfo(minimum=0.0, maximum=1.0, weight=rows[0].weight)
        metrics = {run.metric_name for run in rows}
        info[name] = replace(
            info[name],
            category=rows[0].category,
            metric=metrics.pop() if len(metrics) == 1 else None,
        )
    return Scores(evidence, info)


def _read_run(number: int, record: object) -> EvalRun:
    names = {name: _field(number, record, name) for name in ("model_id", "task_id", "metric_name")}
    for name, value in names.items():
        if not isinstance(value, str) or not value:
            raise DataError(f"Record {number}: {name} must be a name; got {value!r}.")
    place = f"Record {number} (model {names['model_id']!r}, task {names['task_id']!r})"
    score = _number(place, "the score", _field(number, record, "score"))
    if not 0.0 <= score <= 1.0:
        raise DataError(
            f"{place}: the score must lie between 0 and 1; got {score:g}. A task on another scale "
            "would dominate the mean: divide percentages by 100."
        )
    weight = _number(place, "the weight", _field(number, record, "weight", 1.0))
    if weight < 0:
        raise DataError(f"{place}: the weight must be 0 or more; got {weight:g}.")
    category = _field(number, record, "category", None)
    if category is not None and not isinstance(category, str):
        raise DataError(f"{place}: the category must be a name; got {category!r}.")
    return EvalRun(**names, score=score, category=category, weight=weight)


def _field(number: int, record: object, name: str, usual: Any = _MISSING) -> Any:
    fields = record if isinstance(record, Mapping) else None
    value = getattr(record, name, usual) if fields is None else fields.get(name, usual)
    if value is _MISSING:
        raise DataError(
            f"Record {number} has no {name}. Needed are model_id, task_id, metric_name and score; "
            "category and weight are optional."
        )
    return value


def _number(place: str, what: str, value: object) -> float:
    # True is a number to Python, and hardly ever meant as one.
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.number)):
        found = math.nan
    else:
        found = float(value)
    if not math.isfinite(found):
        raise DataError(f"{place}: {what} must be a finite number; got {value!r}.")
    return found


def _refuse_repeats(runs: list[EvalRun]) -> None:
    seen: dict[tuple[str, str, str], int] = {}
    for number, run in enumerate(runs, start=1):
        first = seen.setdefault((run.model_id, run.task_id, run.metric_name), number)
        if first != number:
            raise DataError(
                f"Records {first} and {number} are both about model {run.model_id!r}, task "
                f"{run.task_id!r} and metric {run.metric_name!r}. Keep one of them."
            )


def _refuse_several_metrics(runs: list[EvalRun]) -> None:
    metric: dict[tuple[str, str], str] = {}
    for run in runs:
        known = metric.setdefault((run.model_id, run.task_id), run.metric_name)
        if known != run.metric_name:
            raise DataError(
                f"Model {run.model_id!r} has several metrics on task {run.task_id!r}: {known!r} "
                f"and {run.metric_name!r}. Choose one with metric= (--metric)."
            )


def _refuse_disagreement(runs: list[EvalRun]) -> None:
    first: dict[str, EvalRun] = {}
    for run in runs:
        known = first.setdefault(run.task_id, run)
        for what in ("weight", "category"):
            one, other = getattr(known, what), getattr(run, what)
            if one != other:
                raise DataError(
                    f"Records disagree about the {what} of task {run.task_id!r}: {one!r} for "
                    f"model {known.model_id!r}, {other!r} for {run.model_id!r}."
                )
    if runs and all(run.weight == 0 for run in runs):
        raise DataError("All weights are zero; at least one must be above 0.")


def _check_records(given: object) -> Iterable[object]:
    """`given`, if it can hold records: a list or another iterable, but no text and no mapping.

    Raises
    ------
    DataError
        If it cannot.
    """
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise DataError(
            "Records are a list of dicts or objects, one per model and task; got "
            f"{type(given).__name__}."
        )
    return given

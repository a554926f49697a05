"""Tasks whose scores were published as one value per model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rankbars.data.evidence import Coverage, Estimates
from rankbars.data.notes import Note, Remarks, list_names
from rankbars.errors import DataError
from rankbars.readers.logs.choices import Chosen
from rankbars.readers.logs.records import ERROR, SCORED, Rows, Run
from rankbars.tables.taskestimates import Summaries, build_estimates

__all__ = ["Published", "count_published", "has_items", "mark_unscored", "publish"]


class _Value(NamedTuple):
    """A score, its standard error and the items behind it."""

    mean: float
    se: float
    n: int


_NO_VALUE = _Value(np.nan, np.nan, 0)
_PERCENT = 100.0


class Published(NamedTuple):
    """Evidence by task, and notes on where its uncertainty comes from."""

    tasks: dict[str, Estimates]
    notes: tuple[Note, ...]


def mark_unscored(chosen: Chosen, remarks: Remarks) -> Chosen | None:
    """The runs, where a model without any usable score is remarked; None if that is all of them.

    A value that is no finite number is no score. Its model has no answers beside the answers of
    the others, or no value beside their values.
    """
    empty = {
        model: runs
        for model, runs in chosen.runs.items()
        if not any(_has_answers(run) for run in runs)
        and any(chosen.measure(run) is not None for run in runs)
        and all((m := chosen.measure(run)) is None or m.value is None for run in runs)
    }
    if not empty:
        return chosen
    remarks.add(
        "no-score",
        f"no score: {list_names(empty)} ({next(iter(empty.values()))[0].source}: the value of "
        f"{chosen.metric!r} is no finite number).",
        chosen.task,
    )
    others = [run for model, runs in chosen.runs.items() for run in runs if model not in empty]
    if not any(_has_answers(run) for run in others):
        valued = any((m := chosen.measure(run)) is not None and m.value is not None
                     for run in others)  # fmt: skip
        return chosen if valued else None
    if not all(_has_scored_items(chosen, run) for run in others):
        return chosen
    identity = next(run.rows.identity for run in others if run.rows is not None)
    rows = Rows((), np.zeros(0, np.uint8), other_ids=(), identity=identity)
    return chosen._replace(runs={
        model: (replace(runs[-1], rows=rows, measures={}),) if model in empty else runs
        for model, runs in chosen.runs.items()
    })  # fmt: skip


def _is_marked(run: Run) -> bool:
    """Whether `mark_unscored` took the run for one without any score."""
    return run.rows is not None and not run.measures and run.rows.other_ids == ()


def _has_answers(run: Run) -> bool:
    return run.rows is not None and len(run.rows.ids) > 0


def has_items(chosen: Chosen, remarks: Remarks) -> bool:
    """Whether every model has scores of items; else published values are compared."""
    without = []
    answered = any(_has_answers(run) for runs in chosen.runs.values() for run in runs)
    for model, runs in chosen.runs.items():
        if answered and all(_is_marked(run) for run in runs):
            continue
        if not all(_has_scored_items(chosen, run) for run in runs):
            without.append(model)
    if not without:
        return True
    values = [measure.value for measure in chosen.measures if measure.value is not None]
    if not values:
        # Nothing was published either: an answer without a score is still an answer.
        _require_rows(chosen)
        return True
    if len(without) < len(chosen.runs):
        remarks.add(
            "no-items",
            f"no scores of items for {list_names(without)}: published values of all models are "
            "compared, unpaired.",
            chosen.task,
        )
    elif declined := next((m.declined for m in chosen.measures if m.declined), None):
        remarks.add("not-per-item", f"published values are used: {declined}.", chosen.task)
    return False


def publish(
    tasks: Sequence[Chosen], metrics: dict[str, str | None], *, others: int = 0
) -> Published:
    """Evidence of tasks without item scores; `others` is the number of tasks that have them.

    Raises
    ------
    DataError
        If a model has neither a value nor items.
    """
    if not tasks:
        return Published({}, ())
    models = tuple(sorted({model for chosen in tasks for model in chosen.runs}))
    shape = (len(tasks), len(models))
    mean, se, n = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape, np.int64)
    present = np.zeros(shape, np.bool_)
    for row, chosen in enumerate(tasks):
        for model, runs in chosen.runs.items():
            column = models.index(model)
            found = _summarise(chosen, model, runs)
            mean[row, column], se[row, column], n[row, column] = found
            present[row, column] = True
        if ((mean[row] < 0) | (mean[row] > _PERCENT)).any():
            # No shares, so that a number of items alone says nothing about errors.
            n[row, np.isnan(se[row])] = 0
    sources = frozenset({"se"} if not np.isnan(se).all() else ())
    summaries = Summaries(mean, se, n, present, np.full(shape, np.nan), sources, {})
    names = {"model": models, "task": tuple(chosen.task for chosen in tasks)}
    built, notes = build_estimates(summaries, names, metrics, percent=False, others=others)
    return Published(built, notes)


def count_published(chosen: Chosen) -> Coverage | None:
    """Items graded of those expected, where the logs tell."""
    expected, scored, without, failed = [], [], [], []
    for runs in chosen.runs.values():
        run = runs[-1]
        measure = chosen.measure(run)
        if run.expected is None or measure is None or measure.n is None:
            return None
        expected.append(run.expected)
        unscored = measure.value is None and not _has_answers(run)
        scored.append(0 if unscored else measure.n)
        without.append(measure.n if unscored else 0)
        rows = 0 if run.rows is None else int(np.count_nonzero(run.rows.status == ERROR))
        # The producer may count what failed; an item is not both scored and failed.
        left = run.expected if unscored else max(0, run.expected - measure.n)
        failed.append(min(max(run.failed, rows), left))
    counts = np.array([scored, without, failed], np.int64)
    most = int(max(*expected, *counts.sum(axis=0)))
    return Coverage(most, counts[0], counts[1], counts[2], most - counts.sum(axis=0))


def _require_rows(chosen: Chosen) -> None:
    for model, runs in chosen.runs.items():
        for run in runs:
            if run.rows is None or not len(run.rows.ids):
                raise DataError(
                    f"{run.source}: model {model!r} has neither scores of items nor a published "
                    f"value on task {chosen.task!r}. Leave the file out."
                )


def _has_scored_items(chosen: Chosen, run: Run) -> bool:
    measure = chosen.measure(run)
    if run.rows is None or not len(run.rows.ids):
        return False
    if measure is None or measure.value is None:
        return True
    return measure.scores is not None and not np.isnan(measure.scores).all()


def _summarise(chosen: Chosen, model: str, runs: Sequence[Run]) -> _Value:
    values = [_value(chosen, run) for run in runs]
    lacking = (run for run, value in zip(runs, values, strict=True) if value is None)
    if any(_has_answers(run) for run in lacking):
        raise DataError(
            f"{runs[0].source}: model {model!r} has neither scores of items nor a published value "
            f"of the metric {chosen.metric!r} on task {chosen.task!r}."
        )
    # Runs without any value are remarked already.
    known = np.array([value for value in values if value is not None] or [_NO_VALUE])
    # Runs share their items, so their mean is at most as uncertain as the mean of their errors.
    return _Value(float(known[:, 0].mean()), float(known[:, 1].mean()), int(known[:, 2].max()))


def _value(chosen: Chosen, run: Run) -> _Value | None:
    measure = chosen.measure(run)
    if measure is None:
        return _NO_VALUE
    if measure.value is not None:
        se = np.nan if measure.se is None else measure.se
        return _Value(measure.value, se, measure.n or 0)
    if measure.scores is None or run.rows is None:
        return None
    scores = measure.scores[(run.rows.status == SCORED) & ~np.isnan(measure.scores)]
    items = np.array(run.rows.ids, dtype=object)[
        (run.rows.status == SCORED) & ~np.isnan(measure.scores)
    ]
    if not len(scores):
        return _NO_VALUE
    _, item = np.unique(items.astype(str), return_inverse=True)
    means = np.bincount(item.reshape(-1), scores) / np.bincount(item.reshape(-1))
    se = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else np.nan
    return _Value(float(means.mean()), se, len(means))

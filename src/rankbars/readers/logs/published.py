"""Tasks whose scores were published as one value per model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankbars.data.evidence import Coverage, Estimates
from rankbars.data.notes import Note
from rankbars.data.tabular.summaries import Summaries
from rankbars.data.tabular.taskestimates import build_estimates
from rankbars.errors import DataError
from rankbars.readers.logs.choosing import Chosen
from rankbars.readers.logs.records import ERROR, SCORED, Run
from rankbars.readers.logs.remarks import Remarks, list_names

__all__ = ["Published", "count_published", "has_items", "publish"]


class _Value(NamedTuple):
    """A score, its standard error and the items behind it."""

    mean: float
    se: float
    n: int


class Published(NamedTuple):
    """Evidence by task, and notes on where its uncertainty comes from."""

    tasks: dict[str, Estimates]
    notes: tuple[Note, ...]


def has_items(chosen: Chosen, remarks: Remarks) -> bool:
    """Whether every model has scores of items; else published values are compared."""
    without = []
    for model, runs in chosen.runs.items():
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
    sources = frozenset({"se"} if not np.isnan(se).all() else ())
    summaries = Summaries(mean, se, n, present, np.full(shape, np.nan), sources, {})
    names = {"model": models, "task": tuple(chosen.task for chosen in tasks)}
    built, notes = build_estimates(summaries, names, metrics, percent=False, others=others)
    return Published(built, notes)


def count_published(chosen: Chosen) -> Coverage | None:
    """Items graded of those expected, where the logs tell."""
    expected, scored, failed = [], [], []
    for runs in chosen.runs.values():
        run = runs[-1]
        measure = chosen.measure(run)
        if run.expected is None or measure is None or measure.n is None:
            return None
        expected.append(run.expected)
        scored.append(measure.n)
        rows = 0 if run.rows is None else int(np.count_nonzero(run.rows.status == ERROR))
        failed.append(max(run.failed, rows))
    most = max(*expected, *(s + f for s, f in zip(scored, failed, strict=True)))
    counts = [np.array(one, np.int64) for one in (scored, failed)]
    nothing = np.zeros(len(scored), np.int64)
    return Coverage(most, counts[0], nothing, counts[1], most - counts[0] - counts[1])


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
    if any(value is None for value in values):
        raise DataError(
            f"{runs[0].source}: model {model!r} has neither scores of items nor a published value "
            f"of the metric {chosen.metric!r} on task {chosen.task!r}."
        )
    known = np.array([value for value in values if value is not None])
    # Runs share their items, so their mean is at most as uncertain as the mean of their errors.
    return _Value(float(known[:, 0].mean()), float(known[:, 1].mean()), int(known[:, 2].max()))


def _value(chosen: Chosen, run: Run) -> _Value | None:
    measure = chosen.measure(run)
    if measure is None:
        return _Value(np.nan, np.nan, 0)
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
        return _Value(np.nan, np.nan, 0)
    _, item = np.unique(items.astype(str), return_inverse=True)
    means = np.bincount(item.reshape(-1), scores) / np.bincount(item.reshape(-1))
    se = float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else np.nan
    return _Value(float(means.mean()), se, len(means))

"""Several runs of one model on one task: the newest counts, or all of them are repeats."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankbars.errors import DataError
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.records import SCORED, Measure, Run
from rankbars.readers.logs.remarks import Remarks

__all__ = ["choose_runs"]


def choose_runs(
    task: str, model: str, metric: str | None, runs: Sequence[Run], options: ReadOptions,
    remarks: Remarks,
) -> tuple[Run, ...]:  # fmt: skip
    """The runs that count: one, or all distinct ones as repeats.

    Raises
    ------
    DataError
        If it cannot be told which of several different runs is the newest.
    """
    if len(runs) == 1:
        return (runs[0],)
    distinct: list[Run] = []
    for run in runs:
        if not any(_is_same(run, other, metric) for other in distinct):
            distinct.append(run)
    if len(distinct) < len(runs):
        remarks.add(
            "copies", f"model {model!r}: {len(runs) - len(distinct)} copies of a run are left out.",
            task,
        )  # fmt: skip
    if len(distinct) == 1:
        return (distinct[0],)
    with_scores = [run for run in distinct if _has_scores(run, metric)]
    if options.reruns == "all":
        kept = sorted(with_scores or distinct, key=lambda run: (run.stamp or 0.0, run.source))
        remarks.add("reruns", f"model {model!r}: {len(kept)} runs count as repeats.", task)
        return tuple(kept)
    best = max(distinct, key=lambda run: _preference(run, metric))
    same = [run for run in distinct if _preference(run, metric) == _preference(best, metric)]
    if len(same) > 1:
        raise DataError(
            f"Task {task!r}, model {model!r}: there are {len(same)} different runs and no time "
            f"says which is the newest: {', '.join(run.source for run in same[:3])}. Leave all but "
            "one out, or take them as repeats: --reruns all (in Python: reruns='all')."
        )
    remarks.add(
        "reruns",
        f"model {model!r}: of {len(distinct)} runs the newest is used ({best.source}"
        f"{'' if best.finished else ', not finished'}); --reruns all takes them as repeats.",
        task,
    )
    return (best,)


def _preference(run: Run, metric: str | None) -> tuple[bool, bool, float]:
    """Runs with scores first, then finished ones, then the newest."""
    return _has_scores(run, metric), run.finished, -math.inf if run.stamp is None else run.stamp


def _has_scores(run: Run, metric: str | None) -> bool:
    measure = run.measures.get(metric) if metric is not None else None
    if measure is None:
        return False
    has_items = measure.scores is not None and not np.isnan(measure.scores).all()
    return has_items or measure.value is not None


def _is_same(one: Run, two: Run, metric: str | None) -> bool:
    """Whether two runs say the same, whatever file they are from."""
    if one.stamp != two.stamp and None not in (one.stamp, two.stamp):
        return False
    first = one.measures.get(metric) if metric is not None else None
    second = two.measures.get(metric) if metric is not None else None
    if (first is None) != (second is None) or (one.rows is None) != (two.rows is None):
        return False
    if first is not None and second is not None and first.value != second.value:
        return False
    if one.rows is not None and two.rows is not None and len(one.rows.ids) != len(two.rows.ids):
        return False
    return _answers(one, first) == _answers(two, second)


def _answers(run: Run, measure: Measure | None) -> dict[tuple[str, int], tuple[int, str]]:
    """State and score of each answer; NaN as text equals itself."""
    if run.rows is None:
        return {}
    size = len(run.rows.ids)
    repeats = np.zeros(size, np.int64) if run.rows.repeats is None else run.rows.repeats
    scores = np.full(size, np.nan)
    if measure is not None and measure.scores is not None:
        scores = measure.scores
    status = np.where(np.isnan(scores), run.rows.status, SCORED)
    return {
        (name, repeat): (state, repr(score))
        for name, repeat, state, score in zip(
            run.rows.ids, repeats.tolist(), status.tolist(), scores.tolist(), strict=True
        )
    }

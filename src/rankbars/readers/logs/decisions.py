"""From runs to scores: the way every log goes, whatever wrote it."""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Estimates, Evidence, Items
from rankbars.data.notes import Note, Remarks, list_names, note_chosen
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError, Lacking, UnknownOptionError
from rankbars.readers.logs.choices import (
    Chosen,
    choose,
    name_systems,
    name_tasks,
)
from rankbars.readers.logs.pairing import pair_items
from rankbars.readers.logs.published import count_published, has_items, mark_unscored, publish
from rankbars.readers.logs.records import Direction, Run
from rankbars.tables.descriptions import RECORDED, Side, settle_directions
from rankbars.tables.metrics import is_proportion
from rankbars.tables.oddscores import check_scale, check_signs
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.settings import Given, describe_settings

__all__ = ["scores_from_runs"]

# Published values are often rounded to four digits.
ROUNDING = 1e-4

# What runs say, by what it is and in which context it is compared.
Facts: TypeAlias = "dict[tuple[str, str], str]"


def scores_from_runs(runs: Iterable[Run], options: ReadOptions) -> Scores:
    """Scores of all runs; the order of decisions is told in `rankbars.readers.logs.records`.

    Parameters
    ----------
    runs : iterable of Run
        What the readers found.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    DataError
        If there is nothing to compare, or it cannot be told what is to be compared.
    """
    every = list(runs)
    if not every:
        raise DataError("There is no result in the logs.")
    _check_filters(every, options)
    _check_clusters(every, options)
    notes = list(dict.fromkeys(note for run in every for note in run.notes))
    leaves, more = _take_leaves(every)
    notes += more
    systems, more = name_systems(leaves)
    notes += more
    # As if the others were not there: what they were asked decides nothing.
    systems, more = _choose_models(systems, options.models)
    notes += more
    if not options.compare_anyway:
        systems, more = name_tasks(systems)
        notes += more
    remarks = Remarks()
    groups = _group_runs(systems)
    chosen = [
        found
        for task, of_task in groups.items()
        if (found := choose(task, of_task, options, remarks)) is not None
    ]
    if not chosen:
        names = {name: None for run in systems for name in run.measures}
        error = UnknownOptionError.among("metric", next(iter(options.metrics), ""), tuple(names))
        raise error.about(Lacking("metric", options.metrics, tuple(names)))
    _refuse_faults(chosen)
    chosen = _leave_out_empty(chosen, remarks)
    scores = _build(chosen, options, remarks)
    return replace(scores, notes=(*notes, *remarks.notes(len(groups)), *scores.notes))


def _choose_models(systems: list[Run], wanted: Sequence[str]) -> tuple[list[Run], list[Note]]:
    """Runs of the models that are wanted; all runs if these logs have none of them."""
    known = {run.model for run in systems}
    kept = known.intersection(wanted)
    if not kept or kept == known:
        return systems, []
    chosen = [run for run in systems if run.model in kept]
    return chosen, [note_chosen(len(kept), len(known))]


def _check_filters(runs: Sequence[Run], options: ReadOptions) -> None:
    known = sorted({name for run in runs for name in run.variants.values()})
    for name in options.filters:
        if name not in known:
            error = UnknownOptionError.among("filter", name, known)
            raise error.about(Lacking("filter", (name,), tuple(known)))


def _check_clusters(runs: Sequence[Run], options: ReadOptions) -> None:
    holding = [run for run in runs if run.rows is not None and run.rows.ids]
    if not options.columns.get("cluster") or not holding:
        return
    if any(one is not None for run in holding if run.rows for one in run.rows.clusters or ()):
        return
    every = len({(run.task, name) for run in holding if run.rows for name in run.rows.ids})
    error = DataError(
        f"{every} of {every} items have no cluster under the key that was named "
        "(--column cluster=KEY)."
    )
    raise error.about(Lacking("cluster", (options.columns["cluster"],), ()))


def _leave_out_empty(every: Sequence[Chosen], remarks: Remarks) -> list[Chosen]:
    """Tasks of which some model has a score; all of them if none has."""
    kept = [found for one in every if (found := mark_unscored(one, remarks)) is not None]
    return kept or list(every)


def _refuse_faults(every: Sequence[Chosen]) -> None:
    for chosen in every:
        for measure in chosen.measures:
            if measure.fault is not None:
                raise DataError(measure.fault)


def _build(every: Sequence[Chosen], options: ReadOptions, remarks: Remarks) -> Scores:
    metrics = {chosen.task: _metric_name(chosen) for chosen in every}
    directions, notes = _settle(every, metrics, options)
    raw: dict[str, Evidence] = {}
    coverage: dict[str, Coverage | None] = {}
    published = []
    for chosen in every:
        same = _check_agreement(chosen, options, remarks)
        if has_items(chosen, remarks):
            raw[chosen.task], coverage[chosen.task] = pair_items(
                chosen,
                shared_only=not options.by_call and not same,
                by_call=options.by_call,
                clustered=bool(options.columns.get("cluster")),
                remarks=remarks,
                lowest=_lowest(chosen, directions[chosen.task], options),
            )
        else:
            published.append(chosen)
            coverage[chosen.task] = count_published(chosen)
    estimates = publish(published, metrics, others=len(every) - len(published))
    raw |= estimates.tasks
    _check_scales(raw, metrics, directions, options)
    tasks, info = {}, {}
    suites = _suites(every)
    for chosen in every:
        task = chosen.task
        _compare_with_published(chosen, raw[task], remarks)
        _remark_coverage(task, raw[task], coverage[task], remarks)
        low, high = _limits(chosen, raw[task], metrics[task], options)
        settings = {key: next(iter(values)) for key, values in _facts(chosen, _settings).items()}
        info[task] = TaskInfo(
            category=next((r.category for rs in chosen.runs.values() for r in rs if r.category),
                          None),
            metric=metrics[task], direction=directions[task], minimum=low, maximum=high,
            coverage=coverage[task], settings=settings, **suites[task],
        )  # fmt: skip
        tasks[task] = _turn(raw[task]) if directions[task] == "lower" else raw[task]
    return Scores(tasks, info, (*notes, *estimates.notes))


def _suites(every: Sequence[Chosen]) -> dict[str, dict[str, Any]]:
    """The group with which each task counts as one: the widest, where logs name several."""
    said = {chosen.task: {(r.group, r.pooled) for rs in chosen.runs.values() for r in rs if r.group}
            for chosen in every}  # fmt: skip
    width = Counter(name for found in said.values() for name, _ in found)
    suites: dict[str, dict[str, Any]] = {}
    for task, found in said.items():
        name = max((name for name, _ in found), key=lambda one: (width[one], one), default=None)
        suites[task] = {
            "group": name, "pooled": all(pooled for one, pooled in found if one == name),
        }  # fmt: skip
    return suites


def _lowest(chosen: Chosen, direction: Direction, options: ReadOptions) -> float | None:
    """What an answer without a score counts as, if it is to count: the worst; NaN if unknown."""
    if not options.failed:
        return None
    worst = {measure.limits[0 if direction == "higher" else 1] for measure in chosen.measures}
    declared = options.minimum if direction == "higher" else options.maximum
    known = worst.pop() if len(worst) == 1 else None
    return next((one for one in (declared, known) if one is not None), math.nan)


def _metric_name(chosen: Chosen) -> str | None:
    """Name that tells direction and scale."""
    said = next((measure.metric for measure in chosen.measures if measure.metric), None)
    return said or chosen.metric


def _settle(
    every: Sequence[Chosen], metrics: Mapping[str, str | None], options: ReadOptions
) -> tuple[dict[str, Direction], tuple[Note, ...]]:
    sides = {}
    for chosen in every:
        metric = metrics[chosen.task]
        recorded = {m.direction for m in chosen.measures if m.direction is not None}
        declared = {chosen.task, metric, ""} & set(options.direction)
        if len(recorded) > 1 and not declared:
            raise DataError(
                f"Task {chosen.task!r}: the logs say both higher and lower for the metric "
                f"{metric!r}. Declare one: {shlex.join(('--direction', f'{metric}=higher'))} or "
                f"{shlex.join(('--direction', f'{metric}=lower'))}."
            )
        origins = dict.fromkeys(m.origin for m in chosen.measures if m.direction is not None)
        sides[chosen.task] = Side(
            metric, next(iter(recorded), None), origin="; ".join(origins) or RECORDED
        )
    try:
        return settle_directions(sides, options.direction)
    except UnknownOptionError:
        raise
    except DataError as error:
        others = {name for chosen in every for rs in chosen.runs.values() for run in rs
                  for name in run.measures if name != chosen.metric}  # fmt: skip
        if not others:
            raise
        raise DataError(
            f"{error} Or choose other metrics with --metric: {list_names(sorted(others))}."
        ) from error


def _check_scales(
    raw: Mapping[str, Evidence], metrics: Mapping[str, str | None],
    directions: Mapping[str, Direction], options: ReadOptions,
) -> None:  # fmt: skip
    """R3: a proportion must not stand as 0.73 for one model and as 73 for another.

    Nor may a loss be negated already where low counts as good.
    """
    models = tuple(sorted({model for evidence in raw.values() for model in evidence.models}))
    position = {model: column for column, model in enumerate(models)}
    largest: dict[str, NDArray[np.float64]] = {}
    for task, evidence in raw.items():
        top = np.full(len(models), np.nan)
        columns = [position[model] for model in evidence.models]
        if isinstance(evidence, Items) and evidence.n:
            top[columns] = np.fmax.reduce(evidence.values, axis=0)
        elif isinstance(evidence, Estimates):
            top[columns] = evidence.mean
        largest[task] = top
    declared = [limit for limit in (options.minimum, options.maximum) if limit is not None]
    check_scale(largest, metrics, models, declared)
    check_signs(largest, metrics, directions, options.maximum)


def _limits(
    chosen: Chosen, evidence: Evidence, metric: str | None, options: ReadOptions
) -> tuple[float | None, float | None]:
    """Declared limits; else those of the log; else 0 and 1 for a proportion."""
    low, high = options.minimum, options.maximum
    values = _values(evidence)
    values = values[~np.isnan(values)]
    if low is not None or high is not None:
        outside = values[(values < (-np.inf if low is None else low))
                         | (values > (np.inf if high is None else high))]  # fmt: skip
        if len(outside):
            raise DataError(
                f"Task {chosen.task!r}: the score {outside[0]:g} lies outside the declared "
                "limits. Correct the limits."
            )
        return low, high
    fixed = {measure.limits for measure in chosen.measures}
    if len(fixed) == 1 and fixed != {(None, None)}:
        return next(iter(fixed))
    within = bool(((values >= 0.0) & (values <= 1.0)).all())
    return (0.0, 1.0) if metric is not None and is_proportion(metric) and within else (None, None)


def _values(evidence: Evidence) -> NDArray[np.float64]:
    if isinstance(evidence, Items):
        return evidence.values
    return evidence.mean if isinstance(evidence, Estimates) else np.empty(0)


def _turn(evidence: Evidence) -> Evidence:
    """The same evidence with the sign that makes higher better."""
    if isinstance(evidence, Items):
        runs, trials = (
            None if one is None else 0.0 - one for one in (evidence.runs, evidence.trials)
        )
        return replace(evidence, values=0.0 - evidence.values, runs=runs, trials=trials)
    if isinstance(evidence, Estimates):
        return replace(evidence, mean=0.0 - evidence.mean)
    return evidence


def _compare_with_published(chosen: Chosen, evidence: Evidence, remarks: Remarks) -> None:
    """A remark where the mean of the items is not what the producer published about them."""
    if not isinstance(evidence, Items):
        return
    for column, (model, runs) in enumerate(chosen.runs.items()):
        measure = chosen.measure(runs[-1])
        scores = evidence.values[:, column]
        known = scores[~np.isnan(scores)]
        whole = len(runs) == 1 and measure is not None and measure.n == len(known)
        if not whole or measure is None or measure.value is None or not len(known):
            continue
        mean = float(known.mean())
        if abs(mean - measure.value) > ROUNDING * max(1.0, abs(mean)):
            remarks.add(
                "published-differs",
                f"model {model!r}: the mean of the items is {mean:.4g}, the published value "
                f"{measure.value:.4g}. The items count.",
                chosen.task,
            )


def _remark_coverage(
    task: str, evidence: Evidence, coverage: Coverage | None, remarks: Remarks
) -> None:
    if coverage is None or not coverage.expected:
        return
    short = np.flatnonzero(coverage.scored < coverage.expected)
    if not len(short):
        return
    parts = []
    for column in short[:3].tolist():
        counts = {
            "unscored": coverage.unscored[column], "failed": coverage.errors[column],
            "missing": coverage.missing[column],
        }  # fmt: skip
        lost = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        parts.append(f"{evidence.models[column]!r} {coverage.scored[column]} ({lost})")
    more = f"; and {len(short) - 3} more models" if len(short) > 3 else ""
    whole = f"not all of {coverage.expected} items"
    if coverage.expected == 1:
        whole = "not all answers to the only item"
    remarks.add(
        "coverage",
        f"{whole} are scored: {'; '.join(parts)}{more}.",
        task,
    )


def _check_agreement(chosen: Chosen, options: ReadOptions, remarks: Remarks) -> bool:
    """Whether all models were given the same task, as far as the logs tell.

    Raises
    ------
    DataError
        If they were not, and the caller did not ask to compare them anyway.
    """
    found = [*describe_settings(_facts(chosen, _agreed)), *_questions_that_differ(chosen)]
    if not found:
        return True
    if not options.compare_anyway:
        raise DataError(
            f"Task {chosen.task!r}: the models were not given the same task. {' '.join(found)} "
            "Rank the groups one at a time, or compare them anyway: --compare-anyway (in Python: "
            "compare_anyway=True)."
        )
    remarks.add("task-differs", f"compared as asked, although: {' '.join(found)}", chosen.task)
    return False


def _facts(chosen: Chosen, of_run: Callable[[Run], Facts]) -> Given:
    """Models by the value of each fact about their runs."""
    found: Given = {}
    for model, runs in chosen.runs.items():
        for key, value in (item for run in runs for item in of_run(run).items()):
            found.setdefault(key, {}).setdefault(value, []).append(model)
    return found


def _agreed(run: Run) -> Facts:
    return {(name, fact.context): fact.value for name, fact in run.agree.items()}


def _settings(run: Run) -> Facts:
    """All that must be the same where results are read one by one and put together."""
    return {(kind, ""): value for kind, value in run.variants.items()} | _agreed(run)


def _questions_that_differ(chosen: Chosen) -> list[str]:
    """Items whose fingerprint is not the same for all models."""
    known: dict[str, int] = {}
    differing: set[str] = set()
    for runs in chosen.runs.values():
        for run in runs:
            rows = run.rows
            if rows is None or rows.prints is None or not rows.has_unique(rows.ids):
                continue
            for name, mark in zip(rows.ids, rows.prints.tolist(), strict=True):
                if known.setdefault(name, mark) != mark:
                    differing.add(name)
    if not differing:
        return []
    return [f"{len(differing)} of {len(known)} items have another question or target."]


def _group_runs(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs by task, in code-point order of the tasks."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.task, []).append(run)
    return dict(sorted(groups.items()))


def _take_leaves(runs: Sequence[Run]) -> tuple[list[Run], list[Note]]:
    """Runs without the wholes whose parts are there: no part counts together with its whole."""
    tasks = {run.task for run in runs}
    wholes = {run.task for run in runs if tasks.intersection(run.parts) - {run.task}}
    if not wholes:
        return list(runs), []
    note = Note(
        "groups",
        f"Left aside, because other tasks here are parts of it: {list_names(sorted(wholes))}. "
        "The parts have it as their category.",
    )
    return [run for run in runs if run.task not in wholes], [note]

"""Of several names, variants, metrics and runs, those that are compared; each is a remark."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rankbars.data.notes import Note, Remarks, list_names
from rankbars.errors import DataError
from rankbars.readers.logs.records import SCORED, Measure, Run
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import is_trial_metric
from rankbars.tables.readoptions import ReadOptions

__all__ = [
    "Chosen",
    "choose",
    "name_systems",
    "name_tasks",
]

# Kinds of variants of which the producer's first is the usual one.
FIRST_COUNTS = frozenset({"filter"})

LONGEST_SETTING = 60
_FEW = 0.25  # of the items of another run of the same model: a trial of the set-up


class Chosen(NamedTuple):
    """What is compared on one task.

    Parameters
    ----------
    task : str
        Its name.
    metric : str or None
        Name of the measure; None if no run has any score.
    runs : mapping from str to tuple of Run
        Runs by model: one, or several that are repeats of each other.
    """

    task: str
    metric: str | None
    runs: Mapping[str, tuple[Run, ...]]

    def measure(self, run: Run) -> Measure | None:
        """The chosen measure of a run; None if the run has no score."""
        return None if self.metric is None else run.measures.get(self.metric)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The chosen measure of every run that has it."""
        found = (self.measure(run) for runs in self.runs.values() for run in runs)
        return tuple(measure for measure in found if measure is not None)


def choose(task: str, runs: Sequence[Run], options: ReadOptions, remarks: Remarks) -> Chosen | None:
    """What is compared on a task; None if it has none of the metrics asked for.

    Raises
    ------
    DataError
        If models have no variant or metric in common, or the metric has no usable values.
    """
    for kind in dict.fromkeys(kind for run in runs for kind in run.variants):
        runs = _choose_variant(task, kind, runs, options, remarks)
    metric, found = _choose_metric(task, runs, options, remarks)
    if not found:
        return None
    by_model: dict[str, list[Run]] = {}
    for run in runs:
        if not run.measures or metric in run.measures:
            by_model.setdefault(run.model, []).append(run)
    chosen = {
        model: _choose_runs(task, model, metric, of_model, options, remarks)
        for model, of_model in sorted(by_model.items())
    }
    return Chosen(task, metric, chosen)


def _choose_variant(
    task: str, kind: str, runs: Sequence[Run], options: ReadOptions, remarks: Remarks
) -> list[Run]:
    offered: dict[str, dict[str, None]] = {}
    for run in runs:
        of_model = offered.setdefault(run.model, {})
        if kind in run.variants:
            of_model[run.variants[kind]] = None
    every = list(dict.fromkeys(name for names in offered.values() for name in names))
    asked = [name for name in every if name in options.filters]
    # A model that says nothing about this kind of variant fits any.
    shared = [name for name in every if all(name in own for own in offered.values() if own)]
    shared = [name for name in shared if name in asked] if asked else shared
    if not shared and options.compare_anyway:
        remarks.add(
            "variants-differ",
            f"{kind}: models have different ones ({_by_model(offered)}), compared as asked.",
            task,
        )
        first = {model: next(iter(own), None) for model, own in offered.items()}
        return [run for run in runs if run.variants.get(kind) == first[run.model]]
    if not shared:
        raise DataError(
            f"Task {task!r}: there is no {kind} that all models share"
            f"{f' among those asked for ({list_names(asked)})' if asked else ''}: "
            f"{_by_model(offered)}. Rank models with the same {kind}, or compare them anyway: "
            "--compare-anyway (in Python: compare_anyway=True)."
        )
    if len(shared) > 1 and kind not in FIRST_COUNTS:
        raise DataError(
            f"Task {task!r}: there are several variants ({kind}) that all models have: "
            f"{list_names(shared)}. They are neither repeats nor different models; choose one: "
            f"--filter {shlex.quote(shared[0])} (in Python: filter={shared[0]!r})."
        )
    used = next((name for name in options.filters if name in shared), shared[0])
    left = [name for name in every if name != used]
    if left:
        remarks.add(
            "variant",
            f"{kind} {used!r} is used; left out: {list_names(left)} (--filter chooses).",
            task,
        )
    return [run for run in runs if run.variants.get(kind, used) == used]


def _by_model(offered: Mapping[str, Mapping[str, None]]) -> str:
    parts = [f"{model!r} has {list_names(names) or 'none'}" for model, names in offered.items()]
    return "; ".join(parts[:4]) + (f"; and {len(parts) - 4} more" if parts[4:] else "")


def _choose_metric(
    task: str, runs: Sequence[Run], options: ReadOptions, remarks: Remarks
) -> tuple[str | None, bool]:
    """Name of the measure, and whether the task has what was asked for."""
    offering = [run for run in runs if run.measures]
    if not offering:
        return None, True
    every = list(dict.fromkeys(name for run in offering for name in run.measures))
    names_of = {
        model: {name for run in offering if run.model == model for name in run.measures}
        for model in dict.fromkeys(run.model for run in offering)
    }
    shared = [name for name in every if all(name in names for names in names_of.values())]
    if options.metrics:
        name = _asked_metric(offering, shared or every, options.metrics)
        if name is None:
            remarks.add(
                "metric-absent",
                f"left out, because there is no metric {list_names(options.metrics)} that all "
                f"models have (on offer: {list_names(every)}).",
                task,
            )
            return None, False
        _refuse_declined(task, name, offering)
        return name, True
    if not shared:
        raise DataError(
            f"Task {task!r}: there is no metric that all models have: "
            f"{_by_model({model: dict.fromkeys(sorted(own)) for model, own in names_of.items()})}."
        )
    headline = next((run.headline for run in offering if run.headline in shared), None)
    usable = [name for name in shared if _is_usable(name, offering)]
    if headline in usable:
        name = str(headline)
    else:
        name = usable[0] if usable else shared[0]
        _refuse_declined(task, name, offering)
    others = [other for other in every if other != name]
    if others:
        remarks.add(
            "metric", f"the metric is {name!r}; others, for --metric: {list_names(others)}.", task
        )
    return name, True


def _asked_metric(runs: Sequence[Run], names: Sequence[str], asked: Sequence[str]) -> str | None:
    for wanted in asked:
        if wanted in names:
            return wanted
        for name in () if is_trial_metric(wanted) else names:
            spellings = {name} | {
                run.measures[name].metric or name for run in runs if name in run.measures
            }
            if fold_name(wanted) in {fold_name(one) for one in spellings} - {""}:
                return name
    return None


def _is_usable(name: str, runs: Sequence[Run]) -> bool:
    found = [measure for run in runs if (measure := run.measures.get(name)) is not None]
    some = any(measure.value is not None or measure.scores is not None for measure in found)
    return some and all(measure.declined is None or measure.value is not None for measure in found)


def _refuse_declined(task: str, name: str, runs: Sequence[Run]) -> None:
    for run in runs:
        measure = run.measures.get(name)
        if measure is not None and measure.declined and measure.value is None:
            raise DataError(
                f"{run.source}: the metric {name!r} of task {task!r} cannot be used: "
                f"{measure.declined}. Choose another one with --metric."
            )


def _choose_runs(
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
        count = len(runs) - len(distinct)
        copies = "1 copy of a run is" if count == 1 else f"{count} copies of a run are"
        remarks.add("copies", f"model {model!r}: {copies} left out.", task)
    if len(distinct) == 1:
        return (distinct[0],)
    with_scores = [run for run in distinct if _has_scores(run, metric)]
    as_trials = options.reruns is None and all(run.trials for run in distinct)
    if options.reruns == "all" or as_trials or (options.by_call and options.reruns is None):
        kept = sorted(with_scores or distinct, key=lambda run: (run.stamp or 0.0, run.source))
        other = "; --reruns newest takes the newest alone" if as_trials else ""
        remarks.add("reruns", f"model {model!r}: {len(kept)} runs count as repeats{other}.", task)
        return tuple(kept)
    most = max(_items(run) for run in distinct)
    whole = [run for run in distinct if _items(run) >= _FEW * most]
    best = max(whole, key=lambda run: _preference(run, metric))
    same = [run for run in whole if _preference(run, metric) == _preference(best, metric)]
    if len(same) > 1:
        raise DataError(
            f"Task {task!r}, model {model!r}: there are {len(same)} different runs and no time "
            f"says which is the newest: {', '.join(run.source for run in same[:3])}. Leave all but "
            "one out, or take them as repeats: --reruns all (in Python: reruns='all')."
        )
    few = [run for run in distinct if run not in whole]
    which = "the newest that is not far smaller" if few else "the newest"
    smaller = f"; {few[0].source} has {_items(few[0]):,} of {most:,} items" if few else ""
    remarks.add(
        "reruns",
        f"model {model!r}: of {len(distinct)} runs {which} is used ({best.source}"
        f"{'' if best.finished else ', not finished'}{smaller}); --reruns all takes them as "
        "repeats.",
        task,
    )
    return (best,)


def _items(run: Run) -> int:
    return 0 if run.rows is None else len(set(run.rows.ids))


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


def name_systems(runs: Sequence[Run]) -> tuple[list[Run], list[Note]]:
    """Runs whose models have different names where their settings differ."""
    ways = _ways_within_a_task(runs)
    named, changed = _tell_apart(
        runs,
        lambda run: run.model,
        lambda run: {**run.system, **{key: run.manner[key] for key in ways.get(run.model, ())
                                      if key in run.manner}},
    )  # fmt: skip
    found = [replace(run, model=name) for run, name in zip(runs, named, strict=True)]
    return found, _note("systems", "different settings are different systems", changed)


def name_tasks(runs: Sequence[Run]) -> tuple[list[Run], list[Note]]:
    """Runs whose tasks have different names where their settings differ."""
    named, changed = _tell_apart(runs, lambda run: run.task, lambda run: run.setup)
    found = [replace(run, task=name) for run, name in zip(runs, named, strict=True)]
    return found, _note("task-settings", "different settings make different tasks", changed)


def _ways_within_a_task(runs: Sequence[Run]) -> dict[str, list[str]]:
    """By model, the settings that differ between its runs on one task."""
    keys_of: dict[str, set[str]] = {}
    for run in runs:
        keys_of.setdefault(run.model, set()).update(run.manner)
    seen: dict[tuple[str, str, str], set[str | None]] = {}
    for run in runs:
        for key in keys_of[run.model]:
            place = (run.model, run.task, key)
            seen.setdefault(place, set()).add(run.manner.get(key))
    found: dict[str, dict[str, None]] = {}
    for (model, _, key), values in seen.items():
        if len(values) > 1:
            found.setdefault(model, {})[key] = None
    return {model: sorted(keys) for model, keys in found.items()}


def _tell_apart(
    runs: Sequence[Run], name: Callable[[Run], str], settings: Callable[[Run], Mapping[str, str]]
) -> tuple[list[str], dict[str, list[str]]]:
    """Name of each run, and new names by old ones."""
    kinds: dict[str, dict[tuple[tuple[str, str], ...], None]] = {}
    for run in runs:
        kinds.setdefault(name(run), {})[tuple(sorted(settings(run).items()))] = None
    suffixes: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
    changed: dict[str, list[str]] = {}
    for plain, different in kinds.items():
        if len(different) < 2:
            continue
        keys = sorted({key for one in different for key, _ in one})
        differing = [key for key in keys if len({dict(one).get(key) for one in different}) > 1]
        for one in different:
            given = dict(one)
            parts = [f"{key}={_short(given[key])}" for key in differing if key in given]
            text = f"{plain} ({', '.join(parts)})" if parts else plain
            suffixes[plain, one] = text
            if text != plain:
                changed.setdefault(plain, []).append(text)
    return [
        suffixes.get((name(run), tuple(sorted(settings(run).items()))), name(run)) for run in runs
    ], changed


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SETTING else f"{text[: LONGEST_SETTING - 1]}…"


def _note(code: str, reason: str, changed: Mapping[str, Sequence[str]]) -> list[Note]:
    return [
        Note(code, f"{plain!r}: {reason}, named {list_names(found)}.")
        for plain, found in changed.items()
    ]

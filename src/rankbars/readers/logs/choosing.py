"""Of several variants, metrics and runs, the ones that are compared; every choice is a remark."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rankbars.errors import DataError
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.records import Measure, Run
from rankbars.readers.logs.remarks import Remarks, list_names
from rankbars.readers.logs.reruns import choose_runs
from rankbars.tables.columns import fold_name

__all__ = ["Chosen", "choose", "group_runs"]

# Kinds of variants of which the producer's first is the usual one.
FIRST_COUNTS = frozenset({"filter"})


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


def group_runs(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs by task, in code-point order of the tasks."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.task, []).append(run)
    return dict(sorted(groups.items()))


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
        model: choose_runs(task, model, metric, of_model, options, remarks)
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
        for name in names:
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

"""Tasks that stay in their files: whoever looks at one reads its rows, and no others."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankbars.data.drafts import TemporaryFolder
from rankbars.data.evidence import Coverage, Evidence, Folds, Items
from rankbars.data.fields import locate_models
from rankbars.data.storedtasks import Outline, StoredTasks, TaskFile, TaskReference
from rankbars.errors import DataError, OptionError, ReadError
from rankbars.tables.cleanrows import LEFT_OUT, Records, spell_metric
from rankbars.tables.columns import TRAIT_ROLES
from rankbars.tables.database import Engine, quote
from rankbars.tables.designs import Size, fold_design
from rankbars.tables.labels import sort_names
from rankbars.tables.matrices import (
    ONE_CLUSTER,
    UNEVEN_CLUSTERS,
    Filling,
    RowIndex,
    index_rows,
)
from rankbars.tables.parsedtables import Group
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.relations import Origin, Rows
from rankbars.tables.remarks import Counted
from rankbars.tables.rowstates import ERROR, MISSING, SCORED, UNSCORED
from rankbars.tables.tasks import Shelf, split_weights

__all__ = ["Survey", "look_over"]

_Taken = TypeVar("_Taken")

# Scores of so many rows are kept in files once they were read, 8 bytes each; more are read again.
MOST_KEPT = 1 << 27

Design: TypeAlias = 'Literal["items", "runs", "prompts"] | Folds'


class _Part(NamedTuple):
    """Rows of one file: where they are, and label roles with the same name on every row."""

    origin: Origin
    constants: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the rows of any task of a group are read; the same in every process."""

    parts: tuple[_Part, ...]
    kind: str
    keys: tuple[str, ...]
    answers: tuple[str, ...]
    metric: str | None
    limits: tuple[float | None, float | None]
    named: frozenset[str]
    by_position: bool
    clustered: bool = True
    worst: Mapping[str, float] | None = None  # what an answer without a score counts as, by task
    folder: str | None = None  # where the scores are kept, so that they are read once

    def of(self, task: str) -> _Reading:
        """The same without files that hold other tasks only."""
        told = ("task", task)
        parts = tuple(
            part for part in self.parts
            if told in part.constants or "task" not in dict(part.constants)
        )  # fmt: skip
        return replace(self, parts=parts)

    def worst_of(self, records: Records) -> list[float] | None:
        """What an answer without a score counts as in the tasks of some rows."""
        if self.worst is None:
            return None
        return [self.worst.get(task, math.nan) for task in records.names["task"]]

    def rows(self, engine: Engine, task: str | None) -> tuple[list[Rows], str]:
        """The rows of a task, or those whose cell for it is empty; and the column of states."""
        parts: list[Rows] = []
        status = "status"
        for origin, constants in self.parts:
            told, labels = dict(constants), dict(origin.labels)
            status = labels.get("status", status)
            column = labels.get("task")
            if column is None and told.get("task") != task:
                continue
            wanted = [*labels.values(), *dict(origin.numbers).values()]
            table = origin.place.open(engine, wanted, column, task)
            rows = table.rows(labels, dict(origin.numbers))
            if rows.count:
                parts.append(replace(rows, constants=told))
        return parts, status

    def records(self, parts: Sequence[Rows], status: str, *, as_grid: bool = False) -> Records:
        """The rows made clean."""
        low, high = self.limits
        options = ReadOptions(metric=self.metric, minimum=low, maximum=high)
        return Records(
            parts, self.keys, options, self.named, by_position=self.by_position,
            status_column=status, as_grid=as_grid and self.kind == "items" and not self.answers,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _SourceTask:
    """One task of rows by models, in the files that it was found in."""

    reading: _Reading
    task: str
    models: tuple[str, ...]
    design: Design
    turned: bool
    outline: Outline
    kept: TaskReference | None

    def load(self) -> Evidence:
        """The task; raises `ReadError` if its files are not there."""
        found = self._read_again() if self.kept is None else self._take()
        if not isinstance(found, Items):
            return found
        if self.turned:
            found = replace(
                found, values=0.0 - found.values, runs=_turned(found.runs),
                trials=_turned(found.trials),
            )  # fmt: skip
        clusters = found.clusters if self.reading.clustered else None
        if clusters is not found.clusters or self.design != found.design:
            found = replace(found, clusters=clusters, design=self.design)
        return _among(found, self.models)

    def _take(self) -> Evidence:
        with suppress(ReadError):  # other machines do not see the folder
            if self.kept is not None:
                return self.kept.load()
        return self._read_again()

    def _read_again(self) -> Evidence:
        def fill(records: Records) -> Mapping[str, Evidence]:
            index = index_rows(records)
            shelf = Shelf(records, index, ())
            filling = Filling(records, index, self.reading.answers, self.reading.worst_of(records))
            for code, cells in filling.fill(range(index.tasks)):
                shelf.put(code, cells)
            return shelf.tasks(filling.finish(), None, "items")

        found = _look(self.reading, self.task, fill)
        if found is None:
            raise DataError(
                f"Task {self.task!r} has no rows any more: its files have changed since they "
                "were read first. Read them again."
            )
        return found[self.task]


class _Cells(NamedTuple):
    """What was found in the cells of a task; arrays are about its models."""

    models: tuple[str, ...]
    counts: NDArray[np.int64]
    largest: NDArray[np.float64]
    outline: Outline
    most_answers: int
    weight: float
    trials: NDArray[np.int64]  # as in `Matrix`
    clusters: int | None  # how many there are; None if there are none, or not on every row
    kept: TaskReference | None  # the scores as they stand, if they are kept


class _Facts(NamedTuple):
    """What was found out about a task by whoever looked it over."""

    rows: int = 0
    size: int = 0
    metrics: tuple[str, ...] = ()
    metric: str | None = None
    traits: Mapping[str, tuple[str, ...]] = {}
    kinds: Mapping[str, tuple[str | None, str | None]] = {}  # a number and a word, by key role
    folds: tuple[str, ...] = ()
    repeats: int = 1
    left_out: Mapping[str, int] = {}
    cells: _Cells | None = None
    problem: DataError | None = None


@cache
def _database(process: int) -> Engine:
    """The database of a process in which it looks at tasks; to start one takes longer than most."""
    return Engine(threads=1)


def _look(reading: _Reading, task: str | None, take: Callable[[Records], _Taken]) -> _Taken | None:
    """What is taken from the rows of a task, or of none; None if no file has any."""
    with _database(os.getpid()).another() as engine:
        parts, status = reading.rows(engine, task)
        if not parts:
            return None
        records = reading.records(parts, status, as_grid=True)
        if records.is_grid:
            with suppress(DataError):  # of rows that are no grid, it may not be true
                return take(records)
            records = reading.records(parts, status)
        return take(records)


def _examine(reading: _Reading, task: str) -> _Facts:
    """Everything about one task but its scores; what is wrong with it is told, not raised."""
    try:
        return _look(reading, task, partial(_facts_of, reading=reading)) or _Facts()
    except DataError as error:
        lacking = error.lacking
        if lacking is not None and lacking.option == "metric":
            return _Facts(metrics=lacking.known)
        return _Facts(problem=error)


def _facts_of(records: Records, reading: _Reading) -> _Facts:
    index, names = index_rows(records), records.names
    folds: tuple[str, ...] = ()
    repeats = 1
    if reading.kind == "folds":
        last = names[records.keys[-1]]
        repeat, fold = np.divmod(index.key_of_row, max(len(last), 1))
        folds = tuple(last[code] for code in np.unique(fold))
        repeats = len(np.unique(repeat))
    kinds = {}
    for role in records.keys:
        number = next((name for name in names[role] if _is_number(name)), None)
        word = next((name for name in names[role] if not _is_number(name)), None)
        kinds[role] = (number, word)
    traits = {
        role: tuple(name for _, name in records.traits(role))
        for role in TRAIT_ROLES
        if role in records.roles
    }
    metrics = names.get("metric", ())
    facts = _Facts(
        records.rows, len(index.pairs), metrics, records.options.metric, traits, kinds, folds,
        repeats,
    )  # fmt: skip
    try:
        if facts.size:
            facts = facts._replace(cells=_cells_of(records, index, reading))
        return facts._replace(left_out=records.left_out())
    except DataError as error:
        if records.is_grid:
            raise
        return facts._replace(problem=error)


def _is_number(name: str) -> bool:
    return name.lstrip("-").isdecimal()


def _cells_of(records: Records, index: RowIndex, reading: _Reading) -> _Cells:
    filling = Filling(records, index, reading.answers, reading.worst_of(records))
    ((code, cells),) = filling.fill(range(index.tasks))
    several = cells.answers is not None and cells.answers.max(initial=0) > 1
    outline = Outline.of(
        cells.values, cells.answers if several else None, averaged=cells.crossing.averaged
    )
    matrix = filling.finish()
    present = np.flatnonzero(matrix.present[0])
    clusters = None if matrix.clusters is None else len(np.unique(matrix.clusters))
    if matrix.set_aside == ONE_CLUSTER:
        clusters = 1
    kept = None
    if reading.folder is not None and Path(reading.folder).is_dir():
        shelf = Shelf(records, index, (), Path(mkdtemp(dir=reading.folder)))
        shelf.put(code, cells, outline)
        stored = shelf.tasks(matrix, None, "items")
        if isinstance(stored, StoredTasks):
            kept = stored.references[records.names["task"][code]]
    return _Cells(
        tuple(records.names["model"][model] for model in present),
        matrix.counts[:, 0, present], matrix.largest[0, present], outline.take(present),
        matrix.most_answers, split_weights(matrix, slice(None))[0],
        matrix.trials[:, 0, present], clusters, kept,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Survey:
    """What was found out about the tasks of a group that stay in their files.

    Parameters
    ----------
    group : Group
        The tables.
    options : ReadOptions
        What the caller declares; the metric is spelt as in the tables.
    facts : mapping from str to _Facts
        What was found out, by task.
    left_out : mapping from str to int
        Rows without a task that were left out, by reason.
    folder : TemporaryFolder, optional
        Where scores are kept.
    """

    group: Group
    options: ReadOptions
    reading: _Reading
    facts: Mapping[str, _Facts]
    left_out: Mapping[str, int]
    folder: TemporaryFolder | None

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Tasks that have rows, in their order."""
        by_metric = "metric" in self.group.roles and self.options.metric is not None
        return tuple(
            task
            for task, one in self.facts.items()
            if one.size and not (by_metric and one.metric != self.options.metric)
        )

    @property
    def traits(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """What columns that describe tasks say of each, by role."""
        roles = dict.fromkeys(role for task in self.tasks for role in self.facts[task].traits)
        return {
            role: {task: self.facts[task].traits.get(role, ()) for task in self.tasks}
            for role in roles
        }

    @property
    def size(self) -> Size:
        """How large the group is."""
        found = [self.facts[task] for task in self.tasks]
        sizes = [one.size for one in found]
        return Size(max(sizes, default=0), sum(sizes), sum(one.rows for one in self.facts.values()),
                    len(self.models))  # fmt: skip

    @cached_property
    def _cells(self) -> dict[str, _Cells]:
        found = {task: self.facts[task].cells for task in self.tasks}
        return {task: cells for task, cells in found.items() if cells is not None}

    @cached_property
    def models(self) -> tuple[str, ...]:
        """Models with any row."""
        names = {model for cells in self._cells.values() for model in cells.models}
        return sort_names(sorted(names), numeric=False)[0]

    def with_worst(self, worst: Callable[[Iterable[str]], list[float]]) -> Survey:
        """The same, where answers without a score count as the worst one of their task."""
        reading = replace(self.reading, worst=dict(zip(self.tasks, worst(self.tasks), strict=True)))
        lost = [task for task, cells in self._cells.items() if cells.trials[:2].any()]
        again = _examined(reading, lost, self.options.room.jobs)
        facts = {**self.facts, **dict(zip(lost, again, strict=True))}
        return replace(self, reading=reading, facts=facts)

    def raise_first(self) -> None:
        """Raise what is wrong with the first task with which anything is."""
        for one in self.facts.values():
            if one.problem is not None:
                raise one.problem

    def largest(self, task: str) -> NDArray[np.float64]:
        """Largest score of each model, NaN where it has none."""
        found = np.full(len(self.models), np.nan)
        cells = self._cells[task]
        found[locate_models(cells.models, self.models)] = cells.largest
        return found

    def coverage(self, task: str) -> Coverage:
        """What became of the rows of a task."""
        cells, size = self._cells[task], self.facts[task].size
        counts = (cells.counts[one] for one in (SCORED, UNSCORED, ERROR, MISSING))
        return Coverage(size, *counts).spread(cells.models, self.models)

    def weight(self, task: str) -> float:
        """Weight of a task."""
        return self._cells[task].weight

    def designs(self) -> dict[str, Folds] | None:
        """Design of each task, where rows are folds."""
        if self.group.plan.kind != "folds":
            return None
        found = {task: self.facts[task] for task in self.tasks}
        every = sorted({name for one in found.values() for name in one.folds})
        names, _ = sort_names(every, numeric=True)
        code = {name: place for place, name in enumerate(names)}
        keys = {
            task: np.array(sorted(code[name] for name in one.folds), np.int64)
            for task, one in found.items()
        }
        repeats = {task: one.repeats for task, one in found.items()}
        with_repeats = repeats if len(self.group.plan.keys) > 1 else None
        return fold_design(keys, names, with_repeats, self.options)

    def counted(self) -> Counted:
        """What was counted, of all tasks."""
        found = [self.facts[task].left_out for task in self.facts]
        numbers = sum((Counter(one) for one in (*found, self.left_out)), Counter[str]())
        metrics = {name for one in self.facts.values() for name in one.metrics}
        return Counted(
            max((cells.most_answers for cells in self._cells.values()), default=0),
            self._clusters[1],
            {reason: numbers[reason] for reason in LEFT_OUT if numbers[reason]},
            sort_names(sorted(metrics), numeric=False)[0],
            tuple(self.facts),
            self._trials,
        )

    @property
    def _trials(self) -> dict[str, list[int]]:
        """Answers to rows with several, by model; as in `Counted`."""
        found = {model: np.zeros(3, np.int64) for model in self.models}
        for cells in self._cells.values():
            for model, column in zip(cells.models, cells.trials.T, strict=True):
                found[model] += column
        return {model: numbers.tolist() for model, numbers in found.items()}

    @cached_property
    def _clusters(self) -> tuple[bool, str]:
        """Whether clusters are used, and why a column of them is not."""
        found = [cells.clusters for cells in self._cells.values()]
        if "cluster" not in self.group.roles or "cluster" in self.group.plan.ignored:
            return False, ""
        if None in found:
            return False, UNEVEN_CLUSTERS
        if "cluster" not in self.group.named and set(found) == {1}:
            return False, ONE_CLUSTER
        return True, ""

    def references(
        self, designs: Mapping[str, Folds] | None, turned: Mapping[str, bool]
    ) -> StoredTasks:
        """The tasks, each where it lies.

        Parameters
        ----------
        designs : mapping from str to Folds, or None
            Design by task, where rows are folds.
        turned : mapping from str to bool
            Whether scores are better when lower, by task.

        Raises
        ------
        OptionError
            If rows are not sorted in one way in all tasks.
        """
        self._refuse_mixed_names()
        sizes = [self.facts[task].size for task in self.tasks]
        self.options.room.group(sizes, len(self.models))
        named = self.reading.named | ({"cluster"} if self._clusters[0] else set())
        reading = replace(
            self.reading, metric=self.options.metric, named=named, clustered=self._clusters[0]
        )
        kind: Design = "items"
        if self.group.plan.kind == "runs" or self.group.plan.kind == "prompts":
            kind = self.group.plan.kind
        found: dict[str, TaskReference] = {}
        for task in self.tasks:
            design = kind if designs is None else designs[task]
            cells = self._cells[task]
            about = _spread(cells, self.facts[task].size, self.models)
            # A column of clusters that tells no rows of one task apart was not kept.
            kept = None if self._clusters[0] and cells.clusters == 1 else cells.kept
            if isinstance(kept, TaskFile) and kept.models == self.models:
                kept = replace(kept, models=self.models, outline=about)  # they travel once
            about = (about.turned() if turned[task] else about)._replace(design=design)
            found[task] = _SourceTask(
                reading.of(task), task, self.models, design, turned[task], about, kept
            )
        return StoredTasks(found, () if self.folder is None else (self.folder,))

    def _refuse_mixed_names(self) -> None:
        # Whoever looks at a task sorts its rows by the same rule only if it is the same for all.
        for role in self.group.plan.keys:
            kinds = [one.kinds[role] for one in self.facts.values() if role in one.kinds]
            number = next((one for one, _ in kinds if one is not None), None)
            if number is not None and any(word is not None for _, word in kinds):
                raise OptionError(
                    f"Tasks that are read by reference need one kind of names: in the column "
                    f"{self.group.roles.get(role, role)!r} some are numbers ({number!r}) and "
                    "others are not. Leave out --by-reference (by_reference=True)."
                )


def look_over(group: Group, options: ReadOptions, *, by_position: bool) -> Survey:
    """Find out about the tasks of a group; workers read their rows, one task each.

    Parameters
    ----------
    group : Group
        Tables in files that can be read again.
    options : ReadOptions
        What the caller declares; `ReadOptions.room` says how many workers there are.
    by_position : bool
        As in `Records`.

    Raises
    ------
    OptionError
        If rows do not lie where they can be read again.
    DataError
        If no task can be told, or no table has the metric that was asked for.
    """
    rows = sum(part.rows.count for part in group.parts)
    folder = TemporaryFolder() if rows <= MOST_KEPT else None
    reading = _reading_of(group, options, by_position=by_position)
    reading = reading if folder is None else replace(reading, folder=str(folder.path))
    tasks, gaps = _list_tasks(group)
    left_out: Mapping[str, int] = {}
    if gaps:
        left_out = _look(reading, None, Records.left_out) or {}
    facts = dict(zip(tasks, _examined(reading, tasks, options.room.jobs), strict=True))
    for part in group.parts:
        if part.rows.report is not None:
            part.rows.report(1.0)
    unread = [one for one in facts.values() if one.problem is not None and not one.size]
    for one in unread:
        if one.problem is not None:
            raise one.problem
    if "metric" in group.roles and any(one.metrics for one in facts.values()):
        metrics = sorted({name for one in facts.values() for name in one.metrics})
        options = spell_metric(metrics, options)
    return Survey(group, options, reading, facts, left_out, folder)


def _examined(reading: _Reading, tasks: Sequence[str], jobs: int) -> list[_Facts]:
    if jobs == 1:
        return [_examine(reading.of(task), task) for task in tasks]
    from joblib import Parallel, delayed

    found: list[_Facts] = Parallel(n_jobs=jobs)(
        delayed(_examine)(reading.of(task), task) for task in tasks
    )
    return found


def _reading_of(group: Group, options: ReadOptions, *, by_position: bool) -> _Reading:
    parts = []
    for part in group.parts:
        origin = part.rows.origin
        if origin is None:
            raise OptionError(
                "Tasks that are read by reference must stand in tidy Parquet files whose names and "
                "scores are typed columns. Write them as Parquet, or leave out --by-reference "
                "(by_reference=True)."
            )
        parts.append(_Part(origin, tuple(part.rows.constants.items())))
    limits = (options.minimum, options.maximum)
    return _Reading(
        tuple(parts), group.plan.kind, group.plan.keys, group.plan.answers, options.metric, limits,
        group.named, by_position,
    )  # fmt: skip


def _list_tasks(group: Group) -> tuple[tuple[str, ...], bool]:
    """Names of all tasks, and whether some row has none; no other column is looked at."""
    names: set[str] = set()
    gaps = False
    for part in group.parts:
        rows = part.rows
        if "task" not in rows.labels:
            names.add(rows.constants["task"])
            continue
        query = f"SELECT DISTINCT {quote('task')}::VARCHAR FROM {rows.clause}"
        found = rows.engine.ask(query)
        names |= {name for (name,) in found if name}
        gaps = gaps or any(not name for (name,) in found)
    return sort_names(sorted(names), numeric=False)[0], gaps


def _spread(cells: _Cells, size: int, models: tuple[str, ...]) -> Outline:
    """The outline of a task among further models, which have nothing there."""
    columns = locate_models(cells.models, models)
    missing = np.full(len(models), size)
    zeros = np.zeros(len(models), np.int64)
    missing[columns], zeros[columns] = cells.outline.missing, cells.outline.zeros
    reach = None
    if cells.outline.reach is not None:
        low, high = (np.full(len(models), np.nan) for _ in range(2))
        low[columns], high[columns] = cells.outline.reach
        reach = (low, high)
    return cells.outline._replace(missing=missing, zeros=zeros, reach=reach)


def _turned(scores: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    return None if scores is None else 0.0 - scores


def _among(items: Items, models: tuple[str, ...]) -> Items:
    """The same scores among further models, which have none."""
    if items.models == models:
        return items
    columns = locate_models(items.models, models)

    def spread(values: NDArray[np.float64], empty: float) -> NDArray[np.float64]:
        wide = np.full((*values.shape[:-1], len(models)), empty, dtype=values.dtype)
        wide[..., columns] = values
        return wide

    answers = None
    if items.answers is not None:
        answers = np.zeros((items.n, len(models)), np.int64)
        answers[:, columns] = items.answers
    return replace(
        items,
        models=models,
        values=spread(items.values, np.nan),
        answers=answers,
        runs=None if items.runs is None else spread(items.runs, np.nan),
        within=None if items.within is None else spread(items.within, np.nan),
        trials=None if items.trials is None else spread(items.trials, np.nan),
    )

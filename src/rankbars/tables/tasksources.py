"""Tasks where they lie: whoever looks at one reads its rows, and no others."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import mkdtemp
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Folds, Items
from rankbars.data.fields import locate_models
from rankbars.data.storedtasks import Outline, StoredTasks, TaskReference, digest_names
from rankbars.errors import DataError, ReadError
from rankbars.tables.cleanrows import Records
from rankbars.tables.columns import TRAIT_ROLES
from rankbars.tables.database import Engine
from rankbars.tables.matrices import (
    ONE_CLUSTER,
    Filling,
    RowIndex,
    index_rows,
)
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tablerows import Origin, Rows
from rankbars.tables.tasks import Shelf, split_weights

__all__ = ["CellFacts", "Design", "Facts", "Part", "Reading", "SourceTask", "examine", "look"]

_Taken = TypeVar("_Taken")

Design: TypeAlias = 'Literal["items", "runs", "prompts"] | Folds'


class Part(NamedTuple):
    """Rows of one file: where they are, how many, and roles with the same name on every row."""

    origin: Origin
    constants: tuple[tuple[str, str], ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of any task of a group are read; the same in every process."""

    parts: tuple[Part, ...]
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

    def of(self, tasks: Collection[str]) -> Reading:
        """The same without files that hold other tasks only."""
        told = (dict(part.constants).get("task") for part in self.parts)
        parts = tuple(
            part
            for part, task in zip(self.parts, told, strict=True)
            if task is None or task in tasks
        )
        return replace(self, parts=parts)

    @property
    def sizes(self) -> Mapping[str, int] | None:
        """Rows of each task; None unless every file holds one task, and one metric."""
        sizes: Counter[str] = Counter()
        for origin, constants, rows in self.parts:
            told = dict(constants)
            if "task" not in told or "metric" in (dict(origin.labels) | told):
                return None
            sizes[told["task"]] += rows
        return sizes

    def worst_of(self, records: Records) -> list[float] | None:
        """What an answer without a score counts as in the tasks of some rows."""
        if self.worst is None:
            return None
        return [self.worst.get(task, math.nan) for task in records.names["task"]]

    def rows(self, engine: Engine, tasks: Iterable[str | None]) -> tuple[list[Rows], str]:
        """The rows of tasks, or those whose cell for it is empty; and the column of states."""
        parts: list[Rows] = []
        status = "status"
        for task, (origin, constants, _) in product(tasks, self.parts):
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
class SourceTask:
    """One task of rows by models, in the files that it was found in."""

    reading: Reading
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

        found = look(self.reading, (self.task,), fill)
        if found is None:
            raise DataError(
                f"Task {self.task!r} has no rows any more: its files have changed since they "
                "were read first. Read them again."
            )
        return found[self.task]


class CellFacts(NamedTuple):
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


class Facts(NamedTuple):
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
    cells: CellFacts | None = None
    problem: DataError | None = None


@cache
def _database(process: int) -> Engine:
    """The database of a process in which it looks at tasks; to start one takes longer than most."""
    return Engine(threads=1)


def look(
    reading: Reading, tasks: Sequence[str | None], take: Callable[[Records], _Taken]
) -> _Taken | None:
    """What is taken from the rows of tasks, or of none; None if no file has any."""
    with _database(os.getpid()).another() as engine:
        parts, status = reading.rows(engine, tasks)
        if not parts:
            return None
        records = reading.records(parts, status, as_grid=True)
        if records.is_grid:
            with suppress(DataError):  # of rows that are no grid, it may not be true
                return take(records)
            records = reading.records(parts, status)
        return take(records)


def examine(reading: Reading, tasks: Sequence[str]) -> list[Facts]:
    """Everything about tasks but their scores; what is wrong with one is told, not raised."""
    try:
        return look(reading, tasks, partial(_facts_of, reading=reading, tasks=tasks)) or [
            Facts() for _ in tasks
        ]
    except DataError as error:
        if len(tasks) > 1:  # which of them it is
            return [one for task in tasks for one in examine(reading.of((task,)), (task,))]
        lacking = error.lacking
        if lacking is not None and lacking.option == "metric":
            return [Facts(metrics=lacking.known)]
        return [Facts(problem=error)]


def _facts_of(records: Records, reading: Reading, tasks: Sequence[str]) -> list[Facts]:
    index, names = index_rows(records), records.names
    metrics = names.get("metric", ())
    kinds = {role: _kinds_of(names[role]) for role in records.keys}
    traits = {role: records.traits(role) for role in TRAIT_ROLES if role in records.roles}
    found: dict[str, Facts] = {}
    for code, task in enumerate(names["task"]):
        own = index.span(code)
        folds: tuple[str, ...] = ()
        repeats = 1
        if reading.kind == "folds":
            last = names[records.keys[-1]]
            repeat, fold = np.divmod(index.key_of_row[own], max(len(last), 1))
            folds = tuple(last[one] for one in np.unique(fold))
            repeats = len(np.unique(repeat))
        found[task] = Facts(
            sum(part.count for part in records.parts if part.constants.get("task", task) == task),
            own.stop - own.start, metrics, records.options.metric,
            {role: tuple(name for one, name in pairs if one == code)
             for role, pairs in traits.items()},
            kinds, folds, repeats,
        )  # fmt: skip
    facts = [found.get(task, Facts(metrics=metrics, kinds=kinds)) for task in tasks]
    try:
        if len(index.pairs):
            cells = _cells_of(records, index, reading)
            facts = [
                one._replace(cells=cells.get(task)) for task, one in zip(tasks, facts, strict=True)
            ]
        facts[0] = facts[0]._replace(left_out=records.left_out())
    except DataError as error:
        if records.is_grid or len(tasks) > 1:
            raise
        return [facts[0]._replace(problem=error)]
    return facts


def _kinds_of(names: Sequence[str]) -> tuple[str | None, str | None]:
    """A name that is a whole number, and one that is none."""
    number = next((name for name in names if _is_number(name)), None)
    return number, next((name for name in names if not _is_number(name)), None)


def _is_number(name: str) -> bool:
    return name.lstrip("-").isdecimal()


def _cells_of(records: Records, index: RowIndex, reading: Reading) -> dict[str, CellFacts]:
    filling = Filling(records, index, reading.answers, reading.worst_of(records))
    shelf = None
    if reading.folder is not None and Path(reading.folder).is_dir():
        shelf = Shelf(records, index, (), Path(mkdtemp(dir=reading.folder)))
    outlines: dict[int, Outline] = {}
    for code, cells in filling.fill(range(index.tasks)):
        several = cells.answers is not None and cells.answers.max(initial=0) > 1
        outlines[code] = Outline.of(
            cells.values, cells.answers if several else None, averaged=cells.crossing.averaged
        )
        if shelf is not None:
            shelf.put(code, cells, outlines[code])
    matrix = filling.finish()
    stored = {} if shelf is None else shelf.tasks(matrix, None, "items")
    kept = stored.references if isinstance(stored, StoredTasks) else {}
    names = np.array(records.key_names, dtype=object)
    found: dict[str, CellFacts] = {}
    for code, outline in outlines.items():
        task, own = records.names["task"][code], index.span(code)
        if own.start == own.stop:
            continue
        present = np.flatnonzero(matrix.present[code])
        clusters = None if matrix.clusters is None else len(np.unique(matrix.clusters[own]))
        if matrix.set_aside == ONE_CLUSTER:
            clusters = 1
        weight, weights = split_weights(matrix, own)
        told = digest_names(names[index.key_of_row[own]], matrix.clusters, weights)
        found[task] = CellFacts(
            tuple(records.names["model"][model] for model in present),
            matrix.counts[:, code, present], matrix.largest[code, present],
            outline.take(present)._replace(names=told),
            matrix.most_answers, weight,
            matrix.trials[:, code, present], clusters, kept.get(task),
        )  # fmt: skip
    return found


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

"""Tasks of rows by models: held in memory, kept in files, or read again when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Evidence, Folds, Items, take_models
from rankbars.data.fields import locate_models
from rankbars.data.storedtasks import (
    Change,
    Outline,
    StoredTasks,
    TaskReference,
    change_tasks,
)
from rankbars.data.temporary import TemporaryFolder
from rankbars.errors import DataError, OptionError
from rankbars.tables.cleanrows import ERROR, MISSING, SCORED, UNSCORED, Records
from rankbars.tables.database import Engine
from rankbars.tables.designs import NamedKind, fold_design
from rankbars.tables.matrices import Filling, Matrix, RowIndex, TaskCells, index_rows
from rankbars.tables.relations import Origin
from rankbars.tables.tableoptions import TableOptions

__all__ = [
    "Reading",
    "Shelf",
    "SourceTask",
    "count_coverage",
    "fold_designs",
    "references",
    "split_weights",
]

Refer = Callable[[str, tuple[str, ...], Folds | NamedKind, Outline], TaskReference]


class _Stored(NamedTuple):
    outline: Outline
    averaged: tuple[str, ...]


class Shelf:
    """Takes the scores of tasks as they are read, and gives the tasks once all were.

    Parameters
    ----------
    records : Records
        The rows.
    index : RowIndex
        Rows of each task.
    turned : collection of int
        Tasks whose scores are better when lower; they change their sign.
    """

    def __init__(self, records: Records, index: RowIndex, turned: Collection[int]) -> None:
        self._records = records
        self._index = index
        self._turned = turned
        sizes = [span.stop - span.start for span in map(index.span, range(index.tasks))]
        models, room = len(records.names["model"]), records.options.room
        self.groups: Sequence[range] = room.group(sizes, models)
        self._by_reference = room.by_reference
        held = room.by_reference or room.holds(sizes, models)
        self._folder = None if held else TemporaryFolder()
        self._cells: dict[int, TaskCells] = {}
        self._stored: dict[int, _Stored] = {}

    def put(self, task: int, cells: TaskCells) -> None:
        """Take the scores of one task; they are changed in place."""
        several = cells.answers is not None and cells.answers.max(initial=0) > 1
        cube = cells.crossing.cube
        values = cells.values
        if task in self._turned:
            np.subtract(0.0, values, out=values)
            cube = None if cube is None else 0.0 - cube
        answers = cells.answers if several else None
        if self._folder is not None:
            from rankbars.data.partitions import TaskFile

            TaskFile.put_scores(self._path(task, self._folder), values, answers, cube)
        if self._folder is not None or self._by_reference:
            self._stored[task] = _Stored(Outline.of(values, answers), cells.crossing.averaged)
            return
        values.setflags(write=False)
        self._cells[task] = TaskCells(values, answers, cells.crossing._replace(cube=cube))

    def _path(self, task: int, folder: TemporaryFolder) -> Path:
        return folder.path / str(task)

    def tasks(
        self,
        matrix: Matrix,
        designs: Mapping[str, Folds] | None,
        kind: NamedKind,
        refer: Refer | None = None,
    ) -> Mapping[str, Evidence]:
        """All tasks that have rows.

        Parameters
        ----------
        matrix : Matrix
            What is known of all rows.
        designs : mapping from str to Folds, or None
            Design by task, where rows are folds.
        kind : {"items", "runs", "prompts"}
            What a row is otherwise.
        refer : callable, optional
            Makes references to tasks that are read again, from task, models, design and outline.
        """
        names = self._records.names
        ids = np.array(self._records.key_names, dtype=object)[self._index.key_of_row]
        # A model without any row of a task is there with all its scores missing, and counted so.
        present = np.flatnonzero(matrix.present.any(axis=0))
        changes: dict[str, Change | None] = {}
        items: dict[str, Evidence] = {}
        files: dict[str, TaskReference] = {}
        models = tuple(names["model"][model] for model in present)
        for code, task in enumerate(names["task"]):
            span = self._index.span(code)
            if span.start == span.stop:
                continue
            clusters, weights = _compact(matrix.clusters, span), split_weights(matrix, span)[1]
            design = kind if designs is None else designs[task]
            changes[task] = None
            if code in self._stored:
                about = self._stored[code].outline._replace(design=design)
            if refer is not None:
                files[task] = refer(task, models, design, about.take(present))
                continue
            if len(models) < len(names["model"]):
                changes[task] = Change(partial(take_models, columns=present), models)
            if self._folder is not None:
                from rankbars.data.partitions import TaskFile

                path = self._path(code, self._folder)
                TaskFile.put_rows(path, ids[span], clusters, weights)
                files[task] = TaskFile(
                    str(path), names["model"], design, about, self._stored[code].averaged
                )
                continue
            values, answers, crossing = self._cells.pop(code)
            items[task] = Items(
                names["model"], values, clusters, weights, design, tuple(ids[span]), answers,
                crossing.cube, crossing.averaged,
            )  # fmt: skip
        stored: Mapping[str, Evidence] = items
        if files:
            stored = StoredTasks(files, () if self._folder is None else (self._folder,))
        return change_tasks(stored, changes)


def count_coverage(index: RowIndex, matrix: Matrix, task: int) -> Coverage:
    """What became of the rows of one task."""
    span = index.span(task)
    counts = matrix.counts[:, task, np.flatnonzero(matrix.present.any(axis=0))]
    return Coverage(
        span.stop - span.start, counts[SCORED], counts[UNSCORED], counts[ERROR], counts[MISSING]
    )


def split_weights(matrix: Matrix, span: slice) -> tuple[float, NDArray[np.float64] | None]:
    """Weight of the task and weights of its rows: equal weights belong to the task."""
    if matrix.weights is None:
        return 1.0, None
    weights = matrix.weights[span]
    if (weights == weights[0]).all():
        return float(weights[0]), None
    if (weights == 0).any():
        raise DataError("Weights of rows that differ within a task must be above 0; found 0.")
    return 1.0, weights


def _compact(clusters: NDArray[np.int64] | None, span: slice) -> NDArray[np.int64] | None:
    """Clusters of one task, numbered from 0."""
    if clusters is None:
        return None
    return np.unique(clusters[span], return_inverse=True)[1].reshape(-1)


def fold_designs(records: Records, index: RowIndex) -> dict[str, Folds]:
    """Design of each task whose rows are folds."""
    names = records.names
    fold_names = names[records.keys[-1]]
    folds: dict[str, NDArray[np.int64]] = {}
    repeats: dict[str, int] = {}
    for code, task in enumerate(names["task"]):
        keys = index.key_of_row[index.span(code)]
        if not len(keys):
            continue
        repeat, fold = np.divmod(keys, len(fold_names))
        folds[task] = np.unique(fold)
        repeats[task] = len(np.unique(repeat))
    with_repeats = repeats if len(records.keys) > 1 else None
    return fold_design(folds, fold_names, with_repeats, records.options)


Design: TypeAlias = 'Literal["items", "runs", "prompts"] | Folds'


class Part(NamedTuple):
    """Rows of one file.

    Parameters
    ----------
    origin : Origin
        Where they are.
    constants : tuple of (str, str)
        Label roles that have the same name on every row.
    """

    origin: Origin
    constants: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of all tasks of a group are read.

    Parameters
    ----------
    parts : tuple of Part
        Where the rows are.
    keys, answers : tuple of str
        Roles that name a row, and roles that number the answers to it.
    metric : str or None
        The metric to use.
    limits : tuple of (float or None, float or None)
        Declared limits of the scores.
    named : frozenset of str
        Roles that the caller named.
    clustered : bool
        Whether clusters are used.
    """

    parts: tuple[Part, ...]
    keys: tuple[str, ...]
    answers: tuple[str, ...]
    metric: str | None
    limits: tuple[float | None, float | None]
    named: frozenset[str]
    clustered: bool


@dataclass(frozen=True, slots=True)
class SourceTask:
    """One task of rows by models, in the files that it was read from.

    Parameters
    ----------
    reading : Reading
        How it is read.
    task : str
        Its name.
    models : tuple of str
        Its models, also those without any row.
    design : {"items", "runs", "prompts"} or Folds
        What a row is.
    turned : bool
        Whether scores are better when lower, so that they change their sign.
    outline : Outline
        What is known of its rows.
    """

    reading: Reading
    task: str
    models: tuple[str, ...]
    design: Design
    turned: bool
    outline: Outline

    def load(self) -> Evidence:
        """The task.

        Raises
        ------
        ReadError
            If its files are not there.
        """
        reading = self.reading
        low, high = reading.limits
        options = TableOptions(metric=reading.metric, minimum=low, maximum=high)
        with Engine(threads=1) as engine:
            parts = []
            for origin, constants in reading.parts:
                told = dict(constants)
                labels = dict(origin.labels)
                column = labels.get("task")
                if column is None and told.get("task") != self.task:
                    continue
                wanted = [*labels.values(), *dict(origin.numbers).values()]
                table = origin.place.open(engine, wanted, column, self.task)
                rows = table.rows(labels, dict(origin.numbers))
                if rows.count:
                    parts.append(replace(rows, constants=told))
            records = Records(engine, parts, reading.keys, options, reading.named)
            index = index_rows(records)
            code = records.names["task"].index(self.task)
            shelf = Shelf(records, index, {code} if self.turned else ())
            filling = Filling(records, index, reading.answers)
            for some in shelf.groups:
                for task, cells in filling.fill(some):
                    shelf.put(task, cells)
            matrix = filling.finish()
        if not reading.clustered:
            matrix = matrix._replace(clusters=None)
        designs = {self.task: self.design} if isinstance(self.design, Folds) else None
        kind = "items" if isinstance(self.design, Folds) else self.design
        found = shelf.tasks(matrix, designs, kind)[self.task]
        return _among(found, self.models) if isinstance(found, Items) else found


def references(
    records: Records, roles: Mapping[str, str], answers: Sequence[str], matrix: Matrix,
    turned: Collection[str],
) -> Refer:  # fmt: skip
    """Makes references to tasks, which are read again from where they are.

    Parameters
    ----------
    records : Records
        The rows.
    roles : mapping from str to str
        Column by role.
    answers : sequence of str
        Label roles that number several answers to one row.
    matrix : Matrix
        What is known of all rows.
    turned : collection of str
        Tasks whose scores are better when lower.

    Raises
    ------
    OptionError
        If rows do not lie where they can be read again.
    """
    places = [part.origin for part in records.parts]
    if any(place is None for place in places):
        raise OptionError(
            "Tasks that are read by reference must stand in tidy Parquet files whose names and "
            "scores are typed columns. Write them as Parquet, or leave out --by-reference "
            "(by_reference=True)."
        )
    # Workers see the rows of one task only, and sort them by the same rule only if it is the same
    # for all of them.
    for role in records.keys:
        names = records.names[role]
        plain = [name for name in names if name.lstrip("-").isdecimal()]
        if plain and len(plain) < len(names):
            raise OptionError(
                f"Tasks that are read by reference need one kind of names: in the column "
                f"{roles.get(role, role)!r} some are numbers ({plain[0]!r}) and others are "
                "not. Leave out --by-reference (by_reference=True)."
            )
    parts = tuple(
        Part(part.origin, tuple(part.constants.items()))
        for part in records.parts if part.origin is not None
    )  # fmt: skip
    options = records.options
    reading = Reading(
        parts, records.keys, tuple(answers), options.metric, (options.minimum, options.maximum),
        records.named, matrix.clusters is not None,
    )  # fmt: skip

    def refer(
        task: str, models: tuple[str, ...], design: Design, outline: Outline
    ) -> TaskReference:
        return SourceTask(reading, task, models, design, task in turned, outline)

    return refer


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
    )

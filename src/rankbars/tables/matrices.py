"""From rows of tidy tables to one matrix per task: rows of the task by models.

Two passes over the rows: the first finds the rows of each task and what describes the task, the
second puts every score into its cell. Duplicates show as fewer cells than rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.answers import Answers, Sides, describe_duplicates
from rankbars.tables.crossing import Crossing, Labels
from rankbars.tables.records import MISSING, SCORED, STATES, CleanRows, Records

__all__ = ["Filling", "Matrix", "RowIndex", "TaskCells", "index_rows"]

# A table of flags per (task, key) is used up to this size; beyond it, sorted numbers.
DENSE_CELLS = 1 << 27


@dataclass(frozen=True, slots=True, eq=False)
class RowIndex:
    """Which rows each task has.

    Parameters
    ----------
    pairs : array of int, shape (R,)
        ``task * key_count + key`` of every row, ascending: tasks one after the other.
    key_count : int
        Number of key codes.
    tasks : int
        Number of task codes; some may have no row.
    traits : mapping from str to array of int, shape (k, 2)
        Distinct (task, code) of each label role that describes tasks.
    """

    pairs: NDArray[np.int64]
    key_count: int
    tasks: int
    traits: Mapping[str, NDArray[np.int64]]
    _place: NDArray[np.int64] | None

    def find(self, task: NDArray[np.int64], key: NDArray[np.int64]) -> NDArray[np.int64]:
        """Position in `pairs` of each (task, key)."""
        wanted = task * self.key_count + key
        return np.searchsorted(self.pairs, wanted) if self._place is None else self._place[wanted]

    @property
    def task_of_row(self) -> NDArray[np.int64]:
        """Task code of each row, shape (R,)."""
        return self.pairs // self.key_count

    @property
    def key_of_row(self) -> NDArray[np.int64]:
        """Key code of each row, shape (R,)."""
        return self.pairs % self.key_count

    def span(self, task: int) -> slice:
        """The rows of one task."""
        ends = np.searchsorted(self.pairs, [task * self.key_count, (task + 1) * self.key_count])
        return slice(int(ends[0]), int(ends[1]))


def index_rows(records: Records, traits: Sequence[str]) -> RowIndex:
    """Rows of each task, and the distinct values per task of the roles in `traits`."""
    tasks, keys = len(records.table.names["task"]), records.key_count
    dense = tasks * keys <= DENSE_CELLS
    seen = np.zeros(tasks * keys if dense else 0, np.bool_)
    found: list[NDArray[np.int64]] = []
    described: dict[str, list[NDArray[np.int64]]] = {role: [] for role in traits}
    for rows in _find_combinations(records, traits):
        pair = rows.task * keys + rows.key
        if dense:
            seen[pair] = True
        else:
            found.append(np.unique(pair))
        for role in traits:
            width = len(records.table.names[role])
            codes = rows.block.labels[role]
            known = codes >= 0
            described[role].append(np.unique(rows.task[known] * width + codes[known]))
    pairs = np.flatnonzero(seen) if dense else _unite(found)
    place = None
    if dense:
        place = np.cumsum(seen, dtype=np.int64) - 1
    return RowIndex(
        pairs,
        keys,
        tasks,
        {
            role: np.stack(np.divmod(_unite(parts), max(len(records.table.names[role]), 1)), axis=1)
            for role, parts in described.items()
        },
        place,
    )


def _find_combinations(records: Records, traits: Sequence[str]) -> Iterator[CleanRows]:
    """Rows that tell which keys and traits each task has; what is read twice does no harm."""
    try:
        yield from records.combinations(traits)
    except DataError:
        yield from records.rows(traits)  # names the row that is at fault


def _unite(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)


class TaskCells(NamedTuple):
    """The scores of one task.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Scores as given; NaN = not observed.
    answers : array of int, shape (n, M), or None
        Answers behind each value, if some cell has several.
    crossing : Crossing
        What several answers differ in, and all of them where they are complete.
    """

    values: NDArray[np.float64]
    answers: NDArray[np.int64] | None = None
    crossing: Crossing = Crossing((), None)


class Matrix(NamedTuple):
    """What is known of all rows of all tasks beside their scores.

    Parameters
    ----------
    present : array of bool, shape (T, M)
        Whether the model has any row of the task.
    counts : array of int, shape (4, T, M)
        Rows by state (see `STATES`); missing rows include those without a trace.
    largest : array of float, shape (T, M)
        Largest score; NaN where there is none.
    most_answers : int
        Most answers behind a value; 0 where they were not counted, because no cell has several.
    clusters : array of int, shape (R,), or None
        Cluster code of each row.
    weights : array of float, shape (R,), or None
        Weight of each row.
    left_out : mapping from str to int
        Rows left out, by reason.
    set_aside : str
        Why a column of clusters is not used; empty otherwise.
    """

    present: NDArray[np.bool_]
    counts: NDArray[np.int64]
    largest: NDArray[np.float64]
    most_answers: int
    clusters: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    left_out: Mapping[str, int]
    set_aside: str


class Filling:
    """Puts scores into cells, some tasks at a time.

    Parameters
    ----------
    records : Records
        The rows.
    index : RowIndex
        From `index_rows`.
    answers : sequence of str
        Label roles that number several answers to one row, which are averaged.
    """

    def __init__(self, records: Records, index: RowIndex, answers: Sequence[str]) -> None:
        self.records = records
        self.index = index
        self.answers = tuple(answers)
        self.models = len(records.table.names["model"])
        self._counts = np.zeros((len(STATES), index.tasks, self.models), np.int64)
        self._largest = np.full((index.tasks, self.models), np.nan)
        self._most_answers = 0
        self._sides = Sides.of(records, index)
        self._left_out: Counter[str] = Counter()

    def fill(self, tasks: range) -> Iterator[tuple[int, TaskCells]]:
        """The cells of some tasks that follow each other, each with the code of its task.

        They may be written to until the next ones are asked for; after the last they are locked.

        Raises
        ------
        DataError
            If a row stands twice, or one row of a task has two clusters or two weights.
        """
        first, last = self.index.span(tasks[0]).start, self.index.span(tasks[-1]).stop
        values = np.full((last - first, self.models), np.nan)
        filled = np.zeros(values.shape, np.bool_)
        number, kept = 0, []
        whole = len(tasks) == self.index.tasks
        for rows in self.records.rows() if whole else self.records.rows_of(tasks):
            row = self.index.find(rows.task, rows.key)
            cell = (row - first) * self.models + rows.model
            number += len(cell)
            filled.reshape(-1)[cell] = True
            self._sides.put(rows, row)
            self._left_out.update(rows.left_out)
            if self.answers:
                kept.append(Answers.of(self.records, rows, cell, self.answers))
            else:
                values.reshape(-1)[cell] = rows.score
                other = np.flatnonzero(rows.state != SCORED)
                place = (rows.state[other], rows.task[other], rows.model[other])
                np.add.at(self._counts, place, 1)
        twice = not self.answers and number != np.count_nonzero(filled)
        del filled
        if twice:
            raise describe_duplicates(self.records, self.index, ())
        behind, labels = self._average(kept, values, first) if kept else (None, None)
        for task in tasks:
            span = self.index.span(task)
            part = slice(span.start - first, span.stop - first)
            if part.start < part.stop:
                self._count(task, values[part])
            if behind is None:
                yield task, TaskCells(values[part])
                continue
            crossing = Crossing((), None)
            if labels is not None and behind[part].max(initial=0) > 1:
                crossing = labels.cross(part, self.models)
            yield task, TaskCells(values[part], behind[part], crossing)
        values.setflags(write=False)

    def _average(
        self, kept: Sequence[Answers], values: NDArray[np.float64], first: int
    ) -> tuple[NDArray[np.int64] | None, Labels | None]:
        joined = Answers.joined(kept)
        if joined.has_duplicates():
            raise describe_duplicates(self.records, self.index, self.answers)
        behind = joined.average(values, self._counts, self.index, first)
        if behind is None:
            return None, None
        self._most_answers = max(self._most_answers, int(behind.max()))
        widths = tuple(len(self.records.table.names[role]) for role in self.answers)
        return behind, Labels(joined, self.answers, widths)

    def _count(self, task: int, values: NDArray[np.float64]) -> None:
        self._largest[task] = np.fmax.reduce(values, axis=0)
        if not self.answers:
            self._counts[SCORED, task] = np.count_nonzero(~np.isnan(values), axis=0)

    def finish(self) -> Matrix:
        """What was found on the way, after all tasks."""
        index, counts = self.index, self._counts
        self._sides.settle(index.task_of_row)
        present = counts.sum(axis=0) > 0
        expected = np.bincount(index.task_of_row, minlength=index.tasks)
        counts[MISSING] += expected[:, None] - counts.sum(axis=0)
        return Matrix(
            present,
            counts,
            self._largest,
            self._most_answers,
            self._sides.clusters,
            self._sides.weights,
            dict(self._left_out),
            self._sides.set_aside,
        )

"""From rows of tidy tables to one matrix per task: rows of the task by models.

Two passes over the rows: the first finds the rows of each task and what describes the task, the
second puts every score into its cell. Duplicates show as fewer cells than rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.tabular.answers import Answers, Sides, describe_duplicates
from rankbars.data.tabular.crossing import Labels
from rankbars.data.tabular.records import MISSING, STATES, Records

__all__ = ["Matrix", "RowIndex", "fill_matrix", "index_rows"]

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
    for rows in records.rows(traits):
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


def _unite(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)


class Matrix(NamedTuple):
    """Scores of all rows of all tasks.

    Parameters
    ----------
    values : array of float, shape (R, M)
        Scores as given; NaN = not observed.
    present : array of bool, shape (T, M)
        Whether the model has any row of the task.
    counts : array of int, shape (4, T, M)
        Rows by state (see `STATES`); missing rows include those without a trace.
    answers : array of int, shape (R, M), or None
        Answers behind each value, if some cell has several.
    clusters : array of int, shape (R,), or None
        Cluster code of each row.
    weights : array of float, shape (R,), or None
        Weight of each row.
    left_out : mapping from str to int
        Rows left out, by reason.
    set_aside : str
        Why a column of clusters is not used; empty otherwise.
    labels : Labels or None
        The single answers, if some cell has several.
    """

    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    counts: NDArray[np.int64]
    answers: NDArray[np.int64] | None
    clusters: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    left_out: Mapping[str, int]
    set_aside: str
    labels: Labels | None = None


def fill_matrix(records: Records, index: RowIndex, answers: Sequence[str]) -> Matrix:
    """The matrix of all scores.

    Parameters
    ----------
    records : Records
        The rows.
    index : RowIndex
        From `index_rows`.
    answers : sequence of str
        Label roles that number several answers to one row, which are averaged.

    Raises
    ------
    DataError
        If a row stands twice, or one row of a task has two clusters or two weights.
    """
    models = len(records.table.names["model"])
    shape = (len(index.pairs), models)
    values = np.full(shape, np.nan)
    filled = np.zeros(shape, np.bool_)
    counts = np.zeros((len(STATES), index.tasks, models), np.int64)
    sides = Sides.of(records, index)
    left_out: Counter[str] = Counter()
    kept: list[Answers] = []
    labels: Labels | None = None
    number = 0
    for rows in records.rows():
        row = index.find(rows.task, rows.key)
        cell = row * models + rows.model
        number += len(cell)
        filled.reshape(-1)[cell] = True
        sides.put(rows, row)
        left_out.update(rows.left_out)
        if answers:
            kept.append(Answers.of(records, rows, cell, answers))
        else:
            values.reshape(-1)[cell] = rows.score
            np.add.at(counts, (rows.state, rows.task, rows.model), 1)
    if answers:
        joined = Answers.joined(kept)
        if joined.has_duplicates():
            raise describe_duplicates(records, index, answers)
        behind = joined.average(values, counts, index)
        if behind is not None:
            widths = tuple(len(records.table.names[role]) for role in answers)
            labels = Labels(joined, tuple(answers), widths)
    else:
        if number != np.count_nonzero(filled):
            raise describe_duplicates(records, index, ())
        behind = None
    sides.settle(index.task_of_row)
    present = counts.sum(axis=0) > 0
    expected = np.bincount(index.task_of_row, minlength=index.tasks)
    counts[MISSING] += expected[:, None] - counts.sum(axis=0)
    return Matrix(
        values,
        present,
        counts,
        behind,
        sides.clusters,
        sides.weights,
        dict(left_out),
        sides.set_aside,
        labels,
    )

"""From rows of tables to one matrix per task: rows of the task by models.

Two passes over the rows: the first finds the rows of each task and what describes the task, the
second puts every score into its cell. Duplicates show as fewer cells than rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.cleanrows import Records
from rankbars.tables.database import as_numbers
from rankbars.tables.repeats import Answers, Crossing, Labels, duplicate_rows
from rankbars.tables.rowstates import MISSING, SCORED, STATES

__all__ = [
    "ONE_CLUSTER", "UNEVEN_CLUSTERS", "Filling", "Matrix", "RowIndex", "TaskCells", "index_rows",
]  # fmt: skip

# A table with a place for each (task, key) is used up to this size, or this many times the rows;
# beyond it, sorted numbers.
DENSE_CELLS, DENSE_TIMES = 1 << 22, 16

# Why a column of clusters that was only recognised by its name is not used.
UNEVEN_CLUSTERS = "it does not describe every row"
ONE_CLUSTER = "it tells no rows of a task apart"


@dataclass(frozen=True, eq=False)
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
    """

    pairs: NDArray[np.int64]
    key_count: int
    tasks: int

    @cached_property
    def _place(self) -> NDArray[np.int32] | None:
        size = self.tasks * self.key_count
        if size > max(DENSE_CELLS, DENSE_TIMES * len(self.pairs)):
            return None
        place = np.full(size, -1, np.int32)
        place[self.pairs] = np.arange(len(self.pairs), dtype=np.int32)
        return place

    def find(self, pair: NDArray[Any]) -> NDArray[Any]:
        """Position in `pairs` of each pair."""
        if len(self.pairs) == self.tasks * self.key_count:  # every task has every key
            return pair
        place = self._place
        return np.searchsorted(self.pairs, pair) if place is None else place[pair]

    @cached_property
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


def index_rows(records: Records) -> RowIndex:
    """Rows of each task."""
    return RowIndex(records.pairs(), records.key_count, len(records.names["task"]))


class TaskCells(NamedTuple):
    """The scores of one task.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Scores as given; NaN = not observed.
    answers : array of int, shape (n, M), or None
        Answers behind each value, if some cell has several.
    crossing : Crossing
        What several answers differ in, and all of them where they are labelled.
    within : array of float, shape (n, M), or None
        Variance of the answers behind each value, if some cell has several.
    """

    values: NDArray[np.float64]
    answers: NDArray[np.int64] | None = None
    crossing: Crossing = Crossing((), None)
    within: NDArray[np.float64] | None = None


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
    probabilities : array of float, shape (R,), or None
        Probability with which each row was drawn.
    left_out : mapping from str to int
        Rows left out, by reason.
    set_aside : str
        Why a column of clusters is not used; empty otherwise.
    trials : array of int, shape (3, T, M)
        Answers to rows with several that failed, that ran without a score; and all answers.
    """

    present: NDArray[np.bool_]
    counts: NDArray[np.int64]
    largest: NDArray[np.float64]
    most_answers: int
    clusters: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    probabilities: NDArray[np.float64] | None
    left_out: Mapping[str, int]
    set_aside: str
    trials: NDArray[np.int64]


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
    worst : sequence of float, optional
        By task, what an answer without a score counts as where its row has several; NaN where
        nothing says what the worst score is. Without it they are left out.

    Raises
    ------
    DataError
        If one row of a task has two clusters or two weights.
    """

    def __init__(
        self, records: Records, index: RowIndex, answers: Sequence[str],
        worst: Sequence[float] | None = None,
    ) -> None:  # fmt: skip
        self.records = records
        self.index = index
        self.answers = tuple(answers)
        self.models = len(records.names["model"])
        self._counts = np.zeros((len(STATES), index.tasks, self.models), np.int64)
        self._largest = np.full((index.tasks, self.models), np.nan)
        self._worst = worst
        self._trials = np.zeros((3, index.tasks, self.models), np.int64)
        self._most_answers = 0
        self._clusters, self._set_aside = _read_clusters(records, index)
        self._weights = _read_weights(records, index, "weight", "weight < 0", "0 or more")
        role = "sampling_probability"
        self._drawn = _read_weights(
            records, index, role, f"{role} <= 0 OR {role} > 1", "above 0 and at most 1"
        )

    def fill(self, tasks: range) -> Iterator[tuple[int, TaskCells]]:
        """The cells of some tasks that follow each other, each with the code of its task.

        They may be written to until the next ones are asked for; after the last they are locked.

        Raises
        ------
        DataError
            If a row stands twice, or a score is infinite or outside of its limits.
        """
        records, index = self.records, self.index
        first, last = index.span(tasks[0]).start, index.span(tasks[-1]).stop
        values = np.full((last - first, self.models), np.nan)
        # Where every row has a score, a filled cell tells itself.
        told = records.all_scored and not self.answers
        filled = None if told else np.zeros(values.size, np.bool_)
        number, kept = 0, []
        some = None if len(tasks) == index.tasks else tasks
        batches = records.batches(self._roles, (), some)
        for rows in batches:
            row = index.find(self._pair(rows.codes)).astype(np.int64, copy=False)
            cell = (row - first) * self.models
            cell += rows.codes["model"]
            score = rows.numbers["value"]
            records.refuse_outside(score)
            number += len(cell)
            if filled is not None:
                filled[cell] = True
            if self.answers:
                state = np.full(len(cell), SCORED) if rows.state is None else rows.state
                identity = self._identify(cell, rows.codes)
                score = score.astype(np.float64, copy=False)
                kept.append(Answers(cell, identity, score, state.astype(np.uint8)))
                continue
            values.reshape(-1)[cell] = score
            if rows.state is not None:
                other = np.flatnonzero(rows.state != SCORED)
                place = (index.task_of_row[row[other]], rows.codes["model"][other])
                np.add.at(self._counts, (rows.state[other], *place), 1)
        parts = {task: slice(index.span(task).start - first, index.span(task).stop - first)
                 for task in tasks}  # fmt: skip
        if not self.answers and number != self._count_scored(values, parts, filled):
            raise duplicate_rows(records, ())
        del filled
        behind, within, labels = self._average(kept, values, first) if kept else (None,) * 3
        for task, part in parts.items():
            if part.start < part.stop:
                self._count(task, values[part])
            if behind is None or within is None:
                yield task, TaskCells(values[part])
                continue
            crossing = Crossing((), None)
            if labels is not None and behind[part].max(initial=0) > 1:
                crossing = labels.cross(part, self.models)
            yield task, TaskCells(values[part], behind[part], crossing, within[part])
        values.setflags(write=False)

    @property
    def _roles(self) -> tuple[str, ...]:
        return ("model", "task", *self.records.keys, *self.answers)

    def _pair(self, codes: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
        """``task * key_count + key`` of rows."""
        pair = codes["task"].astype(np.int64)
        for role in self.records.keys:
            pair *= len(self.records.names[role])
            pair += codes[role]
        return pair

    def _identify(
        self, cell: NDArray[np.int64], codes: Mapping[str, NDArray[Any]]
    ) -> NDArray[np.int64]:
        """One number for the cell and the number of the answer."""
        identity = cell
        for role in self.answers:
            # An empty cell is an answer without a number, one of its own.
            identity = identity * (len(self.records.names[role]) + 1) + codes[role] + 1
        return identity

    def _average(
        self, kept: Sequence[Answers], values: NDArray[np.float64], first: int
    ) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None, Labels | None]:
        joined = Answers.joined(kept)
        if joined.has_duplicates():
            raise duplicate_rows(self.records, self.answers)
        task = self.index.task_of_row[first + joined.cell // self.models]
        for one in np.unique(task).tolist():
            self.records.ask_about_mark(one, joined.score[task == one])
        lost = joined.lost_by(task, self._trials.shape[1:])
        self._trials += lost
        if self._worst is not None and lost[:2].any():
            names = self.records.names
            joined = joined.with_worst(self._worst, task, self.models, names, lost)
        behind, within = joined.average(values)
        joined.count_cells(self.models, self._counts, self.index.task_of_row[first:])
        if behind.max(initial=0) < 2:
            return None, None, None
        self._most_answers = max(self._most_answers, int(behind.max()))
        widths = tuple(len(self.records.names[role]) for role in self.answers)
        return behind, within, Labels(joined, self.answers, widths)

    def _count_scored(
        self, values: NDArray[np.float64], parts: Mapping[int, slice],
        filled: NDArray[np.bool_] | None,
    ) -> int:  # fmt: skip
        """Count the scores of models on tasks; how many cells there are."""
        scored = 0
        for task, part in parts.items():
            found = np.count_nonzero(~np.isnan(values[part]), axis=0)
            self._counts[SCORED, task] = found
            scored += int(found.sum())
        return scored if filled is None else int(np.count_nonzero(filled))

    def _count(self, task: int, values: NDArray[np.float64]) -> None:
        self.records.ask_about_mark(task, values)
        self._largest[task] = np.fmax.reduce(values, axis=0)

    def finish(self) -> Matrix:
        """What was found on the way, after all tasks."""
        index, counts = self.index, self._counts
        present = counts.sum(axis=0) > 0
        expected = np.bincount(index.task_of_row, minlength=index.tasks)
        counts[MISSING] += expected[:, None] - counts.sum(axis=0)
        return Matrix(
            present,
            counts,
            self._largest,
            self._most_answers,
            self._clusters,
            self._weights,
            self._drawn,
            self.records.left_out(),
            self._set_aside,
            self._trials,
        )


def _read_clusters(records: Records, index: RowIndex) -> tuple[NDArray[np.int64] | None, str]:
    """Cluster of each row, which must agree between models; or why they are not used.

    A column of clusters that was only recognised by its name, and does not describe rows, is set
    aside; one that the caller named raises `DataError`.
    """
    if "cluster" not in records.names:
        return None, ""
    roles = ("task", *records.keys, "cluster")
    found = _by_row(records, index, roles, "min(cluster_code) AS low, max(cluster_code) AS high, "
                    "count(*) - count(cluster_code) AS gaps")  # fmt: skip
    low = np.ma.filled(found["low"].astype(np.int64), -1)
    differs = bool(np.ma.getdata(found["gaps"]).any())
    differs = differs or bool((low != np.ma.filled(found["high"].astype(np.int64), -1)).any())
    if "cluster" in records.named and differs:
        records.refuse(
            "cluster_code IS NULL", "the cluster is empty. Every row needs one for all models.",
            roles,
        )  # fmt: skip
        _refuse_second(records, "cluster_code", "the row is in two clusters. It must be in the "
                       "same one for all models.", roles)  # fmt: skip
    if differs:
        return None, UNEVEN_CLUSTERS
    if "cluster" not in records.named:
        pairs = np.unique(np.stack((index.task_of_row, low)), axis=1)
        if pairs.shape[1] == len(np.unique(index.task_of_row)):
            return None, ONE_CLUSTER
    return low, ""


def _read_weights(
    records: Records, index: RowIndex, role: str, outside: str, expected: str
) -> NDArray[np.float64] | None:
    """Weight or probability of each row, which must agree between models."""
    if role not in records.numbers:
        return None
    records.refuse(
        f"{role} IS NULL OR isinf({role}) OR {outside}",
        f"the {role.replace('_', ' ')} is not a number, {expected}. Every row needs one for all "
        "models.",
    )
    roles = ("task", *records.keys)
    found = _by_row(records, index, roles, f"min({role}) AS low, max({role}) AS high")
    low = as_numbers(found["low"])
    if (low != as_numbers(found["high"])).any():
        several = {"weight": "weights"}.get(role, "sampling probabilities")
        _refuse_second(records, role, f"the row has two {several}. It must have the same one for "
                       "all models.", roles)  # fmt: skip
    return low


def _by_row(
    records: Records, index: RowIndex, roles: Sequence[str], cells: str
) -> dict[str, NDArray[Any]]:
    """What an aggregate says of each row, in the order of the index."""
    pair = f"task_code::BIGINT * {index.key_count} + key"
    found = records.arrays(f"{pair} AS pair, {cells}", roles, "GROUP BY pair")
    order = np.argsort(np.ma.getdata(found.pop("pair")))
    return {name: column[order] for name, column in found.items()}


def _refuse_second(records: Records, cell: str, problem: str, roles: Sequence[str]) -> None:
    """Raise about the first entry that differs from the first one of its row."""
    window = "PARTITION BY task_code, key ORDER BY part, place"
    first = f"first_value({cell}) OVER ({window})"
    found = records.find("other", roles, computed=f"{first} <> {cell} AS other")
    if found is not None:
        raise DataError(f"{found[0]}: {problem}")

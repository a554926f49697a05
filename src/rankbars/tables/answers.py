"""Several answers to one row, what belongs to rows as a whole, and rows that stand twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.records import ERROR, MISSING, SCORED, UNSCORED, CleanRows, Records

__all__ = ["Answers", "DuplicateRowsError", "Index", "Sides", "describe_duplicates"]


class DuplicateRowsError(DataError):
    """A model has two rows where one is expected; raised while rows are counted."""


class Index(Protocol):
    """What is needed of the index of rows: see `rankbars.tables.matrices.RowIndex`."""

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Number of every row."""

    @property
    def task_of_row(self) -> NDArray[np.int64]:
        """Task code of each row."""

    @property
    def key_of_row(self) -> NDArray[np.int64]:
        """Key code of each row."""

    def find(self, task: NDArray[np.int64], key: NDArray[np.int64]) -> NDArray[np.int64]:
        """Position of each (task, key)."""


class Answers(NamedTuple):
    """Answers: the cell of the matrix they belong to, cell and number as one, score and state."""

    cell: NDArray[np.int64]
    identity: NDArray[np.int64]
    score: NDArray[np.float64]
    state: NDArray[np.uint8]

    @classmethod
    def of(
        cls, records: Records, rows: CleanRows, cell: NDArray[np.int64], roles: Sequence[str]
    ) -> Answers:
        """Answers in one block; `roles` together number the answers to one row."""
        return cls(cell, _identities(records, rows, cell, roles), rows.score, rows.state)

    @classmethod
    def joined(cls, parts: Sequence[Answers]) -> Answers:
        """All parts as one, sorted by cell and score so that sums do not depend on row order."""
        cell, identity, score, state = (
            np.concatenate([part[i] for part in parts]) for i in range(4)
        )
        order = np.lexsort((identity, state, score, cell))
        return cls(cell[order], identity[order], score[order], state[order])

    def has_duplicates(self) -> bool:
        """Whether an answer to a row stands twice."""
        return len(np.unique(self.identity)) < len(self.identity)

    def average(
        self,
        values: NDArray[np.float64],
        counts: NDArray[np.int64],
        index: Index,
        first: int = 0,
    ) -> NDArray[np.int64] | None:
        """Write the mean of the scored answers of each cell, and count the states of cells.

        Parameters
        ----------
        values : array of float, shape (R, M)
            Takes the means.
        counts : array of int, shape (4, T, M)
            Takes the counts.
        index : Index
            The rows of all tasks.
        first : int
            Which of them the first row of `values` is.

        Returns
        -------
        array of int, shape (R, M), or None
            Answers behind each value; None where no cell has several.
        """
        behind = np.zeros(values.shape, np.int64)
        scored = self.state == SCORED
        cells, starts = np.unique(self.cell[scored], return_index=True)
        if len(cells):
            sums = np.add.reduceat(self.score[scored], starts)
            number = np.diff(np.append(starts, np.count_nonzero(scored)))
            values.reshape(-1)[cells] = sums / number
            behind.reshape(-1)[cells] = number
        self._count_cells(values.shape[1], counts, index, first)
        return behind if behind.size and behind.max() > 1 else None

    def _count_cells(
        self, models: int, counts: NDArray[np.int64], index: Index, first: int
    ) -> None:
        """State of a cell: scored if any answer is, else an error, unscored, missing."""
        left = np.arange(len(self.cell))
        for state in (SCORED, ERROR, UNSCORED, MISSING):
            cells = np.unique(self.cell[left][self.state[left] == state])
            row, model = np.divmod(cells, models)
            np.add.at(counts[state], (index.task_of_row[row + first], model), 1)
            left = left[~np.isin(self.cell[left], cells)]


def _identities(
    records: Records, rows: CleanRows, cell: NDArray[np.int64], roles: Sequence[str]
) -> NDArray[np.int64]:
    """One number for the cell and the number of the answer."""
    identity = cell
    for role in roles:
        # An empty cell is an answer without a number, one of its own.
        identity = identity * (len(records.table.names[role]) + 1) + rows.block.labels[role] + 1
    return identity


@dataclass(slots=True)
class Sides:
    """Cluster and weight of each row, which must agree between models.

    A column of clusters that was only recognised by its name, and does not describe rows, is set
    aside; one that the caller named raises `DataError`.

    Parameters
    ----------
    records : Records
        The rows.
    clusters : array of int, shape (R,), or None
        Cluster code of each row.
    weights : array of float, shape (R,), or None
        Weight of each row.
    set_aside : str
        Why the clusters are not used; empty if they are.
    """

    records: Records
    clusters: NDArray[np.int64] | None
    weights: NDArray[np.float64] | None
    set_aside: str = ""

    @classmethod
    def of(cls, records: Records, index: Index) -> Sides:
        """Nothing known yet."""
        rows = len(index.pairs)
        return cls(
            records,
            np.full(rows, -1, np.int64) if "cluster" in records.table.names else None,
            np.full(rows, np.nan) if "weight" in records.table.columns else None,
        )

    def put(self, rows: CleanRows, row: NDArray[np.int64]) -> None:
        """Enter one block; `row` is the position of each of its rows."""
        if self.clusters is not None:
            codes = rows.block.labels["cluster"].astype(np.int64)
            new = self.clusters[row] < 0
            # Of several entries the first one counts, so that the message names the other.
            self.clusters[row[new][::-1]] = codes[new][::-1]
            differs = self.clusters[row] != codes
            if "cluster" in self.records.named:
                self._refuse(rows, codes < 0, "the cluster is empty", "Every row needs one")
                self._refuse(
                    rows, differs, "the row is in two clusters", "It must be in the same one"
                )
            elif (codes < 0).any() or differs.any():
                self.clusters, self.set_aside = None, "it does not describe every row"
        if self.weights is not None:
            given = rows.block.numbers["weight"]
            bad = ~(np.isfinite(given) & (given >= 0))
            self._refuse(rows, bad, "the weight is not a number, 0 or more", "Every row needs one")
            new = np.isnan(self.weights[row])
            self.weights[row[new][::-1]] = given[new][::-1]
            differs = self.weights[row] != given
            self._refuse(rows, differs, "the row has two weights", "It must have the same one")

    def settle(self, task_of_row: NDArray[np.int64]) -> None:
        """Set clusters aside that tell the rows of no task apart."""
        if self.clusters is None or "cluster" in self.records.named:
            return
        pairs = np.unique(np.stack((task_of_row, self.clusters)), axis=1)
        if pairs.shape[1] == len(np.unique(task_of_row)):
            self.clusters, self.set_aside = None, "it tells no rows of a task apart"

    def _refuse(self, rows: CleanRows, bad: NDArray[np.bool_], problem: str, expected: str) -> None:
        if bad.any():
            place = self.records.table.describe_row(rows.block, int(np.argmax(bad)))
            raise DataError(f"{place}: {problem}. {expected} for all models.")


def describe_duplicates(
    records: Records, index: Index, answers: Sequence[str]
) -> DuplicateRowsError:
    """The error for rows that stand twice: names the first in the order of the matrix."""
    models = len(records.table.names["model"])
    parts = []
    for rows in records.rows():
        cell = index.find(rows.task, rows.key) * models + rows.model
        parts.append(_identities(records, rows, cell, answers))
    identities, times = np.unique(np.concatenate(parts), return_counts=True)
    twice = np.flatnonzero(times > 1)
    first, count = int(identities[twice[0]]), int(times[twice[0]])
    places, row, model = [], 0, 0
    sources: set[str] = set()
    for rows in records.rows():
        position = index.find(rows.task, rows.key)
        same = _identities(records, rows, position * models + rows.model, answers) == first
        for i in np.flatnonzero(same):
            row, model = int(position[i]), int(rows.model[i])
            places.append(f"{rows.block.source}, row {rows.block.row_number(int(i))}")
            sources.add(rows.block.source)
    names = records.table.names
    shown = [f"model {names['model'][model]!r}", f"task {names['task'][index.task_of_row[row]]!r}"]
    if records.keys:
        key = records.key_names[index.key_of_row[row]]
        shown.append(f"{' and '.join(records.keys)} {key!r}")
    extra = len(twice) - 1
    return DuplicateRowsError(
        f"{places[0]}: {', '.join(shown)} stands {count} times (also {places[1]})"
        f"{f', and {extra} more such rows' if extra else ''}. Expected one row for each. "
        f"{_advise(len(sources) > 1)}"
    )


def _advise(several_files: bool) -> str:
    """What to do about rows that stand twice."""
    if several_files:
        return (
            "If the files are copies, leave one out. If each is another model or run, name models "
            "after their files: --column model= (in Python: columns={'model': ''}). If they are "
            "answers to the same items, name the column that numbers them: --column epoch=NAME."
        )
    return (
        "Remove the copies; or, if they are several answers to one item, name the column that "
        "numbers them: --column epoch=NAME (in Python: columns={'epoch': 'NAME'})."
    )

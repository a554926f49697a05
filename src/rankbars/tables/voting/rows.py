"""Rows of a table of votes: where they come from, and what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.tables.relations import Table
from rankbars.tables.voting.columns import VoteColumns

__all__ = ["RowSource", "VoteRows"]


class VoteRows(NamedTuple):
    """Votes as rows, before they are sorted into tasks.

    Attributes
    ----------
    models : tuple of str
        Names, in code-point order.
    first, second, outcome : array of int, shape (R,)
        As in `Ballots`.
    votes : array of int, shape (R,)
        Votes behind each row.
    weight, squared : array of float, shape (R,)
        Sums of their weights and of the squares.
    weighted : bool
        Whether any weight differs from 1.
    labels : mapping from str to (names, codes)
        What rows belong to, by role; codes are -1 where a cell is empty.
    position : array of int, shape (R,), optional
        1 where the first model was shown first, -1 where the second was.
    covariates : array of float, shape (R, q)
        Values of the controls.
    row : array of int, shape (R,)
        Row of the table that each row of votes comes from.
    shared : bool
        Whether some votes are shared out over several rows.
    unscored, against_self, named : int
        Votes without an outcome; of a model against itself; that were not anonymous.
    winners : {"", "names", "words"}
        How winners were read that could be the name of a model or a word for a side.
    """

    models: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    outcome: NDArray[np.int64]
    votes: NDArray[np.int64]
    weight: NDArray[np.float64]
    squared: NDArray[np.float64]
    weighted: bool
    labels: Mapping[str, tuple[tuple[str, ...], NDArray[np.int64]]]
    position: NDArray[np.int64] | None
    covariates: NDArray[np.float64]
    row: NDArray[np.int64]
    shared: bool = False
    unscored: int = 0
    against_self: int = 0
    named: int = 0
    winners: str = ""

    def take(self, rows: NDArray[np.bool_]) -> VoteRows:
        """The rows where `rows` is true."""
        if rows.all():
            return self
        return self._replace(
            first=self.first[rows],
            second=self.second[rows],
            outcome=self.outcome[rows],
            votes=self.votes[rows],
            weight=self.weight[rows],
            squared=self.squared[rows],
            labels={role: (names, codes[rows]) for role, (names, codes) in self.labels.items()},
            position=None if self.position is None else self.position[rows],
            covariates=self.covariates[rows],
            row=self.row[rows],
        )


class RowSource(NamedTuple):
    """Where rows of votes come from.

    Attributes
    ----------
    table : Table
        The table.
    columns : VoteColumns
        What its columns mean.
    controls : tuple of (name, column, column or None)
        Columns to control for: one with differences, or one for each of the two models.
    sums : tuple of three str, optional
        Columns with the number of votes behind each row, the sum of their weights and that of
        the squares, where equal votes have been put together already.
    """

    table: Table
    columns: VoteColumns
    controls: tuple[tuple[str, str, str | None], ...] = ()
    sums: tuple[str, str, str] | None = None

"""Votes in data frames: equal votes are put together by the library of the frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rankbars.data.scores import Scores
from rankbars.data.tables import TableOptions
from rankbars.data.tabular.coding import Table
from rankbars.data.tabular.valuetables import Chunk, ValueTable
from rankbars.data.voting.columns import VoteColumns
from rankbars.data.voting.reading import (
    GROUPED_ROLES,
    Grouping,
    find_vote_layout,
    scores_of_votes,
    wants_votes,
)
from rankbars.data.voting.rows import RowSource

__all__ = ["holds_votes", "scores_of_vote_frame"]

SUMS = ("votes behind a row", "sum of weights", "sum of squared weights")


def holds_votes(table: Table, options: TableOptions) -> bool:
    """Whether a frame is a table of votes: its header says so, or the caller does.

    Raises
    ------
    DataError
        If two columns name the models of a vote, and nothing says who won.
    """
    if wants_votes(options):
        return True
    return options.layout is None and find_vote_layout(table, options.columns) is not None


def scores_of_vote_frame(frame: Any, table: Table, options: TableOptions) -> Scores:
    """Votes of a data frame, as one task called ``"votes"``, or one per task or category.

    Parameters
    ----------
    frame : data frame
        As the caller gave it.
    table : Table
        The same as a table.
    options : TableOptions
        What the caller declares.
    """
    return scores_of_votes(table, options, "votes", _grouping(frame))


def _grouping(frame: Any) -> Grouping | None:
    import narwhals as nw

    if type(frame).__module__.partition(".")[0] in ("duckdb", "_duckdb"):
        return None  # coded column by column
    wrapped = nw.from_native(frame)
    if isinstance(wrapped, nw.LazyFrame):
        return None
    native = {str(name): name for name in wrapped.columns}

    def group(columns: VoteColumns) -> RowSource | None:
        roles = [role for role in GROUPED_ROLES if role in columns.roles]
        names = list(dict.fromkeys(columns.roles[role] for role in roles))
        if any(name not in native for name in names):
            return None  # a column made from the row index
        counted = wrapped.group_by(*(native[name] for name in names)).agg(
            nw.len().alias("rankbars votes")
        )
        arrays: dict[str, Any] = {name: counted[native[name]].to_list() for name in names}
        counts = np.asarray(counted["rankbars votes"].to_list(), dtype=np.float64)
        arrays |= dict.fromkeys(SUMS, counts)

        def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
            yield {name: arrays[name] for name in wanted}

        table = ValueTable("data frame", (*names, *SUMS), read_chunks, 0)
        return RowSource(table, columns, sums=SUMS)

    return group

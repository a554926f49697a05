"""Votes in data frames: equal votes are put together by the library of the frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rankbars.data.scores import Scores
from rankbars.tables.relations import Table
from rankbars.tables.tableoptions import TableOptions
from rankbars.tables.valuetables import Chunk, ValueTable
from rankbars.tables.voting.columns import VoteColumns
from rankbars.tables.voting.reading import (
    GROUPED_ROLES,
    Grouping,
    find_vote_layout,
    scores_of_votes,
    wants_votes,
)
from rankbars.tables.voting.rows import RowSource

__all__ = ["holds_votes", "scores_of_vote_frame"]

COUNT = "rankbars votes"
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


def _grouping(frame: Any) -> Grouping:
    relation = type(frame).__module__.partition(".")[0] in ("duckdb", "_duckdb")
    count_equal = _count_in_relation if relation else _count_in_frame

    def group(columns: VoteColumns) -> RowSource | None:
        roles = [role for role in GROUPED_ROLES if role in columns.roles]
        names = list(dict.fromkeys(columns.roles[role] for role in roles))
        counted = count_equal(frame, names)
        if counted is None:
            return None
        *cells, counts = counted
        arrays: dict[str, Any] = dict(zip(names, cells, strict=True))
        arrays |= dict.fromkeys(SUMS, np.asarray(counts, dtype=np.float64))

        def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
            yield {name: arrays[name] for name in wanted}

        table = ValueTable("data frame", (*names, *SUMS), read_chunks, 0)
        return RowSource(table, columns, sums=SUMS)

    return group


def _count_in_frame(frame: Any, names: Sequence[str]) -> list[list[Any]] | None:
    """Distinct rows of some columns, by column, and how often each stands there."""
    import narwhals as nw

    wrapped = nw.from_native(frame)
    native = {str(name): name for name in wrapped.columns}
    if isinstance(wrapped, nw.LazyFrame) or any(name not in native for name in names):
        return None  # a name may stand for the row index
    keys = [native[name] for name in names]
    counted = wrapped.group_by(*keys).agg(nw.len().alias(COUNT))
    return [counted[key].to_list() for key in (*keys, COUNT)]


def _count_in_relation(relation: Any, names: Sequence[str]) -> list[list[Any]]:
    """The same for a relation of duckdb."""
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    found = relation.aggregate(f'{quoted}, count(*) AS "{COUNT}"', quoted).fetchall()
    return [list(column) for column in zip(*found, strict=True)] or [[] for _ in (*names, COUNT)]

"""A table of votes → `Scores`, whatever its layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from rankbars.data.scores import Scores
from rankbars.errors import DataError
from rankbars.tables.relations import Table
from rankbars.tables.tableoptions import TableOptions
from rankbars.tables.voting.assembly import find_controls, scores_of_rows
from rankbars.tables.voting.beats import looks_like_beats, scores_of_beats
from rankbars.tables.voting.collection import collect_rows
from rankbars.tables.voting.columns import (
    OUTCOMES,
    VOTE_LAYOUTS,
    VoteColumns,
    find_sides,
    find_vote_columns,
)
from rankbars.tables.voting.rankings import (
    collect_rankings,
    looks_like_options,
    looks_like_ranking,
)
from rankbars.tables.voting.rows import RowSource, VoteRows

__all__ = ["GROUPED_ROLES", "Grouping", "find_vote_layout", "scores_of_votes", "wants_votes"]

HEAD_ROWS = 50

GROUPED_ROLES = (
    "model_a", "model_b", "winner", "loser", "chosen", "position", "task", "category", "anonymous",
)  # fmt: skip
"""What a vote is known by where nothing else is needed of it."""

GROUPED_LAYOUTS = ("winner", "chosen", "loser")

Grouping = Callable[[VoteColumns], RowSource | None]
"""Puts equal votes of a table together before they are read; None where it cannot."""


def find_vote_layout(table: Table, named: Mapping[str, str]) -> str | None:
    """Why a table is one of votes; None if it is not.

    Parameters
    ----------
    table : Table
        The table.
    named : mapping from str to str
        Columns that the caller named, by role.

    Raises
    ------
    DataError
        If two columns name the models of a vote, and nothing says who won.
    """
    if looks_like_beats(table):
        return "the names of the rows are those of the columns"
    try:
        columns = find_vote_columns(table.columns, named, table.source)
    except DataError:
        if find_sides(table.columns) is not None:
            raise
        return None
    if "model_a" not in columns.roles and not _several_models(table, columns):
        return None
    return f"columns {columns.describe()}"


def wants_votes(options: TableOptions) -> bool:
    """Whether the caller's options speak of votes."""
    roles = {"model_a", "model_b", "ranking", "options", "loser", *OUTCOMES} - {"score"}
    named = {role for role, name in options.columns.items() if name}
    return options.layout in VOTE_LAYOUTS or bool(roles & named)


def scores_of_votes(
    table: Table, options: TableOptions, task: str, group: Grouping | None = None
) -> Scores:
    """Votes of a table: one task, or one per task or category that a chosen column names.

    Parameters
    ----------
    table : Table
        The table.
    options : TableOptions
        What the caller declares.
    task : str
        Name of the task where no column names one.
    group : callable, optional
        A fast way to put equal votes together where nothing else is needed of them.

    Raises
    ------
    DataError
        If the table cannot be understood.
    """
    if options.layout == "beats" or (options.layout is None and _is_square(table, options)):
        return scores_of_beats(table, task)
    named = dict(options.columns)
    columns = find_vote_columns(table.columns, named, table.source)
    _refuse_lists(table, columns)
    known = table.columns
    rows = _collect(table, columns, options, group)
    if table.columns != known:
        # A file without a header may have columns further down.
        columns = find_vote_columns(table.columns, named, table.source)
        rows = _collect(table, columns, options, group)
    return scores_of_rows(rows, columns, options, task, table.source)


def _collect(
    table: Table, columns: VoteColumns, options: TableOptions, group: Grouping | None
) -> VoteRows:
    drop_self = options.self_votes == "drop"
    if columns.layout in ("ranking", "options"):
        return collect_rankings(table, columns)
    alone = not {"judge", "prompt", "cluster", "weight", "count"} & set(columns.roles)
    alone &= columns.layout in GROUPED_LAYOUTS
    if group is not None and alone and set(options.controls) <= {"position"}:
        try:
            grouped = group(columns)
            if grouped is not None:
                return collect_rows(grouped, drop_self=drop_self)
        except DataError:
            # Row by row it comes out which row is at fault.
            pass
    source = RowSource(table, columns, find_controls(table, options.controls))
    return collect_rows(source, drop_self=drop_self)


def _refuse_lists(table: Table, columns: VoteColumns) -> None:
    """Refuse categories that come as lists: a vote then belongs to several."""
    for role in ("category", "task"):
        name = columns.roles.get(role)
        if name is None:
            continue
        position = table.columns.index(name)
        cells = [row[position] for row in table.head(HEAD_ROWS)]
        if any(isinstance(cell, list | tuple | dict | np.ndarray) for cell in cells):
            raise DataError(
                f"{table.source}: the column {name!r} holds several categories in one cell, so a "
                "vote belongs to more than one. Tasks that share votes are not separate evidence, "
                "so nothing can be said about a new one. Rank all votes as one task (--column "
                f"{role}=), or name a column with one category per vote."
            )


def _is_square(table: Table, options: TableOptions) -> bool:
    return not any(options.columns.values()) and looks_like_beats(table)


def _several_models(table: Table, columns: VoteColumns) -> bool:
    """Whether a table without two columns of models ranks, chooses, or names winner and loser."""
    head = table.head(HEAD_ROWS)

    def cells(role: str) -> list[object]:
        return [row[table.columns.index(columns.roles[role])] for row in head]

    if columns.layout == "ranking":
        return looks_like_ranking(cells("ranking"))
    if columns.layout == "options":
        return looks_like_options(cells("options"))
    return columns.layout == "loser"

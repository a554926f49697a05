"""A square table of wins: rows beat columns."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.votes import Votes
from rankbars.errors import DataError
from rankbars.tables.cells import label_text, parse_number
from rankbars.tables.columns import check_header
from rankbars.tables.relations import Table

__all__ = ["looks_like_beats", "scores_of_beats"]

_MOST_MODELS = 10_000


def looks_like_beats(table: Table) -> bool:
    """Whether the names of the rows are those of the columns, in any order."""
    columns = list(table.columns)
    if not 3 <= len(columns) <= _MOST_MODELS:
        return False
    rows = table.head(len(columns))
    if len(rows) != len(columns) - 1:
        return False
    names = [_name(row[0]) for row in rows]
    return None not in names and sorted(map(str, names)) == sorted(columns[1:])


def scores_of_beats(table: Table, task: str) -> Scores:
    """Votes of a square table, whose diagonal does not count.

    Parameters
    ----------
    table : Table
        First column: names of the rows; other columns: one per model, with the number of votes
        that the model of the row won against it.
    task : str
        Name of the task.

    Raises
    ------
    DataError
        If rows and columns do not name the same models, or a cell is not a count.
    """
    check_header(table.columns, table.source)
    columns = list(table.columns[1:])
    rows = table.head(_MOST_MODELS + 1)
    names = [_name(row[0]) or "" for row in rows]
    if sorted(names) != sorted(columns):
        odd = sorted(set(names) ^ set(columns))[:5]
        raise DataError(
            f"{table.source}: a square table of wins names the same models in its rows and its "
            f"columns; these are in one of them only: {', '.join(map(repr, odd))}."
        )
    models = tuple(sorted(columns))
    place = {name: i for i, name in enumerate(models)}
    wins = np.zeros((len(models),) * 2)
    for number, (name, row) in enumerate(zip(names, rows, strict=True)):
        for column, cell in zip(columns, row[1:], strict=True):
            if name == column:
                continue
            wins[place[name], place[column]] = _count(table, number, column, cell)
    notes = (Note("beats", "Rows beat columns: a cell counts the votes that its row won."),)
    return Scores({task: Votes(models, wins)}, notes=notes)


def _count(table: Table, number: int, column: str, cell: object) -> float:
    value = parse_number(cell) if isinstance(cell, str) else 0.0 if cell is None else cell
    if not isinstance(value, Real) or value < 0 or value == float("inf"):
        raise DataError(
            f"{table.source}, row {table.header_rows + 1 + number}: {cell!r} in column {column!r} "
            "is not a number of votes. Expected 0 or more."
        )
    return 0.0 if math.isnan(value) else float(value)


def _name(cell: object) -> str | None:
    try:
        return label_text(cell)
    except DataError:
        return None

"""Votes that stand in tables twice: the same row, or once from the side of each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.data.votes import LOSS, WIN
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote, report_damage
from rankbars.tables.tablerows import Table
from rankbars.tables.votes.votecolumns import VoteColumns, find_vote_columns

if TYPE_CHECKING:
    from rankbars.tables.votes.castvotes import VoteRows

__all__ = ["note_doubled", "refuse_copies", "refuse_mirrors"]

_IDS = frozenset({"id", "voteid", "battleid", "matchid", "comparisonid", "uuid", "uid"})
_SHARE = 0.01  # of the votes; fewer may be two clicks
_LONGEST = 100  # letters of a cell that is looked at; longer ones are texts of answers
_HEAD_ROWS = 20
_FEWEST_TWICE = 10  # votes of a half
_ALIKE = 0.8  # of the votes are like the one before: they are sorted, or say nothing else


class _Marks(NamedTuple):
    """What tells the rows of a table apart.

    Attributes
    ----------
    source, key : str
        The table, and its column of times or numbers.
    rows : array of int
        A number for the cells of each row, in their order.
    """

    source: str
    key: str
    rows: NDArray[np.uint64]


def refuse_copies(tables: Sequence[Table], named: Mapping[str, str]) -> None:
    """Raises `DataError` where votes are given twice: a file downloaded again, rows appended again.

    Rows are copies where all their short cells are equal, a time or a number of the vote among
    them. Two votes without either may well be equal.

    Parameters
    ----------
    tables : sequence of Table
        Tables of votes.
    named : mapping from str to str
        Columns that the caller named, by role; an empty time says that times tell nothing.
    """
    found = [marks for table in tables if (marks := _mark(table, named)) is not None]
    if not found:
        return
    rows = np.concatenate([marks.rows for marks in found])
    _, first, place = np.unique(rows, return_index=True, return_inverse=True)
    copies = np.flatnonzero(first[place.reshape(-1)] != np.arange(rows.size))
    if copies.size <= max(1.0, _SHARE * rows.size):
        return
    row = int(copies[0])
    other = int(first[place.reshape(-1)[row]])
    both = " and ".join(_place(found, one) for one in (other, row))
    key = found[0].key
    raise DataError(
        f"{copies.size:,} of {rows.size:,} votes stand there before, with the same {key!r}, models "
        f"and outcome ({both}): they seem to be copies, such as a file downloaded twice, and would "
        "count twice. Leave them out. If they are votes of their own: --column time= (in Python: "
        "columns={'time': ''})."
    )


def _mark(table: Table, named: Mapping[str, str]) -> _Marks | None:
    if named.get("time") == "" or not table.head(1):
        return None
    try:
        roles = find_vote_columns(table.columns, named, table.source).roles
    except DataError:  # is told where votes are read
        return None
    numbers = (name for name in table.columns if fold_name(name) in _IDS)
    key = roles.get("time") or next(numbers, None)
    if key is None or {"count", "wins_a"} & roles.keys():
        return None
    short = _short_columns(table)
    with report_damage(table.source):
        relation = table.relate_columns({*short, key})
        cells = [relation.columns[name][0] for name in short if name in relation.columns]
        found = relation.engine.arrays(
            f"SELECT hash({', '.join(cells)}) AS mark, hash({relation.columns[key][0]}) AS k "
            f"FROM {relation.clause} ORDER BY {quote('place')}"
        )
    rows, keys = (np.ma.getdata(found[name]).astype(np.uint64) for name in ("mark", "k"))
    different = np.unique(keys).size
    # Days and numbers of rounds are shared by many votes.
    shared = 2 * different < np.unique(rows).size
    return None if shared else _Marks(table.source, key, rows)


def _short_columns(table: Table) -> list[str]:
    head = table.head(_HEAD_ROWS)
    return [
        name for place, name in enumerate(table.columns)
        if name and all(_is_short(row[place]) for row in head)
    ]  # fmt: skip


def note_doubled(table: Table, rows: VoteRows) -> list[Note]:
    """A note where the second half of the votes is the first half again, cell by cell.

    Nothing is said of few votes, or of such as are all alike: their halves may well be equal.

    Parameters
    ----------
    table : Table
        A table of votes.
    rows : VoteRows
        Its votes.
    """
    if rows.votes is not None and (rows.votes % 2).any():
        return []  # equal votes are one row there
    with report_damage(table.source):
        short = _short_columns(table)
        relation = table.relate_columns(short)
        cells = [relation.columns[name][0] for name in short if name in relation.columns]
        found = relation.engine.arrays(
            f"SELECT hash({', '.join(cells)}) AS mark FROM {relation.clause} "
            f"ORDER BY {quote('place')}"
        )
    marks = np.ma.getdata(found["mark"])
    half = len(marks) // 2
    if half < _FEWEST_TWICE or len(marks) % 2 or (marks[:half] != marks[half:]).any():
        return []
    if (marks[1:half] == marks[: half - 1]).mean() > _ALIKE:
        return []
    message = (
        f"{table.source}: the second half of the votes is the first half again, row by row. Was "
        "the file appended to itself? Each vote counts once more then, and intervals are too "
        "short; give each vote once."
    )
    return [Note("votes-doubled", message)]


def _is_short(cell: object) -> bool:
    return not isinstance(cell, dict | list | tuple) and len(str(cell)) <= _LONGEST


def _place(found: Sequence[_Marks], row: int) -> str:
    for marks in found:
        if row < marks.rows.size:
            return f"{marks.source}, vote {row + 1}"
        row -= marks.rows.size
    return ""


def refuse_mirrors(table: Table, columns: VoteColumns, rows: VoteRows) -> None:
    """Raises `DataError` where each vote stands there twice, once from the side of each model.

    The votes on each pair and with each outcome then have either model in front equally often.
    Where who stands in front is drawn, that comes about by chance, which is worked out exactly.
    Votes with a time, a voter or a prompt are not looked at: of these each may be asked for twice.

    Parameters
    ----------
    table : Table
        A table of votes.
    columns : VoteColumns
        Its columns.
    rows : VoteRows
        Its votes.
    """
    from scipy.special import gammaln  # which loads more than most tables need

    told = {"time", "judge", "prompt", "count"} & columns.roles.keys()
    if told or columns.layout != "winner" or not rows.first.size:
        return
    votes = np.ones(rows.first.size) if rows.votes is None else rows.votes
    turned = rows.first > rows.second
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    other = np.where(rows.outcome == WIN, LOSS, np.where(rows.outcome == LOSS, WIN, rows.outcome))
    outcome = np.where(turned, other, rows.outcome).astype(np.int64)
    size = len(rows.models)
    code = (outcome * size + low) * size + high
    _, kind = np.unique(code, return_inverse=True)
    kind = kind.reshape(-1)
    number, swapped = np.bincount(kind, weights=votes), np.bincount(kind, weights=votes * turned)
    if (2 * swapped != number).any():
        return
    chance = gammaln(number + 1) - 2 * gammaln(number / 2 + 1) - number * np.log(2.0)
    if chance.sum() > np.log(_CHANCE):
        return
    first, second = (quote_column(columns.roles[role]) for role in ("model_a", "model_b"))
    once = f"{first} < {second}"
    raise DataError(
        f"{table.source}: every one of the {number.sum():,.0f} votes stands there twice, once from "
        "the side of each model: on each pair and with each outcome either model stands in front "
        "equally often, as hardly ever happens by chance. They would count twice. Take each once: "
        f"{paste_condition(once)} (in Python: where={once!r}). If they are votes of their own: "
        "--column time= (in Python: columns={'time': ''})."
    )


_CHANCE = 1e-4  # that honest votes look like this

"""The cells that votes are read from: taken out of the database, names as codes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.cells import parse_number
from rankbars.tables.columns import fold_name
from rankbars.tables.database import Engine, as_numbers, quote, report_damage
from rankbars.tables.labels import Codes, code_names
from rankbars.tables.tablerows import Rows, Table
from rankbars.tables.votes.votecategories import SortedTable
from rankbars.tables.votes.votecolumns import SCORES, VoteColumns
from rankbars.tables.votes.voteoutcomes import SHARES

__all__ = [
    "LABEL_ROLES", "Controls", "Integers", "Names", "VoteCells", "control_columns",
    "find_controls", "read_vote_cells",
]  # fmt: skip

# What votes belong to.
LABEL_ROLES = ("judge", "prompt", "cluster", "task", "category")

NAME_ROLES = ("winner", "position", *LABEL_ROLES, "anonymous")
NUMBER_ROLES = ("score", "preference", "chosen", "weight", "probability", "count", "wins_a",
                "wins_b", "ties", "both_bad", *SCORES)  # fmt: skip

# Where nothing else is needed of a vote, it is one of few that there are.
FEW_OUTCOMES = ("winner", "chosen", "loser")
SINGLE_ROLES = frozenset({"judge", "prompt", "cluster", "weight", "probability", "count"})

# Rows that most often tell whether voters, prompts or conversations come back.
FIRST_ROWS = 1 << 16

# Rows in which words for outcomes are looked for.
HEAD_ROWS = 50

Integers = NDArray[np.integer]
# Name of a control, and its column, or one for each of the two models.
Controls = Sequence[tuple[str, str, str | None]]


class Names(NamedTuple):
    """What rows belong to: names, and the code of each row, -1 where a cell is empty."""

    names: tuple[str, ...]
    codes: Integers


class VoteCells(NamedTuple):
    """The columns that are used, by role; equal rows may have been put together.

    Attributes
    ----------
    source : str
        Name of the table for messages.
    columns : mapping from str to str
        Column by role.
    names : mapping from str to Names
        Cells of columns of names.
    numbers : mapping from str to array of float
        Cells of columns of numbers, NaN where they are empty.
    row : array of int
        Number of each row as its source counts.
    single : frozenset of str
        Roles whose names are all different; they are not among `names`.
    votes : array of int, optional
        How many rows of the table each one stands for.
    """

    source: str
    columns: Mapping[str, str]
    names: Mapping[str, Names]
    numbers: Mapping[str, NDArray[np.float64]]
    row: Integers
    single: frozenset[str]
    votes: NDArray[np.int64] | None

    def place(self, rows: NDArray[np.bool_] | int) -> str:
        """File and row of a row, or of the first where `rows` is true, for messages."""
        number = rows if isinstance(rows, int) else int(rows.argmax())
        return f"{self.source}, row {int(self.row[number])}"

    def name(self, role: str, rows: NDArray[np.bool_]) -> str:
        """What the first row holds where `rows` is true."""
        own = self.names[role]
        return own.names[int(own.codes[int(rows.argmax())])]


def control_columns(table: Table, names: Sequence[str]) -> frozenset[str]:
    """The columns that votes are controlled for; raises `DataError` if there is no such column."""
    found = find_controls(table, names)
    return frozenset(column for _, *columns in found for column in columns if column is not None)


def find_controls(table: Table, names: Sequence[str]) -> Controls:
    """Columns of each control but the position: one of differences, or one for each model.

    Raises `DataError` if there is no such column.
    """
    found: list[tuple[str, str, str | None]] = []
    folded = {fold_name(name): name for name in table.columns}
    for name in names:
        if name == "position":
            continue
        if name in table.columns:
            found.append((name, name, None))
            continue
        for one, other in (("a", "b"), ("1", "2"), ("left", "right")):
            pair = folded.get(fold_name(f"{name}{one}")), folded.get(fold_name(f"{name}{other}"))
            if pair[0] is not None and pair[1] is not None:
                found.append((name, pair[0], pair[1]))
                break
        else:
            shown = ", ".join(map(repr, table.columns[:20]))
            raise DataError(
                f"{table.source}: there is nothing to control {name!r} by: no column has that name "
                f"(first model less second), and none are called {name}_a and {name}_b. Columns: "
                f"{shown}."
            )
    return found


def read_vote_cells(
    table: Table, columns: VoteColumns, controls: Controls, words: Collection[str]
) -> VoteCells:
    """All columns that votes are read from; raises `DataError` if a number is none."""
    roles = dict(columns.roles)
    if "loser" in roles:
        roles |= {"model_a": roles.pop("winner"), "model_b": roles["loser"]}
    numbers = {role: roles[role] for role in NUMBER_ROLES if role in roles}
    text = _text_outcome(table, numbers, words)
    if text is not None:
        roles["winner"] = numbers.pop(text)
    labels = {role: roles[role] for role in ("model_a", "model_b", *NAME_ROLES) if role in roles}
    for control, one, other in controls:
        numbers |= {f"control {control}": one}
        numbers |= {} if other is None else {f"other {control}": other}
    if isinstance(table, SortedTable):
        numbers |= {"categories": table.column}
    rows = table.rows(labels, numbers)
    for role, name in numbers.items():
        unread = rows.numbers[role].unread
        if unread is not None:
            raise DataError(
                f"{table.source}, row {rows.first + unread.row}: {unread.text!r} in column "
                f"{name!r} ({role}) is not a number. Correct the cell, or name another column."
            )
    few = columns.layout in FEW_OUTCOMES and not SINGLE_ROLES & set(columns.roles)
    with report_damage(table.source):
        engine, source = rows.engine, rows.clause
        one_each = columns.layout != "counts" and "count" not in columns.roles
        single = _single_roles(engine, source, rows) if one_each else frozenset()
        codes = {role: code_names(engine, source, role) for role in labels if role not in single}
        fetched = _fetch(engine, source, codes, numbers, grouped=few and not controls)
    row = np.ma.getdata(fetched["place"])
    return VoteCells(
        table.source,
        columns.roles,
        {role: Names(one.names, one.decode(fetched[f"c{number}"]))
         for number, (role, one) in enumerate(codes.items())},
        {role: as_numbers(fetched[f"v{number}"]) for number, role in enumerate(numbers)},
        row + row.dtype.type(rows.first),
        single,
        np.ma.getdata(fetched["n"]) if "n" in fetched else None,
    )  # fmt: skip


def _text_outcome(table: Table, numbers: Mapping[str, str], words: Collection[str]) -> str | None:
    """The role of a column of numbers that holds words for outcomes instead.

    Numbers are words, too, where the caller says what one of them is.
    """
    for role in SHARES:
        if role in numbers:
            if any(parse_number(word) is not None for word in words):
                return role
            column = table.columns.index(numbers[role])
            cells = [row[column] for row in table.head(HEAD_ROWS)]
            texts = [cell for cell in cells if isinstance(cell, str) and cell.strip()]
            if any(parse_number(text) is None for text in texts):
                return role
    return None


def _single_roles(engine: Engine, source: str, rows: Rows) -> frozenset[str]:
    """Roles of which every row has a name of its own, such as conversations with one vote each.

    Few rows may have such names by chance, and other tables of the arena may bring them again.
    """
    found = set()
    for role in ("judge", "prompt", "cluster"):
        if role not in rows.filled:
            continue
        cell = f"nullif({quote(role)}, '')" if rows.labels[role] == "text" else quote(role)
        # Most often the first rows tell; then all of them need not be looked at.
        for clause in (f"(SELECT * FROM {source} LIMIT {FIRST_ROWS})", source):
            ((known, different),) = engine.ask(
                f"SELECT count(*), count(DISTINCT {cell}) FROM {clause}"
            )
            if different < known:
                break
        else:
            if known > FIRST_ROWS:
                found.add(role)
    return frozenset(found)


def _fetch(
    engine: Engine, source: str, codes: Mapping[str, Codes], numbers: Mapping[str, str], *,
    grouped: bool,
) -> dict[str, NDArray[np.generic]]:  # fmt: skip
    """Codes and numbers of all rows in their order, or of each combination with its count."""
    cells = [f"{one.cell} AS c{number}" for number, one in enumerate(codes.values())]
    cells += [f"r.{quote(role)} AS v{number}" for number, role in enumerate(numbers)]
    joins = "".join(
        f" LEFT JOIN {one.table} ON r.{quote(role)} = {one.table}.name"
        for role, one in codes.items()
        if one.joined
    )
    selected = f"SELECT {', '.join(cells)}"
    if grouped:
        return engine.arrays(
            f"{selected}, min(place) AS place, count(*) AS n FROM {source} AS r{joins} "
            "GROUP BY ALL ORDER BY min(place)"
        )
    found = engine.arrays(f"{selected}, place::UINTEGER AS place FROM {source} AS r{joins}")
    place = np.ma.getdata(found["place"])
    if place.size and not (place[1:] > place[:-1]).all():
        # Rows come in few pieces, each in its order; to put them down is quicker than to sort.
        number = np.full(int(place.max()) + 1, -1, dtype=np.int64)
        number[place] = np.arange(place.size)
        order = number[number >= 0]
        found = {name: column[order] for name, column in found.items()}
    return found

"""The tables of a store, which hold rows and nothing else, and those of older ones.

What was read becomes rows of a few relations, as in the database in memory: `scores` (an answer),
`estimates` (a published score), `votes` (a vote, a judgement, or a count of equal votes), and
`numbers` (what is known beside the rows of a part: controls of votes, arrays of finished scores).
Each row says of which part of which source it is. A column of names holds numbers of a table of
names. A relation has the columns that some row needed so far: empty ones take time to compress.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from rankbars.tables.columns import NUMBER_ROLES, ROLES

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "NAME_TABLES", "OF_ROWS", "RELATIONS", "SCHEMA", "Columns", "create_tables", "has_table",
    "name_table", "relation_of", "tables_of", "types_of",
]  # fmt: skip

# Raised by one whenever a table changes; `access` brings older ones up to date.
SCHEMA = 5
# The first that holds rows, whose relations have more columns as they are needed.
OF_ROWS = 4


class Columns(NamedTuple):
    """The columns that a relation may have beside ``part`` and ``place``.

    Parameters
    ----------
    labels : tuple of str
        Columns of names.
    numbers : mapping from str to str
        Columns of numbers and their types.
    """

    labels: tuple[str, ...]
    numbers: Mapping[str, str]


_ROLES = tuple(role for role in ROLES if role not in NUMBER_ROLES)
# What rows of tables may have without being about single items.
_WHOLE = ("model", "task", "metric", "category", "family", "direction", "status", "error",
          "imputed")  # fmt: skip
_DOUBLES = dict.fromkeys(NUMBER_ROLES, "DOUBLE")

RELATIONS: Mapping[str, Columns] = {
    "scores": Columns(
        (*_ROLES, "other"),
        {**_DOUBLES, "state": "TINYINT", "attempt": "BIGINT", "print": "BIGINT"},
    ),
    "estimates": Columns(_WHOLE, _DOUBLES),
    "votes": Columns(
        ("task", "first", "second", "model", "baseline", "judge", "prompt", "topic", "cluster",
         "vote"),
        {"outcome": "TINYINT", "votes": "BIGINT", "weight": "DOUBLE", "squared": "DOUBLE",
         "position": "TINYINT", "share": "DOUBLE", "turn": "BIGINT", "strength": "DOUBLE",
         "line": "INTEGER", "categories": "BIGINT"},
    ),
    "numbers": Columns(("name",), {"value": "DOUBLE"}),
}  # fmt: skip

# Tables of names, and the columns whose names stand there; those of all others are labels.
NAME_TABLES: Mapping[str, frozenset[str]] = {
    "models": frozenset({"model", "first", "second", "baseline"}),
    "tasks": frozenset({"task"}),
    "items": frozenset({"item", "other"}),
    "labels": frozenset(),
}

_META = {"meta": "key VARCHAR, value VARCHAR"}
_FILES = (
    "id INTEGER, path VARCHAR, place VARCHAR, format VARCHAR, sha256 VARCHAR, size BIGINT, "
    "added VARCHAR, notes VARCHAR"
)
_EVENTS = (
    "number INTEGER, time VARCHAR, action VARCHAR, path VARCHAR, format VARCHAR, "
    "sha256 VARCHAR, rows BIGINT"
)
_PIECES = "id INTEGER, file INTEGER, position INTEGER, kind VARCHAR, facts VARCHAR, frames VARCHAR"
_OLDEST = {**_META, "files": _FILES, "pieces": _PIECES, "events": _EVENTS}
_VERSIONED = {**_OLDEST, "events": f"{_EVENTS}, version VARCHAR"}
_NAMES = {"names": "id INTEGER, name VARCHAR"}
_COLUMNS = {"columns": "id INTEGER, digest VARCHAR, data BLOB"}
_PAIRS = {
    "pair_tasks": "id INTEGER, task VARCHAR, facts VARCHAR, digest VARCHAR",
    "pair_cells": "task INTEGER, number INTEGER, other INTEGER, diff DOUBLE, norm DOUBLE",
}
_LINKED = f"{_FILES}, target VARCHAR"
_TOLD = {
    "told": "kind VARCHAR, name VARCHAR, called VARCHAR, retired BOOLEAN, reason VARCHAR, "
    "since VARCHAR"
}


def _relations() -> dict[str, str]:
    """The tables of rows and of names."""
    names = dict.fromkeys(NAME_TABLES, "id INTEGER, name VARCHAR")
    return {**names, **dict.fromkeys(RELATIONS, "part INTEGER, place INTEGER")}


_OF_ROWS = {
    **_META, "sources": _LINKED, "events": _VERSIONED["events"], **_PAIRS, **_relations(),
    "parts": "id INTEGER, source INTEGER, position INTEGER, kind VARCHAR, facts VARCHAR, "
    "rows VARCHAR",
}  # fmt: skip

# The tables of each schema and their columns; schemas 0 and 1 have tables of rows besides.
_TABLES: Mapping[int, Mapping[str, str]] = {
    0: {**_OLDEST, **_NAMES},
    1: {**_VERSIONED, **_NAMES, "pairs": "task VARCHAR, digest VARCHAR, entry BLOB"},
    2: {**_VERSIONED, **_COLUMNS, **_PAIRS},
    3: {**_VERSIONED, **_COLUMNS, **_PAIRS, "files": _LINKED},
    4: _OF_ROWS,
    5: {**_OF_ROWS, "events": f"{_VERSIONED['events']}, who VARCHAR, said VARCHAR", **_TOLD},
}  # fmt: skip
_WITH_ROWS = (0, 1)
_ROWS = re.compile(r"rows_[a-z_]+")


def name_table(column: str) -> str:
    """The table that holds the names of a column.

    Examples
    --------
    >>> name_table("baseline"), name_table("metric")
    ('models', 'labels')
    """
    return next((table for table, columns in NAME_TABLES.items() if column in columns), "labels")


def relation_of(labels: Collection[str]) -> str:
    """Where the rows of a table belong.

    Examples
    --------
    >>> relation_of(["model", "task", "item"]), relation_of(["model", "task"])
    ('scores', 'estimates')
    """
    return "estimates" if {*labels} <= {*RELATIONS["estimates"].labels} else "scores"


def types_of(relation: str) -> dict[str, str]:
    """The types of the columns that a relation may have, by their names."""
    columns = RELATIONS[relation]
    return {**dict.fromkeys(columns.labels, "INTEGER"), **columns.numbers}


def tables_of(schema: int) -> dict[str, dict[str, str]]:
    """The types of the columns that each table has from the beginning, by their names.

    Examples
    --------
    >>> tables_of(SCHEMA)["meta"]
    {'key': 'VARCHAR', 'value': 'VARCHAR'}
    """
    found: dict[str, dict[str, str]] = {}
    for table, columns in _TABLES[schema].items():
        found[table] = {}
        for column in columns.split(", "):
            name, kind = column.split()
            found[table][name] = kind
    return found


def has_table(schema: int, table: str, columns: Mapping[str, str]) -> bool:
    """Whether a store of an older schema may have such a table of rows.

    Examples
    --------
    >>> has_table(1, "rows_scores", {"piece": "INTEGER", "row": "BIGINT", "score": "DOUBLE"})
    True
    """
    rest = {kind for name, kind in columns.items() if name not in ("piece", "row")}
    return (
        schema in _WITH_ROWS
        and _ROWS.fullmatch(table) is not None
        and (columns.get("piece"), columns.get("row")) == ("INTEGER", "BIGINT")
        and rest <= {"INTEGER", "DOUBLE"}
    )


def create_tables(connection: duckdb.DuckDBPyConnection, but: Collection[str] = ()) -> None:
    """All tables that are not there yet, empty."""
    for table, columns in _TABLES[SCHEMA].items():
        if table not in but:
            connection.execute(f"CREATE TABLE {table} ({columns})")

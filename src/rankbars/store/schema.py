"""The tables of a store, which hold rows and nothing else, those of older ones, and what is there.

What was read becomes rows of a few relations, as in the database in memory: `scores` (an answer),
`estimates` (a published score), `votes` (a vote, a judgement, or a count of equal votes), and
`numbers` (what is known beside the rows of a part: controls of votes, arrays of finished scores).
Each row says of which part of which source it is. A column of names holds numbers of a table of
names. A relation has the columns that some row needed so far: empty ones take time to compress.

A database can hold what runs when it is looked at: views over any query, macros under the names
of functions, generated columns and defaults. So the catalogue comes before any other query. It is
asked from the empty database beside the store, where nothing in the store stands for a function.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from rankbars.errors import ReadError
from rankbars.store.opening import STORE
from rankbars.tables.columns import NUMBER_ROLES, ROLES

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "NAME_TABLES",
    "OF_ROWS",
    "RELATIONS",
    "SCHEMA",
    "Columns",
    "create_tables",
    "find_schema",
    "name_table",
    "read_meta",
    "read_tables",
    "relation_of",
    "tables_of",
    "types_of",
]

_NUMBER = re.compile(r"[0-9]{1,9}")
_LONGEST_NAME = 60
_OF_THE_STORE = f"AND database_name = '{STORE}' LIMIT 1"

# What no store has, and where its name is found.
_STRANGE = {
    "a view": "view_name FROM duckdb_views() WHERE NOT internal",
    "a macro": "function_name FROM duckdb_functions() WHERE NOT internal",
    "a sequence": "sequence_name FROM duckdb_sequences() WHERE true",
    "a type": "type_name FROM duckdb_types() WHERE NOT internal",
    "an index": "index_name FROM duckdb_indexes() WHERE true",
    "a constraint on the table": "table_name FROM duckdb_constraints() WHERE true",
    "a schema": "schema_name FROM duckdb_schemas() WHERE NOT internal AND schema_name <> 'main'",
}
_TRIGGERS = "trigger_name FROM duckdb_triggers() WHERE true"

# The default of a column that has none, and of the one that schema 1 added.
_DEFAULTS = frozenset({None, "''", "CAST('' AS VARCHAR)"})


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


def _has_table(schema: int, table: str, columns: Mapping[str, str]) -> bool:
    """Whether a store of an older schema may have such a table of rows.

    Examples
    --------
    >>> _has_table(1, "rows_scores", {"piece": "INTEGER", "row": "BIGINT", "score": "DOUBLE"})
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


class _Column(NamedTuple):
    kind: str
    default: str | None


def find_schema(connection: duckdb.DuckDBPyConnection, label: str) -> int:
    """The number of the schema of a store, whose tables are found to be those of that schema.

    Raises
    ------
    ReadError
        If it is no store, holds anything but the tables of one, or a newer version made it.
    """
    tables = read_tables(connection, label)
    if {"race", "wealth"} <= set(tables):
        raise ReadError.at(
            label, f"it is the state of a race, not a store. Show it: rankbars race {label}."
        )
    if "meta" in tables:
        _check_table("meta", tables["meta"], tables_of(SCHEMA)["meta"], label)
    found = read_meta(connection, "schema") if "meta" in tables else None
    if found is None or not _NUMBER.fullmatch(found):
        raise ReadError.at(label, "it is a database, but no store of rankbars.")
    schema = int(found)
    if schema > SCHEMA:
        made = read_meta(connection, "rankbars") or "a newer version"
        raise ReadError.at(
            label,
            f"the store was made by rankbars {made} (schema {schema}); this one knows schemas up "
            f"to {SCHEMA}. Update rankbars: pip install --upgrade rankbars.",
        )
    _check_tables(tables, schema, label)
    return schema


def read_meta(connection: duckdb.DuckDBPyConnection, key: str) -> str | None:
    """One of the facts about the store itself."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchall()
    return str(found[0][0]) if found else None


def _refuse_strange(connection: duckdb.DuckDBPyConnection, label: str, macros: bool) -> None:
    import duckdb

    for what, where in _STRANGE.items():
        if what == "a macro" and not macros:
            continue
        if found := connection.execute(f"SELECT {where} {_OF_THE_STORE}").fetchall():
            raise _not_ours(label, f"it holds {what} {_shown(found[0][0])}")
    try:
        triggers = connection.execute(f"SELECT {_TRIGGERS} {_OF_THE_STORE}").fetchall()
    except duckdb.CatalogException:  # older engines have none
        return
    if triggers:
        raise _not_ours(label, f"it holds a trigger {_shown(triggers[0][0])}")


def read_tables(
    connection: duckdb.DuckDBPyConnection, label: str, *, macros: bool = True
) -> dict[str, dict[str, _Column]]:
    """The columns of each table of a file, which is found to hold nothing but plain tables.

    Names are those of the file from then on. To look through the functions of the engine for
    `macros` takes longer than all else; without it the empty database beside the file stays the
    place where functions are looked for, and tables of the file are named with `STORE`.

    Raises
    ------
    ReadError
        If it holds anything else, such as a view.
    """
    connection.execute("USE memory")
    _refuse_strange(connection, label, macros)
    tables: dict[str, dict[str, _Column]] = {}
    for table, column, kind, default in connection.execute(
        "SELECT table_name, column_name, data_type, column_default "
        f"FROM duckdb_columns() WHERE NOT internal AND database_name = '{STORE}'"
    ).fetchall():
        tables.setdefault(table, {})[column] = _Column(kind, default)
    if macros:
        connection.execute(f"USE {STORE}")
    return tables


def _check_tables(tables: Mapping[str, Mapping[str, _Column]], schema: int, label: str) -> None:
    expected = tables_of(schema)
    for name in expected:
        if name not in tables:
            raise _not_ours(label, f"it lacks the table {_shown(name)}")
    for name, columns in tables.items():
        if name in expected:
            more = types_of(name) if schema >= OF_ROWS and name in RELATIONS else {}
            given = {column: kind for column, kind in more.items() if column in columns}
            _check_table(name, columns, {**expected[name], **given}, label)
        elif not _has_table(schema, name, {key: one.kind for key, one in columns.items()}):
            raise _not_ours(label, f"it holds a table {_shown(name)}")


def _check_table(
    table: str, columns: Mapping[str, _Column], expected: Mapping[str, str], label: str
) -> None:
    for name, kind in expected.items():
        if name not in columns:
            raise _not_ours(label, f"table {_shown(table)} lacks the column {_shown(name)}")
        if columns[name].kind != kind:
            raise _not_ours(
                label,
                f"column {_shown(name)} of table {_shown(table)} is {columns[name].kind[:60]}, "
                f"not {kind}",
            )
    for name, one in columns.items():
        if name not in expected:
            raise _not_ours(label, f"table {_shown(table)} has a column {_shown(name)}")
        if one.default not in _DEFAULTS:
            raise _not_ours(label, f"column {_shown(name)} of table {_shown(table)} is computed")


def _not_ours(label: str, what: str) -> ReadError:
    return ReadError.at(
        label,
        f"it is not a store as rankbars makes them: {what}. Nothing of it was read. Add the "
        "results to a new store.",
    )


def _shown(name: str) -> str:
    return repr(name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…")

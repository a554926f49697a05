"""What lies in the file of a store: its base tables, as they were made, and nothing else.

A database can hold what runs when it is looked at: views over any query, macros under the names
of functions, generated columns and defaults. So the catalogue comes before any other query. It is
asked from the empty database beside the store, where nothing in the store stands for a function.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from rankbars.errors import ReadError
from rankbars.store.opening import STORE
from rankbars.store.schema import OF_ROWS, RELATIONS, SCHEMA, has_table, tables_of, types_of

if TYPE_CHECKING:
    import duckdb

__all__ = ["find_schema", "read_meta", "read_tables"]

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


def _refuse_strange(connection: duckdb.DuckDBPyConnection, label: str) -> None:
    import duckdb

    for what, where in _STRANGE.items():
        if found := connection.execute(f"SELECT {where} {_OF_THE_STORE}").fetchall():
            raise _not_ours(label, f"it holds {what} {_shown(found[0][0])}")
    try:
        triggers = connection.execute(f"SELECT {_TRIGGERS} {_OF_THE_STORE}").fetchall()
    except duckdb.CatalogException:  # older engines have none
        return
    if triggers:
        raise _not_ours(label, f"it holds a trigger {_shown(triggers[0][0])}")


def read_tables(connection: duckdb.DuckDBPyConnection, label: str) -> dict[str, dict[str, _Column]]:
    """The columns of each table of a file, which is found to hold nothing but plain tables.

    Raises
    ------
    ReadError
        If it holds anything else, such as a view.
    """
    connection.execute("USE memory")
    _refuse_strange(connection, label)
    tables: dict[str, dict[str, _Column]] = {}
    for table, column, kind, default in connection.execute(
        "SELECT table_name, column_name, data_type, column_default "
        f"FROM duckdb_columns() WHERE NOT internal AND database_name = '{STORE}'"
    ).fetchall():
        tables.setdefault(table, {})[column] = _Column(kind, default)
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
        elif not has_table(schema, name, {key: one.kind for key, one in columns.items()}):
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

"""The tables of a store, and how those of an older one become them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rankbars.store.opening import place_of
from rankbars.store.rowtables import columns_from_rows

if TYPE_CHECKING:
    import duckdb

__all__ = ["MIGRATIONS", "SCHEMA", "create_tables", "has_table", "tables_of"]

# Raised by one whenever a table changes; each older number has an entry in MIGRATIONS.
SCHEMA = 3

_OLDEST = {
    "meta": "key VARCHAR, value VARCHAR",
    "files": "id INTEGER, path VARCHAR, place VARCHAR, format VARCHAR, sha256 VARCHAR, "
    "size BIGINT, added VARCHAR, notes VARCHAR",
    "pieces": "id INTEGER, file INTEGER, position INTEGER, kind VARCHAR, facts VARCHAR, "
    "frames VARCHAR",
    "events": "number INTEGER, time VARCHAR, action VARCHAR, path VARCHAR, format VARCHAR, "
    "sha256 VARCHAR, rows BIGINT",
}
_VERSIONED = {**_OLDEST, "events": f"{_OLDEST['events']}, version VARCHAR"}
_NAMES = {"names": "id INTEGER, name VARCHAR"}
_BLOCKS = {"pairs": "task VARCHAR, digest VARCHAR, entry BLOB"}
_ADDED = {
    "columns": "id INTEGER, digest VARCHAR, data BLOB",
    "pair_tasks": "id INTEGER, task VARCHAR, facts VARCHAR, digest VARCHAR",
    "pair_cells": "task INTEGER, number INTEGER, other INTEGER, diff DOUBLE, norm DOUBLE",
}

# The tables of each schema and their columns; schemas 0 and 1 have tables of rows besides.
_TABLES: Mapping[int, Mapping[str, str]] = {
    0: {**_OLDEST, **_NAMES},
    1: {**_VERSIONED, **_NAMES, **_BLOCKS},
    2: {**_VERSIONED, **_ADDED},
    3: {**_VERSIONED, **_ADDED, "files": f"{_OLDEST['files']}, target VARCHAR"},
}
_WITH_ROWS = (0, 1)
_ROWS = re.compile(r"rows_[a-z_]+")


def tables_of(schema: int) -> dict[str, dict[str, str]]:
    """The types of the columns of each table, by their names.

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


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """All tables, empty."""
    _create(connection, _TABLES[SCHEMA])


def _create(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, str]) -> None:
    for table, columns in tables.items():
        connection.execute(f"CREATE TABLE {table} ({columns})")


def _remember_pairs(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Schema 0 had no statistics of pairs, and a history without versions."""
    _create(connection, _BLOCKS)
    connection.execute("ALTER TABLE events ADD COLUMN version VARCHAR DEFAULT ''")


def _keep_columns(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Schema 1 had a row for each score, and pairs in blocks of bytes, which are not kept."""
    _create(connection, _ADDED)
    columns_from_rows(connection)
    connection.execute("DROP TABLE pairs")


def _tell_links_apart(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Schema 2 told files by where they led; a link is now told by its own name."""
    connection.execute("ALTER TABLE files ADD COLUMN target VARCHAR")
    connection.execute("UPDATE files SET target = place")
    for number, path, place in connection.execute("SELECT id, path, place FROM files").fetchall():
        # As far as it can be told: paths of which nobody knows where they were written from.
        given = str(folder / path)
        if place_of(os.path.realpath(given), folder) == place:
            own = place_of(given, folder)
            connection.execute("UPDATE files SET place = ? WHERE id = ?", [own, number])


# What makes the tables of one schema from those of the one before, by the number of the latter;
# given the folder of the store.
MIGRATIONS: Mapping[int, Callable[[duckdb.DuckDBPyConnection, Path], None]] = {
    0: _remember_pairs,
    1: _keep_columns,
    2: _tell_links_apart,
}

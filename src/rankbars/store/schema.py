"""The tables of a store, and how those of an older one become them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rankbars.store.rowtables import columns_from_rows

if TYPE_CHECKING:
    import duckdb

__all__ = ["MIGRATIONS", "SCHEMA", "create_tables"]

# Raised by one whenever a table changes; each older number has an entry in MIGRATIONS.
SCHEMA = 2

_COLUMNS = "columns (id INTEGER, digest VARCHAR, data BLOB)"
_PAIRS = (
    "pair_tasks (id INTEGER, task VARCHAR, facts VARCHAR, digest VARCHAR)",
    "pair_cells (task INTEGER, number INTEGER, other INTEGER, diff DOUBLE, norm DOUBLE)",
)
_TABLES = (
    "meta (key VARCHAR, value VARCHAR)",
    "files (id INTEGER, path VARCHAR, place VARCHAR, format VARCHAR, sha256 VARCHAR, "
    "size BIGINT, added VARCHAR, notes VARCHAR)",
    "pieces (id INTEGER, file INTEGER, position INTEGER, kind VARCHAR, facts VARCHAR, "
    "frames VARCHAR)",
    _COLUMNS,
    *_PAIRS,
    "events (number INTEGER, time VARCHAR, action VARCHAR, path VARCHAR, format VARCHAR, "
    "sha256 VARCHAR, rows BIGINT, version VARCHAR)",
)


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """All tables, empty."""
    for table in _TABLES:
        connection.execute(f"CREATE TABLE {table}")


def _remember_pairs(connection: duckdb.DuckDBPyConnection) -> None:
    """Schema 0 had no statistics of pairs, and a history without versions."""
    connection.execute("CREATE TABLE pairs (task VARCHAR, digest VARCHAR, entry BLOB)")
    connection.execute("ALTER TABLE events ADD COLUMN version VARCHAR DEFAULT ''")


def _keep_columns(connection: duckdb.DuckDBPyConnection) -> None:
    """Schema 1 had a row for each score, and pairs in blocks of bytes, which are not kept."""
    for table in (_COLUMNS, *_PAIRS):
        connection.execute(f"CREATE TABLE {table}")
    columns_from_rows(connection)
    connection.execute("DROP TABLE pairs")


# What makes the tables of one schema from those of the one before, by the number of the latter.
MIGRATIONS: Mapping[int, Callable[[duckdb.DuckDBPyConnection], None]] = {
    0: _remember_pairs,
    1: _keep_columns,
}

"""The tables of a store, and how those of an older one become them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from rankbars.data.tabular.columns import LABEL_ROLES, NUMBER_ROLES

if TYPE_CHECKING:
    import duckdb

__all__ = ["FRAMES", "MIGRATIONS", "SCHEMA", "FrameColumns", "create_tables", "quote"]

# Raised by one whenever a table changes; each older number has an entry in MIGRATIONS.
SCHEMA = 1


class FrameColumns(NamedTuple):
    """Columns that rows of one kind may have.

    Parameters
    ----------
    labels : tuple of str
        Columns of names, stored as numbers of the table ``names``.
    numbers : tuple of str
        Columns of numbers.
    """

    labels: tuple[str, ...]
    numbers: tuple[str, ...]


FRAMES: Mapping[str, FrameColumns] = {
    "scores": FrameColumns(LABEL_ROLES, NUMBER_ROLES),
    "answers": FrameColumns(
        ("id", "other_id", "cluster"), ("status", "repeat", "print_high", "print_low")
    ),
    "answer_scores": FrameColumns(("measure",), ("score",)),
    "counts": FrameColumns(("first", "second"), ("wins", "ties", "both_bad")),
    "ballots": FrameColumns(
        ("first", "second", "judge", "prompt", "cluster", "vote"),
        ("outcome", "votes", "weight", "squared", "position"),
    ),
    "covariates": FrameColumns(("name",), ("value",)),
}

_TABLES = (
    "meta (key VARCHAR, value VARCHAR)",
    "names (id INTEGER, name VARCHAR)",
    "files (id INTEGER, path VARCHAR, place VARCHAR, format VARCHAR, sha256 VARCHAR, "
    "size BIGINT, added VARCHAR, notes VARCHAR)",
    "pieces (id INTEGER, file INTEGER, position INTEGER, kind VARCHAR, facts VARCHAR, "
    "frames VARCHAR)",
    "pairs (task VARCHAR, digest VARCHAR, entry BLOB)",
    "events (number INTEGER, time VARCHAR, action VARCHAR, path VARCHAR, format VARCHAR, "
    "sha256 VARCHAR, rows BIGINT, version VARCHAR)",
)


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """All tables, empty."""
    for table in _TABLES:
        connection.execute(f"CREATE TABLE {table}")
    for kind, columns in FRAMES.items():
        parts = ["piece INTEGER", "row BIGINT"]
        parts += [f"{quote(role)} INTEGER" for role in columns.labels]
        parts += [f"{quote(role)} DOUBLE" for role in columns.numbers]
        connection.execute(f"CREATE TABLE rows_{kind} ({', '.join(parts)})")


def quote(name: str) -> str:
    """The name as SQL takes it.

    Examples
    --------
    >>> print(quote('a "b" c'))
    "a ""b"" c"
    """
    return '"' + name.replace('"', '""') + '"'


def _remember_pairs(connection: duckdb.DuckDBPyConnection) -> None:
    """Schema 0 had no statistics of pairs, and a history without versions."""
    connection.execute("CREATE TABLE pairs (task VARCHAR, digest VARCHAR, entry BLOB)")
    connection.execute("ALTER TABLE events ADD COLUMN version VARCHAR DEFAULT ''")


# What makes the tables of one schema from those of the one before, by the number of the latter.
MIGRATIONS: Mapping[int, Callable[[duckdb.DuckDBPyConnection], None]] = {0: _remember_pairs}

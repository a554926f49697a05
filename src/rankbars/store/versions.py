"""Stores of other versions: newer ones are refused, older ones brought up to date."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from rankbars.errors import ReadError, WriteError
from rankbars.store.opening import connect
from rankbars.store.schema import MIGRATIONS, SCHEMA

if TYPE_CHECKING:
    import duckdb

__all__ = ["read_meta", "update"]

_NUMBER = re.compile(r"[0-9]{1,9}")


def update(place: Path, label: str) -> None:
    """Bring a store of an older version up to date; a copy of it is kept beside it.

    Raises
    ------
    ReadError
        If it is no store, or a newer version made it.
    WriteError
        If it is old, and it or its copy cannot be written.
    """
    with connect(place, label, write=False) as connection:
        schema = _find_schema(connection, label)
    if schema == SCHEMA:
        return
    with connect(place, label, write=True) as connection:
        schema = _find_schema(connection, label)  # another process may have done it meanwhile
        if schema == SCHEMA:
            return
        connection.execute("CHECKPOINT")
        _keep_copy(place, label, schema)
        connection.execute("BEGIN TRANSACTION")
        for number in range(schema, SCHEMA):
            MIGRATIONS[number](connection)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", [str(SCHEMA)])
        connection.execute("COMMIT")


def read_meta(connection: duckdb.DuckDBPyConnection, key: str) -> str | None:
    """One of the facts about the store itself."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", [key]).fetchall()
    return str(found[0][0]) if found else None


def _find_schema(connection: duckdb.DuckDBPyConnection, label: str) -> int:
    import duckdb

    try:
        found = read_meta(connection, "schema")
    except duckdb.CatalogException:
        found = None
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
    return schema


def _keep_copy(place: Path, label: str, schema: int) -> None:
    copy = place.with_name(f"{place.name}.schema{schema}.bak")
    draft = copy.with_name(f".{copy.name[:200]}.part")
    try:
        shutil.copyfile(place, draft)
        draft.replace(copy)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise WriteError(
            f"{label}: an older version made this store, and no copy of it can be kept as {copy} "
            f"({error.strerror or error}). Make room, or move the store to where it can be written."
        ) from error

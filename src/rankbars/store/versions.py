"""Stores of other versions: newer ones are refused, older ones brought up to date."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rankbars.data.drafts import draft_path, sweep_drafts, sync_folders
from rankbars.errors import RankbarsError, WriteError
from rankbars.store.catalogue import find_schema
from rankbars.store.opening import connect
from rankbars.store.schema import SCHEMA

if TYPE_CHECKING:
    import duckdb

__all__ = ["update"]


def update(place: Path, label: str) -> None:
    """Bring a store of an older version up to date; a copy of it is kept beside it.

    Raises
    ------
    ReadError
        If it is no store, holds anything but the tables of one, or a newer version made it.
    WriteError
        If it is old, and it or its copy cannot be written.
    """
    with connect(place, label, write=False) as connection:
        schema = find_schema(connection, label)
    while schema != SCHEMA:
        with connect(place, label, write=True) as connection:
            connection.execute("CHECKPOINT")
        # Copied while nobody here has it open, which some systems do not allow.
        seen = _seen(place)
        copy = place.with_name(f"{place.name}.schema{schema}.bak")
        with _copied(place, copy, label) as draft, connect(place, label, write=True) as connection:
            # Another process may have changed it, or brought it up to date.
            schema = find_schema(connection, label)
            if schema == SCHEMA:
                return
            if _seen(place) == seen and copy.name.endswith(f".schema{schema}.bak"):
                draft.replace(copy)
                sync_folders([copy.parent])
                _migrate(connection, schema, place.parent)
                return


def _migrate(connection: duckdb.DuckDBPyConnection, schema: int, folder: Path) -> None:
    connection.execute("BEGIN TRANSACTION")
    # Loaded only where there is an older store.
    from rankbars.store.olderstores import bring_up_to_date

    bring_up_to_date(connection, schema, folder)
    connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", [str(SCHEMA)])
    connection.execute("COMMIT")


def _seen(place: Path) -> tuple[int, int]:
    """What a change of a file changes."""
    found = place.stat()
    return found.st_size, found.st_mtime_ns


@contextmanager
def _copied(place: Path, copy: Path, label: str) -> Iterator[Path]:
    """A draft of the copy of a store; removed unless it is moved into place."""
    sweep_drafts(copy)
    draft = draft_path(copy)
    try:
        with place.open("rb") as source, draft.open("xb") as made:
            shutil.copyfileobj(source, made)
            made.flush()
            os.fsync(made.fileno())
        yield draft
    except OSError as error:
        if isinstance(error, RankbarsError):
            raise
        raise WriteError(
            f"{label}: an older version made this store, and no copy of it can be kept as {copy} "
            f"({error.strerror or error}). Make room, or move the store to where it can be written."
        ) from error
    finally:
        draft.unlink(missing_ok=True)

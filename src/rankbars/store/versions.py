"""Stores of other versions: newer ones are refused, older ones brought up to date."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from rankbars.data.drafts import draft_path, sweep_drafts, sync_folders
from rankbars.errors import WriteError
from rankbars.store.catalogue import find_schema
from rankbars.store.opening import connect
from rankbars.store.schema import MIGRATIONS, SCHEMA

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
    if schema == SCHEMA:
        return
    with connect(place, label, write=True) as connection:
        schema = find_schema(connection, label)  # another process may have done it meanwhile
        if schema == SCHEMA:
            return
        connection.execute("CHECKPOINT")
        _keep_copy(place, label, schema)
        connection.execute("BEGIN TRANSACTION")
        for number in range(schema, SCHEMA):
            MIGRATIONS[number](connection)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", [str(SCHEMA)])
        connection.execute("COMMIT")


def _keep_copy(place: Path, label: str, schema: int) -> None:
    copy = place.with_name(f"{place.name}.schema{schema}.bak")
    sweep_drafts(copy)
    draft = draft_path(copy)
    try:
        with place.open("rb") as source, draft.open("xb") as made:
            shutil.copyfileobj(source, made)
            made.flush()
            os.fsync(made.fileno())
        draft.replace(copy)
        sync_folders([copy.parent])
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise WriteError(
            f"{label}: an older version made this store, and no copy of it can be kept as {copy} "
            f"({error.strerror or error}). Make room, or move the store to where it can be written."
        ) from error

"""Stores opened and made: newer ones are refused, older ones brought up to date."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from rankbars.data.drafts import draft_path, sweep_drafts, sync_folders
from rankbars.errors import RankbarsError, ReadError, WriteError
from rankbars.store.contents import Store
from rankbars.store.holdings import Change, Event, Holdings
from rankbars.store.opening import (
    ChangedError,
    StoreEngine,
    connect,
    draft_beside,
    find_rest,
    is_store,
    resolve,
)
from rankbars.store.schema import SCHEMA, create_tables, find_schema

if TYPE_CHECKING:
    import duckdb

__all__ = ["change_store", "open_store"]

# What stores looked like when this process found them sound: a command that changes one opens it
# twice, and what no one has changed in between is not looked through again.
_sound: dict[Path, tuple[int, int, int]] = {}

# How often a change is made ready again because another process was quicker, before the store is
# held meanwhile.
_MOST_TRIES = 4


def change_store(
    path: str | os.PathLike[str],
    plan: Callable[[Holdings], Change | None],
    settle: Callable[[Store, Change], list[Event]] = Store.apply,
    *,
    create: bool = False,
    memory: int | None = None,
    who: str = "",
) -> list[Event]:
    """Change a store, which is held only while that is done.

    Parameters
    ----------
    path : path
        Its file.
    plan : callable
        Is given what the store holds, and gives the change, or None if there is nothing to do.
        It is asked again if another process has changed the store meanwhile.
    settle : callable
        Makes the change, and gives what was done.
    create : bool
        Whether a store is made where there is none.
    memory : int, optional
        Bytes that the database may take.
    who : str
        Who does it, for the log.

    Returns
    -------
    list of Event
        What was done.

    Raises
    ------
    ReadError
        If there is no store, it is damaged, or a newer version made it.
    WriteError
        If it cannot be written, or another process does not let go of it.
    """
    opened = partial(open_store, path, write=True, create=create, memory=memory, who=who)
    for _ in range(_MOST_TRIES):
        held = _look(path, create=create)
        change = plan(held)
        if change is None:
            if find_rest(path) is not None:
                # Left by a process that was stopped; whoever closes the store puts it in.
                with suppress(WriteError), opened():
                    pass
            return []
        with suppress(ChangedError), opened(rows=change.rows) as store:
            if store.revision == held.revision:
                return settle(store, change)
    with opened() as store:
        change = plan(store.holdings())
        return [] if change is None else settle(store, change)


def _look(path: str | os.PathLike[str], *, create: bool) -> Holdings:
    if create and not resolve(path).exists():
        return Holdings(resolve(path).parent)
    with open_store(path) as store:
        return store.holdings()


@contextmanager
def open_store(
    path: str | os.PathLike[str],
    *,
    write: bool = False,
    create: bool = False,
    memory: int | None = None,
    rows: int = 0,
    who: str = "",
) -> Iterator[Store]:
    """Open a store.

    Parameters
    ----------
    path : path
        Its file.
    write : bool
        Whether it is to be changed; others who want to use it wait.
    create : bool
        Whether one is made where there is none. It appears when the block ends well.
    memory : int, optional
        Bytes that the database may take.
    rows : int
        How many rows it is made for, about.
    who : str
        Who works on it.

    Raises
    ------
    ReadError
        If there is no store, it is damaged, or a newer version made it.
    WriteError
        If it cannot be written, or another process holds it.

    Examples
    --------
    >>> with open_store("board.duckdb", write=True, create=True) as store:
    ...     _ = store.apply(Change.of())
    >>> with open_store("board.duckdb") as store:
    ...     store.entries
    []
    """
    label, place = os.fspath(path), resolve(path)
    if place.exists() or not create:
        if place.is_dir():
            raise ReadError.at(label, "it is a folder. Name the file of a store.")
        if not place.is_file():
            raise ReadError.at(
                label,
                "there is no store. Make one: rankbars add RESULTS... --store "
                f"{shlex.quote(label)}.",
            )
        if not is_store(place):
            raise ReadError.at(
                label, "it is not a store, or its beginning is damaged. Name the file that "
                "`rankbars add --store` made."
            )  # fmt: skip
        with _connect_checked(place, label, write=write, memory=memory) as connection:
            yield Store(StoreEngine(connection, label), place.parent, who)
        return
    with (
        draft_beside(place, label) as draft,
        connect(draft, label, write=True, memory=memory, rows=rows) as connection,
    ):
        create_tables(connection)
        made = {"schema": str(SCHEMA), "rankbars": version("rankbars"), "options": "{}"}
        for key, value in made.items():
            connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])
        yield Store(StoreEngine(connection, label), place.parent, who)
        _note_sound(connection, draft, place)


@contextmanager
def _connect_checked(
    place: Path, label: str, *, write: bool, memory: int | None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The open database of a store, found to hold the tables of one and nothing else.

    One of an older version is brought up to date first; a copy of it is kept beside it.

    Raises
    ------
    ReadError
        If it is no store, holds anything but the tables of one, or a newer version made it.
    WriteError
        If it is old, and it or its copy cannot be written.
    """
    while True:
        with connect(place, label, write=write, memory=memory) as connection:
            # Looked at while it is held, so that nobody changes it meanwhile.
            seen = None if find_rest(place) else _seen(place)
            if seen is not None and _sound.get(place) == seen:
                schema = SCHEMA
            else:
                schema = find_schema(connection, label)
            if schema == SCHEMA:
                if seen is not None:
                    _sound[place] = seen
                yield connection
                if write:
                    _note_sound(connection, place, place)
                return
        _update(place, label, schema)


def _update(place: Path, label: str, schema: int) -> None:
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


def _note_sound(connection: duckdb.DuckDBPyConnection, file: Path, place: Path) -> None:
    """Remember that what this process wrote, and still holds, is a store; it will be at `place`."""
    import duckdb

    with suppress(duckdb.Error):  # without room changes stay beside it, and closing says nothing
        connection.execute("CHECKPOINT")  # so that closing it changes nothing
        if not find_rest(file):
            _sound[place] = _seen(file)


def _seen(place: Path) -> tuple[int, int, int]:
    """What a change of a file changes."""
    found = place.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


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

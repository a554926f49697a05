"""Stores opened and made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from rankbars.errors import ReadError
from rankbars.store.contents import Store
from rankbars.store.entries import Event
from rankbars.store.holdings import Change, Holdings
from rankbars.store.opening import (
    ChangedError,
    StoreEngine,
    connect,
    draft_beside,
    is_store,
    resolve,
)
from rankbars.store.schema import SCHEMA, create_tables
from rankbars.store.versions import update

__all__ = ["change_store", "open_store"]

# How often a change is made ready again because another process was quicker, before the store is
# held meanwhile.
_MOST_TRIES = 4


def change_store(
    path: str | os.PathLike[str],
    version: str,
    plan: Callable[[Holdings], Change | None],
    settle: Callable[[Store, Change], list[Event]] = Store.apply,
    *,
    create: bool = False,
    memory: int | None = None,
) -> list[Event]:
    """Change a store, which is held only while that is done.

    Parameters
    ----------
    path : path
        Its file.
    version : str
        Version of rankbars.
    plan : callable
        Is given what the store holds, and gives the change, or None if there is nothing to do.
        It is asked again if another process has changed the store meanwhile.
    settle : callable
        Makes the change, and gives what was done.
    create : bool
        Whether a store is made where there is none.
    memory : int, optional
        Bytes that the database may take.

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
    opened = partial(open_store, path, version, write=True, create=create, memory=memory)
    for _ in range(_MOST_TRIES):
        held = _look(path, version, create=create)
        change = plan(held)
        if change is None:
            return []
        with suppress(ChangedError), opened(rows=change.rows) as store:
            if store.revision == held.revision:
                return settle(store, change)
    with opened() as store:
        change = plan(store.holdings())
        return [] if change is None else settle(store, change)


def _look(path: str | os.PathLike[str], version: str, *, create: bool) -> Holdings:
    if create and not resolve(path).exists():
        return Holdings(resolve(path).parent)
    with open_store(path, version) as store:
        return store.holdings()


@contextmanager
def open_store(
    path: str | os.PathLike[str],
    version: str,
    *,
    write: bool = False,
    create: bool = False,
    memory: int | None = None,
    rows: int = 0,
) -> Iterator[Store]:
    """Open a store.

    Parameters
    ----------
    path : path
        Its file.
    version : str
        Version of rankbars.
    write : bool
        Whether it is to be changed; others who want to use it wait.
    create : bool
        Whether one is made where there is none. It appears when the block ends well.
    memory : int, optional
        Bytes that the database may take.
    rows : int
        How many rows it is made for, about.

    Raises
    ------
    ReadError
        If there is no store, it is damaged, or a newer version made it.
    WriteError
        If it cannot be written, or another process holds it.

    Examples
    --------
    >>> with open_store("board.duckdb", "0.1", write=True, create=True) as store:
    ...     _ = store.apply(Change.of())
    >>> with open_store("board.duckdb", "0.1") as store:
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
                f"there is no store. Make one: rankbars add RESULTS... --store {label}.",
            )
        if not is_store(place):
            raise ReadError.at(
                label, "it is not a store, or its beginning is damaged. Name the file that "
                "`rankbars add --store` made."
            )  # fmt: skip
        update(place, label)
        with connect(place, label, write=write, memory=memory) as connection:
            yield Store(StoreEngine(connection, label), place.parent, version)
        return
    with (
        draft_beside(place, label) as draft,
        connect(draft, label, write=True, memory=memory, rows=rows) as connection,
    ):
        create_tables(connection)
        for key, value in {"schema": str(SCHEMA), "rankbars": version, "options": "{}"}.items():
            connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])
        yield Store(StoreEngine(connection, label), place.parent, version)

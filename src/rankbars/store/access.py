"""Stores opened and made."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from rankbars.errors import ReadError
from rankbars.store.contents import Store
from rankbars.store.opening import connect, draft_beside, is_store, resolve
from rankbars.store.schema import SCHEMA, create_tables
from rankbars.store.versions import update

__all__ = ["open_store"]


@contextmanager
def open_store(
    path: str | os.PathLike[str], version: str, *, write: bool = False, create: bool = False
) -> Iterator[Store]:
    """Open a store.

    Parameters
    ----------
    path : path
        Its file.
    version : str
        Version of rankbars.
    write : bool
        Whether it is to be changed; nobody else can use it meanwhile.
    create : bool
        Whether one is made where there is none. It appears when the block ends well.

    Raises
    ------
    ReadError
        If there is no store, it is damaged, or a newer version made it.
    WriteError
        If it cannot be written, or another process holds it.

    Examples
    --------
    >>> with open_store("board.duckdb", "0.1", write=True, create=True) as store:
    ...     _ = store.put((), {}, check=len)
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
        with connect(place, label, write=write) as connection:
            yield Store(connection, place.parent, version)
        return
    with draft_beside(place, label) as draft, connect(draft, label, write=True) as connection:
        create_tables(connection)
        for key, value in {"schema": str(SCHEMA), "rankbars": version, "options": "{}"}.items():
            connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])
        yield Store(connection, place.parent, version)

"""The file of a store: opened, made, locked; what the engine says in words of ours."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from rankbars.data.drafts import TemporaryFolder, draft_path, real_path, sweep_drafts, sync_folders
from rankbars.errors import DataError, RankbarsError, ReadError, WriteError
from rankbars.tables.database import Engine

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "STORE",
    "BusyError",
    "ChangedError",
    "DamageError",
    "StoreEngine",
    "connect",
    "draft_beside",
    "find_rest",
    "is_store",
    "place_of",
    "report_faults",
    "resolve",
]

# How long another process may hold the file before the caller is told, in seconds.
PATIENCE = 60.0
PAUSE = 0.05, 0.15

# Blocks are small where a store begins with few results, so that it is a small file; large ones
# compress rows better.
BLOCK_BYTES, LARGE_BLOCK_BYTES = 16384, 262144
MANY_ROWS = 100_000

# Of the file format of the engine; every version from 1.2 on, so each that we allow, reads and
# writes it.
STORAGE = "v1.2.0"

# What the database of a store is called beside the empty one.
STORE = "store"

# Where the engine writes what kind of file it is. The number of its version follows, of which the
# high bytes are zeros; no text has them.
MAGIC = re.compile(rb".{8}DUCK.{4}\0{4}", re.DOTALL)
MAGIC_BYTES = 20

# What the engine says of a file that another process has open; other errors speak of blocks.
HELD = re.compile(
    r"IO Error: (Could not set lock on file|Cannot open file .*being used by another process)",
    re.DOTALL,
)


# What the engine says of a file that a newer engine made.
NEWER = re.compile(r"version number (\d+), but we can only read version|newer version of DuckDB")


class BusyError(WriteError):
    """Another process holds the store."""


class ChangedError(WriteError):
    """Another process has made the store meanwhile."""


class DamageError(DataError):
    """What a store holds is not what was put in; whoever has it open says which store it is."""


class StoreEngine(Engine):
    """The database of an open store, in which its rows lie.

    Parameters
    ----------
    connection : duckdb connection
        The open store; whoever opened it closes it.
    label : str
        What it is called in messages.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, label: str) -> None:
        super().__init__()
        self._started = connection
        self._label = label

    def run(self, command: str) -> None:
        """Do something that has no result."""
        with _told_of(self._label):
            super().run(command)

    def ask(self, query: str) -> list[Any]:
        """Rows of a result."""
        with _told_of(self._label):
            return super().ask(query)

    def arrays(self, query: str) -> dict[str, NDArray[Any]]:
        """Columns of a result; those with gaps are masked."""
        with _told_of(self._label):
            return super().arrays(query)


@contextmanager
def _told_of(label: str) -> Iterator[None]:
    """Errors of the engine as errors about the store, but for a lack of memory."""
    import duckdb

    try:
        with report_faults(label):
            yield
    except RankbarsError as error:
        if isinstance(error.__cause__, duckdb.OutOfMemoryException):
            raise error.__cause__ from None
        raise


def is_store(path: str | os.PathLike[str]) -> bool:
    """Whether the file is a database, as stores are.

    Examples
    --------
    >>> _ = Path("results.csv").write_text("model,task,score")
    >>> is_store("results.csv"), is_store("nothing.duckdb")
    (False, False)
    """
    try:
        with Path(path).open("rb") as raw:
            return MAGIC.match(raw.read(MAGIC_BYTES)) is not None
    except OSError:
        return False


@contextmanager
def connect(
    path: Path,
    label: str,
    *,
    write: bool,
    patience: float | None = None,
    memory: int | None = None,
    rows: int = 0,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The open database; closed at the end.

    Waits up to `patience` seconds (`PATIENCE`, if not given) for another process to let go of it.
    It takes up to `memory` bytes, and a temporary folder beyond them. A new one is made for about
    so many `rows`.

    Raises
    ------
    BusyError
        If another process does not let go of it.
    ReadError
        If it is damaged or no database.
    WriteError
        If it is to be written and cannot be.
    """
    with closing(TemporaryFolder()) as folder, report_faults(label):
        settings = {} if memory is None else {"memory_limit": f"{memory}B"}
        settings["temp_directory"] = str(folder.path)
        connection = _patient(path, label, settings, write=write, patience=patience, rows=rows)
        try:
            yield connection
        finally:
            connection.close()


def _patient(
    path: Path,
    label: str,
    given: Mapping[str, str],
    *,
    write: bool,
    patience: float | None,
    rows: int,
) -> duckdb.DuckDBPyConnection:
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        **given,
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }
    # The database is attached beside an empty one, so that nothing in it stands for a function of
    # the engine while it is looked at.
    options = "" if write else ", READ_ONLY"
    if not path.exists():
        block = BLOCK_BYTES if rows < MANY_ROWS else LARGE_BLOCK_BYTES
        options = f", BLOCK_SIZE {block}, STORAGE_VERSION '{STORAGE}'"
    quoted = str(path).replace("'", "''")
    given_up = time.monotonic() + (PATIENCE if patience is None else patience)
    connection = duckdb.connect(":memory:", config=settings)
    while True:
        try:
            connection.execute(f"ATTACH '{quoted}' AS {STORE} (TYPE duckdb{options})")
            break
        except duckdb.Error as error:
            if not HELD.match(str(error)):
                connection.close()
                raise
            if time.monotonic() > given_up:
                connection.close()
                raise _busy(label, str(error)) from error
            time.sleep(random.uniform(*PAUSE))
    connection.execute("SET enable_progress_bar = false")
    # A store from elsewhere reads nothing but itself. (Given with the settings above, this would
    # forbid the folder for temporary data, which is allowed from here on.)
    connection.execute("SET enable_external_access = false")
    connection.execute(f"USE {STORE}")
    connection.execute("SET lock_configuration = true")
    return connection


def _busy(label: str, text: str) -> BusyError:
    found = re.search(r"\(PID (\d+)\)", text)
    who = f"process {found[1]}" if found else "another process"
    return BusyError(
        f"{label}: {who} is using the store. Wait until it is done, and try again; nothing "
        "was changed."
    )


@contextmanager
def report_faults(label: str) -> Iterator[None]:
    """Errors of the engine, and damage, as errors about the store."""
    import duckdb

    try:
        yield
    except DamageError as error:
        raise ReadError.at(
            label,
            f"the store is damaged: {error}. Take a backup copy, or add all results to a new "
            "store.",
        ) from error
    except duckdb.Error as error:
        text = str(error).partition("\n")[0]
        plain = re.sub('"[^"]*"', "", text).lower()  # less the names of files
        if "no space" in plain or "write" in plain or "truncate" in plain or "fsync" in plain:
            raise WriteError(
                f"{label}: cannot write to the store ({text}). Make room, or free the place; what "
                "it held before is still there."
            ) from error
        if "permission" in plain or "read-only" in plain:
            raise WriteError(f"{label}: no permission to use the store ({text}).") from error
        if NEWER.search(str(error)):
            raise ReadError.at(
                label,
                f"a newer version of DuckDB wrote the store than the {duckdb.__version__} that is "
                "installed here. Update it: pip install --upgrade duckdb. Nothing was changed.",
            ) from error
        raise ReadError.at(
            label,
            f"the store is damaged, or was not made by rankbars ({text}). Take a backup copy, or "
            "add the results to a new store.",
        ) from error


@contextmanager
def draft_beside(target: Path, label: str) -> Iterator[Path]:
    """A path beside `target`; what the block puts there becomes `target`, whole or not at all.

    Raises
    ------
    ChangedError
        If `target` has come into being meanwhile.
    WriteError
        If the folder cannot be written to, or lacks room.
    """
    folder = target.parent
    if not folder.is_dir():
        raise WriteError(f"{label}: the folder {folder} does not exist. Make it first.")
    sweep_drafts(target)
    draft = draft_path(target)
    journal = draft.with_name(f"{draft.name}.wal")
    try:
        yield draft
        if find_rest(draft) is not None:  # closing it says nothing where it lacks room
            raise WriteError(
                f"{label}: there is too little room for it. Make room, or name "
                "another place; nothing was kept."
            )
        try:
            os.link(draft, target)
        except FileExistsError as error:
            raise _made_meanwhile(label) from error
        except OSError as error:  # a file system without links
            if target.exists():
                raise _made_meanwhile(label) from error
            draft.replace(target)
        sync_folders([folder])
    except OSError as error:
        if isinstance(error, WriteError | ReadError):
            raise
        raise WriteError(f"{label}: cannot make the store: {error.strerror or error}.") from error
    finally:
        draft.unlink(missing_ok=True)
        journal.unlink(missing_ok=True)


def _made_meanwhile(label: str) -> ChangedError:
    return ChangedError(
        f"{label}: another process made this store meanwhile. Add again; nothing of this was kept."
    )


def find_rest(path: str | os.PathLike[str]) -> Path | None:
    """The file of changes beside a store that could not be put into it, for want of room."""
    place = resolve(path)
    rest = place.with_name(f"{place.name}.wal")
    return rest if rest.is_file() and rest.stat().st_size else None


def resolve(path: str | os.PathLike[str]) -> Path:
    """Where the path of a store leads."""
    return real_path(Path(path))


def place_of(path: str, folder: Path) -> str:
    """The path that a file was given under, as a way from a folder.

    Links on the way are not followed, but for those above the folder: it has one name.
    """
    given = Path(os.path.abspath(path))  # noqa: PTH100  (Path.absolute leaves ".." in it)
    whole = _seen_from(given.parent, folder) / given.name
    try:
        way = os.path.relpath(whole, folder)
    except ValueError:  # another drive
        way = str(whole)
    return Path(way).as_posix()


@cache
def _seen_from(place: Path, folder: Path) -> Path:
    """A folder below the last one on its path that holds the other, or is it."""
    if place.is_relative_to(folder):
        return place
    for above in (place, *place.parents):
        real = resolve(above)
        if folder.is_relative_to(real):
            return real / place.relative_to(above)
    return place

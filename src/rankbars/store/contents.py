"""What a store holds: files with their parts, options, and what happened to it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.data.pieces import KeptFile, Piece
from rankbars.errors import DataError, ReadError
from rankbars.store.opening import connect, draft_beside, is_store, resolve
from rankbars.store.rows import (
    FrameHead,
    check_name,
    delete_rows,
    drop_unused_names,
    number_names,
    read_frames,
    write_frame,
)
from rankbars.store.schema import FRAMES, SCHEMA, create_tables
from rankbars.store.versions import read_meta, update

if TYPE_CHECKING:
    import duckdb

__all__ = ["Event", "FileEntry", "Store", "open_store"]


class Event(NamedTuple):
    """Something that happened to a store.

    Parameters
    ----------
    time : str
        When, in UTC.
    action : {"added", "replaced", "removed"}
        What.
    path, format, sha256 : str
        The file it happened to.
    rows : int
        Rows that were put in or taken out.
    version : str
        Version of rankbars that did it.
    """

    time: str
    action: str
    path: str
    format: str
    sha256: str
    rows: int
    version: str


class FileEntry(NamedTuple):
    """A file of a store without its contents."""

    id: int
    path: str
    place: str
    format: str
    sha256: str
    size: int
    added: str
    rows: int


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """An open store; see `open_store`.

    Parameters
    ----------
    connection : duckdb connection
        The database.
    folder : Path
        Where the file of the store lies; places of files are told from there.
    version : str
        Version of rankbars that works on it.
    """

    connection: duckdb.DuckDBPyConnection
    folder: Path
    version: str

    @property
    def options(self) -> dict[str, Any]:
        """How its files are read, by the names that `rankbars.read` has for options."""
        found: dict[str, Any] = json.loads(self._meta("options"))
        return found

    @property
    def events(self) -> list[Event]:
        """What happened, first to last."""
        rows = self.connection.execute(
            "SELECT time, action, path, format, sha256, rows, version FROM events ORDER BY number"
        ).fetchall()
        return [Event(*row) for row in rows]

    @property
    def entries(self) -> list[FileEntry]:
        """Its files, in the order in which they were put in."""
        rows = self.connection.execute(
            "SELECT id, path, place, format, sha256, size, added, 0 FROM files ORDER BY id"
        ).fetchall()
        counts = self._count_rows()
        return [FileEntry(*row)._replace(rows=counts.get(row[0], 0)) for row in rows]

    def place_of(self, path: str) -> str:
        """What tells a file from others: its way from the folder of the store."""
        try:
            way = os.path.relpath(resolve(path), self.folder)
        except ValueError:  # another drive
            way = str(resolve(path))
        return Path(way).as_posix()

    def files(self) -> list[KeptFile]:
        """Everything it holds; large tables are read while the store is open."""
        heads: dict[str, dict[int, FrameHead]] = {kind: {} for kind in FRAMES}
        kept = self.connection.execute(
            "SELECT id, file, kind, facts, frames FROM pieces ORDER BY file, position"
        ).fetchall()
        for piece, _, _, _, frames in kept:
            for kind, head in json.loads(frames).items():
                labels, numbers, *rest = head
                heads[kind][piece] = FrameHead(tuple(labels), tuple(numbers), *rest)
        tables = {kind: read_frames(self.connection, kind, own) for kind, own in heads.items()}
        pieces: dict[int, list[Piece]] = {}
        for piece, file, what, facts, _ in kept:
            own = {kind: found[piece] for kind, found in tables.items() if piece in found}
            pieces.setdefault(file, []).append(Piece(what, json.loads(facts), own))
        notes = dict(self.connection.execute("SELECT id, notes FROM files").fetchall())
        return [
            KeptFile(
                one.path,
                one.format,
                one.sha256,
                one.size,
                tuple(pieces.get(one.id, ())),
                tuple(_note_of(values) for values in json.loads(notes[one.id])),
                one.place,
            )
            for one in self.entries
        ]

    def put(
        self,
        files: Sequence[KeptFile],
        options: Mapping[str, Any],
        check: Callable[[Sequence[KeptFile]], object],
    ) -> list[Event]:
        """Put files in; those that lie at the place of an older one replace it.

        Parameters
        ----------
        files : sequence of KeptFile
            New files, with their places.
        options : mapping
            How they were read; kept with the store.
        check : callable
            Is given everything that the store then holds, and raises if it cannot be used.

        Returns
        -------
        list of Event
            What was done. All of it is done, or nothing.
        """
        before = {entry.place: entry for entry in self.entries}
        gone = [before[file.place] for file in files if file.place in before]
        with self._transaction():
            self._delete(gone)
            self._set_meta("options", json.dumps(dict(options), sort_keys=True))
            names = number_names(
                self.connection,
                (rows for file in files for piece in file.pieces for rows in piece.frames.values()),
            )
            events = []
            for file in files:
                rows = self._insert(file, names)
                older = before.get(file.place)
                if older is None or older.sha256 != file.sha256:
                    action = "added" if older is None else "replaced"
                    events.append(self._note(action, file.path, file.format, file.sha256, rows))
            if gone:
                drop_unused_names(self.connection)
            check(self.files())
        return events

    def remove(self, entries: Sequence[FileEntry]) -> list[Event]:
        """Take files out.

        Returns
        -------
        list of Event
            What was done. All of it is done, or nothing.
        """
        with self._transaction():
            self._delete(entries)
            drop_unused_names(self.connection)
            return [
                self._note("removed", one.path, one.format, one.sha256, one.rows) for one in entries
            ]

    def _insert(self, file: KeptFile, names: Mapping[str, int]) -> int:
        check_name(file.path)
        number = self._next("id", "files")
        notes = [[note.code, note.message, note.task, list(note.models)] for note in file.notes]
        self.connection.execute(
            "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [number, file.path, file.place, file.format, file.sha256, file.size, _now(),
             json.dumps(notes)],
        )  # fmt: skip
        rows = 0
        first = self._next("id", "pieces")
        for position, piece in enumerate(file.pieces):
            heads = {
                kind: write_frame(self.connection, kind, first + position, table, names)
                for kind, table in piece.frames.items()
            }
            rows += sum(head.rows for head in heads.values())
            self.connection.execute(
                "INSERT INTO pieces VALUES (?, ?, ?, ?, ?, ?)",
                [first + position, number, position, piece.kind, json.dumps(dict(piece.facts)),
                 json.dumps(heads)],
            )  # fmt: skip
        return rows

    def _delete(self, entries: Sequence[FileEntry]) -> None:
        listed = ", ".join(str(int(entry.id)) for entry in entries) or "NULL"
        pieces = self.connection.execute(
            f"SELECT id FROM pieces WHERE file IN ({listed})"
        ).fetchall()
        delete_rows(self.connection, [row[0] for row in pieces])
        self.connection.execute(f"DELETE FROM pieces WHERE file IN ({listed})")
        self.connection.execute(f"DELETE FROM files WHERE id IN ({listed})")

    def _note(self, action: str, path: str, format: str, sha256: str, rows: int) -> Event:
        event = Event(_now(), action, path, format, sha256, rows, self.version)
        self.connection.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [self._next("number", "events"), *event],
        )
        return event

    def _count_rows(self) -> dict[int, int]:
        counts: dict[int, int] = {}
        for file, frames in self.connection.execute("SELECT file, frames FROM pieces").fetchall():
            heads = [FrameHead(*head) for head in json.loads(frames).values()]
            counts[file] = counts.get(file, 0) + sum(head.rows for head in heads)
        return counts

    def _next(self, column: str, table: str) -> int:
        found = self.connection.execute(
            f"SELECT coalesce(max({column}) + 1, 0) FROM {table}"
        ).fetchall()
        return int(found[0][0])

    def _meta(self, key: str) -> str:
        found = read_meta(self.connection, key)
        if found is None:
            raise DataError(f"The store is damaged: it does not say its {key}.")
        return found

    def _set_meta(self, key: str, value: str) -> None:
        self.connection.execute("DELETE FROM meta WHERE key = ?", [key])
        self.connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.connection.execute("BEGIN TRANSACTION")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            _give_up(self.connection)
            raise


def _give_up(connection: duckdb.DuckDBPyConnection) -> None:
    """End a transaction without it; one that failed by itself has ended already."""
    import duckdb

    try:
        connection.execute("ROLLBACK")
    except duckdb.Error:
        return


def _note_of(values: Sequence[Any]) -> Note:
    code, message, task, models = values
    return Note(code, message, task, tuple(models))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


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

"""What a store holds: files with their parts, and how they are put in and taken out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankbars.data.notes import Note
from rankbars.errors import DataError
from rankbars.readers.pieces import KeptFile, Piece
from rankbars.store.catalogue import read_meta
from rankbars.store.entries import Event, FileEntry
from rankbars.store.frames import (
    ColumnReader,
    ColumnWriter,
    FrameHead,
    drop_unused_columns,
    read_frame,
)
from rankbars.store.holdings import Change, Holdings
from rankbars.store.inserting import insert_rows
from rankbars.store.opening import place_of, resolve

if TYPE_CHECKING:
    import duckdb

__all__ = ["Store"]


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """An open store; see `rankbars.store.open_store`.

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
        with _finding_damage("its options"):
            found: dict[str, Any] = dict(json.loads(self._meta("options")).items())
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
            "SELECT id, path, place, target, format, sha256, size, added, 0 FROM files ORDER BY id"
        ).fetchall()
        counts = self._count_rows()
        return [FileEntry(*row)._replace(rows=counts.get(row[0], 0)) for row in rows]

    @property
    def revision(self) -> str:
        """Another one after each change."""
        found = self.connection.execute(
            "SELECT value FROM meta WHERE key = 'revision' UNION ALL "
            "SELECT count(*)::VARCHAR FROM events"
        ).fetchall()
        return " ".join(value for (value,) in found)

    def holdings(self) -> Holdings:
        """What it holds, to be looked at after it is closed."""
        return Holdings(
            self.folder, self.revision, tuple(self.files(alone=True)), tuple(self.entries),
            self.options, len(self.events),
        )  # fmt: skip

    def files(self, *, alone: bool = False) -> list[KeptFile]:
        """Everything it holds; large tables are read while the store is open.

        Parameters
        ----------
        alone : bool
            Whether they are asked for after it is closed; then they are copied.
        """
        with _finding_damage("a part of a file"):
            kept = [
                (file, what, json.loads(facts), _heads(frames))
                for file, what, facts, frames in self.connection.execute(
                    "SELECT file, kind, facts, frames FROM pieces ORDER BY file, position"
                ).fetchall()
            ]
            every = [head for *_, heads in kept for head in heads.values()]
            reader = ColumnReader.of(self.connection, every, alone=alone)
            pieces: dict[int, list[Piece]] = {}
            for file, what, facts, heads in kept:
                own = {kind: read_frame(reader, head) for kind, head in heads.items()}
                pieces.setdefault(file, []).append(Piece(what, facts, own))
        found = self.connection.execute("SELECT id, notes FROM files").fetchall()
        with _finding_damage("notes"):
            notes = {
                file: tuple(_note_of(values) for values in json.loads(said)) for file, said in found
            }
        return [
            KeptFile(
                one.path, one.format, one.sha256, one.size, tuple(pieces.get(one.id, ())),
                notes[one.id], one.place,
            )
            for one in self.entries
        ]  # fmt: skip

    def apply(self, change: Change) -> list[Event]:
        """Make a change: all of it, or nothing; gives what was done."""
        before = {entry.place: entry for entry in self.entries}
        replaced = [before[file.place] for file in change.files if file.place in before]
        with self._transaction():
            self._delete([*change.gone, *replaced])
            if change.options is not None:
                self._set_meta("options", json.dumps(dict(change.options), sort_keys=True))
            rows = self._insert(change)
            events = [
                self._event("removed", one.path, one.format, one.sha256, one.rows)
                for one in change.gone
            ]
            for file, count in zip(change.files, rows, strict=True):
                older = before.get(file.place)
                if older is None or older.sha256 != file.sha256:
                    action = "added" if older is None else "replaced"
                    events.append(self._event(action, file.path, file.format, file.sha256, count))
            self._note(events)
            if change.gone or replaced:
                drop_unused_columns(self.connection)
            self._set_meta("revision", os.urandom(8).hex())
        return events

    def _insert(self, change: Change) -> list[int]:
        """Put files and their pieces in; gives the number of rows of each."""
        writer = ColumnWriter.of(self.connection)
        columns = writer.put_all(change.columns)
        number, following = self._next("id", "files"), self._next("id", "pieces")
        given: list[list[Any]] = []
        pieces: list[list[Any]] = []
        counts = []
        for file, own in zip(change.files, change.pieces, strict=True):
            notes = [[note.code, note.message, note.task, list(note.models)] for note in file.notes]
            given.append([number, file.path, file.place, file.format, file.sha256, file.size,
                          _now(), json.dumps(notes), self._target_of(file.path)])  # fmt: skip
            rows = 0
            for position, piece in enumerate(own):
                rows += sum(head.rows for head in piece.heads.values())
                heads = {kind: head.renumbered(columns) for kind, head in piece.heads.items()}
                pieces.append([following, number, position, piece.kind,
                               json.dumps(dict(piece.facts)), json.dumps(heads)])  # fmt: skip
                following += 1
            counts.append(rows)
            number += 1
        insert_rows(self.connection, "files", given)
        insert_rows(self.connection, "pieces", pieces)
        writer.write(self.connection)
        return counts

    def _target_of(self, path: str) -> str:
        return place_of(str(resolve(path)), self.folder)

    def _delete(self, entries: Sequence[FileEntry]) -> None:
        listed = ", ".join(str(int(entry.id)) for entry in entries) or "NULL"
        self.connection.execute(f"DELETE FROM pieces WHERE file IN ({listed})")
        self.connection.execute(f"DELETE FROM files WHERE id IN ({listed})")

    def _event(self, action: str, path: str, format: str, sha256: str, rows: int) -> Event:
        return Event(_now(), action, path, format, sha256, rows, self.version)

    def _note(self, events: Sequence[Event]) -> None:
        first = self._next("number", "events")
        insert_rows(self.connection, "events",
                    [[first + place, *event] for place, event in enumerate(events)])  # fmt: skip

    def _count_rows(self) -> dict[int, int]:
        counts: dict[int, int] = {}
        for file, frames in self.connection.execute("SELECT file, frames FROM pieces").fetchall():
            with _finding_damage("a part of a file"):
                rows = sum(head.rows for head in _heads(frames).values())
            counts[file] = counts.get(file, 0) + rows
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


@contextmanager
def _finding_damage(what: str) -> Iterator[None]:
    """Says what is damaged where something has not the form in which it was put in."""
    try:
        yield
    except DataError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"The store is damaged: {what} cannot be understood. Take a backup copy, or add all "
            "results to a new store."
        ) from error


def _give_up(connection: duckdb.DuckDBPyConnection) -> None:
    """End a transaction without it; one that failed by itself has ended already."""
    import duckdb

    try:
        connection.execute("ROLLBACK")
    except duckdb.Error:
        return


def _heads(frames: str) -> dict[str, FrameHead]:
    """Heads of the frames of a piece, by kind."""
    return {kind: FrameHead.of(values) for kind, values in json.loads(frames).items()}


def _note_of(values: Sequence[Any]) -> Note:
    code, message, task, models = values
    return Note(code, message, task, tuple(models))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

"""What a store holds: files with their parts, and how they are put in and taken out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rankbars.data.notes import NameFact, Note
from rankbars.errors import DataError
from rankbars.readers.keptfiles import KeptFile
from rankbars.store.holdings import Change, Event, FileEntry, Holdings
from rankbars.store.keptparts import unpack
from rankbars.store.keptresults import notes_of, notes_to_json
from rankbars.store.opening import DamageError, StoreEngine, place_of, resolve
from rankbars.store.rows import Head, drop_rows, insert_rows, put_rows
from rankbars.store.schema import read_meta
from rankbars.store.storedrows import StoredRows

__all__ = ["Store"]


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """An open store; see `rankbars.store.open_store`.

    Parameters
    ----------
    engine : StoreEngine
        The database.
    folder : Path
        Where the file of the store lies; places of files are told from there.
    who : str
        Who works on it.
    """

    engine: StoreEngine
    folder: Path
    who: str = ""

    @property
    def options(self) -> dict[str, Any]:
        """How its files are read, by the names that `rankbars.read` has for options."""
        with _finding_damage("its options"):
            found: dict[str, Any] = dict(json.loads(self._meta("options")).items())
        return found

    @property
    def events(self) -> list[Event]:
        """What happened, first to last."""
        rows = self._ask(
            "SELECT time, action, path, format, sha256, rows, version, who, said FROM events "
            "ORDER BY number"
        )
        if any(None in row for row in rows):
            raise DamageError("what is said of a change cannot be understood")
        return [Event(*row) for row in rows]

    @property
    def names(self) -> tuple[NameFact, ...]:
        """What was said of names."""
        rows = self._ask(
            "SELECT kind, name, called, retired, reason, since FROM told ORDER BY kind, name"
        )
        if any(None in row or row[0] not in ("model", "task") for row in rows):
            raise DamageError("what is said of a name cannot be understood")
        return tuple(NameFact(*row) for row in rows)

    @property
    def entries(self) -> list[FileEntry]:
        """Its files, in the order in which they were put in."""
        rows = self._ask(
            "SELECT id, path, place, target, format, sha256, size, added, 0 FROM sources "
            "ORDER BY id"
        )
        if any(None in row for row in rows):
            raise DamageError("what is said of a file cannot be understood")
        counts: dict[int, int] = {}
        with _finding_damage("a part of a file"):
            for source, heads in self._ask("SELECT source, rows FROM parts"):
                counts[source] = counts.get(source, 0) + _count(_heads(heads))
        return [FileEntry(*row)._replace(rows=counts.get(row[0], 0)) for row in rows]

    @property
    def revision(self) -> str:
        """Another one after each change."""
        found = self._ask(
            "SELECT value FROM meta WHERE key = 'revision' UNION ALL "
            "SELECT count(*)::VARCHAR FROM events"
        )
        return " ".join(value for (value,) in found)

    def holdings(self) -> Holdings:
        """What is known of its files, to be looked at after it is closed."""
        entries = self.entries
        giving = {source for (source,) in self._ask("SELECT DISTINCT source FROM parts")}
        return Holdings(
            self.folder, self.revision, tuple(self._files(entries, giving, {})), tuple(entries),
            self.options, len(self.events),
        )  # fmt: skip

    def files(self, *, outline: bool = False) -> list[KeptFile]:
        """Everything it holds; rows of tables stay where they are while the store is open.

        With `outline`, votes are told by their tasks and models, and none of them is read.
        """
        found: dict[int, list[int]] = {}
        facts: dict[int, tuple[str, Any]] = {}
        heads: dict[int, Mapping[str, Head]] = {}
        with _finding_damage("a part of a file"):
            for part, source, kind, own, rows in self._ask(
                "SELECT id, source, kind, facts, rows FROM parts ORDER BY source, position"
            ):
                found.setdefault(source, []).append(part)
                facts[part] = kind, json.loads(own)
                heads[part] = _heads(rows)
            parts = unpack(found, facts, StoredRows(self.engine, heads), outline=outline)
        return self._files(self.entries, set(found), parts)

    def _files(
        self, entries: Sequence[FileEntry], giving: set[int], parts: Mapping[int, Sequence[Any]]
    ) -> list[KeptFile]:
        with _finding_damage("notes"):
            notes: dict[int, tuple[Note, ...]] = {
                source: notes_of(json.loads(said))
                for source, said in self._ask("SELECT id, notes FROM sources")
            }
        return [
            KeptFile(
                one.path, one.format, one.sha256, one.size, one.id in giving,
                tuple(parts.get(one.id, ())), notes[one.id], one.place,
            )
            for one in entries
        ]  # fmt: skip

    def apply(self, change: Change, check: Callable[[], object] | None = None) -> list[Event]:
        """Make a change: all of it, or nothing; gives what was done.

        Parameters
        ----------
        change : Change
            The change.
        check : callable, optional
            Looks at the store as it becomes; nothing is changed if it raises.
        """
        before = {entry.place: entry for entry in self.entries}
        replaced = [before[file.place] for file in change.files if file.place in before]
        with self._transaction():
            self._delete([*change.gone, *replaced])
            if change.options is not None:
                self._set_meta("options", json.dumps(dict(change.options), sort_keys=True))
            rows = self._insert(change)
            events = [
                self.event("removed", one.path, one.format, one.sha256, one.rows)
                for one in change.gone
            ]
            for file, count in zip(change.files, rows, strict=True):
                older = before.get(file.place)
                if older is None or older.sha256 != file.sha256:
                    action = "added" if older is None else "replaced"
                    events.append(self.event(action, file.path, file.format, file.sha256, count))
            self._note(events)
            self._set_meta("revision", os.urandom(8).hex())
            if check is not None:
                check()
        return events

    def keep_names(self, facts: Sequence[NameFact], events: Sequence[Event]) -> None:
        """Keep what is said of names from now on, and that it was said: all of it, or nothing."""
        with self._transaction():
            self.engine.run("DELETE FROM told")
            rows = [
                (one.kind, one.name, one.called, one.retired, one.reason, one.since)
                for one in facts
            ]
            if rows:
                self.engine.start().executemany("INSERT INTO told VALUES (?, ?, ?, ?, ?, ?)", rows)
            self._note(events)
            self._set_meta("revision", os.urandom(8).hex())

    def keep_record(self, event: Event) -> None:
        """Keep in the log that a record was judged; nothing else is changed."""
        with self._transaction():
            self._note([event])

    def _insert(self, change: Change) -> list[int]:
        """Put files and their parts in; gives the number of rows of each."""
        number, following = self._next("id", "sources"), self._next("id", "parts")
        sources: list[list[Any]] = []
        parts: list[list[Any]] = []
        rows = []
        counts = []
        for file, own in zip(change.files, change.parts, strict=True):
            sources.append([number, file.path, file.place, file.format, file.sha256, file.size,
                            _now(), json.dumps(notes_to_json(file.notes)),
                            self._target_of(file.path)])  # fmt: skip
            count = 0
            for position, part in enumerate(own):
                heads = {relation: one.head for relation, one in part.rows.items()}
                count += _count(heads)
                parts.append([following, number, position, part.kind,
                              json.dumps(dict(part.facts)), json.dumps(heads)])  # fmt: skip
                rows.append((following, part.rows))
                following += 1
            counts.append(count)
            number += 1
        insert_rows(self.engine.start(), "sources", sources)
        insert_rows(self.engine.start(), "parts", parts)
        put_rows(self.engine.start(), rows)
        return counts

    def _target_of(self, path: str) -> str:
        return place_of(str(resolve(path)), self.folder)

    def _delete(self, entries: Sequence[FileEntry]) -> None:
        if not entries:
            return
        listed = ", ".join(str(int(entry.id)) for entry in entries)
        gone = self._ask(f"DELETE FROM parts WHERE source IN ({listed}) RETURNING id")
        drop_rows(self.engine.start(), [part for (part,) in gone])
        self.engine.run(f"DELETE FROM sources WHERE id IN ({listed})")

    def event(
        self, action: str, path: str, format: str, sha256: str = "", rows: int = 0, said: str = ""
    ) -> Event:
        """Something that happens now."""
        made_by = version("rankbars")
        return Event(_now(), action, path, format, sha256, rows, made_by, self.who, said)

    def _note(self, events: Sequence[Event]) -> None:
        first = self._next("number", "events")
        insert_rows(self.engine.start(), "events",
                    [[first + place, *event] for place, event in enumerate(events)])  # fmt: skip

    def _ask(self, query: str) -> list[Any]:
        return self.engine.ask(query)

    def _next(self, column: str, table: str) -> int:
        ((found,),) = self._ask(f"SELECT coalesce(max({column}) + 1, 0) FROM {table}")
        return int(found)

    def _meta(self, key: str) -> str:
        found = read_meta(self.engine.start(), key)
        if found is None:
            raise DamageError(f"it does not say its {key}")
        return found

    def _set_meta(self, key: str, value: str) -> None:
        connection = self.engine.start()
        connection.execute("DELETE FROM meta WHERE key = ?", [key])
        connection.execute("INSERT INTO meta VALUES (?, ?)", [key, value])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.engine.run("BEGIN TRANSACTION")
        try:
            yield
            self.engine.run("COMMIT")
        except BaseException:
            self._give_up()
            raise

    def _give_up(self) -> None:
        """End a transaction without it; one that failed by itself has ended already."""
        import duckdb

        try:
            self.engine.start().execute("ROLLBACK")
        except duckdb.Error:
            return


@contextmanager
def _finding_damage(what: str) -> Iterator[None]:
    """Says what is damaged where something has not the form in which it was put in."""
    try:
        yield
    except DataError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise DamageError(f"{what} cannot be understood") from error


def _heads(rows: str) -> dict[str, Head]:
    """What is known of the rows of a part, by relation."""
    return {relation: Head.of(relation, values) for relation, values in json.loads(rows).items()}


def _count(heads: Mapping[str, Head]) -> int:
    """How many answers, published scores or votes there are."""
    return sum(head.rows for relation, head in heads.items() if relation != "numbers")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

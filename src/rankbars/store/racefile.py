"""The file of a race: a list of entries to which only is added, and its wealth.

The file is a DuckDB database, as stores are. Each entry has a digest of itself and of all before
it; the wealth of the bets, which is kept so that nobody computes all of it anew, has one in the
entry with which it was kept; and the last digest stands in a table of its own. So an entry that was
edited, or taken out, at the end too, is noticed. What one command does is one transaction.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError, ReadError, WriteError
from rankbars.store.opening import (
    STORE,
    connect,
    draft_beside,
    is_store,
    report_faults,
    resolve,
)
from rankbars.store.schema import read_tables

if TYPE_CHECKING:
    import duckdb

__all__ = ["SETTLED", "Bytes", "Entry", "RaceLog", "find_race", "make_race", "open_race"]

_TABLES = {
    "race": "number INTEGER, kind VARCHAR, body BLOB, digest VARCHAR",
    "latest": "entries INTEGER, digest VARCHAR",
    "wealth": "body BIGINT",
    "leases": "cell BIGINT, model INTEGER, worker VARCHAR, until DOUBLE",
}

_EARLIER = [_TABLES | {"wealth": f"body {kind}"} for kind in ("DOUBLE", "BLOB")]
"""As earlier versions made it; the next batch makes the new table of wealth."""

Bytes = NDArray[np.uint8]

SETTLED = ("closed", "joined")
"""Kinds of entries after which the wealth of the bets is another."""


class Entry(NamedTuple):
    """Something that happened: its kind, what it says, and the digest up to it."""

    kind: str
    body: bytes
    digest: str

    @property
    def facts(self) -> dict[str, Any]:
        """What it says; not to be changed."""
        return _unpacked(self.body)


@lru_cache(maxsize=2048)
def _unpacked(body: bytes) -> dict[str, Any]:
    """Kept, because a race that goes on in one process reads its entries again and again."""
    found: dict[str, Any] = json.loads(zlib.decompress(body))
    return found


@dataclass(slots=True)
class RaceLog:
    """What a race has kept.

    Parameters
    ----------
    entries : list of Entry
        All that happened, in order.
    fetch : callable, optional
        Reads the wealth that was kept last, which is large, and checks it.
    leases : dict from (int, int) to (str, float)
        Which worker has a cell of a model, and until when.
    known : dict
        The state of the bets as this process has it from before, by the digest of its entry.
    """

    entries: list[Entry] = field(default_factory=list)
    fetch: Callable[[], Bytes] = lambda: np.empty(0, np.uint8)
    leases: dict[tuple[int, int], tuple[str, float]] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)

    @property
    def digest(self) -> str:
        """Of all entries."""
        return self.entries[-1].digest if self.entries else ""

    def add(self, kind: str, facts: dict[str, Any]) -> None:
        """Something more has happened."""
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        body = zlib.compress(text.encode(), 1)
        self.entries.append(Entry(kind, body, _chained(self.digest, kind, body)))
        self.changed.add("race")

    @property
    def wealth(self) -> Bytes:
        """The wealth of the bets that was kept last; nothing before the first."""
        return self.fetch()

    @property
    def unkept(self) -> list[int]:
        """The entries after which the wealth is another, since it was kept."""
        found: list[int] = []
        for place in reversed(range(len(self.entries))):
            if self.entries[place].kind in SETTLED:
                if "wealth" in self.entries[place].facts:
                    break
                found.insert(0, place)
        return found

    def check(self) -> None:
        """Raises where the wealth was edited."""
        self.fetch()

    def keep(self, wealth: Bytes) -> str:
        """Keep the wealth, whole eights of bytes; its digest, which is for the entry."""
        self.fetch = lambda: wealth
        self.changed.add("wealth")
        return hashlib.sha256(wealth.data).hexdigest()

    def know(self, state: object) -> None:
        """The state of the bets after the last entry."""
        self.known.clear()
        self.known[self.digest] = state

    def lease(self, leases: dict[tuple[int, int], tuple[str, float]]) -> None:
        """Who has which calls from now on."""
        self.leases = leases
        self.changed.add("leases")


def _chained(before: str, kind: str, body: bytes) -> str:
    return hashlib.sha256(b"\0".join([before.encode(), kind.encode(), body])).hexdigest()


@contextmanager
def make_race(path: str | os.PathLike[str], pairs: int = 0) -> Iterator[RaceLog]:
    """A new file, for bets on so many pairs, which appears whole when the block ends.

    Raises
    ------
    ChangedError
        If another process has made it meanwhile.
    WriteError
        If there is one, or it cannot be written.
    """
    label, place = os.fspath(path), resolve(path)
    if place.exists():
        raise WriteError(
            f"{label}: there is something of this name. Go on with a race by Race.open({label!r}), "
            "or name a new file for another race."
        )
    with (
        draft_beside(place, label) as draft,
        connect(draft, label, write=True, rows=pairs) as connection,
    ):
        for name, columns in _TABLES.items():
            connection.execute(f"CREATE TABLE {STORE}.{name} ({columns})")
        log = RaceLog()
        yield log
        _write(connection, log, 0)


def find_race(path: str | os.PathLike[str]) -> Path:
    """The file of a race, as far as it is seen from outside.

    Raises
    ------
    ReadError
        If there is none, or it is no database.
    """
    label, place = os.fspath(path), resolve(path)
    if not place.is_file():
        raise ReadError.at(
            label,
            "there is no race. Begin one: rankbars race STATE next --models-file FILE "
            "--items-file FILE.",
        )
    if not is_store(place):
        raise ReadError.at(label, "it is not the file of a race. Name the one that `race` made.")
    return place


@contextmanager
def open_race(
    path: str | os.PathLike[str], *, write: bool = False, known: dict[str, Any] | None = None
) -> Iterator[RaceLog]:
    """The file of a race; what the block adds to it is kept when it ends well.

    `known` is what the log knows, and what the block makes known.

    Raises
    ------
    ReadError
        If there is none, it is not a race, or it was edited.
    WriteError
        If it cannot be written, or another process does not let go of it.
    """
    label, place = os.fspath(path), find_race(path)
    with connect(place, label, write=write) as connection:
        log = _load(connection, label, {} if known is None else known)
        before = len(log.entries)
        yield log
        if write and log.changed:
            with report_faults(label):
                connection.execute("BEGIN TRANSACTION")
                _write(connection, log, before)
                connection.execute("COMMIT")


def _load(connection: duckdb.DuckDBPyConnection, label: str, known: dict[str, Any]) -> RaceLog:
    tables = read_tables(connection, label, macros=False)
    found = {
        name: ", ".join(f"{column} {one.kind}" for column, one in columns.items())
        for name, columns in tables.items()
    }
    computed = any(one.default for columns in tables.values() for one in columns.values())
    if found not in (_TABLES, *_EARLIER) or computed:
        raise ReadError.at(label, "it is a database, but not of a race. Name the file of one.")
    rows = connection.execute(
        f"SELECT number, kind, body, digest FROM {STORE}.race ORDER BY number"
    )
    entries: list[Entry] = []
    digest = ""
    for place, (number, kind, body, said) in enumerate(rows.fetchall()):
        digest = _chained(digest, kind, body)
        if number != place or digest != said:
            raise _edited(label, f"entry {place} does not fit its digest")
        entries.append(Entry(kind, body, digest))
    if not entries or entries[0].kind != "start":
        raise _edited(label, "its beginning is gone")
    if connection.execute(f"FROM {STORE}.latest").fetchall() != [(len(entries), digest)]:
        raise _edited(label, "its end is gone")
    settled = (one.facts for one in reversed(entries) if one.kind in SETTLED)
    kept = next((facts["wealth"] for facts in settled if "wealth" in facts), None)
    expected = hashlib.sha256(b"").hexdigest() if kept is None else kept

    def fetch() -> Bytes:
        if found["wealth"] == "body BLOB":
            blobs = connection.execute(f"FROM {STORE}.wealth").fetchall()
            wealth = np.frombuffer(b"".join(blob for (blob,) in blobs), np.uint8)
        else:
            numbers = connection.execute(f"FROM {STORE}.wealth").fetchnumpy()["body"]
            wealth = np.asarray(numbers, numbers.dtype.newbyteorder("<")).view(np.uint8)
        if hashlib.sha256(wealth.data).hexdigest() != expected:
            raise _edited(label, "the wealth of its bets does not fit its digest")
        return wealth

    held = connection.execute(f"SELECT cell, model, worker, until FROM {STORE}.leases").fetchall()
    leases = {(cell, model): (who, end) for cell, model, who, end in held}
    return RaceLog(entries, fetch, leases, known)


def _write(connection: duckdb.DuckDBPyConnection, log: RaceLog, before: int) -> None:
    for number, entry in enumerate(log.entries[before:], before):
        connection.execute(f"INSERT INTO {STORE}.race VALUES (?, ?, ?, ?)", [number, *entry])
    if len(log.entries) > before:
        connection.execute(f"DELETE FROM {STORE}.latest")
        connection.execute(
            f"INSERT INTO {STORE}.latest VALUES (?, ?)", [len(log.entries), log.digest]
        )
    if "wealth" in log.changed:
        # Of some hundred models it is large: a new table of plain numbers is written once, without
        # a search for something smaller, and not twice, as rows that are deleted and added are.
        connection.execute(
            f"CREATE OR REPLACE TABLE {STORE}.wealth (body BIGINT USING COMPRESSION uncompressed)"
        )
        connection.register("numbers", {"body": log.wealth.view("<i8")})
        connection.execute(f"INSERT INTO {STORE}.wealth SELECT body FROM numbers")
        connection.unregister("numbers")
    if "leases" in log.changed:
        connection.execute(f"DELETE FROM {STORE}.leases")
        if log.leases:
            rows = [[*call, *held] for call, held in log.leases.items()]
            columns = [list(column) for column in zip(*rows, strict=True)]
            connection.execute(
                f"INSERT INTO {STORE}.leases SELECT unnest(?), unnest(?), unnest(?), unnest(?)",
                columns,
            )
    log.changed.clear()


def _edited(label: str, what: str) -> DataError:
    return ReadError.at(
        label,
        f"the file was edited or is damaged: {what}. What it says of the race cannot be trusted. "
        "Take a backup copy, or begin anew.",
    )

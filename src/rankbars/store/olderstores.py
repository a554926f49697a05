"""Stores of older schemas: columns of bytes, or rows of single cells, become rows.

Schemas 2 and 3 kept each column of a part as bytes, compressed, equal ones once; schemas 0 and 1
kept rows, in a table for each kind of part. What is here only reads them. Schema 4 knew nothing of
names that were changed, nor who did what.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.store.keptparts import HEEDED, RUN, TABLE
from rankbars.store.keptresults import JUDGED, READY, VOTES, rows_of_counts
from rankbars.store.opening import DamageError, place_of
from rankbars.store.rows import Coded, CodedRows, code_texts, insert_rows, put_rows
from rankbars.store.schema import OF_ROWS, SCHEMA, create_tables, relation_of, tables_of

if TYPE_CHECKING:
    import duckdb

__all__ = ["bring_up_to_date"]

_DIGEST_BYTES = 16
_HALF = 32  # bits of a fingerprint of which two columns had one half each

# What stores before version 0.2 left to the format of a file.
_EARLIER: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "tabarena": {TABLE: {"errors": True}},
    "pair-counts": {VOTES: {"said": [[
        "pair-counts",
        "Counts per pair: each vote counts as independent of the others, and nothing says which "
        "model was shown first.", None, [],
    ]]}},
    "alpaca-eval": {
        JUDGED: {
            "tool": "AlpacaEval", "ordered": False, "shared": ["judge", "baseline"], "unnamed": "",
        },
        RUN: {"instead": "Leaderboards are not read: they sum up votes like those that are."},
    },
    "arena-hard": {
        JUDGED: {
            "tool": "Arena-Hard", "ordered": True, "shared": ["judge"], "unnamed": "baseline",
        },
        RUN: {"instead": "Leaderboards are not read: they sum up judgements like those that are."},
    },
}  # fmt: skip


class _Frame(NamedTuple):
    """Rows of one kind of a part, as older stores kept them."""

    rows: CodedRows
    is_matrix: bool

    def number(self, role: str) -> NDArray[np.float64]:
        """A column of numbers."""
        return np.asarray(self.rows.numbers.get(role, np.empty(0)), dtype=np.float64)


_Frames = Mapping[str, _Frame]


def bring_up_to_date(connection: duckdb.DuckDBPyConnection, schema: int, folder: Path) -> None:
    """Make the tables of an older store those of today; in a transaction.

    Raises
    ------
    DamageError
        If something has not the form in which it was put in.
    """
    if schema == 0:
        connection.execute("ALTER TABLE events ADD COLUMN version VARCHAR DEFAULT ''")
    for column in ("who", "said"):
        connection.execute(f"ALTER TABLE events ADD COLUMN {column} VARCHAR DEFAULT ''")
    if schema == OF_ROWS:
        create_tables(connection, [table for table in tables_of(SCHEMA) if table != "told"])
        return
    if schema == 1:
        connection.execute("DROP TABLE pairs")  # in another form; they are measured again
    if schema < 3:
        _tell_links_apart(connection, folder)
    connection.execute("ALTER TABLE files RENAME TO sources")
    kept = ("meta", "sources", "events")
    create_tables(connection, kept if schema < 2 else (*kept, "pair_tasks", "pair_cells"))
    read = _rows_of_cells(connection) if schema < 2 else _rows_of_bytes(connection)
    try:
        for part in connection.execute(
            "SELECT p.id, p.file, p.position, p.kind, p.facts, p.frames, s.format "
            "FROM pieces AS p JOIN sources AS s ON p.file = s.id ORDER BY p.file, p.position"
        ).fetchall():
            _move(connection, part, read)
    except DamageError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, zlib.error) as error:
        raise DamageError("a part of a file cannot be understood") from error
    gone = (
        ["pieces", "columns"] if schema >= 2 else ["pieces", "names", *_tables_of_rows(connection)]
    )
    for table in gone:
        connection.execute(f'DROP TABLE "{table}"')


def _tell_links_apart(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Schema 2 told files by where they led; a link is now told by its own name."""
    connection.execute("ALTER TABLE files ADD COLUMN target VARCHAR")
    connection.execute("UPDATE files SET target = place")
    for number, path, place in connection.execute("SELECT id, path, place FROM files").fetchall():
        # As far as it can be told: paths of which nobody knows where they were written from.
        given = str(folder / path)
        if place_of(os.path.realpath(given), folder) == place:
            own = place_of(given, folder)
            connection.execute("UPDATE files SET place = ? WHERE id = ?", [own, number])


def _move(connection: duckdb.DuckDBPyConnection, part: Sequence[Any], read: Any) -> None:
    """One part into the tables of today."""
    number, source, position, kind, said, heads, tool = part
    facts = json.loads(said)
    earlier = _EARLIER.get(tool, {}).get(kind, {})
    if not (kind == RUN and facts["rows"] is not None):  # runs with answers are no leaderboards
        facts = {**earlier, **facts}
    frames = {name: read(number, name, head) for name, head in json.loads(heads).items()}
    own, rows = _ANEW[kind](facts, frames)
    kept = {relation: one.head for relation, one in rows.items()}
    insert_rows(connection, "parts", [[number, source, position, kind, json.dumps(own),
                                       json.dumps(kept)]])  # fmt: skip
    put_rows(connection, [(number, rows)])


def _move_table(facts: dict[str, Any], frames: _Frames) -> tuple[dict[str, Any], Any]:
    rows, is_matrix = frames["scores"]
    filled = [role for role, one in rows.labels.items() if (one.codes >= 0).all()]
    seen = {}
    for role, (plain, percentages, truths, *largest) in facts["seen"].items():
        # Older stores say only whether all cells are truth values.
        number = truths * plain if isinstance(truths, bool) else truths
        seen[role] = [plain, percentages, number, largest[0] if largest else None]
    own = {"errors": False, **facts, "seen": seen, "filled": sorted(filled), "matrix": is_matrix}
    return own, {relation_of(rows.labels): rows}


def _move_run(facts: dict[str, Any], frames: _Frames) -> tuple[dict[str, Any], Any]:
    answers, measures = facts.pop("rows"), facts["measures"]
    published = {name: one for name, one in measures.items() if one["value"] is not None}
    scored = [name for name, one in measures.items() if one["scored"]]
    rows: dict[str, CodedRows] = {}
    if answers is not None:
        known = frames["answers"].rows
        facts["answers"] = {
            "identity": answers["identity"], "size": len(known.place),
            "repeats": "repeat" in known.numbers, "clusters": "cluster" in known.labels,
            "others": "other_id" in known.labels, "prints": "print_high" in known.numbers,
        }  # fmt: skip
        rows["scores"] = _answers(facts, frames, scored)
    else:
        facts["answers"] = None
    if published:
        rows["estimates"] = CodedRows(
            np.arange(len(published)),
            _of_run(facts, len(published)) | {"metric": code_texts(published)},
            {
                role: np.array([one[name] for one in published.values()], dtype=np.float64)
                for role, name in (("score", "value"), ("se", "se"), ("n", "n"))
            },
        )
    for one in measures.values():
        one["published"] = one.pop("value") is not None
        if one["published"]:
            one["se"] = one["n"] = None
    return {"instead": None, **facts}, rows


def _of_run(facts: Mapping[str, Any], size: int) -> dict[str, Coded]:
    """The model and the task of a run, for each of its rows."""
    every = np.zeros(size, dtype=np.int64)
    return {role: Coded((facts[role],), every) for role in ("model", "task")}


def _answers(facts: Mapping[str, Any], frames: _Frames, scored: Sequence[str]) -> CodedRows:
    known, times = frames["answers"], max(len(scored), 1)
    size = len(known.rows.place)
    labels = _of_run(facts, size * times)
    for role, name in (("item", "id"), ("other", "other_id"), ("cluster", "cluster")):
        if name in known.rows.labels:
            one = known.rows.labels[name]
            labels[role] = one._replace(codes=np.tile(one.codes, times))
    numbers: dict[str, NDArray[Any]] = {"state": known.number("status").astype(np.int64)}
    if "repeat" in known.rows.numbers:
        numbers["attempt"] = known.number("repeat").astype(np.int64)
    if "print_high" in known.rows.numbers:
        high, low = (known.number(f"print_{one}").astype(np.int64) for one in ("high", "low"))
        numbers["print"] = (high << _HALF) | low
    numbers = {role: np.tile(values, times) for role, values in numbers.items()}
    if scored:
        labels["metric"] = Coded(tuple(scored), np.repeat(np.arange(len(scored)), size))
        numbers["score"] = frames["answer_scores"].number("score")
    return CodedRows(np.arange(size * times), labels, numbers)


def _move_votes(facts: dict[str, Any], frames: _Frames) -> tuple[dict[str, Any], Any]:
    task, names = facts["task"], facts.pop("ballots")
    if names is None:
        counts, models = frames["counts"], facts["models"]
        place = {name: number for number, name in enumerate(models)}
        where = tuple(
            np.array([place[text] for text in counts.rows.texts(role) or ()], dtype=np.int64)
            for role in ("first", "second")
        )
        tables = {}
        for name in counts.rows.numbers:
            tables[name] = np.zeros((len(models),) * 2)
            tables[name][where] = counts.number(name)
        return {"said": [], **facts, "ballots": None}, {
            "votes": rows_of_counts(task, models, tables)
        }
    known = frames["ballots"].rows
    size = len(known.place)
    numbers = {
        role: values.astype(np.int64) if role in ("outcome", "votes", "position") else values
        for role in known.numbers
        if len(values := frames["ballots"].number(role)) == size
    }
    labels = {**known.labels, "task": Coded((task,), np.zeros(size, dtype=np.int64))}
    rows = {"votes": CodedRows(np.arange(size), labels, numbers)}
    if "covariates" in frames:
        rows["numbers"] = frames["covariates"].rows
    ballots = {
        "controls": names, "measured": "covariates" in frames,
        "labels": [role for role in known.labels if role not in ("first", "second")],
        "columns": [role for role in numbers if role != "outcome"],
    }  # fmt: skip
    return {"said": [], **facts, "ballots": ballots}, rows


def _move_judged(facts: dict[str, Any], frames: _Frames) -> tuple[dict[str, Any], Any]:
    frame = frames["judgements"]
    labels = {"topic" if role == "group" else role: one for role, one in frame.rows.labels.items()}
    numbers: dict[str, NDArray[Any]] = {role: frame.number(role) for role in ("share", "strength")}
    numbers["turn"] = frame.number("turn").astype(np.int64)
    numbers["line"] = frame.number("row").astype(np.int64)
    return facts, {"votes": CodedRows(np.arange(len(frame.rows.place)), labels, numbers)}


def _move_ready(facts: dict[str, Any], frames: _Frames) -> tuple[dict[str, Any], Any]:
    rows: dict[str, CodedRows] = {}
    if facts["kind"] == "votes":
        facts, rows = _move_votes(facts, frames)
    arrays = {
        name.removeprefix("array "): frame.number("cells")
        for name, frame in frames.items()
        if name.startswith("array ")
    }
    names = list(arrays)
    codes = np.repeat(np.arange(len(names)), [len(cells) for cells in arrays.values()])
    values = np.concatenate([np.empty(0), *arrays.values()])
    if "numbers" in rows:
        known = rows["numbers"]
        before = known.labels["name"]
        names = [*map(str, before.names), *names]
        codes = np.concatenate([before.codes, codes + len(before.names)])
        values = np.concatenate([known.numbers["value"], values])
    if names:
        labels = {"name": Coded(names, codes)}
        rows["numbers"] = CodedRows(np.arange(len(values)), labels, {"value": values})
    return facts, rows


def _move_heeded(facts: dict[str, Any], frames: _Frames) -> tuple[dict[str, Any], Any]:
    return facts, {}


_ANEW = {
    TABLE: _move_table, RUN: _move_run, VOTES: _move_votes, JUDGED: _move_judged,
    READY: _move_ready, HEEDED: _move_heeded,
}  # fmt: skip


def _rows_of_bytes(connection: duckdb.DuckDBPyConnection) -> Any:
    """Reads the frames of schemas 2 and 3."""

    def take(number: int) -> bytes:
        found = connection.execute(
            "SELECT digest, data FROM columns WHERE id = ?", [number]
        ).fetchall()
        if not found:
            raise DamageError(f"it lacks column {number}")
        key, data = found[0]
        if hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest() != key:
            raise DamageError(f"column {number} is not what was put in")
        return bytes(data)

    def read(part: int, kind: str, head: Sequence[Any]) -> _Frame:
        rows, is_matrix, _, names, stretches = head
        place = [np.empty(0, dtype=np.int64)]
        labels: dict[str, list[NDArray[Any]]] = {role: [] for role in names}
        numbers: dict[str, list[NDArray[Any]]] = {}
        for first, count, chosen, codes, cells in stretches:
            place.append(
                np.arange(first, first + count) if chosen is None else _decode(take(chosen))
            )
            for role, number in codes.items():
                labels[role].append(_decode(take(number)))
            for role, number in cells.items():
                numbers.setdefault(role, []).append(_decode(take(number)))
        known = {role: _decode_names(take(number)) for role, number in names.items()}
        none = np.empty(0, dtype=np.int64)
        found = CodedRows(
            np.concatenate(place).astype(np.int64),
            {
                role: Coded(known[role], np.concatenate([none, *own]))
                for role, own in labels.items()
            },
            {role: np.concatenate(own).astype(np.float64) for role, own in numbers.items()},
        )
        if len(found.place) != rows:
            raise DamageError("it does not hold the rows that were put in")
        return _Frame(found, bool(is_matrix))

    return read


def _decode_names(data: bytes) -> tuple[str, ...]:
    return tuple(json.loads(zlib.decompress(data[1:])))


def _decode(data: bytes) -> NDArray[Any]:
    """Numbers: floats, one for all rows, whole ones, or decimal ones of so many digits."""
    kind, rest = data[:1], memoryview(data)[1:]
    if kind == b"F":
        return np.frombuffer(rest, dtype="<f8")
    if kind == b"C":
        return np.broadcast_to(_decode(bytes(rest[8:])), (int.from_bytes(rest[:8], "little"),))
    if kind == b"I":
        return _stored(rest).astype(np.int64)
    stored = _stored(rest[1:])
    values = stored.astype(np.float64)
    values[stored == np.iinfo(stored.dtype).min] = np.nan
    if rest[0]:
        values /= 10.0 ** rest[0]
    return values


def _stored(data: memoryview) -> NDArray[Any]:
    kind = np.dtype(f"<i{data[0]}")
    return np.frombuffer(zlib.decompress(data[1:]), dtype=kind)


def _rows_of_cells(connection: duckdb.DuckDBPyConnection) -> Any:
    """Reads the frames of schemas 0 and 1."""
    found = connection.execute("SELECT id, name FROM names").fetchnumpy()
    ids = np.ma.getdata(found["id"])
    texts = np.empty(int(ids.max(initial=-1)) + 1, dtype=object)
    texts[ids] = np.ma.getdata(found["name"])

    def read(part: int, kind: str, head: Sequence[Any]) -> _Frame:
        labels, numbers, rows, is_matrix, _ = head
        selected = ", ".join(f'"{role}"' for role in _known(("row", *labels, *numbers)))
        taken = connection.execute(
            f'SELECT {selected} FROM "rows_{_known([kind])[0]}" WHERE piece = ? ORDER BY rowid',
            [part],
        ).fetchnumpy()
        if len(taken["row"]) != rows:
            raise DamageError("it does not hold the rows that were put in")
        own: dict[str, Coded] = {}
        for role in labels:
            codes = np.ma.filled(taken[role], -1).astype(np.int64)
            used, where = np.unique(codes, return_inverse=True)
            names = tuple(str(texts[code]) for code in used.tolist() if code >= 0)
            own[role] = Coded(names, where - np.count_nonzero(used < 0))
        cells = {role: np.ma.filled(taken[role].astype(np.float64), np.nan) for role in numbers}
        place = np.ma.getdata(taken["row"]).astype(np.int64)
        return _Frame(CodedRows(place, own, cells), bool(is_matrix))

    return read


def _known(names: Sequence[str]) -> list[str]:
    """Names of columns, which hold letters and underscores."""
    for name in names:
        if not str(name).replace("_", "").isalnum():
            raise DamageError("a part of a file cannot be understood")
    return list(names)


def _tables_of_rows(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    for (table,) in connection.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'rows\\_%' "
        "ESCAPE '\\'"
    ).fetchall():
        yield table

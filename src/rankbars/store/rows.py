"""Rows of the parts of a store, put into its tables under numbers of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.store.schema import NAME_TABLES, RELATIONS, name_table, types_of
from rankbars.tables.database import as_numbers, quote
from rankbars.tables.labels import code_names
from rankbars.tables.tablerows import Rows

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "NOTHING", "Coded", "CodedRows", "Head", "check_name", "code_rows", "code_texts",
    "columns_of", "drop_rows", "insert_rows", "put_rows",
]  # fmt: skip

# Up to so many rows of small parts are put in at once.
_ROWS_AT_ONCE = 1 << 20

NOTHING = np.iinfo(np.int64).min  # what stands for an empty cell of whole numbers


class Coded(NamedTuple):
    """A column of names: the names, and the place of that of each row among them; -1 = empty."""

    names: Sequence[str] | NDArray[Any]
    codes: NDArray[Any]


class CodedRows(NamedTuple):
    """Rows of a part of a file.

    Parameters
    ----------
    place : array of int, shape (rows,)
        Where each row stands in its source, or among the rows of its part.
    labels : mapping from str to Coded
        Columns of names.
    numbers : mapping from str to array, shape (rows,)
        Columns of numbers; NaN, or the least integer, where a cell is empty.
    """

    place: NDArray[np.int64]
    labels: Mapping[str, Coded]
    numbers: Mapping[str, NDArray[Any]]

    @property
    def head(self) -> Head:
        """What a store knows of them beside the rows."""
        return Head(len(self.place), tuple(self.labels), tuple(self.numbers))

    def texts(self, role: str) -> tuple[str | None, ...] | None:
        """A column of names as texts, None where a cell is empty; None if there is no such."""
        if role not in self.labels:
            return None
        names, codes = self.labels[role]
        if not len(names):
            return (None,) * len(codes)
        known = names if isinstance(names, np.ndarray) else np.array([*names, None], dtype=object)
        found = known[np.maximum(codes, 0)]
        found[codes < 0] = None
        return tuple(found.tolist())


class Head(NamedTuple):
    """What is known of the rows of a part without looking at them."""

    rows: int
    labels: tuple[str, ...]
    numbers: tuple[str, ...]

    @classmethod
    def of(cls, relation: str, values: Sequence[Any]) -> Head:
        """From what JSON keeps of it; raises `ValueError` if the relation has no such columns."""
        rows, labels, numbers = values
        columns = RELATIONS[relation]
        if not ({*labels} <= {*columns.labels} and {*numbers} <= {*columns.numbers}):
            raise ValueError(relation)
        return cls(int(rows), tuple(labels), tuple(numbers))


def check_name(name: str) -> None:
    """Raise `DataError` if a name holds what is no character."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"The name {name!r} holds {error.object[error.start : error.end]!r}, which is not a "
            "valid character, and cannot be stored. Rename it."
        ) from error


def code_texts(texts: Iterable[str | None]) -> Coded:
    """A column of texts as a column of names.

    Examples
    --------
    >>> code_texts(["b", None, "a", "b"])
    Coded(names=('b', 'a'), codes=array([ 0, -1,  1,  0]))
    """
    places: dict[str | None, int] = {}
    codes = [-1 if text is None else places.setdefault(text, len(places)) for text in texts]
    return Coded(tuple(str(text) for text in places), np.array(codes, dtype=np.int64))


def code_rows(rows: Rows) -> CodedRows:
    """Rows of a table."""
    engine, source = rows.engine, rows.clause
    codes = {role: code_names(engine, source, role) for role in rows.labels}
    selected = ["place", *(f"{one.cell} AS c{number}" for number, one in enumerate(codes.values()))]
    selected += [f"r.{quote(role)} AS v{number}" for number, role in enumerate(rows.numbers)]
    joins = "".join(
        f" LEFT JOIN {one.table} ON r.{quote(role)} = {one.table}.name"
        for role, one in codes.items()
        if one.joined
    )
    found = engine.arrays(f"SELECT {', '.join(selected)} FROM {source} AS r{joins}")
    return CodedRows(
        np.ma.getdata(found["place"]).astype(np.int64) + rows.first,
        {
            role: Coded(one.names, one.decode(found[f"c{number}"]))
            for number, (role, one) in enumerate(codes.items())
        },
        {role: as_numbers(found[f"v{number}"]) for number, role in enumerate(rows.numbers)},
    )


def insert_rows(
    connection: duckdb.DuckDBPyConnection, table: str, rows: Sequence[Sequence[Any]]
) -> None:
    """Put a few rows into a table, given in the order of its columns: whole numbers and texts.

    One statement for each of them takes a hundred times as long.
    """
    if not rows:
        return
    given = {}
    for place, cells in enumerate(zip(*rows, strict=True)):
        column = np.empty(len(cells), dtype=np.int64 if isinstance(cells[0], int) else object)
        column[:] = cells
        given[f"c{place}"] = column
    connection.register("given", given)
    try:
        connection.execute(f"INSERT INTO {table} SELECT * FROM given")
    finally:
        connection.unregister("given")


def put_rows(
    connection: duckdb.DuckDBPyConnection, parts: Sequence[tuple[int, Mapping[str, CodedRows]]]
) -> None:
    """Put the rows of parts into their tables.

    Parameters
    ----------
    connection : duckdb connection
        An open store, in a transaction.
    parts : sequence of (int, mapping from str to CodedRows)
        Number of each part, and its rows by relation.
    """
    numbers = _number_names(connection, parts)
    for relation in RELATIONS:
        some: list[tuple[int, CodedRows]] = []
        size = 0
        for part, rows in parts:
            if relation in rows:
                some.append((part, rows[relation]))
                size += len(rows[relation].place)
            if size > _ROWS_AT_ONCE:
                _insert(connection, relation, some, numbers)
                some, size = [], 0
        if some:
            _insert(connection, relation, some, numbers)


def _number_names(
    connection: duckdb.DuckDBPyConnection,
    parts: Sequence[tuple[int, Mapping[str, CodedRows]]],
) -> dict[str, dict[str, int]]:
    """Numbers of all names that the rows have, by table of names; new names get new ones."""
    wanted: dict[str, dict[str, int]] = {table: {} for table in NAME_TABLES}
    for _, rows in parts:
        for own in rows.values():
            for role, column in own.labels.items():
                wanted[name_table(role)].update(dict.fromkeys(_in_order(column), 0))
    for table, names in wanted.items():
        if not names:
            continue
        given = np.array([*names, None], dtype=object)[:-1]
        try:
            connection.register("given", {"name": given, "place": np.arange(len(given))})
        except UnicodeEncodeError:
            for name in names:
                check_name(name)
            raise
        connection.execute(
            f"INSERT INTO {table} SELECT coalesce((SELECT max(id) + 1 FROM {table}), 0) + "
            "row_number() OVER (ORDER BY place) - 1, name FROM given "
            f"WHERE name NOT IN (SELECT name FROM {table})"
        )
        found = connection.execute(
            f"SELECT t.id FROM given JOIN {table} AS t USING (name) ORDER BY place"
        ).fetchnumpy()["id"]
        connection.unregister("given")
        wanted[table] = dict(zip(names, found.tolist(), strict=True))
    return wanted


def _in_order(column: Coded) -> list[str]:
    """Names in the order in which rows have them first, so that numbers follow each other."""
    names, codes = column
    first = np.full(len(names) + 1, len(codes))
    # The last one that is written stays.
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    order = np.argsort(first[:-1], kind="stable")
    return [str(names[place]) for place in order[: np.count_nonzero(first[:-1] < len(codes))]]


def _insert(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    parts: Sequence[tuple[int, CodedRows]],
    numbers: Mapping[str, Mapping[str, int]],
) -> None:
    columns = RELATIONS[relation]
    _add_columns(connection, relation, [rows for _, rows in parts])
    given = {
        "part": np.concatenate([np.full(len(rows.place), part) for part, rows in parts]),
        "place": np.concatenate([rows.place for _, rows in parts]),
    }
    selected = ["part", "place"]
    for role in columns.labels:
        if any(role in rows.labels for _, rows in parts):
            ids = numbers[name_table(role)]
            given[role] = np.concatenate([_ids(rows, role, ids) for _, rows in parts])
            selected.append(f"nullif({quote(role)}, -1)")
    for role, kind in columns.numbers.items():
        if any(role in rows.numbers for _, rows in parts):
            given[role] = np.concatenate([_cells(rows, role, kind) for _, rows in parts])
            empty = "'NaN'::DOUBLE" if kind == "DOUBLE" else f"({NOTHING + 1}-1)"
            selected.append(f"nullif({quote(role)}, {empty})")
    into = ", ".join(map(quote, given))
    # As they stand in their source, where equal names mostly stand beside each other, and places
    # follow: both take hardly any room.
    order = "" if _is_rising(given["part"], given["place"]) else " ORDER BY part, place"
    connection.register("given", given)
    try:
        connection.execute(
            f"INSERT INTO {relation} ({into}) SELECT {', '.join(selected)} FROM given{order}"
        )
    finally:
        connection.unregister("given")


def _add_columns(
    connection: duckdb.DuckDBPyConnection, relation: str, parts: Sequence[CodedRows]
) -> None:
    """The columns that the rows have and the relation has not."""
    used = {role for rows in parts for role in (*rows.labels, *rows.numbers)}
    there = columns_of(connection, relation)
    for role, kind in types_of(relation).items():
        if role in used and role not in there:
            connection.execute(f"ALTER TABLE {relation} ADD COLUMN {quote(role)} {kind}")


def columns_of(connection: duckdb.DuckDBPyConnection, relation: str) -> set[str]:
    """The columns that a relation has so far."""
    described = connection.execute(f"SELECT * FROM {relation} LIMIT 0").description
    return {str(column[0]) for column in described or ()}


def _ids(rows: CodedRows, role: str, numbers: Mapping[str, int]) -> NDArray[np.int32]:
    """Numbers of the names of a column, -1 where a cell is empty."""
    if role not in rows.labels:
        return np.full(len(rows.place), -1, np.int32)
    names, codes = rows.labels[role]
    ids = np.array([*(numbers.get(str(name), -1) for name in names), -1], dtype=np.int32)
    return np.asarray(ids[codes])


def _cells(rows: CodedRows, role: str, kind: str) -> NDArray[Any]:
    whole = kind != "DOUBLE"
    if role not in rows.numbers:
        return np.full(len(rows.place), NOTHING if whole else np.nan)
    return np.asarray(rows.numbers[role], dtype=np.int64 if whole else np.float64)


def drop_rows(connection: duckdb.DuckDBPyConnection, parts: Sequence[int]) -> None:
    """Delete the rows of parts, and the names that no other rows have."""
    if not parts:
        return
    listed = ", ".join(str(int(part)) for part in parts)
    for relation in RELATIONS:
        connection.execute(f"DELETE FROM {relation} WHERE part IN ({listed})")
    for table in NAME_TABLES:
        used = [
            f"SELECT DISTINCT {quote(role)} FROM {relation} WHERE {quote(role)} IS NOT NULL"
            for relation, columns in RELATIONS.items()
            for role in columns_of(connection, relation).intersection(columns.labels)
            if name_table(role) == table
        ]
        listed = " UNION ".join(used) or "SELECT NULL WHERE false"
        connection.execute(f"DELETE FROM {table} WHERE id NOT IN ({listed})")


def _is_rising(parts: NDArray[Any], places: NDArray[Any]) -> bool:
    """Whether places rise within each part."""
    return bool(((np.diff(places) >= 0) | (np.diff(parts) > 0)).all())

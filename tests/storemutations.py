"""Stores, damaged as files are damaged, and changed by somebody who knows the engine."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
from mutations import PIECES, Case, mutate

# What stands for the store while it is changed; commands find it under this name.
STORE = "board.duckdb"

# Values as the engine writes them, for columns of any type: not all can be cast to every one.
VALUES = [
    "NULL", "0", "-1", "7", "127", "2147483647", "-2147483648", "9223372036854775807", "0.5",
    "'nan'", "'inf'", "'-inf'", "1e308", "''", "' '", "'x'", "'a'", "'../../etc/passwd'",
    "'scores'", "'votes'", "'[]'", "'{}'", "'[1]'", "'{\"a\": null}'", "repeat('9', 5000)",
    "repeat('[', 3000)", "chr(27) || '[31m'", "chr(8238)", "chr(0)", "'<script>'",
]  # fmt: skip
TYPES = ["VARCHAR", "INTEGER", "BIGINT", "DOUBLE", "BLOB", "BOOLEAN", "INTEGER[]", "DATE",
         "STRUCT(a INTEGER)", "HUGEINT"]  # fmt: skip
DEFINED = [
    "VIEW more AS SELECT 1", "VIEW more AS SELECT * FROM read_text('secret.txt')",
    "MACRO more(x) AS 1", "MACRO count(x) AS 1", "TABLE more (a INTEGER)", "SCHEMA more",
    "SEQUENCE more", "TYPE more AS ENUM ('a')",
]  # fmt: skip


def damage_bytes(path: Path, rng: random.Random) -> None:
    """Change some bytes of the file, or what lies beside it."""
    content = path.read_bytes()
    match rng.randrange(8):
        case 0:
            content = content[: rng.randrange(len(content))]
        case 1:  # the beginning, where the engine looks first
            at = rng.randrange(3 * 4096)
            content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
        case 2:  # one block in place of another
            one, two = (4096 * rng.randrange(len(content) // 4096) for _ in range(2))
            content = content[:one] + content[two : two + 4096] + content[one + 4096 :]
        case 3:
            journal = path.with_name(f"{path.name}.wal")
            journal.write_bytes(rng.choice((b"x", content[:500], *PIECES)))
        case _:
            content = mutate(Case(path.name, {path.name: content}), rng)
    path.write_bytes(content)


def change_catalogue(path: Path, rng: random.Random) -> None:
    """Something other than the tables of a store: views, macros, other columns and types."""
    _run(path, rng, _catalogue_changes)


def change_rows(path: Path, rng: random.Random) -> None:
    """The tables of a store, with other rows."""
    _run(path, rng, _row_changes)


def make_another(path: Path, rng: random.Random) -> None:
    """A database that never was a store, under its name."""
    path.unlink()
    kind = rng.randrange(4)
    options = f"BLOCK_SIZE {rng.choice((16384, 262144))}"
    if kind == 3:
        options += ", ENCRYPTION_KEY 'key'"
    with duckdb.connect() as connection:
        try:
            connection.execute(f"ATTACH '{path}' AS other ({options})")
        except duckdb.Error:  # an engine that encrypts nothing
            connection.execute(f"ATTACH '{path}' AS other")
        connection.execute("USE other")
        if kind > 0:
            connection.execute("CREATE TABLE meta AS SELECT 'schema' AS key, '4' AS value")
        if kind > 1:
            connection.execute("CREATE TABLE scores AS SELECT range AS part FROM range(9)")


Change = Callable[[str, str, str, random.Random], Iterator[str]]


def _run(path: Path, rng: random.Random, changes: Change) -> None:
    """Make one change, or a few; those that the engine refuses are left out."""
    with duckdb.connect(str(path)) as connection:
        done, most = 0, rng.choice((1, 1, 1, 3))
        for _ in range(100):
            columns = connection.execute(
                "SELECT table_name, column_name, data_type FROM duckdb_columns() "
                "WHERE NOT internal AND schema_name = 'main' ORDER BY ALL"
            ).fetchall()
            table, column, kind = rng.choice(columns)
            try:
                for command in changes(table, column, kind, rng):
                    connection.execute(command)
            except duckdb.Error:
                continue
            done += 1
            if done == most:
                return


def _catalogue_changes(table: str, column: str, kind: str, rng: random.Random) -> Iterator[str]:
    match rng.randrange(9):
        case 0:
            yield f"DROP TABLE {table}"
        case 1:  # the same columns, of another place or without end
            other = f"{table}_before"
            yield f"ALTER TABLE {table} RENAME TO {other}"
            source = rng.choice((other, f"{other}, range(2000000000)", "read_text('secret.txt')"))
            given = "*" if source == other else f"CAST(NULL AS {kind}) AS {column}"
            yield f"CREATE VIEW {table} AS SELECT {given} FROM {source}"
        case 2:
            yield f"ALTER TABLE {table} DROP {column}"
        case 3:
            yield f"ALTER TABLE {table} RENAME {column} TO {rng.choice(('more', 'score', 'id'))}"
        case 4:
            other = rng.choice(TYPES)
            yield f"ALTER TABLE {table} ALTER {column} TYPE {other} USING CAST(NULL AS {other})"
        case 5:
            yield f"ALTER TABLE {table} ADD {rng.choice(('more', 'model', 'fold'))} INTEGER"
        case 6:
            yield f"ALTER TABLE {table} ALTER {column} SET DEFAULT {rng.choice(VALUES)}"
        case 7:
            yield f"CREATE UNIQUE INDEX more ON {table} ({column})"
        case _:
            yield f"CREATE {rng.choice(DEFINED)}"


def _row_changes(table: str, column: str, kind: str, rng: random.Random) -> Iterator[str]:
    some = rng.choice(("true", "rowid = 0", "rowid % 3 = 1", "rowid = (SELECT max(rowid) FROM t)"))
    some = some.replace("FROM t)", f"FROM {table})")
    match rng.randrange(6):
        case 0:
            yield f"DELETE FROM {table} WHERE {some}"
        case 1:
            yield f"INSERT INTO {table} SELECT * FROM {table} WHERE {some}"
        case 2 if kind != "VARCHAR":
            more = rng.choice((-1, 1, 1000))
            yield f"UPDATE {table} SET {column} = {column} + {more} WHERE {some}"
        case 2:  # a text with something wrong in it
            place = rng.randrange(40)
            piece = rng.choice(('"', "[", "}", "9", "null", "", "é"))
            yield (
                f"UPDATE {table} SET {column} = left({column}, {place}) || '{piece}' || "
                f"substr({column}, {place + rng.randrange(3)}) WHERE {some}"
            )
        case _:
            yield f"UPDATE {table} SET {column} = {rng.choice(VALUES)} WHERE {some}"

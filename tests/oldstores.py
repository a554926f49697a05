"""Stores as older versions made them."""

from __future__ import annotations

import json
from pathlib import Path

from rankbars.store.access import open_store
from rankbars.store.opening import connect

LABELS, NUMBERS = ("model", "task", "item", "cluster"), ("score", "weight")


def turn_into_schema_2(path: str) -> None:
    """Files were told by where links led."""
    with connect(Path(path), path, write=True) as connection:
        connection.execute("UPDATE files SET place = target")
        connection.execute("ALTER TABLE files DROP COLUMN target")
        connection.execute("DELETE FROM meta WHERE key = 'revision'")
        connection.execute("UPDATE meta SET value = '2' WHERE key = 'schema'")


def turn_into_schema_1(path: str) -> None:
    """Rows in a table of rows, names as numbers of a table of names."""
    with open_store(path, "0") as store:
        tables = [piece.frames["scores"] for file in store.files() for piece in file.pieces]
        rows = [
            (
                piece,
                block.row_number(i),
                {
                    role: table.names[role][codes[i]] if codes[i] >= 0 else None
                    for role, codes in block.labels.items()
                },
                {role: float(cells[i]) for role, cells in block.numbers.items()},
            )
            for piece, table in enumerate(tables)
            for block in table.read_blocks(None)
            for i in range(block.rows)
        ]
        heads = [
            {
                "scores": [
                    list(table.names), [role for role in NUMBERS if any(
                        role in block.numbers for block in table.read_blocks(None)
                    )],
                    table.rows, any(block.is_matrix for block in table.read_blocks(None)),
                    next(block.source for block in table.read_blocks(None)),
                ]
            }
            for table in tables
        ]  # fmt: skip
    names = sorted({name for row in rows for name in row[2].values() if name is not None})
    with connect(Path(path), path, write=True) as connection:
        columns = [f'"{role}" INTEGER' for role in LABELS] + [f'"{one}" DOUBLE' for one in NUMBERS]
        connection.execute("CREATE TABLE names (id INTEGER, name VARCHAR)")
        connection.executemany("INSERT INTO names VALUES (?, ?)", list(enumerate(names)))
        connection.execute(
            f"CREATE TABLE rows_scores (piece INTEGER, row BIGINT, {', '.join(columns)})"
        )
        for piece, number, labels, numbers in rows:
            codes = [
                None if labels.get(role) is None else names.index(str(labels[role]))
                for role in LABELS
            ]
            cells = [None if (x := numbers.get(role)) is None or x != x else x for role in NUMBERS]
            connection.execute(
                f"INSERT INTO rows_scores VALUES ({', '.join('?' * 8)})",
                [piece, number, *codes, *cells],
            )
        for piece, head in enumerate(heads):
            connection.execute(
                "UPDATE pieces SET frames = ? WHERE id = ?", [json.dumps(head), piece]
            )
        for table in ("columns", "pair_tasks", "pair_cells"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("CREATE TABLE pairs (task VARCHAR, digest VARCHAR, entry BLOB)")
        connection.execute("ALTER TABLE files DROP COLUMN target")
        connection.execute("UPDATE meta SET value = '1' WHERE key = 'schema'")


def turn_into_schema_0(path: str) -> None:
    """No statistics of pairs, and a history without versions."""
    turn_into_schema_1(path)
    with connect(Path(path), path, write=True) as connection:
        connection.execute("DROP TABLE pairs")
        connection.execute("ALTER TABLE events DROP COLUMN version")
        connection.execute("UPDATE meta SET value = '0' WHERE key = 'schema'")

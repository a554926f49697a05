"""Rows come back as they were; a store has the columns and names that it needs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storefiles import add, assert_equals_files, inside, remove
from strategies import FEWER
from tablefiles import csv_text

from rankbars.store.opening import StoreEngine, connect
from rankbars.store.rows import Coded, CodedRows, code_texts, put_rows
from rankbars.store.schema import RELATIONS, create_tables
from rankbars.store.storedrows import StoredRows
from rankbars.tables.columns import NUMBER_ROLES, ROLES

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3)
NUMBERS = st.one_of(st.floats(allow_nan=True), st.sampled_from([0.0, -0.0, 1.0, 0.1]))


def keep(*parts: dict[str, CodedRows]) -> dict[int, dict[str, CodedRows]]:
    """The rows of parts as a store gives them back."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "board.duckdb"
        with connect(path, "board", write=True) as connection:
            create_tables(connection)
            put_rows(connection, list(enumerate(parts)))
        heads = {
            number: {relation: rows.head for relation, rows in part.items()}
            for number, part in enumerate(parts)
        }
        with connect(path, "board", write=False) as connection:
            return StoredRows(StoreEngine(connection, "board"), heads).of_parts(heads)


@FEWER
@given(st.lists(st.tuples(TEXTS, st.none() | TEXTS, NUMBERS), min_size=1, max_size=40))
def test_rows_come_back_as_they_were(rows: list[tuple[str, str | None, float]]) -> None:
    items, clusters, values = zip(*rows, strict=True)
    given_ = np.array(values)
    part = CodedRows(
        np.arange(len(rows)),
        {"item": code_texts(items), "cluster": code_texts(clusters)},
        {"score": given_, "print": np.arange(len(rows)) - 2**62},
    )
    other = CodedRows(np.arange(2), {"item": code_texts("ab")}, {"weight": np.array([1.0, 2.0])})
    found = keep({"scores": part}, {"scores": other})
    kept = found[0]["scores"]
    assert kept.texts("item") == items
    assert kept.texts("cluster") == clusters
    assert kept.numbers["print"].tolist() == part.numbers["print"].tolist()
    # To the last bit; but older versions of the database forget the sign of a zero.
    np.testing.assert_array_equal(kept.numbers["score"], given_)
    assert found[1]["scores"].texts("item") == ("a", "b")


def test_rows_that_do_not_stand_in_order_are_put_in_order() -> None:
    part = CodedRows(
        np.array([3, 1, 2]), {"name": Coded(("x", "y", "z"), np.arange(3))},
        {"value": np.array([3.0, 1.0, 2.0])},
    )  # fmt: skip
    kept = keep({"numbers": part})[0]["numbers"]
    assert kept.texts("name") == ("y", "z", "x")
    assert kept.numbers["value"].tolist() == [1.0, 2.0, 3.0]


def test_every_role_of_a_table_has_its_column() -> None:
    columns = RELATIONS["scores"]
    assert set(ROLES) <= {*columns.labels, *columns.numbers}
    assert set(NUMBER_ROLES) <= set(RELATIONS["estimates"].numbers)


def columns_of(relation: str) -> list[str]:
    with connect(Path("board.duckdb"), "board", write=False) as connection:
        return [row[0] for row in connection.execute(f"DESCRIBE {relation}").fetchall()]


def test_a_relation_has_the_columns_that_its_rows_need(tmp_path: Path) -> None:
    with inside(tmp_path):
        for name in "ab":
            columns: dict[str, list[Any]] = {
                "task": ["t"] * 9, "item": list(range(9)), "score": [ord(name) % 7] * 9,
            }  # fmt: skip
            Path(f"{name}.csv").write_text(csv_text(columns), encoding="utf-8")
        add("a.csv")
        assert columns_of("scores") == ["part", "place", "task", "item", "score"]
        assert columns_of("estimates") == ["part", "place"]
        Path("b.csv").write_text(csv_text({**columns, "cluster": ["p"] * 9}), encoding="utf-8")
        add("b.csv")
        assert columns_of("scores") == ["part", "place", "task", "item", "score", "cluster"]


def test_names_of_removed_files_are_gone(tmp_path: Path) -> None:
    with inside(tmp_path):
        for name in "ab":
            columns: dict[str, list[Any]] = {
                "task": [name] * 3, "item": [f"{name}{n}" for n in range(3)], "score": [1, 0, 1],
            }  # fmt: skip
            Path(f"{name}.csv").write_text(csv_text(columns), encoding="utf-8")
        add("a.csv", "b.csv")
        remove("a.csv")
        with connect(Path("board.duckdb"), "board", write=False) as connection:
            names = connection.execute("SELECT name FROM items ORDER BY name").fetchall()
        assert names == [("b0",), ("b1",), ("b2",)]
        assert_equals_files(["b.csv"])
        add("a.csv")
        assert_equals_files(["a.csv", "b.csv"])


def test_a_store_holds_what_others_can_ask_for(tmp_path: Path) -> None:
    """The relations are plain tables."""
    with inside(tmp_path):
        columns = {"model": ["x", "y"] * 2, "task": ["t"] * 4, "item": [1, 1, 2, 2],
                   "score": [1, 0.5, 0, 0.25]}  # fmt: skip
        Path("a.csv").write_text(csv_text(columns), encoding="utf-8")
        add("a.csv")
        with duckdb.connect("board.duckdb", read_only=True) as connection:
            means = connection.execute(
                "SELECT m.name, avg(score) FROM scores JOIN models AS m ON model = m.id "
                "GROUP BY ALL ORDER BY ALL"
            ).fetchall()
        assert means == [("x", 0.5), ("y", 0.375)]


def test_a_table_that_is_read_in_blocks_is_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankbars.tables.unitedrows.BLOCK_ROWS", 4)
    with inside(tmp_path):
        duckdb.sql(
            "COPY (SELECT 'm' || (i % 2) AS model, 't' AS task, 'q' || (i // 2) AS item, "
            "i % 3 AS score FROM range(20) AS one(i)) TO 'big.parquet'"
        )
        add("big.parquet")
        assert_equals_files(["big.parquet"])

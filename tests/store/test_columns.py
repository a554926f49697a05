"""Columns come back with all their bits, and equal ones are kept once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storefiles import add, assert_equals_files, inside
from tablefiles import csv_text

from rankbars.store.bytecolumns import decode, decode_names, encode, encode_names
from rankbars.store.opening import connect

DECIMALS = st.integers(-(10**9), 10**9).flatmap(
    lambda whole: st.integers(0, 7).map(lambda digits: whole / 10**digits)
)


@given(st.lists(st.one_of(st.floats(), DECIMALS, st.sampled_from([0.0, -0.0, 1.0])), max_size=80))
def test_floats_come_back_with_all_their_bits(values: list[float]) -> None:
    given_ = np.array(values)
    found = decode(encode(given_))
    assert found.dtype == np.float64
    empty = np.isnan(given_)
    assert (np.isnan(found) == empty).all()
    assert (found[~empty].view(np.int64) == given_[~empty].view(np.int64)).all()


@given(st.lists(st.integers(-(2**62), 2**62), max_size=30), st.sampled_from([0, 20, 40, 55]))
def test_whole_numbers_come_back(values: list[int], shift: int) -> None:
    given_ = np.array(values, dtype=np.int64) >> shift
    assert decode(encode(given_)).tolist() == given_.tolist()


def test_one_number_for_all_rows_is_kept_as_one() -> None:
    given_ = np.broadcast_to(np.zeros(1, np.int32), (10**9,))
    found = decode(encode(given_))
    assert found.shape == given_.shape
    assert found.strides == (0,)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_names_come_back(names: list[str]) -> None:
    assert decode_names(encode_names(names)) == tuple(names)


def test_columns_that_files_share_are_kept_once(tmp_path: Path) -> None:
    with inside(tmp_path):
        for name in "abc":
            columns: dict[str, list[Any]] = {
                "task": ["t"] * 9, "item": list(range(9)), "score": [ord(name) % 7] * 9,
            }  # fmt: skip
            Path(f"{name}.csv").write_text(csv_text(columns), encoding="utf-8")
        add("a.csv")
        with connect(Path("board.duckdb"), "board", write=False) as connection:
            before = connection.execute("SELECT count(*) FROM columns").fetchall()[0][0]
        add("b.csv", "c.csv")
        with connect(Path("board.duckdb"), "board", write=False) as connection:
            after = connection.execute("SELECT count(*) FROM columns").fetchall()[0][0]
        # Only their scores differ: the names and codes of tasks and items are there.
        assert after == before + 2


def test_a_table_that_is_read_in_blocks_is_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankbars.tables.cleanrows.BLOCK_ROWS", 4)
    with inside(tmp_path):
        duckdb.sql(
            "COPY (SELECT 'm' || (i % 2) AS model, 't' AS task, 'q' || (i // 2) AS item, "
            "i % 3 AS score FROM range(20) AS one(i)) TO 'big.parquet'"
        )
        add("big.parquet")
        assert_equals_files(["big.parquet"])

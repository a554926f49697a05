"""Stores are written so that older engines open them, and say so when a newer engine wrote them."""

from pathlib import Path

import duckdb
import pytest

from rankbars.errors import ReadError
from rankbars.store.access import open_store
from rankbars.store.holdings import Change
from rankbars.store.opening import report_faults

# Number of the file format that every engine from 1.2 on writes and reads.
OLDEST_FORMAT = 65


def test_a_new_store_has_the_oldest_file_format_that_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "board.duckdb"
    with open_store(path, write=True, create=True) as store:
        store.apply(Change.of())
    head = path.read_bytes()[:20]
    assert head[8:12] == b"DUCK"
    assert int.from_bytes(head[12:20], "little") == OLDEST_FORMAT


def test_writing_to_a_store_keeps_its_file_format(tmp_path: Path) -> None:
    path = tmp_path / "board.duckdb"
    for _ in range(2):
        with open_store(path, write=True, create=True) as store:
            store.apply(Change.of())
    assert int.from_bytes(path.read_bytes()[12:20], "little") == OLDEST_FORMAT


def test_a_store_of_a_newer_engine_is_called_that() -> None:
    said = (
        "Trying to read a database file with version number 999, but we can only read version 64."
    )
    newer = pytest.raises(ReadError, match="newer version of DuckDB wrote the store")
    with newer as caught, report_faults("board.duckdb"):
        raise duckdb.IOException(f"IO Error: {said}")
    assert "pip install --upgrade duckdb" in str(caught.value)
    assert "damaged" not in str(caught.value)

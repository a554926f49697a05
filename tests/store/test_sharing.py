"""Several processes use one store: everybody gets in, and nobody is refused for long."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from storefiles import add, assert_equals_files, held, inside
from tablefiles import csv_text

from rankbars.cli.app import run
from rankbars.readers import collecting
from rankbars.store.access import change_store, open_store
from rankbars.store.holdings import Change, Holdings
from rankbars.store.opening import ChangedError, draft_beside

CLI = "import sys; from rankbars.cli.app import run; sys.exit(run(sys.argv[1:]))"


def write(name: str, value: float = 0.5) -> None:
    columns: dict[str, list[Any]] = {
        "task": ["t"] * 5, "item": list(range(5)), "score": [value, 1, 0, 1, 0],
    }  # fmt: skip
    Path(name).write_text(csv_text(columns), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(("exists", "adds"), [(True, 3), (False, 6)])
def test_adds_at_once_all_get_in(exists: bool, adds: int, tmp_path: Path) -> None:
    names = [f"{name}.csv" for name in "abcdef"[:adds]]
    with inside(tmp_path):
        for place, name in enumerate(names):
            write(name, place / 8)
        if exists:
            write("first.csv", 0.9)
            add("first.csv")
        started = [
            subprocess.Popen(
                [sys.executable, "-c", CLI, "add", name, "--store", "board.duckdb", "-q"],
                stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            for name in names
        ]  # fmt: skip
        for one in started:
            _, said = one.communicate(timeout=120)
            assert one.returncode == 0, said
        assert_equals_files([*names, *(["first.csv"] if exists else [])])


@pytest.mark.parametrize("exists", [True, False])
def test_a_store_is_free_while_files_are_read_for_it(
    exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ranks it and adds to it meanwhile; both changes count."""
    with inside(tmp_path):
        for name in ("a.csv", "b.csv", "c.csv"):
            write(name)
        if exists:
            add("a.csv")
        read_parts, others = collecting.read_parts, iter(["b.csv"])

        def read_slowly(*given: Any) -> Any:
            for other in others:
                for words in ([["log", "board.duckdb"]] if exists else []) + [
                    ["add", other, "--store", "board.duckdb", "-q"]
                ]:
                    done = subprocess.run([sys.executable, "-c", CLI, *words], check=False)
                    assert done.returncode == 0
            return read_parts(*given)

        monkeypatch.setattr(collecting, "read_parts", read_slowly)
        add("c.csv")
        assert_equals_files([*(["a.csv"] if exists else []), "b.csv", "c.csv"])


def test_what_another_has_added_meanwhile_is_checked_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(tmp_path):
        for name in ("a.csv", "b.csv"):
            columns = {"model": ["x", "y"], "task": ["t"] * 2, "item": [1, 1], "score": [0.5, 1]}
            Path(name).write_text(csv_text(columns), encoding="utf-8")
        write("other.csv")
        add("other.csv")
        read_parts, others = collecting.read_parts, iter(["b.csv"])

        def read_slowly(*given: Any) -> Any:
            for other in others:
                add(other)
            return read_parts(*given)

        monkeypatch.setattr(collecting, "read_parts", read_slowly)
        assert run(["add", "a.csv", "--store", "board.duckdb"]) == 1
        assert "b.csv" in capsys.readouterr().err
        assert [entry.path for entry in held().inputs] == ["b.csv", "other.csv"]


def test_who_is_always_too_late_holds_the_store_in_the_end(tmp_path: Path) -> None:
    with inside(tmp_path):
        write("a.csv")
        add("a.csv")
        seen: list[str] = []

        def plan(held: Holdings) -> Change:
            assert len(seen) < 10
            seen.append(held.revision)
            if len(seen) < 5:  # the fifth time nobody else can get in
                with open_store("board.duckdb", write=True) as store:
                    store.apply(Change.of())
            return Change.of(gone=held.entries)

        assert [event.action for event in change_store("board.duckdb", plan)] == ["removed"]
        assert len(seen) == len(set(seen)) == 5


def test_a_store_that_another_has_made_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "board.duckdb"
    with pytest.raises(ChangedError, match="another process made"), draft_beside(target, "b"):
        target.write_bytes(b"theirs")
    assert target.read_bytes() == b"theirs"


def test_nothing_is_written_where_nothing_has_changed(tmp_path: Path) -> None:
    with inside(tmp_path):
        write("a.csv")
        add("a.csv")
        before = Path("board.duckdb").read_bytes()
        Path("board.duckdb").chmod(0o444)
        add("a.csv")
        assert Path("board.duckdb").read_bytes() == before

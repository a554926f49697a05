"""Whatever goes wrong, a store is as it was or as it was to become, and the user is told."""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from storefiles import add, assert_equals_files, held, inside
from tablefiles import assert_same, csv_text

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.drafts import OWN_AGE, draft_path
from rankbars.errors import RankbarsError
from rankbars.store import opening
from rankbars.store.opening import connect
from rankbars.store.schema import SCHEMA

TESTS = Path(__file__).parent.parent


def write(folder: Path, name: str, rows: int = 20) -> None:
    scores = np.random.default_rng(len(name)).random(rows).round(3).tolist()
    columns: dict[str, list[Any]] = {
        "task": ["t"] * rows, "item": [f"item {i:05d}" for i in range(rows)], "score": scores,
    }  # fmt: skip
    (folder / name).write_text(csv_text(columns), encoding="utf-8")


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Path]:
    for name in ("a.csv", "bb.csv", "ccc.csv"):
        write(tmp_path, name)
    with inside(tmp_path):
        add("a.csv", "bb.csv")
        yield tmp_path


def kill(folder: Path, tries: int, seed: int) -> str:
    done = subprocess.run(
        [sys.executable, TESTS / "store" / "killing.py", folder, str(tries), str(seed)],
        env={**os.environ, "PYTHONPATH": str(TESTS), "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()[-1]


def test_a_process_killed_at_any_moment_leaves_the_old_or_the_new_state(tmp_path: Path) -> None:
    said = kill(tmp_path, 6, 1)
    assert said.startswith("6 tries")
    assert all(f"'{what}': 0" not in said for what in ("add", "rank", "report"))


@pytest.mark.soak
def test_a_process_killed_often_leaves_the_old_or_the_new_state(tmp_path: Path) -> None:
    assert kill(tmp_path, 200, 2).startswith("200 tries")


@contextmanager
def held_by_another(path: str, seconds: float) -> Iterator[int]:
    """Another process that has the store open for writing; gives its number."""
    code = (
        "import duckdb, sys, time; c = duckdb.connect(sys.argv[1]); print('open', flush=True); "
        "time.sleep(float(sys.argv[2])); c.close()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, path, str(seconds)], stdout=subprocess.PIPE
    ) as other:
        if other.stdout is not None:
            other.stdout.readline()
        try:
            yield other.pid
        finally:
            other.kill()


def test_a_second_writer_waits_for_the_first(filled: Path) -> None:
    with held_by_another("board.duckdb", 0.5):
        add("ccc.csv")
    assert_equals_files(["a.csv", "bb.csv", "ccc.csv"])


def test_a_second_writer_is_told_who_holds_the_store(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(opening, "PATIENCE", 0.3)
    with held_by_another("board.duckdb", 60.0) as process:
        assert run(["add", "ccc.csv", "--store", "board.duckdb"]) == 1
        assert f"process {process} is using the store" in capsys.readouterr().err
    assert_equals_files(["a.csv", "bb.csv"])


def add_with_room_for(room: int, name: str, store: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from rankbars.cli.app import run; sys.exit(run(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, "add", name, "--store", store],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_full_disk_leaves_the_store_as_it_was(filled: Path) -> None:
    write(filled, "large.csv", 60_000)
    done = add_with_room_for(
        Path("board.duckdb").stat().st_size + 100_000, "large.csv", "board.duckdb"
    )
    assert done.returncode == 1, done.stderr
    assert "cannot write to the store" in done.stderr
    assert "Traceback" not in done.stderr
    assert_equals_files(["a.csv", "bb.csv"])
    add("ccc.csv")
    assert_equals_files(["a.csv", "bb.csv", "ccc.csv"])


def test_no_store_is_made_where_its_journal_fits_and_itself_does_not(filled: Path) -> None:
    write(filled, "large.csv", 3_000)
    done = add_with_room_for(150_000, "large.csv", "new.duckdb")
    assert done.returncode == 1, done.stdout
    assert "new.duckdb: there is too little room for it." in done.stderr
    assert not [*filled.glob("*new.duckdb*")]


def test_a_folder_that_cannot_be_written_is_said(
    filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Nobody can make files there, not even root.
    for store, what in (("/proc/board.duckdb", "/proc/board.duckdb"), ("no/board.duckdb", "exist")):
        assert run(["add", "a.csv", "--store", store]) == 1
        said = capsys.readouterr().err
        assert what in said
        assert "Traceback" not in said


def test_a_store_of_a_newer_version_is_refused(
    filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with connect(Path("board.duckdb"), "board", write=True) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", [str(SCHEMA + 1)])
        connection.execute("UPDATE meta SET value = '99.0' WHERE key = 'rankbars'")
    before = Path("board.duckdb").read_bytes()
    for words in (["rank", "board.duckdb"], ["add", "ccc.csv", "--store", "board.duckdb"]):
        assert run(words) == 1
        said = capsys.readouterr().err
        assert "made by rankbars 99.0" in said
        assert "Update rankbars" in said
    assert Path("board.duckdb").read_bytes() == before


@pytest.mark.parametrize("schema", [0, 1])
def test_an_older_store_is_brought_up_to_date_and_copied(schema: int, tmp_path: Path) -> None:
    stores = TESTS / "data" / "stores"
    shutil.copy(stores / "old.csv", tmp_path)
    old = gzip.decompress((stores / f"old.schema{schema}.duckdb.gz").read_bytes())
    (tmp_path / "board.duckdb").write_bytes(old)
    with inside(tmp_path):
        assert run(["rank", "board.duckdb", "-q", "-o", "board.json", "--missing", "listwise"]) == 0
        assert json.loads(Path("board.json").read_bytes())["models"] == ["x", "y"]
        assert Path(f"board.duckdb.schema{schema}.bak").read_bytes() == old
        assert_equals_files(["old.csv"])
        assert run(["log", "board.duckdb"]) == 0
        more = {
            "model": ["z", "z"], "task": ["t", "t"], "item": [10, 9], "score": [1, 1],
            "cluster": ["p", "q"], "weight": [1, 2],
        }  # fmt: skip
        Path("more.csv").write_text(csv_text(more), encoding="utf-8")
        add("more.csv")
        assert held().models == ("x", "y", "z")
        assert_equals_files(["more.csv", "old.csv"])


def test_another_database_is_no_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with inside(tmp_path):
        with connect(Path("other.duckdb"), "other", write=True) as connection:
            connection.execute("CREATE TABLE results (a INTEGER)")
        assert run(["rank", "other.duckdb"]) == 1
        assert "no store of rankbars" in capsys.readouterr().err


def test_damaged_pages_are_reported_and_never_used(tmp_path: Path) -> None:
    for name in ("a.csv", "bb.csv"):
        write(tmp_path, name, 3000)
    with inside(tmp_path):
        add("a.csv", "bb.csv")
        sound, expected = Path("board.duckdb").read_bytes(), held()
        random = np.random.default_rng(3)
        found = 0
        for place in random.integers(0, len(sound), 25).tolist():
            damaged = bytearray(sound)
            damaged[place] ^= 0x55
            Path("board.duckdb").write_bytes(damaged)
            fault = fault_of(expected)
            assert fault is None or "board.duckdb" in fault
            found += fault is not None
        assert found


def fault_of(expected: rb.Scores) -> str | None:
    """What is said about a store; None if it holds what is expected."""
    try:
        assert_same(held(), expected)
    except RankbarsError as error:
        return str(error)
    return None


def test_a_store_cut_off_is_reported(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = Path("board.duckdb").read_bytes()
    for size in (0, 100, 5000, len(whole) // 2):
        Path("board.duckdb").write_bytes(whole[:size])
        assert run(["log", "board.duckdb"]) == 1
        assert "board.duckdb" in capsys.readouterr().err


def test_old_drafts_of_killed_processes_are_swept_away(tmp_path: Path) -> None:
    write(tmp_path, "a.csv")
    old, fresh = (draft_path(tmp_path / "board.duckdb") for _ in range(2))
    for draft in (old, fresh):
        draft.write_bytes(b"half")
        draft.with_name(f"{draft.name}.wal").write_bytes(b"half")
    before = time.time() - OWN_AGE - 60
    for part in (old, old.with_name(f"{old.name}.wal")):
        os.utime(part, (before, before))
    with inside(tmp_path):
        add("a.csv")
        found = sorted(path.name for path in tmp_path.glob(".board*"))
        assert found == [fresh.name, f"{fresh.name}.wal"]
        assert_equals_files(["a.csv"])
    assert rb.read(str(tmp_path / "a.csv")).models == ("a",)


def test_a_damaged_store_is_not_taken_for_one_that_is_held(
    filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = Path("board.duckdb").read_bytes()
    # A header of the file, both headers of the database, and the first block after them.
    for place in (100, 4096, 8200, 12300):
        damaged = bytearray(sound)
        damaged[place] ^= 1
        Path("board.duckdb").write_bytes(damaged)
        if run(["log", "board.duckdb"]):
            said = capsys.readouterr().err
            assert "damaged" in said
            assert "using the store" not in said
    assert run(["log", "board.duckdb"]) == 1


def test_names_of_files_do_not_tell_what_is_wrong(
    filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = bytearray(Path("board.duckdb").read_bytes())
    damaged[12300] ^= 1
    name = "Could not set lock on file, no permission to write.duckdb"
    Path(name).write_bytes(damaged)
    assert run(["log", name]) == 1
    assert "the store is damaged" in capsys.readouterr().err


def test_a_table_that_begins_like_a_store_is_a_table(tmp_path: Path) -> None:
    with inside(tmp_path):
        Path("ducks.csv").write_text("model,t_DUCK\nx,0.5\ny,0.75\n")
        assert Path("ducks.csv").read_bytes()[8:12] == b"DUCK"
        assert not opening.is_store("ducks.csv")
        assert run(["rank", "ducks.csv", "-q"]) == 0
        add("ducks.csv")
        assert opening.is_store("board.duckdb")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE parts SET rows = '{}'",
        "UPDATE parts SET rows = ''",
        "UPDATE parts SET rows = '{\"scores\": [1]}'",
        "UPDATE parts SET rows = replace(rows, '20', '19')",
        "UPDATE parts SET rows = replace(rows, 'item', 'fold')",
        "UPDATE parts SET facts = '{}'",
        "UPDATE parts SET facts = '[]'",
        'UPDATE parts SET facts = replace(facts, \'"source": "bb.csv"\', \'"source": []\')',
        "UPDATE parts SET kind = 'other'",
        "UPDATE parts SET id = id + 1",
        "UPDATE sources SET notes = '[1]'",
        "DELETE FROM scores WHERE place = 2",
        "INSERT INTO scores SELECT * FROM scores WHERE place = 2",
        "UPDATE scores SET item = 1000000 WHERE place = 2",
        "UPDATE scores SET item = -1 WHERE place = 2",
        "DELETE FROM items WHERE id = 3",
        "UPDATE items SET id = 4 WHERE id = 3",
        "UPDATE items SET name = NULL WHERE id = 3",
        "UPDATE tasks SET id = NULL",
        "UPDATE meta SET value = '[]' WHERE key = 'options'",
        "UPDATE meta SET value = '{' WHERE key = 'options'",
        "UPDATE meta SET value = '{\"other\": 1}' WHERE key = 'options'",
        "UPDATE meta SET value = repeat('9', 5000) WHERE key = 'schema'",
        "UPDATE meta SET value = '٢' WHERE key = 'schema'",
    ],
)
def test_rows_that_somebody_else_has_changed_are_reported(
    change: str, filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with connect(Path("board.duckdb"), "board", write=True) as connection:
        connection.execute(change)
    assert run(["rank", "board.duckdb", "-q"]) == 1
    said = capsys.readouterr().err
    assert any(word in said for word in ("damaged", "no store", "not known here"))
    assert run(["log", "board.duckdb"]) in (0, 1)


def test_what_a_killed_process_left_beside_a_store_is_put_in_where_nothing_else_is_to_do(
    filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leave_beside("DELETE FROM events WHERE number = 1")
    assert opening.find_rest("board.duckdb") is not None
    add("a.csv", "bb.csv")
    assert "beside the store" not in capsys.readouterr().err
    assert opening.find_rest("board.duckdb") is None
    assert_equals_files(["a.csv", "bb.csv"])


def leave_beside(change: str) -> None:
    """A change as the engine leaves it where it is kept, and not put into the store."""
    code = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); "
        "c.execute('PRAGMA disable_checkpoint_on_shutdown'); c.execute(sys.argv[2]); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, "board.duckdb", change], check=True)


def test_changes_that_lie_beside_a_store_are_told(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # What the engine leaves where there is no room to put it into the store.
    leave_beside("DELETE FROM events WHERE number = 1")
    rest = opening.find_rest("board.duckdb")
    assert rest is not None
    assert rest.name == "board.duckdb.wal"
    assert_equals_files(["a.csv", "bb.csv"])
    monkeypatch.setattr("rankbars.store.opening.find_rest", lambda path: rest)
    add("ccc.csv")
    said = capsys.readouterr().err
    assert "in board.duckdb.wal beside the store" in said
    monkeypatch.undo()
    assert opening.find_rest("board.duckdb") is None
    assert_equals_files(["a.csv", "bb.csv", "ccc.csv"])

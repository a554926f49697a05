"""Reads without limits share a database, and nothing that is in it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pytest

import rankbars as rb
from rankbars.tables import database
from rankbars.tables.database import Engine, Glance

MIB = 2**20
NUMBERS = {"n": np.arange(3)}


def limit_of(engine: Engine) -> str:
    ((limit,),) = engine.ask("SELECT current_setting('memory_limit')")
    return str(limit)


@pytest.mark.parametrize("kind", [Engine, Glance])
def test_tables_are_seen_by_no_other_read_and_go_with_theirs(kind: type[Engine]) -> None:
    with kind() as one, kind() as other:
        table = one.put(NUMBERS)
        assert one.ask(f"SELECT sum(n) FROM {table}") == [(3,)]
        with pytest.raises(duckdb.CatalogException, match="does not exist"):
            other.ask(f"FROM {table}")
    with kind() as later:
        assert later.ask("SELECT count(*) FROM duckdb_tables()") == [(0,)]


@pytest.mark.parametrize("by_reference", [False, True])
def test_a_file_in_the_place_of_one_of_its_size_and_time_is_read_itself(
    by_reference: bool, tmp_path: Path
) -> None:
    path, made = tmp_path / "results.parquet", tmp_path / "made.parquet"
    then = time.time() - 3600

    def read(better: str, worse: str) -> list[float]:
        with duckdb.connect() as connection:
            connection.execute(
                f"COPY (SELECT m AS model, 't' AS task, i AS item, 2.0 + m AS {better}, 1.0 - m AS "
                f"{worse} FROM range(2) AS a(m), range(9) AS b(i)) TO '{made}' (FORMAT parquet)"
            )
        path.write_bytes(made.read_bytes())
        os.utime(path, (then, then))
        scores = rb.read(
            path, columns={"score": "s1"}, direction="higher", by_reference=by_reference
        )
        return scores.tasks["t"].values[0].tolist()

    assert read("s1", "s2") == [2.0, 3.0]
    size = path.stat().st_size
    assert read("s2", "s1") == [1.0, 0.0]
    assert path.stat().st_size == size


def test_limits_are_those_of_one_read() -> None:
    with Engine() as plain, Engine(memory=64 * MIB, threads=1) as limited:
        assert limit_of(limited) == "64.0 MiB" != limit_of(plain)
        assert limited.ask("SELECT current_setting('threads')") == [(1,)]


def test_large_tables_without_a_limit_have_a_folder_to_go_to() -> None:
    with Engine() as engine, Glance() as glance:
        ((folder,),) = engine.ask("SELECT current_setting('temp_directory')")
        assert Path(folder).is_dir()
        assert glance.ask("SELECT current_setting('temp_directory')") == [("",)]


def test_nothing_is_installed_or_loaded_by_itself() -> None:
    names = "autoinstall_known_extensions", "autoload_known_extensions"
    asked = ", ".join(f"current_setting('{name}')" for name in names)
    for engine in (Engine(), Glance(), Engine(memory=64 * MIB)):
        with engine:
            assert engine.ask(f"SELECT {asked}") == [(False, False)]


def test_a_database_that_a_fault_ended_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ended:
        def connect(self) -> None:
            raise duckdb.FatalException("database has been invalidated")

    sound = database._shared(Engine)
    answers = iter([Ended(), Ended(), sound, sound])

    def next_one(kind: type[Engine]) -> object:
        return next(answers)

    next_one.cache_clear = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setattr(database, "_shared", next_one)
    with Engine() as engine:
        assert engine.ask("SELECT 1") == [(1,)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only some systems fork")
def test_a_process_that_was_forked_off_reads_and_ends() -> None:
    program = """\
import os
from pathlib import Path
import duckdb
from rankbars.tables.database import Engine

def folder():
    with Engine() as engine:
        return engine.ask("SELECT current_setting('temp_directory')")[0][0]

print(folder(), flush=True)
child = os.fork()
place = folder()
assert Path(place).is_dir()
if child:
    assert os.waitpid(child, 0)[1] == 0
    assert Path(place).is_dir() and folder() == place
    print(place)
elif duckdb.__version__ < "2":
    # Importing it opened a database, whose threads an ordinary end would wait for. Processes of
    # multiprocessing end like this, too.
    os._exit(0)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    first, second = ran.stdout.split()
    assert not Path(first).exists()
    assert not Path(second).exists()


def test_reads_of_many_threads_find_one_database_and_its_folder_though_one_forks() -> None:
    program = """\
import os
import threading
from pathlib import Path
from rankbars.tables.database import Engine

folders, ready, go = [], threading.Barrier(5), threading.Event()

def read():
    ready.wait()
    with Engine() as engine:
        folders.append(engine.ask("SELECT current_setting('temp_directory')")[0][0])
        go.wait()
        assert Path(folders[-1]).is_dir()
        engine.run("CREATE TEMP TABLE t AS SELECT range AS n FROM range(10)")

threads = [threading.Thread(target=read) for _ in range(4)]
for thread in threads:
    thread.start()
ready.wait()
while len(folders) < 4:
    pass
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
go.set()
for thread in threads:
    thread.join()
print(len(set(folders)))
"""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("1\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only some systems fork")
@pytest.mark.parametrize("closed", [True, False])
def test_a_forked_process_collects_no_database_of_its_parent(closed: bool) -> None:
    program = f"""\
import gc
import os
from rankbars.tables.database import Engine

gc.disable()

def leave_a_circle():
    engine = Engine()
    engine.run("CREATE TEMP TABLE t AS SELECT range AS n FROM range(100000)")
    if {closed}:
        engine.close()
    engine.itself = engine

for _ in range(3):
    leave_a_circle()
    child = os.fork()
    if child == 0:
        gc.collect()
        with Engine() as engine:
            assert engine.ask("SELECT 1") == [(1,)]
        os._exit(0)
    print(os.waitpid(child, 0)[1])
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.split() == ["0", "0", "0"]


@pytest.mark.parametrize(("rows", "kept"), [(1_000, True), (8_000_000, False)])
def test_a_database_that_held_much_is_not_kept_with_its_memory(rows: int, kept: bool) -> None:
    database._shared.cache_clear()
    with Engine() as engine:
        engine.run(f"CREATE TEMP TABLE t AS SELECT random() AS n FROM range({rows})")
    assert bool(database._shared.cache_info().currsize) == kept


def test_a_large_database_may_be_left_while_another_is_looked_up() -> None:
    program = """\
import faulthandler
import rankbars as rb
from rankbars.tables import database

faulthandler.dump_traceback_later(30, exit=True)
engine = database.Engine()
engine.run("CREATE TEMP TABLE t AS SELECT random() AS n FROM range(8000000)")
with database._STARTING:
    engine.close()
print(database._shared.cache_info().currsize)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout == "0\n"

"""Kills rankbars at random moments and looks at what is left; run as a program by its test.

Each try runs in a child process that has imported everything beforehand, so that the moment of the
kill falls into the work and not into the imports.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from storefiles import assert_equals_files, held
from tablefiles import csv_text

import rankbars as rb
from rankbars.cli.app import run
from rankbars.store import open_store

ROWS = 100


def write(name: str, seed: int) -> None:
    numbers = random.Random(seed)
    columns = {
        "task": ["t"] * ROWS,
        "item": list(range(ROWS)),
        "score": [round(numbers.random(), 3) for _ in range(ROWS)],
    }
    Path(name).write_text(csv_text(columns), encoding="utf-8")


def in_child(work: Callable[[], object], *, kill_after: float | None = None) -> int:
    """Exit status of `work` in a child process, which is killed after some seconds."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def state() -> dict[str, str]:
    """Digest of each file of the store, which must hold exactly what these files hold."""
    with open_store("board.duckdb", rb.__version__) as store:
        return {entry.path: entry.sha256 for entry in store.entries}


def look(before: dict[str, str], after: dict[str, str]) -> None:
    """The store is as it was, or as it was to become."""
    found = state() if Path("board.duckdb").exists() else {}
    assert found in (before, after), f"half done: {sorted(found)}"
    if found == after:
        assert_equals_files(sorted(found))
    elif found:
        assert held().inputs


def digests(names: list[str]) -> dict[str, str]:
    return {entry.path: entry.sha256 for entry in rb.read(names).inputs}


def add_two(number: int) -> None:
    """One transaction that replaces a file and adds another."""
    assert run(["add", "base.csv", f"new{number}.csv", "--store", "board.duckdb", "-q"]) == 0


def rank() -> None:
    assert run(["rank", "board.duckdb", "-q", "-o", "board.json"]) == 0


def main(folder: str, tries: int, seed: int) -> None:
    os.chdir(folder)
    for module in ("duckdb", "scipy.special", "rankbars.pipeline", "rankbars.render",
                   "rankbars.cli.results", "rankbars.store.pairs"):  # fmt: skip
        importlib.import_module(module)
    chance = random.Random(seed)
    names: list[str] = []
    before: dict[str, str] = {}
    longest = 0.5
    killed = 0
    for number in range(tries):
        write("base.csv", 2 * number)
        write(f"new{number}.csv", 2 * number + 1)
        after = {**before, **digests(["base.csv", f"new{number}.csv"])}
        moment = chance.uniform(0.0, longest)
        status = in_child(lambda n=number: add_two(n), kill_after=moment)
        killed += status != 0
        assert in_child(lambda b=before, a=after: look(b, a)) == 0, f"try {number}, {moment:.3f} s"
        # From where it stands on, whole: it must be possible to go on.
        start = time.monotonic()
        assert in_child(lambda n=number: add_two(n)) == 0
        longest = 1.2 * (time.monotonic() - start)
        names = ["base.csv", f"new{number}.csv"]
        # A board is written whole or not at all; the store stays as it is.
        if number % 4 == 3:
            Path("board.json").unlink(missing_ok=True)
            in_child(rank, kill_after=chance.uniform(0.0, 1.5))
            if Path("board.json").exists():
                assert json.loads(Path("board.json").read_bytes())["models"]
            assert in_child(lambda a=after: look(a, a)) == 0
        if number % 5 == 4:  # begin again, so that making a store is killed too
            Path("board.duckdb").unlink()
            Path("board.duckdb.wal").unlink(missing_ok=True)
            before = {}
        else:
            before = {**before, **digests(names)}
    print(f"{tries} tries, {killed} killed at work")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

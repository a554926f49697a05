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
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from storefiles import assert_equals_files, held
from tablefiles import csv_text

import rankbars as rb
from rankbars.cli.app import run
from rankbars.store.access import open_store
from rankbars.store.pairs import PairCache

ROWS = 100


def write(name: str, seed: int) -> None:
    numbers = random.Random(seed)
    columns: dict[str, list[Any]] = {
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
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(status)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def state() -> dict[str, str]:
    """Digest of each file of the store, which must hold exactly what these files hold."""
    with open_store("board.duckdb") as store:
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
    """A board and a report are written, and pairs are remembered in the store."""
    words = ["rank", "board.duckdb", "-q", "-o", "board.json", "--html", "report.html"]
    assert run(words) == 0


def report() -> None:
    assert run(["report", "board.json", "-o", "report.html"]) == 0


def look_at_outputs() -> None:
    """The board and the report are whole, if they are there."""
    if Path("board.json").exists():
        assert json.loads(Path("board.json").read_bytes())["models"]
    if Path("report.html").exists():
        assert Path("report.html").read_bytes().rstrip().endswith(b"</html>")


def look_at_board(names: list[str]) -> None:
    """The board of the store has the ranks that the files give."""
    kept, fresh = rb.load("board.json"), rb.leaderboard(rb.read(names))
    assert kept.models == fresh.models
    assert (kept.tasks["t"].best == fresh.tasks["t"].best).all()
    assert (kept.tasks["t"].worst == fresh.tasks["t"].worst).all()


def remember_everything(inputs: Sequence[str], *, is_fixed: bool = False) -> PairCache:
    """Small tasks are remembered too, so that ranking writes to the store."""
    return PairCache(inputs[0], 0, 0, is_fixed)


class Killer:
    """Runs work in child processes, kills it at a random moment, then lets it end.

    Parameters
    ----------
    seed : int
        Start of the random moments.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.longest: dict[str, float] = {}
        self.killed: dict[str, int] = {}

    def kill(self, work: Callable[[], object], check: Callable[[], object], name: str) -> None:
        """Kill the work, look at what is left, and do it whole: it must be possible to go on."""
        moment = self.chance.uniform(0.0, self.longest.get(name, 0.5))
        self.killed[name] = self.killed.get(name, 0) + (in_child(work, kill_after=moment) != 0)
        assert in_child(check) == 0, f"{name} killed after {moment:.3f} s"
        start = time.monotonic()
        status = in_child(work)
        assert status == 0, f"{name} after it was killed after {moment:.3f} s: status {status}"
        self.longest[name] = 1.2 * (time.monotonic() - start)


def main(folder: str, tries: int, seed: int) -> None:
    os.chdir(folder)
    for module in ("duckdb", "scipy.special", "rankbars.pipeline", "rankbars.render",
                   "rankbars.cli.outputs", "rankbars.store.pairs"):  # fmt: skip
        importlib.import_module(module)
    killer = Killer(seed)
    before: dict[str, str] = {}
    for number in range(tries):
        write("base.csv", 2 * number)
        write(f"new{number}.csv", 2 * number + 1)
        names = ["base.csv", f"new{number}.csv"]
        after = {**before, **digests(names)}

        def work(number: int = number) -> None:
            add_two(number)

        def check(old: dict[str, str] = before, new: dict[str, str] = after) -> None:
            look(old, new)
            look_at_outputs()

        def check_unchanged(new: dict[str, str] = after) -> None:
            look(new, new)
            look_at_outputs()

        def check_board(new: dict[str, str] = after) -> None:
            look_at_board(sorted(new))

        if number % 3 == 0:
            killer.kill(work, check, "add")
        else:
            assert in_child(work) == 0
            if number % 3 == 1:
                killer.kill(rank, check_unchanged, "rank")
                assert in_child(check_board) == 0
            else:
                killer.kill(report, check_unchanged, "report")
        before = after
        if number % 5 == 4:  # begin again, so that making a store is killed too
            Path("board.duckdb").unlink()
            Path("board.duckdb.wal").unlink(missing_ok=True)
            before = {}
    print(f"{tries} tries; killed at work: {killer.killed}")


if __name__ == "__main__":
    with patch("rankbars.cli.readingoptions.memory_of", remember_everything):
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

"""The file of a race: killed at any moment, and used by two workers at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankbars as rb

TESTS = Path(__file__).resolve().parent.parent


def kill(folder: Path, tries: int, seed: int) -> str:
    done = subprocess.run(
        [sys.executable, TESTS / "store" / "racekilling.py", folder, str(tries), str(seed)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path]),
             "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()[-1]


def test_a_race_killed_at_any_moment_is_as_it_was_or_as_it_was_to_become(tmp_path: Path) -> None:
    assert kill(tmp_path, 5, 1).startswith("5 tries")


@pytest.mark.soak
def test_a_race_killed_often_is_as_it_was_or_as_it_was_to_become(tmp_path: Path) -> None:
    assert kill(tmp_path, 101, 2).startswith("101 tries")


WORKER = """
import sys, time
import rankbars as rb
race = rb.Race.open("race.duckdb")
asked = 0
while (calls := race.next(worker=sys.argv[1], most=7)).why in (None, "waiting"):
    race.tell({call: float(hash(call.model) == hash("a") or int(call.item) % 3 == 0)
               for call in calls})
    asked += len(calls)
    time.sleep(0.01)
print(asked)
"""


def test_two_workers_share_a_race_and_no_call_is_made_twice(tmp_path: Path) -> None:
    rb.Race(["a", "b"], range(60), state=tmp_path / "race.duckdb", batch=10)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, name], cwd=tmp_path, stdout=subprocess.PIPE, text=True
        )
        for name in ("one", "two")
    ]
    asked = [int(worker.communicate()[0]) for worker in workers]
    board = rb.Race.open(tmp_path / "race.duckdb").board()
    assert board.winners == ("a",)
    assert sum(asked) == board.used
    assert min(asked) > 0

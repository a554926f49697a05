"""The file of a race: killed at any moment, and used by two workers at once."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import rankbars as rb
from rankbars.data.raceboard import Call
from rankbars.store.racefile import open_race

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


ABILITY = {"amber": 0.75, "birch": 0.7, "cobalt": 0.4, "dune": 0.2, "elm": 0.1, "fir": 0.1}


MODELS = [*ABILITY][:5]


def answered(calls: tuple[Call, ...], *, graded: bool) -> dict[Call, float]:
    """The answers that the races among the data were told."""
    drawn = [(call, random.Random(str(call)).random(), ABILITY[call.model]) for call in calls]
    if graded:
        return {call: round(draw * 0.5 + able * 0.5, 2) for call, draw, able in drawn}
    return {call: float(draw < able) for call, draw, able in drawn}


def seen(race: rb.Race) -> tuple[object, ...]:
    board = race.board()
    return board.at, board.used, board.racers, str(board.history)


@pytest.mark.parametrize(
    "name", ["first", "counts", "graded", "counts-of-doubles", "graded-of-doubles"]
)
def test_a_race_that_an_earlier_version_kept_is_gone_on_with(name: str, tmp_path: Path) -> None:
    path = tmp_path / "race.duckdb"
    path.write_bytes(gzip.decompress((TESTS / f"data/races/{name}.duckdb.gz").read_bytes()))
    anew = rb.Race(MODELS, range(60), "first" if name == "first" else "top 2", batch=4)
    for _ in range(2):
        anew.tell(answered(anew.next().calls, graded=name.startswith("graded")))
    assert seen(rb.Race.open(path)) == seen(anew)
    while calls := anew.next().calls:
        assert rb.Race.open(path).next().calls == calls
        for race in (anew, rb.Race.open(path)):
            race.tell(answered(calls, graded=name.startswith("graded")))
        assert seen(rb.Race.open(path)) == seen(anew)


def test_wealth_that_was_edited_is_noticed_in_a_race_of_an_earlier_version(tmp_path: Path) -> None:
    path = tmp_path / "race.duckdb"
    path.write_bytes(gzip.decompress((TESTS / "data/races/graded.duckdb.gz").read_bytes()))
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE wealth SET body = body || 'x'::BLOB")
    with pytest.raises(rb.ReadError, match="wealth of its bets"):
        rb.Race.open(path).board()


def test_a_macro_in_the_file_of_a_race_stands_for_no_function(tmp_path: Path) -> None:
    path = tmp_path / "race.duckdb"
    one = rb.Race(MODELS, range(60), "top 2", state=path, batch=4)
    memory = rb.Race(MODELS, range(60), "top 2", batch=4)
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE MACRO unnest(x) AS 7")
        connection.execute("CREATE MACRO duckdb_columns() AS TABLE SELECT 'race' AS table_name")
    for _ in range(2):
        calls = one.next(worker="one").calls
        assert calls == memory.next().calls
        assert rb.Race.open(path).next(worker="two").why == "waiting"
        for race in (one, memory):
            race.tell(answered(calls, graded=True))
    assert seen(rb.Race.open(path)) == seen(memory)


@pytest.mark.parametrize(
    "column", ["digest VARCHAR DEFAULT 'x'", "digest VARCHAR GENERATED ALWAYS AS (kind)"]
)
def test_a_column_that_is_computed_is_not_of_a_race(tmp_path: Path, column: str) -> None:
    path = tmp_path / "race.duckdb"
    rb.Race(MODELS, range(60), state=path)
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"CREATE OR REPLACE TABLE race (number INTEGER, kind VARCHAR, body BLOB, {column})"
        )
    with pytest.raises(rb.ReadError, match="not of a race"):
        rb.Race.open(path).board()


def test_a_race_that_others_go_on_with_is_as_one_that_is_never_left(tmp_path: Path) -> None:
    path = tmp_path / "race.duckdb"
    one = rb.Race(MODELS, range(60), "top 2", state=path, batch=4)
    memory = rb.Race(MODELS, range(60), "top 2", batch=4)
    unkept = []
    first, other = rb.Race.open(path), rb.Race.open(path)
    for race in (first, one, one, one, rb.Race.open(path), one, one, one, one, one, other):
        calls = race.next().calls
        assert calls == memory.next().calls
        with open_race(path) as log:
            unkept.append(len(log.unkept))
        for each in (race, memory):
            each.tell(answered(calls, graded=True))
        assert seen(rb.Race.open(path)) == seen(memory)
    assert unkept == [0, 1, 0, 1, 2, 0, 1, 2, 3, 0, 1]
    for each in (one, memory):
        each.tell(answered(each.next().calls, graded=True))
    for each in (rb.Race.open(path), memory):
        each.join("fir")
        each.tell(answered(each.next().calls, graded=True))
    assert seen(rb.Race.open(path)) == seen(memory)


@pytest.mark.parametrize("graded", [False, True])
def test_a_model_may_join_when_the_bets_of_those_that_are_out_were_not_kept(
    tmp_path: Path, graded: bool
) -> None:
    path = tmp_path / "race.duckdb"
    rb.Race(MODELS, range(400), "top 2", state=path, batch=10)
    memory = rb.Race(MODELS, range(400), "top 2", batch=10)
    whole = 0
    while not any(racer.call == "out" for racer in memory.board().racers):
        calls = memory.next().calls
        assert rb.Race.open(path).next().calls == calls
        for each in (rb.Race.open(path), memory):
            each.tell(answered(calls, graded=graded))
        with duckdb.connect(str(path), read_only=True) as connection:
            ((kept,),) = connection.execute("SELECT count(*) FROM wealth").fetchall()
        whole = max(whole, kept)
    assert kept < whole  # of pairs with a model that is out nothing is kept
    for race in (rb.Race.open(path), memory):
        race.join("fir")
    assert seen(rb.Race.open(path)) == seen(memory)
    while calls := memory.next().calls:
        assert rb.Race.open(path).next().calls == calls
        for each in (rb.Race.open(path), memory):
            each.tell(answered(calls, graded=graded))
    assert seen(rb.Race.open(path)) == seen(memory)


def test_wealth_that_is_edited_while_a_race_goes_on_in_a_process_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "race.duckdb"
    race = rb.Race(MODELS, range(60), "top 2", state=path, batch=4)
    for one in (race, rb.Race.open(path)):
        one.tell(answered(race.next().calls, graded=True))
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE wealth SET body = body + 1e-9 WHERE rowid = 5")
    with pytest.raises(rb.ReadError, match="wealth of its bets"):
        race.board()

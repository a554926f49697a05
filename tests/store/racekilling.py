"""Kills races at random moments of `next` and `tell`; run as a program by its test."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

import rankbars as rb
from rankbars.data.raceboard import Call

MODELS = ["amber", "birch", "cobalt"]
STATE = "race.duckdb"


def score(call: Call) -> float:
    number = int(call.item) * 7919 % 97 + (call.model != "amber") * 10
    return float(number < 60)


def told(calls: tuple[Call, ...]) -> dict[Call, float]:
    return {call: score(call) for call in calls}


def seen(race: rb.Race) -> tuple[object, ...]:
    board = race.board()
    return board.at, board.used, board.waiting, board.racers, str(board.history)


def main(folder: str, tries: int, seed: int) -> None:
    """A race in memory goes beside, to which no harm is done; both must be the same."""
    from killing import Killer  # beside this program, not on the path of the other tests

    os.chdir(folder)
    for module in ("duckdb", "scipy.special", "rankbars.racing.race", "rankbars.store.racefile"):
        importlib.import_module(module)
    killer = Killer(seed)
    beside = rb.Race(MODELS, range(4000), batch=4, state=None)

    def begin() -> None:
        if not Path(STATE).exists():
            rb.Race(MODELS, range(4000), batch=4, state=STATE)

    killer.kill(begin, lambda: None, "begin")
    for number in range(tries - 1):
        before = seen(beside)
        if number % 2 == 0:
            expected = beside.next(worker="w").calls

            def work() -> None:
                assert rb.Race.open(STATE).next(worker="w").calls == expected  # noqa: B023

            name = "next"
        else:
            answers = told(expected[: 5 + number % 8])
            beside.tell(answers)

            def work() -> None:
                rb.Race.open(STATE).tell(answers)  # noqa: B023

            name = "tell"
        after = seen(beside)

        def check() -> None:
            assert seen(rb.Race.open(STATE)) in (before, after)  # noqa: B023

        killer.kill(work, check, name)
        assert seen(rb.Race.open(STATE)) == after
    print(f"{tries} tries; killed at work: {killer.killed}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

"""An arena that is added to a store day by day is the arena of all its votes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from storefiles import add, inside, remove

import rankbars as rb
from rankbars.cli.app import run
from rankbars.store.storedrows import StoredRows

DAYS = [f"2025-03-{day:02}.csv" for day in range(1, 11)]


def write_days(*, named: bool) -> None:
    """Ten days of votes with arrivals: two models come on the sixth day; and all in one file."""
    rng = np.random.default_rng(8)
    strength = np.array([0.9, 0.5, 0.2, 0.0, -0.3, -0.6, 0.7, -0.1])
    whole = []
    for day, name in enumerate(DAYS):
        known = 6 if day < 5 else 8
        first = rng.integers(0, known, 150)
        second = (first + rng.integers(1, known, 150)) % known
        long = rng.normal(size=(2, 150))
        eta = strength[first] - strength[second] + 0.3 * (long[0] - long[1])
        won = np.where(rng.random(150) < 1 / (1 + np.exp(-eta)), "model_a", "model_b")
        frame = pd.DataFrame({
            "model_a": [f"m{k}" for k in first], "model_b": [f"m{k}" for k in second],
            "winner": np.where(rng.random(150) < 0.1, "tie", won),
        })  # fmt: skip
        if named:
            frame["judge"] = [f"v{k}" for k in rng.integers(0, 40 + day, 150)]
            frame["prompt"] = [f"p{k}" for k in rng.integers(0, 60, 150)]
            frame["length_a"], frame["length_b"] = long
        frame.to_csv(name, index=False)
        whole.append(frame)
    pd.concat(whole).to_csv("votes.csv", index=False)


def board(source: str, *words: str) -> rb.TaskResult:
    assert run(["rank", source, *words, "--correction", "holm", "-o", "board.json", "-q"]) == 0
    (task,) = rb.load("board.json").tasks.values()
    return task


@pytest.mark.parametrize("named", [True, False])
def test_ten_days_one_after_the_other_are_the_whole(tmp_path: Path, *, named: bool) -> None:
    with inside(tmp_path):
        write_days(named=named)
        words = ("--control", "length") if named else ()
        for day in (*DAYS[1:], DAYS[0]):
            add(day, *words)
        remove(DAYS[4])
        add(DAYS[4])
        one, whole = board("board.duckdb"), board("votes.csv", *words)
        assert one.name == "votes"
        for name in ("mean", "se"):
            np.testing.assert_allclose(getattr(one, name), getattr(whole, name), rtol=1e-10)
        for name in ("best", "worst", "named_best", "named_worst"):
            np.testing.assert_array_equal(getattr(one, name), getattr(whole, name))
        assert one.n == whole.n == 1500
        if named:
            assert one.effects is not None
            assert whole.effects is not None
            np.testing.assert_allclose(one.effects.interval, whole.effects.interval, rtol=1e-10)


def test_days_are_one_arena_in_the_words_of_add(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(tmp_path):
        write_days(named=True)
        for day in DAYS:
            assert run(["add", day, "--store", "arena.duckdb"]) == 0
        said = capsys.readouterr().out
        assert said.endswith("arena.duckdb holds 10 files: 8 models, 1 task.\n")


def test_adding_a_day_reads_no_vote_of_the_days_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: StoredRows, relation: str, parts: Sequence[int]) -> list[Any]:
        raise AssertionError(relation)

    with inside(tmp_path):
        write_days(named=True)
        add(DAYS[0])
        monkeypatch.setattr(StoredRows, "_fetch", refuse)
        add(*DAYS[1:])
        monkeypatch.undo()
        assert board("board.duckdb").n == 1500

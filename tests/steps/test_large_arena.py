"""A seeded arena of many days, made smaller: what the generator hides is found, day by day too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
from storefiles import add, inside

import rankbars as rb
from rankbars.cli.app import run

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_arena.py"


def test_days_of_a_large_arena_equal_the_whole_and_the_ring_is_named(tmp_path: Path) -> None:
    sizes = ["--models", "20", "--votes", "30000", "--voters", "3000", "--ring", "0.02"]
    command = [sys.executable, str(SCRIPT), str(tmp_path / "days"), *sizes]
    subprocess.run(command, check=True)
    with inside(tmp_path):
        days = sorted(Path("days").iterdir())
        assert len(days) == 10
        for day in reversed(days):
            add(str(day))
        assert run(["rank", "board.duckdb", "-o", "board.json", "-q"]) == 0
        kept = rb.load("board.json")
        whole = rb.leaderboard(rb.read("days"))
    (one,), (other,) = kept.tasks.values(), whole.tasks.values()
    order = [kept.models.index(model) for model in whole.models]
    np.testing.assert_allclose(one.mean[order], other.mean, atol=1e-9)
    np.testing.assert_array_equal(one.worst[order], other.worst)
    assert other.suspects is not None
    named = [int(voter.voter.partition("-")[2]) for voter in other.suspects.voters]
    assert len(named) >= 35
    assert min(named) >= 3000
    assert {voter.model for voter in other.suspects.voters} == {"model-010"}
    # The first name is that of the best; the ring's model stands where the ring put it.
    true = np.array([int(model[-3:]) + 1 for model in whole.models])
    held = (other.best <= true) & (true <= other.worst) | (true == 11)
    assert held.all()

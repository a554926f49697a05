"""A seeded arena of many days, made smaller: what the generator hides is found, day by day too."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from calibration import Calibration
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


def generator() -> ModuleType:
    """The script, with a ring whose accounts have enough votes to be tested in a small arena."""
    spec = importlib.util.spec_from_file_location("make_arena", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.RING = 10
    return module


def drawn(script: ModuleType, votes: int, **options: Any) -> pd.DataFrame:
    days = script.draw_days(20, 12, votes, votes // 10, **options)
    frame = pd.concat(pd.DataFrame(columns) for _, columns in days)
    return frame.drop(columns=["language", "hard"]).astype({"voter": str})


@cache
def style_in_many_votes(votes: int) -> float:
    """The effect of the style in votes of pairs drawn alike, without a ring."""
    many = drawn(generator(), votes, ring=0, draw=10_000)
    scores = rb.Scores.from_frame(many, controls=["length"])
    (large,) = rb.leaderboard(scores, votes=rb.VoteOptions(cluster="none")).tasks.values()
    assert large.effects is not None
    return float(large.effects.value[0])


@pytest.mark.slow
def test_in_small_arenas_with_a_ring_everything_stated_holds(calibration: Calibration) -> None:
    """Ranks of the others, the style's effect, who is named, and that no model changed."""
    script, runs = generator(), calibration.runs(4, 300)
    true_style = style_in_many_votes(calibration.runs(200_000, 600_000))
    ranks = style = changed = 0
    found, honest = np.zeros(runs), np.zeros(runs)
    for draw in range(runs):
        frame = drawn(script, 6000, ring=0.015, draw=draw)
        board = rb.leaderboard(
            rb.Scores.from_frame(frame, controls=["length"], over_time="2025-03-08")
        )
        (task,) = board.tasks.values()
        true = np.array([int(model[-3:]) + 1 for model in board.models])
        ranks += ((task.best <= true) & (true <= task.worst) | (true == 7)).all()
        assert task.effects is not None
        low, high = task.effects.interval
        style += bool(low[0] <= true_style <= high[0])
        assert board.over_time is not None
        changed += bool(board.over_time.changed)
        named = [] if task.suspects is None else [int(one.voter) for one in task.suspects.voters]
        accounts = sum(voter >= 600 for voter in named)
        found[draw] = accounts / script.RING
        honest[draw] = (len(named) - accounts) / max(len(named), 1)
    calibration.at_least(ranks, runs, 0.95, of="ranks of all models but the ring's, all at once")
    calibration.within(style, runs, 0.95, of="the effect of the style")
    calibration.at_most(changed, runs, 0.05, of="some model called changed")
    calibration.at_most(honest.sum(), runs, 0.05, of="honest voters among those named")
    calibration.above(found.sum(), runs, 0.5, of="accounts of the ring that are named")


@pytest.mark.slow
def test_bursts_and_drifts_are_found_where_earlier_results_chose_the_pairs(
    calibration: Calibration,
) -> None:
    """Every other arena has a burst of new accounts on one day, the others a model that changes."""
    script, runs = generator(), calibration.runs(4, 200)
    true_style = style_in_many_votes(calibration.runs(200_000, 600_000))
    ranks = style = honest_days = accounts = 0
    false_changes, moved = np.zeros((2, runs // 2))
    days, honest = np.zeros(runs // 2), np.zeros(runs)
    for draw in range(runs):
        drift, puppets = (0.7, 0.0) if draw % 2 else (0.0, 0.3)
        hidden = script.Findable(puppets, drift, adaptive=True)
        frame = drawn(script, 6000, ring=0.015, draw=draw, days=24, hidden=hidden)
        board = rb.leaderboard(
            rb.Scores.from_frame(frame, controls=["length"], over_time="day"),
            votes=rb.VoteOptions(pairing="adaptive"),
        )
        (task,) = board.tasks.values()
        place = np.array([int(model[-3:]) for model in board.models])
        held = (task.best <= place + 1) & (place + 1 <= task.worst)
        # The ring's model, the burst's, and the one that changed.
        ranks += (held | np.isin(place, [6, 2 if draw % 2 else 9])).all()
        assert task.effects is not None
        low, high = task.effects.interval
        style += bool(low[0] <= true_style <= high[0])
        named = [] if task.suspects is None else [int(one.voter) for one in task.suspects.voters]
        accounts += sum(600 <= voter < 610 for voter in named)
        honest[draw] = sum(voter < 600 for voter in named) / max(len(named), 1)
        found = {(one.name, one.model) for one in task.suspect_groups or ()}
        burst = ("day 2025-03-19", "model-009")
        assert board.over_time is not None
        if draw % 2 == 0:
            days[draw // 2] = burst in found
            honest_days += bool(found - {burst})
            continue
        honest_days += bool(found)
        changes = {one.model: one for one in board.over_time.changes}
        own = changes.pop("model-002")
        moved[draw // 2] = own in board.over_time.changed
        true = -drift / len(board.models)
        false_changes[draw // 2] = any(
            not one.low <= true <= one.high for one in changes.values()
        ) or not (own.low <= drift + true <= own.high)
    calibration.at_least(ranks, runs, 0.95, of="ranks of the others, all at once")
    calibration.within(style, runs, 0.95, of="the effect of the style")
    calibration.at_most(honest.sum(), runs, 0.05, of="honest voters among those named")
    calibration.above(accounts / script.RING, runs, 0.5, of="accounts of the ring that are named")
    calibration.at_most(honest_days, runs, 0.05, of="some day without a burst named")
    calibration.above(days.sum(), days.size, 0.5, of="the day of the burst named")
    calibration.at_most(false_changes.sum(), moved.size, 0.05, of="a change outside its interval")
    calibration.above(moved.sum(), moved.size, 0.5, of="the model that changed found")

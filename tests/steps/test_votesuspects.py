"""Voters whose votes do not fit, from votes to the board: named, with their effect, in its file."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from arenas import Arena, fans, honest_arena

import rankbars as rb
from rankbars.data.taskresult import SuspectVoters


def frame_of(arena: Arena) -> pd.DataFrame:
    names = pd.Index([f"m{i:02}" for i in range(arena.strength.size)])
    return pd.DataFrame({
        "model_a": names[arena.first],
        "model_b": names[arena.second],
        "winner": pd.Index(["model_a", "tie", "model_b"])[arena.outcome],
        "judge": [f"voter {code}" for code in arena.voter],
    })  # fmt: skip


@pytest.fixture(scope="module")
def pushed() -> Arena:
    arena = honest_arena(1, models=20, voters=1000, votes=12_000)
    return arena.also(fans(1, arena.strength, 12, accounts=20, votes=20))


def suspects_on(board: rb.Leaderboard) -> SuspectVoters:
    (task,) = board.tasks.values()
    assert task.suspects is not None
    return task.suspects


def test_suspects_stand_in_a_note_and_in_the_file(pushed: Arena, tmp_path: Path) -> None:
    board = rb.leaderboard(rb.Scores.from_frame(frame_of(pushed)))
    found = suspects_on(board)
    named = {f"voter {code}" for code in pushed.odd}
    assert {one.voter for one in found.voters} == named
    assert {(one.habit, one.model, one.won) for one in found.voters} == {("for", "m12", 1.0)}
    assert found.votes == 400
    (note,) = (note for note in board.notes if note.code == "suspect-voters")
    assert "20 voters cast 400 of 12,400 votes (3.2%)" in note.message
    assert "for m12: voter" in note.message
    board.save(tmp_path / "board.json")
    (task,) = json.loads((tmp_path / "board.json").read_text())["tasks"]
    assert {row["voter"] for row in task["suspects"]["voters"]} == named
    assert suspects_on(rb.load(tmp_path / "board.json")) == found


def test_ranks_without_suspects_are_those_of_the_other_votes(pushed: Arena) -> None:
    frame = frame_of(pushed)
    found = suspects_on(rb.leaderboard(rb.Scores.from_frame(frame)))
    names = {one.voter for one in found.voters}
    rest = rb.leaderboard(rb.Scores.from_frame(frame[~frame["judge"].isin(names)]))
    (counted,) = rb.leaderboard(rb.Scores.from_frame(frame)).tasks.values()
    (without,) = rest.tasks.values()
    models = rest.models
    changed = {
        model: (int(one), int(other))
        for model, one, other in zip(
            models, counted.observed_best, without.observed_best, strict=True
        )
        if one != other
    }
    assert found.moved is not None
    assert {one.model: (one.counted, one.without) for one in found.moved} == changed
    assert changed["m12"][0] < changed["m12"][1]


def test_honest_voters_leave_no_trace() -> None:
    board = rb.leaderboard(rb.Scores.from_frame(frame_of(honest_arena(2, votes=6000))))
    (task,) = board.tasks.values()
    assert task.suspects is None
    assert "suspect-voters" not in {note.code for note in board.notes}


def test_single_pairs_name_them_too(pushed: Arena) -> None:
    board = rb.leaderboard(rb.Scores.from_frame(frame_of(pushed)), test="binomial")
    assert len(suspects_on(board).voters) == 20


def test_suspects_without_whom_models_are_apart_have_no_effect_stated() -> None:
    arena = honest_arena(3, models=6, voters=300, votes=4000)
    frame = frame_of(arena)
    names = [f"m0{i % 6}" for i in range(60)]
    liar = pd.DataFrame({"model_a": "m99", "model_b": names, "winner": "model_a", "judge": "liar"})
    lost = liar.iloc[:1].assign(winner="model_b", judge="voter 1")
    both = pd.concat([frame, liar, lost, fan_of("m03")])
    board = rb.leaderboard(rb.Scores.from_frame(both))
    found = suspects_on(board)
    assert "fan" in {one.voter for one in found.voters}
    assert "liar" not in {one.voter for one in found.voters}  # nobody else knows the model


def fan_of(model: str) -> pd.DataFrame:
    others = [f"m0{i % 6}" for i in range(120) if f"m0{i % 6}" != model]
    return pd.DataFrame({"model_a": others, "model_b": model, "winner": "model_b", "judge": "fan"})

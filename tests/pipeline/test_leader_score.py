"""The score of the leader on boards: tasks, averages, votes, declared tries."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.boardfile import board_from_dict, board_to_dict
from rankbars.render.sentences import leader_lines

MODELS = list("abcdefgh")


def right_or_wrong(n: int = 300, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((n, 8)) < 0.6 + np.linspace(0, 0.05, 8)).astype(float)


def test_the_score_is_drawn_towards_the_others():
    board = rb.leaderboard(rb.Scores.from_arrays({"x": right_or_wrong()}, MODELS))
    found = board.winner()
    observed = board.score.max()
    assert found.model == board.models[board.order[0]]
    assert (found.method, found.variants, found.alpha) == ("hybrid", 1, 0.05)
    assert found.low < found.score < observed < found.high


def test_lower_is_better_turns_everything_round():
    rows = right_or_wrong()
    info = {"x": rb.TaskInfo(direction="lower")}
    up = rb.leaderboard(rb.Scores.from_arrays({"x": rows}, MODELS)).winner()
    down = rb.leaderboard(rb.Scores.from_arrays({"x": rows - 1}, MODELS, info=info)).winner()
    assert down.model == up.model
    assert (1 - down.score, 1 - down.high, 1 - down.low) == pytest.approx(
        (up.score, up.low, up.high), abs=1e-9
    )


def test_few_rows_take_the_simultaneous_interval():
    rng = np.random.default_rng(3)
    board = rb.leaderboard(rb.Scores.from_arrays({"x": rng.normal(size=(20, 8))}, MODELS))
    found, error = board.winner(), board.tasks["x"].se[board.order[0]]
    assert found.method == "simultaneous"
    assert found.score == board.score.max()
    assert found.high - found.low > 2 * 2.5 * error


def test_skewed_rows_are_resampled():
    rng = np.random.default_rng(4)
    losses = -(rng.exponential(size=(60, 8)) ** 3)
    board = rb.leaderboard(rb.Scores.from_arrays({"x": losses}, MODELS))
    assert any(note.code == "skewed" for note in board.notes)
    assert board.winner().method == "simultaneous"


def test_an_average_of_right_or_wrong_rows():
    tasks = {name: right_or_wrong(150, seed) for seed, name in enumerate("xyz")}
    board = rb.leaderboard(rb.Scores.from_arrays(tasks, MODELS))
    found = board.winner()
    assert found.method == "hybrid"
    assert found.low < found.score <= board.score.max() < found.high


def test_declared_tries_widen_the_interval():
    scores = rb.Scores.from_arrays({"x": right_or_wrong()}, MODELS)
    name = rb.leaderboard(scores).winner().model
    few, many = (rb.leaderboard(scores, variants={name: k}).winner() for k in (2, 200))
    assert (few.method, few.variants, many.variants) == ("simultaneous", 2, 200)
    assert many.low < few.low
    board = rb.leaderboard(scores, variants={name: 20})
    assert "selected from 20 declared variants" in leader_lines(board)[0]
    with pytest.raises(rb.OptionError, match="whole number, 1 or more"):
        rb.leaderboard(scores, variants={name: 0})
    with pytest.raises(rb.UnknownOptionError, match="model with variants"):
        rb.leaderboard(scores, variants={"nobody": 3})


def test_a_board_file_keeps_it():
    board = rb.leaderboard(rb.Scores.from_arrays({"x": right_or_wrong()}, MODELS))
    assert board_from_dict(board_to_dict(board)).winner() == board.winner()


def test_without_errors_there_is_none():
    task = rb.Estimates(("a", "b"), [0.5, 0.7])
    board = rb.leaderboard(rb.Scores({"x": task}))
    assert leader_lines(board) == ()
    with pytest.raises(rb.DataError, match="no score of a leader"):
        board.winner()

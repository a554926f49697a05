"""The score of the leader on boards: tasks, averages, votes, declared tries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rankbars as rb
from rankbars.data.boardfile import board_to_dict
from rankbars.data.boardreading import board_from_dict
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


def estimates(values: np.ndarray) -> rb.Scores:
    names = tuple(MODELS[: values.shape[1]])
    return rb.Scores({f"t{k:02}": rb.Estimates(names, row) for k, row in enumerate(values)})


def test_a_geometric_mean_is_the_mean_of_logarithms():
    values = np.random.default_rng(0).lognormal(0.0, 0.3, size=(20, 4)) * [1.0, 1.05, 1.1, 1.1]
    options = {"over": "tasks", "correction": "holm"}
    made = rb.leaderboard(estimates(values), method="geometric", **options).winner()
    plain = rb.leaderboard(estimates(np.log(values)), method="mean", **options).winner()
    assert made.model == plain.model
    expected = np.exp([plain.score, plain.low, plain.high])
    np.testing.assert_allclose([made.score, made.low, made.high], expected, rtol=1e-9)


def test_a_geometric_mean_of_losses_is_turned_round():
    values = np.random.default_rng(0).lognormal(0.0, 0.3, size=(20, 4)) * [1.0, 1.05, 1.1, 1.1]
    up = estimates(values)
    info = {name: rb.TaskInfo(direction="lower") for name in up.tasks}
    names = tuple(MODELS[:4])
    tasks = {name: rb.Estimates(names, -1 / one.mean) for name, one in up.tasks.items()}
    options = {"over": "tasks", "method": "geometric", "correction": "holm"}
    made = rb.leaderboard(rb.Scores(tasks, info), **options).winner()
    plain = rb.leaderboard(up, **options).winner()
    assert made.model == plain.model
    expected = [1 / plain.score, 1 / plain.high, 1 / plain.low]
    np.testing.assert_allclose([made.score, made.low, made.high], expected, rtol=1e-9)


def test_skewed_tasks_are_resampled_for_the_leader_of_their_average():
    rng = np.random.default_rng(2)
    values = 30.0 - rng.exponential(size=(16, 4)) ** 3
    board = rb.leaderboard(estimates(values), over="tasks", method="mean")
    assert board.aggregate.correction == "maxt_bootstrap"
    found = board.winner()
    assert found.method == "simultaneous"
    leader = board.models.index(found.model)
    own = stats.sem(values[:, leader]) * stats.t.ppf(0.975, 15)
    assert found.high - found.low > 2 * own


@pytest.mark.slow
def test_the_interval_of_a_leader_on_skewed_tasks_holds_its_score():
    rng = np.random.default_rng(4)
    inside = []
    for _ in range(60):
        values = 9.0 - (rng.random((14, 4)) < 0.3) * rng.exponential(1 / 0.3, size=(14, 4))
        board = rb.leaderboard(estimates(values), over="tasks", method="mean", resamples=200)
        if board.aggregate.correction != "maxt_bootstrap" or board.leader is None:
            continue
        inside.append(board.leader.low <= 8.0 <= board.leader.high)
    assert len(inside) >= 30
    assert np.mean(inside) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / len(inside))

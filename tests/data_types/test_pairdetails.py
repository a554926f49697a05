"""Details of pairs: what they hold, what the board file keeps; they change nothing else."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from boardschema import board_schema

import rankbars as rb
from rankbars.data.boardfile import board_json, board_to_dict
from rankbars.data.boardreading import board_from_dict
from rankbars.data.taskresult import PairDetails, TaskPairs
from rankbars.errors import DataError

RIGHT = {"x": [[1, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0]], "y": [[0.1, 0.5, 0.2]] * 3}


def scores() -> rb.Scores:
    return rb.Scores.from_arrays(RIGHT, ["a", "b", "c"])


def board(**options) -> rb.Leaderboard:
    return rb.leaderboard(scores(), resamples=20, **options)


def test_pairs_hold_differences_and_rows_ahead():
    pairs = board(pairs=True).pairs
    x, y = pairs.tasks["x"], pairs.tasks["y"]
    np.testing.assert_allclose(x.difference, [0.25, 0.5, 0.25])  # a-b, a-c, b-c
    assert x.ahead.tolist() == [2, 2, 2]
    assert x.behind.tolist() == [1, 0, 1]
    assert (x.binary, y.binary) == (True, False)
    assert (x.n.item(), x.df.item(), x.model_df.tolist()) == (4, 3.0, [3.0, 3.0, 3.0])
    compared = rb.compare(scores())["x"]
    np.testing.assert_array_equal(x.se, compared.se[np.triu_indices(3, 1)])
    assert y.se.tolist() == [0.0, 0.0, 0.0]  # constant differences do not vary


def test_lower_scores_count_as_better_where_they_are():
    info = {name: rb.TaskInfo(direction="lower", metric="error") for name in RIGHT}
    inside = {name: -np.array(values) for name, values in RIGHT.items()}
    errors = rb.Scores.from_arrays(inside, ["a", "b", "c"], info=info)
    x = rb.leaderboard(errors, pairs=True, resamples=20).pairs.tasks["x"]
    np.testing.assert_allclose(x.difference, [-0.25, -0.5, -0.25])
    assert (x.ahead[0], x.behind[0], x.binary) == (1, 2, True)


def test_missing_scores_leave_the_rows_that_both_have():
    values = np.array(RIGHT["x"], dtype=float)
    values[0, 0] = np.nan
    made = rb.Scores.from_arrays({"x": values}, ["a", "b", "c"])
    x = rb.leaderboard(made, pairs=True, missing="pairwise").pairs.tasks["x"]
    assert x.n.tolist() == [3, 3, 4]
    assert x.ahead.tolist() == [1, 2, 2]
    np.testing.assert_allclose(x.difference[0], 0.0, atol=1e-15)


def test_votes_count_who_won_and_how_often_two_met():
    votes = rb.Votes(
        ("a", "b", "c"),
        [[0, 30, 20], [10, 0, 9], [5, 8, 0]],
        [[0, 4, 0], [4, 0, 1], [0, 1, 0]],
    )
    pairs = rb.leaderboard(rb.Scores({"votes": votes}), pairs=True).pairs.tasks["votes"]
    assert pairs.n.tolist() == [44, 25, 18]
    assert pairs.ahead.tolist() == [30, 20, 9]
    assert pairs.behind.tolist() == [10, 5, 8]


def test_pairs_change_no_other_result_and_only_enter_a_file_on_request(tmp_path):
    plain, full = board(), board(pairs=True)
    assert plain.pairs is None
    assert board_json(plain) == board_json(full)
    full.save(tmp_path / "plain.json")
    full.save(tmp_path / "full.json", pairs=True)
    assert (tmp_path / "plain.json").read_text() == board_json(plain)
    assert rb.load(tmp_path / "plain.json").pairs is None
    kept = rb.load(tmp_path / "full.json")
    assert board_to_dict(kept, pairs=True) == board_to_dict(full, pairs=True)
    jsonschema.validate(json.loads((tmp_path / "full.json").read_text()), board_schema())


def test_a_normal_tail_and_unknown_errors_survive_the_file():
    task = rb.Estimates(("a", "b"), [0.5, 0.7], se=[0.1, np.nan])
    made = rb.leaderboard(rb.Scores({"x": task}), pairs=True)
    again = board_from_dict(json.loads(board_json(made, pairs=True))).pairs.tasks["x"]
    assert again.df.item() == np.inf
    assert np.isnan(again.se).all()


def test_large_boards_keep_no_pairs():
    tasks = {"x": np.random.default_rng(0).random((3, 450))}
    made = rb.Scores.from_arrays(tasks, [f"m{i:03d}" for i in range(450)])
    assert rb.leaderboard(made, pairs=True).pairs is None


def test_pairs_of_other_models_or_numbers_are_refused():
    full = board(pairs=True)
    other = PairDetails(("x", "y", "z"), dict(full.pairs.tasks))
    with pytest.raises(DataError, match="same models"):
        replace(full, pairs=other)
    with pytest.raises(DataError, match="must have 1 pairs"):
        PairDetails(("a", "b"), dict(full.pairs.tasks))
    x = full.pairs.tasks["x"]
    with pytest.raises(DataError, match="df must be one number"):
        TaskPairs(x.difference, x.se, np.ones(2), x.n, x.model_df)

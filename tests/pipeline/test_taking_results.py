"""Functions take a path, a data frame or Scores, and say what can be made of anything else."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankbars as rb

MODELS = {"ours": 0.8, "base": 0.5, "old": 0.3}


@pytest.fixture
def frame():
    rng = np.random.default_rng(4)
    return pd.DataFrame([
        {"model": model, "task": task, "item": item, "score": int(rng.random() < share)}
        for task in ("law", "math")
        for item in range(40)
        for model, share in MODELS.items()
    ])  # fmt: skip


@pytest.fixture
def path(frame, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("results.csv", index=False)
    return "results.csv"


def same(one, other):
    for name in other.tasks:
        assert (one.tasks[name].best == other.tasks[name].best).all()
        assert (one.tasks[name].mean == other.tasks[name].mean).all()
    return True


def test_a_path_a_frame_and_scores_give_one_board(frame, path):
    board = rb.leaderboard(rb.read(path))
    assert same(rb.leaderboard(path), board)
    assert same(rb.leaderboard([path]), board)
    assert same(rb.leaderboard(frame), board)
    assert same(rb.leaderboard(pl.from_pandas(frame)), board)
    assert same(rb.leaderboard(rb.Scores.from_frame(frame)), board)


def test_two_models_are_compared_from_all_of_them_too(frame, path):
    duel = rb.head_to_head(rb.read(path), "ours", "base")
    for results in (path, frame, pl.from_pandas(frame)):
        assert rb.head_to_head(results, "ours", "base").average == duel.average


def test_files_by_name_are_the_two_sides(frame, path, tmp_path):
    for model in ("ours", "base"):
        chosen = frame[frame["model"] == model].drop(columns="model")
        chosen[chosen["task"] == "law"].drop(columns="task").to_csv(f"{model}.csv", index=False)
    duel = rb.head_to_head({"new": "ours.csv", "then": "base.csv"}, "new", "then")
    law = rb.head_to_head(path, "ours", "base").tasks["law"]
    assert duel.main.difference == law.difference
    assert duel.main.verdict == "better"


def test_a_gap_of_one_of_the_two_stops_and_the_policy_decides(frame, path):
    gappy = frame.drop(index=frame[(frame["model"] == "base") & (frame["item"] == 7)].index)
    with pytest.raises(rb.DataError, match="missing"):
        rb.head_to_head(gappy, "ours", "base")
    assert rb.head_to_head(gappy, "ours", "base", missing="pairwise").tasks["law"].n == 39
    # A gap of a third model is nobody's business.
    assert rb.head_to_head(gappy, "ours", "old").tasks["law"].n == 40
    with pytest.raises(rb.UnknownOptionError, match="Unknown missing policy 'drop'"):
        rb.head_to_head(gappy, "ours", "base", missing="drop")
    with pytest.raises(rb.DataError, match="leaves out 'base'"):
        rb.head_to_head(gappy, "ours", "base", missing="drop_models")


def test_methods_are_explained_from_a_path(path):
    assert rb.explain(path) == rb.explain(rb.read(path))


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (np.eye(3), "got ndarray. Of arrays: rb.Scores.from_arrays"),
        ({"math": np.eye(3)}, "got dict. Of arrays by task: rb.Scores.from_arrays"),
        ({"a": [1, 0], "b": [0, 0]}, "rb.Scores.from_arrays({'all': numpy.column_stack(list("),
        ({"a": {"law": 0.5}}, "pandas.DataFrame(results).rename_axis('task')"),
        (pd.Series([0.1, 0.2], name="score"), "got Series. Of a Series: series.reset_index()"),
        ([[1, 0], [0, 1]], "got list. Of lists: rb.Scores.from_arrays"),
        ([{"model": "a", "score": 1}], "got list. Of records: pandas.DataFrame"),
        (3, "takes a path, a data frame or Scores; got int"),
        (None, "takes a path, a data frame or Scores; got NoneType"),
    ],
)
def test_anything_else_is_refused_with_the_line_that_makes_scores_of_it(results, words):
    for verb in (rb.leaderboard, rb.explain, lambda given: rb.head_to_head(given, "a", "b")):
        with pytest.raises(rb.DataError) as caught:
            verb(results)
        assert words in str(caught.value)


def test_a_board_is_no_results(frame):
    board = rb.leaderboard(frame)
    with pytest.raises(rb.DataError, match=r"got a Leaderboard.*board\.to_frame"):
        rb.leaderboard(board)


def test_scores_and_scores_are_put_together_first(frame):
    one, two = (rb.Scores.from_frame(frame[frame["model"] == name]) for name in ("ours", "base"))
    with pytest.raises(rb.DataError, match=r"one \| other"):
        rb.leaderboard([one, two])
    assert rb.leaderboard(one | two).models == ("base", "ours")

"""A board answers from what it shows first."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import rankbars as rb


def test_ranks_are_those_of_what_is_shown_first() -> None:
    rng = np.random.default_rng(0)
    arrays = {f"t{k}": rng.normal(size=(40, 3)) + [0.9, 0.4, 0.0] for k in range(4)}
    scores = rb.Scores.from_arrays(arrays, list("abc"))
    board = rb.leaderboard(scores)
    assert board.ranks.best is board.aggregate.best
    one = rb.leaderboard(scores.select(tasks=["t1"]))
    assert one.ranks.worst is one.tasks["t1"].worst
    new = rb.leaderboard(scores, over="none")
    assert (board.lead, one.lead, new.lead) == ("aggregate", "task", "new_task")
    assert new.ranks.best is new.overall.best


def test_ratings_reach_one_quantile_of_the_normal_to_either_side() -> None:
    votes = rb.Votes(("a", "b", "c"), [[0, 30, 20], [10, 0, 25], [15, 20, 0]])
    task = rb.leaderboard(rb.Scores({"arena": votes})).tasks["arena"]
    value, low, high = task.ratings()
    np.testing.assert_allclose(high - value, 1.959963984540054 * task.se)
    np.testing.assert_allclose(value - low, high - value)


def test_a_board_can_be_copied_and_pickled() -> None:
    rows = np.random.default_rng(0).random((30, 3)) < [0.2, 0.5, 0.9]
    board = rb.leaderboard(rb.Scores.from_arrays({"math": rows, "law": rows}, ["a", "b", "c"]))
    for again in (copy.deepcopy(board), pickle.loads(pickle.dumps(board))):
        assert str(again) == str(board)
        with pytest.raises(TypeError):
            again.tasks["math"] = board.tasks["law"]
        with pytest.raises(ValueError, match="read-only"):
            again.aggregate.best[0] = 2


@pytest.mark.parametrize(
    ("suffix", "instead"),
    [("tex", "--format latex"), ("xlsx", "to_excel"), ("yaml", ".json"), ("csv", "to_csv")],
)
def test_a_board_is_not_saved_under_the_name_of_another_format(
    tmp_path: Path, suffix: str, instead: str
) -> None:
    board = rb.leaderboard(rb.Scores.from_arrays({"t": [[1, 0], [1, 1], [0, 0]]}, ["a", "b"]))
    with pytest.raises(rb.OptionError, match=instead):
        board.save(tmp_path / f"board.{suffix}")
    assert not list(tmp_path.iterdir())

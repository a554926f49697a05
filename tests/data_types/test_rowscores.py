"""Scores of rows that tasks share: how they are packed, kept in the board file, and left out."""

import base64
import json
import math
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from boardschema import board_schema

import rankbars as rb
from rankbars.data.boardfile import board_json, board_to_dict
from rankbars.data.boardreading import board_from_dict
from rankbars.data.rowscores import RowScores
from rankbars.errors import DataError
from rankbars.render.pagedata import page_data
from rankbars.steps.average import averagerows

MODELS = ("a", "b", "c")


def unpacked(made: RowScores) -> list[float]:
    """All scores, read as the documentation of the file says."""
    content = base64.b64decode(made.packed)
    cells = len(made.tasks) * made.rows * len(MODELS)
    if made.levels is None:
        return np.frombuffer(content, "<f8").tolist()
    if len(made.levels) == 2:
        places = [content[k // 8] >> (k % 8) & 1 for k in range(cells)]
    else:
        places = list(content)
    return [made.levels[k] for k in places]


def sorted_rows(scores: np.ndarray) -> list[str]:
    return sorted(map(str, scores.transpose(1, 0, 2).tolist()))


@pytest.mark.parametrize("levels", [2, 3, 300])
def test_scores_come_back_row_by_row_whatever_their_number(levels: int) -> None:
    rng = np.random.default_rng(levels)
    scores = rng.integers(0, levels, (2, 400, 3)) / 7
    made = RowScores.of(("x", "y"), scores)
    made.check(3)
    assert (made.levels is None) == (levels > 256)
    again = np.array(unpacked(made)).reshape(scores.shape)
    assert sorted_rows(again) == sorted_rows(scores)


def test_the_order_of_rows_says_nothing() -> None:
    scores = np.random.default_rng(0).integers(0, 5, (2, 30, 3)) / 2
    turned = scores[:, np.random.default_rng(1).permutation(30)]
    made, other = (RowScores.of(("x", "y"), one) for one in (scores, turned))
    assert made.packed == other.packed


def test_a_model_without_a_task_is_a_level_of_its_own() -> None:
    scores = np.array([[[1.0, 0.0, math.nan], [0.0, 0.0, math.nan]], np.ones((2, 3))])
    made = RowScores.of(("x", "y"), scores)
    assert made.levels is not None
    np.testing.assert_array_equal(made.levels, [0.0, 1.0, math.nan])


def shared_board(**options: object) -> rb.Leaderboard:
    rng = np.random.default_rng(3)
    ids = tuple(f"question {word}" for word in map(str, range(100, 160)))
    tasks = {
        name: rb.Items(MODELS, (rng.random((60, 3)) < [0.7, 0.6, 0.4]) * 1.0, ids=ids)
        for name in ("de", "en", "fr")
    }
    return rb.leaderboard(rb.Scores(tasks), pairs=True, resamples=20, **options)


def test_a_board_keeps_them_with_its_pairs_and_makes_the_same_page_again() -> None:
    board = shared_board()
    assert board.pairs is not None
    (rows,) = board.pairs.shared_rows
    assert (rows.tasks, rows.rows) == (("de", "en", "fr"), 60)
    assert "shared_rows" not in board_to_dict(board)
    text = board_json(board, pairs=True)
    assert "question 1" not in text
    jsonschema.Draft202012Validator(board_schema()).validate(json.loads(text))
    again = board_from_dict(json.loads(text))
    assert board_json(again, pairs=True) == text
    assert page_data(again, ()) == page_data(board, ())


def test_rows_that_are_others_on_every_task_are_not_kept() -> None:
    board = shared_board(independent_rows=True)
    assert board.pairs is not None
    assert board.pairs.shared_rows == ()
    assert page_data(board, ())["sharedRows"] is None


@pytest.mark.parametrize("name", ["_MOST_BYTES", "_MOST_WORK"])
def test_too_many_scores_are_left_out_and_the_page_says_so(name: str, monkeypatch) -> None:
    monkeypatch.setattr(averagerows, name, 20)
    board = shared_board()
    assert board.pairs is not None
    assert board.pairs.shared_rows == ()
    assert "they are too many" in page_data(board, ())["explore"]["reason"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tasks": ("de",)}, "two tasks or more; found 1"),
        ({"tasks": ("de", "nl")}, "'nl' is no task of the board"),
        ({"rows": 61}, r"must hold 69 bytes for 3 tasks with 61 rows and 3 models; found 68"),
        ({"packed": "?"}, "must be base64"),
        ({"levels": np.array([0.0])}, "must hold 540 bytes"),
        (
            {"levels": np.arange(3.0), "packed": base64.b64encode(bytes([3] * 540)).decode()},
            "level 3 of 3 is none",
        ),
    ],
)
def test_what_does_not_fit_the_board_is_refused(change: dict, message: str) -> None:
    board = shared_board()
    assert board.pairs is not None
    (rows,) = board.pairs.shared_rows
    with pytest.raises(DataError, match=message):
        replace(board.pairs, shared_rows=(replace(rows, **change),))

"""Histograms of scores: every score in one bin, round edges, shared by all models."""

from __future__ import annotations

import json

import jsonschema
import numpy as np
import pytest
from boardschema import board_schema
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rankbars as rb
from rankbars.data.boardfile import board_json
from rankbars.data.boardreading import board_from_dict
from rankbars.data.taskresult import ScoreBins
from rankbars.steps.boardassembly import MOST_BINS, bin_scores

SCORES = arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.one_of(
        st.floats(-1e150, 1e150), st.floats(-2, 2), st.integers(1, 5).map(float), st.just(np.nan)
    ),
)


@given(values=SCORES)
def test_every_score_lies_in_the_one_bin_that_counts_it(values: np.ndarray) -> None:
    bins = bin_scores(values)
    if bins is None:
        return
    assert bins.counts.shape == (values.shape[1], bins.edges.size - 1)
    assert 1 <= bins.counts.shape[1] <= MOST_BINS
    last = bins.edges.size - 2
    for column, counts in zip(values.T, bins.counts, strict=True):
        for k, count in enumerate(counts):
            low, high = bins.edges[k], bins.edges[k + 1]
            inside = [v for v in column if low <= v < high or (k == last and v == high)]
            assert count == len(inside)
        assert counts.sum() == np.isfinite(column).sum()


@pytest.mark.parametrize(
    ("scores", "edges"),
    [
        ([0.0, 1.0], np.arange(21) / 20),
        ([1, 2, 3, 4, 5], np.arange(5, 26) / 5),
        ([0.123, 0.131], np.arange(246, 263) / 2000),
        ([-40, 1250], np.arange(-100, 1301, 100)),
    ],
)
def test_edges_are_round_numbers(scores: list[float], edges: np.ndarray) -> None:
    bins = bin_scores(np.array(scores, dtype=float)[:, None])
    assert bins is not None
    assert bins.edges.tolist() == edges.tolist()


def test_equal_unknown_and_inseparable_scores_have_no_bins() -> None:
    for scores in ([], [0.3, 0.3], [np.nan], [0.0, 5e-324], [1.0, 1.0 + 2.0**-52]):
        assert bin_scores(np.array(scores, dtype=float).reshape(-1, 1)) is None


def test_bins_that_do_not_fit_are_refused() -> None:
    with pytest.raises(rb.DataError, match="two or more rising"):
        ScoreBins([0.0, 0.0], [[1]])
    with pytest.raises(rb.DataError, match="need 2 counts"):
        ScoreBins([0.0, 1.0, 2.0], [[1]])


def pairs_of(scores: rb.Scores) -> rb.Leaderboard:
    return rb.leaderboard(scores, pairs=True, resamples=20)


def test_a_board_keeps_bins_with_its_pairs_but_not_of_right_and_wrong() -> None:
    rng = np.random.default_rng(0)
    tasks = {"graded": rng.random((30, 3)), "right": (rng.random((30, 3)) < 0.5) * 1.0}
    board = pairs_of(rb.Scores.from_arrays(tasks, ["a", "b", "c"]))
    assert board.pairs is not None
    bins = board.pairs.tasks["graded"].bins
    assert bins is not None
    assert bins.counts.sum(axis=1).tolist() == [30, 30, 30]
    assert board.pairs.tasks["right"].bins is None
    values = json.loads(board_json(board, pairs=True))
    jsonschema.Draft202012Validator(board_schema()).validate(values)
    again = board_from_dict(values)
    assert board_json(again, pairs=True) == board_json(board, pairs=True)
    del values["pairs"]["graded"]["bins"]  # as earlier versions wrote it
    earlier = board_from_dict(values).pairs
    assert earlier is not None
    assert earlier.tasks["graded"].bins is None


def test_boards_with_too_many_bins_keep_none() -> None:
    rng = np.random.default_rng(0)
    models = [f"m{i}" for i in range(100)]
    tasks = {f"t{i:02d}": rng.random((4, 100)) for i in range(51)}
    few = {name: tasks[name] for name in list(tasks)[:2]}
    kept = rb.leaderboard(rb.Scores.from_arrays(few, sorted(models)), pairs=True, over="none")
    assert kept.pairs is not None
    assert all(task.bins is not None for task in kept.pairs.tasks.values())
    small = {name: scores[:, :40] for name, scores in tasks.items()}
    many = {f"{name}{k}": scores for name, scores in small.items() for k in "abc"}
    scores = rb.Scores.from_arrays(many, sorted(models)[:40])
    board = rb.leaderboard(scores, pairs=True, over="none")
    if board.pairs is not None:
        assert all(task.bins is None for task in board.pairs.tasks.values())

"""Boards as records of Every Eval Ever: valid, and read back as they were."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from eeefiles import EEE
from hypothesis import given, settings
from hypothesis import strategies as st

import rankbars as rb
from rankbars.data.boardfile import board_to_dict
from rankbars.data.boardreading import board_from_dict
from rankbars.render.evalrecords import eee_records, render_eee

SCHEMA = json.loads((EEE / "schemas" / "eval.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)

NAMES = st.one_of(
    st.sampled_from(
        ["org/a", "a", "..", "data", "nul.json", "a/b/c", "モデル", "mean", "x (overall)"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
)
# None of proportions: numbers of any size would stand on no scale that such a metric has.
METRICS = st.sampled_from([None, "rmse", "charm", "score"])


@st.composite
def boards(draw: st.DrawFn) -> rb.Leaderboard:
    """Boards of items and of published scores, some without errors or without some models."""
    models = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    tasks = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    evidence: dict[str, Any] = {}
    info = {}
    for task in tasks:
        present = draw(st.lists(st.sampled_from(models), min_size=1, unique=True))
        numbers = st.lists(
            st.floats(-1e6, 1e6), min_size=len(present), max_size=len(present)
        )  # fmt: skip
        if draw(st.booleans()):
            se = draw(st.none() | st.lists(st.floats(0, 1e3), min_size=len(present),
                                           max_size=len(present)))  # fmt: skip
            evidence[task] = rb.Estimates(tuple(sorted(present)), np.array(draw(numbers)),
                                          None if se is None else np.array(se))  # fmt: skip
        else:
            # One row has no error of its own; read back it would be a share of one item.
            rows = draw(st.lists(numbers, min_size=2, max_size=5))
            evidence[task] = rb.Items(tuple(sorted(present)), np.array(rows))
        info[task] = rb.TaskInfo(
            metric=draw(METRICS), direction=draw(st.sampled_from(["higher", "lower"]))
        )
    return rb.leaderboard(rb.Scores(evidence, info), missing="pairwise", missing_tasks="bounds")


def assert_same(board: rb.Leaderboard, scores: rb.Scores) -> None:
    expected = {name: task for name, task in board.tasks.items()
                if np.isfinite(task.mean).any()}  # fmt: skip
    assert set(scores.tasks) == set(expected)
    for name, task in expected.items():
        found = scores.tasks[name]
        assert isinstance(found, rb.Estimates)
        there = np.isfinite(task.mean)
        assert found.models == tuple(np.array(board.models, dtype=object)[there].tolist())
        assert scores.info[name].direction == task.direction
        sign = 1.0 if task.direction == "higher" else -1.0
        np.testing.assert_array_equal(sign * found.mean, task.mean[there])
        se = np.full(there.sum(), np.nan) if found.se is None else found.se
        np.testing.assert_array_equal(se, task.se[there])


@settings(max_examples=40)
@given(board=boards())
def test_what_is_written_is_read_back(board: rb.Leaderboard) -> None:
    tasks = board.tasks.values()
    if not any(np.isfinite(task.mean).any() for task in tasks):
        return
    if any(task.metric == "rmse" and np.fmax.reduce(task.mean) <= 0 for task in tasks):
        return  # a loss of which all values lie below 0 is not read
    with tempfile.TemporaryDirectory() as folder:
        paths = rb.write_eee(board, folder)
        for path in paths:
            VALIDATOR.validate(json.loads(path.read_text(encoding="utf-8")))
        assert_same(board, rb.read(folder))


def small_board(**info: Any) -> rb.Leaderboard:
    scores = rb.Scores.from_arrays(
        {"math": [[1, 0], [1, 1], [0, 0]], "code": [[1, 1], [0, 1]]}, ["org/a", "b"],
        info={"math": rb.TaskInfo(**info)},
    )  # fmt: skip
    return rb.leaderboard(scores)


def test_the_record_says_what_the_board_knows() -> None:
    board = small_board(metric="accuracy")
    path, record = next(iter(eee_records(board, retrieved=5).items()))
    assert path.startswith("data/rankbars/unknown/b/")
    assert record["retrieved_timestamp"] == "5.0"
    assert record["model_info"]["id"] == "b"
    found = {one["evaluation_name"]: one for one in record["evaluation_results"]}["math"]
    task = board.tasks["math"]
    assert found["score_details"]["score"] == task.mean[0] == pytest.approx(1 / 3)
    uncertainty = found["score_details"]["uncertainty"]
    assert uncertainty["standard_error"]["value"] == task.se[0]
    assert uncertainty["num_samples"] == 3
    assert found["score_details"]["details"]["rank_worst"] == str(task.worst[0])
    config = found["metric_config"]
    assert (config["metric_name"], config["min_score"], config["max_score"]) == ("accuracy", 0, 1)


def test_a_metric_that_was_turned_around_is_not_named() -> None:
    # Negated errors: higher is better, against what the name says.
    record = next(iter(eee_records(small_board(metric="rmse", direction="higher")).values()))
    found = {one["evaluation_name"]: one for one in record["evaluation_results"]}["math"]
    assert "metric_name" not in found["metric_config"]
    assert found["metric_config"]["additional_details"]["metric_as_read"] == "rmse"


def test_writing_twice_gives_the_same_files(tmp_path: Path) -> None:
    first = rb.write_eee(small_board(), tmp_path, retrieved=1)
    before = {path: path.read_bytes() for path in first}
    assert rb.write_eee(small_board(), tmp_path, retrieved=1) == first
    assert {path: path.read_bytes() for path in first} == before
    assert sorted(tmp_path.rglob("*.json")) == sorted(first)


def test_no_name_leaves_the_folder(tmp_path: Path) -> None:
    names = ["../../x", "/etc/passwd", "..", "a\x00b", "CON", "x" * 300]
    scores = rb.Scores.from_arrays({"t": np.eye(6)}, names)
    for path in rb.write_eee(rb.leaderboard(scores), tmp_path):
        assert path.resolve().is_relative_to(tmp_path / "data" / "rankbars")


@pytest.mark.parametrize("collection", ["", "a/b", "..", "data", "con"])
def test_the_collection_must_be_a_folder(tmp_path: Path, collection: str) -> None:
    with pytest.raises(rb.OptionError, match="cannot be the name of a folder"):
        rb.write_eee(small_board(), tmp_path, collection=collection)


def test_the_time_must_be_finite(tmp_path: Path) -> None:
    with pytest.raises(rb.OptionError, match="finite"):
        rb.write_eee(small_board(), tmp_path, retrieved=math.nan)


def test_a_board_without_scores_is_not_written(tmp_path: Path) -> None:
    values = board_to_dict(small_board())
    for task in values["tasks"]:
        task |= {"mean": [None, None], "may_be_first": []}
    with pytest.raises(rb.DataError, match="nothing to write"):
        rb.write_eee(board_from_dict(values), tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    with pytest.raises(rb.WriteError, match="Cannot make the folder"):
        rb.write_eee(small_board(), tmp_path / "store")


def test_printed_records_are_valid_and_read_back(tmp_path: Path) -> None:
    board = small_board()
    text = render_eee(board)
    for line in text.splitlines():
        VALIDATOR.validate(json.loads(line))
    (tmp_path / "all.jsonl").write_text(text, encoding="utf-8")
    assert_same(board, rb.read(tmp_path / "all.jsonl"))
    one = [json.loads(line) for line in render_eee(board, task="math").splitlines()]
    assert [[r["evaluation_name"] for r in x["evaluation_results"]] for x in one] == [["math"]] * 2
    with pytest.raises(rb.UnknownOptionError, match="mth"):
        render_eee(board, task="mth")

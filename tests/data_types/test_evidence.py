"""What evidence may hold, checked once, at construction."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Coverage


def test_arrays_are_copied_and_locked() -> None:
    values = np.zeros((3, 2))
    items = rb.Items(("a", "b"), values)
    values[0, 0] = 1.0
    assert items.values[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        items.values[0, 0] = 1.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[np.inf, 0.0]], "infinite score on row '0'"),
        ([[1e200, 0.0]], "cannot be squared"),
        ([[0.0]], "one column per model"),
        ([["x", "y"]], "must hold float64 values"),
    ],
)
def test_scores_must_be_finite_numbers_of_the_right_shape(
    values: list[list[object]], message: str
) -> None:
    with pytest.raises(rb.DataError, match=message):
        rb.Items(("a", "b"), values)  # type: ignore[arg-type]


def test_a_model_named_twice_is_refused() -> None:
    with pytest.raises(rb.DataError, match="'a' is named twice"):
        rb.Items(("a", "a"), np.zeros((1, 2)))


@pytest.mark.parametrize("weights", [[0.0, 1.0], [-1.0, 1.0], [np.nan, 1.0]])
def test_weights_of_rows_must_be_positive(weights: list[float]) -> None:
    with pytest.raises(rb.DataError, match="weights of rows must be finite and above 0"):
        rb.Items(("a", "b"), np.zeros((2, 2)), weights=weights)


@pytest.mark.parametrize(
    ("cov", "message"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], "negative eigenvalue"),
        ([[1.0, 0.5], [0.1, 1.0]], "symmetric"),
        ([[1.0, np.nan], [np.nan, 1.0]], "finite symmetric"),
    ],
)
def test_a_covariance_must_be_one(cov: list[list[float]], message: str) -> None:
    with pytest.raises(rb.DataError, match=message):
        rb.Estimates(("a", "b"), [0.0, 1.0], cov=cov)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repeats": 0, "folds": 3}, "repeats must be at least 1"),
        ({"repeats": 1, "folds": 1}, "folds must be at least 2"),
        ({"repeats": 1, "folds": 3, "test_share": 1.5}, "test_share must be between 0 and 1"),
    ],
)
def test_folds_must_make_sense(options: dict[str, float], message: str) -> None:
    with pytest.raises(rb.OptionError, match=message):
        rb.Folds(**options)  # type: ignore[arg-type]


def test_coverage_counts_must_add_up() -> None:
    with pytest.raises(rb.DataError, match="must add up to 3"):
        Coverage(3, np.array([1]), np.array([1]), np.array([0]), np.array([0]))


def test_scores_survive_the_trip_to_a_worker() -> None:
    scores = rb.Scores.from_arrays({"t": [[1, 0], [0, 1]]}, ["b", "a"])
    again = pickle.loads(pickle.dumps(scores))
    assert again.models == ("a", "b")
    assert again.tasks["t"].values.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_choosing_models_and_tasks_keeps_their_order_and_refuses_unknown_names() -> None:
    scores = rb.Scores.from_arrays({"x": [[1, 0, 2]], "y": [[0, 1, 2]]}, ["a", "b", "c"])
    chosen = scores.select(models=["c", "a"], tasks=["y"])
    assert chosen.models == ("a", "c")
    assert list(chosen.tasks) == ["y"]
    with pytest.raises(rb.UnknownOptionError, match="Unknown model 'd'"):
        scores.select(models=["d"])


@pytest.mark.parametrize(
    ("info", "message"),
    [
        ({"direction": "up"}, "Unknown direction 'up'"),
        ({"weight": -1.0}, "weight of a task"),
        ({"weight": float("inf")}, "weight of a task"),
    ],
)
def test_what_is_known_about_a_task_is_checked(info: dict[str, object], message: str) -> None:
    with pytest.raises(rb.OptionError, match=message):
        rb.TaskInfo(**info)  # type: ignore[arg-type]


def test_a_bare_array_is_refused_with_the_mapping_to_write() -> None:
    with pytest.raises(rb.DataError, match=r"mapping \{task: array\}, got ndarray"):
        rb.Scores.from_arrays(np.eye(2), ["a", "b"])  # type: ignore[arg-type]


@pytest.mark.parametrize("design", ["folds", "cv", ""])
def test_rows_are_of_a_kind_that_is_known(design: Any) -> None:
    with pytest.raises(rb.OptionError, match=r"'items', 'runs', 'prompts'.*rb\.Folds\(1, 10\)"):
        rb.Scores.from_arrays({"a": [[1, 0], [0, 1]]}, ["x", "y"], design=design)
    with pytest.raises(rb.OptionError, match=f"got {design!r}"):
        rb.Items(("x", "y"), np.eye(2), design=design)

"""Weights of categories become weights of tasks."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb


def scores_in_categories(weight: float = 1.0) -> rb.Scores:
    rng = np.random.default_rng(0)
    info = {
        "a1": rb.TaskInfo(category="a", weight=weight),
        "a2": rb.TaskInfo(category="a"),
        "b1": rb.TaskInfo(category="b"),
    }
    return rb.Scores.from_arrays({n: rng.random((30, 3)) for n in info}, ["x", "y", "z"], info=info)


def test_the_average_is_that_of_category_means() -> None:
    scores = scores_in_categories()
    average = rb.aggregate(scores.weigh_categories({"a": 0.8, "b": 0.2}))
    means = rb.aggregate(scores).by_category
    assert means is not None
    standing = means.at({"a": 0.8, "b": 0.2})
    assert average.score == pytest.approx(standing.score)
    assert average.contrasts is not None
    pair = average.models.index(standing.winner), average.models.index(standing.runner_up)
    assert average.contrasts.se[pair] == pytest.approx(standing.error)
    assert average.target.startswith("weighted average score")


def test_variance_of_the_weighted_mean_by_hand() -> None:
    # w_c² / J_c² times the squared errors of the tasks of a category, summed.
    scores = scores_in_categories()
    average = rb.aggregate(scores.weigh_categories({"a": 0.8, "b": 0.2}))
    errors = {n: task.values.std(axis=0, ddof=1) / np.sqrt(30) for n, task in scores.tasks.items()}
    by_hand = (0.8 / 2) ** 2 * (errors["a1"] ** 2 + errors["a2"] ** 2) + (0.2 * errors["b1"]) ** 2
    assert average.se == pytest.approx(np.sqrt(by_hand))


def test_tasks_keep_their_weights_within_a_category() -> None:
    weighed = scores_in_categories(weight=3.0).weigh_categories({"a": 1, "b": 1})
    found = [info.weight for info in weighed.info.values()]
    assert found == pytest.approx([0.375, 0.125, 0.5])


def test_categories_without_weight_are_left_out() -> None:
    weighed = scores_in_categories().weigh_categories({"a": 2.0})
    assert [info.weight for info in weighed.info.values()] == pytest.approx([0.5, 0.5, 0.0])
    assert rb.aggregate(weighed).target == "average score over exactly these 2 tasks"


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"c": 1.0}, "Unknown category in the weights 'c'"),
        ({"a": -1.0}, "weight of category 'a' must be a finite number, 0 or more"),
        ({"a": float("nan")}, "weight of category 'a' must be a finite number, 0 or more"),
        ({"a": 0.0, "b": 0}, "All weights of categories are zero"),
        ({}, "All weights of categories are zero"),
    ],
)
def test_weights_without_sense_are_refused(weights: dict[str, float], message: str) -> None:
    with pytest.raises(rb.OptionError, match=message):
        scores_in_categories().weigh_categories(weights)


def test_a_task_without_a_category_is_one_of_its_own() -> None:
    rng = np.random.default_rng(0)
    info = {"u": rb.TaskInfo(category="a"), "v": rb.TaskInfo()}
    scores = rb.Scores.from_arrays({n: rng.random((9, 2)) for n in info}, ["x", "y"], info=info)
    weighed = scores.weigh_categories({"a": 1, "v": 3})
    assert {name: one.weight for name, one in weighed.info.items()} == {"u": 0.25, "v": 0.75}
    without = rb.Scores(scores.tasks)
    with pytest.raises(rb.OptionError, match="none is known"):
        without.weigh_categories({"u": 1})


def test_a_category_whose_tasks_have_no_weight_has_no_mean() -> None:
    rng = np.random.default_rng(0)
    info = {"u": rb.TaskInfo(category="a", weight=0.0), "v": rb.TaskInfo(category="b")}
    scores = rb.Scores.from_arrays({n: rng.random((9, 2)) for n in info}, ["x", "y"], info=info)
    with pytest.raises(rb.OptionError, match="'a' have weight 0"):
        scores.weigh_categories({"a": 1.0, "b": 1.0})

"""Rows that depend on each other: folds that share training data, and averages of clusters.

Folds are those of learners with exchangeable features, so that all are exactly tied and the
correlation of folds is what it is, not what the corrected test takes it to be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from calibration import Calibration

import rankbars as rb
from rankbars.steps.validity import find_cell

LEVEL = 0.95 - 0.01  # beside three standard errors
Array: TypeAlias = np.ndarray
Learner: TypeAlias = Callable[[Array, Array, Array, Array], Array]
REPOSITORIES = (231, 75, 44, 34, 32, 22, 22, 19, 10, 8, 2, 1)  # of SWE-bench Verified


def least_squares(train: Array, target: Array, test: Array, truth: Array) -> Array:
    """Negative squared error of each model; features have the shape (M, n, F)."""
    across = train.transpose(0, 2, 1)
    weights = np.linalg.solve(across @ train, across @ target[:, None])
    return np.asarray(-np.square(truth - (test @ weights)[..., 0]).mean(axis=1))


def neighbours(train: Array, target: Array, test: Array, truth: Array) -> Array:
    """Negative squared error of the mean of five neighbours."""
    far = np.square(test[:, :, None] - train[:, None]).sum(axis=-1)
    near = np.argpartition(far, 5, axis=2)[:, :, :5]
    return np.asarray(-np.square(truth - target[near].mean(axis=-1)).mean(axis=1))


def centroids(train: Array, target: Array, test: Array, truth: Array) -> Array:
    """Accuracy of the nearer mean of two classes."""
    means = [train[:, chosen].mean(axis=1)[:, None] for chosen in (target > 0, target <= 0)]
    far = [np.square(test - mean).sum(axis=-1) for mean in means]
    return np.asarray(((far[0] < far[1]) == (truth > 0)).mean(axis=1))


def fold_scores(
    learner: Learner, repeats: int, folds: int, rows: int, models: int, rng: np.random.Generator
) -> Array:
    features = rng.standard_normal((models, rows, 5))
    target = features.sum(axis=(0, 2)) + rng.standard_normal(rows)
    scores = []
    for _ in range(repeats):
        fold = rng.permutation(rows) % folds
        for number in range(folds):
            out = fold == number
            scores.append(learner(features[:, ~out], target[~out], features[:, out], target[out]))
    return np.array(scores)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "repeats", "folds", "rows", "models"),
    [
        (least_squares, 3, 3, 300, 6),
        (least_squares, 10, 3, 60, 10),
        (neighbours, 3, 3, 60, 3),
        (centroids, 3, 3, 150, 10),
        (centroids, 1, 10, 150, 6),
    ],
)
def test_folds_of_tied_learners_hold_with_holm_and_with_normal_draws_as_often_as_printed(
    calibration: Calibration, learner: Learner, repeats: int, folds: int, rows: int, models: int
) -> None:
    runs = calibration.runs(56, 400)
    rng = np.random.default_rng([3, repeats, folds, models])
    tasks = {f"{i}": fold_scores(learner, repeats, folds, rows, models, rng) for i in range(runs)}
    names = tuple("abcdefghij"[:models])
    compared = rb.compare(rb.Scores.from_arrays(tasks, names, design=rb.Folds(repeats, folds)))
    held = {
        name: sum(
            not one.shown_better.any()  # type: ignore[union-attr]
            for one in rb.rank(compared, correction=name, scope="all", resamples=200).values()
        )
        for name in ("holm", "maxt")
    }
    calibration.at_least(held["holm"], runs, LEVEL, of="Holm")
    stated = find_cell("corrected_t", "maxt", "all", "folds").measured_among(models)
    assert stated == 0.84
    calibration.at_least(held["maxt"], runs, stated, of="normal draws")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "tasks", "models"),
    [
        (REPOSITORIES, 3, 2),
        (REPOSITORIES, 2, 10),
        ((60, 30, 8, 5, 3, 2), 3, 2),
        ((12, 12, 12, 12), 4, 3),
        ((200, *(10,) * 19), 3, 2),
    ],
    ids=str,
)
def test_averages_over_tasks_with_few_or_unequal_clusters_hold(
    calibration: Calibration, sizes: tuple[int, ...], tasks: int, models: int
) -> None:
    """CR2 errors, and their degrees of freedom added up over tasks."""
    runs, held = calibration.runs(35, 600), 0
    rng = np.random.default_rng([6, tasks, models, len(sizes)])
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    names = tuple("abcdefghij"[:models])
    for _ in range(runs):
        rows = {
            f"t{k}": np.sqrt(0.1) * rng.normal(size=(len(sizes), models))[clusters]
            + np.sqrt(0.9) * rng.normal(size=(clusters.size, models))
            for k in range(tasks)
        }
        scores = rb.Scores(
            {name: rb.Items(names, 1.0 * (x > 0), clusters=clusters) for name, x in rows.items()}
        )
        made = rb.aggregate(scores, over="items", scope="all")
        assert made.guarantee == 0.95
        held += not made.shown_better.any()
    calibration.at_least(held, runs, LEVEL)

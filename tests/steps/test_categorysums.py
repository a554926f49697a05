"""Means of categories with rows in common: what the average with other weights gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from calibration import Calibration
from scipy import stats

import rankbars as rb
from rankbars.data.boardfile import board_to_dict
from rankbars.data.boardreading import board_from_dict
from rankbars.data.categorymeans import CategoryMeans
from rankbars.data.evidence import Items
from rankbars.render.weighttables import render_weights
from rankbars.steps.average import categorysums

NAMES = ("a", "b", "c", "d")
LANGUAGES = {"en": ("x", 60), "de": ("y", 60), "sw": ("z", 60)}


def asked(
    tasks: dict[str, tuple[str, int]] = LANGUAGES, *, seed: int = 0, taste: float = 1.5,
    design: Any = "items", models: int = 4, better: float = 0.3,
) -> rb.Scores:  # fmt: skip
    """The same questions in several languages, each a category; some lack the last ones."""
    rng = np.random.default_rng(seed)
    known = taste * rng.normal(size=(60, models)) + better * np.arange(models)
    found, info = {}, {}
    for task, (category, count) in tasks.items():
        at = rng.permutation(60)[:count]
        right = (rng.random((count, models)) < 1 / (1 + np.exp(-known[at]))) * 1.0
        ids = tuple(f"why is {k * k} {'odd' if k % 2 else 'even'}?" for k in at)
        found[task] = Items(NAMES[:models], right, ids=ids, design=design)
        info[task] = rb.TaskInfo(category=category)
    return rb.Scores(found, info=info)


def means_of(scores: rb.Scores, **options: Any) -> CategoryMeans:
    found = rb.aggregate(scores, **options).by_category
    assert found is not None
    return found


def hold_as_computed_anew(scores: rb.Scores, **options: Any) -> None:
    means = means_of(scores, **options)
    assert means.linked
    for point in np.random.default_rng(5).dirichlet(np.ones(len(means.categories)), size=4):
        weights = dict(zip(means.categories, point.tolist(), strict=True))
        average = rb.aggregate(scores.weigh_categories(weights), **options)
        standing = means.at(weights)
        pair = average.models.index(standing.winner), average.models.index(standing.runner_up)
        assert average.contrasts is not None
        assert standing.margin == pytest.approx(average.contrasts.diff[pair], rel=1e-9)
        assert standing.error == pytest.approx(average.contrasts.se[pair], rel=1e-9)


SOME = {"en": ("x", 60), "en 2": ("x", 50), "de": ("y", 45), "de 2": ("y", 60), "sw": ("z", 40)}


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (asked(), {}),
        (asked(SOME), {}),
        (asked(design="runs"), {}),
        (asked(SOME), {"test": "welch"}),
        (asked(), {"estimator": "bootstrap", "resamples": 20}),
    ],
    ids=["same items", "some items", "runs", "unpaired", "bootstrap"],
)
def test_errors_are_those_of_the_average_with_these_weights(
    scores: rb.Scores, options: dict[str, Any]
) -> None:
    hold_as_computed_anew(scores, **options)


def test_a_task_with_items_of_its_own_adds_its_error_alone() -> None:
    scores = asked()
    other = rb.Items(NAMES, np.random.default_rng(9).random((25, 4)))
    info = dict(scores.info) | {"own": rb.TaskInfo(category="y")}
    hold_as_computed_anew(rb.Scores(dict(scores.tasks) | {"own": other}, info=info))


def test_a_difference_that_never_varies_has_no_less_error_than_by_itself() -> None:
    tasks, info = {}, {}
    for name, ahead in (("p", 0.2), ("q", 0.1)):
        level = np.linspace(0, 1, 12)[:, None]
        ids = tuple(f"why {k * k}?" for k in range(12))
        tasks[name] = Items(("a", "b"), level + [ahead, 0.0], ids=ids)
        info[name] = rb.TaskInfo(category=name)
    means = means_of(rb.Scores(tasks, info=info))
    assert means.difference_se is not None
    assert means.at({"p": 0.5, "q": 0.5}).error == pytest.approx(
        means.difference_se[:, 0, 1].mean()
    )


def test_every_average_has_the_same_means_of_categories() -> None:
    scores = asked(SOME)
    one = means_of(scores)
    for options in ({"over": "tasks"}, {"over": "items", "estimator": "bayes"}):
        other = means_of(scores, **options)
        np.testing.assert_allclose(other.se, one.se)
        assert other.at().error == pytest.approx(one.at().error)
        assert other.draws is None


def test_rows_of_other_categories_are_others_where_that_is_said() -> None:
    means = means_of(asked(), independent_rows=True)
    assert means.linked == ()
    assert means.at().error < 0.97 * means_of(asked()).at().error


def test_a_map_from_draws_is_refused_where_categories_have_rows_in_common() -> None:
    with pytest.raises(rb.DataError, match="rows in common"):
        means_of(asked(), estimator="bootstrap", resamples=20).weight_map(from_draws=True)


def test_a_correlation_is_not_assumed_where_rows_are_in_common() -> None:
    with pytest.raises(rb.OptionError, match="known from their rows"):
        means_of(asked(), test="welch").at(rho=0.5)


def test_too_many_covariances_are_not_kept_and_the_map_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "allow for rows that categories have in common" in render_weights(
        means_of(asked())
    ).replace("\n", " ")
    monkeypatch.setattr(categorysums, "_MOST_CELLS", 10)
    means = means_of(asked())
    assert np.isnan(means.at().error)
    found = means.weight_map(steps=4)
    inside = (found.points > 0).sum(axis=1) > 1
    assert found.indeterminate[inside].all()
    assert np.isfinite(found.error[~inside]).all()
    assert "is not known here" in found.description


def test_a_board_keeps_what_categories_have_in_common() -> None:
    board = rb.leaderboard(asked())
    again = board_from_dict(board_to_dict(board))
    for one in (board, again):
        assert one.aggregate is not None
    means, read = board.aggregate.by_category, again.aggregate.by_category  # type: ignore[union-attr]
    assert means is not None
    assert read is not None
    assert read.linked
    assert read.at().error == means.at().error


@pytest.mark.slow
def test_equal_models_are_clearly_apart_at_other_weights_as_often_as_stated(
    calibration: Calibration,
) -> None:
    runs = calibration.runs(70, 2000)
    far = stats.t.ppf(0.975, 59)
    wrong = apart = 0
    for seed in range(runs):
        means = means_of(asked(seed=seed, models=2, better=0.0, taste=6.0))
        standing = means.at({"x": 0.5, "y": 0.2, "z": 0.3})
        wrong += standing.margin > far * standing.error
        assert means.difference_se is not None
        alone = np.sqrt(np.square([0.5, 0.2, 0.3]) @ np.square(means.difference_se[:, 0, 1]))
        apart += standing.margin > far * alone
    calibration.within(wrong, runs, 0.05, of="at weights .5, .2, .3")
    calibration.above(apart, runs, 0.1, of="taken as independent")

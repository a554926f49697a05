"""Columns of several levels: pivoted and aggregated frames, and what their files hold."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rankbars as rb
from rankbars.data.evidence import Estimates, Folds, Items

MODELS, TASKS = ("gb", "rf"), ("car", "iris")


def folds(score: str) -> pd.DataFrame:
    """Scores of two models on two tasks, twice five folds."""
    rows = list(product(MODELS, TASKS, range(2), range(5)))
    frame = pd.DataFrame(rows, columns=["model", "dataset", "repeat", "fold"])
    return frame.assign(**{score: np.random.default_rng(3).random(len(rows))})


def same(one: rb.Scores, other: rb.Scores) -> None:
    assert (one.models, list(one.tasks)) == (other.models, list(other.tasks))
    for task, items in other.tasks.items():
        found = one.tasks[task]
        assert isinstance(items, Items)
        assert isinstance(found, Items)
        assert (found.ids, found.design) == (items.ids, items.design)
        np.testing.assert_array_equal(found.values, items.values)


@pytest.mark.parametrize("values", ["accuracy", ["accuracy"]])
@pytest.mark.parametrize("names", [["dataset", "model"], [None, "model"]])
@pytest.mark.parametrize("reset", [True, False])
def test_levels_of_tasks_and_models_are_tasks_and_models(
    values: Any, names: list[str | None], reset: bool
) -> None:
    tidy = folds("accuracy")
    wide = tidy.pivot_table(
        index=["repeat", "fold"], columns=["dataset", "model"], values=values
    )  # fmt: skip
    wide.columns.names = [*wide.columns.names[:-2], *names]
    found = rb.Scores.from_frame(wide.reset_index() if reset else wide)
    same(found, rb.Scores.from_frame(tidy))
    assert found.tasks["car"].design == Folds(2, 5, 0.2)  # type: ignore[union-attr]


def test_levels_without_names_are_asked_about() -> None:
    wide = folds("accuracy").pivot_table(
        index=["repeat", "fold"], columns=["dataset", "model"], values="accuracy"
    )
    wide.columns.names = [None, None]
    with pytest.raises(rb.DataError, match=r"level 0 .*'car'.*frame\.columns\.names"):
        rb.Scores.from_frame(wide)


def test_a_file_whose_header_crosses_tasks_and_models_is_refused(tmp_path: Path) -> None:
    wide = folds("accuracy").pivot_table(
        index=["repeat", "fold"], columns=["dataset", "model"], values="accuracy"
    )
    wide.to_csv(tmp_path / "wide.csv")
    with pytest.raises(rb.ReadError, match=r"'dataset' and 'model'.*one row per score"):
        rb.read(tmp_path / "wide.csv")


@pytest.mark.parametrize("named", [True, False])
def test_a_level_that_says_the_same_everywhere_names_the_metric(
    tmp_path: Path, named: bool
) -> None:
    tidy = folds("rmse")
    wide = tidy.pivot_table(
        index=["dataset", "repeat", "fold"], columns="model", values=["rmse"]
    )  # fmt: skip
    if not named:
        wide.columns.names = [None, None]
    wide.to_csv(tmp_path / "wide.csv")
    for read in (rb.Scores.from_frame, lambda _, **said: rb.read(tmp_path / "wide.csv", **said)):
        with pytest.raises(rb.DataError, match=r"'rmse'.* is usually lower-is-better"):
            read(wide)
        same(read(wide, direction="lower"), rb.Scores.from_frame(tidy, direction="lower"))


def test_a_level_of_metrics_beside_models_is_asked_about() -> None:
    tidy = folds("rmse").assign(mae=lambda frame: frame["rmse"] / 2)
    wide = tidy.pivot_table(
        index=["dataset", "repeat", "fold"], columns="model", values=["rmse", "mae"]
    )
    with pytest.raises(rb.DataError, match="holds 2 metrics: 'mae', 'rmse'"):
        rb.Scores.from_frame(wide)
    found = rb.Scores.from_frame(wide, metric="mae", direction="lower")
    same(found, rb.Scores.from_frame(tidy.drop(columns="rmse"), direction="lower"))


def test_a_level_of_statistics_is_no_task() -> None:
    groups = folds("accuracy").groupby(["model", "dataset"])["accuracy"]
    wide = groups.agg(["mean", "std", "count"]).unstack()
    for frame in (wide, wide.swaplevel(axis="columns"), wide.rename_axis(columns=[None, None])):
        scores = rb.Scores.from_frame(frame, direction="higher")
        found = scores.tasks["iris"]
        assert list(scores.tasks) == list(TASKS)
        assert isinstance(found, Estimates)
        for place, model in enumerate(MODELS):
            values = groups.get_group((model, "iris"))
            assert found.mean[place] == pytest.approx(values.mean())
            assert found.se is not None
            assert found.se[place] == pytest.approx(values.std() / np.sqrt(10))


@pytest.mark.parametrize("swapped", [True, False])
def test_statistics_beside_means_are_left_aside(tmp_path: Path, swapped: bool) -> None:
    groups = folds("accuracy").groupby(["model", "dataset"])["accuracy"]
    wide = groups.agg(["mean", "std", "min", "median"]).unstack()
    wide = wide.swaplevel(axis="columns") if swapped else wide
    wide.to_csv(tmp_path / "wide.csv")
    flat = wide.set_axis(["_".join(names) for names in wide.columns], axis="columns")
    for scores in (rb.read(tmp_path / "wide.csv"), rb.Scores.from_frame(flat)):
        assert sorted(scores.tasks) == sorted(name for name in flat.columns if "mean" in name)
        assert "spreads" in {note.code for note in scores.notes}

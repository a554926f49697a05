"""Tasks that stay in their files: the same scores, notes and messages as read at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import rankbars as rb
from rankbars.data.boardfile import board_json

MODELS, TASKS, ITEMS = 4, 3, 12


def rows() -> pd.DataFrame:
    """Three tasks, of which the second has fewer items and the last lacks a model."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        [
            (f"m{m}", f"t{t}", i, float(rng.random() < 0.3 + m / 6))
            for m in range(MODELS)
            for t in range(TASKS)
            for i in range(ITEMS - 5 * (t == 1))
        ],
        columns=["model", "task", "item", "score"],
    )
    return frame[(frame.model != "m2") | (frame.task != "t2")].reset_index(drop=True)


def plus(**columns: Callable[[pd.DataFrame], object]) -> pd.DataFrame:
    """The rows with further columns."""
    frame = rows()
    return frame.assign(**{name: make(frame) for name, make in columns.items()})


def at_places(frame: pd.DataFrame, column: str, places: list[int], value: object) -> pd.DataFrame:
    """The rows with other cells at some places."""
    frame = frame.astype({column: object}) if isinstance(value, str) else frame
    frame.loc[places, column] = value
    return frame


def write(table: pd.DataFrame, folder: Path, *, apart: bool) -> Path:
    """The rows in one file, or those of each task in a folder of its own."""
    if not apart:
        table.to_parquet(folder / "x.parquet")
        return folder / "x.parquet"
    for task, some in table.groupby(table["task"].fillna("t")):
        own = folder / "rows" / f"task={task}"
        own.mkdir(parents=True)
        some.drop(columns="task").to_parquet(own / "x.parquet")
    return folder / "rows"


READABLE = {
    "status": at_places(plus(status=lambda _: "scored"), "status", [3, 20, 30], "excluded"),
    "errors": at_places(plus(error=lambda _: None), "error", [4, 5], "timed out"),
    "clusters": plus(cluster=lambda f: f.item // 3),
    "one cluster each": plus(cluster=lambda f: f.task),
    "clusters of some tasks": plus(cluster=lambda f: np.where(f.task == "t0", f.item // 3, 0)),
    "clusters that do not describe rows": plus(cluster=lambda f: f.model),
    "weights": plus(weight=lambda f: 1.0 + f.item % 2),
    "weights of tasks": plus(weight=lambda f: np.where(f.task == "t1", 2.0, 1.0)),
    "repeats": pd.concat([rows().assign(epoch=e) for e in range(3)], ignore_index=True)[5:],
    "categories": plus(category=lambda f: f.task.str.replace("t2", "t1")),
    "losses": plus(direction=lambda f: np.where(f.task == "t1", "lower", "higher")),
    "empty rows": pd.concat([rows(), pd.DataFrame({"model": [None, None]})], ignore_index=True),
    "no items named": rows().drop(columns="item")[lambda f: f.task != "t1"],
    "one score per model": rows().groupby(["model", "task"], as_index=False).score.mean(),
    "percentages as numbers": plus(score=lambda f: f.score * 100),
}


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("kept", [10**9, 0])
@pytest.mark.parametrize("table", READABLE.values(), ids=READABLE)
def test_scores_and_notes_are_those_of_the_table_read_at_once(
    table: pd.DataFrame, kept: int, apart: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankbars.tables.byreference.MOST_KEPT", kept)
    monkeypatch.setattr("rankbars.tables.byreference.BATCHES", 1)  # files are looked at together
    path = write(table, tmp_path, apart=apart)
    whole, parts = rb.read(path), rb.read(path, by_reference=True)
    assert parts.models == whole.models
    assert [asdict(note) for note in parts.notes] == [asdict(note) for note in whole.notes]
    boards = [board_json(rb.leaderboard(one, missing="bounds")) for one in (parts, whole)]
    assert boards[0] == boards[1]


@pytest.mark.parametrize("metric", ["f1", "F1"])
def test_a_metric_that_only_some_tasks_have_is_chosen(metric: str, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    plus(metric=lambda f: np.where(f.task == "t1", "accuracy", "f1")).to_parquet(path)
    whole, parts = (rb.read(path, metric=metric, by_reference=again) for again in (False, True))
    assert list(parts.tasks) == list(whole.tasks) == ["t0", "t2"]
    assert parts.notes == whole.notes


WRONG: dict[str, tuple[pd.DataFrame, dict[str, object]]] = {
    "a row that stands twice": (pd.concat([rows(), rows()[7:8]], ignore_index=True), {}),
    "an infinite score": (at_places(rows(), "score", [9], np.inf), {}),
    "a score beyond its limit": (at_places(rows(), "score", [9], 7.0), {"maximum": 1}),
    "a task without a name": (at_places(rows(), "task", [9], ""), {}),
    "a model without a name": (at_places(rows(), "model", [9], ""), {}),
    "several metrics": (plus(metric=lambda f: np.where(f.item > 5, "a", "b")), {}),
    "a metric that nothing has": (plus(metric=lambda _: "f1"), {"metric": "accuracy"}),
    "an unknown direction": (plus(direction=lambda _: "sideways"), {}),
    "a direction to declare": (rows().rename(columns={"score": "loss"}), {}),
    "two scales": (
        plus(score=lambda f: np.where(f.model == "m1", 70.0, 0.7)).rename(
            columns={"score": "accuracy"}
        ),
        {},
    ),
    "an unknown status": (plus(status=lambda _: "perhaps"), {}),
    "nothing but excluded rows": (plus(status=lambda _: "excluded"), {}),
    "two clusters of a row": (
        plus(cluster=lambda f: f.model),
        {"columns": {"cluster": "cluster"}},
    ),
}


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize(("table", "options"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_a_task_is_told_by_whoever_reads_it(
    table: pd.DataFrame, options: dict[str, object], apart: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("rankbars.tables.byreference.BATCHES", 1)
    if apart and (table["task"] == "").any():
        return  # every file has a name
    path = write(table, tmp_path, apart=apart)
    told = []
    for again in (False, True):
        with pytest.raises(rb.RankbarsError) as error:
            rb.read(path, by_reference=again, **options)  # type: ignore[arg-type]
        told.append(str(error.value))
    assert told[0] == told[1]


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """The same rows in folders named after tasks, as other programs write them."""
    rows().replace({"task": {"t0": "high school"}}).to_parquet(tmp_path / "x.parquet")
    with duckdb.connect() as engine:
        engine.execute(
            f"COPY (SELECT * FROM '{tmp_path}/x.parquet') TO '{tmp_path}/data' "
            "(FORMAT parquet, PARTITION_BY (task))"
        )
    return tmp_path / "data"


def test_folders_named_after_tasks_are_their_column(folders: Path) -> None:
    whole = rb.read(folders.parent / "x.parquet")
    for by_reference in (False, True):
        parts = rb.read(folders, by_reference=by_reference)
        assert list(parts.tasks) == list(whole.tasks) == ["high school", "t1", "t2"]
        for name, task in whole.tasks.items():
            found = parts.tasks[name]
            assert isinstance(found, rb.Items)
            assert isinstance(task, rb.Items)
            np.testing.assert_array_equal(found.values, task.values)
            assert (found.models, found.ids) == (task.models, task.ids)


def test_folders_of_models_and_tasks_are_columns_both(tmp_path: Path) -> None:
    rows().to_parquet(tmp_path / "x.parquet")
    with duckdb.connect() as engine:
        engine.execute(
            f"COPY (SELECT * FROM '{tmp_path}/x.parquet') TO '{tmp_path}/data' "
            "(FORMAT parquet, PARTITION_BY (task, model))"
        )
    whole, parts = rb.read(tmp_path / "x.parquet"), rb.read(tmp_path / "data", by_reference=True)
    boards = [rb.leaderboard(one, missing="bounds") for one in (whole, parts)]
    assert (boards[0].aggregate.best == boards[1].aggregate.best).all()
    assert boards[1].models == ("m0", "m1", "m2", "m3")


def test_a_column_in_the_file_goes_before_the_name_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "task=old").mkdir()
    rows().to_parquet(tmp_path / "task=old" / "x.parquet")
    assert list(rb.read(tmp_path).tasks) == ["t0", "t1", "t2"]


def test_only_the_folder_of_a_task_is_read_for_it(
    folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankbars.tables.byreference.MOST_KEPT", 0)  # so it is read again
    scores = rb.read(folders, by_reference=True)
    for other in folders.rglob("task=t*/*.parquet"):
        other.unlink()
    assert isinstance(scores.tasks["high school"], rb.Items)
    with pytest.raises(rb.ReadError, match="a worker cannot open"):
        scores.tasks["t1"]


def test_a_metric_that_is_cut_from_the_name_of_a_task_is_told(tmp_path: Path) -> None:
    rows = "model,item,score\na,1,3\nb,1,4\na,2,3\nb,2,5\n"
    for name, task, told in (
        ("b09_latency", "b09", "after the file, without 'latency' in its name."),
        ("rmse_wide", "rmse_wide", "it is called after the file."),
    ):
        path = tmp_path / f"{name}.csv"
        path.write_text(rows, encoding="utf-8")
        scores = rb.read(path, direction="lower")
        assert list(scores.tasks) == [task]
        assert any(told in note.message for note in scores.notes)

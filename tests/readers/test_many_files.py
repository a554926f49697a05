"""Folders of many small files: what is read, what is said, and how often the database is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rankbars as rb
from rankbars.tables.database import Engine

KINDS = ("csv", "jsonl", "json", "parquet")


def write(path: Path, frame: pd.DataFrame) -> None:
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=path.suffix == ".jsonl")


def answers(models: int = 5, tasks: int = 3, items: int = 8) -> list[pd.DataFrame]:
    """One table for each model and task, with an empty cell now and then."""
    rng = np.random.default_rng(11)
    return [
        pd.DataFrame({
            "question": [f"q{item}" for item in range(items)],
            "score": np.where(rng.random(items) < 0.1, np.nan, rng.integers(0, 9, items) / 4.0),
            "model": f"m{model}", "task": f"t{task}",
        })
        for model in range(models) for task in range(tasks)
    ]  # fmt: skip


def lay_out(folder: Path, kind: str, frames: Sequence[pd.DataFrame]) -> Path:
    folder.mkdir()
    for number, frame in enumerate(frames):
        write(folder / f"part{number:03}.{kind}", frame)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_many_small_files_hold_what_one_large_file_holds(kind: str, tmp_path: Path) -> None:
    frames = answers()
    many = rb.read(lay_out(tmp_path / "many", kind, frames))
    write(tmp_path / f"one.{kind}", pd.concat(frames))
    one = rb.read(tmp_path / f"one.{kind}")
    assert list(many.tasks) == list(one.tasks) == ["t0", "t1", "t2"]
    for task, evidence in one.tasks.items():
        assert many.tasks[task].models == evidence.models
        np.testing.assert_array_equal(many.tasks[task].values, evidence.values)


@pytest.mark.parametrize("kind", KINDS)
def test_names_that_only_files_give_are_those_of_each_file(kind: str, tmp_path: Path) -> None:
    frames = [frame.drop(columns="model") for frame in answers(4, 1)]
    (tmp_path / "runs").mkdir()
    for name, frame in zip("dabc", frames, strict=True):
        write(tmp_path / "runs" / f"{name}.{kind}", frame)
    task = rb.read(tmp_path / "runs").tasks["t0"]
    assert task.models == ("a", "b", "c", "d")
    for name, frame in zip("dabc", frames, strict=True):
        column = task.values[:, task.models.index(name)]
        np.testing.assert_array_equal(column, frame["score"])


def test_folders_that_name_a_column_name_it_for_each_file(tmp_path: Path) -> None:
    frames = [frame.drop(columns="task") for frame in answers(2, 3)]
    for number, frame in enumerate(frames):
        place = tmp_path / f"task=t{number % 3}"
        place.mkdir(exist_ok=True)
        write(place / f"{frame['model'][0]}.parquet", frame)
    found = rb.read(tmp_path)
    assert list(found.tasks) == ["t0", "t1", "t2"]
    np.testing.assert_array_equal(found.tasks["t2"].values[:, 1], frames[5]["score"])


def test_files_of_other_columns_among_them_are_read_with_them(tmp_path: Path) -> None:
    frames = answers(4, 2)
    swapped = [
        frame[["task", "model", "question", "score"]] if number % 3 == 1 else frame
        for number, frame in enumerate(frames)
    ]
    same = rb.read(lay_out(tmp_path / "same", "csv", frames))
    mixed = rb.read(lay_out(tmp_path / "mixed", "csv", swapped))
    for task in same.tasks:
        np.testing.assert_array_equal(mixed.tasks[task].values, same.tasks[task].values)


def test_words_in_one_file_are_read_beside_numbers_in_others(tmp_path: Path) -> None:
    frames = [frame.assign(score=(frame["score"] > 1.0) * 1) for frame in answers(3, 1)]
    folder = lay_out(tmp_path / "many", "csv", frames)
    write(folder / "part001.csv", frames[1].assign(score=frames[1]["score"] == 1))
    found = rb.read(folder).tasks["t0"]
    for number, frame in enumerate(frames):
        np.testing.assert_array_equal(found.values[:, number], frame["score"])


def test_points_between_thousands_are_those_of_the_file_that_has_them(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    cells = {"a": ("1,25", "2,5", "3,5"), "b": ("1.234,5", "2.345", "3,5"), "c": ("1", "2", "3")}
    for model, scores in cells.items():
        rows = [f"q{item};{model};{score}" for item, score in enumerate(scores)]
        text = "\n".join(["item;model;score", *rows])
        (folder / f"{model}.csv").write_text(f"{text}\n")
    (task,) = rb.read(folder, maximum=4000.0).tasks.values()
    np.testing.assert_array_equal(
        task.values, [[1.25, 1234.5, 1.0], [2.5, 2345.0, 2.0], [3.5, 3.5, 3.0]]
    )


def test_a_header_among_the_rows_is_told_of_the_file_that_has_it(tmp_path: Path) -> None:
    frames = answers(3, 1)
    folder = lay_out(tmp_path / "many", "csv", frames)
    plain = rb.read(folder)
    twice = folder / "part001.csv"
    head, *rows = twice.read_text().splitlines()
    twice.write_text("\n".join([head, *rows[:4], head, *rows[4:]]) + "\n")
    found = rb.read(folder)
    np.testing.assert_array_equal(found.tasks["t0"].values, plain.tasks["t0"].values)
    assert [note.message for note in found.notes if "header stands" in note.message] == [
        f"{twice.as_posix()}: The header stands once more among the rows; these rows are left out."
    ]


def spoil_score(path: Path) -> None:
    if path.suffix == ".csv":
        path.write_text(path.read_text().replace("q5,", "q5,about ", 1))
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        rows[5]["score"] = "about 1"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def cut_row(path: Path) -> None:
    path.write_text(path.read_text().replace(",m1,t0\nq251", "\nq251", 1))


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def spoil_page(path: Path) -> None:
    held = path.read_bytes()
    path.write_bytes(held[:4] + bytes(60) + held[64:])


@pytest.mark.parametrize(
    ("kind", "spoil"),
    [
        ("csv", spoil_score),
        ("jsonl", spoil_score),
        ("csv", cut_row),
        ("parquet", cut_off),
        ("parquet", spoil_page),
    ],
)
def test_what_is_wrong_with_one_of_many_is_said_as_of_that_file_alone(
    kind: str, spoil: Callable[[Path], None], tmp_path: Path
) -> None:
    folder = lay_out(tmp_path / "many", kind, answers(3, 1, 260))
    wrong = folder / f"part001.{kind}"
    spoil(wrong)
    with pytest.raises(rb.RankbarsError) as alone:
        rb.read(wrong)
    with pytest.raises(rb.RankbarsError) as together:
        rb.read([*sorted(folder.iterdir())])
    assert str(together.value) == str(alone.value)
    assert wrong.name in str(alone.value)


@pytest.mark.parametrize("kind", KINDS)
def test_many_files_take_no_more_queries_than_few(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    for name in ("ask", "run", "arrays"):
        known = getattr(Engine, name)

        def count(self: Engine, query: str, known: Callable[..., object] = known) -> object:
            asked.append(query)
            return known(self, query)

        monkeypatch.setattr(Engine, name, count)
    numbers = []
    for models in (3, 12):
        asked.clear()
        rb.read(lay_out(tmp_path / f"{models} models", kind, answers(models, 3)))
        numbers.append(len(asked))
    assert numbers[0] == numbers[1]

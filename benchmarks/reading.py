"""From files to matrices, and to boards."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import Job, Once, Ratio, Row, Sides, require

TITLE = "Reading"

Matrices = dict[str, NDArray[np.float64]]

SAMPLE = (
    '{"doc_id": %d, "doc": {"question": "%s"}, "target": "A", "arguments": [["%s", " A"]], '
    '"resps": [[["%s"]]], "filtered_resps": ["A"], "doc_hash": "%08x", "acc": %.1f}\n'
)


def parquet_against_pandas(models: int, items: int, tasks: int, ids: str) -> Sides:
    """A tidy Parquet file, beside pandas and one pivot per task."""
    import pandas as pd

    import rankbars as rb

    path = write_rows(models, items, tasks, ids)

    def ours() -> Matrices:
        tasks = rb.read(path).tasks.items()
        return {name: task.values for name, task in tasks if isinstance(task, rb.Items)}

    def by_pandas() -> Matrices:
        frame = pd.read_parquet(path)
        return {
            str(task): rows.pivot(index="item", columns="model", values="score").to_numpy()
            for task, rows in frame.groupby("task")
        }

    def agree(one: Matrices, other: Matrices) -> None:
        require(list(one) == list(other), "the same tasks")
        for task, values in one.items():
            _same_rows(values, other[task])

    return Sides(ours, by_pandas, agree)


def board_of_parquet(models: int, tasks: int, rows: int) -> Job:
    """A tidy Parquet file to the whole leaderboard."""
    import rankbars as rb

    path = write_rows(models, rows // (models * tasks), tasks, "integer")
    rank = rb.leaderboard

    def check(board: rb.Leaderboard) -> None:
        require(len(board.models) == models and len(board.tasks) == tasks, "models and tasks")

    return Job(lambda: rank(rb.read(path)), check)


def samples_of_lm_eval(megabytes: int) -> Job:
    """Logged samples of two models with long prompts and answers, which are not kept."""
    import rankbars as rb

    folder, size = new_folder(), megabytes * 10**6
    text = "why " * 500
    rng = np.random.default_rng(0)
    for model in ("model a", "model b"):
        path = folder / model / "samples_law_2026-01-01T00-00-00.000000.jsonl"
        path.parent.mkdir()
        with path.open("w", encoding="utf-8") as file:
            written = item = 0
            while written < size / 2:
                written += file.write(SAMPLE % (item, text, text, text, item, rng.random() < 0.5))
                item += 1

    def check(scores: rb.Scores) -> None:
        require(scores.models == ("model a", "model b"), "both models")

    return Job(lambda: rb.read(folder), check)


def write_rows(models: int, items: int, tasks: int, ids: str) -> Path:
    """A Parquet file of one row per answer, right or wrong; ids of items are numbers or text."""
    import duckdb

    path = new_folder() / "scores.parquet"
    item = {"integer": "item::INTEGER", "string": "printf('question-%06d', item)"}[ids]
    # Written by the engine, row by row: frames of this size would be what is measured.
    with duckdb.connect() as engine:
        engine.execute(
            "COPY (SELECT printf('model %04d', model) AS model, printf('task %03d', task) AS task, "
            f"{item} AS item, "
            "(hash(model, task, item) % 1000 < 300 + 400 * model / $models)::INTEGER AS score "
            "FROM range($models) AS a(model), range($tasks) AS b(task), range($items) AS c(item)) "
            f"TO '{path}' (FORMAT parquet)",
            {"models": models, "tasks": tasks, "items": items},
        )
    return path


def new_folder() -> Path:
    """A folder that goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="rankbars-bench-"))
    atexit.register(shutil.rmtree, folder)
    return folder


def _same_rows(one: NDArray[np.float64], other: NDArray[np.float64]) -> None:
    np.testing.assert_array_equal(one, other)


ROWS: tuple[Row, ...] = (
    *(
        Ratio(
            f"parquet_1e7_{ids}",
            f"Parquet to matrices, 10,000,000 rows, ids of items are {what}",
            "pandas `read_parquet` and one pivot per task",
            parquet_against_pandas,
            {"models": 500, "items": 1000, "tasks": 20, "ids": ids},
            {"models": 3, "items": 12, "tasks": 2, "ids": ids},
            at_least=demanded,
            memory_at_most=0.5,
            slow=True,
        )
        for ids, what, demanded in (("integer", "numbers", 2.0), ("string", "text", 0.9))
    ),
    Once(
        "samples_2gb",
        "2 GB of logged samples (lm-evaluation-harness) to scores",
        samples_of_lm_eval,
        {"megabytes": 2000},
        {"megabytes": 1},
        {"peak_mb": 400},
    ),
)

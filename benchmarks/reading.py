"""From files to matrices, and to boards."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
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

    path = write_rows(models, items, tasks, ids)

    def by_pandas() -> Matrices:
        frame = pd.read_parquet(path)
        return {
            str(task): rows.pivot(index="item", columns="model", values="score").to_numpy()
            for task, rows in frame.groupby("task")
        }

    return Sides(_matrices_of(path), by_pandas, _same_matrices)


def parquet_against_arrow(models: int, items: int, tasks: int, ids: str) -> Sides:
    """The same, beside names as dictionaries of pyarrow and one scatter; nothing is checked."""
    import pyarrow.parquet as pq

    path = write_rows(models, items, tasks, ids)
    named = ["model", "task", *(["item"] if ids == "string" else [])]

    def by_arrow() -> Matrices:
        table = pq.read_table(path, read_dictionary=named).unify_dictionaries().combine_chunks()
        names, codes = {}, {}
        for name in named:
            column = table[name].chunk(0)
            given = np.array(column.dictionary.to_pylist())
            names[name], place = np.unique(given, return_inverse=True)
            codes[name] = place[column.indices.to_numpy()]
        if ids == "integer":
            codes["item"] = table["item"].to_numpy()
        shape = (len(names["task"]), int(codes["item"].max()) + 1, len(names["model"]))
        cells = np.full(shape, np.nan)
        place = (codes["task"] * shape[1] + codes["item"]) * shape[2] + codes["model"]
        cells.reshape(-1)[place] = table["score"].to_numpy()
        return dict(zip(names["task"].tolist(), cells, strict=True))

    return Sides(_matrices_of(path), by_arrow, _same_matrices)


def parquet_against_query(models: int, items: int, tasks: int, ids: str) -> Sides:
    """The same, beside what any reader by this engine must do: bring the rows into arrays."""
    import duckdb

    path = write_rows(models, items, tasks, ids)
    read, rows, step = _matrices_of(path), models * items * tasks, 2**20

    def by_query() -> float:
        total = 0.0
        with duckdb.connect(config={"threads": 1}) as engine:
            for first in range(0, rows, step):
                found = engine.execute(
                    "SELECT score::DOUBLE AS score, hash(model) AS model, hash(task) AS task, item "
                    f"FROM read_parquet('{path}', file_row_number = true) "
                    f"WHERE file_row_number >= {first} AND file_row_number < {first + step}"
                ).fetchnumpy()
                total += float(found["score"].sum())
        return total

    def agree(ours: Matrices, theirs: float) -> None:
        require(sum(values.sum() for values in ours.values()) == theirs, "the same sum of scores")

    return Sides(read, by_query, agree)


def many_files_against_pandas(files: int, rows: int, kind: str) -> Sides:
    """A folder of small files, one per model and task, beside pandas and one pivot per task."""
    import pandas as pd

    folder = write_small_files(files, rows, kind)
    readers: dict[str, Callable[[Path], pd.DataFrame]] = {
        "csv": pd.read_csv,
        "jsonl": lambda path: pd.read_json(path, lines=True),
        "parquet": pd.read_parquet,
    }

    def by_pandas() -> Matrices:
        frame = pd.concat(map(readers[kind], sorted(folder.iterdir())))
        return {
            str(task): some.pivot(index="item", columns="model", values="score").to_numpy()
            for task, some in frame.groupby("task")
        }

    return Sides(_matrices_of(folder), by_pandas, _same_matrices)


def _matrices_of(path: Path) -> Callable[[], Matrices]:
    import rankbars as rb

    def read() -> Matrices:
        tasks = rb.read(path).tasks.items()
        return {name: task.values for name, task in tasks if isinstance(task, rb.Items)}

    return read


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


def write_folders(models: int, items: int, tasks: int) -> Path:
    """The same rows in a folder of files for each task, as other programs write data sets."""
    import duckdb

    path = write_rows(models, items, tasks, "integer")
    with duckdb.connect() as engine:
        engine.execute(
            f"COPY (SELECT * FROM '{path}') TO '{path.parent / 'tasks'}' "
            "(FORMAT parquet, PARTITION_BY (task))"
        )
    return path.parent / "tasks"


def write_small_files(files: int, rows: int, kind: str) -> Path:
    """A folder of files of so many right and wrong answers of one of ten models to one task."""
    import pandas as pd

    folder, rng = new_folder() / "files", np.random.default_rng(0)
    folder.mkdir()
    for number in range(files):
        frame = pd.DataFrame({
            "item": np.arange(rows), "score": rng.integers(0, 2, rows),
            "model": f"model {number % 10}", "task": f"task {number // 10:03}",
        })  # fmt: skip
        path = folder / f"{number:04}.{kind}"
        if kind == "csv":
            frame.to_csv(path, index=False)
        elif kind == "jsonl":
            frame.to_json(path, orient="records", lines=True)
        else:
            frame.to_parquet(path)
    return folder


def new_folder() -> Path:
    """A folder that goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="rankbars-bench-"))
    atexit.register(shutil.rmtree, folder)
    return folder


def _same_matrices(one: Matrices, other: Matrices) -> None:
    require(list(one) == list(other), "the same tasks")
    for task, values in one.items():
        np.testing.assert_array_equal(values, other[task])


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
    *(
        Ratio(
            f"parquet_arrow_1e7_{ids}",
            f"Parquet to matrices, 10,000,000 rows, ids of items are {what}",
            "pyarrow, names as dictionaries and one scatter; nothing is checked",
            parquet_against_arrow,
            {"models": 500, "items": 1000, "tasks": 20, "ids": ids},
            {"models": 3, "items": 12, "tasks": 2, "ids": ids},
            slow=True,
        )
        for ids, what in (("integer", "numbers"), ("string", "text"))
    ),
    Ratio(
        "parquet_query_1e7",
        "Parquet to matrices, 10,000,000 rows, ids of items are numbers",
        "one DuckDB query that brings the same rows into arrays, unsorted and unchecked: the floor",
        parquet_against_query,
        {"models": 500, "items": 1000, "tasks": 20, "ids": "integer"},
        {"models": 3, "items": 12, "tasks": 2, "ids": "integer"},
        slow=True,
    ),
    *(
        Ratio(
            f"many_files_{kind}",
            f"A folder of 300 {what} files with 50 rows each, to matrices",
            "pandas, each file read, all of them one below the other, and one pivot per task",
            many_files_against_pandas,
            {"files": 300, "rows": 50, "kind": kind},
            {"files": 20, "rows": 3, "kind": kind},
            at_least=demanded,
        )
        for kind, what, demanded in (
            ("csv", "CSV", 0.1),
            ("jsonl", "JSON-lines", 0.25),
            ("parquet", "Parquet", 0.2),
        )
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

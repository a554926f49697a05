"""From files to matrices."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import draw_scores, model_names
from benchmarks.rows import Ratio, Row, Sides, require

TITLE = "Reading"

Matrices = dict[str, NDArray[np.float64]]


def parquet_against_pandas(models: int, items: int, tasks: int) -> Sides:
    """A tidy Parquet file with names of items, beside pandas and one pivot per task."""
    import pandas as pd

    import rankbars as rb

    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    path = folder / "scores.parquet"
    names = list(model_names(models))
    parts = [
        pd.DataFrame(draw_scores(models, items, seed=t), columns=names)
        .assign(item=[f"question {i:06d}" for i in range(items)])
        .melt(id_vars="item", var_name="model", value_name="score")
        .assign(task=f"task {t:03d}")
        for t in range(tasks)
    ]
    pd.concat(parts).to_parquet(path)

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
            np.testing.assert_array_equal(values, other[task])

    return Sides(ours, by_pandas, agree)


ROWS: tuple[Row, ...] = (
    Ratio(
        "parquet_1e6",
        "Parquet to matrices, 1,000,000 rows",
        "pandas `read_parquet` and one pivot per task",
        parquet_against_pandas,
        {"models": 100, "items": 500, "tasks": 20},
        {"models": 3, "items": 5, "tasks": 2},
        slow=True,
    ),
)

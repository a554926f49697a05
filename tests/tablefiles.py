"""Small tables in every form, and what makes two readings the same."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import rankbars as rb
from rankbars.data.evidence import Estimates, Items

TABLES = Path(__file__).parent / "data" / "tables"

Columns = Mapping[str, Sequence[Any]]


def rows_of(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def csv_text(columns: Columns, delimiter: str = ",") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def write_csv(columns: Columns, folder: Path, name: str = "results") -> Path:
    path = folder / f"{name}.csv"
    path.write_text(csv_text(columns), encoding="utf-8")
    return path


def write_tsv(columns: Columns, folder: Path, name: str = "results") -> Path:
    path = folder / f"{name}.tsv"
    path.write_text(csv_text(columns, "\t"), encoding="utf-8")
    return path


def write_json_lines(columns: Columns, folder: Path, name: str = "results") -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows_of(columns)), encoding="utf-8")
    return path


def write_json(columns: Columns, folder: Path, name: str = "results") -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(rows_of(columns)), encoding="utf-8")
    return path


def write_parquet(columns: Columns, folder: Path, name: str = "results") -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / f"{name}.parquet"
    pq.write_table(pa.table({key: list(values) for key, values in columns.items()}), path)
    return path


WRITERS: dict[str, Callable[[Columns, Path], Path]] = {
    "csv": write_csv,
    "tsv": write_tsv,
    "jsonl": write_json_lines,
    "json": write_json,
    "parquet": write_parquet,
}


def pandas_frame(columns: Columns) -> Any:
    import pandas as pd

    return pd.DataFrame({key: list(values) for key, values in columns.items()})


def polars_frame(columns: Columns) -> Any:
    import polars as pl

    return pl.DataFrame({key: list(values) for key, values in columns.items()})


def lazy_frame(columns: Columns) -> Any:
    return polars_frame(columns).lazy()


def arrow_table(columns: Columns) -> Any:
    import pyarrow as pa

    return pa.table({key: list(values) for key, values in columns.items()})


def duckdb_relation(columns: Columns) -> Any:
    import duckdb

    return duckdb.from_arrow(arrow_table(columns))


FRAMES: dict[str, Callable[[Columns], Any]] = {
    "pandas": pandas_frame,
    "polars": polars_frame,
    "polars lazy": lazy_frame,
    "pyarrow": arrow_table,
    "duckdb": duckdb_relation,
}


def read_columns(columns: Columns, **options: Any) -> rb.Scores:
    """Scores from a pandas frame of the columns."""
    return rb.Scores.from_frame(pandas_frame(columns), **options)


def codes(scores: rb.Scores) -> list[str]:
    return [note.code for note in scores.notes]


def message(scores: rb.Scores, code: str) -> str:
    return next(note.message for note in scores.notes if note.code == code)


def assert_same(one: rb.Scores, two: rb.Scores) -> None:
    """Equal evidence, bit for bit, and equal facts about tasks."""
    assert list(one.tasks) == list(two.tasks)
    for name, first in one.tasks.items():
        second = two.tasks[name]
        assert type(first) is type(second)
        assert first.models == second.models
        if isinstance(first, Items) and isinstance(second, Items):
            assert first.ids == second.ids
            assert first.design == second.design
            fields = ("values", "clusters", "weights", "answers")
        else:
            assert isinstance(first, Estimates)
            fields = ("mean", "se", "n")
        for field in fields:
            left, right = getattr(first, field), getattr(second, field)
            assert (left is None) == (right is None), field
            if left is not None:
                np.testing.assert_array_equal(left, right, err_msg=f"{name} {field}")
        assert one.info[name] == two.info[name]
        left, right = one.info[name].coverage, two.info[name].coverage
        assert (left is None) == (right is None)
        if left is not None and right is not None:
            assert left.expected == right.expected
            for field in ("scored", "unscored", "errors", "missing"):
                np.testing.assert_array_equal(getattr(left, field), getattr(right, field))

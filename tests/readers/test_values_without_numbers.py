"""A published value that is no finite number: a cell without a score, and a note."""

from __future__ import annotations

import base64
import json
from datetime import date, datetime, time, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from logfiles import write_lm_eval, write_simple
from tablefiles import FRAMES, codes, message

import rankbars as rb
from rankbars.data.evidence import Estimates, Items
from rankbars.errors import DataError

NO_NUMBERS = (float("nan"), float("inf"), None, "NaN")


@pytest.mark.parametrize("value", NO_NUMBERS, ids=str)
def test_a_value_that_is_no_number_is_a_cell_without_a_score(tmp_path: Path, value: object) -> None:
    for model, given in (("a", 0.5), ("b", value)):
        write_lm_eval(tmp_path, model, {"arc": {"acc,none": given}, "sum": {"acc,none": 0.25}})
    scores = rb.read(tmp_path)
    arc = scores.tasks["arc"]
    assert isinstance(arc, Estimates)
    assert arc.models == ("a", "b")
    np.testing.assert_array_equal(arc.mean, [0.5, np.nan])
    note = message(scores, "no-score")
    assert "'b'" in note
    assert "no finite number" in note


@pytest.mark.parametrize("value", NO_NUMBERS, ids=str)
def test_lighteval_counts_its_items_as_unscored(tmp_path: Path, value: object) -> None:
    for model, given in (("a", 0.5), ("b", value)):
        content = {
            "config_general": {"model_name": model},
            "results": {"x|arc|0": {"em": given}, "all": {"em": given}},
            "config_tasks": {"x|arc|0": {"effective_num_docs": 4, "metrics": [
                {"metric_name": "em", "higher_is_better": True}]}},
        }  # fmt: skip
        path = tmp_path / "results" / model / "results_2025-01-02T03-04-05.678901.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(content))
    scores = rb.read(tmp_path)
    coverage = scores.info["x|arc|0"].coverage
    assert coverage is not None
    assert (coverage.scored.tolist(), coverage.unscored.tolist()) == ([4, 0], [0, 4])
    assert "no-score" in codes(scores)


def test_models_with_items_stay_paired_beside_a_model_without_a_score(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0, 1.0])
    write_lm_eval(tmp_path, "b", {"arc": {"acc,none": float("nan")}})
    write_simple(tmp_path, "c", [1.0, 0.0, 0.0])
    scores = rb.read(tmp_path)
    arc = scores.tasks["arc"]
    assert isinstance(arc, Items)
    assert arc.models == ("a", "b", "c")
    assert np.isnan(arc.values[:, 1]).all()
    assert arc.values[:, [0, 2]].sum() == 3.0


def test_a_task_without_any_value_does_not_stop_the_others(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "a", {"arc": {"acc,none": float("nan")}, "sum": {"acc,none": 0.25}})
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["sum"]
    assert "'a'" in message(scores, "no-score")


def test_a_metric_with_values_goes_before_one_without(tmp_path: Path) -> None:
    for model in "ab":
        values = {"acc,none": None, "f1,none": 0.5}
        write_lm_eval(tmp_path, model, {"arc": values})
    assert rb.read(tmp_path).info["arc"].metric == "f1"


TIMES = [datetime.fromisoformat("2026-01-02"), date(2026, 1, 2), time(1, 2)]


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("cell", TIMES, ids=str)
def test_times_are_no_scores_in_any_frame(kind: str, cell: object) -> None:
    columns = {"model": [*"aabb"], "item": [1, 2, 1, 2], "score": [cell] * 4}
    with pytest.raises(DataError, match=r"'score' is not a number|'score' \(score\) has"):
        rb.Scores.from_frame(FRAMES[kind](columns))


TOOK = [timedelta(seconds=1.5), timedelta(seconds=2), timedelta(minutes=2), timedelta(days=1)]
SECONDS = [[-1.5, -120.0], [-2.0, -86400.0]]  # higher is better inside


@pytest.mark.parametrize("kind", FRAMES)
def test_durations_in_any_frame_are_seconds(kind: str) -> None:
    frame = FRAMES[kind]({"model": [*"aabb"], "item": [1, 2, 1, 2], "score": TOOK})
    with pytest.raises(DataError, match="'duration' is usually lower-is-better"):
        rb.Scores.from_frame(frame)
    scores = rb.Scores.from_frame(frame, direction="lower")
    assert scores.tasks["all"].values.tolist() == SECONDS
    assert any("durations are read as seconds" in note.message for note in scores.notes)


@pytest.mark.parametrize("by", ["pandas", "pyarrow", "polars"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_durations_in_parquet_files_are_seconds_whatever_their_unit(
    tmp_path: Path, by: str, unit: str
) -> None:
    took = [timedelta(seconds=one) for one in (1, 2, 120, 86400)]
    nested = [{"t": one} for one in took]
    table = pa.table(
        {
            "n": [1, 2, 3, 4],
            "nested": pa.array(nested, pa.struct([("t", pa.duration(unit))])),
            "model": [*"aabb"],
            "item": [1, 2, 1, 2],
            "score": pa.array(took, pa.duration(unit)),
        }
    )
    path = tmp_path / "r.parquet"
    if by == "pandas":
        table.drop_columns("nested").to_pandas().set_index("model").to_parquet(path)
    elif by == "polars":
        pl.DataFrame(table).write_parquet(path)
    else:
        pq.write_table(table, path)
    with pytest.raises(DataError, match="'duration' is usually lower-is-better"):
        rb.read(path)
    scores = rb.read(path, direction="lower")
    assert scores.tasks["r"].values.tolist() == [[-1.0, -120.0], [-2.0, -86400.0]]


def test_a_broken_schema_beside_a_parquet_file_changes_nothing(tmp_path: Path) -> None:
    schema = pa.schema([("score", pa.duration("s"))]).serialize().to_pybytes()
    table = pa.table({"score": [1, 0, 1, 1], "model": [*"aabb"], "item": [1, 2, 1, 2]})
    for cut in range(0, len(schema) - 8, 12):
        said = {b"ARROW:schema": base64.b64encode(schema[:cut] + b"\xff" * 8 * (cut % 24 > 0))}
        path = tmp_path / f"r{cut}.parquet"
        pq.write_table(table.replace_schema_metadata(said), path, store_schema=False)
        assert rb.read(path, direction="higher").models == ("a", "b")

"""TabArena and bencheval: genuine tables to their numbers, made-up ones for each trap."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest
from logfiles import FIXTURES

import rankbars as rb
from rankbars.data.evidence import Folds
from rankbars.readers import explain

TABARENA = FIXTURES / "tabarena"
PARQUET = TABARENA / "hpo_combined" / "LightGBM.parquet"
CSV = TABARENA / "results_per_split.csv"


def message(scores: rb.Scores, code: str) -> str:
    return " ".join(note.message for note in scores.notes if note.code == code)


def write(
    path: Path, splits: Sequence[object], *, header: str = "dataset,fold,method,metric_error,metric"
) -> Path:
    lines = [header]
    for method, error in (("a", 0.1), ("b", 0.2)):
        lines += [f"d,{split},{method},{error + 0.01 * k},rmse" for k, split in enumerate(splits)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_every_genuine_table_is_recognised() -> None:
    assert {one.format for one in explain([PARQUET, CSV])} == {"tabarena"}


def test_splits_of_the_parquet_table_are_repeated_threefold_cross_validation() -> None:
    scores = rb.read(PARQUET)
    assert len(scores.models) == 3
    assert len(scores.tasks) == 51
    designs = []
    rows = 0
    for evidence in scores.tasks.values():
        assert isinstance(evidence, rb.Items)
        assert isinstance(evidence.design, Folds)
        designs.append((evidence.design.repeats, evidence.design.folds))
        rows += evidence.n * len(evidence.models)
    assert sorted(set(designs)) == [(3, 3), (10, 3)]
    assert (designs.count((3, 3)), designs.count((10, 3))) == (34, 17)
    assert rows == 2448


def test_means_are_those_of_the_table() -> None:
    scores = rb.read(PARQUET)
    said = duckdb.sql(
        f"SELECT dataset, method, avg(metric_error) FROM '{PARQUET}' GROUP BY ALL"
    ).fetchall()
    for task, method, mean in said:
        evidence = scores.tasks[task]
        assert isinstance(evidence, rb.Items)
        column = evidence.models.index(method)
        assert -evidence.values[:, column].mean() == pytest.approx(mean, rel=1e-12)


def test_errors_are_lower_is_better_without_a_question() -> None:
    scores = rb.read(PARQUET)
    assert {info.direction for info in scores.info.values()} == {"lower"}
    assert {info.metric for info in scores.info.values()} == {
        "roc_auc error", "log_loss error", "rmse error",
    }  # fmt: skip
    assert "whatever the metric" in message(scores, "direction")
    assert {info.direction for info in rb.read(PARQUET, direction="higher").info.values()} == {
        "higher"
    }


def test_imputed_scores_are_missing_unless_they_are_kept() -> None:
    scores = rb.read(CSV)
    present = [np.count_nonzero(~np.isnan(one.mean)) for one in scores.tasks.values()
               if isinstance(one, rb.Estimates)]  # fmt: skip
    assert len(scores.models) == 78
    assert (len(present), sum(present)) == (5, 390 - 47)
    kept = rb.read(CSV, columns={"imputed": ""})
    assert sum(np.count_nonzero(~np.isnan(one.mean)) for one in kept.tasks.values()
               if isinstance(one, rb.Estimates)) == 390  # fmt: skip


@pytest.mark.parametrize(
    ("splits", "design"), [(3, (1, 3)), (9, (3, 3)), (30, (10, 3)), (10, (1, 10))]
)
def test_documented_designs_are_known(tmp_path: Path, splits: int, design: tuple[int, int]) -> None:
    (evidence,) = rb.read(write(tmp_path / "x.csv", range(splits))).tasks.values()
    assert isinstance(evidence, rb.Items)
    assert isinstance(evidence.design, Folds)
    assert (evidence.design.repeats, evidence.design.folds) == design


def test_an_unknown_number_of_splits_is_a_question(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", range(8))
    with pytest.raises(rb.DataError, match=r"8 splits.*--folds K"):
        rb.read(path)
    (evidence,) = rb.read(path, folds=4).tasks.values()
    assert isinstance(evidence, rb.Items)
    assert evidence.design == Folds(2, 4)
    (evidence,) = rb.read(path, rows="items").tasks.values()
    assert evidence.kind == "items"


def test_older_names_of_the_columns_are_known(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", range(9), header="task,fold,framework,metric_error,metric")
    scores = rb.read(path)
    assert scores.models == ("a", "b")
    assert scores.info["d"].direction == "lower"


def test_tables_without_a_metric_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("method,task,metric_error,seed\na,d,0.1,0\nb,d,0.2,0\n")
    scores = rb.read(path)
    assert scores.info["d"].metric == "metric_error"
    assert scores.info["d"].direction == "lower"


def test_a_failed_split_is_no_zero(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", range(9))
    path.write_text(path.read_text().replace("d,4,a,0.14", "d,4,a,"))
    (evidence,) = rb.read(path).tasks.values()
    assert isinstance(evidence, rb.Items)
    assert np.isnan(evidence.values[4]).tolist() == [True, False]

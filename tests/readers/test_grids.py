"""Rows that are as many as models, tasks and items give: read without looking for their pairs."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import rankbars as rb
from rankbars.errors import DataError
from rankbars.tables import cleanrows

GRID = (
    "SELECT 'm' || model AS model, 't' || task AS task, item + 7 AS item, "
    "date '2026-01-01' AS date, (hash(model, task, item) % 10)::INTEGER AS score "
    "FROM range(3) AS a(model), range(2) AS b(task), range(40) AS c(item)"
)
TEXT = f"SELECT * REPLACE ('item ' || item AS item) FROM ({GRID})"
EACH_ALTERED = f"SELECT * REPLACE (if(item = 9, 8, item) AS item) FROM ({GRID})"
_ONE = "item = 9 AND model = 'm1' AND task = 't1'"
ONE_ALTERED = (
    f"SELECT * REPLACE (if({_ONE}, 8, item) AS item, if(item = 9, 5, score) AS score, "
    f"if({_ONE}, date '2026-02-01', date) AS date) FROM ({GRID})"
)


@pytest.fixture(autouse=True)
def _few_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanrows, "_FEWEST_OF_GRID", 1)


def write(folder: Path, query: str) -> Path:
    path = folder / "scores.parquet"
    with duckdb.connect() as engine:
        engine.execute(f"COPY ({query} ORDER BY hash(model, task, item)) TO '{path}'")
    return path


def items(scores: rb.Scores, task: str) -> rb.Items:
    found = scores.tasks[task]
    assert isinstance(found, rb.Items)
    return found


@pytest.mark.parametrize("by_reference", [False, True])
def test_a_grid_is_read_cell_by_cell(by_reference: bool, tmp_path: Path) -> None:
    path = write(tmp_path, GRID)
    scores = rb.read(path, by_reference=by_reference)
    with duckdb.connect() as engine:
        rows = engine.execute(f"SELECT model, task, item, score FROM '{path}'").fetchall()
    assert scores.models == ("m0", "m1", "m2")
    for task in ("t0", "t1"):
        found = items(scores, task)
        expected = np.full((40, 3), np.nan)
        for model, of, item, score in rows:
            if of == task:
                expected[item - 7, int(model[1:])] = score
        np.testing.assert_array_equal(found.values, expected)


@pytest.mark.parametrize("by_reference", [False, True])
@pytest.mark.parametrize("query", [EACH_ALTERED, ONE_ALTERED])
def test_rows_as_many_as_a_grid_that_are_none_are_refused_like_others(
    query: str, by_reference: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, query)
    with pytest.raises(DataError) as quick:
        rb.read(path, by_reference=by_reference)
    monkeypatch.setattr(cleanrows, "_FEWEST_OF_GRID", 10**9)
    with pytest.raises(DataError) as slow:
        rb.read(path, by_reference=by_reference)
    assert str(quick.value) == str(slow.value)
    assert "8" in str(quick.value)


@pytest.mark.parametrize("altered", [
    "item", "if(task = 't1', item || ' of t1', item)", "if(item = 'item 9', '', item)",
    "if(item = 'item 9', NULL, item)",
])  # fmt: skip
def test_texts_as_names_of_items_give_what_they_give_row_by_row(
    altered: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, f"SELECT * REPLACE ({altered} AS item) FROM ({TEXT})")
    found = []
    for fewest in (1, 10**9):
        monkeypatch.setattr(cleanrows, "_FEWEST_OF_GRID", fewest)
        try:
            scores = rb.read(path)
        except DataError as error:
            found.append(str(error))
        else:
            found.append(str([(items(scores, task).ids, items(scores, task).values.tolist())
                              for task in scores.tasks]))  # fmt: skip
    assert found[0] == found[1]
    assert ("is empty" in found[0]) == ("'item 9'" in altered)


def test_a_row_given_twice_in_as_many_rows_as_a_grid_has_is_settled(tmp_path: Path) -> None:
    scores = rb.read(write(tmp_path, ONE_ALTERED), reruns="newest")
    found = items(scores, "t1")
    assert found.values[1, 1] == 5.0
    assert np.isnan(found.values[2, 1])
    assert np.count_nonzero(np.isnan(found.values)) == 1

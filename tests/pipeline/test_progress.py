"""What is told of long work while it goes on."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

import rankbars as rb


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_task_is_told_once_it_is_ranked(n_jobs: int) -> None:
    rng = np.random.default_rng(0)
    tasks = {f"task {number}": rng.random((20, 3)) for number in range(4)}
    scores = rb.Scores.from_arrays(tasks, ["a", "b", "c"])
    told: list[tuple[int, int]] = []
    rb.leaderboard(scores, n_jobs=n_jobs, progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_big_file_is_told_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankbars.tables.unitedrows.BLOCK_ROWS", 100)
    path = tmp_path / "results.parquet"
    duckdb.sql(
        "SELECT 'm' || i % 4 AS model, 't' AS task, i // 4 AS item, i % 3 AS score "
        "FROM range(1000) t(i)"
    ).write_parquet(str(path))
    told: list[int] = []
    rb.read(path, progress=lambda done, total: told.append(done))
    assert len(told) >= 10
    assert told == sorted(told)
    assert told[-1] == path.stat().st_size

"""``--memory-limit`` and ``--by-reference``."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from commandline import Command


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A Parquet file whose tasks do not fit into small limits."""
    monkeypatch.setattr("rankbars.tables.readoptions.RESERVE", 0)
    rng = np.random.default_rng(0)
    rows = [
        (f"m{m}", f"t{t}", i, float(rng.random() < 0.3 + m / 5))
        for m in range(3)
        for t in range(4)
        for i in range(60)
    ]
    frame = pd.DataFrame(rows, columns=["model", "task", "item", "score"])
    path = tmp_path / "results.parquet"
    frame.to_parquet(path)
    return str(path)


@pytest.mark.parametrize(
    "options",
    [
        ("--memory-limit", "10kB"),
        ("--memory-limit", "2GiB"),
        ("--by-reference",),
        ("--by-reference", "--memory-limit", "10kB"),
        ("--by-reference", "--jobs", 2, "--backend", "threading"),
        ("--memory-limit", "10kB", "--jobs", 2, "--backend", "loky"),
    ],
)
def test_every_way_writes_the_same_bytes_and_says_the_same(
    options: tuple[object, ...], table: str, rankbars: Command
) -> None:
    plain = rankbars("rank", table, "-o", "one.json")
    answer = rankbars("rank", table, "-o", "two.json", *options)
    assert answer.code == 0, answer.err
    assert answer.err.replace("two.json", "one.json") == plain.err
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


def test_too_small_a_limit_is_refused_with_one_that_works(table: str, rankbars: Command) -> None:
    answer = rankbars("rank", table, "--memory-limit", "1kB")
    assert answer.code == 1
    assert "A memory limit of 1kB is too small" in answer.err
    limit = re.findall(r"limit that works is (\w+)\.", answer.err)[0]
    assert rankbars("rank", table, "--quiet", "--memory-limit", limit).code == 0


def test_two_models_are_compared_within_a_limit(table: str, rankbars: Command) -> None:
    models = ("--models", "m0", "--models", "m2")
    plain = rankbars("compare", table, *models, "--json")
    limited = rankbars("compare", table, *models, "--json", "--memory-limit", "10kB")
    assert limited.code == 0, limited.err
    assert limited.out == plain.out


def test_a_store_is_read_within_a_limit(table: str, rankbars: Command) -> None:
    assert rankbars("add", table, "--store", "x.duckdb", "--memory-limit", "10kB").code == 0
    plain = rankbars("rank", "x.duckdb", "--quiet")
    limited = rankbars("rank", "x.duckdb", "--quiet", "--memory-limit", "10kB")
    assert limited.code == 0, limited.err
    assert limited.out == plain.out
    refused = rankbars("rank", "x.duckdb", "--by-reference")
    assert refused.code == 1
    assert "only Parquet files are read by reference" in refused.err


def test_a_limit_that_is_no_size_is_refused(table: str, rankbars: Command) -> None:
    answer = rankbars("rank", table, "--memory-limit", "plenty")
    assert answer.code == 1
    assert "a size such as 500MB, 2GB or 1.5GiB" in answer.err


def test_a_limit_of_a_few_bytes_is_named_as_it_was_given(table: str, rankbars: Command) -> None:
    answer = rankbars("rank", table, "--memory-limit", "2")
    assert answer.code == 1
    assert "A memory limit of 2 bytes is too small" in answer.err


def test_a_store_that_is_a_folder_is_called_one(table: str, rankbars: Command) -> None:
    Path("folder.duckdb").mkdir()
    answer = rankbars("add", table, "--store", "folder.duckdb")
    assert answer.code == 1
    assert "folder.duckdb: it is a folder" in answer.err


def test_a_url_that_cannot_be_reached_says_why(rankbars: Command) -> None:
    answer = rankbars("rank", "http://localhost:1/results.parquet")
    assert answer.code == 1
    assert "Connection refused" in answer.err

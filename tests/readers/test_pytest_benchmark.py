"""Times of pytest-benchmark: what is a model, and how sure a mean of rounds is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rankbars as rb
from rankbars.data.evidence import Estimates

FIXTURE = Path(__file__).parent.parent / "data/fixtures/pytest_benchmark/parameters"


def results(*benchmarks: tuple[str, dict[str, Any], float]) -> dict[str, Any]:
    entries = [{"name": name, "params": parameters or None,
                "stats": {"mean": mean, "stddev": 0.2, "rounds": 25}}
               for name, parameters, mean in benchmarks]  # fmt: skip
    return {"machine_info": {}, "commit_info": {}, "benchmarks": entries, "version": "5.1.0"}


def written(path: Path, *benchmarks: tuple[str, dict[str, Any], float]) -> Path:
    path.write_text(json.dumps(results(*benchmarks)))
    return path


def test_values_of_one_parameter_are_models_and_less_time_is_better() -> None:
    scores = rb.read(FIXTURE)
    assert scores.models == ("heap", "numpy", "sorted")
    assert tuple(scores.tasks) == ("test_sort", "test_top10")
    sort = scores.tasks["test_sort"]
    assert isinstance(sort, Estimates)
    assert sort.mean.tolist() == pytest.approx([-0.00055, -0.0000134, -0.0002])
    assert sort.se is not None
    # The standard deviation of a round over the root of 40 rounds.
    assert sort.se.tolist() == pytest.approx([3.1622777e-5, 6.3245553e-7, 1.2649111e-5])
    assert scores.info["test_sort"].direction == "lower"
    printed = rb.leaderboard(scores).to_text()
    assert "numpy leads" in printed
    assert "0.0000136 " in printed


def test_several_files_are_models_whatever_parameters_they_have(tmp_path: Path) -> None:
    for name, mean in (("before", 2.0), ("after", 1.0)):
        written(tmp_path / f"{name}.json", ("test_a[8]", {"n": 8}, mean), ("test_b", {}, 3.0))
    scores = rb.read(tmp_path)
    assert scores.models == ("after", "before")
    assert tuple(scores.tasks) == ("test_a[8]", "test_b")


@pytest.mark.parametrize(("benchmarks", "words"), [
    ([("test_a[8-x]", {"n": 8, "way": "x"}, 1.0)], "the parameters n, way, and which of them"),
    ([], "there are no benchmarks"),
    ([("", {}, 1.0)], "benchmark 1: there is no name"),
])  # fmt: skip
def test_what_cannot_be_read_is_told(tmp_path: Path, benchmarks: Any, words: str) -> None:
    with pytest.raises(rb.RankbarsError, match=words):
        rb.read(written(tmp_path / "x.json", *benchmarks))

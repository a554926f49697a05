"""openai/evals: a genuine event log to its numbers, made-up ones for each trap."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Estimates, Items

FIXTURES = Path(__file__).parent.parent / "data" / "fixtures"
LOG = FIXTURES / "openai_evals" / "test_match" / "evals_test_match.jsonl"
TASK = "test-match.s1.simple-v0"


def items(scores: rb.Scores, task: str = "t.s.v0") -> Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Items)
    return evidence


def codes(scores: rb.Scores) -> set[str]:
    return {note.code for note in scores.notes}


def spec(model: str = "m", **more: Any) -> dict[str, Any]:
    return {"spec": {"completion_fns": [model], "eval_name": "t.s.v0", "base_eval": "t",
                     "split": "s", "run_config": {"max_samples": None},
                     "created_at": "2026-01-01 00:00:00.000000"} | more}  # fmt: skip


def event(sample: str, kind: str = "match", **data: Any) -> dict[str, Any]:
    return {"run_id": "r", "event_id": 0, "sample_id": sample, "type": kind, "data": data}


REPORT = {"final_report": {"accuracy": 0.5, "boostrap_std": 0.1}, "run_id": "r"}


def write(folder: Path, lines: Sequence[object], name: str = "log") -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_matches_have_the_accuracy_of_the_report() -> None:
    scores = rb.read(LOG)
    found = items(scores, TASK)
    assert scores.models == ("dummy",)
    assert found.values[:, 0].tolist() == [1, 1, 0]
    report = next(row["final_report"] for line in LOG.read_text().splitlines()
                  if "final_report" in (row := json.loads(line)))  # fmt: skip
    assert found.values.mean() == pytest.approx(report["accuracy"])
    assert scores.info[TASK].metric == "accuracy"
    assert not codes(scores) & {"published-differs", "unfinished"}


def test_lines_may_stand_in_any_order(tmp_path: Path) -> None:
    lines = LOG.read_text().splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    path = tmp_path / "log.jsonl"
    path.write_text("".join(lines))
    assert items(rb.read(path), TASK).values.mean() == pytest.approx(2 / 3)


def test_a_sample_without_a_verdict_is_no_wrong_one(tmp_path: Path) -> None:
    lines = [spec(), event("a", correct=True), event("b", "sampling", sampled=["SECRET"]),
             event("c", "error", message="SECRET"), event("d", correct=False), REPORT]  # fmt: skip
    scores = rb.read(write(tmp_path, lines))
    assert items(scores).ids == ("a", "b", "c", "d")
    coverage = scores.info["t.s.v0"].coverage
    assert coverage is not None
    assert (coverage.unscored.tolist(), coverage.errors.tolist()) == ([1], [1])
    assert np.nanmean(items(scores).values) == 0.5


def test_a_report_without_events_is_a_published_value(tmp_path: Path) -> None:
    found = rb.read(write(tmp_path, [spec(), REPORT])).tasks["t.s.v0"]
    assert isinstance(found, Estimates)
    assert found.se is not None
    assert (found.mean.tolist(), found.se.tolist()) == ([0.5], [0.1])


def test_a_run_without_a_report_is_used_and_said_to_be_one(tmp_path: Path) -> None:
    scores = rb.read(write(tmp_path, [spec(), event("a", correct=True)]))
    assert items(scores).n == 1
    assert "unfinished" in codes(scores)


def test_numbers_of_metrics_events_are_on_offer(tmp_path: Path) -> None:
    lines = [spec(), *(event(f"s{k}", "metrics", f1=0.25 * k, note="SECRET") for k in range(3)),
             REPORT]  # fmt: skip
    found = items(rb.read(write(tmp_path, lines), metric="f1"))
    assert found.values[:, 0].tolist() == [0.0, 0.25, 0.5]


def test_several_verdicts_on_a_sample_are_averaged(tmp_path: Path) -> None:
    lines = [spec(), event("a", correct=True), event("a", correct=False), event("b", correct=True)]
    scores = rb.read(write(tmp_path, lines))
    assert items(scores).values[:, 0].tolist() == [0.5, 1.0]
    assert "several-verdicts" in codes(scores)


def test_logs_of_several_models_are_paired(tmp_path: Path) -> None:
    for model in ("x", "y"):
        write(tmp_path, [spec(model), event("a", correct=model == "x"), REPORT], model)
    assert items(rb.read(tmp_path)).values.tolist() == [[1.0, 0.0]]


def test_the_newest_run_counts(tmp_path: Path) -> None:
    for day in (1, 2):
        when = f"2026-01-0{day} 00:00:00.000000"
        lines = [spec(created_at=when), event("a", correct=day == 2), REPORT]
        write(tmp_path, lines, f"run{day}")
    assert items(rb.read(tmp_path)).values.tolist() == [[1.0]]


def test_an_early_specification_names_the_model_otherwise(tmp_path: Path) -> None:
    line = {"spec": {"model_name": "gpt-3.5", "base_eval": "t", "split": "s"}}
    scores = rb.read(write(tmp_path, [line, event("a", correct=True)]))
    assert (scores.models, list(scores.tasks)) == (("gpt-3.5",), ["t.s"])


def test_without_a_specification_the_file_names_the_model(tmp_path: Path) -> None:
    scores = rb.read(write(tmp_path, [event("t.s1.0", correct=True)]))
    assert (scores.models, list(scores.tasks)) == (("log",), ["t.s1"])
    assert "name-from-file" in codes(scores)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([spec(), event("a", correct="maybe")], "row 2: 'correct' is 'maybe'"),
        ([spec(), event("a") | {"sample_id": [1]}], "row 2: the sample_id"),
    ],
)
def test_a_damaged_log_is_named(tmp_path: Path, lines: list[object], message: str) -> None:
    with pytest.raises(rb.ReadError, match=rf"log\.jsonl, {message}"):
        rb.read(write(tmp_path, lines))


def test_a_cut_log_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, [spec(), event("a", correct=True)])
    path.write_text(path.read_text()[:-10])
    with pytest.raises(rb.ReadError, match=r"log\.jsonl, row 2: the JSON ends too early"):
        rb.read(path)

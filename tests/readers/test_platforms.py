"""Experiments of platforms: what Langfuse and Weave export, and lmms-eval writes."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tablefiles import codes, message

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.evidence import Items

FIXTURES = Path(__file__).parent.parent / "data" / "fixtures"


def items(scores: rb.Scores) -> Items:
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, Items)
    return evidence


@pytest.mark.parametrize("case", ["experiment_items", "runs"])
def test_items_of_langfuse_have_trials_and_scores(case: str) -> None:
    scores = rb.read(FIXTURES / "langfuse" / case)
    found = items(scores)
    assert found.models == ("prompt-a", "prompt-b")
    assert found.ids == ("q1", "q2", "q3")
    assert found.values.tolist() == [[1.0, 1.0], [0.5, 1.0], [0.5, 0.0]]
    assert found.answers is not None
    assert found.answers[:, 1].tolist() == [2, 2, 1]
    code = "failed-trials" if case == "experiment_items" else "unscored-trials"
    assert "'prompt-b' 1 of 6" in message(scores, code)


@pytest.mark.parametrize("place", [
    "langsmith/experiment/model-a.csv", "mlflow/table/eval_results_table.json",
    "langfuse/experiment_items/page1.json", "phoenix/csv/model-a.csv",
    "evalplus/toy/toy-a_temp_0.8_eval_results.json",
])  # fmt: skip
def test_a_compressed_export_is_the_same(tmp_path: Path, place: str) -> None:
    packed = tmp_path / f"{Path(place).name}.gz"
    packed.write_bytes(gzip.compress((FIXTURES / place).read_bytes()))
    one, two = rb.read(FIXTURES / place), rb.read(packed)
    assert list(one.tasks) == list(two.tasks)
    for task, evidence in one.tasks.items():
        assert np.array_equal(evidence.values, two.tasks[task].values, equal_nan=True)


def test_other_scores_of_langfuse_and_seconds_are_metrics() -> None:
    folder = FIXTURES / "langfuse" / "experiment_items"
    tone = items(rb.read(folder, metric="tone", direction="higher"))
    assert tone.values[:, 0].tolist() == pytest.approx([0.2, 0.3, 0.4])
    seconds = items(rb.read(folder, metric="seconds"))
    assert (-seconds.values[:, 0]).tolist() == [3.0, 4.0, 5.0]


def test_several_scores_of_a_trace_are_averaged_and_told(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "langfuse" / "runs", tmp_path / "runs")
    path = tmp_path / "runs" / "scores.jsonl"
    first = json.loads(path.read_text().splitlines()[0])
    step = first | {"observationId": "o1", "value": 0}
    path.write_text(
        path.read_text() + json.dumps(first | {"value": 0}) + "\n" + json.dumps(step) + "\n"
    )
    scores = rb.read(tmp_path / "runs")
    # One of two trials of q1 is now half right; the score of a step is none of the answer.
    assert items(scores).values[0, 0] == 0.75
    assert "are averaged" in message(scores, "several-scores")


def test_scores_without_what_was_asked_say_what_to_add() -> None:
    with pytest.raises(rb.ReadError, match="Put the items of the runs beside them"):
        rb.read(FIXTURES / "langfuse" / "runs" / "scores.jsonl")


def test_a_store_takes_items_and_scores_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = str(tmp_path / "b.duckdb")
    assert run(["add", str(FIXTURES / "langfuse" / "runs"), "--store", store, "-q"]) == 0
    capsys.readouterr()
    assert run(["rank", store, "-q"]) == 0
    kept = capsys.readouterr().out
    assert run(["rank", str(FIXTURES / "langfuse" / "runs"), "-q"]) == 0
    assert capsys.readouterr().out == kept


@pytest.mark.parametrize("case", ["calls", "eval_results"])
def test_calls_of_weave_and_its_answers_say_the_same(case: str) -> None:
    scores = rb.read(FIXTURES / "weave" / case)
    found = items(scores)
    assert found.models == ("large", "small")
    assert found.ids == ("q1", "q2", "q3")
    assert found.values.tolist() == [[1.0, 0.5], [0.5, 0.0], [1.0, 1.0]]
    assert found.answers is not None
    assert found.answers[:, 1].tolist() == [2, 2, 1]
    assert "'small' 1 of 6" in message(scores, "failed-trials")


def test_a_table_with_the_columns_of_calls_of_weave_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    path.write_text("model,item,score,op_name,inputs,output,trace_id\n" + "".join(
        f"{model},{item},{item % 2},call,x,y,t{item}\n" for model in "ab" for item in range(4)
    ))  # fmt: skip
    assert items(rb.read(path)).values.tolist() == [[0.0, 0.0], [1.0, 1.0]] * 2


def test_calls_and_answers_of_one_evaluation_count_once() -> None:
    scores = rb.read(FIXTURES / "weave")
    found = items(scores)
    assert found.answers is not None
    assert found.answers.max() == 2
    assert "copies" in codes(scores)


def test_versions_of_a_model_of_weave_are_told_apart(tmp_path: Path) -> None:
    text = (FIXTURES / "weave" / "calls" / "calls.jsonl").read_text()
    (tmp_path / "a.jsonl").write_text(text)
    other = text.replace("object/small:N0VKaX", "object/small:ZZZZZZ").replace('"call-', '"again-')
    (tmp_path / "b.jsonl").write_text(other)
    assert rb.read(tmp_path).models == ("large", "small:N0VKaX", "small:ZZZZZZ")


def test_lmms_eval_is_read_with_its_samples_and_published_values() -> None:
    scores = rb.read(FIXTURES / "lmms_eval" / "logs")
    assert scores.models == ("lmms-lab/toy-vl-7b",)
    means = {
        name: float(np.mean(one.values))
        for name, one in scores.tasks.items()
        if isinstance(one, Items)
    }
    assert means == {"ai2d_toy": 0.75, "pope_toy": 0.5}
    assert "published-differs" not in codes(scores)


def test_a_mean_of_lmms_eval_that_items_do_not_give_is_told(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "lmms_eval" / "logs", tmp_path / "logs")
    (path,) = tmp_path.rglob("*_results.json")
    content: dict[str, Any] = json.loads(path.read_text())
    content["results"]["pope_toy"]["pope_accuracy,none"] = 0.9
    path.write_text(json.dumps(content))
    assert "0.9" in message(rb.read(tmp_path), "published-differs")


def braintrust_event(item: str, trial: int, score: float | None, **more: Any) -> dict[str, Any]:
    """An event as the API documents it."""
    return {"id": f"{item}-{trial}", "experiment_id": "e1", "dataset_record_id": item,
            "input": {"q": item}, "scores": {"exact": score}, "span_attributes": {"type": "eval"},
            "is_root": True, "span_parents": None, "error": None} | more  # fmt: skip


def test_steps_of_braintrust_are_no_trials_and_an_answer_of_its_api_is_read(tmp_path: Path) -> None:
    events = [
        braintrust_event(item, trial, float(trial == 0 or item == "r1"))
        for item in ("r1", "r2")
        for trial in (0, 1)
    ]
    step = braintrust_event("r2", 5, 0.0, is_root=False, span_parents=["r2-0"])
    (tmp_path / "mine.json").write_text(json.dumps({"events": [*events, step], "cursor": None}))
    (tmp_path / "other.json").write_text(json.dumps([*events, step]))
    found = items(rb.read(tmp_path))
    assert found.models == ("mine", "other")
    assert found.values.tolist() == [[1.0, 1.0], [0.5, 0.5]]
    assert found.answers is not None
    assert found.answers.tolist() == [[2, 2], [2, 2]]

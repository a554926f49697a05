"""lighteval: the documented results file, and details made up in each of the three layouts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Estimates, Items
from rankbars.readers import explain

LIGHTEVAL = Path(__file__).parent.parent / "data" / "fixtures" / "lighteval"
TIME = "2025-01-02T03-04-05.678901"
EM = {"metric_name": "em", "higher_is_better": True}


def items(scores: rb.Scores, task: str) -> Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Items)
    return evidence


def write_results(
    folder: Path, model: str, results: Mapping[str, Mapping[str, object]], *,
    metrics: Sequence[Mapping[str, Any]] = (EM,), n: int = 4, time: str = TIME, **general: Any,
) -> Path:  # fmt: skip
    place = folder / "results" / model
    place.mkdir(parents=True, exist_ok=True)
    content = {
        "config_general": {"model_name": model, "max_samples": None, **general},
        "results": {**results, "all": next(iter(results.values()))},
        "versions": dict.fromkeys(results, 0),
        "config_tasks": {
            task: {"name": task, "metrics": list(metrics), "effective_num_docs": n}
            for task in results
        },
        "summary_tasks": {},
    }
    path = place / f"results_{time}.json"
    path.write_text(json.dumps(content))
    return path


def write_details(
    folder: Path, model: str, task: str, rows: Sequence[str], time: str = TIME
) -> Path:
    place = folder / "details" / model / time
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"details_{task}_{time}.parquet"
    duckdb.sql(f"COPY ({' UNION ALL '.join(rows)}) TO '{path}' (FORMAT parquet)")
    return path


def nested(scores: Sequence[object], name: str = "em") -> list[str]:
    return [
        f"SELECT {{'id': '{k}', 'query': 'SECRET {k}'}} AS doc, {{'text': 'x'}} AS model_response, "
        f"{{'{name}': CAST({'NULL' if s is None else s} AS DOUBLE)}} AS metric"
        for k, s in enumerate(scores)
    ]


def flat(scores: Sequence[object], name: str = "em") -> list[str]:
    return [f"SELECT 'Q{k}' AS example, 'P{k}' AS full_prompt, {{'{name}': {s}}} AS metrics"
            for k, s in enumerate(scores)]  # fmt: skip


def text(cells: Sequence[str]) -> list[str]:
    quoted = [cell.replace("'", "''") for cell in cells]
    return [f"SELECT 'Q{k}' AS full_prompt, '{cell}' AS metrics" for k, cell in enumerate(quoted)]


def test_the_documented_file_gives_one_task_with_its_recorded_side() -> None:
    scores = rb.read(LIGHTEVAL)
    assert scores.models == ("gpt2",)
    found = scores.tasks["gsm8k|0"]
    assert isinstance(found, Estimates)
    assert found.mean.tolist() == [0.0]
    assert found.n is not None
    assert found.se is not None
    assert (found.n.tolist(), found.se.tolist()) == ([1], [0.0])
    assert scores.info["gsm8k|0"].metric == "em"
    assert any("recorded" in note.message for note in scores.notes if note.code == "direction")
    assert list(rb.read(LIGHTEVAL, metric="maj@8").tasks) == ["gsm8k|0"]


def test_nested_details_join_their_results(tmp_path: Path) -> None:
    for model, given in (("org/a", [1, 0, 1, 1]), ("org/b", [0, 0, 1, None])):
        write_results(tmp_path, model, {"gsm8k|0": {"em": 0.75 if model == "org/a" else 1 / 3}})
        write_details(tmp_path, model, "gsm8k|0", nested(given))
    scores = rb.read(tmp_path)
    found = items(scores, "gsm8k|0")
    assert found.models == ("org/a", "org/b")
    assert found.values[:3].tolist() == [[1, 0], [0, 0], [1, 1]]
    assert np.isnan(found.values[3, 1])
    coverage = scores.info["gsm8k|0"].coverage
    assert coverage is not None
    assert (coverage.expected, coverage.unscored.tolist()) == (4, [0, 1])
    assert {note.code for note in scores.notes} == {"coverage", "direction"}


@pytest.mark.parametrize("layout", ["nested", "flat", "text"])
def test_every_layout_of_details_says_the_same(tmp_path: Path, layout: str) -> None:
    rows = {
        "nested": nested([1, 0, 1]),
        "flat": flat([1, 0, 1]),
        "text": text(["{'em': 1}", "{'em': np.float64(0.0)}", "{'em': True}"]),
    }[layout]
    path = write_details(tmp_path, "m", "lighteval|gsm8k|0", rows)
    scores = rb.read(path)
    assert sorted(items(scores, "lighteval|gsm8k|0").values[:, 0].tolist()) == [0, 1, 1]
    assert scores.models == ("m",)
    assert "SECRET" not in repr(items(scores, "lighteval|gsm8k|0").ids)
    assert layout in explain(path)[0].reason


def test_items_pair_by_question_whatever_their_order(tmp_path: Path) -> None:
    write_details(tmp_path, "a", "t|0", flat([1, 0]))
    write_details(tmp_path, "b", "t|0", flat([1, 0])[::-1])
    assert items(rb.read(tmp_path), "t|0").values.tolist() in ([[1, 1], [0, 0]], [[0, 0], [1, 1]])


def test_results_are_found_where_the_tool_puts_them(tmp_path: Path) -> None:
    write_results(tmp_path, "org/a", {"t|0": {"wer2": 0.5}},
                  metrics=[{"metric_name": "wer2", "higher_is_better": False}])  # fmt: skip
    path = write_details(tmp_path, "org/a", "t|0", nested([1, 0], "wer2"))
    scores = rb.read(path)
    assert scores.info["t|0"].direction == "lower"


def test_a_mirror_names_its_model_in_the_folder(tmp_path: Path) -> None:
    path = write_details(tmp_path, "m", "t|0", nested([1, 0]))
    mirror = tmp_path / "details_org__model_private" / TIME
    mirror.mkdir(parents=True)
    shutil.move(path, mirror / path.name)
    scores = rb.read(mirror)
    assert scores.models == ("org/model",)
    assert "name-from-file" in {note.code for note in scores.notes}


def test_averages_of_subtasks_are_their_whole(tmp_path: Path) -> None:
    write_results(tmp_path, "a", {
        "leaderboard|mmlu:law|5": {"em": 0.5, "em_stderr": 0.1},
        "leaderboard|mmlu:art|5": {"em": 0.7, "em_stderr": 0.1},
        "leaderboard|mmlu:_average|5": {"em": 0.6, "em_stderr": 0.1},
    })  # fmt: skip
    scores = rb.read(tmp_path)
    assert set(scores.tasks) == {"leaderboard|mmlu:law|5", "leaderboard|mmlu:art|5"}
    assert {info.category for info in scores.info.values()} == {"leaderboard|mmlu"}


def test_grouped_metrics_have_a_side_each(tmp_path: Path) -> None:
    pair = {"metric_name": ["chrf9", "drift"], "higher_is_better": {"chrf9": True, "drift": False}}
    write_results(tmp_path, "a", {"t|0": {"chrf9": 0.5, "drift": 0.2}}, metrics=[pair])
    assert rb.read(tmp_path, metric="drift").info["t|0"].direction == "lower"
    assert rb.read(tmp_path).info["t|0"].direction == "higher"


def test_names_with_parameters_have_the_side_of_their_metric(tmp_path: Path) -> None:
    metric = {"metric_name": "odd@k", "higher_is_better": False}
    write_results(tmp_path, "a", {"t|0": {"odd@k:k=1&n=16": 0.5}}, metrics=[metric])
    assert rb.read(tmp_path).info["t|0"].direction == "lower"


def test_values_that_are_no_numbers_are_declined_by_metric(tmp_path: Path) -> None:
    metric = "{'em': 1.0, 'bleu': {'golds': ['g']}} AS metric"
    rows = [f"SELECT {{'id': '{k}', 'query': 'q'}} AS doc, {metric}" for k in range(2)]
    write_results(tmp_path, "a", {"t|0": {"em": 1.0, "bleu": 31.0}}, n=2)
    write_details(tmp_path, "a", "t|0", rows)
    assert items(rb.read(tmp_path), "t|0").n == 2
    assert isinstance(rb.read(tmp_path, metric="bleu").tasks["t|0"], Estimates)


def test_strange_strings_are_errors_only_where_they_are_wanted(tmp_path: Path) -> None:
    path = write_results(tmp_path, "a", {"t|0": {"em": "0.5", "other": "broken"}})
    assert rb.read(path).tasks["t|0"].mean.tolist() == [0.5]  # type: ignore[union-attr]
    with pytest.raises(rb.DataError, match=r"results_.*'broken' of the metric 'other'"):
        rb.read(path, metric="other", direction="higher")


def test_the_newest_run_counts(tmp_path: Path) -> None:
    write_results(tmp_path, "a", {"t|0": {"em": 0.25}})
    write_results(tmp_path, "a", {"t|0": {"em": 0.75}}, time="2025-02-02T03-04-05.000001")
    scores = rb.read(tmp_path)
    assert scores.tasks["t|0"].mean.tolist() == [0.75]  # type: ignore[union-attr]
    assert "reruns" in {note.code for note in scores.notes}


@pytest.mark.parametrize(
    "cell", ["__import__('os').system('x')", "{'em': 1", "[" * 5000, "{'em': x}", "'a' + 'b'"]
)
def test_cells_are_parsed_and_never_run(tmp_path: Path, cell: str) -> None:
    path = write_details(tmp_path, "m", "t|0", text([cell]))
    with pytest.raises(rb.ReadError, match=r"\.parquet, row 1"):
        rb.read(path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = write_details(tmp_path, "m", "t|0", nested([1, 0]))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(rb.ReadError, match=r"details_t.*cut off or damaged"):
        rb.read(path)
    other = tmp_path / "r.json"
    other.write_text('{"config_general": {}, "results": {}, "versions": {}}')
    with pytest.raises(rb.ReadError, match="names no model"):
        rb.read(other)


def test_one_damaged_file_does_not_stop_the_others(tmp_path: Path) -> None:
    for model in ("a", "b"):
        write_results(tmp_path, model, {"t|0": {"em": 0.5}}, n=2)
        path = write_details(tmp_path, model, "t|0", nested([1, 0]))
    path.write_bytes(path.read_bytes()[:-20])
    scores = rb.read(tmp_path)
    assert scores.models == ("a", "b")
    assert {"files-damaged", "no-items"} <= {note.code for note in scores.notes}
    results = next(tmp_path.glob("results/b/*.json"))
    results.write_text("{")
    assert rb.read(tmp_path).models == ("a",)


def test_documents_without_an_id_are_known_by_their_question(tmp_path: Path) -> None:
    rows = [f"SELECT {{'query': 'SECRET {k}', 'task_id': 'x'}} AS doc, {{'em': {k}}} AS metric"
            for k in range(2)]  # fmt: skip
    found = items(rb.read(write_details(tmp_path, "m", "t|0", rows)), "t|0")
    assert found.n == 2
    assert found.ids is not None
    assert all(len(name) == 32 for name in found.ids)

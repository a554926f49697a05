"""MTEB: genuine results to their numbers, made-up ones for each trap."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from logfiles import FIXTURES

import rankbars as rb
from rankbars.readers import explain

RESULTS = FIXTURES / "mteb" / "results"
HISTORIC = FIXTURES / "mteb" / "historic"

# Means over the subsets of the test split, from the README of the fixture.
PUBLISHED = {
    "STSBenchmark": (0.85863, 0.83589, 0.82032),
    "SciFact": (0.71273, 0.67585, 0.64508),
    "TwentyNewsgroupsClustering.v2": (0.48110, 0.33358, 0.46019),
    "StackExchangeClustering.v2": (0.57295, 0.50206, 0.45168),
    "STS22.v2": (0.46926, 0.65857, 0.41788),
}
MODELS = (
    "BAAI/bge-small-en-v1.5", "intfloat/multilingual-e5-small",
    "sentence-transformers/all-MiniLM-L6-v2",
)  # fmt: skip


def values(scores: rb.Scores, task: str) -> dict[str, float]:
    evidence = scores.tasks[task]
    assert isinstance(evidence, rb.Estimates)
    assert evidence.se is None
    return dict(zip(evidence.models, evidence.mean.tolist(), strict=True))


def message(scores: rb.Scores, code: str) -> str:
    return " ".join(note.message for note in scores.notes if note.code == code)


def write(
    root: Path, model: str, revision: str, splits: Mapping[str, Any], *, task: str = "T",
    name: str | None = None, **changes: Any,
) -> Path:  # fmt: skip
    """Results on one task; `splits` by name and subset."""
    folder = root / model / revision
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "dataset_revision": "r", "task_name": task, "mteb_version": "1.18.0",
        "scores": {
            split: [{"hf_subset": subset, "main_score": value, "accuracy": value}
                    for subset, value in subsets.items()]
            for split, subsets in splits.items()
        },
    } | changes  # fmt: skip
    if name is not None:
        (folder / "model_meta.json").write_text(json.dumps({"name": name, "revision": revision}))
    path = folder / f"{task}.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_every_genuine_result_is_recognised() -> None:
    assert {one.format for one in explain(RESULTS)} == {"mteb"}
    assert explain(HISTORIC / "Banking77Classification.json")[0].format == "mteb"


def test_values_are_means_over_the_subsets_of_the_test_split() -> None:
    scores = rb.read(RESULTS)
    for task, expected in PUBLISHED.items():
        found = values(scores, task)
        assert tuple(found) == MODELS
        assert tuple(found.values()) == pytest.approx(expected, abs=5e-6)
    assert scores.info["SciFact"].metric == "main_score"
    assert scores.info["SciFact"].direction == "higher"
    assert "'train'" in message(scores, "variant")


def test_a_model_that_lacks_subsets_has_no_value() -> None:
    task = "AmazonCounterfactualClassification"
    scores = rb.read(RESULTS)
    found = values(scores, task)
    assert found == pytest.approx({MODELS[0]: 0.65051, MODELS[2]: 0.61987}, abs=5e-6)
    assert MODELS[1] in message(scores, "subsets")
    shared = values(rb.read(RESULTS, compare_anyway=True), task)
    assert shared[MODELS[1]] == pytest.approx(0.70641, abs=5e-6)
    assert shared[MODELS[0]] == pytest.approx((0.7183582 + 0.5853319) / 2, abs=1e-6)


def test_another_split_may_be_asked_for() -> None:
    found = values(rb.read(RESULTS, filter="train"), "SciFact")
    assert found[MODELS[0]] == pytest.approx(0.74753)


def test_self_reported_numbers_are_used_when_asked_for() -> None:
    model = RESULTS / "BAAI__bge-small-en-v1.5"
    scores = rb.read(model)
    assert "Banking77Classification" not in scores.tasks
    assert "external (1 task)" in message(scores, "revision")
    asked = rb.read(model, filter="external")
    assert list(asked.tasks) == ["Banking77Classification"]
    assert values(asked, "Banking77Classification")[MODELS[0]] == pytest.approx(0.8574025974)
    assert "model cards" in message(asked, "self-reported")


def test_the_layout_before_1_11_is_declined_with_the_reason() -> None:
    report = explain(HISTORIC / "Assin2STS.json")[0]
    assert report.format is None
    assert "before version 1.11" in report.reason
    with pytest.raises(rb.ReadError, match=r"before version 1\.11"):
        rb.read(HISTORIC / "Assin2STS.json")


def test_the_layout_is_told_by_its_keys_not_by_its_version() -> None:
    scores = rb.read(HISTORIC / "Banking77Classification.json")
    assert list(values(scores, "Banking77Classification").values()) == [
        pytest.approx(0.7086038961)
    ]  # fmt: skip


def test_a_result_that_keeps_the_old_name_of_its_data_is_a_result(tmp_path: Path) -> None:
    path = write(tmp_path, "a", "1.0", {"test": {"default": 0.5}}, mteb_dataset_name="T")
    assert values(rb.read(path), "T") == {"a": 0.5}


def test_other_metrics_may_be_asked_for() -> None:
    scores = rb.read(RESULTS, metric=["ndcg_at_10", "cosine_spearman"])
    assert sorted(scores.tasks) == ["STS22.v2", "STSBenchmark", "SciFact"]
    assert scores.info["SciFact"].metric == "ndcg_at_10"


def test_the_revision_with_most_tasks_counts(tmp_path: Path) -> None:
    write(tmp_path, "o__m", "aaaaaaa", {"test": {"default": 0.1}})
    write(tmp_path, "o__m", "bbbbbbb", {"test": {"default": 0.2}})
    write(tmp_path, "o__m", "bbbbbbb", {"test": {"default": 0.3}}, task="U")
    scores = rb.read(tmp_path)
    assert values(scores, "T") == {"o/m": 0.2}
    assert values(rb.read(tmp_path, filter="aaaaaaa"), "T") == {"o/m": 0.1}


def test_the_model_is_named_by_its_description_or_its_folder(tmp_path: Path) -> None:
    write(tmp_path, "o__m", "no_revision_available", {"test": {"default": 0.1}})
    write(tmp_path, "x", "1", {"test": {"default": 0.2}}, name="org/other")
    scores = rb.read(tmp_path)
    assert scores.models == ("o/m", "org/other")
    assert "folders: 'o/m'." in message(scores, "name-from-file")


def test_without_a_test_split_the_only_one_counts_or_it_is_asked(tmp_path: Path) -> None:
    write(tmp_path, "o__m", "1", {"dev": {"default": 0.1}})
    assert values(rb.read(tmp_path), "T") == {"o/m": 0.1}
    write(tmp_path, "o__m", "1", {"dev": {"default": 0.1}, "validation": {"default": 0.2}})
    with pytest.raises(rb.DataError, match="--filter dev"):
        rb.read(tmp_path)
    assert values(rb.read(tmp_path, filter="validation"), "T") == {"o/m": 0.2}


def test_a_model_without_the_split_has_no_value(tmp_path: Path) -> None:
    write(tmp_path, "o__a", "1", {"test": {"default": 0.1}})
    write(tmp_path, "o__b", "1", {"dev": {"default": 0.9}})
    scores = rb.read(tmp_path)
    assert values(scores, "T") == {"o/a": 0.1}
    assert "'o/b'" in message(scores, "no-score")


@pytest.mark.parametrize("empty", [None, float("nan")])
def test_an_empty_main_score_is_no_value(tmp_path: Path, empty: float | None) -> None:
    write(tmp_path, "o__a", "1", {"test": {"en": 0.1, "de": empty}})
    write(tmp_path, "o__b", "1", {"test": {"en": 0.1, "de": 0.3}})
    scores = rb.read(tmp_path)
    # The model was evaluated: it stays, without a score.
    assert values(scores, "T") == pytest.approx({"o/a": math.nan, "o/b": 0.2}, nan_ok=True)
    assert "'o/a'" in message(scores, "no-score")


def test_other_revisions_of_the_data_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "o__a", "1", {"test": {"default": 0.1}})
    write(tmp_path, "o__b", "1", {"test": {"default": 0.2}}, dataset_revision="other")
    with pytest.raises(rb.DataError, match="Revision of the data set"):
        rb.read(tmp_path)
    assert len(values(rb.read(tmp_path, compare_anyway=True), "T")) == 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"scores": {}}, "no split with scores"),
        ({"scores": []}, "scores by split"),
        ({"scores": {"test": [3]}}, "entry 0: no JSON object"),
        ({"scores": {"test": [{"hf_subset": "en", "main_score": "x"}]}}, "'x' of subset 'en'"),
        ({"task_name": None}, "expected a task_name"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    path = write(tmp_path, "o__a", "1", {"test": {"default": 0.1}}, **change)
    with pytest.raises(rb.ReadError, match=problem) as caught:
        rb.read(path)
    assert "T.json" in str(caught.value)


def test_a_description_alone_is_no_result(tmp_path: Path) -> None:
    write(tmp_path, "o__a", "1", {"test": {"default": 0.1}}, name="o/a").unlink()
    with pytest.raises(rb.DataError, match="its results are not there"):
        rb.read(tmp_path)

"""Every Eval Ever: genuine records to their numbers, made-up ones for each trap."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from eeefiles import EEE, record, result, row, write, write_rows
from logfiles import peak_kilobytes

import rankbars as rb
from rankbars.readers import explain

ARC = EEE / "data" / "ai2_arc"
CVE = EEE / "data" / "cvebench"
OPEN_LLM = EEE / "data" / "hfopenllm_v2"


def items(scores: rb.Scores, task: str = "arc") -> rb.Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, rb.Items)
    return evidence


def estimates(scores: rb.Scores, task: str = "arc") -> rb.Estimates:
    evidence = scores.tasks[task]
    assert isinstance(evidence, rb.Estimates)
    return evidence


def codes(scores: rb.Scores) -> set[str]:
    return {note.code for note in scores.notes}


def message(scores: rb.Scores, code: str) -> str:
    return next(note.message for note in scores.notes if note.code == code)


# Genuine files


def test_every_genuine_file_is_recognised() -> None:
    reports = explain(EEE / "data")
    assert {report.format for report in reports} == {"eee"}
    assert len(reports) == 7


@pytest.mark.parametrize(
    ("model", "ids", "values"),
    [
        ("anthropic/claude-sonnet-4-20250514", ("1", "2", "3", "4", "5"), [1, 1, 1, 1, 1]),
        ("ollama/qwen2.5-0.5b", ("1", "2", "3"), [1, 0, 0]),
    ],
)
def test_rows_have_the_mean_of_their_record(
    model: str, ids: tuple[str, ...], values: list[int]
) -> None:
    folder = ARC / model
    scores = rb.read(folder)
    assert scores.models == (model,)
    found = items(scores, "arc_easy")
    assert found.ids == ids
    assert found.values[:, 0].tolist() == values
    path = next(path for path in folder.iterdir() if path.suffix == ".json")
    published = json.loads(path.read_text())["evaluation_results"][0]["score_details"]
    assert found.values.mean() == pytest.approx(published["score"])
    assert len(ids) == published["uncertainty"]["num_samples"]
    assert "published-differs" not in codes(scores)
    coverage = scores.info["arc_easy"].coverage
    assert coverage is not None
    assert coverage.expected == len(ids)


def test_samples_that_a_model_was_not_given_are_missing() -> None:
    scores = rb.read(ARC)
    found = items(scores, "arc_easy")
    assert found.ids == ("1", "2", "3", "4", "5")
    assert found.values[:3].tolist() == [[1, 1], [1, 0], [1, 0]]
    assert np.isnan(found.values[3:]).sum(axis=0).tolist() == [0, 2]
    assert scores.info["arc_easy"].direction == "higher"
    assert scores.info["arc_easy"].minimum == 0.0


def test_a_constant_direction_is_not_a_recorded_one() -> None:
    assert "usual for 'accuracy'" in message(rb.read(ARC), "direction")
    with pytest.raises(rb.DataError, match="not known which side of 'mean'"):
        rb.read(CVE)


def test_a_published_value_keeps_the_number_of_samples_that_it_is_over() -> None:
    scores = rb.read(CVE, direction="higher")
    found = estimates(scores, "cvebench")
    assert found.models == ("anthropic/anthropic/claude-opus-4-6",)
    # The record counts all samples, among them one whose row says that it failed.
    assert found.mean[0] == pytest.approx(55 / 78)
    assert found.n is not None
    assert found.n.tolist() == [78]
    assert "1 samples ended in an error" in message(scores, "error-scored")
    coverage = scores.info["cvebench"].coverage
    assert coverage is not None
    assert coverage.expected == 78
    assert coverage.errors.tolist() == [0]
    assert coverage.scored.tolist() == [78]


def test_schema_0_2_gives_six_published_values() -> None:
    scores = rb.read(OPEN_LLM)
    means = {task: float(estimates(scores, task).mean[0]) for task in scores.tasks}
    assert means == {
        "IFEval": 0.4486, "BBH": 0.4224, "MATH Level 5": 0.0249, "GPQA": 0.2743, "MUSR": 0.4190,
        "MMLU-PRO": 0.1946,
    }  # fmt: skip
    assert scores.models == ("TencentARC/LLaMA-Pro-8B-Instruct",)
    assert all(estimates(scores, task).se is None for task in scores.tasks)
    assert "recorded" in message(scores, "direction")


def test_nothing_of_questions_and_answers_is_kept(tmp_path: Path) -> None:
    write(tmp_path, record(), [row(sample="1"), row(sample="2", score=0)])
    scores = rb.read(tmp_path)
    assert "SECRET" not in repr((scores, scores.notes, items(scores).ids))


# Rows


def test_rows_are_joined_by_the_identifier_of_the_result(tmp_path: Path) -> None:
    results = [
        result(metric="accuracy", evaluation_result_id="r1"),
        result(metric="f1", evaluation_result_id="r2"),
    ]
    rows = [row(sample=s, key="r1", score=v) for s, v in (("1", 1), ("2", 0))]
    # In another order, and one sample less: measures of one run share their answers.
    rows += [row(sample="2", key="r2", score=0.25)]
    write(tmp_path, record(results=results), rows)
    assert items(rb.read(tmp_path)).values[:, 0].tolist() == [1, 0]
    assert "f1" in message(rb.read(tmp_path), "metric")
    f1 = items(rb.read(tmp_path, metric="f1"))
    assert f1.ids == ("1", "2")
    assert math.isnan(f1.values[0, 0])
    assert f1.values[1, 0] == 0.25


def test_rows_without_an_identifier_are_joined_by_name(tmp_path: Path) -> None:
    results = [result("arc", evaluation_result_id="x"), result("gsm", evaluation_result_id="y")]
    rows = [row(sample="1", name="gsm", score=1), row(sample="1", name="arc", score=0)]
    write(tmp_path, record(results=results), rows)
    scores = rb.read(tmp_path)
    assert items(scores, "gsm").values.tolist() == [[1.0]]
    assert items(scores, "arc").values.tolist() == [[0.0]]


def test_rows_that_hold_all_metrics_serve_each_of_them(tmp_path: Path) -> None:
    results = [result(metric=None), result(metric=None)]
    results[0]["metric_config"]["evaluation_description"] = "acc"
    results[1]["metric_config"]["evaluation_description"] = "acc_norm"
    rows = [
        row(sample=str(k), score=v, lm_eval_metrics=json.dumps({"acc": v, "acc_norm": 1 - v}))
        for k, v in enumerate((1, 0, 0))
    ]
    write(tmp_path, record(results=results, library="lm_eval"), rows)
    assert items(rb.read(tmp_path, metric="acc")).values[:, 0].tolist() == [1, 0, 0]
    assert items(rb.read(tmp_path, metric="acc_norm")).values[:, 0].tolist() == [0, 1, 1]


def test_zero_stands_for_no_score_where_the_converter_found_none(tmp_path: Path) -> None:
    rows = [row(sample="1", score=0.0, lm_eval_metrics="{}"), row(sample="2", score=1.0)]
    write(tmp_path, record(library="lm_eval"), rows)
    scores = rb.read(tmp_path)
    coverage = scores.info["arc"].coverage
    assert coverage is not None
    assert (coverage.unscored.tolist(), coverage.scored.tolist()) == ([1], [1])


def test_the_four_states_are_kept_apart(tmp_path: Path) -> None:
    rows = [
        row(sample="zero", score=0.0), row(sample="none", score=None),
        row(sample="failed", score=1.0, error="timeout"), row(sample="one", score=True),
    ]  # fmt: skip
    write(tmp_path, record(results=[result(n=5)]), rows)
    scores = rb.read(tmp_path)
    coverage = scores.info["arc"].coverage
    assert coverage is not None
    assert coverage.expected == 5
    counts = (coverage.scored, coverage.unscored, coverage.errors, coverage.missing)
    assert [count.tolist() for count in counts] == [[2], [1], [1], [1]]
    values = dict(zip(items(scores).ids or (), items(scores).values[:, 0].tolist(), strict=True))
    assert (values["zero"], values["one"]) == (0.0, 1.0)
    assert math.isnan(values["none"])
    assert math.isnan(values["failed"])


def test_epochs_are_repeats_of_an_item(tmp_path: Path) -> None:
    rows = [row(sample=s, epoch=e, score=v) for s, e, v in
            (("1", "1", 1), ("1", "2", 0), ("2", "1", 1), ("2", "2", 1))]  # fmt: skip
    write(tmp_path, record(results=[result(n=4)]), rows)
    scores = rb.read(tmp_path)
    found = items(scores)
    assert found.values[:, 0].tolist() == [0.5, 1.0]
    assert found.answers is not None
    assert found.answers[:, 0].tolist() == [2, 2]
    coverage = scores.info["arc"].coverage
    assert coverage is not None
    assert coverage.expected == 2


def test_a_sample_may_stand_once_only(tmp_path: Path) -> None:
    write(tmp_path, record(), [row(sample="1", score=1), row(sample="1", score=0)])
    with pytest.raises(rb.DataError, match="several times in one run"):
        rb.read(tmp_path)


def test_another_question_under_the_same_name_is_refused(tmp_path: Path) -> None:
    write(tmp_path, record("org/a"), [row("org/a", content="x")])
    write(tmp_path, record("org/b"), [row("org/b", content="y")])
    with pytest.raises(rb.DataError, match="another question or target"):
        rb.read(tmp_path)
    assert items(rb.read(tmp_path, compare_anyway=True)).values.shape == (1, 2)


def test_fingerprints_of_different_converters_are_not_compared(tmp_path: Path) -> None:
    write(tmp_path, record("org/a", library="inspect"), [row("org/a", content="x")])
    write(tmp_path, record("org/b", library="lm_eval"), [row("org/b", content="y")])
    assert items(rb.read(tmp_path)).values.tolist() == [[1.0, 1.0]]


def test_clusters_come_from_the_metadata(tmp_path: Path) -> None:
    rows = [row(sample=str(k), passage=f"p{k // 2}") for k in range(4)]
    write(tmp_path, record(), rows)
    clusters = items(rb.read(tmp_path, columns={"cluster": "passage"})).clusters
    assert clusters is not None
    assert clusters.tolist() == [0, 0, 1, 1]


def test_rows_of_another_evaluation_are_not_used(tmp_path: Path) -> None:
    write(tmp_path, record(results=[result(score=0.7)]), [row(identifier="other")])
    scores = rb.read(tmp_path)
    assert estimates(scores).mean.tolist() == [0.7]
    assert "samples-left-out" in codes(scores)


def test_rows_without_their_record_are_read_alone(tmp_path: Path) -> None:
    for model, score in (("org/a", 1), ("org/b", 0)):
        write_rows(tmp_path / f"{model[-1]}_samples.jsonl",
                   [row(model, key="choice:accuracy", score=score)])  # fmt: skip
    scores = rb.read(tmp_path)
    assert items(scores).values.tolist() == [[1.0, 0.0]]
    assert "no-record" in codes(scores)
    assert scores.info["arc"].metric == "accuracy"


def test_a_different_number_of_rows_is_told(tmp_path: Path) -> None:
    about = {"format": "jsonl", "file_path": "x", "total_rows": 3}
    write(tmp_path, record(detailed_evaluation_results=about), [row()])
    assert "1 rows, its record declares 3" in message(rb.read(tmp_path), "rows-differ")


def test_compressed_rows_are_read(tmp_path: Path) -> None:
    write(tmp_path, record(), [row(score=0)])
    plain = tmp_path / "org_a_samples.jsonl"
    with gzip.open(tmp_path / "org_a_samples.jsonl.gz", "wb") as packed:
        packed.write(plain.read_bytes())
    plain.unlink()
    assert items(rb.read(tmp_path)).values.tolist() == [[0.0]]


def test_rows_are_streamed(tmp_path: Path) -> None:
    line = json.dumps(row(sample="SAMPLE", input={"raw": "x" * 4000, "reference": []}))
    full, small = tmp_path / "full", tmp_path / "small"
    full.mkdir()
    small.mkdir()
    with (full / "m_samples.jsonl").open("w") as out:
        for k in range(8000):
            out.write(line.replace("SAMPLE", str(k)) + "\n")
    write(full, record(), name="m")
    write(small, record(), [row()], name="m")
    # Of 33 MB of rows less than a third is ever held.
    assert peak_kilobytes(full, 8000) - peak_kilobytes(small, 1) < 12_000


# Metrics and directions


def test_recorded_directions_count(tmp_path: Path) -> None:
    for model, value in (("org/a", 3.0), ("org/b", 2.0)):
        write(tmp_path, record(model, [result(metric="charm", lower=True, score=value)]))
    scores = rb.read(tmp_path)
    assert scores.info["arc"].direction == "lower"
    assert estimates(scores).mean.tolist() == [-3.0, -2.0]


def test_a_direction_against_what_is_usual_is_a_question(tmp_path: Path) -> None:
    write(tmp_path, record(results=[result(metric="accuracy", lower=True)]))
    with pytest.raises(rb.DataError, match="usually higher-is-better"):
        rb.read(tmp_path)
    assert rb.read(tmp_path, direction="higher").info["arc"].direction == "higher"


@pytest.mark.parametrize(
    ("library", "lower", "details"),
    [
        ("inspect", False, None), ("HELM", False, None), ("lm_eval", True, None),
        ("tool", False, {"polarity": "unknown"}),
    ],
)  # fmt: skip
def test_what_a_converter_writes_without_knowing_is_a_question(
    tmp_path: Path, library: str, lower: bool, details: dict[str, str] | None
) -> None:
    found = result(metric="charm", lower=lower, details=details)
    write(tmp_path, record(results=[found], library=library))
    with pytest.raises(rb.DataError, match="which side of 'charm'"):
        rb.read(tmp_path)


def test_measures_of_spread_are_no_scores(tmp_path: Path) -> None:
    found = [result(metric="accuracy"), result(metric="stderr", score=0.1)]
    write(tmp_path, record(results=found))
    scores = rb.read(tmp_path)
    assert scores.info["arc"].metric == "accuracy"
    assert "not-a-score" in codes(scores)


def test_a_metric_that_is_called_like_the_task_has_the_name_of_its_kind(tmp_path: Path) -> None:
    found = result("MMLU-Pro (Law)", metric="MMLU-Pro (Law)")
    found["metric_config"] |= {"metric_id": "mmlu_pro/law", "metric_kind": "accuracy"}
    write(tmp_path, record(results=[found]))
    assert rb.read(tmp_path).info["MMLU-Pro (Law)"].metric == "accuracy"


def test_spellings_of_one_metric_are_one_metric(tmp_path: Path) -> None:
    for model, metric in (("a", "Exact Match"), ("b", "exact-match"), ("c", "exact_match")):
        write(tmp_path, record(model, [result(metric=metric)]))
    scores = rb.read(tmp_path)
    assert scores.info["arc"].metric == "exact_match"
    assert len(estimates(scores).models) == 3


def test_filters_are_variants_not_tasks(tmp_path: Path) -> None:
    found = []
    for used, score in (("strict-match", 0.2), ("flexible-extract", 0.4)):
        one = result(f"gsm8k/{used}", score, metric=None, dataset="gsm8k")
        one["metric_config"]["evaluation_description"] = f"exact_match (filter: {used})"
        found.append(one)
    write(tmp_path, record(results=found, library="lm_eval"))
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["gsm8k"]
    assert estimates(scores, "gsm8k").mean.tolist() == [0.2]
    assert scores.info["gsm8k"].metric == "exact_match"
    other = rb.read(tmp_path, filter="flexible-extract")
    assert estimates(other, "gsm8k").mean.tolist() == [0.4]


def test_splits_and_perturbations_are_no_tasks(tmp_path: Path) -> None:
    found = []
    for metric, perturbation, score in (
        ("exact_match", "", 0.5), ("exact_match", "robustness", 0.1), ("f1", "", 0.6),
    ):  # fmt: skip
        name = " ".join(filter(None, (metric, "test", perturbation))) + " on mmlu"
        one = result(name, score, metric=None, dataset="mmlu")
        one["metric_config"]["evaluation_description"] = metric
        one["score_details"]["details"] = {"split": "test", "perturbation": perturbation}
        found.append(one)
    write(tmp_path, record(results=found, library="helm"))
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["mmlu"]
    assert scores.info["mmlu"].metric == "exact_match"
    assert estimates(scores, "mmlu").mean.tolist() == [0.5]
    assert "perturbed" in codes(scores)


def test_a_value_beyond_the_limits_of_its_record_is_told(tmp_path: Path) -> None:
    entry = result(score=52.0)
    entry["metric_config"] |= {"min_score": 0, "max_score": 1}
    write(tmp_path, record(results=[entry]))
    scores = rb.read(tmp_path)
    assert estimates(scores).mean.tolist() == [52.0]
    assert "52 lies beyond the limits of its record, 0 to 1" in message(scores, "beyond-limits")


# Parts and wholes, reruns, settings


@pytest.mark.parametrize(
    ("whole", "parts"),
    [
        ("MMLU-Pro (overall)", ("MMLU-Pro (Law)", "MMLU-Pro (Biology)")),
        ("wild.overall", ("wild.math", "wild.code")),
        ("geneval_overall", ("geneval_color", "geneval_count")),
        ("helm/mmlu", ("helm/mmlu/law", "helm/mmlu/biology")),
        ("Average", ("math", "code")),
        ("overall", ("overall - a", "overall - b")),
    ],
)
def test_a_whole_is_no_task_beside_its_parts(
    tmp_path: Path, whole: str, parts: tuple[str, ...]
) -> None:
    write(tmp_path, record(results=[result(name, dataset="d") for name in (whole, *parts)]))
    scores = rb.read(tmp_path)
    assert set(scores.tasks) == set(parts)
    assert {scores.info[part].category for part in parts} == {whole}
    assert "groups" in codes(scores)


def test_a_task_called_like_the_data_set_of_the_others_is_their_whole(tmp_path: Path) -> None:
    names = ("Global MMLU Lite", "Arabic", "English")
    write(tmp_path, record(results=[result(name, dataset="global-mmlu-lite") for name in names]))
    assert list(rb.read(tmp_path).tasks) == ["Arabic", "English"]


def test_names_that_only_start_alike_are_no_whole_and_part(tmp_path: Path) -> None:
    write(tmp_path, record(results=[result("mmlu"), result("mmlu_pro"), result("mmlu-redux")]))
    assert list(rb.read(tmp_path).tasks) == ["mmlu", "mmlu-redux", "mmlu_pro"]


def test_groups_with_records_of_their_own_are_no_tasks(tmp_path: Path) -> None:
    for name in ("mmlu", "mmlu_law", "mmlu_biology"):
        data = {"dataset_name": name, "source_type": "other" if name == "mmlu" else "hf_dataset"}
        one = result(name, source_data=data)
        write(tmp_path, record(results=[one], library="lm_eval", identifier=name), name=name)
    assert list(rb.read(tmp_path).tasks) == ["mmlu_biology", "mmlu_law"]


def test_a_second_conversion_of_one_run_is_a_copy(tmp_path: Path) -> None:
    write(tmp_path, record(retrieved_timestamp="1"), name="x")
    write(tmp_path, record(retrieved_timestamp="2"), name="y")
    assert "copies" in codes(rb.read(tmp_path))


def test_the_newest_run_counts_unless_all_are_asked_for(tmp_path: Path) -> None:
    write(tmp_path, record(results=[result(score=0.1)], time="2025-01-01T00:00:00Z"), name="x")
    write(tmp_path, record(results=[result(score=0.3)], time="1767225600"), name="y")
    assert estimates(rb.read(tmp_path)).mean.tolist() == [0.3]
    assert estimates(rb.read(tmp_path, reruns="all")).mean.tolist() == [pytest.approx(0.2)]


def test_settings_of_generation_make_systems_where_one_model_ran_twice(tmp_path: Path) -> None:
    for effort in ("low", "high"):
        config = {"additional_details": {"reasoning_effort": effort, "seed": "1"}}
        one = result(generation_config=config)
        write(tmp_path, record(results=[one], identifier=effort), name=effort)
    assert rb.read(tmp_path).models == (
        "org/a (reasoning_effort=high)", "org/a (reasoning_effort=low)",
    )  # fmt: skip


def test_other_data_sets_make_other_tasks(tmp_path: Path) -> None:
    write(tmp_path, record("org/a", [result("qa", dataset="squad")]))
    write(tmp_path, record("org/b", [result("qa", dataset="triviaqa")]))
    assert list(rb.read(tmp_path).tasks) == ["qa (data set=squad)", "qa (data set=triviaqa)"]


def test_other_spellings_of_a_data_set_and_none_make_no_other_task(tmp_path: Path) -> None:
    for model, dataset in (("a", "MMLU-Pro"), ("b", "mmlu_pro"), ("c", None)):
        one = result("qa", dataset=dataset)
        if dataset is None:
            del one["source_data"]
        write(tmp_path, record(model, [one]))
    assert estimates(rb.read(tmp_path), "qa").models == ("a", "b", "c")


# Uncertainty and scale


def test_uncertainty_is_taken_from_what_is_recorded(tmp_path: Path) -> None:
    given: list[dict[str, Any]] = [
        {"standard_error": {"value": 0.02}},
        {"confidence_interval": {"lower": 0.4, "upper": 0.6, "confidence_level": 0.9}},
        {"confidence_interval": {"lower": 0.4, "upper": 0.6}},
        {"standard_deviation": 0.5, "num_samples": 100},
    ]
    for place, uncertainty in enumerate(given):
        one = result(metric="charm", score_details={"score": 0.5, "uncertainty": uncertainty})
        write(tmp_path, record(f"org/{place}", [one]))
    scores = rb.read(tmp_path)
    se = estimates(scores).se
    assert se is not None
    np.testing.assert_allclose(se, [0.02, 0.1 / 1.6448536, 0.1 / 1.9599640, 0.05], rtol=1e-7)
    texts = [note.message for note in scores.notes if note.code == "from-intervals"]
    assert any("95 % is taken" in text for text in texts)


def test_schema_0_2_had_the_interval_beside_the_score(tmp_path: Path) -> None:
    score = {"score": 0.5, "confidence_interval": {"lower": 0.4, "upper": 0.6}}
    write(tmp_path, record(results=[result(score_details=score)]))
    se = estimates(rb.read(tmp_path)).se
    assert se is not None
    assert se[0] == pytest.approx(0.1 / 1.9599640)


def test_infinite_limits_are_text_and_limits_of_another_scale_do_not_count(tmp_path: Path) -> None:
    one = result("ppl", 12.0, metric="charm")
    one["metric_config"] |= {"min_score": 0.0, "max_score": "Infinity"}
    two = result("acc", 73.0)
    two["metric_config"] |= {"min_score": 0.0, "max_score": 1.0}
    write(tmp_path, record(results=[one, two]))
    scores = rb.read(tmp_path)
    assert (scores.info["ppl"].minimum, scores.info["ppl"].maximum) == (0.0, None)
    assert scores.info["acc"].maximum is None


def test_an_unknown_level_is_no_score(tmp_path: Path) -> None:
    config = {"metric_name": "charm", "lower_is_better": False, "score_type": "levels",
              "level_names": ["a"], "has_unknown_level": True}  # fmt: skip
    other = result("gsm")
    write(tmp_path, record("org/a", [result(score=-1, metric_config=config), other]))
    write(tmp_path, record("org/b", [result(score=1, metric_config=config), other]))
    scores = rb.read(tmp_path)
    assert estimates(scores).models == ("org/b",)
    assert estimates(scores, "gsm").models == ("org/a", "org/b")
    assert "no-score" in codes(scores)


def test_the_size_of_the_data_set_is_not_the_number_of_samples(tmp_path: Path) -> None:
    data = {"dataset_name": "arc", "source_type": "hf_dataset", "samples_number": 2376}
    write(tmp_path, record(results=[result(source_data=data)]))
    assert estimates(rb.read(tmp_path)).n is None


# Forms of records


def test_old_and_new_schemas_are_read(tmp_path: Path) -> None:
    old = {
        "schema_version": "0.0.1", "evaluation_id": "x", "evaluation_source": {},
        "retrieved_timestamp": "2025-11-28T00:41:44.010163Z",
        "model_info": {"name": "Claude 3.5 Haiku", "id": "anthropic/claude-35-haiku"},
        "evaluation_results": [{
            "evaluation_name": "Arabic", "metric_config": {"lower_is_better": False},
            "score_details": {"score": 0.7, "details": {"confidence_interval": 0.04}},
        }],
    }  # fmt: skip
    write(tmp_path, old)
    write(tmp_path, record("org/b", [result("Arabic", metric=None)], schema_version="0.9.0"))
    scores = rb.read(tmp_path, compare_anyway=True)
    assert scores.models == ("anthropic/claude-35-haiku", "org/b")
    assert "newer-schema" in codes(scores)


def test_one_record_per_line_is_read(tmp_path: Path) -> None:
    write_rows(tmp_path / "all.jsonl", [record("org/a"), record("org/b")])
    assert rb.read(tmp_path).models == ("org/a", "org/b")


def test_a_folder_of_another_model_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "c" / "org" / "b"
    folder.mkdir(parents=True)
    write(folder, record("org/a"))
    assert "the folder is called 'org/b'" in message(rb.read(tmp_path), "model-name")


# Damage


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"evaluation_results": []}, "holds no result"),
        ({"evaluation_results": {"a": 1}}, "holds no result"),
        ({"evaluation_results": [3]}, r"evaluation_results\[0\] is no JSON object"),
        ({"evaluation_results": [{}]}, r"evaluation_results\[0\] has no evaluation_name"),
        ({"evaluation_results": [result(score="high")]}, "the score is 'high', not a number"),
        ({"evaluation_results": [result(metric="std")]}, "there is no score"),
        ({"model_info": {}}, "names no model"),
    ],
)
def test_a_wrong_record_says_where(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    path = write(tmp_path, record(), name="x")
    path.write_text(json.dumps({**record(), **change}))
    with pytest.raises(rb.ReadError, match=problem) as caught:
        rb.read(path)
    assert "x.json" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"sample_id": None}, "row 2: expected a sample_id, found 'None'"),
        ({"model_id": ""}, "row 2: expected a model_id, found ''"),
        ({"evaluation_id": "other"}, "row 2: the row is about the evaluation 'other'"),
        ({"evaluation": {"score": "C"}}, "row 2: the score 'C' is not a number"),
        ({"metadata": {"lm_eval_metrics": "{"}}, "row 2: the JSON ends too early"),
    ],
)
def test_a_wrong_row_says_where(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    rows = [row(sample="1"), {**row(sample="2"), **change}]
    path = write_rows(tmp_path / "x_samples.jsonl", rows)
    with pytest.raises(rb.DataError, match=problem):
        rb.read(path)


def test_a_damaged_file_of_a_folder_is_left_out_and_named(tmp_path: Path) -> None:
    write(tmp_path, record("org/a"))
    (tmp_path / "bad.json").write_text(json.dumps({**record(), "model_info": {}}))
    scores = rb.read(tmp_path)
    assert scores.models == ("org/a",)
    assert any("bad.json" in note.message for note in scores.notes)


def test_a_share_and_a_percentage_do_not_meet(tmp_path: Path) -> None:
    for model, score, greatest in (("org/a", 0.7, 1), ("org/b", 71.0, 100)):
        one = result(score=score, metric="score")
        one["metric_config"] |= {"min_score": 0, "max_score": greatest}
        write(tmp_path, record(model, [one]))
    with pytest.raises(rb.DataError, match=r"Greatest score: '1' .*'100'"):
        rb.read(tmp_path)
    assert "task-differs" in codes(rb.read(tmp_path, compare_anyway=True))

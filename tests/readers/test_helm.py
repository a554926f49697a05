"""HELM: genuine runs to their numbers, made-up ones for each trap."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Coverage, Estimates, Items
from rankbars.readers import explain

HELM = Path(__file__).parent.parent / "data" / "fixtures" / "helm"
RUNS = HELM / "benchmark_output" / "runs" / "v4"
RELEASE = HELM / "benchmark_output" / "releases" / "v4"
CLAUDE = "anthropic/claude-3-5-sonnet-20240620"


def items(scores: rb.Scores, task: str) -> Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Items)
    return evidence


def codes(scores: rb.Scores) -> set[str]:
    return {note.code for note in scores.notes}


def coverage(scores: rb.Scores, task: str) -> Coverage:
    found = scores.info[task].coverage
    assert found is not None
    return found


def stat(name: str, mean: float | None, split: str = "test", **more: Any) -> dict[str, Any]:
    content: dict[str, Any] = {"name": {"name": name, "split": split, **more}, "sum": mean or 0.0}
    return content | ({"count": 0} if mean is None else {"count": 1, "mean": mean})


def write_run(
    folder: Path, name: str, model: str, scores: Sequence[float | None], *,
    entries: Sequence[Mapping[str, Any]] = (), groups: Sequence[str] = ("mmlu",),
    stats: Sequence[Mapping[str, Any]] | None = None, metric: str = "exact_match",
    **adapter: Any,
) -> Path:  # fmt: skip
    """A run folder with one metric, and further entries of instances."""
    place = folder / name.replace("/", "_")
    place.mkdir(parents=True)
    spec = {"name": name, "scenario_spec": {}, "groups": list(groups),
            "adapter_spec": {"model": model, "max_eval_instances": 100, **adapter}}  # fmt: skip
    rows = [
        {"instance_id": f"id{number}", "train_trial_index": 0, "stats": [stat(metric, score)]}
        for number, score in enumerate(scores)
    ]
    known = [score for score in scores if score is not None]
    whole = [stat(metric, sum(known) / len(known) if known else None),
             stat("num_instances", float(len(scores)))]  # fmt: skip
    (place / "run_spec.json").write_text(json.dumps(spec))
    (place / "per_instance_stats.json").write_text(json.dumps([*rows, *entries]))
    (place / "stats.json").write_text(json.dumps(whole if stats is None else stats))
    return place


# Genuine files


def test_items_of_runs_have_the_mean_that_the_producer_states() -> None:
    scores = rb.read(HELM / "benchmark_output")
    found = items(scores, "harm_bench")
    assert found.models == (CLAUDE, "meta/llama-3-8b", "openai/gpt-4o-2024-05-13")
    assert found.n == 100
    assert found.values.mean(axis=0).tolist() == pytest.approx([0.96, 0.3375, 0.805])
    assert set(np.unique(found.values)) <= {0, 0.25, 0.5, 0.75, 1}
    assert scores.info["harm_bench"].metric == "harm_bench_score"
    assert coverage(scores, "harm_bench").expected == 100
    assert "published-differs" not in codes(scores)


def test_a_metric_over_the_whole_corpus_gives_published_values() -> None:
    scores = rb.read(HELM / "benchmark_output")
    found = scores.tasks["bbq:subject=all"]
    assert isinstance(found, Estimates)
    assert found.mean.tolist() == [0.93, 0.66, 0.95]
    assert found.n is not None
    assert found.n.tolist() == [100, 100, 100]
    assert "not-per-item" in codes(scores)


def test_another_metric_of_such_a_run_has_items() -> None:
    # The file keeps this metric for its first instances only.
    scores = rb.read(RUNS, metric="exact_match")
    assert list(scores.tasks) == ["bbq:subject=all"]
    assert items(scores, "bbq:subject=all").n == 8
    assert coverage(scores, "bbq:subject=all").missing.tolist() == [92, 92, 92]


def test_the_schema_of_the_release_is_found_beside_the_runs() -> None:
    scores = rb.read(RUNS)
    assert set(scores.tasks) == {"harm_bench", "bbq:subject=all"}
    assert "schema-found" in codes(scores)
    assert any("recorded" in note.message for note in scores.notes if note.code == "direction")


def test_only_the_main_split_counts() -> None:
    scores = rb.read(HELM / "single_runs")
    found = items(scores, "mmlu:subject=philosophy")
    assert found.n == 9
    assert found.values.mean() == pytest.approx(1 / 9)
    assert items(scores, "narrative_qa").values.mean() == pytest.approx(0.174242, abs=1e-6)
    assert any("split 'valid'" in note.message for note in scores.notes)


def test_another_split_can_be_chosen() -> None:
    scores = rb.read(HELM / "single_runs", filter="valid")
    assert items(scores, "narrative_qa").n == 1


def test_one_file_of_a_run_finds_the_others() -> None:
    folder = next(RUNS.glob("harm_bench-model=openai*"))
    scores = rb.read(folder / "per_instance_stats.json")
    assert scores.models == ("openai/gpt-4o-2024-05-13",)
    assert items(scores, "harm_bench").values.mean() == pytest.approx(0.805)


def test_tables_of_a_release_are_published_values_without_the_mean_win_rate() -> None:
    scores = rb.read(RELEASE)
    assert len(scores.models) == 12
    assert set(scores.tasks) == {"HarmBench", "SimpleSafetyTests", "BBQ", "Anthropic Red Team"}
    assert all(isinstance(task, Estimates) for task in scores.tasks.values())
    assert "columns-dropped" in codes(scores)


def test_tables_are_not_read_beside_their_runs() -> None:
    scores = rb.read(HELM / "benchmark_output")
    assert "HarmBench" not in scores.tasks
    assert any("release" in note.message for note in scores.notes if note.code == "groups")


def test_every_file_of_a_run_is_known() -> None:
    reports = explain(HELM / "benchmark_output")
    assert {report.format for report in reports} == {"helm"}


# Traps


def test_entries_of_one_instance_are_united(tmp_path: Path) -> None:
    more = {"instance_id": "id0", "train_trial_index": 0, "stats": [stat("num_bytes", 7.0)]}
    write_run(tmp_path, "mmlu:model=a", "a", [1.0, 0.0], entries=[more])
    assert items(rb.read(tmp_path), "mmlu").values[:, 0].tolist() == [1.0, 0.0]


def test_trials_are_repeats_of_an_instance(tmp_path: Path) -> None:
    more = [{"instance_id": f"id{k}", "train_trial_index": 1, "stats": [stat("exact_match", 1.0)]}
            for k in (0, 1)]  # fmt: skip
    write_run(tmp_path, "mmlu:model=a", "a", [1.0, 0.0], entries=more)
    found = items(rb.read(tmp_path), "mmlu")
    assert found.values[:, 0].tolist() == [1.0, 0.5]
    assert found.answers is not None
    assert found.answers[:, 0].tolist() == [2, 2]


def test_a_statistic_without_a_mean_is_no_zero(tmp_path: Path) -> None:
    write_run(tmp_path, "mmlu:model=a", "a", [1.0, None, 0.0])
    scores = rb.read(tmp_path)
    assert np.isnan(items(scores, "mmlu").values[1, 0])
    assert coverage(scores, "mmlu").unscored.tolist() == [1]


def test_perturbed_copies_are_left_out_unless_named(tmp_path: Path) -> None:
    more = {"instance_id": "id0", "train_trial_index": 0, "perturbation": {"name": "typos"},
            "stats": [stat("exact_match", 0.0, perturbation={"name": "typos"})]}  # fmt: skip
    write_run(tmp_path, "mmlu:model=a", "a", [1.0, 1.0], entries=[more])
    scores = rb.read(tmp_path)
    assert items(scores, "mmlu").values[:, 0].tolist() == [1.0, 1.0]
    assert any("typos" in note.message for note in scores.notes)
    assert items(rb.read(tmp_path, filter="typos"), "mmlu").values[:, 0].tolist() == [0.0]


def test_statistics_of_perturbations_that_were_not_run_are_no_scores(tmp_path: Path) -> None:
    fake = stat("exact_match", 0.0, perturbation={"name": "robustness", "computed_on": "worst"})
    write_run(tmp_path, "mmlu:model=a", "a", [1.0, 1.0],
              stats=[fake, stat("exact_match", 1.0), stat("num_instances", 2.0)])  # fmt: skip
    assert "published-differs" not in codes(rb.read(tmp_path))


def test_a_group_that_nobody_knows_needs_a_metric(tmp_path: Path) -> None:
    write_run(tmp_path, "mine:model=a", "a", [1.0, 0.0], groups=["mine"], metric="quality")
    with pytest.raises(rb.DataError, match="--metric: 'quality'"):
        rb.read(tmp_path)
    with pytest.raises(rb.DataError, match="which side of 'quality' is better"):
        rb.read(tmp_path, metric="quality")
    assert items(rb.read(tmp_path, metric="quality", direction="higher"), "mine").n == 2


def test_several_splits_without_a_main_one_are_asked_for(tmp_path: Path) -> None:
    more = {"instance_id": "v0", "train_trial_index": 0,
            "stats": [stat("exact_match", 1.0, "valid")]}  # fmt: skip
    write_run(tmp_path, "mine:model=a", "a", [1.0, 0.0], groups=["mine"], entries=[more])
    with pytest.raises(rb.DataError, match="--filter test"):
        rb.read(tmp_path, metric="exact_match")


def test_a_metric_that_the_schema_calls_lower_is_turned(tmp_path: Path) -> None:
    schema = {"metrics": [{"name": "toxic_frac", "lower_is_better": True}],
              "run_groups": [{"name": "g", "environment": {"main_name": "toxic_frac",
                                                           "main_split": "test"}}]}  # fmt: skip
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    write_run(tmp_path, "g:model=a", "a", [0.25, 0.0], groups=["g"], metric="toxic_frac")
    scores = rb.read(tmp_path)
    assert scores.info["g"].direction == "lower"
    assert items(scores, "g").values[:, 0].tolist() == [-0.25, 0.0]


def test_a_schema_against_the_usual_side_is_not_followed_silently(tmp_path: Path) -> None:
    schema = {"metrics": [{"name": "exact_match", "lower_is_better": True}], "run_groups": []}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    write_run(tmp_path, "mmlu:model=a", "a", [1.0, 0.0])
    with pytest.raises(rb.DataError, match="usually higher-is-better"):
        rb.read(tmp_path)


def test_ways_of_prompting_one_model_do_not_split_the_task(tmp_path: Path) -> None:
    name = "mmlu:subject=law,method=multiple_choice_joint"
    write_run(tmp_path, f"{name},model=a", "x/a", [1.0, 0.0])
    write_run(tmp_path, f"{name},model=b,stop=hash", "x/b", [1.0, 1.0])
    assert rb.read(tmp_path).tasks["mmlu:subject=law"].models == ("x/a", "x/b")


def test_another_number_of_examples_is_another_task(tmp_path: Path) -> None:
    write_run(tmp_path, "mmlu:model=a", "a", [1.0, 0.0], max_train_instances=5)
    write_run(tmp_path, "mmlu:model=b", "b", [1.0, 0.0], max_train_instances=0)
    with pytest.raises(rb.DataError, match="Number of examples: '5'"):
        rb.read(tmp_path)
    assert rb.read(tmp_path, compare_anyway=True).models == ("a", "b")


def test_without_a_specification_the_folder_names_the_model(tmp_path: Path) -> None:
    folder = write_run(tmp_path, "mmlu:subject=law,model=x_a", "x/a", [1.0, 0.0])
    (folder / "run_spec.json").unlink()
    scores = rb.read(tmp_path)
    assert scores.models == ("x_a",)
    assert "name-from-file" in codes(scores)
    shutil.move(folder, tmp_path / "run7")
    with pytest.raises(rb.ReadError, match=r"run7.*Copy run_spec\.json"):
        rb.read(tmp_path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    folder = write_run(tmp_path, "mmlu:model=a", "a", [1.0, 0.0])
    path = folder / "per_instance_stats.json"
    path.write_text(path.read_text()[:-30])
    with pytest.raises(rb.ReadError, match=r"per_instance_stats\.json: .*not JSON|cut off"):
        rb.read(path)
    path.write_text('[{"instance_id": null, "train_trial_index": 0, "stats": []}]')
    with pytest.raises(rb.ReadError, match="record 1: there is no instance_id"):
        rb.read(path, format="helm")


@pytest.mark.parametrize("name", ["stats.json", "per_instance_stats.json", "run_spec.json"])
def test_one_damaged_file_does_not_stop_the_others(tmp_path: Path, name: str) -> None:
    for model in ("a", "b"):
        write_run(tmp_path, f"mmlu:model={model}", model, [1.0, 0.0])
    path = tmp_path / "mmlu:model=b" / name
    path.write_text(path.read_text()[:20])
    scores = rb.read(tmp_path)
    assert "a" in scores.models
    (note,) = (note for note in scores.notes if note.code == "files-damaged")
    assert name in note.message


def test_a_damaged_schema_beside_the_runs_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text('{"metrics": [], "run_groups": 5}')
    write_run(tmp_path / "runs", "mmlu:model=a", "a", [1.0, 0.0])
    assert "files-damaged" in codes(rb.read(tmp_path / "runs"))
    assert "files-damaged" in codes(rb.read(tmp_path))


def test_a_list_of_tables_is_read_table_by_table(tmp_path: Path) -> None:
    def table(title: str, metric: str, values: Sequence[float], *, lower: bool) -> dict[str, Any]:
        about = {"metric": metric, "run_group": "MMLU"}
        header = [{"value": "Model"}, {"value": "Mean win rate", "metadata": {}},
                  {"value": f"MMLU - {metric}", "lower_is_better": lower,
                   "metadata": about}]  # fmt: skip
        rows = [[{"value": f"m{k}"}, {"value": 0.5}, {"value": one}]
                for k, one in enumerate(values)]  # fmt: skip
        return {"title": title, "header": header, "rows": rows}

    content = [table("Accuracy", "EM", [0.5, 0.7], lower=False),
               table("Calibration", "ECE", [0.1, 0.2], lower=True)]  # fmt: skip
    path = tmp_path / "core_scenarios.json"
    path.write_text(json.dumps(content, indent=1))
    scores = rb.read(path)
    assert scores.tasks["MMLU"].mean.tolist() == [0.5, 0.7]  # type: ignore[union-attr]
    assert rb.read(path, metric="ECE").info["MMLU"].direction == "lower"


def test_parts_of_a_split_are_not_its_published_value(tmp_path: Path) -> None:
    stats = [stat("exact_match", 0.0, sub_split="hard"), stat("exact_match", 0.5),
             stat("num_instances", 2.0)]  # fmt: skip
    write_run(tmp_path, "mmlu:model=a", "a", [1.0, 0.0], stats=stats)
    assert "published-differs" not in codes(rb.read(tmp_path))

"""Logs of Inspect AI: genuine ones to their numbers, made-up ones for each trap."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from logfiles import (
    INSPECT,
    inspect_header,
    peak_kilobytes,
    sample,
    to_zstd,
    write_archive,
    write_eval,
    write_json_log,
)

import rankbars as rb
from rankbars.readers import explain

SCORED = "2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval"
UNSCORED = "2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval"
CANCELLED = INSPECT / "json" / "2025-05-12T20-28-13-04-00_popularity.json"
NO_SAMPLES = INSPECT / "json" / "2025-05-12T20-28-13-04-00_no-samples.json"


def items(scores: rb.Scores, task: str = "popularity") -> rb.Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, rb.Items)
    return evidence


def codes(scores: rb.Scores) -> set[str]:
    return {note.code for note in scores.notes}


def counts(scores: rb.Scores, task: str) -> tuple[int, list[int]]:
    """Expected items; scored, unscored, failed and missing ones of the first model."""
    coverage = scores.info[task].coverage
    assert coverage is not None
    four = (coverage.scored, coverage.unscored, coverage.errors, coverage.missing)
    return coverage.expected, [int(one[0]) for one in four]


# Genuine files


@pytest.mark.parametrize("folder", ["eval_deflate", "eval_zstd"])
def test_an_archive_gives_its_items(folder: str) -> None:
    scores = rb.read(INSPECT / folder / SCORED)
    assert scores.models == ("openai/gpt-4o-mini",)
    found = items(scores)
    assert found.ids == tuple(str(number) for number in range(1, 11))
    assert found.values[:, 0].tolist() == [1, 1, 0, 1, 1, 1, 0, 1, 1, 1]
    assert found.values.std(ddof=1) / np.sqrt(10) == pytest.approx(0.13333, abs=1e-5)
    assert scores.info["popularity"].metric == "accuracy"


def test_a_log_without_scores_is_not_a_log_of_zeros() -> None:
    scores = rb.read(INSPECT / "eval_deflate" / UNSCORED)
    assert np.isnan(items(scores).values).all()
    assert counts(scores, "popularity") == (10, [0, 10, 0, 0])


@pytest.mark.parametrize("folder", ["eval_deflate", "eval_zstd"])
def test_epochs_are_repeats_of_items(folder: str) -> None:
    scores = rb.read(INSPECT / folder / "log_streaming.eval")
    found = items(scores)
    assert found.values[:, 0].tolist() == [0.5, 1.0]
    assert found.values.std(ddof=1) / np.sqrt(2) == pytest.approx(0.25)
    assert found.answers is not None
    assert found.answers[:, 0].tolist() == [2, 2]
    assert found.runs is not None
    assert found.runs[:, :, 0].tolist() == [[0.0, 1.0], [1.0, 1.0]]
    assert counts(scores, "popularity") == (2, [2, 0, 0, 0])


def test_both_containers_of_one_log_say_the_same() -> None:
    one, two = INSPECT / "eval_deflate" / "log_formats.eval", INSPECT / "json" / "log_formats.json"
    for path in (one, two):
        assert items(rb.read(path)).values.tolist() == [[0.0]]
    scores = rb.read([one, two])
    assert scores.models == ("ollama/llama3.1",)
    assert "copies" in codes(scores)


def test_the_package_of_a_task_is_no_part_of_its_name() -> None:
    path = INSPECT / "eval_deflate" / "mmlu-summary-choices.eval"
    scores = rb.read(path, columns={"cluster": "subject"})
    assert list(scores.tasks) == ["mmlu_0_shot"]
    assert items(scores, "mmlu_0_shot").values.tolist() == [[0.0]]
    clusters = items(scores, "mmlu_0_shot").clusters
    assert clusters is not None
    assert clusters.tolist() == [0]


def test_a_cancelled_log_is_used_and_said_to_be_one() -> None:
    scores = rb.read(CANCELLED)
    assert items(scores).values[:, 0].tolist() == [1.0, 1.0, 0.0]
    assert "unfinished" in codes(scores)


def test_a_log_without_samples_gives_its_published_value() -> None:
    evidence = rb.read(NO_SAMPLES).tasks["testtaskname"]
    assert isinstance(evidence, rb.Estimates)
    assert evidence.se is not None
    assert evidence.n is not None
    assert evidence.mean[0] == pytest.approx(0.6667, abs=1e-4)
    assert evidence.se[0] == pytest.approx(1 / 3)
    assert evidence.n[0] == 3


def test_items_beyond_the_limit_of_a_run_are_missing_there() -> None:
    scores = rb.read(INSPECT / "json_pair")
    assert scores.models == ("anthropic/claude-sonnet-4-0", "ollama/qwen2.5:0.5b")
    found = items(scores, "arc_easy")
    assert found.ids == ("1", "2", "3", "4", "5")
    assert np.isnan(found.values).sum(axis=0).tolist() == [0, 2]
    assert found.values[:3].T.tolist() == [[1, 1, 1], [1, 0, 0]]
    assert scores.info["arc_easy"].coverage.scored.tolist() == [5, 3]


def test_a_sample_that_failed_is_an_error_not_a_zero() -> None:
    path = INSPECT / "json_errored"
    with pytest.raises(rb.DataError, match="not known which side of 'mean' is better"):
        rb.read(path)
    scores = rb.read(path, direction="higher")
    evidence = scores.tasks["cvebench"]
    assert isinstance(evidence, rb.Estimates)
    assert evidence.mean[0] == pytest.approx(0.7051, abs=1e-4)
    assert evidence.n is not None
    assert evidence.n[0] == 78
    assert counts(scores, "cvebench") == (80, [78, 0, 1, 1])


def test_of_two_logs_the_one_with_scores_counts() -> None:
    paths = [INSPECT / "eval_deflate" / name for name in (SCORED, UNSCORED)]
    scores = rb.read(paths)
    assert items(scores).values.mean() == pytest.approx(0.8)
    assert "reruns" in codes(scores)


def test_every_genuine_file_is_recognised() -> None:
    formats = {Path(report.path).suffix: report.format for report in explain(INSPECT)}
    assert formats == {".md": None, ".eval": "inspect", ".json": "inspect"}


def test_means_of_items_are_the_published_ones() -> None:
    for path in sorted(INSPECT.rglob("*.eval")):
        with zipfile.ZipFile(INSPECT / "eval_deflate" / path.name) as archive:
            header = json.loads(archive.read("header.json"))
        for entry in header["results"]["scores"]:
            (evidence,) = rb.read(path).tasks.values()
            assert isinstance(evidence, rb.Items)
            value = entry["metrics"]["accuracy"]["value"]
            assert evidence.values.mean() == pytest.approx(value)


def test_zstd_members_of_several_frames_are_read(tmp_path: Path) -> None:
    for source in sorted((INSPECT / "eval_deflate").iterdir()):
        path = tmp_path / source.name
        path.write_bytes(to_zstd(source.read_bytes()))
        with zipfile.ZipFile(path) as archive:
            assert {member.compress_type for member in archive.infolist()} == {93}
        one, two = rb.read(source), rb.read(path)
        for task in one.tasks:
            assert np.array_equal(items(one, task).values, items(two, task).values, equal_nan=True)


# Traps of made-up files


def test_trap_1_words_and_lists_are_not_zero(tmp_path: Path) -> None:
    values = ["C", "P", "I", "N", "yes", "No", "TRUE", "0.25", "maybe", [1], None, "NaN", ""]
    samples = [sample(place, value) for place, value in enumerate(values)]
    write_json_log(tmp_path / "a.json", inspect_header(), samples)
    scores = rb.read(tmp_path, metric="match", direction="higher")
    found = items(scores, "t").values[:, 0]
    assert found[:8].tolist() == [1, 0.5, 0, 0, 1, 0, 1, 0.25]
    assert np.isnan(found[8:]).all()
    assert counts(scores, "t") == (100, [8, 5, 0, 87])
    assert "unread-values" in codes(scores)


def test_trap_2_a_removed_cluster_is_taken_from_the_sample(tmp_path: Path) -> None:
    header = inspect_header()
    short = [sample(1, "C", metadata={"site": "Key removed from summary (> 1k)"}),
             sample(2, "I", metadata={"site": "b"})]  # fmt: skip
    whole = {"samples/1_epoch_1.json": sample(1, "C", metadata={"site": "long"}),
             "samples/2_epoch_1/sample.json": sample(2, "I", metadata={"site": "b"})}  # fmt: skip
    write_eval(tmp_path / "a.eval", header, short, whole)
    found = items(rb.read(tmp_path, columns={"cluster": "site"}), "t")
    assert found.clusters is not None
    assert len(set(found.clusters.tolist())) == 2
    with pytest.raises(rb.DataError, match="2 of 2 items have no cluster"):
        rb.read(tmp_path, columns={"cluster": "place"})


def test_trap_3_invalidated_samples_are_left_out(tmp_path: Path) -> None:
    header = inspect_header(invalidated=True)
    marked = sample(2, "C", invalidation={"author": "x"})
    whole = {"samples/1_epoch_1.json": sample(1, "I"), "samples/2_epoch_1.json": marked}
    write_eval(tmp_path / "a.eval", header, [sample(1, "I"), sample(2, "C")], whole)
    scores = rb.read(tmp_path)
    assert items(scores, "t").values.tolist() == [[0.0]]
    assert "invalidated" in codes(scores)


def test_a_log_declared_invalid_as_a_whole_is_left_out_and_told(tmp_path: Path) -> None:
    header = inspect_header("openai/a", invalidated=True)
    write_json_log(tmp_path / "a.json", header, [sample(1, "C"), sample(2, "C")])
    for name, value in (("b", "C"), ("c", "I")):
        log = inspect_header(f"openai/{name}")
        write_json_log(tmp_path / f"{name}.json", log, [sample(1, value), sample(2, "I")])
    scores = rb.read(tmp_path)
    assert scores.models == ("openai/b", "openai/c")
    said = [note.message for note in scores.notes if note.code == "invalidated"]
    assert len(said) == 1
    assert said[0].endswith("a.json'.")
    with pytest.raises(rb.DataError, match="declared invalid"):
        rb.read(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("scorer", "reduction", "direction"),
    [("f1", "mean", "higher"), ("rouge_l", "accuracy", "higher"), ("match", "accuracy", "higher")],
)
def test_a_scorer_tells_the_direction_where_its_metric_only_averages(
    tmp_path: Path, scorer: str, reduction: str, direction: str
) -> None:
    results = {
        "scores": [{"name": scorer, "scorer": scorer, "metrics": {reduction: {"value": 0.5}}}]
    }
    samples = [
        {"id": number, "epoch": 1, "scores": {scorer: {"value": value}}}
        for number, value in enumerate((0.25, 0.75))
    ]
    write_json_log(tmp_path / "a.json", inspect_header(results=results), samples)
    info = rb.read(tmp_path).info["t"]
    assert info.direction == direction
    assert info.metric == (reduction if scorer == "match" else scorer)


@pytest.mark.parametrize("scorer", ["wer", "my_judge"])
def test_the_direction_of_other_scorers_is_asked_for(tmp_path: Path, scorer: str) -> None:
    results = {"scores": [{"name": scorer, "scorer": scorer, "metrics": {"mean": {"value": 0.5}}}]}
    samples = [{"id": 1, "epoch": 1, "scores": {scorer: {"value": 0.5}}}]
    write_json_log(tmp_path / "a.json", inspect_header(results=results), samples)
    with pytest.raises(rb.DataError, match=f"--direction {'wer' if scorer == 'wer' else 'mean'}="):
        rb.read(tmp_path)


def test_trap_4_the_last_of_several_entries_wins(tmp_path: Path) -> None:
    header = inspect_header()
    again = [sample(1, "I"), sample(2, "I"), sample(1, "C")]
    members = [("summaries.json", [sample(1, "I")]), ("header.json", header),
               ("summaries.json", again)]  # fmt: skip
    with pytest.warns(UserWarning, match="Duplicate name"):
        write_archive(tmp_path / "a.eval", members)
    scores = rb.read(tmp_path)
    assert items(scores, "t").values[:, 0].tolist() == [1.0, 0.0]
    assert "retried" in codes(scores)


@pytest.mark.parametrize("value", [None, float("nan")])
def test_trap_5_null_and_nan_are_not_scored(tmp_path: Path, value: object) -> None:
    write_json_log(tmp_path / "a.json", inspect_header(), [sample(1, "C"), sample(2, value)])
    scores = rb.read(tmp_path)
    assert np.isnan(items(scores, "t").values[1, 0])
    assert counts(scores, "t")[1][:3] == [1, 1, 0]


def test_trap_6_order_of_completion_does_not_matter(tmp_path: Path) -> None:
    samples = [sample(item, "C" if item > 5 else "I") for item in (10, 2, 9, 1)]
    write_json_log(tmp_path / "a.json", inspect_header(), samples)
    found = items(rb.read(tmp_path), "t")
    assert found.ids == ("1", "2", "9", "10")
    assert found.values[:, 0].tolist() == [0, 0, 1, 1]


def test_trap_7_of_an_edited_score_the_current_value_counts(tmp_path: Path) -> None:
    edited = sample(1, "C")
    edited["scores"]["match"]["history"] = [{"value": "I"}]
    write_json_log(tmp_path / "a.json", inspect_header(), [edited])
    assert items(rb.read(tmp_path), "t").values.tolist() == [[1.0]]


def test_trap_9_results_of_old_logs(tmp_path: Path) -> None:
    old = {"total_samples": 2, "completed_samples": 2, "scores": [
        {"name": "match", "metrics": {"accuracy": {"name": "accuracy", "value": 0.5}}},
    ], "sample_reductions": []}  # fmt: skip
    write_json_log(
        tmp_path / "a.json", inspect_header(results=old), [sample(1, "C"), sample(2, "I")]
    )
    assert rb.read(tmp_path).info["t"].metric == "accuracy"


def test_trap_10_the_newest_finished_log_counts(tmp_path: Path) -> None:
    for name, value, status, day in (
        ("a", "I", "success", "01"), ("b", "C", "success", "02"), ("c", "I", "error", "03"),
    ):  # fmt: skip
        header = inspect_header(status=status, eval_created=f"2026-01-{day}T00:00:00+00:00")
        write_json_log(tmp_path / f"{name}.json", header, [sample(1, value)])
    scores = rb.read(tmp_path)
    assert items(scores, "t").values.tolist() == [[1.0]]
    assert items(rb.read(tmp_path, reruns="all"), "t").values[0, 0] == pytest.approx(1 / 3)


def test_failed_answers_beside_scored_ones_are_told(tmp_path: Path) -> None:
    failed = {"message": "timeout"}
    samples = [
        sample(1, "C"),
        sample(1, ..., epoch=2, error=failed),
        sample(2, "I"),
        sample(2, ..., epoch=2, error=failed),
    ]
    write_json_log(tmp_path / "log.json", inspect_header(), samples)
    scores = rb.read(tmp_path)
    said = next(note.message for note in scores.notes if note.code == "unscored-trials")
    assert "2 answers without a score (2 failed) beside scored ones to the same items" in said
    assert items(scores, "t").values[:, 0].tolist() == [1.0, 0.0]
    assert "They are left out" in said


def test_an_error_with_a_score_keeps_its_score(tmp_path: Path) -> None:
    failed = {"message": "boom"}
    samples = [sample(1, "C", error=failed), sample(2, ..., error=failed), sample(3, ...)]
    write_json_log(tmp_path / "a.json", inspect_header(), samples)
    scores = rb.read(tmp_path)
    assert counts(scores, "t")[1][:3] == [1, 1, 1]
    assert "error-scored" in codes(scores)


def test_values_by_key_are_metrics_of_their_own(tmp_path: Path) -> None:
    samples = [sample(1, {"fluent": 1, "right": 0}), sample(2, {"fluent": 0, "right": 1})]
    results = {"total_samples": 2, "completed_samples": 2, "scores": [
        {"name": "right", "scorer": "match", "metrics": {"accuracy": {"value": 0.5}}},
        {"name": "fluent", "scorer": "match", "metrics": {"accuracy": {"value": 0.5}}},
    ]}  # fmt: skip
    write_json_log(tmp_path / "a.json", inspect_header(results=results), samples)
    assert items(rb.read(tmp_path), "t").values[:, 0].tolist() == [0, 1]
    assert items(rb.read(tmp_path, metric="match/fluent"), "t").values[:, 0].tolist() == [1, 0]


def test_lists_are_declined_if_they_are_asked_for(tmp_path: Path) -> None:
    write_json_log(tmp_path / "a.json", inspect_header(), [sample(1, [1, 2])])
    with pytest.raises(rb.DataError, match="its values are lists"):
        rb.read(tmp_path, metric="match")


def test_a_running_log_is_read_from_its_journal(tmp_path: Path) -> None:
    start = {"version": 2, "eval": inspect_header()["eval"], "plan": {}}
    members = [("_journal/start.json", start), ("_journal/summaries/2.json", [sample(2, "I")]),
               ("_journal/summaries/10.json", [sample(1, "I")]),
               ("_journal/summaries/1.json", [sample(1, "C")])]  # fmt: skip
    write_archive(tmp_path / "a.eval", members)
    scores = rb.read(tmp_path)
    assert items(scores, "t").values[:, 0].tolist() == [0.0, 0.0]
    assert "unfinished" in codes(scores)


def test_systems_that_differ_in_their_solver_have_names_of_their_own(tmp_path: Path) -> None:
    for solver in ("plan", "react"):
        header = inspect_header(eval_solver=solver)
        write_json_log(tmp_path / f"{solver}.json", header, [sample(1, "C")])
    scores = rb.read(tmp_path)
    assert scores.models == ("openai/m (solver=plan)", "openai/m (solver=react)")


def test_another_solver_on_another_task_is_the_same_system(tmp_path: Path) -> None:
    for task in ("s", "t"):
        header = inspect_header(task=task, eval_solver=f"solver of {task}")
        write_json_log(tmp_path / f"{task}.json", header, [sample(1, "C")])
    assert rb.read(tmp_path).models == ("openai/m",)


def test_other_arguments_make_other_tasks(tmp_path: Path) -> None:
    for language in ("de", "en"):
        header = inspect_header(eval_task_args={"language": language, "cot": False})
        write_json_log(tmp_path / f"{language}.json", header, [sample(1, "C")])
    assert list(rb.read(tmp_path).tasks) == ["t (language=de)", "t (language=en)"]


def test_versions_of_a_task_are_not_compared(tmp_path: Path) -> None:
    for version in (1, 2):
        header = inspect_header(model=f"m{version}", eval_task_version=version)
        write_json_log(tmp_path / f"{version}.json", header, [sample(1, "C"), sample(2, "I")])
    with pytest.raises(rb.DataError, match=r"Version of the task: '1' \('m1'\), '2' \('m2'\)"):
        rb.read(tmp_path)
    assert rb.read(tmp_path, compare_anyway=True).models == ("m1", "m2")


def test_items_in_two_clusters_are_refused(tmp_path: Path) -> None:
    for model in "ab":
        write_json_log(tmp_path / f"{model}.json", inspect_header(model=model),
                       [sample(1, "C", metadata={"g": model})])  # fmt: skip
    with pytest.raises(rb.DataError, match="in two clusters"):
        rb.read(tmp_path, columns={"cluster": "g"})


def test_no_text_is_kept() -> None:
    scores = rb.read(INSPECT / "eval_deflate" / SCORED)
    assert "statement" not in repr((scores.tasks, scores.notes, scores.info))


# Wrong, cut and hostile input


def damaged(content: bytes, tmp_path: Path, name: str = "x.eval") -> str:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(rb.ReadError) as failure:
        rb.read(path)
    assert name in str(failure.value)
    return str(failure.value)


def test_a_cut_archive_gives_one_clear_message(tmp_path: Path) -> None:
    whole = (INSPECT / "eval_zstd" / SCORED).read_bytes()
    assert "cut off or damaged" in damaged(whole[:-100], tmp_path)
    assert "cut off or damaged" in damaged(b"no archive", tmp_path)


def test_a_text_that_is_called_after_evaluations_is_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "notes.eval"
    path.write_text("bm25\t301\t0.25\nbm25\t302\t0.50\n")
    with pytest.raises(rb.ReadError, match="not recognised"):
        rb.read(path)


def test_an_archive_without_a_log_is_refused(tmp_path: Path) -> None:
    write_archive(tmp_path / "y.eval", [("other.json", {})])
    assert "neither header.json nor" in damaged((tmp_path / "y.eval").read_bytes(), tmp_path)


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (b'[{"scores": ' + b"[" * 100_000, "nested too deeply"),
        (b'[{"id": 1, "epoch": ' + b"9" * 5000 + b"}]", "number cannot be read"),
        (b'[{"id": 1, "epoch": 99999999999}]', "the epoch is"),
        (b'[{"id": 1, "epoch": 1}', "ends too early"),
        (b'[{"id": "\xff"}]', "not UTF-8"),
        (b'[{"epoch": 1}]', "sample 1: there is no id"),
        (b"[1]", "expected an object"),
        (b'[{"id": 1}] x', "something follows"),
    ],
)
def test_damaged_summaries_name_member_and_place(
    tmp_path: Path, member: bytes, message: str
) -> None:
    members = [("summaries.json", member), ("header.json", inspect_header())]
    write_archive(tmp_path / "y.eval", members)
    said = damaged((tmp_path / "y.eval").read_bytes(), tmp_path)
    assert message in said
    assert "summaries.json" in said


def test_zip_bombs_are_refused(tmp_path: Path) -> None:
    bomb = b'[{"id": 1, "input": "' + b" " * (80 << 20) + b'"}]'
    write_archive(
        tmp_path / "y.eval", [("summaries.json", bomb), ("header.json", inspect_header())]
    )
    assert "more than 300 times" in damaged((tmp_path / "y.eval").read_bytes(), tmp_path)


def test_zstd_bombs_are_refused(tmp_path: Path) -> None:
    bomb = b'[{"id": 1, "input": "' + b" " * (80 << 20) + b'"}]'
    write_archive(
        tmp_path / "y.eval", [("summaries.json", bomb), ("header.json", inspect_header())]
    )
    packed = to_zstd((tmp_path / "y.eval").read_bytes())
    assert "more than 300 times" in damaged(packed, tmp_path)


def test_a_cut_zstd_member_is_noticed(tmp_path: Path) -> None:
    raw = bytearray((INSPECT / "eval_zstd" / SCORED).read_bytes())
    with zipfile.ZipFile(INSPECT / "eval_zstd" / SCORED) as archive:
        member = archive.getinfo("summaries.json")
    start = member.header_offset + 30 + len("summaries.json")
    raw[start + 40 : start + member.compress_size] = bytes(member.compress_size - 40)
    assert "summaries.json" in damaged(bytes(raw), tmp_path)


def test_names_of_members_lead_nowhere(tmp_path: Path) -> None:
    members: list[tuple[str, Any]] = [
        ("../../evil.json", {}), ("/etc/evil", {}), ("summaries.json", [sample(1, "C")]),
        ("header.json", inspect_header()),
    ]  # fmt: skip
    write_archive(tmp_path / "a.eval", members)
    before = sorted(tmp_path.parent.rglob("*evil*"))
    assert rb.read(tmp_path).models == ("openai/m",)
    assert sorted(tmp_path.parent.rglob("*evil*")) == before


@pytest.mark.parametrize("key", ["model", "task"])
def test_a_log_without_its_names_is_refused(tmp_path: Path, key: str) -> None:
    header = inspect_header(**{f"eval_{key}": None})
    write_json_log(tmp_path / "x.json", header, [])
    assert f"does not name its {key}" in damaged(
        (tmp_path / "x.json").read_bytes(), tmp_path, "x.json"
    )


def test_a_log_with_neither_samples_nor_results_says_so(tmp_path: Path) -> None:
    write_json_log(tmp_path / "x.json", inspect_header(), [])
    with pytest.raises(rb.DataError, match="neither scores of items nor a published value"):
        rb.read(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a.eval", "a.json"])
def test_samples_are_streamed(tmp_path: Path, name: str) -> None:
    rows = 20_000
    samples = (
        json.dumps(sample(number, "CI"[number % 2], messages=["x" * 5_000]))
        for number in range(rows)
    )
    path = tmp_path / name
    if name == "a.json":
        with path.open("w") as out:
            out.write(json.dumps(inspect_header())[:-1] + ', "samples": [')
            for number, text in enumerate(samples):
                out.write((", " if number else "") + text)
            out.write("]}")
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("header.json", json.dumps(inspect_header()))
            with archive.open("summaries.json", "w") as member:
                for number, text in enumerate(samples):
                    member.write((b", " if number else b"[") + text.encode())
                member.write(b"]")
    assert peak_kilobytes(tmp_path, rows) < 250_000  # kB, for a log of 100 MB
    shutil.rmtree(tmp_path)

"""The SWE-bench family: genuine reports to their numbers, made-up ones for each trap."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from logfiles import FIXTURES

import rankbars as rb
from rankbars.readers import explain

SWEBENCH = FIXTURES / "swebench"
REPORTS = SWEBENCH / "run_reports"
PRO = SWEBENCH / "pro"
INVENTED = SWEBENCH / "invented_run"


def only(scores: rb.Scores) -> rb.Items:
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, rb.Items)
    return evidence


def counts(scores: rb.Scores) -> dict[str, list[int]]:
    (info,) = scores.info.values()
    assert info.coverage is not None
    names = ("scored", "unscored", "errors", "missing")
    return {name: getattr(info.coverage, name).tolist() for name in names}


def message(scores: rb.Scores, code: str) -> str:
    return " ".join(note.message for note in scores.notes if note.code == code)


def write_run(folder: Path, name: str, **lists: Any) -> Path:
    """A run report; lists of numbers become names of instances."""
    content: dict[str, Any] = {"total_instances": 4, "schema_version": 2, "resolved_ids": []}
    for key, given in lists.items():
        content[key] = [f"o__r-{n}" for n in given] if isinstance(given, list) else given
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def write_instance(folder: Path, name: str, content: object) -> Path:
    place = folder / name
    place.mkdir(parents=True)
    path = place / "report.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def write_experiment(
    root: Path, system: str, lists: Mapping[str, Sequence[str]], *, split: str = "verified",
    metadata: str | None = None,
) -> Path:  # fmt: skip
    folder = root / "evaluation" / split / system / "results"
    folder.mkdir(parents=True)
    path = folder / "results.json"
    path.write_text(json.dumps({"no_generation": [], "no_logs": [], **lists}), encoding="utf-8")
    if metadata is not None:
        (folder.parent / "metadata.yaml").write_text(metadata, encoding="utf-8")
    return path


# Genuine files


def test_every_genuine_file_is_recognised() -> None:
    reports = [one for one in explain(SWEBENCH) if not one.path.endswith("README.md")]
    assert {report.format for report in reports} == {"swebench"}
    assert len(reports) == 9


@pytest.mark.parametrize(
    ("name", "task", "resolved", "expected"),
    [
        ("gold.fresh-verified", "SWE-bench Verified", 500, 500),
        ("gold.jest-gold", "SWE-bench Multilingual", 12, 300),
        ("gold.validate-gold", "SWE-bench", 1, 1),
    ],
)
def test_run_reports_have_the_numbers_of_the_producer(
    name: str, task: str, resolved: int, expected: int
) -> None:
    path = REPORTS / f"{name}.json"
    scores = rb.read(path)
    assert list(scores.tasks) == [task]
    assert scores.models == ("gold",)
    assert f"(run {name.partition('.')[2]!r})" in message(scores, "name-from-file")
    said = json.loads(path.read_text())
    found = counts(scores)
    assert np.nansum(only(scores).values) == resolved == said["resolved_instances"]
    assert found["errors"] == [said["error_instances"]]
    assert sum(found[one][0] for one in found) == expected == said["total_instances"]


def test_the_official_score_counts_failures_as_zero() -> None:
    board = rb.leaderboard(rb.read(REPORTS / "gold.jest-gold.json"), missing="fail")
    assert board.tasks["SWE-bench Multilingual"].mean.tolist() == [pytest.approx(12 / 300)]


def test_the_four_states_of_a_run_are_kept_apart() -> None:
    scores = rb.read(INVENTED / "demo__system-a.demo-run.json")
    assert counts(scores) == {"scored": [4], "unscored": [0], "errors": [1], "missing": [1]}
    values = dict(zip(only(scores).ids or (), only(scores).values[:, 0].tolist(), strict=True))
    assert values["django__django-11099"] == 1.0
    assert values["sympy__sympy-20590"] == 0.0
    assert values["psf__requests-2674"] == 0.0  # an empty patch
    assert math.isnan(values["pytest-dev__pytest-5692"])
    assert math.isnan(values["scikit-learn__scikit-learn-13779"])


def test_an_instance_with_two_verdicts_is_told(tmp_path: Path) -> None:
    write_run(tmp_path, "m.run", resolved_ids=[1, 2], unresolved_ids=[2, 3])
    scores = rb.read(tmp_path)
    assert only(scores).values[:, 0].tolist() == [1.0, 1.0, 0.0]
    assert "1 instances are listed both" in message(scores, "two-verdicts")


def test_reports_on_instances_of_a_run_do_not_count_twice() -> None:
    scores = rb.read(INVENTED)
    assert counts(scores)["scored"] == [4]
    text = message(scores, "copies")
    assert "which counts" in text
    assert "differ" not in text


def test_reports_on_instances_alone_are_a_run() -> None:
    scores = rb.read(INVENTED / "logs")
    assert scores.models == ("demo__system-a",)
    assert only(scores).ids == ("astropy__astropy-12907", "sympy__sympy-20590")
    assert only(scores).values[:, 0].tolist() == [1.0, 0.0]


def test_pro_verdicts_have_the_numbers_of_the_producer() -> None:
    scores = rb.read(PRO)
    assert list(scores.tasks) == ["SWE-bench Pro"]
    found = only(scores)
    assert found.models == (
        "claude-45sonnet-10132025", "gpt-4o-paper", "gpt-5-250-turns-10132025",
    )  # fmt: skip
    assert np.nansum(found.values, axis=0).tolist() == [41, 6, 46]
    assert counts(scores)["scored"] == [121, 117, 121]
    assert counts(scores)["missing"] == [0, 4, 0]
    assert len(found.ids or ()) == 121
    assert (~np.isnan(found.values)).all(axis=1).sum() == 117


def test_repositories_are_clusters_where_they_are_asked_for() -> None:
    clusters = only(rb.read(PRO, columns={"cluster": "repo"})).clusters
    assert clusters is not None
    assert len(set(clusters.tolist())) == 3
    assert only(rb.read(PRO)).clusters is None
    with pytest.raises(rb.UnknownOptionError, match="repository"):
        rb.read(PRO, columns={"cluster": "language"})


# Run reports


def test_a_verdict_outdoes_an_error(tmp_path: Path) -> None:
    path = write_run(tmp_path, "a.r", resolved_ids=[1], unresolved_ids=[2], error_ids=[1, 2, 3],
                     completed_ids=[1, 2], incomplete_ids=[4])  # fmt: skip
    assert counts(rb.read(path)) == {
        "scored": [2], "unscored": [0], "errors": [1], "missing": [1],
    }  # fmt: skip


def test_failures_of_the_infrastructure_keep_their_verdict(tmp_path: Path) -> None:
    path = write_run(tmp_path, "a.r", resolved_ids=[1], unresolved_ids=[2, 3], error_ids=[4],
                     infra_failure_ids=[3, 4], ambiguous_failure_ids=[2])  # fmt: skip
    scores = rb.read(path)
    assert counts(scores)["scored"] == [3]
    assert counts(scores)["errors"] == [1]
    assert "3 instances are marked" in message(scores, "infra-failures")


def test_what_was_completed_and_not_resolved_is_unresolved(tmp_path: Path) -> None:
    path = write_run(tmp_path, "a.r", resolved_ids=[1], completed_ids=[1, 2, 3], submitted_ids=[9])
    assert only(rb.read(path)).values[:, 0].tolist() == [1, 0, 0]
    assert counts(rb.read(path))["missing"] == [1]


@pytest.mark.parametrize(
    ("name", "model"),
    [("gpt-4.1.run1", "gpt-4.1"), ("plain", "plain"), ("org__m.v2.run", "org__m.v2")],
)
def test_the_model_stands_before_the_last_dot(tmp_path: Path, name: str, model: str) -> None:
    assert rb.read(write_run(tmp_path, name, resolved_ids=[1])).models == (model,)


def test_a_report_with_a_common_name_is_called_after_its_folder(tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    assert rb.read(write_run(tmp_path / "agent", "final_report", resolved_ids=[1])).models == (
        "agent",
    )


def test_runs_on_part_of_a_split_belong_to_it(tmp_path: Path) -> None:
    write_run(tmp_path, "a.r", resolved_ids=[1, 2], unresolved_ids=[3, 4])
    write_run(tmp_path, "b.r", total_instances=2, resolved_ids=[1], unresolved_ids=[2])
    scores = rb.read(tmp_path)
    assert counts(scores)["missing"] == [0, 2]


def test_runs_on_other_instances_are_another_task(tmp_path: Path) -> None:
    write_run(tmp_path, "a.r", resolved_ids=list(range(60)))
    write_run(tmp_path, "b.r", resolved_ids=list(range(50, 90)))
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["SWE-bench (40 instances)", "SWE-bench (60 instances)"]


def test_two_runs_of_one_model_are_a_question_or_repeats(tmp_path: Path) -> None:
    write_run(tmp_path, "a.one", resolved_ids=[1], unresolved_ids=[2])
    write_run(tmp_path, "a.two", resolved_ids=[1, 2])
    with pytest.raises(rb.DataError, match="no time says which is the newest"):
        rb.read(tmp_path)
    assert only(rb.read(tmp_path, reruns="all")).values[:, 0].tolist() == [1.0, 0.5]


# Reports on instances


def test_a_broken_empty_or_absent_report_is_an_error(tmp_path: Path) -> None:
    logs = tmp_path / "logs" / "run_evaluation" / "run" / "sys"
    write_instance(logs, "o__r-1", {"o__r-1": {"resolved": True, "patch_exists": True}})
    write_instance(logs, "o__r-2", {})
    write_instance(logs, "o__r-3", '{"o__r-3": {"resol')
    write_instance(logs, "o__r-4", {"o__r-4": {"patch_exists": True}})
    (logs / "o__r-5").mkdir()
    scores = rb.read(tmp_path)
    assert scores.models == ("sys",)
    assert counts(scores) == {"scored": [1], "unscored": [0], "errors": [4], "missing": [0]}
    assert "4 instances have no report" in message(scores, "no-report")


def test_a_report_that_is_named_stands_alone(tmp_path: Path) -> None:
    logs = tmp_path / "run" / "sys"
    path = write_instance(logs, "o__r-1", {"o__r-1": {"resolved": False, "patch_exists": False}})
    (logs / "o__r-5").mkdir()
    assert counts(rb.read(path)) == {
        "scored": [1], "unscored": [0], "errors": [0], "missing": [0],
    }  # fmt: skip


def test_a_contradiction_between_run_and_instance_is_told(tmp_path: Path) -> None:
    write_run(tmp_path, "sys.run", resolved_ids=[1], unresolved_ids=[2])
    write_instance(tmp_path / "logs" / "run" / "sys", "o__r-2", {"o__r-2": {"resolved": True}})
    scores = rb.read(tmp_path)
    assert only(scores).values[:, 0].tolist() == [1, 0]
    assert "differ on 1 instances, such as 'o__r-2'" in message(scores, "copies")


# Experiments


def test_experiments_list_what_was_resolved(tmp_path: Path) -> None:
    write_experiment(tmp_path, "20240101_a", {"resolved": ["o__r-1", "o__r-2"]})
    write_experiment(tmp_path, "20240202_b", {
        "resolved": ["o__r-1"], "no_generation": ["o__r-3"], "no_logs": ["o__r-4"],
    }, metadata="name: Agent B\noss: true\n")  # fmt: skip
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["SWE-bench Verified"]
    assert scores.models == ("20240101_a", "Agent B")
    found = only(scores)
    assert found.n == 500
    assert "files-skipped" not in {note.code for note in scores.notes}
    assert np.nansum(found.values, axis=0).tolist() == [2, 1]
    assert counts(scores)["errors"] == [0, 1]
    assert "496 of them for all systems" in message(scores, "unlisted")


def test_a_list_of_instances_may_lie_beside_experiments(tmp_path: Path) -> None:
    write_experiment(tmp_path, "a", {"resolved": ["o__r-1"]}, split="mine")
    with pytest.raises(rb.ReadError, match="Give a file with all instances"):
        rb.read(tmp_path)
    (tmp_path / "instances.txt").write_text("".join(f"o__r-{k}\n" for k in range(1, 6)))
    assert only(rb.read(tmp_path)).values[:, 0].tolist() == [1, 0, 0, 0, 0]
    (tmp_path / "instances.txt").unlink()
    (tmp_path / "instances.json").write_text(json.dumps([f"o__r-{k}" for k in range(1, 4)]))
    assert only(rb.read(tmp_path)).ids == ("o__r-1", "o__r-2", "o__r-3")


def test_old_experiments_list_what_was_generated(tmp_path: Path) -> None:
    lists = {
        "resolved": ["o__r-1"], "generated": ["o__r-1", "o__r-2", "o__r-3"],
        "no_generation": ["o__r-4"], "install_fail": ["o__r-3"],
    }  # fmt: skip
    path = write_experiment(tmp_path, "a", lists, split="elsewhere")
    scores = rb.read(path)
    assert counts(scores) == {"scored": [3], "unscored": [0], "errors": [1], "missing": [0]}


def test_an_experiment_may_list_nothing_else(tmp_path: Path) -> None:
    path = write_experiment(tmp_path, "a", {})
    path.write_text('{"resolved": ["o__r-1"]}')
    assert only(rb.read(path)).values.sum() == 1


def test_the_newest_submission_of_a_system_counts(tmp_path: Path) -> None:
    for date, resolved in (("20240101", ["o__r-1"]), ("20250101", ["o__r-1", "o__r-2"])):
        write_experiment(tmp_path, f"{date}_a", {"resolved": resolved}, metadata="name: A\n")
    scores = rb.read(tmp_path)
    assert scores.models == ("A",)
    assert only(scores).values.sum() == 2


@pytest.mark.parametrize("metadata", ["name: [", "- a\n", "!!python/object:os.system {}\n", ""])
def test_metadata_that_cannot_be_read_leaves_the_folder_name(tmp_path: Path, metadata: str) -> None:
    path = write_experiment(tmp_path, "20240101_a", {"resolved": ["o__r-1"]}, metadata=metadata)
    assert rb.read(path).models == ("20240101_a",)


# Verdicts by instance


def test_verdicts_may_be_objects_or_absent(tmp_path: Path) -> None:
    (tmp_path / "sys").mkdir()
    path = tmp_path / "sys" / "eval_results.json"
    path.write_text(json.dumps({
        "o__r-1": {"resolved": True}, "o__r-2": False, "o__r-3": None, "o__r-4": {"patch": 1},
    }))  # fmt: skip
    assert counts(rb.read(path)) == {
        "scored": [2], "unscored": [0], "errors": [1], "missing": [1],
    }  # fmt: skip


def test_instances_of_several_languages_are_recognised(tmp_path: Path) -> None:
    path = tmp_path / "m.r.json"
    path.write_text(json.dumps({"total_instances": 2, "resolved_ids": ["vuejs/core:pr-11"],
                                "unresolved_ids": ["vuejs/core:pr-12"]}))  # fmt: skip
    scores = rb.read(path, columns={"cluster": "repo"})
    assert only(scores).values[:, 0].tolist() == [1, 0]


# Damage


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"o__r-1": "yes"}, "the verdict on 'o__r-1' is 'yes'"),
        ({"resolved_ids": "o__r-1", "total_instances": 1}, "resolved_ids is no list"),
        ({"resolved_ids": [1], "total_instances": 1}, "resolved_ids is no list"),
        ({"resolved_ids": [], "total_instances": 1}, "names no instance"),
    ],
)
def test_a_wrong_report_says_where(tmp_path: Path, content: object, problem: str) -> None:
    path = tmp_path / "x.y.json"
    path.write_text(json.dumps(content))
    with pytest.raises(rb.ReadError, match=problem) as caught:
        rb.read(path)
    assert "x.y.json" in str(caught.value)


def test_a_list_of_instances_alone_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("o__r-1\no__r-2\n")
    with pytest.raises(rb.DataError, match=r"list\.txt"):
        rb.read(tmp_path / "list.txt")

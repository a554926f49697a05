"""Trials of agents and samples of code: the figures that the tools themselves print."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tablefiles import codes, message

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.evidence import Estimates, Items
from rankbars.readers import explain
from rankbars.readers.scoredrows import columns_of

DATA = Path(__file__).parent.parent / "data"
FIXTURES = DATA / "fixtures"


def harbor_job(folder: Path, rename: Mapping[str, str] | None = None) -> tuple[Path, Any]:
    """The job of the toy solver as Harbor lays it out, and what Harbor computed of it."""
    printed = None
    for line in (DATA / "harbor_job.jsonl").read_text("utf-8").splitlines():
        file = json.loads(line)
        if file["path"] == "result.json":
            printed = file["content"]["stats"]["evals"]
            continue
        path = folder / file["path"]
        path.parent.mkdir(parents=True)
        text = json.dumps(file["content"])
        for old, new in (rename or {}).items():
            text = text.replace(old, new)
        path.write_text(text)
    return folder, printed


def tb_run(folder: Path, verdicts: Mapping[str, Any], **about: Any) -> Path:
    """A run of Terminal-Bench with one trial per task, and what lies beside it."""
    folder.mkdir(parents=True)
    results = [
        {
            "id": f"{folder.name}-{task}",
            "trial_name": f"{task}.1-of-1.{folder.name}",
            "task_id": task,
            "is_resolved": verdict,
            "failure_mode": "unset" if verdict is not None else "test_timeout",
            "total_input_tokens": 0,
            "total_output_tokens": 0,
        }
        for task, verdict in verdicts.items()
    ]
    right = sum(one is True for one in verdicts.values())
    content = {"results": results, "pass_at_k": {}, "n_resolved": right,
               "n_unresolved": len(results) - right, "accuracy": right / len(results)}  # fmt: skip
    (folder / "results.json").write_text(json.dumps(content))
    known = {"run_id": folder.name, "agent_name": "solver", "model_name": "large", "n_attempts": 1,
             "dataset_name": "core", "dataset_version": "0.1", **about}  # fmt: skip
    (folder / "run_metadata.json").write_text(json.dumps(known))
    for one in results[:1]:  # each trial has a file of its own, which repeats the record
        place = folder / one["task_id"] / one["trial_name"]
        place.mkdir(parents=True)
        (place / "results.json").write_text(json.dumps(one))
    return folder


def items(scores: rb.Scores, task: str | None = None) -> Items:
    evidence = scores.tasks[task or next(iter(scores.tasks))]
    assert isinstance(evidence, Items)
    return evidence


@pytest.mark.parametrize(("case", "metric", "means"), [
    ("tau_bench/airline", None, [12 / 56]),
    ("tau2_bench/airline", None, [0.5]),
    ("evalplus/humaneval", None, [94 / 164]),
    ("evalplus/humaneval", "base", [105 / 164]),
    ("evalplus/toy", None, [0.6333333333333333]),
    ("livecodebench/output", None, [0.484375]),
    ("arc_agi/public", None, [23 / 397, 7.5 / 32, 157 / 400]),
    ("mle_bench/fmagent", None, [32 / 75, 34 / 75]),
    ("mle_bench/fmagent", "above_median", [39 / 75, 37 / 75]),
    ("mini_swe_agent/deepseek", "cost", [0.037301]),
    ("langsmith/experiment", None, [5 / 6]),
    ("phoenix/json", None, [5 / 6]),
    ("phoenix/csv", None, [5 / 6]),
    ("pydantic_evals/report", None, [6 / 7]),
    ("ragas/csv", None, [0.6]),
    ("mlflow/table", None, [4 / 6]),
    ("mlflow/traces", None, [4 / 6]),
    ("nemo_evaluator/steps", None, [0.4]),
])  # fmt: skip
def test_means_are_those_of_the_producer(case: str, metric: str | None, means: list[float]) -> None:
    scores = rb.read(FIXTURES / case, metric=metric)
    sign = -1.0 if metric == "cost" else 1.0
    found = sign * np.nanmean(items(scores).values, axis=0)
    assert found == pytest.approx(means, abs=5e-5 if metric == "cost" else 1e-12)


def test_trials_of_harbor_are_kept_with_their_failures_and_costs(tmp_path: Path) -> None:
    folder, printed = harbor_job(tmp_path / "job")
    scores = rb.read(folder)
    evidence = items(scores)
    assert evidence.models == ("toy-solver + large", "toy-solver + small")
    assert evidence.answers is not None
    sums = np.nansum(evidence.values * evidence.answers, axis=0)
    for column, name in enumerate(("large", "small")):
        own = printed[f"toy-solver__{name}__tasks"]
        # Harbor counts a trial without reward as 0: its mean is over all 30.
        assert sums[column] / 30 == pytest.approx(own["metrics"][0]["mean"], abs=1e-12)
        assert evidence.answers[:, column].sum() == own["n_trials"]
    assert "'toy-solver + large' 7 of 30" in message(scores, "failed-trials")
    assert "zeta" in message(scores, "broken-items")
    spent = items(rb.read(folder, metric="cost"))
    assert spent.answers is not None
    assert "cost" not in codes(scores)


@pytest.mark.parametrize("k", [1, 2, 4, 5])
def test_failures_as_0_give_what_harbor_prints(tmp_path: Path, k: int) -> None:
    folder, printed = harbor_job(tmp_path / "job")
    found = items(rb.read(folder, failed="lowest", metric=f"pass@{k}")).values.mean(axis=0)
    for value, name in zip(found.tolist(), ("large", "small"), strict=True):
        own = printed[f"toy-solver__{name}__tasks"]
        expected = own["metrics"][0]["mean"] if k == 1 else own["pass_at_k"][str(k)]
        assert value == pytest.approx(expected, abs=1e-12)


def test_a_store_keeps_trials_and_makes_metrics_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = harbor_job(tmp_path / "job")
    store = str(tmp_path / "board.duckdb")
    assert run(["add", str(folder), "--store", store, "-q", "--metric", "pass@2"]) == 1
    assert "give it to rankbars rank" in capsys.readouterr().err
    assert run(["add", str(folder), "--store", store, "-q"]) == 0
    given = ["--metric", "pass@2", "--missing", "fail", "-q"]
    assert run(["rank", store, *given]) == 0
    kept = capsys.readouterr().out
    assert run(["rank", str(folder), *given]) == 0
    assert capsys.readouterr().out == kept
    assert "0.62" in kept


def test_a_job_of_harbor_alone_gives_its_means(tmp_path: Path) -> None:
    scores = rb.read(FIXTURES / "harbor" / "job_alone")
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, Estimates)
    assert evidence.mean == pytest.approx([11 / 30, 0.5], abs=1e-12)
    assert "only their mean" in message(scores, "aggregate")


def test_jobs_of_several_days_are_trials_of_one_model(tmp_path: Path) -> None:
    harbor_job(tmp_path / "jobs" / "monday")
    later = {"2026-11-22": "2026-11-25", '"id": "': '"id": "b'}
    harbor_job(tmp_path / "jobs" / "thursday", later)
    both = items(rb.read(tmp_path / "jobs"))
    assert len(both.models) == 2
    assert both.answers is not None
    assert both.answers[0].tolist() == [10, 10]
    newest = items(rb.read(tmp_path / "jobs", reruns="newest"))
    assert newest.answers is not None
    assert newest.answers[0].tolist() == [5, 5]


def test_a_copied_job_counts_once(tmp_path: Path) -> None:
    harbor_job(tmp_path / "jobs" / "one")
    harbor_job(tmp_path / "jobs" / "copy")
    evidence = items(rb.read(tmp_path / "jobs"))
    assert evidence.answers is not None
    assert evidence.answers.max() == 5


def test_runs_of_terminal_bench_are_trials_and_single_files_repeat_them(tmp_path: Path) -> None:
    first = {"a": True, "b": False, "c.easy": True, "c.hard": None}
    second = {"a": True, "b": True, "c.easy": False, "c.hard": False}
    tb_run(tmp_path / "sub" / "run1", first)
    tb_run(tmp_path / "sub" / "run2", second)
    scores = rb.read(tmp_path)
    evidence = items(scores, "core 0.1")
    assert evidence.models == ("solver + large",)
    assert evidence.answers is not None
    assert evidence.answers[:, 0].tolist() == [2, 2, 2, 1]
    assert evidence.values[:, 0].tolist() == [1.0, 0.5, 0.5, 0.0]
    assert "test_timeout 1" in message(scores, "failed-trials")
    assert "tokens" in message(scores, "cost")
    assert items(rb.read(tmp_path, columns={"cluster": "task"})).clusters is not None


def test_an_agent_that_fixes_its_model_is_called_after_its_folder(tmp_path: Path) -> None:
    for system in ("droid_opus", "droid_sonnet"):
        tb_run(tmp_path / system / "run1", {"a": True, "b": False}, model_name=None)
    assert rb.read(tmp_path).models == ("droid_opus", "droid_sonnet")


def test_a_crash_of_tau_bench_is_no_score_and_a_success_is_near_1(tmp_path: Path) -> None:
    scores = rb.read(FIXTURES / "tau_bench" / "crashed")
    assert np.isnan(items(scores).values).all()
    coverage = next(iter(scores.info.values())).coverage
    assert coverage is not None
    assert coverage.errors.tolist() == [1]
    path = tmp_path / "m-retail.json"
    record = {"task_id": 1, "reward": 0.9999999, "info": {}, "traj": [], "trial": 0}
    path.write_text(json.dumps([record]))
    near = rb.read(path)
    assert items(near, "retail").values.tolist() == [[1.0]]
    assert near.models == ("m",)


def test_trials_with_one_number_are_told_and_long_reasons_are_cut(tmp_path: Path) -> None:
    record = {"task_id": 1, "reward": 1.0, "info": {}, "traj": [], "trial": 0}
    failed = {**record, "info": {"error": "x"}}
    path = tmp_path / "m-retail.json"
    path.write_text(json.dumps([record, record, {**record, "trial": 1}]))
    scores = rb.read(path)
    assert items(scores, "retail").answers.tolist() == [[3]]
    assert "another trial of the same item has: 1. Each counts." in message(scores, "copies")
    path.write_text(json.dumps([failed]))
    assert "not all answers to the only item" in message(rb.read(path), "coverage").lower()
    job = tmp_path / "job" / "q__1"
    job.mkdir(parents=True)
    result = {
        "id": "1", "trial_name": "q__1", "task_name": "q", "source": "s",
        "agent_info": {"name": "a"}, "verifier_result": {"rewards": {"reward": 1}},
        "exception_info": {"exception_type": "Boom" * 100},
    }  # fmt: skip
    (job / "result.json").write_text(json.dumps(result))
    assert len(message(rb.read(tmp_path / "job"), "ended-early")) < 150


def test_a_header_that_contradicts_its_items_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    content = {"score": 2.0, "total_tasks": 2, "task_results": {"a": 1.0, "b": 0.0}}
    (folder / "results.json").write_text(json.dumps(content))
    assert "0.5, the published value 1" in message(rb.read(folder), "published-differs")


def test_entries_of_a_leaderboard_have_items_and_costs_where_they_are_given(tmp_path: Path) -> None:
    def entry(name: str, percent: float, **known: Any) -> dict[str, Any]:
        return {"name": name, "date": "2025-08-01", "resolved": percent, "cost": 3.0, **known}

    details = {f"django__django-{n}": {"resolved": n < 3, "cost": 0.5, "api_calls": n}
               for n in range(1, 5)}  # fmt: skip
    results = [entry("a", 50.0, per_instance_details=details),
               entry("b", 52.8, per_instance_details=details), entry("c", 40.0)]  # fmt: skip
    path = tmp_path / "leaderboards.json"
    path.write_text(json.dumps({"leaderboards": [{"name": "bash-only", "results": results}]}))
    scores = rb.read(path)
    assert scores.models == ("a", "b")
    assert items(scores).values.mean(axis=0).tolist() == [0.5, 0.5]
    assert "'b'" in message(scores, "published-differs")
    assert "'c'" in message(scores, "no-items")
    assert items(rb.read(path, metric="cost")).values.tolist() == [[-0.5, -0.5]] * 4
    printed = rb.read(path, metric="printed").tasks["SWE-bench bash-only"]
    assert isinstance(printed, Estimates)
    assert printed.mean.tolist() == [0.5, 0.528, 0.4]


def hal_upload(**results: Any) -> dict[str, Any]:
    return {
        "config": {"agent_name": "Core Agent", "benchmark_name": "corebench_hard",
                   "date": "2025-08-01", "agent_args": {"model_name": "gpt-x"}},
        "results": {"successful_tasks": ["t1", "t3"], "failed_tasks": ["t2"], **results},
        "raw_eval_results": {"t1": {"correct_written_answers": 1}},
        "raw_logging_results": [{"messages": ["long"]}],
    }  # fmt: skip


def test_an_upload_of_hal_gives_tasks_and_what_they_cost(tmp_path: Path) -> None:
    path = tmp_path / "run_UPLOAD.json"
    upload = hal_upload(accuracy=2 / 3, costs={"t1": 0.25, "t2": 0.5, "t3": 0.25},
                        latencies={"t1": {"total_time": 4.0}, "t2": 2.0, "t3": 6.0})  # fmt: skip
    path.write_text(json.dumps(upload))
    scores = rb.read(path)
    assert scores.models == ("Core Agent + gpt-x",)
    assert items(scores, "corebench_hard").values.mean() == pytest.approx(2 / 3)
    assert "published-differs" not in codes(scores)
    assert items(rb.read(path, metric="cost")).values.sum() == -1.0
    assert items(rb.read(path, metric="seconds")).values.sum() == -12.0
    upload["results"]["failed_tasks"] += upload["results"]["successful_tasks"][:1]
    path.write_text(json.dumps(upload))
    with pytest.raises(rb.ReadError, match="both succeeded and failed"):
        rb.read(path)


OPIK = [
    {"id": str(n), "dataset_item_id": f"i{n // 2}", "trace_id": f"t{n}", "duration": 1500.0,
     "total_estimated_cost": 0.01, "feedback_scores": [{"name": "ok", "value": float(n != 3)}]}
    for n in range(4)
]  # fmt: skip
BRAINTRUST = [
    {"id": str(n), "experiment_id": "e", "dataset_record_id": f"i{n}", "span_attributes": {},
     "scores": {"Exact": n / 2}, "error": "boom" if n == 2 else None}
    for n in range(3)
]  # fmt: skip


@pytest.mark.parametrize(("rows", "values", "answers"), [
    (OPIK, [1.0, 0.5], [2, 2]),
    (BRAINTRUST, [0.0, 0.5, np.nan], None),
])  # fmt: skip
def test_experiments_of_platforms_are_read_as_documented(
    tmp_path: Path, rows: list[Any], values: list[float], answers: list[int] | None
) -> None:
    (tmp_path / "new.json").write_text(json.dumps(rows))
    (tmp_path / "old.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    evidence = items(rb.read(tmp_path, direction="higher"))
    assert evidence.models == ("new", "old")
    assert evidence.values[:, 0] == pytest.approx(values, nan_ok=True)
    assert (evidence.answers[:, 0].tolist() if evidence.answers is not None else None) == answers


def _report(name: str, took: float | None) -> dict[str, Any]:
    return {"name": name, "failures": [], "cases": [
        {"name": "c1", "scores": {"seconds": {"value": 0.25}}, "task_duration": took},
        {"name": "c2", "scores": {"seconds": {"value": 0.75}}, "task_duration": None},
    ]}  # fmt: skip


def _rollouts(usage: float | None) -> str:
    return "".join(
        json.dumps({"response": {"model": "a", "usage": {"total_tokens": usage}}, "reward": 0.5,
                    "responses_create_params": {}, "tokens": score, "agent_ref": {"name": "t"},
                    "_ng_task_index": item, "_ng_rollout_index": 0}) + "\n"
        for item, score in enumerate((0.25, 0.75))
    )  # fmt: skip


def _feedback(took: str) -> str:
    head = "inputs.q,outputs.a,error,execution_time,example_id,id,feedback.seconds\n"
    return f"{head}q,x,,{took},e1,i1,0.25\nq,x,,,e2,i2,0.75\n"


def _trial(cost: float | None) -> dict[str, Any]:
    return {
        "id": "i1", "task_name": "t", "trial_name": "t.1", "agent_info": {"name": "a"},
        "agent_result": {"cost_usd": cost}, "verifier_result": {"rewards": {"cost": 0.5}},
    }  # fmt: skip


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("name", "metric"), [
    ("a.json", "seconds"), ("rollouts.jsonl", "tokens"), ("a.csv", "seconds"),
    ("job/t.1/result.json", "cost"),
])  # fmt: skip
def test_a_score_called_as_what_is_spent_is_kept(
    tmp_path: Path, name: str, metric: str, known: bool
) -> None:
    texts = {
        "a.json": json.dumps(_report("a", 9.0 if known else None)),
        "rollouts.jsonl": _rollouts(9.0 if known else None),
        "a.csv": _feedback("9.0" if known else ""),
        "job/t.1/result.json": json.dumps(_trial(9.0 if known else None)),
    }
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(texts[name])
    found = rb.read(tmp_path, metric=metric, direction="lower")
    assert np.abs(items(found).values).mean() == 0.5


def test_of_columns_with_one_name_the_first_counts(tmp_path: Path) -> None:
    head = "execution_time,example_id,feedback.right,feedback.right\n"
    (tmp_path / "a.csv").write_text(f"{head}1.0,e1,1,0\n1.0,e2,1,0\n")
    assert items(rb.read(tmp_path, metric="right")).values.tolist() == [[1.0], [1.0]]


def test_a_name_that_the_first_bytes_cut_off_is_none() -> None:
    head = (b"id,n," + b"x" * (1 << 16))[: (1 << 16) - 2] + b",c"
    assert columns_of(Path("a.csv"), head)[:2] == ("id", "n")
    assert "c" not in columns_of(Path("a.csv"), head)
    assert "c" in columns_of(Path("a.csv"), head[1:])


def test_requests_are_compared_by_means_of_those_that_succeeded() -> None:
    scores = rb.read(FIXTURES / "llmperf" / "individual", metric="ttft_s")
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, Estimates)
    assert evidence.n is not None
    assert evidence.n.tolist() == [12, 12]
    coverage = scores.info["requests"].coverage
    assert coverage is not None
    assert coverage.errors.tolist() == [0, 4]


@pytest.mark.parametrize("case", [
    "braintrust/summary/summary.jsonl", "bigcode/results/humaneval_eval_gens.json",
    "livecodebench/output/Qwen2.5-Ins-7B/Scenario.codegeneration_1_0.2_eval.json",
])  # fmt: skip
def test_files_without_scores_of_items_are_declined_with_what_to_do(case: str) -> None:
    (report,) = explain(FIXTURES / case)
    assert report.format is None
    assert report.reason.startswith(("It is a summary", "It holds generations", "It is an _eval"))


@pytest.mark.parametrize(("change", "words"), [
    (lambda r: r.update(reward="good"), "the score is 'good', not a number"),
    (lambda r: r.update(task_id=None), "expected a task_id, found 'None'"),
])  # fmt: skip
def test_what_is_wrong_in_a_record_is_told_with_its_place(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], words: str
) -> None:
    record: dict[str, Any] = {"task_id": 1, "reward": 1.0, "info": {}, "traj": [], "trial": 0}
    rest = dict(record, task_id=2)
    change(record)
    path = tmp_path / "m-retail.json"
    path.write_text(json.dumps([rest, record]))
    with pytest.raises(rb.ReadError, match=rf"m-retail.json, record 2: {words}"):
        rb.read(path)


def test_failures_are_counted_under_the_names_of_sides(tmp_path: Path) -> None:
    for side, errors in (("before", 1), ("after", 2)):
        records = [
            {"task_id": k, "trial": 0, "reward": 1.0, "traj": [],
             "info": {"error": "crash"} if k < errors else {}}
            for k in range(4)
        ]  # fmt: skip
        (tmp_path / f"{side}.json").write_text(json.dumps(records))
    sides = {side: str(tmp_path / f"{side}.json") for side in ("before", "after")}
    found = rb.read(sides)
    told = " ".join(note.message for note in found.notes if note.code == "failed-trials")
    assert "'before' 1 of 4" in told
    assert "'after' 2 of 4" in told


def test_failures_count_trials_whose_score_is_null(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    rows: list[dict[str, Any]] = [
        {"who": who, "case": str(case), "n": n, "r": 1}
        for who in "ab" for case in range(5) for n in range(4)
    ]  # fmt: skip
    rows[1]["r"] = None
    path.write_text(json.dumps(rows))
    paths = {"model": "who", "item": "case", "trial": "n", "score": "r"}
    found = rb.read(path, map=paths)
    assert items(found).values[0, 0] == 1.0  # of three answers
    assert "'a' 1 of 20" in message(found, "unscored-trials")
    counted = rb.read(path, map=paths, failed="lowest", metric="pass^4")
    assert items(counted).values[:, 0].tolist() == [0.0, 1.0, 1.0, 1.0, 1.0]
    rows[0]["r"] = 12.0  # no scale from 0 to 1: nothing says what is worst
    path.write_text(json.dumps(rows))
    with pytest.raises(rb.DataError, match=r"'a' answered without a score \(1\).*--score-min"):
        rb.read(path, map=paths, failed="lowest", direction="higher")
    least = rb.read(path, map=paths, failed="lowest", direction="higher", minimum=0)
    assert items(least).values[0, 0] == (12 + 0 + 1 + 1) / 4


def test_a_first_line_about_the_run_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "new.jsonl"
    rows = [{"run": "after", "n": 5}, *({"item": {"id": k}, "result": {"ok": 1}} for k in range(5))]
    path.write_text("\n".join(map(json.dumps, rows)))
    found = rb.read(path, map={"item": "item.id", "score": "result.ok"})
    assert items(found).n == 5
    assert "1 line has nothing" in message(found, "no-records")

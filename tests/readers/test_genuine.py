"""Genuine files of every tool: what they are read as, and the numbers of their producers.

Each folder ``tests/data/fixtures/TOOL/CASE`` is read as a whole and compared with a snapshot.
Where a fixture also holds what the producer computed from the same items, one line of `PRODUCERS`
compares the two.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

import rankbars as rb
from rankbars.data.evidence import Estimates, Items, Votes
from rankbars.steps.gaps import count_outcomes

FIXTURES = Path(__file__).parent.parent / "data" / "fixtures"
SHOWN = 8

# What has to be declared before a case can be read.
OPTIONS: dict[str, dict[str, Any]] = {
    "alpaca_eval/results": {"filter": "weighted_alpaca_eval_gpt4_turbo"},
    "every_eval_ever/data": {"direction": "mean=higher"},
    "hf_hub/all-MiniLM-L6-v2": {"metric": "map_at_1"},
    "hf_hub/all-MiniLM-L6-v2/README.md": {"metric": "map_at_1"},
    "inspect_ai/eval_deflate": {"direction": "higher"},
    "inspect_ai/eval_zstd": {"direction": "higher"},
    "sacrebleu/systems": {"metric": "BLEU"},
    "trec_eval/runs": {"metric": "map"},
    "lm_eval/legacy": {"metric": "acc", "filter": "0-shot", "compare_anyway": True},
}


class Producer(NamedTuple):
    """What a tool computed itself.

    Parameters
    ----------
    case : str
        Files to read, below the fixtures.
    task : str
        The task.
    model : str
        The model; empty for the only one.
    file : str
        JSON file of the case that holds the producer's numbers.
    mean : callable
        The mean score in it.
    n : callable
        The number of items behind it.
    options : dict
        How to read the case.
    """

    case: str
    task: str
    model: str
    file: str
    mean: Callable[[Any], float]
    n: Callable[[Any], int]
    options: dict[str, Any] = {}  # noqa: RUF012  (never changed)


def accuracy(log: Any) -> float:
    return float(log["results"]["scores"][0]["metrics"]["accuracy"]["value"])


def samples(log: Any) -> int:
    return int(log["results"]["total_samples"])


def helm_mean(metric: str) -> Callable[[Any], float]:
    """A statistic on the test split, without perturbations."""

    def find(stats: Any) -> float:
        wanted = {"name": metric, "split": "test"}
        return float(next(one["mean"] for one in stats if one["name"] == wanted))

    return find


def helm_instances(stats: Any) -> int:
    return int(helm_mean("num_instances")(stats))


def promptfoo_mean(results: Any) -> float:
    return float(results["results"]["prompts"][1]["metrics"]["score"]) / promptfoo_tests(results)


def promptfoo_tests(results: Any) -> int:
    metrics = results["results"]["prompts"][1]["metrics"]
    return int(metrics["testPassCount"] + metrics["testFailCount"])


def eee_score(record: Any) -> float:
    return float(record["evaluation_results"][0]["score_details"]["score"])


def eee_samples(record: Any) -> int:
    return int(record["evaluation_results"][0]["score_details"]["uncertainty"]["num_samples"])


def swebench_rate(report: Any) -> float:
    return float(report["resolved_instances"]) / swebench_verdicts(report)


def swebench_verdicts(report: Any) -> int:
    return int(report["completed_instances"] + report["empty_patch_instances"])


ARC = "inspect_ai/json_pair"
EEE = "every_eval_ever/data/ai2_arc"
SONNET, QWEN = f"{EEE}/anthropic/claude-sonnet-4-20250514", f"{EEE}/ollama/qwen2.5-0.5b"
SWE = "swebench/run_reports/gold."
INVENTED = "swebench/invented_run/demo__system-a.demo-run.json"
HARM = "helm/benchmark_output/runs/v4/harm_bench-model="
SINGLE = "helm/single_runs/"
PHILOSOPHY = "mmlu-subject=philosophy,method=multiple_choice_joint,model=openai_gpt2"
NARRATIVE = "narrative_qa-model=openai_gpt2"

PRODUCERS = [
    Producer(
        SONNET,
        "arc_easy",
        "",
        f"{SONNET}/49672320-4b5a-4fa2-a748-3f612f757741.json",
        eee_score,
        eee_samples,
    ),
    Producer(
        QWEN,
        "arc_easy",
        "",
        f"{QWEN}/82a290a6-9488-473e-a957-0d96ea834aa2.json",
        eee_score,
        eee_samples,
    ),
    Producer(
        f"{SWE}fresh-verified.json", "SWE-bench Verified", "", "", swebench_rate, swebench_verdicts
    ),
    Producer(
        f"{SWE}jest-gold.json", "SWE-bench Multilingual", "", "", swebench_rate, swebench_verdicts
    ),
    Producer(f"{SWE}validate-gold.json", "SWE-bench", "", "", swebench_rate, swebench_verdicts),
    Producer(INVENTED, "SWE-bench", "", "", swebench_rate, swebench_verdicts),
    Producer(f"{ARC}/data_arc_qwen.json", "arc_easy", "", "", accuracy, samples),
    Producer(f"{ARC}/data_arc_sonnet.json", "arc_easy", "", "", accuracy, samples),
    *(
        Producer(
            f"{HARM}{name}",
            "harm_bench",
            "",
            f"{HARM}{name}/stats.json",
            helm_mean("harm_bench_score"),
            helm_instances,
        )
        for name in (
            "anthropic_claude-3-5-sonnet-20240620",
            "meta_llama-3-8b",
            "openai_gpt-4o-2024-05-13",
        )
    ),
    Producer(
        f"{SINGLE}{PHILOSOPHY}",
        "mmlu:subject=philosophy",
        "",
        f"{SINGLE}{PHILOSOPHY}/stats.json",
        helm_mean("exact_match"),
        helm_instances,
    ),
    Producer(
        f"{SINGLE}{NARRATIVE}",
        "narrative_qa",
        "",
        f"{SINGLE}{NARRATIVE}/stats.json",
        helm_mean("f1_score"),
        helm_instances,
    ),
    Producer(
        "promptfoo/echo/results.json",
        "arithmetic",
        "echo-A (prompt=I think it is {{a}}, maybe)",
        "",
        promptfoo_mean,
        promptfoo_tests,
    ),
]


def cases() -> list[str]:
    """Every case as a whole, and every file that lies in it directly."""
    places = [place for place in FIXTURES.glob("*/*") if place.is_dir()]
    places += [file for file in FIXTURES.glob("*/*/*") if file.is_file()]
    return [
        place.relative_to(FIXTURES).as_posix()
        for place in sorted(places)
        if "schemas" not in place.parts and place.suffix != ".md"
    ]


def summarise(scores: rb.Scores) -> str:
    """What a reading gives, in few lines."""
    counted = count_outcomes(scores)
    formats = Counter(one.format for one in scores.inputs)
    codes = sorted(Counter(note.code for note in scores.notes).items())
    tasks = list(scores.tasks)
    lines = [
        f"read as {', '.join(f'{name} ({count})' for name, count in formats.items())}",
        f"{len(scores.models)} models: {', '.join(scores.models[:SHOWN])}",
        *(f"{name}: {_describe(counted, name)}" for name in tasks[: 4 * SHOWN]),
        f"{len(tasks)} tasks",
        f"notes: {', '.join(f'{code} ({count})' for code, count in codes)}",
    ]
    return "\n".join(lines)


def _describe(scores: rb.Scores, name: str) -> str:
    evidence, info = scores.tasks[name], scores.info[name]
    parts = [f"{evidence.kind} of {len(evidence.models)} models", f"{info.direction} is better"]
    if info.metric:
        parts.append(f"metric {info.metric}")
    if info.category:
        parts.append(f"category {info.category}")
    if info.coverage is not None:
        c = info.coverage
        parts.append(f"expected {c.expected}")
        for what in ("scored", "zeros", "unscored", "errors", "missing"):
            counts = getattr(c, what)
            parts.append(f"{what} {'unknown' if counts is None else counts.tolist()[:SHOWN]}")
    sign = 1.0 if info.direction == "higher" else -1.0
    if isinstance(evidence, Items):
        known = ~np.isnan(evidence.values)
        sums = np.where(known, evidence.values, 0.0).sum(axis=0)
        parts.append(f"means {_numbers(sign * sums / np.maximum(known.sum(axis=0), 1))}")
    elif isinstance(evidence, Estimates):
        parts.append(f"means {_numbers(sign * evidence.mean)}")
        if evidence.se is not None:
            parts.append(f"errors {_numbers(evidence.se)}")
    elif isinstance(evidence, Votes):
        parts.append(f"wins {_numbers(evidence.wins.sum(axis=1))}")
    return "; ".join(parts)


def _numbers(values: Any) -> str:
    return " ".join(f"{value + 0.0:.6g}" for value in np.asarray(values)[:SHOWN].tolist())


@pytest.mark.parametrize("case", cases())
def test_what_is_read_stays_what_it_was(
    case: str, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FIXTURES)
    try:
        found = summarise(rb.read(case, **OPTIONS.get(case, {})))
    except rb.RankbarsError as error:
        found = f"{type(error).__name__}: {error}"
    assert found == snapshot


@pytest.mark.parametrize("one", PRODUCERS, ids=lambda one: f"{one.case}-{one.task}-{one.model}")
def test_numbers_are_those_of_the_producer(one: Producer) -> None:
    scores = rb.read(FIXTURES / one.case, **{"direction": "higher", **one.options})
    said = json.loads((FIXTURES / (one.file or one.case)).read_text("utf-8"))
    evidence, coverage = scores.tasks[one.task], scores.info[one.task].coverage
    column = evidence.models.index(one.model or evidence.models[0])
    assert isinstance(evidence, Items)
    assert coverage is not None
    values = evidence.values[:, column]
    assert np.nanmean(values) == pytest.approx(one.mean(said), abs=1e-9)
    assert coverage.scored[column] == one.n(said)

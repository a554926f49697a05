"""The formats that can be read: one entry each, in the order in which they are asked.

A module is imported only where the name and the first bytes of a file allow its format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from rankbars.readers.inputfiles import data_suffix
from rankbars.readers.recognition import Format

__all__ = ["COMPANIONS", "FORMATS"]

# Right answers of several, in the header of a table.
_COUNTED = re.compile(
    rb"(?i)(?:^|[,\t\"])(?:c|n(?:um)?[_ ]?correct|correct[_ ]count)(?:[,\t\"\r]|$)"
)


def _is_json(path: Path, head: bytes) -> bool:
    return data_suffix(path) == ".json" or path.name == "stdin"


def _is_json_or_lines(path: Path, head: bytes) -> bool:
    return data_suffix(path) == ".jsonl" or _is_json(path, head)


def _is_object(path: Path, head: bytes) -> bool:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"")


def _is_measured(path: Path, head: bytes) -> bool:
    """Whether the first line has three cells without a comma, or an object begins within one."""
    first = head.partition(b"\n")[0]
    return _NESTED.match(head) is not None or (b"," not in first and len(first.split()) == 3)


_NESTED = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"[^"]*"\s*:\s*\{')


def _is_opencompass(path: Path, head: bytes) -> bool:
    if data_suffix(path) != ".csv":
        return _is_json(path, head)
    folders = [folder.name for folder in path.resolve().parents]
    return b"dataset,version,metric,mode" in head or "summary" in folders[:2]


def _is_swebench(path: Path, head: bytes) -> bool:
    if head.startswith(b"PAR1"):
        return False
    named = path.name in ("report.json", "metadata.yaml")
    return named or b"__" in head or b":pr-" in head or _is_object(path, head)


def _holds(*keys: bytes) -> Callable[[Path, bytes], bool]:
    """Whether the first bytes hold each of some keys, whatever stands around them."""

    def look(path: Path, head: bytes) -> bool:
        return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and all(
            b'"%s"' % key in head for key in keys
        )

    return look


def _names(*columns: bytes) -> Callable[[Path, bytes], bool]:
    """Whether the first bytes hold one of some names."""
    return lambda path, head: any(column in head for column in columns)


def _is_mapped(path: Path, head: bytes) -> bool:
    if data_suffix(path) in (".csv", ".tsv"):
        return _COUNTED.search(head.partition(b"\n")[0]) is not None
    return _is_json_or_lines(path, head)


def _is_csv_with(column: bytes, path: Path, head: bytes) -> bool:
    return data_suffix(path) == ".csv" and column in head


_EVERY = (
    Format(
        "lm-eval",
        "lm_eval",
        "results and samples files of the lm-evaluation-harness, and of lmms-eval",
        _is_json_or_lines,
    ),
    Format(
        "inspect",
        "inspect_ai",
        "logs of Inspect AI: .eval archives and .json files",
        lambda path, head: (
            head.startswith(b"PK") or path.suffix.lower() == ".eval" or _is_json(path, head)
        ),
    ),
    Format(
        "eee",
        "every_eval_ever",
        "records of Every Eval Ever, and rows of instances beside them",
        _is_object,
    ),
    Format("mteb", "mteb", "results of MTEB, one file per task", _is_object),
    Format(
        "trec-eval",
        "trec_eval",
        "measures by topic of trec_eval -q, ir_measures -q and pytrec_eval",
        _is_measured,
    ),
    Format("helm", "helm", "runs of HELM, or the tables of a release", _is_json),
    Format(
        "lighteval",
        "lighteval",
        "results and details of lighteval",
        lambda path, head: head.startswith(b"PAR1") or _is_json(path, head),
    ),
    Format("opencompass", "opencompass", "results and summaries of OpenCompass", _is_opencompass),
    Format(
        "promptfoo",
        "promptfoo",
        "results of promptfoo, as JSON",
        lambda path, head: (
            _is_csv_with(b"Named Scores", path, head)
            or b"[PASS] " in head
            or b"[FAIL] " in head
            or _is_json_or_lines(path, head)
        ),
    ),
    Format(
        "deepeval",
        "deepeval",
        "test runs of DeepEval",
        lambda path, head: head.startswith(b"SQLite format 3") or _is_object(path, head),
    ),
    Format("openai-evals", "openai_evals", "event logs of openai/evals", _is_object),
    Format("simple-evals", "simple_evals", "results of simple-evals", _is_object),
    Format("pair-counts", "pair_counts", "counts of votes per pair of models", _is_json),
    Format(
        "alpaca-eval",
        "alpaca_eval",
        "annotations or leaderboards of AlpacaEval",
        lambda path, head: _is_csv_with(b"win_rate", path, head) or _is_json(path, head),
        is_table=True,
    ),
    Format(
        "mt-bench",
        "mt_bench",
        "judgements of MT-bench by FastChat: grades, and games of two models",
        _holds(b"question_id", b"judge", b"turn"),
        is_table=True,
    ),
    Format(
        "arena-hard",
        "arena_hard",
        "judgements or leaderboards of Arena-Hard-Auto",
        lambda path, head: (
            _is_csv_with(b"rating_q025", path, head) or _is_json_or_lines(path, head)
        ),
        is_table=True,
    ),
    Format(
        "swebench",
        "swebench",
        "reports of the SWE-bench family, leaderboards.json, costs of mini-SWE-agent",
        _is_swebench,
    ),
    Format("tau-bench", "agents", "results of tau-bench", _holds(b"task_id", b"reward", b"info")),
    Format(
        "tau2-bench",
        "agents",
        "results of tau2-bench, and submissions to its leaderboard",
        _is_object,
    ),
    Format("harbor", "agents", "jobs of Harbor", _is_object),
    Format("terminal-bench", "agents", "runs of Terminal-Bench (tb)", _is_object),
    Format("hal", "agents", "uploads of the Holistic Agent Leaderboard", _is_object),
    Format("nemo-gym", "agents", "rollouts of NeMo Gym", _is_json_or_lines),
    Format("nemo-evaluator", "agents", "step records of NeMo Evaluator", _holds(b"idx")),
    Format(
        "evalplus",
        "codetests",
        "results of EvalPlus: HumanEval+ and MBPP+",
        _holds(b"eval", b"base_status"),
    ),
    Format("bigcode", "codetests", "results of the BigCode evaluation harness", _is_json),
    Format("livecodebench", "codetests", "results of LiveCodeBench", _is_json),
    Format("arc-agi", "codetests", "results of ARC-AGI", _holds(b"score", b"total_tasks")),
    Format("mle-bench", "codetests", "grading reports of MLE-bench", _holds(b"total_runs")),
    Format("pydantic-evals", "experiments", "reports of pydantic-evals", _holds(b"cases")),
    Format("phoenix", "experiments", "experiments of Phoenix", _names(b"repetition_number")),
    Format("langsmith", "experiments", "experiments of LangSmith as CSV", _names(b"feedback.")),
    Format(
        "mlflow",
        "experiments",
        "evaluations of MLflow: traces as CSV, tables as JSON",
        _names(b"assessments", b"/score"),
    ),
    Format("opik", "experiments", "experiments of Opik", _names(b"feedback_scores")),
    Format(
        "braintrust",
        "experiments",
        "experiments of Braintrust",
        _names(b"scores", b"eval_name", b"experiment_name"),
    ),
    Format(
        "langfuse",
        "langfuse",
        "experiments of Langfuse",
        _names(b"traceId", b"trace_id", b"bookmarked"),
    ),
    Format(
        "pytest-benchmark",
        "pytest_benchmark",
        "times of pytest-benchmark, as JSON",
        _holds(b"machine_info"),
    ),
    Format("weave", "weave", "evaluations of W&B Weave", _names(b"op_name", b"row_digest")),
    Format("ragas", "experiments", "results of Ragas as CSV", _names(b"user_input")),
    Format("llmperf", "experiments", "requests of LLMPerf", _names(b"ttft_s")),
    Format(
        "sacrebleu",
        "translation",
        "scores of sacreBLEU as JSON",
        _holds(b"score", b"signature"),
    ),
    Format(
        "comet", "translation", "segments scored by comet-score --to_json", _holds(b"src", b"mt")
    ),
    Format(
        "hf-hub",
        "hub",
        "results on the Hugging Face Hub: .eval_results files and model cards",
        lambda path, head: data_suffix(path) in (".md", ".yaml", ".yml"),
    ),
    Format(
        "map", "mapped", "JSON of any tool, by paths (--map); counts of right answers", _is_mapped
    ),
    Format(
        "tabarena",
        "tabarena",
        "tables of TabArena and bencheval: an error per method, data set and split",
        lambda path, head: head.startswith(b"PAR1") or b"metric_error" in head,
        is_table=True,
    ),
    Format(
        "tidy",
        "tables",
        "table with one row per score: CSV, TSV, Parquet, JSON, JSON lines, Excel",
        is_table=True,
    ),
    Format(
        "wide",
        "tables",
        "matrix of scores: models × tasks, tasks × models, items × models, tasks × folds",
        is_table=True,
    ),
    Format(
        "votes",
        "votefiles",
        "pairwise votes: one row per vote or per pair, a square table of wins, rankings, choices",
        is_table=True,
    ),
)

FORMATS: dict[str, Format] = {one.name: one for one in _EVERY}

# Formats whose files are read together: whether those of one folder, or all of them.
COMPANIONS: Mapping[str, bool] = {
    "lm-eval": True, "eee": True, "mteb": True, "helm": False, "lighteval": False,
    "opencompass": False, "swebench": False, "langfuse": False,
}  # fmt: skip

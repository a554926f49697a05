"""The formats that can be read: one entry each, in the order in which they are asked.

A module is imported only where the name and the first bytes of a file allow its format.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from rankbars.readers.inputfiles import data_suffix
from rankbars.readers.recognition import Format

__all__ = ["FORMATS"]

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
        "rankbars.readers.lm_eval",
        "results and samples files of the lm-evaluation-harness, and of lmms-eval",
        looks=_is_json_or_lines,
        files="results_TIME.json and samples_TASK_TIME.jsonl of current versions; results.json and "
        "samples as JSON lists of 0.4.0 to 0.4.2; one file per run before that; TIME_results.json "
        "and TIME_samples_TASK.jsonl of lmms-eval, from the documentation (its "
        "evaluation_tracker.py, August 2026)",
        chosen="model = model_name; item = doc_hash, else doc_id; task = each leaf, groups are the "
        "categories of their parts, and the widest one with a value of its own counts as one in "
        "the average; of several filters the first; the direction is higher_is_better; models must "
        "have been given the same documents, version and shots",
        options=("--metric", "--filter", "--column cluster=KEY", "--reruns", "--compare-anyway"),
    ),
    Format(
        "inspect",
        "rankbars.readers.inspect_ai",
        "logs of Inspect AI: .eval archives and .json files",
        looks=lambda path, head: (
            head.startswith(b"PK") or path.suffix.lower() == ".eval" or _is_json(path, head)
        ),
        files="*.eval, with members stored, deflated or compressed by zstd, also of runs that did "
        "not end; *.json logs",
        chosen="model = eval.model, and what sets systems apart; task = eval.task; item = id, "
        "epochs are repeats; the first scorer; C 1, P 0.5, I and N 0; a sample without a score is "
        "unscored, one with an error failed; neither is 0",
        options=("--metric", "--column cluster=KEY", "--reruns", "--direction"),
    ),
    Format(
        "eee",
        "rankbars.readers.every_eval_ever",
        "records of Every Eval Ever, and rows of instances beside them",
        looks=_is_object,
        files="UUID.json of schema 0.2 and 0.3, one record or one per line; UUID_samples.jsonl "
        "beside it, also compressed",
        chosen="model = model_info.id; task = evaluation_name; item = sample_id, epochs are "
        "repeats; a row with an error is no score, whatever stands there; the direction is "
        "lower_is_better, unless the converter writes it without knowing; an overall score is no "
        "task beside its parts, filters are variants",
        options=("--metric", "--filter", "--column cluster=KEY", "--reruns", "--direction"),
    ),
    Format(
        "mteb",
        "rankbars.readers.mteb",
        "results of MTEB, one file per task",
        looks=_is_object,
        files="MODEL/REVISION/TASK.json and model_meta.json, since version 1.11",
        chosen="mean of main_score over the subsets of the test split; a model that lacks a "
        "subset has no value, or all are compared on what they share (--compare-anyway); the "
        "revision with most tasks, numbers from model cards (external) only when asked for",
        options=("--filter SPLIT", "--filter REVISION", "--metric", "--compare-anyway"),
    ),
    Format(
        "helm",
        "rankbars.readers.helm",
        "runs of HELM, or the tables of a release",
        looks=_is_json,
        files="run_spec.json, stats.json, per_instance_stats.json of a run folder; schema.json and "
        "groups/json/*.json of a release",
        chosen="task = name of the run without its model; item = instance_id; main metric and "
        "split as the schema says, else as HELM usually shows; perturbed copies are left out",
        options=("--metric", "--filter"),
    ),
    Format(
        "lighteval",
        "rankbars.readers.lighteval",
        "results and details of lighteval",
        looks=lambda path, head: head.startswith(b"PAR1") or _is_json(path, head),
        files="results_TIME.json; details_TASK_TIME.parquet in the text, flat and nested layouts",
        chosen="item = id of the document, else a hash of its question; direction as config_tasks "
        "says; the row all and averages of subtasks are no tasks",
        options=("--metric", "--reruns"),
    ),
    Format(
        "opencompass",
        "rankbars.readers.opencompass",
        "results and summaries of OpenCompass",
        looks=_is_opencompass,
        files="results/MODEL/DATASET.json of a run; summary_TIME.csv",
        chosen="scores in percent; items where the details hold verdicts; a summary only where "
        "there are no results; judgements of two models are declined",
        options=("--metric", "--reruns"),
    ),
    Format(
        "promptfoo",
        "rankbars.readers.promptfoo",
        "results of promptfoo, as JSON",
        looks=lambda path, head: (
            _is_csv_with(b"Named Scores", path, head)
            or b"[PASS] " in head
            or b"[FAIL] " in head
            or _is_json_or_lines(path, head)
        ),
        files="what promptfoo eval -o writes as .json or .jsonl",
        chosen="model = provider, and prompt where there are several; item = test; task = "
        "description, else the file; the metric is score",
        options=("--metric", "--column cluster=KEY"),
    ),
    Format(
        "deepeval",
        "rankbars.readers.deepeval",
        "test runs of DeepEval",
        looks=lambda path, head: head.startswith(b"SQLite format 3") or _is_object(path, head),
        files="test_run_TIME.json, .latest_run_full.json",
        chosen="each metric is a task; item = name of the case, else a hash of its input; the "
        "same case again (--repeat) is a trial of it; flaky cases are left out; direction as "
        "verdicts and thresholds show",
        options=("--metric",),
    ),
    Format(
        "openai-evals",
        "rankbars.readers.openai_evals",
        "event logs of openai/evals",
        looks=_is_object,
        files="JSON lines with a spec, events and a final report",
        chosen="model = completion_fns; item = sample_id; score = correct of match events, else a "
        "number of metrics events",
        options=("--metric",),
    ),
    Format(
        "simple-evals",
        "rankbars.readers.simple_evals",
        "results of simple-evals",
        looks=_is_object,
        files="EVAL_MODEL.json, EVAL_MODEL_allresults.json",
        chosen="task and model from the name of the file; a standard error only from the full "
        "file, which says how many examples there were",
        options=("--metric",),
    ),
    Format(
        "pair-counts",
        "rankbars.readers.pair_counts",
        "counts of votes per pair of models",
        looks=_is_json,
        files="JSON with models, X (pairs of positions) and Y (wins, losses, ties, both bad)",
        chosen="all files are one arena",
        options=("--arena-per-file",),
    ),
    Format(
        "alpaca-eval",
        "rankbars.readers.alpaca_eval",
        "annotations or leaderboards of AlpacaEval",
        is_table=True,
        looks=lambda path, head: _is_csv_with(b"win_rate", path, head) or _is_json(path, head),
        files="MODEL/ANNOTATOR/annotations.json; *_leaderboard.csv",
        chosen="votes for preference - 1; model = folder; annotators and baselines are not mixed; "
        "a leaderboard only where there are no annotations",
        options=("--filter", "--metric"),
    ),
    Format(
        "arena-hard",
        "rankbars.readers.arena_hard",
        "judgements or leaderboards of Arena-Hard-Auto",
        is_table=True,
        looks=lambda path, head: (
            _is_csv_with(b"rating_q025", path, head) or _is_json_or_lines(path, head)
        ),
        files="model_judgment/JUDGE/MODEL.jsonl; arena_hard_leaderboard_*.csv",
        chosen="one vote per game, strong verdicts once; task = category; judges are not mixed",
        options=("--filter", "--column weight=strength"),
    ),
    Format(
        "swebench",
        "rankbars.readers.swebench",
        "reports of the SWE-bench family, leaderboards.json, costs of mini-SWE-agent",
        looks=_is_swebench,
        files="MODEL.RUN.json; RUN/MODEL/INSTANCE/report.json; "
        "evaluation/SPLIT/SYSTEM/results/results.json; RUN/eval_results.json; a list of instances "
        "as JSON or text; leaderboards.json; INSTANCE.traj.json beside reports",
        chosen="task = split, item = instance; resolved 1, unresolved and empty patches 0; errors "
        "and absent verdicts are no scores (--missing fail counts them 0, as the official score "
        "does); experiments list what was resolved, the others of the split count as unresolved; "
        "entries of a leaderboard without details only with --metric printed; trajectories give "
        "what instances cost",
        options=("--missing fail", "--column cluster=repo", "--reruns", "--metric cost"),
    ),
    Format(
        "tau-bench",
        "rankbars.readers.agents",
        "results of tau-bench",
        looks=_holds(b"task_id", b"reward", b"info"),
        files="a JSON list of records with task_id, reward, info, traj and trial",
        chosen="model and domain from the name of the file; item = task_id; trial = trial; a run "
        "that crashed has no score, although the tool writes 0 (--missing fail counts it so); "
        "user_cost is what the simulated user cost",
        options=("--metric pass^4", "--missing fail", "--reruns"),
    ),
    Format(
        "tau2-bench",
        "rankbars.readers.agents",
        "results of tau2-bench, and submissions to its leaderboard",
        looks=_is_object,
        files="results.json with simulations, or beside a folder of them; submission.json",
        chosen="model = agent_info.llm; task = domain; item = task_id; trial = trial; what ended "
        "by infrastructure_error has no score, as for the producer; an early end has the score "
        "that was given; submissions are published shares, percent divided by 100",
        options=("--metric pass^4", "--missing fail", "--metric cost"),
    ),
    Format(
        "harbor",
        "rankbars.readers.agents",
        "jobs of Harbor",
        looks=_is_object,
        files="JOB/TRIAL/result.json; JOB/result.json where the trials are not there",
        chosen="model = agent + model; task = source; item = task_name; trials in the order of "
        "their start; a trial with a reward is scored, also after an exception; without one it "
        "failed (Harbor counts it 0, as --missing fail does); cost = cost_usd",
        options=("--metric pass@5", "--missing fail", "--metric cost"),
    ),
    Format(
        "terminal-bench",
        "rankbars.readers.agents",
        "runs of Terminal-Bench (tb)",
        looks=_is_object,
        files="results.json of a run, with run_metadata.json and the results of single trials",
        chosen="model = agent + model, else the folder; task = data set and version; item = "
        "task_id; several runs of one model are its trials; no verdict is no score (the tool "
        "counts it as unresolved, as --missing fail does); tokens 0 are not counted",
        options=("--metric pass@5", "--missing fail", "--column cluster=task", "--reruns"),
    ),
    Format(
        "hal",
        "rankbars.readers.agents",
        "uploads of the Holistic Agent Leaderboard",
        looks=_is_object,
        files="RUN_UPLOAD.json, decrypted",
        chosen="model = agent and model; task = benchmark; item = task; successful_tasks 1, "
        "failed_tasks 0, else the reward; from the documentation (sources of its harness)",
        options=("--metric cost", "--reruns"),
    ),
    Format(
        "nemo-gym",
        "rankbars.readers.agents",
        "rollouts of NeMo Gym",
        looks=_is_json_or_lines,
        files="JSON lines with responses_create_params, response and reward",
        chosen="model = response.model; task = agent_ref; item = task index, else the line; trial "
        "= rollout index; other numbers of a row are further metrics",
        options=("--metric",),
    ),
    Format(
        "nemo-evaluator",
        "rankbars.readers.agents",
        "step records of NeMo Evaluator",
        looks=_holds(b"idx"),
        files="a JSON list of records with idx, reward and scoring_details",
        chosen="task = benchmark; model from the name of the file, or its folder",
    ),
    Format(
        "evalplus",
        "rankbars.readers.codetests",
        "results of EvalPlus: HumanEval+ and MBPP+",
        looks=_holds(b"eval", b"base_status"),
        files="MODEL_eval_results.json",
        chosen="model = name of the file; task = HumanEval or Mbpp; item = problem; trial = "
        "sample; plus needs both statuses to be pass, base the first alone; a timeout is a failure",
        options=("--metric base", "--metric pass@5"),
    ),
    Format(
        "bigcode",
        "rankbars.readers.codetests",
        "results of the BigCode evaluation harness",
        looks=_is_json,
        files="a JSON object with config and one object of pass@k per task",
        chosen="model = config.model; published shares without items, so without errors; strata "
        "of a task are tasks of its category, their Average is left out",
        options=("--metric pass@10",),
    ),
    Format(
        "livecodebench",
        "rankbars.readers.codetests",
        "results of LiveCodeBench",
        looks=_is_json,
        files="MODEL/Scenario.codegeneration_N_TEMPERATURE_eval_all.json",
        chosen="model = folder; task = scenario; item = question_id; trial = position in "
        "graded_list; the dates of the contests are noted, models are compared on what they share",
        options=("--metric pass@5", "--column cluster=contest"),
    ),
    Format(
        "arc-agi",
        "rankbars.readers.codetests",
        "results of ARC-AGI",
        looks=_holds(b"score", b"total_tasks"),
        files="MODEL/results.json with score, total_tasks and task_results",
        chosen="model = folder; item = task; score 0, 0.5 or 1; the header is a sum, and is "
        "compared with the items",
    ),
    Format(
        "mle-bench",
        "rankbars.readers.codetests",
        "grading reports of MLE-bench",
        looks=_holds(b"total_runs"),
        files="MODEL/grading_report.json, one report per seed, or all in one",
        chosen="model = folder; item = competition; each report of a competition is a trial; "
        "any_medal, else --metric above_median; raw scores have scales of their own and are not "
        "used",
        options=("--metric above_median",),
    ),
    Format(
        "pydantic-evals",
        "rankbars.readers.experiments",
        "reports of pydantic-evals",
        looks=_holds(b"cases"),
        files="an EvaluationReport as JSON",
        chosen="model = name of the report; task = dataset_name; item = source_case_name, else "
        "name; a failure has no score, and the tool's means leave it out; assertions, else scores",
        options=("--metric", "--missing fail"),
    ),
    Format(
        "phoenix",
        "rankbars.readers.experiments",
        "experiments of Phoenix",
        looks=_names(b"repetition_number"),
        files="the JSON or CSV of an experiment",
        chosen="model = name of the file; item = example_id; trial = repetition_number; score = "
        "annotations; a row with an error has no score",
        options=("--metric", "--direction"),
    ),
    Format(
        "langsmith",
        "rankbars.readers.experiments",
        "experiments of LangSmith as CSV",
        looks=_names(b"feedback."),
        files="results.to_pandas().to_csv()",
        chosen="model = name of the file; item = example_id, repeated ids are trials; score = "
        "feedback.NAME; a row with an error has no score",
        options=("--metric", "--direction"),
    ),
    Format(
        "mlflow",
        "rankbars.readers.experiments",
        "evaluations of MLflow: traces as CSV, tables as JSON",
        looks=_names(b"assessments", b"/score"),
        files="the traces of mlflow.genai.evaluate; eval_results_table.json",
        chosen="model = name of the file; item = request; score = NAME/value; expectations, which "
        "have the same form, are left out",
        options=("--metric", "--direction"),
    ),
    Format(
        "opik",
        "rankbars.readers.experiments",
        "experiments of Opik",
        looks=_names(b"feedback_scores"),
        files="items as JSON or JSON lines, or the CSV with dataset.* and feedback_scores.*",
        chosen="model = name of the file; item = dataset_item_id, else the row of the data set; "
        "from the documentation (comet.com/docs/opik, Exporting experiment results)",
        options=("--metric", "--direction"),
    ),
    Format(
        "braintrust",
        "rankbars.readers.experiments",
        "experiments of Braintrust",
        looks=_names(b"scores", b"eval_name", b"experiment_name"),
        files="events of an experiment as JSON or JSON lines, also as its API answers them",
        chosen="model = name of the file; item = dataset_record_id, else the input, again for each "
        "trial; score = scores.NAME of a root span; summaries have no scores of examples; from the "
        "documentation (ExperimentEvent of its API)",
        options=("--metric", "--direction"),
    ),
    Format(
        "langfuse",
        "rankbars.readers.langfuse",
        "experiments of Langfuse",
        looks=_names(b"traceId", b"trace_id", b"bookmarked"),
        files="items of experiments with their scores (GET /api/public/experiment-items); items of "
        "runs beside scores (/dataset-run-items, /v2/scores); the table of traces; as CSV, JSON or "
        "JSON lines",
        chosen="model = name of the experiment or run, else of the file; task = data set; item = "
        "item of the data set, else the input; several scores of one name and trace are averaged; "
        "an item with the level ERROR has no score; from the documentation (API definition and "
        "sources of langfuse/langfuse, August 2026)",
        options=("--metric", "--direction"),
    ),
    Format(
        "weave",
        "rankbars.readers.weave",
        "evaluations of W&B Weave",
        looks=_names(b"op_name", b"row_digest"),
        files="calls as JSON or JSON lines, with those of Evaluation.predict_and_score; what "
        "eval_results/query answered",
        chosen="model = inputs.model, with its digest where there are several versions; task = "
        "evaluation; item = example; trials in the order of their start; score = scores.SCORER; a "
        "call without answer and scores, or with an exception, has no score; from the "
        "documentation (docs.wandb.ai, Export evaluation data; weave/evaluation/eval.py)",
        options=("--metric", "--direction"),
    ),
    Format(
        "ragas",
        "rankbars.readers.experiments",
        "results of Ragas as CSV",
        looks=_names(b"user_input"),
        files="result.to_pandas().to_csv()",
        chosen="model = name of the file; item = user_input; every column of numbers is a metric; "
        "an empty cell is a judge that failed",
        options=("--metric", "--direction"),
    ),
    Format(
        "llmperf",
        "rankbars.readers.experiments",
        "requests of LLMPerf",
        looks=_names(b"ttft_s"),
        files="the list of individual responses",
        chosen="model = name of the file; means and errors over requests that succeeded, which "
        "are not the same for models; seconds lower, throughput higher is better",
        options=("--metric ttft_s",),
    ),
    Format(
        "hf-hub",
        "rankbars.readers.hub",
        "results on the Hugging Face Hub: .eval_results files and model cards",
        looks=lambda path, head: data_suffix(path) in (".md", ".yaml", ".yml"),
        files="REPOSITORY/.eval_results/*.yaml; README.md with a model-index",
        chosen="model = repository, or the name in the card; task = data set; cards with several "
        "metrics need --metric; values have no error and no number of items",
        options=("--metric", "--score-max"),
    ),
    Format(
        "map",
        "rankbars.readers.mapped",
        "JSON of any tool, by paths (--map); counts of right answers",
        looks=_is_mapped,
        files="any JSON or JSON lines, with --map or rankbars-map.yaml beside it; tables with an "
        "item, n (num_samples) and c (num_correct)",
        chosen="as the map says; model = name of the file where it names none; of a task without "
        "item, each task is an item; n answers with c right stand for as many trials",
        options=("--map", "--metric pass@5"),
    ),
    Format(
        "tabarena",
        "rankbars.readers.tabarena",
        "tables of TabArena and bencheval: an error per method, data set and split",
        is_table=True,
        looks=lambda path, head: head.startswith(b"PAR1") or b"metric_error" in head,
        files="CSV or Parquet with columns metric_error and method (or framework)",
        chosen="metric_error, lower is better; 3, 9 or 30 splits are repeated 3-fold "
        "cross-validation, 10 are one pass of 10 folds, others are asked for; imputed scores are "
        "missing",
        options=("--folds", "--column imputed=", "--rows items"),
    ),
    Format(
        "tidy",
        "rankbars.readers.tables",
        "table with one row per score: CSV, TSV, Parquet, JSON, JSON lines",
        is_table=True,
        files="*.csv, *.tsv, *.txt, *.parquet, *.json, *.jsonl, also compressed by gzip, bzip2, xz "
        "or zstd; W&B and MLflow tables as JSON",
        chosen="columns by their usual names, see the page on input tables; without an item column "
        "one published score per model and task",
        options=("--column ROLE=NAME", "--metric", "--direction", "--rows", "--folds"),
    ),
    Format(
        "wide",
        "rankbars.readers.tables",
        "matrix of scores: models × tasks, tasks × models, items × models, tasks × folds",
        is_table=True,
        files="the same files; the first header cell says what rows are",
        chosen="averages, ranks and the like are no tasks; an empty cell is missing, not 0; "
        "columns NAME_se and NAME_n hold standard errors and numbers of items",
        options=("--layout", "--direction", "--rows"),
    ),
    Format(
        "votes",
        "rankbars.readers.votefiles",
        "pairwise votes: one row per vote or per pair, a square table of wins, rankings, choices",
        is_table=True,
        files="the same files, with a pair of model columns and an outcome (LMArena and others)",
        chosen="columns by their usual names, see the page on votes; words for wins and ties are "
        "known, any other stops; all files are one arena unless a column names tasks",
        options=("--column ROLE=NAME", "--both-bad", "--control", "--arena-per-file"),
    ),
)

FORMATS: dict[str, Format] = {one.name: one for one in _EVERY}

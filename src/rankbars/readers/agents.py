"""Trials of agents: tau-bench, tau2-bench, Harbor, Terminal-Bench, HAL, NeMo Gym and Evaluator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, file_stem, read_all, read_each
from rankbars.readers.logs.jsontext import (
    load_json,
    read_json_lines,
    read_members,
    read_records,
    record_keys,
    top_level_keys,
)
from rankbars.readers.logs.jsonvalues import (
    as_count,
    as_finite,
    as_list,
    as_mapping,
    as_score,
    as_text,
    name_of,
    parse_time,
    score_of,
    take_path,
)
from rankbars.readers.logs.records import ERROR, SCORED, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, DECLINED, Recognition
from rankbars.readers.taubench import (
    read_tau2_bench,
    read_tau2_folders,
    read_tau2_submission,
    read_tau_bench,
)
from rankbars.readers.trials import Sheet, Trial, as_runs, notes_on, spent
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_ATTEMPT = re.compile(r"\.(\d+)-of-(\d+)(?:\.|$)")


class _Kind(NamedTuple):
    """What a file is: its format, the keys that tell it, and what makes sheets of such files."""

    format: str
    what: str
    keys: frozenset[str]
    in_list: bool = False


_KINDS = (
    _Kind("harbor", "trial", frozenset(("trial_name", "task_name", "agent_info",
                                        "verifier_result"))),
    _Kind("harbor", "job", frozenset(("n_total_trials", "stats"))),
    _Kind("harbor", "beside", frozenset(("job_name", "agents", "datasets"))),
    _Kind("terminal-bench", "run", frozenset(("results", "n_resolved", "accuracy"))),
    _Kind("terminal-bench", "trial", frozenset(("trial_name", "task_id", "is_resolved",
                                                "failure_mode"))),
    _Kind("terminal-bench", "beside", frozenset(("run_id", "agent_name", "n_attempts"))),
    _Kind("terminal-bench", "beside", frozenset(("lockfile_version", "run_config", "dataset"))),
    _Kind("tau2-bench", "run", frozenset(("info", "simulations"))),
    _Kind("tau2-bench", "simulation", frozenset(("task_id", "termination_reason", "trial"))),
    _Kind("tau2-bench", "submission", frozenset(("model_name", "submitting_organization",
                                                 "results"))),
    _Kind("tau-bench", "run", frozenset(("task_id", "reward", "info", "traj", "trial")), True),
    _Kind("hal", "run", frozenset(("raw_eval_results", "results"))),
    _Kind("nemo-gym", "run", frozenset(("responses_create_params", "response", "reward"))),
    _Kind("nemo-evaluator", "run", frozenset(("idx", "reward", "scoring_details")), True),
)  # fmt: skip
_TOOLS = {
    "harbor": "Harbor", "terminal-bench": "Terminal-Bench", "tau-bench": "tau-bench",
    "tau2-bench": "tau2-bench", "hal": "HAL", "nemo-gym": "NeMo Gym",
    "nemo-evaluator": "NeMo Evaluator",
}  # fmt: skip


@lru_cache(maxsize=64)
def _kind_with(keys: frozenset[str], listed: frozenset[str]) -> _Kind | None:
    return next(
        (kind for kind in _KINDS if kind.keys <= (listed if kind.in_list else keys)), None
    )  # fmt: skip


def _kind_of(path: Path) -> _Kind | None:
    keys = frozenset(top_level_keys(path))
    kind = _kind_with(keys, frozenset() if keys else frozenset(record_keys(path)))
    if kind is not None:
        return kind
    if keys >= {"info", "tasks"} and (path.parent / "simulations").is_dir():
        return _Kind("tau2-bench", "beside", keys)
    return None


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file holds trials of a known harness for agents.

    Examples
    --------
    >>> _ = Path("gpt-4o-airline.json").write_text(
    ...     '[{"task_id": 0, "reward": 1.0, "info": {}, "traj": [], "trial": 0}]')
    >>> sniff(Path("gpt-4o-airline.json"), b"[").format
    'tau-bench'
    """
    kind = _kind_of(path)
    if kind is None:
        if "mean/reward" in (*top_level_keys(path), *record_keys(path)):
            return Recognition("nemo-gym", DECLINED, "It sums up rollouts of NeMo Gym; the "
                               "rollouts themselves are read.")  # fmt: skip
        return None
    shown = ", ".join(sorted(kind.keys)[:4])
    named = f"It has the keys of {_TOOLS[kind.format]}: {shown}."
    return Recognition(kind.format, CERTAIN, named)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Trials of agents, as runs; the same record in two files counts once."""
    kinds = {file: _kind_of(file.path) for file in files}

    def of(format: str, *what: str) -> list[InputFile]:
        return [file for file, kind in kinds.items()
                if kind is not None and kind.format == format and kind.what in what]  # fmt: skip

    unknown = [file for file, kind in kinds.items() if kind is None]
    if unknown:
        raise ReadError.joined([
            ReadError.at(file.label, f"expected files of {', '.join(_TOOLS.values())}.")
            for file in unknown
        ])  # fmt: skip
    sheets = [
        *_harbor(of("harbor", "trial")),
        *_terminal_bench([*of("terminal-bench", "run"), *of("terminal-bench", "trial")]),
        *read_all(of("tau-bench", "run"), read_tau_bench),
        *read_all(of("tau2-bench", "run"), read_tau2_bench),
        *read_tau2_folders(of("tau2-bench", "simulation")),
        *read_all(of("hal", "run"), _hal),
        *read_all(of("nemo-gym", "run"), lambda file: _nemo_gym(file, options)),
        *read_all(of("nemo-evaluator", "run"), lambda file: _nemo_evaluator(file, options)),
    ]
    for sheet in sheets:
        sheet.limits = sheet.limits_of_shares()
    runs = as_runs(sheets)
    known = {Path(sheet.source) for sheet in sheets}
    jobs = [one for one in of("harbor", "job") if Path(one.label).parent not in known]
    runs += read_all(jobs, _harbor_job)
    runs += read_all(of("tau2-bench", "submission"), read_tau2_submission)
    if not runs:
        raise ReadError.at(files[0].label, "there is no trial in the file or beside it.")
    return [*runs, *notes_on(sheets, counted=options.failed)]


def _seconds(started: object, ended: object) -> float | None:
    """Time from the start to the end of a phase."""
    start, end = parse_time(started), parse_time(ended)
    return None if start is None or end is None else spent(end - start)


def _harbor(files: Sequence[InputFile]) -> Iterator[Sheet]:
    """Trials of Harbor, which has a folder per job and in it one per trial."""
    jobs: dict[str, dict[tuple[str, str], Sheet]] = {}

    def add(file: InputFile) -> None:
        content = load_json(file)
        source = Path(file.label).parent.parent.as_posix()
        agent = as_text(take_path(content, "agent_info", "name")) or "agent"
        model = as_text(take_path(content, "agent_info", "model_info", "name"))
        names = (f"{agent} + {model}" if model else agent,
                 as_text(content.get("source")) or "adhoc")  # fmt: skip
        rewards = {
            name: score
            for name, value in as_mapping(
                take_path(content, "verifier_result", "rewards")).items()
            if (score := score_of(value, f"{file.label}, {name}")) is not None
        }  # fmt: skip
        main = "reward" if "reward" in rewards or not rewards else next(iter(rewards))
        steps = content.get("step_results")
        parts = [content, *as_list(steps)]
        used = [as_mapping(as_mapping(part).get("agent_result")) for part in parts]
        start = parse_time(content.get("started_at"))
        trial = Trial(
            name_of(content.get("task_name"), file.label, "a task_name"),
            rewards,
            SCORED if rewards else ERROR,
            start=start,
            identity=as_text(content.get("id")) or "",
            reason=as_text(take_path(content, "exception_info", "exception_type")) or "",
            spending={
                "cost": spent(*(one.get("cost_usd") for one in used)),
                "tokens": spent(*(one.get(name) for one in used
                                  for name in ("n_input_tokens", "n_output_tokens"))),
                "seconds": _seconds(
                    take_path(content, "agent_execution", "started_at"),
                    take_path(content, "agent_execution", "finished_at"),
                ),
            },
        )  # fmt: skip
        sheets = jobs.setdefault(source, {})
        sheet = sheets.setdefault(names, Sheet(source, *names, metric=main))
        sheet.trials.append(trial)
        if start is not None:
            sheet.stamp = start if sheet.stamp is None else min(sheet.stamp, start)

    read_each(files, add)
    for sheets in jobs.values():
        yield from sheets.values()


def _harbor_job(file: InputFile) -> Iterator[Run]:
    """Means of a job whose trials are not there."""
    content = load_json(file)
    for key, value in as_mapping(take_path(content, "stats", "evals")).items():
        agent, _, rest = key.partition("__")
        model, _, task = rest.rpartition("__")
        metrics = as_mapping(value).get("metrics")
        first = as_mapping(metrics[0]) if isinstance(metrics, list) and metrics else {}
        yield Run(
            file.label, f"{agent} + {model}" if model else agent, task or "adhoc",
            {"mean": Measure("mean", value=as_finite(first.get("mean")), direction="higher",
                             origin="by what 'mean' means in Harbor")},
            stamp=parse_time(content.get("started_at")),
            notes=(Note("aggregate", f"{file.label}: the trials of the job are not there, only "
                        "their mean; give the folder of the job."),),
        )  # fmt: skip


def _terminal_bench(files: Sequence[InputFile]) -> list[Sheet]:
    """Runs of the harness tb: a file per pass, or per trial."""
    whole: dict[tuple[str, str, str], Sheet] = {}
    for sheet in read_all(files, _terminal_bench_file):
        known = whole.setdefault((sheet.source, sheet.model, sheet.task), sheet)
        if known is not sheet:
            known.trials += sheet.trials
    sheets = list(whole.values())
    named = {sheet.task for sheet in sheets if sheet.task}
    for sheet in sheets:
        if not sheet.task:
            sheet.task = next(iter(named)) if len(named) == 1 else "terminal-bench"
            sheet.notes.append(Note("task-name", f"{sheet.source}: no data set is named; it is "
                                    f"taken for {sheet.task!r}."))  # fmt: skip
    return sheets


def _terminal_bench_file(file: InputFile) -> Iterator[Sheet]:
    header: dict[str, Any] = {}
    single = "failure_mode" in top_level_keys(file.path)
    if single:
        trials = [_terminal_bench_trial(load_json(file), file.label)]
    else:
        records = read_records(file, "results", header)
        trials = [_terminal_bench_trial(one, place) for place, one in records]
    folder = file.path.resolve().parent
    folders = [folder, *folder.parents[:2]] if single else [folder]
    about = _terminal_bench_about(folders, file)
    agent, model = as_text(about.get("agent_name")), as_text(about.get("model_name"))
    # Where an agent fixes its model, only the folder of the submission tells the two.
    run = as_text(about.get("run_id"))
    place = folder.parent.parent if single else folder
    named = place.parent.name if place.name == run else place.name
    data = as_text(about.get("dataset_name"))
    version = as_text(about.get("dataset_version"))
    lost = any(one.status == ERROR for one in trials)
    # Files of single trials, RUN/TASK/TRIAL/results.json, are those of one run.
    above = Path(file.label).parents
    source = above[2].as_posix() if single and len(above) > 3 else file.label
    accuracy = as_finite(header.get("accuracy"))
    yield Sheet(
        source,
        f"{agent} + {model}" if agent and model else named or agent or "model",
        f"{data} {version}" if data and version else data or "",
        trials,
        metric="resolved",
        published={} if accuracy is None or lost else {"resolved": accuracy},
        named="" if agent and model else "file",
        stamp=parse_time(about.get("start_time")),
    )


def _terminal_bench_about(folders: Sequence[Path], file: InputFile) -> Mapping[str, Any]:
    """What stands beside a run about its agent, model and data set."""
    for folder in folders:
        beside = folder / "run_metadata.json"
        if beside.is_file():
            return load_json(InputFile(beside, f"{file.label}: {beside.name}"))
    return {}


def _terminal_bench_trial(record: Mapping[str, Any], place: str) -> Trial:
    verdict = record.get("is_resolved")
    mode = as_text(record.get("failure_mode")) or ""
    reason = "" if mode in ("unset", "none") else mode
    if verdict is not None and not isinstance(verdict, bool):
        raise ReadError.at(place, f"is_resolved is {str(verdict)[:40]!r}, not true or false.")
    item = name_of(record.get("task_id"), place, "a task_id")
    attempt = _ATTEMPT.search(as_text(record.get("trial_name")) or "")
    return Trial(
        item,
        {
            "resolved": None if verdict is None else float(verdict),
            "tokens": spent(record.get("total_input_tokens"), record.get("total_output_tokens")),
            "seconds": _seconds(record.get("agent_started_at"), record.get("agent_ended_at")),
        },
        ERROR if verdict is None else SCORED,
        number=int(attempt[1]) - 1 if attempt and len(attempt[1]) < 9 else None,
        start=parse_time(record.get("trial_started_at")),
        identity=as_text(record.get("id")) or as_text(record.get("uuid")) or "",
        reason=reason,
        cluster=item.split(".")[0],
    )


def _hal(file: InputFile) -> list[Sheet]:
    header: dict[str, Any] = {}
    # Logs of conversations are many times larger than all else.
    raw = _hal_results(file, header)
    config = {**as_mapping(header.get("metadata")), **as_mapping(header.get("config"))}
    results = as_mapping(header.get("results"))
    agent = as_text(config.get("agent_name")) or file_stem(file.path).removesuffix("_UPLOAD")
    model = as_text(take_path(config, "agent_args", "model_name"))
    verdicts: dict[str, float | None] = {}
    for key, score in (("successful_tasks", 1.0), ("failed_tasks", 0.0)):
        listed = results.get(key)
        for name in as_list(listed):
            item = name_of(name, f"{file.label}, {key}", "names of tasks")
            if verdicts.setdefault(item, score) != score:
                raise ReadError.at(file.label, f"task {item!r} both succeeded and failed.")
    for item, one in raw.items():
        if item not in verdicts and "reward" in as_mapping(one):
            verdicts[item] = score_of(one["reward"], f"{file.label}, task {item}")
    costs, times = as_mapping(results.get("costs")), as_mapping(results.get("latencies"))
    trials = []
    for item, verdict in verdicts.items():
        took = times.get(item)
        cost = costs.get(item, as_mapping(raw.get(item)).get("cost"))
        trials.append(Trial(item, {
            "reward": verdict,
            "cost": spent(cost),
            "seconds": spent(as_mapping(took).get("total_time", took)),
        }))  # fmt: skip
    accuracy = as_finite(results.get("accuracy"))
    return [Sheet(
        file.label,
        f"{agent} + {model}" if model and model not in agent else agent,
        as_text(config.get("benchmark_name")) or "HAL",
        trials,
        metric="reward",
        published={} if accuracy is None else {"reward": accuracy},
        stamp=parse_time(config.get("date")),
    )]  # fmt: skip


def _hal_results(file: InputFile, header: dict[str, Any]) -> dict[str, Any]:
    """Rewards and costs by task, without the rest of what an evaluation of a task says."""
    kept = ("reward", "cost")
    return {
        name: {key: one[key] for key in kept if key in one} if isinstance(one, dict) else {}
        for name, one in read_members(
            file, "raw_eval_results", header, skip=("raw_logging_results", "total_usage")
        )
    }


def _nemo_gym(file: InputFile, options: ReadOptions) -> list[Sheet]:
    sheets: dict[tuple[str, str], Sheet] = {}
    for row, record in read_json_lines(file):
        place = f"{file.label}, line {row}"
        model = as_text(take_path(record, "response", "model")) or "model"
        folder = options.task_after(file.path.resolve().parent.name)
        task = as_text(take_path(record, "agent_ref", "name")) or folder
        names = (model.rpartition("/hf_models/")[2], task or "rollouts")
        # Truth values and numbers beside the reward are further metrics.
        scores = {key: as_score(value) for key, value in record.items() if not key.startswith("_")}
        reward = score_of(record.get("reward"), place)
        item = as_count(record.get("_ng_task_index"))
        sheet = sheets.setdefault(names, Sheet(file.label, *names, metric="reward"))
        sheet.trials.append(Trial(
            str(len(sheet.trials) if item is None else item),
            {**scores, "reward": reward},
            number=as_count(record.get("_ng_rollout_index")),
            spending={"tokens": spent(take_path(record, "response", "usage", "total_tokens"))},
        ))  # fmt: skip
    return list(sheets.values())


def _nemo_evaluator(file: InputFile, options: ReadOptions) -> list[Sheet]:
    sheets: dict[str, Sheet] = {}
    stem = file_stem(file.path)
    for place, record in read_records(file):
        named = as_text(take_path(record, "metadata", "benchmark"))
        task = named or options.task_after(stem)
        model = file.path.resolve().parent.name if stem in (task, named or stem) else stem
        sheet = sheets.setdefault(
            task, Sheet(file.label, model or stem, task, metric="reward", named="file")
        )
        sheet.trials.append(Trial(
            name_of(record.get("idx"), place, "an idx"),
            {"reward": score_of(record.get("reward"), place)},
        ))  # fmt: skip
    return list(sheets.values())

"""Trials of tau-bench and tau2-bench: conversations of an agent with a user who is simulated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankbars.readers.inputfiles import InputFile, file_stem, read_each
from rankbars.readers.logs.jsontext import load_json, read_records
from rankbars.readers.logs.jsonvalues import (
    as_count,
    as_finite,
    as_mapping,
    as_text,
    name_of,
    parse_time,
    score_of,
    take_path,
)
from rankbars.readers.logs.records import ERROR, SCORED, Measure, Run
from rankbars.readers.trials import Sheet, Trial, spent

__all__ = ["read_tau2_bench", "read_tau2_folders", "read_tau2_submission", "read_tau_bench"]

_TAU_NAME = re.compile(
    r"(?P<strategy>tool-calling|act|react|few-shot)-(?P<model>.+)-\d+\.\d+_range_.+_user-.+"
)
_TAU_DOMAIN = re.compile(r"^(?P<model>.+?)[-_](?P<domain>airline|retail)(?:[-_].*)?$")
_PASS = re.compile(r"pass_(\d+)")

# What ended a conversation of tau2-bench as it should end.
_TAU2_ENDS = ("user_stop", "agent_stop")
# What ended it through no fault of the agent; the producer leaves it out.
_TAU2_OUTSIDE = "infrastructure_error"

# As near to 1 as a success of tau-bench must be.
_SUCCESS = 1e-6


def read_tau_bench(file: InputFile) -> list[Sheet]:
    """Trials of tau-bench: one agent on one domain; a trial that crashed has no score."""
    stem = file_stem(file.path)
    named, in_name = _TAU_NAME.fullmatch(stem), _TAU_DOMAIN.match(stem)
    model, task = stem, ""
    if named is not None:
        model = named["model"]
    elif in_name is not None:
        model, task = in_name["model"], in_name["domain"]
    folders = [folder.name for folder in file.path.resolve().parents[:3]]
    task = task or next((name for name in folders if name in ("airline", "retail")), "tau-bench")
    sheet = Sheet(
        file.label, model, task, metric="reward",
        system={} if named is None else {"strategy": named["strategy"]}, named="file",
    )  # fmt: skip
    for place, record in read_records(file):
        info = as_mapping(record.get("info"))
        reward = score_of(record.get("reward"), place)
        crashed = "error" in info
        if reward is not None and abs(reward - 1.0) <= _SUCCESS:
            reward = 1.0
        sheet.trials.append(Trial(
            name_of(record.get("task_id"), place, "a task_id"),
            {"reward": reward, "user_cost": spent(info.get("user_cost"))},
            ERROR if crashed else SCORED,
            number=as_count(record.get("trial")),
            reason="crashed" if crashed else "",
        ))  # fmt: skip
    return [sheet]


def _tau2_sheet(source: str, info: Mapping[str, Any], content: Mapping[str, Any]) -> Sheet:
    agent = as_mapping(info.get("agent_info"))
    how = as_text(agent.get("implementation"))
    return Sheet(
        source,
        as_text(agent.get("llm")) or how or "agent",
        as_text(take_path(info, "environment_info", "domain_name")) or "tau2-bench",
        metric="reward",
        stamp=parse_time(content.get("timestamp")),
        system={} if how is None else {"agent": how},
    )


def read_tau2_bench(file: InputFile) -> list[Sheet]:
    """Simulations of tau2-bench, all in one file."""
    header: dict[str, Any] = {}
    records = read_records(file, "simulations", header, skip=("tasks",))
    trials = [_tau2_trial(one, place) for place, one in records]
    sheet = _tau2_sheet(file.label, as_mapping(header.get("info")), header)
    sheet.trials = trials
    return [sheet]


def read_tau2_folders(files: Sequence[InputFile]) -> list[Sheet]:
    """Simulations in files of their own, beside what is known of all of them."""
    folders: dict[Path, list[InputFile]] = {}
    for file in files:
        folders.setdefault(file.path.resolve().parent.parent, []).append(file)
    sheets = []
    for folder, members in folders.items():
        label = Path(members[0].label).parent.parent.as_posix()
        whole = folder / "results.json"
        header = load_json(InputFile(whole, f"{label}/results.json")) if whole.is_file() else {}
        sheet = _tau2_sheet(label, as_mapping(header.get("info")), header)
        sheet.trials = read_each(members, lambda file: _tau2_trial(load_json(file), file.label))
        sheets.append(sheet)
    return sheets


def _tau2_trial(record: Mapping[str, Any], place: str) -> Trial:
    reward = score_of(take_path(record, "reward_info", "reward"), place)
    end = as_text(record.get("termination_reason")) or ""
    outside = end == _TAU2_OUTSIDE
    early = end not in ("", *_TAU2_ENDS)
    return Trial(
        name_of(record.get("task_id"), place, "a task_id"),
        {
            "reward": reward,
            "cost": spent(record.get("agent_cost")),
            "user_cost": spent(record.get("user_cost")),
            "seconds": spent(record.get("duration")),
        },
        ERROR if outside or (early and reward is None) else SCORED,
        number=as_count(record.get("trial")),
        start=parse_time(record.get("start_time")),
        identity=as_text(record.get("id")) or "",
        reason=end if early else "",
    )


def read_tau2_submission(file: InputFile) -> Iterator[Run]:
    """Published shares of a submission to the leaderboard, by domain."""
    content = load_json(file)
    model = name_of(content.get("model_name"), file.label, "a model_name")
    effort = as_text(content.get("reasoning_effort"))
    for domain, entry in as_mapping(content.get("results")).items():
        measures = {}
        for key, value in as_mapping(entry).items():
            found, share = _PASS.fullmatch(key), as_finite(value)
            if found is not None and share is not None:
                name = f"pass^{found[1]}"
                measures[name] = Measure(name, value=share / 100.0, direction="higher",
                                         origin="by what 'pass^k' means",
                                         limits=(0.0, 1.0))  # fmt: skip
        cost = as_finite(as_mapping(entry).get("cost"))
        if measures and cost is not None:
            measures["cost"] = Measure("cost", value=cost, direction="lower",
                                       origin="by what 'cost' means")  # fmt: skip
        if measures:
            yield Run(
                file.label, model, domain, measures, headline="pass^1",
                system={} if effort is None else {"effort": effort},
                stamp=parse_time(content.get("submission_date")),
            )  # fmt: skip

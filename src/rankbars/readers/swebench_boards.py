"""What lies beside reports of SWE-bench: leaderboards.json, and what trajectories cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rankbars.data.notes import Note, list_names
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, open_text, read_each
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import load_json
from rankbars.readers.logs.jsonvalues import (
    as_finite,
    as_list,
    as_mapping,
    as_mappings,
    as_text,
    name_of,
    parse_time,
    score_of,
    take_path,
)
from rankbars.readers.logs.records import ERROR, Measure, Run
from rankbars.readers.swebench_reports import SPLITS, Report, Verdict, repository_of
from rankbars.readers.trials import Sheet, Trial, as_runs, spent
from rankbars.tables.readoptions import ReadOptions

__all__ = ["is_board", "is_trajectory", "join_trajectories", "read_board"]

# The share that a leaderboard prints, which all of its entries have.
PRINTED = "printed"

# Boards by their names there; the others are called SWE-bench and their name.
_TASKS = {name.rpartition(" ")[2].casefold(): name for name, _ in SPLITS.values()}
_SIZES = dict(SPLITS.values()) | {"SWE-bench bash-only": 500}

_SUBMITTED = "Submitted"


def is_board(keys: frozenset[str]) -> bool:
    """Whether an object with these keys is leaderboards.json."""
    return "leaderboards" in keys


def is_trajectory(keys: frozenset[str]) -> bool:
    """Whether an object with these keys is a trajectory of mini-SWE-agent."""
    return {"trajectory_format", "info", "instance_id"} <= keys


def read_board(file: InputFile, options: ReadOptions) -> list[Run]:
    """Entries of all boards; those without details of instances only where shares are asked for.

    Raises
    ------
    ReadError
        If the file is damaged.
    """
    boards = load_json(file).get("leaderboards")
    runs: list[Run] = []
    for number, board in enumerate(as_list(boards), start=1):
        place = f"{file.label}, leaderboard {number}"
        name = name_of(as_mapping(board).get("name"), place, "a name")
        task = _TASKS.get(name.casefold(), f"SWE-bench {name}")
        entries = as_mapping(board).get("results")
        known = as_mappings(entries)
        detailed = [one for one in known if as_mapping(one.get("per_instance_details"))]
        if detailed and PRINTED not in options.metrics:
            rest = [as_text(one.get("name")) or "?" for one in known if one not in detailed]
            note = Note("no-items", f"{file.label}: entries without details of instances are left "
                        f"aside: {list_names(rest)}. --metric {PRINTED} compares the printed "
                        "shares of all.", task)  # fmt: skip
            runs += as_runs(_detailed(file, task, one, place) for one in detailed)
            runs[-1] = replace(runs[-1], notes=(*runs[-1].notes, *([note] if rest else ())))
        else:
            runs += [_printed(file, task, one, place) for one in known]
    if not runs:
        raise ReadError.at(file.label, "there is no entry in the leaderboards.")
    return runs


def _share(entry: Mapping[str, Any]) -> float | None:
    percent = as_finite(entry.get("resolved"))
    return None if percent is None else percent / 100.0


def _detailed(file: InputFile, task: str, entry: Mapping[str, Any], place: str) -> Sheet:
    share = _share(entry)
    trials = []
    for instance, one in as_mapping(entry.get("per_instance_details")).items():
        verdict = score_of(as_mapping(one).get("resolved"), f"{place}, {instance}")
        trials.append(Trial(
            instance,
            {
                "resolved": verdict,
                "cost": spent(as_mapping(one).get("cost")),
                "api_calls": spent(as_mapping(one).get("api_calls")),
            },
            cluster=repository_of(instance),
        ))  # fmt: skip
    return Sheet(
        file.label, name_of(entry.get("name"), place, "a name"), task, trials, metric="resolved",
        limits=(0.0, 1.0), published={} if share is None else {"resolved": share},
        stamp=parse_time(entry.get("date")), repeats=False,
    )  # fmt: skip


def _printed(file: InputFile, task: str, entry: Mapping[str, Any], place: str) -> Run:
    size = _SIZES.get(task)
    measures = {PRINTED: Measure(
        PRINTED, value=_share(entry), n=size, direction="higher", limits=(0.0, 1.0),
        origin="it is the share of instances that were resolved",
    )}  # fmt: skip
    if (cost := as_finite(entry.get("cost"))) is not None:
        measures["cost"] = Measure("cost", value=cost, direction="lower",
                                   origin="by what 'cost' means")  # fmt: skip
    return Run(
        file.label, name_of(entry.get("name"), place, "a name"), task, measures,
        stamp=parse_time(entry.get("date")), expected=size,
    )  # fmt: skip


class _Spent(NamedTuple):
    """What one trajectory cost, and how it ended."""

    model: str
    amounts: Mapping[str, float | None]
    end: str


def join_trajectories(
    reports: Sequence[Report], files: Sequence[InputFile]
) -> tuple[list[Report], list[Note]]:
    """Reports with what the trajectories of their instances cost.

    An instance whose trajectory was not submitted, and that no report names, failed.

    Raises
    ------
    ReadError
        If a trajectory is damaged, or there is no report beside trajectories.
    """
    if not files:
        return list(reports), []
    found: dict[str, dict[str, _Spent]] = {}
    for instance, one in read_each(files, _read_trajectory):
        found.setdefault(_fold(one.model), {})[instance] = one
    if not reports:
        raise ReadError.at(
            files[0].label, "a trajectory says what was spent, not whether it is right. Give the "
            "reports of its evaluation too: the folder with report.json files.",
        )  # fmt: skip
    joined, unused = [], dict(found)
    for report in reports:
        key = _fold(report.model)
        own = found.get(key) or (next(iter(found.values())) if len(found) == len(reports) == 1
                                 else {})  # fmt: skip
        unused = {name: one for name, one in unused.items() if one is not own}
        amounts: dict[str, dict[str, float]] = {}
        for item, one in own.items():
            for name, amount in one.amounts.items():
                if amount is not None:
                    amounts.setdefault(name, {})[item] = amount
        silent = {item: Verdict(ERROR, None) for item, one in own.items()
                  if item not in report.verdicts and one.end != _SUBMITTED}  # fmt: skip
        joined.append(report._replace(verdicts={**report.verdicts, **silent}, amounts=amounts))
    notes = [
        Note("trajectories", f"Trajectories of {list_names({one.model for one in some.values()})} "
             "have no report beside them and are left aside.")
        for some in unused.values()
    ]  # fmt: skip
    return joined, notes


def _fold(model: str) -> str:
    """A model as its name and as the name of a folder are the same."""
    return model.replace("__", "/").casefold()


def _read_trajectory(file: InputFile) -> tuple[str, _Spent]:
    header: dict[str, Any] = {}
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        for name in stream.members():
            if name in ("info", "instance_id"):
                header[name] = stream.value()
            else:
                stream.skip()
    info = as_mapping(header.get("info"))
    stats = as_mapping(info.get("model_stats"))
    return name_of(header.get("instance_id"), file.label, "an instance_id"), _Spent(
        as_text(take_path(info, "config", "model", "model_name")) or file.path.parent.name,
        {"cost": spent(stats.get("instance_cost")), "api_calls": spent(stats.get("api_calls"))},
        as_text(info.get("exit_status")) or "",
    )

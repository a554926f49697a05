"""The SWE-bench family: which files are its own, and how they belong together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rankbars.data.notes import Note, list_names
from rankbars.errors import Lacking, ReadError, UnknownOptionError
from rankbars.readers.inputfiles import InputFile, open_text, read_each
from rankbars.readers.logs.jsontext import LARGEST_DOCUMENT, parse_json, top_level_keys
from rankbars.readers.logs.records import ERROR, SCORED, Measure, Rows, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition
from rankbars.readers.swebench_boards import (
    is_board,
    is_trajectory,
    join_trajectories,
    read_board,
)
from rankbars.readers.swebench_reports import (
    EXPERIMENT_LISTS,
    METADATA,
    SPLITS,
    UNRESOLVED,
    Report,
    Verdict,
    is_instance,
    is_list_report,
    name_split,
    read_instance_report,
    read_report,
    repository_of,
)
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

INSTANCE_REPORT = "report.json"
# What a cluster of instances may be.
CLUSTERS = ("repo", "repository")

_RESOLVED_LIST = re.compile(rb'"resolved"\s*:\s*\[')
_LISTED = re.compile(r"[^\s\"',\[\]]+")

# Two reports are about one split if they share this part of the smaller one.
SHARED_PART = 0.5


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a report of the SWE-bench family, or a list of its instances.

    Examples
    --------
    >>> _ = Path("eval_results.json").write_text('{"django__django-11099": true}')
    >>> sniff(Path("eval_results.json"), b"{").format
    'swebench'
    """
    keys = top_level_keys(path)
    if is_list_report(frozenset(keys)) or _lists_resolved(keys, head):
        return Recognition("swebench", CERTAIN, "It lists instances by what became of them: "
                           f"{', '.join(key for key in keys if 'resolved' in key)}.")  # fmt: skip
    if keys and all(is_instance(key) for key in keys):
        return Recognition("swebench", CERTAIN, "Its keys are names of SWE-bench instances.")
    if is_board(frozenset(keys)):
        return Recognition("swebench", CERTAIN, "It has the key of SWE-bench's leaderboards.json: "
                           "leaderboards.")  # fmt: skip
    if is_trajectory(frozenset(keys)):
        return Recognition("swebench", CERTAIN, "It has the keys of a trajectory of "
                           "mini-SWE-agent: instance_id, trajectory_format.")  # fmt: skip
    if path.name == INSTANCE_REPORT and is_instance(path.resolve().parent.name):
        return Recognition("swebench", CERTAIN, "It is named like the report on an instance and "
                           "lies in its folder.")  # fmt: skip
    if _describes_experiment(path):
        return Recognition("swebench", SIGNATURE, "It describes the system of an experiment.")
    if not keys and _starts_with_instances(head):
        return Recognition("swebench", SIGNATURE, "It is a list of SWE-bench instances.")
    return None


def _describes_experiment(path: Path) -> bool:
    beside = path.parent / "results" / "results.json"
    return path.name == METADATA and beside.is_file()


def _lists_resolved(keys: Sequence[str], head: bytes) -> bool:
    """Whether the keys are those of an experiment, and what was resolved is a list."""
    known = {key for key, _, _ in EXPERIMENT_LISTS}
    return "resolved" in keys and known.issuperset(keys) and bool(_RESOLVED_LIST.search(head))


def _starts_with_instances(head: bytes) -> bool:
    text = head.decode("utf-8-sig", errors="ignore")
    if text.lstrip().startswith("{") or "\x00" in text:
        return False
    first = _LISTED.search(text)
    if first is None or not is_instance(first.group()):
        return False
    names = _LISTED.findall(text)
    whole = names if len(names) < 2 else names[:-1]
    return all(is_instance(name) for name in whole)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from reports of the SWE-bench family.

    The column ``cluster`` may be ``repo``.
    """
    cluster = options.columns.get("cluster") or CLUSTERS[0]
    if cluster not in CLUSTERS:
        error = UnknownOptionError.among("cluster of SWE-bench instances", cluster, CLUSTERS)
        raise error.about(Lacking("cluster", (cluster,), CLUSTERS))
    boards: list[Run] = []
    spent: list[InputFile] = []
    reports: list[Report] = []
    single: list[InputFile] = []
    described: list[InputFile] = []
    listed: dict[str, frozenset[str]] = {}

    def add(file: InputFile) -> None:
        keys = frozenset(top_level_keys(file.path))
        if is_board(keys):
            boards.extend(read_board(file, options))
        elif is_trajectory(keys):
            spent.append(file)
        elif file.path.name == METADATA:
            described.append(file)  # read with its results
        elif file.path.name == INSTANCE_REPORT and not is_list_report(keys) and len(keys) < 2:
            single.append(file)
        elif keys:
            reports.append(read_report(file))
        else:
            listed[file.label] = _read_list(file)

    read_each(files, add)
    kept, notes = _drop_doubles(reports, list(_join_instances(single)))
    kept, more = join_trajectories(kept, spent)
    notes += more
    if not kept and not boards:
        alone = [*listed, *(file.label for file in described)]
        raise ReadError.at(alone[0], "there is no report on instances beside it.")
    return [*boards, *_make_runs(kept, listed), *_name_notes(kept), *notes]


def _name_notes(reports: Sequence[Report]) -> list[Note]:
    """Where names of models come from, as far as not from the content of a file."""
    notes = []
    folders = [one.model for one in reports if one.named_after == "folder"]
    if folders:
        notes.append(Note(
            "name-from-file", f"Models are named after their folders: {list_names(folders)}."
        ))  # fmt: skip
    files = [f"{one.model!r} (run {one.run!r})" if one.run else repr(one.model)
             for one in reports if one.named_after == "file"]  # fmt: skip
    if files:
        more = f" and {len(files) - 4} more" if len(files) > 4 else ""
        notes.append(Note(
            "name-from-file",
            f"Names of files are read as MODEL.RUN.json: {', '.join(files[:4])}{more}.",
        ))  # fmt: skip
    return notes


def _read_list(file: InputFile) -> frozenset[str]:
    with open_text(file) as text:
        content = text.read(LARGEST_DOCUMENT)
    if content.lstrip("\ufeff \r\n\t").startswith("["):
        names = parse_json(content, file.label)
        if not all(isinstance(name, str) for name in names):
            raise ReadError.at(file.label, "expected a JSON list of names of instances.")
        return frozenset(names)
    return frozenset(_LISTED.findall(content))


def _join_instances(files: Sequence[InputFile]) -> Iterator[Report]:
    """Reports on instances, one report per model and run."""
    groups: dict[Path, list[InputFile]] = {}
    for file in files:
        groups.setdefault(file.path.resolve().parent.parent, []).append(file)
    for folder, members in groups.items():
        verdicts: dict[str, Verdict] = {}
        broken = []
        for file in members:
            name, verdict = read_instance_report(file)
            verdicts[name] = verdict
            if verdict.status == ERROR:
                broken.append(name)
        if not any(file.asked for file in members):
            silent = _without_report(folder, verdicts)
            verdicts |= dict.fromkeys(silent, Verdict(ERROR, None))
            broken += silent
        yield _instance_run(folder, members[0], verdicts, broken)


def _without_report(folder: Path, known: Mapping[str, Verdict]) -> list[str]:
    """Instances whose folder is there and whose report is not: their run broke off."""
    try:
        names = sorted(place.name for place in folder.iterdir() if place.is_dir())
    except OSError:
        return []
    return [name for name in names if is_instance(name) and name not in known]


def _instance_run(
    folder: Path, first: InputFile, verdicts: Mapping[str, Verdict], broken: Sequence[str]
) -> Report:
    # logs/run_evaluation/RUN/MODEL/INSTANCE, or SYSTEM/logs/INSTANCE among the experiments.
    place, run = (folder.parent, "") if folder.name == "logs" else (folder, folder.parent.name)
    label = Path(first.label).parent.parent.as_posix()
    remarks = []
    if broken:
        remarks.append((
            "no-report",
            f"{len(broken)} instances have no report that can be read, and count as failed "
            f"({json.dumps(broken[0])}{', …' if len(broken) > 1 else ''}).",
        ))  # fmt: skip
    return Report(
        label, place.name or "model", run, verdicts, remarks=tuple(remarks), named_after="folder"
    )


def _drop_doubles(
    reports: Sequence[Report], joined: Sequence[Report]
) -> tuple[list[Report], list[Note]]:
    """Run reports, and reports on instances that belong to none of them."""
    known = {(one.model, one.run): one for one in reports}
    kept, notes = list(reports), []
    for report in joined:
        whole = known.get((report.model, report.run))
        if whole is None:
            kept.append(report)
            continue
        other = [name for name, verdict in report.verdicts.items()
                 if whole.verdicts.get(name, verdict) != verdict]  # fmt: skip
        text = f"{report.label}: these reports belong to {whole.label}, which counts."
        if other:
            text += f" They differ on {len(other)} instances, such as {other[0]!r}."
        notes.append(Note("copies", text))
    return kept, notes


@dataclass(slots=True)
class _Split:
    """Reports about one split."""

    reports: list[Report]
    ids: set[str] = field(default_factory=set)
    name: str | None = None


def _make_runs(reports: Sequence[Report], listed: Mapping[str, frozenset[str]]) -> list[Run]:
    """One run per report.

    Parameters
    ----------
    reports : sequence of Report
        Verdicts.
    listed : mapping from str to frozenset of str
        Lists of instances that were given beside the reports, by file.

    Raises
    ------
    ReadError
        If it is not known which instances an experiment was about.
    """
    runs = []
    for split, name in _name_splits(_find_splits(reports)):
        notes = _split_notes(split, name)
        # All reports are filled before the first one is made a run: notes grow meanwhile.
        filled = list(_fill(split, listed, notes))
        runs += [_make_run(report, name, notes) for report in filled]
    return runs


def _find_splits(reports: Sequence[Report]) -> list[_Split]:
    """Reports by split: by the name of their folder, else by the instances they share."""
    found: list[_Split] = []
    named = {report.split: _Split([], name=report.split) for report in reports if report.split}
    for report in sorted(reports, key=lambda one: -len(one.verdicts)):
        own = set(report.verdicts)
        fitting = [named[report.split]] if report.split else [
            split for split in found if _is_same(own, split.ids)
        ]  # fmt: skip
        split = _Split([]) if not fitting else fitting[0]
        for other in fitting[1:]:
            split.reports += other.reports
            split.ids |= other.ids
            found.remove(other)
        if split not in found:
            found.append(split)
        split.reports.append(report)
        split.ids |= own
    return found


def _name_splits(splits: Sequence[_Split]) -> list[tuple[_Split, str]]:
    """Splits with a name for each; two of one name are told apart by their size."""
    names = [
        split.name or name_split(split.ids, [one.expected or 0 for one in split.reports])
        for split in splits
    ]
    return [
        (split, name if names.count(name) == 1 else f"{name} ({len(split.ids)} instances)")
        for split, name in zip(splits, names, strict=True)
    ]


def _is_same(one: set[str], two: set[str]) -> bool:
    return len(one & two) >= SHARED_PART * min(len(one), len(two)) > 0


def _split_notes(split: _Split, name: str) -> list[Note]:
    if split.name is not None or name == "SWE-bench Pro":
        return []
    return [Note(
        "task-name",
        f"The reports do not name their split; {name!r} is taken from the number of instances "
        "and their repositories.",
    )]  # fmt: skip


def _fill(
    split: _Split, listed: Mapping[str, frozenset[str]], notes: list[Note]
) -> Iterator[Report]:
    """Reports with a verdict on each instance, where those not listed are unresolved."""
    open_reports = [one for one in split.reports if one.implicit is not None
                    and one.expected is None]  # fmt: skip
    if not open_reports:
        yield from split.reports
        return
    size = max(one.implicit or 0 for one in open_reports)
    universe = _universe(split, listed, size)
    if universe is None:
        raise ReadError.at(
            open_reports[0].label,
            "it lists what was resolved, not what was tried, and the folder is not that of a "
            f"known split ({', '.join(SPLITS)}). Give a file with all instances beside it: a JSON "
            "list, or one per line.",
        )
    unlisted = len(universe - split.ids)
    notes.append(Note(
        "unlisted",
        f"Experiments list what was resolved; of the {len(universe)} instances of the split, "
        "those that a system does not list count as unresolved"
        + (f", {unlisted} of them for all systems." if unlisted else "."),
    ))  # fmt: skip
    for report in split.reports:
        if report in open_reports:
            filled = dict.fromkeys(universe, Verdict(SCORED, UNRESOLVED)) | dict(report.verdicts)
            yield report._replace(verdicts=filled, expected=len(filled))
        else:
            yield report


def _universe(
    split: _Split, listed: Mapping[str, frozenset[str]], size: int
) -> frozenset[str] | None:
    """All instances of a split; those that no report names get names of their own."""
    for ids in listed.values():
        if split.ids <= ids:
            return ids
    whole = [frozenset(one.verdicts) for one in split.reports if len(one.verdicts) == size]
    if whole:
        return whole[0]
    if size < len(split.ids):
        return None
    left = size - len(split.ids)
    return frozenset(split.ids) | {f"unlisted {number}" for number in range(1, left + 1)}


def _make_run(report: Report, task: str, notes: Sequence[Note]) -> Run:
    names = tuple(report.verdicts)
    verdicts = report.verdicts.values()
    scores = np.array([np.nan if one.score is None else one.score for one in verdicts])
    own = [Note(code, f"{report.label}: {text}") for code, text in report.remarks]
    spent = {
        what: Measure(
            what, scores=np.array([amounts.get(name, np.nan) for name in names]),
            direction="lower", origin=f"by what {what!r} means",
        )
        for what, amounts in report.amounts.items()
    }  # fmt: skip
    return Run(
        report.label,
        report.model,
        task,
        {"resolved": Measure("resolved", scores=scores, limits=(0.0, 1.0)), **spent},
        rows=Rows(
            names,
            np.array([one.status for one in verdicts], np.uint8),
            clusters=tuple(repository_of(name) for name in names),
            identity=("instance", "instance"),
        ),
        stamp=report.stamp,
        expected=report.expected,
        notes=(*notes, *own),
    )

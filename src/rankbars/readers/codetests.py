"""Verdicts per problem in one file: EvalPlus, BigCode, LiveCodeBench, ARC-AGI and MLE-bench."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, file_stem, read_each, read_head
from rankbars.readers.logs.jsontext import (
    load_json,
    read_members,
    read_records,
    record_keys,
    top_level_keys,
)
from rankbars.readers.logs.jsonvalues import (
    as_finite,
    as_list,
    as_mapping,
    as_mappings,
    as_text,
    name_of,
    parse_time,
    score_of,
)
from rankbars.readers.logs.records import ERROR, SCORED, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, DECLINED, SIGNATURE, Recognition
from rankbars.readers.trials import Sheet, Trial, as_runs, notes_on
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_UNIT = (0.0, 1.0)
_PASSED = "pass"
_AT_K = re.compile(r"(?:(?P<stratum>[A-Z]\w*)_)?(?P<metric>(?:pass|beyond)@\d+)")
_SCENARIO = re.compile(
    r"Scenario\.(?P<scenario>\w+?)_(?P<n>\d+)_(?P<temperature>[\d.]+)_eval(_all)?"
)

# Names of files that say nothing about the model.
_COMMON = frozenset({"results", "eval_results", "evaluation_results", "result"})

_NAMES = {
    "evalplus": "EvalPlus", "bigcode": "the BigCode harness", "livecodebench": "LiveCodeBench",
    "arc-agi": "ARC-AGI", "mle-bench": "MLE-bench",
}  # fmt: skip


def _format_of(path: Path, head: bytes) -> str:
    keys, listed = set(top_level_keys(path)), set(record_keys(path))
    if "eval" in keys and b'"base_status"' in head:
        return "evalplus"
    if keys == {"score", "total_tasks", "task_results"}:
        return "arc-agi"
    if {"competition_reports", "total_runs"} <= keys:
        return "mle-bench"
    if {"question_id", "graded_list"} <= listed:
        return "livecodebench"
    if "config" in keys and len(keys) > 1 and _AT_K.search(head.decode("utf-8", "ignore")):
        return "bigcode"
    return ""


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file holds verdicts on problems as these tools write them.

    Examples
    --------
    >>> text = '{"score": 1.0, "total_tasks": 2, "task_results": {"a1": 1.0, "b2": 0.0}}'
    >>> _ = Path("results.json").write_text(text)
    >>> sniff(Path("results.json"), text.encode()).format
    'arc-agi'
    """
    tool = _format_of(path, head)
    if tool:
        sure = SIGNATURE if tool == "bigcode" else CERTAIN
        return Recognition(tool, sure, f"It has the keys of results of {_NAMES[tool]}.")
    if {"pass@1", "detail"} <= set(record_keys(path)):
        return Recognition("livecodebench", DECLINED, "It is an _eval.json of LiveCodeBench, "
                           "which names problems by position; _eval_all.json is read.")  # fmt: skip
    if head.lstrip().startswith(b'[["') and path.stem.endswith(("_gens", "generations")):
        return Recognition("bigcode", DECLINED, "It holds generations of the BigCode harness, "
                           "without scores.")  # fmt: skip
    return None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Verdicts as runs."""
    sheets: list[Sheet] = []
    published: list[Run] = []
    readers = {"evalplus": _evalplus, "arc-agi": _arc, "mle-bench": _mle_bench,
               "livecodebench": _livecodebench}  # fmt: skip

    def add(file: InputFile) -> None:
        tool = _format_of(file.path, read_head(file))
        if tool == "bigcode":
            published.extend(_bigcode(file))
        elif tool in readers:
            sheets.extend(readers[tool](file))
        else:
            raise ReadError.at(file.label, f"expected results of {', '.join(_NAMES.values())}.")

    read_each(files, add)
    runs = [*as_runs(sheets), *published]
    if not runs:
        raise ReadError.at(files[0].label, "there is no problem in the file.")
    return [*runs, *notes_on(sheets, counted=options.failed)]


def _model(file: InputFile, *endings: str) -> str:
    """Model as the name of the file says it, else that of its folder."""
    stem = file_stem(file.path)
    for ending in endings:
        stem = stem.removesuffix(ending)
    return (file.path.resolve().parent.name if stem in _COMMON or not stem else stem) or "model"


def _evalplus(file: InputFile) -> Iterable[Sheet]:
    model = _model(file, "_eval_results", "-sanitized")
    sheets: dict[str, Sheet] = {}
    for item, samples in read_members(file, "eval", {}):
        task = item.partition("/")[0]
        sheet = sheets.setdefault(task, Sheet(
            file.label, model, task, metric="plus", limits=_UNIT, directions={"base": "higher"},
            named="file",
        ))  # fmt: skip
        for number, sample in enumerate(as_list(samples)):
            place = f"{file.label}, {item}, sample {number + 1}"
            base = name_of(as_mapping(sample).get("base_status"), place, "a base_status")
            plus = as_text(as_mapping(sample).get("plus_status"))
            # What fails the base tests fails, whatever the further tests say.
            both = None if plus is None else float(base == plus == _PASSED)
            scores = {"plus": both, "base": float(base == _PASSED)}
            sheet.trials.append(Trial(item, scores, number=number))
    for sheet in sheets.values():
        if all(trial.scores["plus"] is None for trial in sheet.trials):
            sheet.metric = "base"
    return sheets.values()


def _arc(file: InputFile) -> Iterable[Sheet]:
    content = load_json(file)
    results = as_mapping(content.get("task_results"))
    trials = [Trial(item, {"score": score_of(value, f"{file.label}, {item}")})
              for item, value in results.items()]  # fmt: skip
    total = as_finite(content.get("score"))
    published = {} if total is None or not trials else {"score": total / len(trials)}
    return [Sheet(file.label, _model(file), "ARC-AGI", trials, limits=_UNIT, named="file",
                  published=published)]  # fmt: skip


def _mle_bench(file: InputFile) -> Iterable[Sheet]:
    content = load_json(file)
    folder = file.path.resolve().parent.name
    trials: list[Trial] = []
    metrics = ("any_medal", "above_median", "gold_medal", "valid_submission")
    for number, report in enumerate(as_mappings(content.get("competition_reports")), start=1):
        place = f"{file.label}, report {number}"
        scores = {name: score_of(report.get(name), f"{place}, {name}") for name in metrics}
        trials.append(Trial(
            name_of(report.get("competition_id"), place, "a competition_id"), scores,
            start=parse_time(report.get("created_at")),
        ))  # fmt: skip
    return [Sheet(file.label, folder or file_stem(file.path), "MLE-bench", trials,
                  metric="any_medal", limits=_UNIT, named="file",
                  directions=dict.fromkeys(metrics, "higher"))]  # fmt: skip


def _livecodebench(file: InputFile) -> Iterable[Sheet]:
    found = _SCENARIO.fullmatch(file_stem(file.path))
    folder = file.path.resolve().parent.name
    model = folder if found else _model(file, "_eval_all", "_output_eval_all")
    trials: list[Trial] = []
    days: set[str] = set()
    for place, record in read_records(file):
        item = name_of(record.get("question_id"), place, "a question_id")
        graded = record.get("graded_list")
        if not isinstance(graded, list):
            raise ReadError.at(place, "graded_list is not a list of verdicts.")
        days |= {str(record.get("contest_date"))[:10]} - {"None", ""}
        contest = as_text(record.get("contest_id"))
        for sample, verdict in enumerate(graded):
            score = score_of(verdict, f"{place}, sample {sample + 1}")
            trials.append(Trial(item, {"score": score}, number=sample,
                                status=SCORED if score is not None else ERROR,
                                cluster=contest))  # fmt: skip
    notes = (
        [Note("dates", f"{file.label}: problems of {min(days)} to {max(days)}.")] if days else []
    )
    scenario = found["scenario"] if found else "codegeneration"
    return [Sheet(file.label, model, f"LiveCodeBench {scenario}", trials, limits=_UNIT,
                  notes=notes, named="file")]  # fmt: skip


def _bigcode(file: InputFile) -> list[Run]:
    """Published shares: n is the number of samples, not of problems, and is not used."""
    content = load_json(file)
    config = as_mapping(content.get("config"))
    model = as_text(config.get("model")) or _model(file)
    runs = []
    for task, entry in content.items():
        strata: dict[str, dict[str, Measure]] = {}
        for key, value in as_mapping(entry).items() if task != "config" else ():
            found, share = _AT_K.fullmatch(key), as_finite(value)
            if found is None or share is None or found["stratum"] == "Average":
                continue
            name = f"{task} {found['stratum']}" if found["stratum"] else task
            strata.setdefault(name, {})[found["metric"]] = Measure(
                found["metric"], value=share, direction="higher", limits=_UNIT,
                origin=f"by what {found['metric'].partition('@')[0] + '@k'!r} means",
            )  # fmt: skip
        runs += [
            Run(file.label, model, name, measures, headline="pass@1",
                category=task if name != task else None)
            for name, measures in strata.items()
        ]  # fmt: skip
    if not runs:
        raise ReadError.at(file.label, "there is no pass@k in the file.")
    return runs

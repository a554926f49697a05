"""Event logs of openai/evals: lines with a specification, events of samples, and a report.

The report need not be the last line; lines are known by their keys.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, read_each
from rankbars.readers.logs.jsontext import first_object, read_json_lines
from rankbars.readers.logs.jsonvalues import (
    as_finite,
    as_list,
    as_mapping,
    as_positive,
    as_score,
    as_text,
    label_of,
    parse_time,
    score_of,
)
from rankbars.readers.logs.records import ERROR, SCORED, UNSCORED, Answers, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

ACCURACY = "accuracy"

# Spellings of the standard error of the accuracy in reports; the first one is the usual one.
ERRORS = ("boostrap_std", "bootstrap_std", "accuracy_bootstrap_std")

_EVENT = {"run_id", "event_id", "sample_id", "type", "data"}
_MODEL_KEYS = frozenset({"completion_fns", "model_name"})
_TASK_KEYS = frozenset({"base_eval", "eval_name"})
_SUFFIXES = (".jsonl", ".json", ".log", "")


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file is an event log of openai/evals.

    Examples
    --------
    >>> head = b'{"spec": {"completion_fns": ["m"], "base_eval": "t"}}\\n'
    >>> sniff(Path("log.jsonl"), head).format
    'openai-evals'
    """
    if data_suffix(path) not in _SUFFIXES or not head.lstrip().startswith(b"{"):
        return None
    for line in head.splitlines()[:50]:
        row = first_object(line)
        if row is None:
            continue
        spec = as_mapping(row.get("spec"))
        if spec.keys() & _MODEL_KEYS and spec.keys() & _TASK_KEYS:
            return Recognition("openai-evals", CERTAIN, "A line has the specification of a run of "
                               "openai/evals: spec, completion_fns.")  # fmt: skip
        if row.keys() >= _EVENT:
            return Recognition("openai-evals", SIGNATURE, "Its lines are events of openai/evals: "
                               "event_id, sample_id, type, data.")  # fmt: skip
    return None


@dataclass(slots=True)
class _Log:
    """What one file holds."""

    file: InputFile
    spec: Mapping[str, Any] = field(default_factory=dict)
    report: Mapping[str, Any] = field(default_factory=dict)
    finished: bool = False
    samples: dict[str, list[dict[str, float]]] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from event logs of openai/evals."""
    return [_make_run(log) for log in read_each(files, _read)]


def _read(file: InputFile) -> _Log:
    log = _Log(file)
    for number, row in read_json_lines(file):
        if isinstance(row.get("spec"), dict):
            log.spec = row["spec"]
        if isinstance(row.get("final_report"), dict):
            log.report, log.finished = row["final_report"], True
        if "sample_id" in row and "type" in row:
            _add_event(log, row, f"{file.label}, row {number}")
    if not log.spec and not log.samples:
        raise ReadError.at(file.label, "there is neither a specification nor an event in the file.")
    return log


def _add_event(log: _Log, row: Mapping[str, Any], place: str) -> None:
    sample = label_of(row["sample_id"], place, "the sample_id")
    if sample is None:
        return  # an event of the whole run
    events = log.samples.setdefault(sample, [])
    data = as_mapping(row.get("data"))
    kind = row.get("type")
    if kind == "error":
        log.failed.add(sample)
    elif kind == "match":
        correct = score_of(data.get("correct"), place, "'correct'")
        if correct is not None:
            events.append({ACCURACY: correct})
    elif kind == "metrics":
        numbers = {name: score for name, value in data.items()
                   if (score := as_score(value)) is not None and math.isfinite(score)}  # fmt: skip
        if numbers:
            events.append(numbers)


def _make_run(log: _Log) -> Run:
    answers = Answers(("sample_id", "position"))
    several = 0
    for sample, events in log.samples.items():
        merged = _merge(events)
        several += len(merged) > 1
        for repeat, scores in enumerate(merged):
            answers.add(sample, scores, status=SCORED, repeat=repeat)
        if not merged:
            answers.add(sample, status=ERROR if sample in log.failed else UNSCORED)
    model, task, notes = _names(log)
    if several:
        notes.append(Note("several-verdicts", f"{log.file.label}: {several} samples were graded "
                          "several times; their grades are averaged.", task=task))  # fmt: skip
    if not log.finished:
        text = "there is no final report: the run crashed or goes on; the samples so far are used."
        notes.append(Note("unfinished", f"{log.file.label}: {text}", task=task))
    measures = _measures(log, answers)
    return Run(
        log.file.label,
        model,
        task,
        measures,
        rows=answers.rows() if len(answers) else None,
        headline=next((name for name in (ACCURACY, "score") if name in measures), None),
        stamp=parse_time(log.spec.get("created_at")),
        finished=log.finished,
        notes=tuple(notes),
    )


def _merge(events: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    """Grades of one sample: metrics of one grading may stand in several events."""
    found: list[dict[str, float]] = []
    for scores in events:
        place = next((one for one in found if not one.keys() & scores.keys()), None)
        if place is None:
            found.append(dict(scores))
        else:
            place.update(scores)
    return found


def _measures(log: _Log, answers: Answers) -> dict[str, Measure]:
    numbers = {
        name: value
        for name, given in log.report.items()
        if name not in ERRORS and (value := as_finite(given)) is not None
    }
    measures = {}
    for name in dict.fromkeys((*answers.metrics, *numbers)):
        own = name in answers.metrics
        error = None
        if name == ACCURACY:
            error = next(
                (as_positive(log.report[key]) for key in ERRORS if key in log.report), None
            )
        measures[name] = answers.complete(Measure(
            name,
            value=numbers.get(name),
            se=error,
            n=len(log.samples) or None,
            limits=(0.0, 1.0) if name == ACCURACY and own else (None, None),
            declined=None if own or not len(answers) else f"{name!r} stands in the report only",
        ))  # fmt: skip
    return measures


def _names(log: _Log) -> tuple[str, str, list[Note]]:
    spec = log.spec
    given = spec.get("completion_fns")
    names = [name for one in as_list(given) if (name := as_text(one))]
    model = ", ".join(names) or as_text(spec.get("model_name"))
    task = as_text(spec.get("eval_name"))
    if task is None and as_text(spec.get("base_eval")):
        task = ".".join(str(spec[key]) for key in ("base_eval", "split") if spec.get(key))
    if model is not None and task is not None:
        return model, task, []
    stem = file_stem(log.file.path)
    sample = next(iter(log.samples), "")
    model, task = model or stem, task or sample.rpartition(".")[0] or "evals"
    return model, task, [Note("name-from-file", f"{log.file.label}: no specification names model "
                              f"and task; they are called {model!r} and {task!r}.")]  # fmt: skip

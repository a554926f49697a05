"""Results of promptfoo, as JSON or JSON lines: systems by tests."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, open_text, read_each
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import first_object, read_json_lines, top_level_keys
from rankbars.readers.logs.jsonvalues import (
    as_count,
    as_list,
    as_mapping,
    as_score,
    as_text,
    cluster_of,
    fingerprint,
    parse_time,
    score_of,
)
from rankbars.readers.logs.records import (
    ERROR,
    SCORED,
    Answers,
    Direction,
    Measure,
    Run,
)
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, Recognition, by_keys
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_STARTS = re.compile(rb'\s*\{\s*"results"\s*:\s*\{\s*"version"\s*:\s*\d+\s*,')
_ROWS = {"rows of promptfoo": ("promptIdx", "testIdx", "provider", "success")}
_CSV = b"Status,Score,Named Scores,Grader Reason"
# Answers as its command writes them into a table, behind how each of them ended.
_ENDED = re.compile(rb'(?:^|,)"?\[(?:PASS|FAIL|ERROR)\] ', re.MULTILINE)

FAILED = 2

# A label may be the text of the prompt itself; a long one is known by a hash.
LONGEST_LABEL = 60


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file holds results of promptfoo.

    Examples
    --------
    >>> sniff(Path("a.jsonl"), b'{"promptIdx": 0, "testIdx": 0, "provider": {}, '
    ...                 b'"success": true}\n').format
    'promptfoo'
    """
    suffix = data_suffix(path)
    if suffix == ".csv" and _CSV in head.partition(b"\n")[0]:
        return Recognition("promptfoo", CERTAIN, "It has the repeated columns of a promptfoo "
                           "table: Status, Score, Named Scores.")  # fmt: skip
    if suffix == ".csv" and head[:4096].count(b"[") > 1 and _ENDED.search(head):
        return Recognition("promptfoo", CERTAIN, "Its cells begin as answers in a promptfoo table "
                           "do: [PASS], [FAIL].")  # fmt: skip
    if suffix == ".jsonl":
        return by_keys("promptfoo", first_object(head) or (), _ROWS)
    if suffix == ".json" or path.name == "stdin":
        keys = set(top_level_keys(path))
        known = "results" in keys and ("evalId" in keys or keys >= {"config", "shareableUrl"})
        if known or _STARTS.match(head.removeprefix(b"\xef\xbb\xbf")):
            return Recognition("promptfoo", CERTAIN, "It has the keys of promptfoo results: "
                               "evalId, results.")  # fmt: skip
    return None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results of promptfoo.

    The column ``cluster`` names a key of the tests' metadata or variables.
    """
    cluster = options.columns.get("cluster") or None
    found = read_each(files, lambda file: _read_evaluation(file, cluster))
    names, notes = _name_tasks(found, options)
    runs = [run for one, task in zip(found, names, strict=True) for run in _runs(one, task)]
    return [*runs, *notes]


def _name_tasks(found: Sequence[_Evaluation], options: ReadOptions) -> tuple[list[str], list[Note]]:
    """Name of each file's task: its description; files with equal tests are one task.

    Files of several tasks are told apart by their names, whatever they are put beside.
    """
    names: list[str] = []
    tests_of = {one.file: _tests(one) for one in found if one.description is None}
    several = len(set(tests_of.values())) > 1
    known: dict[frozenset[str], str] = {}
    joined: list[str] = []
    for one in found:
        if one.description is not None:
            names.append(one.description)
            continue
        tests, stem = tests_of[one.file], file_stem(one.file.path)
        stem = stem if several else options.task_after(stem)
        if tests not in known:
            taken = stem in known.values()
            known[tests] = f"{one.file.path.resolve().parent.name}/{stem}" if taken else stem
        elif known[tests] != stem or stem in names:
            joined.append(known[tests])
        names.append(known[tests])
    if not joined:
        return names, []
    text = f"Files without a description but with the same tests are one task: {joined[0]!r}."
    return names, [Note("same-tests", text)]


def _tests(one: _Evaluation) -> frozenset[str]:
    return frozenset(item for answers in one.systems.values() for item in answers.rows().ids)


def _runs(one: _Evaluation, task: str) -> Iterator[Run]:
    for system, answers in one.systems.items():
        rows = answers.rows()
        notes: tuple[Note, ...] = ()
        if one.repeat > 1 and rows.repeats is None and not rows.has_unique(rows.ids):
            rows = rows._replace(repeats=_number_repeats(rows.ids))
            notes = (Note("repeats", f"Tests were repeated {one.repeat} times; equal tests are "
                          "repeats of one.", task=task),)  # fmt: skip
        published = _published(one, system)
        yield Run(
            one.file.label,
            system.provider,
            task,
            {name: _measure(name, answers, published) for name in answers.metrics},
            rows=rows,
            headline="score",
            manner={"prompt": system.prompt} if system.prompt else {},
            stamp=one.stamp,
            notes=notes,
        )


def _measure(name: str, answers: Answers, published: Mapping[str, tuple[float, int]]) -> Measure:
    value, n = published.get(name, (None, None))
    direction: Direction | None = "higher" if name in ("score", "success") else None
    return Measure(
        name,
        scores=answers.column(name),
        value=value,
        n=n,
        direction=direction,
        origin=f"by what {name!r} means in promptfoo",
        limits=(0.0, 1.0) if name == "success" else (None, None),
    )


def _number_repeats(ids: Sequence[str]) -> NDArray[np.int64]:
    """Before repeats had a number, each stood there as a test of its own."""
    seen: dict[str, int] = {}
    numbers = []
    for name in ids:
        numbers.append(seen.get(name, 0))
        seen[name] = numbers[-1] + 1
    return np.array(numbers, np.int64)


def _published(one: _Evaluation, system: _System) -> dict[str, tuple[float, int]]:
    """Means that the file states; none where tests crashed, which count as 0 there."""
    place = one.places.get(system)
    if place is None or place >= len(one.prompts):
        return {}
    metrics = as_mapping(as_mapping(one.prompts[place]).get("metrics"))
    passed, failed, crashed = (
        as_count(metrics.get(f"test{what}Count")) for what in ("Pass", "Fail", "Error")
    )
    total = as_score(metrics.get("score"))
    if passed is None or failed is None or crashed or not passed + failed:
        return {}
    n = passed + failed
    found = {"success": (passed / n, n)}
    if total is not None and math.isfinite(total):
        found["score"] = (total / n, n)
    return found


class _System(NamedTuple):
    """A provider with a prompt."""

    provider: str
    prompt: str


@dataclass(slots=True)
class _Evaluation:
    """What one file holds.

    Parameters
    ----------
    file : InputFile
        The file.
    description : str or None
        What its configuration calls it.
    stamp : float or None
        Time of the evaluation, in seconds.
    repeat : int
        How often each test was run.
    prompts : list
        What the file says about each provider with each prompt.
    systems : dict from _System to Answers
        Answers.
    places : dict from _System to int
        Where a system stands in `prompts`.
    """

    file: InputFile
    description: str | None = None
    stamp: float | None = None
    repeat: int = 1
    prompts: list[Any] = field(default_factory=list)
    systems: dict[_System, Answers] = field(default_factory=dict)
    places: dict[_System, int] = field(default_factory=dict)


def _read_evaluation(file: InputFile, cluster: str | None) -> _Evaluation:
    """What a file holds.

    Parameters
    ----------
    file : InputFile
        JSON, or JSON lines with one result each.
    cluster : str or None
        Key of the tests' metadata or variables that names their cluster.

    Raises
    ------
    ReadError
        If the file is damaged, or is a table, in which columns share names.
    """
    suffix = data_suffix(file.path)
    if suffix == ".csv":
        raise ReadError.at(
            file.label,
            "a table of promptfoo gives each model columns of the same names, or answers and how "
            "they ended in one cell. Write JSON instead: promptfoo eval -o results.json, or "
            "promptfoo export.",
        )
    evaluation = _Evaluation(file)
    if suffix == ".jsonl":
        for number, row in read_json_lines(file):
            _add(evaluation, row, f"{file.label}, row {number}", cluster)
        return evaluation
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        for key in stream.members():
            if key == "results":
                _read_results(stream, evaluation, cluster)
            elif key == "config" and stream.starts_with("{"):
                _read_config(stream, evaluation)
            elif key == "runtimeOptions":
                _note_repeat(evaluation, stream.value())
            else:
                stream.skip()
        stream.end()
    if not evaluation.systems:
        raise ReadError.at(file.label, "there is no result in the file.")
    return evaluation


def _read_results(stream: JsonStream, evaluation: _Evaluation, cluster: str | None) -> None:
    if stream.starts_with("["):
        _read_rows(stream, evaluation, cluster)
        return
    for key in stream.members():
        if key == "results" and stream.starts_with("["):
            _read_rows(stream, evaluation, cluster)
        elif key == "prompts":
            value = stream.value()
            evaluation.prompts = as_list(value)
        elif key == "timestamp":
            evaluation.stamp = parse_time(stream.value())
        else:
            stream.skip()


def _read_rows(stream: JsonStream, evaluation: _Evaluation, cluster: str | None) -> None:
    for place, row in stream.objects("result"):
        _add(evaluation, row, place, cluster)


def _read_config(stream: JsonStream, evaluation: _Evaluation) -> None:
    for key in stream.members():
        if key == "description":
            evaluation.description = as_text(stream.value())
        elif key in ("evaluateOptions", "commandLineOptions"):
            _note_repeat(evaluation, stream.value())
        else:
            stream.skip()


def _note_repeat(evaluation: _Evaluation, options: object) -> None:
    repeat = as_count(as_mapping(options).get("repeat"))
    evaluation.repeat = max(evaluation.repeat, repeat or 1)


def _add(evaluation: _Evaluation, row: Mapping[str, Any], place: str, cluster: str | None) -> None:
    system = _System(_provider(row, place), _prompt(row))
    answers = evaluation.systems.setdefault(
        system, Answers(("the content of the test", "its number"))
    )
    index = as_count(row.get("promptIdx"))
    if index is not None:
        evaluation.places.setdefault(system, index)
    test = as_mapping(row.get("testCase"))
    content = row.get("vars", test.get("vars"))
    item = fingerprint(test.get("description", row.get("description")), content)
    number = as_count(row.get("testIdx"))
    given = as_count(row.get("repeatIndex"))
    status, scores = _grade(row, place)
    about = {**as_mapping(content), **as_mapping(test.get("metadata"))}
    answers.add(
        item,
        scores,
        status=status,
        repeat=given if given is not None else 0,
        other=None if number is None else f"test {number}",
        cluster=cluster_of(about, cluster, place),
    )


def _grade(row: Mapping[str, Any], place: str) -> tuple[int, dict[str, float]]:
    """State of an answer, and its scores by metric."""
    reason = row.get("failureReason")
    crashed = reason == FAILED
    if reason is None:
        crashed = bool(row.get("error")) and not row.get("gradingResult")
    if crashed:
        return ERROR, {}
    scores: dict[str, float] = {}
    named = as_mapping(row.get("namedScores"))
    for name, value in (("score", row.get("score")), ("success", row.get("success")),
                        *named.items()):  # fmt: skip
        if name in scores:
            continue
        number = score_of(value, place, f"the value of {name!r}")
        if number is not None:
            scores[name] = number
    return SCORED, scores


def _provider(row: Mapping[str, Any], place: str) -> str:
    given = row.get("provider")
    about = as_mapping(given)
    name = as_text(given) or as_text(about.get("label")) or as_text(about.get("id"))
    if name is None:
        raise ReadError.at(place, "the provider has neither a label nor an id.")
    return name


def _prompt(row: Mapping[str, Any]) -> str:
    about = as_mapping(row.get("prompt"))
    label = as_text(about.get("label")) or as_text(row.get("promptId")) or ""
    if len(label) <= LONGEST_LABEL and "\n" not in label:
        return label
    return f"prompt {fingerprint(label)[:8]}"

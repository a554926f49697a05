"""Evaluations of promptfoo: one file each, one row per provider, prompt, test and repeat."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rankbars.errors import DataError, ReadError
from rankbars.readers.files import InputFile, data_suffix, open_text
from rankbars.readers.logs.answers import Answers
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import as_mapping, as_text, read_json_lines
from rankbars.readers.logs.records import ERROR, SCORED, UNSCORED
from rankbars.readers.logs.values import as_count, as_score, fingerprint, parse_time
from rankbars.tables.cells import label_text

__all__ = ["Evaluation", "System", "read_evaluation"]

FAILED = 2

# A label may be the text of the prompt itself; a long one is known by a hash.
LONGEST_LABEL = 60


class System(NamedTuple):
    """A provider with a prompt."""

    provider: str
    prompt: str


@dataclass(slots=True)
class Evaluation:
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
    systems : dict from System to Answers
        Answers.
    places : dict from System to int
        Where a system stands in `prompts`.
    """

    file: InputFile
    description: str | None = None
    stamp: float | None = None
    repeat: int = 1
    prompts: list[Any] = field(default_factory=list)
    systems: dict[System, Answers] = field(default_factory=dict)
    places: dict[System, int] = field(default_factory=dict)


def read_evaluation(file: InputFile, cluster: str | None) -> Evaluation:
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
            "the table gives each model columns of the same names, so that they cannot be told "
            "apart. Write JSON instead: promptfoo eval -o results.json, or promptfoo export.",
        )
    evaluation = Evaluation(file)
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


def _read_results(stream: JsonStream, evaluation: Evaluation, cluster: str | None) -> None:
    if stream.starts_with("["):
        _read_rows(stream, evaluation, cluster)
        return
    for key in stream.members():
        if key == "results" and stream.starts_with("["):
            _read_rows(stream, evaluation, cluster)
        elif key == "prompts":
            value = stream.value()
            evaluation.prompts = value if isinstance(value, list) else []
        elif key == "timestamp":
            evaluation.stamp = parse_time(stream.value())
        else:
            stream.skip()


def _read_rows(stream: JsonStream, evaluation: Evaluation, cluster: str | None) -> None:
    for number, _ in enumerate(stream.elements(), start=1):
        place = f"{evaluation.file.label}, result {number}"
        row = stream.value()
        if not isinstance(row, dict):
            raise ReadError.at(place, "expected a JSON object.")
        _add(evaluation, row, place, cluster)


def _read_config(stream: JsonStream, evaluation: Evaluation) -> None:
    for key in stream.members():
        if key == "description":
            evaluation.description = as_text(stream.value())
        elif key in ("evaluateOptions", "commandLineOptions"):
            _note_repeat(evaluation, stream.value())
        else:
            stream.skip()


def _note_repeat(evaluation: Evaluation, options: object) -> None:
    repeat = as_count(as_mapping(options).get("repeat"))
    evaluation.repeat = max(evaluation.repeat, repeat or 1)


def _add(evaluation: Evaluation, row: Mapping[str, Any], place: str, cluster: str | None) -> None:
    system = System(_provider(row, place), _prompt(row))
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
    answers.add(
        item,
        scores,
        status=status,
        repeat=given if given is not None else 0,
        other=None if number is None else f"test {number}",
        cluster=_cluster(test, content, cluster, place),
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
        if value is None or name in scores:
            continue
        number = as_score(value)
        if number is None:
            raise ReadError.at(place, f"the value {str(value)[:40]!r} of {name!r} is not a number.")
        if not math.isnan(number):
            scores[name] = number
    return (SCORED if scores else UNSCORED), scores


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


def _cluster(test: Mapping[str, Any], content: object, key: str | None, place: str) -> str | None:
    if key is None:
        return None
    about = as_mapping(test.get("metadata"))
    try:
        return label_text(about.get(key, as_mapping(content).get(key)))
    except DataError as error:
        raise ReadError.at(place, f"the cluster {key!r} {error}.") from error

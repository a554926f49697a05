"""Results files of OpenCompass: one per model and data set, scores in percent.

Details are a list, or an object with one member per item. They may hold no verdict at all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.files import InputFile, open_text
from rankbars.readers.logs.answers import Answers
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import as_mapping, as_text
from rankbars.readers.logs.records import SCORED, UNSCORED
from rankbars.readers.logs.values import as_finite

__all__ = ["HEADLINES", "VERDICT", "Result", "base_name", "read_result"]

# The producer's main metric is the first of these that a file has.
HEADLINES = (
    "score", "auc_score", "accuracy", "humaneval_pass@1", "rouge1", "avg_toxicity_score",
    "bleurt_diff", "matthews_correlation", "truth", "f1", "exact_match", "extract_rate",
)  # fmt: skip

VERDICTS = ("correct", "is_correct", "cascade_correct")
VERDICT = "correct"

_RUNS = re.compile(r"(?P<name>.+) \(\d+ runs average\)")


class Result(NamedTuple):
    """One results file.

    Parameters
    ----------
    values : mapping from str to float
        Published scores by metric, in the order of the file.
    answers : Answers or None
        Verdicts of items under `VERDICT`, 0 or 1; None if the file has none.
    details : int
        Items that the details list.
    failed : bool
        Whether the data set failed.
    """

    values: Mapping[str, float]
    answers: Answers | None
    details: int
    failed: bool


def base_name(metric: str) -> str:
    """Name of a metric without the number of runs behind it.

    Examples
    --------
    >>> base_name("accuracy (4 runs average)")
    'accuracy'
    """
    found = _RUNS.fullmatch(metric)
    return found["name"] if found else metric


def read_result(file: InputFile) -> Result:
    """What a results file says.

    Raises
    ------
    ReadError
        If the file is damaged, or holds neither metrics nor details.
    """
    values: dict[str, float] = {}
    answers = Answers(("example_abbr", "position"))
    count, judged, failed = 0, 0, False
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        for key in stream.members():
            if key == "details" and (stream.starts_with("[") or stream.starts_with("{")):
                for item, entry in _entries(stream):
                    count += 1
                    judged += "gold" in entry and isinstance(entry["gold"], dict)
                    _add(answers, item, entry, f"{file.label}, item {item!r}")
                continue
            value = stream.value()
            number = as_finite(value)
            failed |= key == "error" and bool(value)
            if isinstance(value, dict) and {"prediction", "gold"} <= value.keys():
                judged += 1
            elif number is not None and "/" not in key:
                values[key] = number
        stream.end()
    if not values and not count and not failed:
        why = "it holds judgements of two models' answers" if judged else "it holds no metric"
        raise ReadError.at(
            file.label,
            f"{why} and no details of items, so there is no score of a model in it. Expected "
            "results of objective data sets, such as results/MODEL/DATASET.json with 'accuracy'.",
        )
    scored = VERDICT in answers.metrics
    return Result(values, answers if scored else None, count, failed)


def _entries(stream: JsonStream) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if stream.starts_with("["):
        for number, _ in enumerate(stream.elements()):
            yield str(number), as_mapping(stream.value())
        return
    for key in stream.members():
        value = stream.value()
        if isinstance(value, dict):
            yield key, value


def _add(answers: Answers, item: str, entry: Mapping[str, Any], place: str) -> None:
    given = next((entry[key] for key in VERDICTS if key in entry), None)
    name = as_text(entry.get("example_abbr")) or item
    for repeat, verdict in enumerate(given if isinstance(given, list) else [given]):
        score = _score(verdict, place)
        known = not math.isnan(score)
        answers.add(
            name,
            {VERDICT: score} if known else {},
            status=SCORED if known else UNSCORED,
            repeat=repeat,
            other=item,
        )


def _score(verdict: object, place: str) -> float:
    if verdict is None:
        return math.nan
    number = float(verdict) if isinstance(verdict, bool) else as_finite(verdict)
    if number is None or not 0.0 <= number <= 1.0:
        raise ReadError.at(
            place, f"the verdict {str(verdict)[:40]!r} is neither true, false nor a number from 0 "
            "to 1.",
        )  # fmt: skip
    return number

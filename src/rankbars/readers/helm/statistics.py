"""Statistics of HELM runs: those of single instances, and those of a whole run.

One instance has several entries, one per class of metrics: they are united. A statistic of count 0
has no mean. Statistics with a perturbation in their name were computed over perturbed copies, or
over nothing at all.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from rankbars.errors import DataError, ReadError
from rankbars.readers.files import InputFile, open_text
from rankbars.readers.logs.answers import Answers
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import as_float, as_mapping, as_text
from rankbars.tables.cells import label_text

__all__ = ["Instances", "Part", "is_bookkeeping", "read_instances", "read_stats"]

_COUNTS = ("num_", "max_num_", "estimated_num_", "finish_reason_", "inference_", "training_")
_OTHERS = frozenset({"batch_size", "prompt_truncated", "predicted_index"})


class Part(NamedTuple):
    """What answers belong to: a split, and a perturbation or none."""

    split: str
    perturbation: str


class Instances(NamedTuple):
    """Answers of one run by part."""

    parts: Mapping[Part, Answers]


def is_bookkeeping(name: str) -> bool:
    """Whether a statistic counts tokens, time and the like.

    Examples
    --------
    >>> is_bookkeeping("num_prompt_tokens"), is_bookkeeping("exact_match")
    (True, False)
    """
    return name.startswith(_COUNTS) or name in _OTHERS


def read_instances(file: InputFile, wanted: Collection[str]) -> Instances:
    """Scores of single instances.

    Parameters
    ----------
    file : InputFile
        A file ``per_instance_stats.json``.
    wanted : collection of str
        Metrics that the caller named; bookkeeping is left out unless it is among them.

    Raises
    ------
    ReadError
        If the file is damaged, or an entry names no instance.
    """
    parts: dict[Part, Answers] = {}
    places: dict[tuple[Part, str, int], int] = {}
    passed: dict[str, bool] = {}
    for number, entry in enumerate(_entries(file), start=1):
        place = f"{file.label}, entry {number}"
        item = _instance(entry, place)
        trial = entry.get("train_trial_index", 0)
        if isinstance(trial, bool) or not isinstance(trial, int) or abs(trial) > 1 << 31:
            raise ReadError.at(place, f"train_trial_index is {str(trial)[:40]!r}.")
        perturbed = as_text(as_mapping(entry.get("perturbation")).get("name")) or ""
        # The statistics of an entry nearly always belong together.
        seen: dict[tuple[object, object], tuple[Answers, int]] = {}
        for metric, name, stat in _stats(entry, place):
            if metric not in passed:
                passed[metric] = is_bookkeeping(metric) and metric not in wanted
            about = (name.get("split"), id(name.get("perturbation")))
            if about not in seen:
                seen[about] = _place(parts, places, _part(name, perturbed), item, trial)
            if not passed[metric]:
                answers, row = seen[about]
                answers.put(row, metric, _mean(stat, metric, place))
    return Instances(parts)


def read_stats(file: InputFile) -> dict[str, dict[str, float]]:
    """Means of a run by split and metric, without those of perturbed copies and parts of a split.

    Raises
    ------
    ReadError
        If the file is damaged, or a statistic has no name.
    """
    found: dict[str, dict[str, float]] = {}
    for number, stat in enumerate(_entries(file), start=1):
        place = f"{file.label}, entry {number}"
        name = as_mapping(stat.get("name"))
        metric = as_text(name.get("name"))
        if metric is None:
            raise ReadError.at(place, "a statistic has no name.")
        # Parts of a split are told apart by a name of their own.
        if name.get("perturbation") is not None or name.get("sub_split") is not None:
            continue
        mean = _mean(stat, metric, place)
        if math.isfinite(mean):
            found.setdefault(as_text(name.get("split")) or "", {}).setdefault(metric, mean)
    return found


def _entries(file: InputFile) -> Iterator[Mapping[str, Any]]:
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        for number, _ in enumerate(stream.elements(), start=1):
            entry = stream.value()
            if not isinstance(entry, dict):
                raise ReadError.at(f"{file.label}, entry {number}", "expected a JSON object.")
            yield entry
        stream.end()


def _instance(entry: Mapping[str, Any], place: str) -> str:
    try:
        item = label_text(entry.get("instance_id"))
    except DataError as error:
        raise ReadError.at(place, f"the instance_id {error}.") from error
    if item is None:
        raise ReadError.at(place, "there is no instance_id that names the instance.")
    return item


def _part(name: Mapping[str, Any], perturbed: str) -> Part:
    own = as_text(as_mapping(name.get("perturbation")).get("name"))
    return Part(as_text(name.get("split")) or "", own or perturbed)


def _place(
    parts: dict[Part, Answers], places: dict[tuple[Part, str, int], int], part: Part, item: str,
    trial: int,
) -> tuple[Answers, int]:  # fmt: skip
    """Answers of a part, and the row of an instance there, added if it is new."""
    if part not in parts:
        parts[part] = Answers(("instance_id", "position"))
    answers = parts[part]
    key = (part, item, trial)
    if key not in places:
        places[key] = answers.add(item, repeat=trial)
    return answers, places[key]


def _stats(
    entry: Mapping[str, Any], place: str
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Statistics of an instance: metric, name, and all of it."""
    stats = entry.get("stats")
    if not isinstance(stats, list):
        raise ReadError.at(place, "there is no list of statistics ('stats').")
    for stat in stats:
        name = stat.get("name") if isinstance(stat, dict) else None
        metric = name.get("name") if isinstance(name, dict) else None
        if not isinstance(name, dict) or not isinstance(metric, str) or not metric:
            raise ReadError.at(place, "a statistic has no name.")
        split = name.get("split")
        if split is not None and not isinstance(split, str):
            raise ReadError.at(place, f"the split is {str(split)[:40]!r}, not a name.")
        yield metric, name, stat


def _mean(stat: Mapping[str, Any], metric: str, place: str) -> float:
    """Mean of a statistic; NaN if it counted nothing."""
    mean = stat.get("mean")
    if mean is None:
        return math.nan
    number = as_float(mean)
    if number is None:
        raise ReadError.at(place, f"the mean of {metric!r} is {str(mean)[:40]!r}, not a number.")
    return number

"""Results files of lighteval: published values, and what is known about tasks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.files import InputFile, file_stem
from rankbars.readers.lm_eval_results import parse_spelling
from rankbars.readers.logs.jsontext import as_mapping, as_text, load_json
from rankbars.readers.logs.records import Direction
from rankbars.readers.logs.values import as_count, as_finite, parse_time

__all__ = ["Results", "TaskResult", "Value", "file_stamp", "read_results"]

STAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?")

_AVERAGE = re.compile(r"(?P<group>.+):_average(?:\|\d+)*")


class Value(NamedTuple):
    """A published value, its standard error, and what is wrong with it."""

    value: float | None
    se: float | None
    fault: str | None = None


class TaskResult(NamedTuple):
    """What a results file says about one task.

    Parameters
    ----------
    values : mapping from str to Value
        By metric, in the order of the file.
    directions : mapping from str to {"higher", "lower"}
        Recorded sides, by metric.
    headline : str or None
        The first metric of the task's own list.
    n : int or None
        Documents that were evaluated.
    version, digest, category : str or None
        As in the file.
    parts : tuple of str
        Tasks that this one is the average of.
    """

    values: Mapping[str, Value]
    directions: Mapping[str, Direction]
    headline: str | None
    n: int | None
    version: str | None
    digest: str | None
    category: str | None
    parts: tuple[str, ...]


class Results(NamedTuple):
    """A results file.

    Parameters
    ----------
    file : InputFile
        The file.
    model : str
        Name of the model.
    system : mapping from str to str
        Settings that make systems different.
    limit : str or None
        How many documents were asked for.
    stamp : str or None
        Time in the name of the file.
    time : float or None
        The same in seconds.
    tasks : mapping from str to TaskResult
        By task.
    """

    file: InputFile
    model: str
    system: Mapping[str, str]
    limit: str | None
    stamp: str | None
    time: float | None
    tasks: Mapping[str, TaskResult]


def file_stamp(path: Path) -> str | None:
    """Time at the end of a file name, as the tool writes it.

    Examples
    --------
    >>> file_stamp(Path("details_gsm8k|0_2025-01-02T03-04-05.678.parquet"))
    '2025-01-02T03-04-05.678'
    """
    last = file_stem(path).rpartition("_")[2]
    return last if STAMP.fullmatch(last) else None


def read_results(file: InputFile) -> Results:
    """What a results file says.

    Raises
    ------
    ReadError
        If the file is damaged or names no model.
    """
    content = load_json(file)
    general = as_mapping(content.get("config_general"))
    settings = as_mapping(general.get("model_config")) or as_mapping(content.get("model_config"))
    model = as_text(general.get("model_name")) or as_text(settings.get("model_name"))
    if model is None:
        raise ReadError.at(
            file.label, "the file names no model (config_general.model_name). Expected a results "
            "file of lighteval.",
        )  # fmt: skip
    results = content.get("results")
    if not isinstance(results, dict) or not all(isinstance(one, dict) for one in results.values()):
        raise ReadError.at(file.label, "there are no results by task ('results').")
    stamp = file_stamp(file.path)
    names = [name for name in results if name != "all"]
    limit = general.get("max_samples")
    return Results(
        file,
        model,
        {key: text for key in ("model_sha", "model_dtype") if (text := as_text(general.get(key)))},
        None if limit is None else f"max_samples {limit}",
        stamp,
        parse_time(stamp),
        {name: _read_task(file, content, name, names) for name in names},
    )


def _read_task(
    file: InputFile, content: Mapping[str, Any], task: str, tasks: Sequence[str]
) -> TaskResult:
    given = as_mapping(as_mapping(content["results"]).get(task))
    values = {
        name: _value(file, task, name, value, given.get(f"{name}_stderr"))
        for name, value in given.items()
        if not name.endswith("_stderr")
    }
    config = _find(as_mapping(content.get("config_tasks")), task)
    directions, order = _directions(config)
    average = _AVERAGE.fullmatch(task)
    group = average["group"] if average else task.rpartition("|")[0].rpartition(":")[0]
    parts = tuple(name for name in tasks if average and name != task
                  and name.startswith(f"{average['group']}:"))  # fmt: skip
    whole = any(
        (found := _AVERAGE.fullmatch(name)) is not None and found["group"] == group
        for name in tasks
    )
    hashes = as_mapping(_find(as_mapping(content.get("summary_tasks")), task).get("hashes"))
    version = as_mapping(content.get("versions")).get(task)
    return TaskResult(
        values,
        {name: side for name in values if (side := _side(name, directions)) is not None},
        next((name for name in order if name in values), None),
        as_count(config.get("effective_num_docs")),
        None if version is None else str(version),
        as_text(hashes.get("hash_examples")),
        group if whole and not average else None,
        parts,
    )


def _value(file: InputFile, task: str, name: str, value: object, error: object) -> Value:
    number, se = _number(value), _number(error)
    fault = None
    # What is no finite number is no score; anything else that is no number is a fault.
    absent = value is None or isinstance(value, float) or str(value) in ("nan", "NaN", "N/A")
    if number is None and not absent:
        fault = (
            f"{file.label}: the value {str(value)[:40]!r} of the metric {name!r} of task {task!r} "
            "is not a number. Correct it, or choose another metric (--metric)."
        )
    return Value(number, se if se is not None and se >= 0 else None, fault)


def _number(value: object) -> float | None:
    if isinstance(value, str):
        value = parse_spelling(value)
    return as_finite(float(value)) if isinstance(value, bool) else as_finite(value)


def _find(given: Mapping[str, Any], task: str) -> Mapping[str, Any]:
    """What is said about a task; keys may lack the shots, or have the suite before the name."""
    if task in given:
        return as_mapping(given[task])
    wanted = _core(task)
    found = [value for key, value in given.items() if _core(key) == wanted]
    return as_mapping(found[0]) if len(found) == 1 else {}


def _core(key: str) -> str:
    """Name of a task without its suite and shots."""
    parts = [part for part in key.split("|") if not part.isdigit()]
    return parts[-1] if parts else key


def _directions(config: Mapping[str, Any]) -> tuple[dict[str, Direction], list[str]]:
    """Recorded sides by metric, and the metrics in the task's own order."""
    metrics = config.get("metrics", config.get("metric"))
    sides: dict[str, Direction] = {}
    order: list[str] = []
    for metric in map(as_mapping, metrics if isinstance(metrics, list) else ()):
        names, better = metric.get("metric_name"), metric.get("higher_is_better")
        for name in names if isinstance(names, list) else [names]:
            if isinstance(name, str):
                side = better.get(name) if isinstance(better, dict) else better
                order.append(name)
                if isinstance(side, bool):
                    sides[name] = "higher" if side else "lower"
    return sides, order


def _side(name: str, directions: Mapping[str, Direction]) -> Direction | None:
    """Side of a metric, whose name may carry parameters behind a colon."""
    return directions.get(name) or directions.get(name.partition(":")[0])

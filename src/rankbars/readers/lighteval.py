"""Results of lighteval, and the details that belong to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, read_each
from rankbars.readers.lighteval_details import find_layout, read_details
from rankbars.readers.lm_eval_results import (
    Results,
    TaskResult,
    Value,
    measures_of,
    spelt_number,
)
from rankbars.readers.logs.jsontext import load_json, top_level_keys
from rankbars.readers.logs.jsonvalues import (
    as_count,
    as_mapping,
    as_mappings,
    as_positive,
    as_text,
    parse_time,
)
from rankbars.readers.logs.records import Agreement, Answers, Direction, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, DECLINED, Recognition
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]


STAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?")

_AVERAGE = re.compile(r"(?P<group>.+):_average(?:\|\d+)*")


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is one of lighteval's results or details.

    Examples
    --------
    >>> _ = Path("results.json").write_text(
    ...     '{"config_general": {}, "results": {}, "versions": {}, "config_tasks": {}}')
    >>> sniff(Path("results.json"), b"{").format
    'lighteval'
    """
    if head.startswith(b"PAR1"):
        return _sniff_details(path) if path.name.startswith("details_") else None
    keys = set(top_level_keys(path))
    if keys >= {"config_general", "results"} and keys & {"config_tasks", "versions"}:
        return Recognition("lighteval", CERTAIN, "It has the keys of a lighteval results file: "
                           "config_general, config_tasks, results.")  # fmt: skip
    return None


def _sniff_details(path: Path) -> Recognition:
    from rankbars.readers.openedtables import looking

    try:
        with looking() as looks:
            layout = find_layout(looks.table(path).relate({}, {}))
    except DataError:
        return Recognition("lighteval", CERTAIN, "It is named like lighteval's details.")
    if layout is None:
        return Recognition("lighteval", DECLINED, "It is named like lighteval's details, but has "
                           "not their columns.")  # fmt: skip
    return Recognition("lighteval", CERTAIN, f"It is named like lighteval's details and has their "
                       f"columns ({layout} layout).")  # fmt: skip


class _Place(NamedTuple):
    """What the path of a details file says."""

    stamp: str | None
    task: str
    model: str
    root: Path | None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results and details of lighteval."""
    details = [file for file in files if data_suffix(file.path) != ".json"]
    results = read_each([file for file in files if file not in details], _read_results)
    joined: dict[int, dict[str, tuple[InputFile, Answers]]] = {}
    alone: list[Run] = []

    def join(file: InputFile) -> None:
        place = _read_place(file)
        number = _find_results(place, results)
        if number is None and (beside := _results_beside(place, file)) is not None:
            results.append(_read_results(beside))
            number = len(results) - 1
        found = read_details(file)
        task = None if number is None else _match_task(place.task, results[number].tasks)
        if number is None or task is None:
            alone.append(_make_run(file, place, found))
        else:
            joined.setdefault(number, {})[task] = (file, found)

    read_each(details, join)
    runs = [run for number, one in enumerate(results)
            for run in _runs(one, joined.get(number, {}))]  # fmt: skip
    return [*runs, *_note_alone(alone)]


def _runs(results: Results, details: Mapping[str, tuple[InputFile, Answers]]) -> Iterator[Run]:
    for task, known in results.tasks.items():
        file, found = details.get(task, (results.file, None))
        agree = {}
        if known.version is not None:
            agree["version of the task"] = Agreement(known.version)
        if known.task_hash is not None:
            agree["hash of the examples"] = Agreement(known.task_hash, results.limit or "")
        yield Run(
            file.label,
            results.model,
            task,
            measures_of(known, known.values[""], found),
            rows=None if found is None else found.rows(),
            headline=known.headline,
            system=results.system,
            agree=agree,
            stamp=results.time,
            expected=known.n,
            category=known.category,
            parts=known.parts,
        )


def _make_run(file: InputFile, place: _Place, found: Answers) -> Run:
    """Details without results."""
    measures = measures_of(TaskResult({}, {}), {}, found)
    stamp = parse_time(place.stamp)
    return Run(file.label, place.model, place.task, measures, rows=found.rows(), stamp=stamp)


def _note_alone(runs: Sequence[Run]) -> list[Run]:
    """Runs without results, with the remark where their names are from."""
    if not runs:
        return []
    first = runs[0]
    more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
    note = Note(
        "name-from-file",
        f"{first.source}{more}: no results file of the run was found; models and tasks are named "
        f"after the path, here {first.model!r} and {first.task!r}.",
    )
    return [replace(run, notes=(note,)) for run in runs]


def _read_place(file: InputFile) -> _Place:
    """Time, task and model of a details file, from its path."""
    path = file.path.resolve()
    stem = file_stem(path).removeprefix("details_")
    stamp = _file_stamp(path)
    task = stem.rpartition("_")[0] if stamp is not None else stem
    folders = list(path.parent.parts)
    if stamp is not None and folders and folders[-1] == stamp:
        folders.pop()
    root = None
    if "details" in folders:
        at = len(folders) - 1 - folders[::-1].index("details")
        root = Path(*folders[:at])
        folders = folders[at + 1 :]
        model = "/".join(folders)
    else:
        # A mirror on the Hub: details_<model, with / written as __>.
        model = folders[-1] if folders else ""
        if model.startswith("details_"):
            model = model.removeprefix("details_").removesuffix("_private").replace("__", "/")
    return _Place(stamp, task, model or "model", root)


def _find_results(place: _Place, results: Sequence[Results]) -> int | None:
    """Number of the results of the same run: the same time and, if several have it, model."""
    same = [
        number
        for number, one in enumerate(results)
        if place.stamp is not None and one.stamp == place.stamp
    ]
    if len(same) > 1:
        same = [number for number in same if results[number].model == place.model]
    return same[0] if len(same) == 1 else None


def _results_beside(place: _Place, file: InputFile) -> InputFile | None:
    """The results file where lighteval puts it, for details that the caller named."""
    if place.root is None or place.stamp is None or not file.asked:
        return None
    path = place.root / "results" / place.model / f"results_{place.stamp}.json"
    return InputFile(path, path.as_posix(), asked=False) if path.is_file() else None


def _match_task(name: str, tasks: Mapping[str, TaskResult]) -> str | None:
    """Task of the results that a file name stands for; separators may have been replaced."""
    if name in tasks:
        return name
    plain = _plain(name)
    found = [task for task in tasks if _plain(task) == plain]
    return found[0] if len(found) == 1 else None


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in text)


def _file_stamp(path: Path) -> str | None:
    """Time at the end of a file name, as the tool writes it.

    Examples
    --------
    >>> _file_stamp(Path("details_gsm8k|0_2025-01-02T03-04-05.678.parquet"))
    '2025-01-02T03-04-05.678'
    """
    last = file_stem(path).rpartition("_")[2]
    return last if STAMP.fullmatch(last) else None


def _read_results(file: InputFile) -> Results:
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
    stamp = _file_stamp(file.path)
    names = [name for name in results if name != "all"]
    limit = general.get("max_samples")
    system = {key: as_text(general.get(key)) for key in ("model_sha", "model_dtype")}
    return Results(
        file,
        stamp,
        model,
        {key: text for key, text in system.items() if text},
        {},
        {name: _read_task(file, content, name, names) for name in names},
        time=parse_time(stamp),
        limit=None if limit is None else f"max_samples {limit}",
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
    sides = {name: directions.get(name) or directions.get(name.partition(":")[0])
             for name in values}  # fmt: skip
    return TaskResult(
        {"": values},
        {name: side for name, side in sides.items() if side is not None},
        headline=next((name for name in order if name in values), None),
        version=None if version is None else str(version),
        task_hash=as_text(hashes.get("hash_examples")),
        category=group if whole and not average else None,
        n=as_count(config.get("effective_num_docs")),
        parts=parts,
    )


def _value(file: InputFile, task: str, name: str, value: object, error: object) -> Value:
    number, se = spelt_number(value), spelt_number(error)
    fault = None
    # What is no finite number is no score; anything else that is no number is a fault.
    absent = value is None or isinstance(value, float) or str(value) in ("nan", "NaN", "N/A")
    if number is None and not absent:
        fault = (
            f"{file.label}: the value {str(value)[:40]!r} of the metric {name!r} of task {task!r} "
            "is not a number. Correct it, or choose another metric (--metric)."
        )
    return Value(number, as_positive(se), fault)


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
    for metric in as_mappings(metrics):
        names, better = metric.get("metric_name"), metric.get("higher_is_better")
        for name in names if isinstance(names, list) else [names]:
            if isinstance(name, str):
                side = better.get(name) if isinstance(better, dict) else better
                order.append(name)
                if isinstance(side, bool):
                    sides[name] = "higher" if side else "lower"
    return sides, order

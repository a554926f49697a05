"""Results and details of lighteval: recognised, and read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import DataError
from rankbars.readers.files import InputFile, data_suffix, file_stem, read_each
from rankbars.readers.lighteval.details import Details, find_layout, read_details
from rankbars.readers.lighteval.results import (
    Results,
    TaskResult,
    Value,
    file_stamp,
    read_results,
)
from rankbars.readers.logs.jsontext import top_level_keys
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.records import Agreement, Measure, Run
from rankbars.readers.logs.values import parse_time
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, DECLINED, Recognition
from rankbars.tables.database import Engine

__all__ = ["read_lighteval", "sniff_lighteval"]

_NOTHING = TaskResult({}, {}, None, None, None, None, None, ())


def sniff_lighteval(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is one of lighteval's results or details.

    Examples
    --------
    >>> _ = Path("results.json").write_text(
    ...     '{"config_general": {}, "results": {}, "versions": {}, "config_tasks": {}}')
    >>> sniff_lighteval(Path("results.json"), b"{").format
    'lighteval'
    """
    if head.startswith(b"PAR1"):
        return _sniff_details(path) if path.name.startswith("details_") else None
    if data_suffix(path) != ".json" and path.name != "stdin":
        return None
    keys = set(top_level_keys(path))
    if keys >= {"config_general", "results"} and keys & {"config_tasks", "versions"}:
        return Recognition("lighteval", CERTAIN, "It has the keys of a lighteval results file: "
                           "config_general, config_tasks, results.")  # fmt: skip
    return None


def _sniff_details(path: Path) -> Recognition:
    from rankbars.readers.parquet import open_parquet

    try:
        with Engine() as engine:
            layout = find_layout(open_parquet(InputFile(path, path.name), engine).relate())
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


def read_lighteval(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results and details of lighteval.

    Parameters
    ----------
    files : sequence of InputFile
        Results files and details; the results of details are looked for beside them.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If the results cannot be compared; see `rankbars.readers.logs.scores`.
    """
    details = [file for file in files if data_suffix(file.path) != ".json"]
    results = read_each([file for file in files if file not in details], read_results)
    joined: dict[int, dict[str, tuple[InputFile, Details]]] = {}
    alone: list[Run] = []

    def join(file: InputFile) -> None:
        place = _read_place(file)
        number = _find_results(place, results)
        if number is None and (beside := _results_beside(place, file)) is not None:
            results.append(read_results(beside))
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


def _runs(results: Results, details: Mapping[str, tuple[InputFile, Details]]) -> Iterator[Run]:
    for task, known in results.tasks.items():
        file, found = details.get(task, (results.file, None))
        agree = {}
        if known.version is not None:
            agree["version of the task"] = Agreement(known.version)
        if known.digest is not None:
            agree["hash of the examples"] = Agreement(known.digest, results.limit or "")
        yield Run(
            file.label,
            results.model,
            task,
            _measures(known, found),
            rows=None if found is None else found.answers.rows(),
            headline=known.headline,
            system=results.system,
            agree=agree,
            selection=results.limit or "no limit",
            stamp=results.time,
            expected=known.n,
            category=known.category,
            parts=known.parts,
        )


def _make_run(file: InputFile, place: _Place, found: Details) -> Run:
    """Details without results."""
    return Run(
        file.label,
        place.model,
        place.task,
        _measures(_NOTHING, found),
        rows=found.answers.rows(),
        stamp=parse_time(place.stamp),
    )


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


def _measures(known: TaskResult, found: Details | None) -> dict[str, Measure]:
    names = known.values if found is None else (*known.values, *found.answers.metrics)
    measures = {}
    for name in dict.fromkeys(names):
        value = known.values.get(name, Value(None, None))
        declined = None if found is None else found.declined.get(name)
        own = found is not None and name in found.answers.metrics and declined is None
        measures[name] = Measure(
            name,
            scores=found.answers.column(name) if found is not None and own else None,
            value=value.value,
            se=value.se,
            n=known.n,
            direction=known.directions.get(name),
            declined=declined,
            fault=None if own else value.fault,
        )
    return measures


def _read_place(file: InputFile) -> _Place:
    """Time, task and model of a details file, from its path."""
    path = file.path.resolve()
    stem = file_stem(path).removeprefix("details_")
    stamp = file_stamp(path)
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

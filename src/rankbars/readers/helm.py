"""Runs and releases of HELM: recognised, and read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError, ReadError
from rankbars.readers.helm_stats import (
    Main,
    Schema,
    Slice,
    find_main,
    is_bookkeeping,
    parse_run_name,
    read_group_tables,
    read_instances,
    read_schema,
    read_stats,
)
from rankbars.readers.inputfiles import HEAD_BYTES, InputFile, data_suffix, read_all, read_each
from rankbars.readers.logs.jsontext import first_object, load_json, top_level_keys
from rankbars.readers.logs.jsonvalues import as_count, as_list, as_mapping, as_text
from rankbars.readers.logs.records import Agreement, Answers, Direction, Measure, Run
from rankbars.readers.openedfiles import DAMAGE, open_binary
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, Recognition
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_FILES = {"run": "run_spec.json", "stats": "stats.json", "instances": "per_instance_stats.json"}

# From a run folder, its suite and its release lie at most so many folders up.
FARTHEST = 4

# Files that lie in a run folder beside its specification.
_BESIDE_RUN = ("scenario", "instances", "predictions", "requests", "display_", "annotations")

# Files that lie in a release beside its schema or its folder of groups.
_BESIDE_RELEASE = ("summary", "runs", "run_specs", "groups", "costs", "model_")

KINDS = {
    "run": "It has the keys of a HELM run specification: adapter_spec, scenario_spec.",
    "schema": "It has the keys of a HELM schema: metrics, run_groups.",
    "table": "It is a table of a HELM release: header, rows.",
    "stats": "Its entries are statistics of a HELM run: name, count.",
    "instances": "Its entries are HELM statistics of single instances: instance_id, stats.",
    "other": "It belongs to a run or release of HELM, and holds no scores of its own.",
}

_OBJECTS = (
    ("run", {"adapter_spec", "scenario_spec"}),
    ("schema", {"metrics", "run_groups"}),
    ("table", {"title", "header", "rows"}),
    ("other", {"adapter_spec", "request_states"}),
)

_TABLES = re.compile(rb'\s*\[\s*\{\s*"title"\s*:\s*"[^"]*",\s*"header"\s*:\s*\[\s*\{\s*"value"')
_INSTANCES = re.compile(rb'\s*\[\s*\{\s*"instance_id"\s*:')

CORPUS = "is computed over all instances at once, not for each"


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file belongs to a run or a release of HELM.

    Examples
    --------
    >>> head = b'[{"instance_id": "id1", "train_trial_index": 0, "stats": []}]'
    >>> sniff(Path("per_instance_stats.json"), head).format
    'helm'
    """
    kind = _kind_of(path, head)
    return Recognition("helm", CERTAIN, KINDS[kind]) if kind else None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from runs of HELM, or from the tables of a release.

    What lies beside a file of a run is read with it. A filter names a split or a perturbation.
    """
    kinds = {file: _file_kind(file.path) for file in files}
    tables = [file for file, kind in kinds.items() if kind == "table"]
    folders = _group_folders({file: kind for file, kind in kinds.items() if kind in _FILES})
    schemas, notes = _read_schemas([one for one in files if kinds[one] == "schema"], folders)
    whole = {folder.main: folder for folder in folders if folder.main is not None}
    runs = read_all(whole, lambda file: _make_runs(whole[file], schemas, options))
    empty = len(folders) - len(whole)
    if empty:
        notes.append(Note("unfinished", f"Left out: {empty} of the runs, without statistics yet."))
    if tables and runs:
        notes.append(Note(
            "groups", "Tables of the release are not read: they show the runs that are.",
        ))  # fmt: skip
    elif tables:
        runs = read_group_tables(tables, schemas)
        notes.append(Note(
            "columns-dropped",
            "Columns of the tables that belong to no group of runs, such as 'Mean win rate', are "
            "not tasks: they depend on which models stand there.",
        ))  # fmt: skip
    return [replace(run, notes=(*notes, *run.notes)) for run in runs]


def _read_schemas(
    given: Sequence[InputFile], folders: Sequence[_RunFolder]
) -> tuple[list[Schema], list[Note]]:
    """Schemas that were given, else those found beside the runs."""
    if given:
        return read_each(given, read_schema), []
    schemas, notes = [], []
    for file in _find_schemas(folders):
        try:
            schemas.append(read_schema(file))
        except ReadError as error:
            notes.append(Note("files-damaged", f"Not used: {error}"))
    if schemas:
        notes.append(Note(
            "schema-found", "Main metrics and directions are taken from "
            f"{list_names(schema.label for schema in schemas)}, found beside the runs.",
        ))  # fmt: skip
    return schemas, notes


class _RunFolder(NamedTuple):
    """Files of one run, by what they are; messages call it by its label."""

    path: Path
    label: str
    files: dict[str, InputFile]

    @property
    def main(self) -> InputFile | None:
        """The file that stands for the run; None if it has no statistics yet."""
        return self.files.get("instances") or self.files.get("stats")


def _group_folders(kinds: Mapping[InputFile, str]) -> list[_RunFolder]:
    """Run folders of files, in their order.

    Where the caller named a single file, those beside it are added; a folder was searched already.
    """
    folders: dict[Path, _RunFolder] = {}
    for file, kind in kinds.items():
        path = file.path.resolve().parent
        label = Path(file.label).parent.as_posix()
        folder = folders.setdefault(path, _RunFolder(path, label, {}))
        folder.files.setdefault(kind, file)
    named = {file.path.resolve().parent for file in kinds if file.asked}
    for folder in folders.values():
        if folder.path not in named:
            continue
        for kind, name in _FILES.items():
            beside = folder.path / name
            if kind not in folder.files and beside.is_file():
                label = (Path(folder.label) / name).as_posix()
                folder.files[kind] = InputFile(beside, label, asked=False)
    return list(folders.values())


def _find_schemas(folders: Iterable[_RunFolder]) -> list[InputFile]:
    """Schema files of the suites and releases that the runs lie in."""
    places = dict.fromkeys(
        place for folder in folders for place in [*folder.path.parents][:FARTHEST]
    )
    found: dict[Path, InputFile] = {}
    for place in places:
        beside = [place / "schema.json", *sorted((place / "releases").glob("*/schema.json"))]
        for path in beside:
            if path.is_file():
                found.setdefault(path, InputFile(path, path.as_posix(), asked=False))
    return list(found.values())


def _kind_of(path: Path, head: bytes) -> str:
    """A key of `KINDS`, or ``""`` for anything else."""
    if data_suffix(path) != ".json":
        return ""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    kind = ""
    if text.startswith(b"["):
        kind = _kind_of_list(path, head)
    elif text.startswith(b"{"):
        keys = set(top_level_keys(path))
        kind = next((kind for kind, needed in _OBJECTS if keys >= needed), "")
    return kind or ("other" if _lies_beside(path) else "")


def _file_kind(path: Path) -> str:
    """The same for a file that was recognised before."""
    try:
        with open_binary(path) as raw:
            return _kind_of(path, raw.read(HEAD_BYTES))
    except DAMAGE:
        return ""


def _lies_beside(path: Path) -> bool:
    folder = path.parent
    if path.name.startswith(_BESIDE_RUN) and (folder / "run_spec.json").is_file():
        return True
    release = (folder / "schema.json").is_file() or (folder / "groups").is_dir()
    return path.name.startswith(_BESIDE_RELEASE) and release


def _kind_of_list(path: Path, head: bytes) -> str:
    first = first_object(head)
    if first is None and _TABLES.match(head):
        return "table"
    if first is None:
        named = path.name.startswith("per_instance_stats.json") and _INSTANCES.match(head)
        return "instances" if named else ""
    if {"instance_id", "stats"} <= first.keys() and isinstance(first["stats"], list):
        return "instances"
    name = first.get("name")
    if isinstance(name, dict) and "name" in name and {"count", "sum"} <= first.keys():
        return "stats"
    if isinstance(first.get("header"), list) and isinstance(first.get("rows"), list):
        return "table"
    return "other" if {"run_spec", "run_path"} <= first.keys() else ""


class _Spec(NamedTuple):
    """What is known about a run before its statistics are read."""

    source: str
    model: str
    name: str
    groups: tuple[str, ...]
    adapter: Mapping[str, Any]
    notes: tuple[Note, ...]


def _make_runs(
    folder: _RunFolder, schemas: Sequence[Schema], options: ReadOptions
) -> Iterator[Run]:
    """The run of a folder: one per split, where the main one is not known.

    Parameters
    ----------
    folder : _RunFolder
        The files.
    schemas : sequence of Schema
        What says which metric and split count.
    options : ReadOptions
        Metrics, splits and perturbations that the caller named.

    Raises
    ------
    ReadError
        If a file is damaged, or nothing names the model.
    DataError
        If it cannot be told which metric counts.
    """
    spec = _read_spec(folder)
    files = folder.files
    stats = read_stats(files["stats"]) if "stats" in files else {}
    parts: Mapping[Slice, Answers] = {}
    if "instances" in files:
        parts = read_instances(files["instances"], options.metrics)
    main, where = find_main(spec.groups, schemas)
    notes = list(spec.notes)
    if main is not None and where is None and not options.metrics:
        notes.append(Note(
            "usual-metrics",
            "No schema file lies beside the runs; main metrics and splits are those that HELM "
            "usually shows.",
        ))  # fmt: skip
    wanted, left = _choose_parts(stats, parts, main, options)
    if left:
        task = parse_run_name(spec.name).task
        notes.append(Note("variant", f"Left out: {left} (--filter chooses).", task=task))
    if main is None and not options.metrics:
        _refuse_unknown(spec, stats, parts)
    directions: dict[str, Direction] = {}
    for schema in reversed(schemas):
        directions |= schema.directions
    for part in wanted:
        yield _make_run(spec, part, stats, parts, main, directions, notes)


def _read_spec(folder: _RunFolder) -> _Spec:
    given = folder.files.get("run")
    if given is not None:
        content = load_json(given)
        adapter = as_mapping(content.get("adapter_spec"))
        name = as_text(content.get("name")) or folder.path.name
        model = as_text(adapter.get("model")) or parse_run_name(name).model
        if model is None:
            raise ReadError.at(given.label, "the run names no model (adapter_spec.model).")
        groups = tuple(map(str, as_list(content.get("groups"))))
        return _Spec(given.label, model, name, groups, adapter, ())
    label = folder.label if folder.main is None else folder.main.label
    model = parse_run_name(folder.path.name).model
    if model is None:
        raise ReadError.at(
            label,
            "no run_spec.json lies beside it, and its folder is not named like a HELM run, so "
            "nothing names the model. Copy run_spec.json from the run.",
        )
    note = Note(
        "name-from-file",
        f"{label}: no run_spec.json lies beside it; model and task are taken from the name of the "
        f"folder, {folder.path.name!r}.",
    )
    scenario = folder.path.name.partition(":")[0]
    return _Spec(label, model, folder.path.name, (scenario,), {}, (note,))


def _choose_parts(
    stats: Mapping[str, Mapping[str, float]],
    parts: Mapping[Slice, Answers],
    main: Main | None,
    options: ReadOptions,
) -> tuple[list[Slice], str]:
    """Parts that are read, and in words what is left out."""
    splits = dict.fromkeys((*(part.split for part in parts), *stats))
    perturbations = dict.fromkeys(part.perturbation for part in parts if part.perturbation)
    asked = [split for split in splits if split in options.filters]
    if asked:
        kept = asked
    elif main is not None and main.split in splits:
        kept = [main.split]
    else:
        kept = list(splits)
    changed = [one for one in perturbations if one in options.filters] or [""]
    others = [f"split {name!r}" for name in splits if name not in kept]
    others += [f"perturbation {name!r}" for name in perturbations if name not in changed]
    left = ", ".join(others[:4]) + (f" and {len(others) - 4} more" if len(others) > 4 else "")
    return [Slice(split, one) for split in kept for one in changed], left


def _refuse_unknown(
    spec: _Spec, stats: Mapping[str, Mapping[str, float]], parts: Mapping[Slice, Answers]
) -> None:
    names = dict.fromkeys(
        name
        for found in (*(answers.metrics for answers in parts.values()), *stats.values())
        for name in found
        if not is_bookkeeping(name)
    )
    raise DataError(
        f"{spec.source}: nothing says which metric HELM shows for {list_names(spec.groups)}. "
        "Name the release folder with its schema.json too, or choose a metric with --metric: "
        f"{list_names(names, 8)}."
    )


def _make_run(
    spec: _Spec,
    part: Slice,
    stats: Mapping[str, Mapping[str, float]],
    parts: Mapping[Slice, Answers],
    main: Main | None,
    directions: Mapping[str, Direction],
    notes: Sequence[Note],
) -> Run:
    named = parse_run_name(spec.name)
    answers = parts.get(part)
    published = stats.get(part.split, {}) if not part.perturbation else {}
    n = as_count(published.get("num_instances"))
    metrics = [*(answers.metrics if answers is not None else ()),
               *(name for name in published if not is_bookkeeping(name))]  # fmt: skip
    metrics.sort(key=lambda name: (main is None or name != main.metric, name not in directions))
    variants = {"split": part.split} if part.split else {}
    if part.perturbation:
        variants["perturbation"] = part.perturbation
    shots = as_count(spec.adapter.get("max_train_instances"))
    return Run(
        spec.source,
        spec.model,
        named.task,
        {
            name: _measure(name, answers, published.get(name), n, directions.get(name))
            for name in dict.fromkeys(metrics)
        },
        rows=answers.rows() if answers is not None and len(answers) else None,
        headline=main.metric if main is not None else None,
        variants=variants,
        manner=named.manner,
        setup=named.setup,
        agree={} if shots is None else {"number of examples": Agreement(str(shots))},
        expected=n,
        category=next((group for group in spec.groups if group != named.task), None),
        notes=tuple(notes),
    )


def _measure(
    name: str, answers: Answers | None, value: float | None, n: int | None,
    direction: Direction | None,
) -> Measure:  # fmt: skip
    measure = Measure(name, value=value, n=n, direction=direction)
    if answers is None:
        return measure
    if name not in answers.metrics:
        return replace(measure, declined=f"{name!r} {CORPUS}")
    return answers.complete(measure)

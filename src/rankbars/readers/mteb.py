"""Results of MTEB: one file per task in a folder per model and revision."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, read_each
from rankbars.readers.logs.jsontext import load_json, top_level_keys
from rankbars.readers.logs.jsonvalues import as_finite, as_mapping, as_text
from rankbars.readers.logs.records import Agreement, Measure, Run
from rankbars.readers.parts import Heeded, Part
from rankbars.readers.recognition import CERTAIN, DECLINED, Recognition, by_keys
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

META = "model_meta.json"
MAIN = "main_score"
EXTERNAL = "external"
USUAL_SPLIT = "test"

_KINDS = {"results of MTEB": ("task_name", "scores", "mteb_version")}

_REVISION = re.compile(r"[0-9a-f]{40}|external|no_revision_available|[0-9a-f]{7,39}|v?\d[\w.]*")


class _TaskFile(NamedTuple):
    """Results on one task: values by split, subset and metric."""

    file: InputFile
    model: str
    revision: str
    task: str
    data: str | None
    splits: Mapping[str, Mapping[str, Mapping[str, float]]]


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file holds results of MTEB, or describes the model that they are of.

    Examples
    --------
    >>> _ = Path("STS12.json").write_text('{"task_name": "a", "scores": {}, "mteb_version": "2"}')
    >>> sniff(Path("STS12.json"), b"{").format
    'mteb'
    """
    keys = top_level_keys(path)
    if found := by_keys("mteb", keys, _KINDS):
        return found
    if path.name == META and {"name", "revision"} <= set(keys):
        return Recognition("mteb", CERTAIN, "It describes the model of MTEB results.")
    if "mteb_dataset_name" in keys:
        return Recognition("mteb", DECLINED, "It is a result of MTEB before version 1.11, which "
                           "does not say which of its values is the main score. Put the values "
                           "into a table.")  # fmt: skip
    return None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results of MTEB: the mean over the subsets of a task's test split.

    Filters name splits, and revisions of models.
    """
    names: dict[Path, str] = {}
    found: list[_TaskFile] = []

    def add(file: InputFile) -> None:
        if file.path.name == META:
            names[file.path.resolve().parent] = _read_name(file)
        else:
            found.append(_read_task(file, names))

    # Descriptions first: they name the models.
    read_each(sorted(files, key=lambda one: one.path.name != META), add)
    if not found:
        raise DataError(f"{files[0].label}: it describes a model; its results are not there.")
    kept, notes = _choose_revisions(found, options.filters)
    runs, more = _make_runs(kept, options)
    used = {one.revision for one in found} | {split for one in found for split in one.splits}
    heeded = tuple(name for name in options.filters if name in used)
    unnamed = {one.model: None for one in kept if one.file.path.resolve().parent not in names}
    if unnamed:
        text = f"Models without {META} are called after their folders: {list_names(unnamed)}."
        notes.append(Note("name-from-file", text))
    return [*runs, Heeded(files[0].label, heeded), *notes, *more]


def _read_name(file: InputFile) -> str:
    content = load_json(file)
    name = as_text(content.get("name"))
    if name is None:
        raise ReadError.at(file.label, "it describes a model without a name.")
    return name


def _read_task(file: InputFile, names: Mapping[Path, str]) -> _TaskFile:
    content = load_json(file)
    task = as_text(content.get("task_name"))
    given = content.get("scores")
    if task is None or not isinstance(given, dict):
        raise ReadError.at(file.label, "expected a task_name, and scores by split.")
    splits = {
        split: dict(_read_subset(file, split, place, one) for place, one in enumerate(entries))
        for split, entries in given.items()
        if isinstance(entries, list) and entries
    }
    if not splits:
        raise ReadError.at(file.label, "there is no split with scores.")
    folder = file.path.resolve().parent
    return _TaskFile(
        file,
        names.get(folder) or _name_of_folder(folder),
        folder.name,
        task,
        as_text(content.get("dataset_revision")),
        splits,
    )


def _read_subset(
    file: InputFile, split: str, place: int, entry: object
) -> tuple[str, dict[str, float]]:
    about = as_mapping(entry)
    if not about:
        raise ReadError.at(file.label, f"scores of split {split!r}, entry {place}: no JSON object.")
    name = as_text(about.get("hf_subset")) or "default"
    main = about.get(MAIN)
    if main is not None and as_finite(main) is None and main == main:
        raise ReadError.at(
            file.label,
            f"the main score {str(main)[:40]!r} of subset {name!r} is not a number. Correct it.",
        )
    values = {key: as_finite(value) for key, value in about.items()}
    return name, {key: value for key, value in values.items() if value is not None}


def _name_of_folder(folder: Path) -> str:
    """Model in the path ``ORG__MODEL/REVISION``."""
    place = folder.parent if _REVISION.fullmatch(folder.name) else folder
    return place.name.replace("__", "/", 1) or "model"


def _choose_revisions(
    found: Sequence[_TaskFile], asked: Sequence[str]
) -> tuple[list[_TaskFile], list[Note]]:
    """Of several revisions of a model the one with most tasks; numbers of others when asked."""
    tasks: dict[str, dict[str, set[str]]] = {}
    for one in found:
        tasks.setdefault(one.model, {}).setdefault(one.revision, set()).add(one.task)
    used: dict[str, str] = {}
    notes = []
    for model, of_model in tasks.items():
        own = [name for name in of_model if name in asked]
        usual = [name for name in of_model if name != EXTERNAL] or list(of_model)
        used[model] = max(own or usual, key=lambda name: (len(of_model[name]), name))
        others = [f"{name} ({len(own)} task{'s' if len(own) > 1 else ''})"
                  for name, own in sorted(of_model.items()) if name != used[model]]  # fmt: skip
        if others:
            notes.append(Note(
                "revision",
                f"Model {model!r}: the revision {used[model]} is used, with "
                f"{len(of_model[used[model]])} tasks; left out: {', '.join(others)} (--filter "
                "REVISION chooses).",
                models=(model,),
            ))  # fmt: skip
    reported = sorted(model for model, name in used.items() if name == EXTERNAL)
    if reported:
        notes.append(Note(
            "self-reported",
            f"Numbers of {list_names(reported)} are copied from model cards ({EXTERNAL!r}).",
        ))  # fmt: skip
    return [one for one in found if one.revision == used[one.model]], notes


def _make_runs(found: Sequence[_TaskFile], options: ReadOptions) -> tuple[list[Run], list[Note]]:
    by_task: dict[str, list[_TaskFile]] = {}
    for one in found:
        by_task.setdefault(one.task, []).append(one)
    runs: list[Run] = []
    notes: list[Note] = []
    left_splits: dict[str, None] = {}
    for task, members in by_task.items():
        splits = _splits_of(members, options.filters, left_splits)
        lacking = sorted(one.model for one in members if not set(splits) & one.splits.keys())
        if lacking:
            text = f"Without a value, because they lack the split: {list_names(lacking)}."
            notes.append(Note("no-score", text, task=task, models=tuple(lacking)))
        for split in splits:
            holding = [one for one in members if split in one.splits]
            subsets, note = _shared_subsets(task, split, holding, options)
            notes += note
            runs += [run for one in holding
                     if (run := _make_run(one, split, subsets)) is not None]  # fmt: skip
    if left_splits:
        notes.append(Note(
            "variant",
            f"MTEB: tasks have further splits, which are left out: {list_names(left_splits)} "
            "(--filter chooses).",
        ))  # fmt: skip
    if not runs:
        raise DataError(f"{found[0].file.label}: no task has a {MAIN} that can be compared.")
    return runs, notes


def _splits_of(
    members: Sequence[_TaskFile], asked: Sequence[str], left: dict[str, None]
) -> list[str]:
    """The split to use: the one asked for, else the test split; all where that cannot be told."""
    every = dict.fromkeys(split for one in members for split in one.splits)
    chosen = [split for split in asked if split in every] or [
        split for split in every if split == USUAL_SPLIT
    ]
    if not chosen:
        return list(every)
    left |= dict.fromkeys(split for split in every if split != chosen[0])
    return chosen[:1]


def _shared_subsets(
    task: str, split: str, members: Sequence[_TaskFile], options: ReadOptions
) -> tuple[frozenset[str], list[Note]]:
    """Subsets that a value is the mean of: those of all models, or what all share when asked."""
    own = {one.model: frozenset(one.splits[split]) for one in members}
    every = frozenset().union(*own.values())
    short = sorted(model for model, subsets in own.items() if subsets != every)
    if not short:
        return every, []
    shared = frozenset.intersection(*own.values())
    if options.compare_anyway and shared:
        text = f"the mean is over the {len(shared)} of {len(every)} subsets that all models have."
        return shared, [Note("subsets", text[0].upper() + text[1:], task=task)]
    return every, [Note(
        "subsets",
        f"Without a value, because they lack some of the {len(every)} subsets: "
        f"{list_names(short)}. To compare the subsets that all models have: --compare-anyway.",
        task=task, models=tuple(short),
    )]  # fmt: skip


def _make_run(one: _TaskFile, split: str, subsets: frozenset[str]) -> Run | None:
    own = one.splits[split]
    if not subsets <= own.keys():
        return None
    measures = {}
    for name in dict.fromkeys((MAIN, *(key for values in own.values() for key in values))):
        values = [own[subset][name] for subset in sorted(subsets) if name in own[subset]]
        # A mean over some of the subsets would be another quantity.
        if len(values) == len(subsets):
            measures[name] = Measure(name, value=math.fsum(values) / len(values))
    if MAIN not in measures:
        # The model was evaluated: it stays, without a score.
        measures = {MAIN: Measure(MAIN), **measures}
    return Run(
        one.file.label, one.model, one.task, measures,
        headline=MAIN,
        variants={"split": split},
        agree={} if one.data is None else {"revision of the data set": Agreement(one.data)},
    )  # fmt: skip

"""HELM runs as runs of the record table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import DataError, ReadError
from rankbars.readers.helm.folders import RunFolder, parse_run_name
from rankbars.readers.helm.schema import Main, Schema, find_main
from rankbars.readers.helm.statistics import (
    Part,
    is_bookkeeping,
    read_instances,
    read_stats,
)
from rankbars.readers.logs.answers import Answers
from rankbars.readers.logs.jsontext import as_mapping, as_text, load_json
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.records import Agreement, Direction, Measure, Run
from rankbars.readers.logs.remarks import list_names
from rankbars.readers.logs.values import as_count

__all__ = ["make_runs"]

CORPUS = "is computed over all instances at once, not for each"


class _Spec(NamedTuple):
    """What is known about a run before its statistics are read."""

    source: str
    model: str
    name: str
    groups: tuple[str, ...]
    adapter: Mapping[str, Any]
    notes: tuple[Note, ...]


def make_runs(folder: RunFolder, schemas: Sequence[Schema], options: ReadOptions) -> Iterator[Run]:
    """The run of a folder: one per split, where the main one is not known.

    Parameters
    ----------
    folder : RunFolder
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
    stats = {} if folder.stats is None else read_stats(folder.stats)
    parts: Mapping[Part, Answers] = {}
    if folder.instances is not None:
        parts = read_instances(folder.instances, options.metrics).parts
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


def _read_spec(folder: RunFolder) -> _Spec:
    if folder.spec is not None:
        content = load_json(folder.spec)
        adapter = as_mapping(content.get("adapter_spec"))
        name = as_text(content.get("name")) or folder.path.name
        model = as_text(adapter.get("model")) or parse_run_name(name).model
        if model is None:
            raise ReadError.at(folder.spec.label, "the run names no model (adapter_spec.model).")
        given = content.get("groups")
        groups = tuple(map(str, given)) if isinstance(given, list) else ()
        return _Spec(folder.spec.label, model, name, groups, adapter, ())
    file = folder.instances or folder.stats
    label = folder.label if file is None else file.label
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
    parts: Mapping[Part, Answers],
    main: Main | None,
    options: ReadOptions,
) -> tuple[list[Part], str]:
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
    return [Part(split, one) for split in kept for one in changed], left


def _refuse_unknown(
    spec: _Spec, stats: Mapping[str, Mapping[str, float]], parts: Mapping[Part, Answers]
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
    part: Part,
    stats: Mapping[str, Mapping[str, float]],
    parts: Mapping[Part, Answers],
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
    limit = as_count(spec.adapter.get("max_eval_instances"))
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
        selection=None if limit is None else f"at most {limit} instances",
        expected=n,
        category=next((group for group in spec.groups if group != named.task), None),
        notes=tuple(notes),
    )


def _measure(
    name: str, answers: Answers | None, value: float | None, n: int | None,
    direction: Direction | None,
) -> Measure:  # fmt: skip
    own = answers is not None and name in answers.metrics
    return Measure(
        name,
        scores=answers.column(name) if answers is not None and own else None,
        value=value,
        n=n,
        direction=direction,
        declined=None if own or answers is None else f"{name!r} {CORPUS}",
    )

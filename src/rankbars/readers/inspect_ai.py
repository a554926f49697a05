"""Logs of Inspect AI: ``.eval`` archives and ``.json`` files, read without inspect-ai."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, read_each
from rankbars.readers.inspect_samples import Log, Sample, read_archive, read_document
from rankbars.readers.logs.jsontext import top_level_keys
from rankbars.readers.logs.jsonvalues import (
    as_count,
    as_finite,
    as_list,
    as_mapping,
    as_mappings,
    as_positive,
    as_text,
    parse_time,
)
from rankbars.readers.logs.records import ERROR, SCORED, Agreement, Answers, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, Recognition, by_keys
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import usual_direction
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_MAGIC = b"PK\x03\x04"
_KINDS = {"an Inspect log": ("version", "status", "eval")}
_HEADERS = {"header.json", "_journal/start.json"}

MANNER_KEYS = ("model_generate_config", "solver", "solver_args", "model_roles")

# Settings of a model that say how it was reached, not what it is.
TECHNICAL = frozenset({"max_connections", "max_retries", "timeout", "attempt_timeout", "batch"})

# Metrics of any scorer: they average its values and do not say what these are.
REDUCTIONS = frozenset({"mean", "accuracy", "median", "mode", "max", "min", "grouped"})

UNCERTAINTIES = ("stderr", "ci", "std", "var", "bootstrap_stderr")


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a log of Inspect AI.

    Examples
    --------
    >>> _ = Path("log.json").write_text('{"version": 2, "status": "success", "eval": {}}')
    >>> sniff(Path("log.json"), b"{").format
    'inspect'
    """
    if head.startswith(_MAGIC):
        return _sniff_archive(path)
    if path.suffix.lower() == ".eval" and b"\n" not in head:
        return Recognition(
            "inspect", CERTAIN, "It is named like an Inspect archive, but does not start like one."
        )
    if data_suffix(path) == ".json" or path.name == "stdin":
        return by_keys("inspect", top_level_keys(path), _KINDS)
    return None


def _sniff_archive(path: Path) -> Recognition | None:
    named = path.suffix.lower() == ".eval"
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, OverflowError):
        names = set()
    found = names & _HEADERS
    if found:
        return Recognition("inspect", CERTAIN, f"It is an archive with {sorted(found)[-1]}.")
    if named:
        return Recognition("inspect", CERTAIN, "It is named and starts like an Inspect archive.")
    return None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from logs of Inspect AI.

    The column ``cluster`` names a key of the samples' metadata.
    """
    cluster = options.columns.get("cluster") or None

    def read_one(file: InputFile) -> Run | None:
        log = _read(file, cluster)
        return None if _is_invalid(log) else _make_run(log)

    found = read_each(files, read_one)
    runs = [run for run in found if run is not None]
    invalid = [file.label for file, run in zip(files, found, strict=True) if run is None]
    if invalid and not runs:
        raise DataError(
            f"{invalid[0]}: the log was declared invalid (invalidated: true), and no other is "
            "left. To use it all the same, set that key to false."
        )
    if not invalid:
        return [*runs]
    were, they = ("log was", "it was") if len(invalid) == 1 else ("logs were", "they were")
    why = f"left out, because {they} declared invalid"
    return [*runs, Note("invalidated", f"{len(invalid)} {were} {why}: {list_names(invalid)}.")]


def _is_invalid(log: Log) -> bool:
    """Whether the log was declared invalid without a mark that says which of its samples are."""
    marked = any(sample.invalid for sample in log.samples.values())
    return log.header.get("invalidated") is True and not marked


def _read(file: InputFile, cluster: str | None) -> Log:
    try:
        with file.path.open("rb") as raw:
            packed = raw.read(len(_MAGIC)).startswith(b"PK")
    except OSError as error:
        raise ReadError.at(file.label, f"the file cannot be read ({error.strerror}).") from error
    if packed or file.path.suffix.lower() == ".eval":
        return read_archive(file, cluster)
    return read_document(file, cluster)


class _Published(NamedTuple):
    """What the results say about one measure."""

    metric: str | None
    value: float | None
    se: float | None
    scored: int | None


def _make_run(log: Log) -> Run:
    """The log as a run; its scores are those of the samples, its values those of the results."""
    about = as_mapping(log.header.get("eval"))
    config = as_mapping(about.get("config"))
    results = as_mapping(log.header.get("results"))
    task = str(about["task"]).rpartition("/")[2] or str(about["task"])
    kept = [sample for sample in log.samples.values() if not sample.invalid]
    epochs = max(1, as_count(config.get("epochs")) or 1)
    published = _read_published(results)
    answers = _answers(kept)
    measures = _measures(kept, answers, published, results, epochs)
    status = as_text(log.header.get("status"))
    return Run(
        log.file.label,
        str(about["model"]),
        task,
        measures,
        rows=answers.rows() if kept else None,
        headline=next(iter(published), None),
        system=_settings({"model_args": about.get("model_args")}),
        manner=_settings({key: about.get(key) for key in MANNER_KEYS}),
        setup=_settings({"": about.get("task_args")}),
        agree=_agreements(about),
        stamp=parse_time(about.get("created")),
        finished=status == "success",
        expected=_expected(about, config, results, epochs),
        notes=tuple(_notes(log, task, status, config, kept)),
    )


def _answers(samples: Sequence[Sample]) -> Answers:
    answers = Answers(("id", "id"))
    for sample in samples:
        answers.add(
            sample.item,
            {name: one.score for name, one in sample.scores.items()},
            # An error beside scores: the producer was asked to score it all the same.
            status=ERROR if sample.failed and not sample.scores else SCORED,
            repeat=sample.epoch,
            cluster=sample.cluster,
        )
    return answers


def _measures(
    samples: Sequence[Sample], answers: Answers, published: Mapping[str, _Published],
    results: Mapping[str, Any], epochs: int,
) -> dict[str, Measure]:  # fmt: skip
    done = as_count(results.get("completed_samples"))
    measures = {}
    for name in dict.fromkeys((*published, *answers.metrics)):
        said = published.get(name, _Published(None, None, None, None))
        kinds = Counter(one.scores[name].kind for one in samples if name in one.scores)
        if kinds["list"] and not kinds["grade"] + kinds["truth"] + kinds["number"]:
            answers.declined[name] = "its values are lists"
        letters = bool(kinds["grade"]) and not kinds["number"]
        words = bool(kinds["grade"] + kinds["truth"]) and not kinds["number"]
        total = said.scored if said.scored is not None else done
        measures[name] = answers.complete(Measure(
            name,
            value=said.value,
            se=said.se,
            n=None if not total else max(1, total // epochs),
            metric=said.metric if words else _name_metric(name, said.metric),
            direction="higher" if letters else None,
            origin="the scores are grades, C for correct and I for incorrect",
            limits=(0.0, 1.0) if words else (None, None),
        ))  # fmt: skip
    return measures


def _name_metric(measure: str, reduction: str | None) -> str | None:
    """What tells the direction: the scorer, where the metric only says how items are averaged."""
    if reduction is None or fold_name(reduction) not in REDUCTIONS:
        return reduction
    names = reversed(measure.split("/"))
    return next((name for name in names if usual_direction(name) is not None), reduction)


def _read_published(results: Mapping[str, Any]) -> dict[str, _Published]:
    """Results by measure: the scorer, or scorer and key where one scorer gives several."""
    entries = results.get("scores")
    found: dict[str, _Published] = {}
    for entry in as_mappings(entries):
        name, scorer = as_text(entry.get("name")), as_text(entry.get("scorer"))
        if name is None:
            continue
        measure = name if scorer in (None, name) else f"{scorer}/{name}"
        if measure in found:
            continue
        metrics = {key: as_mapping(one) for key, one in as_mapping(entry.get("metrics")).items()}
        headline = next((key for key in metrics if key not in UNCERTAINTIES), None)
        value = as_finite(metrics[headline].get("value")) if headline is not None else None
        found[measure] = _Published(
            None if headline is None else headline.rpartition("/")[2],
            value,
            as_positive(as_mapping(metrics.get("stderr")).get("value")),
            as_count(entry.get("scored_samples")),
        )
    return found


def _settings(given: Mapping[str, Any]) -> dict[str, str]:
    """Settings that are not empty, one entry per innermost key."""
    found: dict[str, str] = {}
    for key, value in given.items():
        if isinstance(value, dict):
            found |= {
                inner: _text(one)
                for inner, one in value.items()
                if one not in (None, [], {}) and inner not in TECHNICAL
            }
        elif value is not None:
            found[key] = _text(value)
    return found


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _agreements(about: Mapping[str, Any]) -> dict[str, Agreement]:
    facts = {
        "version of the task": as_text(about.get("task_version")),
        "data set": as_text(as_mapping(about.get("dataset")).get("name")),
    }
    return {name: Agreement(fact) for name, fact in facts.items() if fact is not None}


def _expected(
    about: Mapping[str, Any], config: Mapping[str, Any], results: Mapping[str, Any], epochs: int
) -> int | None:
    """Items that should have been run: `total_samples` counts answers."""
    total = as_count(results.get("total_samples"))
    if total:
        return -(-total // epochs)
    data = as_mapping(about.get("dataset"))
    ids = data.get("sample_ids")
    if isinstance(ids, list) and ids:
        return len(ids)
    size, limit = as_count(data.get("samples")), as_count(config.get("limit"))
    return min(size, limit) if size and limit else size


def _notes(
    log: Log, task: str, status: str | None, config: Mapping[str, Any], kept: Sequence[Sample]
) -> list[Note]:
    label = log.file.label
    said = []
    if not log.finished:
        said.append(("unfinished", "the log has no header: the run crashed or goes on; the samples "
                     "so far are used."))  # fmt: skip
    elif status != "success":
        said.append(("unfinished", f"the status of the log is {status!r}; its samples are used."))
    if log.replaced:
        said.append(("retried", f"{log.replaced} samples were run again; the last run of each "
                     "is used."))  # fmt: skip
    invalid = len(log.samples) - len(kept)
    if invalid:
        said.append(("invalidated", f"{invalid} samples were declared invalid and are left out."))
    both = sum(sample.failed and bool(sample.scores) for sample in kept)
    if both:
        said.append(("error-scored", f"{both} samples ended in an error and have a score all the "
                     "same; the score counts."))  # fmt: skip
    unread = sum(one.kind in ("unknown", "list") for s in kept for one in s.scores.values())
    if unread:
        said.append(("unread-values", f"{unread} values are no number, grade or truth value and "
                     "count as not scored."))  # fmt: skip
    reducers = config.get("epochs_reducer")
    others = [one for one in as_list(reducers) if one != "mean"]
    if others:
        said.append(("reducer", f"the producer reduced epochs by {_text(others)}; here answers to "
                     "one item are averaged."))  # fmt: skip
    return [Note(code, f"{label}: {text}", task=task) for code, text in said]

"""Results and samples of the lm-evaluation-harness, whatever its version.

Three layouts: ``results_<time>.json`` with ``samples_<task>_<time>.jsonl`` beside it (from 0.4.3),
``results.json`` with samples as JSON lists (0.4.0 to 0.4.2), and one file per run before that.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, read_each, read_head
from rankbars.readers.lm_eval_results import (
    Results,
    TaskResult,
    measures_of,
    parse_spelling,
    read_results,
)
from rankbars.readers.logs.jsontext import (
    first_object,
    read_json_lines,
    read_records,
    top_level_keys,
)
from rankbars.readers.logs.jsonvalues import as_score, cluster_of
from rankbars.readers.logs.records import Agreement, Answers, Rows, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition, by_keys
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_STAMP = r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?"
# lmms-eval, which goes back to the harness, begins names with the time.
_LMMS_STAMP = r"(?P<stamp>\d{8}_\d{6})"
_LMMS_SAMPLES = re.compile(rf"{_LMMS_STAMP}_samples_(?P<task>.+)", re.DOTALL)
_LMMS_RESULTS = re.compile(rf"{_LMMS_STAMP}_results")
_SAMPLES_NAME = re.compile(rf"samples_(?P<task>.+?)(?:_(?P<stamp>{_STAMP}))?", re.DOTALL)
_STAMPED = re.compile(rf".*_(?P<stamp>{_STAMP})", re.DOTALL)
_RESULTS_NAME = re.compile(rf"results_{_STAMP}\.json")

LEGACY_KEYS = {"results", "versions", "config"}
CURRENT_KEYS = {"results", "configs"}
MARKS = {"n-shot", "n-samples", "higher_is_better", "group_subtasks", "lm_eval_version"}

_ROWS = {
    "lm-eval samples": ("doc_id", "arguments", "resps"),
    "lmms-eval samples": ("doc_id", "filtered_resps", "input"),
}

# Keys of a row that are no metrics.
FIXED = split_words(
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash "
    "target_hash schema_version input input_media token_counts submission"
)


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file was written by the lm-evaluation-harness.

    Examples
    --------
    >>> row = b'{"doc_id": 0, "doc": {}, "arguments": [], "resps": [], "acc": 1.0}\\n'
    >>> sniff(Path("samples_arc_easy.jsonl"), row).format
    'lm-eval'
    """
    suffix = data_suffix(path)
    if suffix == ".json" or (path.name == "stdin" and head.lstrip().startswith(b"{")):
        first_keys = top_level_keys(path)
        keys = set(first_keys)
        named = _RESULTS_NAME.match(path.name) or _LMMS_RESULTS.fullmatch(file_stem(path))
        if first_keys[:1] == ("results",) and named:
            return Recognition("lm-eval", CERTAIN, "It is named and starts like an lm-eval results "
                               "file.")  # fmt: skip
        if keys >= CURRENT_KEYS and keys & MARKS:
            return Recognition("lm-eval", CERTAIN, "It has the keys of an lm-eval results file.")
        if LEGACY_KEYS <= keys <= LEGACY_KEYS | {"groups"} and b'"results"' in head:
            return Recognition("lm-eval", SIGNATURE, "It has the keys of an old lm-eval results "
                               "file: results, versions, config.")  # fmt: skip
    if suffix in (".jsonl", ".json") or path.name == "stdin":
        first = first_object(head)
        begins = re.match(rb'[\s\[]*\{\s*"doc_id"\s*:', head.removeprefix(b"\xef\xbb\xbf"))
        called = path.name.startswith("samples_") or _LMMS_SAMPLES.fullmatch(file_stem(path))
        if first is None and begins and called:
            return Recognition("lm-eval", SIGNATURE, "It is named and starts like lm-eval samples.")
        return by_keys("lm-eval", first or (), _ROWS)
    return None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results and samples files of the lm-evaluation-harness."""
    samples = [file for file in files if _holds_samples(file)]
    results = read_each(
        [file for file in files if file not in samples],
        lambda file: read_results(file, _stamp(file)),
    )
    joined: dict[int, dict[str, _Samples]] = {place: {} for place in range(len(results))}
    notes: list[Note] = []

    def join(file: InputFile) -> None:
        place, task = _find_results(file, results, joined, notes)
        if place is None:
            model = _model_of_folder(file, results, notes)
            results.append(Results(file, None, model, {}, {}, {task: TaskResult({}, {})}))
            place = len(results) - 1
            joined[place] = {}
        known = results[place].tasks[task]
        joined[place][task] = _read_samples(
            file, tuple(known.values), known.metrics, options.columns.get("cluster") or None
        )

    # Samples that carry the time of their results come first: the others take what is left.
    read_each(sorted(samples, key=lambda one: _stamp(one) is None), join)
    runs = [
        run
        for place, one in enumerate(results)
        for run in _make_runs(one, joined[place], notes if place == 0 else ())
    ]
    return [*runs]


def _holds_samples(file: InputFile) -> bool:
    if data_suffix(file.path) == ".jsonl":
        return True
    return not top_level_keys(file.path) or "doc_id" in top_level_keys(file.path)


def _stamp(file: InputFile) -> str | None:
    stem = file_stem(file.path)
    found = (
        _STAMPED.fullmatch(stem) or _LMMS_SAMPLES.fullmatch(stem) or _LMMS_RESULTS.fullmatch(stem)
    )
    return found["stamp"] if found else None


def _find_results(
    file: InputFile, results: Sequence[Results], joined: dict[int, dict[str, _Samples]],
    notes: list[Note],
) -> tuple[int | None, str]:  # fmt: skip
    """Place of the results that samples belong to, and their task."""
    stem, stamp = file_stem(file.path), _stamp(file)
    beside = [
        place for place, one in enumerate(results) if one.file.path.parent == file.path.parent
    ]
    named = _LMMS_SAMPLES.fullmatch(stem) or _SAMPLES_NAME.fullmatch(stem)
    task = named["task"] if named else _task_at_end(stem, [results[place] for place in beside])
    if task is None:
        raise DataError(
            f"{file.label}: it cannot be told which task these samples are of. Expected a name "
            "such as samples_TASK_TIME.jsonl, or the results file in the same folder."
        )
    same_time = [place for place in beside if stamp is not None and results[place].stamp == stamp]
    free = [
        place
        for place in same_time or beside
        if task in results[place].tasks and task not in joined[place]
    ]
    if not free:
        return None, task
    models = {results[place].model for place in free}
    if len(models) > 1:
        raise DataError(
            f"{file.label}: its folder holds results of several models "
            f"({', '.join(sorted(models)[:3])}), and no time in its name says whose samples these "
            "are. Put each model into its own folder."
        )
    place = max(free, key=lambda one: results[one].stamp or "")
    if not same_time and stamp is not None:
        notes.append(Note(
            "samples-joined",
            f"{file.label}: no results file has the same time; taken as samples of "
            f"{results[place].file.label}.",
        ))  # fmt: skip
    return place, task


def _task_at_end(stem: str, beside: Sequence[Results]) -> str | None:
    """Task at the end of an old file name, which starts with the arguments of the model."""
    tasks = {task for one in beside for task in one.tasks}
    fitting = [task for task in tasks if stem == task or stem.endswith(f"_{task}")]
    return max(fitting, key=len, default=None)


def _model_of_folder(file: InputFile, results: Sequence[Results], notes: list[Note]) -> str:
    models = {one.model for one in results if one.file.path.parent == file.path.parent}
    if len(models) == 1:
        return next(iter(models))
    name = file.path.resolve().parent.name or "model"
    notes.append(Note(
        "name-from-file",
        f"{file.label}: no results file lies beside these samples, so the model is named after "
        f"their folder, {name!r}.",
    ))  # fmt: skip
    return name


def _make_runs(
    results: Results, samples: Mapping[str, _Samples], notes: Sequence[Note]
) -> Iterator[Run]:
    """One run per task and filter.

    Parameters
    ----------
    results : Results
        A results file.
    samples : mapping from str to _Samples
        Samples that belong to it, by task.
    notes : sequence of Note
        Remarks to hand on.
    """
    for task, known in results.tasks.items():
        found = samples.get(task)
        filters = dict.fromkeys((*known.values, *(found.filters if found else ())))
        said = [*notes, *results.notes]
        said += [Note(code, text, task=task) for code, text in (found.remarks if found else ())]
        for name in filters:
            rows = found.filters.get(name) if found else None
            yield _make_run(results, task, known, name, rows, said)


def _make_run(
    results: Results, task: str, known: TaskResult, used: str, found: Answers | None,
    notes: Sequence[Note],
) -> Run:  # fmt: skip
    variants = {"filter": used}
    if known.shots is not None:
        variants["shots"] = known.shots
    return Run(
        results.file.label,
        results.model,
        task,
        measures_of(known, known.values.get(used, {}), found),
        rows=None if found is None else _rows(found),
        headline=known.headline,
        variants=variants,
        system=results.system,
        manner=results.manner,
        agree=_agreements(results, known, found),
        stamp=results.time,
        expected=known.n,
        category=known.category,
        parts=known.parts,
        group=known.group,
        pooled=known.pooled,
        notes=tuple(notes),
    )


def _rows(answers: Answers) -> Rows:
    """The answers by what was asked, if every row has a hash of it; else by document."""
    rows = answers.rows()
    if rows.other_ids is None:
        return rows._replace(other_ids=rows.ids)
    return rows._replace(ids=rows.other_ids, other_ids=rows.ids, identity=("doc_hash", "doc_id"))


def _agreements(results: Results, known: TaskResult, found: Answers | None) -> dict[str, Agreement]:
    agree = {}
    if known.version is not None:
        agree["version of the task"] = Agreement(known.version)
    if known.task_hash is not None and not (known.chosen and found is not None):
        # The hash covers the prompts of all samples: it changes with the chat template, the limit
        # and the choice of documents. Samples are compared one by one.
        context = f"{results.limit} {results.template}"
        agree["task hash"] = Agreement(known.task_hash, context)
    if results.instruction is not None:
        agree["system instruction"] = Agreement(results.instruction)
    return agree


class _Samples(NamedTuple):
    """One samples file: answers by filter, and what was passed over."""

    filters: Mapping[str, Answers]
    remarks: tuple[tuple[str, str], ...]


def _read_samples(
    file: InputFile, filters: Sequence[str], metrics: Collection[str], cluster: str | None
) -> _Samples:
    """Samples of one task.

    Parameters
    ----------
    file : InputFile
        The file.
    filters : sequence of str
        Filters of the results file, in its order, for rows that do not name theirs.
    metrics : collection of str
        Metrics of the results file, for rows that do not name theirs.
    cluster : str or None
        Key of the document that names its cluster.

    Raises
    ------
    ReadError
        If the file is damaged, or a row is not one of samples.
    """
    blocks: dict[str | None, list[_Block]] = {}
    for place, row in _iterate(file):
        name = row.get("filter")
        name = name if isinstance(name, str) else None
        of_filter = blocks.setdefault(name, [_Block()])
        document = _document(row, place)
        if document in of_filter[-1].seen:
            # Opened in append mode: another run follows, or another filter that is not named.
            kept = of_filter if name is None else []
            blocks[name] = of_filter = [*kept, _Block(follows=True)]
        of_filter[-1].seen.add(document)
        _add(of_filter[-1].answers, document, row, place, metrics, cluster)
    if not blocks:
        raise ReadError.at(file.label, "there is no sample in the file.")
    remarks = []
    found: dict[str, Answers] = {}
    unnamed = blocks.pop(None, [])
    if unnamed and len(unnamed) == len(filters) > 1:
        found = {name: one.answers for name, one in zip(filters, unnamed, strict=True)}
        remarks.append(("filter-order", "rows do not name their filter; the order of the results "
                        "file was taken."))  # fmt: skip
    elif unnamed:
        found = {filters[0] if filters else "none": unnamed[-1].answers}
    if len(unnamed) > max(1, len(filters)) or any(one[-1].follows for one in blocks.values()):
        remarks.append(("appended", "the file holds several runs one after the other; the last "
                        "one is used."))  # fmt: skip
    found |= {str(name): of_filter[-1].answers for name, of_filter in blocks.items()}
    order = [*filters, *found]
    return _Samples({name: found[name] for name in order if name in found}, tuple(remarks))


def _iterate(file: InputFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Rows and their places; files of old versions hold one indented list."""
    if not read_head(file).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
        for number, row in read_json_lines(file):
            yield f"{file.label}, row {number}", row
        return
    yield from read_records(file)


def _document(row: Mapping[str, Any], place: str) -> str:
    document = row.get("doc_id")
    if isinstance(document, bool) or not isinstance(document, int | str) or document == "":
        raise ReadError.at(
            place, "there is no doc_id that names the document. Expected rows of lm-eval samples."
        )
    return str(document)


@dataclass(slots=True)
class _Block:
    """Answers of one filter and one run, as they are read; whether they follow another run."""

    answers: Answers = field(default_factory=lambda: Answers(("doc_id", "doc_id")))
    seen: set[str] = field(default_factory=set)
    follows: bool = False


def _add(
    answers: Answers, document: str, row: Mapping[str, Any], place: str, metrics: Collection[str],
    cluster: str | None,
) -> None:  # fmt: skip
    content, target = row.get("doc_hash"), row.get("target_hash")
    answers.add(
        document,
        {name: _convert(answers, name, row.get(name), place)
         for name in _metric_names(row, metrics)},
        other=content if isinstance(content, str) and content else None,
        cluster=cluster_of(row.get("doc"), cluster, place),
        content=target if isinstance(target, str) else None,
    )  # fmt: skip


def _convert(answers: Answers, name: str, value: object, place: str) -> float:
    if value is None:
        return math.nan
    if isinstance(value, dict) and "score" in value:
        value = value["score"]  # beside what lmms-eval sums it up by
    if isinstance(value, list | dict):
        answers.declined.setdefault(name, f"its scores of items are not single numbers ({place})")
        return math.nan
    number = parse_spelling(value) if isinstance(value, str) else as_score(value)
    if number is None:
        answers.faults.setdefault(
            name,
            f"{place}: the score {str(value)[:40]!r} of the metric {name!r} is not a number. "
            "Correct it, or choose another metric (--metric).",
        )
        return math.nan
    return number


def _metric_names(row: Mapping[str, Any], metrics: Collection[str]) -> list[str]:
    named = row.get("metrics")
    if isinstance(named, list):
        return [name for name in dict.fromkeys(map(str, named)) if name in row]
    return [
        name
        for name, value in row.items()
        if name not in FIXED and (name in metrics or isinstance(value, bool | int | float))
    ]

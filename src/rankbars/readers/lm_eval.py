"""Results and samples of the lm-evaluation-harness, whatever its version.

Three layouts: ``results_<time>.json`` with ``samples_<task>_<time>.jsonl`` beside it (from 0.4.3),
``results.json`` with samples as JSON lists (0.4.0 to 0.4.2), and one file per run before that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rankbars.data.notes import Note
from rankbars.errors import DataError
from rankbars.readers.files import InputFile, data_suffix, file_stem, read_each
from rankbars.readers.lm_eval_results import Results, read_results, results_of_samples
from rankbars.readers.lm_eval_runs import make_runs
from rankbars.readers.lm_eval_samples import Samples, read_samples
from rankbars.readers.logs.jsontext import first_object, top_level_keys
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition

__all__ = ["read_lm_eval", "sniff_lm_eval"]

_STAMP = r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?"
_SAMPLES_NAME = re.compile(rf"samples_(?P<task>.+?)(?:_(?P<stamp>{_STAMP}))?", re.DOTALL)
_STAMPED = re.compile(rf".*_(?P<stamp>{_STAMP})", re.DOTALL)
_RESULTS_NAME = re.compile(rf"results_{_STAMP}\.json")

LEGACY_KEYS = {"results", "versions", "config"}
CURRENT_KEYS = {"results", "configs"}
MARKS = {"n-shot", "n-samples", "higher_is_better", "group_subtasks", "lm_eval_version"}


def sniff_lm_eval(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file was written by the lm-evaluation-harness.

    Examples
    --------
    >>> row = b'{"doc_id": 0, "doc": {}, "arguments": [], "resps": [], "acc": 1.0}\\n'
    >>> sniff_lm_eval(Path("samples_arc_easy.jsonl"), row).format
    'lm-eval'
    """
    suffix = data_suffix(path)
    if suffix == ".json" or (path.name == "stdin" and head.lstrip().startswith(b"{")):
        first_keys = top_level_keys(path)
        keys = set(first_keys)
        if first_keys[:1] == ("results",) and _RESULTS_NAME.match(path.name):
            return Recognition("lm-eval", CERTAIN, "It is named and starts like an lm-eval results "
                               "file.")  # fmt: skip
        if keys >= CURRENT_KEYS and keys & MARKS:
            return Recognition("lm-eval", CERTAIN, "It has the keys of an lm-eval results file.")
        if LEGACY_KEYS <= keys <= LEGACY_KEYS | {"groups"} and b'"results"' in head:
            return Recognition("lm-eval", SIGNATURE, "It has the keys of an old lm-eval results "
                               "file: results, versions, config.")  # fmt: skip
    if suffix in (".jsonl", ".json") or path.name == "stdin":
        first = first_object(head)
        named = re.match(rb'[\s\[]*\{\s*"doc_id"\s*:', head.removeprefix(b"\xef\xbb\xbf"))
        if first is None and named and path.name.startswith("samples_"):
            return Recognition("lm-eval", SIGNATURE, "It is named and starts like lm-eval samples.")
        if first is not None and {"doc_id", "resps", "arguments"} <= first.keys():
            return Recognition("lm-eval", CERTAIN, "Its rows have the keys of lm-eval samples: "
                               "doc_id, arguments, resps.")  # fmt: skip
    return None


def read_lm_eval(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results and samples files of the lm-evaluation-harness.

    Parameters
    ----------
    files : sequence of InputFile
        Results files and samples files, in any order.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    ReadError
        If a file is damaged, or it cannot be told which model samples are of.
    DataError
        If the results cannot be compared; see `rankbars.readers.logs.scores`.
    """
    samples = [file for file in files if _holds_samples(file)]
    results = read_each(
        [file for file in files if file not in samples],
        lambda file: read_results(file, _stamp(file)),
    )
    joined: dict[int, dict[str, Samples]] = {place: {} for place in range(len(results))}
    notes: list[Note] = []

    def join(file: InputFile) -> None:
        place, task = _find_results(file, results, joined, notes)
        if place is None:
            results.append(results_of_samples(file, task, _model_of_folder(file, results, notes)))
            place = len(results) - 1
            joined[place] = {}
        known = results[place].tasks[task]
        joined[place][task] = read_samples(
            file, tuple(known.values), known.metrics, options.columns.get("cluster") or None
        )

    # Samples that carry the time of their results come first: the others take what is left.
    read_each(sorted(samples, key=lambda one: _stamp(one) is None), join)
    runs = [
        run
        for place, one in enumerate(results)
        for run in make_runs(one, joined[place], notes if place == 0 else ())
    ]
    return [*runs]


def _holds_samples(file: InputFile) -> bool:
    if data_suffix(file.path) == ".jsonl":
        return True
    return not top_level_keys(file.path) or "doc_id" in top_level_keys(file.path)


def _stamp(file: InputFile) -> str | None:
    found = _STAMPED.fullmatch(file_stem(file.path))
    return found["stamp"] if found else None


def _find_results(
    file: InputFile, results: Sequence[Results], joined: dict[int, dict[str, Samples]],
    notes: list[Note],
) -> tuple[int | None, str]:  # fmt: skip
    """Place of the results that samples belong to, and their task."""
    stem, stamp = file_stem(file.path), _stamp(file)
    beside = [
        place for place, one in enumerate(results) if one.file.path.parent == file.path.parent
    ]
    named = _SAMPLES_NAME.fullmatch(stem)
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

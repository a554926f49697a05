"""Results of OpenCompass: recognised, and read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.readers.files import InputFile, data_suffix, file_stem, read_each
from rankbars.readers.logs.answers import Answers
from rankbars.readers.logs.jsontext import top_level_keys
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.records import Measure, Run
from rankbars.readers.logs.remarks import list_names
from rankbars.readers.logs.values import parse_time
from rankbars.readers.opencompass.results import (
    HEADLINES,
    VERDICT,
    Result,
    base_name,
    read_result,
)
from rankbars.readers.opencompass.summaries import COLUMNS, read_summary
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition

__all__ = ["read_opencompass", "sniff_opencompass"]

_STAMP = re.compile(r"\d{8}_\d{6}")

# Verdicts of items belong to a metric whose value they add up to, but for rounding.
ROUNDING = 0.01
PERCENT = 100.0
FEW_METRICS = 12


def sniff_opencompass(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is one of a run of OpenCompass.

    Examples
    --------
    >>> folder = Path("20250102_030405/results/my-model")
    >>> folder.mkdir(parents=True)
    >>> _ = (folder / "gsm8k.json").write_text('{"accuracy": 75.0, "details": []}')
    >>> sniff_opencompass(folder / "gsm8k.json", b"{").format
    'opencompass'
    """
    suffix = data_suffix(path)
    folders = [folder.name for folder in path.resolve().parents]
    in_run = any(_STAMP.fullmatch(name) for name in folders[:4])
    if suffix == ".csv":
        first = head.decode("utf-8-sig", errors="replace").partition("\n")[0].strip()
        if tuple(first.split(",")[:4]) == COLUMNS:
            return Recognition("opencompass", CERTAIN, "It has the columns of an OpenCompass "
                               "summary: dataset, version, metric, mode.")  # fmt: skip
        if in_run and "summary" in folders[:2]:
            return Recognition("opencompass", CERTAIN, "It lies in the summary folder of an "
                               "OpenCompass run.")  # fmt: skip
        return None
    if suffix != ".json":
        return None
    if folders[1:2] == ["predictions"] and in_run:
        return Recognition("opencompass", CERTAIN, "It lies in predictions/MODEL/ of an "
                           "OpenCompass run, and holds no scores.")  # fmt: skip
    return _sniff_result(path, folders, in_run=in_run)


def _sniff_result(path: Path, folders: Sequence[str], *, in_run: bool) -> Recognition | None:
    if folders[1:2] != ["results"]:
        return None
    keys = set(top_level_keys(path))
    known = {base_name(key) for key in keys} & set(HEADLINES)
    if (known and "details" in keys) or (in_run and keys):
        return Recognition("opencompass", CERTAIN, "It lies in results/MODEL/ of an OpenCompass "
                           "run.")  # fmt: skip
    if known and len(keys) <= FEW_METRICS:
        return Recognition("opencompass", SIGNATURE, "It lies in results/MODEL/ and holds a metric "
                           "of OpenCompass.")  # fmt: skip
    return None


def read_opencompass(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results of OpenCompass; without them, from its summaries.

    Parameters
    ----------
    files : sequence of InputFile
        Files ``results/MODEL/DATASET.json``, and tables of a summary.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    ReadError
        If a file is damaged, or holds judgements that compare two models.
    DataError
        If the results cannot be compared; see `rankbars.readers.logs.scores`.
    """
    tables = [file for file in files if data_suffix(file.path) == ".csv"]
    runs: list[Run] = []
    failed: list[str] = []
    notes: list[Note] = []
    graded = [
        file
        for file in files
        if file not in tables and file.path.resolve().parent.parent.name != "predictions"
    ]
    for file, result in read_each(graded, lambda file: (file, read_result(file))):
        if result.failed and not result.values:
            failed.append(f"{file.path.resolve().parent.name} on {file_stem(file.path)}")
        else:
            runs.append(_make_run(file, result))
    if failed:
        notes.append(Note("failed-tasks", "Evaluation failed, so that there is no result: "
                          f"{list_names(failed)}."))  # fmt: skip
    if tables and runs:
        notes.append(Note("groups", "Summaries are not read: they show the results that are."))
    elif tables:
        tabled = read_each(tables, lambda file: read_summary(file, _stamp(file)))
        runs = [run for of_file in tabled for run in of_file]
    return [*runs, *notes]


def _make_run(file: InputFile, result: Result) -> Run:
    headline = next(
        (name for wanted in HEADLINES for name in result.values if base_name(name) == wanted), None
    )
    answers = result.answers
    owner = None if answers is None else _owner(result, answers, headline)
    names = dict.fromkeys((*result.values, *([owner] if owner else [])))
    measures = {
        name: Measure(
            name,
            scores=_percent(answers) if answers is not None and name == owner else None,
            value=result.values.get(name),
            n=result.details or None,
            metric=base_name(name),
            limits=(0.0, PERCENT) if name == owner else (None, None),
            declined=_why_not(result, name == owner),
        )
        for name in names
    }
    return Run(
        file.label,
        file.path.resolve().parent.name,
        file_stem(file.path),
        measures,
        rows=None if answers is None else answers.rows(),
        headline=headline or owner,
        stamp=_stamp(file),
        expected=result.details or None,
    )


def _owner(result: Result, answers: Answers, headline: str | None) -> str | None:
    """The metric that the verdicts of items add up to; none if there is none."""
    if not result.values:
        return "accuracy"
    mean = float(np.nanmean(_percent(answers)))
    order = [name for name in (headline, *result.values) if name is not None]
    return next((name for name in order if abs(result.values[name] - mean) <= ROUNDING), None)


def _why_not(result: Result, own: bool) -> str | None:
    if own or not result.details:
        return None
    if result.answers is None:
        return "the details hold no verdict on single items"
    return "the verdicts on single items do not add up to it"


def _percent(answers: Answers) -> NDArray[np.float64]:
    return answers.column(VERDICT) * PERCENT


def _stamp(file: InputFile) -> float | None:
    """Time of the run: the name of a folder above."""
    for folder in file.path.resolve().parents:
        if _STAMP.fullmatch(folder.name):
            return parse_time(folder.name)
    return None

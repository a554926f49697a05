"""Results of OpenCompass: one file per model and data set, and tables that sum them up.

Scores are in percent. Details are a list, or an object with one member per item; they may hold no
verdict at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note, list_names
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import (
    InputFile,
    data_suffix,
    file_stem,
    open_text,
    read_all,
    read_each,
)
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import top_level_keys
from rankbars.readers.logs.jsonvalues import as_finite, as_mapping, as_text, parse_time
from rankbars.readers.logs.records import Agreement, Answers, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition
from rankbars.readers.scoredrows import columns_of, read_cells
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_STAMP = re.compile(r"\d{8}_\d{6}")

# Verdicts of items belong to a metric whose value they add up to, but for rounding.
ROUNDING = 0.01
PERCENT = 100.0
FEW_METRICS = 12

# The producer's main metric is the first of these that a file has.
HEADLINES = (
    "score", "auc_score", "accuracy", "humaneval_pass@1", "rouge1", "avg_toxicity_score",
    "bleurt_diff", "matthews_correlation", "truth", "f1", "exact_match", "extract_rate",
)  # fmt: skip

VERDICTS = ("correct", "is_correct", "cascade_correct")
VERDICT = "correct"

_RUNS = re.compile(r"(?P<name>.+) \(\d+ runs average\)")

COLUMNS = ("dataset", "version", "metric", "mode")

# Rows that sum up others.
WHOLES = frozenset(
    {"naive_average", "weighted_average", "sum", "harmonic_mean", "standard_deviation"}
)

EMPTY = frozenset({"", "-", "nan", "NaN", "None"})


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is one of a run of OpenCompass.

    Examples
    --------
    >>> folder = Path("20250102_030405/results/my-model")
    >>> folder.mkdir(parents=True)
    >>> _ = (folder / "gsm8k.json").write_text('{"accuracy": 75.0, "details": []}')
    >>> sniff(folder / "gsm8k.json", b"{").format
    'opencompass'
    """
    suffix = data_suffix(path)
    folders = [folder.name for folder in path.resolve().parents]
    in_run = any(_STAMP.fullmatch(name) for name in folders[:4])
    if suffix == ".csv":
        if columns_of(path, head)[:4] == COLUMNS:
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
    known = {_base_name(key) for key in keys} & set(HEADLINES)
    if (known and "details" in keys) or (in_run and keys):
        return Recognition("opencompass", CERTAIN, "It lies in results/MODEL/ of an OpenCompass "
                           "run.")  # fmt: skip
    if known and len(keys) <= FEW_METRICS:
        return Recognition("opencompass", SIGNATURE, "It lies in results/MODEL/ and holds a metric "
                           "of OpenCompass.")  # fmt: skip
    return None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results of OpenCompass; without them, from its summaries."""
    tables = [file for file in files if data_suffix(file.path) == ".csv"]
    runs: list[Run] = []
    failed: list[str] = []
    notes: list[Note] = []
    graded = [
        file
        for file in files
        if file not in tables and file.path.resolve().parent.parent.name != "predictions"
    ]
    for file, result in read_each(graded, lambda file: (file, _read_result(file))):
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
        runs = read_all(tables, _read_summary)
    return [*runs, *notes]


def _make_run(file: InputFile, result: _Result) -> Run:
    headline = next(
        (name for wanted in HEADLINES for name in result.values if _base_name(name) == wanted), None
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
            metric=_base_name(name),
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


def _owner(result: _Result, answers: Answers, headline: str | None) -> str | None:
    """The metric that the verdicts of items add up to; none if there is none."""
    if not result.values:
        return "accuracy"
    mean = float(np.nanmean(_percent(answers)))
    order = [name for name in (headline, *result.values) if name is not None]
    return next((name for name in order if abs(result.values[name] - mean) <= ROUNDING), None)


def _why_not(result: _Result, own: bool) -> str | None:
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


class _Result(NamedTuple):
    """One results file.

    Parameters
    ----------
    values : mapping from str to float
        Published scores by metric, in the order of the file.
    answers : Answers or None
        Verdicts of items under `VERDICT`, 0 or 1; None if the file has none.
    details : int
        Items that the details list.
    failed : bool
        Whether the data set failed.
    """

    values: Mapping[str, float]
    answers: Answers | None
    details: int
    failed: bool


def _base_name(metric: str) -> str:
    """Name of a metric without the number of runs behind it.

    Examples
    --------
    >>> _base_name("accuracy (4 runs average)")
    'accuracy'
    """
    found = _RUNS.fullmatch(metric)
    return found["name"] if found else metric


def _read_result(file: InputFile) -> _Result:
    """What a results file says.

    Raises
    ------
    ReadError
        If the file is damaged, or holds neither metrics nor details.
    """
    values: dict[str, float] = {}
    answers = Answers(("example_abbr", "position"))
    count, judged, failed = 0, 0, False
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        for key in stream.members():
            if key == "details" and (stream.starts_with("[") or stream.starts_with("{")):
                for item, entry in _entries(stream):
                    count += 1
                    judged += "gold" in entry and isinstance(entry["gold"], dict)
                    _add(answers, item, entry, f"{file.label}, item {item!r}")
                continue
            value = stream.value()
            number = as_finite(value)
            failed |= key == "error" and bool(value)
            if isinstance(value, dict) and {"prediction", "gold"} <= value.keys():
                judged += 1
            elif number is not None and "/" not in key:
                values[key] = number
        stream.end()
    if not values and not count and not failed:
        why = "it holds judgements of two models' answers" if judged else "it holds no metric"
        raise ReadError.at(
            file.label,
            f"{why} and no details of items, so there is no score of a model in it. Expected "
            "results of objective data sets, such as results/MODEL/DATASET.json with 'accuracy'.",
        )
    scored = VERDICT in answers.metrics
    return _Result(values, answers if scored else None, count, failed)


def _entries(stream: JsonStream) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if stream.starts_with("["):
        for number, _ in enumerate(stream.elements()):
            yield str(number), as_mapping(stream.value())
        return
    for key in stream.members():
        value = stream.value()
        if isinstance(value, dict):
            yield key, value


def _add(answers: Answers, item: str, entry: Mapping[str, Any], place: str) -> None:
    given = next((entry[key] for key in VERDICTS if key in entry), None)
    name = as_text(entry.get("example_abbr")) or item
    for repeat, verdict in enumerate(given if isinstance(given, list) else [given]):
        answers.add(name, {VERDICT: _score(verdict, place)}, repeat=repeat, other=item)


def _score(verdict: object, place: str) -> float | None:
    if verdict is None:
        return None
    number = float(verdict) if isinstance(verdict, bool) else as_finite(verdict)
    if number is None or not 0.0 <= number <= 1.0:
        raise ReadError.at(
            place, f"the verdict {str(verdict)[:40]!r} is neither true, false nor a number from 0 "
            "to 1.",
        )  # fmt: skip
    return number


def _read_summary(file: InputFile) -> Iterator[Run]:
    """Runs of a summary: one per model and data set, with the metrics of its rows.

    Rows of groups count only where nothing but groups is there.

    Raises
    ------
    ReadError
        If the file is damaged, or a value is not a number.
    """
    # By place: a model may be called like a column, and twice.
    cells = read_cells(file, whole=True)
    _, header = next(cells, ("", []))
    if tuple(header[:4]) != COLUMNS:
        raise ReadError.at(
            file.label,
            "it is not a summary of objective data sets (columns dataset, version, metric, mode); "
            "judgements that compare two models hold no score of a model.",
        )
    rows = list(cells)
    only_wholes = all(row[2] in WHOLES for _, row in rows)
    wholes = dict.fromkeys(row[0] for _, row in rows if row[2] in WHOLES)
    notes: tuple[Note, ...] = ()
    if wholes and not only_wholes:
        notes = (Note("groups", f"Rows that sum up others are not tasks: {list_names(wholes)}."),)
    found: dict[tuple[str, str], dict[str, Measure]] = {}
    versions: dict[str, str] = {}
    for place, row in rows:
        task, version, metric, _, *values = row
        if (metric in WHOLES and not only_wholes) or metric in EMPTY:
            continue
        if version not in EMPTY:
            versions[task] = version
        for model, cell in zip(header[4:], values, strict=True):
            if cell.strip() in EMPTY:
                continue
            try:
                value = float(cell)
            except ValueError as error:
                problem = f"{cell[:40]!r} of model {model!r} is not a number."
                raise ReadError.at(place, problem) from error
            measures = found.setdefault((model, task), {})
            measures.setdefault(metric, Measure(metric, value=value, metric=_base_name(metric)))
    for (model, task), measures in found.items():
        agree = {}
        if task in versions:
            agree["version of the prompt"] = Agreement(versions[task])
        yield Run(file.label, model, task, measures, agree=agree, stamp=_stamp(file), notes=notes)

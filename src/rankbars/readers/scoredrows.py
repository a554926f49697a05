"""Rows with scores, as platforms export them: from a row for each example and trial to sheets."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import HEAD_BYTES, InputFile, data_suffix, open_text
from rankbars.readers.logs.jsontext import (
    LARGEST_LINE,
    read_json_lines,
    read_records,
    record_keys,
    top_level_keys,
)
from rankbars.readers.logs.jsonvalues import as_score, as_text, fingerprint
from rankbars.readers.logs.records import ERROR, SCORED, Direction
from rankbars.readers.trials import Sheet, Trial, spent

__all__ = [
    "ScoredRow", "columns_of", "is_csv", "item_of", "number_of", "read_cells", "read_rows",
    "read_table", "row_keys", "sheet_of", "sheets_of",
]  # fmt: skip

# What is longer is a text, not a name, and is kept as its hash.
_LONGEST_ITEM = 80
_TRUE, _FALSE = {"true", "pass", "passed", "yes"}, {"false", "fail", "failed", "no"}


class ScoredRow(NamedTuple):
    """What a platform says of one trial.

    Parameters
    ----------
    model, task : str
        Their names.
    item : object
        What was asked, as a name, a text or an object; None if it is the number of the row.
    scores : mapping from str to object
        Scores by name, as they stand there.
    crashed : bool
        Whether the task crashed, whatever score it was given.
    number, start, seconds, cost, tokens : float, optional
        Which trial it is, when it began, and what was spent on it.
    identity : str
        What the record is called where it stands several times.
    """

    model: str
    task: str
    item: object
    scores: Mapping[str, Any]
    crashed: bool = False
    number: int | None = None
    start: float | None = None
    seconds: float | None = None
    cost: float | None = None
    tokens: float | None = None
    identity: str = ""


def is_csv(path: Path) -> bool:
    """Whether the name is that of such a table."""
    return data_suffix(path) in (".csv", ".tsv")


def columns_of(path: Path, head: bytes) -> tuple[str, ...]:
    """Names in the first line of a table that begins so; none if it is no table."""
    first, end, _ = head.decode("utf-8-sig", "replace").partition("\n")
    try:
        names = next(csv.reader([first.rstrip("\r")], delimiter=_delimiter(path)), [])
    except csv.Error:
        return ()
    # Of a longer line, the last name is cut off.
    return tuple(names if end or len(head) < HEAD_BYTES else names[:-1])


def read_table(file: InputFile, *, whole: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows by column, as `read_cells` reads them; of columns with one name the first counts."""
    rows = read_cells(file, whole=whole)
    _, header = next(rows, ("", []))
    places: dict[str, int] = {}
    for at, name in enumerate(header):
        places.setdefault(name, at)
    for place, cells in rows:
        yield place, {name: cells[at] if at < len(cells) else None for name, at in places.items()}


def read_cells(file: InputFile, *, whole: bool = False) -> Iterator[tuple[str, list[str]]]:
    """The header of a table, then its rows, each with its place; rows without a cell are no rows.

    Parameters
    ----------
    file : InputFile
        The table.
    whole : bool
        Whether a row must have as many cells as the header.

    Raises
    ------
    ReadError
        If the file is damaged, or a row has more cells than the header, or fewer and must not.
    """
    before = csv.field_size_limit(LARGEST_LINE)
    try:
        with open_text(file) as text:
            width = None
            rows = filter(None, csv.reader(text, delimiter=_delimiter(file.path)))
            for number, cells in enumerate(rows, start=1):
                place = f"{file.label}, row {number}"
                width = len(cells) if width is None else width
                if len(cells) > width:
                    raise ReadError.at(place, "the row has more cells than the header.")
                if whole and len(cells) < width:
                    raise ReadError.at(place, "the row has fewer cells than the header.")
                yield place, cells
    except csv.Error as error:
        raise ReadError.at(file.label, f"the table cannot be read ({error}).") from error
    finally:
        csv.field_size_limit(before)


def _delimiter(path: Path) -> str:
    return "\t" if data_suffix(path) == ".tsv" else ","


def row_keys(path: Path, head: bytes) -> tuple[str, ...]:
    """What the first row has: columns of a table, or keys of an object, in a list or by itself."""
    if is_csv(path):
        return columns_of(path, head)
    return record_keys(path) or top_level_keys(path)


def read_rows(file: InputFile, key: str = "data") -> Iterator[Mapping[str, Any]]:
    """Rows of a table, of a JSON list or lines, or of the list under a key of one object.

    Raises
    ------
    ReadError
        If the file is damaged.
    """
    found: Iterable[tuple[object, Mapping[str, Any]]]
    if is_csv(file.path):
        found = read_table(file)
    elif record_keys(file.path):
        found = read_records(file)
    elif key in top_level_keys(file.path):
        found = read_records(file, key)
    else:
        found = read_json_lines(file)
    return (row for _, row in found)


def number_of(value: object) -> tuple[float | None, bool]:
    """A score, and whether it is a verdict, right or wrong; None for text and gaps.

    Examples
    --------
    >>> number_of("0.5"), number_of(True), number_of("fail"), number_of("fluent")
    ((0.5, False), (1.0, True), (0.0, True), (None, False))
    """
    if isinstance(value, str):
        word = value.strip().casefold()
        if word in _TRUE or word in _FALSE:
            return float(word in _TRUE), True
        try:
            value = float(word)
        except ValueError:
            return None, False
    score = as_score(value)
    return (None if score is None or not math.isfinite(score) else score), isinstance(value, bool)


def sheets_of(label: str, rows: Iterable[ScoredRow], *, named: bool) -> list[Sheet]:
    """Sheets of rows, one per model and task; empty if no row has a score.

    Parameters
    ----------
    label : str
        Where the rows stand.
    rows : iterable of ScoredRow
        In their order.
    named : bool
        Whether the rows say what the model is called; else it is called after the file.

    Examples
    --------
    >>> rows = [ScoredRow("a", "law", item, {"right": item > 1, "why": "text"}) for item in (1, 2)]
    >>> sheet, = sheets_of("run.json", rows, named=True)
    >>> sheet.metric, [trial.scores["right"] for trial in sheet.trials]
    ('right', [0.0, 1.0])
    """
    trials: dict[tuple[str, str], list[Trial]] = {}
    verdicts: dict[str, bool] = {}
    for number, row in enumerate(rows):
        scores: dict[str, float | None] = {}
        for name, value in row.scores.items():
            score, verdict = number_of(value)
            if score is not None:
                scores[name] = score
                verdicts[name] = verdicts.get(name, True) and verdict
        trials.setdefault((row.model, row.task), []).append(Trial(
            item_of(row.item) or str(number),
            {} if row.crashed else scores,
            ERROR if row.crashed else SCORED,
            number=row.number,
            start=row.start,
            identity=row.identity,
            reason="error" if row.crashed else "",
            spending={"seconds": spent(row.seconds), "cost": spent(row.cost),
                      "tokens": spent(row.tokens)},
        ))  # fmt: skip
    if not verdicts:
        return []
    known: dict[str, Direction] = {name: "higher" for name in verdicts if verdicts[name]}
    # Of several, the first that is 0 or 1 throughout says what is right.
    every = [one for of_model in trials.values() for one in of_model]
    plain = [name for name in verdicts
             if all(one.scores.get(name, 0.0) in (0.0, 1.0) for one in every)]  # fmt: skip
    metric = (plain or [*verdicts])[0]
    return [
        sheet_of(label, model, task, of_model, metric, known, named=named)
        for (model, task), of_model in trials.items()
    ]


def item_of(asked: object) -> str | None:
    """Name of an item by what was asked; long texts and objects are known by a hash."""
    item = fingerprint(asked) if isinstance(asked, dict | list | tuple) else as_text(asked)
    return fingerprint(item) if item is not None and len(item) > _LONGEST_ITEM else item


def sheet_of(
    label: str, model: str, task: str, trials: list[Trial], metric: str,
    directions: Mapping[str, Direction], *, named: bool,
) -> Sheet:  # fmt: skip
    """The sheet of one model on one task; a metric of 0 and 1 is better when higher."""
    marks = all(one.scores.get(metric) in (None, 0.0, 1.0) for one in trials)
    side: Direction | None = directions.get(metric, "higher" if marks else None)
    return Sheet(
        label, model, task, trials, metric=metric, named="" if named else "file",
        limits=(0.0, 1.0) if marks else (None, None),
        directions=directions if side is None else {**directions, metric: side},
        asked=side is None,
    )  # fmt: skip

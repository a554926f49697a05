"""Summaries of OpenCompass: one table, data sets by models."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.files import InputFile, open_text
from rankbars.readers.logs.records import Agreement, Measure, Run
from rankbars.readers.logs.remarks import list_names
from rankbars.readers.opencompass.results import base_name

__all__ = ["COLUMNS", "read_summary"]

COLUMNS = ("dataset", "version", "metric", "mode")

# Rows that sum up others.
WHOLES = frozenset(
    {"naive_average", "weighted_average", "sum", "harmonic_mean", "standard_deviation"}
)

EMPTY = frozenset({"", "-", "nan", "NaN", "None"})


def read_summary(file: InputFile, stamp: float | None) -> list[Run]:
    """Runs of a summary: one per model, data set and metric row.

    Rows of groups count only where nothing but groups is there.

    Raises
    ------
    ReadError
        If the file is damaged, or a value is not a number.
    """
    with open_text(file) as text:
        try:
            rows = [row for row in csv.reader(text) if row]
        except csv.Error as error:
            raise ReadError.at(file.label, f"the table cannot be read ({error}).") from error
    header = rows[0] if rows else []
    if tuple(header[:4]) != COLUMNS:
        raise ReadError.at(
            file.label,
            "it is not a summary of objective data sets (columns dataset, version, metric, mode); "
            "judgements that compare two models hold no score of a model.",
        )
    return [*_runs(file, header, rows[1:], stamp)]


def _runs(
    file: InputFile, header: list[str], rows: list[list[str]], stamp: float | None
) -> Iterator[Run]:
    only_wholes = all(row[2:3] and row[2] in WHOLES for row in rows)
    wholes = dict.fromkeys(row[0] for row in rows if row[2:3] and row[2] in WHOLES)
    notes: tuple[Note, ...] = ()
    if wholes and not only_wholes:
        notes = (Note("groups", f"Rows that sum up others are not tasks: {list_names(wholes)}."),)
    found: dict[tuple[str, str], dict[str, Measure]] = {}
    versions: dict[str, str] = {}
    for number, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise ReadError.at(
                file.label, f"expected {len(header)} cells, found {len(row)}.", row=number
            )
        task, version, metric = row[:3]
        if (metric in WHOLES and not only_wholes) or metric in EMPTY:
            continue
        if version not in EMPTY:
            versions[task] = version
        for model, cell in zip(header[4:], row[4:], strict=True):
            if cell.strip() in EMPTY:
                continue
            try:
                value = float(cell)
            except ValueError as error:
                raise ReadError.at(
                    file.label, f"{cell[:40]!r} of model {model!r} is not a number.", row=number
                ) from error
            measures = found.setdefault((model, task), {})
            measures.setdefault(metric, Measure(metric, value=value, metric=base_name(metric)))
    for (model, task), measures in found.items():
        agree = {}
        if task in versions:
            agree["version of the prompt"] = Agreement(versions[task])
        yield Run(file.label, model, task, measures, agree=agree, stamp=stamp, notes=notes)

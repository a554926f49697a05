"""Langfuse: items of experiments, runs of data sets with their scores, and the table of traces."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, file_stem, read_each, read_head
from rankbars.readers.logs.jsonvalues import as_list, as_mappings, as_text, parse_time
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, Recognition
from rankbars.readers.scoredrows import ScoredRow, number_of, read_rows, row_keys, sheets_of
from rankbars.readers.trials import Sheet, parts_of
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

Row: TypeAlias = Mapping[str, Any]

# What a row of each kind has. Exports to storage, which hold scores, write trace_id for traceId.
_KINDS = {
    "items of experiments": {"traceId", "experimentName", "experimentItemId"},
    "items of runs": {"traceId", "datasetItemId"},
    "scores": {"traceId", "name", "dataType", "value"},
    "traces": {"id", "timestamp", "sessionId", "release", "version", "bookmarked"},
}
_UNDERSCORE = re.compile(r"_([a-z])")

# Columns of the table of traces that are no scores.
_TRACE = {"id", "timestamp", "name", "userId", "sessionId", "release", "version", "environment",
          "tags", "bookmarked", "public", "input", "output", "metadata", "comments"}  # fmt: skip


def _plain(row: Row) -> Row:
    """The row with names such as ``traceId``."""
    return {_UNDERSCORE.sub(lambda found: found[1].upper(), key): row[key] for key in row}


def _kind(path: Path, head: bytes) -> str:
    keys = set(row_keys(path, head))
    if keys in ({"data", "meta"}, {"data"}):
        # One page of what the API answered.
        keys = set(re.findall(r'"(\w+)"\s*:', head.decode("utf-8", "ignore")))
    plain = set(_plain(dict.fromkeys(keys)))
    return next(
        (kind for kind, needed in _KINDS.items()
         if needed <= (plain if kind == "scores" else keys)),
        "",
    )  # fmt: skip


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file holds rows of Langfuse.

    Examples
    --------
    >>> text = '{"traceId": "t", "experimentName": "a", "experimentItemId": "1", "scores": []}\n'
    >>> _ = Path("items.jsonl").write_text(text)
    >>> sniff(Path("items.jsonl"), text.encode()).reason
    'It has the keys of items of experiments of Langfuse.'
    """
    kind = _kind(path, head)
    if not kind:
        return None
    return Recognition("langfuse", CERTAIN, f"It has the keys of {kind} of Langfuse.")


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Trials of experiments, as runs; scores in files of their own are joined by trace."""
    kinds: dict[str, list[InputFile]] = {kind: [] for kind in _KINDS}
    for file in files:
        kinds[_kind(file.path, read_head(file)) or "traces"].append(file)
    scores: dict[str, list[Row]] = {}

    def take(file: InputFile) -> None:
        for row in map(_plain, read_rows(file)):
            scores.setdefault(as_text(row.get("traceId")) or "", []).append(row)

    read_each(kinds["scores"], take)
    told: list[Note] = []
    sheets: list[Sheet] = []

    def add(file: InputFile, rows: Iterator[ScoredRow], *, named: bool = True) -> None:
        found = sheets_of(file.label, rows, named=named)
        if not found:
            raise ReadError.at(file.label, "no row has a score. Scores are in the answer of GET "
                               "/api/public/experiment-items with fields=core,dataset,scores; or "
                               "put the file of scores beside it.")  # fmt: skip
        sheets.extend(found)

    read_each(kinds["items of experiments"], lambda file: add(file, _experiment_items(file, told)))
    read_each(kinds["items of runs"], lambda file: add(file, _run_items(file, scores, told)))
    read_each(kinds["traces"], lambda file: add(file, _traces(file), named=False))
    if not sheets:
        raise ReadError.at(files[0].label, "these are scores without what was asked. Put the items "
                           "of the runs beside them (GET /api/public/dataset-run-items), or export "
                           "the table of traces, which has inputs and scores.")  # fmt: skip
    notes = {note.message: note for note in told}
    return [*parts_of(sheets, options), *notes.values()]


def _experiment_items(file: InputFile, told: list[Note]) -> Iterator[ScoredRow]:
    for row in map(_plain, read_rows(file)):
        given = row.get("scores")
        listed = [_plain(one) for one in as_mappings(given)]
        start, end = parse_time(row.get("startTime")), parse_time(row.get("endTime"))
        yield ScoredRow(
            as_text(row.get("experimentName")) or file_stem(file.path),
            as_text(row.get("experimentDatasetId")) or "Langfuse",
            row.get("experimentItemId"),
            _means(listed, file, told),
            crashed=row.get("level") == "ERROR",
            start=start,
            seconds=None if start is None or end is None else end - start,
            identity=as_text(row.get("traceId")) or "",
        )


def _run_items(
    file: InputFile, scores: Mapping[str, Sequence[Row]], told: list[Note]
) -> Iterator[ScoredRow]:
    for row in map(_plain, read_rows(file)):
        trace, step = as_text(row.get("traceId")) or "", row.get("observationId") or None
        # What was said of another step of the trace is no score of the answer.
        fitting = [one for one in scores.get(trace, ())
                   if (one.get("observationId") or None) in (None, step)]  # fmt: skip
        yield ScoredRow(
            as_text(row.get("datasetRunName")) or file_stem(file.path),
            as_text(row.get("datasetName")) or "Langfuse",
            row.get("datasetItemId"),
            _means(fitting, file, told),
            start=parse_time(row.get("createdAt")),
            identity=as_text(row.get("id")) or "",
        )


def _means(scores: Sequence[Row], file: InputFile, told: list[Note]) -> dict[str, float | bool]:
    """Numbers and verdicts by name; several of one name as their mean, which is told."""
    found: dict[str, list[float]] = {}
    verdicts: set[str] = set()
    for one in scores:
        name, kind = as_text(one.get("name")), one.get("dataType")
        value, verdict = number_of(one.get("value"))
        if name is None or value is None or kind not in (None, "NUMERIC", "BOOLEAN"):
            continue
        found.setdefault(name, []).append(value)
        if verdict or kind == "BOOLEAN":
            verdicts.add(name)
    for name, values in found.items():
        if len(values) > 1:
            text = f"{file.label}: several scores {name!r} of one trace are averaged."
            told.append(Note("several-scores", text))
    return {
        name: bool(values[0]) if name in verdicts and len(values) == 1
        else math.fsum(values) / len(values)
        for name, values in found.items()
    }  # fmt: skip


def _traces(file: InputFile) -> Iterator[ScoredRow]:
    for row in read_rows(file):
        scores = {}
        for name, value in row.items():
            if name in _TRACE:
                continue
            listed = _listed(value)
            numbers = [one for one in map(number_of, listed) if one[0] is not None]
            if numbers and len(numbers) == len(listed):
                scores[name] = math.fsum(one or 0.0 for one, _ in numbers) / len(numbers)
        yield ScoredRow(file_stem(file.path), "Langfuse", row.get("input"), scores,
                        start=parse_time(row.get("timestamp")),
                        identity=as_text(row.get("id")) or "")  # fmt: skip


def _listed(value: object) -> list[Any]:
    """Values of a score, which the table holds as a list; in CSV that is JSON."""
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return as_list(value)

"""Rows of instances of Every Eval Ever, and those of several metrics side by side.

Only ids, scores and fingerprints are kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import ReadError
from rankbars.readers.every_eval_records import Result
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.logs.jsontext import parse_json, read_json_lines
from rankbars.readers.logs.jsonvalues import as_mapping, as_score, as_text, cluster_of, name_of
from rankbars.readers.logs.records import ERROR, SCORED, UNSCORED, Answers, Rows

__all__ = [
    "OWN", "Column", "Samples", "align", "columns_of", "count_rows", "measure_names",
    "read_samples",
]  # fmt: skip

# Where one converter keeps the scores of all metrics of a sample, as JSON text.
ALL_METRICS = "lm_eval_metrics"


# The score of a row itself, beside those of all metrics.
OWN = ""


class Samples(NamedTuple):
    """One file of rows.

    Parameters
    ----------
    file : InputFile
        The file.
    evaluation, model : str
        Identifiers of the evaluation and of the model; the same on all rows.
    blocks : mapping from (str or None, str) to Answers
        Rows by identifier of the result and name of the evaluation; their own score is `OWN`.
    rows : int
        Number of rows.
    """

    file: InputFile
    evaluation: str
    model: str
    blocks: Mapping[tuple[str | None, str], Answers]
    rows: int


def read_samples(file: InputFile, cluster: str | None) -> Samples:
    """The rows of a file; only identifiers, scores and fingerprints are kept.

    Parameters
    ----------
    file : InputFile
        JSON lines.
    cluster : str or None
        Key of the metadata that names the cluster of a sample.

    Raises
    ------
    ReadError
        If the file is damaged, a row lacks an identifier, or rows are about several evaluations
        or models.
    """
    blocks: dict[tuple[str | None, str], Answers] = {}
    evaluation = model = ""
    rows = 0
    for number, row in read_json_lines(file):
        rows += 1
        place = f"{file.label}, row {number}"
        own = (
            name_of(row.get("evaluation_id"), place, "an evaluation_id"),
            name_of(row.get("model_id"), place, "a model_id"),
        )
        if rows == 1:
            evaluation, model = own
        elif own != (evaluation, model):
            raise ReadError.at(
                place,
                f"the row is about the evaluation {own[0]!r} of {own[1]!r}, the rows before about "
                f"{evaluation!r} of {model!r}. Expected one evaluation per file.",
            )
        name = name_of(row.get("evaluation_name"), place, "an evaluation_name")
        key = as_text(row.get("evaluation_result_id")), name
        if key not in blocks:
            blocks[key] = Answers(("sample_id", "sample_id"))
        _add_row(blocks[key], file, number, row, cluster)
    if not rows:
        raise ReadError.at(file.label, "the file holds no row.")
    return Samples(file, evaluation, model, blocks, rows)


def _add_row(
    answers: Answers, file: InputFile, number: int, row: Mapping[str, Any], cluster: str | None
) -> None:
    place = f"{file.label}, row {number}"
    metadata = as_mapping(row.get("metadata"))
    failed = row.get("error") not in (None, "", False)
    given = as_mapping(row.get("evaluation")).get("score")
    every = _all_metrics(file, number, metadata)
    if every == {}:
        given = None  # the converter writes 0 where it found no score at all
    # The schema demands a score of every row: that of a failed one means nothing.
    own = math.nan if failed or given is None else as_score(given)
    if own is None:
        answers.faults.setdefault(
            OWN,
            f"{place}: the score {str(given)[:40]!r} is not a number. Correct it, or choose "
            "another metric (--metric).",
        )
        own = math.nan
    scores = dict.fromkeys(every or (), math.nan) if failed else every or {}
    answers.add(
        name_of(row.get("sample_id"), place, "a sample_id"),
        {OWN: own, **scores},
        status=ERROR if failed else SCORED,
        repeat=_whole(metadata.get("epoch")),
        cluster=cluster_of(metadata, cluster, place),
        content=as_text(metadata.get("doc_hash")) or as_text(row.get("sample_hash")),
    )


def _all_metrics(
    file: InputFile, number: int, metadata: Mapping[str, Any]
) -> dict[str, float] | None:
    text = metadata.get(ALL_METRICS)
    if not isinstance(text, str):
        return None
    values = as_mapping(parse_json(text, file.label, number))
    return {
        name: float(value)
        for name, value in values.items()
        if isinstance(value, bool | int | float)
    }


def _whole(given: object) -> int:
    """A number of an epoch, which the schema wants as text."""
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 10:
        return int(given)
    return given if isinstance(given, int) and 0 <= given < 1 << 62 else 0


class Column(NamedTuple):
    """Where the scores of a measure stand: among which answers, and as which metric there."""

    answers: Answers
    inner: str
    name: str


def measure_names(results: Sequence[Result]) -> list[str]:
    """A name for each metric; longer ones where two would be the same."""
    short = [result.metric.name for result in results]
    if len(set(short)) == len(short):
        return short
    longer = [result.metric.longer for result in results]
    if len(set(longer)) == len(longer):
        return longer
    return [f"{name} ({place})" for place, name in enumerate(longer, start=1)]


def columns_of(
    results: Sequence[Result], every: Sequence[Result], samples: Samples | None
) -> dict[str, Column]:
    """Scores of items of results, by the name of their measure, as far as rows tell."""
    blocks = {} if samples is None else samples.blocks
    by_key = {key: block for (key, _), block in blocks.items() if key is not None}
    by_name: dict[str, Answers] = {}
    for (_, name), rows in blocks.items():
        by_name.setdefault(name, rows)
    found = {}
    for name, result in zip(measure_names(results), results, strict=True):
        own = by_key.get(result.key or "")
        block = own or by_name.get(result.name)
        if block is None and len(every) == len(blocks) == 1:
            block = next(iter(blocks.values()))
        # Else it cannot be told which of the metrics the score of a row is of.
        if block is not None and own is None and result.metric.name in block.metrics:
            found[name] = Column(block, result.metric.name, name)
        elif block is not None and (own is not None or len(results) == 1):
            found[name] = Column(block, OWN, name)
    return found


def align(columns: Sequence[Column]) -> tuple[Rows | None, list[NDArray[np.float64]]]:
    """Answers of several metrics as one list, and the scores of each metric beside it."""
    scores = [one.answers.column(one.inner) for one in columns]
    if not columns:
        return None, scores
    keys = [one.answers.keys() for one in columns]
    first = columns[0].answers.rows()
    if all(one == keys[0] for one in keys):
        return first, scores
    index: dict[tuple[str, int], int] = {}
    for own in keys:
        for key in own:
            index.setdefault(key, len(index))
    size = len(index)
    status, prints = np.full(size, UNSCORED, np.uint8), np.zeros(size, np.int64)
    clusters: list[str | None] = [None] * size
    printed, aligned = True, []
    for own, column, values in zip(keys, columns, scores, strict=True):
        rows = column.answers.rows()
        places = np.array([index[key] for key in own], np.int64)
        # An error for one metric is an error of the answer.
        status[places] = np.where(status[places] == ERROR, ERROR, rows.status)
        printed = printed and rows.prints is not None
        prints[places] = 0 if rows.prints is None else rows.prints
        for place, cluster in zip(places.tolist(), rows.clusters or (), strict=True):
            clusters[place] = cluster
        aligned.append(np.full(size, np.nan))
        aligned[-1][places] = values
    repeats = np.array([repeat for _, repeat in index], np.int64)
    joined = first._replace(
        ids=tuple(item for item, _ in index),
        status=status,
        repeats=repeats if len(np.unique(repeats)) > 1 else None,
        clusters=tuple(clusters),
        prints=prints if printed else None,
    )
    return joined, aligned


def count_rows(columns: Mapping[str, Column]) -> tuple[int, int, bool]:
    """Items with a row, those of them that failed, and whether items have several rows."""
    if not columns:
        return 0, 0, False
    rows = next(iter(columns.values())).answers.rows()
    failed = {name for name, state in zip(rows.ids, rows.status, strict=True) if state == ERROR}
    several = any(one.answers.rows().repeats is not None for one in columns.values())
    return len(set(rows.ids)), len(failed), several

"""Rows of instances of Every Eval Ever as they lie: only ids, scores and fingerprints are kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.logs.jsontext import parse_json, read_json_lines
from rankbars.readers.logs.jsonvalues import as_mapping, as_score, as_text, cluster_of, name_of
from rankbars.readers.logs.records import ERROR, SCORED, Answers

__all__ = ["OWN", "Samples", "read_samples"]

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

"""Rows of instances of Every Eval Ever as they lie: only ids, scores and fingerprints are kept."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.logs.jsontext import parse_json, read_json_lines
from rankbars.readers.logs.jsonvalues import as_mapping, as_score, as_text, label_of
from rankbars.readers.logs.records import ERROR, SCORED, print_of

__all__ = ["Block", "Samples", "read_samples"]

# Where one converter keeps the scores of all metrics of a sample, as JSON text.
ALL_METRICS = "lm_eval_metrics"


@dataclass(slots=True)
class Block:
    """Rows about one result, in the order of the file.

    Parameters
    ----------
    ids : list of str
        Identifier of each sample.
    scores : array of float
        Score; NaN where there is none.
    status : array of uint8
        ``SCORED`` or ``ERROR``.
    repeats : array of int
        Epoch, 0 where the row says none.
    prints : array of int
        Fingerprint of the sample's content.
    clusters : list of (str or None)
        Value of the metadata key that the caller named.
    metrics : mapping from str to array of float
        Scores of several metrics, where each row holds all of them.
    has_prints : bool
        Whether every row has a fingerprint.
    fault : str or None
        What is wrong with a score, with its place.
    """

    ids: list[str] = field(default_factory=list)
    scores: array[float] = field(default_factory=lambda: array("d"))
    status: array[int] = field(default_factory=lambda: array("B"))
    repeats: array[int] = field(default_factory=lambda: array("q"))
    prints: array[int] = field(default_factory=lambda: array("q"))
    clusters: list[str | None] = field(default_factory=list)
    metrics: dict[str, array[float]] = field(default_factory=dict)
    has_prints: bool = True
    fault: str | None = None

    def column(self, metric: str | None) -> NDArray[np.float64]:
        """Scores of one of `metrics`, or of the row itself."""
        found = self.scores if metric is None else self.metrics[metric]
        return np.frombuffer(found, np.float64) if len(found) else np.empty(0)


class Samples(NamedTuple):
    """One file of rows.

    Parameters
    ----------
    file : InputFile
        The file.
    evaluation, model : str
        Identifiers of the evaluation and of the model; the same on all rows.
    blocks : mapping from (str or None, str) to Block
        Rows by identifier of the result and name of the evaluation.
    rows : int
        Number of rows.
    """

    file: InputFile
    evaluation: str
    model: str
    blocks: Mapping[tuple[str | None, str], Block]
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
    blocks: dict[tuple[str | None, str], Block] = {}
    evaluation = model = ""
    rows = 0
    for number, row in read_json_lines(file):
        rows += 1
        own = (
            _required(file, number, row, "evaluation_id"),
            _required(file, number, row, "model_id"),
        )
        if rows == 1:
            evaluation, model = own
        elif own != (evaluation, model):
            raise ReadError.at(
                file.label,
                f"the row is about the evaluation {own[0]!r} of {own[1]!r}, the rows before about "
                f"{evaluation!r} of {model!r}. Expected one evaluation per file.",
                row=number,
            )
        name = _required(file, number, row, "evaluation_name")
        key = as_text(row.get("evaluation_result_id")), name
        _add_row(blocks.setdefault(key, Block()), file, number, row, cluster)
    if not rows:
        raise ReadError.at(file.label, "the file holds no row.")
    return Samples(file, evaluation, model, blocks, rows)


def _required(file: InputFile, number: int, row: Mapping[str, Any], key: str) -> str:
    text = as_text(row.get(key))
    if text is None:
        raise ReadError.at(file.label, f"the row has no {key}.", row=number)
    return text


def _add_row(
    block: Block, file: InputFile, number: int, row: Mapping[str, Any], cluster: str | None
) -> None:
    metadata = as_mapping(row.get("metadata"))
    block.ids.append(_required(file, number, row, "sample_id"))
    failed = row.get("error") not in (None, "", False)
    block.status.append(ERROR if failed else SCORED)
    block.repeats.append(_whole(metadata.get("epoch")))
    content = as_text(metadata.get("doc_hash")) or as_text(row.get("sample_hash"))
    block.has_prints = block.has_prints and content is not None
    block.prints.append(print_of(content or ""))
    if cluster is not None:
        named = f"the cluster {cluster!r}"
        block.clusters.append(label_of(metadata.get(cluster), f"{file.label}, row {number}", named))
    given = as_mapping(row.get("evaluation")).get("score")
    every = _all_metrics(file, number, metadata)
    if every is not None:
        for name in every:
            if name not in block.metrics:
                block.metrics[name] = array("d", [math.nan]) * (len(block.ids) - 1)
        for name, column in block.metrics.items():
            column.append(math.nan if failed else every.get(name, math.nan))
        # The converter writes 0 where it found no score at all.
        given = given if every else None
    elif block.metrics:
        for column in block.metrics.values():
            column.append(math.nan)
    block.scores.append(_row_score(block, file, number, given, failed=failed))


def _row_score(block: Block, file: InputFile, number: int, given: object, *, failed: bool) -> float:
    # The schema demands a score of every row: that of a failed one means nothing.
    if failed or given is None:
        return math.nan
    score = as_score(given)
    if score is None:
        block.fault = block.fault or (
            f"{file.label}, row {number}: the score {str(given)[:40]!r} is not a number. Correct "
            "it, or choose another metric (--metric)."
        )
        return math.nan
    return score


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

"""Evaluations of W&B Weave: calls as they are exported, and answers of its evaluation API.

A call of ``Evaluation.predict_and_score`` is one trial of one example. The API groups the same by
row of the data set and evaluation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, file_stem, read_all
from rankbars.readers.logs.jsontext import read_records, top_level_keys
from rankbars.readers.logs.jsonvalues import (
    as_finite,
    as_mapping,
    as_mappings,
    as_text,
    parse_time,
    take_path,
)
from rankbars.readers.parts import Part
from rankbars.readers.recognition import Recognition, by_keys
from rankbars.readers.scoredrows import ScoredRow, is_csv, read_rows, row_keys, sheets_of
from rankbars.readers.trials import Sheet, parts_of
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_CALLS = {"calls of Weave": ("op_name", "inputs", "output", "trace_id")}
_ANSWERS = {"evaluation results of Weave": ("rows", "total_rows")}

# A trial, as the two libraries of Weave call it.
_OPS = ("predict_and_score", "predictAndScore")

# A name and the digest of a version; so much of it tells versions apart.
_VERSION = re.compile(r"(.+):(\w{16,})", re.DOTALL)
_DIGEST = 6


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file holds calls of Weave, or what its evaluation API answered.

    Examples
    --------
    >>> text = '{"op_name": "weave:///e/p/op/f:1", "inputs": {}, "output": 1, "trace_id": "t"}\n'
    >>> _ = Path("calls.jsonl").write_text(text)
    >>> sniff(Path("calls.jsonl"), text.encode()).format
    'weave'
    """
    kinds = _CALLS | _ANSWERS if b'"row_digest"' in head else _CALLS
    # Cells of a table would be text.
    return None if is_csv(path) else by_keys("weave", row_keys(path, head), kinds)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Trials of evaluations, as runs; the same call in two files counts once."""
    sheets = read_all(files, _read)
    _shorten(sheets)
    return parts_of(sheets, options)


def _read(file: InputFile) -> list[Sheet]:
    answered = by_keys("weave", top_level_keys(file.path), _ANSWERS)
    rows = _results(file) if answered else _calls(file)
    sheets = sheets_of(file.label, rows, named=True)
    if not sheets:
        raise ReadError.at(file.label, "no call of Evaluation.predict_and_score has a score. "
                           "Export the calls of the evaluation with their outputs.")  # fmt: skip
    return sheets


def _calls(file: InputFile) -> Iterator[ScoredRow]:
    for call in read_rows(file):
        if not _name(call.get("op_name")).partition(":")[0].endswith(_OPS):
            continue
        inputs, output = as_mapping(call.get("inputs")), as_mapping(call.get("output"))
        scores = _flat(output.get("scores"))
        example = inputs.get("example")
        answered = any(output.get(key) is not None for key in ("output", "model_output"))
        yield ScoredRow(
            _name(inputs.get("model")) or file_stem(file.path),
            _name(inputs.get("self")).partition(":")[0] or "evaluation",
            # A row of a data set by its digest, or what was asked.
            _name(example) if isinstance(example, str) else example,
            scores,
            # A model that crashed has neither an answer nor scores, and no exception.
            crashed=bool(call.get("exception")) or not (answered or scores),
            start=parse_time(call.get("started_at")),
            seconds=as_finite(output.get("model_latency")),
            identity=as_text(call.get("id")) or "",
        )


def _results(file: InputFile) -> Iterator[ScoredRow]:
    header: dict[str, Any] = {}
    for _ in read_records(file, "rows", header):
        pass  # what the models are called may stand after the rows
    told = take_path(header, "summary", "evaluations")
    known = {as_text(one.get("evaluation_call_id")): one for one in as_mappings(told)}
    for _, row in read_records(file, "rows"):
        for one in as_mappings(row.get("evaluations")):
            call = as_text(one.get("evaluation_call_id")) or ""
            about = known.get(call, {})
            model = _name(about.get("model_ref")) or as_text(about.get("display_name")) or call
            for number, trial in enumerate(as_mappings(one.get("trials"))):
                scores = _flat(trial.get("scores"))
                yield ScoredRow(
                    model or file_stem(file.path),
                    _name(about.get("evaluation_ref")).partition(":")[0] or "evaluation",
                    row.get("row_digest"),
                    scores,
                    crashed=trial.get("model_output") is None and not scores,
                    number=number,
                    start=parse_time(about.get("started_at")),
                    seconds=as_finite(trial.get("model_latency_seconds")),
                    tokens=as_finite(trial.get("total_tokens")),
                    identity=as_text(trial.get("predict_and_score_call_id")) or "",
                )


def _name(ref: object) -> str:
    """Name and digest at the end of a reference, such as ``weave:///team/project/object/a:1f2e``.

    Objects that were sent whole have a name of their own.
    """
    if isinstance(ref, dict):
        return as_text(ref.get("name")) or ""
    text = as_text(ref) or ""
    return text.rpartition("/")[2] if text.startswith("weave:") else text


def _flat(value: object, name: str = "") -> dict[str, Any]:
    """Single values of nested scores, by the keys that lead to them."""
    if not isinstance(value, dict):
        return {name: value} if name else {}
    found: dict[str, Any] = {}
    for part, inner in value.items():
        found |= _flat(inner, f"{name}.{part}" if name else str(part))
    return found


def _shorten(sheets: Sequence[Sheet]) -> None:
    """Names without digests, unless these tell versions apart."""
    versions: dict[str, set[str]] = {}
    for sheet in sheets:
        if found := _VERSION.fullmatch(sheet.model):
            versions.setdefault(found[1], set()).add(found[2])
    for sheet in sheets:
        if found := _VERSION.fullmatch(sheet.model):
            several = len(versions[found[1]]) > 1
            sheet.model = f"{found[1]}:{found[2][:_DIGEST]}" if several else found[1]

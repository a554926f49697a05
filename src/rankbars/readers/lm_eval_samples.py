"""Samples files of the lm-evaluation-harness: one row per document and filter."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError, ReadError
from rankbars.readers.files import InputFile, open_text, read_head
from rankbars.readers.lm_eval_results import parse_spelling
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import as_mapping, read_json_lines
from rankbars.readers.logs.records import SCORED, Rows
from rankbars.tables.cells import label_text
from rankbars.tables.metrics import split_words

__all__ = ["Column", "Filtered", "Samples", "read_samples"]

# Keys of a row that are no metrics.
FIXED = split_words(
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash "
    "target_hash schema_version"
)


class Column(NamedTuple):
    """Scores of one metric, NaN where there is none, and why they cannot be used."""

    scores: NDArray[np.float64]
    declined: str | None
    fault: str | None


class Filtered(NamedTuple):
    """Rows of one filter and the metrics beside them."""

    rows: Rows
    columns: Mapping[str, Column]


class Samples(NamedTuple):
    """One samples file: rows by filter, and what was passed over."""

    filters: Mapping[str, Filtered]
    remarks: tuple[tuple[str, str], ...]


def read_samples(
    file: InputFile, filters: Sequence[str], metrics: Collection[str], cluster: str | None
) -> Samples:
    """Samples of one task.

    Parameters
    ----------
    file : InputFile
        The file.
    filters : sequence of str
        Filters of the results file, in its order, for rows that do not name theirs.
    metrics : collection of str
        Metrics of the results file, for rows that do not name theirs.
    cluster : str or None
        Key of the document that names its cluster.

    Raises
    ------
    ReadError
        If the file is damaged, or a row is not one of samples.
    """
    blocks: dict[str | None, list[_Block]] = {}
    for place, row in _iterate(file):
        name = row.get("filter")
        name = name if isinstance(name, str) else None
        of_filter = blocks.setdefault(name, [_Block(cluster)])
        document = _document(row, place)
        if document in of_filter[-1].seen:
            # Opened in append mode: another run follows, or another filter that is not named.
            kept = of_filter if name is None else []
            blocks[name] = of_filter = [*kept, _Block(cluster)]
            of_filter[-1].follows = True
        of_filter[-1].add(document, row, place, metrics)
    if not blocks:
        raise ReadError.at(file.label, "there is no sample in the file.")
    remarks = []
    found: dict[str, Filtered] = {}
    unnamed = blocks.pop(None, [])
    if unnamed and len(unnamed) == len(filters) > 1:
        found = {name: one.finish() for name, one in zip(filters, unnamed, strict=True)}
        remarks.append(("filter-order", "rows do not name their filter; the order of the results "
                        "file was taken."))  # fmt: skip
    elif unnamed:
        found = {filters[0] if filters else "none": unnamed[-1].finish()}
    if len(unnamed) > max(1, len(filters)) or any(one[-1].follows for one in blocks.values()):
        remarks.append(("appended", "the file holds several runs one after the other; the last "
                        "one is used."))  # fmt: skip
    found |= {str(name): of_filter[-1].finish() for name, of_filter in blocks.items()}
    order = [*filters, *found]
    return Samples({name: found[name] for name in order if name in found}, tuple(remarks))


def _iterate(file: InputFile) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Rows and their places; files of old versions hold one indented list."""
    if not read_head(file).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
        for number, row in read_json_lines(file):
            yield f"{file.label}, row {number}", row
        return
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        for number, _ in enumerate(stream.elements(), start=1):
            yield f"{file.label}, sample {number}", as_mapping(stream.value())
        stream.end()


def _document(row: Mapping[str, Any], place: str) -> str:
    document = row.get("doc_id")
    if isinstance(document, bool) or not isinstance(document, int | str) or document == "":
        raise ReadError.at(
            place, "there is no doc_id that names the document. Expected rows of lm-eval samples."
        )
    return str(document)


class _Block:
    """Rows of one filter and one run, as they are read."""

    def __init__(self, cluster: str | None) -> None:
        self.seen: set[str] = set()
        self.follows = False
        self._cluster = cluster
        self._documents: list[str] = []
        self._hashes: list[str | None] = []
        self._clusters: list[str | None] = []
        self._prints = array("q")
        self._printed = True
        self._columns: dict[str, array[float]] = {}
        self._declined: dict[str, str] = {}
        self._faults: dict[str, str] = {}

    def add(
        self, document: str, row: Mapping[str, Any], place: str, metrics: Collection[str]
    ) -> None:
        """Append one row."""
        number = len(self._documents)
        self.seen.add(document)
        self._documents.append(document)
        content = row.get("doc_hash")
        self._hashes.append(content if isinstance(content, str) and content else None)
        target = row.get("target_hash")
        self._printed &= isinstance(target, str)
        self._prints.append(_fingerprint(target) if isinstance(target, str) else 0)
        if self._cluster is not None:
            self._clusters.append(_label(as_mapping(row.get("doc")).get(self._cluster), place))
        for name in _metric_names(row, metrics):
            column = self._columns.setdefault(name, array("d"))
            column.extend([math.nan] * (number - len(column)))
            column.append(self._convert(name, row.get(name), place))

    def finish(self) -> Filtered:
        """The rows as columns."""
        size = len(self._documents)
        columns = {}
        for name, values in self._columns.items():
            values.extend([math.nan] * (size - len(values)))
            columns[name] = Column(
                np.array(values, np.float64), self._declined.get(name), self._faults.get(name)
            )
        documents = tuple(self._documents)
        hashes = tuple(one for one in self._hashes if one is not None)
        by_content = len(hashes) == size
        rows = Rows(
            hashes if by_content else documents,
            np.full(size, SCORED, np.uint8),
            clusters=tuple(self._clusters) if self._cluster is not None else None,
            other_ids=documents,
            prints=np.array(self._prints, np.int64) if self._printed else None,
            identity=("doc_hash" if by_content else "doc_id", "doc_id"),
        )
        return Filtered(rows, columns)

    def _convert(self, name: str, value: object, place: str) -> float:
        if value is None:
            return math.nan
        if isinstance(value, list | dict):
            self._declined.setdefault(name, f"its scores of items are not single numbers ({place})")
            return math.nan
        number = parse_spelling(value) if isinstance(value, str) else _plain(value)
        if number is None:
            self._faults.setdefault(
                name,
                f"{place}: the score {str(value)[:40]!r} of the metric {name!r} is not a number. "
                "Correct it, or choose another metric (--metric).",
            )
            return math.nan
        return number


def _metric_names(row: Mapping[str, Any], metrics: Collection[str]) -> list[str]:
    named = row.get("metrics")
    if isinstance(named, list):
        return [name for name in dict.fromkeys(map(str, named)) if name in row]
    return [
        name
        for name, value in row.items()
        if name not in FIXED and (name in metrics or isinstance(value, bool | int | float))
    ]


def _plain(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, bool | int | float) else None
    except OverflowError:
        return None


def _fingerprint(text: str) -> int:
    content = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big", signed=True)


def _label(value: object, place: str) -> str | None:
    try:
        return label_text(value)
    except DataError as error:
        raise ReadError.at(place, f"the cluster {error}.") from error

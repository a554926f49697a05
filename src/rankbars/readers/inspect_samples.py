"""Inspect logs as they lie: archives or JSON files, their samples, and scores as numbers.

The producer's own conversion turns words it does not know, lists and objects into 0. Here they are
answers without a score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, open_text
from rankbars.readers.logs.archives import Archive, open_archive
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsonvalues import as_mapping, cluster_of
from rankbars.tables.cells import label_text

__all__ = ["Log", "Sample", "read_archive", "read_document"]

_SUMMARY = re.compile(r"_journal/summaries/(\d+)\.json")
_SAMPLE = re.compile(r"samples/[^/]+_epoch_\d+(\.json|/sample\.json)", re.DOTALL)

# Members of a sample that are taken; messages, events and attachments are passed over.
WANTED = frozenset({"id", "epoch", "scores", "score", "error", "metadata", "invalidation"})

_SampleFields: TypeAlias = dict[str, Any]

# What a summary holds in the place of a long value.
REMOVED = "Key removed from summary (> 1k)"

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Log(NamedTuple):
    """One log.

    Parameters
    ----------
    file : InputFile
        The file.
    header : mapping
        Status, eval, results and whatever else stands beside the samples.
    samples : mapping from (str, int) to Sample
        Last entry of each item and epoch.
    finished : bool
        Whether the log has a header that says how the run ended.
    replaced : int
        Earlier entries of an item and epoch that were run again.
    """

    file: InputFile
    header: Mapping[str, Any]
    samples: Mapping[tuple[str, int], Sample]
    finished: bool
    replaced: int


def read_archive(file: InputFile, cluster: str | None) -> Log:
    """The log in a ZIP archive.

    Parameters
    ----------
    file : InputFile
        The archive.
    cluster : str or None
        Key of the metadata that names the cluster of a sample.

    Raises
    ------
    ReadError
        If the archive is damaged, a bomb, or no log.
    """
    with open_archive(file) as archive:
        names = archive.names
        ended = "header.json" in names
        if not ended and "_journal/start.json" not in names:
            raise ReadError.at(
                file.label,
                "the archive has neither header.json nor _journal/start.json. Expected an Inspect "
                "log.",
            )
        header = as_mapping(archive.load_json("header.json" if ended else "_journal/start.json"))
        _check_header(file, header)
        whole = _needs_samples(archive, header, cluster)
        entries = _whole_samples(archive, cluster) if whole else _summaries(archive, cluster)
        samples, replaced = _take_last(entries)
        return Log(file, header, samples, ended, replaced)


def read_document(file: InputFile, cluster: str | None) -> Log:
    """The log in a JSON file; parameters and errors as of `read_archive`."""
    header: dict[str, Any] = {}
    samples: dict[tuple[str, int], Sample] = {}
    replaced = 0
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        if not stream.starts_with("{"):
            raise ReadError.at(file.label, "expected a JSON object. Expected an Inspect log.")
        for key in stream.members():
            if key == "samples" and stream.starts_with("["):
                found, again = _take_last(_elements(stream, file.label, cluster))
                samples |= found
                replaced += again
            elif key in ("reductions", "plan", "stats", "log_updates"):
                stream.skip()
            else:
                header[key] = stream.value()
        stream.end()
    _check_header(file, header)
    return Log(file, header, samples, "status" in header, replaced)


def _check_header(file: InputFile, header: Mapping[str, Any]) -> None:
    about = as_mapping(header.get("eval"))
    for key in ("model", "task"):
        if not isinstance(about.get(key), str) or not about[key]:
            raise ReadError.at(
                file.label, f"the log does not name its {key} (eval.{key}). It is not read."
            )


def _needs_samples(archive: Archive, header: Mapping[str, Any], cluster: str | None) -> bool:
    """Whether summaries do not say all: invalidations, long metadata, or no summaries at all."""
    if not any(_SAMPLE.fullmatch(name) for name in archive.names):
        return False
    if header.get("invalidated") is True:
        return True
    summaries = _summary_names(archive)
    if not summaries or cluster is None:
        return not summaries
    return any(sample.cluster == REMOVED for sample in _summaries(archive, cluster))


def _summary_names(archive: Archive) -> list[str]:
    if "summaries.json" in archive.names:
        return ["summaries.json"]
    found = [(int(m[1]), name) for name in archive.names if (m := _SUMMARY.fullmatch(name))]
    return [name for _, name in sorted(found)]


def _summaries(archive: Archive, cluster: str | None) -> Iterator[Sample]:
    for name in _summary_names(archive):
        with archive.open_json(name) as stream:
            yield from _elements(stream, archive.label(name), cluster)
            stream.end()


def _whole_samples(archive: Archive, cluster: str | None) -> Iterator[Sample]:
    for name in archive.names:
        if _SAMPLE.fullmatch(name):
            with archive.open_json(name) as stream:
                yield _sample(stream, archive.label(name), cluster)
                stream.end()


def _elements(stream: JsonStream, label: str, cluster: str | None) -> Iterator[Sample]:
    for number, _ in enumerate(stream.elements(), start=1):
        yield _sample(stream, f"{label}, sample {number}", cluster)


def _sample(stream: JsonStream, place: str, cluster: str | None) -> Sample:
    fields: _SampleFields = {}
    if not stream.starts_with("{"):
        raise ReadError.at(place, "expected an object with id, epoch and scores.")
    for key in stream.members():
        if key in WANTED:
            fields[key] = stream.value()
        else:
            stream.skip()
    return _read_sample(fields, place, cluster)


def _take_last(entries: Iterator[Sample]) -> tuple[dict[tuple[str, int], Sample], int]:
    found: dict[tuple[str, int], Sample] = {}
    number = 0
    for sample in entries:
        number += 1
        found[sample.item, sample.epoch] = sample
    return found, number - len(found)


class _Graded(NamedTuple):
    """One value of one scorer.

    Parameters
    ----------
    score : float
        NaN where the scorer declined or the value is no number.
    kind : str
        ``"grade"`` (a letter, of which C is the best), ``"truth"``, ``"number"``, ``"none"``,
        ``"list"`` or ``"unknown"``.
    """

    score: float
    kind: str


class Sample(NamedTuple):
    """One answer.

    Parameters
    ----------
    item : str
        Identifier as text.
    epoch : int
        Which answer to the item it is, from 1.
    scores : mapping from str to _Graded
        By scorer; by scorer and key where the value is an object.
    failed : bool
        Whether it ended in an error.
    invalid : bool
        Whether its author declared it invalid.
    cluster : str or None
        Value of the metadata key that was asked for.
    """

    item: str
    epoch: int
    scores: Mapping[str, _Graded]
    failed: bool
    invalid: bool
    cluster: str | None


def _read_sample(fields: _SampleFields, place: str, cluster: str | None) -> Sample:
    """A sample or its summary.

    Parameters
    ----------
    fields : dict
        Members of the sample.
    place : str
        File and sample, for messages.
    cluster : str or None
        Key of the metadata that names its cluster.

    Raises
    ------
    ReadError
        If it has no identifier, or its epoch is not a number.
    """
    item = fields.get("id")
    if isinstance(item, bool) or not isinstance(item, str | int | float) or item == "":
        raise ReadError.at(place, "there is no id that names the sample.")
    epoch = fields.get("epoch", 1)
    if isinstance(epoch, bool) or not isinstance(epoch, int) or abs(epoch) > 1 << 31:
        raise ReadError.at(place, f"the epoch is {str(epoch)[:40]!r}; expected a whole number.")
    scores: dict[str, _Graded] = {}
    # Logs of the first versions hold one score without the name of its scorer.
    given = fields.get("scores")
    named = as_mapping(given) if given is not None else {"score": fields.get("score")}
    for scorer, score in named.items():
        if isinstance(score, dict) and "value" in score:
            scores |= _grade_all(scorer, score["value"])
    return Sample(
        label_text(item) or repr(item),
        epoch,
        scores,
        fields.get("error") is not None,
        fields.get("invalidation") is not None,
        cluster_of(fields.get("metadata"), cluster, place),
    )


def _grade(value: object) -> _Graded:
    """The number behind a value.

    Examples
    --------
    >>> _grade("C"), _grade(True).score, _grade("0.25").score, _grade("maybe").kind
    (_Graded(score=1.0, kind='grade'), 1.0, 0.25, 'unknown')
    """
    if value is None:
        return _Graded(math.nan, "none")
    if isinstance(value, bool):
        return _Graded(float(value), "truth")
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            return _Graded(math.nan, "unknown")
        return _Graded(number, "none" if math.isnan(number) else "number")
    if isinstance(value, str):
        return _grade_text(value)
    return _Graded(math.nan, "list" if isinstance(value, list) else "unknown")


def _grade_text(text: str) -> _Graded:
    plain = text.strip()
    if plain in GRADES:
        return _Graded(GRADES[plain], "grade")
    if plain.casefold() in WORDS:
        return _Graded(WORDS[plain.casefold()], "truth")
    if _NUMBER.fullmatch(plain):
        return _Graded(float(plain), "number")
    return _Graded(math.nan, "none" if plain.casefold() in ("", "nan") else "unknown")


def _grade_all(scorer: str, value: object) -> dict[str, _Graded]:
    if isinstance(value, dict):
        return {f"{scorer}/{key}": _grade(one) for key, one in value.items()}
    return {scorer: _grade(value)}

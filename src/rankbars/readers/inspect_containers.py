"""The two containers of Inspect logs: what is taken from them is the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.files import InputFile, open_text
from rankbars.readers.inspect_samples import REMOVED, Sample, SampleFields, read_sample
from rankbars.readers.logs.archives import Archive, open_archive
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import as_mapping

__all__ = ["Log", "read_archive", "read_document"]

_SUMMARY = re.compile(r"_journal/summaries/(\d+)\.json")
_SAMPLE = re.compile(r"samples/[^/]+_epoch_\d+(\.json|/sample\.json)", re.DOTALL)

# Members of a sample that are taken; messages, events and attachments are passed over.
WANTED = frozenset({"id", "epoch", "scores", "score", "error", "metadata", "invalidation"})


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
    fields: SampleFields = {}
    if not stream.starts_with("{"):
        raise ReadError.at(place, "expected an object with id, epoch and scores.")
    for key in stream.members():
        if key in WANTED:
            fields[key] = stream.value()
        else:
            stream.skip()
    return read_sample(fields, place, cluster)


def _take_last(entries: Iterator[Sample]) -> tuple[dict[tuple[str, int], Sample], int]:
    found: dict[tuple[str, int], Sample] = {}
    number = 0
    for sample in entries:
        number += 1
        found[sample.item, sample.epoch] = sample
    return found, number - len(found)

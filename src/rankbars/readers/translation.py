"""Scores of translations: of whole systems by sacreBLEU, and of segments by COMET, as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, file_stem, read_all
from rankbars.readers.logs.jsontext import load_json, read_records, record_keys, top_level_keys
from rankbars.readers.logs.jsonvalues import as_finite, as_mappings, as_text, fingerprint
from rankbars.readers.logs.records import Agreement, Direction, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, Recognition, by_keys
from rankbars.readers.trials import Sheet, Trial, parts_of
from rankbars.tables.columns import paste_names
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_SACREBLEU = {"scores of sacreBLEU": ("name", "score", "signature", "version")}
_SEGMENTS = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)+"\s*:\s*\[\s*\{\s*"src"\s*:')
_METRIC = "COMET"

# A half interval at 95 %, as sacreBLEU has it from resampled segments, over the normal quantile.
_QUANTILE = 1.959963984540054
# What a signature says of the resampling and of the program, and not of the metric.
_OF_THE_RUN = frozenset({"bs", "ar", "seed", "version"})


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file holds scores of sacreBLEU, or segments that COMET scored.

    Examples
    --------
    >>> text = '{"name": "BLEU", "score": 41.9, "signature": "nrefs:1|case:mixed", "version": "2"}'
    >>> _ = Path("a.json").write_text(text)
    >>> sniff(Path("a.json"), text.encode()).format
    'sacrebleu'
    """
    if _SEGMENTS.match(head):
        return Recognition("comet", CERTAIN, "It has segments of systems, with src and mt.")
    return by_keys("sacrebleu", record_keys(path) or top_level_keys(path), _SACREBLEU)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """What COMET says of each segment, or sacreBLEU of each file, which is a system.

    Raises
    ------
    ReadError
        If a score is missing or no number.
    DataError
        If sacreBLEU was asked for several metrics, and none is chosen.
    """
    comet = [file for file in files if not (record_keys(file.path) or _is_plain(file))]
    sheets = read_all(comet, _segments)
    runs = read_all([file for file in files if file not in comet], _scores)
    names = list(dict.fromkeys(name for run in runs for name in run.measures))
    if options.metric is None and len(names) > 1:
        raise DataError(
            f"{runs[0].source}: there are {len(names)} metrics: {list_names(names)}. Name the one "
            f"that counts: {paste_names('--metric', names[:1])} (in Python: metric={names[0]!r})."
        )
    known = any(one.se is not None for run in runs for one in run.measures.values())
    notes = [Note("unpaired-systems", _UNPAIRED if known else _UNKNOWN)] if runs else []
    return [*parts_of(sheets, options), *runs, *notes]


_UNPAIRED = (
    "Errors are those of each system by itself, as if they had translated other sentences. Of the "
    "same sentences a difference is known better than this says: --paired-bs of sacreBLEU tests it."
)

_UNKNOWN = "sacreBLEU writes how sure a score is only where it is asked: --confidence."


def _is_plain(file: InputFile) -> bool:
    return {"score", "signature"} <= {*top_level_keys(file.path)}


def _scores(file: InputFile) -> Iterator[Run]:
    """One system, with each metric that was asked for."""
    listed = bool(record_keys(file.path))
    every: list[Mapping[str, Any]] = (
        [one for _, one in read_records(file)] if listed else [load_json(file)]
    )
    measures: dict[str, Measure] = {}
    agree: dict[str, Agreement] = {}
    for number, one in enumerate(every, 1):
        name, score = as_text(one.get("name")), as_finite(one.get("score"))
        if not name or score is None:
            raise ReadError.at(f"{file.label}, score {number}", "there is no name, or no score.")
        half = as_finite(one.get("confidence_var"))
        lower: Direction = "lower" if name.startswith("TER") else "higher"
        measures[name] = Measure(
            name, value=score, se=None if half is None else half / _QUANTILE, direction=lower
        )
        for fact in (as_text(one.get("signature")) or "").split("|"):
            key, _, value = fact.partition(":")
            if key not in _OF_THE_RUN:
                agree[f"{key} in the signature of {name}"] = Agreement(value)
    yield Run(file.label, file_stem(file.path), "all", measures, agree=agree)


def _segments(file: InputFile) -> Iterator[Sheet]:
    """Segments of each system, called after its file; the text tells whether they are the same."""
    content = load_json(file)
    stems = {name: file_stem(Path(name)) for name in content}
    short = len({*stems.values()}) == len(stems)
    for system, segments in content.items():
        trials = []
        for number, one in enumerate(as_mappings(segments), 1):
            score = as_finite(one.get(_METRIC))
            if score is None:
                raise ReadError.at(
                    f"{file.label}, {system}, segment {number}", f"there is no {_METRIC}."
                )
            item = f"{number} {fingerprint(one.get('src'), one.get('ref'))[:8]}"
            trials.append(Trial(item, {_METRIC: score}))
        yield Sheet(
            file.label, stems[system] if short else system, "all", trials, _METRIC,
            directions={_METRIC: "higher"}, repeats=False,
        )  # fmt: skip

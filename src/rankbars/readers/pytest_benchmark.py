"""Results of pytest-benchmark: the mean time of each benchmark, with the spread of its rounds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, file_stem
from rankbars.readers.logs.jsontext import load_json, top_level_keys
from rankbars.readers.logs.jsonvalues import as_count, as_finite, as_list, as_mapping, as_text
from rankbars.readers.logs.records import Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import Recognition, by_keys
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_KEYS = {"results of pytest-benchmark": ("machine_info", "benchmarks", "version")}


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file holds what ``pytest --benchmark-json`` writes.

    Examples
    --------
    >>> text = '{"machine_info": {}, "benchmarks": [], "version": "5.1.0"}'
    >>> _ = Path("0001.json").write_text(text)
    >>> sniff(Path("0001.json"), text.encode()).format
    'pytest-benchmark'
    """
    return by_keys("pytest-benchmark", top_level_keys(path), _KEYS)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Mean times, lower is better: of several files each is a model; in one, values of a parameter.

    Raises
    ------
    ReadError
        If a file holds no times, or several parameters and no word which of them is compared.
    """
    runs = [run for file in files for run in _runs(file, alone=len(files) == 1)]
    text = (
        "Rounds of a benchmark count as independent draws; that the machine was slower for one "
        "model than for another is not covered."
    )
    return [*runs, Note("rounds", text)]


def _runs(file: InputFile, *, alone: bool) -> Iterator[Run]:
    found = [as_mapping(one) for one in as_list(as_mapping(load_json(file)).get("benchmarks"))]
    if not found:
        raise ReadError.at(file.label, "there are no benchmarks.")
    compared = _parameter(file, found) if alone else None
    for number, one in enumerate(found, start=1):
        place = f"{file.label}, benchmark {number}"
        name, parameters = as_text(one.get("name")), as_mapping(one.get("params"))
        stats = as_mapping(one.get("stats"))
        mean, spread = (as_finite(stats.get(key)) for key in ("mean", "stddev"))
        rounds = as_count(stats.get("rounds"))
        if not name or mean is None or spread is None or not rounds:
            raise ReadError.at(place, "there is no name, or no mean, stddev and rounds.")
        model, task = file_stem(file.path), name
        if compared is not None:
            model, task = str(parameters[compared]), name.partition("[")[0]
        # The spread of one round is not known.
        se = spread / math.sqrt(rounds) if rounds > 1 else None
        seconds = Measure(
            "seconds", value=mean, se=se, n=rounds, direction="lower",
            origin="it is a time", limits=(0.0, None),
        )  # fmt: skip
        yield Run(
            file.label, model, task, {"seconds": seconds},
            setup={} if compared is None else {"parameter": compared},
        )  # fmt: skip


def _parameter(file: InputFile, found: Sequence[Mapping[str, Any]]) -> str | None:
    """The parameter whose values are compared; None where benchmarks have none."""
    every = [as_mapping(one.get("params")) for one in found]
    names = list(dict.fromkeys(name for one in every for name in one))
    if not names:
        return None
    if len(names) > 1 or not all(every):
        raise ReadError.at(
            file.label,
            f"benchmarks have the parameters {', '.join(names)}, and which of them is compared is "
            f"not said: --map 'model=benchmarks[].params.{names[0]},item=benchmarks[].name,"
            "score=benchmarks[].stats.mean' --direction lower.",
        )
    return names[0]

"""Results of promptfoo: recognised, and read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.readers.files import InputFile, data_suffix, file_stem, read_each
from rankbars.readers.logs.answers import Answers
from rankbars.readers.logs.jsontext import as_mapping, first_object, top_level_keys
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.records import Direction, Measure, Run
from rankbars.readers.logs.values import as_count, as_score
from rankbars.readers.parts import Part
from rankbars.readers.promptfoo.evaluations import Evaluation, System, read_evaluation
from rankbars.readers.recognition import CERTAIN, Recognition

__all__ = ["read_promptfoo", "sniff_promptfoo"]

_STARTS = re.compile(rb'\s*\{\s*"results"\s*:\s*\{\s*"version"\s*:\s*\d+\s*,')
_ROW_KEYS = {"promptIdx", "testIdx", "provider", "success"}
_CSV = b"Status,Score,Named Scores,Grader Reason"


def sniff_promptfoo(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file holds results of promptfoo.

    Examples
    --------
    >>> sniff_promptfoo(Path("a.jsonl"), b'{"promptIdx": 0, "testIdx": 0, "provider": {}, '
    ...                 b'"success": true}\n').format
    'promptfoo'
    """
    suffix = data_suffix(path)
    if suffix == ".csv" and _CSV in head.partition(b"\n")[0]:
        return Recognition("promptfoo", CERTAIN, "It has the repeated columns of a promptfoo "
                           "table: Status, Score, Named Scores.")  # fmt: skip
    if suffix == ".jsonl":
        row = first_object(head)
        if row is not None and row.keys() >= _ROW_KEYS:
            return Recognition("promptfoo", CERTAIN, "Its rows have the keys of promptfoo results: "
                               "promptIdx, testIdx, provider.")  # fmt: skip
    if suffix == ".json" or path.name == "stdin":
        keys = set(top_level_keys(path))
        known = "results" in keys and ("evalId" in keys or keys >= {"config", "shareableUrl"})
        if known or _STARTS.match(head.removeprefix(b"\xef\xbb\xbf")):
            return Recognition("promptfoo", CERTAIN, "It has the keys of promptfoo results: "
                               "evalId, results.")  # fmt: skip
    return None


def read_promptfoo(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results of promptfoo.

    Parameters
    ----------
    files : sequence of InputFile
        Files that ``promptfoo eval -o`` wrote, as JSON or JSON lines.
    options : ReadOptions
        What the caller declares; the column ``cluster`` names a key of the tests' metadata or
        variables.

    Raises
    ------
    ReadError
        If a file is damaged, or is a table, in which columns share names.
    DataError
        If the results cannot be compared; see `rankbars.readers.logs.scores`.
    """
    cluster = options.columns.get("cluster") or None
    found = read_each(files, lambda file: read_evaluation(file, cluster))
    names, notes = _name_tasks(found)
    runs = [run for one, task in zip(found, names, strict=True) for run in _runs(one, task)]
    return [*runs, *notes]


def _name_tasks(found: Sequence[Evaluation]) -> tuple[list[str], list[Note]]:
    """Name of each file's task: its description; files with equal tests are one task."""
    names: list[str] = []
    known: dict[frozenset[str], str] = {}
    joined: list[str] = []
    for one in found:
        if one.description is not None:
            names.append(one.description)
            continue
        tests = frozenset(item for answers in one.systems.values() for item in answers.rows().ids)
        stem = file_stem(one.file.path)
        if tests not in known:
            taken = stem in known.values()
            known[tests] = f"{one.file.path.resolve().parent.name}/{stem}" if taken else stem
        elif known[tests] != stem or stem in names:
            joined.append(known[tests])
        names.append(known[tests])
    if not joined:
        return names, []
    text = f"Files without a description but with the same tests are one task: {joined[0]!r}."
    return names, [Note("same-tests", text)]


def _runs(one: Evaluation, task: str) -> Iterator[Run]:
    for system, answers in one.systems.items():
        rows = answers.rows()
        notes: tuple[Note, ...] = ()
        if one.repeat > 1 and rows.repeats is None and not rows.has_unique(rows.ids):
            rows = rows._replace(repeats=_number_repeats(rows.ids))
            notes = (Note("repeats", f"Tests were repeated {one.repeat} times; equal tests are "
                          "repeats of one.", task=task),)  # fmt: skip
        published = _published(one, system)
        yield Run(
            one.file.label,
            system.provider,
            task,
            {name: _measure(name, answers, published) for name in answers.metrics},
            rows=rows,
            headline="score",
            manner={"prompt": system.prompt} if system.prompt else {},
            stamp=one.stamp,
            notes=notes,
        )


def _measure(name: str, answers: Answers, published: Mapping[str, tuple[float, int]]) -> Measure:
    value, n = published.get(name, (None, None))
    direction: Direction | None = "higher" if name in ("score", "success") else None
    return Measure(
        name,
        scores=answers.column(name),
        value=value,
        n=n,
        direction=direction,
        origin=f"by what {name!r} means in promptfoo",
        limits=(0.0, 1.0) if name == "success" else (None, None),
    )


def _number_repeats(ids: Sequence[str]) -> NDArray[np.int64]:
    """Before repeats had a number, each stood there as a test of its own."""
    seen: dict[str, int] = {}
    numbers = []
    for name in ids:
        numbers.append(seen.get(name, 0))
        seen[name] = numbers[-1] + 1
    return np.array(numbers, np.int64)


def _published(one: Evaluation, system: System) -> dict[str, tuple[float, int]]:
    """Means that the file states; none where tests crashed, which count as 0 there."""
    place = one.places.get(system)
    if place is None or place >= len(one.prompts):
        return {}
    metrics = as_mapping(as_mapping(one.prompts[place]).get("metrics"))
    passed, failed, crashed = (
        as_count(metrics.get(f"test{what}Count")) for what in ("Pass", "Fail", "Error")
    )
    total = as_score(metrics.get("score"))
    if passed is None or failed is None or crashed or not passed + failed:
        return {}
    n = passed + failed
    found = {"success": (passed / n, n)}
    if total is not None and math.isfinite(total):
        found["score"] = (total / n, n)
    return found

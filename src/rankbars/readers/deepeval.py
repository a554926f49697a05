"""Test runs of DeepEval: one file per run, one case per input, one score per case and metric."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, open_text, read_each
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import top_level_keys
from rankbars.readers.logs.jsonvalues import (
    as_finite,
    as_mapping,
    as_mappings,
    as_text,
    cluster_of,
    fingerprint,
    parse_time,
    score_of,
)
from rankbars.readers.logs.records import (
    ERROR,
    SCORED,
    UNSCORED,
    Answers,
    Direction,
    Measure,
    Run,
)
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_STAMP = re.compile(r"(?:test_run_)?(?P<stamp>\d{8}_\d{6})")
_STARTS = re.compile(rb'\s*\{[^\[]{0,200}"testCases"\s*:\s*\[\s*\{\s*"name"\s*:')
# A run of a repeated test (--repeat, which counts by pytest-repeat), behind its parameters.
_REPEAT = re.compile(r"(?P<test>.*\[)(?:(?P<case>.*)-)?(?P<number>\d+)-(?P<count>\d+)\]", re.DOTALL)
_SQLITE = b"SQLite format 3\x00"
_CASES = ("testCases", "conversationalTestCases")
_BESIDE = {"metricsScores", "metricScores", "testPassed", "conversationalTestCases", "testFile"}

# Metrics that count what should not be there.
LOWER = frozenset({"bias", "hallucination", "toxicity"})

LONGEST_SETTING = 40


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a test run of DeepEval.

    Examples
    --------
    >>> _ = Path("run.json").write_text('{"testCases": [], "metricsScores": []}')
    >>> sniff(Path("run.json"), b"{").format
    'deepeval'
    """
    if head.startswith(_SQLITE) and any("deepeval" in part.lower() for part in path.parts[-3:]):
        return Recognition("deepeval", CERTAIN, "It is named like DeepEval's local store, a "
                           "database.")  # fmt: skip
    if data_suffix(path) not in (".json", "") or not head.lstrip().startswith(b"{"):
        return None
    keys = set(top_level_keys(path))
    if ("testCases" in keys and keys & _BESIDE) or "testRunData" in keys:
        return Recognition("deepeval", CERTAIN, "It has the keys of a DeepEval test run: "
                           "testCases, metricsScores.")  # fmt: skip
    if _STARTS.match(head):
        return Recognition("deepeval", SIGNATURE, "It starts like a DeepEval test run.")
    return None


class _Verdict(NamedTuple):
    """A score, its threshold, and whether the producer called it a success."""

    score: float
    threshold: float
    success: bool


@dataclass(slots=True)
class _Metric:
    """One metric of one run."""

    answers: Answers = field(default_factory=lambda: Answers(("the name", "the input")))
    verdicts: list[_Verdict] = field(default_factory=list)
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(slots=True)
class _TestRun:
    """What one file holds."""

    file: InputFile
    cluster: str | None
    metrics: dict[str, _Metric] = field(default_factory=dict)
    sums: list[Mapping[str, Any]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    identifier: str | None = None
    alias: str | None = None
    cases: int = 0
    flaky: int = 0


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from test runs of DeepEval; each metric is a task.

    The column ``cluster`` names a key of the cases' metadata.
    """
    cluster = options.columns.get("cluster") or None
    found = read_each(files, lambda file: _read(file, cluster))
    verdicts: dict[str, list[_Verdict]] = {}
    for one in found:
        for name, metric in one.metrics.items():
            verdicts.setdefault(name, []).extend(metric.verdicts)
    sides = {name: _direction(name, known) for name, known in verdicts.items()}
    return [run for one in found for run in _runs(one, sides)]


def _read(file: InputFile, cluster: str | None) -> _TestRun:
    with file.path.open("rb") as raw:
        database = raw.read(len(_SQLITE)) == _SQLITE
    if database:
        raise ReadError.at(
            file.label,
            "DeepEval's local store is a database, which is not read. Let DeepEval write files: "
            "set DEEPEVAL_RESULTS_FOLDER and run again.",
        )
    run = _TestRun(file, cluster)
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        _read_members(stream, run)
        stream.end()
    if not run.metrics and not run.cases:
        raise ReadError.at(file.label, "there is no test case in the file.")
    return run


def _read_members(stream: JsonStream, run: _TestRun) -> None:
    for key in stream.members():
        if key == "testRunData" and stream.starts_with("{"):
            _read_members(stream, run)
        elif key in _CASES and stream.starts_with("["):
            for place, case in stream.objects(key):
                _add_case(run, case, place)
        elif key == "hyperparameters":
            run.settings |= as_mapping(stream.value())
        elif key in ("identifier", "datasetAlias"):
            value = as_text(stream.value())
            run.identifier = value if key == "identifier" else run.identifier
            run.alias = value if key == "datasetAlias" else run.alias
        elif key in ("metricsScores", "metricScores"):
            value = stream.value()
            run.sums = as_mappings(value)
        else:
            stream.skip()


def _add_case(run: _TestRun, case: Mapping[str, Any], place: str) -> None:
    run.cases += 1
    name = as_text(case.get("name")) or f"case {run.cases}"
    asked = [case.get(key) for key in ("input", "multimodalInput", "scenario", "turns")]
    content = fingerprint(*asked) if any(asked) else name
    given = case.get("metricsData", case.get("metricsMetadata"))
    about = case.get("metadata", case.get("additionalMetadata"))
    cluster = cluster_of(about, run.cluster, place)
    for entry in as_mappings(given):
        metric = as_text(entry.get("name")) or as_text(entry.get("metric"))
        if metric is None:
            raise ReadError.at(place, "a metric has no name.")
        if case.get("flaky") is True or entry.get("flaky") is True:
            run.flaky += 1
            continue
        names = (_without_repeat(name), content, cluster)
        _add_score(run.metrics.setdefault(metric, _Metric()), entry, names, place)


def _without_repeat(name: str) -> str:
    """Name of a test without the number of its repeat.

    Examples
    --------
    >>> _without_repeat("test_faq[case0-2-3]"), _without_repeat("test_faq[2-3]")
    ('test_faq[case0]', 'test_faq')
    """
    found = _REPEAT.fullmatch(name)
    if found is None or not 0 < int(found["number"][:9]) <= int(found["count"][:9]):
        return name
    return f"{found['test']}{found['case']}]" if found["case"] else found["test"].removesuffix("[")


def _add_score(
    metric: _Metric, entry: Mapping[str, Any], names: tuple[str, str, str | None], place: str
) -> None:
    score = score_of(entry.get("score"), place)
    success = entry.get("success")
    # The same case again is a repeat of it.
    repeat = metric.seen[names[:2]]
    metric.seen[names[:2]] += 1
    if score is None or entry.get("error"):
        status = ERROR if entry.get("error") else UNSCORED
        metric.answers.add(names[0], status=status, repeat=repeat, other=names[1], cluster=names[2])
        return
    scores = {"score": score}
    if isinstance(success, bool):
        scores["success"] = float(success)
        threshold = as_finite(entry.get("threshold", entry.get("minimumScore")))
        if threshold is not None:
            metric.verdicts.append(_Verdict(score, threshold, success))
    metric.answers.add(
        names[0], scores, status=SCORED, repeat=repeat, other=names[1], cluster=names[2]
    )


def _runs(run: _TestRun, sides: Mapping[str, _Side]) -> Iterator[Run]:
    model, notes = _name_model(run)
    repeats = max((max(one.seen.values(), default=1) for one in run.metrics.values()), default=1)
    if repeats > 1:
        notes.append(Note("repeats", f"{run.file.label}: the same case with the same input stands "
                          f"there up to {repeats} times; these are repeats of it, in the order of "
                          "the file."))  # fmt: skip
    if run.flaky:
        notes.append(Note("flaky", f"{run.file.label}: {run.flaky} scores marked as flaky are left "
                          "out."))  # fmt: skip
    found = _STAMP.fullmatch(file_stem(run.file.path))
    for name, metric in run.metrics.items():
        rows = metric.answers.rows()
        values, n = _published(run, name)
        yield Run(
            run.file.label,
            model,
            f"{run.alias}: {name}" if run.alias else name,
            {
                measure: Measure(
                    measure,
                    scores=metric.answers.column(measure),
                    value=values if measure == "score" else None,
                    n=n,
                    metric=name if measure == "score" else None,
                    direction=sides[name].direction if measure == "score" else "higher",
                    origin=sides[name].origin if measure == "score" else "it is what passed",
                    limits=(0.0, 1.0) if measure == "success" else (None, None),
                )
                for measure in metric.answers.metrics
            },
            rows=rows,
            headline="score",
            manner=_manner(run),
            stamp=parse_time(found["stamp"]) if found else None,
            notes=tuple(notes),
        )


class _Side(NamedTuple):
    """Side of a metric that is better, and where that comes from."""

    direction: Direction
    origin: str


def _direction(name: str, verdicts: Sequence[_Verdict]) -> _Side:
    """Side of a metric: the one that its verdicts show; else that of its name."""
    higher = all((one.score >= one.threshold) == one.success for one in verdicts)
    lower = all((one.score <= one.threshold) == one.success for one in verdicts)
    if higher != lower:
        shown = "shown by the scores that passed their thresholds and those that did not"
        return _Side("higher" if higher else "lower", shown)
    plain = re.sub(r"\W", "", name.partition("[")[0]).casefold()
    return _Side("lower" if plain in LOWER else "higher", f"by what {name!r} means in DeepEval")


def _published(run: _TestRun, name: str) -> tuple[float | None, int | None]:
    """Mean that the file states, and the scores behind it."""
    entry = next((one for one in run.sums if one.get("metric") == name), {})
    scores = entry.get("scores")
    if not isinstance(scores, list):
        return as_finite(entry.get("score")), None
    known = [number for one in scores if (number := as_finite(one)) is not None]
    return (sum(known) / len(known), len(known)) if known else (None, None)


def _name_model(run: _TestRun) -> tuple[str, list[Note]]:
    keys = [key for key in run.settings if "model" in key.casefold()]
    keys.sort(key=lambda key: key.casefold() != "model")
    for key in keys:
        name = as_text(run.settings[key])
        if name is not None:
            return name, []
    if run.identifier is not None:
        return run.identifier, []
    name = file_stem(run.file.path).lstrip(".")
    return name, [Note("name-from-file", f"{run.file.label}: neither hyperparameters nor an "
                       f"identifier name the model; it is called {name!r}.")]  # fmt: skip


def _manner(run: _TestRun) -> dict[str, str]:
    """Settings beside the model; long ones, such as prompts, as a hash."""
    found = {}
    for key, value in run.settings.items():
        if "model" in key.casefold() or value in (None, "", [], {}):
            continue
        text = as_text(value)
        short = text is not None and len(text) <= LONGEST_SETTING and "\n" not in text
        found[key] = str(text) if short else fingerprint(value)[:8]
    return found

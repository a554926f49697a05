"""Results of simple-evals: one file of metrics per eval and model, and a full one beside it.

Spreads (``score:std``) are those of the population of examples, not errors of the mean. How many
examples there were is known from the full file only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, open_text, read_each
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import load_json, top_level_keys
from rankbars.readers.logs.jsonvalues import (
    as_finite,
    as_mapping,
    as_positive,
    as_text,
    parse_time,
    score_of,
)
from rankbars.readers.logs.records import Answers, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition
from rankbars.tables.readoptions import ReadOptions

__all__ = ["parse_name", "read", "sniff"]

SPREAD = ":std"
FULL = "_allresults"

# Evals with an underscore in their name; else the first underscore ends it.
LONG_NAMES = ("healthbench_hard", "healthbench_consensus", "healthbench_meta")

_STAMP = re.compile(r"(?P<rest>.+)_(?P<stamp>\d{8}_\d{6})")
_NAMED = re.compile(
    r"(mmlu|math|gpqa|mgsm|drop|humaneval|simpleqa|browsecomp|healthbench)_.+", re.IGNORECASE
)


class Name(NamedTuple):
    """What the name of a file says."""

    task: str
    model: str
    stamp: float | None
    debug: bool


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file holds results of simple-evals.

    Examples
    --------
    >>> _ = Path("mmlu_gpt-4o.json").write_text('{"score": 0.7, "score:std": 0.46}')
    >>> sniff(Path("mmlu_gpt-4o.json"), b'{"score": 0.7}').format
    'simple-evals'
    """
    if data_suffix(path) != ".json" or not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return None
    keys = set(top_level_keys(path))
    # What follows the pages of a full file may stand too far down to be seen here.
    if keys >= {"score", "metrics", "htmls"}:
        return Recognition("simple-evals", CERTAIN, "It has the keys of full results of "
                           "simple-evals: score, metrics, htmls.")  # fmt: skip
    if "score" not in keys or "_" not in path.stem:
        return None
    if any(key.endswith(SPREAD) for key in keys):
        return Recognition("simple-evals", CERTAIN, "It has the keys of results of simple-evals: "
                           "score, score:std.")  # fmt: skip
    if len(keys) == 1 and _NAMED.fullmatch(path.stem):
        return Recognition("simple-evals", SIGNATURE + 1, "It holds a score and is named like "
                           "results of simple-evals.")  # fmt: skip
    return None


def parse_name(stem: str) -> Name:
    """Eval, model and time of a file name.

    Examples
    --------
    >>> parse_name("healthbench_hard_gpt-4.1_20250101_000000_allresults")[:2]
    ('healthbench_hard', 'gpt-4.1')
    """
    rest = stem.removesuffix(FULL)
    debug = rest.endswith("_DEBUG")
    rest = rest.removesuffix("_DEBUG")
    found = _STAMP.fullmatch(rest)
    stamp = parse_time(found["stamp"]) if found else None
    rest = found["rest"] if found else rest
    long = next((name for name in LONG_NAMES if rest.startswith(f"{name}_")), None)
    task = long or rest.partition("_")[0]
    return Name(task, rest[len(task) + 1 :], stamp, debug)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results of simple-evals."""
    full = [file for file in files if {"metrics", "htmls"} <= set(top_level_keys(file.path))]
    told = {_place(file) for file in full}
    short = [file for file in files if file not in full and _place(file) not in told]
    runs = [
        *read_each(full, _read_full),
        *read_each(short, lambda file: _make_run(file, load_json(file), None, None)),
    ]
    debug = [run.source for run in runs if parse_name(file_stem(Path(run.source))).debug]
    notes = []
    if debug:
        notes.append(Note("debug-runs", f"Made with --debug, on a few examples: {len(debug)} of "
                          f"{len(runs)} results, such as {debug[0]}."))  # fmt: skip
    return [*runs, *notes]


def _place(file: InputFile) -> tuple[Path, str]:
    """What a file of metrics and the full one beside it have in common."""
    return file.path.resolve().parent, file_stem(file.path).removesuffix(FULL)


def _name(file: InputFile) -> Name:
    name = parse_name(file_stem(file.path))
    if not name.model:
        raise ReadError.at(
            file.label, "the name of the file does not say which eval and model it is of. Expected "
            "EVAL_MODEL.json, such as mmlu_gpt-4o.json.",
        )  # fmt: skip
    return name


def _read_full(file: InputFile) -> Run:
    """Metrics, the number of conversations, and scores of examples where they are kept."""
    metrics: dict[str, Any] = {}
    count: int | None = None
    answers: Answers | None = None
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        for key in stream.members():
            if key == "score":
                metrics["score"] = stream.value()
            elif key == "metrics" and stream.starts_with("{"):
                metrics = {**as_mapping(stream.value()), **metrics}
            elif key == "convos" and stream.starts_with("["):
                count = 0
                for _ in stream.elements():
                    stream.skip()
                    count += 1
            elif key == "metadata" and stream.starts_with("{"):
                answers = _read_examples(stream)
            else:
                stream.skip()
        stream.end()
    return _make_run(file, metrics, count, answers)


def _read_examples(stream: JsonStream) -> Answers | None:
    answers = Answers(("prompt_id", "position"))
    counts: dict[str, int] = {}
    for key in stream.members():
        if key != "example_level_metadata" or not stream.starts_with("["):
            stream.skip()
            continue
        for place, entry in stream.objects("example"):
            item = as_text(entry.get("prompt_id"))
            if item is None or "score" not in entry:
                continue
            score = as_finite(score_of(entry["score"], place))
            repeat = counts.get(item, 0)
            counts[item] = repeat + 1
            answers.add(item, {"score": score}, repeat=repeat)
    return answers if len(answers) else None


def _make_run(
    file: InputFile, metrics: Mapping[str, Any], count: int | None, answers: Answers | None
) -> Run:
    name = _name(file)
    measures = {}
    for metric in ("score", *(key for key in metrics if key != "score")):
        value = as_finite(metrics.get(metric))
        own = answers is not None and metric in answers.metrics
        if metric.endswith(SPREAD) or (value is None and not own):
            continue
        spread = as_positive(metrics.get(f"{metric}{SPREAD}"))
        # Only the score is known to be a mean over all examples.
        n = count if metric == "score" else None
        se = spread / math.sqrt(n) if n and spread is not None else None
        measure = Measure(
            metric,
            value=value,
            se=se,
            n=n,
            direction="higher" if metric == "score" else None,
            origin="by what 'score' means in simple-evals",
        )
        measures[metric] = measure if answers is None else answers.complete(measure)
    if not measures:
        raise ReadError.at(file.label, "there is no score in the file.")
    return Run(
        file.label,
        name.model,
        name.task,
        measures,
        rows=None if answers is None else answers.rows(),
        headline="score",
        stamp=name.stamp,
    )

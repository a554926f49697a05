"""Results that a race is told: of files, frames or lines of JSON, matched with what is wanted."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from rankbars.calls import check_name
from rankbars.data.raceboard import Call, Told
from rankbars.errors import DataError, UnknownOptionError
from rankbars.racing.racestanding import Standing, name_calls

if TYPE_CHECKING:
    from rankbars.data.evidence import Items
    from rankbars.data.scores import Scores

__all__ = [
    "Result",
    "match_results",
    "protocol_in",
    "read_protocol",
    "take_results",
    "wanted_calls",
]

_FIELDS: Final = {"model", "task", "item", "trial", "score", "failed"}


class Result(NamedTuple):
    """A result that was handed over; no score means that the call failed."""

    call: Call
    score: float | None


def wanted_calls(now: Standing) -> dict[Call, int]:
    """The calls of the open batch, with their places."""
    if now.open is None:
        return {}
    places = range(now.open.told.size)
    return dict(zip(name_calls(now, now.open, places), places, strict=True))


def match_results(
    found: Sequence[Result],
    now: Standing,
    wanted: Mapping[Call, int],
    missing: str,
    earlier: Callable[[Sequence[Result]], Mapping[Call, float | None]],
) -> tuple[Told, dict[int, float | None]]:
    """Results of calls that are wanted, by place; and what became of all.

    `earlier` says what counts for calls of batches that are complete.
    """
    told = [] if now.open is None else now.open.told.ravel().tolist()
    answers = [] if now.open is None else now.open.answers()
    taken: dict[int, float | None] = {}
    aside: list[Result] = []
    contradicted: dict[Call, None] = {}
    again = 0
    low, high = now.design.limits
    for call, score in found:
        place = wanted.get(call)
        if score is not None and not low <= score <= high:
            raise DataError(
                f"Model {call.model!r}, task {call.task!r}, item {call.item!r}: the score {score:g}"
                f" is not within the limits {low:g} and {high:g} of this race. Nothing was taken."
            )
        if place is None:
            aside.append(Result(call, score))
        elif told[place] or place in taken:
            again += 1
            if score != (answers[place] if told[place] else taken[place]):
                contradicted[call] = None
        else:
            taken[place] = score
    if missing == "failed":
        seen = {call.model for call, _ in found}
        for call, place in wanted.items():
            if call.model in seen and not told[place] and place not in taken:
                taken[place] = None
    waiting = now.waiting - len(taken)
    failed = sum(score is None for score in taken.values())
    # Most of what nobody wants now was never asked; what was, had an answer in an earlier batch.
    before = earlier(aside) if aside else {}
    contradicted |= {
        call: None for call, score in aside if call in before and before[call] != score
    }
    return Told(len(taken), failed, again, len(aside), waiting, tuple(contradicted)), taken


def take_results(results: Any, now: Standing, wanted: Mapping[Call, int]) -> Iterator[Result]:
    """What was handed over, call by call; names are checked, but of calls that are wanted."""
    if isinstance(results, (Mapping, list, tuple)) and not results:
        return
    if isinstance(results, Mapping) and not all(isinstance(key, str) for key in results):
        for key, score in results.items():
            if type(score) is float and score == score and type(key) is Call and key in wanted:
                yield Result(key, score)
            else:
                yield _result(key, score, now)
        return
    if isinstance(results, (list, tuple)) and any(isinstance(one, Mapping) for one in results):
        for number, record in enumerate(results, 1):
            yield _recorded(record, number, now)
        return
    paths = list(results) if isinstance(results, (list, tuple)) else [results]
    if all(isinstance(one, (str, os.PathLike)) for one in paths):
        rest = []
        for path in paths:
            records = protocol_in(Path(path))
            if records is None:
                rest.append(path)
            else:
                yield from take_results(records, now, wanted)
        if rest:
            from rankbars.readers import read

            yield from _read(read(rest, by_call=True), now)
        return
    from rankbars.intake import take_scores

    yield from _read(take_scores("tell", results), now)


def protocol_in(path: Path) -> list[dict[str, Any]] | None:
    """Results of calls in a file of lines of JSON; None if it holds something else."""
    if path.suffix.lower() not in (".jsonl", ".ndjson") or not path.is_file():
        return None
    try:
        return read_protocol(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError):
        return None  # whoever reads files says what is wrong with it


def _result(key: Any, score: object, now: Standing) -> Result:
    """A result by its call; ``(model, item)`` does where there is one task."""
    parts = tuple(key) if isinstance(key, tuple) else ()
    if len(parts) == 2:
        parts = (parts[0], now.design.tasks[0] if len(now.design.tasks) == 1 else "", parts[1])
    if len(parts) not in (3, 4):
        raise DataError(
            f"A result belongs to a call (model, task, item, trial); got {key!r}. Use the calls "
            "of race.next()."
        )
    trial = _try(parts[3] if len(parts) == 4 else 1, key)
    call = Call(str(parts[0]), str(parts[1]), str(parts[2]), trial)
    return Result(_known(call, now), _number(score, call))


def _recorded(record: object, number: int, now: Standing) -> Result:
    if not isinstance(record, Mapping) or "model" not in record or "item" not in record:
        raise DataError(f"Result {number} has no model and item; got {record!r}.")
    task = record.get("task") or (now.design.tasks[0] if len(now.design.tasks) == 1 else "")
    trial = record.get("trial")
    number_of_try = _try(1 if trial is None else trial, record)
    call = Call(str(record["model"]), str(task), str(record["item"]), number_of_try)
    failed = record.get("failed")
    if failed not in (None, True, False) or (failed and record.get("score") is not None):
        raise DataError(
            f"Result {number} has failed = {failed!r} and score = {record.get('score')!r}; a call "
            "has a score, or failed: true."
        )
    if failed:
        return Result(_known(call, now), None)
    if record.get("score") is None:
        raise DataError(
            f"Result {number} has neither a score nor failed; one of them is needed: "
            '{"failed": true} declares that the call failed.'
        )
    return Result(_known(call, now), _number(record["score"], call))


def _try(trial: object, result: object) -> int:
    if type(trial) is int and trial > 0:
        return trial
    if isinstance(trial, bool) or not isinstance(trial, Integral) or int(trial) < 1:
        raise DataError(f"A trial is a whole number from 1; got {trial!r} in {result!r}.")
    return int(trial)


def _known(call: Call, now: Standing) -> Call:
    if call.model not in now.racing:
        raise UnknownOptionError.among("model", call.model, now.models)
    check_name("task", call.task, now.design.tasks)
    return call


def _number(score: object, call: Call) -> float | None:
    if score is None:
        return None
    if not isinstance(score, (bool, int, float, np.bool_, np.integer, np.floating)):
        raise DataError(f"The score of {call.model!r} on item {call.item!r} is {score!r}; "
                        "a number is needed, or None for a call that failed.")  # fmt: skip
    value = float(score)
    if math.isnan(value):
        raise DataError(
            f"The score of {call.model!r} on item {call.item!r} is not a number. Declare a call "
            "that failed with None, or with failed in a line of JSON."
        )
    return value


def _read(scores: Scores, now: Standing) -> Iterator[Result]:
    """Results of files, in the units of the race."""
    from rankbars.data.evidence import Items

    design = now.design
    single = len(design.tasks) == 1 and not design.named and len(scores.tasks) == 1
    if not set(scores.models) & set(now.models):
        raise UnknownOptionError.among("model", scores.models[0], now.models)
    if not single and not set(scores.tasks) & set(design.tasks):
        raise UnknownOptionError.among("task", next(iter(scores.tasks)), design.tasks)
    for name, evidence in scores.tasks.items():
        task = design.tasks[0] if single else name
        if task not in design.tasks:
            continue
        if not isinstance(evidence, Items) or evidence.ids is None:
            raise DataError(f"Task {name!r} has no named items; a race needs a score per item.")
        lower = scores.info[name].direction == "lower"
        if lower != design.lower:
            raise DataError(
                f"Task {name!r}: {'lower' if lower else 'higher'} is better in these results, and "
                f"{'lower' if design.lower else 'higher'} in this race. Say so when it begins, or "
                "when results are read."
            )
        sign = -1.0 if lower else 1.0
        for column, model in enumerate(evidence.models):
            if model in now.models:
                yield from _column(evidence, column, Call(model, task, ""), sign, design.trials)


def _column(evidence: Items, column: int, call: Call, sign: float, trials: int) -> Iterator[Result]:
    """Results of one model on one task."""
    values, runs = evidence.values[:, column], evidence.by_run
    for row, item in enumerate(evidence.ids or ()):
        if trials == 1 and (evidence.answers is None or evidence.answers[row, column] == 1):
            answers = [] if math.isnan(values[row]) else [float(values[row])]
        elif runs is not None:
            answers = [float(one) for one in runs[row, :, column] if not math.isnan(one)]
        elif evidence.answers is None or evidence.answers[row, column] == trials:
            answers = [] if math.isnan(values[row]) else [float(values[row])] * trials
        else:
            answers = []
        for trial, score in enumerate(answers[:trials], 1):
            yield Result(call._replace(item=item, trial=trial), sign * score)


def read_protocol(text: str, label: str) -> list[dict[str, Any]] | None:
    """Lines of JSON with results of calls; None where the text is something else.

    Raises
    ------
    DataError
        If a line of such a text is no JSON.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        found = json.loads(f"[{','.join(lines)}]")
    except (ValueError, RecursionError):
        found = [None]
    if len(found) == len(lines) and all(map(_fits, found)):
        return found or None
    for number, line in enumerate(lines, 1):  # which line it is
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not _fits(record):
            if number == 1:
                return None
            raise DataError(f"{label}, line {number}: it is no result of a call; got {line[:80]}.")
    return None


def _fits(record: object) -> bool:
    """Whether it is a result of a call."""
    return isinstance(record, dict) and {"model", "item"} <= record.keys() <= _FIELDS

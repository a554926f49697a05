"""A case run in a folder, and what does not come out as it must."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from commandline import Answer, answer, inside
from everyday import (
    answermatrices,
    boards,
    clinics,
    columnkinds,
    competitions,
    datesandversions,
    dependence,
    directions,
    entriesofmodels,
    experiments,
    exports,
    filesagain,
    folders,
    foldsandvotes,
    forecasts,
    juries,
    limitedruns,
    lostanswers,
    madeofothers,
    mappedrecords,
    matches,
    metriccolumns,
    namedcolumns,
    notebooktables,
    outcomewords,
    pairs,
    preferences,
    printedtables,
    proposedlines,
    recordsofruns,
    sametask,
    sampledunits,
    scales,
    sheets,
    speechandsearch,
    statisticscolumns,
    tasktwice,
    trialcolumns,
    twosides,
    unscored,
    votecopies,
    wronginput,
)
from everyday.case import Case
from everyday.suggestions import misleading

CASES: tuple[Case, ...] = tuple(
    case
    for part in (
        twosides,
        speechandsearch,
        clinics,
        pairs,
        namedcolumns,
        notebooktables,
        limitedruns,
        lostanswers,
        madeofothers,
        metriccolumns,
        mappedrecords,
        preferences,
        printedtables,
        proposedlines,
        recordsofruns,
        sametask,
        sampledunits,
        scales,
        sheets,
        foldsandvotes,
        wronginput,
        answermatrices,
        boards,
        columnkinds,
        competitions,
        juries,
        matches,
        datesandversions,
        dependence,
        directions,
        entriesofmodels,
        statisticscolumns,
        tasktwice,
        trialcolumns,
        experiments,
        exports,
        filesagain,
        folders,
        forecasts,
        unscored,
        votecopies,
        outcomewords,
    )
    for case in part.CASES
)
BOARD = "-o everyday.json"
CLOSE = 1e-9


def lay_out(case: Case, folder: Path) -> None:
    """Write the files of a case."""
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def run_line(line: str) -> Answer:
    """What a line answers in the present folder; lines before the last ``;`` come first."""
    *first, last = line.split(" ; ")
    for words in first:
        answer(shlex.split(words))
    return answer(shlex.split(last))


def problems(case: Case, folder: Path, part: int = 1) -> list[str]:
    """What does not come out as the case says; empty if everything does.

    One of `part` lines that its answer suggests is typed.
    """
    lay_out(case, folder)
    holds = case.models or case.tasks or case.items or case.means
    with inside(folder):
        found = run_line(f"{case.line} {BOARD}" if holds else case.line)
        path = Path("everyday.json")
        board = json.loads(path.read_text("utf-8")) if path.exists() else None
        wrong = list(misleading(case.line.rpartition(" ; ")[2], found, part))
    printed = " ".join(f"{found.out} {found.err}".split())
    wrong += [f"does not say {words!r}" for words in case.says if words not in printed]
    wrong += [f"says {words!r}" for words in (*case.hides, "Traceback") if words in printed]
    if found.code != case.code:
        wrong.append(f"exit code {found.code}, not {case.code}")
    if holds:
        wrong += ["there is no board"] if board is None else _differences(case, board)
    return [*wrong, f"printed: {printed}"] if wrong else []


def _differences(case: Case, board: dict[str, Any]) -> Iterator[str]:
    models, tasks = board["models"], board["tasks"]
    names = [task["name"] for task in tasks]
    if case.models and sorted(models) != sorted(case.models):
        yield f"models {models}"
    if case.tasks and sorted(names) != sorted(case.tasks):
        yield f"tasks {names}"
    first = tasks[names.index(case.tasks[0])] if {*case.tasks[:1]} & {*names} else tasks[0]
    if case.items and first["n"] != case.items:
        yield f"{first['n']} rows"
    means = dict(zip(models, first["mean"], strict=True))
    for model, mean in case.means.items():
        if model not in means or abs(means[model] - mean) > CLOSE:
            yield f"{model}: {means.get(model)}, not {mean}"

"""Trials of agents and samples of code, whatever tool ran them: from records to runs.

A tool that answers each item several times writes records of (model, task, item, trial, score,
status, cost). A reader says where those lie; here they are numbered, counted once, and checked.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from rankbars.data.notes import Note, list_names
from rankbars.readers.logs.jsonvalues import as_finite
from rankbars.readers.logs.records import ERROR, SCORED, UNSCORED, Answers, Direction, Measure, Run
from rankbars.readers.parts import Part
from rankbars.tables.readoptions import ReadOptions

__all__ = ["Sheet", "Trial", "as_runs", "notes_on", "parts_of", "spent"]

# What is spent on a trial; a second measurement of it, never a task.
_LOWER = ("cost", "user_cost", "seconds", "tokens", "api_calls")

# What stands for the number of a trial, as it is kept.
_LARGEST_NUMBER = 1 << 31
_LONGEST_REASON = 60


class Trial(NamedTuple):
    """One trial of one item.

    Parameters
    ----------
    item : str
        The item.
    scores : mapping from str to (float or None)
        What was measured, by name; None for what is not known.
    status : int
        As in `rankbars.readers.logs.records.Rows`; one without its score is unscored.
    number : int, optional
        Which trial of the item it is; None if the file does not say.
    start : float, optional
        When it began, in seconds; trials without a number are numbered by it.
    identity : str
        What the record is called where it stands several times; empty if it stands once.
    reason : str
        Why it has no score, or why it ended early.
    cluster : str, optional
        Group of items that are related.
    spending : mapping from str to (float or None)
        What was spent on it, by name; a score of that name in the sheet goes before it.
    """

    item: str
    scores: Mapping[str, float | None]
    status: int = SCORED
    number: int | None = None
    start: float | None = None
    identity: str = ""
    reason: str = ""
    cluster: str | None = None
    spending: Mapping[str, float | None] = MappingProxyType({})


@dataclass(slots=True)
class Sheet:
    """Trials of one model on one task, as one file or folder has them.

    Parameters
    ----------
    source : str
        The file, or what the paths of its files begin with.
    model, task : str
        Their names.
    trials : list of Trial
        In the order of the file.
    metric : str
        The producer's main measure.
    limits : (float or None, float or None)
        Least and greatest possible score of it.
    directions : mapping from str to {"higher", "lower"}
        Side of further measures that is better, where the tool fixes it.
    published : mapping from str to float
        Means that the producer states, by measure.
    stamp : float, optional
        When it was run.
    system : mapping from str to str
        Settings that tell models of one name apart.
    repeats : bool
        Whether other sheets of the model on the task are more trials.
    named : str
        What the model is called after, where the content does not say it: ``"file"``.
    asked : bool
        Whether it must be declared which side of the measure is better.
    called : str
        Name that tells direction and scale, where it is not that of the measure.
    notes : list of Note
        What must be said about it.
    """

    source: str
    model: str
    task: str
    trials: list[Trial] = field(default_factory=list)
    metric: str = "score"
    limits: tuple[float | None, float | None] = (None, None)
    directions: Mapping[str, Direction] = field(default_factory=dict)
    published: Mapping[str, float] = field(default_factory=dict)
    stamp: float | None = None
    system: Mapping[str, str] = field(default_factory=dict)
    repeats: bool = True
    named: str = ""
    asked: bool = False
    called: str = ""
    notes: list[Note] = field(default_factory=list)

    def limits_of_shares(self) -> tuple[float | None, float | None]:
        """0 and 1, if no score lies beyond them."""
        known = [score for one in self.trials if (score := one.scores.get(self.metric)) is not None]
        return (0.0, 1.0) if all(0.0 <= score <= 1.0 for score in known) else (None, None)


def spent(*parts: object) -> float | None:
    """The sum of what was spent; None where no part is a number of 0 or more.

    Examples
    --------
    >>> spent(10, 5, None), spent(None), spent(-1)
    (15.0, None, None)
    """
    known = [number for part in parts if (number := as_finite(part)) is not None and number >= 0]
    total = math.fsum(known)
    return total if known and math.isfinite(total) else None


def parts_of(sheets: Sequence[Sheet], options: ReadOptions) -> list[Part]:
    """What files hold that hold nothing but sheets: their runs, and what must be said of them."""
    return [*as_runs(sheets), *notes_on(sheets, counted=options.failed)]


def as_runs(sheets: Iterable[Sheet]) -> list[Run]:
    """Runs of sheets; a record that stands in several of them counts once, and is noted.

    Trials without numbers are numbered by when they began, then by their order in the file.

    Examples
    --------
    >>> sheet = Sheet("run.json", "a", "math", [Trial("q1", {"score": 1.0}),
    ...     Trial("q1", {}, ERROR, reason="crashed")])
    >>> run, = as_runs([sheet])
    >>> run.rows.repeats.tolist(), run.measures["score"].scores.tolist()
    ([0, 1], [1.0, nan])
    """
    seen: dict[tuple[str, str, str], str] = {}
    runs = []
    for sheet in sheets:
        kept = []
        places: Counter[str] = Counter()
        own = {name for trial in sheet.trials for name in _known(trial.scores)}
        for trial in sheet.trials:
            key = (sheet.model, sheet.task, trial.identity)
            if trial.identity and key in seen:
                places[seen[key]] += 1
                continue
            if trial.identity:
                seen[key] = sheet.source
            kept.append(_settled(trial, sheet.metric, own))
        notes = [
            Note("copies", f"{sheet.source}: {count} records stand in {where} too; each counts "
                 "once.")
            for where, count in places.items()
        ]  # fmt: skip
        sheet.trials = kept
        if kept:
            runs.append(_run(sheet, [*sheet.notes, *notes]))
        elif notes:  # nothing but copies: the run that they are of tells it
            runs[-1] = replace(runs[-1], notes=(*runs[-1].notes, *notes))
    return runs


def _settled(trial: Trial, metric: str, own: Collection[str]) -> Trial:
    """The trial with what is known of it; without its score where it has none.

    What was spent stands among the scores, unless the sheet has a score of its `own` called so.
    """
    spending = {name: amount for name, amount in trial.spending.items() if name not in own}
    scores = _known({**trial.scores, **spending})
    status = UNSCORED if trial.status == SCORED and metric not in scores else trial.status
    if status != SCORED:
        scores.pop(metric, None)
    return trial._replace(scores=scores, status=status, spending={})


def _known(scores: Mapping[str, float | None]) -> dict[str, float]:
    return {
        name: score for name, score in scores.items() if score is not None and not math.isnan(score)
    }


def _run(sheet: Sheet, notes: Sequence[Note]) -> Run:
    trials = sheet.trials
    answers = Answers(("item", "position"))
    numbers = _numbers(trials)
    given = Counter((trial.item, trial.number) for trial in trials if trial.number is not None)
    if twice := sum(given.values()) - len(given):
        notes = [*notes, Note("copies", f"{sheet.source}: trials with a number that another trial "
                              f"of the same item has: {twice}. Each counts.")]  # fmt: skip
    for number, trial in zip(numbers, trials, strict=True):
        answers.add(
            trial.item, trial.scores, status=trial.status, repeat=number, cluster=trial.cluster
        )
    # Where nothing is scored, what was spent is no score either.
    scored = sheet.metric in answers.metrics
    names = dict.fromkeys((sheet.metric, *(answers.metrics if scored else ())))
    measures = {}
    for name in names:
        column = answers.column(name)
        if name in _LOWER and not (column > 0).any():
            continue  # nobody counted it
        known = column[column == column]
        told = (sheet.called or None) if name == sheet.metric else None
        measures[name] = Measure(
            name,
            scores=column if len(known) else None,
            value=sheet.published.get(name),
            n=len({trial.item for trial in trials}) if name in sheet.published else None,
            metric=told,
            direction=_direction(name, sheet),
            origin=f"by what {told or name!r} means",
            limits=sheet.limits if name == sheet.metric else (None, None),
        )
    return Run(
        sheet.source,
        sheet.model,
        sheet.task,
        measures,
        rows=answers.rows(),
        headline=sheet.metric,
        system=sheet.system,
        stamp=sheet.stamp,
        trials=sheet.repeats,
        notes=tuple(notes),
    )


def _direction(name: str, sheet: Sheet) -> Direction | None:
    if name == sheet.metric and not sheet.asked:
        return sheet.directions.get(name, "higher")
    return sheet.directions.get(name, "lower" if name in _LOWER else None)


def _numbers(trials: Sequence[Trial]) -> list[int]:
    """Number of each trial: the given ones, if they tell the trials of each item apart."""
    given = {(trial.item, trial.number) for trial in trials}
    if len(given) == len(trials) and all(
        trial.number is not None and 0 <= trial.number < _LARGEST_NUMBER for trial in trials
    ):
        return [int(trial.number or 0) for trial in trials]
    order = sorted(range(len(trials)), key=lambda at: (trials[at].start or 0.0, at))
    counts: Counter[str] = Counter()
    numbers = [0] * len(trials)
    for at in order:
        numbers[at] = counts[trials[at].item]
        counts[trials[at].item] += 1
    return numbers


def notes_on(sheets: Sequence[Sheet], *, counted: bool) -> list[Note]:
    """What must be said about sheets as a whole, after `as_runs` has seen them.

    Models that are called after files; trials that failed, have no score or ended early, with
    reasons; items whose grader is broken; amounts that nobody counted. `counted` says whether
    trials without a score count as the lowest one, so that it need not be advised.
    """
    notes = []
    if named := list(dict.fromkeys(sheet.model for sheet in sheets if sheet.named)):
        text = f"Models are called after their files or folders: {list_names(named)}."
        notes.append(Note("name-from-file", text))
    for task in dict.fromkeys(sheet.task for sheet in sheets):
        of_task = [sheet for sheet in sheets if sheet.task == task]
        for status, code, text in (
            (ERROR, "failed-trials", "trials that failed and have no score: "),
            (UNSCORED, "unscored-trials", "trials that ran and have no score: "),
            (SCORED, "ended-early", "trials that ended early and are scored: "),
        ):
            if found := _reasons(of_task, status):
                hint = (
                    "" if counted or status == SCORED
                    else " They are left out."
                )  # fmt: skip
                models = tuple(dict.fromkeys(
                    sheet.model for sheet in of_task
                    if any(one.status == status for one in sheet.trials)
                ))  # fmt: skip
                notes.append(Note(code, text + found + hint, task, models))
        notes += _broken(of_task, task)
    for name in _LOWER:
        amounts = {sheet.model: 0.0 for sheet in sheets}
        given = {sheet.model for sheet in sheets for one in sheet.trials if name in one.scores}
        for sheet in sheets:
            amounts[sheet.model] += sum(one.scores.get(name) or 0.0 for one in sheet.trials)
        if nothing := [model for model in amounts if model in given and not amounts[model]]:
            notes.append(Note("cost", f"{name} of {list_names(nothing)} is 0 in all records, which "
                              "says that nobody counted it."))  # fmt: skip
    return notes


def _reasons(sheets: Sequence[Sheet], status: int) -> str:
    """How many trials of each model have a reason or no score, and which reasons."""
    every: dict[str, list[Trial]] = {}
    for sheet in sheets:
        every.setdefault(sheet.model, []).extend(sheet.trials)
    parts = []
    for model, trials in every.items():
        found = [one.reason or "no reason given" for one in trials
                 if one.status == status and (one.reason or status != SCORED)]  # fmt: skip
        if found:
            shown = ", ".join(f"{reason[:_LONGEST_REASON]} {count}"
                              for reason, count in Counter(found).most_common(4))  # fmt: skip
            parts.append(f"{model!r} {len(found)} of {len(trials)} ({shown})")
    more = f"; and {len(parts) - 4} more models" if len(parts) > 4 else ""
    return "; ".join(parts[:4]) + more + "." if parts else ""


def _broken(sheets: Sequence[Sheet], task: str) -> Iterator[Note]:
    """Items on which every trial of every model failed in one way."""
    reasons: dict[str, set[str]] = {}
    for sheet in sheets:
        for trial in sheet.trials:
            found = reasons.setdefault(trial.item, set())
            found.add(trial.reason if trial.status == ERROR else "")
    items = [item for item, found in reasons.items() if len(found) == 1 and found != {""}]
    if items and len({sheet.model for sheet in sheets}) > 1:
        yield Note(
            "broken-items",
            f"every trial of every model failed in one way on {list_names(items)}: the grader may "
            "be broken.",
            task,
        )

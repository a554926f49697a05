"""What is missing where: the rows without a score, and what is known of why."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Evidence, Items, Votes
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import Outline, models_of, outline_of
from rankbars.errors import DataError

__all__ = [
    "Gap",
    "Reasons",
    "count_outcomes",
    "count_reasons",
    "find_gaps",
    "known_rows",
    "lost_rows",
    "lost_trials",
    "never_run",
    "of_own_rows",
    "refuse_lost",
    "row_values",
    "tasks_apart",
    "to_declare",
    "worst_for_trials",
]


class Gap(NamedTuple):
    """Rows of one task that one model has no score for."""

    task: str
    model: str
    missing: int
    rows: int


def find_gaps(scores: Scores) -> list[Gap]:
    """Every (task, model) with a missing score, in order of task and model."""
    gaps: list[Gap] = []
    models = scores.models
    for task in scores.tasks:
        outline = known_rows(scores, task)
        rows, counts = outline.rows, outline.missing.tolist()
        missing: dict[str, int] = dict(zip(models_of(scores.tasks, task), counts, strict=True))
        gaps.extend(
            Gap(task, model, count, rows) for model in models if (count := missing.get(model, rows))
        )
    return gaps


def never_run(scores: Scores, gap: Gap) -> bool:
    """Whether the model left no trace on the task: nothing scored, nothing failed or unscored."""
    if gap.missing < gap.rows:
        return False
    coverage = scores.info[gap.task].coverage
    models = models_of(scores.tasks, gap.task)
    if coverage is None or gap.model not in models:
        return True
    place = models.index(gap.model)
    return int(coverage.errors[place] + coverage.unscored[place]) == 0


def tasks_apart(scores: Scores) -> str:
    """What is said of two models of which neither has any task of the other; nothing otherwise."""
    if len(scores.models) != 2:
        return ""
    lacking = {(gap.task, gap.model) for gap in find_gaps(scores) if never_run(scores, gap)}
    owned = {
        model: [task for task in scores.tasks if (task, model) not in lacking]
        for model in scores.models
    }
    if len(lacking) < len(scores.tasks) or not all(owned.values()):
        return ""
    (one, first), (other, second) = owned.items()
    said = (
        f"Models {one!r} and {other!r} have no task in common, so they cannot be compared: "
        f"{first[0]!r} has scores of {one!r} alone, and {second[0]!r} of {other!r} alone."
    )
    paths = {PurePath(given.path).name.partition(".")[0]: given.path for given in scores.inputs}
    if len(first) == len(second) == 1 and {first[0], second[0]} == set(paths):
        named = {task: paths[task] for task in (first[0], second[0])}
        sides = shlex.join(f"{task}={path}" for task, path in named.items())
        return (
            f"{said} These tasks are called like the two files. If both files hold one task, name "
            f"them as its two sides: {sides} (in Python: "
            f"rb.read({named!r}))."
        )
    return f"{said} Are tasks named alike for both?"


def of_own_rows(scores: Scores) -> tuple[str, ...]:
    """Tasks on which each row was given to one model, as requests in an A/B test: none is shared.

    Examples
    --------
    >>> values = np.array([[1.0, np.nan], [np.nan, 0.0], [np.nan, 1.0]])
    >>> of_own_rows(Scores.from_arrays({"chats": values}, ["a", "b"]))
    ('chats',)
    """
    return tuple(
        task
        for task, evidence in scores.tasks.items()
        if isinstance(evidence, Items) and _are_own(evidence, scores.info[task].coverage)
    )


def _are_own(items: Items, coverage: Coverage | None) -> bool:
    there = ~np.isnan(items.values)
    if np.count_nonzero(there.any(axis=0)) < 2 or there.sum(axis=1).max(initial=0) > 1:
        return False
    # Rows of models that were not chosen are nobody's here.
    return coverage is None or int((coverage.expected - coverage.missing).sum()) <= items.n


def known_rows(scores: Scores, task: str) -> Outline:
    """What is known of a task; one row if it has one score per model."""
    known = outline_of(scores.tasks, task)
    return Outline.of(row_values(scores.tasks[task])) if known is None else known


def row_values(evidence: Evidence) -> NDArray[np.float64]:
    """Scores by row; models with votes on a task count as one row without a gap."""
    if isinstance(evidence, Votes):
        return np.zeros((1, len(evidence.models)))
    return evidence.values if isinstance(evidence, Items) else evidence.mean[None, :]


class Reasons(NamedTuple):
    """Why scores are missing, as far as the input says."""

    failed: int
    absent: int


def count_reasons(scores: Scores, gaps: list[Gap]) -> Reasons:
    """How many scores are missing for which reason."""
    failed = absent = 0
    for gap in gaps:
        coverage, models = scores.info[gap.task].coverage, models_of(scores.tasks, gap.task)
        if coverage is None or gap.model not in models:
            absent += gap.missing
            continue
        place = models.index(gap.model)
        errors, unscored = int(coverage.errors[place]), int(coverage.unscored[place])
        failed += min(errors, gap.missing)
        absent += max(gap.missing - errors - unscored, 0)
    return Reasons(failed, absent)


def count_outcomes(scores: Scores) -> Scores:
    """The same scores with the outcomes of all rows counted, as far as they are known.

    Counts are of the input: what is done about missing scores later does not change them.

    Parameters
    ----------
    scores : Scores
        Tasks whose reader told apart what failed, what ran unscored and what left no trace keep
        those counts; else every row without a score is missing. Published scores and votes have
        no rows to count.

    Examples
    --------
    >>> scores = Scores.from_arrays({"math": [[1, 0], [0, np.nan]]}, ["a", "b"])
    >>> counts = count_outcomes(scores).info["math"].coverage
    >>> counts.scored.tolist(), counts.zeros.tolist(), counts.missing.tolist()
    ([2, 1], [1, 1], [0, 1])
    """
    info = {}
    for name in scores.tasks:
        about = scores.info[name]
        outline = outline_of(scores.tasks, name)
        if outline is not None:
            coverage = about.coverage or _observe(outline)
            about = replace(about, coverage=replace(coverage, zeros=outline.zeros))
        info[name] = about
    return replace(scores, info=info)


def _observe(outline: Outline) -> Coverage:
    scored = outline.rows - outline.missing
    nothing = np.zeros_like(scored)
    return Coverage(outline.rows, scored, nothing, nothing, outline.missing)


# How the readers end such a note where nothing counts for the answer.
_NOT_COUNTED = "They are left out."
_ROWS = "rows-without-score"
_MOST_SHOWN = 5


def lost_trials(scores: Scores) -> list[Note]:
    """Notes on answers without a score, beside scored ones, that do not count.

    Beside them are answers to the same item, or, where no item is named, the model's other rows.
    """
    codes = ("failed-trials", "unscored-trials", _ROWS)
    return [one for one in scores.notes if one.code in codes and _NOT_COUNTED in one.message]


def lost_rows(scores: Scores) -> list[Note]:
    """Those of `lost_trials` on rows of which no column names the item."""
    return [one for one in lost_trials(scores) if one.code == _ROWS]


def refuse_lost(scores: Scores, notes: Sequence[Note], done: str, call: str) -> DataError:
    """What has no score beside scored answers, and the lines to paste.

    Parameters
    ----------
    scores : Scores
        Results.
    notes : sequence of Note
        Of `lost_trials`.
    done : str
        What was not done, such as ``"judged"``.
    call : str
        The call in Python.
    """
    worst = worst_for_trials(scores)
    declare = f" (declare it: {worst})" if worst else ""
    shown = [note.message.partition(f" {_NOT_COUNTED}")[0] for note in notes[:_MOST_SHOWN]]
    if len(notes) > _MOST_SHOWN:
        shown.append(f"And {len(notes) - _MOST_SHOWN:,} more tasks.")
    return DataError("\n".join((
        *shown,
        f"Nothing was {done}. Choose what to do with them (the line to paste):",
        f"  --missing fail        they count as the lowest score{declare}",
        "  --missing pairwise    they are left out; valid only if what failed has nothing to do "
        "with the score",
        f"In Python: {call}",
    )))  # fmt: skip


def worst_for_trials(scores: Scores) -> str:
    """What must be declared so that trials without a score can count as the worst; or nothing."""
    rows = {one.task for one in lost_rows(scores)}
    names = [name for name, task in scores.tasks.items() if isinstance(task, Items) or name in rows]
    return to_declare(scores, [Gap(name, "", 0, 0) for name in names])


def to_declare(scores: Scores, gaps: list[Gap]) -> str:
    """Options that declare the worst scores that tasks with gaps lack; "" if they lack none.

    What is declared holds for all tasks, so a bound is named only where no score lies beyond it.
    """
    lacking = set()
    for gap in gaps:
        info = scores.info[gap.task]
        higher = info.direction == "higher"
        if (info.minimum if higher else info.maximum) is None:
            lacking.add("--score-min" if higher else "--score-max")
    if not lacking:
        return ""
    low, high = np.inf, -np.inf
    for name, evidence in scores.tasks.items():
        values = row_values(evidence)
        values = values[np.isfinite(values)]
        if values.size and not isinstance(evidence, Votes):
            ends = (float(values.min()), float(values.max()))
            if scores.info[name].direction == "lower":
                ends = (-ends[1], -ends[0])
            low, high = min(low, ends[0]), max(high, ends[1])
    bounds = {
        "--score-min": "0" if low >= 0 else "X (the worst that there is)",
        "--score-max": next(
            (str(end) for end in (1, 100) if high <= end), "X (the worst that there is)"
        ),
    }
    return " ".join(f"{option} {bounds[option]}" for option in sorted(lacking, reverse=True))

"""Results that are read by themselves, as results of one model each, and put side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from rankbars.data.evidence import Estimates, Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import Input
from rankbars.errors import DataError, OptionError, RankbarsError
from rankbars.readers.chosenfiles import Paths
from rankbars.tables.joining import join_scores
from rankbars.tables.oddscores import check_scale
from rankbars.tables.readoptions import SHARED_TASK
from rankbars.tables.reruns import TEXTS
from rankbars.tables.strays import items_with_gaps, refuse_alike_rows

__all__ = ["ReadOne", "join_sides", "name_side", "read_sides"]

# Notes that count trials of each model.
_COUNTED = ("failed-trials", "unscored-trials", "ended-early", "cost", "coverage")
_MOST_SHOWN = 5


class ReadOne(Protocol):
    """Reads one input."""

    def __call__(self, paths: Paths, *, beside: bool, side: str, item: str = "") -> Scores:
        """Its scores; `beside` others, it shares with them the task that it does not name.

        Tables that name no model hold results of one that is called after the `side`. An `item` is
        the column that names items.
        """


def read_sides(
    named: Mapping[str, Paths],
    read: ReadOne,
    texts: Callable[[Mapping[str, Paths]], tuple[str, Note | None] | None],
    *,
    anyway: bool = False,
) -> Scores:
    """The results behind each name, as those of a model of that name.

    Parameters
    ----------
    named : mapping from str to paths
        What to read, by name.
    read : callable
        Reads one input.
    texts : callable
        Tells of inputs by name in which column texts differ where ids are the same, with a note
        unless they match the rows; None if they do not differ.
    anyway : bool
        Whether they are compared although they were not given the same task.

    Raises
    ------
    OptionError
        If a name is empty, or nothing is named.
    DataError
        If an input holds several models, or those of two cannot be joined.
    """
    if not named or not all(isinstance(name, str) and name for name in named):
        raise OptionError(
            f"Inputs are named by a mapping from names to paths, none of them empty; got {named!r}."
        )

    def sides(item: str) -> dict[str, Scores]:
        read_apart = {
            name: name_side(read(paths, beside=True, side=name, item=item), name, paths)
            for name, paths in named.items()
        }
        return _with_folders(read_apart)

    try:
        joined = join_sides(sides(""), anyway=anyway)
    except DataError as error:
        found = None
        if "none has a name in common" in str(error):
            found = _match_texts(sides, TEXTS, "have no name in common", anyway=anyway)
        if found is None:
            raise
        return found
    other = texts(named)
    if other is None:
        return joined
    column, note = other
    if note is None:
        found = _match_texts(sides, (column,), "name other rows in each", anyway=anyway)
        return joined if found is None else found
    return joined.with_notes([note])


def _with_folders(sides: dict[str, Scores]) -> dict[str, Scores]:
    """The only file of a side with the task of its folder, where another side has such a task."""
    tasks = {task for one in sides.values() for task in one.tasks} - {SHARED_TASK}
    found = {}
    for name, scores in sides.items():
        folder = Path(scores.inputs[0].path).parent.name if len(scores.inputs) == 1 else ""
        unnamed = tuple(scores.tasks) == (SHARED_TASK,) and folder in tasks
        found[name] = _entitle(scores, folder) if unnamed else scores
    return found


def _entitle(scores: Scores, task: str) -> Scores:
    named = scores.rename(tasks={SHARED_TASK: task})
    told = f"it is called {SHARED_TASK!r}", f"it is called {task!r}"
    notes = [replace(one, message=one.message.replace(*told)) for one in named.notes]
    return replace(named, notes=tuple(notes))


def _match_texts(
    sides: Callable[[str], dict[str, Scores]], columns: Sequence[str], why: str, *, anyway: bool
) -> Scores | None:
    """Sides whose ids name no rows of both, matched by what was asked; None if they cannot be."""
    for column in columns:
        try:
            found = join_sides(sides(column), anyway=anyway)
        except RankbarsError:
            continue
        note = Note(
            "matched-by-text",
            f"The ids of the inputs {why}, so rows are matched by the text in {column!r}. To match "
            "them by something else: --column item=NAME.",
        )
        return found.with_notes([note])
    return None


def name_side(scores: Scores, name: str, paths: Paths) -> Scores:
    """Results of one model, which is called `name` from here on.

    Raises
    ------
    DataError
        If there are several models.
    """
    if len(scores.models) == 1:
        old, named = repr(scores.models[0]), scores.rename(models={scores.models[0]: name})
        # What is counted for each model is told under the name that it has from here on.
        notes = (
            replace(one, message=one.message.replace(old, repr(name)))
            if one.code in _COUNTED else one
            for one in named.notes
        )  # fmt: skip
        return replace(named, notes=tuple(notes))
    shown = ", ".join(repr(model) for model in scores.models[:_MOST_SHOWN])
    more = len(scores.models) - _MOST_SHOWN
    raise DataError(
        f"{_place(paths)} holds {len(scores.models)} models ({shown}"
        f"{f' and {more} more' if more > 0 else ''}), so it cannot be called {name!r}. Give "
        "inputs of one model each, or leave the names out."
    )


def join_sides(sides: Mapping[str, Scores], *, anyway: bool = False) -> Scores:
    """Results of different models under the names of their sides, put together.

    They were given the same task, or are compared `anyway`.

    What is said of several files in the same words is said once; that rows were matched, where
    some sides lack some of them.
    """
    joined = join_scores(list(sides.values()), list(sides), anyway=anyway)
    refuse_alike_rows(items_with_gaps(joined))
    _check_scales(joined)
    told: dict[tuple[str, str | None, str], Note] = {}
    places: dict[tuple[str, str | None, str], list[str]] = {}
    for note in joined.notes:
        if note.code == "joined" and _same_rows(note.task or "", joined, sides.values()):
            continue
        place, words = _parted(note.message, joined.inputs)
        # Of sides that are joined one after the other, the last note tells of all of them.
        key = (note.code, note.task, "" if note.code == "joined" else words)
        told[key] = replace(note, message=words)
        if place:
            places.setdefault(key, []).append(place)
    notes = []
    for key, note in told.items():
        where = f"{', '.join(places[key])}: " if key in places else ""
        notes.append(replace(note, message=where + note.message))
    return replace(joined, notes=tuple(notes))


def _check_scales(joined: Scores) -> None:
    """Raises `DataError` where one side counts to 1 and the other one to 10 or 100."""
    largest, metrics = {}, {}
    limits = [limit for one in joined.info.values() for limit in (one.minimum, one.maximum)]
    for name, evidence in joined.tasks.items():
        info = joined.info[name]
        tops = None
        if isinstance(evidence, Items) and evidence.n:
            tops = np.fmax.reduce(evidence.values, axis=0)
        elif isinstance(evidence, Estimates):
            tops = evidence.mean
        if tops is not None and info.direction == "higher":
            top = dict(zip(evidence.models, tops, strict=True))
            largest[name] = np.array([top.get(model, np.nan) for model in joined.models])
            metrics[name] = info.metric
    declared = [limit for limit in limits if limit is not None]
    check_scale(largest, metrics, joined.models, declared, any_name=True)


def _same_rows(task: str, joined: Scores, sides: Iterable[Scores]) -> bool:
    """Whether every side that has the task has all of its rows."""
    rows = getattr(joined.tasks[task], "ids", None)
    return all(getattr(one.tasks[task], "ids", None) == rows for one in sides if task in one.tasks)


def _parted(message: str, inputs: Sequence[Input]) -> tuple[str, str]:
    """The file that a message begins with, and the rest; no file where it names none."""
    for one in inputs:
        if message.startswith(f"{one.path}: "):
            return one.path, message[len(one.path) + 2 :]
    return "", message


def _place(paths: Paths) -> str:
    if isinstance(paths, str | os.PathLike):
        return os.fspath(paths)
    return ", ".join(os.fspath(path) for path in paths[:_MOST_SHOWN])

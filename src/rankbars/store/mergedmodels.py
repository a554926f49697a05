"""Models that stand under several names in the results of a store, as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import (
    Coverage,
    Estimates,
    Evidence,
    Items,
    Votes,
    rename_models,
    take_models,
)
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import Change, change_tasks, models_of
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError

__all__ = ["merge_models"]

_CELLS = ("values", "answers", "within", "runs", "trials", "judge")


def merge_models(scores: Scores, merged: Mapping[str, str]) -> Scores:
    """The scores with models of several names as one.

    Parameters
    ----------
    scores : Scores
        Under the names that the results have.
    merged : mapping from str to str
        Names that go, and the one that stays for each.

    Raises
    ------
    DataError
        If two names of a model have different scores for one row, or votes against each other.

    Examples
    --------
    >>> values = {"law": [[1.0, np.nan, 0.0], [np.nan, 0.0, 1.0]]}
    >>> scores = Scores.from_arrays(values, ["a", "a-v1", "b"])
    >>> merge_models(scores, {"a-v1": "a"}).tasks["law"].values.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if not merged:
        return scores
    changes: dict[str, Change | None] = dict.fromkeys(scores.tasks)
    info = dict(scores.info)
    for task in scores.tasks:
        names = models_of(scores.tasks, task)
        places: dict[str, list[int]] = {}
        for place, name in enumerate(names):
            places.setdefault(merged.get(name, name), []).append(place)
        # The name that stays says of the first of its columns what it holds.
        places = {name: sorted(some, key=lambda i: names[i] in merged)
                  for name, some in places.items()}  # fmt: skip
        if tuple(places) == names:
            continue
        change = partial(_merge, places=places, task=task, lower=info[task].direction == "lower")
        changes[task] = Change(change, tuple(places))
        if len(places) < len(names):  # looked at now, so that what cannot be merged is told here
            before = scores.tasks[task]
            info[task] = _count(info[task], before, change(before), places)
    attributes: dict[str, Mapping[str, str]] = {}
    for name, said in sorted(scores.attributes.items(), key=lambda one: one[0] not in merged):
        stays = merged.get(name, name)
        attributes[stays] = {**attributes.get(stays, {}), **said}
    notes = tuple(
        replace(note, models=tuple(dict.fromkeys(merged.get(one, one) for one in note.models)))
        for note in scores.notes
    )
    tasks = change_tasks(scores.tasks, changes)
    return replace(scores, tasks=tasks, info=info, notes=notes, attributes=attributes)


def _merge(
    evidence: Evidence, places: Mapping[str, list[int]], task: str, *, lower: bool
) -> Evidence:
    names, columns = tuple(places), list(places.values())
    if isinstance(evidence, Votes):
        return _merge_votes(evidence, names, columns, task)
    if isinstance(evidence, Estimates):
        columns = [_one_estimate(evidence, some, task, lower=lower) for some in columns]
    found = rename_models(take_models(evidence, [some[0] for some in columns]), names)
    if not isinstance(evidence, Items) or not isinstance(found, Items):
        return found
    cells: dict[str, Any] = {name: np.array(getattr(found, name)) for name in _CELLS
             if getattr(found, name) is not None}  # fmt: skip
    for k, (first, *others) in enumerate(columns):
        for other in others:
            _fill(evidence, cells, k, first, other, task, lower=lower)
    return replace(found, **cells)


def _fill(
    items: Items, cells: Mapping[str, NDArray[np.float64]], k: int, first: int, other: int,
    task: str, *, lower: bool,
) -> None:  # fmt: skip
    """Put the rows of another column into the k-th, which began as the first."""
    theirs = ~np.isnan(items.values[:, other])
    both = theirs & ~np.isnan(cells["values"][:, k])
    for name, own in cells.items():
        given = getattr(items, name)[..., other]
        if name == "judge":
            own[..., k] = np.where(np.isnan(own[..., k]), given, own[..., k])
            continue
        same = (own[..., k] == given) | (np.isnan(own[..., k]) & np.isnan(given))
        differ = both & ~same.reshape(len(same), -1).all(axis=1)
        if differ.any():
            row = int(np.flatnonzero(differ)[0])
            shown = repr(items.ids[row]) if items.ids is not None else f"{row + 1}"
            pair = (cells["values"][row, k], items.values[row, other])
            raise _differ(items, first, other, f"row {shown} of task {task!r}", pair, lower=lower)
        own[theirs, ..., k] = given[theirs]


def _one_estimate(evidence: Estimates, some: list[int], task: str, *, lower: bool) -> list[int]:
    """The column of a model of several names that has a score."""
    known = [i for i in some if not np.isnan(evidence.mean[i])] or some[:1]
    first = known[0]
    for other in known[1:]:
        held = [array[[first, other]] for array in (evidence.mean, evidence.se, evidence.n)
                if array is not None]  # fmt: skip
        if evidence.cov is not None or not all(
            np.array_equal(one[:1], one[1:], equal_nan=True) for one in held
        ):
            pair = (evidence.mean[first], evidence.mean[other])
            raise _differ(evidence, first, other, f"task {task!r}", pair, lower=lower)
    return [first]


def _differ(
    evidence: Evidence, first: int, other: int, where: str, pair: tuple[float, float], *,
    lower: bool,
) -> DataError:  # fmt: skip
    shown = [f"{-value + 0.0 if lower else value:g}" for value in pair]
    but = f"{shown[0]} and {shown[1]}" if shown[0] != shown[1] else f"{shown[0]}, of other answers"
    return DataError(
        f"The models {evidence.models[first]!r} and {evidence.models[other]!r} are said to be one, "
        f"and both have a score for {where}, and not the same: {but}. Take the file that is wrong "
        "out (rankbars remove), or count them as two models."
    )


def _merge_votes(
    votes: Votes, names: tuple[str, ...], columns: list[list[int]], task: str
) -> Votes:
    place = np.zeros(len(votes.models), dtype=np.int64)
    for k, some in enumerate(columns):
        place[some] = k
        between = np.triu(votes.met[np.ix_(some, some)])
        if between.any():
            one, two = (votes.models[some[i]] for i in np.argwhere(between)[0])
            raise DataError(
                f"The models {one!r} and {two!r} are said to be one, and {between.sum():g} votes "
                f"of {task!r} are about the two against each other. Take the file with these votes "
                "out (rankbars remove), or count them as two models."
            )
    sums = np.eye(len(names))[place]
    wins, ties, bad = (None if one is None else sums.T @ one @ sums
                       for one in (votes.wins, votes.ties, votes.both_bad))  # fmt: skip
    ballots = votes.ballots
    if ballots is not None:
        ballots = replace(ballots, first=place[ballots.first], second=place[ballots.second])
    return Votes(names, votes.wins if wins is None else wins, ties, bad, ballots)


def _count(
    info: TaskInfo, before: Evidence, after: Evidence, places: Mapping[str, list[int]]
) -> TaskInfo:
    """What became of the rows of each model.

    A row that failed under one name may have a score under another: no more failed than have none.
    """
    held = info.coverage
    if held is None:
        return info
    counts = {
        name: np.array([getattr(held, name)[some].sum() for some in places.values()])
        for name in ("scored", "unscored", "errors")
    }
    if isinstance(before, Items) and isinstance(after, Items):
        known = (~np.isnan(before.values)).sum(axis=0)
        every = np.array([known[some].sum() for some in places.values()])
        counts["scored"] -= every - (~np.isnan(after.values)).sum(axis=0)  # the same row twice
    left = np.full(len(places), held.expected)
    for name, count in counts.items():
        counts[name] = np.minimum(count, left)
        left = left - counts[name]
    return replace(info, coverage=Coverage(held.expected, **counts, missing=left))

"""Dependence that nobody declared is asked about: rows and tasks that resemble each other.

Nothing is changed silently: a note asks one question per board, says what to paste, and how much
wider intervals get if the answer is yes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import Note
from rankbars.data.rightanswers import is_binary
from rankbars.stats.ranks import midranks
from rankbars.stats.rowsigns import (
    Resemblance,
    group_resemblance,
    neighbour_resemblance,
    residuals,
)

__all__ = ["RowFinding", "ask_about_rows", "ask_about_tasks", "examine_rows", "question_rows"]

_SURE = 3.1  # standard deviations of chance
# Of days, weeks and months it is usual that neighbours go together: fewer rows are looked at, and
# less tells. In simulations of 30 days with a correlation of 0.6, 95 % statements held for 72 %.
_FEWEST_TIMES, _SURE_OF_TIMES = 8, 1.5
_TIME = re.compile(r"\d{4}[-/.]\d\d(?:[-/.]\d\d(?:[T ]\d\d.*)?)?")
_NEIGHBOURS = 0.05  # correlation of neighbouring rows
_WIDER = 1.1  # standard error of groups over that of independent rows
_FEWEST_TO_ASK = 20  # rows; of fewer nothing can be told
_FEWEST_ROWS, _MOST_ROWS = 50, 20_000
_FEWEST_GROUPS, _MOST_SINGLE = 5, 0.8  # groups; of the rows
_MOST_MODELS = 200  # of more, as many evenly spaced ones stand for the field
_FEWEST_EQUAL = 3  # distinct scores of rows that are equal
# Numbers, words, and words of a camel's back: "CQADupstackUnix" is "CQADupstack", "Unix".
_PARTS = re.compile(r"\d+|[A-Z]+[^\WA-Z\d_]*|[^\WA-Z\d_]+")
_NUMBERED = re.compile(r"(.*?)(\d+)\D*")
_LONGEST = 8  # parts of a name that are looked at
_KEPT = 4  # lists of names of which is kept what they say: those of tasks are often the same


PASTE_FILE = "--clusters FILE, or --column cluster=NAME, says which rows go together;"
PASTE_COLUMN = "--column cluster=NAME says which rows go together;"
_INDEPENDENT = "--rows independent says that they do not."


class RowFinding(NamedTuple):
    """What rows of a task look like that were not declared to depend on each other.

    Attributes
    ----------
    kind : {"neighbours", "times", "names", "repeated"}
        Whether consecutive rows, rows of consecutive times, rows whose names begin alike, or equal
        rows were found.
    found : Resemblance, optional
        How much they resemble each other; None for rows that stand there twice.
    number : int
        Groups of names, or rows that repeat another.
    example : str
        One of them.
    """

    kind: Literal["neighbours", "times", "names", "repeated"]
    found: Resemblance | None
    number: int = 0
    example: str = ""


def examine_rows(evidence: Evidence) -> RowFinding | None:
    """What must be asked about the rows of one task; None if nothing.

    Rows are asked about where they are items, and no clusters are known.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> sentences = np.repeat(rng.random((40, 3)), 5, axis=0)
    >>> examine_rows(Items(("a", "b", "c"), sentences + rng.normal(size=(200, 3)) / 5)).kind
    'neighbours'
    """
    if not isinstance(evidence, Items) or evidence.design != "items":
        return None
    if evidence.clusters is not None or len(evidence.models) < 2:
        return None
    if (times := _examine_times(evidence)) is not None:
        return times
    repeated = _repeated(evidence) if evidence.n >= _FEWEST_TO_ASK else None
    if repeated is not None:
        return repeated
    if evidence.n < _FEWEST_ROWS:
        return None
    count = len(evidence.models)
    columns = np.unique(np.linspace(0, count - 1, min(count, _MOST_MODELS)).astype(np.intp))
    order = _natural_order(evidence.ids, evidence.n)
    rows = (np.arange(evidence.n) if order is None else order)[:_MOST_ROWS]
    in_order = rows.size == evidence.n and bool((np.diff(rows) == 1).all())
    if evidence.n <= _MOST_ROWS:  # faster than both at once
        some = evidence.values.take(columns, axis=1)
        errors = residuals(some if in_order else some[rows])
    else:
        errors = residuals(evidence.values[np.ix_(rows, columns)])
    asked = []
    if order is not None:
        beside = neighbour_resemblance(errors, _NEIGHBOURS)
        if beside is not None and beside.z > _SURE:
            asked.append(RowFinding("neighbours", beside))
    if evidence.ids is not None:
        ids = evidence.ids
        names = ids if in_order else tuple(ids[row] for row in rows.tolist())
        grouped = _alike(errors, names)
        if grouped is not None:
            asked.append(RowFinding("names", *grouped))
    return max(asked, key=_widening, default=None)


def _examine_times(items: Items) -> RowFinding | None:
    """What is asked about rows that are called after times."""
    ids = items.ids
    if ids is None or not _FEWEST_TIMES <= items.n <= _MOST_ROWS:
        return None
    if not all(map(_TIME.fullmatch, ids)):
        return None
    errors = residuals(items.values[np.argsort(np.array(ids)), :_MOST_MODELS])
    beside = neighbour_resemblance(errors, _NEIGHBOURS)
    if beside is None or beside.z <= _SURE_OF_TIMES:
        return None
    r = beside.correlation  # the share of an error that stays until the next
    stays = float(np.sqrt((1.0 + r) / (1.0 - r)))
    wider = float(np.fmax(beside.widening, stays))
    return RowFinding("times", beside._replace(widening=wider), example=ids[0])


def question_rows(tasks: Mapping[str, Evidence], paste: str) -> tuple[Note, ...]:
    """The question about the rows of all tasks, where one must be asked.

    Parameters
    ----------
    tasks : mapping from str to Evidence
        Rows of those models that are judged.
    paste : str
        What says which rows go together; see `ask_about_rows`.
    """
    findings = {name: examine_rows(evidence) for name, evidence in tasks.items()}
    asked = ask_about_rows({name: one for name, one in findings.items() if one is not None}, paste)
    return () if asked is None else (asked,)


def ask_about_rows(findings: Mapping[str, RowFinding], paste: str = PASTE_FILE) -> Note | None:
    """One question about the rows of all tasks; it names the worst of them.

    Parameters
    ----------
    findings : mapping from str to RowFinding
        By task.
    paste : str
        What says which rows go together.
    """
    if not findings:
        return None
    task, worst = max(findings.items(), key=lambda one: _widening(one[1]))
    more = len(findings) - 1
    place = f"{task!r}" + (f", and {more} more {'task' if more == 1 else 'tasks'}" if more else "")
    if worst.found is None:
        message = (
            f"Rows seem to stand there twice ({worst.number} on {place}; for instance "
            f"{worst.example}). Rows that repeat others bring nothing new: leave them out, or give "
            f"both the same cluster. {paste} {_INDEPENDENT}"
        )
        return Note("repeated-rows", message)
    r, z, wider = worst.found
    numbers = f"correlation {r:.2f}, z {z:.0f}; {place}"
    if worst.kind == "neighbours":
        what = f"Neighbouring rows go together ({numbers}): are they sentences of one document?"
    elif worst.kind == "times":
        what = f"Neighbouring times go together ({numbers}), as errors of one day and the next do."
        span, digits = ("month", 7) if len(worst.example) > len("2026-11") else ("year", 4)
        paste = (
            f"Longer spans may be taken as independent, such as {span}s (in pandas: "
            f"frame[{span!r}] = frame['date'].str[:{digits}], and --column cluster={span}). {paste}"
        )
    else:
        what = (
            f"Rows whose names begin alike go together ({numbers}; {worst.number} groups such as "
            f"{worst.example!r}): do they come from one source?"
        )
    size = f"about {wider:.1f} × too small" if wider >= 1.05 else "a little too small"
    return Note(
        "dependent-rows", f"{what} Standard errors are {size} if so. {paste} {_INDEPENDENT}"
    )


def ask_about_tasks(means: Mapping[str, NDArray[np.float64]]) -> Note | None:
    """A question about tasks whose names begin alike, where they rank models alike.

    Parameters
    ----------
    means : mapping from str to array of float, shape (M,)
        Scores by task, higher is better; NaN for a model without any.
    """
    values = np.array(list(means.values()))
    shared = np.flatnonzero(~np.isnan(values).any(axis=0))
    if shared.size < 3:
        return None
    # On scores themselves a few tasks with wide ones would drown the others.
    errors = residuals(midranks(values[:, shared]))
    found = _alike(errors, tuple(means))
    if found is None:
        return None
    resemblance, count, example = found
    return Note(
        "related-tasks",
        f"Tasks whose names begin alike rank models alike ({len(means)} tasks in {count} groups "
        f"such as {example!r}; correlation {resemblance.correlation:.2f}, z {resemblance.z:.0f}): "
        f"do they come from one source? The ± of the average over tasks like these is about "
        f"{resemblance.widening:.1f} × too small if so. --families FILE says which tasks go "
        "together, with --aggregate families; --rows independent says that they do not.",
    )


def _widening(one: RowFinding) -> float:
    return np.inf if one.found is None else float(np.nan_to_num(one.found.widening))


def _alike(
    errors: NDArray[np.float64], names: tuple[str, ...]
) -> tuple[Resemblance, int, str] | None:
    """The coarsest grouping by the beginnings of names within which errors resemble each other."""
    for groups, number, example in _beginnings(names):
        found = group_resemblance(errors, groups, _WIDER)
        if found is not None and found.z > _SURE:
            return found, number, example
    return None


@lru_cache(_KEPT)
def _beginnings(names: tuple[str, ...]) -> tuple[tuple[NDArray[np.int64], int, str], ...]:
    """Groups of names by longer and longer beginnings, their number, and that of the largest."""
    found = []
    parts = [_PARTS.findall(name) for name in names]
    for length in range(1, min(_LONGEST, max(map(len, parts))) + 1):
        stems = [" ".join(one[:length]) for one in parts]
        different = len(set(stems))
        if different > _MOST_SINGLE * len(names):
            break  # longer beginnings tell more names apart
        if different < _FEWEST_GROUPS:
            continue
        known, groups, sizes = np.unique(stems, return_inverse=True, return_counts=True)
        largest = str(known[int(np.argmax(sizes))])
        found.append((groups.reshape(-1).astype(np.int64), len(known), largest))
    return tuple(found)


@lru_cache(_KEPT)
def _natural_order(ids: tuple[str, ...] | None, rows: int) -> NDArray[np.intp] | None:
    """Rows in the order that their names count in; None where names have no order."""
    if ids is None:
        return np.arange(rows, dtype=np.intp)
    found = [one.groups() for one in map(_NUMBERED.fullmatch, ids) if one is not None]
    if len(found) < rows or max(len(digits) for _, digits in found) > 12:
        return None
    number = np.array([int(digits) for _, digits in found])
    place = {stem: at for at, stem in enumerate(sorted({stem for stem, _ in found}))}
    stems = np.array([place[stem] for stem, _ in found])
    order = np.lexsort((number, stems))
    same = (np.diff(number[order]) == 0) & (np.diff(stems[order]) == 0)
    return None if same.any() else order


def _repeated(items: Items) -> RowFinding | None:
    """Rows whose names are the same but for case and spaces, or whose scores are the same."""
    if items.ids is not None:
        twice = _alike_names(items.ids)
        if twice:
            first, second = twice[0]
            return RowFinding("repeated", None, len(twice), f"{first!r} and {second!r}")
    return _equal_rows(items)


@lru_cache(_KEPT)
def _alike_names(ids: tuple[str, ...]) -> list[tuple[str, str]]:
    """Names that are the same as an earlier one but for case and spaces, with that one."""
    # All as one text: most names are told apart by that.
    folded = " ".join("\0".join(ids).casefold().split())
    if len(set(folded.replace(" \0", "\0").replace("\0 ", "\0").split("\0"))) == len(ids):
        return []
    seen: dict[str, str] = {}
    twice = []
    for name in ids:
        first = seen.setdefault(" ".join(name.casefold().split()), name)
        if first != name:
            twice.append((first, name))
    return twice


def _equal_rows(items: Items) -> RowFinding | None:
    """Rows of continuous scores that are equal for all models; grades prove nothing."""
    values = items.values
    if len(items.models) < _FEWEST_EQUAL or items.n > _MOST_ROWS:
        return None
    # Few rows share the score of the first model; only they are looked at as a whole.
    rows = np.flatnonzero(~np.isnan(values).any(axis=1))
    _, place, times = np.unique(values[rows, 0], return_inverse=True, return_counts=True)
    rows = rows[times[place] > 1]
    if rows.size < 2 or is_binary(items):
        return None
    if np.unique(values[~np.isnan(values)]).size <= items.n:
        return None
    low, high = np.nanmin(values), np.nanmax(values)
    ordered = values[rows]
    ordered = np.sort(np.where((ordered > low) & (ordered < high), ordered, np.nan), axis=1)
    distinct = (np.diff(ordered, axis=1) > 0).sum(axis=1) + ~np.isnan(ordered[:, 0])
    rows = rows[distinct >= _FEWEST_EQUAL]
    if rows.size < 2:
        return None
    _, first, place = np.unique(values[rows], axis=0, return_index=True, return_inverse=True)
    count = int(rows.size - first.size)
    if not count:
        return None
    place = place.reshape(-1)
    later = next(i for i in range(rows.size) if first[place[i]] != i)
    pair = rows[first[place[later]]], rows[later]
    names = [f"row {row + 1}" if items.ids is None else repr(items.ids[row]) for row in pair]
    return RowFinding("repeated", None, count, f"{names[0]} and {names[1]}")

"""Notes and facts that are kept as data: what the reader of a result must know.

A note stands beside a result, once for many tasks; a fact of a name says what a model or a task
of a store is called now, or that it is retired.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rankbars.errors import shorten_names

__all__ = [
    "CHOSEN_ROWS",
    "ONE_JUDGE",
    "STOPPED_TRIALS",
    "UNNAMED_VOTERS",
    "NameFact",
    "NameKind",
    "Note",
    "Remarks",
    "join_words",
    "list_names",
    "list_words",
    "note_chosen",
    "on_task",
    "verdict_about",
    "who_voted",
    "without_folders",
]

NameKind = Literal["model", "task"]

STOPPED_TRIALS = "stopped-trials"
CHOSEN_ROWS = "chosen-rows"
ONE_JUDGE, UNNAMED_VOTERS = "one-judge", "unnamed-voters"


def who_voted(notes: Iterable[Note]) -> list[Note]:
    """The notes without the one that nobody says who voted, where one judge did.

    Examples
    --------
    >>> [one.code for one in who_voted([Note(UNNAMED_VOTERS, ""), Note(ONE_JUDGE, "")])]
    ['one-judge']
    """
    found = list(notes)
    known = any(note.code == ONE_JUDGE for note in found)
    return [note for note in found if not known or note.code != UNNAMED_VOTERS]


def verdict_about(metrics: Iterable[str | None], notes: Iterable[Note]) -> list[str]:
    """What a verdict is about: its metric, if it is one and known, and which rows were chosen.

    Examples
    --------
    >>> note = Note(CHOSEN_ROWS, "Only rows with lang = 'de' count. The guarantees hold if ...")
    >>> verdict_about(["f1", "f1"], [note])
    ['f1', "rows with lang = 'de'"]
    """
    named = set(metrics)
    about = [name for name in named if name is not None] if len(named) == 1 else []
    for note in notes:
        found = _CHOSEN.match(note.message) if note.code == CHOSEN_ROWS else None
        if found is not None:
            told = found[1] if len(found[1]) <= _LONGEST else f"{found[1][: _LONGEST - 3]}..."
            about.append(f"rows with {told}")
    return about


_CHOSEN = re.compile(r"Only rows with (.*) count\. The guarantees", re.DOTALL)
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Note:
    """A warning that travels with a result and is printed beside the row it concerns.

    Parameters
    ----------
    code : str
        Stable short name, such as ``"few-items"``; listed on the documentation page *Messages*.
    message : str
        One or two plain sentences.
    task : str, optional
        The task it concerns; None for the whole result.
    models : tuple of str
        The models it concerns; empty for all of them.

    Examples
    --------
    >>> Note("few-items", "3 items.", task="math").task
    'math'
    """

    code: str
    message: str
    task: str | None = None
    models: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", shorten_names(self.message))


def on_task(notes: Iterable[Note], task: str) -> tuple[Note, ...]:
    """Notes on what stands in one task.

    Examples
    --------
    >>> on_task([Note("few-items", "3 items.")], "math")[0].task
    'math'
    """
    return tuple(replace(note, task=task) for note in notes)


_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_MOST_PARTS = 3


def without_folders(paths: Iterable[str]) -> Callable[[str], str]:
    r"""What takes the folders of a machine out of a text, so that a board can be published.

    Parameters
    ----------
    paths : iterable of str
        Files that were read, as they were named. Of those with an absolute path the last parts
        stay, as many as tell them apart, three at most. Others stay as they are.

    Returns
    -------
    callable
        Takes one of the paths, or a text about them or their neighbours, and returns it without
        the folders.

    Examples
    --------
    >>> brief = without_folders(["/home/eve/runs/math.csv", "old.csv"])
    >>> brief("/home/eve/runs/math.csv"), brief("old.csv: 3 rows"), brief("/home/eve/runs: empty")
    ('math.csv', 'old.csv: 3 rows', 'runs: empty')
    >>> brief = without_folders(["/home/eve/a/math.csv", "/home/eve/b/math.csv"])
    >>> brief("/home/eve/a/math.csv"), brief("Equal: /home/eve/b/math.csv")
    ('a/math.csv', 'Equal: b/math.csv')
    """
    absolute = {path: _parts(path) for path in paths if _ABSOLUTE.match(path)}
    kept = next(
        (
            count
            for count in range(1, _MOST_PARTS)
            if len({tuple(parts[-count:]) for parts in absolute.values()}) == len(absolute)
        ),
        _MOST_PARTS,
    )
    folders: dict[str, list[str]] = {}
    for path in absolute:
        pieces = re.split(r"([\\/]+)", path)
        for end in range(3, len(pieces), 2):
            folder = "".join(pieces[:end])
            folders[folder] = _parts(folder)
    longest_first = sorted(folders, key=len, reverse=True)

    def brief(text: str) -> str:
        if text in absolute:
            return "/".join(absolute[text][-kept:])
        for folder in longest_first:
            if folder not in text:
                continue
            parts = folders[folder]
            before = "".join(f"{part}/" for part in parts[max(len(parts) + 1 - kept, 0) :])
            # The folder before a name in it, and by itself; not as a part of another path.
            # (No part holds a backslash, which would have a meaning to `re.sub`.)
            start = rf"(?<![\w./\\:-]){re.escape(folder)}"
            text = re.sub(rf"{start}[\\/]+(?=[^\s\\/])", before, text)
            text = re.sub(rf"{start}(?![\w-])", parts[-1], text)
        return text

    return brief


def _parts(path: str) -> list[str]:
    return [part for part in re.split(r"[\\/]+", path) if part]


@dataclass(frozen=True, slots=True)
class NameFact:
    """What is known of one name.

    Parameters
    ----------
    kind : {"model", "task"}
        What has the name.
    name : str
        The name that the results have.
    called : str
        What it is called; the name itself, where it was not renamed. Several names of a model
        that are called the same were merged.
    retired : bool
        Whether it is left out of boards.
    reason : str
        Why it is retired.
    since : str
        When this was said, in UTC.
    """

    kind: NameKind
    name: str
    called: str
    retired: bool
    reason: str
    since: str


def list_names(names: Iterable[str], limit: int = 4) -> str:
    """Names in quotes, the first few of them.

    Examples
    --------
    >>> list_names(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    return list_words(map(repr, names), limit)


def list_words(words: Iterable[str], limit: int = 4, between: str = ", ", last: str = " ") -> str:
    """The first few words of a list, and how many more there are; `last` stands before "and".

    Examples
    --------
    >>> list_words(["a", "b", "c"], limit=2)
    'a, b and 1 more'
    """
    every = list(words)
    shown = between.join(every[:limit])
    return shown if len(every) <= limit else f"{shown}{last}and {len(every) - limit:,} more"


def join_words(words: Sequence[str]) -> str:
    """All words of a list.

    Examples
    --------
    >>> join_words(["a", "b", "c"]), join_words(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


class Remarks:
    """Collects remarks task by task; equal ones become one note.

    Examples
    --------
    >>> remarks = Remarks()
    >>> for task in ("math", "code"):
    ...     remarks.add("metric", "the metric is 'acc'.", task)
    >>> print(remarks.notes(2)[0].message)
    All tasks: the metric is 'acc'.
    """

    def __init__(self) -> None:
        self._tasks: dict[tuple[str, str], list[str]] = {}

    def add(self, code: str, text: str, task: str) -> None:
        """Remember a remark on a task."""
        self._tasks.setdefault((code, text), []).append(task)

    def notes(self, tasks: int) -> tuple[Note, ...]:
        """One note per remark; `tasks` is the number of all tasks."""
        notes = []
        for (code, text), where in self._tasks.items():
            if len(where) == 1:
                notes.append(Note(code, text[0].upper() + text[1:], task=where[0]))
            else:
                notes.append(Note(code, f"{_place(where, tasks)}: {text}"))
        return tuple(notes)


def _place(where: Sequence[str], tasks: int) -> str:
    return "All tasks" if len(where) == tasks else list_names(where, 3)


def note_chosen(kept: int, whole: int) -> Note:
    """The note that some models were chosen.

    Examples
    --------
    >>> note_chosen(2, 3).message.partition(";")[0]
    '2 of 3 models were chosen'
    """
    return Note(
        "chosen",
        f"{kept} of {whole} models were chosen; ranks are among them. The guarantees hold only if "
        "they were chosen without looking at the results.",
    )

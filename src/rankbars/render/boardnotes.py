"""The notes of a board as they are shown: equal ones together, with the rows they concern."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from rankbars.data.board import Leaderboard
from rankbars.data.notes import Note, list_words
from rankbars.render.shownnames import visible

__all__ = [
    "OFTEN_MISSED",
    "SHOWN_ELSEWHERE",
    "UNSEEN_ROWS",
    "Remark",
    "all_remarks",
    "few_remarks",
    "note_lines",
    "remark_text",
]

SHOWN_ELSEWHERE = "too-few-tasks"  # stands in place of the new-task column
OFTEN_MISSED = "often-missed"  # stands in the sentence at the top
UNSEEN_ROWS = "unseen-rows"  # the same, where something is shown
# The last one stands at the rows it is about.
_BESIDE = (SHOWN_ELSEWHERE, OFTEN_MISSED, UNSEEN_ROWS, "partly-scored")
_UNCERTAIN = "no-uncertainty"
_MOST_TASKS = 3


class Remark(NamedTuple):
    """A note with the tasks it stands for, and its number in the rows it concerns.

    Parameters
    ----------
    code, message : str
        As in `Note`.
    tasks, models : tuple of str
        The tasks and the models it concerns; empty for all of them.
    number : int, optional
        What its rows are marked with.
    further : int
        How many notes of the same kind, with other words, it stands for.
    everywhere : bool
        Whether its tasks are all those of the board, and too many to be named.
    """

    code: str
    message: str
    tasks: tuple[str, ...]
    models: tuple[str, ...]
    number: int | None = None
    further: int = 0
    everywhere: bool = False


def all_remarks(board: Leaderboard) -> tuple[Remark, ...]:
    """Every note of the board; equal notes of several tasks become one."""
    notes = _notes(board, None)
    return _numbered(_merged(notes, lambda note: (note.code, note.message, note.models)), board)


def few_remarks(board: Leaderboard, task: str | None = None) -> tuple[Remark, ...]:
    """The notes in few lines: equal words of any task become one, and one stands for its kind."""
    merged = _merged(_notes(board, task), lambda note: (note.code, note.message))
    kept: dict[str, Remark] = {}
    others: list[Remark] = []
    for remark in merged:
        if remark.models or not remark.tasks:
            others.append(remark)
        elif remark.code in kept:
            first = kept[remark.code]
            kept[remark.code] = first._replace(further=first.further + len(remark.tasks))
        else:
            kept[remark.code] = remark
    return _numbered([*others, *kept.values()], board)


def remark_text(
    remark: Remark,
    name: Callable[[str], str] = visible,
    plain: Callable[[str], str] = visible,
) -> str:
    """The remark as one line, without its number.

    Parameters
    ----------
    remark : Remark
        What to say.
    name, plain : callable
        How names of tasks, and all other words, are made safe for where they go.
    """
    message = plain(remark.message)
    if remark.everywhere:
        message = f"All {len(remark.tasks)} tasks: {message}"
    elif remark.tasks:
        message = f"{list_words([name(task) for task in remark.tasks], _MOST_TASKS)}: {message}"
    if remark.further:
        tasks = "task has" if remark.further == 1 else "tasks have"
        message += f" ({remark.further} more {tasks} such a note.)"
    return message


def _notes(board: Leaderboard, task: str | None) -> list[Note]:
    # What is said of the board is not said of its tasks again.
    said = {_UNCERTAIN} & {note.code for note in board.notes if note.task is None}
    return [
        note
        for note in board.notes
        if note.code not in _BESIDE
        and (task is None or note.task in (None, task))
        and not (note.task is not None and note.code in said)
    ]


def _merged(notes: Iterable[Note], key: Callable[[Note], object]) -> list[Remark]:
    merged: dict[object, Remark] = {}
    for note in notes:
        tasks = () if note.task is None else (note.task,)
        # A note about the whole board is never folded into one about a task.
        place = (key(note), note.task is None)
        before = merged.get(place)
        if before is None:
            merged[place] = Remark(note.code, note.message, tasks, note.models)
        else:
            merged[place] = before._replace(
                tasks=tuple(dict.fromkeys(before.tasks + tasks)),
                models=tuple(sorted({*before.models, *note.models})),
            )
    return list(merged.values())


def _is_everywhere(remark: Remark, board: Leaderboard) -> bool:
    return len(remark.tasks) > _MOST_TASKS and set(remark.tasks) >= set(board.tasks)


def _numbered(remarks: Iterable[Remark], board: Leaderboard) -> tuple[Remark, ...]:
    """Those about single models first, with numbers; then the board, then its tasks."""
    everyone = set(board.models)
    order = sorted(
        (one._replace(everywhere=_is_everywhere(one, board)) for one in remarks),
        key=lambda remark: (
            not 0 < len(everyone.intersection(remark.models)) < len(everyone),
            bool(remark.tasks),
        ),
    )
    numbered, number = [], 0
    for remark in order:
        # A model may have been left out of the board.
        if not everyone.intersection(remark.models) or everyone <= set(remark.models):
            numbered.append(remark)
            continue
        number += 1
        numbered.append(remark._replace(number=number))
    return tuple(numbered)


def note_lines(notes: Iterable[Note], name: Callable[[str], str] = visible) -> list[str]:
    """Each note once, behind the tasks it is about."""
    places: dict[str, dict[str, None]] = {}
    for note in notes:
        tasks = places.setdefault(note.message, {})
        tasks |= {} if note.task is None else {name(note.task): None}
    return [
        (f"{list_words([*tasks], _MOST_TASKS)}: " if tasks else "") + visible(message)
        for message, tasks in places.items()
    ]

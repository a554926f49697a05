"""Notes on many tasks, said once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rankbars.data.notes import Note

__all__ = ["Remarks", "list_names", "note_chosen"]


def list_names(names: Iterable[str], limit: int = 4) -> str:
    """Names in quotes, the first few of them.

    Examples
    --------
    >>> list_names(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    every = list(names)
    shown = ", ".join(repr(name) for name in every[:limit])
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit} more"


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

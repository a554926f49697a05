"""Results of several formats as one: parts and their whole, and tasks that several know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import change_tasks
from rankbars.readers.logs.remarks import list_names
from rankbars.tables.joining import join_scores
from rankbars.tables.remarks import note_lookalikes

__all__ = ["merge_sources"]


def merge_sources(parts: Sequence[Scores]) -> Scores:
    """All tasks of all formats.

    A task that is the category of tasks of another format is their whole, and left out.

    Parameters
    ----------
    parts : sequence of Scores
        What the reader of each format found, at least one; each names its inputs.

    Raises
    ------
    DataError
        If a task cannot be joined.

    Examples
    --------
    >>> from rankbars.data.evidence import Estimates
    >>> from rankbars.data.scores import TaskInfo
    >>> leaf = Scores({"algebra": Estimates(("a",), [1.0])}, {"algebra": TaskInfo("math")})
    >>> whole = Scores({"math": Estimates(("a",), [1.0]), "art": Estimates(("a",), [1.0])})
    >>> list(merge_sources([leaf, whole]).tasks)
    ['algebra', 'art']
    """
    if len(parts) == 1:
        return note_lookalikes(parts[0])
    kept, notes = _take_leaves(parts)
    joined = join_scores(kept, [_title(part) for part in kept]).with_notes(notes)
    return note_lookalikes(joined)


def _take_leaves(parts: Sequence[Scores]) -> tuple[list[Scores], list[Note]]:
    kept: list[Scores] = []
    gone: dict[str, None] = {}
    for part in parts:
        others = {
            info.category
            for other in parts
            if other is not part
            for task, info in other.info.items()
            if info.category != task
        }
        wholes = [task for task in part.tasks if task in others]
        gone |= dict.fromkeys(wholes)
        if not wholes:
            kept.append(part)
        elif leaves := [name for name in part.tasks if name not in wholes]:
            tasks = change_tasks(part.tasks, dict.fromkeys(leaves))
            info = {name: part.info[name] for name in leaves}
            notes = tuple(note for note in part.notes if note.task not in wholes)
            kept.append(replace(part, tasks=tasks, info=info, notes=notes))
    if not gone:
        return kept, []
    note = Note(
        "groups",
        f"Put together from other tasks, and therefore not tasks: {list_names(sorted(gone))}. "
        "They are the categories of their parts.",
    )
    return kept, [note]


def _title(part: Scores) -> str:
    formats = ", ".join(dict.fromkeys(one.format for one in part.inputs))
    paths = [one.path for one in part.inputs]
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{paths[0]}{more} ({formats})" if paths else "an input"

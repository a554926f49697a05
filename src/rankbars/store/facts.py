"""A part of a file as a store keeps it: plain facts, and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.store.rows import CodedRows

__all__ = ["KeptPart", "notes_of", "notes_to_json"]


class KeptPart(NamedTuple):
    """One part of a file: a table, a run, the votes of a task.

    Parameters
    ----------
    kind : str
        What it is.
    facts : mapping from str to JSON values
        Everything but its rows.
    rows : mapping from str to CodedRows
        Its rows, by relation.
    """

    kind: str
    facts: Mapping[str, Any]
    rows: Mapping[str, CodedRows]


def notes_to_json(notes: Sequence[Note]) -> list[list[Any]]:
    """Notes as plain values."""
    return [[note.code, note.message, note.task, list(note.models)] for note in notes]


def notes_of(values: Sequence[Sequence[Any]]) -> tuple[Note, ...]:
    """The notes."""
    return tuple(Note(code, text, task, tuple(models)) for code, text, task, models in values)

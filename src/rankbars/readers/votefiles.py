"""Tables of votes in files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankbars.data.scores import Scores
from rankbars.errors import DataError
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.parts import VoteTable
from rankbars.readers.readoptions import ReadOptions
from rankbars.readers.recognition import DECLINED, SIGNATURE, Recognition
from rankbars.readers.tables import may_be_table, name_files, open_table
from rankbars.tables.database import Glance
from rankbars.tables.votetables import find_vote_layout, scores_of_votes

__all__ = ["read", "scores_from_votes", "sniff"]

# A task that nothing in the table names. Tasks that a column names are never empty.
FILE_TASK = ""


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a table of pairwise votes."""
    if not may_be_table(path, head):
        return None
    with Glance() as engine:
        table = open_table(InputFile(path, path.name), engine)
        if not table.head(1):
            return None
        try:
            reason = find_vote_layout(table, {})
        except DataError as error:
            text = str(error).removeprefix(f"{path.name}: ")
            return Recognition("votes", DECLINED, text[0].upper() + text[1:])
    return None if reason is None else Recognition("votes", SIGNATURE, f"{reason}.")


def read(files: Sequence[InputFile], options: ReadOptions) -> list[VoteTable]:
    """Votes from files: one task per file, or one per task or category that a column names.

    Parameters
    ----------
    files : sequence of InputFile
        The files; tasks of one name are put together.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If a table cannot be understood.
    """
    parts = []
    for file, names in zip(files, name_files(files), strict=True):
        table = open_table(file, options.engine)
        scores = scores_of_votes(table, options, FILE_TASK)
        parts.append(VoteTable(table.source, scores, names))
    return parts


def scores_from_votes(parts: Sequence[VoteTable]) -> Scores:
    """Votes of several files; tasks of one name are put together."""
    from rankbars.tables.votetasks import join_tasks

    scores = join_tasks([_name_task(part) for part in parts])
    return scores.with_notes(dict.fromkeys(note for part in parts for note in part.notes))


def _name_task(part: VoteTable) -> Scores:
    """The votes with the task that is for the file to name called so."""
    name, scores = part.names.task or "votes", part.scores
    if FILE_TASK not in scores.tasks:
        return scores

    def said(task: str | None) -> str | None:
        return name if task == FILE_TASK else task

    return Scores(
        {name if task == FILE_TASK else task: one for task, one in scores.tasks.items()},
        {name if task == FILE_TASK else task: one for task, one in scores.info.items()},
        tuple(replace(note, task=said(note.task)) for note in scores.notes),
        scores.inputs,
    )

"""Tables of votes in files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.errors import DataError
from rankbars.readers.inputfiles import InputFile, file_stem
from rankbars.readers.parts import VoteTable
from rankbars.readers.recognition import DECLINED, SIGNATURE, Recognition
from rankbars.readers.tables import may_be_table, name_files, open_table
from rankbars.tables.conditions import NoRowError, choose_rows
from rankbars.tables.database import Glance
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.votecopies import refuse_copies
from rankbars.tables.votetables import find_vote_layout, scores_of_votes

__all__ = ["FILE_TASK", "read", "scores_from_votes", "sniff"]

# A task that nothing in the table names. Tasks that a column names are never empty.
FILE_TASK = ""

# What an arena is called whose files have no name in common.
_ARENA = "votes"
_BETWEEN = "[-_. ]"
_DATE = re.compile(
    rf"(?:^|{_BETWEEN})(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])(?:\1[0-3]\d)?(?={_BETWEEN}|$)"
)


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
    """Votes from files: one arena, or one task per task or category that a column names."""
    parts, without, tables = [], [], []
    for file, names in zip(files, name_files(files), strict=True):
        table = choose_rows(open_table(file, options.engine), options.where)
        try:
            scores = scores_of_votes(table, options, FILE_TASK, part=True)
        except NoRowError as error:  # a day without such a vote among days that have some
            without.append((file.label, error))
            continue
        tables.append(table)
        parts.append(VoteTable(table.source, scores, names))
    if without and not parts:
        raise without[0][1]
    for together in [[one] for one in tables] if options.arena_per_file else [tables]:
        refuse_copies(together, options.columns)
    if without:
        names_of = ", ".join(label for label, _ in without[:5])
        text = f"No row of {len(without)} of {len(files)} files was chosen, such as {names_of}."
        parts[0] = parts[0]._replace(notes=(Note("chosen-rows", text),))
    return parts


def scores_from_votes(
    parts: Sequence[VoteTable], *, per_file: bool = False, beside: bool = False
) -> Scores:
    """Votes of several files as one arena; tasks of one name are put together.

    Parameters
    ----------
    parts : sequence of VoteTable
        What the files hold.
    per_file : bool
        Whether each file is an arena of its own, where no column names tasks.
    beside : bool
        Whether they will be put beside other votes: an arena is then not called after its file,
        and each vote keeps its prompt, by which it is matched.
    """
    from rankbars.tables.votetasks import join_tasks

    pooled = [part for part in parts if FILE_TASK in part.scores.tasks]
    arena = _ARENA if beside else _arena_of([part.source for part in pooled])
    names = [(part.names.task or _ARENA) if per_file else arena for part in parts]
    named = [_name_task(part, name) for part, name in zip(parts, names, strict=True)]
    scores = join_tasks(named, [part.source for part in parts], singles=beside)
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    if len(pooled) > 1 and not per_file:
        text = (
            f"The votes of {len(pooled)} files are one arena, {arena!r}. If each file is an arena "
            "of its own: --arena-per-file (in Python: arena_per_file=True)."
        )
        notes[Note("votes-pooled", text, arena)] = None
    return scores.with_notes(notes)


def _arena_of(sources: Sequence[str]) -> str:
    """The name that files have in common where dates are left out, else "votes".

    Examples
    --------
    >>> _arena_of(["days/arena-2025-03-01.csv", "days/arena-2025-03-02.csv"])
    'arena'
    >>> _arena_of(["2025-03-01.csv"]), _arena_of(["a.csv", "b.csv"]), _arena_of(["run-2.csv"])
    ('votes', 'votes', 'run-2')
    """
    names = {
        _ARENA if source == "-" else _DATE.sub("", file_stem(Path(source))).strip("-_. ")
        for source in sources
    }
    return (names.pop() if len(names) == 1 else "") or _ARENA


def _name_task(part: VoteTable, name: str) -> Scores:
    """The votes with the task that no column names called so."""
    scores = part.scores
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

"""What files hold, before anything is decided, and how each kind of it becomes scores.

Every reader gives parts, and nothing else. What is decided about them is decided here, by their
kind, whichever format they came from and whether they were read just now or lay in a store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.records import Run
from rankbars.tables.assembly import ParsedTable, scores_from_parsed
from rankbars.tables.joining import join_scores
from rankbars.tables.tidy import FileNames

__all__ = [
    "Comparison", "ErrorTable", "Heeded", "JudgedFile", "Leaderboard", "Part", "ReadyScores",
    "VoteTable", "join_ready", "scores_from_parts",
]  # fmt: skip


class ErrorTable(ParsedTable):
    """A table with the error of each method on each split of a data set, as TabArena writes it."""

    __slots__ = ()


class VoteTable(NamedTuple):
    """Votes of one file, read without regard to any other.

    Parameters
    ----------
    source : str
        The file, for messages.
    scores : Scores
        Its votes by task; one task may have no name, which is for the file to give.
    names : FileNames
        Names that the file gives; they depend on what other files there are.
    notes : tuple of Note
        What must be said about the file.
    """

    source: str
    scores: Scores
    names: FileNames
    notes: tuple[Note, ...] = ()


class Comparison(NamedTuple):
    """One judgement.

    Parameters
    ----------
    first, second : str
        The two models; the first one was shown first, where that is known of all.
    share : float or None
        What the first model gets, from 0 to 1; None if there is no verdict.
    model, baseline : str
        Which of the two is which.
    judge : str
        Who judged.
    task : str
        What was asked, as the tool calls it.
    prompt : str
        Name or hash of the prompt.
    turn : int
        Which judgement of this model on this prompt it is.
    strength : float
        How often the producer counts it.
    group : str
        Group of prompts that the file names, or nothing.
    file : str
        The file that it stands in.
    row : int
        Its row there, from 1.
    """

    first: str
    second: str
    share: float | None
    model: str
    baseline: str
    judge: str
    task: str
    prompt: str
    turn: int
    strength: float
    group: str
    file: str
    row: int

    @property
    def source(self) -> str:
        """File and row, for messages."""
        return f"{self.file}, row {self.row}"


class JudgedFile(NamedTuple):
    """Judgements of models against a baseline in one file, read without regard to any other.

    Parameters
    ----------
    source : str
        The file.
    rows : tuple of Comparison
        Its judgements.
    tool : str
        What made them, for messages.
    ordered : bool
        Whether the first model of each row was the one shown first.
    shared : tuple of str
        Fields that all judgements of one board must share: ``"judge"``, ``"baseline"``.
    unnamed : str
        The name given to a baseline that the file does not name, or nothing.
    notes : tuple of Note
        What must be said about the file.
    """

    source: str
    rows: tuple[Comparison, ...]
    tool: str
    ordered: bool
    shared: tuple[str, ...]
    unnamed: str = ""
    notes: tuple[Note, ...] = ()


class Leaderboard(NamedTuple):
    """Published values that sum up results of other files; read where there are no others.

    Parameters
    ----------
    source : str
        The file.
    runs : tuple of Run
        Its values.
    instead : str
        What is said where others are read instead.
    """

    source: str
    runs: tuple[Run, ...]
    instead: str


class Heeded(NamedTuple):
    """Filters that a reader heeded itself, so that no run need know them.

    Parameters
    ----------
    source : str
        One of the files.
    filters : tuple of str
        Their names.
    """

    source: str
    filters: tuple[str, ...]


class ReadyScores(NamedTuple):
    """Finished scores, from readers that give nothing less finished.

    Parameters
    ----------
    source : str
        The file, or the first one.
    scores : Scores
        What the reader made of it.
    """

    source: str
    scores: Scores


# A note is about the files as a whole; parts have notes of their own.
Part: TypeAlias = (
    Run | ParsedTable | VoteTable | JudgedFile | Leaderboard | Heeded | ReadyScores | Note
)


def scores_from_parts(parts: Iterable[Part], options: ReadOptions) -> Scores:
    """Scores from what the files of one format hold.

    Parameters
    ----------
    parts : iterable of Part
        What the files hold, in their order.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    DataError
        If there is nothing to compare, or it cannot be told what is to be compared.
    """
    kinds: dict[type, list[Any]] = defaultdict(list)
    for part in parts:
        kinds[type(part)].append(part)
    heeded = {name for part in kinds[Heeded] for name in part.filters}
    if heeded:
        filters = tuple(name for name in options.filters if name not in heeded)
        options = replace(options, filters=filters)
    found = []
    if kinds[ParsedTable]:
        found.append(scores_from_parsed(kinds[ParsedTable], options))
    if kinds[ErrorTable]:
        from rankbars.readers.tabarena import scores_from_errors

        found.append(scores_from_errors(kinds[ErrorTable], options))
    if kinds[VoteTable]:
        from rankbars.readers.votes import scores_from_votes

        found.append(scores_from_votes(kinds[VoteTable]))
    if kinds[ReadyScores]:
        found.append(join_ready(kinds[ReadyScores]))
    logs = kinds[Run] or kinds[JudgedFile] or kinds[Leaderboard]
    if logs or not found:
        found.append(_scores_from_logs(kinds[Run], kinds[JudgedFile], kinds[Leaderboard], options))
    whole = found[0] if len(found) == 1 else join_scores(found)
    return whole.with_notes(kinds[Note])


def _scores_from_logs(
    runs: Sequence[Run],
    judged: Sequence[JudgedFile],
    boards: Sequence[Leaderboard],
    options: ReadOptions,
) -> Scores:
    """Scores from logs; leaderboards count where there is nothing that they sum up."""
    from rankbars.readers.logs.decisions import scores_from_runs

    notes: list[Note] = []
    if boards and (runs or judged):
        notes = [Note("groups", text) for text in dict.fromkeys(one.instead for one in boards)]
    elif boards:
        runs = [run for board in boards for run in board.runs]
    if not judged:
        return scores_from_runs(runs, options).with_notes(notes)
    from rankbars.readers.judged.comparisons import scores_from_judged

    return scores_from_judged(judged, runs, notes, options)


def join_ready(parts: Sequence[ReadyScores]) -> Scores:
    """Scores of single files as one; models of a task are put side by side.

    Raises
    ------
    DataError
        If a task cannot be joined.
    """
    if len(parts) == 1:
        return parts[0].scores
    joined = join_scores([part.scores for part in parts], [part.source for part in parts])
    said = {note for part in parts for note in part.scores.notes}
    # That files were put together goes without saying where all are of one format.
    notes = tuple(note for note in joined.notes if note.code != "joined" or note in said)
    return replace(joined, notes=notes)

"""What files hold, before anything is decided: every reader gives such parts, and nothing else.

What becomes of them is decided by their kind (`rankbars.readers.gathering.scores_from_parts`),
whichever format they came from, and whether they were read just now or lay in a store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.tables.parsedtables import FileNames, ParsedTable

if TYPE_CHECKING:
    from rankbars.readers.logs.records import Run

__all__ = [
    "Comparison",
    "ErrorTable",
    "Heeded",
    "JudgedFile",
    "Leaderboard",
    "Part",
    "ReadyScores",
    "VoteTable",
    "is_part",
]


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
    "Run | ParsedTable | VoteTable | JudgedFile | Leaderboard | Heeded | ReadyScores | Note"
)


def is_part(value: object) -> bool:
    """Whether a reader may give this as a part of what files hold."""
    from rankbars.readers.logs.records import Run

    kinds = (Run, ParsedTable, VoteTable, JudgedFile, Leaderboard, Heeded, ReadyScores, Note)
    return isinstance(value, kinds)

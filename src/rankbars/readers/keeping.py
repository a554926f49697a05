"""What files hold, taken out before it is put together, so that a store can keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from rankbars.data.notes import Note
from rankbars.readers.files import InputFile
from rankbars.readers.pieces import order_of_files
from rankbars.tables.tidy import FileNames

if TYPE_CHECKING:
    from rankbars.data.scores import Scores
    from rankbars.readers.judged.comparisons import JudgedFile
    from rankbars.readers.logs.records import Run
    from rankbars.readers.votes import ParsedVotes
    from rankbars.tables.assembly import ParsedTable

__all__ = ["Found", "Keeper", "ReadyScores", "name_tables", "name_votes", "order_parts"]


class ReadyScores(NamedTuple):
    """Finished scores of one file.

    Parameters
    ----------
    source : str
        The file.
    scores : Scores
        What its reader made of it alone.
    """

    source: str
    scores: Scores


@dataclass(slots=True, eq=False)
class Found:
    """What a reader found in files, before it is put together.

    Parameters
    ----------
    tables : list of ParsedTable
        Tables of scores.
    runs : list of Run
        Runs in logs.
    votes : list of ParsedVotes
        Tables of votes.
    judged : list of JudgedFile
        Judgements of models against a baseline.
    ready : list of ReadyScores
        Scores of formats that give nothing less finished.
    """

    tables: list[ParsedTable] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    votes: list[ParsedVotes] = field(default_factory=list)
    judged: list[JudgedFile] = field(default_factory=list)
    ready: list[ReadyScores] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found."""
        return not (self.tables or self.runs or self.votes or self.judged or self.ready)


@dataclass(slots=True, eq=False)
class Keeper:
    """Takes what a reader found in new files, and adds what is known from others.

    Readers of logs and of votes hand it what they found just before they put it together. So they
    put together the old and the new, and a fault of the whole is found before anything is kept.

    Parameters
    ----------
    known : Found
        What was found before in files of this reader.
    new : Found
        What it found now.
    said : tuple of Note
        Notes on the whole, which are made anew whenever it is put together.
    """

    known: Found = field(default_factory=Found)
    new: Found = field(default_factory=Found)
    said: tuple[Note, ...] = ()

    def runs(self, found: Sequence[Run]) -> list[Run]:
        """All runs: those found now, and those known."""
        self.new.runs = list(found)
        return order_parts([*self.known.runs, *found])

    def votes(self, found: Sequence[ParsedVotes]) -> list[ParsedVotes]:
        """All votes: those found now, and those known."""
        self.new.votes = list(found)
        return name_votes([*self.known.votes, *found])


class _FromFile(Protocol):
    @property
    def source(self) -> str: ...


T = TypeVar("T", bound=_FromFile)


def name_tables(tables: Sequence[ParsedTable]) -> list[ParsedTable]:
    """The tables in the order of their files, with the names that these have beside each other."""
    ordered = order_parts(tables)
    names = _names_of(ordered)
    return [table._replace(names=own) for table, own in zip(ordered, names, strict=True)]


def name_votes(votes: Sequence[ParsedVotes]) -> list[ParsedVotes]:
    """The votes in the order of their files, with the names that these have beside each other."""
    ordered = order_parts(votes)
    names = _names_of(ordered)
    return [part._replace(names=own) for part, own in zip(ordered, names, strict=True)]


def order_parts(parts: Sequence[T]) -> list[T]:
    """Parts of files in the order of these."""
    return sorted(parts, key=lambda part: order_of_files(part.source))


def _names_of(parts: Sequence[_FromFile]) -> list[FileNames]:
    from rankbars.readers.tables import name_files

    return name_files([InputFile(Path(part.source), part.source) for part in parts])

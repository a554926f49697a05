"""What files hold, taken out before it is put together, so that a store can keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from rankbars.data.notes import Note
from rankbars.data.pieces import order_of_files
from rankbars.data.tabular.tidy import FileNames
from rankbars.readers.files import InputFile

if TYPE_CHECKING:
    from rankbars.data.tabular.assembly import ParsedTable
    from rankbars.readers.logs.records import Run
    from rankbars.readers.votes import ParsedVotes

__all__ = ["Found", "Keeper", "name_tables", "name_votes", "order_runs"]


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
    """

    tables: list[ParsedTable] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    votes: list[ParsedVotes] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Keeper:
    """Takes what a reader found in new files, and adds what is known from others.

    Readers hand it what they found just before they put it together. So they put together
    the old and the new, and a fault of the whole is found before anything is kept.

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

    def tables(self, found: Sequence[ParsedTable]) -> list[ParsedTable]:
        """All tables: those found now, and those known."""
        self.new.tables = list(found)
        return name_tables([*self.known.tables, *found])

    def runs(self, found: Sequence[Run]) -> list[Run]:
        """All runs: those found now, and those known."""
        self.new.runs = list(found)
        return order_runs([*self.known.runs, *found])

    def votes(self, found: Sequence[ParsedVotes]) -> list[ParsedVotes]:
        """All votes: those found now, and those known."""
        self.new.votes = list(found)
        return name_votes([*self.known.votes, *found])


def name_tables(tables: Sequence[ParsedTable]) -> list[ParsedTable]:
    """The tables in the order of their files, with the names that these have beside each other."""
    ordered = _in_order(tables)
    names = _names_of(ordered)
    return [table._replace(names=own) for table, own in zip(ordered, names, strict=True)]


def name_votes(votes: Sequence[ParsedVotes]) -> list[ParsedVotes]:
    """The votes in the order of their files, with the names that these have beside each other."""
    ordered = _in_order(votes)
    names = _names_of(ordered)
    return [part._replace(names=own) for part, own in zip(ordered, names, strict=True)]


def order_runs(runs: Sequence[Run]) -> list[Run]:
    """The runs in the order of their files."""
    return _in_order(runs)


class _FromFile(Protocol):
    @property
    def source(self) -> str: ...


T = TypeVar("T", bound=_FromFile)


def _in_order(parts: Sequence[T]) -> list[T]:
    return sorted(parts, key=lambda part: order_of_files(part.source))


def _names_of(parts: Sequence[_FromFile]) -> list[FileNames]:
    from rankbars.readers.tables import name_files

    return name_files([InputFile(Path(part.source), part.source) for part in parts])

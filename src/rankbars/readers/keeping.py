"""What files hold, taken out before it is put together, so that a store can keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rankbars.data.notes import Note
from rankbars.data.pieces import order_of_files
from rankbars.readers.files import InputFile

if TYPE_CHECKING:
    from rankbars.data.tabular.assembly import ParsedTable

__all__ = ["Keeper", "rename_tables"]


@dataclass(slots=True, eq=False)
class Keeper:
    """Takes what a reader found in new files, and adds what is known from others.

    Readers hand it what they found just before they put it together. So they put together
    the old and the new, and a fault of the whole is found before anything is kept.

    Parameters
    ----------
    known_tables : sequence of ParsedTable
        What was found before in files of this reader.
    new_tables : list of ParsedTable
        What it found now.
    said : tuple of Note
        Notes on the whole, which are made anew whenever it is put together.
    """

    known_tables: Sequence[ParsedTable] = ()
    new_tables: list[ParsedTable] = field(default_factory=list)
    said: tuple[Note, ...] = ()

    def tables(self, found: Sequence[ParsedTable]) -> Sequence[ParsedTable]:
        """All tables: those found now, and those known."""
        self.new_tables = list(found)
        return rename_tables([*self.known_tables, *found])


def rename_tables(tables: Sequence[ParsedTable]) -> list[ParsedTable]:
    """The tables in the order of their files, with the names that these have beside each other."""
    from rankbars.readers.tables import name_files

    ordered = sorted(tables, key=lambda table: order_of_files(table.source))
    files = [InputFile(Path(table.source), table.source) for table in ordered]
    names = name_files(files)
    return [table._replace(names=name) for table, name in zip(ordered, names, strict=True)]

"""Changes of a store, made ready without it, so that it is held only to make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.errors import RankbarsError
from rankbars.readers.keptfiles import KeptFile
from rankbars.store.entries import FileEntry
from rankbars.store.facts import KeptPart
from rankbars.store.keptparts import pack
from rankbars.store.opening import place_of
from rankbars.store.rows import check_name

__all__ = ["Change", "Holdings"]


class Holdings(NamedTuple):
    """What a store held when it was looked at; good after it is closed.

    Parameters
    ----------
    folder : Path
        Where the file of the store lies.
    revision : str
        Another one after each change; where there is no store yet, that of an empty one.
    files : tuple of KeptFile
        Its files, without what is in them.
    entries : tuple of FileEntry
        Its files without their contents.
    options : mapping
        How they were read.
    events : int
        How many things had happened to it.
    """

    folder: Path
    revision: str = "0"
    files: tuple[KeptFile, ...] = ()
    entries: tuple[FileEntry, ...] = ()
    options: Mapping[str, Any] = {}
    events: int = 0

    def place_of(self, path: str) -> str:
        """What tells a file from others: its way from the folder of the store."""
        return place_of(path, self.folder)


class Change(NamedTuple):
    """What is to be done to a store: all of it, or nothing.

    Parameters
    ----------
    files : tuple of KeptFile
        New files; those that lie at the place of an older one replace it.
    parts : tuple of tuple of KeptPart
        What is in them.
    gone : tuple of FileEntry
        Files that are taken out.
    options : mapping or None
        How the store is to be read from now on; as before, if not given.
    fault : RankbarsError or None
        Why nothing of use would be left.
    """

    files: tuple[KeptFile, ...]
    parts: tuple[tuple[KeptPart, ...], ...]
    gone: tuple[FileEntry, ...]
    options: Mapping[str, Any] | None
    fault: RankbarsError | None = None

    @property
    def rows(self) -> int:
        """How many rows are put in."""
        return sum(
            head.rows
            for own in self.parts
            for part in own
            for head in (rows.head for rows in part.rows.values())
        )

    @classmethod
    def of(
        cls,
        files: Iterable[KeptFile] = (),
        gone: Sequence[FileEntry] = (),
        options: Mapping[str, Any] | None = None,
        fault: RankbarsError | None = None,
    ) -> Change:
        """The change that puts files in and takes others out; rows of tables are read now."""
        kept, parts = [], []
        for file in files:
            check_name(file.path)
            kept.append(replace(file, parts=()))
            parts.append(tuple(pack(file.parts)))
        return cls(tuple(kept), tuple(parts), tuple(gone), options, fault)

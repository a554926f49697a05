"""What a store tells about itself, and changes of it.

Both are good without the store, so that it is held only to be looked at and to be changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.errors import RankbarsError
from rankbars.readers.keptfiles import KeptFile
from rankbars.store.keptparts import pack
from rankbars.store.keptresults import KeptPart
from rankbars.store.opening import place_of
from rankbars.store.rows import check_name

__all__ = ["Change", "Event", "FileEntry", "Holdings"]


class Event(NamedTuple):
    """Something that happened to a store.

    Parameters
    ----------
    time : str
        When, in UTC.
    action : {"added", "replaced", "removed", "renamed", "retired", "restored", "judged"}
        What.
    path, format, sha256 : str
        The file it happened to; or the name, and whether it is that of a model or of a task; or
        the claims of a record, the error rate of all records, and a digest of what was judged.
    rows : int
        Rows that were put in or taken out; or the number of the record.
    version : str
        Version of rankbars that did it.
    who : str
        Who did it, as far as it was said.
    said : str
        The new name, the reason, or the verdicts.
    """

    time: str
    action: str
    path: str
    format: str
    sha256: str
    rows: int
    version: str
    who: str = ""
    said: str = ""

    @property
    def is_of_name(self) -> bool:
        """Whether it happened to a name, not to a file."""
        return self.action in ("renamed", "retired", "restored")


class FileEntry(NamedTuple):
    """A file of a store without its contents.

    Parameters
    ----------
    id : int
        Its number in the store.
    path : str
        The file as the caller wrote it.
    place : str
        What tells it from others: the path it was given under, as a way from the folder of the
        store.
    target : str
        Where that led when it was read, links followed. No board has it.
    format : str
        What it was read as.
    sha256 : str
        Digest of its bytes.
    size : int
        Number of its bytes.
    added : str
        When it was put in, in UTC.
    rows : int
        Rows that were found in it.
    """

    id: int
    path: str
    place: str
    target: str
    format: str
    sha256: str
    size: int
    added: str
    rows: int


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

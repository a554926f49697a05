"""What a store tells about itself, and changes of it; what is left when files are taken out.

All are good without the store, so that it is held only to be looked at and to be changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from rankbars.errors import DataError, RankbarsError
from rankbars.readers.keptfiles import KeptFile, PlaceOf, find_again, group_of
from rankbars.store.keptparts import pack
from rankbars.store.keptresults import KeptPart
from rankbars.store.opening import place_of
from rankbars.store.rows import check_name

if TYPE_CHECKING:
    from rankbars.tables.database import Engine

__all__ = ["Change", "Event", "FileEntry", "Holdings", "read_rest_again"]


class Event(NamedTuple):
    """Something that happened to a store.

    Parameters
    ----------
    time : str
        When, in UTC.
    action : {"added", "replaced", "removed", "renamed", "merged", "parted", "retired", \
"restored", "judged"}
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
        The new or the other name, the reason, or the verdicts.
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
        return self.action in ("renamed", "merged", "parted", "retired", "restored")


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


def read_rest_again(
    left: Sequence[KeptFile],
    gone: Sequence[KeptFile],
    given: Mapping[str, Any],
    *,
    place_of: PlaceOf,
    engine: Engine,
) -> list[KeptFile]:
    """Files that say something else once others are gone, as they are without these.

    Those are files that were read together with one that is gone, and files of which there are
    notes on several at once. They are read again where they still lie, with the same bytes.

    Parameters
    ----------
    left, gone : sequence of KeptFile
        What the store is to hold, and what not.
    given : mapping
        Options by the names that `rankbars.read` has for them.
    place_of : callable
        Path as it was written → what tells the file from others.
    engine : Engine
        Reads big tables.

    Raises
    ------
    ReadError
        If a file that is left is damaged.
    DataError
        If a file that is left cannot be read without one that is gone, or holds what came from it
        and is not there to be read again.
    """
    from rankbars.readers.chosenfiles import Skipped, known_formats
    from rankbars.readers.collecting import check_formats, collect_group
    from rankbars.readers.declared import Declared
    from rankbars.readers.gathering import by_reader
    from rankbars.tables.givenoptions import options_of

    formats = known_formats("auto")
    check_formats(left, formats)
    wanted = {group_of(file.format, file.place) for file in gone} - {None}
    told = {file.format for file in (*left, *gone) if file.notes}
    touched = {file.format for file in gone}
    again = [
        file
        for file in left
        if group_of(file.format, file.place) in wanted or file.format in told & touched
    ]
    options = replace(options_of(given), engine=engine)
    there = find_again(again, place_of, options)
    lost, found_again = (
        [file for file in again if (file.place in there) is which] for which in (False, True)
    )
    _refuse_mixed(lost, found_again, gone)
    readers = {formats[file.format].code for file in left}
    declared = Declared(options, several=len(readers) > 1)
    found: list[KeptFile] = []
    skipped = Skipped()
    for reader, members in by_reader(there.values(), lambda one: formats[one.format]):
        found += declared.heed(
            partial(collect_group, reader, members, skipped=skipped),
            reader,
            scores_of=lambda _: None,
        )
    return [replace(file, place=place_of(file.path)) for file in found]


def _refuse_mixed(
    lost: Sequence[KeptFile], there: Sequence[KeptFile], gone: Sequence[KeptFile]
) -> None:
    """Raise where what was read together would come apart.

    A file that gives nothing gave what it holds to others; so it must go, or be read again, with
    them.
    """
    for file in gone:
        mixed = [] if file.gives else _givers(file, lost)
        if mixed:
            raise DataError(
                f"{file.path} was read together with {mixed[0].path}, and what came from it cannot "
                "be told apart: the latter is not there any more, or has changed. Remove both, or "
                "put the file back."
            )
    for file in lost:
        apart = [] if file.gives else _givers(file, [*gone, *there])
        if apart and not _givers(file, lost):
            raise DataError(
                f"{file.path} was read together with {apart[0].path}, and says nothing without it: "
                "it is not there to be read again, or has changed. Remove both, or put the file "
                "back."
            )


def _givers(file: KeptFile, others: Sequence[KeptFile]) -> list[KeptFile]:
    """Files beside a file that hold what was read from it too."""
    group, folder = group_of(file.format, file.place), PurePosixPath(file.place).parent
    return [
        one
        for one in others
        if one.gives
        and group is not None
        and group_of(one.format, one.place) == group
        and PurePosixPath(one.place).parent == folder
    ]

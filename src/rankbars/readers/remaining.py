"""What is left of a store when files are taken out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from rankbars.errors import DataError
from rankbars.readers.chosenfiles import Skipped, known_formats
from rankbars.readers.collecting import check_formats, collect_group
from rankbars.readers.declared import Declared
from rankbars.readers.gathering import by_reader
from rankbars.readers.keptfiles import KeptFile, PlaceOf, find_again, group_of
from rankbars.tables.database import Engine
from rankbars.tables.readoptions import options_of

__all__ = ["read_rest_again"]


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
    there = find_again(again, place_of)
    lost, found_again = (
        [file for file in again if (file.place in there) is which] for which in (False, True)
    )
    _refuse_mixed(lost, found_again, gone)
    readers = {formats[file.format].code for file in left}
    options = replace(options_of(given), engine=engine)
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

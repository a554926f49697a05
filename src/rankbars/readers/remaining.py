"""What is left of a store when files are taken out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from rankbars.data.pieces import KeptFile
from rankbars.errors import DataError
from rankbars.readers.companions import PlaceOf, find_again, find_orphans, group_of
from rankbars.readers.declared import Declared
from rankbars.readers.engine import Engine
from rankbars.readers.grouping import by_reader, check_formats, collect_group
from rankbars.readers.requests import as_declared, known_formats, options_of
from rankbars.readers.selection import Skipped

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
    _refuse_mixed([file for file in again if file.place not in there], gone)
    groups = by_reader(list(there.values()), lambda one: formats[one.format].read)
    readers = {*groups, *(formats[file.format].read for file in left)}
    declared = Declared(as_declared(options_of(given), "auto"), several=len(readers) > 1)
    found: list[KeptFile] = []
    skipped = Skipped()
    for read, members in groups.items():
        others = [
            file for file in left if file.place not in there and formats[file.format].read is read
        ]
        found += declared.heed(
            partial(collect_group, members, others, formats=formats, skipped=skipped,
                    engine=engine),
            formats[members[0].format], scores_of=lambda _: None,
        )  # fmt: skip
    return [replace(file, place=place_of(file.path)) for file in found]


def _refuse_mixed(lost: Sequence[KeptFile], gone: Sequence[KeptFile]) -> None:
    """Raise where files that cannot be read again hold what came from files that are gone."""
    for file in gone:
        if file.pieces:
            continue  # what came from it goes with it
        with_it = [
            one.path
            for one in lost
            if one.pieces
            and group_of(one.format, one.place) == group_of(file.format, file.place)
            and PurePosixPath(one.place).parent == PurePosixPath(file.place).parent
        ]
        if with_it:
            raise DataError(
                f"{file.path} was read together with {', '.join(with_it[:3])}, and what came from "
                "it cannot be told apart: the latter is not there any more, or has changed. Remove "
                "both, or put the file back."
            )
    orphans = find_orphans(lost) & {file.place for file in lost}
    apart = [file.path for file in lost if file.place in orphans]
    if apart and any(file.pieces for file in gone):
        raise DataError(
            f"{apart[0]} was read together with a file that is to go, and holds nothing without "
            "it: it is not there to be read again, or has changed. Remove both, or put it back."
        )

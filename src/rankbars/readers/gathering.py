"""Files of all formats, read format by format and put together.

What files hold is the same to this, whether it was read just now or lay in a store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import NamedTuple, TypeVar

from rankbars.data.scores import Input, Scores
from rankbars.errors import DataError, ReadError
from rankbars.readers.declared import Declared
from rankbars.readers.files import InputFile
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.merging import merge_sources
from rankbars.readers.parts import Part, ReadyScores, scores_from_parts
from rankbars.readers.plugins import KnownFormats
from rankbars.readers.recognition import Format
from rankbars.readers.selection import ChosenFile, Skipped
from rankbars.tables.database import Engine

__all__ = ["Group", "by_reader", "gather", "put_groups_together", "read_parts", "read_sound"]

T = TypeVar("T")


class Group(NamedTuple):
    """What is read by one reader.

    Parameters
    ----------
    format : Format
        Its format, or the first one.
    read : callable
        Options → scores, or None, and the files that they are from.
    """

    format: Format
    read: Callable[[ReadOptions], tuple[Scores | None, tuple[Input, ...]]]


def gather(
    chosen: Sequence[ChosenFile], options: ReadOptions, formats: KnownFormats, skipped: Skipped
) -> Scores:
    """Scores of all files; formats that share a reader are read together.

    A file of a folder that turns out to be damaged is left out.

    Parameters
    ----------
    chosen : sequence of ChosenFile
        The files and their formats.
    options : ReadOptions
        What the caller declares.
    formats : KnownFormats
        The formats.
    skipped : Skipped
        Takes the files that are left out.

    Raises
    ------
    ReadError
        If a file that the caller named is damaged, or all files are.
    DataError
        If the results cannot be understood, or results of two formats cannot be joined.
    """
    groups = [
        Group(reader, partial(_read_group, reader, members, skipped=skipped))
        for reader, members in by_reader(chosen, lambda one: formats[one.format])
    ]
    scores = put_groups_together(groups, options)
    if scores is None:
        raise skipped.refuse()
    return scores


def by_reader(files: Iterable[T], format_of: Callable[[T], Format]) -> list[tuple[Format, list[T]]]:
    """Files by what reads them, in the order in which these occur; with the first format of each.

    Formats of tables have one reader, which puts all of them together.
    """
    groups: dict[object, list[T]] = defaultdict(list)
    for file in files:
        groups[format_of(file).read].append(file)
    return [(format_of(members[0]), members) for members in groups.values()]


def put_groups_together(groups: Sequence[Group], options: ReadOptions) -> Scores | None:
    """Scores of all groups; None if there are none.

    Raises
    ------
    DataError
        If the results of a group cannot be understood, or those of two cannot be joined.
    """
    parts = []
    declared = Declared(options, several=len(groups) > 1)
    for group in groups:
        scores, inputs = declared.heed(group.read, group.format, scores_of=itemgetter(0))
        if scores is not None:
            parts.append(replace(scores, inputs=inputs))
    declared.refuse_unknown()
    return merge_sources(parts).with_notes(declared.notes()) if parts else None


def read_parts(reader: Format, files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """What the files hold; readers of other distributions may give finished scores.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If what the files hold cannot be understood.
    """
    found = reader.read(files, options)
    return [ReadyScores(files[0].label, found)] if isinstance(found, Scores) else [*found]


def _read_group(
    reader: Format, members: Sequence[ChosenFile], options: ReadOptions, skipped: Skipped
) -> tuple[Scores | None, tuple[Input, ...]]:
    def read(files: Sequence[InputFile], options: ReadOptions) -> Scores:
        # Rows of tables are read while they are put together.
        with Engine(options.room.engine_bytes) as engine:
            parts = read_parts(reader, files, replace(options, engine=engine))
            return scores_from_parts(parts, options)

    scores, kept = read_sound(read, members, options, skipped)
    for one in members:
        if one.file.meter is not None:
            one.file.meter.finish(one.file.path)
    return scores, tuple(Input(one.file.label, one.format, one.sha256) for one in kept)


def read_sound(
    read: Callable[[Sequence[InputFile], ReadOptions], T],
    members: Sequence[ChosenFile],
    options: ReadOptions,
    skipped: Skipped,
) -> tuple[T | None, list[ChosenFile]]:
    """What is found in the files that can be read, and those files; None if there is none.

    Parameters
    ----------
    read : callable
        Reader of one format; gives its scores, or what else it finds.
    members : sequence of ChosenFile
        Its files.
    options : ReadOptions
        What the caller declares.
    skipped : Skipped
        Takes the files that are left out.

    Raises
    ------
    ReadError
        If a file that the caller named is damaged.
    DataError
        If the results cannot be understood.
    """
    kept = list(members)
    while kept:
        try:
            return read([one.file for one in kept], options), kept
        except ReadError as error:
            damaged = _damaged(error, kept)
            if not damaged:
                raise _with_place(error, [one.file.label for one in kept]) from error
            for label, reason in damaged.items():
                skipped.add_damaged(label, reason)
            kept = [one for one in kept if one.file.label not in damaged]
        except DataError as error:
            raise _with_place(error, [one.file.label for one in kept]) from error
    return None, []


def _damaged(error: ReadError, files: Sequence[ChosenFile]) -> dict[str, ReadError]:
    """Files of folders that an error is about; none if it is also about others."""
    found: dict[str, ReadError] = {}
    for one in error.errors or (error,):
        about = [chosen.file for chosen in files if _is_about(one, chosen.file)]
        if not about or any(file.asked for file in about):
            return {}
        found |= {file.label: one for file in about}
    return found


def _is_about(error: ReadError, file: InputFile) -> bool:
    return any(
        place == file.label or place.startswith((f"{file.label}, ", f"{file.label}: "))
        for place in error.places
    )


def _with_place(error: DataError, labels: Sequence[str]) -> DataError:
    """The error with the files it is about, if it does not name one."""
    message = str(error)
    if any(label in message for label in labels):
        return error
    place = ", ".join(labels[:3]) + (f" and {len(labels) - 3} more" if len(labels) > 3 else "")
    return type(error)(f"{place}: {message}").about(error.lacking)

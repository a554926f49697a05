"""Files of all formats, read format by format and put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TypeVar

from rankbars.data.scores import Input, Scores
from rankbars.errors import DataError, ReadError
from rankbars.readers.declared import Declared
from rankbars.readers.files import InputFile
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.merging import merge_sources
from rankbars.readers.plugins import KnownFormats
from rankbars.readers.selection import ChosenFile, Skipped

__all__ = ["gather", "read_sound"]

Read = Callable[[Sequence[InputFile], ReadOptions], Scores]
T = TypeVar("T")


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
    groups: dict[Read, list[ChosenFile]] = defaultdict(list)
    for one in chosen:
        groups[formats[one.format].read].append(one)
    parts = []
    declared = Declared(options, several=len(groups) > 1)
    for read, members in groups.items():
        scores, kept = declared.heed(
            partial(read_sound, read, members, skipped=skipped), formats[members[0].format],
            scores_of=itemgetter(0),
        )  # fmt: skip
        for one in members:
            if one.file.meter is not None:
                one.file.meter.finish(one.file.path)
        if scores is not None:
            inputs = tuple(Input(one.file.label, one.format, one.sha256) for one in kept)
            parts.append(replace(scores, inputs=inputs))
    declared.refuse_unknown()
    if not parts:
        raise skipped.refuse()
    return merge_sources(parts).with_notes(declared.notes())


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

"""Files of a store by the reader that reads them, and what one reader finds in its files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TypeVar

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.errors import DataError, OptionError
from rankbars.readers.gathering import read_sound
from rankbars.readers.keeping import Found, Keeper, ReadyScores
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.packing import is_same, pack, unpack
from rankbars.readers.pieces import KeptFile, Piece, order_of_files
from rankbars.readers.plugins import KnownFormats
from rankbars.readers.selection import ChosenFile, Skipped
from rankbars.readers.ways import join_ready, way_of
from rankbars.tables.database import Engine

__all__ = ["by_reader", "check_formats", "collect_group", "found_in"]

Read = Callable[..., Scores]
T = TypeVar("T")


def check_formats(files: Sequence[KeptFile], formats: KnownFormats) -> None:
    """Raise `DataError` if a store holds files of a format that is not known here."""
    for file in files:
        if file.format not in formats:
            raise DataError(
                f"{file.path}: the store holds it as {file.format!r}, a format that is not known "
                "here. Install the package that adds the format, or take the file out: rankbars "
                "remove."
            )


def by_reader(files: Sequence[T], reader: Callable[[T], Read]) -> dict[Read, list[T]]:
    """Files by the function that reads them, in the order in which these occur."""
    groups: dict[Read, list[T]] = defaultdict(list)
    for file in files:
        groups[reader(file)].append(file)
    return groups


def collect_group(
    members: Sequence[ChosenFile],
    known: Sequence[KeptFile],
    options: ReadOptions,
    formats: KnownFormats,
    skipped: Skipped,
    engine: Engine,
) -> list[KeptFile]:
    """What files of one reader hold.

    Parameters
    ----------
    members : sequence of ChosenFile
        The files.
    known : sequence of KeptFile
        Files of the same reader that a store holds beside them.
    options : ReadOptions
        What the caller declares.
    formats : KnownFormats
        The formats.
    skipped : Skipped
        Takes the files that are left out.
    engine : Engine
        Reads big tables.

    Raises
    ------
    ReadError
        If a file that the caller named is damaged.
    DataError
        If the results cannot be understood, or not be put together with those known.
    OptionError
        If a format cannot be kept in a store.
    """
    members = sorted(members, key=lambda one: order_of_files(one.file.label))
    read = formats[members[0].format].read
    way = way_of(read)
    notes: tuple[Note, ...] = ()
    if way is not None:
        parsed, sound = read_sound(
            lambda files, options: way.parse(files, options, engine), members, options, skipped
        )
        found = parsed or Found()
    else:
        keeper = Keeper(found_in(known))
        told = replace(options, keep=keeper)
        scores, sound = read_sound(read, members, told, skipped)
        found = keeper.new
        if scores is not None and found.is_empty:
            found = _read_ready(read, sound, options, scores)
        elif scores is not None:
            notes = tuple(note for note in scores.notes if note not in keeper.said)
    pieces: dict[str, list[Piece]] = {one.file.label: [] for one in sound}
    for source, piece in pack(found):
        pieces[_file_of(source, pieces)].append(piece)
    return [
        KeptFile(
            one.file.label,
            one.format,
            one.sha256,
            one.file.path.stat().st_size,
            tuple(pieces[one.file.label]),
            notes if place == 0 else (),
        )
        for place, one in enumerate(sound)
    ]


def _read_ready(
    read: Callable[..., Scores], files: Sequence[ChosenFile], options: ReadOptions, whole: Scores
) -> Found:
    """Finished scores, file by file, if that says the same as all files read together."""
    parts = [ReadyScores(one.file.label, read([one.file], options)) for one in files]
    if len(parts) > 1 and not is_same(join_ready(parts), whole):
        raise OptionError(
            f"{files[0].file.label}: files of the format {files[0].format} say something else "
            "together than one by one, and a store keeps files one by one. Rank them from their "
            "files: rankbars rank."
        )
    return Found(ready=parts)


def found_in(files: Sequence[KeptFile]) -> Found:
    """What files of a store hold.

    Raises
    ------
    DataError
        If it has not the form in which it was put in.
    """
    try:
        return unpack([piece for file in files for piece in file.pieces])
    except DataError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            "The store is damaged: what it keeps of "
            f"{', '.join(file.path for file in files[:3])}{' …' if len(files) > 3 else ''} cannot "
            "be understood. Take a backup copy, or add all results to a new store."
        ) from error


def _file_of(source: str, files: Collection[str]) -> str:
    """The file that a part names as its source: the file itself, or a place in it."""
    if source in files:
        return source
    near = [path for path in files if source.startswith(path)]
    return max(near, key=len) if near else next(iter(files))

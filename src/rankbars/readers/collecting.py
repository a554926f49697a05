"""Files read for a store, and what a store holds put together again.

Reading for a store and putting together go through the same functions as `rankbars.read`: only
the rows come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.data.scores import Input, Scores
from rankbars.errors import DataError, OptionError
from rankbars.readers.companions import PlaceOf, find_again, find_companions, find_orphans
from rankbars.readers.declared import Declared
from rankbars.readers.files import InputFile, Progress, digest
from rankbars.readers.grouping import by_reader, check_formats, collect_group, found_in
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.merging import merge_sources
from rankbars.readers.pieces import KeptFile, order_of_files
from rankbars.readers.plugins import KnownFormats
from rankbars.readers.requests import (
    Paths,
    as_declared,
    known_formats,
    open_files,
    options_of,
)
from rankbars.readers.selection import ChosenFile, Skipped, check_options
from rankbars.readers.ways import put_found_together
from rankbars.tables.database import Engine

__all__ = ["Collected", "collect", "put_together"]


class Collected(NamedTuple):
    """What was read for a store.

    Parameters
    ----------
    files : tuple of KeptFile
        New files, and those that have changed.
    unchanged : tuple of str
        Paths of files that the store holds as they are.
    notes : tuple of Note
        What was left out.
    """

    files: tuple[KeptFile, ...]
    unchanged: tuple[str, ...]
    notes: tuple[Note, ...]


def collect(
    paths: Paths,
    held: Sequence[KeptFile],
    given: Mapping[str, Any],
    *,
    format: str = "auto",
    place_of: Callable[[str], str],
    engine: Engine,
    progress: Progress | None = None,
) -> Collected:
    """Read files for a store that holds others.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, folders, patterns.
    held : sequence of KeptFile
        What the store holds.
    given : mapping
        Options by the names that `rankbars.read` has for them.
    format : str
        A key of `FORMATS`; ``"auto"`` recognises each file by its content.
    place_of : callable
        Path as it was written → what tells the file from others, as in `KeptFile.place`.
    engine : Engine
        Reads big tables; what was collected is good while it runs.
    progress : callable, optional
        As in `rankbars.read`.

    Raises
    ------
    ReadError
        If a file does not exist or is damaged.
    DataError
        If new files and those of the store cannot be put together.
    OptionError
        If a format cannot be kept in a store.
    """
    formats = known_formats(format)
    options = as_declared(options_of(given), format)
    check_formats(held, formats)
    known = partial(_known_file, {file.place: file for file in held}, place_of, format)
    with open_files(paths, format, options, formats, progress, known) as (chosen, skipped):
        fresh, same = _sort_out(chosen, held, place_of)
        unchanged = tuple(one.file.label for one in same)
        fresh += find_companions(fresh, same, held, place_of)
        replaced = {place_of(one.file.label) for one in fresh}
        others = [file for file in held if file.place not in replaced]
        found: list[KeptFile] = []
        groups = by_reader(fresh, lambda one: formats[one.format].read)
        readers = {*groups, *(formats[one.format].read for one in others)}
        # Names that no reader knows are refused when all is put together.
        declared = Declared(options, several=len(readers) > 1)
        for read, members in groups.items():
            older = [one for one in others if formats[one.format].read is read]
            found += declared.heed(
                partial(_collect_with, members, older, formats=formats, skipped=skipped,
                        engine=engine, place_of=place_of),
                formats[members[0].format], scores_of=lambda _: None,
            )  # fmt: skip
        found = [replace(file, place=place_of(file.path)) for file in found]
        if not found and not unchanged:
            raise skipped.refuse()
        return Collected(tuple(found), unchanged, tuple(skipped.notes()))


def _known_file(
    held: Mapping[str, KeptFile], place_of: Callable[[str], str], format: str, file: InputFile
) -> ChosenFile | None:
    """A file that the store holds with the same bytes, which tells what it is; None for others."""
    before = held.get(place_of(file.label))
    if before is None or format not in ("auto", before.format) or not file.path.is_file():
        return None
    if file.path.stat().st_size != before.size or digest(file) != before.sha256:
        return None
    return ChosenFile(file, before.format, before.sha256)


def _sort_out(
    chosen: Sequence[ChosenFile], held: Sequence[KeptFile], place_of: Callable[[str], str]
) -> tuple[list[ChosenFile], list[ChosenFile]]:
    """Files to read, and those that the store holds as they are."""
    fresh, same = [], []
    orphans = find_orphans(held)
    by_place = {file.place: file for file in held}
    for one in chosen:
        if one.file.label == "-":
            raise OptionError(
                "Standard input has no path by which a store could tell it from other results. "
                "Write it to a file, and add that."
            )
        before = by_place.get(place_of(one.file.label))
        if (
            before is not None
            and (before.sha256, before.format) == (one.sha256, one.format)
            and before.place not in orphans
        ):
            same.append(one)
        else:
            fresh.append(one)
    return fresh, same


def _collect_with(
    members: Sequence[ChosenFile],
    older: Sequence[KeptFile],
    options: ReadOptions,
    formats: KnownFormats,
    skipped: Skipped,
    engine: Engine,
    place_of: PlaceOf,
) -> list[KeptFile]:
    """What files of one reader hold.

    Notes may be about several of them. So where there are any, the older files are read again as
    far as they are there.
    """
    found = collect_group(members, older, options, formats, skipped, engine)
    if not any(file.notes for file in (*found, *older)):
        return found
    again = find_again(older, place_of)
    if not again:
        return found
    left = [file for file in older if file.place not in again]
    sound = {file.path for file in found}
    members = [one for one in members if one.file.label in sound]
    return collect_group([*members, *again.values()], left, options, formats, skipped, engine)


def put_together(files: Sequence[KeptFile], given: Mapping[str, Any]) -> Scores:
    """Scores from what a store holds, as `rankbars.read` gives them from the files.

    Parameters
    ----------
    files : sequence of KeptFile
        All files of the store, in any order.
    given : mapping
        Options by the names that `rankbars.read` has for them.

    Raises
    ------
    DataError
        If there is nothing, or results cannot be put together.
    """
    if not files:
        raise DataError("The store is empty. Add results: rankbars add RESULTS... --store STORE.")
    formats = known_formats("auto")
    check_formats(files, formats)
    options = options_of(given)
    _check_limit(files, given, formats)
    ordered = sorted(files, key=lambda file: order_of_files(file.path))
    parts = []
    groups = by_reader(ordered, lambda file: formats[file.format].read)
    declared = Declared(options, several=len(groups) > 1)
    for read, members in groups.items():
        scores = declared.heed(
            partial(put_found_together, read, found_in(members)), formats[members[0].format],
            scores_of=lambda found: found,
        )  # fmt: skip
        beside = dict.fromkeys(note for file in members for note in file.notes)
        inputs = tuple(Input(file.path, file.format, file.sha256) for file in members)
        parts.append(replace(scores.with_notes(beside), inputs=inputs))
    declared.refuse_unknown()
    return merge_sources(parts).with_notes(declared.notes())


def _check_limit(
    files: Sequence[KeptFile], given: Mapping[str, Any], formats: KnownFormats
) -> None:
    """Raise `OptionError` where a limit of the memory can have no effect, as for the files."""
    limit = {name: value for name, value in given.items() if name == "memory_limit"}
    chosen = [
        ChosenFile(InputFile(Path(file.path), file.path), file.format, file.sha256)
        for file in files
    ]
    check_options(chosen, options_of(limit), formats)

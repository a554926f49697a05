"""Files read for a store, and what a store holds put together again.

Reading for a store and putting together go through the same functions as `rankbars.read`: only
the rows come from elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.data.pieces import KeptFile, Piece, order_of_files
from rankbars.data.scores import Input, Scores
from rankbars.errors import DataError, OptionError
from rankbars.readers.declared import Declared
from rankbars.readers.engine import Engine
from rankbars.readers.files import InputFile, Progress, digest
from rankbars.readers.gathering import read_sound
from rankbars.readers.keeping import Found, Keeper, ReadyScores
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.merging import merge_sources
from rankbars.readers.packing import is_same, pack, unpack
from rankbars.readers.plugins import KnownFormats
from rankbars.readers.requests import (
    Paths,
    as_declared,
    known_formats,
    open_files,
    options_of,
)
from rankbars.readers.selection import ChosenFile, Skipped
from rankbars.readers.ways import join_ready, put_found_together, way_of

__all__ = ["Collected", "collect", "put_together"]


# Formats whose files are read together: whether those of one folder, or all of them.
COMPANIONS: Mapping[str, bool] = {
    "lm-eval": True, "eee": True, "mteb": True, "helm": False, "lighteval": False,
    "opencompass": False, "swebench": False,
}  # fmt: skip


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
    known = partial(_known_file, {file.place: file for file in held}, place_of, format)
    with open_files(paths, format, options, formats, progress, known) as (chosen, skipped):
        fresh, same = _sort_out(chosen, held, place_of)
        unchanged = tuple(one.file.label for one in same)
        fresh += _find_companions(fresh, same, held, place_of)
        replaced = {place_of(one.file.label) for one in fresh}
        others = [file for file in held if file.place not in replaced]
        found: list[KeptFile] = []
        groups = _by_reader(fresh, lambda one: formats[one.format].read)
        readers = {*groups, *(formats[one.format].read for one in others)}
        # Names that no reader knows are refused when all is put together.
        declared = Declared(options, several=len(readers) > 1)
        for read, members in groups.items():
            older = [one for one in others if formats[one.format].read is read]
            found += declared.heed(
                partial(_collect_group, members, older, formats=formats, skipped=skipped,
                        engine=engine),
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
    by_place = {file.place: file for file in held}
    for one in chosen:
        if one.file.label == "-":
            raise OptionError(
                "Standard input has no path by which a store could tell it from other results. "
                "Write it to a file, and add that."
            )
        before = by_place.get(place_of(one.file.label))
        if before is not None and (before.sha256, before.format) == (one.sha256, one.format):
            same.append(one)
        else:
            fresh.append(one)
    return fresh, same


def _find_companions(
    fresh: Sequence[ChosenFile],
    same: Sequence[ChosenFile],
    held: Sequence[KeptFile],
    place_of: Callable[[str], str],
) -> list[ChosenFile]:
    """Files that have not changed but must be read together with some that have."""

    def group(format: str, place: str) -> tuple[str, str] | None:
        if format not in COMPANIONS:
            return None
        return format, str(PurePosixPath(place).parent) if COMPANIONS[format] else ""

    wanted = {group(one.format, place_of(one.file.label)) for one in fresh} - {None}
    found = [one for one in same if group(one.format, place_of(one.file.label)) in wanted]
    known = {place_of(one.file.label) for one in (*fresh, *same)}
    for file in held:
        if file.place in known or group(file.format, file.place) not in wanted:
            continue
        again = InputFile(Path(file.path), file.path, asked=False)
        if place_of(file.path) == file.place and again.path.is_file():
            found.append(ChosenFile(again, file.format, digest(again)))
    return found


def _by_reader(
    files: Sequence[Any], reader: Callable[[Any], Callable[..., Scores]]
) -> dict[Callable[..., Scores], list[Any]]:
    """Files by the function that reads them, in the order in which these occur."""
    groups: dict[Callable[..., Scores], list[Any]] = defaultdict(list)
    for file in files:
        groups[reader(file)].append(file)
    return groups


def _collect_group(
    members: Sequence[ChosenFile],
    known: Sequence[KeptFile],
    options: ReadOptions,
    formats: KnownFormats,
    skipped: Skipped,
    engine: Engine,
) -> list[KeptFile]:
    """What files of one reader hold."""
    read = formats[members[0].format].read
    way = way_of(read)
    notes: tuple[Note, ...] = ()
    if way is not None:
        parsed, sound = read_sound(
            lambda files, options: way.parse(files, options, engine), members, options, skipped
        )
        found = parsed or Found()
    else:
        keeper = Keeper(_found_in(known))
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
    options = options_of(given)
    ordered = sorted(files, key=lambda file: order_of_files(file.path))
    parts = []
    groups = _by_reader(ordered, lambda file: formats[file.format].read)
    declared = Declared(options, several=len(groups) > 1)
    for read, members in groups.items():
        scores = declared.heed(
            partial(put_found_together, read, _found_in(members)), formats[members[0].format],
            scores_of=lambda found: found,
        )  # fmt: skip
        beside = dict.fromkeys(note for file in members for note in file.notes)
        inputs = tuple(Input(file.path, file.format, file.sha256) for file in members)
        parts.append(replace(scores.with_notes(beside), inputs=inputs))
    declared.refuse_unknown()
    return merge_sources(parts).with_notes(declared.notes())


def _found_in(files: Sequence[KeptFile]) -> Found:
    return unpack([piece for file in files for piece in file.pieces])


def _file_of(source: str, files: Collection[str]) -> str:
    """The file that a part names as its source: the file itself, or a place in it."""
    if source in files:
        return source
    near = [path for path in files if source.startswith(path)]
    return max(near, key=len) if near else next(iter(files))

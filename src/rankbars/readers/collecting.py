"""Files read for a store, and what a store holds put together again.

Reading for a store and putting together go through the same functions as `rankbars.read`: only
the rows come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankbars.data.evidence import take_models
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import Input
from rankbars.data.votes import Labels
from rankbars.errors import DataError, OptionError
from rankbars.readers.chosenfiles import (
    Paths,
    Skipped,
    check_options,
    known_formats,
    note_equal,
    open_files,
)
from rankbars.readers.declared import Declared
from rankbars.readers.gathering import (
    Group,
    by_reader,
    join_ready,
    put_groups_together,
    read_parts,
    read_sound,
    scores_from_parts,
)
from rankbars.readers.inputfiles import InputFile, digest
from rankbars.readers.keptfiles import KeptFile, PlaceOf, find_again, group_of, order_of_files
from rankbars.readers.openedfiles import Progress
from rankbars.readers.parts import ErrorTable, Heeded, Leaderboard, Part, ReadyScores, VoteTable
from rankbars.readers.recognition import ChosenFile, Format, KnownFormats
from rankbars.readers.tables import name_files
from rankbars.tables.database import Engine
from rankbars.tables.givenoptions import options_of
from rankbars.tables.parsedtables import ParsedTable
from rankbars.tables.readoptions import ReadOptions

__all__ = ["Collected", "check_formats", "collect", "collect_group", "is_same", "put_together"]


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
    options = options_of(given, format)
    check_formats(held, formats)
    known = partial(_known_file, {file.place: file for file in held}, place_of, format)
    with open_files(paths, format, options, formats, progress, known) as (chosen, skipped):
        fresh, same = _sort_out(chosen, held, place_of)
        unchanged = tuple(one.file.label for one in same)
        fresh += _find_companions(fresh, same, held, place_of)
        replaced = {place_of(one.file.label) for one in fresh}
        others = [file for file in held if file.place not in replaced]
        found: list[KeptFile] = []
        groups = by_reader(fresh, lambda one: formats[one.format])
        named = {one.format for one in fresh} | {one.format for one in others}
        readers = {formats[name].code for name in named}
        # Names that no reader knows are refused when all is put together.
        declared = Declared(replace(options, engine=engine), several=len(readers) > 1)
        for reader, members in groups:
            older = [one for one in others if formats[one.format].code == reader.code]
            found += declared.heed(
                partial(_collect_with, reader, members, older, skipped=skipped, place_of=place_of),
                reader, scores_of=lambda _: None,
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
    if file.origin.stat().st_size != before.size or digest(file) != before.sha256:
        return None
    return ChosenFile(file, before.format, before.sha256)


def _sort_out(
    chosen: Sequence[ChosenFile], held: Sequence[KeptFile], place_of: Callable[[str], str]
) -> tuple[list[ChosenFile], list[ChosenFile]]:
    """Files to read, and those that the store holds as they are."""
    fresh, same = [], []
    orphans = _find_orphans(held)
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
    reader: Format,
    members: Sequence[ChosenFile],
    older: Sequence[KeptFile],
    options: ReadOptions,
    skipped: Skipped,
    place_of: PlaceOf,
) -> list[KeptFile]:
    """What files of one reader hold.

    Notes may be about several of them. So where there are any, the older files are read again as
    far as they are there.
    """
    found = collect_group(reader, members, options, skipped)
    if not any(file.notes for file in (*found, *older)):
        return found
    again = find_again(older, place_of, options)
    if not again:
        return found
    sound = {file.path for file in found}
    members = [one for one in members if one.file.label in sound]
    return collect_group(reader, [*members, *again.values()], options, skipped)


def collect_group(
    reader: Format,
    members: Sequence[ChosenFile],
    options: ReadOptions,
    skipped: Skipped,
) -> list[KeptFile]:
    """What files of one reader hold.

    Parameters
    ----------
    reader : Format
        What reads them.
    members : sequence of ChosenFile
        The files.
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
    OptionError
        If a format cannot be kept in a store.
    """

    def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
        parts = read_parts(reader, files, options)
        if any(isinstance(part, ReadyScores) for part in parts):
            return _one_by_one(reader, files, options, scores_from_parts(parts, options))
        return parts

    members = sorted(members, key=lambda one: order_of_files(one.file.label))
    parts, sound = read_sound(read, members, options, skipped)
    own: dict[str, list[Part]] = {one.file.label: [] for one in sound}
    for part in parts or ():
        if not isinstance(part, Note):
            own[_file_of(part.source, own)].append(part)
    said = tuple(part for part in parts or () if isinstance(part, Note))
    return [
        KeptFile(
            one.file.label,
            one.format,
            one.sha256,
            one.file.origin.stat().st_size,
            any(map(_gives, own[one.file.label])),
            tuple(own[one.file.label]),
            said if place == 0 else (),
        )
        for place, one in enumerate(sound)
    ]


def _gives(part: Part) -> bool:
    """Whether there is anything in a part."""
    if isinstance(part, Heeded):
        return bool(part.filters)
    return not isinstance(part, Leaderboard) or bool(part.runs)


def _one_by_one(
    reader: Format, files: Sequence[InputFile], options: ReadOptions, whole: Scores
) -> list[Part]:
    """Finished scores, file by file, if that says the same as all files read together."""
    parts = [
        ReadyScores(file.label, scores_from_parts(read_parts(reader, [file], options), options))
        for file in files
    ]
    if len(parts) > 1 and not is_same(join_ready(parts), whole):
        raise OptionError(
            f"{files[0].label}: files of the format {reader.name} say something else "
            "together than one by one, and a store keeps files one by one. Rank them from their "
            "files: rankbars rank."
        )
    return [*parts]


def is_same(one: Scores, two: Scores) -> bool:
    """Whether two scores say the same, in whatever order their models stand.

    Tasks, what is known of them, notes, and every number must be equal.
    """
    return _is_equal(_in_order_of_names(one), _in_order_of_names(two))


def _in_order_of_names(scores: Scores) -> Scores:
    """The scores with the models of each task in order of their names; inputs left out."""
    tasks, info = {}, {}
    for task, evidence in scores.tasks.items():
        models = evidence.models
        order = sorted(range(len(models)), key=models.__getitem__)
        tasks[task] = take_models(evidence, order)
        coverage = scores.info[task].coverage
        info[task] = scores.info[task]
        if coverage is not None:
            info[task] = replace(info[task], coverage=coverage.take(order))
    return Scores(tasks, info, scores.notes)


def _is_equal(one: Any, two: Any) -> bool:
    """Whether two things are of one type and have equal fields."""
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, two, equal_nan=one.dtype.kind == "f")
    if isinstance(one, Labels):
        texts = [np.array([*it.names, None], dtype=object)[it.codes].tolist() for it in (one, two)]
        return bool(texts[0] == texts[1])
    if isinstance(one, Mapping):
        return list(one) == list(two) and all(_is_equal(one[key], two[key]) for key in one)
    if is_dataclass(one):
        names = [it.name for it in fields(one) if it.compare]
        return all(_is_equal(getattr(one, name), getattr(two, name)) for name in names)
    return bool(one == two)


def _file_of(source: str, files: Collection[str]) -> str:
    """The file that a part names as its source: the file itself, or a place in it."""
    if source in files:
        return source
    near = [path for path in files if source.startswith(path)]
    return max(near, key=len) if near else next(iter(files))


def _in_order(parts: Iterable[Part]) -> list[Part]:
    """The parts in the order of their files, with the names that these have beside each other."""
    ordered = sorted(
        (part for part in parts if not isinstance(part, Note)),
        key=lambda part: order_of_files(part.source),
    )
    found: list[Part] = [*ordered]
    for kind in (ParsedTable, ErrorTable, VoteTable):
        places = [place for place, part in enumerate(ordered) if type(part) is kind]
        files = [InputFile(Path(ordered[place].source), ordered[place].source) for place in places]
        for place, names in zip(places, name_files(files), strict=True):
            found[place] = ordered[place]._replace(names=names)  # type: ignore[union-attr, call-arg]
    return found


def check_formats(files: Sequence[KeptFile], formats: KnownFormats) -> None:
    """Raise `DataError` if a store holds files of a format that is not known here."""
    for file in files:
        if file.format not in formats:
            name = repr(file.format[:60])  # a store from elsewhere may hold a text of any length
            raise DataError(
                f"{file.path}: the store holds it as {name}, a format that is not known "
                "here. Install the package that adds the format, or take the file out: rankbars "
                "remove."
            )


def put_together(
    files: Sequence[KeptFile], given: Mapping[str, Any], only: Collection[str] | None = None
) -> Scores:
    """Scores from what a store holds, as `rankbars.read` gives them from the files.

    Parameters
    ----------
    files : sequence of KeptFile
        All files of the store, in any order.
    given : mapping
        Options by the names that `rankbars.read` has for them.
    only : collection of str, optional
        Paths of the files whose results are wanted; the others only tell how these are called.

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
    groups = [
        Group(reader, partial(_put_group_together, members, only=only))
        for reader, members in by_reader(ordered, lambda file: formats[file.format])
        if only is None or any(file.path in only for file in members)
    ]
    scores = put_groups_together(groups, options, part=only is not None)
    if scores is None:
        raise DataError("The store holds no results.")
    return scores.with_notes(note_equal(scores.inputs))


def _put_group_together(
    files: Sequence[KeptFile], options: ReadOptions, only: Collection[str] | None
) -> tuple[Scores, tuple[Input, ...]]:
    beside = dict.fromkeys(note for file in files for note in file.notes)
    parts = _in_order(part for file in files for part in file.parts)
    if only is not None:
        paths = [file.path for file in files]
        parts = [
            part
            for part in parts
            if not isinstance(part, Note) and _file_of(part.source, paths) in only
        ]
        files = [file for file in files if file.path in only]
    scores = scores_from_parts([*parts, *beside], options)
    return scores, tuple(Input(file.path, file.format, file.sha256) for file in files)


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


def _find_companions(
    fresh: Sequence[ChosenFile],
    same: Sequence[ChosenFile],
    held: Sequence[KeptFile],
    place_of: PlaceOf,
) -> list[ChosenFile]:
    """Files that have not changed but must be read together with some that have."""
    wanted = {group_of(one.format, place_of(one.file.label)) for one in fresh} - {None}
    found = [one for one in same if group_of(one.format, place_of(one.file.label)) in wanted]
    known = {place_of(one.file.label) for one in (*fresh, *same)}
    for file in held:
        if file.place in known or group_of(file.format, file.place) not in wanted:
            continue
        again = InputFile(Path(file.path), file.path, asked=False)
        if place_of(file.path) == file.place and again.path.is_file():
            found.append(ChosenFile(again, file.format, digest(again)))
    return found


def _find_orphans(held: Sequence[KeptFile]) -> set[str]:
    """Places of files that gave nothing, and those that they were read with are gone."""
    giving = {group_of(file.format, file.place) for file in held if file.gives} - {None}
    groups = {file.place: group_of(file.format, file.place) for file in held}
    return {place for place, group in groups.items() if group is not None} - {
        place for place, group in groups.items() if group in giving
    }

"""Files of all formats, read format by format and put together.

What files hold is the same to this, whether it was read just now or lay in a store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, TypeVar

from rankbars.data.notes import Note, list_names
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import change_tasks, has_uneven_trials
from rankbars.data.taskinfo import Input
from rankbars.errors import DataError, OptionError, RankbarsError, ReadError
from rankbars.readers.chosenfiles import Skipped
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.parts import (
    ErrorTable,
    Heeded,
    JudgedFile,
    Leaderboard,
    Part,
    ReadyScores,
    VoteTable,
)
from rankbars.readers.recognition import ChosenFile, Format, KnownFormats
from rankbars.tables.assembly import scores_from_parsed
from rankbars.tables.database import Engine
from rankbars.tables.joining import join_scores
from rankbars.tables.metrics import is_trial_metric
from rankbars.tables.parsedtables import ParsedTable
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.remarks import note_chosen_rows
from rankbars.tables.strays import note_lookalikes, note_strays

__all__ = [
    "Group",
    "by_reader",
    "gather",
    "join_ready",
    "merge_sources",
    "put_groups_together",
    "read_parts",
    "read_sound",
    "scores_from_parts",
]


T = TypeVar("T")

# Scores, or None, and the files that they are from.
Found: TypeAlias = "tuple[Scores | None, tuple[Input, ...]]"


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
    read: Callable[[ReadOptions], Found]


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
        groups[format_of(file).code].append(file)
    return [(format_of(members[0]), members) for members in groups.values()]


def put_groups_together(
    groups: Sequence[Group], options: ReadOptions, *, part: bool = False
) -> Scores | None:
    """Scores of all groups; None if there are none.

    Parameters
    ----------
    groups : sequence of Group
        What is read, by reader.
    options : ReadOptions
        What the caller declares.
    part : bool
        Whether there is more than these groups: names that they do not know are of the rest.

    Raises
    ------
    DataError
        If the results of a group cannot be understood, or those of two cannot be joined.
    """
    if len(groups) == 1 and not part:
        found, beside = [_read_before(groups[0].read, options)], list[Note]()
    else:
        found, beside = _read_several(groups, options, part=part)
    parts = [replace(scores, inputs=inputs) for scores, inputs in found if scores is not None]
    if not parts:
        return None
    merged = merge_sources(parts, anyway=options.compare_anyway).with_notes(beside)
    asked = any(map(is_trial_metric, options.metrics))
    if not asked and (options.trials == "fixed" or not has_uneven_trials(merged.tasks)):
        return merged
    from rankbars.tables.trialmetrics import note_stopped, take_trial_metrics

    if not asked:
        return note_stopped(merged)
    return take_trial_metrics(merged, options.metrics, fixed=options.trials == "fixed")


def _read_several(
    groups: Sequence[Group], options: ReadOptions, *, part: bool
) -> tuple[list[Found], list[Note]]:
    """What each group is, told the names that it knows; and what was not told to which."""
    from rankbars.readers.declared import Declared

    declared = Declared(options)
    found = [
        declared.heed(partial(_read_before, group.read), group.format, scores_of=itemgetter(0))
        for group in groups
    ]
    if part:
        return found, []
    declared.refuse_unknown()
    return found, declared.notes()


def _read_before(read: Callable[[ReadOptions], Found], options: ReadOptions) -> Found:
    """What a reader finds; a metric of several answers that it does not have is made afterwards."""
    rest = tuple(name for name in options.metrics if not is_trial_metric(name))
    try:
        return read(options)
    except RankbarsError as error:
        if error.lacking is None or error.lacking.option != "metric" or rest == options.metrics:
            raise
    return read(replace(options, metrics=rest, metric=rest[0] if rest else None))


def read_parts(reader: Format, files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """What the files hold; readers of other distributions may give finished scores.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If what the files hold cannot be understood.
    """
    if options.where and not reader.is_table:
        raise OptionError(
            f"{files[0].label} is read as {reader.name}, and conditions on columns choose rows of "
            f"tables: {' and '.join(options.where)}. Leave them out, or give tables only."
        )
    found = reader.read(files, options)
    return [ReadyScores(files[0].label, found)] if isinstance(found, Scores) else [*found]


def _read_group(
    reader: Format, members: Sequence[ChosenFile], options: ReadOptions, skipped: Skipped
) -> Found:
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


def scores_from_parts(parts: Iterable[Part], options: ReadOptions) -> Scores:
    """Scores from what the files of one format hold.

    Parameters
    ----------
    parts : iterable of Part
        What the files hold, in their order.
    options : ReadOptions
        What the caller declares.

    Raises
    ------
    DataError
        If there is nothing to compare, or it cannot be told what is to be compared.
    """
    kinds: dict[type, list[Any]] = defaultdict(list)
    for part in parts:
        kinds[type(part)].append(part)
    heeded = {name for part in kinds[Heeded] for name in part.filters}
    if heeded:
        filters = tuple(name for name in options.filters if name not in heeded)
        options = replace(options, filters=filters)
    found = []
    if kinds[ParsedTable]:
        found.append(scores_from_parsed(kinds[ParsedTable], options))
    if kinds[ErrorTable]:
        from rankbars.readers.tabarena import scores_from_errors

        found.append(scores_from_errors(kinds[ErrorTable], options))
    if kinds[VoteTable]:
        from rankbars.readers.votefiles import scores_from_votes

        found.append(
            scores_from_votes(
                kinds[VoteTable], per_file=options.arena_per_file, beside=options.beside
            )
        )
    if kinds[ReadyScores]:
        found.append(join_ready(kinds[ReadyScores]))
    logs = {kind: some for kind, some in kinds.items() if some and kind not in _NO_LOGS}
    if logs or not found:
        found.append(_scores_from_logs(logs, options))
    whole = join_scores(found, anyway=options.compare_anyway)
    return whole.with_notes([*note_chosen_rows(options.where), *kinds[Note]])


# Whatever else a file holds is a log, or sums up logs.
_NO_LOGS = frozenset((ParsedTable, ErrorTable, VoteTable, ReadyScores, Heeded, Note))


def _scores_from_logs(logs: Mapping[type, Sequence[Any]], options: ReadOptions) -> Scores:
    """Scores from logs; leaderboards count where there is nothing that they sum up."""
    from rankbars.readers.logs.decisions import scores_from_runs
    from rankbars.readers.logs.records import Run

    runs: Sequence[Run] = logs.get(Run, ())
    judged: Sequence[JudgedFile] = logs.get(JudgedFile, ())
    boards: Sequence[Leaderboard] = logs.get(Leaderboard, ())
    notes: list[Note] = []
    if boards and (runs or judged):
        notes = [Note("groups", text) for text in dict.fromkeys(one.instead for one in boards)]
    elif boards:
        runs = [run for board in boards for run in board.runs]
    if not judged:
        return scores_from_runs(runs, options).with_notes(notes)
    from rankbars.readers.votefiles import scores_from_judged

    return scores_from_judged(judged, runs, notes, options)


def join_ready(parts: Sequence[ReadyScores]) -> Scores:
    """Scores of single files as one; models of a task are put side by side.

    Raises
    ------
    DataError
        If a task cannot be joined.
    """
    if len(parts) == 1:
        return parts[0].scores
    joined = join_scores([part.scores for part in parts], [part.source for part in parts])
    said = {note for part in parts for note in part.scores.notes}
    # That files were put together goes without saying where all are of one format.
    notes = tuple(note for note in joined.notes if note.code != "joined" or note in said)
    return replace(joined, notes=notes)


def merge_sources(parts: Sequence[Scores], *, anyway: bool = False) -> Scores:
    """All tasks of all formats.

    A task that is the category of tasks of another format is their whole, and left out.

    Parameters
    ----------
    parts : sequence of Scores
        What the reader of each format found, at least one; each names its inputs.
    anyway : bool
        Whether models are compared although they were not given the same task.

    Raises
    ------
    DataError
        If a task cannot be joined.

    Examples
    --------
    >>> from rankbars.data.evidence import Estimates
    >>> from rankbars.data.scores import TaskInfo
    >>> leaf = Scores({"algebra": Estimates(("a",), [1.0])}, {"algebra": TaskInfo("math")})
    >>> whole = Scores({"math": Estimates(("a",), [1.0]), "art": Estimates(("a",), [1.0])})
    >>> list(merge_sources([leaf, whole]).tasks)
    ['algebra', 'art']
    """
    if len(parts) == 1:
        return note_strays(note_lookalikes(parts[0]))
    kept, notes = _take_leaves(parts)
    joined = join_scores(kept, [_title(part) for part in kept], anyway=anyway).with_notes(notes)
    return note_strays(note_lookalikes(joined))


def _take_leaves(parts: Sequence[Scores]) -> tuple[list[Scores], list[Note]]:
    kept: list[Scores] = []
    gone: dict[str, None] = {}
    for part in parts:
        others = {
            info.category
            for other in parts
            if other is not part
            for task, info in other.info.items()
            if info.category != task
        }
        wholes = [task for task in part.tasks if task in others]
        gone |= dict.fromkeys(wholes)
        if not wholes:
            kept.append(part)
        elif leaves := [name for name in part.tasks if name not in wholes]:
            tasks = change_tasks(part.tasks, dict.fromkeys(leaves))
            info = {name: part.info[name] for name in leaves}
            notes = tuple(note for note in part.notes if note.task not in wholes)
            kept.append(replace(part, tasks=tasks, info=info, notes=notes))
    if not gone:
        return kept, []
    note = Note(
        "groups",
        f"Left aside, because other tasks here are parts of it: {list_names(sorted(gone))}. "
        "The parts have it as their category.",
    )
    return kept, [note]


def _title(part: Scores) -> str:
    formats = ", ".join(dict.fromkeys(one.format for one in part.inputs))
    paths = [one.path for one in part.inputs]
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{paths[0]}{more} ({formats})" if paths else "an input"

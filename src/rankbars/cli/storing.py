"""Results kept in a store: ``rankbars add`` and ``remove``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.options import inputs_argument, json_option, quiet_option, refuse_empty
from rankbars.cli.outputs import emit_text, print_change, say
from rankbars.cli.readingoptions import (
    Reading,
    bytes_of,
    find_store,
    given_options,
    limit_of,
    reading_options,
    settle_options,
)
from rankbars.cli.storelog import (
    account_for_store,
    by_option,
    say_event,
    say_rest,
    store_option,
    who_is,
)
from rankbars.cli.votechoices import VoteReading, vote_reading_options
from rankbars.errors import DataError, OptionError, ReadError, WriteError
from rankbars.tables.metrics import is_trial_metric

if TYPE_CHECKING:
    from rankbars.data.notes import NameKind
    from rankbars.data.scores import Scores
    from rankbars.readers.collecting import Collected
    from rankbars.store.contents import Store
    from rankbars.store.holdings import Change, Event, FileEntry, Holdings

__all__ = ["add_command", "remove_command"]

_MOST_SHOWN = 20

# Notes on the whole that `add` says beside those on what it read.
_SAID_TOO = frozenset({"equal-content", "retired"})

_ADD_HELP = """Add results to a store: one file that keeps what was read from where and when.

The store is made where there is none. A file that it holds already is left as it is; one that has
changed replaces its own rows. All of it is done, or nothing.

\b
  rankbars add results/ --store board.duckdb
  rankbars add new-model.csv --store board.duckdb
  rankbars rank board.duckdb --html report.html
"""

_REMOVE_HELP = """Take results out of a store, by the files that they came from.

INPUT is a path as `rankbars log` shows it, a folder, or a pattern. The files themselves are not
touched, and need not be there. With --model or --task, all files with its results are taken out;
they must hold nothing else.

\b
  rankbars remove results/old-model.csv --store board.duckdb
  rankbars remove --model old-model --store board.duckdb
"""


def _transfers_of(reading: Reading) -> dict[str, Any]:
    """How far transfers are trusted; this is not kept in a store either."""
    return {"download_limit": reading.download_limit, "other_hosts": reading.other_hosts}


@click.command("add", help=_ADD_HELP, short_help="Add results to a store.")
@inputs_argument
@store_option
@reading_options
@vote_reading_options
@by_option
@json_option
@quiet_option
def add_command(
    *,
    inputs: tuple[str, ...],
    store: str,
    reading: Reading,
    vote_reading: VoteReading,
    by: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read, check together with what is there, keep."""
    from rankbars.cli.outputs import unreadable
    from rankbars.cli.progress import reading_files, working
    from rankbars.data.notes import list_words
    from rankbars.readers.collecting import collect
    from rankbars.render.notation import counted
    from rankbars.store.access import change_store
    from rankbars.store.holdings import Change
    from rankbars.tables.database import Engine

    if find_store(inputs) is not None:
        raise OptionError("A store cannot be added to a store. Add the files that it was made of.")
    if reading.redact:
        raise OptionError(
            "A store needs the names of items, to tell which ones models share. Hide them where "
            f"they are shown: rankbars rank {store} --redact."
        )
    if made := [name for name in reading.metric if is_trial_metric(name)]:
        raise OptionError(
            f"A store keeps every answer, and {made[0]} is made of them when they are ranked: "
            f"leave it out here, and give it to rankbars rank {shlex.quote(str(store))} "
            f"--metric {shlex.quote(made[0])}."
        )
    given = given_options(reading, vote_reading)
    collected: list[Collected] = []
    checked: list[Scores] = []

    def plan(held: Holdings) -> Change | None:
        account_for_store(store, held.events)
        # A store that has become empty keeps its options, unless others are given.
        is_free = not held.files and bool(given)
        options = given if is_free else settle_options(store, held.options, given)
        with Engine() as engine, reading_files(quiet=quiet) as progress:
            found = collect(
                inputs, held.files, {**options, **_transfers_of(reading)}, format=reading.format,
                place_of=held.place_of, engine=engine, progress=progress,
            )  # fmt: skip
            collected.append(found)
            if not found.files:
                return None
            with working("Reading", quiet=quiet):
                return Change.of(found.files, options=options)

    def settle(opened: Store, change: Change) -> list[Event]:
        with working("Keeping", quiet=quiet), _saying_made_without(store, opened):
            return opened.apply(change, lambda: checked.append(_whole(opened, limit_of(reading))))

    events = change_store(
        store, plan, settle, create=True, memory=bytes_of(reading), who=who_is(by)
    )
    found = collected[-1]
    say_rest(store)
    said = [note for scores in checked[-1:] for note in scores.notes if note.code in _SAID_TOO]
    notes = [note.message for note in (*found.notes, *said)]
    if as_json:
        print_change(store, events, unchanged=found.unchanged, notes=notes)
        return
    for message in unreadable(found.notes) if quiet else notes:
        say(message)
    if quiet:
        return
    lines = [say_event(event) for event in events[:_MOST_SHOWN]]
    if len(events) > _MOST_SHOWN:
        lines.append(f"and {len(events) - _MOST_SHOWN:,} more files.")
    if found.unchanged:
        lines.append(f"In the store as they are, and left so: {list_words(found.unchanged, 5)}.")
    lines += [
        f"{store} holds {counted(len(scores.inputs), 'file')}: "
        f"{counted(len(scores.models), 'model')}, {counted(len(scores.tasks), 'task')}."
        for scores in checked[-1:]
    ]
    emit_text("\n".join(lines) + "\n")


@click.command("remove", help=_REMOVE_HELP, short_help="Take results out of a store.")
@click.argument("inputs", metavar="[INPUT]...", nargs=-1, callback=refuse_empty)
@store_option
@click.option("--model", "models", multiple=True, metavar="NAME",
              help="Take out all results of a model; repeat for several.")  # fmt: skip
@click.option("--task", "tasks", multiple=True, metavar="NAME",
              help="Take out all results on a task; repeat for several.")  # fmt: skip
@by_option
@json_option
@quiet_option
def remove_command(
    *,
    inputs: tuple[str, ...],
    store: str,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    by: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find, take out."""
    from rankbars.store.access import change_store

    if not (inputs or models or tasks):
        raise click.UsageError("Nothing is named: give a file of the store, --model or --task.")
    named, revision = _holding(store, models, tasks)
    inputs = (*inputs, *named)

    def plan(held: Holdings) -> Change:
        if named and held.revision != revision:
            raise WriteError(
                f"{store}: somebody else has changed the store meanwhile. Try again; nothing was "
                "removed."
            )
        account_for_store(store, held.events)
        chosen: dict[int, FileEntry] = {}
        for path in inputs:
            chosen |= {entry.id: entry for entry in _find(held, path)}
        return _plan_rest(held, list(chosen.values()))

    events = change_store(store, plan, _take_out, who=who_is(by))
    say_rest(store)
    if as_json:
        print_change(store, events)
    elif not quiet:
        emit_text("\n".join(say_event(event) for event in events) + "\n")


@contextmanager
def _saying_made_without(store: str, opened: Store) -> Iterator[None]:
    """Errors that advise to take the newest rows say that a store must be made so."""
    late = bool(opened.entries) and "reruns" not in opened.options
    try:
        yield
    except DataError as error:
        if late and "--reruns newest" in str(error):
            raise DataError(
                f"{error} {store} was made without --reruns, and all of a store is read in one "
                "way: make another of all files, with --store NEW.duckdb and this option."
            ) from error
        raise


def _holding(store: str, models: Sequence[str], tasks: Sequence[str]) -> tuple[list[str], str]:
    """The files with results of models or on tasks, and the state of the store.

    Raises
    ------
    DataError
        If some hold other results as well.
    """
    from rankbars.data.notes import list_words
    from rankbars.store.access import open_store
    from rankbars.store.naming import paths_of

    if not (models or tasks):
        return [], ""
    paths: dict[str, None] = {}
    with open_store(store) as opened:
        kinds: tuple[NameKind, NameKind] = ("model", "task")
        for kind, names in zip(kinds, (models, tasks), strict=True):
            for name in names:
                alone, among = paths_of(opened, kind, name)
                if among:
                    raise DataError(
                        f"{list_words(among, 5)} {'holds' if len(among) == 1 else 'hold'} results "
                        f"of other {kind}s beside {name!r}, and a store keeps files as they were "
                        "read; nothing was removed. Take it out of the files and add them again, "
                        f"or leave it out of the boards: rankbars retire --{kind} "
                        f"{shlex.quote(name)} --store {store}."
                    )
                paths |= dict.fromkeys(alone)
        return list(paths), opened.revision


def _plan_rest(held: Holdings, entries: Sequence[FileEntry]) -> Change:
    """Files are removed; what was read with them is read again without them."""
    from rankbars.store.holdings import Change, read_rest_again
    from rankbars.tables.database import Engine

    places = {one.place for one in entries}
    left, gone = (
        [file for file in held.files if (file.place in places) is out] for out in (False, True)
    )
    with Engine() as engine:
        try:
            anew = read_rest_again(left, gone, held.options, place_of=held.place_of, engine=engine)
            return Change.of(anew, entries)
        except (ReadError, DataError, OptionError) as error:
            return Change.of((), entries, fault=error)


def _take_out(store: Store, change: Change) -> list[Event]:
    """Remove files; what is left must be of use, unless it was of none before."""

    def check() -> None:
        if change.fault is not None:
            raise change.fault
        if store.entries:
            _whole(store)

    try:
        return store.apply(change, check)
    except (ReadError, DataError, OptionError) as error:
        try:
            _whole(store)
        except (ReadError, DataError, OptionError):
            return store.apply(Change.of((), change.gone))
        raise DataError(
            f"Nothing was removed: what would be left cannot be used. {error}"
        ) from error


def _whole(store: Store, more: Mapping[str, Any] | None = None) -> Scores:
    """The scores that an open store holds; votes as tasks and models, for nothing else can fail."""
    from rankbars.store.naming import scores_of

    return scores_of(store, more, outline=True)


def _find(store: Holdings, path: str) -> list[FileEntry]:
    """The files of a store that a path, a folder or a pattern names."""
    place = store.place_of(path)
    found = [
        entry
        for entry in store.entries
        if entry.path == path
        or entry.place == place
        or entry.place.startswith(f"{place}/")
        or fnmatchcase(entry.path, path)
    ]
    if not found:
        raise OptionError(
            f"{path}: nothing in the store came from there. `rankbars log` lists the files that "
            "it holds; nothing was removed."
        )
    return found

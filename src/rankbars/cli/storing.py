"""``rankbars add``, ``rankbars log``, ``rankbars remove``: results kept in a store."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from rankbars.cli.options import Reading, inputs_argument, quiet_option, reading_options
from rankbars.cli.voting import control_option, self_votes_option
from rankbars.errors import DataError, OptionError, ReadError

if TYPE_CHECKING:
    from rankbars.data.scores import Scores
    from rankbars.readers.pieces import KeptFile
    from rankbars.store.contents import Store
    from rankbars.store.entries import Event, FileEntry

__all__ = ["add_command", "log_command", "remove_command"]

MOST_SHOWN = 20

ADD_HELP = """Add results to a store: one file that keeps what was read from where and when.

The store is made where there is none. A file that it holds already is left as it is; one that has
changed replaces its own rows. All of it is done, or nothing.

\b
  rankbars add results/ --store board.duckdb
  rankbars add new-model.csv --store board.duckdb
  rankbars rank board.duckdb --html report.html
"""

LOG_HELP = """Tell what a store holds, and what was added, replaced and removed when.

\b
  rankbars log board.duckdb
"""

REMOVE_HELP = """Take results out of a store, by the files that they came from.

RESULTS are paths as `rankbars log` shows them, folders, or patterns. The files themselves are not
touched, and need not be there.

\b
  rankbars remove results/old-model.csv --store board.duckdb
"""

store_option = click.option("--store", metavar="STORE", required=True, help="File of the store.")


@click.command("add", help=ADD_HELP, short_help="Add results to a store.")
@inputs_argument
@store_option
@reading_options
@control_option
@self_votes_option
@quiet_option
def add_command(
    *,
    inputs: tuple[str, ...],
    store: str,
    reading: Reading,
    control: tuple[str, ...],
    self_votes: str,
    quiet: bool,
) -> None:
    """Read, check together with what is there, keep."""
    from rankbars import __version__
    from rankbars.cli.progress import reading_files, working
    from rankbars.cli.stores import (
        account_for_store,
        find_store,
        given_options,
        limit_of,
        settle_options,
    )
    from rankbars.cli.streams import emit_text, say
    from rankbars.readers.collecting import collect, put_together
    from rankbars.store.access import open_store
    from rankbars.tables.database import Engine

    if find_store(inputs) is not None:
        raise OptionError("A store cannot be added to a store. Add the files that it was made of.")
    if reading.redact:
        raise OptionError(
            "A store needs the names of items, to tell which ones models share. Hide them where "
            f"they are shown: rankbars rank {store} --redact."
        )
    given = given_options(reading, control, self_votes)
    checked: list[Scores] = []
    with (
        Engine() as engine,
        open_store(store, __version__, write=True, create=True) as opened,
    ):
        account_for_store(store, len(opened.events))
        held = opened.files()
        # A store that has become empty keeps its options, unless others are given.
        is_free = not held and bool(given)
        options = given if is_free else settle_options(store, opened.options, given)
        with reading_files(quiet=quiet) as progress:
            found = collect(
                inputs, held, options, format=reading.format, place_of=opened.place_of,
                engine=engine, progress=progress,
            )  # fmt: skip

        def check(files: Sequence[KeptFile]) -> None:
            checked.append(put_together(files, {**options, **limit_of(reading)}))

        with working("Keeping", quiet=quiet):
            events = opened.put(found.files, options, check) if found.files else []
    _say_rest(store)
    if quiet:
        return
    for note in found.notes:
        say(note.message)
    lines = [_say_event(event) for event in events[:MOST_SHOWN]]
    if len(events) > MOST_SHOWN:
        lines.append(f"and {len(events) - MOST_SHOWN:,} more files.")
    if found.unchanged:
        lines.append(f"In the store as they are, and left so: {_files(found.unchanged)}.")
    lines += [
        f"{store} holds {_count(scores.inputs, 'file')}: {_count(scores.models, 'model')}, "
        f"{_count(scores.tasks, 'task')}."
        for scores in checked
    ]
    emit_text("\n".join(lines) + "\n")


@click.command("log", help=LOG_HELP, short_help="What a store holds, and since when.")
@click.argument("store", metavar="STORE")
def log_command(*, store: str) -> None:
    """Open, list."""
    from rankbars import __version__
    from rankbars.cli.stores import option_line
    from rankbars.cli.streams import emit_text
    from rankbars.store.access import open_store

    with open_store(store, __version__) as opened:
        entries, events, options = opened.entries, opened.events, opened.options
    lines = [f"{store} holds {_count(entries, 'file')}" + (":" if entries else ".")]
    lines += [
        f"  {one.path}  {one.format}, {one.rows:,} rows, sha256 {one.sha256[:12]}"
        for one in sorted(entries, key=lambda one: one.path)
    ]
    if options:
        lines.append(f"Read with: {option_line(options)}")
    lines.append("What happened:")
    lines += [f"  {event.time}  {_say_event(event)}" for event in events]
    emit_text("\n".join(lines) + "\n")


@click.command("remove", help=REMOVE_HELP, short_help="Take results out of a store.")
@inputs_argument
@store_option
@quiet_option
def remove_command(*, inputs: tuple[str, ...], store: str, quiet: bool) -> None:
    """Find, take out."""
    from rankbars import __version__
    from rankbars.cli.stores import account_for_store
    from rankbars.cli.streams import emit_text
    from rankbars.store.access import open_store

    with open_store(store, __version__, write=True) as opened:
        account_for_store(store, len(opened.events))
        chosen: dict[int, FileEntry] = {}
        for path in inputs:
            chosen |= {entry.id: entry for entry in _find(opened, path)}
        events = _take_out(opened, list(chosen.values()))
    _say_rest(store)
    if not quiet:
        emit_text("\n".join(_say_event(event) for event in events) + "\n")


def _take_out(store: Store, entries: Sequence[FileEntry]) -> list[Event]:
    """Remove files; what is left must be of use, unless it was of none before."""
    from rankbars.readers.collecting import put_together
    from rankbars.readers.remaining import read_rest_again
    from rankbars.tables.database import Engine

    held, options = store.files(), store.options
    places = {one.place for one in entries}
    left, gone = ([file for file in held if (file.place in places) is out] for out in (False, True))
    try:
        with Engine() as engine:
            anew = read_rest_again(left, gone, options, place_of=store.place_of, engine=engine)
            return store.remove(entries, anew, lambda files: put_together(files, options))
    except (ReadError, DataError, OptionError) as error:
        try:
            put_together(held, options)
        except (ReadError, DataError, OptionError):
            return store.remove(entries)
        raise DataError(
            f"Nothing was removed: what would be left cannot be used. {error}"
        ) from error


def _say_rest(store: str) -> None:
    """A change that lies beside the store must stay there, whatever else is said."""
    from rankbars.cli.streams import say
    from rankbars.store.opening import find_rest

    rest = find_rest(store)
    if rest is not None:
        say(
            f"The change is kept, but in {rest.name} beside the store: there was no room to put it "
            "in. Keep the two files together; the next `rankbars add` with more room joins them."
        )


def _find(store: Store, path: str) -> list[FileEntry]:
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


def _say_event(event: Event) -> str:
    rows = f"{event.rows:,} row{'' if event.rows == 1 else 's'}"
    return f"{event.action.capitalize()} {event.path} ({event.format}, {rows})."


def _count(things: Sized, word: str) -> str:
    return f"{len(things):,} {word}{'' if len(things) == 1 else 's'}"


def _files(paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:5])
    return shown if len(paths) <= 5 else f"{shown} and {len(paths) - 5:,} more files"

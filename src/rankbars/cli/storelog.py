"""What is said of a store: ``rankbars log``, what a command did to it, and who."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from rankbars.cli.options import json_option
from rankbars.cli.outputs import emit_text, make_visible, print_answer, say
from rankbars.cli.readingoptions import option_line
from rankbars.cli.stopping import NOTHING_WRITTEN, account_for
from rankbars.errors import RankbarsError

if TYPE_CHECKING:
    from rankbars.data.notes import NameFact
    from rankbars.store.holdings import Event

__all__ = [
    "account_for_store",
    "by_option",
    "log_command",
    "say_event",
    "say_rest",
    "store_option",
    "who_is",
]

_LONGEST_LINE = 500

_LOG_HELP = """Tell what a store holds, and what was added, replaced and removed when.

\b
  rankbars log board.duckdb
"""

store_option = click.option("--store", metavar="STORE", required=True, help="File of the store.")
by_option = click.option(
    "--by", metavar="NAME",
    help="Who does it, for the log; else the variable RANKBARS_BY, else who is logged in.",
)  # fmt: skip


def who_is(by: str | None) -> str:
    """Who does something to a store; as was said, or who is logged in."""
    import getpass

    if by is None:
        by = os.environ.get("RANKBARS_BY")
    if by is None:
        try:
            by = getpass.getuser()
        except (OSError, KeyError, ImportError):
            by = ""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in by).split())[:100]


def account_for_store(path: str, events: int) -> None:
    """From now on, a command that is stopped tells whether it has changed the store.

    Parameters
    ----------
    path : str
        The store.
    events : int
        How many events it knew before.
    """

    def account() -> str:
        from rankbars import __version__
        from rankbars.store.access import open_store
        from rankbars.store.opening import is_store

        if not is_store(path):
            return NOTHING_WRITTEN
        try:
            with open_store(path, __version__) as store:
                changed = len(store.events) != events
        except RankbarsError:
            return f"Stopped; `rankbars log {path}` tells what the store holds."
        return f"Stopped; {path} {'had been changed before that' if changed else 'is as it was'}."

    account_for(account)


@click.command("log", help=_LOG_HELP, short_help="What a store holds, and since when.")
@click.argument("store", metavar="STORE")
@json_option
def log_command(*, store: str, as_json: bool) -> None:
    """Open, list."""
    from rankbars import __version__
    from rankbars.render.notation import counted
    from rankbars.store.access import open_store

    with open_store(store, __version__) as opened:
        entries, events, options = opened.entries, opened.events, opened.options
        names = opened.names
    if as_json:
        kept = ("path", "target", "format", "sha256", "size", "added", "rows")
        print_answer({
            "schema": "rankbars.store/1",
            "store": store,
            "files": [{key: getattr(one, key) for key in kept} for one in entries],
            "options": options,
            "names": [asdict(fact) for fact in names],
            "events": [event._asdict() for event in events],
        })  # fmt: skip
        return
    lines = [f"{store} holds {counted(len(entries), 'file')}" + (":" if entries else ".")]
    lines += [
        f"  {one.path}  {one.format}, {one.rows:,} rows, sha256 {one.sha256[:12]}"
        + ("" if one.target == one.place else f", led to {one.target}")
        for one in sorted(entries, key=lambda one: one.path)
    ]
    if options:
        lines.append(f"Read with: {option_line(options)}")
    if names:
        lines.append("Names:")
        lines += [f"  {_say_name(fact)}" for fact in names]
    lines.append("What happened:")
    lines += [
        f"  {event.time}  {event.who + '  ' if event.who else ''}{say_event(event)}"
        for event in events
    ]
    # A store from elsewhere may hold texts of any length, with anything in them.
    cut = (line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in lines)
    emit_text("".join(f"{make_visible(line)}\n" for line in cut))


def say_rest(store: str) -> None:
    """A change that lies beside the store must stay there, whatever else is said."""
    from rankbars.store.opening import find_rest

    rest = find_rest(store)
    if rest is not None:
        say(
            f"The change is kept, but in {rest.name} beside the store: there was no room to put it "
            "in. Keep the two files together; the next `rankbars add` with more room joins them."
        )


def say_event(event: Event) -> str:
    """What happened, in a sentence."""
    from rankbars.render.notation import counted

    if event.is_of_name:
        more = {"renamed": f": it is called {event.said} now"}.get(
            event.action, f": {event.said}" if event.said else ""
        )
        return f"{event.action.capitalize()} the {event.format} {event.path}{more}."
    if event.action == "judged":
        level = float(event.format) / (event.rows * (event.rows + 1))
        return (
            f"Judged record {event.rows} at {level:.2g} of {event.format}: {event.path} "
            f"({event.said})."
        )
    rows = counted(event.rows, "row")
    return f"{event.action.capitalize()} {event.path} ({event.format}, {rows})."


def _say_name(fact: NameFact) -> str:
    called = "" if fact.called == fact.name else f" is called {fact.called}"
    retired = f" retired{f' ({fact.reason})' if fact.reason else ''}" if fact.retired else ""
    joined = " and is" if called and retired else " is" if retired else ""
    return f"The {fact.kind} {fact.name}{called}{joined}{retired}, since {fact.since}."

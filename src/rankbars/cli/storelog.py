"""What is said to a store, and by it: ``log``, ``rename``, ``retire`` and ``submit``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from rankbars.cli.options import inputs_argument, json_option, quiet_option
from rankbars.cli.outputs import (
    STANDARD,
    emit,
    emit_text,
    make_visible,
    output_width,
    print_answer,
    print_change,
    say,
)
from rankbars.cli.readingoptions import find_store, option_line
from rankbars.cli.stopping import NOTHING_WRITTEN, account_for
from rankbars.cli.targets import check_targets
from rankbars.errors import OptionError, RankbarsError

if TYPE_CHECKING:
    from rankbars.data.notes import NameFact
    from rankbars.store.holdings import Event
    from rankbars.store.naming import Telling

__all__ = [
    "account_for_store",
    "by_option",
    "log_command",
    "rename_command",
    "retire_command",
    "say_event",
    "say_rest",
    "store_option",
    "submit_command",
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
        from rankbars.store.access import open_store
        from rankbars.store.opening import is_store

        if not is_store(path):
            return NOTHING_WRITTEN
        try:
            with open_store(path) as store:
                changed = len(store.events) != events
        except RankbarsError:
            return f"Stopped; `rankbars log {path}` tells what the store holds."
        return f"Stopped; {path} {'had been changed before that' if changed else 'is as it was'}."

    account_for(account)


@click.command("log", help=_LOG_HELP, short_help="What a store holds, and since when.")
@click.argument("store", metavar="STORE", required=False)
@click.option("--store", "named", metavar="STORE", help="The same, as other commands take it.")
@json_option
def log_command(*, store: str | None, named: str | None, as_json: bool) -> None:
    """Open, list."""
    store = named if store is None else store
    if store is None or named not in (None, store):
        raise click.UsageError("Name one store: rankbars log STORE.")
    from rankbars.render.notation import counted
    from rankbars.store.access import open_store

    with open_store(store) as opened:
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
        lines += [f"  {_say_name(fact)}" for fact in names
                  if fact.retired or fact.called != fact.name]  # fmt: skip
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
        more = {
            "renamed": f": it is called {event.said} now",
            "merged": f" into {event.said}",
            "parted": f" from {event.said}",
        }.get(event.action, f": {event.said}" if event.said else "")
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


_SUBMIT_HELP = """\
Examine results that somebody submits to a store, and add them if they have no fault.

Says which names the store does not know, which look like others, whether items and scales fit, and
which ranks would change. Exit code 0: no fault; 1: a fault, and nothing was added.

\b
  rankbars submit new-model.csv --store board.duckdb --dry-run
  rankbars submit new-model.csv --store board.duckdb --dry-run --md comment.md
"""


_RENAME_HELP = """Call models or tasks of a store by another name.

Results stay as they were read; results that come later under the old name have the new one, too.
--merge says that a model is one that there is: the results of both names are its results.

\b
  rankbars rename --model gpt-x "GPT X" --store board.duckdb
  rankbars rename --task math math-v1 --task math2 math --store board.duckdb
  rankbars rename --merge --model gpt-x-0314 "GPT X" --store board.duckdb
"""

_RETIRE_HELP = """Leave models or tasks of a store out of its boards, with a reason.

Their results are kept. Boards say what is retired, and results that come later under a retired name
are kept and left out, too. --undo brings them back.

\b
  rankbars retire --model old-model --reason "replaced by new-model" --store board.duckdb
  rankbars retire --task math --reason "answers leaked" --store board.duckdb
"""


@click.command("rename", help=_RENAME_HELP, short_help="Call models or tasks of a store otherwise.")
@store_option
@click.option("--model", "models", nargs=2, multiple=True, metavar="OLD NEW",
              help="A model, and its new name; repeat for several, in order.")  # fmt: skip
@click.option("--task", "tasks", nargs=2, multiple=True, metavar="OLD NEW",
              help="A task, and its new name; repeat for several.")  # fmt: skip
@click.option("--merge", is_flag=True,
              help="NEW is a model that there is, and OLD is the same.")  # fmt: skip
@click.option("--part", is_flag=True,
              help="Take back that OLD, a name in results, was merged into NEW.")  # fmt: skip
@by_option
@json_option
@quiet_option
def rename_command(
    *,
    store: str,
    models: tuple[tuple[str, str], ...],
    tasks: tuple[tuple[str, str], ...],
    merge: bool,
    part: bool,
    by: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say it, look at the whole, keep."""
    from rankbars.store.naming import Telling

    if merge and part:
        raise click.UsageError("--merge and --part say the opposite; give one of them.")
    if (merge or part) and tasks:
        raise click.UsageError("--merge and --part are about models; rename tasks by themselves.")
    action = "merged" if merge else "parted" if part else "renamed"
    told = [Telling("model", action, old, new) for old, new in models]
    told += [Telling("task", "renamed", old, new) for old, new in tasks]
    _tell(store, told, by, as_json=as_json, quiet=quiet)


@click.command("retire", help=_RETIRE_HELP, short_help="Leave models or tasks of a store out.")
@store_option
@click.option("--model", "models", multiple=True, metavar="NAME",
              help="A model; repeat for several.")  # fmt: skip
@click.option("--task", "tasks", multiple=True, metavar="NAME",
              help="A task; repeat for several.")  # fmt: skip
@click.option("--reason", metavar="TEXT", help="Why; boards say it.")
@click.option("--undo", is_flag=True, help="Bring them back.")
@by_option
@json_option
@quiet_option
def retire_command(
    *,
    store: str,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    reason: str | None,
    undo: bool,
    by: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say it, look at the whole, keep."""
    from rankbars.store.naming import Telling

    if undo and reason is not None:
        raise click.UsageError("--reason says why something is retired; leave it out with --undo.")
    action = "restored" if undo else "retired"
    said = "" if reason is None else reason.strip()
    told = [Telling("model", action, name, said) for name in models]
    told += [Telling("task", action, name, said) for name in tasks]
    _tell(store, told, by, as_json=as_json, quiet=quiet)


def _tell(
    path: str, told: Sequence[Telling], by: str | None, *, as_json: bool, quiet: bool
) -> None:
    """Say something of names in a store, and what that makes of it."""
    from rankbars.store.resultstore import ResultStore

    if not told:
        raise click.UsageError("Nothing is named: give --model or --task.")
    store = ResultStore(path, by=who_is(by))
    account_for_store(path, len(store.log()))
    events, scores = store.tell(told)
    say_rest(path)
    said = [note.message for note in scores.notes if note.code in ("look-alike", "retired")]
    if as_json:
        print_change(path, events, notes=said)
        return
    if quiet:
        return
    for message in said:
        say(message)
    emit_text("\n".join(say_event(event) for event in events) + "\n")


@click.command("submit", help=_SUBMIT_HELP, short_help="Examine results for a store, and add them.")
@inputs_argument
@store_option
@click.option("--dry-run", is_flag=True, help="Only examine; the store stays as it is.")
@click.option("--new-tasks", is_flag=True, help="Tasks that the store does not have are no fault.")
@click.option("--new-items", is_flag=True,
              help="Items that the store does not have are no fault.")  # fmt: skip
@click.option("--like", metavar="BOARD", help="Rank with the options of this board file.")
@json_option
@click.option("--md", metavar="FILE", help="Also write a comment for a pull request, in Markdown.")
@by_option
def submit_command(
    *,
    inputs: tuple[str, ...],
    store: str,
    dry_run: bool,
    new_tasks: bool,
    new_items: bool,
    like: str | None,
    as_json: bool,
    md: str | None,
    by: str | None,
) -> int:
    """Examine, add, say."""
    from rankbars.data.boardreading import load
    from rankbars.data.drafts import write_all
    from rankbars.render.submissiontext import submitted_json, submitted_markdown, submitted_text
    from rankbars.submissions import submit

    if find_store(inputs) is not None:
        raise OptionError("A store cannot be submitted. Submit the files that it was made of.")
    if as_json and md == STANDARD:
        raise click.UsageError("--json and --md - both go to standard output; only one result can.")
    check_targets({"--md": md}, [*inputs, store])
    spec = None if like is None else load(like).spec
    report = submit(
        list(inputs), store, dry_run=dry_run, new_tasks=new_tasks, new_items=new_items, spec=spec,
        by=who_is(by),
    )  # fmt: skip
    say_rest(store)
    if md not in (None, STANDARD):
        write_all({md: submitted_markdown(report)})
    if as_json:
        emit(submitted_json(report))
    elif md == STANDARD:
        emit(submitted_markdown(report))
    else:
        emit_text(submitted_text(report, width=output_width()))
    return 0 if report.ok else 1

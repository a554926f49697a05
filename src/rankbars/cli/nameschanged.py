"""Names in a store (``rename``, ``retire``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankbars.cli.options import quiet_option
from rankbars.cli.outputs import emit_text, say
from rankbars.cli.storing import (
    account_for_store,
    by_option,
    say_event,
    say_rest,
    store_option,
    who_is,
)

if TYPE_CHECKING:
    from rankbars.store.naming import Telling

__all__ = ["rename_command", "retire_command"]

_RENAME_HELP = """Call models or tasks of a store by another name.

Results stay as they were read; results that come later under the old name have the new one, too.

\b
  rankbars rename --model gpt-x "GPT X" --store board.duckdb
  rankbars rename --task math math-v1 --task math2 math --store board.duckdb
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
@by_option
@quiet_option
def rename_command(
    *,
    store: str,
    models: tuple[tuple[str, str], ...],
    tasks: tuple[tuple[str, str], ...],
    by: str | None,
    quiet: bool,
) -> None:
    """Say it, look at the whole, keep."""
    from rankbars.store.naming import Telling

    told = [Telling("model", "renamed", old, new) for old, new in models]
    told += [Telling("task", "renamed", old, new) for old, new in tasks]
    _tell(store, told, by, quiet=quiet)


@click.command("retire", help=_RETIRE_HELP, short_help="Leave models or tasks of a store out.")
@store_option
@click.option("--model", "models", multiple=True, metavar="NAME",
              help="A model; repeat for several.")  # fmt: skip
@click.option("--task", "tasks", multiple=True, metavar="NAME",
              help="A task; repeat for several.")  # fmt: skip
@click.option("--reason", metavar="TEXT", help="Why; boards say it.")
@click.option("--undo", is_flag=True, help="Bring them back.")
@by_option
@quiet_option
def retire_command(
    *,
    store: str,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    reason: str | None,
    undo: bool,
    by: str | None,
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
    _tell(store, told, by, quiet=quiet)


def _tell(path: str, told: Sequence[Telling], by: str | None, *, quiet: bool) -> None:
    """Say something of names in a store, and what that makes of it."""
    from rankbars.store.naming import ResultStore

    if not told:
        raise click.UsageError("Nothing is named: give --model or --task.")
    store = ResultStore(path, by=who_is(by))
    account_for_store(path, len(store.log()))
    events, scores = store.tell(told)
    say_rest(path)
    if quiet:
        return
    for note in scores.notes:
        if note.code in ("look-alike", "retired"):
            say(note.message)
    emit_text("\n".join(say_event(event) for event in events) + "\n")

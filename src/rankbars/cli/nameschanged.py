"""What is said to a store: names (``rename``, ``retire``), and results submitted (``submit``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankbars.cli.options import inputs_argument, json_option, quiet_option
from rankbars.cli.outputs import STANDARD, emit, emit_text, output_width, print_change, say
from rankbars.cli.readingoptions import find_store
from rankbars.cli.storelog import (
    account_for_store,
    by_option,
    say_event,
    say_rest,
    store_option,
    who_is,
)
from rankbars.cli.targets import check_targets
from rankbars.errors import OptionError

if TYPE_CHECKING:
    from rankbars.store.naming import Telling

__all__ = ["rename_command", "retire_command", "submit_command"]

_HELP = """Examine results that somebody submits to a store, and add them if they have no fault.

Says which names the store does not know, which look like others, whether items and scales fit, and
which ranks would change. Exit code 0: no fault; 1: a fault, and nothing was added.

\b
  rankbars submit new-model.csv --store board.duckdb --dry-run
  rankbars submit new-model.csv --store board.duckdb --dry-run --md comment.md
"""


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
@json_option
@quiet_option
def rename_command(
    *,
    store: str,
    models: tuple[tuple[str, str], ...],
    tasks: tuple[tuple[str, str], ...],
    by: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say it, look at the whole, keep."""
    from rankbars.store.naming import Telling

    told = [Telling("model", "renamed", old, new) for old, new in models]
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
    from rankbars.store.naming import ResultStore

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


@click.command("submit", help=_HELP, short_help="Examine results for a store, and add them.")
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
    from rankbars.data.boardfile import load
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

"""Results that somebody submits to a store (``submit``)."""

from __future__ import annotations

import click

from rankbars.cli.options import inputs_argument
from rankbars.cli.outputs import check_targets, emit, emit_text, output_width
from rankbars.cli.stopping import account_for_files
from rankbars.cli.storing import by_option, find_store, say_rest, store_option, who_is
from rankbars.errors import OptionError

__all__ = ["submit_command"]

_HELP = """Examine results that somebody submits to a store, and add them if they have no fault.

Says which names the store does not know, which look like others, whether items and scales fit, and
which ranks would change. Exit code 0: no fault; 1: a fault, and nothing was added.

\b
  rankbars submit new-model.csv --store board.duckdb --dry-run
  rankbars submit new-model.csv --store board.duckdb --dry-run --md comment.md
"""


@click.command("submit", help=_HELP, short_help="Examine results for a store, and add them.")
@inputs_argument
@store_option
@click.option("--dry-run", is_flag=True, help="Only examine; the store stays as it is.")
@click.option("--new-tasks", is_flag=True, help="Tasks that the store does not have are no fault.")
@click.option("--new-items", is_flag=True,
              help="Items that the store does not have are no fault.")  # fmt: skip
@click.option("--like", metavar="BOARD", help="Rank with the options of this board file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
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
    targets = {} if md is None else {"--md": md}
    check_targets(targets, [*inputs, store])
    account_for_files(list(targets.values()))
    spec = None if like is None else load(like).spec
    report = submit(
        list(inputs), store, dry_run=dry_run, new_tasks=new_tasks, new_items=new_items, spec=spec,
        by=who_is(by),
    )  # fmt: skip
    say_rest(store)
    if md is not None:
        write_all({md: submitted_markdown(report)})
    if as_json:
        emit(submitted_json(report))
    else:
        emit_text(submitted_text(report, width=output_width()))
    return 0 if report.ok else 1

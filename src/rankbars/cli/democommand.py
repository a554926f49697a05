"""Results that come with the package: ``rankbars demo``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankbars.cli.options import json_option, known_name, quiet_option
from rankbars.cli.outputs import STANDARD, deliver, emit_text, printed_json, say
from rankbars.cli.targets import check_targets
from rankbars.demos import DEMOS, LESSON, Demo, demo_path, lesson_records

if TYPE_CHECKING:
    from rankbars.data.scores import Scores

__all__ = ["demo_command"]

_NAMES = (*DEMOS, "lesson")


@click.command("demo", short_help="Rank results that come with the package.")
@click.argument("name", metavar="[NAME]", callback=known_name(_NAMES), default=_NAMES[0])
@click.option("--list", "wants_list", is_flag=True, help="List the results there are.")
@click.option("-o", "--output", metavar="FILE", help="Write the board as JSON; - prints it.")
@click.option(
    "--html", metavar="FILE", help="Where to write the page; rankbars-NAME.html if not given."
)
@json_option
@quiet_option
def demo_command(
    *, name: str, wants_list: bool, output: str | None, html: str | None, as_json: bool, quiet: bool
) -> None:
    """Rank real results that come with the package: print the board, write a page.

    `rankbars demo lesson` begins with the plain table of made records, and what of it is shown.
    """
    output = printed_json(output, as_json=as_json)
    if wants_list and as_json:
        raise click.UsageError("--list is a list for people: leave --json out.")
    if wants_list:
        emit_text("".join(_entry(known) for known in DEMOS) + f"{'lesson':<10} {LESSON}\n")
        return
    page = f"rankbars-{name}.html" if html is None else html
    targets = check_targets({"-o": output, "--html": page})

    import rankbars as rb
    from rankbars.cli.inputs import report_reading
    from rankbars.cli.progress import counting, working
    from rankbars.cli.tablecommand import plain_text
    from rankbars.cli.votechoices import with_health

    demo = DEMOS.get(name)
    if demo is None:
        records = lesson_records()
        if output != STANDARD:
            emit_text(plain_text(rb.plain_table(records), pairs=True, scores=True) + "\n")
        deliver(rb.leaderboard(rb.Scores.from_records(records)), targets, quiet=quiet)
        return
    if not quiet:
        say(f"{demo.description}.\nFrom {demo.source} ({demo.licence}).")
    with working("Reading", quiet=quiet):
        scores = _named_by_file(
            rb.read(demo_path(demo), direction=demo.direction, rows=demo.rows, folds=demo.folds),
            demo,
        )
    said = report_reading(scores, quiet=quiet)
    with counting("Comparing models", "task", then="Averaging", quiet=quiet) as progress:
        board = rb.leaderboard(scores, missing=demo.missing, pairs=True, progress=progress)
    board = with_health(board, scores, quiet=quiet).titled(
        title=demo.title,
        source=demo.source,
        date=demo.date,
        link=demo.link,
    )
    deliver(board, targets, quiet=quiet, said=said)


def _named_by_file(scores: Scores, demo: Demo) -> Scores:
    """The same scores; the file is called by its name, wherever the package lies."""
    place = str(demo_path(demo))
    return replace(
        scores,
        notes=tuple(
            replace(note, message=note.message.replace(place, demo.file)) for note in scores.notes
        ),
        inputs=tuple(replace(one, path=demo.file) for one in scores.inputs),
    )


def _entry(name: str) -> str:
    demo = DEMOS[name]
    return f"{name:<10} {demo.description}\n{'':<10} {demo.source} ({demo.licence})\n"

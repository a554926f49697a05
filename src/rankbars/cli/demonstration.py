"""``rankbars demo``: the main job on real results that come with the package."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankbars.cli.options import quiet_option
from rankbars.cli.outputs import check_targets
from rankbars.cli.stopping import account_for_files
from rankbars.cli.words import known_name
from rankbars.demos import DEMOS, Demo, demo_path

if TYPE_CHECKING:
    from rankbars.data.scores import Scores

__all__ = ["demo_command"]

FIRST = next(iter(DEMOS))


@click.command("demo", short_help="Rank results that come with the package.")
@click.argument("name", metavar="[NAME]", callback=known_name(tuple(DEMOS)), default=FIRST)
@click.option("--list", "wants_list", is_flag=True, help="List the results there are.")
@click.option("-o", "--output", metavar="FILE", help="Write the board as JSON; - prints it.")
@click.option(
    "--html", metavar="FILE", help="Where to write the page; rankbars-NAME.html if not given."
)
@quiet_option
def demo_command(
    *, name: str, wants_list: bool, output: str | None, html: str | None, quiet: bool
) -> None:
    """Rank real results that come with the package: print the board, write a page."""
    from rankbars.cli.streams import emit_text, say

    if wants_list:
        emit_text("".join(_entry(known) for known in DEMOS))
        return
    page = f"rankbars-{name}.html" if html is None else html
    targets = {"--html": page} if output is None else {"-o": output, "--html": page}
    check_targets(targets)
    account_for_files(targets.values())

    import rankbars as rb
    from rankbars.cli.progress import counting, working
    from rankbars.cli.reading import report_reading
    from rankbars.cli.results import deliver
    from rankbars.cli.voting import with_health

    demo = DEMOS[name]
    if not quiet:
        say(f"{demo.description}.\nFrom {demo.source} ({demo.licence}).")
    with working("Reading", quiet=quiet):
        scores = _named_by_file(
            rb.read(demo_path(demo), direction=demo.direction, rows=demo.rows, folds=demo.folds),
            demo,
        )
    said = frozenset() if quiet else report_reading(scores)
    with counting("Comparing models", "task", then="Averaging", quiet=quiet) as progress:
        board = rb.leaderboard(scores, missing=demo.missing, pairs=True, progress=progress)
    board = with_health(board, scores, quiet=quiet)
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

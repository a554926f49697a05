"""``rankbars diff``: what changed between two boards."""

from __future__ import annotations

import click

from rankbars.cli.outputs import STANDARD
from rankbars.cli.words import named_option

__all__ = ["diff_command"]

HELP = """Tell what changed between two board files.

For each model: its own scores changed; they did not, but others came, went or changed; or only
intervals moved. The format md is for pull requests.

\b
  rankbars diff last-week.json today.json
  rankbars diff main.json branch.json --format md
"""


@click.command("diff", help=HELP, short_help="What changed between two boards.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@named_option(
    "--format", "form", known=("text", "md", "json"), default="text", show_default=True,
    help="How to show it.",
)  # fmt: skip
def diff_command(*, old: str, new: str, form: str) -> None:
    """Load both, compare, print."""
    if old == new == STANDARD:
        raise click.UsageError("Only one of the two boards can come from standard input.")

    from rankbars.cli.boards import load_board
    from rankbars.cli.streams import emit, emit_text, output_width
    from rankbars.render.changes import change_json, change_markdown, change_text
    from rankbars.steps.boardchanges import diff

    change = diff(load_board(old), load_board(new))
    if form == "text":
        emit_text(change_text(change, width=output_width()))
    elif form == "md":
        emit(change_markdown(change))
    else:
        emit(change_json(change))

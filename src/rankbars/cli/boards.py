"""``rankbars show`` and ``rankbars report``: a board file, shown again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankbars.cli.outputs import STANDARD, check_targets
from rankbars.cli.stopping import account_for_files
from rankbars.cli.words import named_option

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard

__all__ = ["report_command", "show_command"]

FORMATS = ("text", "md", "csv", "latex", "dot", "json", "eee")

SHOW_HELP = """Show a board that `rankbars rank -o` wrote; - reads it from standard input.

\b
  rankbars show board.json
  rankbars show board.json --format latex > table.tex
  rankbars show board.json --format dot | dot -Tsvg > order.svg
  rankbars show board.json --task math
  rankbars show board.json --average                 # with means per category
  rankbars show board.json --methods
  rankbars show board.json --format eee -o store     # one record of Every Eval Ever per model
"""


@click.command("show", help=SHOW_HELP, short_help="Show a board file.")
@click.argument("board_path", metavar="BOARD")
@named_option(
    "--format", "form", known=FORMATS, default="text", show_default=True,
    help="How to show it.",
)  # fmt: skip
@click.option("--task", metavar="NAME", help="One task instead of the whole board.")
@click.option(
    "--average",
    is_flag=True,
    help="The average in full instead: intervals to compare two models by eye, the tasks that each "
    "model has, and means per category.",
)
@click.option("--methods", is_flag=True, help="The paragraph for a paper instead, and how to cite.")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Where --format eee puts its files; without it, it prints one record per line.",
)
def show_command(
    *,
    board_path: str,
    form: str,
    task: str | None,
    average: bool,
    methods: bool,
    output: str | None,
) -> None:
    """Load, render, print."""
    if output is not None and (form != "eee" or task is not None):
        raise click.UsageError(
            "-o is the folder for --format eee of a whole board; other formats are printed: "
            "redirect them with > FILE."
        )
    if methods and (task is not None or form != "text"):
        raise click.UsageError(
            "--methods is a paragraph of text: give it without --task and --format."
        )

    if average and (methods or task is not None or form != "text"):
        raise click.UsageError(
            "--average is a table of text: give it without --task, --methods and --format."
        )

    from rankbars.cli.results import print_board
    from rankbars.cli.streams import emit, emit_text

    board = load_board(board_path)
    if output is not None:
        from rankbars.render.evalrecords import write_eee

        for path in write_eee(board, output):
            click.echo(path, err=True)
    elif average:
        from rankbars.render.averagetables import render_average

        emit_text(render_average(board))
    elif methods:
        from rankbars.render.paragraph import methods_text

        emit_text(methods_text(board))
    elif form == "text":
        print_board(board, task)
    else:
        from rankbars.render import render

        emit(render(board, form, task=task))


@click.command("report", short_help="Write the page of a board file.")
@click.argument("board_path", metavar="BOARD")
@click.option("-o", "--output", metavar="FILE", required=True, help="The page; - prints it.")
def report_command(*, board_path: str, output: str) -> None:
    """Write the page of a board: one file, no network needed."""
    check_targets({"-o": output}, [board_path])
    account_for_files([output])

    from rankbars.cli.progress import working
    from rankbars.cli.streams import emit
    from rankbars.data.files import write_text
    from rankbars.render.page import render_html

    with working("Making the page"):
        page = render_html(load_board(board_path))
    if output == STANDARD:
        emit(page)
    else:
        write_text(output, page)


def load_board(path: str) -> Leaderboard:
    """The board in a file, or on standard input."""
    from rankbars.cli.streams import standard_input
    from rankbars.data.boardfile import load, parse_board

    if path != STANDARD:
        return load(path)
    return parse_board(standard_input(), "standard input")

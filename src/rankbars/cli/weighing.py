"""``rankbars weights``: which weights of the categories make which model win."""

from __future__ import annotations

import click

__all__ = ["weights_command"]

HELP = """Show which weights of the categories of tasks make which model win.

BOARD is a board file whose tasks have categories (rankbars rank --categories FILE); - reads it
from standard input. Shown are the mean of each model in each category; who is first under given
weights, and by how much; in what share of all weights each model wins, and clearly; and the
smallest change of weights after which another model is level with the first. For three categories
`rankbars plot BOARD weights` draws it.

\b
  rankbars weights board.json
  rankbars weights board.json --at math=0.5 --at law=0.3 --at code=0.2
"""


@click.command("weights", help=HELP, short_help="Which weights make which model win.")
@click.argument("board_path", metavar="BOARD")
@click.option(
    "--at",
    "weights",
    metavar="CATEGORY=W",
    multiple=True,
    help="Weight of a category, 0 or more; they are scaled to sum 1, and categories that are not "
    "named get 0. Repeat for more.  [default: those of the average]",
)
@click.option(
    "--z",
    type=float,
    default=2.0,
    show_default=True,
    metavar="Z",
    help="Standard errors that a clear winner is ahead by.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def weights_command(*, board_path: str, weights: tuple[str, ...], z: float, as_json: bool) -> None:
    """Load, weigh, print."""
    chosen = _split(weights)

    import json

    from rankbars.cli.boards import load_board
    from rankbars.cli.streams import emit, emit_text
    from rankbars.errors import DataError
    from rankbars.render.averagetables import render_weights, weights_to_dict

    board = load_board(board_path)
    average = board.aggregate
    means = None if average is None else average.by_category
    if average is None or means is None:
        raise DataError(
            "This board has no means per category: every task needs a category, in at least two "
            "of them, and scores (not ranks) must be averaged. Give them with --categories FILE."
        )
    lower = average.direction == "lower"
    if as_json:
        found = weights_to_dict(means, chosen, z, lower=lower)
        emit(json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        emit_text(render_weights(means, chosen, z, lower=lower))


def _split(weights: tuple[str, ...]) -> dict[str, float] | None:
    """``CATEGORY=W`` in two parts, around the last equals sign; None without any."""
    found: dict[str, float] = {}
    for text in weights:
        name, _, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            name = ""
            value = 0.0
        if not name:
            raise click.UsageError(f"--at {text!r} must look like CATEGORY=W, such as math=0.5.")
        if name in found:
            raise click.UsageError(f"--at names the category {name!r} twice.")
        found[name] = value
    return found or None

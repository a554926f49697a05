"""``rankbars plot``: pictures of a board for paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankbars.cli.outputs import check_targets
from rankbars.errors import OptionError, UnknownOptionError

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard

__all__ = ["plot_command"]

HELP = """Draw a picture of a board file.

KIND is ranks, new_task, heatmap, shown_better, widths, left_out (would the other tasks have
foreseen each task?) or sensitivity (how much may a new source of tasks differ?).
The suffix of the file says what is written: .svg, .pdf or .png.

\b
  rankbars plot board.json ranks -o ranks.pdf
"""


@click.command("plot", help=HELP, short_help="Draw a picture of a board for paper.")
@click.argument("board", metavar="BOARD")
@click.argument("kind", metavar="KIND")
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to write the picture.")
def plot_command(*, board: str, kind: str, output: str) -> None:
    """Load, draw, write."""
    suffix = Path(output).suffix.lower().removeprefix(".")
    if suffix not in ("svg", "pdf", "png"):
        raise OptionError(f"{output}: the name must end in .svg, .pdf or .png.")
    check_targets({"-o": output}, [board])

    from rankbars.cli.boards import load_board
    from rankbars.data.files import write_bytes

    write_bytes(output, _picture(load_board(board), kind, suffix))


def _picture(board: Leaderboard, kind: str, suffix: str) -> bytes:
    from rankbars.render.figurefile import check_picture, picture_bytes
    from rankbars.render.plots import BOARD_PLOTS, DIAGNOSIS_PLOTS

    if kind not in BOARD_PLOTS and kind not in DIAGNOSIS_PLOTS:
        raise UnknownOptionError.among("picture", kind, (*BOARD_PLOTS, *DIAGNOSIS_PLOTS))
    check_picture(suffix, drawn=True)

    from matplotlib.figure import Figure

    import rankbars as rb

    figure = Figure(figsize=(8, 1.6 + 0.24 * len(board.models)), label=f"rankbars: {kind}")
    ax = figure.add_subplot()
    if kind in BOARD_PLOTS:
        BOARD_PLOTS[kind](board, ax)
    else:
        DIAGNOSIS_PLOTS[kind](rb.diagnose(board), ax)
    return picture_bytes(figure, suffix)

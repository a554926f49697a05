"""The ratios as a picture: one line per row, with what is demanded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measured import Measured
from benchmarks.rows import Ratio, title_of
from benchmarks.words import short
from rankbars.render.plotting.style import DARK, FIRST, PALE, PRINT, SECOND

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_ratios", "write_picture"]

_WIDTH, _LINE = 10.0, 0.165  # inches
_LONGEST = 72


def write_picture(every: Sequence[Measured], file: Path) -> None:
    """Draw all ratios in a file, the same bytes for the same numbers."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    lines = _lines(every)
    with mpl.rc_context(PRINT):
        figure = Figure(figsize=(_WIDTH, 0.8 + _LINE * len(lines)), layout="constrained")
        draw_ratios(lines, figure.add_subplot())
        # White on every page: it is read in the light and in the dark.
        figure.savefig(file, facecolor="white", metadata={"Date": None})


def draw_ratios(lines: Sequence[Measured | str], ax: Axes) -> None:
    """Rows, and the titles above them, from top to bottom."""
    for y, line in enumerate(lines):
        if isinstance(line, str):
            continue
        row, ratio = line.row, line.ratio
        ax.plot([1, ratio], [y, y], color=PALE, lw=1.2, zorder=1)
        color = SECOND if line.met is False else FIRST
        ax.plot(ratio, y, "o", color=color, ms=4, zorder=3, mec="white", mew=0.4)
        least = row.at_least if isinstance(row, Ratio) else None
        if least is not None:
            ax.plot(least, y, "|", color=DARK, ms=7, mew=1.4, zorder=2)
        ax.annotate(
            f"{short(ratio)}×", (max(ratio, least or ratio, 1), y), (6, 0), va="center", fontsize=6,
            textcoords="offset points", color=DARK,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.axvline(1, color=DARK, lw=0.6)
    ax.set_ylim(len(lines) - 0.4, -0.6)
    names = [line if isinstance(line, str) else _name(line) for line in lines]
    peers = ax.secondary_yaxis("right")
    for axis, names in (
        (ax, [_name(line) for line in lines]),
        (peers, [_peer(line) for line in lines]),
    ):
        axis.set_yticks(range(len(lines)), names, fontsize=6.5)
        axis.tick_params(axis="y", length=0)
    peers.spines["right"].set_visible(False)
    for tick, line in zip(ax.get_yticklabels(), lines, strict=True):
        tick.set_fontweight("bold" if isinstance(line, str) else "normal")
    ax.spines["left"].set_visible(False)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    low, high = ax.get_xlim()
    ax.set_xlim(low, high * 4)
    ax.set_xlabel("time of what is named on the right, divided by ours (dot: found; bar: demanded)")


def _lines(every: Sequence[Measured]) -> list[Measured | str]:
    ratios = [one for one in every if isinstance(one.row, Ratio) and one.found]
    lines: list[Measured | str] = []
    for title, rows in groupby(ratios, key=lambda one: title_of(one.path)):
        lines.extend([title, *rows])
    return lines


def _name(line: Measured | str) -> str:
    """A title, or a job with its sizes as bare numbers."""
    if isinstance(line, str):
        return line
    sizes = [f"{size:,}" for size in line.row.sizes.values() if isinstance(size, int)]
    return _cut(f"{line.row.job}: {' × '.join(sizes)}")


def _peer(line: Measured | str) -> str:
    return "" if isinstance(line, str) or not isinstance(line.row, Ratio) else _cut(line.row.peer)


def _cut(text: str) -> str:
    plain = text.replace("`", "")
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"

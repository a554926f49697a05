"""A rank interval drawn with characters."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ASCII", "LINES", "Strokes", "axis_text", "draw_bar"]


class Strokes(NamedTuple):
    """Characters for one cell: no half, the left half, the right half or both halves covered."""

    none: str
    left: str
    right: str
    both: str


LINES = Strokes("─", "╾", "╼", "━")
ASCII = Strokes(".", "=", "=", "=")


def draw_bar(best: int, worst: int, n_ranks: int, cells: int, strokes: Strokes = LINES) -> str:
    """Ranks 1 to `n_ranks` from left to right, with `best` to `worst` drawn heavily.

    Each rank takes an equal share of the line; half a cell is the finest step, and whatever the
    interval touches is drawn, so that a bar is never shorter than the interval.

    Parameters
    ----------
    best, worst, n_ranks : int
        The interval, and how many ranks there are.
    cells : int
        Length in characters.
    strokes : Strokes
        What to draw with.

    Examples
    --------
    >>> draw_bar(2, 3, 4, 4), draw_bar(1, 1, 29, 6)
    ('─━━─', '╾─────')
    """
    halves = 2 * cells
    first = (best - 1) * halves // n_ranks
    last = -(-worst * halves // n_ranks)  # rounded up
    covered = [first <= half < last for half in range(halves)]
    pairs = zip(covered[::2], covered[1::2], strict=True)
    return "".join(strokes[left + 2 * right] for left, right in pairs)


def axis_text(n_ranks: int, cells: int) -> str:
    """The two ends of the scale above a bar.

    Examples
    --------
    >>> axis_text(29, 8)
    '1     29'
    """
    last = str(n_ranks)
    return "1" + last.rjust(cells - 1) if cells > len(last) + 1 else "1".ljust(cells)

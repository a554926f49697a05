"""The interval picture: where every model may stand, drawn to scale."""

from __future__ import annotations

from dataclasses import dataclass

from rankbars.render.names import shorten_all, visible
from rankbars.render.rows import Table

__all__ = ["Picture", "PictureRow", "Tick", "interval_picture"]

MOST_ROWS = 200
_NAME_CHARS = 36
_CHAR_WIDTH = 7.0  # of the label font, generously
_WIDTH, _TOP, _BOTTOM, _RIGHT = 860, 34, 10, 18
_ROW_HEIGHTS = ((40, 22), (100, 18), (MOST_ROWS, 14))


@dataclass(frozen=True, slots=True)
class PictureRow:
    """One model: its label and the ends of its bars, in the units of the drawing."""

    name: str
    label: str
    words: str
    y: float
    left: float
    right: float
    new_left: float | None
    new_right: float | None


@dataclass(frozen=True, slots=True)
class Tick:
    """One mark of the scale."""

    rank: int
    x: float


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything the drawing needs; rank 1 is at the left."""

    width: int
    height: int
    top: int
    plot_left: float
    plot_right: float
    rows: tuple[PictureRow, ...]
    ticks: tuple[Tick, ...]
    left_out: int

    @property
    def bottom(self) -> int:
        """Lower end of the plot."""
        return self.height - _BOTTOM


def interval_picture(table: Table) -> Picture:
    """Lay out the rank intervals of a table; each rank takes an equal share of the width."""
    rows = table.rows[:MOST_ROWS]
    labels = shorten_all([visible(row.model) for row in rows], [_NAME_CHARS] * len(rows))
    plot_left = 14 + _CHAR_WIDTH * max(len(label) for label in labels)
    plot_right = _WIDTH - _RIGHT
    unit = (plot_right - plot_left) / table.n_models
    step = next(height for most, height in _ROW_HEIGHTS if len(rows) <= most)

    def edge(rank: float) -> float:
        return round(plot_left + unit * rank, 2)

    drawn = []
    for i, (row, label) in enumerate(zip(rows, labels, strict=True)):
        has_new = row.new_best is not None and row.new_worst is not None
        words = f"{table.claim.title}: {row.ranks}"
        if has_new and table.new_claim is not None:
            words += f". {table.new_claim.title}: {row.new_ranks}"
        drawn.append(
            PictureRow(
                name=visible(row.model),
                label=label,
                words=words,
                y=_TOP + step * (i + 0.5),
                left=edge(row.best - 1),
                right=edge(row.worst),
                new_left=edge(row.new_best - 1) if row.new_best is not None else None,
                new_right=edge(row.new_worst) if row.new_worst is not None else None,
            )
        )
    return Picture(
        width=_WIDTH,
        height=_TOP + step * len(rows) + _BOTTOM,
        top=_TOP,
        plot_left=round(plot_left, 2),
        plot_right=plot_right,
        rows=tuple(drawn),
        ticks=tuple(Tick(rank, edge(rank - 0.5)) for rank in _tick_ranks(table.n_models)),
        left_out=len(table.rows) - len(rows),
    )


def _tick_ranks(n_ranks: int) -> list[int]:
    """1, then round ranks at even distances, then the last one."""
    if n_ranks <= 10:
        return list(range(1, n_ranks + 1))
    size = 10 ** (len(str(n_ranks)) - 2)
    step = next(size * k for k in (1, 2, 5, 10, 20) if n_ranks / (size * k) <= 10)
    inner = [
        rank for rank in range(step, n_ranks, step) if 1 + step / 2 < rank < n_ranks - step / 2
    ]
    return [1, *inner, n_ranks]

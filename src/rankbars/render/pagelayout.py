"""What the page lays out: rows with their scores drawn, matrices, the picture of intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.render.averagetables import average_table
from rankbars.render.claims import level_words, overall_claim, task_claim
from rankbars.render.notation import (
    listed,
    shorten_all,
    show_chance,
    show_ranks,
    visible,
)
from rankbars.render.pagedata import top_share
from rankbars.render.ranktable import Row, Table, task_scores
from rankbars.stats.resampling.rankcounts import TOP

__all__ = [
    "Matrix",
    "MatrixCell",
    "MatrixLine",
    "PageRow",
    "Picture",
    "PictureRow",
    "ScoreLine",
    "Tick",
    "average_matrix",
    "group_matrix",
    "interval_picture",
    "page_rows",
    "score_matrix",
    "task_matrix",
]

_LOST = (("errors", "failed"), ("unscored", "unscored"), ("missing", "missing"))
_MOST_CELLS = 10_000
_MOST_DRAWN = 1_500  # cells with a bar of their own; more would make the page heavy
_LABEL_WIDTH = 28

_Ranks: TypeAlias = NDArray[np.int64]
_MOST_ROWS = 200
_NAME_CHARS = 36
_CHAR_WIDTH = 7.0  # of the label font, generously
_WIDTH, _TOP, _BOTTOM, _RIGHT = 860, 34, 10, 18
_ROW_HEIGHTS = ((40, 22), (100, 18), (_MOST_ROWS, 14))


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A score and its interval, drawn on a scale from 0 to 100."""

    left: float
    middle: float
    right: float


@dataclass(frozen=True, slots=True)
class PageRow:
    """One model.

    Parameters
    ----------
    position : int
        Its position among the models of the board.
    row : Row
        What every format shows.
    first, top : str
        Share of draws in which it is first, and among the first few; empty without draws, and
        where such shares say more than the ranks.
    score : ScoreLine, optional
        Its score drawn to scale; None without one.
    lost : str
        What became of its rows without a score: ``"3 failed, 4 missing"``; empty where not known.
    """

    position: int
    row: Row
    first: str
    top: str
    score: ScoreLine | None
    lost: str


def page_rows(board: Leaderboard, table: Table) -> tuple[PageRow, ...]:
    """The rows of the main table, in its order."""
    position = {name: i for i, name in enumerate(board.models)}
    first, top = top_share(board, 1), top_share(board, TOP)
    lines = _score_lines(board)
    rows = []
    for row in table.rows:
        i = position[row.model]
        rows.append(
            PageRow(
                position=i,
                row=row,
                first="" if first is None else show_chance(float(first[i])),
                top="" if top is None else show_chance(float(top[i])),
                score=lines[i],
                lost=_lost_rows(board, i),
            )
        )
    return tuple(rows)


def _lost_rows(board: Leaderboard, model: int) -> str:
    """What became of the rows on which the model at this position has no score, over all tasks.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [0, float("nan")]]}, ["a", "b"])
    >>> board = rb.leaderboard(scores, missing="pairwise")
    >>> _lost_rows(board, 0), _lost_rows(board, 1)
    ('', '1 missing')
    """
    counted = [task.counts for task in board.tasks.values() if task.counts is not None]
    numbers = [
        (sum(int(getattr(one, name)[model]) for one in counted), what) for name, what in _LOST
    ]
    return ", ".join(f"{number:,} {what}" for number, what in numbers if number)


def _score_lines(board: Leaderboard) -> list[ScoreLine | None]:
    """Scores of the main table on one scale; better is to the right."""
    if board.lead == "aggregate" and board.aggregate is not None:
        average = board.aggregate
        return _drawn(average.score, average.low, average.high, average.direction)
    if board.lead == "task":
        task = next(iter(board.tasks.values()))
        return _drawn(task.mean, *task.score_interval(), task.direction)
    return [None] * len(board.models)


def _drawn(
    score: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    direction: str,
) -> list[ScoreLine | None]:
    low = np.where(np.isfinite(low), low, score)
    high = np.where(np.isfinite(high), high, score)
    if not np.isfinite(score).any():
        return [None] * score.size
    start, end = float(np.nanmin(low)), float(np.nanmax(high))
    if end == start:
        return [None] * score.size
    at = 100 * (np.array([low, score, high]) - start) / (end - start)
    if direction == "lower":
        at = 100 - at[::-1]
    return [
        ScoreLine(*(round(float(value), 1) for value in column))
        if np.isfinite(column).all()
        else None
        for column in at.T
    ]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One model on one task: a text, and its interval; `is_open` where that excludes no rank."""

    text: str
    best: int = 0
    worst: int = 0
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class MatrixLine:
    """One line of the matrix."""

    name: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rank intervals of all models, task by task; the longer side runs down the page.

    Parameters
    ----------
    rows_are_models : bool
        What a line is.
    columns : tuple of (str, str)
        Names of the columns, whole and shortened.
    lines : tuple of MatrixLine
        Names of the lines, and their cells.
    n_models : int
        How many ranks there are.
    caption : str
        What the intervals state.
    left_out : int
        Lines that did not fit on the page.
    drawn : bool
        Whether cells have bars.
    """

    rows_are_models: bool
    columns: tuple[tuple[str, str], ...]
    lines: tuple[MatrixLine, ...]
    n_models: int
    caption: str
    left_out: int
    drawn: bool = False


def task_matrix(board: Leaderboard) -> Matrix:
    """Lay out the rank intervals of all tasks, models in the order of the board."""
    claims = {task_claim(task).words for task in board.tasks.values()}
    words = claims.pop() if len(claims) == 1 else "at levels that differ between tasks"
    ends = {name: (task.best, task.worst) for name, task in board.tasks.items()}
    return _matrix(board, ends, f"Rank on each task: {words}.")


def group_matrix(board: Leaderboard) -> Matrix | None:
    """Lay out the new-task intervals per category of tasks; None where there are none."""
    if board.overall is None or not board.overall.groups:
        return None
    groups = board.overall.groups
    levels = ", ".join(
        f"{visible(name)} {overall_claim(one).level}" for name, one in groups.items()
    )
    scope = overall_claim(board.overall).scope
    ends = {name: (one.best, one.worst) for name, one in groups.items()}
    return _matrix(board, ends, f"Rank on a new task of each category ({levels}), {scope}.")


def score_matrix(board: Leaderboard) -> Matrix:
    """Lay out the scores on all tasks, models in the order of the board."""
    cells: dict[str, tuple[MatrixCell, ...]] = {}
    for name, task in board.tasks.items():
        shown = task_scores(task)
        cells[name] = tuple(MatrixCell(shown[i]) for i in board.order)
    directions = {task.direction for task in board.tasks.values()}
    side = " Lower is better." if directions == {"lower"} else ""
    if len(directions) > 1:
        lower = [visible(n) for n, task in board.tasks.items() if task.direction == "lower"]
        side = f" Lower is better on {listed(lower, 5)}."
    return _lay_out(board, cells, f"Score on each task, {_behind(board)}.{side}")


def _behind(board: Leaderboard) -> str:
    """What stands behind ± in the matrix of scores."""
    levels = sorted({level_words(task.alpha, task) for task in board.tasks.values()})
    return f"and behind ± its {' or '.join(levels)} interval, each model and task by itself"


def average_matrix(board: Leaderboard) -> Matrix | None:
    """The same as a table of the page, of as many models as fit; None without an average."""
    if board.aggregate is None:
        return None
    table = average_table(board)
    names = list(table.columns)
    most = max(_MOST_CELLS // len(names), 1)
    cells = zip(*table.columns.values(), strict=True)
    lines = [
        MatrixLine(model, tuple(MatrixCell(text) for text in row))
        for model, row in zip(table.models[:most], cells, strict=False)
    ]
    return Matrix(
        rows_are_models=True,
        columns=tuple(zip(names, shorten_all(names, [_LABEL_WIDTH] * len(names)), strict=True)),
        lines=tuple(lines),
        n_models=len(table.models),
        caption=f"{table.title}. {' '.join(table.sentences)}",
        left_out=max(len(table.models) - most, 0),
    )


def _matrix(board: Leaderboard, ends: Mapping[str, tuple[_Ranks, _Ranks]], caption: str) -> Matrix:
    size = len(board.models)
    cells = {
        name: tuple(_cell(int(best[i]), int(worst[i]), size) for i in board.order)
        for name, (best, worst) in ends.items()
    }
    matrix = _lay_out(board, cells, caption)
    return replace(matrix, drawn=size * len(cells) <= _MOST_DRAWN)


def _lay_out(
    board: Leaderboard, blocks: Mapping[str, tuple[MatrixCell, ...]], caption: str
) -> Matrix:
    models = [board.models[i] for i in board.order]
    rows_are_models = len(models) >= len(blocks)
    names, columns = (models, list(blocks)) if rows_are_models else (list(blocks), models)
    lines = list(blocks.values())
    cells = list(zip(*lines, strict=True)) if rows_are_models else lines
    seen = [visible(name) for name in columns]
    most = max(_MOST_CELLS // len(columns), 1)
    return Matrix(
        rows_are_models=rows_are_models,
        columns=tuple(zip(seen, shorten_all(seen, [_LABEL_WIDTH] * len(seen)), strict=True)),
        lines=tuple(MatrixLine(*line) for line in zip(names[:most], cells, strict=False)),
        n_models=len(models),
        caption=caption,
        left_out=max(len(names) - most, 0),
    )


def _cell(best: int, worst: int, n_models: int) -> MatrixCell:
    is_open = n_models > 1 and (best, worst) == (1, n_models)
    return MatrixCell(show_ranks(best, worst), best, worst, is_open)


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
    rows = table.rows[:_MOST_ROWS]
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

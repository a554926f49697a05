"""What the page lays out: rows with their intervals drawn, the scale above them, matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.notes import list_words
from rankbars.render.averagetables import average_table
from rankbars.render.claims import level_words, overall_claim, task_claim
from rankbars.render.firstscreen import bands
from rankbars.render.notation import show_chance, show_ranks, ticked_ranks
from rankbars.render.pagedata import top_share
from rankbars.render.ranktable import Row, Table, task_scores
from rankbars.render.shownnames import shorten_all, visible
from rankbars.stats.resampling.rankcounts import TOP

__all__ = [
    "Matrix",
    "MatrixCell",
    "MatrixLine",
    "PageRow",
    "Stretch",
    "Tick",
    "average_matrix",
    "group_matrix",
    "page_rows",
    "rank_ticks",
    "score_matrix",
    "task_matrix",
]

_LOST = (("errors", "failed"), ("unscored", "unscored"), ("missing", "missing"))
_MOST_CELLS = 10_000
_MOST_DRAWN = 1_500  # cells with a bar of their own; more would make the page heavy
_LABEL_WIDTH = 28

_Ranks: TypeAlias = NDArray[np.int64]


class Stretch(NamedTuple):
    """A rank interval drawn: where it begins and how long it is, in percent of the width."""

    start: str
    length: str


class Tick(NamedTuple):
    """One mark of the scale of ranks: the rank, and where its middle lies, in percent."""

    rank: int
    at: str


@dataclass(frozen=True, slots=True)
class PageRow:
    """One model.

    Parameters
    ----------
    position : int
        Its position among the models of the board.
    row : Row
        What every format shows.
    bar, new_bar : Stretch
        Its rank interval, and that on a new task; None where there is none.
    band : str
        Where it stands in its band, as classes: ``"band"``, with ``"from"`` for the first row
        and ``"to"`` for the last; empty outside of bands.
    may_be_first : bool
        Whether the row says so.
    first, top : str
        Share of draws in which it is first, and among the first few; empty without draws, and
        where such shares say more than the ranks.
    lost : str
        What became of its rows without a score: ``"3 failed, 4 missing"``; empty where not known.
    """

    position: int
    row: Row
    bar: Stretch
    new_bar: Stretch | None
    band: str
    may_be_first: bool
    first: str
    top: str
    lost: str


def page_rows(board: Leaderboard, table: Table, *, marks_first: bool) -> tuple[PageRow, ...]:
    """The rows of the main table, in its order; `marks_first`: say which may be first."""
    position = {name: i for i, name in enumerate(board.models)}
    first, top = top_share(board, 1), top_share(board, TOP)
    may_be_first = set(board.undominated()) if marks_first else set()
    banded = _band_classes(board)
    size = table.n_models
    rows = []
    for place, row in enumerate(table.rows, start=1):
        i = position[row.model]
        new = None
        if row.new_best is not None and row.new_worst is not None:
            new = _stretch(row.new_best, row.new_worst, size)
        rows.append(
            PageRow(
                position=i,
                row=row,
                bar=_stretch(row.best, row.worst, size),
                new_bar=new,
                band=banded.get(place, ""),
                may_be_first=row.model in may_be_first,
                first="" if first is None else show_chance(float(first[i])),
                top="" if top is None else show_chance(float(top[i])),
                lost=_lost_rows(board, i),
            )
        )
    return tuple(rows)


def rank_ticks(n_ranks: int) -> tuple[Tick, ...]:
    """The scale above the rows.

    Examples
    --------
    >>> [(tick.rank, tick.at) for tick in rank_ticks(2)]
    [(1, '25'), (2, '75')]
    >>> [tick.rank for tick in rank_ticks(13)]
    [1, 3, 5, 7, 9, 11, 13]
    >>> [tick.rank for tick in rank_ticks(500)]
    [1, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500]
    """
    return tuple(Tick(rank, _percent(rank - 0.5, n_ranks)) for rank in ticked_ranks(n_ranks))


def _stretch(best: int, worst: int, size: int) -> Stretch:
    return Stretch(_percent(best - 1, size), _percent(worst - best + 1, size))


def _percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.5g}"


def _band_classes(board: Leaderboard) -> dict[int, str]:
    """Classes of the rows in bands, by place from 1 on."""
    found = {}
    for band in bands(board):
        for place in range(band.first, band.last + 1):
            start = " from" if place == band.first else ""
            found[place] = f"band{start}{' to' if place == band.last else ''}"
    return found


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
        side = f" Lower is better on {list_words(lower, 5)}."
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

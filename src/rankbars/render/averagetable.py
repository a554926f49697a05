"""The average in full: intervals to compare by eye, tasks that models have, means per category."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard
from rankbars.data.categorymeans import CategoryMeans
from rankbars.errors import DataError
from rankbars.render.averages import average_title
from rankbars.render.matrix import MOST_CELLS, Matrix, MatrixCell, MatrixLine
from rankbars.render.names import shorten, shorten_all, visible
from rankbars.render.numbers import (
    MISSING,
    show_level,
    show_number,
    show_scores,
    suitable_decimals,
)

__all__ = [
    "AverageTable",
    "average_matrix",
    "average_table",
    "category_columns",
    "render_average",
]

WIDTH = 80
_NAME_WIDTH, _COLUMN_WIDTH = 28, 18
_NORMAL_TOUCH = 0.05  # the level that 83.4 % belong to


@dataclass(frozen=True, slots=True)
class AverageTable:
    """What is known about the average of each model, ready to show.

    Parameters
    ----------
    title : str
        What the average is an average of.
    models : tuple of str
        In the order of the board.
    columns : mapping from str to tuple of str
        One text per model.
    sentences : tuple of str
        What the columns say, and what they do not.
    """

    title: str
    models: tuple[str, ...]
    columns: dict[str, tuple[str, ...]]
    sentences: tuple[str, ...]


def average_table(board: Leaderboard) -> AverageTable:
    """Lay out the average of a board in full.

    Raises
    ------
    DataError
        If the board has no average.
    """
    average = board.aggregate
    if average is None:
        raise DataError(
            "This board has no average of tasks: there is one task, or none was asked for."
        )
    order = np.array(_order(average), dtype=np.intp)
    columns = {average_title(average): _intervals(average, order)}
    sentences = [_first_sentence(average)]
    known = average.se is not None and not np.isnan(average.se).all()
    if known and not average.is_range:
        columns["To compare"] = _comparison(average, order)
        sentences.append(_compare_sentence(average))
    columns["Tasks"], said = _tasks(board, order)
    sentences.append(said)
    if average.by_category is not None:
        lower = average.direction == "lower"
        columns |= category_columns(average.by_category, order, lower=lower)
        sentences.append(_category_sentence(average.by_category))
    target = average.target or "average"
    return AverageTable(
        title=target[:1].upper() + target[1:],
        models=tuple(board.models[i] for i in order),
        columns=columns,
        sentences=tuple(sentences),
    )


def category_columns(
    means: CategoryMeans, order: NDArray[np.intp], *, lower: bool
) -> dict[str, tuple[str, ...]]:
    """Means of each category with their standard errors, models in the given order."""
    sign = -1.0 if lower else 1.0
    columns = {}
    for name, score, se in zip(means.categories, means.score, means.se, strict=True):
        mean, error = sign * score[order], se[order]
        columns[visible(name)] = tuple(show_scores(mean, mean - error, mean + error))
    return columns


def average_matrix(board: Leaderboard) -> Matrix | None:
    """The same as a table of the page, of as many models as fit; None without an average."""
    if board.aggregate is None:
        return None
    table = average_table(board)
    names = list(table.columns)
    most = max(MOST_CELLS // len(names), 1)
    cells = zip(*table.columns.values(), strict=True)
    lines = [
        MatrixLine(model, tuple(MatrixCell(text) for text in row))
        for model, row in zip(table.models[:most], cells, strict=False)
    ]
    return Matrix(
        rows_are_models=True,
        columns=tuple(zip(names, shorten_all(names, [_NAME_WIDTH] * len(names)), strict=True)),
        lines=tuple(lines),
        n_models=len(table.models),
        caption=f"{table.title}. {' '.join(table.sentences)}",
        left_out=max(len(table.models) - most, 0),
    )


def render_average(board: Leaderboard) -> str:
    """The average in full as lines of text, of at most 80 columns where names allow it.

    Parameters
    ----------
    board : Leaderboard
        The result.

    Returns
    -------
    str
        What is averaged; of each model the average with its interval, an interval to compare two
        models by eye, the number of tasks, and the mean of each category; and what these say.

    Raises
    ------
    DataError
        If the board has no average.
    """
    table = average_table(board)
    names = shorten_all([visible(name) for name in table.models], [_NAME_WIDTH] * len(table.models))
    width = max(map(len, ("Model", *names)))
    blocks: list[list[list[str]]] = [[]]
    room = WIDTH - width
    for title, texts in table.columns.items():
        cells = [shorten(title, _COLUMN_WIDTH), *texts]
        wide = max(map(len, cells))
        if room < wide + 2 and blocks[-1]:
            blocks.append([])
            room = WIDTH - width
        room -= wide + 2
        blocks[-1].append([f"{cell:>{wide}}" for cell in cells])
    lines = textwrap.wrap(f"{table.title}.", WIDTH)
    head = [f"{name:<{width}}" for name in ("Model", *names)]
    for block in blocks:
        lines += ["", *("  ".join(row) for row in zip(head, *block, strict=True))]
    lines.append("")
    for sentence in table.sentences:
        lines += textwrap.wrap(sentence, WIDTH, break_on_hyphens=False)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _order(average: Aggregate) -> list[int]:
    """Positions of the models, best average first; models without one last."""
    sign = 1.0 if average.direction == "higher" else -1.0
    score = np.where(np.isnan(average.score), -np.inf, sign * average.score)
    return [int(i) for i in np.lexsort((np.arange(score.size), -score))]


def _intervals(average: Aggregate, order: NDArray[np.intp]) -> tuple[str, ...]:
    return tuple(show_scores(average.score[order], average.low[order], average.high[order]))


def _comparison(average: Aggregate, order: NDArray[np.intp]) -> tuple[str, ...]:
    """Both ends, always: they are what is compared."""
    low, high = (ends[order] for ends in average.comparison_intervals())
    decimals = suitable_decimals(average.score, (high - low) / 2)
    return tuple(
        MISSING
        if math.isnan(one)
        else f"[{show_number(one, decimals)}, {show_number(two, decimals)}]"
        for one, two in zip(low.tolist(), high.tolist(), strict=True)
    )


def _first_sentence(average: Aggregate) -> str:
    side = " Lower is better." if average.direction == "lower" else ""
    title = average_title(average)
    if np.isnan(average.low).all():
        return f"{title}: no interval is known.{side}"
    if average.is_range:
        return (
            f"{title}: with the range of {show_level(average.alpha)} of its draws, which is no "
            f"confidence interval.{side}"
        )
    return (
        f"{title}: with its {show_level(average.alpha)} interval, which speaks of one model by "
        f"itself.{side}"
    )


def _compare_sentence(average: Aggregate) -> str:
    holds = " (83.4 % where errors are normal)" if average.alpha == _NORMAL_TOUCH else ""
    return (
        f"To compare: a shorter interval{holds} for looking at two models. Where theirs do not "
        f"overlap, the two differ at {100 * average.alpha:g} %, if their averages are independent "
        "and equally sure. It promises nothing about many pairs, or models that have items in "
        "common: ranks and tiers decide, from the difference of each pair."
    )


def _tasks(board: Leaderboard, order: NDArray[np.intp]) -> tuple[tuple[str, ...], str]:
    weighted = [task for task in board.tasks.values() if task.weight > 0]
    counts = np.count_nonzero([~np.isnan(task.mean) for task in weighted], axis=0)[order]
    total = len(weighted)
    if (counts == total).all():
        said = f"Tasks: every model has a score on all {total}."
    else:
        said = (
            f"Tasks: on how many of the {total} a model has a score; without all of them there is "
            "no average."
        )
    return tuple(str(count) for count in counts), said


def _category_sentence(means: CategoryMeans) -> str:
    parts = [
        f"{visible(name)} {weight:.3g} ({count} {'task' if count == 1 else 'tasks'})"
        for name, weight, count in zip(
            means.categories, means.weights.tolist(), means.tasks.tolist(), strict=True
        )
    ]
    return (
        "Categories: the mean over exactly these tasks with its standard error; their weights are "
        f"{', '.join(parts)}."
    )

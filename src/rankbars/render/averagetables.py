"""The average in full, and differences of all pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard
from rankbars.data.categorymeans import CategoryMeans
from rankbars.data.contrasts import Differences
from rankbars.errors import DataError
from rankbars.render.claims import APPROXIMATE, average_level, average_title
from rankbars.render.notation import (
    MISSING,
    show_interval,
    show_level,
    show_number,
    show_scores,
    suitable_decimals,
)
from rankbars.render.shownnames import short_names, shorten, visible
from rankbars.render.textlines import WIDTH, each_wrapped, in_columns, text_of, wrapped
from rankbars.stats.tails import critical_value

__all__ = ["average_table", "category_columns", "render_average", "render_differences"]

_NAME_WIDTH, _COLUMN_WIDTH = 28, 18
_NORMAL_TOUCH = 0.05  # the level that 83.4 % belong to


@dataclass(frozen=True, slots=True)
class _AverageTable:
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


def average_table(board: Leaderboard) -> _AverageTable:
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
        columns |= category_columns(average.by_category, order, average.alpha, lower=lower)
        columns |= _category_comparisons(average, average.by_category, order)
        sentences.append(_category_sentence(average.by_category, average.alpha))
    target = average.target or "average"
    return _AverageTable(
        title=target[:1].upper() + target[1:],
        models=tuple(board.models[i] for i in order),
        columns=columns,
        sentences=tuple(sentences),
    )


def category_columns(
    means: CategoryMeans, order: NDArray[np.intp], alpha: float, *, lower: bool
) -> dict[str, tuple[str, ...]]:
    """Means of each category with their normal intervals, models in the given order."""
    sign = -1.0 if lower else 1.0
    reach = float(critical_value(alpha / 2, np.inf))
    columns = {}
    for name, score, se in zip(means.categories, means.score, means.se, strict=True):
        mean, error = sign * score[order], reach * se[order]
        columns[visible(name)] = tuple(show_scores(mean, mean - error, mean + error))
    return columns


def _category_comparisons(
    average: Aggregate, means: CategoryMeans, order: NDArray[np.intp]
) -> dict[str, tuple[str, ...]]:
    """Shorter intervals to compare two models by eye, in each category."""
    sign = -1.0 if average.direction == "lower" else 1.0
    ends = means.comparison_intervals(average.alpha)
    columns = {}
    for name, score, low, high in zip(means.categories, means.score, *ends, strict=True):
        decimals = suitable_decimals(score, (high - low) / 2)
        pairs = (sorted((sign * low[i], sign * high[i])) for i in order)
        columns[f"{visible(name)}, to compare"] = tuple(
            show_interval(one, two, decimals) for one, two in pairs
        )
    return columns


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
    names = ["Model", *short_names(table.models, _NAME_WIDTH)]
    blocks: list[list[list[str]]] = [[]]
    room = whole = WIDTH - max(map(len, names))
    for title, texts in table.columns.items():
        cells = [shorten(title, _COLUMN_WIDTH), *texts]
        wide = max(map(len, cells)) + 2
        if room < wide and blocks[-1]:
            blocks.append([])
            room = whole
        room -= wide
        blocks[-1].append(cells)
    lines = wrapped(f"{table.title}.")
    for block in blocks:
        lines += ["", *in_columns(list(zip(names, *block, strict=True)), "lr")]
    return text_of([*lines, "", *each_wrapped(table.sentences)])


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
    ends = zip(low.tolist(), high.tolist(), strict=True)
    return tuple(show_interval(*pair, decimals) for pair in ends)


def _first_sentence(average: Aggregate) -> str:
    side = " Lower is better." if average.direction == "lower" else ""
    title = average_title(average)
    if np.isnan(average.low).all():
        return f"{title}: no interval is known.{side}"
    if average.is_range:
        return (
            f"{title}: with the range of {average_level(average)} of its draws, which is no "
            f"confidence interval.{side}"
        )
    return (
        f"{title}: with its {average_level(average)} interval, which speaks of one model by "
        f"itself.{side}"
    )


def _compare_sentence(average: Aggregate) -> str:
    at = APPROXIMATE if average.approximate else f"at {100 * average.alpha:g} %"
    holds = " (83.4 % where errors are normal)" if average.alpha == _NORMAL_TOUCH else ""
    return (
        f"To compare: a shorter interval{holds} for looking at two models. Where theirs do not "
        f"overlap, the two differ {at}, if their averages are independent "
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


def _category_sentence(means: CategoryMeans, alpha: float) -> str:
    parts = [
        f"{visible(name)} {weight:.3g} ({count} {'task' if count == 1 else 'tasks'})"
        for name, weight, count in zip(
            means.categories, means.weights.tolist(), means.tasks.tolist(), strict=True
        )
    ]
    return (
        f"Categories: the mean over exactly these tasks with its {show_level(alpha)} interval (of "
        f"one model by itself, normal errors); their weights are {', '.join(parts)}."
    )


def render_differences(board: Leaderboard) -> str:
    """Differences of all pairs on the average as lines of text, best models first.

    Parameters
    ----------
    board : Leaderboard
        The result.

    Returns
    -------
    str
        For each pair the difference of the better and the worse average with its interval, all
        intervals together at one level, and p-values by the correction of the board, by
        Bonferroni and by Holm; and what these say.

    Raises
    ------
    DataError
        If the board has no average, or no differences of it.
    """
    average = board.aggregate
    found = None if average is None else average.differences
    if average is None or found is None:
        raise DataError(
            "This board has no differences of averages: it has no average of tasks, more than 50 "
            "models, no errors of the average, or was written by an older version. Make it again "
            "with: rankbars rank INPUT -o board.json"
        )
    size = len(board.models)
    first, second = np.triu_indices(size, 1)
    place = np.zeros((size, size), dtype=np.intp)
    place[first, second] = place[second, first] = np.arange(first.size)
    order = _order(average)
    pairs = [(i, j) for k, i in enumerate(order) for j in order[k + 1 :]]
    at = np.array([place[i, j] for i, j in pairs], dtype=np.intp)
    sign = np.array([1.0 if i < j else -1.0 for i, j in pairs])
    ends = np.stack([sign * found.low[at], sign * found.high[at]])
    decimals = suitable_decimals(found.difference[at], np.abs(found.high[at] - found.low[at]) / 2)
    names = short_names(board.models, _NAME_WIDTH)
    between = zip(ends.min(axis=0).tolist(), ends.max(axis=0).tolist(), strict=True)
    table = {
        "Models": [f"{names[i]} − {names[j]}" for i, j in pairs],
        "Difference": [show_number(one, decimals) for one in sign * found.difference[at]],
        f"{show_level(found.alpha)} together": [show_interval(*one, decimals) for one in between],
    }
    if found.correction == "maxt":
        table["p max-T"] = [_shown_p(p) for p in found.p[at].tolist()]
    table["p Bonferroni"] = [_shown_p(p) for p in found.p_bonferroni[at].tolist()]
    table["p Holm"] = [_shown_p(p) for p in found.p_holm[at].tolist()]
    what = "Logarithm of the ratio" if found.scale == "log ratio" else "Difference"
    rows = [tuple(table), *zip(*table.values(), strict=True)]
    return text_of([
        *wrapped(f"{what} of each two models: {average.target or 'average'}."), "",
        *in_columns(rows, "lr"), "", *wrapped(_difference_sentence(average, found)),
    ])  # fmt: skip


def _shown_p(p: float) -> str:
    if math.isnan(p):
        return MISSING
    return "<0.0001" if p < 1e-4 else f"{p:.4f}"


def _difference_sentence(average: Aggregate, found: Differences) -> str:
    count = found.difference.size
    better = "Above 0 the first is better."
    if found.source == "draws":
        return (
            f"{better} Described by draws, without a guarantee: the difference is their mean, the "
            f"interval holds {show_level(found.alpha)} of them after Bonferroni over {count:,} "
            "pairs, and p is twice the share on the other side of 0."
        )
    level = APPROXIMATE if average.guarantee is None else show_level(found.alpha)
    ends = {
        "maxt": "max-T",
        "none": "no correction, so that each holds by itself",
    }.get(found.correction, f"Bonferroni over {count:,} pairs")
    sentence = f"{better} Intervals: {level}, by {ends}."
    if average.correction == "maxt_bootstrap":
        sentence += (
            " A few rows weigh heavily, so that max-T of resampled rows decides; Bonferroni and "
            "Holm take differences as normal, and are approximate."
        )
    return sentence

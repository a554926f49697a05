"""The average in full, differences of all pairs, and which weights change the order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard
from rankbars.data.categorymeans import CategoryMeans, WeightMap, WinnerChange
from rankbars.data.contrasts import Differences
from rankbars.errors import DataError
from rankbars.render.claims import APPROXIMATE, average_level, average_title
from rankbars.render.notation import (
    MISSING,
    short_names,
    shorten,
    show_interval,
    show_level,
    show_number,
    show_scores,
    show_share,
    suitable_decimals,
    visible,
)
from rankbars.render.textlines import WIDTH, each_wrapped, in_columns, text_of, wrapped
from rankbars.stats.tails import critical_value

__all__ = [
    "average_table",
    "render_average",
    "render_differences",
    "render_weights",
    "weights_to_dict",
]

_NAME_WIDTH, _COLUMN_WIDTH = 28, 18
_NORMAL_TOUCH = 0.05  # the level that 83.4 % belong to
_MOST_CHANGES = 10
_MOST_COLUMNS = 4


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
        columns |= _category_columns(average.by_category, order, average.alpha, lower=lower)
        columns |= _category_comparisons(average, average.by_category, order)
        sentences.append(_category_sentence(average.by_category, average.alpha))
    target = average.target or "average"
    return _AverageTable(
        title=target[:1].upper() + target[1:],
        models=tuple(board.models[i] for i in order),
        columns=columns,
        sentences=tuple(sentences),
    )


def _category_columns(
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


def render_weights(
    means: CategoryMeans,
    weights: Mapping[str, float] | None = None,
    z: float = 2.0,
    *,
    alpha: float = 0.05,
    lower: bool = False,
    rho: float = 0.0,
) -> str:
    """Means per category, the winner at given weights, who wins where, and what would change it.

    Parameters
    ----------
    means : CategoryMeans
        Of an average.
    weights : mapping from category to float, optional
        Where to look; the weights of the average where not given.
    z : float
        Standard errors that a clear winner is ahead by.
    alpha : float
        Error rate of the intervals of the means.
    lower : bool
        Whether means are to be shown with lower as the better side.
    rho : float
        Correlation of the errors of models that is assumed; see `CategoryMeans.weight_map`.

    Returns
    -------
    str
        Lines of at most 80 columns, where the names of the categories allow it.

    Raises
    ------
    UnknownOptionError, OptionError, DataError
        As `CategoryMeans.at`.
    """
    standing, found = means.at(weights, rho=rho), means.weight_map(z, rho=rho)
    changes = means.smallest_changes(weights)
    gap = f"{standing.margin:.3g}"
    if math.isfinite(standing.error):
        gap += f" (standard error {standing.error:.2g})"
    assumed = f" Errors are those of models correlated by {rho:g}, which is assumed." if rho else ""
    lines = wrapped(
        f"With weights {_weights(standing.weights)}: {visible(standing.winner)} is first, "
        f"{gap} ahead of {visible(standing.runner_up)}."
    )
    for part in (
        _mean_lines(means, alpha, lower=lower),
        _share_lines(found),
        _change_lines(changes, standing.winner),
        wrapped(found.description + assumed),
    ):
        lines += ["", *part]
    return text_of(lines)


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{visible(name)} {value:.3g}" for name, value in weights.items())


def _mean_lines(means: CategoryMeans, alpha: float, *, lower: bool) -> list[str]:
    """A table of models by categories, in the order of the weighted means."""
    if len(means.categories) > _MOST_COLUMNS:
        return wrapped(f"The means per category of {len(means.categories)} categories: --json.")
    total = np.nan_to_num(means.weights @ means.score, nan=-np.inf)
    order = np.argsort(-total, kind="stable")
    columns = _category_columns(means, order, alpha, lower=lower)
    heads = ("Model", *(shorten(name, _COLUMN_WIDTH) for name in columns))
    names = short_names((means.models[i] for i in order), _NAME_WIDTH)
    said = (
        f"Mean per category over exactly these tasks, ± {show_level(alpha)} for each model by "
        "itself; models in the order of the average:"
    )
    rows = zip(names, *columns.values(), strict=True)
    return [*wrapped(said), *in_columns([heads, *rows], "lr")]


def _share_lines(found: WeightMap) -> list[str]:
    winners = [i for i in np.argsort(-found.share, kind="stable") if found.share[i] > 0]
    names = short_names((found.models[i] for i in winners), _NAME_WIDTH)
    rows = [("Model", f"{'wins':>8}", f"{f'by > {found.z:.3g} SE':>11}")]
    for name, i in zip(names, winners, strict=True):
        rows.append((name, show_share(found.share[i]), show_share(found.clear_share[i])))
    said = f"Share of all weights of the {len(found.categories)} categories, each counted the same:"
    return [*wrapped(said), *in_columns(rows, "lr")]


def _change_lines(changes: Sequence[WinnerChange], winner: str) -> list[str]:
    possible = [change for change in changes if math.isfinite(change.moved)]
    if not possible:
        return wrapped(
            f"{visible(winner)} is first under all weights: no other model is level with it in "
            "any category."
        )
    shown = possible[:_MOST_CHANGES]
    rows = [("Model", f"{'moved':>7}", "to weights")]
    for name, change in zip(
        short_names((change.model for change in shown), _NAME_WIDTH), shown, strict=True
    ):
        rows.append((name, show_share(change.moved), _weights(change.weights)))
    indent = sum(max(len(row[k]) + 2 for row in rows) for k in (0, 1))
    lines = [f"Smallest change of weights after which a model is level with {visible(winner)}:"]
    for line in in_columns(rows, "lrl"):
        lines += wrapped(line, inside=" " * indent)
    rest = len(changes) - len(shown)
    if rest:
        never = len(changes) - len(possible)
        reason = f"; {never} of them under no weights" if never else ""
        lines.append(f"{MISSING} {rest} more{reason}")
    return lines


def weights_to_dict(
    means: CategoryMeans,
    weights: Mapping[str, float] | None = None,
    z: float = 2.0,
    *,
    lower: bool = False,
    rho: float = 0.0,
) -> dict[str, Any]:
    """The same as plain values; what is infinite or not known is None."""
    standing, found = means.at(weights, rho=rho), means.weight_map(z, rho=rho)
    sign = -1.0 if lower else 1.0
    return {
        "models": list(means.models),
        "categories": list(means.categories),
        "mean": (sign * means.score).tolist(),
        "se": means.se.tolist(),
        "weights": dict(standing.weights),
        "winner": standing.winner,
        "runner_up": standing.runner_up,
        "margin": standing.margin,
        "error": standing.error,
        "z": found.z,
        "rho": rho,
        "share": dict(zip(found.models, found.share.tolist(), strict=True)),
        "clear_share": dict(zip(found.models, found.clear_share.tolist(), strict=True)),
        "smallest_changes": [
            {
                "model": change.model,
                "moved": change.moved,
                "weights": dict(change.weights) or None,
            }
            for change in means.smallest_changes(weights)
        ],
        "description": found.description,
    }

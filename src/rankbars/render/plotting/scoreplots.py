"""Pictures of scores: beside ranks, on each task, and by the weights of categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.categorymeans import WeightMap
from rankbars.data.evidence import Items
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import Direction
from rankbars.data.taskresult import TaskResult
from rankbars.errors import DataError, OptionError
from rankbars.render.claims import average_level, average_title, lead_claim, overall_claim
from rankbars.render.notation import counted, show_level
from rankbars.render.plotting.lettering import labels
from rankbars.render.plotting.style import (
    ALL,
    DARK,
    FIRST,
    PALE,
    SECOND,
    Shown,
    bars,
    beside,
    category_legend,
    category_marks,
    colors,
    label_rows,
    last_rank,
    rank_axis,
)
from rankbars.render.shownnames import shorten, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_board_weights",
    "plot_item_spread",
    "plot_score_against_rank",
    "plot_score_new_task",
    "plot_score_spread",
    "plot_scores",
    "plot_weights",
    "plot_widths",
    "score_words",
]

_MOST_NAMES, _PUSHES = 48, 400
_CATEGORIES = 3
_OVER_TASKS = "Rank the results and draw score_spread: the scores of each model over the tasks."
_MOST_POINTS = 200  # of one model; more would be a blot
_STEPS = 64  # finer marks would be smaller than a printer's dots


def plot_score_against_rank(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Score of each model, upwards, against its rank interval: what the order hides.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If the board shows neither a score nor a rank interval first, or there are more models
        than can be named.
    """
    if board.lead == "task":
        task = next(iter(board.tasks.values()))
        best, worst, (low, high) = task.best, task.worst, task.score_interval()
        score, bar = task.mean, f"bars: {show_level(task.alpha)} interval"
        lower = task.direction == "lower"
    elif board.aggregate is not None:
        average = board.aggregate
        best, worst, low, high = average.best, average.worst, average.low, average.high
        score, lower = average.score, average.direction == "lower"
        level = average_level(average)
        bar = f"bars: {level} of the draws" if average.is_range else f"bars: {level} interval"
    else:
        raise DataError("This board has no average, so there is no score to draw against ranks.")
    if shown.sort != "score":
        raise OptionError("score_rank stands by score: leave the sorting out.")
    rows = shown.rows(board.models, board.order)
    if len(rows) > _MOST_NAMES:
        raise DataError(
            f"score_rank of {len(rows)} models could not be read: their marks hide each other. Add "
            f"--top {_MOST_NAMES - 8}, or --models NAME for each model that is to be shown."
        )
    score, low, high, best, worst = score[rows], low[rows], high[rows], best[rows], worst[rows]
    middle = (best + worst) / 2
    ax.hlines(score, best, worst, color=FIRST, lw=1.8, alpha=0.85)
    ax.vlines(middle, np.minimum(low, high), np.maximum(low, high), color=DARK, lw=0.8)
    ax.plot(middle, score, "o", color=FIRST, ms=3)
    if lower:
        ax.invert_yaxis()
    end = last_rank(worst, len(board.models))
    rank_axis(ax, end)
    ax.spines["left"].set_visible(True)
    _name_points(ax, [board.models[i] for i in rows], score, worst, end)
    ax.set_xlabel("rank interval (1 is the best)")
    ax.set_ylabel(score_words(board))
    ax.set_title(f"Score beside rank\nrank: {lead_claim(board).words}; {bar}", wrap=True)
    return ax


def plot_score_new_task(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Average of each model with its interval on the left, its ranks on a new task on the right.

    Parameters
    ----------
    board : Leaderboard
        A board with an average and an interval for a new task.
    ax : matplotlib axes
        The left panel; the right one is added beside it, and stands in ``ax.child_axes``.

    Raises
    ------
    DataError
        If the board lacks one of the two.
    """
    average, new = board.aggregate, board.overall
    if average is None or new is None:
        lacks = "no interval for a new task" if new is None else "no average"
        raise DataError(f"This board has {lacks}, and the picture shows both side by side.")
    order = shown.rows(board.models, board.order, (new.best, new.worst))
    rows = np.arange(len(order))
    ends = np.array([average.low, average.high])[:, order]
    ax.hlines(rows, ends.min(axis=0), ends.max(axis=0), color=FIRST, lw=1.6)
    ax.plot(average.score[order], rows, "o", color=FIRST, ms=3.5)
    label_rows(ax, [board.models[i] for i in order])
    if average.direction == "lower":
        ax.invert_xaxis()
    ax.spines["left"].set_visible(False)
    words = score_words(board)
    ax.set_xlabel(words)
    kind = "of the draws" if average.is_range else "interval"
    ax.set_title(f"{words.capitalize()}\n{average_level(average)} {kind}, each model")
    right = beside(ax)
    worst = new.worst[order]
    bars(right, new.best[order], worst, last_rank(worst, len(board.models)), SECOND)
    claim = overall_claim(new)
    right.set_title(f"Rank on a {claim.title.lower()}\n{claim.words}")
    return ax


def plot_score_spread(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """How the scores of each model spread over the tasks: quartiles, and a point per task.

    Parameters
    ----------
    board : Leaderboard
        A board of two tasks or more with the same metric.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If there is one task, or tasks are on different scales.
    """
    tasks = _on_one_scale(board)
    if len(tasks) < 2:
        raise DataError("One task has one score for each model, which does not spread over tasks.")
    order = shown.rows(board.models, board.order)
    scores = np.array([task.mean for task in tasks])[:, order]
    _spread(ax, scores, tasks[0].direction)
    label_rows(ax, [board.models[i] for i in order])
    ax.set_xlabel(_score_name(tasks[0]))
    ax.set_title(
        f"Scores of each model on {counted(len(tasks), 'task')}\na point per task; box: quartiles"
    )
    return ax


def plot_item_spread(scores: Scores, ax: Axes, shown: Shown = ALL) -> Axes:
    """How the scores of each model spread over the items: quartiles, and a point per item if few.

    Parameters
    ----------
    scores : Scores
        One task, or several with the same metric, whose items are taken together; of items that
        were asked with several prompts, the mean over these.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If a task has no scores of items, or tasks are on different scales, or every item is right
        or wrong, so that a share says all of it.
    """
    parts = scores.tasks
    metrics = {(one.metric, one.direction) for one in scores.info.values()}
    rows = [task for task in parts.values() if isinstance(task, Items)]
    if not rows:
        raise DataError(f"There are no scores of items here. {_OVER_TASKS}")
    if len(rows) < len(parts) or len(metrics) > 1:
        lacks = "have no scores of items" if len(rows) < len(parts) else "have different metrics"
        raise DataError(f"Some of these tasks {lacks}. Name one task with --task.")
    sign = -1.0 if next(iter(metrics))[1] == "lower" else 1.0
    values = np.full((sum(task.n for task in rows), len(scores.models)), np.nan)
    at = 0
    for task in rows:
        place = [scores.models.index(name) for name in task.models]
        values[at : at + task.n, place] = sign * task.values
        at += task.n
    if np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        raise DataError(
            "Every item is right or wrong here, so that the share of right answers says all of it. "
            + _OVER_TASKS
        )
    middle = np.nanmean(np.where(np.isnan(values).all(axis=0), -np.inf, values), axis=0)
    order = shown.rows(scores.models, np.lexsort((scores.models, -sign * middle)).tolist())
    _spread(ax, values[:, order], "lower" if sign < 0 else "higher")
    label_rows(ax, [scores.models[i] for i in order])
    what = visible(next(iter(parts))) if len(parts) == 1 else counted(len(parts), "task")
    points = "a point per item; " if len(values) <= _MOST_POINTS else ""
    ax.set_xlabel(visible(next(iter(metrics))[0] or "score"))
    ax.set_title(
        f"Scores of each model on {counted(len(values), 'item')} of {what}\n{points}box: "
        "quartiles; whiskers: all"
    )
    return ax


def _spread(ax: Axes, scores: NDArray[np.float64], direction: Direction) -> None:
    """A box per model (column), over all that is known of it, and a point per row if few."""
    known = [column[~np.isnan(column)] for column in scores.T]
    ax.boxplot(
        known, positions=range(len(known)), orientation="horizontal", widths=0.62, whis=(0, 100),
        medianprops={"color": FIRST, "lw": 1.8}, boxprops={"lw": 0.7}, whiskerprops={"lw": 0.7},
        capprops={"lw": 0.7},
    )  # fmt: skip
    for row, column in enumerate(known):
        if len(scores) <= _MOST_POINTS:
            ax.plot(column, np.full(column.size, row), "o", color=SECOND, ms=2.2, alpha=0.7)
    if direction == "lower":
        ax.invert_xaxis()
    ax.spines["left"].set_visible(False)


def _on_one_scale(board: Leaderboard) -> list[TaskResult]:
    tasks = list(board.tasks.values())
    metrics = {(task.metric, task.direction, task.kind == "votes") for task in tasks}
    if len(metrics) > 1:
        raise DataError(
            "The tasks of this board have different metrics, so their scores share no axis. Draw "
            "heatmap, which shows ranks."
        )
    return tasks


def _score_name(task: TaskResult) -> str:
    return "log strength" if task.kind == "votes" else visible(task.metric or "score")


def score_words(board: Leaderboard) -> str:
    """What the score is that the board shows first."""
    if board.lead == "task":
        return _score_name(next(iter(board.tasks.values())))
    if board.aggregate is None or board.aggregate.unit == "rank":
        return "mean rank"
    if board.aggregate.method == "mean":
        return "average score"
    return average_title(board.aggregate)


def plot_scores(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Score of each model on each task, a mark per task; bars are intervals.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If tasks are on different scales, so that their scores share no axis.
    """
    tasks = _on_one_scale(board)
    order = shown.rows(board.models, board.order)
    rows = np.arange(len(order))
    marks = category_marks(tasks)
    ax.hlines(rows, *_ends(board, order), color=PALE, lw=0.6)
    for k, task in enumerate(tasks):
        low, high = task.score_interval()
        shift = 0.0 if len(tasks) == 1 else 0.5 * (k / (len(tasks) - 1) - 0.5)
        ax.errorbar(
            task.mean[order], rows + shift, xerr=np.nan_to_num((high - low)[order] / 2), lw=0,
            elinewidth=0.6, ms=2.4, **marks[task.category or ""],
        )  # fmt: skip
    category_legend(ax, marks, "")
    label_rows(ax, [board.models[i] for i in order])
    ax.set_xlabel(_score_name(tasks[0]))
    ax.set_title(f"Scores\na mark per task, bars: {show_level(tasks[0].alpha)} intervals")
    ax.spines["left"].set_visible(False)
    return ax


def plot_widths(board: Leaderboard, ax: Axes) -> Axes:
    """Width of the rank intervals of all models on each task: how well a task separates them.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.
    """
    tasks = sorted(board.tasks.values(), key=lambda task: float(np.mean(task.worst - task.best)))
    widths = [(task.worst - task.best).tolist() for task in tasks]
    ax.boxplot(
        widths, positions=range(len(tasks)), orientation="horizontal", widths=0.6,
        medianprops={"color": FIRST, "lw": 1.6}, boxprops={"lw": 0.7}, whiskerprops={"lw": 0.7},
        capprops={"lw": 0.7}, flierprops={"marker": "o", "ms": 2, "mew": 0.5},
    )  # fmt: skip
    label_rows(ax, [task.name for task in tasks])
    ax.set_xlim(left=-0.5)
    ax.locator_params(axis="x", integer=True)
    ax.set_xlabel("rank interval: worst − best, in ranks")
    ax.set_title("How well each task separates the models\nnarrow intervals on top")
    return ax


def _name_points(
    ax: Axes, models: Sequence[str], score: NDArray[np.float64], worst: NDArray[np.int64], end: int
) -> None:
    """A name to the right of each point, as near as names can stand without touching."""
    named = [i for i in range(len(models)) if not np.isnan(score[i])]
    if not named:
        return
    low, high = sorted(ax.get_ylim())
    room = (high - low) / _MOST_NAMES
    rising = sorted(named, key=lambda i: (float(score[i]), models[i]))
    place = np.array([float(score[i]) for i in rising])
    for _ in range(_PUSHES):
        short = np.maximum(room - np.diff(place), 0.0) / 2
        place[1:] += short
        place[:-1] -= short
    right = 1.04 * end + 0.5
    texts = labels([models[i] for i in rising], 34)
    for i, y, text in zip(rising, place.tolist(), texts, strict=True):
        ax.plot([worst[i], right], [score[i], y], color=PALE, lw=0.4, zorder=0)
        ax.text(right, y, f" {text}", va="center", fontsize=5.5, clip_on=False)
    ax.set_xlim(right=right)


def _ends(board: Leaderboard, rows: list[int]) -> tuple[float, float]:
    means = np.array([task.mean[rows] for task in board.tasks.values()])
    return float(np.nanmin(means)), float(np.nanmax(means))


def plot_board_weights(board: Leaderboard, ax: Any) -> Any:
    """The winner at every weighting of three categories, from the average of a board.

    Parameters
    ----------
    board : Leaderboard
        A board whose tasks have three categories.
    ax : matplotlib axes with ``projection="ternary"``
        Drawn on.

    Raises
    ------
    DataError
        If the average has no means of three categories.
    """
    means = None if board.aggregate is None else board.aggregate.by_category
    if means is None:
        raise DataError(
            "This board has no means per category: every task needs a category, and scores (not "
            "ranks) must be averaged. Give categories with --categories."
        )
    return plot_weights(means.weight_map(steps=_STEPS), ax)


def plot_weights(found: WeightMap, ax: Any) -> Any:
    """The winner at every weighting of three categories, pale where it is hardly ahead.

    Parameters
    ----------
    found : WeightMap
        From `CategoryMeans.weight_map`, of three categories.
    ax : matplotlib axes with ``projection="ternary"`` (mpltern)
        Drawn on.

    Raises
    ------
    DataError
        If there are not three categories.
    """
    if len(found.categories) != _CATEGORIES:
        raise DataError(
            f"The triangle of weights needs 3 categories; found {len(found.categories)}. For more, "
            "see the smallest changes of weights that change the winner (rankbars show)."
        )
    winners = np.flatnonzero(np.bincount(found.winner, minlength=len(found.models)))
    winners = winners[np.argsort(-found.share[winners], kind="stable")]
    top, left, right = found.points.T
    for k, (model, shade) in enumerate(zip(winners, colors(winners.size), strict=True)):
        mine = found.winner == model
        unclear = found.indeterminate[mine]
        place = top[mine], left[mine], right[mine]
        share = 100 * found.share[model]
        words = f"{share:.0f} %" if share >= 0.5 else "under 1 %"
        text = f"{labels([found.models[model]], 26)[0]}: {words}"
        marker = "os^Dv<>P"[k % 8]
        # Filled where the winner is ahead, hollow where it is not: without colour, too.
        ax.scatter(*(part[~unclear] for part in place), s=11, marker=marker, color=shade, lw=0.4,
                   label=text)  # fmt: skip
        ax.scatter(*(part[unclear] for part in place), s=11, marker=marker, facecolor="none",
                   edgecolor=shade, lw=0.4, alpha=0.6)  # fmt: skip
    for name, side in zip(found.categories, "tlr", strict=True):
        getattr(ax, f"set_{side}label")(shorten(visible(name), 24))
    for axis in (ax.taxis, ax.laxis, ax.raxis):
        axis.set_label_position("corner")
        axis.set_label_rotation_mode("horizontal")
    ax.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), title="share of all weightings",
              markerscale=1.7)  # fmt: skip
    unknown = ", or errors not known" if np.isnan(found.error).any() else ""
    ax.set_title(
        f"Winner by weights of the categories\nhollow: ahead by at most {found.z:.3g} standard "
        f"errors{unknown}",
        color=DARK, pad=22,
    )  # fmt: skip
    return ax

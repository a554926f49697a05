"""Pictures of ranks: intervals on tasks, on a new task, in lanes, and the partial order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankbars.calls import check_name
from rankbars.data.board import Leaderboard
from rankbars.data.diagnosis import HeldOut
from rankbars.data.partialorder import PartialOrder
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.render.claims import (
    NO_GUARANTEE,
    Claim,
    lead_claim,
    leads_with_band,
    overall_claim,
    statements_level,
    task_claim,
)
from rankbars.render.notation import counted
from rankbars.render.plotting.lettering import labels
from rankbars.render.plotting.scoreplots import score_words
from rankbars.render.plotting.style import (
    ALL,
    DARK,
    FIRST,
    PALE,
    SECOND,
    Shown,
    bar_rows,
    bars,
    beside,
    category_legend,
    category_marks,
    label_rows,
    rank_axis,
)
from rankbars.render.ranktable import task_order
from rankbars.render.shownnames import shorten, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "order_of",
    "plot_held_out",
    "plot_lanes",
    "plot_model_ranks",
    "plot_new_task",
    "plot_order",
    "plot_ranks",
    "plot_task_ranks",
    "plot_two_models",
]

_TITLE_WIDTH = 40
_SWEEPS = 8
_FOLD = 22  # letters of a line in a box of the diagram


def plot_ranks(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Rank interval of each model on what the board shows first, best score on top.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.

    Returns
    -------
    matplotlib axes
        The same axes.
    """
    if board.lead == "task":
        return plot_task_ranks(board, ax, next(iter(board.tasks)), shown)
    if board.aggregate is None:
        return plot_new_task(board, ax, shown)
    average = board.aggregate
    ends = average.best, average.worst
    bar_rows(ax, board.models, ends, shown.rows(board.models, board.order, ends))
    ax.set_title(_title(lead_claim(board)))
    return ax


def plot_new_task(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Rank prediction interval of each model on a new task, best score on top.

    Parameters
    ----------
    board : Leaderboard
        A board of two tasks or more.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If the board has a single task.
    """
    new = board.overall
    if new is None:
        raise DataError("A board of one task has no interval for a new task to draw.")
    ends = new.best, new.worst
    bar_rows(ax, board.models, ends, shown.rows(board.models, board.order, ends), SECOND)
    claim = overall_claim(new)
    ax.set_title(_title(claim._replace(title=f"Rank on a {claim.title.lower()}")))
    return ax


def plot_held_out(found: HeldOut, ax: Axes) -> Axes:
    """Rank intervals on tasks that were held out, drawn over those for a new task.

    Parameters
    ----------
    found : HeldOut
        From `rankbars.hold_out`.
    ax : matplotlib axes
        Drawn on: a pale bar per model for a new task, and a thin line over it per held-out task,
        dashed and in another colour where it reaches out of the bar.
    """
    order, size, count = list(found.board.order), len(found.models), len(found.tasks)
    rows, new = np.arange(size), found.new_task
    ax.barh(
        rows, (new.worst - new.best + 0.3)[order], left=new.best[order] - 0.15, height=0.86,
        color=PALE, label=f"new task, from the other {counted(len(found.board.tasks), 'task')}",
    )  # fmt: skip
    shifts = np.linspace(-0.32, 0.32, count) if count > 1 else np.zeros(1)
    inside = found.inside[:, order]
    ends = np.array([[one.best[order], one.worst[order]] for one in found.tasks.values()])
    for within, color, style, words in (
        (True, FIRST, "-", "held-out task, within"),
        (False, SECOND, "--", "held-out task, reaches out"),
    ):
        task, row = np.nonzero(inside == within)
        if not task.size:
            continue
        places, low, high = row + shifts[task], ends[task, 0, row], ends[task, 1, row]
        ax.hlines(places, low, high, color=color, lw=0.9, linestyle=style, label=words)
        ax.plot([low, high], [places, places], "o", color=color, ms=1.5)
    label_rows(ax, [found.models[i] for i in order])
    rank_axis(ax, size)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    ax.set_title(
        f"Rank on {counted(count, 'task')} held out\n{100 * found.share:.0f} % of intervals within "
        f"those for a new task (at least {100 * found.expected:.0f} % on average)"
    )
    return ax


def plot_task_ranks(board: Leaderboard, ax: Axes, task: str, shown: Shown = ALL) -> Axes:
    """Rank interval of each model on one task, best score of the task on top.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.
    task : str
        The task.

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    found = board.tasks.get(task)
    if found is None:
        raise UnknownOptionError.among("task", task, board.tasks)
    ends = found.best, found.worst
    bar_rows(ax, board.models, ends, shown.rows(board.models, task_order(found), ends))
    name = shorten(visible(task), _TITLE_WIDTH)
    claim = task_claim(found)
    ax.set_title(f"Rank on {name}\n{claim.words}")
    return ax


def plot_model_ranks(board: Leaderboard, ax: Axes, model: str) -> Axes:
    """Rank interval of one model on each task, the narrowest on top; colour and mark by category.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.
    model : str
        The model.

    Raises
    ------
    UnknownOptionError
        If there is no such model.
    """
    check_name("model", model, board.models)
    at = board.models.index(model)
    tasks = sorted(board.tasks.values(), key=lambda t: (t.worst[at] - t.best[at], t.best[at]))
    marks, size = category_marks(tasks), len(board.models)
    ax.hlines(range(len(tasks)), 1, max(size, 2), color=PALE, lw=0.6)
    for row, task in enumerate(tasks):
        ends = [task.best[at], task.worst[at]]
        ax.plot(ends, [row, row], "-", **marks[task.category or ""], lw=2.4, ms=4)
    category_legend(ax, marks, "-")
    label_rows(ax, [task.name for task in tasks])
    rank_axis(ax, size)
    name = shorten(visible(model), _TITLE_WIDTH)
    ax.set_title(f"Rank of {name} on each task\n{task_claim(tasks[0]).words}")
    return ax


def plot_two_models(board: Leaderboard, ax: Axes, models: Sequence[str]) -> Axes:
    """Rank intervals of two models on each task, side by side, over those for a new task.

    Two models with the same interval for a new task may differ: one is uncertain on every task,
    the other certain and good on some, bad on others.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        The panel of the first model; the other is added beside it, in ``ax.child_axes``. Tasks
        stand in the same order in both: by the middle of the first model's interval.
    models : sequence of str
        Both models.

    Raises
    ------
    UnknownOptionError
        If there is no such model.
    """
    for model in models:
        check_name("model", model, board.models)
    first = board.models.index(models[0])
    tasks = sorted(board.tasks.values(), key=lambda t: (t.worst[first] + t.best[first], t.name))
    for panel, model in zip((ax, beside(ax)), models, strict=True):
        at = board.models.index(model)
        if board.overall is not None:
            low, high = int(board.overall.best[at]), int(board.overall.worst[at])
            panel.axvspan(low - 0.15, high + 0.15, color=PALE, lw=0, alpha=0.7, zorder=0)
        best = np.array([task.best[at] for task in tasks])
        worst = np.array([task.worst[at] for task in tasks])
        bars(panel, best, worst, len(board.models), FIRST if panel is ax else SECOND)
        words = task_claim(tasks[0]).words if panel is ax else ""
        panel.set_title(f"{shorten(visible(model), _TITLE_WIDTH - 8)}\n{words}")
    label_rows(ax, [task.name for task in tasks])
    if board.overall is not None:
        ax.set_xlabel("rank (1 is the best); shaded: on a new task")
    return ax


def plot_lanes(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Scores on a line, with a bar over every run of models of which no two were told apart.

    The picture is read as a critical-difference diagram, but its statements come from the paired
    tests of the board, all at once.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If fewer than two models have a score.
    """
    if shown.sort != "score":
        raise OptionError("lanes joins neighbours, so it stands by score: leave the sorting out.")
    rows = [i for i in shown.rows(board.models, board.order) if not np.isnan(board.score[i])]
    if len(rows) < 2:
        raise DataError(f"Lanes need two models with a score; found {len(rows)}.")
    sign = -1.0 if _lower_is_better(board) else 1.0
    score = sign * board.score[rows]
    place = {model: k for k, model in enumerate(rows)}
    runs = [[place[i] for i in run if i in place] for run in board.unseparated_runs()]
    kept = [run for run in runs if len(run) > 1]
    # Of a run that is cut, what is left may lie within another.
    runs = [run for run in kept if not any(set(run) < set(other) for other in kept)]
    # Every model has a row of its own, so names never overlap; a bar takes a lane beside them.
    lanes = _pack(runs)
    span = float(np.ptp(score)) or 1.0
    worst = float((sign * score).min()) - 0.06 * span
    ax.hlines(range(len(rows)), sign * worst, score, color=PALE, lw=0.6)
    ax.plot(score, range(len(rows)), "o", color=DARK, ms=3.5)
    for lane, run in zip(lanes, runs, strict=True):
        x = sign * (float((sign * score).max()) + span * (0.05 + 0.035 * lane))
        ax.plot([x, x], [run[0] - 0.25, run[-1] + 0.25], color=DARK, lw=2.6, solid_capstyle="butt")
    label_rows(ax, [board.models[i] for i in rows])
    if sign < 0:
        ax.invert_xaxis()
    ax.set_xlabel(score_words(board))
    ax.spines["left"].set_visible(False)
    ax.set_title(f"A bar joins models that were not told apart\n{_pairs_level(board)}")
    return ax


def _pairs_level(board: Leaderboard) -> str:
    """At which level models were told apart, where any could be."""
    if leads_with_band(board):
        return "ranks were counted in draws, so no two models were compared"
    level = lead_claim(board).level
    return level if level == NO_GUARANTEE else f"{level}, all at once"


def _pack(runs: list[list[int]]) -> list[int]:
    """A lane for each run, so that no two in one lane touch."""
    ends: list[int] = []
    lanes = []
    for run in runs:
        lane = next((k for k, end in enumerate(ends) if end < run[0]), len(ends))
        ends[lane : lane + 1] = [run[-1]]
        lanes.append(lane)
    return lanes


def _lower_is_better(board: Leaderboard) -> bool:
    if board.lead == "task":
        return next(iter(board.tasks.values())).direction == "lower"
    return board.aggregate is None or board.aggregate.direction == "lower"


def _title(claim: Claim) -> str:
    return f"{claim.title}\n{claim.words}"


def plot_order(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Hasse diagram: better models higher, a line (or a chain of them) where one was shown better.

    Models that no chain of downward lines joins were not told apart.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.
    """
    order = order_of(board, shown)
    kept = set(order.models)
    place = _places(order, [name for i in board.order if (name := board.models[i]) in kept])
    for better, worse in order.edges:
        (x0, y0), (x1, y1) = place[better], place[worse]
        ax.plot([x0, x1], [y0, y1], color=PALE, lw=0.9, zorder=1)
    texts = dict(zip(order.models, map(_folded, labels(order.models, 2 * _FOLD)), strict=True))
    for name, (x, y) in place.items():
        ax.text(
            x, y, texts[name], ha="center", va="center", fontsize=6, zorder=2,
            bbox={"boxstyle": "round,pad=0.25", "fc": "white", "ec": FIRST, "lw": 0.7},
        )  # fmt: skip
    columns = [x for x, _ in place.values()]
    ax.set_xlim(min(columns) - 0.6, max(columns) + 0.6)
    ax.set_ylim(-len(order.layers) + 0.4, 0.6)
    ax.set_axis_off()
    ax.set_title(
        "Who was shown better than whom: every chain of lines downwards\n"
        f"{statements_level(board)}, all at once"
    )
    return ax


def order_of(board: Leaderboard, shown: Shown) -> PartialOrder:
    """The partial order of the models that are shown."""
    if shown.sort != "score":
        raise OptionError("order puts better models higher, whatever the sorting: leave it out.")
    rows = sorted(shown.rows(board.models, board.order))
    better = board.shown_better[np.ix_(rows, rows)]
    return PartialOrder(tuple(board.models[i] for i in rows), better)


def _folded(name: str) -> str:
    """A name in two lines at most, broken at a sign where there is one near the middle."""
    if len(name) <= _FOLD:
        return name
    breaks = [k + 1 for k, sign in enumerate(name) if sign in " -_/.:"]
    at = min(
        (k for k in breaks if len(name) - _FOLD <= k <= _FOLD),
        key=lambda k: abs(2 * k - len(name)),
        default=(len(name) + 1) // 2,
    )
    return f"{name[:at]}\n{name[at:]}"


def _places(order: PartialOrder, printed: Sequence[str]) -> dict[str, tuple[float, float]]:
    """A column and a row for each model; neighbours in the diagram near each other."""
    rank = {name: k for k, name in enumerate(printed)}
    layers = [sorted(layer, key=rank.__getitem__) for layer in order.layers]
    above: dict[str, list[str]] = {name: [] for name in order.models}
    below: dict[str, list[str]] = {name: [] for name in order.models}
    for better, worse in order.edges:
        below[better].append(worse)
        above[worse].append(better)
    x = _spread(layers)
    for sweep in range(_SWEEPS):
        joined = above if sweep % 2 == 0 else below
        for k, layer in enumerate(layers):
            wanted = {
                name: float(np.mean([x[other] for other in joined[name]])) if joined[name]
                else x[name]
                for name in layer
            }  # fmt: skip
            layers[k] = sorted(layer, key=lambda name: (wanted[name], rank[name]))
        x = _spread(layers)
    return {name: (x[name], -float(row)) for row, layer in enumerate(layers) for name in layer}


def _spread(layers: Sequence[Sequence[str]]) -> dict[str, float]:
    """Columns of one unit, each layer in the middle."""
    return {name: k - (len(layer) - 1) / 2 for layer in layers for k, name in enumerate(layer)}

"""The tables that stand below the main one: models that lack tasks, other metrics, costs, votes.

Models that lack tasks are placed among those of the board; sentences say who of them may be first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.notes import list_words
from rankbars.render.claims import APPROXIMATE, only_metric, statements_level
from rankbars.render.notation import (
    MISSING,
    counted,
    show_count,
    show_number,
    show_ranks,
    show_scores,
    suitable_decimals,
)
from rankbars.render.ranktable import Head, SideTable
from rankbars.render.shownnames import visible
from rankbars.stats.tails import critical_value

if TYPE_CHECKING:
    from rankbars.data.boardparts import CostFront, PartlyScored

__all__ = [
    "cost_table",
    "field_words",
    "may_share_first",
    "order_table",
    "placed_sentence",
    "placed_table",
    "screen_sentence",
    "side_tables",
]

_MOST_NAMES = 5
_SUSPECT = 0.05
_MOST_WITHIN, _MOST_STEPS = 4, 12


def side_tables(board: Leaderboard, task: str | None = None) -> list[SideTable]:
    """What stands below the main table of a board, or of one of its tasks."""
    found = []
    if board.partly is not None:
        found.append(placed_table(board, task))
    if task is None and board.also:
        found.append(order_table(board))
    if task is None and board.front is not None:
        found.append(cost_table(board))
    if task is None and (board.categories or board.over_time is not None):
        from rankbars.render.arenatables import category_table, change_table

        found += [category_table(board), change_table(board)]
    return [one for one in found if one is not None]


def order_table(board: Leaderboard) -> SideTable | None:
    """Ranks by the metric of the board and by others, in its order; None where there is one.

    Behind ranks by a metric that the board does not show stands the score.
    """
    if not board.also:
        return None
    rows = tuple(
        (
            board.models[row],
            show_ranks(int(board.ranks.best[row]), int(board.ranks.worst[row])),
            *(
                f"{show_ranks(int(one.best[row]), int(one.worst[row]))} ({one.score[row]:.3g})"
                for one in board.also
            ),
        )
        for row in board.order
    )
    titles = (only_metric(board) or "This board", *(one.metric for one in board.also))
    return SideTable(
        (Head("Model", "name"), *(Head(title, "left", foreign=True) for title in titles)),
        rows,
        "Ranks by each metric, and scores by the others",
        "Each order holds at its level by itself, not all of them at once.",
    )


def placed_table(board: Leaderboard, task: str | None = None) -> SideTable | None:
    """The models that lack tasks, on what is shown first or on one task; None without any.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {name: rng.random((40, 4)) + [0, 0, 0, 0.4] for name in ("law", "math", "music")}
    >>> tasks["law"][:, 3] = np.nan
    >>> board = rb.leaderboard(rb.Scores.from_arrays(tasks, list("abcd")))
    >>> [(model, ranks, tasks) for ranks, model, _, tasks in placed_table(board).rows]
    [('d', '1 of 4', '2 of 3')]
    """
    partly = board.partly
    if partly is None:
        return None
    if task is not None:
        return _on_task(board, partly, task)
    decimals = suitable_decimals(*_alike(board))
    rows = tuple(
        (
            f"{show_ranks(int(partly.best[i]), int(partly.worst[i]))} of {partly.field}",
            partly.models[i],
            f"{show_number(float(partly.adjusted[i]), decimals)} adjusted"
            if np.isfinite(partly.adjusted[i])
            else MISSING,
            f"{int(partly.tasks[i])} of {partly.n_tasks}",
        )
        for i in partly.order
    )
    return SideTable(
        _placed_heads(partly, "Adjusted score"),
        rows,
        f"Partly scored: each placed among the {partly.field - 1} models above, by the tasks it "
        "has",
        "Approximate: a place holds if the tasks a model lacks are like those it has. Adjusted: "
        "tasks it lacks are assumed to go as for the others. Where models lacked the tasks that "
        "they failed, 95 % places held in 81 to 87 % of simulations. No row above depends on them.",
        badges=dict.fromkeys(partly.first, "may be first"),
    )


def _placed_heads(partly: PartlyScored, score: str) -> tuple[Head, ...]:
    place = Head(f"Place among {partly.field}", "place")
    return place, Head("Model", "name"), Head(score, "left"), Head("Tasks")


def _alike(board: Leaderboard) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Averages of the board and the lengths of their errors, which say how many digits to show."""
    average = board.aggregate
    if average is None:
        return np.zeros(1), np.zeros(1)
    return average.score, (average.high - average.low) / 2


def _on_task(board: Leaderboard, partly: PartlyScored, task: str) -> SideTable | None:
    found = next((one for one in partly.by_task if one.name == task), None)
    if found is None:
        return None
    half = float(critical_value(partly.alpha / 2, np.inf)) * np.where(
        found.se > 0, found.se, np.nan
    )
    cells = show_scores(found.mean, found.mean - half, found.mean + half)
    where = {name: i for i, name in enumerate(partly.models)}
    order = np.lexsort((np.arange(found.best.size), found.best, found.best + found.worst))
    rows = tuple(
        (
            f"{show_ranks(int(found.best[i]), int(found.worst[i]))} of {partly.field}",
            found.models[i],
            cells[i],
            f"{int(partly.tasks[where[found.models[i]]])} of {partly.n_tasks}",
        )
        for i in order
    )
    level = f"{100 * (1 - partly.alpha):g} %"
    return SideTable(
        _placed_heads(partly, f"Score ± {level}"),
        rows,
        f"Lack other tasks: each placed among the {partly.field - 1} models above on this task",
        f"Each row by itself ({level}, on this task); the average leaves them out of the field.",
        badges={found.models[i]: "may be first" for i in order if found.best[i] == 1},
    )


def field_words(board: Leaderboard, where: str) -> str:
    """What the sentence at the top is about: the models scored everywhere, if some are not."""
    if board.partly is None:
        return where
    count = board.partly.n_tasks
    about = f"{where[0].lower()}{where[1:]}".replace(f"these {count} tasks", "them")
    return f"Among the {len(board.models)} models scored on all {count} tasks, {about}"


def may_share_first(board: Leaderboard) -> bool:
    """Whether a model that lacks tasks may be first, too."""
    return board.partly is not None and bool(board.partly.may_be_first.any())


def placed_sentence(board: Leaderboard, name: Callable[[str], str]) -> str:
    """What is known of who lacks tasks and first place; empty where nobody lacks any."""
    partly = board.partly
    if partly is None:
        return ""
    first = partly.first
    count = len(partly.models)
    if count == 1:
        one, it = name(partly.models[0]), "if the tasks it lacks are like those it has"
        has = f"{one} is partly scored ({int(partly.tasks[0])} of {partly.n_tasks} tasks)"
        if first:
            return f"{has} and may be first, too, {it}."
        return f"{has} and is shown worse than at least one of them, {it}."
    if_alike = "if the tasks they lack are like those they have"
    head = f"Of {show_count(count)} partly scored models, "
    if not first:
        return f"{head}none may be first, {if_alike}."
    return (
        f"{head}{show_count(len(first))} may be first, too, {if_alike}: "
        f"{list_words([name(one) for one in first], _MOST_NAMES)}."
    )


def screen_sentence(board: Leaderboard) -> str:
    """Whether the tasks that models lack differ from the rest; empty where nothing was seen."""
    partly = board.partly
    if partly is None or partly.lean is None or partly.lean_p is None:
        return ""
    if partly.lean_p > _SUSPECT:
        return ""
    which = "easier" if partly.lean > 0 else "harder"
    return (
        f"The tasks that partly scored models lack are {which} than the rest "
        f"(p = {partly.lean_p:.2g}), so their gaps are hardly by chance: read their places with "
        "care."
    )


def cost_table(board: Leaderboard) -> SideTable | None:
    """Score against cost, the cheapest model first, those without a cost last; None without costs.

    A row tells how far a model is the best for the money. Listed is who may have the best score
    within a budget, as it grows.
    """
    if board.front is None:
        return None
    front = board.front
    heads = (
        Head("Model", "name"), Head(visible(front.metric), foreign=True), Head("Score"),
        Head("Best for the money?", "words"),
    )  # fmt: skip
    rows = []
    for i in np.argsort(front.cost, kind="stable"):
        at = board[board.models[i]]
        score = _with_error(at.score, at.score_low, at.score_high)
        cost = _with_error(front.cost[i], front.low[i], front.high[i])
        rows.append((board.models[i], cost, score, _cost_words(board, front, int(i))))
    first, *rest = _cost_sentences(board, front)
    return SideTable(
        heads,
        tuple(rows),
        first.removesuffix("."),
        listed=tuple(_budgets(board, front)),
        below=(tuple(rest),),
    )


def _cost_sentences(board: Leaderboard, front: CostFront) -> list[str]:
    """How many may be the best for the money, at which level, and what that assumes."""
    priced = ~np.isnan(front.cost)
    size, metric = int(priced.sum()), visible(front.metric)
    possible, surely = int(front.possible.sum()), int(front.surely.sum())
    level = statements_level(board) if front.known else APPROXIMATE
    first = (
        f"Score against {metric}, less is better: {int(front.observed.sum())} of "
        f"{counted(size, 'model')} are on the observed front; {possible} may be ({level}, all at "
        f"once). Shown dominated, since another one is better and no dearer: {size - possible}."
    )
    alone = int((front.each & priced).sum())
    rest = [
        f"For one model named beforehand, {alone} may be on the front ({level}). Shown to be on "
        f"it: {surely or 'none'} ({level}, all of them at once).",
        *front.assumptions,
    ]
    lacking = [visible(board.models[i]) for i in np.flatnonzero(~priced)]
    if lacking:
        rest.insert(
            0, f"Without a cost, and so without a place: {list_words(lacking, _MOST_WITHIN)}."
        )
    return [first, *rest]


def _budgets(board: Leaderboard, front: CostFront) -> list[str]:
    """Who may have the best score within a budget, as the budget grows; a heading first."""
    steps = front.within(board.shown_better)
    told = []
    for budget, found in steps[:_MOST_STEPS]:
        # The best observed first, as on the board.
        order = [board.models[i] for i in board.order if i in found]
        told.append(f"from {budget:.3g}: {list_words([visible(x) for x in order], _MOST_WITHIN)}")
    if len(steps) > _MOST_STEPS:
        told.append(f"and {counted(len(steps) - _MOST_STEPS, 'more step')}")
    level = statements_level(board)
    return [
        f"May be the best within a budget of {visible(front.metric)} ({level}, for all budgets at "
        "once):",
        *told,
    ]


def _cost_words(board: Leaderboard, front: CostFront, i: int) -> str:
    if math.isnan(front.cost[i]):
        return "cost not known"
    by = np.flatnonzero(front.dominates[:, i])
    if by.size:
        first = next(board.models[k] for k in board.order if k in by)
        return f"dominated by {visible(first)}" + (f" and {by.size - 1} more" * (by.size > 1))
    return "on the front" if front.surely[i] else "may be"


def _with_error(value: float | None, low: float | None, high: float | None) -> str:
    """A number, with half the width of its interval where there is one."""
    if value is None or math.isnan(value):
        return MISSING
    if low is None or high is None or math.isnan(low) or not high > low:
        return f"{value:.3g}"
    half = (high - low) / 2
    decimals = min(max(1 - math.floor(math.log10(half)), 0), 8)
    return f"{value:.{decimals}f} ±{half:.{decimals}f}"

"""Score against cost in words and rows, for text, Markdown and pictures."""

from __future__ import annotations

import math

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import CostFront
from rankbars.data.notes import list_words
from rankbars.errors import DataError
from rankbars.render.claims import APPROXIMATE, statements_level
from rankbars.render.notation import MISSING, counted, visible
from rankbars.render.ranktable import Head, SideTable

__all__ = ["cost_table", "front_of"]

_MOST_NAMES, _MOST_STEPS = 4, 12


def front_of(board: Leaderboard) -> CostFront:
    """The front of a board; `DataError` where no costs were given."""
    if board.front is None:
        raise DataError(
            "This board knows no costs. Rank again with --cost COLUMN, for costs per item, or "
            "--prices FILE, for one known cost per model."
        )
    return board.front


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
        rows.append((board.models[i], cost, score, _words(board, front, int(i))))
    first, *rest = _sentences(board, front)
    return SideTable(
        heads,
        tuple(rows),
        first.removesuffix("."),
        listed=tuple(_budgets(board, front)),
        below=(tuple(rest),),
    )


def _sentences(board: Leaderboard, front: CostFront) -> list[str]:
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
            0, f"Without a cost, and so without a place: {list_words(lacking, _MOST_NAMES)}."
        )
    return [first, *rest]


def _budgets(board: Leaderboard, front: CostFront) -> list[str]:
    """Who may have the best score within a budget, as the budget grows; a heading first."""
    steps = front.within(board.shown_better)
    told = []
    for budget, found in steps[:_MOST_STEPS]:
        # The best observed first, as on the board.
        order = [board.models[i] for i in board.order if i in found]
        told.append(f"from {budget:.3g}: {list_words([visible(x) for x in order], _MOST_NAMES)}")
    if len(steps) > _MOST_STEPS:
        told.append(f"and {counted(len(steps) - _MOST_STEPS, 'more step')}")
    level = statements_level(board)
    return [
        f"May be the best within a budget of {visible(front.metric)} ({level}, for all budgets at "
        "once):",
        *told,
    ]


def _words(board: Leaderboard, front: CostFront, i: int) -> str:
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

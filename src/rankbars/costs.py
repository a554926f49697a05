"""Costs beside the scores of a board: which models may be the best for the money."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import CostFront
from rankbars.data.evidence import same_scores
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.errors import DataError
from rankbars.pipeline import leaderboard, usable_scores
from rankbars.stats.multiplicity.fronts import find_front, observed_front
from rankbars.stats.pairwise.pairstatistics import p_values
from rankbars.steps.comparison import compare

__all__ = ["add_costs"]

_BOTH = (
    "A model is shown dominated where another one is shown better and no dearer, all pairs at once "
    "(Holm).",
    "A budget is compared with the costs as they stand here; who may score best within it follows "
    "from the ranks, for all budgets at once.",
)
_KNOWN = ("Costs are known exactly: nothing is allowed for their error.",)
_MEASURED = (
    "Costs are means over the same items as scores, and compared as means, not ratios.",
    "No level is assured where costs are measured, since those of single items are skewed: in "
    "simulations of 30 to 300 items, sets made at 95 % held in 81 % of draws at worst, and for one "
    "model named beforehand in 68 %.",
)


def add_costs(
    board: Leaderboard, scores: Scores, cost: Scores | Mapping[str, float], *, metric: str = "cost"
) -> Leaderboard:
    """The board with its front of score against cost.

    Parameters
    ----------
    board : Leaderboard
        Made of `scores`, without models or tasks left out by hand since.
    scores : Scores
        What the board was made of.
    cost : Scores, or mapping from model to number
        Costs measured on the items, with ``direction="lower"``; or one known cost per model.
        Models of the board without one are listed apart.
    metric : str
        What the cost is called, with its unit.

    Returns
    -------
    Leaderboard
        The same with `front`.

    Raises
    ------
    DataError
        If the board shows ranks on a new task first, has no tests of pairs (a posterior, resampled
        ranks), no model has a cost, or a measured cost is not lower-is-better or is the score.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rows = np.random.default_rng(1).random((200, 3)) < [0.4, 0.5, 0.9]
    >>> scores = rb.Scores.from_arrays({"math": rows}, ["base", "old", "ours"])
    >>> board = rb.add_costs(rb.leaderboard(scores), scores, {"base": 5, "old": 1, "ours": 2})
    >>> board.front
    CostFront('cost', 2 observed, 2 may be of 3 models)
    """
    p_score = _tested(board, scores, "scores")
    models, size = board.models, len(board.models)
    p_cost = None
    if isinstance(cost, Scores):
        if any(info.direction != "lower" for info in cost.info.values()):
            raise DataError(
                f"{metric} must be lower-is-better: declare it, direction={{{metric!r}: 'lower'}}."
            )
        if any(same_scores(cost.tasks[name], scores.tasks.get(name)) for name in cost.tasks):
            raise DataError(
                f"What was read as {metric} are the scores: there is no such column or metric. "
                "Name the one that holds the costs: --cost COLUMN."
            )
        shared = [name for name in models if name in cost.models]
        if not shared:
            raise DataError(f"No model of the board has a cost in {metric}.")
        cost = cost.select(models=shared)
        spec = Spec(
            alpha=board.spec.alpha, over=board.spec.over, missing=board.spec.missing,
            missing_tasks=board.spec.missing_tasks, missing_items=board.spec.missing_items,
            runs=board.spec.runs, seed=board.spec.seed, average_anyway=True,
        )  # fmt: skip
        priced = leaderboard(cost, spec=spec) if len(shared) > 1 else None
        if priced is None:
            raise DataError(f"One model of the board alone has a cost in {metric}; two are needed.")
        place = [models.index(name) for name in priced.models]
        p_cost = np.ones((size, size))
        p_cost[np.ix_(place, place)] = _tested(priced, cost, metric)
        values, low, high = (np.full(size, math.nan) for _ in range(3))
        seen = _seen(priced)
        values[place], low[place], high[place] = seen.score, seen.low, seen.high
    else:
        values = low = high = _prices(cost, models, metric)
    sets = find_front(p_score, values, board.spec.alpha, p_cost)
    shown = _seen(board)
    front = CostFront(
        models, metric, p_cost is None, board.spec.alpha, values, low, high,
        observed_front(-shown.score if shown.lower else shown.score, values),
        sets.dominates, sets.each, sets.surely,
        (*_BOTH, *(_KNOWN if p_cost is None else _MEASURED)),
    )  # fmt: skip
    return replace(board, front=front)


class _Seen(NamedTuple):
    score: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    lower: bool


def _seen(board: Leaderboard) -> _Seen:
    """Scores with their intervals, in their units, on what the board shows first."""
    if board.lead == "task" or board.aggregate is None:
        task = next(iter(board.tasks.values()))
        return _Seen(task.mean, *task.score_interval(), task.direction == "lower")
    average = board.aggregate
    return _Seen(average.score, average.low, average.high, average.direction == "lower")


def _tested(board: Leaderboard, scores: Scores, what: str) -> NDArray[np.float64]:
    """One-sided p-values of all pairs on what the board shows first."""
    spec = board.spec
    if board.lead == "task":
        used = usable_scores(scores, spec).select(models=board.models, tasks=list(board.tasks))
        found = compare(
            used, test=spec.test, seed=spec.seed, resamples=spec.resamples, votes=spec.votes,
            zero_se=spec.zero_se, runs=spec.runs,
        )  # fmt: skip
        return next(iter(found.values())).p
    average = board.aggregate if board.lead == "aggregate" else None
    contrasts = None if average is None else average.contrasts
    if contrasts is None or contrasts.exact is not None:
        raise DataError(
            f"A front needs tests of all pairs of models, and the board of {what} has none: it "
            "shows ranks on a new task first, draws, or ranks over few tasks. Average over items: "
            "--aggregate items."
        )
    return p_values(contrasts.pairs)


def _prices(cost: Mapping[str, float], models: tuple[str, ...], metric: str) -> NDArray[np.float64]:
    found = np.array([float(cost.get(name, math.nan)) for name in models])
    if np.isnan(found).all():
        raise DataError(
            f"No model of the board has a cost in {metric}: names must be the same, such as "
            f"{models[0]!r}."
        )
    if np.isinf(found).any() or (found < 0).any():
        raise DataError(f"A cost in {metric} must be a finite number of at least 0.")
    return found

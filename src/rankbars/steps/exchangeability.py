"""The verb `diagnose`: evidence against a new task being like the seen ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.diagnosis import Diagnosis, LeftOut
from rankbars.data.taskresult import TaskResult
from rankbars.errors import DataError, OptionError
from rankbars.stats.newtask.guarantees import Rate, miss_bound
from rankbars.stats.newtask.plausibility import breakdown_shift, claim_miss, leave_one_out
from rankbars.stats.ranks import RankBounds
from rankbars.steps.corrections import side_level
from rankbars.steps.mergers import MERGES, Bag

__all__ = ["diagnose"]


def diagnose(board: Leaderboard, *, top: int | None = None, coverage: float = 0.8) -> Diagnosis:
    """Look for evidence against the assumption that a new task is like the seen ones.

    Parameters
    ----------
    board : Leaderboard
        A board of two tasks or more.
    top : int, optional
        The claim "this model is never outside the top `top`", fixed before the ranks are seen;
        5, or one less than there are models, if not given.
    coverage : float
        Probability asked of that claim.

    Returns
    -------
    Diagnosis
        Leave-one-out containment per model, by task and by family (where tasks name theirs),
        with exact binomial limits; the bound on the failure of the claim; and the largest shift
        between old and new source (total variation) that it bears.

    Raises
    ------
    DataError
        If the board has fewer than two tasks.
    OptionError
        If `top` or `coverage` is out of range.

    Notes
    -----
    Diagnosis, not proof. If the miss probability is p under the source of the seen tasks and the
    new source is within total variation e of it, the miss probability is at most p + e.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {f"t{i}": rng.normal(size=(50, 3)) + [0.0, 1.0, 2.0] for i in range(9)}
    >>> found = diagnose(rb.leaderboard(rb.Scores.from_arrays(tasks, ["a", "b", "c"])), top=1)
    >>> found.left_out[0].inside.tolist(), found.breakdown.round(2).tolist()
    ([9, 9, 9], [-0.8, -0.8, 0.09])
    """
    overall = board.overall
    if len(board.tasks) < 2 or overall is None:
        raise DataError("Leaving one task out needs at least two tasks.")
    if top is None:
        top = max(1, min(5, len(board.models) - 1))
    if not 1 <= top <= len(board.models):
        raise OptionError.out_of_range("top", top, f"between 1 and {len(board.models)}")
    tasks = list(board.tasks.values())
    best, worst = _merged_ends(tasks)
    names = [task.name for task in tasks]
    families = [task.family for task in tasks]
    merge = overall.method if overall.method in ("quantile", "union") else "joint"
    size = len(board.models)

    def merged(kept: NDArray[np.intp]) -> RankBounds:
        return MERGES[merge](Bag(best[kept], worst[kept], size), rate(len(kept))).bounds

    def rate(count: int) -> Rate:
        if not overall.left_out:
            return overall.alpha
        # The same share as of all tasks, in whole intervals.
        share = Fraction(overall.left_out, len(tasks) + 1)
        return Fraction(min(math.ceil(share * (count + 1)), count), count + 1)

    units: list[tuple[Literal["task", "family"], list[str]]] = [("task", names)]
    known = [family for family in families if family is not None]
    if len(known) == len(families) and 1 < len(set(known)) < len(names):
        units.append(("family", known))
    left_out = []
    for unit, labels in units:
        made = leave_one_out(best, worst, labels, merged)
        left_out.append(LeftOut(unit, made.units, made.inside, made.low, made.high))
    sides = {side_level(task.correction, task.scope, task.alpha) for task in tasks}
    guaranteed = None not in sides and all(task.guarantee is not None for task in tasks)
    side = max((value for value in sides if value is not None), default=0.0)
    outside = np.sum([task.worst > top for task in tasks], axis=0)
    miss = claim_miss(outside, len(tasks), side) if guaranteed else np.full(size, np.nan)
    return Diagnosis(
        models=board.models,
        expected=float(1 - miss_bound(merge, len(tasks) - 1, rate(len(tasks) - 1))),
        left_out=tuple(left_out),
        guarantee=overall.guarantee,
        top=top,
        coverage=coverage,
        claim_miss=miss,
        breakdown=breakdown_shift(miss, coverage),
    )


def _merged_ends(
    tasks: Sequence[TaskResult],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ends of the intervals that the new-task interval is made of, shape (N, M)."""
    best = [task.best if task.merged_best is None else task.merged_best for task in tasks]
    worst = [task.worst if task.merged_worst is None else task.merged_worst for task in tasks]
    return np.array(best), np.array(worst)

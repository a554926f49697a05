"""The verb `diagnose`: evidence against a new task being like the seen ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.diagnosis import Diagnosis, LeftOut, Shift
from rankbars.data.spec import side_level
from rankbars.data.taskresult import TaskResult
from rankbars.errors import DataError, OptionError
from rankbars.stats.newtask.guarantees import Rate, miss_bound
from rankbars.stats.newtask.plausibility import (
    breakdown_shift,
    claim_miss,
    leave_one_out,
    tilted_weights,
)
from rankbars.stats.ranks import RankBounds
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
        between old and new source (total variation) that it bears; what controlled shifts of
        difficulty or domain would do; and on which tasks more rows would narrow intervals most.

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

    def merge_ends(low: NDArray[np.int64], high: NDArray[np.int64]) -> RankBounds:
        return MERGES[merge](Bag(low, high, size), rate(len(low))).bounds

    def merged(kept: NDArray[np.intp]) -> RankBounds:
        return merge_ends(best[kept], worst[kept])

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
    left_out: list[LeftOut] = []
    shifts: tuple[Shift, ...] = ()
    expected = float(1 - miss_bound(merge, len(tasks) - 1, rate(len(tasks) - 1)))
    for unit, labels in units:
        made = leave_one_out(best, worst, labels, merged)
        if unit == "task":  # in order of their names
            named = sorted(range(len(names)), key=names.__getitem__)
            shifts = _shifts([tasks[i] for i in named], made.within, expected)
        left_out.append(LeftOut(unit, made.units, made.inside, made.low, made.high))
    sides = {side_level(task.correction, task.scope, task.alpha) for task in tasks}
    guaranteed = None not in sides and all(task.guarantee is not None for task in tasks)
    side = max((value for value in sides if value is not None), default=0.0)
    outside = np.sum([task.worst > top for task in tasks], axis=0)
    miss = claim_miss(outside, len(tasks), side) if guaranteed else np.full(size, np.nan)
    return Diagnosis(
        models=board.models,
        expected=expected,
        left_out=tuple(left_out),
        guarantee=overall.guarantee,
        top=top,
        coverage=coverage,
        claim_miss=miss,
        breakdown=breakdown_shift(miss, coverage),
        shifts=shifts,
        gains=_gains(tasks, best, worst, merge_ends),
    )


_SIZES = (0.1, 0.2, 0.3)
_MOST_DOMAINS = 20
_DIGITS = 12  # of a share: weights add up to 1 but for rounding, and to no more


def _shifts(
    tasks: Sequence[TaskResult], within: NDArray[np.bool_], expected: float
) -> tuple[Shift, ...]:
    """What other weights of the tasks would do to the share of left-out tasks inside."""
    count = len(tasks)
    even = np.full(count, 1.0 / count)
    found: list[Shift] = []

    def add(
        kind: Literal["difficulty", "domain"],
        towards: str,
        size: float,
        weights: NDArray[np.float64] | None,
    ) -> None:
        if weights is not None:
            least = max(0.0, expected - size)
            inside = np.round(weights @ within, _DIGITS)
            found.append(Shift(kind, towards, size, inside, least))

    alike = {(task.metric, task.direction) for task in tasks}
    scores = np.array([task.mean for task in tasks])
    shared = ~np.isnan(scores).any(axis=0)
    if len(alike) == 1 and shared.any() and all(task.kind != "votes" for task in tasks):
        ease = scores[:, shared].mean(axis=1) * (1 if tasks[0].direction == "higher" else -1)
        for towards, value in (("harder", -ease), ("easier", ease)):
            for size in _SIZES:
                add("difficulty", towards, size, tilted_weights(value, size))
    domains = [task.category for task in tasks]
    known = sorted({name for name in domains if name is not None})
    if None not in domains and 1 < len(known) <= _MOST_DOMAINS:
        for name in known:
            inside = np.array([domain == name for domain in domains])
            share = inside.mean()
            for size in _SIZES:
                if size <= 1.0 - share:
                    moved = size / (1.0 - share)
                    weights = (1.0 - moved) * even + moved * inside / inside.sum()
                    add("domain", name, size, weights)
    return tuple(found)


def _gains(
    tasks: Sequence[TaskResult],
    best: NDArray[np.int64],
    worst: NDArray[np.int64],
    merged: Callable[[NDArray[np.int64], NDArray[np.int64]], RankBounds],
) -> dict[str, float]:
    """By how much intervals narrow if the ranks on one task were as observed, without error."""
    before = merged(best, worst)
    width = float(np.mean(before.worst - before.best))
    found = {}
    for k, task in enumerate(tasks):
        sharp = best.copy(), worst.copy()
        sharp[0][k], sharp[1][k] = task.observed_best, task.observed_worst
        made = merged(*sharp)
        found[task.name] = width - float(np.mean(made.worst - made.best))
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def _merged_ends(
    tasks: Sequence[TaskResult],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ends of the intervals that the new-task interval is made of, shape (N, M)."""
    best = [task.best if task.merged_best is None else task.merged_best for task in tasks]
    worst = [task.worst if task.merged_worst is None else task.merged_worst for task in tasks]
    return np.array(best), np.array(worst)

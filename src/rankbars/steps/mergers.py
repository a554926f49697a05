"""The merges of task intervals into an interval for a new task: a table from name to function."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.intervals import Scope
from rankbars.errors import OptionError
from rankbars.stats.newtask.guarantees import Rate, miss_bound, smallest_number_of_tasks
from rankbars.stats.newtask.merges import (
    joint_merge,
    quantile_merge,
    split_score_merge,
    union_merge,
)
from rankbars.stats.newtask.weighted import (
    family_merge,
    family_miss_bound,
    weighted_merge,
    weighted_miss_bound,
)
from rankbars.stats.ranks import RankBounds

__all__ = ["MERGES", "Bag", "Merge", "Merged"]


class Bag(NamedTuple):
    """The intervals of the seen tasks, shape (N, M), and what is known about the tasks."""

    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    n_ranks: int
    families: tuple[str, ...] | None = None
    weights: tuple[float, ...] | None = None
    new_weight: float = 1.0


class Merged(NamedTuple):
    """Intervals for a new task, and what they promise."""

    bounds: RankBounds
    miss: Fraction  # bound on the probability that the new task's interval is not inside
    smallest: str  # what it takes to say more than "1 to M"
    assumption: str
    scope: Scope = "each"


Merge = Callable[[Bag, Rate], Merged]


def quantile(bag: Bag, alpha: Rate) -> Merged:
    """The k-th smallest best and the k-th largest worst (the published Algorithm 2)."""
    bounds = quantile_merge(bag.best, bag.worst, bag.n_ranks, alpha)
    return _plain("quantile", bag, alpha, bounds)


def union(bag: Bag, alpha: Rate) -> Merged:
    """The smallest best and the largest worst of all tasks."""
    return _plain("union", bag, alpha, union_merge(bag.best, bag.worst, bag.n_ranks))


def joint(bag: Bag, alpha: Rate) -> Merged:
    """The full-conformal interval, which treats both ends as one object."""
    bounds = joint_merge(bag.best, bag.worst, bag.n_ranks, alpha)
    return _plain("joint", bag, alpha, bounds)


def simultaneous(bag: Bag, alpha: Rate) -> Merged:
    """Intervals that hold for all models at once (split score, tasks in order of their names)."""
    bounds = split_score_merge(bag.best, bag.worst, bag.n_ranks, alpha)
    return _plain("simultaneous", bag, alpha, bounds)._replace(scope="all")


def family(bag: Bag, alpha: Rate) -> Merged:
    """Interval for a new task from a new family."""
    if bag.families is None:
        raise OptionError(
            "The family merge needs the family of each task. Give families= "
            "(--families FILE, or a column called family)."
        )
    count = len(set(bag.families))
    if count < 2:
        raise OptionError(
            f"All {bag.best.shape[0]} tasks are of one family ({bag.families[0]!r}); nothing can "
            "be said about a new family. Use merge='joint' for a new task of the same one."
        )
    codes = np.unique(np.array(bag.families), return_inverse=True)[1]
    return Merged(
        family_merge(bag.best, bag.worst, bag.n_ranks, alpha, codes),
        family_miss_bound(alpha, codes),
        f"{smallest_number_of_tasks('family', alpha)} families",
        f"The new task comes from a new family, drawn from the same source as these {count} "
        "families, independently of them.",
    )


def weighted(bag: Bag, alpha: Rate) -> Merged:
    """Interval for a new task from a source that differs by known weights."""
    if bag.weights is None:
        raise OptionError(
            "The weighted merge needs a weight for each task. Give weights= (--weights FILE)."
        )
    weights = list(bag.weights)
    return Merged(
        weighted_merge(bag.best, bag.worst, bag.n_ranks, alpha, weights, bag.new_weight),
        weighted_miss_bound(alpha, weights, bag.new_weight),
        f"{smallest_number_of_tasks('weighted', alpha)} tasks of equal weight",
        "The weight of a task is proportional to how much likelier such a task is in the new "
        "source than in the old one; the weights were fixed before results were seen.",
    )


MERGES: dict[str, Merge] = {
    "joint": joint,
    "quantile": quantile,
    "union": union,
    "family": family,
    "weighted": weighted,
    "simultaneous": simultaneous,
}
"""Merges of one bag of tasks; ``group`` and ``observed`` choose the bag and then use one."""


def _plain(name: str, bag: Bag, alpha: Rate, bounds: RankBounds) -> Merged:
    count = bag.best.shape[0]
    return Merged(
        bounds,
        miss_bound(name, count, alpha),
        f"{smallest_number_of_tasks(name, alpha)}",
        f"The new task is drawn from the same source as these {count} tasks, independently of "
        "them (the tasks are exchangeable).",
    )

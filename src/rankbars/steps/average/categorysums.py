"""Means of the categories of tasks, and how those go together whose tasks have rows in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.categorymeans import CategoryMeans, LinkedCategories
from rankbars.data.evidence import Evidence, Items
from rankbars.stats.averaging.taskcontrasts import (
    add_task,
    constant_errors,
    row_covariance,
    start_sums,
)
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.steps.average.joinedtasks import JoinedTasks, row_labels
from rankbars.steps.average.plan import AveragePlan, TaskPart

__all__ = ["CategorySums"]

_MOST_CELLS = 2**21  # more covariances than that are not kept


class _LinkedRows(NamedTuple):
    """Rows of the tasks of one category that stand in other categories, too."""

    items: Items
    pairs: PairStatistics
    weight: float  # within the category
    welch: bool


class CategorySums:
    """Sums of contrasts, one set per category: means over exactly these tasks.

    Parameters
    ----------
    plan : AveragePlan
        Whose tasks all have a category.
    tasks : mapping from str to Evidence
        Where the scores of rows are found.
    """

    def __init__(self, plan: AveragePlan, tasks: Mapping[str, Evidence]) -> None:
        self._models, self._category = plan.models, plan.categories
        self._joined = JoinedTasks(plan, tasks, apart=plan.categories)
        self._share = dict(sorted(plan.category_shares.items()))
        self._sums = {name: start_sums(len(plan.models)) for name in self._share}
        self._group = {task: names[0] for task, names in plan.across_categories.items()}
        self._rows: dict[str, dict[str, _LinkedRows]] = {}

    def add(self, part: TaskPart) -> None:
        """Take one task, with the weight it has within its category."""
        name = self._category[part.task]
        for one in self._joined.add(part):
            pairs = one.comparisons.pairs
            if pairs is None:
                continue
            weight = one.weight / self._share[name]
            add_task(self._sums[name], pairs, one.summary, weight)
            if one.task in self._group:
                items, welch = self._joined.rows_of(one), one.comparisons.test == "welch"
                known = self._rows.setdefault(self._group[one.task], {})
                known[name] = _LinkedRows(items, pairs, weight, welch)

    def finish(self, draws: Mapping[str, NDArray[np.float64]]) -> CategoryMeans:
        """The means of what was added, with joint draws of them where there are some."""
        sums = list(self._sums.values())
        names = list(self._category.values())
        return CategoryMeans(
            models=self._models,
            categories=tuple(self._sums),
            tasks=np.array([names.count(name) for name in self._sums]),
            weights=np.array(list(self._share.values())),
            score=np.array([one.score for one in sums]),
            se=np.sqrt(np.array([one.score_variance for one in sums])),
            difference_se=np.sqrt(np.array([one.variance for one in sums])),
            draws=np.stack([draws[name] for name in self._sums], axis=1) if draws else None,
            linked=tuple(self._links()),
        )

    def _links(self) -> Iterator[LinkedCategories]:
        """What each two categories have in common, over all groups of tasks that link them."""
        groups = self._rows.values()
        found = sorted({pair for group in groups for pair in combinations(sorted(group), 2)})
        kept = len(found) * len(self._models) ** 2 <= _MOST_CELLS
        for first, second in found:
            both = ((one[first], one[second]) for one in groups if {first, second} <= one.keys())
            total = np.sum([_covariance(*rows) for rows in both], axis=0) if kept else None
            yield LinkedCategories(first, second, total)


def _covariance(one: _LinkedRows, other: _LinkedRows) -> NDArray[np.float64]:
    """Covariance of each difference in one category with that in another, from common rows."""
    place = {label: at for at, label in enumerate(row_labels(other.items))}
    both = [(at, place[label]) for at, label in enumerate(row_labels(one.items)) if label in place]
    shared = np.array(both, dtype=np.intp).reshape(-1, 2).T
    welch = one.welch and other.welch
    found = row_covariance(one.items.values, other.items.values, shared, paired=not welch)
    # The same difference on every row of both is one on every row of their average, too.
    still = one.pairs.constant & other.pairs.constant
    errors = (np.sign(by.diff) * constant_errors(by) for by in (one.pairs, other.pairs))
    return one.weight * other.weight * np.where(still, np.prod(list(errors), axis=0), found)

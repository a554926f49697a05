"""Mean of each model in each category of tasks, collected task by task."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rankbars.data.categorymeans import CategoryMeans
from rankbars.stats.pairwise.contrasts import ContrastSums, add_task, start_sums
from rankbars.stats.pairwise.summaries import ModelSummary
from rankbars.steps.plans import AveragePlan, TaskPart

__all__ = ["CategoryCollector", "collect_categories"]


def collect_categories(models: tuple[str, ...], plan: AveragePlan) -> CategoryCollector | None:
    """Collector of category means; None where the plan has no categories to weigh.

    Categories are means over exactly these tasks, whatever the average is over.
    """
    if not plan.categories:
        return None
    return CategoryCollector(models, plan.weights, plan.categories)


class CategoryCollector:
    """Sums of contrasts, one set per category."""

    def __init__(
        self,
        models: tuple[str, ...],
        weights: Mapping[str, float],
        category: Mapping[str, str],
    ) -> None:
        self._models, self._category = models, category
        names = sorted(set(category.values()))
        self._share = {
            name: sum(weights[task] for task, one in category.items() if one == name)
            for name in names
        }
        self._sums: dict[str, ContrastSums] = {name: start_sums(len(models)) for name in names}

    def add(self, part: TaskPart) -> None:
        """Take one task, with the weight it has within its category."""
        name = self._category[part.task]
        compared = part.comparisons
        if compared.pairs is None:
            return
        summary = ModelSummary(compared.mean, compared.mean_se, compared.mean_df)
        add_task(self._sums[name], compared.pairs, summary, part.weight / self._share[name])

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
        )

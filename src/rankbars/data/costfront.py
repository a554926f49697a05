"""Score against cost: which models may be the best for the money."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Chosen, Rate, Reals, Relation, check_models, freeze
from rankbars.errors import DataError
from rankbars.stats.multiplicity.fronts import best_within

__all__ = ["CostFront"]


@dataclass(frozen=True, slots=True, eq=False)
class CostFront:
    """The front of score against cost: models of which none is better and no dearer.

    Made by `rankbars.add_costs`. A model k dominates j if it is no worse on score and on cost, and
    better on one. Nothing is made of the two but this: no ratio, no sum.

    Parameters
    ----------
    models : tuple of str
        The M models of the board.
    metric : str
        What the cost is called.
    known : bool
        Whether costs are known, as prices are; else they were measured, and differences tested.
    alpha : float
        Error rate.
    cost, low, high : array of float, shape (M,)
        Cost of each, and the ends of its own interval where it was measured; NaN where there is
        none: such a model has no place here.
    observed : array of bool, shape (M,)
        On the front as observed.
    dominates : array of bool, shape (M, M)
        ``[k, j]``: k is shown to dominate j; all of them hold at once with probability
        ``1 - alpha`` where costs are known, approximately where they were measured.
    each : array of bool, shape (M,)
        May be on the front, for one model named in advance.
    surely : array of bool, shape (M,)
        Shown to be on the front, all of them at once.
    assumptions : tuple of str
        What must hold, in plain sentences.
    """

    models: tuple[str, ...]
    metric: str
    known: bool
    alpha: Rate
    cost: Reals
    low: Reals
    high: Reals
    observed: Chosen
    dominates: Relation
    each: Chosen
    surely: Chosen
    assumptions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        freeze(self, M=len(self.models))
        priced = ~np.isnan(self.cost)
        if (self.dominates & ~(priced[:, None] & priced[None, :])).any():
            raise DataError("A model without a cost dominates nobody and is dominated by nobody.")

    def __repr__(self) -> str:
        return (
            f"CostFront({self.metric!r}, {int(self.observed.sum())} observed, "
            f"{int(self.possible.sum())} may be of {int((~np.isnan(self.cost)).sum())} models)"
        )

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Models that may be on the front: the true one is among them, as `dominates` holds."""
        return np.asarray(~np.isnan(self.cost) & ~self.dominates.any(axis=0))

    def within(self, shown_better: NDArray[np.bool_]) -> list[tuple[float, NDArray[np.intp]]]:
        """For each budget, who may have the best score of those it pays for.

        `shown_better` is that of the board. The sets of all budgets hold at once.
        """
        return best_within(shown_better, self.cost)

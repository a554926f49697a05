"""Which weights of the categories make which model win: the winner at many points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.tails import upper_tail

__all__ = ["WeightMap"]

DESCRIPTION = (
    "Winner and runner-up are chosen by the data at every point, and there are thousands of "
    "points: this describes, it does not test."
)


@dataclass(frozen=True, slots=True, eq=False)
class WeightMap:
    """The winner at many weight vectors; made by `CategoryMeans.weight_map`.

    Parameters
    ----------
    models, categories : tuple of str
        The M models and the C categories.
    z : float
        Standard errors of the difference that a clear winner is ahead by.
    points : array of float, shape (P, C)
        Weights.
    areas : array of float, shape (P,)
        Share of the simplex that each point stands for.
    winner, runner_up : array of int, shape (P,)
        Positions of the first and the second model.
    margin, error : array of float, shape (P,)
        By how much the first is ahead, and the standard error of that.
    description : str
        What must be printed beside a picture of it.
    ahead : array of float, shape (P,), optional
        Share of the draws in which the first model is ahead of the second (a tie counts one
        half); it then decides what is indeterminate.
    """

    models: tuple[str, ...]
    categories: tuple[str, ...]
    z: float
    points: NDArray[np.float64]
    areas: NDArray[np.float64]
    winner: NDArray[np.int64]
    runner_up: NDArray[np.int64]
    margin: NDArray[np.float64]
    error: NDArray[np.float64]
    description: str = DESCRIPTION
    ahead: NDArray[np.float64] | None = None

    def __repr__(self) -> str:
        return (
            f"WeightMap({len(self.models)} models, {len(self.categories)} categories, "
            f"{len(self.points)} points)"
        )

    @property
    def indeterminate(self) -> NDArray[np.bool_]:
        """Where the winner is hardly ahead, or nobody knows by how much, shape (P,)."""
        if self.ahead is not None:
            return np.asarray(~(self.ahead > 1.0 - upper_tail(self.z, np.inf)))
        return np.asarray(~(self.margin > self.z * self.error))

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of the simplex in which each model wins, shape (M,)."""
        return self._shares(np.ones(self.winner.shape, dtype=np.bool_))

    @property
    def clear_share(self) -> NDArray[np.float64]:
        """Share of the simplex in which each model wins and is clearly ahead, shape (M,)."""
        return self._shares(~self.indeterminate)

    def _shares(self, counted: NDArray[np.bool_]) -> NDArray[np.float64]:
        found = np.bincount(
            self.winner[counted], weights=self.areas[counted], minlength=len(self.models)
        )
        return np.minimum(found, 1.0)  # areas add up with rounding

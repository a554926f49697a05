"""Another order of the models of a board: by another metric of the same answers."""

from __future__ import annotations

from dataclasses import dataclass

from rankbars.data.fields import Ranks, Reals, check_models, freeze

__all__ = ["OtherOrder"]


@dataclass(frozen=True, slots=True, eq=False)
class OtherOrder:
    """Ranks of the models of a board by another metric, such as pass^4 beside pass@1.

    Each order holds at the level of the board by itself, not all of them at once.

    Parameters
    ----------
    models : tuple of str
        The M models of the board.
    metric : str
        The metric.
    score : array of float, shape (M,)
        Score of each in the units of the metric.
    best, worst : array of int, shape (M,)
        Rank interval of each.
    """

    models: tuple[str, ...]
    metric: str
    score: Reals
    best: Ranks
    worst: Ranks

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        freeze(self, M=len(self.models))

"""The score of the observed best, allowing for its having been picked by its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from rankbars.data.fields import Numbers, Rate
from rankbars.errors import DataError

__all__ = ["Winner"]


@dataclass(frozen=True, slots=True)
class Winner:
    """What is known of the score of the model that leads, given that it was picked for leading.

    Parameters
    ----------
    model : str
        The model with the best score on what the board shows first.
    score : float
        Estimate of its score, in the units of the board: median-unbiased with ``"hybrid"``, as
        observed with ``"simultaneous"``.
    low, high : float
        Interval at level ``1 - alpha`` that allows for the selection.
    method : {"hybrid", "simultaneous"}
        The hybrid interval of Andrews, Kitagawa and McCloskey, or the one that holds for every
        candidate at once.
    variants : int
        How many tries of this model were declared, of which it is the best; 1 = it stands for
        itself.
    alpha : float
        Error rate.

    Raises
    ------
    DataError
        If the ends are out of order.

    Examples
    --------
    >>> Winner("a", 0.613, 0.56, 0.66, "hybrid").model
    'a'
    """

    model: str
    score: float
    low: float
    high: float
    method: Literal["hybrid", "simultaneous"]
    variants: Annotated[int, Numbers(least=1)] = 1
    alpha: Rate = 0.05

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise DataError(f"The interval of the leader's score ends before it begins: {self}.")

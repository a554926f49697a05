"""A common scale: per task, the score that counts as 0 and the one that counts as 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Limits", "standard_limits"]


class Limits(NamedTuple):
    """Scores that count as 0 and as 1, higher is better.

    Attributes
    ----------
    low, high : float
        ``(score - low) / (high - low)`` is the score on the common scale.
    """

    low: float
    high: float

    @property
    def width(self) -> float:
        """``high - low``."""
        return self.high - self.low

    def apply(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores on the common scale.

        Examples
        --------
        >>> Limits(0.25, 1.0).apply(np.array([0.25, 0.625])).tolist()
        [0.0, 0.5]
        """
        return np.asarray((values - self.low) / self.width)


def standard_limits(mean: NDArray[np.float64]) -> Limits:
    """Limits that turn scores into z-scores: the mean of the models, and one SD above it.

    Parameters
    ----------
    mean : array of float, shape (M,)
        Score of each model on one task.

    Returns
    -------
    Limits
        With the standard deviation of these models (denominator M); its width is 0 where all
        scores are equal.

    Examples
    --------
    >>> limits = standard_limits(np.array([0.4, 0.6, 0.8]))
    >>> limits.apply(np.array([0.4, 0.6, 0.8])).round(3).tolist()
    [-1.225, 0.0, 1.225]
    """
    centre = float(mean.mean())
    return Limits(centre, centre + float(mean.std()))

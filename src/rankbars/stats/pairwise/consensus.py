"""One score per model that fits the differences of all pairs.

Where models miss different rows, the difference of two models on the rows they share is not the
difference of their means: one of them may have answered the easy rows only. The differences of the
pairs are what decides; draws of scores have to be centred where they put the models.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["consensus_scores"]

_AGREE = 1e-9  # differences that agree with the means up to this share of their size
_SMALLEST_ERROR = 1e-3  # of the median one: a pair without error is exact, but no division by 0


def consensus_scores(
    mean: NDArray[np.float64], diff: NDArray[np.float64], se: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Scores whose differences are closest to those of the pairs.

    Parameters
    ----------
    mean : array of float, shape (M,)
        Mean of each model on its own rows; finite.
    diff, se : array of float, shape (M, M)
        Difference of each pair on the rows they share, ``[i, j]`` = i minus j, and its standard
        error; finite.

    Returns
    -------
    array of float, shape (M,)
        `mean` itself where all differences agree with it, as they do on complete data. Otherwise
        the weighted least squares fit to the differences, weights ``1 / se**2``, shifted so that
        the scores have the average of `mean`.

    Examples
    --------
    >>> diff = np.array([[0.0, 0.2], [-0.2, 0.0]])
    >>> consensus_scores(np.array([0.5, 0.5]), diff, np.full((2, 2), 0.1)).round(3).tolist()
    [0.6, 0.4]
    """
    among = mean[:, None] - mean[None, :]
    if mean.size < 2 or np.abs(diff - among).max() <= _AGREE * np.abs(mean).max():
        return mean
    positive = se[se > 0]
    floor = _SMALLEST_ERROR * float(np.median(positive)) if positive.size else 1.0
    weight = np.maximum(se, floor) ** -2.0
    np.fill_diagonal(weight, 0.0)
    weight /= weight.max()
    normal = np.diag(weight.sum(axis=1)) - weight
    # The normal matrix has the constant vector in its kernel; adding it fixes the level.
    rest = weight * (diff - among)
    shift = np.linalg.solve(normal + weight.sum() / mean.size**2, rest.sum(axis=1))
    return np.asarray(mean + shift - shift.mean())

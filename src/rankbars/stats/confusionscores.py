"""Scores that are made of confusion counts: F1 and its kin, with their errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["METRICS", "ConfusionScores", "Metric", "confusion_scores"]

Metric: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From probabilities of the cells, shape (..., C, C), truth by answer, to a score, shape (...)."""


def _accuracy(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.trace(cells, axis1=-2, axis2=-1))


def _per_class(cells: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Found, true and answered share of each class, shape (..., C)."""
    return np.diagonal(cells, axis1=-2, axis2=-1), cells.sum(axis=-1), cells.sum(axis=-2)


def _f1s(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    found, true, answered = _per_class(cells)
    return np.asarray(2 * found / (true + answered))


def _recalls(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    found, true, _ = _per_class(cells)
    return np.asarray(found / true)


def _precision(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    found, _, answered = _per_class(cells)
    return np.asarray((found / answered)[..., -1])


def _correlation(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Matthews' correlation, of any number of classes (Gorodkin 2004)."""
    found, true, answered = _per_class(cells)
    above = found.sum(axis=-1) - (true * answered).sum(axis=-1)
    below = (1 - np.square(true).sum(axis=-1)) * (1 - np.square(answered).sum(axis=-1))
    return np.asarray(above / np.sqrt(below))


METRICS: dict[str, Metric] = {
    "accuracy": _accuracy,
    "balanced_accuracy": lambda cells: np.asarray(_recalls(cells).mean(axis=-1)),
    "f1": lambda cells: np.asarray(_f1s(cells)[..., -1]),
    "macro_f1": lambda cells: np.asarray(_f1s(cells).mean(axis=-1)),
    "precision": _precision,
    "recall": lambda cells: np.asarray(_recalls(cells)[..., -1]),
    "mcc": _correlation,
}
"""Scores of a table. ``f1``, ``precision`` and ``recall`` are those of the last class."""

_NO_ERROR = 1e-12
_STEP = 1e-20  # of a derivative along the imaginary axis, which has no difference to round


class ConfusionScores(NamedTuple):
    """Scores of tables.

    Attributes
    ----------
    score, se : array of float, shape (...)
        The score and its standard error; NaN where the score is not defined.
    """

    score: NDArray[np.float64]
    se: NDArray[np.float64]


def confusion_scores(counts: NDArray[np.float64], metric: str) -> ConfusionScores:
    """Scores of tables of counts, with errors as if items were drawn independently.

    Parameters
    ----------
    counts : array of float, shape (..., C, C)
        How often an item of a class (row) got an answer (column), 1 item or more.
    metric : str
        A key of `METRICS`.

    Notes
    -----
    Errors are those of the delta method for multinomial counts. Where that is 0, as for an F1 of 1,
    it is the error of the table with one more item in every cell; of the accuracy of two classes
    this is the error of Agresti and Coull (1998).

    Examples
    --------
    >>> found = confusion_scores(np.array([[90.0, 10.0], [20.0, 80.0]]), "f1")
    >>> found.score.round(4).item(), found.se.round(4).item()
    (0.8421, 0.0285)
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        score, se = _delta(counts, METRICS[metric])
        _, moved = _delta(counts + 1.0, METRICS[metric])
    return ConfusionScores(
        score, np.where(se > 1e-12, se, np.where(np.isnan(score), np.nan, moved))
    )


def _delta(
    counts: NDArray[np.float64], metric: Metric
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    total = counts.sum(axis=(-2, -1), keepdims=True)
    share = counts / total
    score = metric(share)
    mean, square = np.zeros((2, *score.shape))
    for i, k in np.ndindex(*counts.shape[-2:]):
        nudged = share.astype(np.complex128)
        nudged[..., i, k] += _STEP * 1j
        slope = metric(nudged).imag / _STEP
        mean += share[..., i, k] * slope
        square += share[..., i, k] * slope**2
    variance = np.maximum(square - mean**2, 0.0) / total[..., 0, 0]
    return score, np.sqrt(variance)

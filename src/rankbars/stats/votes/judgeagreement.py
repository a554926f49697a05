"""Agreement between judges, corrected for what chance alone would give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError

__all__ = [
    "Kappa",
    "cohen_kappa",
    "cross_tabulate",
    "krippendorff_alpha",
    "outcome_distance",
]

Array = NDArray[np.float64]


class Kappa(NamedTuple):
    """Agreement of two judges.

    Attributes
    ----------
    kappa : float
        0: as by chance, 1: always; NaN if both judges only ever give one and the same answer.
    se : float
        Standard error of `kappa`.
    observed, expected : float
        Share of equal answers, and the share that chance would give.
    n : float
        Units that both judged.
    """

    kappa: float
    se: float
    observed: float
    expected: float
    n: float


def cross_tabulate(first: ArrayLike, second: ArrayLike, n_answers: int) -> Array:
    """Table of the answers of two judges to the same units.

    Parameters
    ----------
    first, second : array_like of int, shape (n,)
        Answers, 0 to ``n_answers - 1``; negative where the judge gave none.
    n_answers : int
        Number of possible answers.

    Returns
    -------
    ndarray, shape (n_answers, n_answers)
        ``[a, b]``: units that got a from the first and b from the second judge.

    Raises
    ------
    DataError
        If the judges have different numbers of units, or an answer is out of range.

    Examples
    --------
    >>> cross_tabulate([0, 1, 1, -1], [0, 1, 0, 1], 2).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    a, b = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
    if a.shape != b.shape or a.max(initial=0) >= n_answers or b.max(initial=0) >= n_answers:
        raise DataError(
            f"Two judges need one answer below {n_answers} for each of the same units; got shapes "
            f"{a.shape} and {b.shape}, answers up to {max(a.max(initial=0), b.max(initial=0))}."
        )
    both = (a >= 0) & (b >= 0)
    table = np.bincount(a[both] * n_answers + b[both], minlength=n_answers**2)
    return table.reshape(n_answers, n_answers).astype(np.float64)


def cohen_kappa(table: ArrayLike) -> Kappa:
    """Cohen's kappa of two judges.

    Parameters
    ----------
    table : array_like, shape (C, C)
        Units by the answers of both judges, from `cross_tabulate`.

    Returns
    -------
    Kappa
        ``(observed - expected) / (1 - expected)`` with its large-sample standard error.

    Raises
    ------
    DataError
        If the table is not square, has negative counts or no units.

    Notes
    -----
    Cohen (1960); standard error of Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72.

    Examples
    --------
    >>> result = cohen_kappa([[20, 5], [10, 15]])
    >>> round(result.kappa, 6), round(result.expected, 6)
    (0.4, 0.5)
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not (counts >= 0).all():
        raise DataError(f"Two judges make a square table of counts; got shape {counts.shape}.")
    n = float(counts.sum())
    if n == 0:
        raise DataError("No unit was judged by both; agreement needs units in common.")
    share = counts / n
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    observed, expected = float(np.trace(share)), float(rows @ columns)
    if expected >= 1:
        return Kappa(float("nan"), float("nan"), observed, expected, n)
    kappa = (observed - expected) / (1 - expected)
    diagonal = share.diagonal()
    equal = float(diagonal @ np.square(1 - (rows + columns) * (1 - kappa)))
    unequal = np.square(columns[:, None] + rows) * share
    other = (1 - kappa) ** 2 * float(unequal.sum() - np.trace(unequal))
    chance = (kappa - expected * (1 - kappa)) ** 2
    variance = max(equal + other - chance, 0.0) / (n * (1 - expected) ** 2)
    return Kappa(kappa, variance**0.5, observed, expected, n)


def krippendorff_alpha(counts: ArrayLike, distance: ArrayLike) -> float:
    """Krippendorff's alpha of any number of judges, each of whom may have left units out.

    Parameters
    ----------
    counts : array_like, shape (U, C)
        For each unit, how many judges gave each answer.
    distance : array_like, shape (C, C)
        Squared distance of two answers, 0 on the diagonal: `outcome_distance` for votes,
        ``1 - np.eye(C)`` for names.

    Returns
    -------
    float
        1 less the observed over the expected disagreement. 0: as by chance; 1: always agreed;
        NaN if no unit has two answers or all answers are equal.

    Raises
    ------
    DataError
        If the shapes do not fit or a count is negative.

    Notes
    -----
    Units with a single answer say nothing about agreement and drop out.
    Source: Krippendorff (2011), *Computing Krippendorff's Alpha-Reliability*.

    Examples
    --------
    >>> counts = [[2, 0], [2, 0], [0, 2], [1, 1]]
    >>> round(krippendorff_alpha(counts, 1 - np.eye(2)), 6)
    0.533333
    """
    answers, apart = np.asarray(counts, dtype=np.float64), np.asarray(distance, dtype=np.float64)
    if (
        answers.ndim != 2
        or apart.shape != (answers.shape[1], answers.shape[1])
        or not (answers >= 0).all()
    ):
        raise DataError(
            "Agreement needs counts of shape (units, answers) and distances of shape (answers, "
            f"answers); got {answers.shape} and {apart.shape}."
        )
    per_unit = answers.sum(axis=1)
    answers, per_unit = answers[per_unit >= 2], per_unit[per_unit >= 2]
    n = float(per_unit.sum())
    if n == 0:
        return float("nan")
    # Equal answers have distance zero, so that pairs of an answer with itself need no care.
    within = np.einsum("uc,cd,ud->u", answers, apart, answers) / (per_unit - 1)
    totals = answers.sum(axis=0)
    expected = float(totals @ apart @ totals) / (n - 1)
    return 1 - float(within.sum()) / expected if expected > 0 else float("nan")


def outcome_distance() -> Array:
    """Squared distance of win, tie and loss as the scores 1, 1/2, 0.

    Examples
    --------
    >>> outcome_distance()[0].tolist()
    [0.0, 0.25, 1.0]
    """
    score = np.array([1.0, 0.5, 0.0])
    distance: Array = np.square(score[:, None] - score)
    return distance

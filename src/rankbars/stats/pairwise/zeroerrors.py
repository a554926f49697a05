"""Published standard errors of 0: what a number of 0/1 items says in their place.

A 0 says that no spread was seen, as with an accuracy of 0 or 1 or with repeats that were all the
same. It does not say that the score is known exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

__all__ = [
    "ZeroErrors", "caffo_variance", "exact_ends", "fill_zero_errors", "item_scale", "wilson_ends",
]  # fmt: skip

_SCALES = (1.0, 100.0)
# Errors of means of 0/1 items are sqrt(p(1-p)/n), up to how they were rounded or divided.
_FIT = (0.5, 2.0)


class ZeroErrors(NamedTuple):
    """Standard errors with what stands in the place of zeros.

    Attributes
    ----------
    se : ndarray, shape (M,)
        The errors to use; NaN where none is known.
    by_items, largest, left : ndarray of bool, shape (M,)
        The zeros that got the error of their 0/1 items, those that got the largest error of
        another model, and those that stay.
    scale : float, optional
        What a share of 1 is written as, where the numbers behind the scores count 0/1 items.
    """

    se: NDArray[np.float64]
    by_items: NDArray[np.bool_]
    largest: NDArray[np.bool_]
    left: NDArray[np.bool_]
    scale: float | None


def fill_zero_errors(
    score: NDArray[np.float64],
    se: NDArray[np.float64],
    n: NDArray[np.int64] | None,
    *,
    largest: bool = False,
) -> ZeroErrors:
    """What stands in the place of standard errors of 0 on one task.

    Parameters
    ----------
    score, se : ndarray, shape (M,)
        Scores, higher is better, and their errors; NaN where not known.
    n : ndarray of int, shape (M,), optional
        Numbers behind the scores; 0 where not known. Used where they count 0/1 items, which
        the other cells of the task must bear out (`item_scale`).
    largest : bool
        Whether a zero without a number of items gets the largest error of another model.

    Examples
    --------
    >>> score, n = np.array([1.0, 0.9, 0.8]), np.array([100, 100, 100])
    >>> found = fill_zero_errors(score, np.array([0.0, 0.03, 0.04]), n)
    >>> found.se.round(4).tolist(), found.scale
    ([0.0098, 0.03, 0.04], 1.0)
    >>> fill_zero_errors(score, np.array([0.0, 0.03, 0.04]), None, largest=True).se.tolist()
    [0.04, 0.03, 0.04]
    """
    zero = (se == 0.0) & ~np.isnan(score)
    none = np.zeros_like(zero)
    if not zero.any():
        return ZeroErrors(se, none, none, none, None)
    filled, by_items = se.copy(), none
    scale = None if n is None else item_scale(score, se, n)
    if n is not None and scale is not None:
        by_items = zero & (n > 0)
        share = np.abs(score[by_items]) / scale
        filled[by_items] = scale * np.sqrt(caffo_variance(share, n[by_items]))
    left, raised = zero & ~by_items, none
    greatest = np.fmax.reduce(se, initial=0.0)
    if largest and greatest > 0.0:
        filled[left] = greatest
        left, raised = none, left
    return ZeroErrors(filled, by_items, raised, left, scale)


def item_scale(
    score: NDArray[np.float64], se: NDArray[np.float64], n: NDArray[np.int64]
) -> float | None:
    """What a share of 1 is written as, 1 or 100, if `n` counts the 0/1 items behind the scores.

    A number may also count repeats of a whole evaluation. Scores within 0 and 1 (or 100) whose
    errors are those of a share of n items tell: the median of ``se^2 n / (p (1 - p))`` over the
    cells with 0 < p < 1 lies between 0.5 and 2. None where it does not, or no cell tells.

    Examples
    --------
    >>> item_scale(np.array([90.0, 80.0]), np.array([3.0, 4.0]), np.array([100, 100]))
    100.0
    >>> item_scale(np.array([90.0, 80.0]), np.array([0.7, 0.4]), np.array([10, 10])) is None
    True
    """
    known = ~np.isnan(score)
    # Where lower is better, shares are stored with a minus sign.
    size = -score if (score[known] <= 0.0).all() else score
    for scale in _SCALES:
        share = size / scale
        if (share[known] < 0.0).any() or (share[known] > 1.0).any():
            continue
        use = known & (share > 0.0) & (share < 1.0) & (n > 0) & (se > 0.0)
        if not use.any():
            continue
        spread = share[use] * (1.0 - share[use])
        fit = float(np.median(np.square(se[use] / scale) * n[use] / spread))
        if _FIT[0] <= fit <= _FIT[1]:
            return scale
    return None


def caffo_variance(share: NDArray[np.float64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Variance of a share of `n` items in a difference of two, after Agresti and Caffo.

    One item is added on either side: ``p~ (1 - p~) / (n + 2)`` with ``p~ = (n p + 1) / (n + 2)``.

    References
    ----------
    Agresti & Caffo 2000, The American Statistician 54.

    Examples
    --------
    >>> caffo_variance(np.array([1.0, 0.0]), np.array([100, 50])).round(9).tolist()
    [9.5175e-05, 0.000362711]
    """
    middle = (share * n + 1.0) / (n + 2.0)
    return np.asarray(middle * (1.0 - middle) / (n + 2.0))


def wilson_ends(
    share: NDArray[np.float64], n: NDArray[np.int64], z: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of Wilson's interval of a share of `n` items; `z` is the normal quantile.

    References
    ----------
    Wilson 1927, Journal of the American Statistical Association 22.

    Examples
    --------
    >>> low, high = wilson_ends(np.array([1.0]), np.array([100]), 1.959964)
    >>> low.round(4).item(), high.item()
    (0.963, 1.0)
    """
    square = z * z / n
    centre = (share + square / 2.0) / (1.0 + square)
    half = z * np.sqrt(share * (1.0 - share) / n + square / (4.0 * n)) / (1.0 + square)
    # At a share of 0 and 1 one end is exactly that, which rounding could miss.
    low = np.where(share == 0.0, 0.0, centre - half)
    high = np.where(share == 1.0, 1.0, centre + half)
    return low, high


def exact_ends(
    right: NDArray[np.float64], n: NDArray[np.int64], alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends of the interval of a share, `right` of `n` items, that never covers less than stated.

    References
    ----------
    Clopper & Pearson 1934, Biometrika 26.

    Examples
    --------
    >>> low, high = exact_ends(np.array([7.0, 10.0]), np.array([10, 10]), 0.05)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.3475, 0.6915], [0.9333, 1.0])
    """
    wrong = n - right
    # Where one kind is lacking its end is that of the scale.
    low = betaincinv(np.maximum(right, 1.0), wrong + 1.0, alpha / 2)
    high = betaincinv(right + 1.0, np.maximum(wrong, 1.0), 1.0 - alpha / 2)
    return np.where(right > 0, low, 0.0), np.where(wrong > 0, high, 1.0)

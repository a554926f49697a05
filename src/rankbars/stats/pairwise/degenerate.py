"""Pairs of nearly or exactly equal models: explicit differences and the one degenerate policy.

A difference that does not vary cannot be studentised.
If it is zero there is no evidence either way; if not, the evidence is bounded by what an exact
sign test can give, ``2**-n``.
What counts as constant is decided relative to the size of the scores, never absolutely.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.clusters import Grouping, stretch_sums
from rankbars.stats.tails import critical_value

__all__ = ["DegeneratePairs", "Differences", "no_pairs", "recompute_pairs", "sign_test_statistic"]

_EPS = float(np.finfo(np.float64).eps)
# Differences that stay within so many rounding errors of their mean are constant.
_ROUNDING = 8.0 * _EPS
_PAIR_CELLS = 2**16
# Squares of numbers within these bounds neither underflow nor overflow when summed.
_SAFE_LOW, _SAFE_HIGH = 1e-140, 1e140


class DegeneratePairs(NamedTuple):
    """Pairs whose differences do not vary; each unordered pair once.

    Attributes
    ----------
    first, second : ndarray of intp, shape (P,)
        The two models.
    sign : ndarray of float64, shape (P,)
        1 where the first is better, -1 where the second is, 0 without a difference.
    identical : ndarray of bool, shape (P,)
        Whether the difference is zero on every row.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    sign: NDArray[np.float64]
    identical: NDArray[np.bool_]


def no_pairs() -> DegeneratePairs:
    """No pair at all.

    Examples
    --------
    >>> no_pairs().first.size
    0
    """
    index = np.zeros(0, dtype=np.intp)
    return DegeneratePairs(index, index, np.zeros(0), np.zeros(0, dtype=np.bool_))


class Differences(NamedTuple):
    """What the explicit differences of some pairs say.

    Attributes
    ----------
    diff : ndarray, shape (P,)
        Mean difference; exactly zero where it is zero up to rounding and constant.
    norm : ndarray, shape (P,)
        Root of the sum of squared deviations from the mean (of their stretched sums over groups);
        exactly zero for pairs that do not vary.
    degenerate : DegeneratePairs
        Those of the pairs that do not vary.
    """

    diff: NDArray[np.float64]
    norm: NDArray[np.float64]
    degenerate: DegeneratePairs


def sign_test_statistic(n: ArrayLike, df: ArrayLike) -> NDArray[np.float64]:
    """Statistic whose upper tail is ``2**-n``, the floor of an exact sign test with n rows.

    Parameters
    ----------
    n : array_like of int
        Independent rows.
    df : array_like
        Degrees of freedom of the null distribution of the statistic.

    Returns
    -------
    ndarray of float64
        Positive statistics. Above 1022 rows ``2**-n`` is no normal double; ``2**-1022`` is used.

    Examples
    --------
    >>> print(f"{sign_test_statistic(10, 9):.6f}")
    4.312987
    """
    floor = np.exp2(-np.minimum(np.asarray(n, dtype=np.float64), 1022.0))
    return critical_value(floor, df)


def recompute_pairs(
    values: NDArray[np.float64],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    grouping: Grouping | None = None,
) -> Differences:
    """Mean and spread of the explicit differences of some pairs, in two passes.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Raw scores, not centred; NaN where not observed.
    first, second : ndarray of intp, shape (P,)
        The pairs; each needs at least one common row.
    grouping : Grouping, optional
        Groups of rows; the spread is then that of the sums over groups, stretched as
        `rankbars.stats.pairwise.clusters.stretch_sums` says.

    Returns
    -------
    Differences
        Mean, spread and, for pairs that do not vary, what remains of the evidence.

    Notes
    -----
    With `d` the differences on the common rows, `scale` the largest score of the two models there
    and `eps` the machine epsilon, a pair is constant if ``max |d - mean(d)| <= 8 eps scale``, and
    zero if moreover ``|mean(d)| <= 8 eps scale``.
    With groups the deviations are averaged within groups first.

    Examples
    --------
    The differences are 0.1 up to rounding, which subtraction alone does not show:

    >>> import numpy as np
    >>> scores = np.array([[0.3, 0.2], [0.4, 0.3], [0.5, 0.4]])
    >>> found = recompute_pairs(scores, np.array([0]), np.array([1]))
    >>> found.norm, found.degenerate.sign
    (array([0.]), array([1.]))
    """
    columns, left, right = _gather_columns(values, first, second, grouping)
    parts = [
        _measure_pairs(columns[left[pairs]], columns[right[pairs]], grouping)
        for pairs in row_blocks(first.size, len(values), _PAIR_CELLS)
    ]
    diff, norm, sign, flat, identical = map(np.concatenate, zip(*parts, strict=True))
    degenerate = DegeneratePairs(first[flat], second[flat], sign[flat], identical[flat])
    return Differences(diff, norm, degenerate)


def _gather_columns(
    values: NDArray[np.float64],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    grouping: Grouping | None,
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """Scores of the models concerned, one model per row, and where the pairs stand there."""
    used, position = np.unique(np.concatenate([first, second]), return_inverse=True)
    columns = values[:, used] if grouping is None else values[np.ix_(grouping.order, used)]
    left, right = np.split(position, 2)
    return np.ascontiguousarray(columns.T), left, right


def _measure_pairs(
    one: NDArray[np.float64], two: NDArray[np.float64], grouping: Grouping | None
) -> tuple[NDArray[np.generic], ...]:
    """Mean, spread, sign, constancy and identity of pairs; `one` and `two` are (pairs, n)."""
    deviations = one - two
    present: NDArray[np.bool_] | None = None
    scale = np.maximum(_largest(one), _largest(two))
    missing = np.isnan(scale)
    if missing.any():
        present = ~np.isnan(deviations)
        # The larger one of two scores is missing where one of them is.
        common = np.maximum(np.abs(one[missing]), np.abs(two[missing]))
        scale[missing] = np.fmax.reduce(common, axis=1)
    mean = _centre(deviations, present)
    tolerance = _ROUNDING * scale
    level = np.abs(mean) <= tolerance
    peak = _largest(deviations)
    identical = level & (peak <= tolerance)
    if grouping is not None:
        deviations, peak = _group_deviations(deviations, present, grouping)
    flat = peak <= tolerance
    return (
        np.where(flat & level, 0.0, mean),
        np.where(flat, 0.0, _root_sum_squares(deviations)),
        np.where(level, 0.0, np.sign(mean)),
        flat,
        identical,
    )


def _largest(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest absolute number of each row; NaN if one is missing."""
    return np.asarray(np.maximum(rows.max(axis=1), -rows.min(axis=1)))


def _centre(d: NDArray[np.float64], present: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    """Mean of each row, which is taken off in place; absent entries become 0."""
    count: float | NDArray[np.float64] = float(d.shape[1])
    if present is not None:
        count = present.sum(axis=1, dtype=np.float64)
        d[~present] = 0.0
    mean = np.zeros(len(d))
    for _ in range(2):  # the second time removes the rounding error of the first mean
        part = d.sum(axis=1) / count
        mean += part
        d -= part[:, None]
        if present is not None:
            d[~present] = 0.0
    return mean


def _group_deviations(
    deviations: NDArray[np.float64], present: NDArray[np.bool_] | None, grouping: Grouping
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Stretched sums of the deviations over groups, and the largest mean deviation of a group."""
    sums = np.add.reduceat(deviations, grouping.starts, axis=1)
    sizes: NDArray[np.float64] = grouping.sizes.astype(np.float64)
    shares = grouping.shares
    if present is not None:
        sizes = np.add.reduceat(present, grouping.starts, axis=1, dtype=np.float64)
        shares = sizes / sizes.sum(axis=1, keepdims=True)
    peak = np.max(np.abs(sums) / np.maximum(sizes, 1.0), axis=1)
    return sums * stretch_sums(shares), peak


def _root_sum_squares(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Euclidean norm of each row, without underflow or overflow of the squares."""
    peak = _largest(u)
    safe = (peak == 0) | ((peak >= _SAFE_LOW) & (peak <= _SAFE_HIGH))
    if safe.all():
        return np.asarray(np.sqrt(np.square(u).sum(axis=1)))
    exponent = np.frexp(peak)[1]
    scaled = np.ldexp(u, -exponent[:, None])
    return np.asarray(np.ldexp(np.sqrt(np.square(scaled).sum(axis=1)), exponent))

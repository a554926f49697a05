"""Tests of all pairs that few extreme rows do not rule: Wilcoxon's signed ranks, Yuen's t."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankbars.errors import OptionError
from rankbars.stats.pairwise.differences import (
    apply_policy,
    build_statistics,
    count_units,
    difference_blocks,
    find_degenerate,
)
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.pairwise.scorerows import rescale

__all__ = [
    "EXACT_ROWS",
    "trimmed_t",
    "wilcoxon",
]

_FEWEST_ROWS = 2

EXACT_ROWS = 50
"""Up to so many rows the null distribution is exact, if no difference is zero or tied."""

# Sums of whole numbers below this are exact in float32.
_EXACT_FLOAT32 = 2**24
_ONE = np.uint64(1)
_SIGN_BIT = np.uint64(63)


class _RankSums(NamedTuple):
    """Signed-rank sums of P pairs.

    Attributes
    ----------
    against : ndarray, shape (P,)
        Sum of the ranks of negative differences.
    zeros : ndarray, shape (P,)
        Zero differences.
    ties : ndarray, shape (P,)
        Sum of ``t**3 - t`` over groups of t equal sizes, zeros left out.
    """

    against: NDArray[np.float64]
    zeros: NDArray[np.int64]
    ties: NDArray[np.float64]


def wilcoxon(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """One-sided p-values of the signed-rank test, for every ordered pair of models.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Finite scores of M models on n independent rows, higher is better; NaN where not observed.
        Each pair is compared on the rows that both models have.

    Returns
    -------
    ndarray of float64, shape (M, M)
        ``P(W >= observed)`` with W the sum of the ranks of ``|d|`` over positive differences d;
        ``[i, j]`` small means that i is better than j. Both directions are computed explicitly.

    Notes
    -----
    Zero differences take part in the ranking and are then left out (Pratt).
    Equal sizes share the mean of their ranks.
    The null distribution, independent random signs, is exact up to 50 rows without zeros and
    ties; otherwise normal, with the variance corrected for ties and zeros, and a continuity
    correction of one half.
    Sizes within ``8 eps`` of the largest score are equal, so that 0.3 - 0.2 ties with 0.1.

    The test is about the centre of symmetry of the differences, not about their mean.
    It need not be transitive: A shown better than B and B than C does not imply A than C.

    References
    ----------
    Wilcoxon 1945, Biometrics Bulletin 1; Pratt 1959, JASA 54.

    Examples
    --------
    >>> d = np.array([1.1, -0.4, 2.3, 0.7, -1.9, 3.1, 0.2, 1.6])
    >>> wilcoxon(np.stack([d, np.zeros(8)], axis=1))[0, 1]
    np.float64(0.09765625)
    """
    values = np.asarray(values, dtype=np.float64)
    n, n_models = values.shape
    p = np.ones((n_models, n_models))
    if n < _FEWEST_ROWS:
        return p
    values = rescale(values)[0]
    units = count_units(values)
    exact: dict[int, NDArray[np.float64]] = {}
    for i, others, d, tolerance in difference_blocks(values):
        rows = np.broadcast_to(units if units.ndim == 0 else units[i, others], len(d))
        sums = _rank_sums(d, tolerance, rows, complete=units.ndim == 0)
        p[i, others], p[others, i] = _tails(sums, rows, exact)
    apply_policy(p, find_degenerate(values), units)
    return p


def _rank_sums(
    d: NDArray[np.float64],
    tolerance: NDArray[np.float64],
    rows: NDArray[np.int64],
    *,
    complete: bool,
) -> _RankSums:
    """Rank sums of the differences `d`, which are overwritten."""
    size, negative = _sort_by_size(d)
    if not complete:
        negative[np.isnan(size)] = 0
    zeros = np.count_nonzero(size <= tolerance[:, None], axis=1)
    tied = np.diff(size, axis=1) <= tolerance[:, None]
    rank = np.arange(1, size.shape[1] + 1, dtype=_exact_type(size.shape[1]))
    against = (negative.astype(rank.dtype) @ rank).astype(np.float64)
    ties = np.zeros(len(size))
    sharing = np.flatnonzero(tied.any(axis=1) | (zeros > 0))
    if sharing.size:
        against[sharing], ties[sharing] = _share_ranks(
            tied[sharing], negative[sharing], zeros[sharing], rows[sharing]
        )
    return _RankSums(against, zeros, ties)


def _sort_by_size(d: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint64]]:
    """Sizes of differences in ascending order, NaN last, and which were negative.

    The bits of a double, without its sign, sort like its size. With the sign moved from the
    first bit to the last they carry it along, so that sorting keys does the work of sorting
    positions, in a third of the time.
    """
    keys = d.view(np.uint64)
    sign = keys >> _SIGN_BIT
    keys <<= _ONE
    keys |= sign
    keys.sort(axis=1)
    negative = keys & _ONE
    keys >>= _ONE
    return keys.view(np.float64), negative


def _exact_type(n: int) -> type[np.float32 | np.float64]:
    """Type in which the sum of the ranks 1 to n is exact."""
    return np.float32 if n * (n + 1) // 2 < _EXACT_FLOAT32 else np.float64


def _share_ranks(
    tied: NDArray[np.bool_],
    negative: NDArray[np.uint64],
    zeros: NDArray[np.int64],
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Rank sum against, and tie term, of pairs with zeros or equal sizes."""
    n_pairs, n = negative.shape
    starts = np.ones((n_pairs, n), dtype=np.bool_)
    np.logical_not(tied, out=starts[:, 1:])
    inside = np.flatnonzero(zeros < n)
    starts[inside, zeros[inside]] = True
    begin = np.flatnonzero(starts)  # a group never reaches into the next pair
    length = np.diff(begin, append=n_pairs * n)
    pair, place = np.divmod(begin, n)
    ranked = (place >= zeros[pair]) & (place < rows[pair])
    losses = np.add.reduceat(negative.reshape(-1), begin).astype(np.float64)
    shared = np.where(ranked, losses * (place + (length + 1) / 2.0), 0.0)
    excess = np.where(ranked, length.astype(np.float64) ** 3 - length, 0.0)
    against = np.bincount(pair, weights=shared, minlength=n_pairs).astype(np.float64)
    ties = np.bincount(pair, weights=excess, minlength=n_pairs).astype(np.float64)
    return against, ties


def _tails(
    sums: _RankSums, rows: NDArray[np.int64], exact: dict[int, NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """p-values in favour of the first model and of the second; `exact` keeps tables by rows."""
    n = rows.astype(np.float64)
    zeros = sums.zeros.astype(np.float64)
    total = (n * (n + 1) - zeros * (zeros + 1)) / 2
    favour = total - sums.against
    variance = n * (n + 1) * (2 * n + 1) - zeros * (zeros + 1) * (2 * zeros + 1) - sums.ties / 2
    # No variance is no difference, or no row: the degenerate policy settles those pairs.
    spread = np.sqrt(np.where(variance > 0, variance, np.inf) / 24)
    better = np.asarray(special.ndtr((total / 2 + 0.5 - favour) / spread))
    worse = np.asarray(special.ndtr((total / 2 + 0.5 - sums.against) / spread))
    plain = (zeros == 0) & (sums.ties == 0) & (rows <= EXACT_ROWS)
    for count in np.unique(rows[plain]).tolist():
        if count not in exact:
            exact[count] = _exact_tail(count)
        chosen = plain & (rows == count)
        better[chosen] = exact[count][favour[chosen].astype(np.int64)]
        worse[chosen] = exact[count][sums.against[chosen].astype(np.int64)]
    return better, worse


def _exact_tail(n: int) -> NDArray[np.float64]:
    """``P(W >= w)`` for w = 0, 1, ..., n(n + 1)/2 with the ranks 1 to n and random signs."""
    counts = np.zeros(n * (n + 1) // 2 + 1, dtype=np.int64)
    counts[0] = 1
    for rank in range(1, n + 1):
        counts[rank:] += counts[:-rank].copy()
    at_least = np.cumsum(counts[::-1])[::-1]
    return np.asarray(at_least / 2.0**n)


class _Trimmed(NamedTuple):
    """Trimmed mean and winsorised standard deviation of P pairs."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]


def trimmed_t(values: NDArray[np.float64], trim: float = 0.2) -> PairStatistics:
    """Trimmed t statistics of the paired differences of all pairs of models.

    Parameters
    ----------
    values : ndarray, shape (n, M)
        Finite scores of M models on n independent rows, higher is better; NaN where not observed.
        Each pair is compared on the rows that both models have.
    trim : float
        Share of the differences to leave out at either end, at least 0 and below 0.5;
        read as the decimal that was written.

    Returns
    -------
    PairStatistics
        `diff` is the trimmed mean of the differences,
        ``se = s_w / ((1 - 2 trim) sqrt(n))`` with their winsorised standard deviation `s_w`,
        and ``df = n - 2 g - 1`` with ``g = floor(trim n)``.
        A pair whose winsorised differences do not vary although the differences do has `se` 0
        and statistic 0: no evidence in either direction.

    Raises
    ------
    OptionError
        If `trim` is not at least 0 and below 0.5.

    Notes
    -----
    Assumes independent rows; valid for the centre of symmetric differences, heavy tails included.
    The trimmed mean of differences is not the difference of trimmed means, so that the test need
    not be transitive.

    References
    ----------
    Yuen 1974, Biometrika 61; Wilcox 2011, Introduction to Robust Estimation.

    Examples
    --------
    >>> d = np.array([0.4, -1.2, 0.9, 1.5, 0.3, 0.8, -0.2, 5.0, 1.1, 0.6])
    >>> found = trimmed_t(np.stack([d, np.zeros(10)], axis=1))
    >>> found.diff[0, 1].round(4), found.se[0, 1].round(4), found.df
    (np.float64(0.6833), np.float64(0.185), 5.0)
    """
    share = _check_trim(trim)
    values = np.asarray(values, dtype=np.float64)
    n, n_models = values.shape
    diff, se = (np.full((n_models, n_models), np.nan) for _ in range(2))
    exponent = 0
    if n:
        values, _, exponent = rescale(values)
    units = count_units(values)
    cut = _rows_to_cut(units, share)
    for i, others, d, tolerance in difference_blocks(values) if n >= _FEWEST_ROWS else ():
        rows, ends = (m.reshape(1) if m.ndim == 0 else m[i, others] for m in (units, cut))
        trimmed = _trim(d, rows, ends)
        diff[i, others] = trimmed.mean
        scale = (1.0 - 2.0 * float(share)) * np.sqrt(np.maximum(rows, 1))
        se[i, others] = np.where(trimmed.deviation > tolerance, trimmed.deviation / scale, 0.0)
    df = units - 2 * cut - 1
    se[np.broadcast_to(df < 1, se.shape)] = np.nan  # the median alone has no spread
    np.ldexp(diff, exponent, out=diff)
    np.ldexp(se, exponent, out=se)
    freedom = np.maximum(df, 1).astype(np.float64)
    return build_statistics(diff, se, freedom, units, find_degenerate(values))


def _check_trim(trim: float) -> Fraction:
    """The trimming share as an exact fraction."""
    try:
        share = Fraction(str(trim))
    except ValueError as error:
        raise OptionError.out_of_range("trim", trim, "a number") from error
    if not 0 <= share < Fraction(1, 2):
        raise OptionError.out_of_range("trim", trim, "at least 0 and below 0.5")
    return share


def _rows_to_cut(units: NDArray[np.int64], share: Fraction) -> NDArray[np.int64]:
    """Differences to leave out at either end, ``floor(share * n)`` without rounding error."""
    counts, position = np.unique(units, return_inverse=True)
    cut = np.array([math.floor(share * count) for count in counts.tolist()], dtype=np.int64)
    return np.asarray(cut[position].reshape(units.shape))


def _trim(d: NDArray[np.float64], rows: NDArray[np.int64], cut: NDArray[np.int64]) -> _Trimmed:
    """Trimmed mean and winsorised deviation of each row of differences; `d` is overwritten.

    `rows` and `cut` are of shape (P,), or (1,) where nothing is missing.
    The sums run over (smallest, largest), (second smallest, second largest) and so on, so that
    the differences of the opposite direction give the same numbers to the last bit.
    """
    d.sort(axis=1)  # NaN last
    half = (d.shape[1] + 1) // 2
    place = np.arange(half)
    low = d[:, :half]
    if (rows == d.shape[1]).all():
        high = d[:, ::-1][:, :half]
    else:
        mirrored = np.maximum(rows[:, None] - 1 - place, 0)
        high = np.take_along_axis(d, mirrored, axis=1)
    last = rows[:, None] - 1 - place
    kept = np.where(place < last, 1.0, np.where(place == last, 0.5, 0.0))
    kept[place < cut[:, None]] = 0.0
    low, high = (np.where(kept > 0, side, 0.0) for side in (low, high))
    weight = kept + np.where(place == cut[:, None], cut[:, None], 0)
    total = low + high
    with np.errstate(invalid="ignore"):
        mean = (kept * total).sum(axis=1) / (rows - 2 * cut)  # NaN without rows
    centre = (weight * total).sum(axis=1) / np.maximum(rows, 1)
    square = np.square(low - centre[:, None]) + np.square(high - centre[:, None])
    square *= weight
    return _Trimmed(mean, np.sqrt(square.sum(axis=1) / np.maximum(rows - 1, 1)))

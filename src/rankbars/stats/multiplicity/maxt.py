"""Step-down max-T: resampled critical values that know how the pairs depend on each other.

Every engine draws null statistics of all pairs at once. `max_t_each` and `max_t_all` turn draws
into decisions and do not know where they came from.

Source: Romano & Wolf 2005 for the step-down; sign flips, the bootstrap and Gaussian draws are
the usual engines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.multiplicity.stepdown import Decisions
from rankbars.stats.multiplicity.thresholds import check_alpha

__all__ = [
    "CHUNK",
    "NullDraws",
    "bootstrap_draws",
    "flip_draws",
    "gaussian_draws",
    "max_t_all",
    "max_t_each",
]

CHUNK = 64
"""Draws made at once; part of the method, because streams are keyed by chunk."""


class NullDraws(NamedTuple):
    """Null statistics of all pairs, drawn in chunks, and the statistics they belong to.

    Attributes
    ----------
    statistic : array of float, shape (M, M)
        ``[i, j]``: evidence that i is better than j; antisymmetric; 0 = no evidence.
    start : callable
        Starts the draws anew, with the same numbers each time: chunks of shape (C, M, M),
        antisymmetric.
    complete : bool
        Whether they are the whole null distribution (which then contains the observed value)
        and not a random sample of it.
    """

    statistic: NDArray[np.float64]
    start: Callable[[], Iterator[NDArray[np.float64]]]
    complete: bool = False


_EXACT_ROWS = 20  # all 2^n sign patterns are visited up to this many rows, if they are few enough


def max_t_each(draws: NullDraws, alpha: float, *, one_family: bool = False) -> Decisions:
    """Step-down max-T for each model by itself.

    Parameters
    ----------
    draws : NullDraws
        Statistics and their null draws.
    alpha : float
        Error rate of one model's two sides together, in (0, 1).
    one_family : bool
        False: two families of M - 1 pairs, each at ``alpha / 2``, as in Algorithm 1 of the
        rank-interval paper. True: one family of the 2(M - 1) ordered pairs of a model at
        `alpha`, as R csranks does.

    Returns
    -------
    Decisions
        Counts of each model; ``shown_better`` is None.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    """
    rate = check_alpha(alpha)
    size = draws.statistic.shape[0]
    # Side 0, row j: "j better than k". Side 1, row j: "k better than j".
    sides = np.stack([draws.statistic, -draws.statistic])
    alive = np.broadcast_to(~np.eye(size, dtype=np.bool_), sides.shape).copy()
    rejected = np.zeros_like(alive)
    while alive.any():
        maxima = np.concatenate([_row_maxima(chunk, alive) for chunk in draws.start()])
        if one_family:
            critical = _upper_quantile(maxima.max(axis=1), rate, draws.complete)[None, :]
        else:
            critical = _upper_quantile(maxima, rate / 2, draws.complete)
        new = alive & _exceeds(sides, critical[..., None])
        if not new.any():
            break
        rejected |= new
        alive &= ~new
    return Decisions(rejected[1].sum(axis=1), rejected[0].sum(axis=1), None)


def max_t_all(draws: NullDraws, alpha: float) -> Decisions:
    """Step-down max-T over all ordered pairs at once.

    Parameters
    ----------
    draws : NullDraws
        Statistics and their null draws.
    alpha : float
        Error rate of all statements together, in (0, 1).

    Returns
    -------
    Decisions
        With ``shown_better``.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    """
    rate = check_alpha(alpha)
    alive = ~np.eye(draws.statistic.shape[0], dtype=np.bool_)
    shown = np.zeros_like(alive)
    while alive.any():
        maxima = np.concatenate([(chunk * alive).max(axis=(1, 2)) for chunk in draws.start()])
        critical = _upper_quantile(maxima, rate, draws.complete)
        new = alive & _exceeds(draws.statistic, critical)
        if not new.any():
            break
        shown |= new
        alive &= ~new
    return Decisions(shown.sum(axis=0), shown.sum(axis=1), shown)


def flip_draws(
    values: NDArray[np.float64],
    make_stream: Callable[[int], np.random.Generator],
    n_draws: int,
    clusters: NDArray[np.int64] | None = None,
) -> NullDraws:
    """Draws by flipping the signs of whole rows (or clusters of rows) of all differences.

    Exact when differences are symmetric about zero under the null, for any number of rows. All
    sign patterns are visited when there are at most `n_draws` of them.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Complete scores.
    make_stream : callable
        Random generator of a chunk of draws, by its number.
    n_draws : int
        Number of random patterns.
    clusters : array of int, shape (n,), optional
        Cluster of each row; whole clusters are flipped.

    Returns
    -------
    NullDraws

    Notes
    -----
    The statistic is the sum of differences over the root of their sum of squares, which no flip
    changes. The paired t is an increasing function of it, so both order patterns alike.
    """
    units = _flipped_units(values, clusters)
    squares = _pair_squares(units)
    # No spread, no evidence: identical models keep a statistic of zero in every draw.
    scale = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)

    def compare(signs: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = signs @ units
        return (sums[:, :, None] - sums[:, None, :]) * scale

    def start() -> Iterator[NDArray[np.float64]]:
        for signs in sign_patterns(units.shape[0], make_stream, n_draws):
            yield compare(signs)

    observed = compare(np.ones((1, units.shape[0])))[0]
    return NullDraws(observed, start, complete=_is_complete(units.shape[0], n_draws))


def sign_patterns(
    units: int, make_stream: Callable[[int], np.random.Generator], n_draws: int
) -> Iterator[NDArray[np.float64]]:
    """Chunks of sign patterns, shape (C, units): all of them if they are few, else random ones."""
    if _is_complete(units, n_draws):
        codes = np.arange(2**units)
        for start in range(0, codes.size, CHUNK):
            bits = (codes[start : start + CHUNK, None] >> np.arange(units)) & 1
            yield np.asarray(1.0 - 2.0 * bits, dtype=np.float64)
        return
    for number, first in enumerate(range(0, n_draws, CHUNK)):
        count = min(CHUNK, n_draws - first)
        coins = make_stream(number).integers(0, 2, (count, units))
        yield np.asarray(2.0 * coins - 1.0, dtype=np.float64)


def bootstrap_draws(
    values: NDArray[np.float64],
    statistic: NDArray[np.float64],
    make_stream: Callable[[int], np.random.Generator],
    n_draws: int,
) -> NullDraws:
    """Draws by resampling rows jointly, with each model's mean taken out, studentised anew.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Complete scores.
    statistic : array of float, shape (M, M)
        Paired t statistics of the scores.
    make_stream, n_draws
        As in `flip_draws`.

    Returns
    -------
    NullDraws
        Valid for many rows.
    """
    centred = values - values.mean(axis=1, keepdims=True)
    centred = centred - centred.mean(axis=0)
    rows = centred.shape[0]
    still = _pair_squares(centred) <= 1e-24 * (values**2).sum(axis=0).max(initial=0.0)

    def start() -> Iterator[NDArray[np.float64]]:
        for number, first in enumerate(range(0, n_draws, CHUNK)):
            count = min(CHUNK, n_draws - first)
            index = make_stream(number).integers(0, rows, (count, rows))
            yield np.array([_resampled_t(centred, picked, still) for picked in index])

    return NullDraws(statistic, start)


def gaussian_draws(
    statistic: NDArray[np.float64],
    spread: NDArray[np.float64],
    se: NDArray[np.float64],
    make_stream: Callable[[int], np.random.Generator],
    n_draws: int,
    df: float = np.inf,
) -> NullDraws:
    """Draws of normal (or multivariate t) statistics with the covariance of the scores.

    Parameters
    ----------
    statistic : array of float, shape (M, M)
        Differences over their standard errors.
    spread : array of float, shape (R, M)
        Any matrix whose product with its transpose, ``spread.T @ spread``, is the covariance of
        the scores: centred rows over ``sqrt(n (n - 1))``, or a root of a given covariance.
    se : array of float, shape (M, M)
        Standard errors of the differences; 0 or NaN takes a pair out.
    make_stream, n_draws
        As in `flip_draws`.
    df : float
        Degrees of freedom shared by all pairs of a draw; infinity for the normal.

    Returns
    -------
    NullDraws
        R csranks uses the normal ones.
    """
    usable = np.isfinite(se) & (se > 0)
    scale = np.where(usable, se, 1.0)

    def start() -> Iterator[NDArray[np.float64]]:
        for number, first in enumerate(range(0, n_draws, CHUNK)):
            count = min(CHUNK, n_draws - first)
            generator = make_stream(number)
            score = generator.standard_normal((count, spread.shape[0])) @ spread
            if np.isfinite(df):
                score /= np.sqrt(generator.chisquare(df, (count, 1)) / df)
            yield np.where(usable, (score[:, :, None] - score[:, None, :]) / scale, 0.0)

    return NullDraws(statistic, start)


def _row_maxima(chunk: NDArray[np.float64], alive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Largest null statistic, at least 0, of each draw, side and model: shape (C, 2, M)."""
    if alive.sum() == alive.size - 2 * alive.shape[-1]:  # all but the diagonals, which are zero
        return np.stack([chunk.max(axis=2), -chunk.min(axis=2)], axis=1)
    upper = (chunk * alive[0]).max(axis=2)
    lower = -(chunk * alive[1]).min(axis=2)
    return np.stack([upper, lower], axis=1)


def _exceeds(statistic: NDArray[np.float64], critical: NDArray[np.float64]) -> NDArray[np.bool_]:
    # Sign patterns give equal statistics in different orders of summation.
    return np.asarray(statistic > critical * (1.0 + 1e-12))


def _upper_quantile(
    maxima: NDArray[np.float64], level: float, complete: bool
) -> NDArray[np.float64]:
    """Value that at most a share `level` of the null distribution exceeds, along the first axis.

    A random sample of B draws counts the observed value as one more: order statistic
    ``ceil((1 - level)(B + 1))``, infinity beyond B.
    """
    count = maxima.shape[0]
    position = math.ceil((1.0 - level) * (count if complete else count + 1) - 1e-9)
    if position > count:
        return np.full(maxima.shape[1:], np.inf)
    return np.asarray(np.partition(maxima, position - 1, axis=0)[position - 1])


def _pair_squares(centred: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of squared differences of every pair of columns, exactly zero for equal columns."""
    gram = centred.T @ centred
    own = np.diag(gram)
    squares = np.maximum(own[:, None] + own[None, :] - 2.0 * gram, 0.0)
    close = squares <= 1e-6 * (own[:, None] + own[None, :])
    for i, j in np.argwhere(np.triu(close, 1)):
        squares[i, j] = squares[j, i] = ((centred[:, i] - centred[:, j]) ** 2).sum()
    np.fill_diagonal(squares, 0.0)
    return np.asarray(squares)


def _is_complete(units: int, n_draws: int) -> bool:
    return units <= _EXACT_ROWS and 2**units <= n_draws


def _flipped_units(
    values: NDArray[np.float64], clusters: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    # A shift of a row cancels in every difference; taking it out keeps the products accurate.
    centred = values - values.mean(axis=1, keepdims=True)
    return centred if clusters is None else _cluster_sums(centred, clusters)


def _cluster_sums(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> NDArray[np.float64]:
    _, code = np.unique(clusters, return_inverse=True)
    sums = np.zeros((int(code.max()) + 1, values.shape[1]))
    np.add.at(sums, code, values)
    return sums


def _resampled_t(
    centred: NDArray[np.float64], picked: NDArray[np.intp], still: NDArray[np.bool_]
) -> NDArray[np.float64]:
    rows = centred.shape[0]
    weight = np.bincount(picked, minlength=rows).astype(np.float64)
    mean = weight @ centred / rows
    moved = (centred - mean) * np.sqrt(weight)[:, None]
    gram = moved.T @ moved
    own = np.diag(gram)
    squares = own[:, None] + own[None, :] - 2.0 * gram
    total = mean[:, None] - mean[None, :]
    # A resample in which a pair does not vary has no statistic; it says nothing about the pair.
    usable = (squares > 1e-12 * (own[:, None] + own[None, :])) & ~still
    safe = np.where(usable, squares, 1.0)
    return np.where(usable, total * math.sqrt(rows * (rows - 1)) / np.sqrt(safe), 0.0)

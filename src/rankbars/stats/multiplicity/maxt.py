"""Step-down max-T: resampled critical values that know how the pairs depend on each other.

Every engine draws null statistics of all pairs at once. `max_t_each` and `max_t_all` turn draws
into decisions and do not know where they came from. They look at all pairs of all draws once, in
blocks that stay in the cache; from one step to the next a largest statistic is found anew only
where the pair that had it was decided.

Source: Romano & Wolf 2005 for the step-down; sign flips, the bootstrap and Gaussian draws are
the usual engines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.tails import Decisions, check_alpha, critical_of_draws

__all__ = [
    "CHUNK",
    "NullDraws",
    "flip_draws",
    "gaussian_draws",
    "is_complete",
    "max_t_all",
    "max_t_best",
    "max_t_critical",
    "max_t_each",
    "pair_squares",
    "sign_patterns",
]

CHUNK = 64
"""Draws made at once; part of the method, because streams are keyed by chunk."""


Measure: TypeAlias = Callable[
    [NDArray[np.float64], NDArray[np.float64], slice | NDArray[np.intp]], NDArray[np.float64]
]


class NullDraws(NamedTuple):
    """Null statistics of all pairs, drawn in chunks, and the statistics they belong to.

    Attributes
    ----------
    statistic : array of float, shape (M, M)
        ``[i, j]``: evidence that i is better than j; antisymmetric; 0 = no evidence.
    start : callable
        Starts the draws anew, with the same numbers each time: chunks of null scores, shape
        (C, M); with `measure` of two numbers of each model, shape (C, 2, M); without either it and
        `scale` of null statistics, shape (C, M, M), antisymmetric.
    complete : bool
        Whether they are the whole null distribution (which then contains the observed value)
        and not a random sample of it.
    scale : array of float, shape (M, M), or None
        What differences of null scores are multiplied by; symmetric, 0 takes a pair out.
    measure : callable, optional
        Statistics from the differences of both numbers and the first models of the pairs, for
        errors that differ from draw to draw.
    """

    statistic: NDArray[np.float64]
    start: Callable[[], Iterator[NDArray[np.float64]]]
    complete: bool = False
    scale: NDArray[np.float64] | None = None
    measure: Measure | None = None


_TIE = 1e-9  # relative: sign patterns give equal statistics in different orders of summation
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
    largest = _Largest(draws, sides=2)
    while alive.any():
        maxima = largest.among(alive)
        if one_family:
            critical = critical_of_draws(maxima.max(axis=0), rate, complete=draws.complete)[None, :]
        else:
            critical = critical_of_draws(maxima.swapaxes(0, 1), rate / 2, complete=draws.complete)
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
    largest = _Largest(draws, sides=1)
    while alive.any():
        maxima = largest.among(alive[None])[0].max(axis=1)
        critical = critical_of_draws(maxima, rate, complete=draws.complete)
        new = alive & _exceeds(draws.statistic, critical)
        if not new.any():
            break
        shown |= new
        alive &= ~new
    return Decisions(shown.sum(axis=0), shown.sum(axis=1), shown)


def max_t_critical(draws: NullDraws, alpha: float) -> float:
    """What a statistic must exceed at the first step of `max_t_all`, before anything is shown.

    Parameters
    ----------
    draws : NullDraws
        Null draws of the statistics of all pairs.
    alpha : float
        Error rate of all statements together, in (0, 1).
    """
    alive = ~np.eye(draws.statistic.shape[0], dtype=np.bool_)
    maxima = _Largest(draws, sides=1).among(alive[None])[0].max(axis=1)
    return float(critical_of_draws(maxima, check_alpha(alpha), complete=draws.complete))


def max_t_best(draws: NullDraws, alpha: float) -> NDArray[np.bool_]:
    """Models that may be the best, by the largest null statistic of each candidate's family.

    Parameters
    ----------
    draws : NullDraws
        Statistics and their null draws, whose law does not change when all signs are turned:
        sign flips, or draws from a covariance with at least five rows per model.
    alpha : float
        Error rate of the family of one candidate, in (0, 1).

    Returns
    -------
    ndarray of bool, shape (M,)
        A model that is the best is among them with probability ``1 - alpha``; see
        `rankbars.stats.multiplicity.closedtesting`.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).

    Examples
    --------
    >>> rows = np.arange(8.0)[:, None] % 2 + np.array([3.0, 3.0, 0.0])
    >>> rows[::2, 0] += 1; rows[1::4, 1] += 1; rows[0, 2] += 1
    >>> max_t_best(flip_draws(rows, np.random.default_rng, 1000), 0.05).tolist()
    [True, True, False]
    """
    rate = check_alpha(alpha)
    alive = ~np.eye(draws.statistic.shape[0], dtype=np.bool_)
    # With all signs turned, "j ahead of k" is "k ahead of j": either side gives the law.
    maxima = _Largest(draws, sides=1).among(alive[None])[0]
    critical = critical_of_draws(maxima, rate, complete=draws.complete)
    return np.asarray(~_exceeds(draws.statistic, critical[None, :]).any(axis=0))


def flip_draws(
    values: NDArray[np.float64],
    make_stream: Callable[[int], np.random.Generator],
    n_draws: int,
) -> NullDraws:
    """Draws by flipping the signs of whole rows of all differences.

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

    Returns
    -------
    NullDraws

    Notes
    -----
    The statistic is the sum of differences over the root of their sum of squares, which no flip
    changes. The paired t is an increasing function of it, so both order patterns alike.
    """
    # A shift of a row cancels in every difference; taking it out keeps the products accurate.
    units = values - values.mean(axis=1, keepdims=True)
    squares = pair_squares(units)
    # No spread, no evidence: identical models keep a statistic of zero in every draw.
    scale = np.divide(1.0, np.sqrt(squares), out=np.zeros_like(squares), where=squares > 0)

    def start() -> Iterator[NDArray[np.float64]]:
        for signs in sign_patterns(units.shape[0], make_stream, n_draws):
            yield signs @ units

    (total,) = np.ones((1, units.shape[0])) @ units
    observed = (total[:, None] - total) * scale
    return NullDraws(observed, start, is_complete(units.shape[0], n_draws), scale)


def sign_patterns(
    units: int, make_stream: Callable[[int], np.random.Generator], n_draws: int
) -> Iterator[NDArray[np.float64]]:
    """Chunks of sign patterns, shape (C, units): all of them if they are few, else random ones."""
    if is_complete(units, n_draws):
        codes = np.arange(2**units)
        for start in range(0, codes.size, CHUNK):
            bits = (codes[start : start + CHUNK, None] >> np.arange(units)) & 1
            yield np.asarray(1.0 - 2.0 * bits, dtype=np.float64)
        return
    for number, first in enumerate(range(0, n_draws, CHUNK)):
        count = min(CHUNK, n_draws - first)
        coins = make_stream(number).integers(0, 2, (count, units))
        yield np.asarray(2.0 * coins - 1.0, dtype=np.float64)


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
    scale = np.divide(1.0, se, out=np.zeros_like(se), where=usable)

    def start() -> Iterator[NDArray[np.float64]]:
        for number, first in enumerate(range(0, n_draws, CHUNK)):
            count = min(CHUNK, n_draws - first)
            generator = make_stream(number)
            score = generator.standard_normal((count, spread.shape[0])) @ spread
            if np.isfinite(df):
                score /= np.sqrt(generator.chisquare(df, (count, 1)) / df)
            yield score

    return NullDraws(statistic, start, scale=scale)


class _Largest:
    """Largest null statistic of each draw and model, kept from one step to the next.

    Side 0 of row j is "j better than k", side 1 "k better than j". A largest statistic stands for
    as long as its pair is alive, so that a step costs only what the decisions before it changed.
    """

    def __init__(self, draws: NullDraws, sides: int) -> None:
        self._draws = draws
        self._sides = sides
        # Scores are small and kept; statistics of all pairs are not, and are drawn again.
        kept = draws.scale is not None or draws.measure is not None
        self._scores = list(draws.start()) if kept else None
        self._value: list[NDArray[np.float64]] = []
        self._where: list[NDArray[np.int32]] = []

    def among(self, alive: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Largest statistics, at least 0, among the pairs alive: shape (sides, draws, M).

        `alive` has shape (sides, M, M): all but the diagonal at first, and fewer at every step.
        """
        chunks = self._draws.start() if self._scores is None else iter(self._scores)
        if not self._value:
            for chunk in chunks:
                self._find(chunk)
            return np.concatenate(self._value, axis=1)
        # The zero of the diagonal is always there, so that no largest statistic is below it.
        standing = alive | np.eye(alive.shape[-1], dtype=np.bool_)
        scale = 1.0 if self._draws.scale is None else self._draws.scale
        weights = np.array([1.0, -1.0])[: self._sides, None, None] * standing * scale
        for number, chunk in enumerate(chunks):
            for side in range(self._sides):
                self._find_again(number, side, chunk, standing[side], weights[side])
        return np.concatenate(self._value, axis=1)

    def _find(self, chunk: NDArray[np.float64]) -> None:
        """Look at all pairs of a chunk of draws."""
        count, size = len(chunk), chunk.shape[-1]
        value = np.empty((self._sides, count, size))
        where = np.empty((self._sides, count, size), dtype=np.int32)
        scratch = np.empty(0)
        for rows in row_blocks(size, count * size):
            height = rows.stop - rows.start
            if self._draws.measure is not None:
                gaps = chunk[:, :, rows, None] - chunk[:, :, None, :]
                block = self._draws.measure(gaps[:, 0], gaps[:, 1], rows)
            elif self._draws.scale is None:
                block = chunk[:, rows]
            else:
                scratch = scratch if scratch.size else np.empty(count * height * size)
                block = scratch[: count * height * size].reshape(count, height, size)
                np.subtract(chunk[:, rows, None], chunk[:, None, :], out=block)
                np.multiply(block, self._draws.scale[rows], out=block)
            flat = block.reshape(-1, size)
            for side, place in enumerate((np.argmax, np.argmin)[: self._sides]):
                found = place(flat, axis=1)
                where[side, :, rows] = found.reshape(count, height)
                value[side, :, rows] = flat[np.arange(found.size), found].reshape(count, height)
        np.negative(value[1:], out=value[1:])
        self._value.append(value)
        self._where.append(where)

    def _find_again(
        self,
        number: int,
        side: int,
        chunk: NDArray[np.float64],
        standing: NDArray[np.bool_],
        weight: NDArray[np.float64],
    ) -> None:
        """Look again at the rows of a chunk whose largest statistic is no longer alive."""
        size = chunk.shape[-1]
        value, where = self._value[number][side], self._where[number][side]
        draws, rows = np.nonzero(~standing[np.arange(size), where])
        for some in row_blocks(draws.size, size):
            draw, row = draws[some], rows[some]
            if self._draws.measure is not None:
                gaps = chunk[draw, :, row, None] - chunk[draw]
                block = self._draws.measure(gaps[:, 0], gaps[:, 1], row)
            elif self._draws.scale is None:
                block = chunk[draw, row]
            else:
                block = chunk[draw]
                np.subtract(chunk[draw, row, None], block, out=block)
            np.multiply(block, weight[row], out=block)
            found = block.argmax(axis=1)
            where[draw, row] = found
            value[draw, row] = block[np.arange(found.size), found]


def _exceeds(statistic: NDArray[np.float64], critical: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(statistic > critical * (1.0 + _TIE))


def pair_squares(centred: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of squared differences of every pair of columns, exactly zero for equal columns."""
    gram = centred.T @ centred
    own = np.diag(gram)
    squares = np.maximum(own[:, None] + own[None, :] - 2.0 * gram, 0.0)
    close = squares <= 1e-6 * (own[:, None] + own[None, :])
    for i, j in np.argwhere(np.triu(close, 1)):
        squares[i, j] = squares[j, i] = ((centred[:, i] - centred[:, j]) ** 2).sum()
    np.fill_diagonal(squares, 0.0)
    return np.asarray(squares)


def is_complete(units: int, n_draws: int) -> bool:
    """Whether `sign_patterns` gives all patterns of so many units, where `n_draws` are wanted."""
    return units <= _EXACT_ROWS and 2**units <= n_draws

"""What is drawn: units of a bootstrap as counts, and scores from a joint distribution.

The distributions are normal, Student's t and binomial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.drawncounts import draw_binomials
from rankbars.stats.pairwise.scorerows import find_copies

__all__ = [
    "CHUNK",
    "Streams",
    "SymmetricRoot",
    "binomial_draws",
    "chunk_sizes",
    "contrast_covariance",
    "count_blocks",
    "draw_counts",
    "noise_chunks",
    "normal_draws",
    "row_draws",
    "symmetric_root",
]

CHUNK = 256
"""Draws per stream of random numbers; part of the method, never tuned to the machine."""

Streams: TypeAlias = Callable[[int], np.random.Generator]
"""Random generator of each chunk of draws, by its number."""

_BLOCK_CELLS = 2**20


_ROUNDING = 1e-9


class SymmetricRoot(NamedTuple):
    """Root of a covariance matrix.

    Attributes
    ----------
    root : array of float, shape (M, M)
        Symmetric, positive semi-definite; its square is the covariance.
    deficit : float
        Size of the most negative eigenvalue beside the largest, which was set to 0; 0 for a
        covariance matrix.
    """

    root: NDArray[np.float64]
    deficit: float


def contrast_covariance(
    variance: NDArray[np.float64], among: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Covariance of scores, from their variances and those of their differences.

    Parameters
    ----------
    variance : array of float, shape (M,)
        Variance of each score.
    among : array of float, shape (M, M)
        Variance of each difference.

    Examples
    --------
    >>> contrast_covariance(np.array([1.0, 1.0]), np.array([[0.0, 1.0], [1.0, 0.0]])).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    cov = (variance[:, None] + variance[None, :] - among) / 2
    np.fill_diagonal(cov, variance)
    return np.asarray(cov)


def symmetric_root(cov: NDArray[np.float64]) -> SymmetricRoot:
    """The symmetric root of a covariance matrix; negative eigenvalues count as 0.

    Notes
    -----
    Unlike a triangular root it is a continuous function of the matrix even where the matrix is
    singular, so that rounding in the covariance stays rounding in the draws. So do eigenvalues
    that are rounding themselves: their roots, of 1e-8, would differ from processor to processor,
    and count as 0.

    Examples
    --------
    >>> symmetric_root(np.array([[4.0, 0.0], [0.0, 1.0]])).root.tolist()
    [[2.0, 0.0], [0.0, 1.0]]
    """
    values, vectors = np.linalg.eigh(cov)
    largest = float(values[-1])
    lowest = float(values[0])
    deficit = -lowest / largest if largest > 0 and lowest < -_ROUNDING * largest else 0.0
    kept = np.where(values > len(values) * np.finfo(float).eps * largest, values, 0.0)
    root = (vectors * np.sqrt(kept)) @ vectors.T
    return SymmetricRoot((root + root.T) / 2, deficit)


def noise_chunks(
    root: NDArray[np.float64], streams: Streams, draws: int, df: float = np.inf
) -> Iterator[NDArray[np.float64]]:
    """Normal numbers with the covariance ``root.T @ root``, chunk by chunk; see `normal_draws`."""
    for number, used in enumerate(chunk_sizes(draws)):
        rng = streams(number)
        noise = rng.standard_normal((CHUNK, root.shape[0])) @ root
        if np.isfinite(df):
            noise /= np.sqrt(rng.chisquare(df, size=CHUNK) / df)[:, None]
        yield noise[:used]


def normal_draws(
    mean: NDArray[np.float64],
    root: NDArray[np.float64],
    streams: Streams,
    draws: int,
    *,
    df: float = np.inf,
    identical: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Joint draws of scores around their estimates.

    Parameters
    ----------
    mean : array of float, shape (M,)
        Estimates.
    root : array of float, shape (R, M)
        Matrix whose product ``root.T @ root`` is their covariance.
    streams : callable
        Random generator of each chunk of 256 draws.
    draws : int
        Number of draws S.
    df : float
        Degrees of freedom of a multivariate t distribution, with one common factor per draw;
        infinity for the normal distribution.
    identical : array of bool, shape (M, M), optional
        Pairs of models with the same evidence, which get the same draws to the last bit.

    Returns
    -------
    array of float, shape (S, M)

    Examples
    --------
    >>> made = normal_draws(np.zeros(2), np.eye(2), lambda i: np.random.default_rng(i), 1000)
    >>> made.shape, made.std(axis=0).round(1).tolist()
    ((1000, 2), [1.0, 1.0])
    """
    made = np.empty((draws, mean.size))
    for number, noise in enumerate(noise_chunks(root, streams, draws, df)):
        made[number * CHUNK : number * CHUNK + len(noise)] = noise
    made += mean
    if identical is not None and identical.any():
        leader = (identical | np.eye(mean.size, dtype=np.bool_)).argmax(axis=1)
        made = made[:, leader]
    return made


def row_draws(rows: NDArray[np.float64], streams: Streams, draws: int) -> NDArray[np.float64]:
    """Draws of the mean of independent rows, from its multivariate t distribution.

    Parameters
    ----------
    rows : array of float, shape (N, M)
        Complete scores, at least two rows.
    streams : callable
        Random generator of each chunk of 256 draws.
    draws : int
        Number of draws S.

    Returns
    -------
    array of float, shape (S, M)
        Centred at the mean, with its sampling covariance and N - 1 degrees of freedom.

    Notes
    -----
    Independent normal multipliers of the centred rows have the sampling covariance of the rows,
    so that no covariance matrix has to be formed.

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 4.0], [3.0, 6.0]])
    >>> row_draws(rows, lambda chunk: np.random.default_rng(chunk), 4000).mean(axis=0).round(1)
    array([1.5, 3. ])
    """
    count, mean = len(rows), rows.mean(axis=0)
    root = (rows - mean) / np.sqrt(count * (count - 1))
    made = normal_draws(mean, root, streams, draws, df=count - 1)
    for group in find_copies(rows, mean):
        made[:, group] = made[:, group[:1]]
    return made


def binomial_draws(
    share: NDArray[np.float64], items: NDArray[np.int64], streams: Streams, draws: int
) -> NDArray[np.float64]:
    """Shares of right answers on as many fresh items, each model by itself.

    Parameters
    ----------
    share : array of float, shape (M,)
        Share of right answers of each model, 0 to 1.
    items : array of int, shape (M,)
        Number of items behind it, at least 1.
    streams : callable
        Random generator of each chunk of 256 draws.
    draws : int
        Number of draws S.

    Returns
    -------
    array of float, shape (S, M)
        ``Binomial(items, share) / items``, independent between models: without the answers
        nobody knows on which items two models agree.

    Examples
    --------
    >>> made = binomial_draws(
    ...     np.array([0.5, 1.0]), np.array([100, 10]), lambda i: np.random.default_rng(i), 1000)
    >>> made.std(axis=0).round(2).tolist()
    [0.05, 0.0]
    """
    made = np.empty((draws, share.size))
    for number, used in enumerate(chunk_sizes(draws)):
        right = draw_binomials(streams(number), np.broadcast_to(items, (CHUNK, share.size)), share)
        made[number * CHUNK : number * CHUNK + used] = right[:used] / items
    return made


def chunk_sizes(draws: int) -> list[int]:
    """How many draws of each chunk are used; all but the last are full.

    Examples
    --------
    >>> chunk_sizes(600)
    [256, 256, 88]
    """
    full, rest = divmod(draws, CHUNK)
    return [CHUNK] * full + ([rest] if rest else [])


def draw_counts(rng: np.random.Generator, units: int, draws: int) -> NDArray[np.int64]:
    """How often each of `units` units is drawn when as many are drawn with replacement.

    Parameters
    ----------
    rng : Generator
        Source of random numbers.
    units, draws : int
        Number of units, and of resamples.

    Returns
    -------
    array of int, shape (draws, units)
        Every row adds up to `units`.

    Examples
    --------
    >>> draw_counts(np.random.default_rng(0), 5, 2).sum(axis=1)
    array([5, 5])
    """
    picks = rng.integers(0, units, size=(draws, units))
    picks += units * np.arange(draws)[:, None]
    counts = np.bincount(picks.reshape(-1), minlength=draws * units)
    return np.asarray(counts.reshape(draws, units))


def count_blocks(
    streams: Streams, units: int, draws: int
) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Counts of all resamples in blocks of bounded size, with the draws that each block holds.

    Parameters
    ----------
    streams : callable
        Random generator of each chunk of `CHUNK` draws.
    units, draws : int
        Number of units, and of resamples.

    Yields
    ------
    rows : slice
        Positions of the draws.
    counts : array of int, shape (rows, units)
        How often each unit is drawn.

    Notes
    -----
    The first draws do not depend on how many are asked for.
    """
    rows = max(1, min(CHUNK, _BLOCK_CELLS // max(units, 1)))
    for number, used in enumerate(chunk_sizes(draws)):
        rng, first = streams(number), number * CHUNK
        for start in range(0, used, rows):
            stop = min(start + rows, used)
            yield slice(first + start, first + stop), draw_counts(rng, units, stop - start)

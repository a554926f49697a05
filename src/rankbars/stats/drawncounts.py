"""Binomial and multinomial counts drawn from uniform numbers alone.

NumPy may change how it draws counts, and has done so; results of a seed shall not change with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

__all__ = ["draw_binomials", "draw_multinomials"]

Array = NDArray[np.float64]

_SEARCHED = 10.0  # up to this mean counts are searched from 0; the hat below needs a greater one


def draw_binomials(
    rng: np.random.Generator, number: ArrayLike, chance: ArrayLike
) -> NDArray[np.int64]:
    """Successes among `number` independent trials.

    Parameters
    ----------
    rng : Generator
        Source of uniform numbers; nothing else is taken from it.
    number : array_like of int, shape (...)
        Trials.
    chance : array_like of float, shape (...)
        Chance of a success, 0 to 1.

    Returns
    -------
    array of int64, shape (...)
        One count for each element of `number` and `chance`, broadcast against each other.

    Notes
    -----
    Exact: by search through the distribution function for small means, otherwise by transformed
    rejection (Hörmann 1993).

    Examples
    --------
    >>> made = draw_binomials(np.random.default_rng(0), np.full(10_000, 50), 0.3)
    >>> round(made.mean()), round(made.var())
    (15, 11)
    """
    shape = np.broadcast_shapes(np.shape(number), np.shape(chance))
    n = np.broadcast_to(np.asarray(number, dtype=np.float64), shape).reshape(-1)
    p = np.broadcast_to(np.asarray(chance, dtype=np.float64), shape).reshape(-1)
    rarer = np.minimum(p, 1.0 - p)
    drawn = np.empty(n.size)
    few = n * rarer < _SEARCHED
    drawn[few] = _search(rng, n[few], rarer[few])
    drawn[~few] = _reject(rng, n[~few], rarer[~few])
    return np.where(p > 0.5, n - drawn, drawn).astype(np.int64).reshape(shape)


def draw_multinomials(
    rng: np.random.Generator, number: ArrayLike, chances: ArrayLike
) -> NDArray[np.int64]:
    """How `number` independent trials spread over several outcomes.

    Parameters
    ----------
    rng : Generator
        Source of uniform numbers.
    number : array_like of int, shape (...)
        Trials.
    chances : array_like of float, shape (..., K)
        Chances of the outcomes, in any unit.

    Returns
    -------
    array of int64, shape (..., K)
        Counts; they add up to `number`.

    Notes
    -----
    The outcomes are halved again and again, and each half gets a binomial count.

    Examples
    --------
    >>> draw_multinomials(np.random.default_rng(0), [10, 1000], [1, 0, 3]).sum(axis=-1)
    array([  10, 1000])
    """
    chances = np.asarray(chances, dtype=np.float64)
    outcomes = chances.shape[-1]
    level = np.zeros((*chances.shape[:-1], 1 << (outcomes - 1).bit_length()))
    level[..., :outcomes] = chances
    shares = []  # of the first half, from the smallest parts to the whole
    while level.shape[-1] > 1:
        first, whole = level[..., ::2], level[..., ::2] + level[..., 1::2]
        shares.append(np.divide(first, whole, out=np.zeros(whole.shape), where=whole > 0))
        level = whole
    drawn = np.asarray(number, dtype=np.int64)[..., None]
    for share in reversed(shares):
        half = draw_binomials(rng, drawn, share)
        drawn = np.stack(np.broadcast_arrays(half, drawn - half), axis=-1)
        drawn = drawn.reshape(*drawn.shape[:-2], -1)
    return drawn[..., :outcomes]


def _search(rng: np.random.Generator, n: Array, p: Array) -> Array:
    """Least counts at which the distribution function reaches uniform numbers."""
    left = rng.random(n.size)
    here = np.exp(n * np.log1p(-p))
    odds = p / (1.0 - p)
    drawn = np.zeros(n.size)
    beyond = np.flatnonzero((left > here) & (n > 0))
    count = 0
    while beyond.size:
        count += 1
        left[beyond] -= here[beyond]
        here[beyond] *= (n[beyond] - (count - 1)) / count * odds[beyond]
        drawn[beyond] = count
        beyond = beyond[(left[beyond] > here[beyond]) & (n[beyond] > count)]
    return drawn


def _reject(rng: np.random.Generator, n: Array, p: Array) -> Array:
    """Counts under a hat that holds those of a mean from 10 on, each tried until it is taken."""
    spread = np.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    top = np.floor((n + 1.0) * p)
    drawn = np.empty(n.size)
    todo = np.arange(n.size)
    while todo.size:
        u, v = rng.random((2, todo.size))
        u -= 0.5
        edge = 0.5 - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore"):
            k = np.floor((2.0 * a[todo] / edge + b[todo]) * u + n[todo] * p[todo] + 0.5)
        taken = (edge >= 0.07) & (v <= 0.92 - 4.2 / b[todo])
        unsure = np.flatnonzero(~taken & (k >= 0) & (k <= n[todo]))
        at = todo[unsure]
        scale = (2.83 + 5.1 / b[at]) * spread[at]
        height = v[unsure] * scale / (a[at] / np.square(edge[unsure]) + b[at])
        k_at, n_at, top_at = k[unsure], n[at], top[at]
        log_ratio = (
            special.gammaln(top_at + 1.0)
            + special.gammaln(n_at - top_at + 1.0)
            - special.gammaln(k_at + 1.0)
            - special.gammaln(n_at - k_at + 1.0)
            + (k_at - top_at) * np.log(p[at] / (1.0 - p[at]))
        )
        with np.errstate(divide="ignore"):
            taken[unsure] = np.log(height) <= log_ratio
        drawn[todo[taken]] = k[taken]
        todo = todo[~taken]
    return drawn

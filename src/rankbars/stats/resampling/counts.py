"""Bootstrap resamples as counts: how often each unit is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHUNK", "Streams", "chunk_sizes", "count_blocks", "draw_counts"]

CHUNK = 256
"""Draws per stream of random numbers; part of the method, never tuned to the machine."""

Streams: TypeAlias = Callable[[int], np.random.Generator]
"""Random generator of each chunk of draws, by its number."""

_BLOCK_CELLS = 2**20


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

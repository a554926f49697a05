"""Densities on grids: where a density lies, how coarse a grid is for it, and draws from one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError

__all__ = [
    "DEPTH",
    "Reach",
    "coarseness",
    "draw_cells",
    "find_reach",
    "midpoints",
    "resample",
    "spread_out",
]


DEPTH = 25.0
"""Log densities this far below the largest one are left out: a share of 1e-11 of the peak."""

_MOST_ROUNDS = 40

LogDensity = Callable[[NDArray[np.float64]], NDArray[np.float64]]


class Reach(NamedTuple):
    """Interval outside of which a density is negligible."""

    low: float
    high: float


def midpoints(low: float, high: float, count: int) -> NDArray[np.float64]:
    """Middles of `count` cells of equal width.

    Examples
    --------
    >>> midpoints(0.0, 1.0, 2).tolist()
    [0.25, 0.75]
    """
    return np.asarray(low + (high - low) * (np.arange(count) + 0.5) / count)


def find_reach(
    density: LogDensity, low: float, high: float, ends: tuple[bool, bool], what: str
) -> Reach:
    """The part of an interval in which a log density is within `DEPTH` of its peak.

    Parameters
    ----------
    density : callable
        Log density up to a constant, with one peak.
    low, high : float
        Where to look.
    ends : (bool, bool)
        Whether the density itself ends at `low` and at `high`; where it does not, it has to have
        fallen off there.
    what : str
        What the variable is, for the message.

    Raises
    ------
    DataError
        If the density has not fallen off at an end where it does not end by itself.

    Notes
    -----
    A density with one peak has it within one cell of the highest node, so the search may zoom in
    on the nodes that count, one cell wider at either side, until they fill their interval.

    Examples
    --------
    >>> reach = find_reach(lambda x: -0.5 * ((x - 3.0) / 0.01) ** 2, -20, 20, (False, False), "x")
    >>> round(reach.low, 1), round(reach.high, 1)
    (2.9, 3.1)
    """
    first = Reach(low, high)
    for _ in range(_MOST_ROUNDS):
        nodes = midpoints(low, high, 48)
        values = density(nodes)
        if np.isnan(values).any() or not np.isfinite(values.max()):
            raise DataError(f"The prior gives no finite density of the {what}.")
        kept = np.flatnonzero(values > values.max() - DEPTH)
        cell = nodes[1] - nodes[0]
        new_low = max(low, nodes[kept[0]] - cell)
        new_high = min(high, nodes[kept[-1]] + cell)
        full = new_high - new_low > 0.6 * (high - low)
        low, high = new_low, new_high
        if full:
            break
    open_low = low <= first.low and not ends[0]
    open_high = high >= first.high and not ends[1]
    if open_low or open_high:
        side = "small" if open_low else "large"
        raise DataError(
            f"The posterior of the {what} does not fall off towards {side} values: these tasks "
            "say too little for this prior. Give a prior that does, such as 'exponential' for "
            "shares of right answers or Prior.exponential_spread(...) for scores with errors, or "
            "more tasks."
        )
    return Reach(float(low), float(high))


def coarseness(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """Difference between the means over all nodes and over every third one, in their SD."""
    third = (slice(1, None, 3),) * weights.ndim  # the middles of cells three times as wide
    fine = float((weights * values).sum() / weights.sum())
    coarse = float((weights[third] * values[third]).sum() / weights[third].sum())
    spread = float((weights * np.square(values - fine)).sum() / weights.sum()) ** 0.5
    return float(abs(fine - coarse) / max(spread, 1e-300))


def draw_cells(
    probability: NDArray[np.float64], draws: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Cells drawn by their probability, one draw per equal share of the whole.

    Examples
    --------
    >>> draw_cells(np.array([0.25, 0.75]), 4, np.random.default_rng(0)).tolist()
    [0, 1, 1, 1]
    """
    cumulated = np.cumsum(probability)
    cumulated /= cumulated[-1]
    points = (np.arange(draws) + rng.random(draws)) / draws
    return np.minimum(np.searchsorted(cumulated, points, side="right"), probability.size - 1)


def spread_out(cell: NDArray[np.intp], count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Places around the middles of cells, within one cell to either side: a tent of density.

    Places beyond the outer ends of the outermost of `count` cells are folded back.
    """
    tent = rng.random(cell.size) + rng.random(cell.size) - 1.0
    place = np.abs(cell + tent + 0.5) - 0.5
    return np.asarray(count - 0.5 - np.abs(count - 0.5 - place))


class Resampled(NamedTuple):
    """Positions drawn by weights, in random order, and how many independent draws these are."""

    kept: NDArray[np.intp]
    effective: float


def resample(weights: NDArray[np.float64], rng: np.random.Generator) -> Resampled:
    """Positions drawn in proportion to `weights`, as evenly as can be.

    Parameters
    ----------
    weights : array of float, shape (S,)
        Values of 0 or more.
    rng : Generator
        Source of random numbers.

    Returns
    -------
    Resampled
        Each position about ``S * weight / sum`` times; exactly once each for equal weights.

    Examples
    --------
    >>> found = resample(np.ones(4), np.random.default_rng(0))
    >>> sorted(found.kept.tolist()), found.effective
    ([0, 1, 2, 3], 4.0)
    """
    size = weights.size
    cumulated = np.cumsum(weights)
    points = (np.arange(size) + rng.random()) / size * cumulated[-1]
    chosen = np.minimum(np.searchsorted(cumulated, points, side="right"), size - 1)
    effective = float(np.square(weights.sum()) / np.square(weights).sum())
    return Resampled(rng.permutation(chosen), effective)

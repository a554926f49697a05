"""The beta-binomial hierarchical model of one model's right answers, by quadrature.

On task j a model has y_j right answers of n_j; its true share there is theta_j, and the shares of
all its tasks come from one Beta(a, b). The shares integrate out, which leaves a density of two
variables: u, the logit of the mean ``a / (a + b)``, and t, the logarithm of the concentration
``a + b``. The grid follows the ridge of that density: for each t, u is measured from where the
density is largest, in units of its width there. Averages follow by moments and exact draws.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import ConvergenceError
from rankbars.stats.drawncounts import draw_binomials
from rankbars.stats.hierarchical.densities import (
    Reach,
    coarseness,
    draw_cells,
    find_reach,
    midpoints,
    resample,
    spread_out,
)
from rankbars.stats.hierarchical.ridges import (
    Counts,
    LogDensity,
    LogPrior,
    Ridge,
    fast_density,
    point,
)

__all__ = [
    "Counts",
    "Hyperdraws",
    "LogPrior",
    "Moments",
    "ShareGrid",
    "draw_fresh",
    "draw_hyper",
    "draw_new_task",
    "draw_shares",
    "population_moments",
    "share_grid",
    "share_moments",
]

_WIDEST = Reach(-25.0, 27.0)  # of the log concentration
_ROWS = 66
_STEP = 0.25
_LARGEST_ERROR = 0.01


class ShareGrid(NamedTuple):
    """Posterior of (a, b) of one model, on a grid.

    Attributes
    ----------
    t : array of float, shape (K,)
        Nodes of the log concentration, evenly spaced.
    centre, scale : array of float, shape (K,)
        For each t, where the logit of the mean is most likely, and its unit.
    z : array of float, shape (L,)
        Nodes of the logit of the mean, from its centre, in its unit; evenly spaced.
    probability : array of float, shape (K, L)
        Of the cells around the nodes; the sum is 1.
    log_density : callable
        Log density of (u, t), up to the constant `peak`.
    peak : float
        The largest value of it times the unit.
    reach : Reach
        Ends of `t`.
    error : float
        Largest change of the mean of either variable when only every third node of each is kept,
        in standard deviations of the posterior.
    """

    t: NDArray[np.float64]
    centre: NDArray[np.float64]
    scale: NDArray[np.float64]
    z: NDArray[np.float64]
    probability: NDArray[np.float64]
    log_density: LogDensity
    peak: float
    reach: Reach
    error: float

    @property
    def nodes(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """a, b and probability of the nodes that count, shape (G,) each."""
        counts = self.probability > 1e-13
        u = (self.centre[:, None] + self.scale[:, None] * self.z)[counts]
        t = np.broadcast_to(self.t[:, None], counts.shape)[counts]
        chance = self.probability[counts]
        at = point(u, t)
        return np.exp(at.log_a), np.exp(at.log_b), chance / chance.sum()


class Hyperdraws(NamedTuple):
    """Draws of a and b, shape (S,), in random order, and how many independent ones they are."""

    a: NDArray[np.float64]
    b: NDArray[np.float64]
    effective: float


def share_grid(
    counts: Counts, log_prior: LogPrior, limits: tuple[float, float] = (0.0, np.inf)
) -> ShareGrid:
    """Posterior of (a, b) for the right answers of one model.

    Parameters
    ----------
    counts : Counts
        Right and wrong answers on J tasks.
    log_prior : callable
        Log density of (a, b), up to a constant; takes and returns arrays.
    limits : (float, float)
        Ends of the concentration ``a + b`` under the prior; 0 and infinity for none.

    Returns
    -------
    ShareGrid
        The posterior on a grid.

    Raises
    ------
    DataError
        If the posterior does not fall off, so that it is no probability.
    ConvergenceError
        If a grid of several 10,000 nodes is too coarse for it.

    Notes
    -----
    Up to a constant, ``log p(a, b | y) = sum_j [log B(a + y_j, b + n_j - y_j) - log B(a, b)] +
    log prior(a, b)``. The nodes are the middles of equal cells, a rule that is accurate far beyond
    its order for densities that fall off smoothly at both ends.

    References
    ----------
    Longjohn, Gopalan & Casleton 2025, arXiv:2501.04234, section 2.2, for the model, which they
    sample by a Markov chain.

    Examples
    --------
    >>> grid = share_grid(Counts(np.array([5.0, 9.0]), np.array([5.0, 1.0])), lambda a, b: -a - b)
    >>> a, b, chance = grid.nodes
    >>> round(float(chance @ (a / (a + b))), 3)
    0.612
    """
    low = _WIDEST.low if limits[0] <= 0 else float(np.log(limits[0]))
    high = _WIDEST.high if np.isinf(limits[1]) else float(np.log(limits[1]))
    ridge = Ridge(counts, log_prior)
    ends = limits[0] > 0, bool(np.isfinite(limits[1]))
    reach = find_reach(ridge.density, low, high, ends, "concentration")
    rows, step = _ROWS, _STEP
    for _ in range(3):
        grid = _grid(counts, log_prior, ridge, reach, rows, step)
        if grid.error <= _LARGEST_ERROR:
            return grid
        rows, step = rows * 2, step / 2
    raise ConvergenceError.after(
        "The quadrature", rows * grid.z.size, grid.error, _LARGEST_ERROR, "Is the prior smooth?"
    )


def draw_hyper(grid: ShareGrid, draws: int, rng: np.random.Generator) -> Hyperdraws:
    """Draws of (a, b) from their posterior: stratified over the grid, not from a chain.

    Parameters
    ----------
    grid : ShareGrid
        The posterior.
    draws : int
        How many.
    rng : Generator
        Source of random numbers.

    Notes
    -----
    A cell is drawn by its probability, one draw per equal share of the whole; a shift that is the
    sum of two uniform ones makes the density of the drawn points the one that interpolates the
    nodes linearly. What is left between it and the true density is taken out by weights, which are
    near 1, and by drawing again with these weights.
    """
    rows, columns = grid.probability.shape
    cell = draw_cells(grid.probability, draws, rng)
    row = spread_out(cell // columns, rows, rng)
    column = spread_out(cell % columns, columns, rng)
    step_t, step_z = grid.t[1] - grid.t[0], grid.z[1] - grid.z[0]
    t, z = grid.t[0] + step_t * row, grid.z[0] + step_z * column
    near = _neighbours(row, rows), _neighbours(column, columns)
    scale, centre = (np.interp(row, np.arange(rows), one) for one in (grid.scale, grid.centre))
    u = centre + scale * z
    at = point(u, t)
    weights = np.exp(grid.log_density(at) - grid.peak) * scale
    weights /= _bilinear(grid.probability, *near)
    weights /= weights.max()
    kept, effective = resample(weights, rng)
    return Hyperdraws(np.exp(at.log_a[kept]), np.exp(at.log_b[kept]), effective)


def _grid(
    counts: Counts, prior: LogPrior, ridge: Ridge, reach: Reach, rows: int, step: float
) -> ShareGrid:
    t = midpoints(reach.low, reach.high, rows)
    centre, scale = ridge.climb(t)
    low, high = ridge.sideways(t, centre, scale)
    z = midpoints(low, high, 3 * int(np.ceil((high - low) / step / 3)))
    u = centre[:, None] + scale[:, None] * z
    density = fast_density(counts, prior, u, t[:, None])
    values = density(point(u, t[:, None])) + np.log(scale)[:, None]
    peak = float(values.max())
    probability = np.exp(values - peak)
    total = float(probability.sum())
    return ShareGrid(
        t, centre, scale, z, probability / total, density, peak + float(np.log(total)), reach,
        max(coarseness(one, probability) for one in (u, np.broadcast_to(t[:, None], u.shape))),
    )  # fmt: skip


class _Neighbours(NamedTuple):
    """Where places lie between nodes: the node before, and how far it is to the next one."""

    node: NDArray[np.intp]
    share: NDArray[np.float64]


def _neighbours(place: NDArray[np.float64], count: int) -> _Neighbours:
    """Places beyond the outermost nodes count as these."""
    place = np.clip(place, 0, count - 1)
    node = np.minimum(place.astype(np.intp), count - 2)
    return _Neighbours(node, place - node)


def _bilinear(
    table: NDArray[np.float64], row: _Neighbours, column: _Neighbours
) -> NDArray[np.float64]:
    """The table between its nodes, in both directions."""
    width = table.shape[1]
    flat, corner = table.reshape(-1), row.node * width + column.node
    first = flat[corner] * (1 - column.share) + flat[corner + 1] * column.share
    corner += width
    second = flat[corner] * (1 - column.share) + flat[corner + 1] * column.share
    return np.asarray(first + row.share * (second - first))


class Moments(NamedTuple):
    """Mean and variance of one number under the posterior."""

    mean: float
    variance: float


def share_moments(
    grid: ShareGrid, counts: Counts, weights: NDArray[np.float64], *, fresh: bool = False
) -> Moments:
    """Mean and variance of a weighted sum of a model's true shares, by quadrature.

    Parameters
    ----------
    grid : ShareGrid
        Posterior of (a, b).
    counts : Counts
        Right and wrong answers on J tasks.
    weights : array of float, shape (J,)
        Weights of the shares.
    fresh : bool
        Of the shares of right answers on fresh items instead, as many as were answered.

    Examples
    --------
    >>> from rankbars.stats.hierarchical.betabinomial import share_grid
    >>> counts = Counts(np.array([5.0, 9.0]), np.array([5.0, 1.0]))
    >>> grid = share_grid(counts, lambda a, b: -a - b)
    >>> round(share_moments(grid, counts, np.array([0.5, 0.5])).mean, 3)
    0.686
    """
    a, b, chance = grid.nodes
    total = counts.right + counts.wrong
    size = (a + b)[:, None] + total
    mean = (a[:, None] + counts.right) / size
    noise = mean * (1.0 - mean)
    inner = noise / (size + 1.0)
    if fresh:  # the variance of a beta-binomial share
        inner = inner * (size + total) / total
    sums = mean @ weights
    center = float(chance @ sums)
    within = float(chance @ (inner @ np.square(weights)))
    return Moments(center, within + float(chance @ np.square(sums - center)))


def population_moments(grid: ShareGrid, *, new_task: bool = False) -> Moments:
    """Mean and variance of the mean share of all tasks like these, or of the share on a new one."""
    a, b, chance = grid.nodes
    mean = a / (a + b)
    center = float(chance @ mean)
    inner = mean * (1.0 - mean) / (a + b + 1.0) if new_task else np.zeros(mean.shape)
    return Moments(center, float(chance @ (inner + np.square(mean - center))))


def draw_shares(
    hyper: Hyperdraws, right: float, wrong: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draws of a model's true share on one task, given draws of (a, b): exact, shape (S,)."""
    return rng.beta(hyper.a + right, hyper.b + wrong)


def draw_fresh(
    shares: NDArray[np.float64], total: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Shares of right answers on as many fresh items of the task, shape (S,)."""
    return draw_binomials(rng, int(total), shares) / total


def draw_new_task(hyper: Hyperdraws, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draws of a model's true share on a new task like these, shape (S,)."""
    return rng.beta(hyper.a, hyper.b)

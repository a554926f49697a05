"""The beta-binomial hierarchical model of one model's right answers, by quadrature.

On task j a model has y_j right answers of n_j; its true share there is theta_j, and the shares of
all its tasks come from one Beta(a, b). The shares integrate out, which leaves a density of two
variables: u, the logit of the mean ``a / (a + b)``, and t, the logarithm of the concentration
``a + b``. The grid follows the ridge of that density: for each t, u is measured from where the
density is largest, in units of its width there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankbars.errors import ConvergenceError
from rankbars.stats.hierarchical.gammas import Smooth, fit_smooth, log_rising, log_rising_slope
from rankbars.stats.hierarchical.grids import DEPTH, Reach, find_reach, midpoints, resample

__all__ = ["Counts", "Hyperdraws", "LogPrior", "ShareGrid", "draw_hyper", "share_grid"]

LogPrior: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""Log density of (a, b), up to a constant."""

_WIDEST = Reach(-25.0, 27.0)  # of the log concentration
_FARTHEST = 700.0  # logit beyond which a share is 0 or 1 in double precision
_ROWS = 66
_STEP = 0.25
_CLIMBS = 20
_LARGEST_ERROR = 0.01
_STEPS = np.array([4.0, 5, 6, 7, 8, 10, 12, 16, 20, 26, 34, 44, 60, 90])


class Counts(NamedTuple):
    """Right and wrong answers of one model on each task, shape (J,)."""

    right: NDArray[np.float64]
    wrong: NDArray[np.float64]


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
    log_density: LogPrior
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
        return (*_shapes(u, t), chance / chance.sum())


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
    total = counts.right + counts.wrong
    jacobian_prior = _on_logits(log_prior)
    low = _WIDEST.low if limits[0] <= 0 else float(np.log(limits[0]))
    high = _WIDEST.high if np.isinf(limits[1]) else float(np.log(limits[1]))
    start = float(special.logit((counts.right.sum() + 0.5) / (total.sum() + 1.0)))

    def exact(u: NDArray[np.float64], t: NDArray[np.float64]) -> NDArray[np.float64]:
        a, b = _shapes(u, t)
        likelihood = log_rising(a, counts.right) + log_rising(b, counts.wrong)
        return np.asarray(likelihood - log_rising(np.exp(t), total) + jacobian_prior(u, t))

    def ridge(t: NDArray[np.float64]) -> NDArray[np.float64]:
        centre, scale = _climb(t, counts, jacobian_prior, start)
        return np.asarray(exact(centre, t) + np.log(scale))

    reach = find_reach(ridge, low, high, (limits[0] > 0, np.isfinite(limits[1])), "concentration")
    rows, step = _ROWS, _STEP
    for _ in range(3):
        grid = _grid(counts, jacobian_prior, exact, start, reach, rows, step)
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
    cumulated = np.cumsum(grid.probability.reshape(-1))
    cumulated /= cumulated[-1]
    points = (np.arange(draws) + rng.random(draws)) / draws
    cell = np.minimum(np.searchsorted(cumulated, points, side="right"), rows * columns - 1)
    row = _reflected(cell // columns + _tent(rng, draws), rows)
    column = _reflected(cell % columns + _tent(rng, draws), columns)
    step_t, step_z = grid.t[1] - grid.t[0], grid.z[1] - grid.z[0]
    t, z = grid.t[0] + step_t * row, grid.z[0] + step_z * column
    scale = np.interp(t, grid.t, grid.scale)
    u = np.interp(t, grid.t, grid.centre) + scale * z
    density = np.exp(grid.log_density(u, t) + np.log(scale) - grid.peak)
    weights = density / _bilinear(grid.probability, row, column)
    weights /= weights.max()
    kept = resample(weights, rng)
    a, b = _shapes(u[kept], t[kept])
    return Hyperdraws(a, b, float(np.square(weights.sum()) / np.square(weights).sum()))


def _shapes(
    u: NDArray[np.float64], t: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The a and b of the logit of their mean and their log concentration."""
    return np.exp(t + special.log_expit(u)), np.exp(t + special.log_expit(-u))


def _on_logits(log_prior: LogPrior) -> LogPrior:
    """The prior as a density of (u, t): da db = (a + b)^2 m (1 - m) du dt."""

    def density(u: NDArray[np.float64], t: NDArray[np.float64]) -> NDArray[np.float64]:
        jacobian = 2.0 * t + special.log_expit(u) + special.log_expit(-u)
        return np.asarray(log_prior(*_shapes(u, t)) + jacobian)

    return density


def _climb(
    t: NDArray[np.float64], counts: Counts, prior: LogPrior, start: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each t, the u of the largest density and a width there, near enough to build on."""
    width = 1e-4

    def slope(u: NDArray[np.float64]) -> NDArray[np.float64]:
        a, b = _shapes(u, t)
        rising = log_rising_slope(a, counts.right) - log_rising_slope(b, counts.wrong)
        own = (prior(u + width, t) - prior(u - width, t)) / (2 * width)
        return np.asarray(a * special.expit(-u) * rising + own)

    u = np.full(t.shape, start)
    scale = np.ones(t.shape)
    for _ in range(_CLIMBS):
        left, right = slope(u - width), slope(u + width)
        here, bend = (left + right) / 2, (right - left) / (2 * width)
        scale = np.where(bend < 0, 1.0 / np.sqrt(np.maximum(-bend, 1e-300)), 1.0)
        step = np.where(bend < 0, here * np.square(scale), np.sign(here))
        step = np.clip(step, -2.0, 2.0)
        u = np.clip(u + step, -_FARTHEST, _FARTHEST)
        if (np.abs(step) <= 0.01 * scale).all():
            break
    return u, np.clip(scale, 1e-8, 4.0)


def _grid(
    counts: Counts,
    prior: LogPrior,
    exact: LogPrior,
    start: float,
    reach: Reach,
    rows: int,
    step: float,
) -> ShareGrid:
    t = midpoints(reach.low, reach.high, rows)
    centre, scale = _climb(t, counts, prior, start)
    low, high = _columns(exact, t, centre, scale)
    z = midpoints(low, high, 3 * int(np.ceil((high - low) / step / 3)))
    u = centre[:, None] + scale[:, None] * z
    density = _fast(counts, prior, u, t)
    wide = np.broadcast_to(t[:, None], u.shape)
    values = density(u, wide) + np.log(scale)[:, None]
    peak = float(values.max())
    probability = np.exp(values - peak)
    total = float(probability.sum())
    return ShareGrid(
        t, centre, scale, z, probability / total, density, peak + float(np.log(total)), reach,
        _coarseness(u, wide, probability),
    )  # fmt: skip


def _columns(
    exact: LogPrior,
    t: NDArray[np.float64],
    centre: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> tuple[float, float]:
    """How far u has to be followed to either side, in its unit, until nothing is left."""
    ridge = exact(centre, t) + np.log(scale)
    ends = []
    for sign in (-1.0, 1.0):
        u = centre[:, None] + sign * scale[:, None] * _STEPS
        wide = np.broadcast_to(t[:, None], u.shape)
        values = exact(np.clip(u, -_FARTHEST, _FARTHEST), wide) + np.log(scale)[:, None]
        inside = np.flatnonzero((values > ridge.max() - DEPTH).any(axis=0))
        last = 0 if not inside.size else min(int(inside[-1]) + 1, _STEPS.size - 1)
        ends.append(sign * float(_STEPS[last]))
    return ends[0], ends[1]


def _fast(
    counts: Counts, prior: LogPrior, u: NDArray[np.float64], t: NDArray[np.float64]
) -> LogPrior:
    """The density within the grid, its three sums over tasks replaced by series."""
    margin = 0.5 * (t[1] - t[0])
    ends = float(t[0] - margin), float(t[-1] + margin)
    edge = np.array([u.min(axis=1) - 0.2, u.max(axis=1) + 0.2])

    def series(sign: float, values: NDArray[np.float64]) -> Smooth:
        logs = t + special.log_expit(sign * edge)
        low, high = float(logs.min()) - margin - 0.5, float(logs.max()) + margin + 0.5
        return fit_smooth(lambda s: log_rising(np.exp(s), values), low, high)

    right, wrong = series(1.0, counts.right), series(-1.0, counts.wrong)
    both = fit_smooth(lambda s: log_rising(np.exp(s), counts.right + counts.wrong), *ends)

    def density(u: NDArray[np.float64], t: NDArray[np.float64]) -> NDArray[np.float64]:
        own = right(t + special.log_expit(u)) + wrong(t + special.log_expit(-u))
        return np.asarray(own - both(t) + prior(u, t))

    return density


def _coarseness(
    u: NDArray[np.float64], t: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:
    """Largest difference between means over all nodes and over every third one, in their SD."""
    worst = 0.0
    third = slice(1, None, 3)  # the middles of cells three times as wide
    for values in (u, t):
        fine = float((weights * values).sum() / weights.sum())
        few = weights[third, third]
        coarse = float((few * values[third, third]).sum() / few.sum())
        spread = float((weights * np.square(values - fine)).sum() / weights.sum()) ** 0.5
        worst = max(worst, abs(fine - coarse) / max(spread, 1e-300))
    return worst


def _tent(rng: np.random.Generator, draws: int) -> NDArray[np.float64]:
    """Shifts within one cell to either side, whose density is a tent."""
    return rng.random(draws) + rng.random(draws) - 1.0


def _reflected(place: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Places beyond the outermost cells' outer ends, folded back."""
    place = np.abs(place + 0.5) - 0.5
    return np.asarray(count - 0.5 - np.abs(count - 0.5 - place))


def _bilinear(
    table: NDArray[np.float64], row: NDArray[np.float64], column: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The table between its nodes, constant beyond the outermost ones."""
    rows, columns = table.shape
    row, column = np.clip(row, 0, rows - 1), np.clip(column, 0, columns - 1)
    i = np.minimum(row.astype(np.intp), rows - 2)
    j = np.minimum(column.astype(np.intp), columns - 2)
    x, y = row - i, column - j
    first = table[i, j] * (1 - y) + table[i, j + 1] * y
    second = table[i + 1, j] * (1 - y) + table[i + 1, j + 1] * y
    return np.asarray(first * (1 - x) + second * x)

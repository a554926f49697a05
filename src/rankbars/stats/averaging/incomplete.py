"""Tasks by models with gaps: who was scored everywhere, and contrasts that bridge the gaps.

Rows are tasks; NaN stands for a task that a model never ran.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import PairStatistics

__all__ = [
    "Core",
    "GapScreen",
    "additive_effects",
    "additive_t",
    "adjusted_means",
    "best_block",
    "bounded_t",
    "find_core",
    "screen_gaps",
]

_ENOUGH = 0.25  # of the models must have entered a task, and of the models be scored everywhere
_RIDGE = 1e-10  # eigenvalues below that share of the largest one are of models not connected


class Core(NamedTuple):
    """Who is ranked on what.

    Attributes
    ----------
    models : array of bool, shape (M,)
        Scored on every task that counts.
    tasks : array of bool, shape (N,)
        Tasks that count; the others are new: too few models entered them.
    enough : bool
        Whether there are enough such models to rank others among them.
    """

    models: NDArray[np.bool_]
    tasks: NDArray[np.bool_]
    enough: bool


def find_core(entered: NDArray[np.bool_]) -> Core:
    """The models that entered every task, after new tasks are set aside.

    A task is new if a single model entered it, or fewer than a quarter of the models that entered
    any other kind of task. So a task that comes with one more model never empties the core.

    Parameters
    ----------
    entered : array of bool, shape (N, M)
        Which model has a score on which task.

    Examples
    --------
    >>> entered = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [0, 0, 0, 1]], dtype=bool)
    >>> core = find_core(entered)
    >>> core.models.tolist(), core.tasks.tolist(), core.enough
    ([True, True, True, False], [True, True, False], True)
    """
    counts = entered.sum(axis=1)
    several = counts > 1 if entered.shape[1] > 1 else counts > 0
    there = int(entered[several].any(axis=0).sum())
    tasks = several & (counts >= _ENOUGH * there)
    if not tasks.any():
        return Core(np.zeros(entered.shape[1], np.bool_), tasks, enough=False)
    models = entered[tasks].all(axis=0)
    ranked = int(entered[tasks].any(axis=0).sum())
    count = int(models.sum())
    return Core(models, tasks, enough=count >= max(2, _ENOUGH * ranked))


def best_block(entered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tasks to keep so that many models are scored on all of many: their product is large.

    Tasks are left out one at a time, always the one whose absence leaves the largest product of
    tasks and models scored on all of them; the best set on the way is taken.

    Returns
    -------
    array of bool, shape (N,)

    Examples
    --------
    >>> entered = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0]], dtype=bool)
    >>> best_block(entered).tolist()
    [True, True, False]
    """
    kept = np.ones(len(entered), dtype=np.bool_)
    best, most = kept.copy(), _product(entered, kept)
    while kept.sum() > 1:
        lacking = (~entered[kept]).sum(axis=0)
        # Without a task, the models that lack no other one are complete.
        gains = (lacking[None, :] - ~entered[kept] == 0).sum(axis=1)
        kept[np.flatnonzero(kept)[int(np.argmax(gains))]] = False
        found = _product(entered, kept)
        if found > most:
            best, most = kept.copy(), found
    return best


def _product(entered: NDArray[np.bool_], kept: NDArray[np.bool_]) -> int:
    return int(kept.sum() * entered[kept].all(axis=0).sum())


def additive_effects(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Effects of models in ``values[b, j] = a_j + b_b``, by least squares, with mean zero.

    Parameters
    ----------
    values : array of float, shape (N, M)
        Scores, higher is better; NaN where a model never ran a task.

    Returns
    -------
    array of float, shape (M,)
        NaN for models without a task; all NaN where tasks do not connect the models.

    Examples
    --------
    >>> additive_effects(np.array([[3.0, 2.0], [5.0, 4.0], [9.0, np.nan]])).round(6).tolist()
    [0.5, -0.5]
    """
    seen = ~np.isnan(values)
    there = seen.any(axis=0)
    effects = np.full(values.shape[1], np.nan)
    solved = _solve(values[:, there], seen[:, there])
    if solved is not None:
        effects[there] = solved
    return effects


def _solve(values: NDArray[np.float64], seen: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    rows = seen.any(axis=1)
    weight = seen[rows].astype(np.float64)
    size = weight.shape[1]
    if size == 0:
        return None
    counts = weight.sum(axis=1)
    known = np.where(seen[rows], values[rows], 0.0)
    means = known.sum(axis=1) / counts
    design = np.diag(weight.sum(axis=0)) - (weight / counts[:, None]).T @ weight
    right = (weight * (known - means[:, None])).sum(axis=0)
    ends = np.linalg.eigvalsh(design + 1.0 / size)
    if ends[0] <= _RIDGE * ends[-1]:
        return None
    return np.asarray(np.linalg.solve(design + 1.0 / size, right))


def adjusted_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of each model over all tasks, where tasks it lacks go as for the others: the fitted one.

    Examples
    --------
    >>> adjusted_means(np.array([[3.0, 2.0], [5.0, 4.0], [9.0, np.nan]])).round(6).tolist()
    [5.666667, 4.666667]
    """
    effects = additive_effects(values)
    known = ~np.isnan(effects)
    seen = ~np.isnan(values)
    rows = seen.any(axis=1)
    residual = np.where(seen, values - np.where(known, effects, 0.0), 0.0)
    tasks = residual[rows].sum(axis=1) / seen[rows].sum(axis=1)
    return np.asarray(effects + tasks.mean())


def additive_t(values: NDArray[np.float64]) -> PairStatistics:
    """Contrasts of the additive fit, with errors from fits that leave out one task each.

    On complete data this is the paired t. It assumes that what is missing has nothing to do with
    the residuals of the fit.

    Parameters
    ----------
    values : array of float, shape (N, M)
        Scores, higher is better; NaN where a model never ran a task.

    Returns
    -------
    PairStatistics
        Pairs that the tasks do not connect, or not without one of them, have no evidence. Degrees
        of freedom: tasks of the model with fewer, minus one.

    Raises
    ------
    DataError
        If there are fewer than two tasks.

    References
    ----------
    Scheffe 1959, chapter 4, for the fit; Miller 1974, Biometrika 61, 1-15, for the jackknife.
    """
    tasks, size = values.shape
    if tasks < 2:
        raise DataError(f"Errors from single tasks need at least two tasks; found {tasks}.")
    effects = additive_effects(values)
    without = np.array([additive_effects(np.delete(values, b, axis=0)) for b in range(tasks)])
    counts = (~np.isnan(values)).sum(axis=0)
    diff = effects[:, None] - effects[None, :]
    moved = without[:, :, None] - without[:, None, :] - diff
    with np.errstate(invalid="ignore"):
        se = np.sqrt((tasks - 1) / tasks * np.square(moved).sum(axis=0))
    rows = np.minimum(counts[:, None], counts[None, :])
    se[rows < 2] = np.nan
    np.fill_diagonal(diff, 0.0)
    np.fill_diagonal(se, 0.0)
    small = 1e-12 * np.nanmax(np.abs(values), initial=1.0)
    tied = (se <= small) & ~np.eye(size, dtype=np.bool_)
    se[tied] = 0.0
    statistic = np.zeros_like(diff)
    np.divide(diff, se, out=statistic, where=np.isfinite(se) & (se > 0) & np.isfinite(diff))
    identical = tied & (np.abs(diff) <= small)
    nothing = np.zeros_like(tied)
    return PairStatistics(
        diff, se, statistic, rows - 1.0, rows.astype(np.int64), nothing, identical
    )


def bounded_t(
    values: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> PairStatistics:
    """Paired t of each pair with every gap filled against what it would show.

    To show i better than j, tasks that i lacks count as `low` for it, and those that j lacks as
    `high` for that one. The mean of such differences is never above that of the complete ones, so
    its t-test keeps its level whatever the reason of the gaps.

    Parameters
    ----------
    values : array of float, shape (N, M)
        Scores, higher is better; NaN where a model never ran a task.
    low, high : array of float, shape (N,)
        Ends of the scale of each task; no score lies beyond them.

    Returns
    -------
    PairStatistics
        Of a pair with a gap the statistic alone, 0 where the gaps allow both signs: its difference
        may be any of many. Degrees of freedom N - 1.

    Raises
    ------
    DataError
        If there are fewer than two tasks.

    References
    ----------
    Horowitz and Manski 2000, Journal of the American Statistical Association 95, 77-84.

    Examples
    --------
    >>> values = np.array([[0.9, 0.2], [0.8, 0.1], [0.7, np.nan]])
    >>> bounded_t(values, np.zeros(3), np.ones(3)).statistic[0, 1].round(3).item()
    1.1
    """
    tasks, size = values.shape
    if tasks < 2:
        raise DataError(f"Errors from single tasks need at least two tasks; found {tasks}.")
    gaps = np.isnan(values)
    least, most = (np.where(gaps, end[:, None], values) for end in (low, high))
    found = paired_t(least)
    diff, se, statistic = found.diff.copy(), found.se.copy(), found.statistic.copy()
    constant, identical = found.constant.copy(), found.identical.copy()
    partly = np.asarray(gaps.any(axis=0))
    for i in range(size):
        others = np.flatnonzero((partly | partly[i]) & (np.arange(size) != i))
        ahead = _t(least[:, [i]] - most[:, others])  # where i is ahead by the least
        behind = _t(least[:, others] - most[:, [i]])
        statistic[i, others] = np.maximum(ahead, 0.0) - np.maximum(behind, 0.0)
        diff[i, others] = se[i, others] = np.nan
        constant[i, others] = identical[i, others] = False
    return PairStatistics(diff, se, statistic, tasks - 1.0, tasks, constant, identical)


def _t(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    error = rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
    return np.asarray(
        np.divide(rows.mean(axis=0), error, out=np.zeros_like(error), where=error > 0)
    )


class GapScreen(NamedTuple):
    """Whether models lack tasks that are harder or easier than the rest.

    Attributes
    ----------
    lean : float
        Mean standardised effect of the tasks that incomplete models lack; above 0 they are easier.
    p : float
        Two-sided p-value, by exchanging the tasks; NaN where nobody lacks anything.
    """

    lean: float
    p: float


def screen_gaps(
    values: NDArray[np.float64], rng: np.random.Generator, draws: int = 999
) -> GapScreen:
    """Screen for gaps that are not at random. Silence proves nothing.

    The statistic is the mean over incomplete models of the mean standardised effect of the tasks
    they lack; one permutation of the effects for all models gives its law.

    Parameters
    ----------
    values : array of float, shape (N, M)
        Scores, higher is better; NaN where a model never ran a task.
    rng : numpy.random.Generator
        For the permutations.
    draws : int
        How many permutations.
    """
    effects = additive_effects(values)
    seen = ~np.isnan(values)
    lacking = ~seen & ~np.isnan(effects)
    partly = lacking.any(axis=0)
    if not partly.any() or len(values) < 2:
        return GapScreen(np.nan, np.nan)
    residual = np.where(seen, values - np.where(np.isnan(effects), 0.0, effects), np.nan)
    counts = seen.sum(axis=1)
    tasks = np.nansum(residual, axis=1) / np.maximum(counts, 1)
    spread = tasks.std()
    if not spread > 0:
        return GapScreen(0.0, 1.0)
    tasks = (tasks - tasks.mean()) / spread
    share = lacking[:, partly] / lacking[:, partly].sum(axis=0)
    weight = share.mean(axis=1)
    lean = float(weight @ tasks)
    made = np.array([weight @ rng.permutation(tasks) for _ in range(draws)])
    beyond = int((np.abs(made) >= abs(lean) - 1e-12).sum())
    return GapScreen(lean, (1 + beyond) / (1 + draws))

"""Holm's step-down: which models are shown better than which.

The statistic is compared with critical values; no p-value is computed.
``statistic[i, j]`` is evidence that i is better than j, and ``statistic[j, i]`` is its exact
negative, so that one sort of a row serves both sides of a model.

Two scopes. *each*: two families per model ("who is better than it", "than whom is it better"),
each at ``alpha / 2``, so that the statement about one model named in advance holds.
*all*: one family of all ordered pairs at ``alpha``, so that all statements hold at once.

Sources: Holm 1979 (the procedure); Holm 2013 and Neuhof & Benjamini 2026, Algorithm 1 (ranks).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks
from rankbars.stats.multiplicity.singlestep import (
    bonferroni_all,
    bonferroni_all_from_p,
    bonferroni_each,
    bonferroni_each_from_p,
    unadjusted_all,
    unadjusted_all_from_p,
    unadjusted_each,
    unadjusted_each_from_p,
)
from rankbars.stats.multiplicity.stepdownall import holm_all, holm_all_from_p
from rankbars.stats.multiplicity.thresholds import (
    Decisions,
    check_alpha,
    critical_steps,
    family_sizes,
    keep_tested,
    reach,
    reject_nan,
)

# The scope "all", and the single-step procedures, stand beside the scope "each".
__all__ = [
    "Decisions",
    "bonferroni_all",
    "bonferroni_all_from_p",
    "bonferroni_each",
    "bonferroni_each_from_p",
    "holm_adjust",
    "holm_all",
    "holm_all_from_p",
    "holm_each",
    "holm_each_from_p",
    "holm_each_stacked",
    "unadjusted_all",
    "unadjusted_all_from_p",
    "unadjusted_each",
    "unadjusted_each_from_p",
]


def holm_adjust(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm-adjusted p-values along the last axis.

    Parameters
    ----------
    p : ndarray, shape (..., K)
        p-values of a family of K hypotheses.

    Returns
    -------
    ndarray, shape (..., K)
        Smallest level of the family at which each hypothesis is rejected.

    Notes
    -----
    The readable reference. The decisions of this module do not come from here.

    Examples
    --------
    >>> holm_adjust(np.array([0.01, 0.04, 0.03, 0.005])).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    order = np.argsort(p, axis=-1)
    scaled = np.take_along_axis(p, order, -1) * np.arange(p.shape[-1], 0, -1)
    stepped = np.minimum(np.maximum.accumulate(scaled, axis=-1), 1.0)
    return np.take_along_axis(stepped, np.argsort(order, axis=-1), -1)


def holm_each(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64] | float,
    alpha: float,
    *,
    tested: NDArray[np.bool_] | None = None,
) -> Decisions:
    """Holm for each model by itself: two families of pairs, each at ``alpha / 2``.

    Parameters
    ----------
    statistic : ndarray of float64, shape (M, M)
        ``[i, j]``: evidence that i is better than j; exactly antisymmetric, no NaN.
    df : float or ndarray, shape (M, M)
        Degrees of freedom of the null distribution, shared or of each pair; infinity is normal.
    alpha : float
        Error rate of one model's two sides together, in (0, 1).
    tested : ndarray of bool, shape (M, M), optional
        Ordered pairs that belong to the families, fixed before results were seen.
        All pairs by default.

    Returns
    -------
    Decisions
        Counts of each model; ``shown_better`` is None.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a statistic is NaN or `tested` has the wrong shape.

    Notes
    -----
    With a shared `df` each row is sorted once and both ends are compared with
    ``critical(alpha / 2 / (K - r))``, K = M - 1.
    Otherwise the count of a row grows from ``r = 0`` to ``r = #{p <= alpha / 2 / (K - r)}``;
    the bound falls as r grows, so the first fixed point is Holm's count.
    Scratch memory is O(M) times a constant block of rows.

    Examples
    --------
    >>> t = np.array([[0.0, 4.0, 6.0], [-4.0, 0.0, 1.0], [-6.0, -1.0, 0.0]])
    >>> decisions = holm_each(t, 20.0, 0.05)
    >>> decisions.better.tolist(), decisions.worse.tolist()
    ([0, 1, 1], [2, 0, 0])
    """
    own_df = isinstance(df, np.ndarray) and df.ndim > 0
    if tested is None and not own_df:
        made = holm_each_stacked(statistic[None], float(df), alpha)
        return Decisions(made.better[0], made.worse[0], None)
    level = check_alpha(alpha) / 2
    n_models = statistic.shape[0]
    better = np.zeros(n_models, dtype=np.int64)
    worse = np.zeros(n_models, dtype=np.int64)
    if n_models < 2:
        return Decisions(better, worse, None)
    above = None if tested is None else tested.T
    sizes = family_sizes(n_models, tested, axis=1), family_sizes(n_models, tested, axis=0)
    if isinstance(df, np.ndarray) and df.ndim:
        for rows in row_blocks(n_models, n_models):
            block = reject_nan(statistic[rows])
            worse[rows] = _grow_rows(
                keep_tested(block, tested, rows), df[rows], level, sizes[0], rows
            )
            better[rows] = _grow_rows(
                keep_tested(-block, above, rows), df[rows], level, sizes[1], rows
            )
        return Decisions(better, worse, None)

    critical = critical_steps(level, n_models - 1, float(df))
    for rows in row_blocks(n_models, n_models):
        block = statistic[rows]
        ordered = reject_nan(np.sort(keep_tested(block, tested, rows), axis=1))
        worse[rows] = _leading_run(ordered[:, :0:-1], _steps(critical, sizes[0], rows))
        ordered = np.sort(keep_tested(block, above, rows), axis=1)
        better[rows] = _leading_run(-ordered[:, :-1], _steps(critical, sizes[1], rows))
    return Decisions(better, worse, None)


def holm_each_stacked(statistic: NDArray[np.float64], df: float, alpha: float) -> Decisions:
    """`holm_each` for many tasks at once, which costs little more than for one.

    Parameters
    ----------
    statistic : ndarray of float64, shape (T, M, M)
        Statistics of each task; all of its pairs are tested.
    df : float
        Degrees of freedom, shared by all tasks.
    alpha : float
        As in `holm_each`.

    Returns
    -------
    Decisions
        Counts of each task, shape (T, M); ``shown_better`` is None.

    Raises
    ------
    OptionError, DataError
        As in `holm_each`.

    Examples
    --------
    >>> t = np.array([[0.0, 4.0, 6.0], [-4.0, 0.0, 1.0], [-6.0, -1.0, 0.0]])
    >>> holm_each_stacked(np.stack([t, 0 * t]), 20.0, 0.05).worse.tolist()
    [[2, 0, 0], [0, 0, 0]]
    """
    level = check_alpha(alpha) / 2
    *shape, n_models = statistic.shape
    better, worse = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    if n_models < 2:
        return Decisions(better, worse, None)
    # A family is a row, so that tasks can stand below each other.
    tall, above, below = statistic.reshape(-1, n_models), better.reshape(-1), worse.reshape(-1)
    steps = critical_steps(level, n_models - 1, df)[None, :0:-1]
    for rows in row_blocks(len(tall), n_models):
        ordered = reject_nan(np.sort(tall[rows], axis=1))
        below[rows] = _leading_run(ordered[:, :0:-1], steps)
        above[rows] = _leading_run(-ordered[:, :-1], steps)
    return Decisions(better, worse, None)


def holm_each_from_p(
    p: NDArray[np.float64], alpha: float, *, tested: NDArray[np.bool_] | None = None
) -> Decisions:
    """Holm for each model by itself, from p-values.

    Parameters
    ----------
    p : ndarray of float64, shape (M, M)
        ``[i, j]``: one-sided p-value of 'i is better than j'; the diagonal is 1; no NaN.
    alpha, tested
        As in `holm_each`.

    Returns
    -------
    Decisions
        The same counts as `holm_each` wherever the test has a statistic.

    Raises
    ------
    OptionError
        If `alpha` is not in (0, 1).
    DataError
        If a p-value is NaN or `tested` has the wrong shape.

    Examples
    --------
    >>> p = np.array([[1.0, 0.001, 0.01], [0.999, 1.0, 0.2], [0.99, 0.8, 1.0]])
    >>> holm_each_from_p(p, 0.05).worse.tolist()
    [2, 0, 0]
    """
    level = check_alpha(alpha) / 2
    n_models = p.shape[0]
    better = np.zeros(n_models, dtype=np.int64)
    worse = np.zeros(n_models, dtype=np.int64)
    if n_models < 2:
        return Decisions(better, worse, None)
    # -p >= -level is p <= level: the same step-down as on statistics, bit for bit.
    bound = np.append(np.inf, -level / np.arange(1, n_models))
    for counts, matrix, mask in (
        (worse, p, tested),
        (better, p.T, None if tested is None else tested.T),
    ):
        sizes = family_sizes(n_models, mask, axis=1)
        for rows in row_blocks(n_models, n_models):
            strength = keep_tested(-matrix[rows], mask, rows, fill=-1.0)
            ordered = reject_nan(np.sort(strength, axis=1))
            counts[rows] = _leading_run(ordered[:, :0:-1], _steps(bound, sizes, rows))
    return Decisions(better, worse, None)


def _steps(
    bound: NDArray[np.float64], sizes: NDArray[np.int64], rows: slice
) -> NDArray[np.float64]:
    """Bound of every step of the families of a block; ``bound[m]`` when m hypotheses are left."""
    size = sizes if sizes.size == 1 else sizes[rows]
    left = size[:, None] - np.arange(bound.size - 1)
    steps: NDArray[np.float64] = bound[np.maximum(left, 0)]
    return steps


def _leading_run(ordered: NDArray[np.float64], bounds: NDArray[np.float64]) -> NDArray[np.int64]:
    """Length of each row's run of values, strongest first, that reach their bounds."""
    reached = ordered >= bounds
    run = np.asarray(np.argmin(reached, axis=1), dtype=np.int64)
    run[reached[np.arange(run.size), run]] = reached.shape[1]
    return run


def _grow_rows(
    statistic: NDArray[np.float64],
    df: NDArray[np.float64],
    level: float,
    sizes: NDArray[np.int64],
    rows: slice,
) -> NDArray[np.int64]:
    """Holm's count of each row when cells differ in degrees of freedom."""
    size = np.broadcast_to(sizes if sizes.size == 1 else sizes[rows], statistic.shape[:1])
    counts = np.zeros(size.size, dtype=np.int64)
    active = np.flatnonzero(size)
    while active.size:
        levels = level / (size[active] - counts[active])
        grown = np.count_nonzero(reach(statistic[active], df[active], levels), axis=1)
        going_on = (grown > counts[active]) & (grown < size[active])
        counts[active] = grown
        active = active[going_on]
    return counts

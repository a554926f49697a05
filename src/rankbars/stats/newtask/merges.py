"""Rank prediction intervals for a new task: quantile, union, joint and simultaneous merge.

A merge turns the task-level intervals of one model on N tasks into an interval for a new task,
valid as soon as the new task is exchangeable with them. Models are treated one by one, all at once,
but for the last merge, whose box holds for all models together.
``best`` and ``worst`` have shape (N, M): tasks first. Fed with observed rank sets in place of
task-level intervals, a merge speaks of the rank that will be observed.

Sources: Neuhof & Benjamini 2026, Algorithm 2 (quantile, union); full conformal prediction
(Vovk, Gammerman & Shafer 2005; Lei et al. 2018) for the joint merge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.blocks import row_blocks
from rankbars.stats.newtask.guarantees import Rate, joint_index, order_index, split_index
from rankbars.stats.ranks import RankBounds

__all__ = [
    "check_intervals",
    "joint_merge",
    "quantile_merge",
    "split_score_merge",
    "trivial_bounds",
    "union_merge",
]


def quantile_merge(
    best: NDArray[np.int64], worst: NDArray[np.int64], n_ranks: int, alpha: Rate
) -> RankBounds:
    """Order statistics of both ends over tasks (Algorithm 2).

    Parameters
    ----------
    best, worst : ndarray of int, shape (N, M)
        Ends of the interval of each model on each task.
    n_ranks : int
        Size of the field; the worst possible rank.
    alpha : float, str, Fraction or Decimal
        Error rate, both sides together.

    Returns
    -------
    RankBounds
        The k-th smallest ``best`` and the k-th largest ``worst`` of each model,
        ``k = floor((N + 1) alpha / 2)``; 1 to `n_ranks` where k is 0. Shape (M,).

    Raises
    ------
    DataError
        If there is no task or the arrays are not intervals of ranks.
    OptionError
        If `alpha` is not strictly between 0 and 1.

    Examples
    --------
    >>> best, worst = np.array([[1], [2], [3]]), np.array([[4], [5], [5]])
    >>> bounds = quantile_merge(best, worst, 5, 0.5)
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1], [5])
    """
    n_tasks, n_models = check_intervals(best, worst, n_ranks)
    k = order_index(n_tasks, alpha)
    merged = trivial_bounds(n_models, n_ranks)
    if k == 0:
        return merged
    kind = np.min_scalar_type(n_ranks)
    for models in row_blocks(n_models, n_tasks):
        # The smallest integers, tasks contiguous. Where many ends are the first place or the last,
        # a large one among equals is found in half the time of a small one: so of best ranks, too,
        # with all bits turned, which turns their order.
        low, high = (np.array(ends[:, models].T, kind, order="C") for ends in (best, worst))
        merged.best[models] = ~np.partition(~low, -k)[:, -k]
        merged.worst[models] = np.partition(high, -k)[:, -k]
    return merged


def union_merge(best: NDArray[np.int64], worst: NDArray[np.int64], n_ranks: int) -> RankBounds:
    """Hull of the intervals of all tasks: the quantile merge with k = 1.

    Parameters
    ----------
    best, worst, n_ranks
        As in `quantile_merge`.

    Returns
    -------
    RankBounds
        Smallest ``best`` and largest ``worst`` of each model, shape (M,).

    Raises
    ------
    DataError
        As in `quantile_merge`.

    Examples
    --------
    >>> bounds = union_merge(np.array([[2], [3]]), np.array([[4], [3]]), 5)
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([2], [4])
    """
    check_intervals(best, worst, n_ranks)
    return RankBounds(
        best=best.min(axis=0).astype(np.int64), worst=worst.max(axis=0).astype(np.int64)
    )


def joint_merge(
    best: NDArray[np.int64], worst: NDArray[np.int64], n_ranks: int, alpha: Rate
) -> RankBounds:
    """Full-conformal interval that treats both ends as one object.

    Parameters
    ----------
    best, worst, n_ranks, alpha
        As in `quantile_merge`.

    Returns
    -------
    RankBounds
        Hull of all intervals that the new task could have without being one of the
        ``floor((N + 1) alpha)`` least typical of the N + 1; 1 to `n_ranks` where that number is 0
        or nothing is accepted. Shape (M,).

    Raises
    ------
    DataError, OptionError
        As in `quantile_merge`.

    Notes
    -----
    The depth of an interval is the smaller of two counts: the intervals that reach at least as far
    towards rank 1, and those that reach at least as far towards the last rank, itself included.
    A candidate is accepted if more than ``alpha (N + 1)`` of the N + 1 intervals are at most as
    deep. If ``[x, y]`` is accepted, so are ``[x, x]`` and ``[y, y]``; hence candidates of one rank
    suffice.

    A candidate changes the depth of an observed interval by at most one, and by how much depends
    only on its class (which count is the smaller one, and its value). So classes are counted once,
    and each rank is judged by looking up one class: the work is O(M (N + n_ranks)).

    The interval may reach beyond the quantile merge at the same rate; on average it is narrower.

    Examples
    --------
    >>> best, worst = np.array([[1], [1], [1], [4]]), np.array([[1], [1], [2], [5]])
    >>> bounds = joint_merge(best, worst, 5, 0.4)
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1], [2])
    """
    n_tasks, n_models = check_intervals(best, worst, n_ranks)
    merged = trivial_bounds(n_models, n_ranks)
    need = joint_index(n_tasks, alpha)
    if need == 0:
        return merged
    for models in row_blocks(n_models, n_tasks + n_ranks):
        low = np.array(best[:, models].T, dtype=np.intp, order="C")
        high = np.array(worst[:, models].T, dtype=np.intp, order="C")
        accepted = _accepted_ranks(low, high, n_ranks, need)
        some = accepted.any(axis=1)
        first = 1 + np.argmax(accepted, axis=1)
        last = n_ranks - np.argmax(accepted[:, ::-1], axis=1)
        merged.best[models] = np.where(some, first, 1)
        merged.worst[models] = np.where(some, last, n_ranks)
    return merged


def _accepted_ranks(
    best: NDArray[np.intp], worst: NDArray[np.intp], n_ranks: int, need: int
) -> NDArray[np.bool_]:
    """Which one-rank candidates conform, shape (M, n_ranks); `best`, `worst` of shape (M, N).

    With ``reach_low[b] = #{i : best_i <= best_b}`` and ``reach_high`` alike, the depth of interval
    b in the bag of all N + 1 is ``min(reach_low + [g <= best_b], reach_high + [g >= worst_b])``.
    The candidate's own depth is ``d = min(low, high) + 1`` with ``low = #{i : best_i <= g}`` and
    ``high = #{i : worst_i >= g}``.
    An interval with ``min(reach_low, reach_high) < d`` is at most as deep as g whatever g adds;
    one with more than d never is; one with exactly d is, unless g adds to its smaller reach.
    If that is reach_low, its best end is the d-th smallest. It lies beyond g where ``low < d``,
    which is ``low <= high``, and g adds to it; otherwise there is no such interval on g, as it
    would have reach_high < d. Likewise at the other end. If both reaches are d, g adds to one of
    them only.
    """
    n_models, n_tasks = best.shape
    row = np.arange(n_models)[:, None]
    by_rank, by_depth = n_ranks + 2, n_tasks + 2  # columns 0 .. n_ranks + 1 and 0 .. N + 1

    # How many intervals reach at least as far as each rank.
    low = np.cumsum(_count_cells(best + by_rank * row, n_models, by_rank), axis=1)
    high = _count_cells(worst + by_rank * row, n_models, by_rank)
    high = np.ascontiguousarray(np.cumsum(high[:, ::-1], axis=1)[:, ::-1])
    reach_low = low.ravel().take(best + by_rank * row)
    reach_high = high.ravel().take(worst + by_rank * row)

    # By depth: intervals at most that deep, and those that can gain at one end.
    depth = np.minimum(reach_low, reach_high) + by_depth * row
    at_most = np.cumsum(_count_cells(depth, n_models, by_depth), axis=1)
    low_only = _count_cells(depth[reach_low < reach_high], n_models, by_depth)
    high_only = _count_cells(depth[reach_low > reach_high], n_models, by_depth)

    low, high = low[:, 1:-1], high[:, 1:-1]
    d = np.minimum(low, high) + (1 + by_depth * row)
    as_deep = at_most.ravel().take(d)
    as_deep -= low_only.ravel().take(d) * (low <= high)
    as_deep -= high_only.ravel().take(d) * (high <= low)
    # 1 + as_deep > alpha (N + 1), for the whole number as_deep.
    return np.asarray(as_deep >= need)


def _count_cells(cells: NDArray[np.intp], n_rows: int, n_columns: int) -> NDArray[np.intp]:
    """How often each cell of a matrix occurs among flat positions."""
    counts = np.bincount(cells.ravel(), minlength=n_rows * n_columns)
    return counts.reshape(n_rows, n_columns)


def trivial_bounds(n_models: int, n_ranks: int) -> RankBounds:
    """Intervals that say nothing: 1 to `n_ranks` for every model.

    Examples
    --------
    >>> trivial_bounds(2, 5).worst.tolist()
    [5, 5]
    """
    return RankBounds(
        best=np.ones(n_models, dtype=np.int64), worst=np.full(n_models, n_ranks, dtype=np.int64)
    )


def check_intervals(
    best: NDArray[np.int64], worst: NDArray[np.int64], n_ranks: int
) -> tuple[int, int]:
    """Numbers of tasks and models, after a check of what the arrays hold.

    Raises
    ------
    DataError
        If there is no task, the shapes differ, or ``1 <= best <= worst <= n_ranks`` is broken.

    Examples
    --------
    >>> check_intervals(np.array([[1, 2]]), np.array([[1, 3]]), 3)
    (1, 2)
    """
    if best.ndim != 2 or best.shape != worst.shape:
        raise DataError(
            "best and worst must both have shape (tasks, models); "
            f"got {best.shape} and {worst.shape}."
        )
    if best.shape[0] == 0:
        raise DataError("A rank on a new task needs at least one task; got none.")
    if best.min(initial=1) < 1 or worst.max(initial=n_ranks) > n_ranks or (best > worst).any():
        raise DataError(f"Every interval must satisfy 1 <= best <= worst <= {n_ranks}.")
    return best.shape[0], best.shape[1]


def split_score_merge(
    best: NDArray[np.int64], worst: NDArray[np.int64], n_ranks: int, alpha: Rate
) -> RankBounds:
    """Box around all models' intervals, calibrated by one score per task.

    It contains the new task's intervals of all models with probability at least ``1 - alpha`` when
    the new task is exchangeable with the others; the rate is not split over models.

    Parameters
    ----------
    best, worst : ndarray of int, shape (N, M)
        Ends of the interval of each model on each task.
        The order of the tasks must have been fixed without looking at the results: the first half
        sets the shape of the box, the second half its size.
    n_ranks : int
        Size of the field.
    alpha : float, str, Fraction or Decimal
        Error rate for all models together.

    Returns
    -------
    RankBounds
        Shape (M,); 1 to `n_ranks` for every model where the tasks are too few.

    Raises
    ------
    DataError
        If there is no task or the arrays are not intervals of ranks.
    OptionError
        If `alpha` is not strictly between 0 and 1.

    Notes
    -----
    Split conformal prediction. The first ``N // 2`` tasks give each model the medians of its two
    ends as centres and ``max(1, SD(worst - best) + max(SD(best), SD(worst)))`` as scale.
    The score of another task is the largest distance, in scales, by which any end of any model
    lies outside of its centre. With q the k-th smallest score of the second half,
    ``k = ceil((n2 + 1) (1 - alpha))``, the box holds exactly the intervals that score at most q.

    Examples
    --------
    >>> best = np.array([[1, 2], [1, 2], [1, 2], [1, 2], [2, 1]])
    >>> bounds = split_score_merge(best, best, 3, 0.5)
    >>> bounds.best.tolist(), bounds.worst.tolist()
    ([1, 2], [1, 2])
    """
    n_tasks, n_models = check_intervals(best, worst, n_ranks)
    n_first, k = split_index(n_tasks, alpha)
    if k == 0:
        return trivial_bounds(n_models, n_ranks)
    low_centre = np.median(best[:n_first], axis=0)
    high_centre = np.median(worst[:n_first], axis=0)
    scale = _scales(best[:n_first], worst[:n_first])
    low_score = (low_centre - best[n_first:]) / scale
    high_score = (worst[n_first:] - high_centre) / scale
    score = np.maximum(low_score, high_score).max(axis=1, initial=-np.inf)
    q = float(np.partition(score, k - 1)[k - 1])
    return RankBounds(
        best=_outermost(low_centre, scale, q, 1),
        # The worst end is the best end of the mirrored ranks.
        worst=-_outermost(-high_centre, scale, q, -n_ranks),
    )


def _scales(best: NDArray[np.int64], worst: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far each model's ends vary over tasks, at least one rank."""
    wander = np.maximum(best.std(axis=0), worst.std(axis=0))
    scales: NDArray[np.float64] = np.maximum(1.0, (worst - best).std(axis=0) + wander)
    return scales


def _outermost(
    centre: NDArray[np.float64], scale: NDArray[np.float64], q: float, lowest: int
) -> NDArray[np.int64]:
    """Smallest rank, from `lowest`, whose score ``(centre - rank) / scale`` is at most q.

    The candidate from the inverse formula may be off by one through rounding;
    the score itself, computed as for the tasks, decides.
    """
    rank = np.ceil(centre - q * scale)
    rank = np.where((centre - (rank - 1)) / scale <= q, rank - 1, rank)
    rank = np.where((centre - rank) / scale > q, rank + 1, rank)
    return np.maximum(rank, lowest).astype(np.int64)

"""Rank prediction intervals that hold for all models of a new task at once.

The merge contains the new task's intervals of all models with probability at least ``1 - alpha``
when the new task is exchangeable with the others; it does not split the rate over models.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.newtask.guarantees import Rate, split_index
from rankbars.stats.newtask.merges import check_intervals, trivial_bounds
from rankbars.stats.ranks import RankBounds

__all__ = ["split_score_merge"]


def split_score_merge(
    best: NDArray[np.int64], worst: NDArray[np.int64], n_ranks: int, alpha: Rate
) -> RankBounds:
    """Box around all models' intervals, calibrated by one score per task.

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

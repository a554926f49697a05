"""Draws of the scores on one task: probabilities of its ranks, and of one model being better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.comparisons import Comparisons
from rankbars.data.rankshares import TASK_DRAWS
from rankbars.data.taskresult import TaskResult
from rankbars.stats.pairwise.modelscores import consensus_scores
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.resampling.distributions import (
    contrast_covariance,
    normal_draws,
    symmetric_root,
)
from rankbars.stats.resampling.rankcounts import TOP, rank_probability
from rankbars.stats.streams import stream
from rankbars.stats.tails import upper_tail

__all__ = ["with_shares"]

_MOST_MODELS = 200  # of more, tables of pairs would be most of a board file
_LARGEST_DEFICIT = 1e-3  # of a table of errors that hardly is a covariance


def with_shares(result: TaskResult, comparisons: Comparisons, seed: int) -> TaskResult:
    """The result with what joint draws of its scores say of ranks, where errors are known.

    Parameters
    ----------
    result : TaskResult
        The only task of a board.
    comparisons : Comparisons
        Its scores and pairs. Draws are from the normal or t distribution with the covariance that
        follows from the errors of scores and of differences.
    seed : int
        Start of the random stream.

    Returns
    -------
    TaskResult
        As it was without errors, where they fit no joint distribution, and for more than 200
        models.

    Notes
    -----
    Ranks are counted in 10,000 draws. The probability that one model is better than another is
    computed: the tail of the statistic of their difference.
    """
    present = np.flatnonzero(comparisons.present)
    size = len(comparisons.models)
    if comparisons.pairs is None or present.size < 2 or size > _MOST_MODELS:
        return result
    made = _draw(comparisons, comparisons.pairs, present, seed)
    if made is None:
        return result
    share = np.full((size, size), np.nan)
    share[present] = 0.0
    share[np.ix_(present, np.arange(present.size))] = rank_probability(made)
    found = replace(
        result, rank_probability=share, dominance=_dominance(comparisons.pairs, present, size)
    )
    places = (1, min(TOP, size))
    return replace(found, draws_agree=not any(found.exceeding(k).any() for k in places))


def _draw(
    comparisons: Comparisons, pairs: PairStatistics, present: NDArray[np.intp], seed: int
) -> NDArray[np.float64] | None:
    """Draws of the scores of the models that are present; None where errors do not allow it."""
    block = np.ix_(present, present)
    own, among = np.square(comparisons.mean_se[present]), np.square(pairs.se[block])
    np.fill_diagonal(among, 0.0)
    if not (np.isfinite(own).all() and np.isfinite(among).all() and own.any()):
        return None
    found = symmetric_root(contrast_covariance(own, among))
    if found.deficit > _LARGEST_DEFICIT:
        return None
    df = np.broadcast_to(np.asarray(pairs.df, dtype=np.float64), pairs.se.shape)[block]
    centre = consensus_scores(comparisons.mean[present], pairs.diff[block], pairs.se[block])
    return normal_draws(
        centre,
        found.root,
        lambda chunk: stream(seed, "score draws", comparisons.task, chunk),
        TASK_DRAWS,
        df=float(np.min(df[df > 0], initial=np.inf)),
        identical=pairs.identical[block],
    )


def _dominance(pairs: PairStatistics, present: NDArray[np.intp], size: int) -> NDArray[np.float64]:
    """Probability that i is better than j; NaN without a score or where a difference is constant.

    Two models with the same evidence are never better than each other.
    """
    block = np.ix_(present, present)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = pairs.diff[block] / pairs.se[block]
    df = np.broadcast_to(np.asarray(pairs.df, dtype=np.float64), pairs.se.shape)[block]
    inside = upper_tail(-statistic, df)
    inside[pairs.se[block] == 0] = np.nan
    inside[(pairs.se[block] == 0) & (pairs.diff[block] == 0)] = 0.0
    np.fill_diagonal(inside, 0.0)
    found = np.full((size, size), np.nan)
    found[block] = inside
    return found

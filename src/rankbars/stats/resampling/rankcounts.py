"""Counted in draws of scores: probabilities of ranks and of being better, bands, the k best.

Rank 1 is the best. Models with equal scores in a draw share their ranks evenly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.errors import OptionError
from rankbars.stats.blocks import row_blocks
from rankbars.stats.multiplicity.stepdown import holm_rejects
from rankbars.stats.ranks import RankBounds, tied_places
from rankbars.stats.tails import check_alpha

if TYPE_CHECKING:
    from rankbars.stats.newtask.guarantees import Rate

__all__ = [
    "DOMINANCE_CORRECTIONS",
    "TOP",
    "StatedPairs",
    "choose_top",
    "dominance",
    "exceeding_ranks",
    "expected_rank",
    "rank_band",
    "rank_probability",
    "settle_ties",
    "state_pairs",
    "top_probability",
]

TOP = 3  # "among the first three": what is counted in draws beside who is first
_ROUNDING = 1e-9
_SPLIT = 2.0**13 + 1.0  # leaves 40 of 53 bits


def settle_ties(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores with 40 significant bits: sums that differ by their rounding only become equal.

    Notes
    -----
    The upper part of Veltkamp's splitting (Dekker 1971, Numerische Mathematik 18): rounds to the
    nearest number with so many bits.

    Examples
    --------
    >>> settled = settle_ties(np.array([0.1 + 0.2, 0.3]))
    >>> bool(settled[0] == settled[1]), bool(0.1 + 0.2 == 0.3)
    (True, False)
    """
    scaled = np.asarray(_SPLIT * values)
    scaled -= scaled - values
    return scaled


def rank_probability(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the draws in which each model has each rank.

    Parameters
    ----------
    values : array of float, shape (S, M)
        One draw of all scores per row, higher is better; nothing missing.

    Returns
    -------
    array of float, shape (M, M)
        ``[i, r]``: model i has rank r + 1. Rows and columns add up to 1. A model that is tied
        with others in a draw (see `settle_ties`) has an equal share in each of the ranks that
        they take together.

    Examples
    --------
    >>> rank_probability(np.array([[0.9, 0.5, 0.1], [0.7, 0.7, 0.1]])).tolist()
    [[0.75, 0.25, 0.0], [0.25, 0.75, 0.0], [0.0, 0.0, 1.0]]
    """
    draws, size = values.shape
    whole = np.zeros(size * size, dtype=np.int64)
    shared = np.zeros((size, size + 1))
    for rows in row_blocks(draws, size):
        block = -settle_ties(values[rows])
        order = np.argsort(block, axis=1)
        ordered = np.take_along_axis(block, order, axis=1)
        equal = ordered[:, 1:] == ordered[:, :-1]
        tied = equal.any(axis=1)
        if tied.any():
            _share_ranks(shared, order[tied], equal[tied])
            order = order[~tied]
        cells = order * size + np.arange(size)
        whole += np.bincount(cells.reshape(-1), minlength=size * size)
    total = whole.reshape(size, size).astype(np.float64)
    if shared.any():
        total += np.cumsum(shared, axis=1)[:, :size]
    total /= draws
    np.clip(total, 0.0, 1.0, out=total)  # shares of ties add up with rounding
    return total


def _share_ranks(
    shared: NDArray[np.float64], order: NDArray[np.intp], equal: NDArray[np.bool_]
) -> None:
    """Add draws with ties, as steps: up where the ranks of a group begin, down behind its last."""
    begins = np.ones(order.shape, dtype=np.bool_)
    begins[:, 1:] = ~equal
    first, last = tied_places(begins)
    share = (1.0 / (last - first + 1)).reshape(-1)
    columns = order.shape[1] + 1
    for place, sign in ((first, 1.0), (last + 1, -1.0)):
        cells = (order * columns + place).reshape(-1)
        steps = np.bincount(cells, weights=sign * share, minlength=shared.size)
        shared += steps.reshape(shared.shape)


def expected_rank(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean rank of each model, shape (M,), from its rank probabilities, shape (M, M).

    Examples
    --------
    >>> expected_rank(np.array([[0.75, 0.25], [0.25, 0.75]])).tolist()
    [1.25, 1.75]
    """
    return np.asarray(probability @ np.arange(1.0, probability.shape[1] + 1))


def top_probability(probability: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Probability that each model is among the k best, shape (M,).

    Raises
    ------
    OptionError
        If k is not between 1 and M.

    Examples
    --------
    >>> top_probability(np.array([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.0, 0.3, 0.7]]), 2).round(1)
    array([0.9, 0.8, 0.3])
    """
    size = probability.shape[1]
    if not isinstance(k, (int, np.integer)) or not 1 <= k <= size:
        raise OptionError.out_of_range("k", k, f"a whole number between 1 and {size}")
    return np.asarray(probability[:, :k].sum(axis=1))


def choose_top(
    probability: NDArray[np.float64], k: int, *, exactly: bool = True
) -> NDArray[np.bool_]:
    """The models that are best reported as the k best.

    Parameters
    ----------
    probability : array of float, shape (M, M)
        Rank probabilities.
    k : int
        Between 1 and M.
    exactly : bool
        True: the k models with the largest probability of being among the k best, which makes
        the expected number of wrong members smallest among sets of k. Between equal
        probabilities the smaller expected rank decides, then the position. False: every model
        whose probability exceeds one half, which makes the expected number of wrong decisions
        smallest among all sets; there may be more or fewer than k of them.

    Returns
    -------
    array of bool, shape (M,)
        The chosen models.

    References
    ----------
    Lin, Louis, Paddock & Ridgeway 2006, *Bayesian Analysis* 1.

    Examples
    --------
    >>> ranks = np.array([[0.4, 0.4, 0.2], [0.35, 0.35, 0.3], [0.25, 0.25, 0.5]])
    >>> choose_top(ranks, 1).tolist(), choose_top(ranks, 1, exactly=False).tolist()
    ([True, False, False], [False, False, False])
    """
    inside = top_probability(probability, k)
    if not exactly:
        return inside > 0.5 + _ROUNDING
    order = np.lexsort((expected_rank(probability), -np.round(inside, 9)))
    chosen = np.zeros(inside.size, dtype=np.bool_)
    chosen[order[:k]] = True
    return chosen


def rank_band(probability: NDArray[np.float64], draws: int, alpha: Rate = 0.05) -> RankBounds:
    """Central band of the ranks that each model takes over the draws.

    Parameters
    ----------
    probability : array of float, shape (M, M)
        Rank probabilities.
    draws : int
        Number of draws S behind them.
    alpha : float, str, Fraction or Decimal
        Share of the draws outside the band, both ends together; read as an exact decimal.

    Returns
    -------
    RankBounds
        Of the S ranks of a model the ``floor(S alpha / 2)``-th smallest (at least the first) and
        the ``ceil(S (1 - alpha / 2))``-th; shape (M,).

    Notes
    -----
    **Not a confidence interval under ties**: draws of models that are truly equal take random
    orders, and the band concentrates around the middle of the tie.

    Examples
    --------
    >>> band = rank_band(np.array([[0.96, 0.04], [0.04, 0.96]]), 100, 0.1)
    >>> band.best.tolist(), band.worst.tolist()
    ([1, 2], [1, 2])
    """
    from rankbars.stats.newtask.guarantees import exact_rate

    tail = exact_rate(alpha) / 2
    reached = np.cumsum(probability, axis=1) * draws + _ROUNDING * draws
    first = max(1, math.floor(draws * tail))
    last = math.ceil(draws * (1 - tail))
    size = probability.shape[1]
    return RankBounds(
        best=np.minimum(1 + np.count_nonzero(reached < first, axis=1), size).astype(np.int64),
        worst=np.minimum(1 + np.count_nonzero(reached < last, axis=1), size).astype(np.int64),
    )


DOMINANCE_CORRECTIONS = ("bonferroni", "holm", "bh")
_BLOCK_BYTES = 2**18


class StatedPairs(NamedTuple):
    """Pairs that draws allow to state.

    Attributes
    ----------
    stated : array of bool, shape (M, M)
        ``[i, j]``: i is stated to be better than j.
    reachable : bool
        Whether the number of draws allows any statement at this level: the smallest share that
        S draws can show is ``2 / (S + 1)``.
    promise : {"all", "share"}
        ``"all"``: all stated pairs are right, at the level. ``"share"``: a share of them may be
        wrong, so they make no order.
    """

    stated: NDArray[np.bool_]
    reachable: bool
    promise: Literal["all", "share"]


def dominance(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of the draws in which one model scores strictly higher than another.

    Parameters
    ----------
    values : array of float, shape (S, M)
        One draw of all scores per row, higher is better; nothing missing.

    Returns
    -------
    array of float, shape (M, M)
        ``[i, j]``: i scores higher than j; the diagonal is 0. What ``[i, j]`` and ``[j, i]``
        lack to 1 is the share of draws with a tie.

    Notes
    -----
    Comparisons are bytes, eight of which are counted at once as the bits of one word. In a draw
    without any tie the model that is not higher is lower, so one comparison per pair is enough;
    sorting a draw shows whether it has ties.

    Examples
    --------
    >>> dominance(np.array([[0.9, 0.5], [0.7, 0.7], [0.2, 0.1], [0.1, 0.3]])).tolist()
    [[0.0, 0.5], [0.25, 0.0]]
    """
    draws, size = values.shape
    columns = np.empty((size, draws))
    tied = np.zeros(draws, dtype=np.bool_)
    for rows in row_blocks(draws, size):
        block = settle_ties(values[rows])
        columns[:, rows] = block.T
        block.sort(axis=1)
        tied[rows] = (block[:, 1:] == block[:, :-1]).any(axis=1)
    counts = np.zeros((size, size), dtype=np.int64)
    if not tied.all():
        _add_counts(counts, columns if not tied.any() else columns[:, ~tied], ties=False)
    if tied.any():
        _add_counts(counts, columns if tied.all() else columns[:, tied], ties=True)
    return np.asarray(counts / draws)


def _add_counts(counts: NDArray[np.int64], columns: NDArray[np.float64], *, ties: bool) -> None:
    """Add the number of draws in which one row of `columns`, shape (M, S), is above another."""
    size, draws = columns.shape
    rest = -draws % 8
    if rest:  # equal everywhere, so never above
        columns = np.concatenate([columns, np.zeros((size, rest))], axis=1)
    columns = np.ascontiguousarray(columns)
    step = max(1, _BLOCK_BYTES // columns.shape[1])
    for model in range(size - 1):
        for start in range(model + 1, size, step):
            others = slice(start, min(start + step, size))
            above = _count(columns[model] > columns[others])
            counts[model, others] += above
            if ties:
                counts[others, model] += _count(columns[model] < columns[others])
            else:
                counts[others, model] += draws - above


def _count(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    words = flags.view(np.uint64)
    return np.asarray(np.bitwise_count(words).sum(axis=1, dtype=np.int64))


def state_pairs(
    better: NDArray[np.float64],
    draws: float,
    alpha: float,
    correction: Literal["bonferroni", "holm", "bh"] = "bonferroni",
) -> StatedPairs:
    """Pairs of models whose order may be stated, with all pairs accounted for.

    Parameters
    ----------
    better : array of float, shape (M, M)
        `dominance` of the draws.
    draws : float
        Number of draws S; infinite for probabilities that were computed, not counted.
    alpha : float
        Error rate, two-sided, in (0, 1).
    correction : {"bonferroni", "holm", "bh"}
        ``"bonferroni"`` and ``"holm"``: all stated pairs are right with probability
        ``1 - alpha``, as far as the draws describe the uncertainty. ``"bh"`` (Benjamini and
        Hochberg): on average a share of at most `alpha` of the stated pairs may be wrong, so
        they must not be drawn as an order in which every line is claimed.

    Returns
    -------
    StatedPairs

    Notes
    -----
    The p-value of a pair is ``2 (c + 1) / (S + 1)``, where c counts the draws in which the model
    with fewer wins is not worse; ``2 c / S`` where probabilities were computed.

    Examples
    --------
    >>> state_pairs(np.array([[0.0, 1.0], [0.0, 0.0]]), 999, 0.05).stated.tolist()
    [[False, True], [False, False]]
    """
    check_name("correction of dominance", correction, DOMINANCE_CORRECTIONS)
    check_alpha(alpha)
    size = better.shape[0]
    pairs = size * (size - 1) // 2
    promise: Literal["all", "share"] = "share" if correction == "bh" else "all"
    if pairs == 0:
        return StatedPairs(np.zeros((size, size), dtype=np.bool_), True, promise)
    first, second = np.triu_indices(size, 1)
    ahead = better[first, second] >= better[second, first]
    winner, loser = np.where(ahead, first, second), np.where(ahead, second, first)
    p = 2.0 * (1.0 - better[winner, loser])
    if np.isfinite(draws):
        p = (np.rint(p / 2.0 * draws) + 1.0) * 2.0 / (draws + 1.0)
    p = np.minimum(p, 1.0)
    stated = np.zeros((size, size), dtype=np.bool_)
    chosen = _rejected(p, alpha, correction)
    stated[winner[chosen], loser[chosen]] = True
    # With BH all pairs could be stated together, at the full level; else one must be first.
    easiest = alpha if correction == "bh" else alpha / pairs
    return StatedPairs(stated, bool(2.0 / (draws + 1.0) <= easiest), promise)


def _rejected(p: NDArray[np.float64], alpha: float, correction: str) -> NDArray[np.bool_]:
    count = p.size
    if correction == "bonferroni":
        return np.asarray(p <= alpha / count)
    if correction == "holm":
        return holm_rejects(p, alpha)
    order = np.argsort(p, kind="stable")
    last = np.flatnonzero(p[order] <= alpha * np.arange(1, count + 1) / count)
    rejected = np.zeros(count, dtype=np.bool_)
    rejected[order[: last[-1] + 1 if last.size else 0]] = True
    return rejected


def exceeding_ranks(
    share: NDArray[np.float64], bounds: RankBounds, k: int, alpha: float
) -> NDArray[np.bool_]:
    """Models of which shares of draws say more than ranks do, at the places from 1 to `k`.

    Parameters
    ----------
    share : array of float, shape (M, M)
        Share of the draws in which each model has each rank.
    bounds : RankBounds
        `best` and `worst` of each model.
    k : int
        From 1 to the number of models.
    alpha : float
        Error rate of the ranks.

    Returns
    -------
    array of bool, shape (M,)
        Models that may rank lower than `k` and do so in less than `alpha` of the draws, and those
        that rank lower and reach `k` in more than `alpha` of them.

    Examples
    --------
    >>> share = np.array([[0.98, 0.02], [0.02, 0.98]])
    >>> exceeding_ranks(share, RankBounds(np.array([1, 1]), np.array([2, 2])), 1, 0.05).tolist()
    [True, False]
    """
    reached = share[:, :k].sum(axis=1)
    above = (bounds.worst > k) & (reached > 1.0 - alpha)
    return np.asarray(above | ((bounds.best > k) & (reached > alpha)))

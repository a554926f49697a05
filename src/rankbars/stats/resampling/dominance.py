"""Probability that one model is better than another, for all pairs, counted in draws of scores."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import UnknownOptionError
from rankbars.stats.blocks import row_blocks
from rankbars.stats.multiplicity.thresholds import check_alpha
from rankbars.stats.resampling.rankcounts import settle_ties

__all__ = ["DOMINANCE_CORRECTIONS", "StatedPairs", "dominance", "state_pairs"]

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
    draws: int,
    alpha: float,
    correction: Literal["bonferroni", "holm", "bh"] = "bonferroni",
) -> StatedPairs:
    """Pairs of models whose order may be stated, with all pairs accounted for.

    Parameters
    ----------
    better : array of float, shape (M, M)
        `dominance` of the draws.
    draws : int
        Number of draws S.
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
    with fewer wins is not worse.

    Examples
    --------
    >>> state_pairs(np.array([[0.0, 1.0], [0.0, 0.0]]), 999, 0.05).stated.tolist()
    [[False, True], [False, False]]
    """
    if correction not in DOMINANCE_CORRECTIONS:
        raise UnknownOptionError.among("correction of dominance", correction, DOMINANCE_CORRECTIONS)
    check_alpha(alpha)
    size = better.shape[0]
    pairs = size * (size - 1) // 2
    promise: Literal["all", "share"] = "share" if correction == "bh" else "all"
    if pairs == 0:
        return StatedPairs(np.zeros((size, size), dtype=np.bool_), True, promise)
    first, second = np.triu_indices(size, 1)
    ahead = better[first, second] >= better[second, first]
    winner, loser = np.where(ahead, first, second), np.where(ahead, second, first)
    against = np.rint((1.0 - better[winner, loser]) * draws)
    p = np.minimum(2.0 * (against + 1.0) / (draws + 1.0), 1.0)
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
    order = np.argsort(p, kind="stable")
    place = np.arange(1, count + 1)
    rejected = np.zeros(count, dtype=np.bool_)
    if correction == "holm":
        small = p[order] <= alpha / (count + 1 - place)
        rejected[order] = np.logical_and.accumulate(small)
    else:
        last = np.flatnonzero(p[order] <= alpha * place / count)
        rejected[order[: last[-1] + 1 if last.size else 0]] = True
    return rejected

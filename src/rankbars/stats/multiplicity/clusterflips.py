"""Sign flips of whole clusters: the null law of cluster-robust statistics of all pairs.

A flip turns the sum of a cluster for all models together. Numerator and CR2 error are computed
anew after each: with few or unequal clusters the error varies far more than its degrees of freedom
say, and an error that stayed as it was would hide that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.multiplicity.maxt import NullDraws, is_complete, pair_squares, sign_patterns
from rankbars.stats.pairwise.clusters import Grouping, stretch_sums, too_uneven

__all__ = ["cluster_draws", "smallest_p"]

_EXACT_CLUSTERS = 13
# A share of the sum of squares below which an error is rounding; the statistic is then huge.
_LEAST_VARIANCE = 1e-12


def smallest_p(units: int) -> float:
    """Smallest p-value of a family of pairs in both directions, where so many units are flipped.

    Examples
    --------
    >>> smallest_p(5), smallest_p(6)
    (0.0625, 0.03125)
    """
    return 2.0 ** (1 - units)


def cluster_draws(
    values: NDArray[np.float64],
    grouping: Grouping,
    make_stream: Callable[[int], np.random.Generator],
    n_draws: int,
) -> NullDraws:
    """Draws by flipping the signs of the sums of whole clusters.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Complete scores, times the weights of the rows where there are any.
    grouping : Grouping
        The clusters, with their shares.
    make_stream : callable
        Random generator of a chunk of draws, by its number.
    n_draws : int
        Number of random patterns; for up to 13 clusters all are visited instead.

    Returns
    -------
    NullDraws
        Nothing can be shown where clusters are too few or one holds most rows.

    Notes
    -----
    With the sums D_g of the differences of a pair, shares w_g, and signs s_g, the statistic is
    ``N / sqrt(sum_g (s_g D_g - w_g N)^2 / (1 - w_g))``, ``N = sum_g s_g D_g``: the mean over its
    CR2 error. Exact when sums of clusters are symmetric about zero under the null hypothesis.

    Examples
    --------
    >>> from rankbars.stats.pairwise.clusters import group_rows
    >>> rows = np.array([[3.0, 0.0], [1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    >>> made = cluster_draws(rows, group_rows([1, 2, 3, 4, 5, 5]), np.random.default_rng, 100)
    >>> made.complete, made.statistic[0, 1].round(4).item()
    (True, 1.5256)
    """
    # A shift of a row cancels in every difference; taking it out keeps the products accurate.
    centred = (values - values.mean(axis=1, keepdims=True))[grouping.order]
    sums = np.add.reduceat(centred, grouping.starts, axis=0)
    shares, stretch = grouping.shares, stretch_sums(grouping.shares)
    if too_uneven(shares.size, shares.max()).any():
        sums[:] = 0.0
    squares = pair_squares(stretch[:, None] * sums)
    lean = (np.square(stretch) * shares)[:, None] * sums
    bend = float(np.square(stretch * shares).sum())

    def measure(
        total: NDArray[np.float64], leaning: NDArray[np.float64], rows: slice | NDArray[np.intp]
    ) -> NDArray[np.float64]:
        own = squares[rows]
        variance = np.maximum(own - total * (2.0 * leaning - bend * total), _LEAST_VARIANCE * own)
        root = np.sqrt(variance)
        return np.divide(total, root, out=np.zeros_like(root), where=root > 0)

    draws = 2**shares.size if shares.size <= _EXACT_CLUSTERS else n_draws

    def start() -> Iterator[NDArray[np.float64]]:
        for signs in sign_patterns(shares.size, make_stream, draws):
            yield np.stack([signs @ sums, signs @ lean], axis=1)

    total, leaning = sums.sum(axis=0), lean.sum(axis=0)
    observed = measure(total[:, None] - total, leaning[:, None] - leaning, slice(0, total.size))
    return NullDraws(observed, start, is_complete(shares.size, draws), measure=measure)

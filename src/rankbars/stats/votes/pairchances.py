"""With which probabilities pairs should be drawn, where votes are weighted by one over them.

Weighted so, a fit estimates what it would if all pairs were drawn alike, and each vote adds to a
martingale whatever earlier results did to the probabilities. Its variance depends on them, and the
best ones are a square root: Neyman's allocation, over pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

__all__ = ["PairDesign", "best_chances", "lay_out_pairs", "variance_per_vote"]

Array = NDArray[np.float64]


class PairDesign(NamedTuple):
    """All pairs of M models, drawn alike.

    Attributes
    ----------
    first, second : ndarray of intp, shape (P,)
        The models of each pair, ``first < second``.
    information : ndarray, shape (P,)
        What one vote on the pair tells of its difference.
    inverse : ndarray, shape (M, M)
        Moore-Penrose inverse of the mean information of a vote.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    information: Array
    inverse: Array


def lay_out_pairs(strength: Array) -> PairDesign:
    """The design in which all pairs of models are drawn alike.

    Parameters
    ----------
    strength : ndarray, shape (M,)
        Log strengths; a guess will do, for the probabilities need not be the best ones.

    Examples
    --------
    >>> lay_out_pairs(np.zeros(3)).information.tolist()
    [0.25, 0.25, 0.25]
    """
    size = strength.size
    first, second = np.triu_indices(size, 1)
    chance = special.expit(strength[first] - strength[second])
    information = chance * (1 - chance)
    share = information / first.size
    table = np.zeros((size, size))
    table[first, second] = table[second, first] = -share
    np.fill_diagonal(table, -table.sum(axis=1))
    return PairDesign(first, second, information, linalg.pinvh(table))


def best_chances(design: PairDesign, contrasts: Array, even: float) -> Array:
    """Probabilities of pairs with the least sum of variances of some contrasts.

    Parameters
    ----------
    design : PairDesign
        All pairs.
    contrasts : ndarray, shape (M, M)
        Sum over contrasts c of ``c c'``.
    even : float
        Share of votes that is drawn from all pairs alike.

    Returns
    -------
    ndarray, shape (P,)
        At least ``even / P`` each; alike where there is no contrast.

    Notes
    -----
    The sum of variances is the sum over pairs of ``a / chance``, which is least where the chance
    goes with the root of a. Source: Neyman (1934), J. R. Statist. Soc. 97, 558-625.

    Examples
    --------
    >>> first = np.outer([1, -1, 0], [1, -1, 0])
    >>> best_chances(lay_out_pairs(np.zeros(3)), first, 0.0).round(9).tolist()
    [0.5, 0.25, 0.25]
    """
    alike = np.full(design.first.size, 1 / design.first.size)
    wanted = np.sqrt(_loads(design, contrasts))
    if not wanted.sum() > 0:
        return alike
    return np.asarray(even * alike + (1 - even) * wanted / wanted.sum())


def variance_per_vote(design: PairDesign, contrast: Array, chances: Array) -> float:
    """Variance of a contrast times the number of votes, if pairs are drawn with `chances`.

    Parameters
    ----------
    design : PairDesign
        All pairs.
    contrast : ndarray, shape (M,)
        Sums to 0.
    chances : ndarray, shape (P,)
        Probability of each pair, above 0; votes are weighted by one over it.

    Examples
    --------
    Of three equal models, each vote alike: the variance of a difference is that of the fit.

    >>> design = lay_out_pairs(np.zeros(3))
    >>> round(variance_per_vote(design, np.array([1.0, -1.0, 0.0]), np.full(3, 1 / 3)), 9)
    8.0
    """
    return float((_loads(design, np.outer(contrast, contrast)) / chances).sum())


def _loads(design: PairDesign, contrasts: Array) -> Array:
    """What each pair adds to the variances, times its probability."""
    spread = design.inverse @ contrasts @ design.inverse
    one, other = design.first, design.second
    own = spread[one, one] + spread[other, other] - 2 * spread[one, other]
    return np.asarray(design.information * np.maximum(own, 0.0) / one.size**2)

"""Outcome models: the likelihood of a win, tie or loss, given how far two strengths lie apart.

Each model is a named tuple of pure functions of ``eta``, the difference of two log strengths
(first minus second, covariates included), and of its tie parameter. All are concave in both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["SPLIT_TIES", "OutcomeModel", "RowTerms", "logistic"]

Array = NDArray[np.float64]


class RowTerms(NamedTuple):
    """Log-likelihood of counted votes, with its derivatives.

    Attributes
    ----------
    log_likelihood : float
        Sum over all rows.
    slope : ndarray, shape (R,)
        Derivative of each row in ``eta``.
    curvature : ndarray, shape (R,)
        Minus the second derivative of each row in ``eta``.
    tie_slope, tie_curvature : ndarray, shape (R,)
        Derivative, and minus the second derivative, of each row in the tie parameter.
        Zeros without one, like `cross`.
    cross : ndarray, shape (R,)
        Minus the mixed derivative of each row.
    """

    log_likelihood: float
    slope: Array
    curvature: Array
    tie_slope: Array
    tie_curvature: Array
    cross: Array


class OutcomeModel(NamedTuple):
    """How wins, ties and losses follow from strengths.

    Attributes
    ----------
    name : str
        The name in the literature.
    has_tie : bool
        Whether there is a tie parameter to estimate.
    start : callable
        ``start(weight)``: first value of the tie parameter, from counts of shape (3, R).
    terms : callable
        ``terms(eta, tie, weight)``: the `RowTerms` of counts of shape (3, R).
    scores : callable
        ``scores(eta, tie)``: derivatives of the log-probability of each outcome in ``eta`` and in
        the tie parameter, two arrays of shape (3, R).
    chances : callable
        ``chances(eta, tie, weight)``: probability of each outcome, shape (3, R). Without a tie
        parameter each row keeps its own share of ties.
    """

    name: str
    has_tie: bool
    start: Callable[[Array], float]
    terms: Callable[[Array, float, Array], RowTerms]
    scores: Callable[[Array, float], tuple[Array, Array]]
    chances: Callable[[Array, float, Array], Array]


def logistic(eta: Array) -> tuple[Array, Array, Array, Array]:
    """Logistic function from both ends, and the logs of both.

    Parameters
    ----------
    eta : ndarray
        Any values.

    Returns
    -------
    p : ndarray
        ``1 / (1 + exp(-eta))``.
    q : ndarray
        ``1 - p``, to full relative precision.
    log_p, log_q : ndarray
        Their logarithms, likewise.

    Examples
    --------
    >>> p, q, log_p, log_q = logistic(np.array([0.0, 800.0]))
    >>> p.tolist(), q.tolist(), log_p.round(3).tolist(), log_q.round(3).tolist()
    ([0.5, 1.0], [0.5, 0.0], [-0.693, 0.0], [-0.693, -800.0])
    """
    small = np.exp(-np.abs(eta))
    low = small / (1.0 + small)
    high = 1.0 / (1.0 + small)
    positive = eta > 0
    log_high = -np.log1p(small)
    return (
        np.where(positive, high, low),
        np.where(positive, low, high),
        np.minimum(eta, 0.0) + log_high,
        np.minimum(-eta, 0.0) + log_high,
    )


def _split_terms(eta: Array, tie: float, weight: Array) -> RowTerms:
    """Bradley and Terry with a tie as half a win for each side."""
    total = weight.sum(axis=0)
    won = weight[0] + weight[1] / 2
    lost = total - won
    p, q, log_p, log_q = logistic(eta)
    zeros = np.zeros(eta.size)
    return RowTerms(
        log_likelihood=float(won @ log_p + lost @ log_q),
        slope=won * q - lost * p,
        curvature=total * p * q,
        tie_slope=zeros,
        tie_curvature=zeros,
        cross=zeros,
    )


def _split_scores(eta: Array, tie: float) -> tuple[Array, Array]:
    p, q, _, _ = logistic(eta)
    return np.stack([q, (q - p) / 2, -p]), np.zeros((3, eta.size))


def _split_chances(eta: Array, tie: float, weight: Array) -> Array:
    p, q, _, _ = logistic(eta)
    # The expected score of the row has to stay p, which leaves at most this many ties.
    share = np.minimum(weight[1] / weight.sum(axis=0), 2 * np.minimum(p, q))
    return np.stack([p - share / 2, share, q - share / 2])


def _no_tie(weight: Array) -> float:
    return 0.0


SPLIT_TIES = OutcomeModel(
    name="Bradley-Terry",
    has_tie=False,
    start=_no_tie,
    terms=_split_terms,
    scores=_split_scores,
    chances=_split_chances,
)
"""Bradley and Terry (1952); a tie counts as half a win for each side."""

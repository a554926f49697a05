"""Bradley and Terry's model: strengths whose differences are log odds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.votes.outcomes import SPLIT_TIES
from rankbars.stats.votes.votefit import VoteFit, fit_votes
from rankbars.stats.votes.voterows import VoteCounts

__all__ = ["elo_ratings", "fit_bradley_terry"]

ELO_PER_LOG_ODDS = 400 / float(np.log(10))
"""Elo points of one unit of log strength."""


def fit_bradley_terry(counts: VoteCounts, *, ridge: float = 0.0) -> VoteFit:
    """Strengths of Bradley and Terry's model, ties as half wins.

    Parameters
    ----------
    counts : VoteCounts
        Votes, with covariates if there are any.
    ridge : float
        At least 0, by default none. Subtracts ``ridge / 2`` times the sum of squared strengths
        from the log-likelihood. It draws strengths together, and does not replace a connection
        between models.

    Returns
    -------
    VoteFit
        Strengths with sum zero; ``tie`` is None.

    Raises
    ------
    DataError
        If the votes do not put all models on one scale, or an effect has no finite value.
    OptionError
        If `ridge` is negative or not finite.
    ConvergenceError
        If the fit does not converge.

    Notes
    -----
    ``P(i beats j) = 1 / (1 + exp(-(theta_i - theta_j)))``. With ties as half wins the strengths
    are those that reproduce each model's expected share of the votes; ties make outcomes less
    variable than the model says, so use the sandwich covariance.
    Source: Bradley and Terry (1952), Biometrika 39, 324-345.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> fit = fit_bradley_terry(from_matrices([[0, 8], [2, 0]]))
    >>> (fit.strength[0] - fit.strength[1]).round(9).item(), round(float(np.log(4)), 9)
    (1.386294361, 1.386294361)
    """
    return fit_votes(counts, SPLIT_TIES, ridge=ridge)


def elo_ratings(
    strength: NDArray[np.float64], *, anchor: int | None = None, rating: float = 1000.0
) -> NDArray[np.float64]:
    """Log strengths on the scale of Elo: 400 points are odds of ten to one.

    Parameters
    ----------
    strength : ndarray, shape (M,)
        Log strengths.
    anchor : int, optional
        The model that gets `rating`; by default the mean of all models does.
    rating : float
        Rating of the anchor.

    Returns
    -------
    ndarray, shape (M,)
        Ratings. Their differences do not depend on the anchor.

    Examples
    --------
    >>> elo_ratings(np.log(np.array([10.0, 1.0])), anchor=1).round(6).tolist()
    [1400.0, 1000.0]
    """
    origin = float(strength.mean() if anchor is None else strength[anchor])
    return rating + ELO_PER_LOG_ODDS * (strength - origin)

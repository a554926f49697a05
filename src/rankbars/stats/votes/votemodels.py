"""Models of votes: Bradley and Terry (1952), and with ties of their own Rao and Kupper, Davidson.

Differences of strengths are log odds. Rao and Kupper (1967) and Davidson (1970) give ties a
probability of their own that falls with the distance of the strengths; their tie parameter is
kept on the log scale, where the likelihood is concave.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.votes.likelihood import SPLIT_TIES, OutcomeModel, RowTerms, logistic
from rankbars.stats.votes.votecounts import VoteCounts
from rankbars.stats.votes.votefit import VoteFit, fit_votes

__all__ = [
    "DAVIDSON",
    "RAO_KUPPER",
    "fit_bradley_terry",
    "fit_davidson",
    "fit_rao_kupper",
]

Array = NDArray[np.float64]


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


def fit_davidson(counts: VoteCounts, *, ridge: float = 0.0) -> VoteFit:
    """Strengths and the tie parameter of Davidson's model.

    Parameters
    ----------
    counts : VoteCounts
        Votes, with covariates if there are any.
    ridge : float
        Penalty, as in `rankbars.stats.votes.votemodels.fit_bradley_terry`.

    Returns
    -------
    VoteFit
        ``tie`` is ``log(nu)``: equally strong models tie with probability ``nu / (2 + nu)``.

    Raises
    ------
    DataError
        If the votes leave a strength or the tie parameter without a finite value.
    ConvergenceError
        If the fit does not converge.

    Notes
    -----
    With ``r = exp(eta / 2)``: ``P(win) = r / (r + 1/r + nu)``, ``P(tie) = nu / (r + 1/r + nu)``.
    Given that a vote is decided, this is Bradley and Terry's model with the same strengths.
    Source: Davidson (1970), JASA 65, 317-328.

    Examples
    --------
    Two models; the odds of a decided vote are 6 to 2, and ``nu = ties / sqrt(wins * losses)``:

    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> fit = fit_davidson(from_matrices([[0, 6], [2, 0]], [[0, 4], [4, 0]]))
    >>> round(float(np.exp(fit.strength[0] - fit.strength[1])), 9)
    3.0
    >>> round(float(np.exp(fit.tie)), 6), round(4 / 12**0.5, 6)
    (1.154701, 1.154701)
    """
    return fit_votes(counts, DAVIDSON, ridge=ridge)


def fit_rao_kupper(counts: VoteCounts, *, ridge: float = 0.0) -> VoteFit:
    """Strengths and the threshold of Rao and Kupper's model.

    Parameters
    ----------
    counts : VoteCounts
        Votes, with covariates if there are any.
    ridge : float
        Penalty, as in `rankbars.stats.votes.votemodels.fit_bradley_terry`.

    Returns
    -------
    VoteFit
        ``tie`` is ``log(theta)``, above 0: a model wins where its advantage exceeds this
        threshold.

    Raises
    ------
    DataError
        If the votes leave a strength or the threshold without a finite value.
    ConvergenceError
        If the fit does not converge.

    Notes
    -----
    ``P(win) = s(eta - tie)``, ``P(loss) = s(-eta - tie)`` with the logistic function s; the rest
    are ties. Source: Rao and Kupper (1967), JASA 62, 194-204.

    Examples
    --------
    Equal counts of wins, losses and ties: ``P(win) = 1 / (1 + theta) = 1/3``.

    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> fit = fit_rao_kupper(from_matrices([[0, 5], [5, 0]], [[0, 5], [5, 0]]))
    >>> round(float(np.exp(fit.tie)), 9)
    2.0
    """
    return fit_votes(counts, RAO_KUPPER, ridge=ridge)


def _davidson_chances(eta: Array, tie: float, weight: Array | None = None) -> Array:
    """Probabilities of win, tie, loss, shape (3, R), without overflow."""
    exponent = np.stack([eta / 2, np.full(eta.shape, tie), -eta / 2])
    power = np.exp(exponent - exponent.max(axis=0))
    chances: Array = power / power.sum(axis=0)
    return chances


def _davidson_terms(eta: Array, tie: float, weight: Array) -> RowTerms:
    total = weight.sum(axis=0)
    exponent = np.stack([eta / 2, np.full(eta.shape, tie), -eta / 2])
    top = exponent.max(axis=0)
    power = np.exp(exponent - top)
    mass = power.sum(axis=0)
    win, tied, loss = power / mass
    return RowTerms(
        log_likelihood=float((weight * (exponent - top)).sum() - total @ np.log(mass)),
        slope=(weight[0] - weight[2] - total * (win - loss)) / 2,
        curvature=total * (win + loss - (win - loss) ** 2) / 4,
        tie_slope=weight[1] - total * tied,
        tie_curvature=total * tied * (1 - tied),
        cross=-total * tied * (win - loss) / 2,
    )


def _davidson_scores(eta: Array, tie: float) -> tuple[Array, Array]:
    win, tied, loss = _davidson_chances(eta, tie)
    lead = (win - loss) / 2
    return np.stack([0.5 - lead, -lead, -0.5 - lead]), np.stack([-tied, win + loss, -tied])


def _davidson_start(weight: Array) -> float:
    """Tie parameter of equally strong models with this share of ties."""
    share = _tie_share(weight)
    return float(np.log(2 * share / (1 - share)))


def _rao_kupper_chances(eta: Array, tie: float, weight: Array | None = None) -> Array:
    win, not_win, _, _ = logistic(eta - tie)
    not_loss, loss, _, _ = logistic(eta + tie)
    return np.stack([win, -np.expm1(-2 * tie) * not_loss * not_win, loss])


def _rao_kupper_terms(eta: Array, tie: float, weight: Array) -> RowTerms:
    # P(tie) = (1 - exp(-2 tie)) s(eta + tie) s(tie - eta): the factors of decided votes again.
    if tie <= 0:
        return RowTerms(-np.inf, eta, eta, eta, eta, eta)
    win, not_win, log_win, log_not_win = logistic(eta - tie)
    not_loss, loss, log_not_loss, log_loss = logistic(eta + tie)
    wins, ties, losses = weight
    above, below = wins + ties, losses + ties
    value = wins @ log_win + losses @ log_loss
    value += ties @ (log_not_win + log_not_loss) + ties.sum() * np.log(-np.expm1(-2 * tie))
    upper, lower = above * win * not_win, below * not_loss * loss
    rise = np.expm1(2 * tie)
    return RowTerms(
        log_likelihood=float(value),
        slope=wins * not_win - ties * win + ties * loss - losses * not_loss,
        curvature=upper + lower,
        tie_slope=ties * (win + loss + 2 / rise) - wins * not_win - losses * not_loss,
        tie_curvature=upper + lower + 4 * ties * (1 + rise) / rise**2,
        cross=lower - upper,
    )


def _rao_kupper_scores(eta: Array, tie: float) -> tuple[Array, Array]:
    win, not_win, _, _ = logistic(eta - tie)
    not_loss, loss, _, _ = logistic(eta + tie)
    middle = win + loss + 2 / np.expm1(2 * tie)
    return np.stack([not_win, loss - win, -not_loss]), np.stack([-not_win, middle, -not_loss])


def _rao_kupper_start(weight: Array) -> float:
    """Threshold of equally strong models with this share of ties."""
    return float(2 * np.arctanh(_tie_share(weight)))


def _tie_share(weight: Array) -> float:
    """Share of ties, kept off 1."""
    return float(min(weight[1].sum() / weight.sum(), 0.99))


DAVIDSON = OutcomeModel(
    name="Davidson",
    has_tie=True,
    start=_davidson_start,
    terms=_davidson_terms,
    scores=_davidson_scores,
    chances=_davidson_chances,
)
"""Davidson (1970)."""

RAO_KUPPER = OutcomeModel(
    name="Rao-Kupper",
    has_tie=True,
    start=_rao_kupper_start,
    terms=_rao_kupper_terms,
    scores=_rao_kupper_scores,
    chances=_rao_kupper_chances,
)
"""Rao and Kupper (1967)."""

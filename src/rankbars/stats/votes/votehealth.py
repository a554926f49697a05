"""How much the votes can carry: coverage, position, votes still needed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError, OptionError
from rankbars.stats.tails import critical_value
from rankbars.stats.votes.binomial import ShareTest, share_test
from rankbars.stats.votes.votedesign import lay_out, predict_rows, sum_by
from rankbars.stats.votes.votefit import VoteFit, join_parameters, tie_parameter
from rankbars.stats.votes.voterows import LOSS, TIE, WIN, VoteCounts

__all__ = [
    "VoteCoverage",
    "design_effect",
    "growth_to_separate",
    "measure_coverage",
    "position_bias",
    "row_residuals",
    "votes_to_separate",
]

Array = NDArray[np.float64]


class VoteCoverage(NamedTuple):
    """How votes spread over models and pairs.

    Attributes
    ----------
    votes : ndarray, shape (M,)
        Votes (sum of weights) that each model took part in.
    opponents : ndarray of int64, shape (M,)
        Different models that each model met.
    pair_share : float
        Share of all pairs that have votes.
    tie_share : float
        Share of votes without a winner.
    effective_pairs : float
        Number of pairs that, with equally many votes each, would be spread as evenly:
        ``(sum n)^2 / sum n^2``.
    """

    votes: Array
    opponents: NDArray[np.int64]
    pair_share: float
    tie_share: float
    effective_pairs: float


def measure_coverage(counts: VoteCounts) -> VoteCoverage:
    """How votes spread over models and pairs.

    Parameters
    ----------
    counts : VoteCounts
        Votes.

    Returns
    -------
    VoteCoverage
        Totals; shares are NaN without votes or pairs.

    Examples
    --------
    >>> from rankbars.stats.votes.votecounts import count_votes
    >>> coverage = measure_coverage(count_votes([0, 0, 0], [1, 1, 2], [0, 1, 2], 3))
    >>> coverage.votes.tolist(), coverage.opponents.tolist(), round(coverage.effective_pairs, 6)
    ([3.0, 2.0, 1.0], [2, 1, 1], 1.8)
    """
    size = counts.n_models
    total = counts.weight.sum(axis=0)
    pairs, row = np.unique(counts.first * size + counts.second, return_inverse=True)
    per_pair = sum_by(row, total, pairs.size)
    first, second = pairs // max(size, 1), pairs % max(size, 1)
    n_pairs = size * (size - 1) // 2
    squares = float(per_pair @ per_pair)
    return VoteCoverage(
        votes=sum_by(counts.first, total, size) + sum_by(counts.second, total, size),
        opponents=np.bincount(first, minlength=size) + np.bincount(second, minlength=size),
        pair_share=pairs.size / n_pairs if n_pairs else float("nan"),
        tie_share=float(counts.weight[TIE].sum() / total.sum()) if squares else float("nan"),
        effective_pairs=float(total.sum()) ** 2 / squares if squares else 0.0,
    )


def position_bias(outcome: ArrayLike, alpha: float) -> ShareTest:
    """Whether the first position wins more or less than half of the decided votes.

    Parameters
    ----------
    outcome : array_like of int, shape (n,)
        0 the model in first position wins, 1 tie, 2 the model in second position wins.
    alpha : float
        Error rate of the interval.

    Returns
    -------
    ShareTest
        Share of the first position, with exact interval and p-value.

    Raises
    ------
    DataError
        If an outcome is not 0, 1 or 2.
    OptionError
        If `alpha` is not in (0, 1).

    Notes
    -----
    Takes positions as drawn at random. Where they were not, fit the position as a covariate
    (`rankbars.stats.votes.covariates.count_position_votes`), which allows for the strengths.

    Examples
    --------
    >>> bias = position_bias([0] * 15 + [2] * 5 + [1] * 4, 0.05)
    >>> bias.share, round(bias.p, 6)
    (0.75, 0.041389)
    """
    coded = np.asarray(outcome, dtype=np.intp)
    if coded.size and not (coded.min() >= WIN and coded.max() <= LOSS):
        raise DataError(f"Outcomes must be 0, 1 or 2; got {coded.min()} to {coded.max()}.")
    tally = np.bincount(coded, minlength=3)
    return share_test(float(tally[WIN]), float(tally[LOSS]), alpha)


def votes_to_separate(
    difference: ArrayLike, se: ArrayLike, information: ArrayLike, alpha: float, power: float
) -> Array:
    """Further votes between two models until their difference would be shown.

    Parameters
    ----------
    difference : array_like, shape (...)
        Difference of log strengths, taken as the true one.
    se : array_like, shape (...)
        Its standard error so far.
    information : array_like, shape (...)
        What one vote between them adds to ``1 / se^2``: ``p (1 - p)`` for a decided vote; for
        models close to each other ``1 / (4 (1 - t))`` where a share t of votes are ties counted
        as half wins.
    alpha : float
        One-sided level of the test.
    power : float
        Probability to show the difference.

    Returns
    -------
    ndarray, shape (...)
        Votes, rounded up; 0 where the power is there already, infinity for no difference.

    Raises
    ------
    OptionError
        If `alpha` or `power` is not in (0, 1).

    Notes
    -----
    A vote between i and j is a rank-one update of the information, so that n votes turn the
    variance ``v`` of their contrast into ``v / (1 + n information v)``, whatever the rest of the
    board. Needed is ``se = |difference| / (z(alpha) + z(1 - power))``.

    Examples
    --------
    >>> votes_to_separate([0.1, 0.5, 0.0], 0.1, 0.25, alpha=0.025, power=0.8).tolist()
    [2740.0, 0.0, inf]
    """
    target = _needed_se(difference, alpha, power)
    with np.errstate(divide="ignore"):
        missing = 1 / np.square(target) - 1 / np.square(np.asarray(se, dtype=np.float64))
    return np.ceil(np.maximum(missing, 0.0) / np.asarray(information, dtype=np.float64))


def growth_to_separate(difference: ArrayLike, se: ArrayLike, alpha: float, power: float) -> Array:
    """Factor by which all votes together would have to grow until a difference would be shown.

    Parameters
    ----------
    difference, se, alpha, power
        As in `votes_to_separate`.

    Returns
    -------
    ndarray, shape (...)
        At least 1; infinity for no difference.

    Raises
    ------
    OptionError
        If `alpha` or `power` is not in (0, 1).

    Examples
    --------
    >>> growth_to_separate([0.1, 0.5, 0.0], 0.1, alpha=0.025, power=0.8).round(3).tolist()
    [7.849, 1.0, inf]
    """
    target = _needed_se(difference, alpha, power)
    with np.errstate(divide="ignore"):
        growth = np.square(np.asarray(se, dtype=np.float64) / target)
    return np.maximum(growth, 1.0)


def design_effect(clustered: Array, independent: Array) -> float:
    """How much wider clusters make the variances of contrasts, on average.

    Parameters
    ----------
    clustered, independent : ndarray, shape (M, M)
        Covariance of the strengths with and without clusters; rows sum to zero.

    Returns
    -------
    float
        Ratio of the mean variances of all contrasts; 1 if clusters do not matter, NaN for one
        model.

    Examples
    --------
    >>> v = np.array([[0.5, -0.5], [-0.5, 0.5]])
    >>> design_effect(3 * v, v)
    3.0
    """
    # The mean over pairs of V_ii + V_jj - 2 V_ij is proportional to the trace if rows sum to 0.
    plain = float(np.trace(independent))
    return float(np.trace(clustered)) / plain if plain > 0 else float("nan")


def row_residuals(counts: VoteCounts, fit: VoteFit) -> Array:
    """Standardised residual of each row: how far a pair is from what the fit expects of it.

    Parameters
    ----------
    counts : VoteCounts
        The votes that were fitted.
    fit : VoteFit
        Their fit.

    Returns
    -------
    ndarray, shape (R,)
        Score of the first model less its expectation, over its standard deviation under the
        fit; about standard normal for many votes. 0 where the fit leaves no variation.

    Examples
    --------
    >>> from rankbars.stats.votes.bradleyterry import fit_bradley_terry
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> counts = from_matrices([[0, 8, 2], [2, 0, 8], [8, 2, 0]])
    >>> row_residuals(counts, fit_bradley_terry(counts)).round(3).tolist()
    [1.897, -1.897, 1.897]
    """
    design = lay_out(counts, fit.outcomes.has_tie)
    eta = predict_rows(design, join_parameters(fit))
    chances = fit.outcomes.chances(eta, tie_parameter(fit), counts.weight)
    return standardise_rows(counts.weight, chances)


def standardise_rows(weight: Array, chances: Array) -> Array:
    """Residuals of scores (win 1, tie 1/2, loss 0) of counts, given probabilities (3, R)."""
    total = weight.sum(axis=0)
    expected = chances[WIN] + chances[TIE] / 2
    variance = chances[WIN] + chances[TIE] / 4 - expected**2
    excess = weight[WIN] + weight[TIE] / 2 - total * expected
    spread = np.sqrt(np.maximum(total * variance, 0.0))
    residuals = np.zeros(total.size)
    np.divide(excess, spread, out=residuals, where=spread > 1e-9)
    return residuals


def _needed_se(difference: ArrayLike, alpha: float, power: float) -> Array:
    """Standard error with which a difference is shown with the given probability."""
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0 < value < 1:
            raise OptionError.out_of_range(name, value, "between 0 and 1")
    total = critical_value(alpha, np.inf) + critical_value(1 - power, np.inf)
    return np.abs(np.asarray(difference, dtype=np.float64)) / total

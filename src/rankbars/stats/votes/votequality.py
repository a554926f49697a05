"""How much the votes can carry: coverage, position, votes still needed, and circles of wins.

Circles: whether models beat each other in circles more than a scale of strengths explains.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.errors import DataError, OptionError
from rankbars.stats.binomial import ShareTest, share_test
from rankbars.stats.drawncounts import draw_multinomials
from rankbars.stats.streams import stream
from rankbars.stats.tails import critical_value
from rankbars.stats.votes.likelihood import predict_rows, split_parameters, sum_by
from rankbars.stats.votes.votecounts import LOSS, TIE, WIN, VoteCounts, to_matrices
from rankbars.stats.votes.votefit import VoteFit, join_parameters
from rankbars.stats.votes.voterefits import (
    CHUNK,
    Refitter,
    check_unit_weights,
    prepare_refits,
    refit,
)

__all__ = [
    "Intransitivity",
    "VoteCoverage",
    "count_cycles",
    "design_effect",
    "growth_to_separate",
    "measure_coverage",
    "position_bias",
    "simulate_transitivity",
    "votes_to_separate",
]

Array = NDArray[np.float64]

_ROUNDING = 1e-6  # of a standard error: what a fit that explains everything may leave


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
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> wins, ties = [[0, 1, 0], [0, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    >>> coverage = measure_coverage(from_matrices(wins, ties))
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
    Takes positions as drawn at random. Where they were not, fit the position as a covariate,
    which allows for the strengths.

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


def _standardise_rows(weight: Array, chances: Array) -> Array:
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


class Intransitivity(NamedTuple):
    """Observed circles and misfit beside those of votes simulated from the fit.

    Attributes
    ----------
    cycles : int
        Triples of models that beat each other in a circle by majority.
    expected_cycles : float
        Their mean over simulations: chance makes circles of models close to each other.
    p_cycles : float
        Share of simulations (and the data) with at least as many.
    misfit : float
        Sum of squared standardised residuals of the rows.
    expected_misfit : float
        Its mean over simulations; ``misfit / expected_misfit`` is the overdispersion.
    p_misfit : float
        Share of simulations (and the data) with at least as much.
    n_simulated : int
        Simulations that could be fitted.
    without_fit : int
        Simulations that put no finite strength on some model, and do not count.
    """

    cycles: int
    expected_cycles: float
    p_cycles: float
    misfit: float
    expected_misfit: float
    p_misfit: float
    n_simulated: int
    without_fit: int


def simulate_transitivity(
    counts: VoteCounts, fit: VoteFit, n_draws: int, seed: int, key: tuple[str | int, ...] = ()
) -> Intransitivity:
    """Test of a scale of strengths against circles and other misfit.

    Parameters
    ----------
    counts : VoteCounts
        The votes that were fitted, each counting once.
    fit : VoteFit
        Their fit.
    n_draws : int
        Simulations, at least 1.
    seed : int
        Seed of the analysis.
    key : tuple of str and int
        What the numbers are for.

    Returns
    -------
    Intransitivity
        Observed and simulated numbers.

    Raises
    ------
    DataError
        If votes are weighted.
    OptionError
        If `n_draws` is below 1.

    Notes
    -----
    A parametric bootstrap: each simulation keeps the number of votes of each row, draws outcomes
    from the fit, and is fitted again. With ties as half wins a row keeps its share of ties.
    Cycles speak of circles alone. The misfit also rises where votes depend on each other within
    voters or prompts, and, with very many votes, where chances do not follow the model's curve.

    Examples
    --------
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> counts = from_matrices([[0, 80, 20], [20, 0, 80], [80, 20, 0]])
    >>> result = simulate_transitivity(counts, fit_bradley_terry(counts), 99, seed=0)
    >>> result.cycles, result.p_misfit
    (1, 0.01)
    """
    if n_draws < 1:
        raise OptionError.out_of_range("n_draws", n_draws, "at least 1")
    check_unit_weights(counts)
    refitter = prepare_refits(counts, fit)
    start = join_parameters(fit)
    chances = _chances(refitter, start, counts.weight)
    total = np.rint(counts.weight.sum(axis=0)).astype(np.int64)
    simulated = []
    for draw in range(n_draws):
        chunk, within = divmod(draw, CHUNK)
        if within == 0:
            rng = stream(seed, *key, "transitivity", chunk)
        weight = draw_multinomials(rng, total, chances.T).T.astype(np.float64)
        point = refit(refitter, weight)
        if point is not None:
            simulated.append(_measure(refitter, point, weight))
    cycles, misfit = _measure(refitter, start, counts.weight)
    null = np.reshape(simulated, (-1, 2))
    n = null.shape[0]
    mean = null.mean(axis=0) if n else np.full(2, np.nan)
    # Equal residuals in another order of summation must not count as less.
    reached = (null >= np.array([cycles, misfit * (1 - 1e-12)])).sum(axis=0)
    p_cycles, p_misfit = (1 + reached) / (1 + n)
    return Intransitivity(
        cycles,
        float(mean[0]),
        float(p_cycles),
        misfit,
        float(mean[1]),
        float(p_misfit),
        n,
        n_draws - n,
    )


def count_cycles(wins: Array) -> int:
    """Triples of models that beat each other in a circle by majority of decided votes.

    Parameters
    ----------
    wins : ndarray, shape (M, M)
        ``[i, j]``: votes for i against j.

    Returns
    -------
    int
        Circles of three; pairs without a majority are in none.

    Examples
    --------
    >>> count_cycles(np.array([[0, 3, 1], [1, 0, 3], [3, 1, 0]]))
    1
    """
    ahead = (wins > wins.T).astype(np.float64)
    return round(float(((ahead @ ahead) * ahead.T).sum()) / 3)


def _chances(refitter: Refitter, point: Array, weight: Array) -> Array:
    """Probabilities of the outcomes of each row under fitted parameters."""
    _, _, tie = split_parameters(refitter.design, point)
    eta = predict_rows(refitter.design, point)
    chances = np.clip(refitter.fit.outcomes.chances(eta, tie, weight), 0.0, 1.0)
    normal: Array = chances / chances.sum(axis=0)
    return normal


def _measure(refitter: Refitter, point: Array, weight: Array) -> tuple[int, float]:
    """Cycles and misfit of counts under the parameters fitted to them."""
    residuals = _standardise_rows(weight, _chances(refitter, point, weight))
    residuals[np.abs(residuals) < _ROUNDING] = 0.0
    wins, _ = to_matrices(refitter.counts._replace(weight=weight))
    return count_cycles(wins), float(residuals @ residuals)

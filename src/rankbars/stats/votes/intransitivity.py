"""Whether models beat each other in circles more than a scale of strengths explains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import OptionError
from rankbars.stats.streams import stream
from rankbars.stats.votes.votecounts import to_matrices
from rankbars.stats.votes.votedesign import predict_rows, split_parameters
from rankbars.stats.votes.votefit import VoteFit, join_parameters
from rankbars.stats.votes.votehealth import standardise_rows
from rankbars.stats.votes.voterefit import Refitter, prepare_refits, refit
from rankbars.stats.votes.voteresample import CHUNK, check_unit_weights
from rankbars.stats.votes.voterows import VoteCounts

__all__ = ["Intransitivity", "count_cycles", "simulate_transitivity"]

Array = NDArray[np.float64]


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
    >>> from rankbars.stats.votes.bradleyterry import fit_bradley_terry
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
        weight = rng.multinomial(total, chances.T).T.astype(np.float64)
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
    residuals = standardise_rows(weight, _chances(refitter, point, weight))
    wins, _ = to_matrices(refitter.counts._replace(weight=weight))
    return count_cycles(wins), float(residuals @ residuals)

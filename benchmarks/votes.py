"""Strengths from votes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.rows import Ratio, Row, Sides, require
from rankbars.stats.streams import stream
from rankbars.stats.votes.bradleyterry import fit_bradley_terry
from rankbars.stats.votes.votecounts import from_matrices, to_matrices
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.voteresample import CHUNK, bootstrap_votes

TITLE = "Votes"

Array = NDArray[np.float64]


def complete_against_choix(models: int) -> Sides:
    """Every pair has votes."""
    return _against_choix(draw_wins(models, models))


def band_against_choix(models: int, reach: int) -> Sides:
    """Only neighbours in strength have votes, as in Swiss tournaments."""
    return _against_choix(draw_wins(models, reach))


def bootstrap_against_refits(models: int, votes: int, draws: int) -> Sides:
    """Bootstrap of votes, beside a Newton fit of each draw that starts from the full fit."""
    wins = draw_wins(models, models)
    wins = np.maximum(np.rint(wins * votes / wins.sum()), np.sign(wins))
    counts = from_matrices(wins)
    fit = fit_bradley_terry(counts)

    def refits() -> Array:
        cells = np.flatnonzero(counts.weight)
        shares = counts.weight.ravel()[cells]
        strengths = []
        for chunk, start in enumerate(range(0, draws, CHUNK)):
            rng = stream(0, "votes", chunk)
            drawn = rng.multinomial(round(shares.sum()), shares / shares.sum(), size=CHUNK)
            for cell in drawn[: draws - start]:
                weight = np.zeros(counts.weight.size)
                weight[cells] = cell
                resampled = counts._replace(weight=weight.reshape(counts.weight.shape))
                strengths.append(newton_from(fit.strength, to_matrices(resampled)[0]))
        return np.array(strengths)

    return Sides(lambda: bootstrap_votes(counts, fit, draws, seed=0).strength, refits, _close)


def newton_from(start: Array, wins: Array) -> Array:
    """Bradley and Terry's strengths by Newton's method over square tables."""
    strength = start.copy()
    total, won = wins + wins.T, wins.sum(axis=1)
    for _ in range(50):
        p = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = won - (total * p).sum(axis=1)
        if np.abs(gradient).max() <= 1e-9 * won.max():
            break
        curvature = total * p * (1 - p)
        information = np.diag(curvature.sum(axis=1)) - curvature
        # A constant fixes the level, which the votes leave open.
        strength += np.linalg.solve(information + curvature.mean(), gradient)
    return np.asarray(strength - strength.mean())


def draw_wins(models: int, reach: int) -> Array:
    """Table of wins among models at most `reach` places apart."""
    rng = np.random.default_rng(0)
    strength = np.linspace(-1.5, 1.5, models)
    first, second = np.triu_indices(models, 1)
    near = second - first <= reach
    first, second = first[near], second[near]
    votes = rng.integers(20, 60, first.size)
    won = rng.binomial(votes, 1 / (1 + np.exp(strength[second] - strength[first])))
    wins = np.zeros((models, models))
    # One vote each way, so that nobody is undefeated.
    wins[first, second], wins[second, first] = won + 1, votes - won + 1
    return wins


def _against_choix(wins: Array) -> Sides:
    def peer() -> Array:
        import choix

        found = choix.ilsr_pairwise_dense(wins)
        return np.asarray(found - found.mean())

    def agree(fit: VoteFit, strength: Array) -> None:
        require(fit.iterations <= 10, "at most 10 steps of Newton's method")
        np.testing.assert_allclose(fit.strength, strength, rtol=0, atol=1e-6)

    return Sides(lambda: fit_bradley_terry(from_matrices(wins)), peer, agree)


def _close(one: Array, other: Array) -> None:
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


ROWS: tuple[Row, ...] = (
    *(
        Ratio(
            f"complete_{models}",
            "Bradley–Terry fit, votes on every pair",
            "choix, iterative Luce spectral ranking",
            complete_against_choix,
            {"models": models},
            {"models": 6},
            at_least=1 / 4,
            needs=("choix",),
        )
        for models in (200, 1000)
    ),
    *(
        Ratio(
            f"band_{models}",
            "Bradley–Terry fit, votes among neighbours",
            "choix, iterative Luce spectral ranking",
            band_against_choix,
            {"models": models, "reach": reach},
            {"models": 8, "reach": 2},
            at_least=2,
            needs=("choix",),
        )
        for models, reach in ((200, 3), (1000, 5))
    ),
    Ratio(
        "bootstrap_200",
        "Bradley–Terry fits of resampled votes",
        "Newton from the full fit, draw by draw",
        bootstrap_against_refits,
        {"models": 200, "votes": 1_000_000, "draws": 32},
        {"models": 5, "votes": 2_000, "draws": 5},
        at_least=1 / 1.3,
    ),
)

"""Probabilities of pairs: against brute force, and against the fit that they are made for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from rankbars.stats.votes.arena import best_chances, lay_out_pairs, variance_per_vote
from rankbars.stats.votes.votecounts import VoteCounts
from rankbars.stats.votes.votecovariance import sandwich_covariance
from rankbars.stats.votes.votemodels import fit_bradley_terry

STRENGTH = np.array([0.9, 0.4, -0.2, -1.1])
CONTRAST = np.array([1.0, -1.0, 0.0, 0.0])


def test_no_other_probabilities_give_a_smaller_variance() -> None:
    design = lay_out_pairs(STRENGTH)
    best = best_chances(design, np.outer(CONTRAST, CONTRAST), 0.0)

    def variance(logits: np.ndarray) -> float:
        chances = np.exp(logits) / np.exp(logits).sum()
        return variance_per_vote(design, CONTRAST, chances)

    found = optimize.minimize(variance, np.zeros(6), method="BFGS", options={"gtol": 1e-9})
    chances = np.exp(found.x) / np.exp(found.x).sum()
    np.testing.assert_allclose(best, chances, atol=1e-4)
    assert variance(np.log(best + 1e-300)) <= found.fun + 1e-9


@pytest.mark.parametrize("even", [0.1, 0.5, 1.0])
def test_every_pair_has_its_share(even: float) -> None:
    chances = best_chances(lay_out_pairs(STRENGTH), np.outer(CONTRAST, CONTRAST), even)
    assert chances.sum() == pytest.approx(1)
    assert chances.min() >= even / 6 - 1e-12


def test_the_variance_is_that_of_the_weighted_fit_of_expected_votes() -> None:
    design = lay_out_pairs(STRENGTH)
    chances = best_chances(design, np.outer(CONTRAST, CONTRAST), 0.2)
    win = 1 / (1 + np.exp(STRENGTH[design.second] - STRENGTH[design.first]))
    votes = 1e6 * chances * np.stack([win, 0 * win, 1 - win])
    weight = 1 / (6 * chances)
    counts = VoteCounts(
        4, design.first, design.second, votes * weight, votes * weight**2, np.empty((6, 0))
    )
    covariance = sandwich_covariance(counts, fit_bradley_terry(counts))
    expected = CONTRAST @ covariance @ CONTRAST
    assert variance_per_vote(design, CONTRAST, chances) / 1e6 == pytest.approx(expected, rel=1e-6)

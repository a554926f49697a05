"""Refits by chord steps end where a fit from the start ends."""

import numpy as np
import pytest
from vote_cases import count_position_votes, count_votes, draw_votes

from rankbars.stats.votes import voterefits
from rankbars.stats.votes.votecounts import from_matrices
from rankbars.stats.votes.votefit import join_parameters
from rankbars.stats.votes.votemodels import fit_bradley_terry, fit_davidson, fit_rao_kupper
from rankbars.stats.votes.voterefits import prepare_refits, refit

FITS = [fit_bradley_terry, fit_davidson, fit_rao_kupper]


@pytest.mark.parametrize("fit_votes", FITS, ids=lambda fit: fit.__name__)
@pytest.mark.parametrize("count", [count_votes, count_position_votes])
def test_chord_steps_end_where_a_fit_from_the_start_ends(fit_votes, count):
    rng = np.random.default_rng(0)
    counts = count(*draw_votes(rng, np.array([0.6, 0.2, -0.2, -0.6]), 800, 0.2))
    refitter = prepare_refits(counts, fit_votes(counts))
    for _ in range(5):
        weight = rng.poisson(counts.weight).astype(float)
        fresh = fit_votes(counts._replace(weight=weight, squared=weight))
        np.testing.assert_allclose(refit(refitter, weight), join_parameters(fresh), atol=1e-6)


@pytest.mark.parametrize("fit_votes", FITS, ids=lambda fit: fit.__name__)
def test_what_chord_steps_do_not_reach_is_fitted_from_the_start(fit_votes, monkeypatch):
    counts = count_votes(*draw_votes(np.random.default_rng(0), np.zeros(3), 300, 0.2))
    refitter = prepare_refits(counts, fit_votes(counts))
    weight = counts.weight * np.array([[8.0], [1.0], [1.0]])
    monkeypatch.setattr(voterefits, "_MOST_STEPS", 1)
    fresh = fit_votes(counts._replace(weight=weight, squared=weight))
    np.testing.assert_allclose(refit(refitter, weight), join_parameters(fresh), atol=1e-9)


def test_a_ridge_stays_in_the_refits():
    counts = count_votes(*draw_votes(np.random.default_rng(0), np.array([1.0, 0, -1.0]), 300))
    refitter = prepare_refits(counts, fit_bradley_terry(counts, ridge=20.0))
    weight = 1.2 * counts.weight
    fresh = fit_bradley_terry(counts._replace(weight=weight, squared=weight), ridge=20.0)
    np.testing.assert_allclose(refit(refitter, weight), fresh.strength, atol=1e-6)


def test_counts_that_do_not_connect_have_no_fit():
    counts = from_matrices([[0, 3, 1], [1, 0, 2], [0, 1, 0]])
    refitter = prepare_refits(counts, fit_bradley_terry(counts))
    weight = counts.weight.copy()
    weight[2] = 0  # nobody later ever wins
    assert refit(refitter, weight) is None


def test_a_board_is_found_connected_although_a_sturdy_row_went_missing():
    """Rows with most votes connect the models, but so do the others once one of those is gone."""
    wins = np.ones((4, 4)) - np.eye(4)
    circle = np.arange(4)
    wins[circle, (circle + 1) % 4] = 9
    counts = from_matrices(wins)
    refitter = prepare_refits(counts, fit_bradley_terry(counts))
    assert refitter.forward.size + refitter.backward.size == 4
    weight = counts.weight.copy()
    weight[0, 0] = 0
    assert refit(refitter, weight) is not None

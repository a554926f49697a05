"""The bootstrap over votes and clusters, and the normal draws that stand in for it."""

import numpy as np
import pytest
from vote_cases import count_votes, draw_votes

from rankbars.errors import DataError
from rankbars.stats.votes.voteclusters import count_clustered_votes
from rankbars.stats.votes.votecounts import from_matrices
from rankbars.stats.votes.votecovariance import cluster_covariance, sandwich_covariance
from rankbars.stats.votes.votemodels import fit_bradley_terry, fit_davidson
from rankbars.stats.votes.voterefits import bootstrap_clusters, bootstrap_votes


def tied_votes(n_votes=2000):
    return draw_votes(np.random.default_rng(3), np.array([0.8, 0.1, 0.0, -0.9]), n_votes, 0.3)


def test_the_bootstrap_over_votes_spreads_like_the_sandwich():
    counts = count_votes(*tied_votes())
    fit = fit_bradley_terry(counts)
    draws = bootstrap_votes(counts, fit, 600, seed=0)
    expected = np.sqrt(np.diagonal(sandwich_covariance(counts, fit)))
    # Standard deviations of 600 draws have a relative error of 3 %.
    np.testing.assert_allclose(draws.strength.std(axis=0, ddof=1), expected, rtol=0.1)
    np.testing.assert_allclose(draws.strength.mean(axis=0), fit.strength, atol=0.02)
    np.testing.assert_allclose(draws.strength.sum(axis=1), 0.0, atol=1e-12)


def test_the_bootstrap_over_clusters_spreads_like_the_cluster_sandwich():
    rng = np.random.default_rng(1)
    strength, taste = np.array([0.5, 0.0, -0.5]), 1.0
    voters = np.repeat(np.arange(80), 12)
    own = strength + taste * rng.normal(size=(80, 3))
    votes = draw_votes(rng, strength, voters.size)
    lead = own[voters, votes.first] - own[voters, votes.second]
    outcome = np.where(rng.random(voters.size) < 1 / (1 + np.exp(-lead)), 0, 2)
    clusters = count_clustered_votes(votes.first, votes.second, outcome, voters, 3)
    fit = fit_bradley_terry(clusters.counts)
    draws = bootstrap_clusters(clusters, fit, 600, seed=0)
    expected = np.sqrt(np.diagonal(cluster_covariance(clusters, fit)))
    np.testing.assert_allclose(draws.strength.std(axis=0, ddof=1), expected, rtol=0.12)


def test_draws_depend_on_seed_and_key_and_come_in_one_order():
    counts = count_votes(*tied_votes(200))
    fit = fit_davidson(counts)
    draws = bootstrap_votes(counts, fit, 70, seed=1, key=("math",)).strength
    again = bootstrap_votes(counts, fit, 70, seed=1, key=("math",)).strength
    fewer = bootstrap_votes(counts, fit, 40, seed=1, key=("math",)).strength
    other = bootstrap_votes(counts, fit, 40, seed=1, key=("code",)).strength
    assert np.array_equal(draws, again)
    assert np.array_equal(draws[:40], fewer)
    assert not (fewer == other).any()


def test_resamples_that_do_not_connect_are_counted_and_left_out():
    """Three wins and one loss: all four equal with probability .75^4 + .25^4."""
    counts = from_matrices([[0, 3], [1, 0]])
    n = 2000
    draws = bootstrap_votes(counts, fit_bradley_terry(counts), n, seed=0)
    p = 0.75**4 + 0.25**4
    assert abs(draws.without_fit - n * p) < 4 * np.sqrt(n * p * (1 - p))
    assert draws.strength.shape == (n - draws.without_fit, 2)
    assert np.isfinite(draws.strength).all()


def test_drawn_cluster_sizes_are_those_of_clusters_with_replacement():
    """Two clusters, all wins and all losses: both the same in half of the resamples."""
    clusters = count_clustered_votes([0] * 6, [1] * 6, [0, 0, 0, 2, 2, 2], [0, 0, 0, 1, 1, 1], 2)
    draws = bootstrap_clusters(clusters, fit_bradley_terry(clusters.counts), 1000, seed=0)
    assert abs(draws.without_fit - 500) < 4 * np.sqrt(250)
    np.testing.assert_allclose(draws.strength, 0.0, atol=1e-12)


def test_weighted_votes_are_not_drawn_singly():
    counts = count_votes([0, 1, 0], [1, 0, 1], [0, 0, 1], 2, [1.0, 2.0, 0.5])
    with pytest.raises(DataError, match="count once each"):
        bootstrap_votes(counts, fit_bradley_terry(counts), 10, seed=0)


def test_one_cluster_cannot_be_drawn_from():
    clusters = count_clustered_votes([0, 1], [1, 0], [0, 0], [0, 0], 2)
    with pytest.raises(DataError, match="at least 2 of them; got 1"):
        bootstrap_clusters(clusters, fit_bradley_terry(clusters.counts), 10, seed=0)

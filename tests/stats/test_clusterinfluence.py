"""Influence of voters and judges: exact Newton steps, real refits, boards that hang on one."""

import numpy as np
import pytest
from vote_cases import draw_votes

from rankbars.stats.votes import voteinfluence
from rankbars.stats.votes.likelihood import (
    collect_products,
    collect_slopes,
    lay_out,
    mirror_upper,
    predict_rows,
)
from rankbars.stats.votes.voteclusters import count_clustered_votes
from rankbars.stats.votes.votefit import join_parameters, tie_parameter
from rankbars.stats.votes.voteinfluence import drop_clusters
from rankbars.stats.votes.votemodels import fit_bradley_terry, fit_davidson, fit_rao_kupper

FITS = [fit_bradley_terry, fit_davidson, fit_rao_kupper]


def clustered(n_votes=240, size=6, n_clusters=8, covariates=None):
    rng = np.random.default_rng(0)
    votes = draw_votes(rng, np.linspace(-0.7, 0.7, size), n_votes, 0.2)
    voters = rng.integers(0, n_clusters, n_votes)
    return votes, voters, count_clustered_votes(*votes[:3], voters, size, covariates=covariates)


def rest_of(clusters, number):
    """Counts without one cluster."""
    weight = clusters.counts.weight.copy()
    cells = clusters.cluster == number
    weight[:, clusters.row[cells]] -= clusters.weight[:, cells]
    return clusters.counts._replace(weight=weight, squared=weight)


@pytest.mark.parametrize("fit_votes", FITS, ids=lambda fit: fit.__name__)
@pytest.mark.parametrize("with_effect", [False, True])
@pytest.mark.parametrize("largest", [0, 10**6], ids=["by the hessian", "by the rows"])
def test_each_change_is_one_newton_step_on_the_remaining_votes(
    fit_votes, with_effect, largest, monkeypatch
):
    monkeypatch.setattr(voteinfluence, "_few_rows", lambda n_rows, design: n_rows < largest)
    _, _, clusters = clustered(covariates=np.ones((240, 1)) if with_effect else None)
    fit = fit_votes(clusters.counts)
    changes = drop_clusters(clusters, fit)
    for number in range(8):
        rest = rest_of(clusters, number)
        design = lay_out(rest, fit.outcomes.has_tie)
        eta = predict_rows(design, join_parameters(fit))
        terms = fit.outcomes.terms(eta, tie_parameter(fit), rest.weight)
        information = mirror_upper(
            collect_products(design, terms.curvature, terms.cross, terms.tie_curvature)
        )
        gradient = collect_slopes(design, terms.slope, terms.tie_slope)
        step = np.linalg.pinv(information, hermitian=True, rcond=1e-10) @ gradient
        np.testing.assert_allclose(changes[number], step[:6], rtol=1e-7, atol=1e-9)


def test_changes_are_close_to_those_of_real_refits():
    _, _, clusters = clustered(n_votes=1600, n_clusters=40)
    fit = fit_bradley_terry(clusters.counts)
    changes = drop_clusters(clusters, fit)
    for number in range(40):
        real = fit_bradley_terry(rest_of(clusters, number)).strength - fit.strength
        np.testing.assert_allclose(changes[number], real, atol=2e-3)
    np.testing.assert_allclose(changes.sum(axis=1), 0.0, atol=1e-9)


def test_a_voter_who_always_votes_for_one_model_stands_out():
    rng = np.random.default_rng(5)
    votes = draw_votes(rng, np.zeros(5), 1000)
    voters = rng.integers(0, 20, 1000)
    fan = voters == 7
    first = np.where(fan, 0, votes.first)
    second = np.where(fan & (votes.second == 0), 1, votes.second)
    second = np.where(first == second, (first + 1) % 5, second)
    outcome = np.where(fan, 0, votes.outcome)
    clusters = count_clustered_votes(first, second, outcome, voters, 5)
    changes = drop_clusters(clusters, fit_bradley_terry(clusters.counts))
    assert np.abs(changes).max(axis=1).argmax() == 7
    assert changes[7, 0] == changes[7].min() < 0


def test_some_clusters_are_dropped_alone():
    _, _, clusters = clustered()
    fit = fit_bradley_terry(clusters.counts)
    some = drop_clusters(clusters, fit, np.array([5, 2]))
    assert np.array_equal(some, drop_clusters(clusters, fit)[[5, 2]])


def test_a_voter_on_whom_the_board_hangs_has_no_change():
    """Only voter 1 ever compared model 2 with the others."""
    first, second = [0, 1, 0, 1, 2, 0], [1, 0, 1, 0, 0, 2]
    clusters = count_clustered_votes(first, second, [0] * 6, [0, 0, 2, 2, 1, 1], 3)
    changes = drop_clusters(clusters, fit_bradley_terry(clusters.counts))
    assert np.isnan(changes[1]).all()
    assert np.isfinite(changes[[0, 2]]).all()

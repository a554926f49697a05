"""Covariances of strengths: golden values, explicit sums, and whether 95 % means 95 %."""

import numpy as np
import pytest
from hypothesis import given
from reference import golden
from vote_cases import (
    band_wins,
    complete_wins,
    contrast_se,
    count_position_votes,
    count_votes,
    draw_votes,
    golden_votes,
    peers_reference,
    tie_table,
    vote_tables,
)

from rankbars.errors import DataError
from rankbars.stats.pairwise.estimates import z_from_cov
from rankbars.stats.votes import votecovariance
from rankbars.stats.votes.voteclusters import count_clustered_votes
from rankbars.stats.votes.votecounts import from_matrices
from rankbars.stats.votes.votecovariance import (
    cluster_covariance,
    cluster_scores,
    model_covariance,
    sandwich_covariance,
)
from rankbars.stats.votes.votefit import join_parameters
from rankbars.stats.votes.votemodels import fit_bradley_terry, fit_davidson, fit_rao_kupper


def test_equal_the_reference_values():
    case = golden("bradley_terry")
    votes, cluster = golden_votes(case)
    clusters = count_clustered_votes(*votes[:3], cluster, 4)
    fit = fit_bradley_terry(clusters.counts)
    covariances = {
        "hessian": model_covariance(fit),
        "sandwich": sandwich_covariance(clusters.counts, fit),
        "cluster": cluster_covariance(clusters, fit),
    }
    for name, covariance in covariances.items():
        np.testing.assert_allclose(covariance, case[f"V_{name}"], atol=case["tolerance"])
        np.testing.assert_allclose(
            contrast_se(covariance), case[f"se_contrast_{name}"], atol=case["tolerance"]
        )


@pytest.mark.parametrize(
    ("name", "wins"), [("complete_30", complete_wins(30)), ("band_200_3", band_wins(200, 3))]
)
def test_the_sandwich_equals_that_of_arena_rank(name, wins):
    counts = from_matrices(wins, tie_table(wins))
    covariance = sandwich_covariance(counts, fit_bradley_terry(counts))
    expected = peers_reference()[name]["arena_rank_se"]
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), expected, rtol=2e-4)


def test_contrasts_of_three_models_are_resistances():
    """Votes times p q are conductances: 4/3 in parallel with 4/5 and 2/3 in series."""
    fit = fit_bradley_terry(from_matrices([[0, 4, 4], [2, 0, 2], [1, 1, 0]]))
    variance = contrast_se(model_covariance(fit)) ** 2
    series = 1 / (5 / 4 + 3 / 2)
    assert variance[0, 1] == pytest.approx(1 / (4 / 3 + series), rel=1e-12)


def test_the_model_covariance_is_the_pseudo_inverse_also_of_sparse_boards():
    for wins in (band_wins(40, 2), band_wins(12, 11)):
        fit = fit_bradley_terry(from_matrices(wins))
        inverse = np.linalg.pinv(fit.information, hermitian=True)
        np.testing.assert_allclose(model_covariance(fit), inverse, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("fit_votes", [fit_bradley_terry, fit_davidson, fit_rao_kupper])
def test_sandwich_and_cluster_sandwich_equal_sums_over_votes(fit_votes):
    """Scores of single votes by finite differences of the likelihood of one vote."""
    rng = np.random.default_rng(4)
    votes = draw_votes(rng, np.array([0.6, 0.1, -0.7]), 60, 0.3)
    weight = rng.uniform(0.5, 2.0, 60)
    cluster = rng.integers(0, 7, 60)
    clusters = count_clustered_votes(*votes[:3], cluster, 3, weight, np.ones((60, 1)))
    fit = fit_votes(clusters.counts)
    parameters = join_parameters(fit)
    scores = np.zeros((60, parameters.size))
    for k in range(parameters.size):
        values = []
        for step in (1e-5, -1e-5):
            moved = parameters.copy()
            moved[k] += step
            eta = moved[votes.first] - moved[votes.second] + moved[3]
            chosen = np.zeros((3, 60))
            chosen[votes.outcome, np.arange(60)] = weight
            tie = moved[4] if fit.tie is not None else 0.0
            values.append(
                [
                    fit.outcomes.terms(eta[[t]], tie, chosen[:, [t]]).log_likelihood
                    for t in range(60)
                ]
            )
        scores[:, k] = np.subtract(*values) / 2e-5
    bread = model_covariance(fit)
    sandwich = bread @ (scores.T @ scores) @ bread
    np.testing.assert_allclose(
        sandwich_covariance(clusters.counts, fit), sandwich, rtol=1e-5, atol=1e-8
    )
    sums = np.stack([scores[cluster == g].sum(axis=0) for g in range(7)])
    clustered = bread @ (sums.T @ sums) @ bread * 7 / 6
    np.testing.assert_allclose(cluster_covariance(clusters, fit), clustered, rtol=1e-5, atol=1e-8)


@given(vote_tables(connected=True))
def test_strengths_have_covariances_that_sum_to_zero(votes):
    counts = count_votes(*votes)
    fit = fit_bradley_terry(counts)
    for covariance in (model_covariance(fit), sandwich_covariance(counts, fit)):
        scale = np.abs(covariance).max()
        np.testing.assert_allclose(covariance.sum(axis=0), 0.0, atol=1e-8 * scale)
        assert np.array_equal(covariance, covariance.T)
        assert np.linalg.eigvalsh(covariance).min() > -1e-8 * scale


def test_scores_of_clusters_add_up_to_zero():
    votes = draw_votes(np.random.default_rng(0), np.array([0.5, 0.0, -0.5]), 90, 0.2)
    clusters = count_clustered_votes(*votes[:3], np.arange(90) // 4, 3)
    scores = cluster_scores(clusters, fit_bradley_terry(clusters.counts))
    np.testing.assert_allclose(np.asarray(scores.sum(axis=0)), 0.0, atol=1e-9)


def test_sparse_and_dense_sums_over_clusters_are_equal(monkeypatch):
    votes = draw_votes(np.random.default_rng(0), np.zeros(30), 900, 0.2)
    clusters = count_clustered_votes(*votes[:3], np.arange(900) // 2, 30)
    fit = fit_bradley_terry(clusters.counts)
    sparse = cluster_covariance(clusters, fit)
    monkeypatch.setattr(votecovariance, "_SPARSE_COST", np.inf)
    np.testing.assert_allclose(cluster_covariance(clusters, fit), sparse, rtol=1e-12, atol=1e-15)


def test_one_cluster_is_refused():
    clusters = count_clustered_votes([0, 1], [1, 0], [0, 0], ["x", "x"], 2)
    with pytest.raises(DataError, match="at least 2 of them; got 1"):
        cluster_covariance(clusters, fit_bradley_terry(clusters.counts))


def test_ties_as_half_wins_make_the_sandwich_narrower_than_the_model():
    votes = draw_votes(np.random.default_rng(1), np.zeros(5), 4000, 0.4)
    counts = count_votes(*votes)
    fit = fit_bradley_terry(counts)
    pairs = np.triu_indices(5, 1)
    sandwich = contrast_se(sandwich_covariance(counts, fit))[pairs]
    model = contrast_se(model_covariance(fit))[pairs]
    np.testing.assert_allclose(sandwich / model, np.sqrt(0.6), rtol=0.05)


def test_covariances_go_into_the_z_test():
    counts = from_matrices([[0, 90, 95], [10, 0, 55], [5, 45, 0]])
    fit = fit_bradley_terry(counts)
    covariance = sandwich_covariance(counts, fit)
    z = z_from_cov(fit.strength, covariance)
    expected = (fit.strength[0] - fit.strength[1]) / contrast_se(covariance)[0, 1]
    assert z.statistic[0, 1] == pytest.approx(expected, rel=1e-9)


def test_a_position_effect_has_its_row_in_the_covariance():
    """Log odds 4 and 1 from 10 votes each: both effects have variance (1/1.6 + 1/2.5) / 4."""
    first, second = [0] * 10 + [1] * 10, [1] * 10 + [0] * 10
    outcome = [0] * 8 + [2] * 2 + [0] * 5 + [2] * 5
    fit = fit_bradley_terry(count_position_votes(first, second, outcome, 2))
    covariance = model_covariance(fit)
    expected = (1 / (10 * 0.8 * 0.2) + 1 / (10 * 0.5 * 0.5)) / 4
    assert covariance[2, 2] == pytest.approx(expected, rel=1e-10)
    assert contrast_se(covariance[:2, :2])[0, 1] ** 2 == pytest.approx(expected, rel=1e-10)


def coverage(draw, strengths_of, n_sets):
    """Sums over sets of the share of contrasts that 95 % intervals cover, by three covariances."""
    hits = np.zeros((n_sets, 3))
    upper = np.triu_indices(8, 1)
    for number in range(n_sets):
        votes, voters = draw(np.random.default_rng(number))
        clusters = count_clustered_votes(*votes[:3], voters, 8)
        fit = fit_bradley_terry(clusters.counts)
        error = np.abs(np.subtract.outer(fit.strength, fit.strength) - strengths_of)[upper]
        covariances = (
            model_covariance(fit),
            sandwich_covariance(clusters.counts, fit),
            cluster_covariance(clusters, fit),
        )
        for k, covariance in enumerate(covariances):
            hits[number, k] = np.mean(error <= 1.959964 * contrast_se(covariance)[upper])
    return hits.sum(axis=0)


@pytest.mark.slow
def test_with_ties_the_sandwich_covers_and_the_model_covers_too_much(calibration):
    """Methods: 8 models, 3,000 votes, 35 % ties; the target is the fit to infinitely many votes."""
    strength = np.linspace(-1, 1, 8)
    p = 1 / (1 + np.exp(strength - strength[:, None]))
    wins = 0.65 * p * (1 - np.eye(8))
    target = fit_bradley_terry(from_matrices(wins, 0.35 * (1 - np.eye(8)))).strength

    def draw(rng):
        return draw_votes(rng, strength, 3000, 0.35), np.arange(3000)

    sets = calibration.runs(100, 400)
    model, sandwich, _ = coverage(draw, np.subtract.outer(target, target), sets)
    calibration.above(model, sets, 0.97, of="the model")
    calibration.near(sandwich, sets, 0.95, 0.015, of="the sandwich")


@pytest.mark.slow
def test_with_voters_of_their_own_taste_only_the_cluster_sandwich_covers(calibration):
    """150 voters with 20 votes each, whose strengths differ from the common ones."""
    strength, taste = np.linspace(-1, 1, 8), 0.7
    # The target averages the chances over tastes: differences of tastes are normal.
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    gap = np.subtract.outer(strength, strength)
    chance = sum(
        w / (1 + np.exp(-(gap + np.sqrt(2) * taste * x)))
        for x, w in zip(nodes, weights / weights.sum(), strict=True)
    )
    target = fit_bradley_terry(from_matrices(chance * (1 - np.eye(8)))).strength

    def draw(rng):
        voters = np.repeat(np.arange(150), 20)
        own = strength + taste * rng.normal(size=(150, 8))
        votes = draw_votes(rng, strength, 3000)
        lead = own[voters, votes.first] - own[voters, votes.second]
        won = rng.random(3000) < 1 / (1 + np.exp(-lead))
        return votes._replace(outcome=np.where(won, 0, 2)), voters

    sets = calibration.runs(100, 400)
    _, sandwich, clustered = coverage(draw, np.subtract.outer(target, target), sets)
    calibration.below(sandwich, sets, 0.92, of="the sandwich")
    calibration.near(clustered, sets, 0.95, 0.015, of="clusters")

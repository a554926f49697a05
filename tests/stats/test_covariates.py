"""Covariates: against statsmodels, worked by hand, and refused where they tell nothing."""

import numpy as np
import pytest
import statsmodels.api as sm
from reference import golden
from vote_cases import count_position_votes, count_votes, draw_votes, golden_votes, swap_sides

from rankbars.errors import DataError
from rankbars.stats.votes.voteclusters import count_clustered_votes
from rankbars.stats.votes.votecovariance import (
    cluster_covariance,
    model_covariance,
    sandwich_covariance,
)
from rankbars.stats.votes.votemodels import fit_bradley_terry, fit_davidson


def styled_votes(seed=7, n_votes=300, tie_share=0.2):
    """Votes with two style covariates, the first of which has an effect."""
    rng = np.random.default_rng(seed)
    votes = draw_votes(rng, np.array([0.8, 0.2, -0.1, -0.9]), n_votes, tie_share)
    table = np.column_stack([rng.normal(size=n_votes), 100 * rng.normal(size=n_votes)])
    longer = (rng.random(n_votes) < 0.3) & (votes.outcome != 1)
    outcome = np.where(longer, np.where(table[:, 0] > 0, 0, 2), votes.outcome)
    return votes._replace(outcome=outcome), table, rng.integers(0, 25, n_votes)


def fit_by_statsmodels(votes, table, **options):
    """Logistic regression with the strength of model 0 as zero, ties as half wins."""
    design = np.zeros((votes.first.size, votes.n_models))
    design[np.arange(votes.first.size), votes.first] = 1
    design[np.arange(votes.first.size), votes.second] = -1
    columns = np.column_stack([design[:, 1:], table])
    model = sm.GLM(1 - votes.outcome / 2, columns, family=sm.families.Binomial())
    return model.fit(tol=1e-12, tol_criterion="params", **options)


def contrasts_with_first(covariance, n_models):
    """Covariance of (strengths less that of model 0, effects)."""
    lead = np.eye(covariance.shape[0])
    lead[1:n_models, 0] = -1
    return (lead @ covariance @ lead.T)[1:, 1:]


def test_strengths_effects_and_covariances_equal_those_of_statsmodels():
    votes, table, voters = styled_votes()
    clusters = count_clustered_votes(*votes[:3], voters, votes.n_models, covariates=table)
    fit = fit_bradley_terry(clusters.counts)
    reference = fit_by_statsmodels(votes, table)
    ours = np.append(fit.strength[1:] - fit.strength[0], fit.effect)
    np.testing.assert_allclose(ours, reference.params, rtol=1e-8)
    np.testing.assert_allclose(
        contrasts_with_first(model_covariance(fit), 4), reference.cov_params(), rtol=1e-7
    )
    robust = fit_by_statsmodels(votes, table, cov_type="HC0")
    np.testing.assert_allclose(
        contrasts_with_first(sandwich_covariance(clusters.counts, fit), 4),
        robust.cov_params(),
        rtol=1e-7,
    )
    keywords = {"groups": voters, "use_correction": False}
    clustered = fit_by_statsmodels(votes, table, cov_type="cluster", cov_kwds=keywords)
    np.testing.assert_allclose(
        contrasts_with_first(cluster_covariance(clusters, fit), 4),
        clustered.cov_params() * 25 / 24,
        rtol=1e-7,
    )


def test_the_golden_votes_with_a_position_effect_equal_statsmodels():
    votes, _ = golden_votes(golden("bradley_terry"))
    fit = fit_bradley_terry(count_position_votes(*votes))
    reference = fit_by_statsmodels(votes, np.ones((votes.first.size, 1)))
    assert fit.effect[0] == pytest.approx(reference.params[-1], rel=1e-9)
    np.testing.assert_allclose(fit.strength[1:] - fit.strength[0], reference.params[:3], rtol=1e-9)


def test_a_position_effect_by_hand():
    """A wins 8 of 10 on the left, 5 of 10 on the right: odds 4 and 1, so lead and effect ln 2."""
    first, second = [0] * 10 + [1] * 10, [1] * 10 + [0] * 10
    outcome = [0] * 8 + [2] * 2 + [0] * 5 + [2] * 5
    counts = count_position_votes(first, second, outcome, 2)
    fit = fit_bradley_terry(counts)
    assert fit.effect[0] == pytest.approx(np.log(2), abs=1e-12)
    assert fit.strength[0] - fit.strength[1] == pytest.approx(np.log(2), abs=1e-12)


def test_without_bias_and_with_balanced_positions_the_strengths_stay():
    votes = draw_votes(np.random.default_rng(2), np.array([0.5, 0.0, -0.5]), 90)
    turned = swap_sides(votes, np.ones(90, dtype=bool))
    both_ways = [np.append(a, b) for a, b in zip(votes[:3], turned[:3], strict=True)]
    fit = fit_bradley_terry(count_position_votes(*both_ways, 3))
    assert fit.effect[0] == pytest.approx(0.0, abs=1e-12)
    plain = fit_bradley_terry(count_votes(*both_ways, 3))
    np.testing.assert_allclose(fit.strength, plain.strength, atol=1e-12)


def test_the_unit_of_a_covariate_scales_its_effect_only():
    votes, table, _ = styled_votes()
    fit = fit_bradley_terry(count_votes(*votes[:3], 4, covariates=table))
    scaled = fit_bradley_terry(count_votes(*votes[:3], 4, covariates=table * [1e6, 1e-6]))
    np.testing.assert_allclose(scaled.effect * [1e6, 1e-6], fit.effect, rtol=1e-9)
    np.testing.assert_allclose(scaled.strength, fit.strength, atol=1e-10)
    np.testing.assert_allclose(
        model_covariance(scaled)[-1, -1] * 1e-12, model_covariance(fit)[-1, -1], rtol=1e-8
    )


def test_covariates_go_with_a_tie_parameter():
    """Davidson's likelihood is a multinomial logit: check its score equations directly."""
    votes, table, _ = styled_votes()
    fit = fit_davidson(count_votes(*votes[:3], 4, covariates=table))
    eta = fit.strength[votes.first] - fit.strength[votes.second] + table @ fit.effect
    power = np.exp(np.stack([eta / 2, np.full(eta.size, fit.tie), -eta / 2]))
    chances = power / power.sum(axis=0)
    excess = np.stack([votes.outcome == outcome for outcome in range(3)]) - chances
    np.testing.assert_allclose(excess[1].sum(), 0.0, atol=1e-7)
    np.testing.assert_allclose((excess[0] - excess[2]) @ table / [1, 100], 0.0, atol=1e-7)


def test_an_effect_that_wins_every_vote_is_refused():
    """Everybody meets everybody, but the longer answer always wins: its effect has no limit."""
    first, second = np.array([0, 0, 1, 1, 2, 2] * 2), np.array([1, 2, 0, 2, 0, 1] * 2)
    longer = np.where(np.arange(12) < 6, 1.0, -1.0)
    outcome = np.where(longer > 0, 0, 2)
    with pytest.raises(DataError, match="no best fit"):
        fit_bradley_terry(count_votes(first, second, outcome, 3, covariates=longer[:, None]))


def size_difference(votes):
    """A covariate that is a property of the models."""
    size = np.array([3.0, 1.0, 4.0, 1.0])
    return (size[votes.first] - size[votes.second])[:, None]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (lambda votes: np.zeros((60, 1)), "number 0 is zero on every vote"),
        (size_difference, "number 0 follows from the models"),
        (lambda votes: np.full((60, 2), [1.0, 2.0]), "number 1 follows from the models"),
        (lambda votes: np.full((60, 1), np.nan), "must be finite"),
    ],
)
def test_covariates_that_tell_nothing_are_refused(columns, message):
    votes = draw_votes(np.random.default_rng(0), np.zeros(4), 60, 0.2)
    with pytest.raises(DataError, match=message):
        fit_bradley_terry(count_votes(*votes[:3], 4, covariates=columns(votes)))

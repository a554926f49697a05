"""Outcome models: derivatives against finite differences, probabilities against formulas."""

import numpy as np
import pytest

from rankbars.stats.votes.likelihood import SPLIT_TIES, logistic
from rankbars.stats.votes.votemodels import DAVIDSON, RAO_KUPPER

ETA = np.array([-30.0, -4.0, -0.7, 0.0, 0.3, 2.0, 12.0])
WEIGHT = np.array([[3.0, 1, 2, 4, 0, 7, 5], [1, 0, 2, 1, 3, 2, 1], [2, 5, 1, 4, 2, 1, 3]])
STEP = 1e-5
MODELS = [SPLIT_TIES, DAVIDSON, RAO_KUPPER]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
each_tie = pytest.mark.parametrize("tie", [0.05, 0.6, 2.5])


def difference(function, tie, eta=0.0, tau=0.0):
    """Central difference quotient in one direction."""
    shift = STEP * np.array([eta, tau])
    return (function(ETA + shift[0], tie + shift[1]) - function(ETA - shift[0], tie - shift[1])) / (
        2 * STEP
    )


@each_model
@each_tie
def test_slopes_are_those_of_the_likelihood(model, tie):
    terms = model.terms(ETA, tie, WEIGHT)
    for row in range(ETA.size):
        single = np.zeros_like(WEIGHT)
        single[:, row] = WEIGHT[:, row]

        def value(eta, tau, single=single):
            return model.terms(eta, tau, single).log_likelihood

        assert difference(value, tie, eta=1) == pytest.approx(terms.slope[row], rel=1e-6, abs=1e-6)
        if model.has_tie:
            slope = difference(value, tie, tau=1)
            assert slope == pytest.approx(terms.tie_slope[row], rel=1e-6, abs=1e-6)


@each_model
@each_tie
def test_curvatures_are_those_of_the_slopes(model, tie):
    terms = model.terms(ETA, tie, WEIGHT)
    close = {"rtol": 1e-6, "atol": 1e-8}

    def slope(eta, tau):
        return model.terms(eta, tau, WEIGHT).slope

    def tie_slope(eta, tau):
        return model.terms(eta, tau, WEIGHT).tie_slope

    np.testing.assert_allclose(-difference(slope, tie, eta=1), terms.curvature, **close)
    if model.has_tie:
        np.testing.assert_allclose(-difference(slope, tie, tau=1), terms.cross, **close)
        np.testing.assert_allclose(-difference(tie_slope, tie, eta=1), terms.cross, **close)
        np.testing.assert_allclose(-difference(tie_slope, tie, tau=1), terms.tie_curvature, **close)


@each_model
@each_tie
def test_scores_of_outcomes_add_up_to_the_slopes(model, tie):
    terms = model.terms(ETA, tie, WEIGHT)
    slope, tie_slope = model.scores(ETA, tie)
    np.testing.assert_allclose((WEIGHT * slope).sum(axis=0), terms.slope, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        (WEIGHT * tie_slope).sum(axis=0), terms.tie_slope, rtol=1e-12, atol=1e-12
    )


@each_model
@each_tie
def test_turned_round_a_vote_has_the_same_likelihood(model, tie):
    turned = model.terms(-ETA, tie, WEIGHT[::-1])
    terms = model.terms(ETA, tie, WEIGHT)
    assert turned.log_likelihood == pytest.approx(terms.log_likelihood, rel=1e-14)
    np.testing.assert_allclose(turned.slope, -terms.slope, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("model", [DAVIDSON, RAO_KUPPER], ids=lambda model: model.name)
@each_tie
def test_chances_add_up_and_give_the_likelihood(model, tie):
    chances = model.chances(ETA, tie, WEIGHT)
    np.testing.assert_allclose(chances.sum(axis=0), 1.0, rtol=1e-14)
    value = (WEIGHT * np.log(chances)).sum()
    assert model.terms(ETA, tie, WEIGHT).log_likelihood == pytest.approx(value, rel=1e-12)


def test_chances_are_the_published_formulas():
    strong, weak, parameter = 3.0, 2.0, 1.7
    eta, tie = np.log([strong / weak]), float(np.log(parameter))
    tied = parameter * np.sqrt(strong * weak)
    davidson = np.array([strong, tied, weak]) / (strong + weak + tied)
    np.testing.assert_allclose(DAVIDSON.chances(eta, tie, WEIGHT)[:, 0], davidson, rtol=1e-14)
    win = strong / (strong + parameter * weak)
    loss = weak / (weak + parameter * strong)
    product = (parameter**2 - 1) * strong * weak
    tied = product / ((strong + parameter * weak) * (weak + parameter * strong))
    rao_kupper = RAO_KUPPER.chances(eta, tie, WEIGHT)[:, 0]
    np.testing.assert_allclose(rao_kupper, [win, tied, loss], rtol=1e-14)


def test_split_ties_keep_the_expected_score_and_the_share_of_ties():
    chances = SPLIT_TIES.chances(ETA, 0.0, WEIGHT)
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(axis=0), 1.0, rtol=1e-14)
    np.testing.assert_allclose(chances[0] + chances[1] / 2, 1 / (1 + np.exp(-ETA)), rtol=1e-12)
    middle = np.abs(ETA) < 0.8
    share = WEIGHT[1] / WEIGHT.sum(axis=0)
    np.testing.assert_allclose(chances[1][middle], share[middle], rtol=1e-14)


@pytest.mark.parametrize("model", [DAVIDSON, RAO_KUPPER], ids=lambda model: model.name)
def test_the_start_gives_equal_models_the_observed_share_of_ties(model):
    share = WEIGHT[1].sum() / WEIGHT.sum()
    chances = model.chances(np.zeros(1), model.start(WEIGHT), WEIGHT)
    assert chances[1, 0] == pytest.approx(share, rel=1e-12)


def test_extreme_predictors_overflow_nowhere():
    eta = np.array([-5000.0, 5000.0])
    weight = np.ones((3, 2))
    for model in MODELS:
        terms = model.terms(eta, 0.5, weight)
        assert np.isfinite(terms.log_likelihood)
        assert np.isfinite(terms.slope).all()
    p, q, log_p, log_q = logistic(eta)
    assert p.tolist() == [0.0, 1.0]
    assert q.tolist() == [1.0, 0.0]
    assert log_p.tolist() == [-5000.0, 0.0]
    assert log_q.tolist() == [0.0, -5000.0]

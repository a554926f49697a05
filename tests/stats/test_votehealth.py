"""Coverage, position bias and votes still needed."""

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binomtest, norm
from vote_cases import contrast_se, count_position_votes, count_votes, vote_tables

from rankbars.errors import DataError, OptionError
from rankbars.stats.votes.votecounts import from_matrices, to_matrices
from rankbars.stats.votes.votecovariance import model_covariance
from rankbars.stats.votes.votemodels import fit_bradley_terry
from rankbars.stats.votes.votequality import (
    design_effect,
    growth_to_separate,
    measure_coverage,
    position_bias,
    votes_to_separate,
)


@given(vote_tables())
def test_coverage_counts_votes_opponents_and_pairs(votes):
    wins, ties = to_matrices(count_votes(*votes))
    met = wins + wins.T + ties
    upper = met[np.triu_indices(votes.n_models, 1)]
    # With positions apart a pair has two rows; it is still one pair.
    for counts in (count_votes(*votes), count_position_votes(*votes)):
        coverage = measure_coverage(counts)
        assert coverage.votes.tolist() == met.sum(axis=1).tolist()
        assert coverage.opponents.tolist() == (met > 0).sum(axis=1).tolist()
        assert coverage.pair_share == pytest.approx((upper > 0).mean())
        if votes.first.size:
            assert coverage.tie_share == pytest.approx((votes.outcome == 1).mean())
            expected = upper.sum() ** 2 / (upper**2).sum()
            assert coverage.effective_pairs == pytest.approx(expected)


def test_coverage_without_votes_is_empty():
    coverage = measure_coverage(count_votes([], [], [], 1))
    assert np.isnan(coverage.pair_share)
    assert np.isnan(coverage.tie_share)
    assert coverage.effective_pairs == 0.0


def test_position_bias_is_the_exact_test_of_decided_votes():
    outcome = [0] * 30 + [2] * 12 + [1] * 9
    bias = position_bias(outcome, 0.05)
    assert bias.p == pytest.approx(binomtest(30, 42).pvalue)
    assert bias.share == pytest.approx(30 / 42)


def test_unknown_outcomes_are_refused():
    with pytest.raises(DataError, match="0, 1 or 2; got 0 to 3"):
        position_bias([0, 3], 0.05)


def test_added_votes_separate_with_the_promised_power():
    """Add the votes to the information of a board and look at the standard error it gives."""
    wins = np.array([[0, 12, 9], [10, 0, 11], [5, 7, 0]])
    fit = fit_bradley_terry(from_matrices(wins))
    difference = fit.strength[0] - fit.strength[1]
    se = contrast_se(model_covariance(fit))[0, 1]
    p = 1 / (1 + np.exp(-difference))
    needed = votes_to_separate(difference, se, p * (1 - p), 0.025, 0.8)
    power = []
    for extra in (needed - 1, needed):
        information = fit.information.copy()
        information[np.ix_([0, 1], [0, 1])] += extra * p * (1 - p) * np.array([[1, -1], [-1, 1]])
        later = contrast_se(np.linalg.pinv(information, hermitian=True))[0, 1]
        power.append(norm.sf(norm.isf(0.025) - difference / later))
    assert power[0] < 0.8 <= power[1] + 1e-9


def test_all_votes_grown_by_the_factor_have_the_power():
    growth = growth_to_separate(0.2, 0.15, 0.01, 0.9)
    assert norm.sf(norm.isf(0.01) - 0.2 / (0.15 / np.sqrt(growth))) == pytest.approx(0.9)


def test_models_that_are_apart_need_no_more_votes_and_equal_ones_never_separate():
    assert votes_to_separate([3.0, 0.0], 0.1, 0.25, 0.025, 0.8).tolist() == [0.0, np.inf]
    assert growth_to_separate([-3.0, 0.0], 0.1, 0.025, 0.8).tolist() == [1.0, np.inf]


@pytest.mark.parametrize(("alpha", "power"), [(0.0, 0.8), (0.05, 1.0)])
def test_levels_out_of_range_are_refused(alpha, power):
    with pytest.raises(OptionError, match="between 0 and 1"):
        votes_to_separate(0.1, 0.1, 0.25, alpha, power)


def test_the_design_effect_is_the_mean_ratio_of_contrast_variances():
    rng = np.random.default_rng(0)
    centre = np.eye(5) - 1 / 5
    one, other = (centre @ np.cov(rng.normal(size=(5, 30))) @ centre for _ in range(2))
    means = [np.square(contrast_se(matrix)).mean() for matrix in (one, other)]
    assert design_effect(one, other) == pytest.approx(means[0] / means[1], rel=1e-9)
    assert np.isnan(design_effect(np.zeros((1, 1)), np.zeros((1, 1))))

"""Influence of single votes: exact Newton steps, real refits, and boards that hang on one vote."""

import numpy as np
import pytest
from arenas import fit_arena, honest_arena
from hypothesis import given
from vote_cases import count_position_votes, count_votes, draw_votes, vote_tables

from rankbars.errors import DataError
from rankbars.stats.votes.connectivity import find_components
from rankbars.stats.votes.likelihood import (
    collect_products,
    collect_slopes,
    lay_out,
    mirror_upper,
    predict_rows,
)
from rankbars.stats.votes.voteclusters import count_clustered_votes
from rankbars.stats.votes.votecounts import from_matrices
from rankbars.stats.votes.votefit import join_parameters, tie_parameter
from rankbars.stats.votes.voteinfluence import (
    drop_clusters,
    drop_votes,
    screen_clusters,
    votes_to_swap,
)
from rankbars.stats.votes.votemodels import fit_bradley_terry, fit_davidson, fit_rao_kupper

FITS = [fit_bradley_terry, fit_davidson, fit_rao_kupper]


def without(counts, outcome, row, votes=1.0):
    """The counts with some votes fewer."""
    weight = counts.weight.copy()
    weight[outcome, row] -= votes
    return counts._replace(weight=weight, squared=weight)


def newton_step(counts, fit):
    """One full Newton step from the fit of other counts, by a pseudo-inverse."""
    design = lay_out(counts, fit.outcomes.has_tie)
    eta = predict_rows(design, join_parameters(fit))
    terms = fit.outcomes.terms(eta, tie_parameter(fit), counts.weight)
    information = mirror_upper(
        collect_products(design, terms.curvature, terms.cross, terms.tie_curvature)
    )
    gradient = collect_slopes(design, terms.slope, terms.tie_slope)
    return np.linalg.pinv(information, hermitian=True, rcond=1e-10) @ gradient


@pytest.mark.parametrize("fit_votes", FITS, ids=lambda fit: fit.__name__)
@pytest.mark.parametrize("count", [count_votes, count_position_votes])
def test_each_change_is_one_newton_step_on_the_remaining_votes(fit_votes, count):
    votes = draw_votes(np.random.default_rng(0), np.array([0.7, 0.1, -0.8]), 60, 0.3)
    counts = count(*votes)
    fit = fit_votes(counts)
    change = drop_votes(counts, fit, 0, 2)
    for outcome, row in zip(*np.nonzero(counts.weight), strict=True):
        step = newton_step(without(counts, outcome, row), fit)
        assert change[outcome, row] == pytest.approx(step[0] - step[2], rel=1e-6, abs=1e-9)


def test_changes_are_close_to_those_of_real_refits():
    counts = count_votes(
        *draw_votes(np.random.default_rng(1), np.array([0.7, 0.1, -0.8]), 300, 0.2)
    )
    fit = fit_bradley_terry(counts)
    change = drop_votes(counts, fit, 0, 1)
    lead = fit.strength[0] - fit.strength[1]
    for outcome, row in zip(*np.nonzero(counts.weight), strict=True):
        strength = fit_bradley_terry(without(counts, outcome, row)).strength
        assert change[outcome, row] == pytest.approx(strength[0] - strength[1] - lead, abs=2e-4)


@given(vote_tables(connected=True, max_models=5, max_votes=8))
def test_votes_that_the_board_hangs_on_have_no_change(votes):
    counts = count_votes(*votes)
    change = drop_votes(counts, fit_bradley_terry(counts), 0, 1)
    for outcome, row in np.ndindex(counts.weight.shape):
        if counts.weight[outcome, row] == 0:
            assert np.isnan(change[outcome, row])
            continue
        groups = find_components(without(counts, outcome, row)).component
        assert np.isnan(change[outcome, row]) == (groups.max() > 0)


def test_the_unit_of_weights_does_not_change_the_influence_of_a_vote():
    rng = np.random.default_rng(2)
    votes = draw_votes(rng, np.zeros(3), 2000)
    plain = count_votes(*votes)
    double = count_votes(*votes, np.full(2000, 2.0))
    one = drop_votes(plain, fit_bradley_terry(plain), 0, 1)
    same = drop_votes(double, fit_bradley_terry(double), 0, 1)
    seen = ~np.isnan(one)
    np.testing.assert_allclose(same[seen], one[seen], rtol=1e-9)


@pytest.mark.parametrize("fit_votes", FITS, ids=lambda fit: fit.__name__)
def test_taking_the_named_votes_away_turns_two_models_round(fit_votes):
    strength = np.array([0.9, 0.14, 0.1, -0.9])
    counts = count_votes(*draw_votes(np.random.default_rng(4), strength, 2000, 0.2))
    fit = fit_votes(counts)
    order = np.argsort(-fit.strength)
    ahead, behind = order[1], order[2]
    swap = votes_to_swap(counts, fit, ahead, behind)
    assert 0 < swap.n_votes == swap.removed.sum() < 100
    assert (swap.removed <= counts.weight).all()
    turned = fit_votes(counts._replace(weight=counts.weight - swap.removed)).strength
    assert turned[ahead] < turned[behind]
    fewer = swap.removed.copy()
    outcome, row = np.argwhere(fewer)[0]
    fewer[outcome, row] -= 1
    kept = fit_votes(counts._replace(weight=counts.weight - fewer)).strength
    assert kept[ahead] > kept[behind] - 2e-3


def test_a_lead_that_no_votes_can_take_away_needs_none():
    """Without the losses of 1 to 2 the board falls apart, so they are not for removal."""
    counts = from_matrices([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    fit = fit_bradley_terry(counts)._replace(strength=np.array([0.5, 0.0, -0.5]))
    assert votes_to_swap(counts, fit, 0, 1).n_votes == 0


def test_a_model_that_is_not_ahead_is_refused():
    counts = from_matrices([[0, 3], [4, 0]])
    with pytest.raises(DataError, match="number 0 is not ahead of model number 1"):
        votes_to_swap(counts, fit_bradley_terry(counts), 0, 1)


def test_the_screen_holds_the_clusters_whose_removal_changes_most() -> None:
    """Against exact fits without each voter, and against a voter who holds models together."""
    rng = np.random.default_rng(5)
    arena = honest_arena(5, models=8, voters=60, votes=1500, taste=0.6)
    first, second, outcome, voter = arena.first, arena.second, arena.outcome, arena.voter
    clusters = count_clustered_votes(first, second, outcome, voter, 8)
    fit = fit_bradley_terry(clusters.counts)
    exact = np.empty(clusters.n_clusters)
    for number, code in enumerate(np.unique(voter)):
        rest = fit_arena(arena, np.arange(voter.max() + 1) == code)
        exact[number] = np.abs(rest.strength - fit.strength).max()
    chosen = screen_clusters(clusters, fit, 15)
    assert set(np.argsort(-exact)[:5].tolist()) <= set(chosen.tolist())
    steps = np.abs(drop_clusters(clusters, fit, chosen)).max(axis=1)
    assert steps == pytest.approx(exact[chosen], rel=0.08, abs=1e-3)  # one step
    # A model that one voter alone has seen, winning and losing.
    more = rng.integers(0, 8, 2)
    bridged = count_clustered_votes(
        np.append(first, [8, 8]), np.append(second, more), np.append(outcome, [0, 2]),
        np.append(voter, [61, 61]), 9,
    )  # fmt: skip
    found = screen_clusters(bridged, fit_bradley_terry(bridged.counts), 1)
    assert bridged.n_clusters - 1 in found

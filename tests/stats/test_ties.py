"""Tie parameters: closed forms, a general optimiser, and what must hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from vote_cases import count_votes, draw_votes, relabel, swap_sides, vote_tables

from rankbars.errors import DataError
from rankbars.stats.votes.votecounts import from_matrices, to_matrices
from rankbars.stats.votes.votemodels import fit_bradley_terry, fit_davidson, fit_rao_kupper

FITS = [fit_davidson, fit_rao_kupper]
each_fit = pytest.mark.parametrize("fit_ties", FITS, ids=lambda fit: fit.__name__)


def davidson(ability, nu):
    """Probabilities of i beating j, and of a tie, as published."""
    product = nu * np.sqrt(np.outer(ability, ability))
    total = ability[:, None] + ability + product
    return ability[:, None] / total, product / total


def rao_kupper(ability, theta):
    """Probabilities of i beating j, and of a tie, as published."""
    win = ability[:, None] / (ability[:, None] + theta * ability)
    return win, 1 - win - win.T


def best_by_search(chances, wins, ties, to_parameter):
    """Abilities and tie parameter by a general optimiser on the published formulas."""

    def loss(point):
        ability = np.exp(np.append(0.0, point[:-1]))
        win, tied = chances(ability, to_parameter(point[-1]))
        off = ~np.eye(len(wins), dtype=bool)
        return -(wins[off] @ np.log(win[off]) + ties[off] @ np.log(tied[off]) / 2)

    found = minimize(loss, np.zeros(len(wins)), method="BFGS", options={"gtol": 1e-9})
    strength = np.append(0.0, found.x[:-1])
    return strength - strength.mean(), to_parameter(found.x[-1])


@pytest.mark.parametrize(
    ("fit_ties", "chances", "to_parameter"),
    [(fit_davidson, davidson, np.exp), (fit_rao_kupper, rao_kupper, lambda x: 1 + np.exp(x))],
    ids=["davidson", "rao_kupper"],
)
def test_equals_a_general_optimiser_on_the_published_formulas(fit_ties, chances, to_parameter):
    votes = draw_votes(np.random.default_rng(5), np.array([1.0, 0.3, 0.0, -0.8]), 400, 0.25)
    counts = count_votes(*votes)
    fit = fit_ties(counts)
    strength, parameter = best_by_search(chances, *to_matrices(counts), to_parameter)
    np.testing.assert_allclose(fit.strength, strength, atol=1e-6)
    assert np.exp(fit.tie) == pytest.approx(parameter, rel=1e-6)


def test_two_models_under_davidson():
    """Counts 6, 4, 2 are fitted exactly: abilities 6 to 2, nu = 4 / sqrt(12)."""
    fit = fit_davidson(from_matrices([[0, 6], [2, 0]], [[0, 4], [4, 0]]))
    assert fit.strength[0] - fit.strength[1] == pytest.approx(np.log(3), abs=1e-12)
    assert fit.tie == pytest.approx(np.log(4 / np.sqrt(12)), abs=1e-12)


def test_two_models_under_rao_and_kupper():
    """Shares .5, .3, .2: logit(.5) = d - t and logit(.2) = -d - t."""
    fit = fit_rao_kupper(from_matrices([[0, 5], [2, 0]], [[0, 3], [3, 0]]))
    assert fit.strength[0] - fit.strength[1] == pytest.approx(np.log(4) / 2, abs=1e-12)
    assert fit.tie == pytest.approx(np.log(4) / 2, abs=1e-12)


def test_three_models_whose_counts_fit_davidson_exactly():
    """Abilities 16, 4, 1 and nu = 1/2: pairs 16:4:4, 16:2:1, 4:1:1 for win, tie, loss."""
    wins = [[0, 16, 16], [4, 0, 4], [1, 1, 0]]
    ties = [[0, 4, 2], [4, 0, 1], [2, 1, 0]]
    fit = fit_davidson(from_matrices(wins, ties))
    np.testing.assert_allclose(fit.strength, np.log([4.0, 1.0, 0.25]), atol=1e-12)
    assert fit.tie == pytest.approx(np.log(0.5), abs=1e-12)


def test_a_circle_of_equal_counts_leaves_all_models_equal():
    wins = np.roll(np.eye(3), 1, axis=1) * 2 + np.roll(np.eye(3), 2, axis=1)
    ties = (1 - np.eye(3)) * 3
    for fit_ties, tie in ((fit_davidson, np.log(2)), (fit_rao_kupper, 2 * np.arctanh(0.5))):
        fit = fit_ties(from_matrices(wins, ties))
        np.testing.assert_allclose(fit.strength, 0.0, atol=1e-14)
        assert fit.tie == pytest.approx(tie, abs=1e-12)


def test_davidson_orders_decided_votes_like_bradley_and_terry():
    """With equally frequent ties in every pair, strengths are those of the decided votes."""
    wins = np.array([[0, 4, 4], [2, 0, 2], [1, 1, 0]]) * 10
    plain = fit_bradley_terry(from_matrices(wins))
    ability = np.exp(plain.strength)
    decided = np.add(wins, wins.T)
    share = np.sqrt(np.outer(ability, ability)) / np.add.outer(ability, ability)
    fit = fit_davidson(from_matrices(wins, 0.7 * decided * share))
    np.testing.assert_allclose(fit.strength, plain.strength, atol=1e-11)
    assert np.exp(fit.tie) == pytest.approx(0.7, rel=1e-11)


@each_fit
@given(votes=vote_tables(connected=True, max_votes=80), seed=st.integers(0, 2**16))
def test_names_and_sides_do_not_matter(fit_ties, votes, seed):
    votes = votes._replace(
        first=np.append(votes.first, [0, 0, 0]),
        second=np.append(votes.second, [1, 1, 1]),
        outcome=np.append(votes.outcome, [0, 1, 2]),
    )
    rng = np.random.default_rng(seed)
    number = rng.permutation(votes.n_models)
    fit = fit_ties(count_votes(*votes))
    moved = swap_sides(relabel(votes, number), rng.random(votes.first.size) < 0.5)
    again = fit_ties(count_votes(*moved))
    np.testing.assert_allclose(again.strength[number], fit.strength, atol=1e-8)
    assert again.tie == pytest.approx(fit.tie, abs=1e-8)
    assert fit.iterations <= 15


@each_fit
def test_votes_without_ties_are_refused(fit_ties):
    with pytest.raises(DataError, match="needs ties"):
        fit_ties(from_matrices([[0, 2], [1, 0]]))


@each_fit
def test_a_pair_without_losses_is_refused_although_ties_connect_it(fit_ties):
    """As half wins the same votes have a finite fit; a tie parameter and the lead grow together."""
    counts = from_matrices([[0, 5], [0, 0]], [[0, 3], [3, 0]])
    assert np.isfinite(fit_bradley_terry(counts).strength).all()
    with pytest.raises(DataError, match="no finite value"):
        fit_ties(counts)


@each_fit
def test_islands_are_refused(fit_ties):
    ties = np.kron(np.eye(2), [[0, 1], [1, 0]])
    with pytest.raises(DataError, match="do not put all"):
        fit_ties(from_matrices(np.zeros((4, 4)), ties))

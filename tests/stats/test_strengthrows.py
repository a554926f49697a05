"""Strengths vote by vote: their mean, their spread, and what a judge of all votes makes of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, stdtrit

from rankbars.data.votes import Ballots, Labels, Votes
from rankbars.errors import DataError
from rankbars.stats.pairwise.judgedpairs import judged_t
from rankbars.stats.votes.votecovariance import strength_rows
from rankbars.steps.votes.votejudging import judged_votes

TRUE = np.array([0.7, 0.2, -0.2, -0.7])


def draw(rng: np.random.Generator, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first = rng.integers(4, size=rows)
    second = (first + rng.integers(1, 4, size=rows)) % 4
    won = (rng.random(rows) < expit(TRUE[first] - TRUE[second])).astype(float)
    return first, second, np.where(rng.random(rows) < 0.1, 0.5, won)


def by_optimiser(first: np.ndarray, second: np.ndarray, result: np.ndarray) -> np.ndarray:
    def loss(strength: np.ndarray) -> float:
        gap = strength[first] - strength[second]
        return float(np.sum(np.logaddexp(0, gap) - result * gap) + np.sum(strength) ** 2)

    found = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9})
    return found.x - found.x.mean()


def test_their_mean_is_the_fit():
    votes = draw(np.random.default_rng(0), 90)
    found = strength_rows(*votes, 4)
    np.testing.assert_allclose(found.values.mean(axis=0), by_optimiser(*votes), atol=1e-6)
    assert abs(found.values.sum(axis=1)).max() < 1e-9


def test_their_spread_is_that_of_fits_without_one_vote():
    first, second, result = draw(np.random.default_rng(1), 120)
    found = strength_rows(first, second, result, 4)
    without = [
        by_optimiser(np.delete(first, k), np.delete(second, k), np.delete(result, k))
        for k in range(120)
    ]
    jackknife = 119 / 120 * np.square(without - np.mean(without, axis=0)).sum(axis=0)
    np.testing.assert_allclose(found.values.var(axis=0, ddof=1) / 120, jackknife, rtol=0.03)


def test_sides_of_a_vote_are_the_same_vote():
    first, second, result = draw(np.random.default_rng(2), 60)
    turned = np.arange(60) % 2 == 0
    other = strength_rows(
        np.where(turned, second, first), np.where(turned, first, second),
        np.where(turned, 1 - result, result), 4,
    )  # fmt: skip
    one = strength_rows(first, second, result, 4)
    np.testing.assert_allclose(one.values, other.values, atol=1e-9)
    np.testing.assert_allclose(
        one.leverage.sum(), 3, rtol=0.05
    )  # as many as differences are fitted


def test_a_voter_of_one_vote_is_a_vote():
    votes = draw(np.random.default_rng(3), 70)
    one, other = strength_rows(*votes, 4), strength_rows(*votes, 4, np.arange(70))
    np.testing.assert_allclose(one.values, other.values, atol=1e-9)
    np.testing.assert_allclose(one.leverage, other.leverage, atol=1e-9)


def test_the_spread_by_voter_is_that_of_fits_without_one_voter():
    first, second, result = draw(np.random.default_rng(4), 200)
    voter = np.random.default_rng(5).permutation(np.arange(200) % 40)
    found = strength_rows(first, second, result, 4, voter)
    without = [
        by_optimiser(first[voter != k], second[voter != k], result[voter != k]) for k in range(40)
    ]
    jackknife = 39 / 40 * np.square(without - np.mean(without, axis=0)).sum(axis=0)
    np.testing.assert_allclose(found.values.var(axis=0, ddof=1) / 40, jackknife, rtol=0.06)
    np.testing.assert_allclose(found.values.mean(axis=0), by_optimiser(first, second, result),
                               atol=1e-6)  # fmt: skip


def test_a_voter_without_whom_nothing_is_known_is_told_by_the_leverage():
    first, second = np.array([0, 0, 0, 1, 1, 1, 2, 2]), np.array([1, 1, 1, 0, 2, 2, 1, 1])
    result = np.array([1.0, 0, 1, 0, 1, 0, 1, 0])
    found = strength_rows(first, second, result, 3, np.array([0, 1, 2, 3, 4, 4, 4, 4]))
    assert found.leverage[4] == pytest.approx(1.0)
    assert np.isfinite(found.values).all()


def test_who_wins_all_has_no_strength():
    with pytest.raises(DataError):
        strength_rows(np.zeros(5, int), np.ones(5, int), np.ones(5), 2)


@pytest.mark.slow
@pytest.mark.parametrize("votes", [50, 100, 300])
@pytest.mark.parametrize("agreement", [0.3, 0.8])
def test_coverage_of_differences_of_strengths(votes: int, agreement: float, calibration):
    """Two-sided 95 % intervals, one pair a run; people voted on pairs drawn at random."""
    rng = np.random.default_rng([votes, int(10 * agreement)])
    hits, trials, squares = 0, 0, []
    for _ in range(calibration.runs(30, 2000)):
        first, second, _ = draw(rng, 1_000)
        people = (rng.random(1_000) < expit(TRUE[first] - TRUE[second])).astype(float)
        liked = (rng.random(1_000) < expit(TRUE[second - 1] - TRUE[first - 1])).astype(float)
        judge = np.where(rng.random(1_000) < agreement, people, liked)
        labels = np.full((1_000, 4), np.nan)
        try:
            labels[:votes] = strength_rows(first[:votes], second[:votes], people[:votes], 4).values
        except DataError:  # somebody won or lost all
            continue
        told = strength_rows(first, second, judge, 4).values[:, None]
        tuned, plain = judged_t(labels, told).pairs, judged_t(labels, 0 * told).pairs
        off = tuned.diff[0, 2] - TRUE[0] + TRUE[2]
        hits += abs(off) <= stdtrit(np.asarray(tuned.df)[0, 2], 0.975) * tuned.se[0, 2]
        trials += 1
        squares.append([off**2, (plain.diff[0, 2] - TRUE[0] + TRUE[2]) ** 2])
    calibration.at_least(hits, trials, 0.95, of=f"{votes} votes, agreement {agreement}")
    after, before = np.mean(squares, axis=0)
    if agreement == 0.8:
        assert after < 0.8 * before


@pytest.mark.slow
@pytest.mark.parametrize("voters", [50, 100, 300])
@pytest.mark.parametrize("agreement", [0.3, 0.8])
def test_coverage_by_voter_where_everybody_has_a_taste(voters: int, agreement: float, calibration):
    """Two-sided 95 % intervals, one pair a run; people gave five votes each, on average."""
    rng = np.random.default_rng([voters, int(10 * agreement), 5])
    at, weight = np.polynomial.hermite_e.hermegauss(60)
    first, second = np.nonzero(~np.eye(4, dtype=bool))
    chance = expit((TRUE[first] - TRUE[second])[:, None] + np.sqrt(2) * at) @ weight / weight.sum()
    fitted = strength_rows(first, second, chance, 4).values.mean(axis=0)  # of endless people
    hits, trials, rows = 0, calibration.runs(40, 1000), 3_000
    for _ in range(trials):
        first, second, _ = draw(rng, rows)
        voter = np.repeat(np.arange(voters), 1 + rng.poisson(4, size=voters))
        votes = len(voter)
        taste = rng.normal(size=(voters, 4))[voter]
        taste = np.concatenate([taste, rng.normal(size=(rows - votes, 4))])
        every = np.arange(rows)
        gap = TRUE[first] - TRUE[second] + taste[every, first] - taste[every, second]
        won = rng.random(rows) < expit(gap)
        other = rng.random(rows) < expit(TRUE[second - 1] - TRUE[first - 1])
        judge = np.where(rng.random(rows) < agreement, won, other)
        found = judged_votes(
            "t", ballots(first[:votes], second[:votes], won[:votes], voter),
            [ballots(first, second, judge)],
        )  # fmt: skip
        told = found.judges[0].values[:, None]
        labels = np.full((len(told), 4), np.nan)
        labels[:voters] = found.people.values
        pairs = judged_t(labels, told).pairs
        off = pairs.diff[0, 2] - fitted[0] + fitted[2]
        hits += abs(off) <= stdtrit(np.asarray(pairs.df)[0, 2], 0.975) * pairs.se[0, 2]
    calibration.within(hits, trials, 0.95, of=f"{voters} people, agreement {agreement}")


def ballots(
    first: np.ndarray, second: np.ndarray, won: np.ndarray, voter: np.ndarray | None = None
) -> Votes:
    labels = {"prompt": Labels(np.arange(len(first)), tuple(map(str, range(len(first)))))}
    if voter is not None:
        labels["judge"] = Labels(voter, tuple(map(str, range(voter.max() + 1))))
    return Votes.from_ballots(
        tuple("abcd"), Ballots(first, second, np.where(won, 0, 2), labels=labels)
    )

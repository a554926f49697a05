"""Voters whose votes do not fit: the bound against integrals, and who is named, in arenas."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from arenas import Arena, clickers, fans, fit_arena, honest_arena, suspects_of
from calibration import Calibration

from rankbars.stats.votes.oddvoters import find_odd_voters
from rankbars.stats.votes.voterhabits import VotesByVoter


def chance_of(eta: np.ndarray, score: float, spread: float) -> float:
    """Chance that a voter with a normal taste wins so much: all outcomes, all tastes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    p = 1 / (1 + np.exp(-eta - spread * nodes[:, None]))
    total = 0.0
    for won in product([0, 1], repeat=eta.size):
        if sum(won) >= score:
            total += float(weights @ np.where(won, p, 1 - p).prod(axis=1))
    return total / float(weights.sum())


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_the_bound_is_close_to_the_chance_of_an_honest_voter(lost: int) -> None:
    """Enumeration and quadrature; the voter is no part of the fit, so that nothing is estimated."""
    arena = honest_arena(3, models=8, voters=400, votes=8000, taste=0.0, ties=0.0, bias=0.0,
                         biases=0.0)  # fmt: skip
    fit = fit_arena(arena)
    opponents = np.array([0, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4])
    voter = np.append(arena.voter, np.full(12, 400))
    apart = np.arange(401) == 400
    votes = VotesByVoter(
        voter,
        np.append(arena.first, np.full(12, 7)),
        np.append(arena.second, opponents),
        np.append(arena.outcome, np.where(np.arange(12) < lost, 2, 0)),
    )
    found = find_odd_voters(votes, fit, 401, 0.999, apart)
    assert found.voter[0] == 400
    assert (found.habit[0], found.side[0], found.won[0]) == (7, 1, 12 - lost)
    eta = fit.strength[7] - fit.strength[opponents]
    chance = chance_of(eta, 12 - lost, 0.25)
    # Exact where everything is won; else above, by what a whole tail is more than its end.
    assert 0.9 < np.exp(found.log_p[0]) / chance < 12


def test_thirty_accounts_for_one_model_are_found() -> None:
    arena = honest_arena(1, voters=2500, votes=29_400)
    arena = arena.also(fans(1, arena.strength, 12, accounts=30, votes=20))
    found = suspects_of(arena)
    assert sorted(found.voter.tolist()) == arena.odd.tolist()
    assert set(found.habit.tolist()) == {12}
    assert set(found.side.tolist()) == {1}


def test_one_account_with_very_many_votes_is_found_and_its_votes_do_not_hide_it() -> None:
    arena = honest_arena(2, votes=9100)
    arena = arena.also(fans(2, arena.strength, 25, accounts=1, votes=900, against=True))
    found = suspects_of(arena)
    assert (found.voter[0], found.habit[0], found.side[0]) == (arena.odd[0], 25, -1)
    # Almost all that is known of the model comes from this account; its own fit would expect .1.
    assert found.won[0] == 0
    assert found.expected[0] / found.votes[0] > 0.15


def test_sides_and_contrary_voters_are_habits_of_their_own() -> None:
    arena = honest_arena(3, votes=20_000, ties=0.0)
    lefts = arena.also(clickers(3, arena.strength, accounts=5, votes=60, first_share=1.0))
    found = suspects_of(lefts)
    assert set(lefts.odd.tolist()) <= set(found.voter.tolist())
    assert set(found.habit.tolist()) == {31}
    turned = fans(3, arena.strength, 0, accounts=5, votes=120, share=0.0)
    contrary = arena.also(turned._replace(outcome=2 - turned.outcome))
    found = suspects_of(contrary)
    assert set(contrary.odd.tolist()) <= set(found.voter.tolist())
    # Against the order, which also is against the best and for the last: the clearest is said.
    assert set(found.habit.tolist()) <= {0, 29, 30}


def test_neither_the_order_of_votes_nor_the_codes_of_voters_matter() -> None:
    arena = honest_arena(4, models=6, voters=200, votes=4000)
    arena = arena.also(fans(4, arena.strength, 3, accounts=5, votes=25))
    shuffle = np.random.default_rng(0).permutation(arena.voter.size)
    codes = np.random.default_rng(1).permutation(arena.n_voters)
    other = Arena(codes[arena.voter[shuffle]], *(column[shuffle] for column in arena[1:5]),
                  arena.strength, arena.odd)  # fmt: skip
    one, two = suspects_of(arena), suspects_of(other)
    assert one.voter.size >= 5
    assert sorted(codes[one.voter].tolist()) == sorted(two.voter.tolist())
    assert np.sort(one.log_p) == pytest.approx(np.sort(two.log_p), rel=1e-6)


def test_rows_of_equal_votes_count_as_often_as_they_say() -> None:
    arena = honest_arena(5, models=5, voters=100, votes=2000)
    arena = arena.also(fans(5, arena.strength, 2, accounts=3, votes=25))
    columns = np.stack([arena.voter, arena.first, arena.second, arena.outcome], axis=1)
    rows, number = np.unique(columns, axis=0, return_counts=True)
    fit = fit_arena(arena)
    single = find_odd_voters(VotesByVoter(*columns.T), fit, arena.n_voters, 0.05)
    joined = find_odd_voters(VotesByVoter(*rows.T, number), fit, arena.n_voters, 0.05)
    assert single.voter.size >= 3
    assert single.voter.tolist() == joined.voter.tolist()
    assert single.log_p == pytest.approx(joined.log_p, rel=1e-6)


def test_few_voters_or_votes_name_nobody() -> None:
    arena = honest_arena(6, models=5, voters=12, votes=2000)
    found = suspects_of(arena.also(fans(6, arena.strength, 2, accounts=3, votes=100)))
    assert found.voter.size == 0
    assert found.tested == 15
    alone = Arena(np.arange(2000), *arena[1:])
    assert suspects_of(alone).tested == 0


CASES = {
    "honest voters, tastes as in one arena": {"taste": 0.4},
    "honest voters, strong tastes": {"taste": 0.8},
    "honest voters, few models": {"models": 5, "voters": 300, "votes": 10_000},
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_honest_voters_are_seldom_named(case: str, calibration: Calibration) -> None:
    runs = calibration.runs(10, 400)
    named = sum(
        suspects_of(honest_arena(seed, **CASES[case])).voter.size > 0 for seed in range(runs)
    )
    calibration.at_most(named, runs, 0.05, of=case)


@pytest.mark.slow
def test_few_of_those_named_are_honest(calibration: Calibration) -> None:
    shares = []
    runs = calibration.runs(8, 400)
    for seed in range(runs):
        arena = honest_arena(seed, votes=29_000)
        arena = arena.also(fans(seed, arena.strength, 0, accounts=20, votes=20, against=True))
        arena = arena.also(fans(seed + 1, arena.strength, 20, accounts=10, votes=30, share=0.7))
        arena = arena.also(clickers(seed, arena.strength, accounts=10, votes=30, first_share=1.0))
        found = suspects_of(arena)
        shares.append((~np.isin(found.voter, arena.odd)).mean() if found.voter.size else 0.0)
    calibration.at_most(float(np.sum(shares)), runs, 0.05, of="voters named who are honest")

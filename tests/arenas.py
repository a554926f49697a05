"""Simulated arenas whose truth is known: honest voters of different tastes, and others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankbars.stats.votes.oddvoters import OddVoters, find_odd_voters
from rankbars.stats.votes.votecounts import from_matrices
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.votemodels import fit_bradley_terry
from rankbars.stats.votes.voterhabits import VotesByVoter


class Arena(NamedTuple):
    """Single votes, and what made them."""

    voter: np.ndarray  # codes from 0
    first: np.ndarray
    second: np.ndarray
    outcome: np.ndarray  # 0 the first wins, 1 tie, 2 the second wins
    time: np.ndarray  # seconds
    strength: np.ndarray
    odd: np.ndarray  # codes of the voters who are not honest

    @property
    def n_voters(self) -> int:
        return int(self.voter.max()) + 1

    def also(self, other: Arena, *, odd: bool = True) -> Arena:
        """These votes and those of further voters, all in the order of their times."""
        moved = other.voter + self.n_voters
        columns = [
            np.concatenate(pair) for pair in zip(self[:5], (moved, *other[1:5]), strict=True)
        ]
        order = np.argsort(columns[4], kind="stable")
        added = np.unique(moved) if odd else moved[:0]
        return Arena(
            *(column[order] for column in columns), self.strength,
            np.concatenate([self.odd, added]),
        )  # fmt: skip


def honest_arena(
    seed: int, *, models: int = 30, voters: int = 1500, votes: int = 30_000, taste: float = 0.4,
    tail: float = 1.2, ties: float = 0.15, bias: float = 0.1, biases: float = 0.2,
    gap: float = 1.0, degrees: float = np.inf,
) -> Arena:  # fmt: skip
    """Voters who differ: in how much they vote, what they like, and how the position sways them.

    The number of votes follows Pareto's law with exponent `tail`; tastes for each model have
    standard deviation `taste`, normal or t with `degrees` of freedom; the effect of the position
    has mean `bias` and standard deviation `biases`.
    """
    rng = np.random.default_rng([seed, 1])
    strength = np.sort(gap * rng.normal(size=models))[::-1]
    activity = rng.pareto(tail, voters) + 1
    voter = rng.choice(voters, votes, p=activity / activity.sum())
    draws = rng.normal(size=(voters, models))
    if np.isfinite(degrees):
        draws /= np.sqrt(rng.chisquare(degrees, (voters, models)) / degrees)
        draws *= np.sqrt((degrees - 2) / degrees)
    likes = taste * draws
    side = bias + biases * rng.normal(size=voters)
    first = rng.integers(0, models, votes)
    second = (first + rng.integers(1, models, votes)) % models
    eta = strength[first] - strength[second] + likes[voter, first] - likes[voter, second]
    outcome = np.where(rng.random(votes) < 1 / (1 + np.exp(-eta - side[voter])), 0, 2)
    outcome[rng.random(votes) < ties] = 1
    time = np.sort(rng.uniform(0, 30 * 86_400, votes))
    return Arena(voter, first, second, outcome, time, strength, np.empty(0, dtype=np.int64))


def fans(
    seed: int, strength: np.ndarray, model: int, *, accounts: int, votes: int, share: float = 1.0,
    against: bool = False, start: float = 0.0, length: float = 30 * 86_400.0,
) -> Arena:  # fmt: skip
    """Accounts that vote for one model (or against it) whenever it is shown.

    In a part of their votes, `share`, it is shown; the rest are votes like everybody's.
    """
    rng = np.random.default_rng([seed, 2])
    size, total = strength.size, accounts * votes
    voter = np.repeat(np.arange(accounts), votes)
    pushed = rng.random(total) < share
    one = np.where(pushed, model, rng.integers(0, size, total))
    other = (one + rng.integers(1, size, total)) % size
    turned = rng.random(total) < 0.5
    first, second = np.where(turned, other, one), np.where(turned, one, other)
    honest = rng.random(total) < 1 / (1 + np.exp(strength[second] - strength[first]))
    meant = (first == model) != against
    outcome = np.where(np.where(pushed, meant, honest), 0, 2)
    time = start + rng.uniform(0, length, total)
    return Arena(voter, first, second, outcome, time, strength, np.empty(0, dtype=np.int64))


def clickers(
    seed: int, strength: np.ndarray, *, accounts: int, votes: int, first_share: float = 0.5
) -> Arena:
    """Accounts that click at random, or on one side."""
    rng = np.random.default_rng([seed, 3])
    size, total = strength.size, accounts * votes
    first = rng.integers(0, size, total)
    second = (first + rng.integers(1, size, total)) % size
    outcome = np.where(rng.random(total) < first_share, 0, 2)
    time = rng.uniform(0, 30 * 86_400, total)
    voter = np.repeat(np.arange(accounts), votes)
    return Arena(voter, first, second, outcome, time, strength, np.empty(0, dtype=np.int64))


def fit_arena(arena: Arena, out: np.ndarray | None = None) -> VoteFit:
    """The fit of the votes, those of voters who are `out` left out."""
    size = arena.strength.size
    kept = np.ones(arena.voter.size, dtype=bool) if out is None else ~out[arena.voter]
    tables = np.zeros((3, size, size))
    np.add.at(tables, (arena.outcome[kept], arena.first[kept], arena.second[kept]), 1)
    wins, ties = tables[0] + tables[2].T, tables[1] + tables[1].T
    return fit_bradley_terry(from_matrices(wins, ties if ties.any() else None))


def suspects_of(arena: Arena) -> OddVoters:
    """Voters who are named, after the fit without those named before."""
    shown = np.ones(arena.voter.size, dtype=np.int64)
    votes = VotesByVoter(*arena[:4], position=shown)
    out = np.zeros(arena.n_voters, dtype=bool)
    for _ in range(3):
        found = find_odd_voters(votes, fit_arena(arena, out), arena.n_voters, 0.05, out)
        before, out = out, np.isin(np.arange(out.size), found.voter)
        if (before == out).all():
            break
    return found

"""Voters whose votes do not fit: one likelihood test per voter and habit, false discoveries held.

A habit is a direction in which a voter's log odds may differ from those of all: for one model or
against it, for the side shown first, or away from the order of the strengths altogether. Honest
voters have habits, too: how much they differ is measured over all voters, and allowed for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from rankbars.stats.votes.habittests import try_habits
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.voterhabits import (
    FEWEST_VOTES,
    VotesByVoter,
    measure_honest,
    stand_out,
    sum_habits,
    tie_factor,
)

__all__ = ["FEWEST_VOTERS", "OddVoters", "find_odd_voters"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

FEWEST_VOTERS = 20
"""Voters with that many votes below which nobody is tested: honest ones may differ by anything."""


class OddVoters(NamedTuple):
    """Voters whose votes do not fit, those that fit least first.

    Attributes
    ----------
    voter : ndarray of intp, shape (K,)
        Their codes.
    habit : ndarray of intp, shape (K,)
        The model that they are for or against; M where they do not follow the order of the
        strengths, M + 1 where they choose by position.
    side : ndarray of int64, shape (K,)
        1 for, -1 against.
    log_p : ndarray of float, shape (K,)
        Logarithm of about the largest chance that an honest voter votes so.
    votes : ndarray of float, shape (K,)
        Votes of the voter that the habit is about.
    won, expected : ndarray of float, shape (K,)
        Their score for the model or the position (win 1, tie 1/2), and that by the fit without
        this voter; for the order of the strengths, for the stronger model of the two.
    tested : int
        Voters that were tested.
    spread : float
        Standard deviation of the log odds of honest voters for one model.
    """

    voter: Codes
    habit: Codes
    side: NDArray[np.int64]
    log_p: Array
    votes: Array
    won: Array
    expected: Array
    tested: int
    spread: float


def find_odd_voters(
    votes: VotesByVoter, fit: VoteFit, n_voters: int, alpha: float,
    apart: NDArray[np.bool_] | None = None,
) -> OddVoters:  # fmt: skip
    """Voters whose votes do not fit, at a false discovery rate.

    Parameters
    ----------
    votes : VotesByVoter
        Votes, each counting once.
    fit : VoteFit
        A fit of all votes, or of those of voters who are not `apart`.
    n_voters : int
        Number of voters, G.
    alpha : float
        False discovery rate.
    apart : ndarray of bool, shape (G,), optional
        Voters who are no part of the fit, nor of what is known of honest ones.

    Returns
    -------
    OddVoters
        Each suspected voter once, with the habit that is the clearest.

    Notes
    -----
    Voter v has the log odds ``eta + u x`` of a vote, with ``x`` 1 where the vote is for the model
    in question, and so on. Honest voters have ``u`` of mean zero and standard deviation tau, normal
    up to 2.5 tau and with an exponential tail beyond. The chance that an honest voter has a score
    of s or more is about, and most often less than,

        exp(-min over u of [penalty(u) + max over w of (w s - K(w)) - (u s - K(u))])

    with K the cumulant function of the score under the fit without the voter (Chernoff's bound,
    and Laplace's method for the tastes), for few votes and for chances near 0 and 1 alike. Tau
    comes from the moments ``E S^2 = I + tau^2 I^2``, each voter weighing about the same: the median
    over groups of models, and up to twice that where voters are of two minds about one. Voters
    with the same habit are a family, those of whom most votes are about the model apart from the
    others: which families have more such voters than chance explains is decided at half of the
    rate, by the order statistics of their p-values at the places 1, 2, 4, ..., and who it is at
    the other half, by Benjamini and Hochberg's procedure; the clearest family comes first, and its
    members are in no other one. A habit takes five votes or more. Work is linear in the votes.

    Examples
    --------
    >>> from rankbars.stats.votes.votemodels import fit_bradley_terry
    >>> from rankbars.stats.votes.votecounts import from_matrices
    >>> rng = np.random.default_rng(0)
    >>> voter, first = np.repeat(np.arange(60), 30), rng.integers(0, 4, 1800)
    >>> second = (first + rng.integers(1, 4, 1800)) % 4
    >>> outcome = 2 * rng.integers(0, 2, 1800)
    >>> fan = voter == 7
    >>> first[fan], second[fan], outcome[fan] = 3, np.arange(30) % 3, 0
    >>> wins = np.zeros((4, 4))
    >>> np.add.at(wins, (np.where(outcome == 0, first, second),
    ...                  np.where(outcome == 0, second, first)), 1)
    >>> fit = fit_bradley_terry(from_matrices(wins))
    >>> found = find_odd_voters(VotesByVoter(voter, first, second, outcome), fit, 60, 0.05)
    >>> found.voter.tolist(), found.habit.tolist(), found.side.tolist()
    ([7], [3], [1])
    """
    cast = np.bincount(votes.voter, votes.votes, n_voters)
    enough = cast >= FEWEST_VOTES
    tested = int(enough.sum())
    if tested < FEWEST_VOTERS:
        return _nobody(tested)
    votes = votes.narrowed(n_voters, fit.strength.size)
    ties = tie_factor(votes, fit)
    cells = sum_habits(votes, fit, ties, enough)
    n_habits = fit.strength.size + 2
    # Voters of whom most votes are about one model are compared with each other: pairs that are
    # shown at random make few of them, and what was shown says nothing of how honest they are.
    group = 2 * cells.habit + ((cells.habit < n_habits - 2) & (2 * cells.votes > cast[cells.voter]))
    known = np.bincount(group, minlength=2 * n_habits)  # voters by habit and group
    inside = np.ones(n_voters, dtype=np.bool_) if apart is None else ~apart
    usual = inside[cells.voter] & ((group % 2 == 0) | (known[2 * cells.habit] < FEWEST_VOTERS))
    centre, spread, typical = measure_honest(cells.take(np.flatnonzero(usual)), n_habits)
    likely = np.flatnonzero(stand_out(cells, centre, spread))
    if not likely.size:
        return _nobody(tested)._replace(spread=typical)
    asked = cells.take(likely)
    tried = try_habits(votes, fit, ties, asked, inside, centre, spread)
    found = _discover(asked.voter, group[likely], tried.side, tried.log_p, known, alpha)
    chosen = found[np.argsort(tried.log_p[found], kind="stable")]
    return OddVoters(
        asked.voter[chosen], asked.habit[chosen], tried.side[chosen], tried.log_p[chosen],
        asked.votes[chosen], tried.won[chosen], tried.expected[chosen], tested, typical,
    )  # fmt: skip


def _nobody(tested: int) -> OddVoters:
    none, codes = np.empty(0), np.empty(0, dtype=np.intp)
    sides = np.empty(0, dtype=np.int64)
    return OddVoters(codes, codes, sides, none, none, none, none, tested, float("nan"))


def _discover(
    voter: Codes, group: NDArray[np.int64], side: NDArray[np.int64], log_p: Array,
    known: NDArray[np.int64], alpha: float,
) -> Codes:  # fmt: skip
    """Families of one group and side by how many stand out, then their members.

    The clearest family first, whose members are then in no other one: who is for one model votes
    against many. Cells that are not here have p = 1.
    """
    family = group * 2 + (side > 0)
    n_families = 2 * int((known > 0).sum()) - int(known[-4] > 0)  # one side of the order only
    order = np.lexsort((log_p, family))
    people, p = known[group[order]], np.exp(log_p[order])
    places, family, voter = np.log2(people + 1), family[order], voter[order]
    open_, found = np.ones(order.size, dtype=np.bool_), []
    for selected in range(1, n_families + 1):
        left = np.flatnonzero(open_)
        if not left.size:
            break
        starts = np.flatnonzero(np.diff(family[left], prepend=-1))
        lengths = np.diff(starts, append=left.size)
        place = np.arange(left.size) - np.repeat(starts, lengths) + 1
        # As many as this or more below p, at the places 1, 2, 4, ..., so that few are looked at.
        looked = (place & (place - 1)) == 0
        tail = np.where(looked, betainc(place, people[left] - place + 1, p[left]), 1.0)
        together = np.minimum.reduceat(tail, starts) * np.ceil(places[left[starts]])
        best = int(together.argmin())
        if together[best] > alpha / 2 * selected / n_families:
            break
        own = slice(starts[best], starts[best] + lengths[best])
        within = p[left[own]] * people[left[own]] <= alpha / 2 * place[own]
        members = left[own][: int(np.max(place[own][within], initial=0))]
        found.append(order[members])
        open_ &= (family != family[left[starts[best]]]) & ~np.isin(voter, voter[members])
    return np.concatenate([np.empty(0, dtype=np.intp), *found])

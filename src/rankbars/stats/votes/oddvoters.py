"""Voters whose votes do not fit: one likelihood test per voter and habit, false discoveries held.

A habit is a direction in which a voter's log odds may differ from those of all: for one model or
against it, for the side shown first, or away from the order of the strengths altogether. Honest
voters have habits, too: how much they differ is measured over all voters, and allowed for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from rankbars.stats.votes.likelihood import sum_by
from rankbars.stats.votes.newton import factorise, solve
from rankbars.stats.votes.votefit import VoteFit, fix_gauge
from rankbars.stats.votes.voterhabits import (
    FEWEST_VOTES,
    Habits,
    SingleVotes,
    VotesByVoter,
    measure_honest,
    predict_votes,
    say_single,
    stand_out,
    sum_habits,
    tie_factor,
)

__all__ = ["FEWEST_VOTERS", "OddVoters", "find_odd_voters"]


Array = NDArray[np.float64]
Codes = NDArray[np.intp]

FEWEST_VOTERS = 20
"""Voters with that many votes below which nobody is tested: honest ones may differ by anything."""

_MOST_CELLS = 1 << 22  # voters times models that are worked on at once
_TAIL = 2.5  # standard deviations of honest habits beyond which their tail is exponential
_STEPS = 60
_FURTHEST = 40.0  # log odds
_LEVERAGE = 0.05  # share of what is known of a model from which the fit without a voter is exact


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
    tried = _try_habits(votes, fit, ties, asked, inside, centre, spread)
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


class _Tried(NamedTuple):
    """What the test says of each cell."""

    side: NDArray[np.int64]
    log_p: Array
    won: Array
    expected: Array


def _try_habits(
    votes: VotesByVoter, fit: VoteFit, ties: float, asked: Habits,
    inside: NDArray[np.bool_], centre: Array, spread: Array,
) -> _Tried:  # fmt: skip
    """The bound for habits that may be odd, some voters at a time."""
    people = np.unique(asked.voter)
    wanted = np.zeros(inside.size, dtype=np.bool_)
    wanted[people] = True
    rows = np.flatnonzero(wanted[votes.voter])
    # Numbers of few voters are small, and put in order without comparing them.
    number = (np.cumsum(wanted) - 1).astype(np.min_scalar_type(people.size))[votes.voter[rows]]
    order = np.argsort(number, kind="stable")
    cast, number = votes.take(rows[order]), number[order].astype(np.intp)
    tried = _Tried(np.ones(asked.voter.size, dtype=np.int64), *np.zeros((3, asked.voter.size)))
    most = max(_MOST_CELLS // max(fit.strength.size, 1), 1)
    for start in range(0, people.size, most):
        some = people[start : start + most]
        cells = np.flatnonzero((asked.voter >= some[0]) & (asked.voter <= some[-1]))
        own = slice(*np.searchsorted(number, [start, start + some.size]))
        found = _test_some(
            cast.take(own), number[own] - start, some, fit, ties, asked.take(cells), inside, centre,
            spread,
        )  # fmt: skip
        for into, values in zip(tried, found, strict=True):
            into[cells] = values
    return tried


def _test_some(
    votes: VotesByVoter, local: Codes, people: Codes, fit: VoteFit, ties: float, asked: Habits,
    inside: NDArray[np.bool_], centre: Array, spread: Array,
) -> _Tried:  # fmt: skip
    n_habits, size = spread.size, fit.strength.size
    eta, doubt = _without_each(votes, local, people, fit, inside)
    number = np.ones(eta.size) if votes.votes is None else votes.votes.astype(np.float64)
    keys = np.searchsorted(people, asked.voter) * n_habits + asked.habit
    by_key = np.argsort(keys)
    row, place, towards = _entries(votes, local, eta, keys[by_key], n_habits)
    place = by_key[place]
    terms = _Terms(say_single(eta, fit, ties), row, towards, place)
    habit = asked.habit
    unsure = doubt[keys // n_habits, np.minimum(habit, size - 1)]
    tau = np.sqrt(spread[habit] ** 2 + np.where(habit < size, unsure, 0.0))
    score, log_p = _bound(terms, votes.outcome, number, centre[habit], tau)
    side = np.where(score >= 0, 1, -1)
    # Those who follow the order of the strengths are no suspects.
    log_p = np.where((habit == size) & (side > 0), 0.0, log_p)
    return _Tried(side, log_p, *_describe(terms, votes.outcome, number, keys.size))


class _Terms(NamedTuple):
    """Votes of the cells that are asked about; a vote may be in several."""

    single: SingleVotes
    row: Codes  # (E,): the vote
    towards: Array  # (E,): change of the log odds of its first model by the habit
    place: Codes  # (E,): the cell


def _entries(
    votes: VotesByVoter, local: Codes, eta: Array, keys: NDArray[np.int64], n_habits: int
) -> tuple[Codes, Codes, Array]:
    """Vote, cell and direction wherever a vote is in a cell; `keys` ascend."""
    ones = np.ones(eta.size)
    kinds: list[tuple[NDArray[np.integer] | int, Array]] = [
        (votes.first, ones), (votes.second, -ones), (n_habits - 2, eta)
    ]  # fmt: skip
    if votes.position is not None:
        kinds.append((n_habits - 1, votes.position.astype(np.float64)))
    found = []
    for habit, towards in kinds:
        key = local * n_habits + habit
        place = np.minimum(np.searchsorted(keys, key), keys.size - 1)
        row = np.flatnonzero((keys[place] == key) & (towards != 0))
        found.append((row, place[row], towards[row]))
    rows, places, directions = (np.concatenate(column) for column in zip(*found, strict=True))
    return rows, places, directions


def _without_each(
    votes: VotesByVoter, local: Codes, people: Codes, fit: VoteFit, inside: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Log odds of each vote by the fit without its voter, and the variance of each strength there.

    One Newton step; with the information of the others where a voter is much of what is known.
    """
    size, shape = fit.strength.size, (people.size, fit.strength.size)
    base = predict_votes(votes, fit.strength)
    p = 1 / (1 + np.exp(-base))
    number = inside[votes.voter] * (1.0 if votes.votes is None else votes.votes)
    if votes.weight is not None:
        number = number * votes.weight
    slope, weight = (1 - votes.outcome / 2 - p) * number, p * (1 - p) * number
    one, other = local * size + votes.first, local * size + votes.second
    cells = people.size * size
    scores = (sum_by(one, slope, cells) - sum_by(other, slope, cells)).reshape(shape)
    mine = (sum_by(one, weight, cells) + sum_by(other, weight, cells)).reshape(shape)
    block = fit.information[:size, :size]
    total = np.maximum(block.diagonal(), 1e-300)
    step = solve(factorise(fix_gauge(block.copy(), size)), scores.T).T
    doubt = 1 / np.maximum(total - mine, 1e-9 * total)
    starts = np.searchsorted(local, np.arange(people.size + 1))
    for k in np.flatnonzero((mine > _LEVERAGE * total).any(axis=1)):
        own = slice(starts[k], starts[k + 1])
        first, second = votes.first[own], votes.second[own]
        left = block.copy()
        for a, b, sign in ((first, second, 1), (second, first, 1), (first, first, -1),
                           (second, second, -1)):  # fmt: skip
            np.add.at(left, (a, b), sign * weight[own])
        # A model that nobody else knows has no strength without this voter.
        left[np.arange(size), np.arange(size)] += 1e-6 * total
        step[k] = solve(factorise(fix_gauge(left, size)), scores[k])
    step = np.clip(step, -_FURTHEST, _FURTHEST)
    return base - (step[local, votes.first] - step[local, votes.second]), doubt


def _bound(
    terms: _Terms, outcome: NDArray[np.integer], number: Array, centre: Array, tau: Array
) -> tuple[Array, Array]:
    """Score of each cell less its honest mean, and the bound of its log chance."""
    row, place, count = terms.row, terms.place, centre.size
    load = number[row]
    steps = terms.towards * terms.single.score.take(row, axis=1)
    log_chance = np.log(terms.single.chance.take(row, axis=1))
    score = sum_by(place, load * steps[outcome[row], np.arange(row.size)], count)

    def cumulant(u: Array) -> tuple[Array, Array, Array]:
        """K(u) with two derivatives."""
        exponent = log_chance + u[place] * steps
        top = exponent.max(axis=0)
        mass = np.exp(exponent - top)
        whole = mass.sum(axis=0)
        mean = (mass * steps).sum(axis=0) / whole
        second = (mass * steps**2).sum(axis=0) / whole - mean**2
        return (
            sum_by(place, load * (np.log(whole) + top), count),
            sum_by(place, load * mean, count),
            sum_by(place, load * np.maximum(second, 0.0), count),
        )

    def height(u: Array, *, free: bool) -> tuple[Array, Array, Array]:
        value, slope, bend = cumulant(u)
        value, slope = u * score - value, score - slope
        if free:
            return value, slope, bend
        off = (u - centre) / tau
        inside = np.abs(off) <= _TAIL
        value = value - np.where(inside, off**2 / 2, _TAIL * np.abs(off) - _TAIL**2 / 2)
        slope = slope - np.clip(off, -_TAIL, _TAIL) / tau
        return value, slope, bend + np.where(inside, 1 / tau**2, 0.0)

    free, _ = _climb(lambda u: height(u, free=True), centre)
    bound, bend = _climb(lambda u: height(u, free=False), centre)
    # Laplace: how wide the tastes are that could have led here.
    wide = np.minimum(-np.log(tau) - np.log(np.maximum(bend, 1e-12)) / 2, 0.0)
    return score - cumulant(centre)[1], np.minimum(bound - free, 0.0) + wide


def _climb(
    height: Callable[[Array], tuple[Array, Array, Array]], start: Array
) -> tuple[Array, Array]:
    """Largest values of concave functions of one variable, and how they bend there."""
    low, high = np.full_like(start, -_FURTHEST), np.full_like(start, _FURTHEST)
    at = start.copy()
    best, bent = np.full_like(start, -np.inf), np.ones_like(start)
    for _ in range(_STEPS):
        value, slope, bend = height(at)
        bent = np.where(value >= best, bend, bent)
        best = np.maximum(best, value)
        low, high = np.where(slope > 0, at, low), np.where(slope < 0, at, high)
        step = np.divide(slope, bend, out=np.zeros_like(at), where=bend > 1e-12)
        new = at + step
        outside = (new <= low) | (new >= high) | (bend <= 1e-12)
        new = np.where(outside, (low + high) / 2, new)
        if (np.abs(new - at) < 1e-6).all():
            break
        at = new
    return best, bent


def _describe(
    terms: _Terms, outcome: NDArray[np.integer], number: Array, count: int
) -> tuple[Array, Array]:
    """Score of each cell towards its habit, and what the fit expects."""
    row, chance = terms.row, terms.single.chance.take(terms.row, axis=1)
    load, towards = number[row], terms.towards > 0
    points, fitted = 1 - outcome[row] / 2, chance[0] + chance[1] / 2
    return (
        sum_by(terms.place, load * np.where(towards, points, 1 - points), count),
        sum_by(terms.place, load * np.where(towards, fitted, 1 - fitted), count),
    )

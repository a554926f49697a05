"""Voters whose votes do not fit: one likelihood test per voter and habit, false discoveries held.

A habit is a direction in which a voter's log odds may differ from those of all: for one model or
against it, for the side shown first, or away from the order of the strengths altogether. Honest
voters have habits, too: how much they differ is measured over all voters, and allowed for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from rankbars.stats.votes.likelihood import logistic, sum_by
from rankbars.stats.votes.newton import factorise, solve
from rankbars.stats.votes.votecounts import TIE
from rankbars.stats.votes.votefit import VoteFit, fix_gauge, tie_parameter

__all__ = ["FEWEST_VOTERS", "FEWEST_VOTES", "OddVoters", "VotesByVoter", "find_odd_voters"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

FEWEST_VOTES = 5
"""Votes below which a voter is not tested: so few say nothing about a habit."""

FEWEST_VOTERS = 20
"""Voters with that many votes below which nobody is tested: honest ones may differ by anything."""

_CHUNK = 1 << 19  # votes that are worked on at once
_LEAST_RATE = 3.0  # log(1 / p) below which no test counts; spares most of the work
_LEAST_SPREAD = 0.25  # honest voters differ by so much in log odds, if little is known
_TAIL = 2.5  # standard deviations of honest habits beyond which their tail is exponential
_HALF_VOTES = 0.25  # squared information at which a cell has half of its weight
_STEPS = 60
_FURTHEST = 40.0  # log odds
_LEVERAGE = 0.05  # share of what is known of a model from which the fit without a voter is exact


class VotesByVoter(NamedTuple):
    """Votes of known voters, in any order.

    Attributes
    ----------
    voter : ndarray of int, shape (n,)
        Codes from 0 to G - 1.
    first, second : ndarray of int, shape (n,)
        The two models.
    outcome : ndarray of int, shape (n,)
        0 the first wins, 1 tie, 2 the second wins.
    votes : ndarray of int, shape (n,), optional
        Votes behind each row; one each where not given.
    shift : ndarray of float, shape (n,), optional
        What covariates add to the log odds of the first.
    position : ndarray of int, shape (n,), optional
        1 where the first model was shown first, -1 where the second was, 0 where nobody knows.
    """

    voter: NDArray[np.integer]
    first: NDArray[np.integer]
    second: NDArray[np.integer]
    outcome: NDArray[np.integer]
    votes: NDArray[np.integer] | None = None
    shift: Array | None = None
    position: NDArray[np.integer] | None = None

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> VotesByVoter:
        """Some of the rows."""
        known = {name: column for name, column in self._asdict().items() if column is not None}
        return self._replace(**{name: column[rows] for name, column in known.items()})


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


class _Cells(NamedTuple):
    """Sums over the votes of one voter about one habit."""

    voter: Codes
    habit: Codes
    score: Array
    information: Array
    votes: Array


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
    over the models, and up to twice that where voters are of two minds about one. Voters with the
    same habit are a family, those of whom most votes are about the model apart from the others:
    which families have more such voters than chance explains is decided at half of the rate, by
    the order statistics of their p-values at the places 1, 2, 4, ..., and who it is at the other
    half, by Benjamini and Hochberg's procedure. Work is linear in the votes but for a sort by
    voter.

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
    order = np.argsort(votes.voter, kind="stable")
    order = order[enough[votes.voter[order]]]
    ties = _tie_factor(votes, fit)
    parts = [
        _sum_cells(votes.take(some), fit, ties, n_voters) for some in _pieces(order, votes.voter)
    ]
    cells = _Cells(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    n_habits = fit.strength.size + 2
    # Voters of whom most votes are about one model are compared with each other: pairs that are
    # shown at random make few of them, and what was shown says nothing of how honest they are.
    group = 2 * cells.habit + ((cells.habit < n_habits - 2) & (2 * cells.votes > cast[cells.voter]))
    known = np.bincount(group, minlength=2 * n_habits)  # voters by habit and group
    inside = np.ones(n_voters, dtype=np.bool_) if apart is None else ~apart
    centre, spread, typical = _measure_honest(cells, inside, n_habits)
    likely = _screen(cells, centre, spread)
    if not likely.any():
        return _nobody(tested)._replace(spread=typical)
    found = _test(
        votes, order, fit, ties, cells, likely, inside, centre, spread, group, known, alpha
    )
    return found._replace(tested=tested, spread=typical)


def _nobody(tested: int) -> OddVoters:
    none, codes = np.empty(0), np.empty(0, dtype=np.intp)
    sides = np.empty(0, dtype=np.int64)
    return OddVoters(codes, codes, sides, none, none, none, none, tested, float("nan"))


def _tie_factor(votes: VotesByVoter, fit: VoteFit) -> float:
    """Ties over the sum of ``p (1 - p)``, for models that say nothing of ties.

    Votes between equals are ties most often, and a tie must leave both sides a chance to win.
    """
    if fit.outcomes.has_tie or not (votes.outcome == TIE).any():
        return 0.0
    p = 1 / (1 + np.exp(-_predict(votes, fit.strength)))
    number = 1.0 if votes.votes is None else votes.votes
    return min(float(((votes.outcome == TIE) * number).sum() / (p * (1 - p) * number).sum()), 1.8)


def _pieces(order: Codes, voter: NDArray[np.integer]) -> Iterator[Codes]:
    """The rows, sorted by voter, in pieces that keep voters whole."""
    sorted_voter = voter[order]
    start = 0
    while start < order.size:
        stop = min(start + _CHUNK, order.size)
        last = sorted_voter[stop - 1]
        stop = int(np.searchsorted(sorted_voter, last, side="right"))
        yield order[start:stop]
        start = stop


class _Terms(NamedTuple):
    """What each row says under a fit, and of each habit: entries are rows times habits."""

    score: Array  # (3, n): derivative of the log-probability of each outcome
    chance: Array  # (3, n)
    row: Codes  # (E,)
    habit: Codes  # (E,)
    towards: Array  # (E,): change of the log odds of the first model by the habit


def _terms(votes: VotesByVoter, eta: Array, fit: VoteFit, ties: float) -> _Terms:
    score = fit.outcomes.scores(eta, tie_parameter(fit))[0]
    if fit.outcomes.has_tie:
        chance = fit.outcomes.chances(eta, tie_parameter(fit), np.ones((3, eta.size)))
    else:
        p, q, _, _ = logistic(eta)
        tied = ties * p * q
        chance = np.stack([p - tied / 2, tied, q - tied / 2])
    chance = np.clip(chance, 1e-300, 1.0)
    size, rows = fit.strength.size, np.arange(eta.size)
    ones = np.ones(eta.size)
    habit = [votes.first, votes.second, np.full(eta.size, size)]
    row, towards = [rows, rows, rows], [ones, -ones, eta]
    if votes.position is not None:
        known = np.flatnonzero(votes.position)
        habit.append(np.full(known.size, size + 1))
        row.append(known)
        towards.append(votes.position[known].astype(np.float64))
    return _Terms(
        score, chance, np.concatenate(row), np.concatenate(habit).astype(np.intp),
        np.concatenate(towards),
    )  # fmt: skip


def _predict(votes: VotesByVoter, strength: Array) -> Array:
    eta: Array = strength[votes.first] - strength[votes.second]
    return eta if votes.shift is None else eta + votes.shift


def _sum_cells(votes: VotesByVoter, fit: VoteFit, ties: float, n_voters: int) -> _Cells:
    """Score and information of each voter and habit."""
    eta = _predict(votes, fit.strength)
    terms = _terms(votes, eta, fit, ties)
    number = np.ones(eta.size) if votes.votes is None else votes.votes.astype(np.float64)
    own = terms.score[votes.outcome, np.arange(eta.size)] * number
    information = (terms.chance * terms.score**2).sum(axis=0) * number
    n_habits = fit.strength.size + 2
    key = votes.voter[terms.row].astype(np.int64) * n_habits + terms.habit
    keys, place = np.unique(key, return_inverse=True)
    x = terms.towards
    return _Cells(
        (keys // n_habits).astype(np.intp),
        (keys % n_habits).astype(np.intp),
        sum_by(place, x * own[terms.row], keys.size),
        sum_by(place, x * x * information[terms.row], keys.size),
        sum_by(place, number[terms.row], keys.size),
    )


def _measure_honest(
    cells: _Cells, honest: NDArray[np.bool_], n_habits: int
) -> tuple[Array, Array, float]:
    """Mean and standard deviation of each habit, and that of habits for one model."""
    kept = honest[cells.voter]
    habit = cells.habit[kept]
    score, information = cells.score[kept], cells.information[kept]
    centre = np.zeros(n_habits)
    place = habit == n_habits - 1
    if place.any():
        centre[-1] = score[place].sum() / max(information[place].sum(), 1e-300)
    excess = (score - centre[habit] * information) ** 2 - information
    squared = information**2
    share = 1 / (squared + _HALF_VOTES)
    # Fans and foes of a model apart: honest tastes go both ways, a ring does not.
    away = score > centre[habit] * information
    sides = [sum_by(habit, v * share * away, n_habits) for v in (excess, squared)]
    total = [sum_by(habit, v * share, n_habits) for v in (excess, squared)]
    both = total[0] / np.maximum(total[1], 1e-300)
    typical = max(float(np.median(both[:-2][total[1][:-2] > 0])), _LEAST_SPREAD**2)
    one, other = (
        sides[0] / np.maximum(sides[1], 1e-300),
        (total[0] - sides[0]) / np.maximum(total[1] - sides[1], 1e-300),
    )
    variance = np.minimum(both, np.minimum(one, other))
    variance[:-2] = np.clip(variance[:-2], typical, 4 * typical)
    variance[-2:] = np.maximum(both[-2:], _LEAST_SPREAD**2)
    return centre, np.sqrt(variance), float(np.sqrt(typical))


def _screen(cells: _Cells, centre: Array, spread: Array) -> NDArray[np.bool_]:
    """Cells that may turn out odd.

    The bound's exponent is at most about the square of the standardised score.
    """
    away = cells.score - centre[cells.habit] * cells.information
    variance = cells.information + (spread[cells.habit] * cells.information) ** 2
    # Of the order of strengths only those who do not follow it.
    against = (cells.habit != spread.size - 2) | (away < 0)
    return np.asarray((away**2 > _LEAST_RATE * variance) & against)


def _test(
    votes: VotesByVoter, order: Codes, fit: VoteFit, ties: float, cells: _Cells,
    likely: NDArray[np.bool_], inside: NDArray[np.bool_], centre: Array, spread: Array,
    group: NDArray[np.int64], known: NDArray[np.int64], alpha: float,
) -> OddVoters:  # fmt: skip
    """The bound for cells that may be odd, and which of them are."""
    n_habits = spread.size
    people = np.unique(cells.voter[likely])
    wanted = np.zeros(int(votes.voter.max()) + 1, dtype=np.bool_)
    wanted[people] = True
    rows = order[wanted[votes.voter[order]]]
    some = votes.take(rows)
    local = np.searchsorted(people, some.voter)
    eta, doubt = _without_each(some, local, people, fit, cells, inside)
    terms = _terms(some, eta, fit, ties)
    number = np.ones(eta.size) if some.votes is None else some.votes.astype(np.float64)
    key = local[terms.row] * n_habits + terms.habit
    keys = np.searchsorted(people, cells.voter[likely]) * n_habits + cells.habit[likely]
    place = np.searchsorted(keys, key)
    place = np.minimum(place, keys.size - 1)
    entries = np.flatnonzero(keys[place] == key)
    place = place[entries]
    terms = terms._replace(
        row=terms.row[entries], habit=terms.habit[entries], towards=terms.towards[entries]
    )
    habit = keys % n_habits
    tau = np.sqrt(
        spread[habit] ** 2 + np.where(habit < n_habits - 2, doubt[keys // n_habits, 0], 0)
    )
    score, log_p = _bound(terms, some.outcome, number, place, centre[habit], tau)
    side = np.where(score >= 0, 1, -1)
    log_p = np.where((habit == n_habits - 2) & (side > 0), 0.0, log_p)
    members = _discover(group[likely], side, log_p, known, alpha)
    chosen = _one_each(keys // n_habits, log_p, members)
    held, won, expected = _describe(terms, some.outcome, number, place, keys.size, n_habits)
    return OddVoters(
        people[keys[chosen] // n_habits], habit[chosen], side[chosen], log_p[chosen],
        held[chosen], won[chosen], expected[chosen], 0, 0.0,
    )  # fmt: skip


def _without_each(
    votes: VotesByVoter, local: Codes, people: Codes, fit: VoteFit, cells: _Cells,
    inside: NDArray[np.bool_],
) -> tuple[Array, Array]:  # fmt: skip
    """Log odds of each vote by the fit without its voter, and the variance of that fit.

    One Newton step; with the information of the others where a voter is much of what is known.
    """
    size = fit.strength.size
    models = (cells.habit < size) & inside[cells.voter]
    total = sum_by(cells.habit[models], cells.information[models], size)
    mine = np.zeros((people.size, size))
    scores = np.zeros((people.size, size))
    own = np.flatnonzero(models & np.isin(cells.voter, people))
    where = np.searchsorted(people, cells.voter[own]), cells.habit[own]
    mine[where], scores[where] = cells.information[own], cells.score[own]
    block = fit.information[:size, :size]
    factor = factorise(fix_gauge(block.copy(), size))
    step = solve(factor, scores.T).T
    leverage = mine / np.maximum(total, 1e-300)
    rest = np.maximum(total - mine, 1e-300)
    doubt = np.max(np.where(mine > 0, 1 / rest, 0.0), axis=1, keepdims=True)
    starts = np.searchsorted(local, np.arange(people.size + 1))
    base = _predict(votes, fit.strength)
    for k in np.flatnonzero(leverage.max(axis=1, initial=0.0) > _LEVERAGE):
        rows = slice(starts[k], starts[k + 1])
        first, second = votes.first[rows], votes.second[rows]
        number = 1.0 if votes.votes is None else votes.votes[rows]
        p = 1 / (1 + np.exp(-base[rows]))
        left = block.copy()
        weight = p * (1 - p) * number
        np.add.at(left, (first, second), weight)
        np.add.at(left, (second, first), weight)
        np.add.at(left, (first, first), -weight)
        np.add.at(left, (second, second), -weight)
        # A model that nobody else knows has no strength without this voter.
        left[np.arange(size), np.arange(size)] += 1e-6 * block.diagonal()
        step[k] = solve(factorise(fix_gauge(left, size)), scores[k])
    step = np.clip(step, -_FURTHEST, _FURTHEST)
    moved = step[local, votes.first] - step[local, votes.second]
    return base - moved, doubt


def _bound(
    terms: _Terms, outcome: NDArray[np.integer], number: Array, place: Codes, centre: Array,
    tau: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """Score of each cell less its honest mean, and the bound of its log chance."""
    row, x = terms.row, terms.towards
    count = centre.size
    load = number[row]
    steps = x * terms.score[:, row]
    log_chance = np.log(terms.chance[:, row])
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


def _discover(
    group: NDArray[np.int64], side: NDArray[np.int64], log_p: Array, known: NDArray[np.int64],
    alpha: float,
) -> NDArray[np.bool_]:  # fmt: skip
    """Families of one group and side by how many stand out, then their members.

    Cells that are not here have p = 1.
    """
    family = group * 2 + (side > 0)
    n_families = 2 * int((known > 0).sum()) - int(known[-4] > 0)  # one side of the order only
    order = np.lexsort((log_p, family))
    starts = np.flatnonzero(np.diff(family[order], prepend=-1))
    lengths = np.diff(starts, append=order.size)
    place = np.arange(order.size) - np.repeat(starts, lengths) + 1
    people, p = known[group[order]], np.exp(log_p[order])
    # As many as this or more below p, at the places 1, 2, 4, ... only, so that few are looked at.
    looked = (place & (place - 1)) == 0
    tail = np.where(looked, betainc(place, people - place + 1, p), 1.0)
    together = np.minimum.reduceat(tail, starts)
    together = np.minimum(together * np.ceil(np.log2(people[starts] + 1)), 1.0)
    rank = np.argsort(np.argsort(together, kind="stable"), kind="stable") + 1
    held = together <= alpha / 2 * rank / n_families
    held = rank <= np.max(rank[held], initial=0)
    within = p * people <= alpha / 2 * place
    last = np.maximum.reduceat(np.where(within, place, 0), starts)
    chosen = np.zeros(order.size, dtype=np.bool_)
    chosen[order] = place <= np.repeat(np.where(held, last, 0), lengths)
    return chosen


def _one_each(voter: Codes, log_p: Array, chosen: NDArray[np.bool_]) -> Codes:
    """The clearest of the chosen cells of each voter, the clearest voter first."""
    cells = np.flatnonzero(chosen)
    cells = cells[np.argsort(log_p[cells], kind="stable")]
    _, first = np.unique(voter[cells], return_index=True)
    return np.asarray(cells[np.sort(first)])


def _describe(
    terms: _Terms, outcome: NDArray[np.integer], number: Array, place: Codes, count: int,
    n_habits: int,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Votes of each cell, their score towards the habit, and what the fit expects."""
    row = terms.row
    load = number[row]
    towards = np.sign(terms.towards)
    towards = np.where(towards == 0, 1.0, towards)
    points = 1 - outcome[row] / 2
    fitted = terms.chance[0, row] + terms.chance[1, row] / 2
    return (
        sum_by(place, load, count),
        sum_by(place, load * np.where(towards > 0, points, 1 - points), count),
        sum_by(place, load * np.where(towards > 0, fitted, 1 - fitted), count),
    )

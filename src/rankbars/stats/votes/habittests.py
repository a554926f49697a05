"""The test of single habits: about the largest chance that an honest voter votes so."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.votes.likelihood import sum_by
from rankbars.stats.votes.newton import factorise, solve
from rankbars.stats.votes.votefit import VoteFit, fix_gauge
from rankbars.stats.votes.voterhabits import (
    Habits,
    SingleVotes,
    VotesByVoter,
    predict_votes,
    say_single,
)

__all__ = ["Tried", "try_habits"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

_MOST_CELLS = 1 << 22  # voters times models that are worked on at once
_TAIL = 2.5  # standard deviations of honest habits beyond which their tail is exponential
_STEPS = 60
_FURTHEST = 40.0  # log odds
_LEVERAGE = 0.05  # share of what is known of a model from which the fit without a voter is exact


class Tried(NamedTuple):
    """What the test says of each cell."""

    side: NDArray[np.int64]
    log_p: Array
    won: Array
    expected: Array


def try_habits(
    votes: VotesByVoter, fit: VoteFit, ties: float, asked: Habits,
    inside: NDArray[np.bool_], centre: Array, spread: Array,
) -> Tried:  # fmt: skip
    """The bound for habits that may be odd, some voters at a time."""
    people = np.unique(asked.voter)
    wanted = np.zeros(inside.size, dtype=np.bool_)
    wanted[people] = True
    rows = np.flatnonzero(wanted[votes.voter])
    # Numbers of few voters are small, and put in order without comparing them.
    number = (np.cumsum(wanted) - 1).astype(np.min_scalar_type(people.size))[votes.voter[rows]]
    order = np.argsort(number, kind="stable")
    cast, number = votes.take(rows[order]), number[order].astype(np.intp)
    tried = Tried(np.ones(asked.voter.size, dtype=np.int64), *np.zeros((3, asked.voter.size)))
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
) -> Tried:  # fmt: skip
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
    return Tried(side, log_p, *_describe(terms, votes.outcome, number, keys.size))


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

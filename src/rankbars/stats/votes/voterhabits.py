"""Habits of voters: what the votes of each say of one model, of the side and of the order.

Sums of scores and of information, of voters with enough votes; how much honest voters differ; and
whose sums stand out enough to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.votes.likelihood import logistic, sum_by
from rankbars.stats.votes.votecounts import TIE
from rankbars.stats.votes.votefit import VoteFit, tie_parameter

__all__ = ["FEWEST_VOTES", "Habits", "SingleVotes", "VotesByVoter", "measure_honest",
           "predict_votes", "say_single", "stand_out", "sum_habits", "tie_factor"]  # fmt: skip

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

FEWEST_VOTES = 5
"""Votes below which a voter is not tested: so few say nothing about a habit."""

_CHUNK = 1 << 15  # votes that are worked on at once: their sums stay close to the processor
_LEAST_RATE = 3.6  # log(1 / p) that 0.025 takes; spares most of the work
_LEAST_SPREAD = 0.25  # honest voters differ by so much in log odds, if little is known
_HALF_VOTES = 0.25  # squared information at which a cell has half of its weight
_GROUPS = 15  # of models, whose median says how much honest voters differ


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
    weight : ndarray of float, shape (n,), optional
        Of each of the votes of a row in the fit; 1 where not given. What voters say counts in full.
    """

    voter: NDArray[np.integer]
    first: NDArray[np.integer]
    second: NDArray[np.integer]
    outcome: NDArray[np.integer]
    votes: NDArray[np.integer] | None = None
    shift: Array | None = None
    position: NDArray[np.integer] | None = None
    weight: Array | None = None

    def take(self, rows: NDArray[np.intp] | slice) -> VotesByVoter:
        """Some of the rows."""
        known = {name: column for name, column in self._asdict().items() if column is not None}
        return self._replace(**{name: column[rows] for name, column in known.items()})

    def narrowed(self, n_voters: int, n_models: int) -> VotesByVoter:
        """The same with codes of the smallest types, which are the quickest to take rows of."""
        voter, model = np.min_scalar_type(n_voters), np.min_scalar_type(n_models)
        return self._replace(
            voter=self.voter.astype(voter),
            first=self.first.astype(model),
            second=self.second.astype(model),
            outcome=self.outcome.astype(np.int8),
            position=None if self.position is None else self.position.astype(np.int8),
        )


class Habits(NamedTuple):
    """Sums over the votes of one voter about one habit, for each voter and habit with enough votes.

    Attributes
    ----------
    voter : ndarray of intp, shape (C,)
        Codes of the voters.
    habit : ndarray of intp, shape (C,)
        The model; M for the order of the strengths, M + 1 for the position.
    score, information : ndarray of float, shape (C,)
        First derivative of the log-likelihood in the habit, and what is expected of minus the
        second one.
    votes : ndarray of float, shape (C,)
        Votes that the habit is about.
    """

    voter: Codes
    habit: Codes
    score: Array
    information: Array
    votes: Array

    def take(self, which: Codes) -> Habits:
        """Some of them."""
        voter, habit, score, information, votes = self
        return Habits(voter[which], habit[which], score[which], information[which], votes[which])


def sum_habits(votes: VotesByVoter, fit: VoteFit, ties: float, enough: NDArray[np.bool_]) -> Habits:
    """Sums over the votes of each voter who cast enough of them, by habit.

    Parameters
    ----------
    votes : VotesByVoter
        The votes.
    fit : VoteFit
        Their fit.
    ties : float
        Of `tie_factor`.
    enough : ndarray of bool, shape (G,)
        Voters who cast enough votes.
    """
    parts: list[Habits] = []
    for rows, first in _pieces(votes.voter, enough):
        parts += _sum_some(votes.take(rows), first, fit, ties)
    voter, habit, score, information, held = zip(*parts, strict=True)
    return Habits(
        np.concatenate(voter), np.concatenate(habit), np.concatenate(score),
        np.concatenate(information), np.concatenate(held),
    )  # fmt: skip


def _pieces(voter: NDArray[np.integer], enough: NDArray[np.bool_]) -> Iterator[tuple[Codes, int]]:
    """Rows of the voters with enough votes, in pieces that keep voters whole; and the first voter.

    Voters ascend from piece to piece, and the rows of each keep their order.
    """
    ends = np.cumsum(np.bincount(voter, minlength=enough.size) * enough)
    piece, last = (ends - 1) // _CHUNK, int(ends[-1] - 1) // _CHUNK
    # Numbers so small are put in order without comparing them.
    kind = np.min_scalar_type(last + 1)
    own = np.where(enough, piece, last + 1).astype(kind)[voter]
    order = np.argsort(own, kind="stable")
    stops = np.cumsum(np.bincount(own, minlength=last + 1)[: last + 1])
    firsts = np.searchsorted(piece, np.arange(last + 1))
    for start, stop, first in zip(np.append(0, stops[:-1]), stops, firsts.tolist(), strict=True):
        if stop > start:
            yield order[start:stop], first


def tie_factor(votes: VotesByVoter, fit: VoteFit) -> float:
    """Ties over the sum of ``p (1 - p)``, for models that say nothing of ties.

    Votes between equals are ties most often, and a tie must leave both sides a chance to win.
    """
    if fit.outcomes.has_tie or not (votes.outcome == TIE).any():
        return 0.0
    tied = unsure = 0.0
    for start in range(0, votes.voter.size, _CHUNK):
        some = votes.take(slice(start, start + _CHUNK))
        number = 1.0 if some.votes is None else some.votes
        p = 1 / (1 + np.exp(-predict_votes(some, fit.strength)))
        tied += float(((some.outcome == TIE) * number).sum())
        unsure += float((p * (1 - p) * number).sum())
    return min(tied / unsure, 1.8)


class SingleVotes(NamedTuple):
    """What single votes say under a fit, by outcome, shape (3, n) each."""

    score: Array  # derivative of the log-probability in the log odds
    chance: Array


def say_single(eta: Array, fit: VoteFit, ties: float) -> SingleVotes:
    """What single votes of these log odds say; `ties` is that of `tie_factor`."""
    score = fit.outcomes.scores(eta, tie_parameter(fit))[0]
    if fit.outcomes.has_tie:
        chance = fit.outcomes.chances(eta, tie_parameter(fit), np.ones((3, eta.size)))
    else:
        p, q, _, _ = logistic(eta)
        tied = ties * p * q
        chance = np.stack([p - tied / 2, tied, q - tied / 2])
    return SingleVotes(score, np.clip(chance, 1e-300, 1.0))


def predict_votes(votes: VotesByVoter, strength: Array) -> Array:
    """Log odds of each vote for its first model."""
    eta: Array = strength[votes.first] - strength[votes.second]
    return eta if votes.shift is None else eta + votes.shift


def _sum_some(votes: VotesByVoter, start: int, fit: VoteFit, ties: float) -> Iterator[Habits]:
    """Sums of some voters, from the code `start` on: one part per kind of habit."""
    eta = predict_votes(votes, fit.strength)
    rows, size = eta.size, fit.strength.size
    number = None if votes.votes is None else votes.votes.astype(np.float64)
    if fit.outcomes.has_tie:
        single = say_single(eta, fit, ties)
        own = single.score[votes.outcome, np.arange(rows)]
        information = (single.chance * single.score**2).sum(axis=0)
    else:
        p = 1 / (1 + np.exp(-eta))
        own = 1 - votes.outcome / 2 - p
        information = (1 - ties / 4) * p * (1 - p)
    if number is not None:
        own, information = own * number, information * number
    voter = votes.voter.astype(np.intp) - start
    people = int(voter.max()) + 1

    def whole(habit: int, x: Array) -> Habits:
        held = sum_by(voter, (x != 0) * (1.0 if number is None else number), people)
        kept = np.flatnonzero(held >= FEWEST_VOTES)
        score, known = sum_by(voter, x * own, people), sum_by(voter, x * x * information, people)
        habits = np.full(kept.size, habit)
        return Habits(start + kept, habits, score[kept], known[kept], held[kept])

    yield whole(size, eta)
    if votes.position is not None:
        yield whole(size + 1, votes.position.astype(np.float64))
    voter *= size
    side = np.concatenate([voter + votes.first, voter + votes.second])
    entries, place, keys = _frequent(side, None if number is None else np.tile(number, 2))
    row, sign = entries % rows, np.where(entries < rows, 1.0, -1.0)
    held = sum_by(place, np.ones(row.size) if number is None else number[row], keys.size)
    score = sum_by(place, sign * own[row], keys.size)
    known = sum_by(place, information[row], keys.size)
    kept = np.flatnonzero(held >= FEWEST_VOTES)
    keys = keys[kept]
    yield Habits(start + keys // size, keys % size, score[kept], known[kept], held[kept])


def _frequent(key: Codes, number: Array | None) -> tuple[Codes, Codes, Codes]:
    """Entries whose key may come up often enough, the place of their keys among these, and these.

    Most entries need not be looked at then.
    """
    places, span = 1 << int(np.ceil(np.log2(2 * key.size + 2))), int(key.max()) + 1
    if span <= places:
        often = np.bincount(key, number) >= FEWEST_VOTES
        entries = np.flatnonzero(often[key])
        return entries, (np.cumsum(often) - 1)[key[entries]], np.flatnonzero(often)
    shared = key & (places - 1)
    entries = np.flatnonzero((np.bincount(shared, number) >= FEWEST_VOTES)[shared])
    keys, place = np.unique(key[entries], return_inverse=True)
    return entries, place, keys


def measure_honest(cells: Habits, n_habits: int) -> tuple[Array, Array, float]:
    """Mean and standard deviation of each habit, and that of habits for one model."""
    habit, score, information = cells.habit, cells.score, cells.information
    centre = np.zeros(n_habits)
    place = habit == n_habits - 1
    if place.any():
        centre[-1] = score[place].sum() / max(information[place].sum(), 1e-300)
    excess = (score - centre[habit] * information) ** 2 - information
    squared = information**2
    share = 1 / (squared + _HALF_VOTES)
    # Fans and foes of a model apart, as seen from its median voter, whom a ring that has moved its
    # strength has moved little: honest tastes go both ways, a ring does not.
    middle = _medians(habit, score / np.maximum(information, 1e-300), n_habits)[habit]
    off = score - middle * information
    away = off > 0
    sides = [sum_by(habit, v * share * away, n_habits) for v in (off**2 - information, squared)]
    others = [sum_by(habit, v * share * ~away, n_habits) for v in (off**2 - information, squared)]
    total = [sum_by(habit, v * share, n_habits) for v in (excess, squared)]
    both = total[0] / np.maximum(total[1], 1e-300)
    # A ring is in one of the groups of models only.
    several = np.arange(n_habits - 2) % _GROUPS
    above, below = (np.bincount(several, v[:-2], _GROUPS) for v in total)
    found = np.median(above[below > 0] / below[below > 0]) if (below > 0).any() else 0.0
    typical = max(float(found), _LEAST_SPREAD**2)
    one, other = (above / np.maximum(below, 1e-300) for above, below in (sides, others))
    variance = np.where(np.arange(n_habits) < n_habits - 2, np.minimum(one, other), both)
    variance[:-2] = np.clip(variance[:-2], typical, 4 * typical)
    variance[-2:] = np.maximum(variance[-2:], _LEAST_SPREAD**2)
    return centre, np.sqrt(variance), float(np.sqrt(typical))


def _medians(place: Codes, value: Array, size: int) -> Array:
    """Median of the values at each place; 0 where there are none."""
    order = np.lexsort((value, place))
    counts = np.bincount(place, minlength=size)
    starts = np.cumsum(counts) - counts
    found = np.zeros(size)
    some = counts > 0
    low, high = (starts + (counts - 1) // 2)[some], (starts + counts // 2)[some]
    found[some] = (value[order[low]] + value[order[high]]) / 2
    return found


def stand_out(cells: Habits, centre: Array, spread: Array) -> NDArray[np.bool_]:
    """Cells that may turn out odd.

    The bound's exponent is at most about the square of the standardised score.
    """
    away = cells.score - centre[cells.habit] * cells.information
    variance = cells.information + (spread[cells.habit] * cells.information) ** 2
    # Of the order of strengths only those who do not follow it.
    against = (cells.habit != spread.size - 2) | (away < 0)
    return np.asarray((away**2 > _LEAST_RATE * variance) & against)

"""Which votes to ask next, so that what is undecided gets shorter and later statements hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_whole
from rankbars.data.evidence import Estimates
from rankbars.data.growingvotes import Allocation
from rankbars.data.intervals import RankIntervals
from rankbars.data.scores import Scores
from rankbars.data.spec import VoteOptions
from rankbars.data.votes import Votes
from rankbars.errors import DataError, OptionError
from rankbars.intake import take_scores
from rankbars.stats.streams import stream
from rankbars.stats.votes.arena import best_chances, lay_out_pairs, variance_per_vote
from rankbars.steps.comparison import compare
from rankbars.steps.ranking import rank

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["allocate"]

_LEAST_EVEN = 0.1
_TWO_SIDED = 1.959963984540054  # of a 95 % interval
_LARGEST = 10_000_000
_NARROWEST = 1e-4  # in log odds; it takes some 10^9 votes


def allocate(
    scores: Results,
    number: int = 1000,
    *,
    decide: str | int = "order",
    width: float | None = None,
    new: Sequence[str] = (),
    even: float = 0.2,
    alpha: float = 0.05,
    votes: VoteOptions | None = None,
    seed: int = 0,
) -> Allocation:
    """Which votes to ask next, so that what is undecided gets shorter.

    What the command ``rankbars next`` does, from Python.

    Parameters
    ----------
    scores : Scores, path or data frame
        One task of votes: all that were cast so far.
    number : int
        How many votes to ask.
    decide : {"order", "first"} or int
        What for: the whole order, who is first, or which are the first k.
    width : float, optional
        Models whose own 95 % interval is wider than plus or minus this, in log odds, come first.
        0.2 is 35 points of Elo.
    new : sequence of str
        Models without any vote.
    even : float
        Share of votes that is drawn from all pairs alike, from 0.1 to 1: no pair is ever less
        likely than this, divided by the number of pairs.
    alpha : float
        Error rate of what counts as decided, for all pairs together.
    votes : VoteOptions, optional
        How votes are turned into strengths.
    seed : int
        Of the draws.

    Returns
    -------
    Allocation
        A probability for every pair, and as many draws.

    Raises
    ------
    DataError
        If there are no votes, or more than one task of them.
    OptionError
        If an option is out of range.

    Notes
    -----
    The probabilities are those with which a fit that weighs votes by one over them has the least
    sum of variances of the undecided differences, mixed with equal ones. Hand them back as a column
    ``sampling_probability``: so weighted, statements do not suffer from pairs that earlier results
    chose. The page *Votes* says how many votes that saves.

    Examples
    --------
    >>> import rankbars as rb
    >>> wins = [[0, 30, 45, 48], [28, 0, 44, 47], [5, 6, 0, 30], [2, 3, 20, 0]]
    >>> asked = rb.allocate(rb.Scores({"arena": rb.Votes(tuple("abcd"), wins)}), decide="first")
    >>> asked.undecided
    ('a', 'b')
    >>> asked.probability.round(2).tolist()
    [0.42, 0.15, 0.13, 0.15, 0.12, 0.03]
    """
    if not 1 <= number <= _LARGEST:
        raise OptionError.out_of_range("number of votes", number, f"from 1 to {_LARGEST:,}")
    if not _LEAST_EVEN <= even <= 1:
        raise OptionError.out_of_range("even", even, f"from {_LEAST_EVEN:g} to 1")
    if width is not None and not width >= _NARROWEST:
        raise OptionError.out_of_range("width", width, f"{_NARROWEST:g} or more")
    if isinstance(new, str) or not all(isinstance(name, str) and name.strip() for name in new):
        raise OptionError(f"new must be a list of names of models; got {new!r}.")
    check_whole("seed", seed, 0)
    task, found, ranks = _so_far(take_scores("allocate", scores), alpha, votes)
    known = found.models
    goal, open_pairs = _undecided(ranks, known, decide)
    for name in new:
        if name in task.models:
            raise OptionError(
                f"{name!r} has votes already, so it is not new. Ask for models whose strength is "
                "hardly known with --width (in Python: width=)."
            )
    unseen = tuple(name for name in dict.fromkeys((*task.models, *new)) if name not in known)
    models = (*known, *unseen)
    if len(models) < 2:
        raise DataError("Votes are between two models; there is one. Name new ones: new, --new.")
    mean = np.zeros(len(models))
    mean[: len(known)] = found.mean - found.mean.mean()
    design = lay_out_pairs(mean)
    wide = np.zeros((len(models), len(models)))
    wide[: len(known), : len(known)] = _sum_of_contrasts(open_pairs)
    chances = best_chances(design, wide, even)
    fresh, for_new = np.arange(len(known), len(models)), 0
    if width is not None or unseen:
        error = np.full(len(models), np.inf)
        if found.cov is not None:
            variance = np.diagonal(found.cov)
            error[: len(known)] = np.sqrt(np.where(variance > 0, variance, np.inf))
        aim = 0.2 if width is None else width
        if width is not None:
            fresh = np.flatnonzero(_TWO_SIDED * error > aim)
        own = np.eye(len(models))[fresh] - 1 / len(models)
        first = best_chances(design, own.T @ own, even)
        each = np.array([variance_per_vote(design, contrast, first) for contrast in own])
        lacking = (_TWO_SIDED / aim) ** 2 - 1 / error[fresh] ** 2
        for_new = min(number, int(np.ceil((each * lacking).max(initial=0.0))))
        chances = (for_new * first + (number - for_new) * chances) / number
    dice = stream(seed, "next", number)
    drawn = dice.choice(chances.size, number, p=chances / chances.sum())
    return Allocation(
        models=models,
        goal=goal,
        undecided=tuple(known[i] for i in np.flatnonzero(open_pairs.any(axis=1))),
        alpha=ranks.alpha,
        approximate=ranks.approximate,
        new=tuple(models[i] for i in fresh),
        for_new=for_new,
        width=width,
        even=even,
        first=design.first.astype(np.int64),
        second=design.second.astype(np.int64),
        probability=chances / chances.sum(),
        drawn=drawn.astype(np.int64),
        turned=dice.random(number) < 0.5,
    )


def _so_far(
    scores: Scores, alpha: float, votes: VoteOptions | None
) -> tuple[Votes, Estimates, RankIntervals]:
    """The votes, strengths of the models on one scale, and what is shown of these."""
    tasks = list(scores.tasks.values())
    if len(tasks) != 1 or not isinstance(tasks[0], Votes):
        count = sum(isinstance(one, Votes) for one in tasks)
        raise DataError(
            f"allocate() takes one task of votes; got {len(tasks)} tasks, {count} of them votes. "
            "Choose one with scores.select(tasks=[NAME]), or --tasks NAME."
        )
    options = replace(votes or VoteOptions(), largest_component=True)
    compared = next(iter(compare(scores, test="z", votes=options).values()))
    ranks = rank(compared, correction="holm", scope="all", alpha=alpha)
    if not isinstance(compared.evidence, Estimates):
        raise TypeError("a fit of votes gives strengths")
    return tasks[0], compared.evidence, ranks


def _undecided(
    ranks: RankIntervals, known: tuple[str, ...], decide: str | int
) -> tuple[str, NDArray[np.bool_]]:
    """What is to be decided, and the pairs of known models on which it depends, symmetric."""
    if ranks.shown_better is None:
        raise TypeError("ranks of all models at once come with the pairs that are shown")
    place = [ranks.models.index(name) for name in known]
    shown = ranks.shown_better[np.ix_(place, place)]
    open_pairs = ~(shown | shown.T)
    np.fill_diagonal(open_pairs, False)
    if decide == "order":
        return "order", open_pairs
    top = 1 if decide == "first" else decide
    if not isinstance(top, int) or isinstance(top, bool) or not 1 <= top < len(known):
        raise OptionError(
            f"Votes can decide 'order', 'first', or which are the first K of {len(known)} models, "
            f"with K from 1 to {len(known) - 1}; got {decide!r}."
        )
    inside = len(known) - shown.sum(axis=1) <= top
    outside = shown.sum(axis=0) >= top
    unsure = ~inside & ~outside
    # Two models of which neither is unsure decide nothing here.
    open_pairs &= unsure[:, None] | unsure
    if top == 1:  # those that are shown worse than somebody are out
        open_pairs &= unsure[:, None] & unsure
    return "first" if decide == "first" else f"top {top}", open_pairs


def _sum_of_contrasts(pairs: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Sum of ``c c'`` over the differences of the pairs, each once."""
    table = -pairs.astype(np.float64)
    np.fill_diagonal(table, pairs.sum(axis=1))
    return table

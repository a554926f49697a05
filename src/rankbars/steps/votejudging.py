"""Votes of people and of judges as rows that belong together: strengths, vote by vote.

What people and a judge say of the same two answers is matched by prompt and models. A row of
either side is its own fit and what one vote pulls at it, so that a judge of votes corrects people
as one of scores does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Items, Votes
from rankbars.errors import DataError
from rankbars.stats.votes.votecovariance import strength_rows

__all__ = ["JudgedVotes", "judged_votes"]

_MOST_LEVERAGE = 0.75  # of a vote that decides a strength nearly by itself
_FEWEST_VOTERS = 5  # of fewer voters the results are about these, as everywhere
_SHARE = np.array([1.0, 0.5, 0.0, 0.5])  # what the first model gets of a win, tie, loss, neither


class JudgedVotes(NamedTuple):
    """Votes as rows of strengths.

    Attributes
    ----------
    people : Items
        A row per two answers that people compared, in log odds.
    judges : list of Items
        The same of each judge; empty with a `reason`.
    said : tuple of str
        What a row is, and whose votes they are.
    reason : str, optional
        Why judges cannot be used.
    asked : list of Items
        Which answers are compared, by which a choice of pairs is seen: how far apart each judge
        has the two models, and which they are.
    sides : array of int, shape (n, 2)
        The two models of each row.
    apart : list of array, shape (n,)
        By which share of a vote each judge prefers the first of the two more than people do; NaN
        where it has no vote.
    """

    people: Items
    judges: list[Items]
    said: tuple[str, ...]
    reason: str | None
    asked: list[Items]
    sides: NDArray[np.int64]
    apart: list[NDArray[np.float64]]


class _Answers(NamedTuple):
    """Two answers each, compared once or more often: prompt, models in order, mean result."""

    names: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    result: NDArray[np.float64]
    votes: int


def judged_votes(task: str, people: Votes, judges: Sequence[Evidence]) -> JudgedVotes:
    """Rows of strengths by people and by judges, over the models that people voted on.

    Several votes on the same two answers count as their mean.

    Raises
    ------
    DataError
        If votes do not say which prompt they are about, or judges gave no votes, or other ones.
    """
    models = people.models
    own = _answers(task, people, models, "Votes of people")
    others = []
    for one in judges:
        if not isinstance(one, Votes):
            raise DataError(
                f"Task {task!r}: people gave votes, and the judge scores. Have it vote on the same "
                "pairs of answers, in the same columns."
            )
        lacking = sorted(set(models) - set(one.models))
        if lacking:
            raise DataError(
                f"Task {task!r}: the judge has no votes on {lacking[0]!r}, which people voted on. "
                "Have it vote on that model, too, or choose models with --models."
            )
        others.append(_answers(task, one, models, "Votes of the judge"))
    said = [
        f"A label is a vote on two answers: {own.votes:,} votes of people on {len(own.names):,} "
        "pairs of answers, each as the mean of its votes. Scores are log odds."
    ]
    voters = None if people.ballots is None else people.ballots.labels.get("judge")
    if voters is not None and voters.groups < _FEWEST_VOTERS:
        who = "one person" if voters.groups == 1 else f"{voters.groups} people"
        said.append(f"All labels are by {who}: the results are about what they prefer.")
    known, why, leverage = _rows(own, models)
    told = [_rows(one, models) for one in others]
    if not why and (lost := [one for _, one, _ in told if one]):
        why = f"of the judge's votes: {lost[0]}"
    why = why or _refused(people, leverage)
    return JudgedVotes(
        known,
        [rows for rows, _, _ in told],
        tuple(said),
        why or None,
        []
        if why
        else [
            part for rows, one in zip(told, others, strict=True) for part in _asked(rows[0], one)
        ],
        np.column_stack([own.first, own.second]),
        [_apart(own, one) for one in others],
    )


def _refused(people: Votes, leverage: float) -> str:
    ballots = people.ballots
    if ballots is None:
        return "single votes are not known."
    if ballots.weight is not None:
        return "votes of people have weights, for which this has no form."
    if ballots.covariates is not None:
        return "votes are adjusted for what is shown beside them, for which this has no form."
    if leverage > _MOST_LEVERAGE:
        return "a single vote decides the strength of a model nearly by itself."
    voters = ballots.labels.get("judge")
    if voters is not None and _FEWEST_VOTERS <= voters.groups < ballots.first.size:
        return (
            f"{voters.groups:,} people gave {ballots.first.size:,} votes, so that votes go "
            "together; they are ranked by themselves, by voter. To speak of these people alone, "
            "leave out who voted: --column judge="
        )
    return ""


def _answers(task: str, votes: Votes, models: tuple[str, ...], what: str) -> _Answers:
    """The pairs of answers among these models with the mean of their votes."""
    ballots = votes.ballots
    prompts = None if ballots is None else ballots.labels.get("prompt")
    if ballots is None or prompts is None or not prompts.groups:
        raise DataError(
            f"Task {task!r}: {what[0].lower()}{what[1:]} do not say which prompt each is about. A "
            "judge corrects people on the answers that both saw: name the column with --column "
            "prompt=NAME; in Python read both files with beside=True."
        )
    place = np.array([models.index(name) if name in models else -1 for name in votes.models])
    first, second = place[ballots.first], place[ballots.second]
    kept = (first >= 0) & (second >= 0) & (prompts.codes >= 0)
    if not kept.any():
        raise DataError(f"Task {task!r}: {what[0].lower()}{what[1:]} are about no shared models.")
    first, second, prompt = first[kept], second[kept], prompts.codes[kept]
    share = _SHARE[ballots.outcome[kept]]
    count = ballots.counts[kept].astype(np.float64)
    size = len(models)
    low, high = np.minimum(first, second), np.maximum(first, second)
    key, place = np.unique((prompt * size + low) * size + high, return_inverse=True)
    total = np.bincount(place, count)
    result = np.bincount(place, count * np.where(first < second, share, 1.0 - share)) / total
    low, high = key // size % size, key % size
    names = tuple(
        f"{prompts.names[p]}: {models[a]} | {models[b]}"
        for p, a, b in zip((key // size**2).tolist(), low.tolist(), high.tolist(), strict=True)
    )
    return _Answers(names, low, high, result, int(count.sum()))


def _rows(answers: _Answers, models: tuple[str, ...]) -> tuple[Items, str, float]:
    """Rows of strengths, why there are none, and the largest leverage."""
    try:
        found = strength_rows(answers.first, answers.second, answers.result, len(models))
    except DataError as error:
        nothing = np.full((len(answers.names), len(models)), np.nan)
        return Items(models, nothing, ids=answers.names), str(error), 0.0
    return Items(models, found.values, ids=answers.names), "", float(found.leverage.max())


def _asked(rows: Items, answers: _Answers) -> list[Items]:
    strength = rows.values.mean(axis=0)
    gap = np.abs(strength[answers.first] - strength[answers.second])
    met = np.zeros_like(rows.values)
    for side in (answers.first, answers.second):
        met[np.arange(len(gap)), side] = 1.0
    every = np.repeat(gap[:, None], met.shape[1], axis=1)
    return [Items(rows.models, values, ids=rows.ids) for values in (every, met)]


def _apart(people: _Answers, judge: _Answers) -> NDArray[np.float64]:
    place = {name: row for row, name in enumerate(judge.names)}
    rows = np.array([place.get(name, -1) for name in people.names], dtype=np.intp)
    return np.where(rows < 0, np.nan, judge.result[rows] - people.result)

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
from rankbars.data.votes import Labels, labels_of
from rankbars.errors import DataError
from rankbars.stats.votes.votecovariance import strength_rows

__all__ = ["JudgedVotes", "judged_votes", "voter_sums"]

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
    voter : array of int, shape (n,), optional
        Whose votes they are where people gave several: a row of `people` is then one of them.
    """

    people: Items
    judges: list[Items]
    said: tuple[str, ...]
    reason: str | None
    asked: list[Items]
    sides: NDArray[np.int64]
    apart: list[NDArray[np.float64]]
    voter: NDArray[np.int64] | None = None


class _Answers(NamedTuple):
    """Two answers each, compared once or more often: prompt, models in order, mean result.

    The voter is -1 where there are several, or it is not known.
    """

    names: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    result: NDArray[np.float64]
    votes: int
    voter: NDArray[np.int64]

    def chosen(self, rows: NDArray[np.bool_]) -> _Answers:
        """Some of them; how many votes there were is not changed."""
        names = tuple(name for name, kept in zip(self.names, rows.tolist(), strict=True) if kept)
        return _Answers(
            names, self.first[rows], self.second[rows], self.result[rows], self.votes,
            self.voter[rows],
        )  # fmt: skip


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
    voters = labels_of(people).get("judge")
    why = _refused(people)
    if voters is not None and _FEWEST_VOTERS <= voters.groups < voters.codes.size:
        return _of_voters(task, own, others, models, voters, why)
    said = [
        f"A label is a vote on two answers: {own.votes:,} votes of people on {len(own.names):,} "
        "pairs of answers, each as the mean of its votes. Scores are log odds."
    ]
    if voters is not None and voters.groups < _FEWEST_VOTERS:
        who = "one person" if voters.groups == 1 else f"{voters.groups} people"
        said.append(f"All labels are by {who}: the results are about what they prefer.")
    known, lost, leverage = _rows(own, models)
    told = [_rows(one, models) for one in others]
    why = why or lost or _of_judges(told)
    if not why and leverage > _MOST_LEVERAGE:
        why = "a single vote decides the strength of a model nearly by itself."
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
        *_sides(own, others),
    )


def voter_sums(values: NDArray[np.float64], voter: NDArray[np.int64]) -> NDArray[np.float64]:
    """Rows summed by voter, so that their mean is that of the rows, and their spread its error.

    A row is the mean of all plus the number of voters times what one's rows are off it, over the
    number of rows: the ratio of two sums, to first order.
    """
    mean, count = values.mean(axis=0), int(voter.max(initial=-1)) + 1
    sums = np.zeros((count, *values.shape[1:]))
    np.add.at(sums, voter, values - mean)
    return np.asarray(mean + count / max(len(values), 1) * sums)


def _of_voters(
    task: str, own: _Answers, others: Sequence[_Answers], models: tuple[str, ...], voters: Labels,
    why: str,
) -> JudgedVotes:  # fmt: skip
    """A row per person, where people gave several votes, and per as many answers of the rest."""
    places = [{name: row for row, name in enumerate(one.names)} for one in others]
    judged = np.array([all(name in place for place in places) for name in own.names])
    if not judged.any():
        raise DataError(
            f"Task {task!r}: the judge voted on none of the pairs of answers that people did, such "
            f"as {own.names[0]!r}; its first is {others[0].names[0]!r}. Name prompts and models "
            "alike in both."
        )
    lost = int((~judged).sum())
    own = own.chosen(judged)
    shared = int((own.voter < 0).sum())
    if not why and shared:
        why = (
            f"people gave several votes each, and of {shared:,} of {len(own.names):,} pairs of "
            "answers it is not known who voted, or several people did, so that neither votes nor "
            "people go by themselves; they are ranked without the judge, by voter. To speak of "
            "these people alone, leave out who voted: --column judge="
        )
    who, voter = np.unique(own.voter, return_inverse=True)
    said = [
        f"A label is all that one person voted: {len(who):,} people gave {own.votes:,} votes on "
        f"{len(own.names):,} pairs of answers. Scores are log odds. It is assumed that pairs of "
        "answers were dealt to people at random."
    ]
    if lost:
        said.append(f"{lost:,} pairs of answers that the judge did not see do not count.")
    told = [_rows(one, models) for one in others]
    why = why or _of_judges(told)
    known, alone, leverage = _rows(own, models, None if why else voter)
    why = why or alone
    if not why and leverage > _MOST_LEVERAGE:
        why = "a single person decides the strength of a model nearly by themselves."
    if why:
        return JudgedVotes(
            known, [rows for rows, _, _ in told], tuple(said), why, [], *_sides(own, others)
        )
    labelled = set(own.names)
    rest = [
        name
        for name in others[0].names
        if name not in labelled and all(name in place for place in places)
    ]
    groups = round(len(rest) * len(who) / len(own.names))
    group = np.arange(len(rest) if groups else 0) * groups // max(len(rest), 1)
    names = (
        *(f"voter {voters.names[one]}" for one in who.tolist()),
        *(f"other answers {one + 1}" for one in range(groups)),
    )

    def summed(rows: Items, place: dict[str, int]) -> Items:
        labels = rows.values[[place[name] for name in own.names]]
        more = rows.values[[place[name] for name in rest[: len(group)]]]
        values = np.concatenate([voter_sums(labels, voter), voter_sums(more, group)])
        return Items(models, values, ids=names)

    people = Items(models, known.values, ids=names[: len(who)])
    judges, asked = [], []
    for (rows, _, _), one, place in zip(told, others, places, strict=True):
        judges.append(summed(rows, place))
        asked += [summed(part, place) for part in _asked(rows, one)]
    return JudgedVotes(people, judges, tuple(said), None, asked, *_sides(own, others), voter)


def _sides(
    own: _Answers, others: Sequence[_Answers]
) -> tuple[NDArray[np.int64], list[NDArray[np.float64]]]:
    """Who is compared in each row, and how far judges and people are apart there."""
    return np.column_stack([own.first, own.second]), [_apart(own, one) for one in others]


def _of_judges(told: Sequence[tuple[Items, str, float]]) -> str:
    lost = [one for _, one, _ in told if one]
    return f"of the judge's votes: {lost[0]}" if lost else ""


def _refused(people: Votes) -> str:
    ballots = people.ballots
    if ballots is None:
        return "single votes are not known."
    if ballots.weight is not None:
        return (
            "votes of people have weights, which say how models were paired, and not with which "
            "chance each pair of answers was drawn among those that the judge saw."
        )
    if ballots.covariates is not None:
        return "votes are adjusted for what is shown beside them, for which this has no form."
    return ""


def _answers(task: str, votes: Votes, models: tuple[str, ...], what: str) -> _Answers:
    """The pairs of answers among these models with the mean of their votes."""
    ballots = votes.ballots
    prompts = labels_of(votes).get("prompt")
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
    voter = np.full(len(key), -1)
    if (voters := ballots.labels.get("judge")) is not None:
        given = voters.codes[kept]
        voter[place] = given
        several = np.bincount(place, given != voter[place]) > 0
        voter[several] = -1
    return _Answers(names, low, high, result, int(count.sum()), voter)


def _rows(
    answers: _Answers, models: tuple[str, ...], voter: NDArray[np.int64] | None = None
) -> tuple[Items, str, float]:
    """Rows of strengths, by answers or by voter, why there are none, and the largest leverage."""
    try:
        found = strength_rows(answers.first, answers.second, answers.result, len(models), voter)
    except DataError as error:
        nothing = np.full((len(answers.names), len(models)), np.nan)
        return Items(models, nothing, ids=answers.names), str(error), 0.0
    names = answers.names if voter is None else tuple(map(str, range(len(found.values))))
    return Items(models, found.values, ids=names), "", float(found.leverage.max())


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

"""Labels by people, corrected by a judge: which judgements belong to them, and what they are worth.

The worth decides: where a judge is not worth its price, or labels are not a random sample, the
labels alone are ranked, and a note says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Items, Votes, take_rows
from rankbars.data.notes import Note, list_names
from rankbars.data.peoplelabels import JudgeLeaning, JudgeUse, JudgeWorth
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError, OptionError
from rankbars.stats.pairwise.judgedpairs import (
    FEWEST_LABELS,
    effective_labels,
    judge_worth,
    judged_t,
    population_p,
    sampling_p,
)
from rankbars.stats.tails import critical_value
from rankbars.steps.testrows import labels_and_judge
from rankbars.steps.votes.votejudging import JudgedVotes, judged_votes, voter_sums
from rankbars.tables.votes.votetasks import drop_singles

__all__ = ["SUSPECT", "place_judgements", "scored_items", "with_judge"]

SUSPECT = 0.01
"""Error rate, all tasks together, of the question whether labelled items are a random sample."""

_LEAST_GAIN = 1.05  # at its lower end: below, a judge costs more trust than it gives
_listed = partial(list_names, limit=3)
_FEWEST_ROWS = 5  # of an interval by the t distribution
_SAME_SCALE = 0.25  # least part of what two ranges cover that both cover
_AGAINST = (
    " The judge prefers what people do not, which a weight below 0 puts right; is lower better in "
    "one of the two (--direction lower)?"
)


class _Found(NamedTuple):
    """What came of one task: judged evidence or why not, and what the judge is worth."""

    items: Items
    use: JudgeUse
    said: tuple[str, ...] = ()


def with_judge(labels: Scores, *judges: Scores, families: Sequence[Sequence[str]] = ()) -> Scores:
    """Labels by people with the scores of judges, which correct them where they are worth it.

    Parameters
    ----------
    labels : Scores
        Scores by people, of items that were chosen at random among those that were judged.
    *judges : Scores
        Scores of the same models by one judge each, on any scale, of labelled and further items.
        Items are matched by task and name.
    families : sequence of sequence of str, optional
        Models of each judge's own family, judge by judge; empty where it has none. How much better
        than people do a judge makes them, beside the other models, is then said, too.

    Returns
    -------
    Scores
        The labels. A task on which the judges are worth it carries their scores, too, and is then
        compared by the test ``"judge_t"``; of others the labels alone are ranked. Notes say what
        labels with these judges are worth, or why they are not used.

    Raises
    ------
    DataError
        If no task and item is in both, items have no names, or a judge lacks a model.

    Notes
    -----
    Items that were drawn with unequal probabilities have one over it as their weights, which add
    up to about the number of judged items; a column ``sampling_probability`` is read so.

    A judge is not used with fewer than 20 labels, where the lower end of what a label is worth
    (95 %) is below 1.05, and where its scores of labelled and other items differ more than those
    of a random sample would (p < .01, all tasks together).

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(1)
    >>> people = rng.normal(size=(300, 2)) + [0.3, 0.0]
    >>> judge = people + 0.6 * rng.normal(size=people.shape)
    >>> names = tuple(str(i) for i in range(300))
    >>> labels = rb.Scores({"t": rb.Items(("a", "b"), people[:80], ids=names[:80])})
    >>> judged = rb.Scores({"t": rb.Items(("a", "b"), judge, ids=names)})
    >>> board = rb.leaderboard(rb.with_judge(labels, judged))
    >>> board.tasks["t"].test, [n.message for n in board.notes if n.code == "judge-worth"][0][:44]
    ('judge_t', '80 labels with this judge are worth 146 [121')
    """
    if not judges:
        raise OptionError("with_judge(labels, judge) takes one judge or more; got none.")
    _check_families(families, len(judges), labels.models)
    shared = [task for task in labels.tasks if all(task in judge.tasks for judge in judges)]
    if not shared:
        raise DataError(
            "Labels and judge have no task in common: labels have "
            f"{_listed(labels.tasks)}, the judge has {_listed(judges[0].tasks)}. "
            "Name tasks alike, or leave the column of tasks out of both files."
        )
    tasks: dict[str, Evidence] = {}
    notes = list(labels.notes)
    info: dict[str, TaskInfo] = dict(labels.info)
    for task, evidence in labels.tasks.items():
        if task not in shared:
            tasks[task] = evidence
            why = "The judge has no scores of this task."
            info[task] = replace(info[task], judge=JudgeUse(False, why, len(judges)))
            notes.append(Note("judge-unused", why, task))
            continue
        given = [judge.tasks[task] for judge in judges]
        suspect, alpha = SUSPECT / len(shared), 0.05 / (sum(map(bool, families)) * len(shared) or 1)
        if isinstance(evidence, Votes):
            votes = judged_votes(task, evidence, given)
            found = _judge_task(
                task, votes.people, votes.judges, suspect, votes.reason, votes.asked
            )
            found = found._replace(said=(*votes.said, *found.said))
            tasks[task] = found.items if found.use.used else drop_singles(evidence)
            leanings, unknown = _vote_leanings(votes, families, alpha)
        else:
            people = scored_items(task, evidence, "The labels")
            others = [scored_items(task, one, "The judge's scores") for one in given]
            found = _judge_task(task, people, others, suspect)
            tasks[task] = found.items
            leanings, unknown = _leanings(
                people, others, families, alpha, -1.0 if info[task].direction == "lower" else 1.0
            )
        notes.extend(Note("judge-family", text, task) for text in unknown)
        found = found._replace(use=replace(found.use, leanings=leanings))
        notes.extend(Note("judge-family", _leaning_text(one), task) for one in leanings)
        if found.items.n < getattr(evidence, "n", 0) and info[task].coverage is not None:
            info[task] = replace(info[task], coverage=None)  # it counted rows without any label
        info[task] = replace(info[task], judge=found.use)
        notes.extend(Note("judge-rows", text, task) for text in found.said)
        if found.use.used:
            notes.append(Note("judge-worth", _worth_text(found.use), task))
        else:
            text = f"The labels alone are ranked: {found.use.reason}"
            notes.append(Note("judge-unused", text, task))
    total = JudgeWorth.of(one.judge for one in info.values() if one.judge is not None)
    if total is not None and total.tasks > 1:
        notes.append(Note("judge-worth", _all_worth(total)))
    return replace(
        labels,
        tasks=tasks,
        info=info,
        notes=tuple(notes),
        inputs=(*labels.inputs, *(one for judge in judges for one in judge.inputs)),
    )


def _judge_task(
    task: str, people: Items, others: Sequence[Items], suspect: float,
    reason: str | None = None, asked: Sequence[Items] = (),
) -> _Found:  # fmt: skip
    """What comes of a task; a `reason` not to use judges is known beforehand, or looked for.

    What is `asked` of rows must be alike for labelled and other ones, as judgements are.
    """
    if reason is None:
        people = take_rows(people, np.asarray(~np.isnan(people.values).all(axis=1)))
    names, judge = place_judgements(task, people, others)
    said = _said(people, judge)
    judged, judges = replace(people, judge=judge), len(others)
    complete = np.isfinite(judge).all(axis=(1, 2))
    known = JudgeUse(True, None, judges, people.n, int(complete.sum()))
    if reason is not None:
        return _refuse(people, known, reason, () if complete.sum() == 0 else said)
    if people.clusters is not None or people.kind != "items":
        return _refuse(people, known, "rows come in clusters or folds.", said)
    if any(one.weights is not None for one in others):
        return _refuse(people, known, "items of the judge have weights.", said)
    labelled = np.arange(len(judge)) < people.n
    n, rows = int((labelled & complete).sum()), known.judged
    if n == 0:
        raise DataError(
            f"Task {task!r}: the judge scored none of the labelled items, such as {names[0]!r}; "
            f"its first is {(others[0].ids or ('',))[0]!r}. Name items alike in both."
        )
    labels, _, drawn = labels_and_judge(judged)
    used = n if drawn is None else effective_labels(drawn[labelled & complete])
    if used < FEWEST_LABELS:
        alike = "" if drawn is None else f", which count as {used:.1f} of equal probability,"
        text = (
            f"{n} labels{alike} are too few to tell what the judge is worth (at least "
            f"{FEWEST_LABELS})."
        )
        return _refuse(people, known, text, said)
    if rows <= n:
        text = "every item that was judged has a label, so that a judge adds nothing."
        return _refuse(people, known, text, said)
    if drawn is not None and population_p(drawn[labelled & complete], rows) < suspect:
        text = (
            "weights of labelled items must be one over the probability with which each was "
            f"drawn; they add up to {drawn[labelled & complete].sum():,.0f} items, and {rows:,} "
            "are judged. Give the probabilities in a column sampling_probability."
        )
        return _refuse(people, known, text, said)
    seen = [judge, place_judgements(task, people, asked)[1]] if asked else [judge]
    p = sampling_p(np.concatenate(seen, axis=1), labelled, drawn)
    if p < suspect:
        text = (
            "labelled items do not look like a random sample of the judged ones: the judge's "
            f"scores of the two differ (p = {p:.1g}). Ranks are about the labelled items. Choose "
            "items for labels at random, or with probabilities that stand beside them in a column "
            "sampling_probability."
        )
        return _refuse(people, known, text, said)
    fit = judged_t(labels, judge, drawn=drawn)
    worth = judge_worth(fit, judges)
    tuned = [one[~np.isnan(one)] for one in fit.weights]
    # Labels of items that were not judged are lost with the judge: n count, not people.n.
    known = replace(
        known,
        worth=n * worth.gain,
        low=n * worth.low,
        high=n * worth.high,
        correlation=worth.correlation,
        weights=tuple((float(one.min()), float(one.max())) for one in tuned if one.size),
    )
    if known.low < _LEAST_GAIN * people.n:
        text = (
            f"{people.n:,} labels with this judge would be worth {_amount(known)}, which "
            f"may be less than {_LEAST_GAIN} times as many, and so it is not used."
        )
        return _refuse(people, known, text, said)
    return _Found(judged, known, said)


def _check_families(families: Sequence[Sequence[str]], judges: int, models: Sequence[str]) -> None:
    if families and len(families) != judges:
        raise OptionError(
            f"families must name the models of each judge's family, judge by judge; got "
            f"{len(families)} for {judges} judges."
        )
    for one in families:
        strange = tuple(name for name in one if name not in models)
        if isinstance(one, str) or strange:
            raise DataError(
                f"The judge's family must be models that have labels; got "
                f"{_listed((one,) if isinstance(one, str) else strange)}. They are "
                f"{_listed(models)}."
            )
        if one and len(set(one)) == len(models):
            raise DataError(
                "All models are of the judge's family; its leaning is seen beside others only."
            )


def _leanings(
    people: Items,
    judges: Sequence[Items],
    families: Sequence[Sequence[str]],
    alpha: float,
    sign: float,
) -> tuple[tuple[JudgeLeaning, ...], tuple[str, ...]]:
    """What judges make of their own families beside what people do, and why that is not known."""
    found: list[JudgeLeaning] = []
    why: list[str] = []
    for k, names in enumerate(families):
        if not names:
            continue
        _, judge = place_judgements("", people, [judges[k]])
        told, given = judge[: people.n, 0], people.values
        rows = np.asarray(np.isfinite(told).all(axis=1) & ~np.isnan(given).any(axis=1))
        if rows.sum() < _FEWEST_ROWS:
            why.append(
                f"Whether judge {k + 1} leans to its family is not known: {rows.sum()} items were "
                f"scored for every model by people and by it (at least {_FEWEST_ROWS})."
            )
            continue
        told, given = sign * told[rows], sign * given[rows]
        ends = (told.min(), told.max(), given.min(), given.max())
        shared = min(ends[1], ends[3]) - max(ends[0], ends[2])
        if shared < _SAME_SCALE * (max(ends[1], ends[3]) - min(ends[0], ends[2])):
            why.append(
                f"Whether judge {k + 1} leans to its family is not known: it scores from "
                f"{ends[0]:g} to {ends[1]:g}, and people from {ends[2]:g} to {ends[3]:g}. Give its "
                "scores in the units of the labels."
            )
            continue
        own = np.isin(people.models, names)
        apart = sign * (told - given)
        lean = apart[:, own].mean(axis=1) - apart[:, ~own].mean(axis=1)
        drawn = None if people.weights is None else people.weights[rows]
        family = tuple(name for name in people.models if name in names)
        found.append(JudgeLeaning(k + 1, family, len(lean), *_mean_of(lean, drawn, alpha)))
    return tuple(found), tuple(why)


def _vote_leanings(
    votes: JudgedVotes, families: Sequence[Sequence[str]], alpha: float
) -> tuple[tuple[JudgeLeaning, ...], tuple[str, ...]]:
    """The same of votes: in the pairs of answers of which one is by the judge's family."""
    found: list[JudgeLeaning] = []
    why: list[str] = []
    for k, names in enumerate(families):
        if not names:
            continue
        own = np.isin(votes.people.models, names)
        one = own[votes.sides[:, 0]] != own[votes.sides[:, 1]]
        lean = np.where(own[votes.sides[:, 0]], 1.0, -1.0) * votes.apart[k]
        seen = one & np.isfinite(lean)
        lean = lean[seen]
        units = lean
        if votes.voter is not None:
            _, voter = np.unique(votes.voter[seen], return_inverse=True)
            units = voter_sums(lean, voter)
        if len(units) < _FEWEST_ROWS:
            why.append(
                f"Whether judge {k + 1} leans to its family is not known: it and people voted on "
                f"{len(lean)} pairs of answers of which one is by it (at least {_FEWEST_ROWS}, by "
                "as many people where who voted is known)."
            )
            continue
        family = tuple(name for name in votes.people.models if name in names)
        found.append(JudgeLeaning(k + 1, family, len(lean), *_mean_of(units, None, alpha)))
    return tuple(found), tuple(why)


def _mean_of(
    values: NDArray[np.float64], drawn: NDArray[np.float64] | None, alpha: float
) -> tuple[float, float, float]:
    """The mean and the ends of its interval."""
    pair = judged_t(
        np.column_stack([values, np.zeros(len(values))]), np.zeros((len(values), 1, 2)), drawn=drawn
    ).pairs
    middle, error = float(pair.diff[0, 1]), float(pair.se[0, 1])
    df = float(pair.freedom[0, 1])
    half = float(critical_value(alpha / 2, df)) * error
    return middle, middle - half, middle + half


def _leaning_text(lean: JudgeLeaning) -> str:
    family = f"its own family ({_listed(lean.models)})"
    numbers = f"{lean.difference:+.3g} [{lean.low:+.3g}, {lean.high:+.3g}]"
    seen = f"on {lean.labels:,} items (95 %, all judges and tasks together)"
    if lean.low > 0:
        says = f"Judge {lean.judge} leans to {family}: beside other models it scores it"
    elif lean.high < 0:
        says = f"Judge {lean.judge} leans against {family}: beside other models it scores it"
    else:
        says = f"Judge {lean.judge} is not shown to lean to {family}: beside others it scores it"
    return f"{says} {numbers} better than people do, {seen}. It cancels where labels correct it."


def place_judgements(
    task: str, people: Items, judges: Sequence[Items]
) -> tuple[list[str], NDArray[np.float64]]:
    """Names of all items, labelled ones first, and what each judge says of them, (N, K, M).

    Raises
    ------
    DataError
        If a judge lacks a model that people labelled.
    """
    for one in judges:
        lacking = sorted(set(people.models) - set(one.models))
        if lacking:
            raise DataError(
                f"Task {task!r}: the judge has no scores of {_listed(lacking)}, which "
                "people labelled. Have it judge them, or choose models that both have, with "
                "--models."
            )
    place = {name: row for row, name in enumerate(people.ids or ())}
    for one in judges:
        for name in one.ids or ():
            place.setdefault(name, len(place))
    judge = np.full((len(place), len(judges), len(people.models)), np.nan)
    for k, one in enumerate(judges):
        columns = [one.models.index(name) for name in people.models]
        judge[[place[name] for name in one.ids or ()], k] = one.values[:, columns]
    return list(place), judge


def _refuse(people: Items, known: JudgeUse, why: str, said: tuple[str, ...]) -> _Found:
    return _Found(people, replace(known, used=False, reason=why), said)


def scored_items(task: str, evidence: Evidence, what: str) -> Items:
    """Scores of named items; raises `DataError` about `what` where they are none."""
    if not isinstance(evidence, Items):
        raise DataError(
            f"Task {task!r}: {what[0].lower()}{what[1:]} are no scores per item. A judge corrects "
            "labels item by item: give one score for each model and item."
        )
    if evidence.ids is None:
        raise DataError(
            f"Task {task!r}: {what[0].lower()}{what[1:]} do not say which item a row is. Name the "
            "column of items with --column item=NAME."
        )
    return evidence


def _said(people: Items, judge: NDArray[np.float64]) -> tuple[str, ...]:
    """Labels that the judge cannot correct."""
    unjudged = int((~np.isfinite(judge[: people.n]).all(axis=(1, 2))).sum())
    if not unjudged:
        return ()
    return (
        f"{unjudged:,} of {people.n:,} labelled items lack scores by the judge; where it is used "
        "they do not count, which assumes that what it lacks does not depend on the scores.",
    )


def _amount(worth: JudgeUse | JudgeWorth) -> str:
    high = f"{worth.high:,.0f}" if np.isfinite(worth.high) else "∞"
    return f"{worth.worth:,.0f} [{worth.low:,.0f}, {high}]"


def _worth_text(use: JudgeUse) -> str:
    who = "this judge" if use.judges == 1 else f"these {use.judges} judges"
    return (
        f"{use.labels:,} labels with {who} are worth {_amount(use)} (95 % confidence): "
        f"{use.judged:,} items are judged, and differences of models by judge and by labels "
        f"are correlated by {use.correlation:.2f}.{_AGAINST if use.correlation < 0 else ''}"
    )


def _all_worth(worth: JudgeWorth) -> str:
    return (
        f"On the {worth.tasks} tasks where judges are used, {worth.labels:,} labels with them are "
        f"worth {_amount(worth)} (95 % confidence)."
    )

"""An arena by category and by period: ranks in each category; strengths by period, and changes.

Strengths of all periods are on one scale, and tested for which of them changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import CategoryRanks, Change, OverTime, Period
from rankbars.data.fields import names_where
from rankbars.data.notes import Note, list_words
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec, VoteOptions
from rankbars.data.votes import PERIOD_MARK, Votes, controls_of
from rankbars.errors import RankbarsError
from rankbars.stats.tails import critical_value, upper_tail
from rankbars.stats.votes.voteclusters import measure_reach
from rankbars.stats.votes.votecovariance import cluster_scores, model_covariance
from rankbars.steps.testrows import Setting
from rankbars.steps.votes.connectedvotes import connected_models
from rankbars.steps.votes.strengths import Strengths, fit_strengths
from rankbars.steps.votes.tallies import (
    choose_clusters,
    cluster_keys,
    period_names,
    split_categories,
    tally_clusters,
    votes_in,
)
from rankbars.steps.votes.votesuspects import cap_votes, down_weigh, find_suspects

__all__ = ["follow_strengths", "with_parts"]

Array = NDArray[np.float64]

_FEWEST_ANCHORS = 2

_MANY = 1000
"""Voters behind every model, as if equally busy, from which their unevenness does not matter."""


def with_parts(
    board: Leaderboard,
    task: str,
    votes: Votes,
    spec: Spec,
    rank: Callable[[Scores, Spec], Leaderboard],
) -> Leaderboard:
    """The board with the ranks in each category, and with strengths by period.

    Parameters
    ----------
    board : Leaderboard
        Made of all votes.
    task : str
        The arena.
    votes : Votes
        Single ballots, with their categories.
    spec : Spec
        Options of the board, which those of its parts share.
    rank : callable
        What ranks the votes of one category.
    """
    ranked = tuple(_rank_categories(task, votes, spec, rank))
    if ranked:
        note = _category_note(len(ranked), spec.alpha)
        board = replace(board, categories=ranked, notes=(*board.notes, note))
    setting = Setting(spec.seed, spec.resamples, task, spec.votes)
    found = follow_strengths(votes, spec.votes, setting, spec.alpha)
    if found is None:
        return board
    return replace(board, over_time=found, notes=(*board.notes, _time_note(found, spec)))


def _rank_categories(
    task: str, votes: Votes, spec: Spec, rank: Callable[[Scores, Spec], Leaderboard]
) -> Iterator[CategoryRanks]:
    anywhere = replace(spec, votes=replace(spec.votes, largest_component=True))
    for name, part in split_categories(votes):
        adjusted = controls_of(part)
        try:
            own = rank(Scores({task: part}), anywhere)
        except RankbarsError as error:
            yield CategoryRanks(name, adjusted, part.n, (), reason=str(error))
            continue
        (result,) = own.tasks.values()
        out = tuple(model for model in part.models if model not in own.models)
        yield CategoryRanks(name, adjusted, part.n, own.models, out, result)


def _time_note(found: OverTime, spec: Spec) -> Note:
    """What periods are measured against, and what was shown."""
    level = f"{100 - 100 * found.alpha:g} %"
    text = (
        f"Strengths over time are relative to the mean of {len(found.anchors)} models that every "
        f"period measures; bands hold for all models and periods at once, at {level}."
    )
    if spec.test in ("e_strength", "e_process"):
        text += " They hold for one look, as do tests of changes, and not for all looks together."
    if found.reason:
        return Note("over-time", f"{text} No changes were tested: {found.reason}.")
    names = [one.model for one in found.changed]
    shown = f"{list_words(names, 10)} changed" if names else "no model is shown to have changed"
    beside = (
        f" Of {len(found.changes)} models, tested together at {level} (Holm), {shown} since "
        f"{found.since}, relative to the mean of these models: a change of all alike cannot be "
        "seen, and where few models are compared, one that changes moves the others, too."
    )
    return Note("over-time", text + beside)


def _category_note(categories: int, alpha: float) -> Note:
    """What must be said of categories that share votes."""
    size = categories + 1
    text = (
        f"{size} sets of ranks, of all votes and of categories, which may share votes: each holds "
        f"at {100 - 100 * alpha:g} % by itself, not all of them together. For that, rank at "
        f"--alpha {alpha / size:.2g}. Nothing follows about a new category."
    )
    return Note("categories", text)


class _Part(NamedTuple):
    """The fit of the votes of some periods.

    Attributes
    ----------
    votes : Votes
        The votes between models that they put on one scale.
    found : Strengths
        Their fit.
    place : array of int
        Positions of its models among all models.
    """

    votes: Votes
    found: Strengths
    place: NDArray[np.intp]


def follow_strengths(
    votes: Votes, options: VoteOptions, setting: Setting, alpha: float
) -> OverTime | None:
    """Strengths by period, and changes between the earlier and the later part of the votes.

    Parameters
    ----------
    votes : Votes
        Votes whose categories name periods.
    options : VoteOptions
        Ties, covariance, clusters, caps.
    setting : Setting
        Seed, number of resamples and key.
    alpha : float
        Error rate of all bands at once, and of all changes at once.

    Returns
    -------
    OverTime or None
        None where the votes name no periods.

    Notes
    -----
    Votes say nothing about a change of all models alike, so a scale needs a convention: in each
    period the mean of the same models is 0, and changes are relative to the mean of the models in
    both parts. Parts begin where a period does, so that the votes are halved as well as they can
    be; outcomes have no say in it. Voters and prompts in both parts make these depend on each
    other: the covariance of the two fits is the sum over shared clusters of the products of their
    influence.
    """
    names = period_names(votes)
    if not names:
        return None
    options = replace(options, largest_component=True)
    every = votes.models
    votes = _as_weighed(votes, options, setting)
    # A period with few voters is not one of independent votes.
    clusters = choose_clusters(votes, options)
    labels = "none" if clusters in ((), ("vote",)) else "+".join(clusters)
    options = replace(options, cluster=labels)
    split = [(name, votes_in(votes, [name])) for name in names]
    counts = [_count_models(own, every) for _, own in split]
    fits: list[_Part | None] = []
    reasons = []
    for _, own in split:
        fit, reason = _fit(own, every, options, setting)
        fits.append(fit)
        reasons.append(reason)
    anchors, kept = _find_anchors(fits, [own.n for _, own in split], len(every))
    for k, fit in enumerate(fits):
        if fit is not None and k not in kept:
            reasons[k] = (
                f"fewer than {_FEWEST_ANCHORS} models are measured here and in the other periods"
            )
    scaled = {k: _relative(fit, anchors) for k, fit in enumerate(fits)
              if fit is not None and k in kept}  # fmt: skip
    tests = sum(int(np.isfinite(se).sum()) for _, se, _ in scaled.values())
    periods = []
    for k, (name, own) in enumerate(split):
        strength, se, df = np.full((3, len(every)), np.nan)
        if k in scaled:
            place = fits[k].place  # type: ignore[union-attr]
            strength[place], se[place], df[place] = scaled[k]
        half = critical_value(alpha / 2 / max(tests, 1), np.where(np.isfinite(se), df, 1.0)) * se
        shown = name.split()[-1][: 7 if " month " in name else None]
        periods.append(Period(shown, own.n, counts[k], strength, se,
                              strength - half, strength + half, reasons[k]))  # fmt: skip
    unit = split[0][0].removeprefix(PERIOD_MARK).split()[0]
    if unit in ("before", "since"):
        unit = "date"
        named = [name.removeprefix(PERIOD_MARK) for name, _ in split]
        periods = [replace(one, name=name) for one, name in zip(periods, named, strict=True)]
    since, changes, reason = _changes(votes, split, options, setting, alpha)
    zero = names_where(every, anchors)
    return OverTime(unit, every, zero, tuple(periods), since, changes, clusters, alpha, reason)


def _as_weighed(votes: Votes, options: VoteOptions, setting: Setting) -> Votes:
    """The votes with the weights that they have on the board."""
    votes, _ = cap_votes(votes, options)
    if options.suspect_weight is None:
        return votes
    chosen = connected_models(votes, options, setting.key)
    kept = votes.take(chosen)
    suspects, _ = find_suspects(kept, options, fit_strengths(kept, options, setting).fit)
    return votes if suspects is None else down_weigh(votes, suspects)


def _count_models(votes: Votes, every: tuple[str, ...]) -> NDArray[np.int64]:
    place = {model: k for k, model in enumerate(every)}
    counts = np.zeros(len(every), dtype=np.int64)
    counts[[place[model] for model in votes.models]] = votes.per_model
    return counts


def _fit(
    votes: Votes, every: tuple[str, ...], options: VoteOptions, setting: Setting
) -> tuple[_Part | None, str]:
    """The fit of the largest group of models that the votes put on one scale; or why not."""
    try:
        kept = votes.take(np.sort(connected_models(votes, options, "")))
        found = fit_strengths(kept, options, setting)
    except RankbarsError as error:
        return None, str(error)
    place = {model: k for k, model in enumerate(every)}
    return _Part(kept, found, np.array([place[model] for model in kept.models])), ""


def _measured(found: Strengths) -> NDArray[np.bool_]:
    """Models about whose strength the votes say how sure it is."""
    known = np.isfinite(np.diag(found.covariance)) & (np.diag(found.covariance) > 0)
    return np.asarray(known & (found.groups == 0) & (found.reach > 1) & (found.df >= 1))


def _find_anchors(
    fits: Sequence[_Part | None], votes: Sequence[int], size: int
) -> tuple[NDArray[np.bool_], set[int]]:
    """Models that are measured in every period, and the periods.

    Periods with the fewest votes are left out until enough models are in all others.
    """
    held = {}
    for k, fit in enumerate(fits):
        if fit is not None:
            held[k] = np.zeros(size, dtype=np.bool_)
            held[k][fit.place] = _measured(fit.found)
    while held:
        common = np.logical_and.reduce(list(held.values()))
        if common.sum() >= _FEWEST_ANCHORS:
            return np.asarray(common), set(held)
        del held[min(held, key=lambda k: votes[k])]
    return np.zeros(size, dtype=np.bool_), set()


def _freedom(found: Strengths) -> tuple[Array, Array]:
    """Degrees of freedom of each model, and what its variance is raised by."""
    raised = np.maximum(found.hidden, 1.0)
    thin = np.isfinite(found.reach)
    if np.isfinite(found.df):
        raised = np.where(thin, np.maximum(raised * found.df / (found.df + 1), 1.0), 1.0)
    return np.minimum(found.df, np.where(thin, found.reach - 1, np.inf)), raised


def _relative(part: _Part, anchors: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
    """Strengths relative to the mean of the anchors, with errors and degrees of freedom."""
    found, measured = part.found, _measured(part.found)
    weight = anchors[part.place] / np.count_nonzero(anchors)
    df, raised = _freedom(found)
    variance = _variances(found.covariance, weight) * raised
    value = found.fit.strength - weight @ found.fit.strength
    value = np.where(measured, value, np.nan)
    se = np.sqrt(np.where(measured & (variance > 0), variance, np.nan))
    return value, se, df


def _changes(
    votes: Votes,
    split: Sequence[tuple[str, Votes]],
    options: VoteOptions,
    setting: Setting,
    alpha: float,
) -> tuple[str, tuple[Change, ...], str]:
    """Where the later part begins, and what changed; or why nothing was tested."""
    if len(split) < 2:
        return "", (), "all votes with a time lie in one period"
    ends = np.cumsum([own.n for _, own in split])
    cut = int(np.argmin(np.abs(ends[:-1] - ends[-1] / 2))) + 1
    since = split[cut][0].split()[-1]
    halves = []
    for some in (split[:cut], split[cut:]):
        own = votes_in(votes, [name for name, _ in some])
        fit, reason = _fit(own, votes.models, options, setting)
        if fit is None:
            return since, (), reason
        halves.append(fit)
    one, two = halves
    places = np.intersect1d(one.place[_measured(one.found)], two.place[_measured(two.found)])
    if places.size < _FEWEST_ANCHORS:
        reason = f"fewer than {_FEWEST_ANCHORS} models are measured both before and since {since}"
        return since, (), reason
    first, second = (np.searchsorted(part.place, places) for part in halves)
    value = two.found.fit.strength[second] - one.found.fit.strength[first]
    value -= value.mean()
    shared = _covariance_between(one, two, options)[np.ix_(first, second)]
    weight = np.full(places.size, 1 / places.size)
    variance = -2 * _variances(shared, weight)
    df = np.full(places.size, np.inf)
    for part, at in ((one, first), (two, second)):
        freedom, raised = _freedom(part.found)
        df = np.minimum(df, freedom[at])
        variance += _variances(part.found.covariance[np.ix_(at, at)], weight) * raised[at]
    effective, raised = _uneven(one, two, options, first, second)
    df, variance = np.minimum(df, effective), variance * raised
    # What rounding leaves of no variance at all tells nothing.
    se = np.sqrt(np.where(variance > 1e-12, variance, np.nan))
    return since, _test(votes.models, places, value, se, df, alpha), ""


def _variances(covariance: Array, weight: Array) -> Array:
    """Variances of values less their weighted mean; of a covariance between two sets of them."""
    mean = (covariance + covariance.T) @ weight
    return np.asarray(np.diag(covariance) - mean + weight @ covariance @ weight)


def _covariance_between(one: _Part, two: _Part, options: VoteOptions) -> Array:
    """Covariance of the strengths of two parts, whose votes share voters or prompts.

    By each of two kinds of clusters, less that by both at once.
    """
    names = () if one.found.clusters == ("vote",) else one.found.clusters
    breads = [model_covariance(part.found.fit) for part in (one, two)]
    meat = np.zeros((len(breads[0]), len(breads[1])))
    kinds = [((name,), 1) for name in names] + ([(names, -1)] if len(names) == 2 else [])
    for kind, sign in kinds:
        scores, keys, factor = [], [], 1.0
        for part in (one, two):
            clusters = tally_clusters(part.votes, options, kind)
            scores.append(cluster_scores(clusters, part.found.fit))
            keys.append(cluster_keys(part.votes, options, kind))
            factor *= clusters.n_clusters / max(clusters.n_clusters - 1, 1)
        common, left, right = np.intersect1d(keys[0], keys[1], return_indices=True)
        left, right = left[common >= 0], right[common >= 0]
        product = (scores[0][left].T @ scores[1][right]).toarray()
        meat += sign * np.sqrt(factor) * product
    between: Array = breads[0] @ meat @ breads[1]
    return between[: one.place.size, : two.place.size]


def _uneven(
    one: _Part,
    two: _Part,
    options: VoteOptions,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> tuple[float, Array]:
    """Degrees of freedom behind changes, and what their variances are raised by.

    Notes
    -----
    The variance is a sum of squares, one for each voter (or prompt), of what the voter adds to a
    change. By Satterthwaite (1946), Biometrics Bulletin 2, 110-114, its degrees of freedom are
    ``(sum v)^2 / sum v^2`` with v the expected squares. With u the parts that were seen, as normal
    numbers, ``sum u^4 / 3`` is the second sum and ``(sum u^2)^2 - 2 sum u^4 / 3`` the square of the
    first; all changes share one ratio, since that of one is too noisy. The squares
    are too small, too, as each voter is held against strengths of his own making: see
    `measure_reach`, whose factors the covariance of a part has only for models that few know.
    """
    freedom, raised = np.inf, np.ones(first.size)
    for name in () if one.found.clusters == ("vote",) else one.found.clusters:
        parts, keys, fewest = [], [], np.inf
        for part, at, sign in ((one, first, -1), (two, second, 1)):
            clusters = tally_clusters(part.votes, options, (name,))
            reach = measure_reach(clusters)
            fewest = min(fewest, reach.effective[at].min())
            hidden = reach.hidden[at] * (1 - 1 / clusters.n_clusters)
            raised = np.maximum(raised, np.where(np.isfinite(part.found.reach[at]), 1.0, hidden))
            lead = sign * model_covariance(part.found.fit)[:, at]
            lead -= lead.mean(axis=1, keepdims=True)
            parts.append((cluster_scores(clusters, part.found.fit), lead))
            keys.append(cluster_keys(part.votes, options, (name,)))
        if fewest > _MANY:
            continue
        key = np.concatenate(keys)
        key[key < 0] = key.max() + 1 + np.arange(np.count_nonzero(key < 0))
        labels, place = np.unique(key, return_inverse=True)
        left, right = np.split(place, [keys[0].size])
        ratios = []
        for k in range(first.size):
            u = np.zeros(labels.size)
            for (scores, lead), at in zip(parts, (left, right), strict=True):
                u[at] += scores @ lead[:, k]
            squares = u @ u
            if squares > 0:
                ratios.append((u**4).sum() / squares**2)
        if ratios:
            freedom = min(freedom, max(3 / float(np.mean(ratios)) - 2, 1.0))
    return freedom, raised


def _test(
    every: tuple[str, ...],
    places: NDArray[np.intp],
    value: Array,
    se: Array,
    df: Array,
    alpha: float,
) -> tuple[Change, ...]:
    """Tests of no change, Holm's correction over all models that have one."""
    known = np.isfinite(se)
    size = int(known.sum())
    p = np.ones(places.size)
    p[known] = np.minimum(1.0, 2 * upper_tail(np.abs(value[known]) / se[known], df[known]))
    order = np.argsort(p, kind="stable")
    rest = np.maximum(size - np.arange(places.size), 1)
    corrected = np.empty(places.size)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * rest))
    half = critical_value(alpha / 2 / max(size, 1), np.where(known, df, 1.0)) * se
    return tuple(
        Change(every[places[k]], float(value[k]), float(se[k]), float(df[k]),
               float(value[k] - half[k]), float(value[k] + half[k]), float(corrected[k]))
        for k in order.tolist()
    )  # fmt: skip

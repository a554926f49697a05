"""From findings to a board: task results, and what the board shows first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from importlib.metadata import version
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Coverage, Estimates, Evidence, Items
from rankbars.data.fields import locate_models
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import Note
from rankbars.data.scores import Scores, TaskInfo
from rankbars.data.spec import Anchor, Spec, VoteOptions
from rankbars.errors import UnknownOptionError
from rankbars.stats.orders import tiers
from rankbars.stats.ranks import RankBounds, observed_rank_sets
from rankbars.stats.tails import critical_value
from rankbars.stats.votes.arena import elo_ratings, overlap_bounds

__all__ = ["assemble_board", "describe_task", "observe_ranks"]


def observe_ranks(comparisons: Comparisons) -> RankIntervals:
    """Ranks as observed, with ties as ranges; not an inference."""
    bounds = observed_rank_sets(comparisons.mean)
    return RankIntervals(
        comparisons.models, bounds.best, bounds.worst, 1.0, "each", "task", "observed"
    )


def describe_task(
    evidence: Evidence,
    info: TaskInfo,
    comparisons: Comparisons,
    intervals: RankIntervals,
    observed: RankIntervals,
    votes: VoteOptions | None = None,
) -> TaskResult:
    """One task of a board, in the units of the input."""
    sign = 1.0 if info.direction == "higher" else -1.0
    spread = _spread(evidence, comparisons, intervals.alpha)
    anchor = None if votes is None or evidence.kind != "votes" else votes.anchor
    return TaskResult(
        name=comparisons.task,
        kind=evidence.kind,
        n=comparisons.rows,
        mean=sign * comparisons.mean,
        se=comparisons.mean_se,
        best=intervals.best,
        worst=intervals.worst,
        observed_best=observed.best,
        observed_worst=observed.worst,
        coverage=_coverage(evidence, info, comparisons.models),
        counts=_counts(evidence, info, comparisons.models),
        test=comparisons.test,
        correction=intervals.method,
        scope=intervals.scope,
        alpha=intervals.alpha,
        guarantee=intervals.guarantee,
        direction=info.direction,
        category=info.category,
        family=info.family,
        metric=info.metric,
        weight=info.weight,
        assumptions=intervals.assumptions,
        spread_best=None if spread is None else spread.best,
        spread_worst=None if spread is None else spread.worst,
        elo=None if anchor is None else _elo(comparisons, anchor),
        elo_anchor=None if anchor is None else f"{anchor.model or 'mean'}={anchor.rating:g}",
    )


def _spread(evidence: Evidence, comparisons: Comparisons, alpha: float) -> RankBounds | None:
    """Ranks by overlap of the models' own intervals, where scores come with errors of their own."""
    known = np.isfinite(comparisons.mean_se)
    if isinstance(evidence, Items) or not known.any():
        return None
    half = critical_value(alpha / 2, np.where(known, comparisons.mean_df, np.inf))
    half = np.where(known, half * comparisons.mean_se, np.nan)
    return overlap_bounds(comparisons.mean - half, comparisons.mean + half)


def _elo(comparisons: Comparisons, anchor: Anchor) -> NDArray[np.float64]:
    """Strengths on the scale of Elo; differences do not depend on the anchor."""
    present = np.flatnonzero(comparisons.present)
    place = None
    if anchor.model is not None:
        names = [comparisons.models[i] for i in present]
        if anchor.model not in names:
            raise UnknownOptionError.among("model to anchor the Elo scale", anchor.model, names)
        place = names.index(anchor.model)
    ratings = np.full(len(comparisons.models), np.nan)
    ratings[present] = elo_ratings(comparisons.mean[present], anchor=place, rating=anchor.rating)
    return ratings


def assemble_board(
    scores: Scores,
    spec: Spec,
    results: dict[str, TaskResult],
    overall: RankIntervals | None,
    aggregate: Aggregate | None,
    strict: RankIntervals | None,
    notes: Iterable[Note],
) -> Leaderboard:
    """The board, with what it shows first fixed by the structure of the input."""
    models = scores.models
    shown = np.zeros((len(models), len(models)), dtype=np.bool_)
    lead: Literal["task", "aggregate", "new_task"] = "new_task"
    if strict is not None and strict.shown_better is not None:
        lead, shown = "task", strict.shown_better
    elif aggregate is not None:
        lead, shown = "aggregate", aggregate.shown_better
    draft = Leaderboard(
        models=models,
        tasks=results,
        overall=overall,
        aggregate=aggregate,
        lead=lead,
        shown_better=shown,
        tiers=(models,),
        spec=spec,
        notes=tuple(dict.fromkeys(notes)),
        inputs=scores.inputs,
        version=version("rankbars"),
    )
    groups = tiers(draft.score, shown)
    return replace(draft, tiers=tuple(tuple(models[i] for i in members) for members in groups))


def _counts(evidence: Evidence, info: TaskInfo, models: tuple[str, ...]) -> Coverage | None:
    if info.coverage is None:
        return None
    return info.coverage.spread(evidence.models, models)


def _coverage(evidence: Evidence, info: TaskInfo, models: tuple[str, ...]) -> NDArray[np.float64]:
    share = np.zeros(len(models))
    columns = locate_models(evidence.models, models)
    if info.coverage is not None:
        share[columns] = info.coverage.share
    else:
        share[columns] = _observed_share(evidence)
    return share


def _observed_share(evidence: Evidence) -> NDArray[np.float64]:
    if isinstance(evidence, Items):
        return np.asarray(1.0 - np.isnan(evidence.values).mean(axis=0))
    if isinstance(evidence, Estimates):
        return np.asarray(1.0 - np.isnan(evidence.mean))
    return np.ones(len(evidence.models))  # votes: a model is there because somebody voted on it

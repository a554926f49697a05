"""From findings to a board: task results, their pairs, and what the board shows first."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.board import Leaderboard, TaskResult, ranks_from_relation
from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Estimates, Evidence, Items, Votes, independent_items
from rankbars.data.fields import locate_models, names_where, spread_columns
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import Note, without_folders
from rankbars.data.rightanswers import count_right, is_binary
from rankbars.data.scores import Scores
from rankbars.data.spec import Anchor, Spec, VoteOptions
from rankbars.data.taskinfo import TaskInfo
from rankbars.data.taskresult import ScoreBins, TaskPairs
from rankbars.stats.orders import tiers
from rankbars.stats.ranks import RankBounds
from rankbars.stats.tails import critical_value
from rankbars.stats.votes.arena import elo_ratings, overlap_bounds
from rankbars.steps.testrows import score_ends

if TYPE_CHECKING:
    from rankbars.data.aggregate import Aggregate

__all__ = [
    "MOST_BINS",
    "MOST_CELLS",
    "assemble_board",
    "bin_scores",
    "contain",
    "describe_task",
    "note_effects",
    "note_unused",
    "summarise_pairs",
]


def contain(intervals: RankIntervals, observed: RankIntervals) -> RankIntervals:
    """The intervals, widened to hold the observed ranks.

    At the error rates that intervals for a new task are made at, a model counts as better only
    where its score is higher, too.
    """
    return replace(
        intervals,
        best=np.minimum(intervals.best, observed.best),
        worst=np.maximum(intervals.worst, observed.worst),
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
    models, counts = comparisons.models, None
    if info.coverage is not None:
        counts = info.coverage.spread(evidence.models, models)
    sign = 1.0 if info.direction == "higher" else -1.0
    spread = _spread(evidence, comparisons, intervals.alpha)
    anchor = None if votes is None or evidence.kind != "votes" else votes.anchor
    result = TaskResult(
        name=comparisons.task,
        kind=evidence.kind,
        n=comparisons.rows,
        mean=sign * comparisons.mean,
        se=comparisons.mean_se,
        best=intervals.best,
        worst=intervals.worst,
        observed_best=observed.best,
        observed_worst=observed.worst,
        coverage=_observed_share(evidence, models) if counts is None else counts.share,
        counts=counts,
        test=comparisons.test,
        correction=intervals.method,
        scope=intervals.scope,
        alpha=intervals.alpha,
        guarantee=intervals.guarantee,
        approximate=intervals.approximate,
        measured_level=intervals.measured_level,
        direction=info.direction,
        category=info.category,
        family=info.family,
        metric=info.metric,
        weight=info.weight,
        assumptions=intervals.assumptions,
        spread_best=None if spread is None else spread.best,
        spread_worst=None if spread is None else spread.worst,
        df=_own_freedom(comparisons.mean_df),
        elo=None if anchor is None else _elo(comparisons, anchor),
        elo_anchor=None if anchor is None else f"{anchor.model or 'mean'}={anchor.rating:g}",
        effects=None
        if comparisons.effects is None
        else replace(comparisons.effects, alpha=intervals.alpha),
        suspects=comparisons.suspects,
        suspect_groups=comparisons.suspect_groups,
    )
    return _with_ends(result, evidence, info, comparisons)


_FEW_ANSWERS = 30  # right, or wrong: with as many the t interval covers .939 or more


def _with_ends(
    result: TaskResult, evidence: Evidence, info: TaskInfo, comparisons: Comparisons
) -> TaskResult:
    """The task with intervals of scores that stay on the scale, where others would leave it.

    To cut an interval at ends that no score can leave costs no coverage.
    """
    limits = score_ends(evidence, info)
    if evidence.kind == "votes" or not np.isfinite(limits).any():
        return result
    usual = result.score_interval()
    low, high = (np.clip(ends, *limits) for ends in usual)
    counts = limits == (0.0, 1.0) and comparisons.test != "judge_t"  # which judgements move
    answers = independent_items(evidence) and evidence.runs is None and evidence.trials is None
    if counts and isinstance(evidence, Items) and answers and is_binary(evidence):
        from rankbars.stats.binomial import exact_limits

        place = locate_models(evidence.models, comparisons.models)
        n, right = count_right(evidence)
        few = (np.minimum(right, n - right) < _FEW_ANSWERS) & (n > 0)
        low[place[few]], high[place[few]] = exact_limits(right[few], (n - right)[few], result.alpha)
    pairs = zip((low, high), usual, strict=True)
    same = all(np.array_equal(one, two, equal_nan=True) for one, two in pairs)
    return result if same else replace(result, low=low, high=high)


def note_effects(task: TaskResult) -> tuple[Note, ...]:
    """What is said of the controls of a task of votes: how much each sways them."""
    effects = task.effects
    if effects is None:
        return ()
    parts = []
    for name, value, low, high, spread in zip(
        effects.names, effects.value, *effects.interval, effects.spread, strict=True
    ):
        ends = "; its error is not known"
        if np.isfinite(low):
            level = f"{100 - 100 * effects.alpha:g} %"
            ends = f" ({level} interval {_odds(low * spread)} to {_odds(high * spread)})"
        what = f"{spread:.3g} more of {name}, a usual difference, multiply"
        if name == "position":
            what = "being shown first multiplies"
        parts.append(f"{what} the odds of a win by {_odds(value * spread)}{ends}")
    text = f"Strengths are adjusted: {'; '.join(parts)}."
    if np.isfinite(effects.se).any():
        text += " Each interval holds by itself."
    return (Note("effects", text, task.name),)


def _odds(log_odds: float) -> str:
    return f"{math.exp(min(max(log_odds, -700.0), 700.0)):.3g}"


def _own_freedom(df: NDArray[np.float64]) -> NDArray[np.float64]:
    """Degrees of freedom of the scores; one number where all models have the same."""
    known = np.where(np.isnan(df), np.inf, df)
    return known if np.ptp(np.where(np.isinf(known), -1.0, known)) > 0 else known[0]


def _spread(evidence: Evidence, comparisons: Comparisons, alpha: float) -> RankBounds | None:
    """Ranks by overlap of the models' own intervals, where scores come with errors of their own."""
    known = np.isfinite(comparisons.mean_se)
    if isinstance(evidence, Items) or not known.any():
        return None
    half = critical_value(alpha / 2, np.where(known, comparisons.mean_df, np.inf))
    half = np.where(known, half * comparisons.mean_se, np.nan)
    low, high = comparisons.mean - half, comparisons.mean + half
    if isinstance(evidence, Estimates) and evidence.se is not None and evidence.n is not None:
        _use_wilson(low, high, evidence, comparisons, alpha)
    return overlap_bounds(low, high)


def _use_wilson(
    low: NDArray[np.float64], high: NDArray[np.float64], evidence: Estimates,
    comparisons: Comparisons, alpha: float,
) -> None:  # fmt: skip
    """Write the own intervals of shares of items that were published with an error of 0."""
    from rankbars.stats.pairwise.estimates import fill_zero_errors, wilson_ends

    if evidence.se is None or evidence.n is None:
        return
    filled = fill_zero_errors(evidence.mean, evidence.se, evidence.n)
    if filled.scale is None or not filled.by_items.any():
        return
    score, n = evidence.mean[filled.by_items], evidence.n[filled.by_items]
    z = float(critical_value(alpha / 2, np.inf))
    one, two = wilson_ends(np.abs(score) / filled.scale, n, z)
    sign = -1.0 if (evidence.mean[~np.isnan(evidence.mean)] <= 0.0).all() else 1.0
    names = names_where(evidence.models, filled.by_items)
    place = locate_models(tuple(names), comparisons.models)
    low[place] = filled.scale * np.minimum(sign * one, sign * two)
    high[place] = filled.scale * np.maximum(sign * one, sign * two)


def _elo(comparisons: Comparisons, anchor: Anchor) -> NDArray[np.float64]:
    """Strengths on the scale of Elo; differences do not depend on the anchor."""
    present = np.flatnonzero(comparisons.present)
    place = None
    if anchor.model is not None:
        names = [comparisons.models[i] for i in present]
        check_name("model to anchor the Elo scale", anchor.model, names)
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
    brief = without_folders(one.path for one in scores.inputs)
    draft = Leaderboard(
        models=models,
        tasks=results,
        overall=overall,
        aggregate=aggregate,
        lead=lead,
        shown_better=shown,
        tiers=(),
        spec=spec,
        notes=tuple(dict.fromkeys(replace(one, message=brief(one.message)) for one in notes)),
        inputs=tuple(replace(one, path=brief(one.path)) for one in scores.inputs),
        version=version("rankbars"),
        library=scores.library,
        names=scores.names,
    )
    if not ranks_from_relation(draft):
        return draft
    groups = tiers(draft.score, shown, draft.ranks.best == 1)
    return replace(draft, tiers=tuple(tuple(models[i] for i in members) for members in groups))


def _observed_share(evidence: Evidence, models: tuple[str, ...]) -> NDArray[np.float64]:
    share = np.zeros(len(models))
    columns = locate_models(evidence.models, models)
    if isinstance(evidence, Items):
        share[columns] = 1.0 - np.isnan(evidence.values).mean(axis=0)
    elif isinstance(evidence, Estimates):
        share[columns] = 1.0 - np.isnan(evidence.mean)
    else:
        share[columns] = 1.0  # votes: a model is there because somebody voted on it
    return share


MOST_BINS = 20
MOST_CELLS = 100_000  # bins times models times tasks; more would make a page slow to open
_SMALLEST = 1e-150  # so that no power of ten overflows
_CELLS = 2**22  # of a block of rows times pairs


def summarise_pairs(
    evidence: Evidence, comparisons: Comparisons, *, bins: bool = False
) -> TaskPairs:
    """Differences, errors and rows ahead of all pairs of one task.

    Parameters
    ----------
    evidence : Items, Estimates or Votes
        The evidence as it was read.
    comparisons : Comparisons
        What was made of it.
    bins : bool
        Also count the scores of each model in bins, where they are more than right or wrong.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays({"x": [[1, 0], [1, 1], [1, 0], [0, 1]]}, ["a", "b"])
    >>> pairs = summarise_pairs(scores.tasks["x"], rb.compare(scores)["x"])
    >>> pairs.difference.item(), pairs.ahead.item(), pairs.behind.item(), pairs.binary
    (0.25, 2, 1, True)
    """
    size = len(comparisons.models)
    first, second = np.triu_indices(size, k=1)
    pairs = comparisons.pairs
    df = np.asarray(np.inf if pairs is None else pairs.df)
    n = np.asarray(comparisons.rows if pairs is None else pairs.n)
    ahead = behind = None
    binary, spread = False, None
    if isinstance(evidence, Votes):
        won = _placed(evidence.wins, evidence.models, comparisons.models)
        met = _placed(evidence.met, evidence.models, comparisons.models)
        ahead, behind = _whole(won[first, second]), _whole(won[second, first])
        n = _whole(met[first, second])
    elif isinstance(evidence, Items):
        columns = locate_models(evidence.models, comparisons.models)
        values = spread_columns(evidence.values, columns, size)
        ahead, behind = _count_ahead(values, first, second)
        # Where lower is better, 0/1 scores are stored as 0 and -1.
        known = bool((~np.isnan(evidence.values)).any())
        binary = known and is_binary(evidence)
        spread = bin_scores(values) if bins and not binary else None
    return TaskPairs(
        difference=comparisons.diff[first, second],
        se=comparisons.se[first, second],
        df=df if df.ndim == 0 else df[first, second],
        n=n if n.ndim != 2 else n[first, second],
        model_df=np.where(np.isnan(comparisons.mean_df), np.inf, comparisons.mean_df),
        ahead=ahead,
        behind=behind,
        binary=binary,
        bins=spread,
    )


def _placed(
    table: NDArray[np.float64], names: tuple[str, ...], models: tuple[str, ...]
) -> NDArray[np.float64]:
    """A table of votes over the models of the board."""
    if names == models:
        return table
    position = {name: i for i, name in enumerate(models)}
    at = [position[name] for name in names if name in position]
    kept = [i for i, name in enumerate(names) if name in position]
    placed = np.zeros((len(models),) * 2)
    placed[np.ix_(at, at)] = table[np.ix_(kept, kept)]
    return placed


def _whole(counts: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(counts).astype(np.int64)


def _count_ahead(
    values: NDArray[np.float64], first: NDArray[np.intp], second: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows on which the first of each pair did better, and the second; NaN counts for neither."""
    ahead, behind = np.empty(first.size, dtype=np.int64), np.empty(first.size, dtype=np.int64)
    step = max(_CELLS // max(len(values), 1), 1)
    columns = np.ascontiguousarray(values.T)
    for start in range(0, first.size, step):
        block = slice(start, start + step)
        one, two = columns[first[block]], columns[second[block]]
        ahead[block] = np.count_nonzero(one > two, axis=1)
        behind[block] = np.count_nonzero(one < two, axis=1)
    return ahead, behind


def bin_scores(values: NDArray[np.float64]) -> ScoreBins | None:
    """Histograms of the columns of `values`, in at most `MOST_BINS` bins with round edges.

    Parameters
    ----------
    values : array of float, shape (n, M)
        Scores; NaN = none.

    Returns
    -------
    ScoreBins or None
        None where there are no two different scores.

    Examples
    --------
    >>> bins = bin_scores(np.array([[0.12, 0.5], [0.31, 0.5], [0.88, np.nan]]))
    >>> bins.edges[:3].tolist(), bins.counts.sum(axis=1).tolist()
    ([0.1, 0.15, 0.2], [3, 2])
    """
    known = values[np.isfinite(values)]
    if not known.size or known.min() == known.max():
        return None
    edges = _round_edges(float(known.min()), float(known.max()))
    if edges is None:
        return None
    counts = [np.histogram(column[np.isfinite(column)], bins=edges)[0] for column in values.T]
    return ScoreBins(edges, np.array(counts, dtype=np.int64))


def _round_edges(low: float, high: float) -> NDArray[np.float64] | None:
    """Multiples of 1, 2 or 5 times a power of ten around the scores; None if too close to tell."""
    if high - low < _SMALLEST:
        return None
    exponent = math.floor(math.log10((high - low) / MOST_BINS))
    for mantissa, power in [(m, exponent + k) for k in (0, 1) for m in (1, 2, 5)]:
        # Dividing by a whole number gives 0.15, where multiplying by 0.05 would not.
        step, divisor = mantissa * 10.0 ** max(power, 0), 10.0 ** max(-power, 0)
        first, last = math.floor(low * divisor / step), math.ceil(high * divisor / step)
        if last - first <= MOST_BINS:
            edges = np.arange(first, last + 1, dtype=np.float64) * step / divisor
            # They hold the ends although they were rounded.
            edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
            return edges if (np.diff(edges) > 0).all() else None
    return None


def note_unused(spec: Spec) -> tuple[Note, ...]:
    """What was asked for and needs several tasks."""
    usual = Spec()
    names = {"merge": "--merge", "over": "--aggregate", "estimator": "--aggregate",
             "method": "--aggregate", "normalise": "--normalise",
             "baseline": "--baseline", "baseline_fills": "--baseline-fills",
             "average_anyway": "--average-anyway"}  # fmt: skip
    unused = dict.fromkeys(
        option
        for name, option in names.items()
        if getattr(spec, name) not in (getattr(usual, name), "none")
    )
    if not unused:
        return ()
    message = f"There is one task, and nothing to average or to merge: unused {', '.join(unused)}."
    return (Note("one-task", message),)
